"""`corefscore compare KEY A B [C ...]`: do systems differ?"""

from __future__ import annotations

from typing import Any

import click

from corefscore.cli import options
from corefscore.cli.messages import write
from corefscore.cli.scoring import spare_inputs
from corefscore.cli.systems import named, resampling, scored, scoring
from corefscore.errors import UsageError
from corefscore.layouts import DATA, TABLES, find
from corefscore.measures import wanted
from corefscore.reports.compare import compare
from corefscore.significance import Method


def command(name: str) -> click.Command:
    """The command."""
    return options.Command(
        name,
        callback=run,
        short_help="Compare systems: confidence intervals and significance tests.",
        help="Compare systems: their scores and differences, confidence intervals of both from paired bootstrap "
        "resamples, and a significance test of each difference.\n\n"
        "A SYSTEM is the path of a response, or NAME=PATH to give it a name. "
        "Sources: Noreen 1989; Moosavi and Strube 2016; Holm 1979.",
        params=[
            click.Argument(["key"], type=options.File()),
            click.Argument(["systems"], type=options.File(), metavar="SYSTEM SYSTEM ...", nargs=-1, required=True),
            *resampling(),
            click.Option(
                ["--confidence"],
                type=options.Finite(0, 100, min_open=True, max_open=True),
                metavar="PERCENT",
                default=95,
                show_default=True,
                help="Confidence level in percent; 95 also means tests at the 0.05 level.",
            ),
            *scoring(),
            options.layout(TABLES, DATA),
            options.output(),
            *options.notices(),
            *options.workers(),
        ],
    )


def run(
    *,
    key: str,
    systems: tuple[str, ...],
    measures: str,
    trials: int,
    seed: int,
    unit: str,
    test: str,
    correction: str,
    confidence: float,
    layout: str,
    output: str,
    **how: Any,
) -> None:
    """Score every system, compare, write the report."""
    paths = named(systems)
    if len(paths) < 2:
        raise UsageError("compare needs two systems or more; one alone is scored by corefscore METRIC KEY RESPONSE")
    spare_inputs({"--output": output}, (key, *paths.values()), how["include"])
    chosen = wanted(measures)
    method = Method(unit, None, test, trials, seed, correction, round(confidence / 100, 12))
    results = scored(key, paths, chosen.metrics, **how)
    write(find(layout)(compare(results, chosen.measures, method), layout), output)
