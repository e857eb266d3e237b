"""What `errors` and `diff` share: their options, and the analysis of responses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from corefscore.analysis import found
from corefscore.analysis.costs import measured
from corefscore.analysis.found import Analysis, Asked
from corefscore.analysis.spans import REPAIRS
from corefscore.analysis.texts import HEADS, layers_of
from corefscore.cli import options
from corefscore.cli.messages import tell
from corefscore.cli.scoring import evaluated, one_standard_input, workers
from corefscore.formats.row import Layers, Reading


def analysing() -> list[click.Parameter]:
    """Options of an analysis."""
    return [
        click.Option(["--measure"], default="conll", show_default=True, help="Count costs in the F1 of this measure."),
        click.Option(
            ["--pronouns"],
            metavar="HOW",
            default="auto",
            show_default=True,
            help="Which mentions are pronouns: auto (by the tags of the key), none, english, tags:A,B* or words:FILE.",
        ),
        click.Option(
            ["--heads"],
            type=options.Choice(HEADS),
            default=HEADS[0],
            show_default=True,
            help="How to find the head of a mention: in the parse of the key, or its last token.",
        ),
        click.Option(
            ["--spans"],
            type=options.Choice(REPAIRS),
            default=REPAIRS[0],
            show_default=True,
            help="Words to ignore at the ends of mentions; off keeps every span as it is.",
        ),
    ]


def analysed(
    key: str,
    systems: Mapping[str, str],
    *,
    measure: str,
    pronouns: str,
    heads: str,
    spans: str,
    strict: bool,
    quiet: bool | None,
    jobs: int | None,
    scheduler: str | None,
    document: str | None = None,
    **how: Any,
) -> dict[str, Analysis]:
    """The analysis of each response, by the name of the system; the text of the key is read once."""
    one_standard_input(key, *systems.values())
    wanted = measured(measure)
    layers: list[Layers | None] | None = None
    analyses: dict[str, Analysis] = {}
    with workers(jobs, scheduler) as apply:
        for name, path in systems.items():
            result = evaluated(key, path, wanted.metrics, apply=apply, document=document, keep_pairs=True, **how)
            tell(result.notices, strict=strict, quiet=quiet, of=name if len(systems) > 1 else "")
            pairs = found.pairs_of(result)
            if layers is None:
                layers = layers_of(pairs.key, Reading(*(how.get(field) for field in Reading._fields)))
            its = found.analysed(result, pairs, layers, Asked(heads, pronouns, spans), wanted)
            if not analyses:  # what is odd for an analysis is odd in the key
                tell(its.notices, strict=strict, quiet=quiet)
            analyses[name] = its
    return analyses
