"""The options of `errors` and `diff`, and the analysis of responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from corefscore.analysis.costs import measured
from corefscore.analysis.response import Analysis, Asked, pairs_of, refuse_parts
from corefscore.analysis.response import analysed as analysed_result
from corefscore.analysis.spans import REPAIRS
from corefscore.cli import options
from corefscore.cli.messages import tell
from corefscore.cli.scoring import evaluated, workers
from corefscore.core.errors import UsageError
from corefscore.formats.base import AUTO
from corefscore.reports.words import FIRST_AND_SECOND, KEY_AND_RESPONSE, Words
from corefscore.scoring.kinds.texts import text_of
from corefscore.scoring.results import Result


def analysing() -> list[click.Parameter]:
    """Options of an analysis and of scoring."""
    return [
        click.Option(
            ["--measure"],
            metavar="MEASURE",
            default="conll",
            show_default=True,
            help="Measure in whose F1 costs are measured.",
        ),
        click.Option(
            ["--pronouns"],
            metavar="HOW",
            default="auto",
            show_default=True,
            help="How to recognise pronouns: auto (by the tags of the key), none, english, tags:A,B* or words:FILE.",
        ),
        click.Option(
            ["--symmetric"],
            is_flag=True,
            help="Compare two annotators: neither side is the key. F1 is the same in both directions if both have the "
            "same tokens.",
        ),
        click.Option(
            ["--spans"],
            type=options.Choice(REPAIRS),
            default=REPAIRS[0],
            show_default=True,
            help="Words to ignore at the ends of mentions in the search for span errors; off: do not search.",
        ),
        *options.scoring([]),
    ]


ALIKE = {"repeated": "first", "boundary": "both", "matching": "exact"}
"""What ``--symmetric`` sets so that no F1 depends on which side is first; each can be given another value that does not
either."""

ONE_SIDED = {
    "repeated": ("official",),
    "matching": ("partial", "head"),
    "singletons": ("drop-response",),
    "lookup": ("crac22", "crac23"),
    "task": ("crac22", "crac23"),
}
"""The values of options that treat the sides differently."""


def sides(*, symmetric: bool, several: bool, arguments: dict[str, Any]) -> Words:
    """Name the sides in a report. With ``--symmetric`` the ``arguments`` treat both alike.

    Raises `UsageError` for ``--symmetric`` with several responses, or with an option that treats the sides differently.
    """
    if not symmetric:
        return KEY_AND_RESPONSE
    if several:
        raise UsageError("--symmetric is for two annotators: leave the third file out")
    source = click.get_current_context().get_parameter_source
    for name, value in ((name, arguments[name]) for name in ONE_SIDED):
        if value in ONE_SIDED[name] and source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{name} {value} treats the two sides differently; leave it or --symmetric out")
    given = {name: arguments[name] for name in ALIKE if source(name) is ParameterSource.COMMANDLINE}
    arguments.update({**ALIKE, **given})
    return FIRST_AND_SECOND


def analysed(
    key: str,
    systems: Mapping[str, str],
    *,
    measure: str,
    pronouns: str,
    spans: str,
    document: str | None = None,
    **arguments: Any,
) -> dict[str, Analysis]:
    """The analysis of each response by the name of the system; the text of the key is read once."""
    refuse_parts(arguments["of"], arguments["window"])
    wanted = measured(measure)
    results: dict[str, Result] = {}
    with workers() as apply:
        for name, path in systems.items():
            result = evaluated(
                *(key, path, wanted.metrics), apply=apply, document=document, keep_pairs=True, texts=True, **arguments
            )
            tell(result.notices, name if len(systems) > 1 else "")
            results[name] = result
    pairs = [pairs_of(result) for result in results.values()]
    text = text_of(pairs)
    asked = Asked(arguments["heads"] or AUTO, pronouns, spans)
    analyses = {
        name: analysed_result(result, pairs_of_result, text, asked, wanted)
        for (name, result), pairs_of_result in zip(results.items(), pairs, strict=True)
    }
    first, *_ = analyses.values()  # the notices of an analysis are about the key
    tell(first.notices)
    return analyses
