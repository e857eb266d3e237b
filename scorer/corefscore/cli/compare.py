"""`corefscore compare KEY A B [C ...]`: do systems differ?"""

from __future__ import annotations

from typing import Any

import click

from corefscore.cli import options, progress
from corefscore.cli.output import write
from corefscore.cli.scoring import spare_inputs
from corefscore.cli.systems import comparing, given, method, scored
from corefscore.core.options import STATISTICS
from corefscore.metrics import wanted
from corefscore.reports.compare import compare
from corefscore.reports.layouts import Style, rendered


@click.command(
    "compare",
    cls=options.Command,
    short_help="Compare systems: confidence intervals and significance tests.",
    help="Compare systems: scores and differences with confidence intervals (jackknife), and a test of each "
    "difference (paired approximate randomization). The test is of the hypothesis that the responses of the two "
    "systems to any document could be exchanged.\n\n"
    "A SYSTEM is the path of a response, or NAME=PATH to give it a name, or NAME=RUN,RUN,... for several runs of a "
    "system, whose mean is compared.",
    more="Sources: Noreen 1989; Moosavi and Strube 2016; Westfall and Young 1993; Holm 1979; Dror et al. 2017.",
    examples=(
        "corefscore compare key.conll a.conll b.conll",
        "corefscore compare key.conll --systems systems --measures conll,lea",
        "corefscore compare key.conll old=a.conll new=b.conll --format markdown",
    ),
    params=comparing(
        options.Parameter(
            "--margin",
            type=click.FloatRange(0, 100, min_open=True, max_open=True),
            metavar="POINTS",
            heading=STATISTICS,
            common=False,
            help="Also test whether two systems are equivalent: less than so many points apart.",
        ),
    ),
)
def command(
    *,
    key: str,
    systems: tuple[str, ...],
    place: str | None,
    measures: str,
    look: Style,
    output: str,
    **arguments: Any,
) -> None:
    """Score every system, compare them, and write the report."""
    paths, runs, skipped = given(key, systems, place, **arguments)
    spare_inputs({"--output": output}, (key, *paths.values()))
    chosen = wanted(measures)
    way = method(arguments)
    results, notices = scored(key, paths, chosen.metrics, unit=way.unit, **arguments)
    with progress.resampling() as watch:
        report = compare(results, chosen.measures, way, watch, [*skipped, *notices], runs=runs)
    write(rendered(report, look), output)
