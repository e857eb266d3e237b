"""`corefscore check`: has a score dropped?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from corefscore.baselines import read_baseline
from corefscore.cli import options
from corefscore.cli.messages import tell, write
from corefscore.cli.scoring import evaluated, one_standard_input, spare_inputs, workers
from corefscore.cli.systems import scoring
from corefscore.errors import UsageError
from corefscore.layouts import ANNOTATIONS, DATA, TABLES, find
from corefscore.measures import single, wanted
from corefscore.metrics import select
from corefscore.reports.check import check

FAILED = 3
"""The exit status of a check that failed."""


def command(name: str) -> click.Command:
    """The command."""
    return options.Command(
        name,
        callback=run,
        short_help="Fail if a score is lower than in an earlier run, or than a given minimum.",
        help="Check the scores of a response against a baseline, against minimum scores (--min), or both. BASELINE is "
        "the JSON of an earlier run (--format json), or a file with the output of the official scorer.\n\n"
        "Exit status: 0 success; 3 a total is worse by more than the tolerance.",
        params=[
            click.Argument(["files"], type=options.File(), metavar="[BASELINE] KEY RESPONSE", nargs=-1, required=True),
            click.Option(
                ["--tolerance"],
                type=options.Finite(min=0),
                metavar="POINTS",
                default=0.05,
                show_default=True,
                help="How far a score may move, in percentage points.",
            ),
            click.Option(
                ["--both-ways"],
                is_flag=True,
                help="Also fail on a rise, and check every document of the baseline.",
            ),
            click.Option(
                ["--metric"], metavar="NAME", help="The metric of the official output, if that is of one metric only."
            ),
            click.Option(
                ["--min", "floors"],
                metavar="MEASURE=PERCENT",
                multiple=True,
                help="Minimum score, such as lea.f1=50 or conll=60; can be repeated.",
            ),
            *scoring(),
            options.layout(TABLES, DATA, ANNOTATIONS),
            options.output(),
            *options.notices(),
            *options.workers(),
        ],
    )


def run(
    *,
    files: tuple[str, ...],
    tolerance: float,
    both_ways: bool,
    metric: str | None,
    floors: tuple[str, ...],
    layout: str,
    output: str,
    strict: bool,
    quiet: bool | None,
    jobs: int | None,
    scheduler: str | None,
    **how: Any,
) -> None:
    """Score the response, check, write the report."""
    if len(files) not in (2, 3):
        raise UsageError("check needs BASELINE KEY RESPONSE, or --min MEASURE=PERCENT KEY RESPONSE")
    *before, key, response = files
    if not before and not floors:
        raise UsageError("check needs a baseline, or a floor: --min MEASURE=PERCENT")
    one_standard_input(*files)
    spare_inputs({"--output": output}, files, how["include"])
    lowest = _floors(floors)
    path = before[0] if before else None
    baseline = read_baseline(path, metric) if path is not None else None
    needed = [measure for measure, _ in lowest]
    metrics = [*(baseline.metrics if baseline else ()), *(wanted(",".join(needed)).metrics if needed else ())]
    chosen = select(",".join(dict.fromkeys(each.name for each in metrics))) if metrics else ()
    document = baseline.document if baseline else None
    with workers(jobs, scheduler) as apply:
        result = evaluated(key, response, chosen, apply=apply, document=document, **how)
    tell(result.notices, strict=strict, quiet=quiet)
    found = check(result, baseline, lowest, tolerance=tolerance / 100, both_ways=both_ways, path=path)
    write(find(layout)(found, layout), output)
    if not found.passed:
        click.get_current_context().exit(FAILED)


def _floors(words: Sequence[str]) -> dict[tuple[str, str], float]:
    """Floors from 0 to 1, by measure and score."""
    found: dict[tuple[str, str], float] = {}
    for each in words:
        name, _, percent = each.partition("=")
        try:
            least = float(percent) / 100
        except ValueError as error:
            raise UsageError(f'--min "{each}": expected MEASURE=PERCENT, such as lea.f1=50') from error
        if not math.isfinite(least):
            raise UsageError(f'--min "{each}": expected a finite number')
        if single(name) in found:
            raise UsageError(f'--min "{each}": there is a floor for this score already')
        found[single(name)] = least
    return found
