"""`corefscore rank KEY SYSTEM...`: the table of a shared task."""

from __future__ import annotations

from typing import Any

import click

from corefscore.cli import options, progress
from corefscore.cli.output import complain, write, write_bytes
from corefscore.cli.scoring import spare_inputs
from corefscore.cli.systems import comparing, given, method, reason, scored
from corefscore.core.errors import InputError, ScorerError
from corefscore.core.options import SCORING, STATISTICS
from corefscore.metrics import ranked_by, wanted
from corefscore.reports.layouts import Style, rendered
from corefscore.reports.plots import drawn, form_of
from corefscore.reports.rank import rank
from corefscore.scoring.results import compiled


@click.command(
    "rank",
    cls=options.Command,
    short_help="Rank systems, each with the range of ranks that tests allow.",
    help="Rank systems, best first. Each has a range of ranks, such as 2-4: it begins after the systems that were "
    "shown to be better, and ends before those that were shown to be worse. If two ranges do not overlap, a "
    "difference was shown.\n\n"
    "A SYSTEM is the path of a response, or NAME=PATH to give it a name, or NAME=RUN,RUN,... for several runs of a "
    "system, whose mean is ranked. A system that cannot be scored gets a row with the reason, and the exit status "
    "is 1.",
    more="With --by, systems are ranked by the unweighted mean over groups of documents. If FILE of --output "
    "ends in .png, .svg or .pdf, the ranking is plotted; this needs matplotlib (pip install matplotlib).",
    examples=(
        "corefscore rank key.conll --systems systems",
        "corefscore rank key.conll a.conll b.conll --sort lea --format markdown",
    ),
    params=comparing(
        options.Parameter(
            "--sort",
            metavar="MEASURE",
            heading=SCORING,
            help="Measure to rank by: its F1, or a score such as lea.recall. [default: conll if --measures has it, "
            "or the first of these]",
        ),
        options.Parameter(
            "--agreement",
            is_flag=True,
            heading=STATISTICS,
            common=False,
            help="Also report how far the measures agree: Kendall's tau, and pairs with different verdicts.",
        ),
    ),
)
def command(
    *,
    key: str,
    systems: tuple[str, ...],
    place: str | None,
    sort: str | None,
    agreement: bool,
    measures: str,
    look: Style,
    output: str,
    **arguments: Any,
) -> None:
    """Score every system, rank them, and write the report or the plot."""
    paths, runs, skipped = given(key, systems, place, **arguments)
    spare_inputs({"--output": output}, (key, *paths.values()))
    chosen = wanted(measures)
    measure, score = ranked_by(chosen.measures, sort)
    if arguments["by"] is not None:
        compiled(arguments["by"])
    form = form_of(output)
    way = method(arguments)
    unscored: dict[str, str] = {}

    def refused(name: str, error: ScorerError) -> None:
        complain(f"corefscore: {name} is not ranked: {reason(error)}")
        unscored[name] = reason(error)

    metrics = wanted(f"{measures},{measure}").metrics
    results, notices = scored(key, paths, metrics, refused=None if runs else refused, unit=way.unit, **arguments)
    notices = [*skipped, *notices]
    if not results:
        complain("corefscore: no system can be ranked")
        click.get_current_context().exit(InputError.status)
    with progress.resampling() as watch:
        ranking = rank(
            results,
            chosen.measures,
            sort=measure,
            score=score,
            method=way,
            unscored=unscored,
            watch=watch,
            notices=notices,
            agreement=agreement,
            runs=runs,
        )
    if form:
        write_bytes(drawn(ranking, form), output)
    else:
        write(rendered(ranking, look), output)
    if unscored:
        click.get_current_context().exit(InputError.status)
