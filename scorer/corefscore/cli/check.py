"""`corefscore check`: has a score dropped?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from corefscore.checking.baselines import read_baseline
from corefscore.cli import options
from corefscore.cli.messages import tell, write
from corefscore.cli.scoring import evaluated, one_standard_input, spare_inputs, workers
from corefscore.cli.systems import average, scoring
from corefscore.errors import UsageError
from corefscore.layouts import ANNOTATIONS, DATA, TABLES, rendered
from corefscore.metrics.measures import scores_in, single
from corefscore.reports.check import Asked, Named, check, needed
from corefscore.results import compiled
from corefscore.statistics.percent import from_percent

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
        "By default the F1 of every measure of the baseline decides.\n\n"
        "Exit status: 0 success; 3 a score that decides fell by more than its tolerance, or is below its minimum.",
        params=[
            click.Argument(["files"], type=options.File(), metavar="[BASELINE] KEY RESPONSE", nargs=-1, required=True),
            click.Option(
                ["--measures"],
                metavar="LIST",
                help="Scores that decide, joined by commas, such as lea.f1,conll; by default every F1.",
            ),
            click.Option(
                ["--tolerance", "tolerances"],
                metavar="POINTS",
                multiple=True,
                help="How far a score may fall, in percentage points (default 0.05); lea.f1=0.5 for one score; can be "
                "repeated.",
            ),
            click.Option(
                ["--by"],
                metavar="REGEX",
                help="Check each group of documents and the unweighted mean over groups; REGEX, or its first bracket, "
                "matches the group in the name of a document; the word file makes each file of KEY a group.",
            ),
            click.Option(
                ["--both-ways"],
                is_flag=True,
                help="Fail on any score that moves, up or down, also of a single document.",
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
            average(),
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
    measures: str | None,
    tolerances: tuple[str, ...],
    both_ways: bool,
    by: str | None,
    metric: str | None,
    floors: tuple[str, ...],
    average: str | None,
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
    asked = _asked(measures, tolerances, both_ways=both_ways)._replace(by=by)
    if by is not None:
        compiled(by)
    one_standard_input(*files)
    spare_inputs({"--output": output}, files, how["include"])
    lowest = _floors(floors)
    path = before[0] if before else None
    if path is None and (asked.measures or tolerances or both_ways):
        raise UsageError("--measures, --tolerance and --both-ways are about a baseline: check BASELINE KEY RESPONSE")
    baseline = read_baseline(path, metric) if path is not None else None
    chosen = needed(baseline, lowest)
    document = baseline.document if baseline else None
    with workers(jobs, scheduler) as apply:
        result = evaluated(key, response, chosen, apply=apply, document=document, **how)
    tell(result.notices, strict=strict, quiet=quiet)
    found = check(result, baseline, lowest, asked, path, average=average)
    tell(found.notices, strict=strict, quiet=quiet)
    write(rendered(found, options.style(layout)), output)
    if not found.passed:
        click.get_current_context().exit(FAILED)


DEFAULT = 0.05
"""How far a score may fall, in percentage points, unless a tolerance is given."""


def _asked(measures: str | None, tolerances: Sequence[str], *, both_ways: bool) -> Asked:
    """What the check goes by. Raises `UsageError` for names and numbers that are none, and for what comes twice."""
    if measures is not None and both_ways:
        raise UsageError("--both-ways compares every score; leave --measures out")
    usual: list[float] = []
    single_ones: dict[Named, float] = {}
    for each in tolerances:
        name, separator, points = each.rpartition("=")
        value = _tolerance(each, points)
        if not separator:
            usual.append(value)
        elif single(name) in single_ones:
            raise UsageError(f'--tolerance "{each}": there is a tolerance for this score already')
        else:
            single_ones[single(name)] = value / 100
    if len(usual) > 1:
        raise UsageError("--tolerance POINTS for all scores is given more than once; name the scores: lea.f1=0.5")
    deciding = scores_in(measures) if measures is not None else []
    return Asked(deciding, (usual or [DEFAULT])[0] / 100, single_ones, both_ways)


def _tolerance(words: str, points: str) -> float:
    """Points as a number. Raises `UsageError` for what is none."""
    try:
        value = float(points)
    except ValueError:
        value = -1
    if not 0 <= value < 100:
        raise UsageError(
            f'--tolerance "{words}": expected POINTS or MEASURE=POINTS, from 0 to less than 100, such as 0.05, '
            "lea.f1=0.5"
        )
    return value


def _floors(words: Sequence[str]) -> dict[tuple[str, str], float]:
    """Floors from 0 to 1, by measure and score."""
    found: dict[tuple[str, str], float] = {}
    for each in words:
        name, _, percent = each.partition("=")
        if not percent:
            raise UsageError(f'--min "{each}": expected MEASURE=PERCENT, such as lea.f1=50')
        least = from_percent(percent, f"--min {name}=")
        if single(name) in found:
            raise UsageError(f'--min "{each}": there is a floor for this score already')
        found[single(name)] = least
    return found
