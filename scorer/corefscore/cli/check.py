"""`corefscore check`: has a score dropped?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from corefscore.checking.baselines import read_baseline
from corefscore.cli import options
from corefscore.cli.output import tell, write
from corefscore.cli.scoring import evaluated, spare_inputs, workers
from corefscore.core.errors import UsageError
from corefscore.core.percent import from_percent
from corefscore.core.records import SCORING
from corefscore.metrics import scores_in, single
from corefscore.reports.base import Scored
from corefscore.reports.check import Asked, check, needed
from corefscore.reports.layouts import ANNOTATIONS, DATA, TABLES, Style, rendered
from corefscore.scoring.results import compiled
from corefscore.scoring.settings import Grouping

_FAILED = 3
"""The exit status of a check that failed."""


@click.command(
    "check",
    cls=options.Command,
    params=[
        click.Argument(["files"], type=options.FILE, metavar="[BASELINE] KEY RESPONSE", nargs=-1, required=True),
        options.Parameter(
            "--measures",
            metavar="LIST",
            heading=SCORING,
            help="Measures to check, joined by commas, such as lea.f1,conll; by default every F1.",
        ),
        options.Parameter(
            "--tolerance",
            "tolerances",
            metavar="POINTS",
            multiple=True,
            heading=SCORING,
            help="Largest fall (with --both-ways: change) allowed, in percentage points (default 0.05). For one score: "
            "lea.f1=0.5. Can be repeated.",
        ),
        options.Parameter(
            "--both-ways",
            is_flag=True,
            heading=SCORING,
            help="Also fail if a score rises, and check every score of every document; not with --measures.",
        ),
        options.Parameter(
            "--min",
            "floors",
            metavar="MEASURE=PERCENT",
            multiple=True,
            heading=SCORING,
            help="Minimum score, such as lea.f1=50 or conll=60; can be repeated.",
        ),
        *options.made(Grouping, "by", "average"),
        *options.scoring(),
        options.layout(TABLES, DATA, ANNOTATIONS),
        *options.RUNNING,
    ],
)
def command(
    *,
    files: tuple[str, ...],
    measures: str | None,
    tolerances: tuple[str, ...],
    both_ways: bool,
    by: str | None,
    floors: tuple[str, ...],
    average: str | None,
    look: Style,
    output: str,
    **arguments: Any,
) -> int:
    """Fail if a score is lower than in an earlier run or than a minimum. BASELINE is the JSON of an earlier run
    (--format json), or a file with the output of the official scorer; if that output has only one metric, write
    METRIC=BASELINE. --min sets minimum scores.

    By default, the check fails if any F1 is more than 0.05 points below that of the baseline.

    Exit status: 0 success; 1 input or baseline rejected; 2 usage or file error; 3 check failed.

    Examples:
      corefscore conll key.conll response.conll --format json --output old.json
      corefscore check old.json key.conll response.conll --tolerance 0.1
      corefscore check key.conll response.conll --min conll=50 --min lea.f1=40

    With --by, each group and the mean of groups are checked; --min applies to the mean.
    """
    if len(files) not in (2, 3):
        raise UsageError("check needs BASELINE KEY RESPONSE, or --min MEASURE=PERCENT KEY RESPONSE")
    *before, key, response = files
    asked = _asked(measures, tolerances, both_ways=both_ways)
    if by is not None:
        compiled("--by", by)
    spare_inputs({"--output": output}, (*files, *(path.partition("=")[2] for path in before)))
    asked = asked._replace(by=by, average=average, floors=_floors(floors))
    baseline = read_baseline(before[0], arguments) if before else None
    chosen = needed(baseline, asked)
    document = baseline.document if baseline else None
    with workers() as apply:
        result = evaluated(key, response, chosen, apply=apply, document=document, **arguments)
    tell(result.notices)
    report = check(result, baseline, asked)
    tell(report.notices)
    write(rendered(report, look), output)
    return 0 if report.passed else _FAILED


def _asked(measures: str | None, tolerances: Sequence[str], *, both_ways: bool) -> Asked:
    """Read the options of the check. Raises `UsageError` for unknown names, invalid numbers, repeated tolerances."""
    limits: dict[Scored | None, float] = {}
    for words in tolerances:
        name, separator, points = words.rpartition("=")
        limit, which = _tolerance(words, points) / 100, single(name) if separator else None
        if which in limits:
            what = "this score" if separator else "all scores; for one score, write lea.f1=0.5"
            raise UsageError(f'--tolerance "{words}": this is a second tolerance for {what}')
        limits[which] = limit
    for_all = limits.pop(None, Asked().tolerance)
    deciding = scores_in(measures) if measures is not None else ()
    return Asked(deciding, for_all, {which: limit for which, limit in limits.items() if which is not None}, both_ways)


def _tolerance(words: str, points: str) -> float:
    """Read the number of points in a tolerance. Raises `UsageError` for an invalid number."""
    try:
        value = float(points)
    except ValueError:
        value = -1
    if not 0 <= value < 100:
        raise UsageError(f'--tolerance "{words}": expected POINTS or MEASURE=POINTS, from 0 to below 100')
    return value


def _floors(words: Sequence[str]) -> dict[Scored, float]:
    """Read the minimum scores by measure and score, from 0 to 1. Raises `UsageError` for invalid or repeated ones."""
    floors: dict[Scored, float] = {}
    for floor in words:
        name, _, percent = floor.partition("=")
        if not percent:
            raise UsageError(f'--min "{floor}": expected MEASURE=PERCENT, such as lea.f1=50')
        least = from_percent(percent, f"--min {name}=")
        if single(name) in floors:
            raise UsageError(f'--min "{floor}": this score has a minimum already')
        floors[single(name)] = least
    return floors
