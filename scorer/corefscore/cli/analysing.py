"""The options of `errors` and `diff`, and the analysis of responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
from click.core import ParameterSource

from corefscore.analysis.costs import measured
from corefscore.analysis.response import Analysis, Asked, pairs_of, refuse_parts
from corefscore.analysis.response import analysed as analysed_result
from corefscore.cli import options
from corefscore.cli.output import tell
from corefscore.cli.scoring import evaluated, workers
from corefscore.core.errors import UsageError
from corefscore.core.options import SCORING
from corefscore.formats.base import AUTO
from corefscore.reports.words import FIRST_AND_SECOND, KEY_AND_RESPONSE, Words
from corefscore.scoring.kinds.texts import text_of
from corefscore.scoring.results import Result


def analysing() -> list[click.Parameter]:
    """Options of an analysis and of scoring."""
    return [
        options.Parameter(
            "--measures",
            "measure",
            metavar="MEASURE",
            default="conll",
            show_default=True,
            heading=SCORING,
            help="Measure in whose F1 costs are measured.",
        ),
        *options.of_topic(Asked),
        options.Parameter(
            "--symmetric",
            is_flag=True,
            heading=SCORING,
            help="Compare two annotators: neither side is the key. F1 is the same in both directions if both have the "
            "same tokens.",
        ),
        options.Parameter(
            "--html",
            type=options.FILE,
            metavar="FILE",
            help="Write an HTML page with the text and all errors, to open in a browser.",
        ),
        *options.scoring([]),
    ]


def page_of(analyses: Mapping[str, Analysis], words: Words) -> Iterator[str]:
    """The HTML page of some analyses."""
    from corefscore.reports.diff import Diff
    from corefscore.reports.layouts import page

    return page.render({system: Diff(analysis, words) for system, analysis in analyses.items()})


def refuse_beside_page(*others: str) -> None:
    """Raise `UsageError` for an option that is not for the page: the page shows everything and has its own filters."""
    context = click.get_current_context()
    for option in ("output", *others):
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            name = next(parameter.opts[0] for parameter in context.command.params if parameter.name == option)
            raise UsageError(
                f"{name} is not for the page that --html writes: it shows everything and has its own filters"
            )


ALIKE = {"repeated": "first", "boundary": "both", "matching": "exact"}
"""What ``--symmetric`` sets so that no F1 depends on which side is first; each can be given another value that does not
either."""

ONE_SIDED = {
    "repeated": ("official",),
    "matching": ("partial", "head"),
    "singletons": ("drop-response",),
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
    asked = Asked(arguments["heads"] or AUTO, pronouns)
    analyses = {
        name: analysed_result(result, pairs_of_result, text, asked, wanted)
        for (name, result), pairs_of_result in zip(results.items(), pairs, strict=True)
    }
    first, *_ = analyses.values()  # the notices of an analysis are about the key
    tell(first.notices)
    return analyses
