"""Regression checks: scores against those of an earlier run, or of the official scorer, and against floors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from scorer import __version__
from scorer.arrays import Floats
from scorer.counts import SCORES
from scorer.errors import InputError, UsageError
from scorer.findings import Finding
from scorer.measures import HEADINGS
from scorer.metrics import GROUPS, MENTIONS, find, select
from scorer.metrics.row import Measure, Metric
from scorer.reports.row import PERCENT, Column, Table
from scorer.reports.score import DOCUMENT, TOTAL
from scorer.results import SCHEMA, Result, Scores, values
from scorer.sources import Source

SLACK = 1e-12
"""The official scorer prints 15 digits, so what is equal may differ by so much."""

Numbers = Mapping[str, Mapping[str, float]]
"""Scores from 0 to 1 by measure and score, as `Scores.to_dict` has them."""


@dataclass(frozen=True)
class Baseline:
    """What was scored earlier: the scores of all documents and, where they are known, those of each.

    ``metrics`` are those that have to be counted again, ``document`` the one document that was scored, if it was one
    alone. The official scorer has no ``signature``.
    """

    metrics: Sequence[Metric]
    total: Numbers
    documents: Mapping[str, Numbers] = field(default_factory=dict)
    document: str | None = None
    signature: str | None = None


def read_baseline(path: str, metric: str | None = None) -> Baseline:
    """A baseline from a file: JSON of ours, or what the official scorer printed.

    ``metric`` says which metric it printed, where the file does not. Raises `InputError` for what is neither,
    `UsageError` for a file that cannot be read.
    """
    source = Source(path)
    with source.open() as stream:
        text = b"".join(iter(lambda: stream.read(1 << 20), b"")).decode("utf-8", "surrogateescape")
    if text.lstrip().startswith("{"):
        return _complete(_from_json(text, source.name), source.name)
    return _complete(_from_official(text, source.name, metric), source.name)


def _refused(path: str, what: str, line: int | None = None) -> InputError:
    return InputError([Finding("not-a-baseline", path, line, details={"what": what})])


def _from_json(text: str, path: str) -> Baseline:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _refused(path, f"this is no JSON: {error}") from error
    if "command" in data or not {"schema", "signature", "options", "total"} <= data.keys():
        raise _refused(path, "this JSON is not that of a scored response")
    if data["schema"] != SCHEMA:
        raise _refused(path, f"this JSON has schema {data['schema']}, and this version reads {SCHEMA}")
    try:
        documents = {name: _numbers(scores) for name, scores in data.get("documents", {}).items()}
        metrics = _metrics(",".join(data["options"]["metrics"]), path)
        document = data["options"]["document"]
        if not isinstance(document, str | None):
            raise TypeError(f"the document is {document!r}")
        return Baseline(metrics, _numbers(data["total"]), documents, document, str(data["signature"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _refused(path, f"this JSON is not that of a scored response: {error}") from error


def _metrics(words: str, path: str, line: int | None = None) -> tuple[Metric, ...]:
    """The metrics that a baseline names."""
    try:
        return select(words)
    except UsageError as error:
        raise _refused(path, str(error), line) from error


def _complete(baseline: Baseline, path: str) -> Baseline:
    """Refuse a baseline against which a check could not fail: without the totals of its metrics, or with values that
    are none. Repeated mentions can lift a value above 1, but not far."""
    measures = [metric.identification for metric in baseline.metrics] or [MENTIONS]
    measures += [measure.name for metric in baseline.metrics for measure in metric.measures]
    for name in dict.fromkeys(measures):
        if not baseline.total.get(name, {}).keys() >= set(SCORES):
            raise _refused(path, f"there are no totals of {name} in this file")
    scopes = [baseline.total, *baseline.documents.values()]
    for scores in scopes:
        for measure_name, its in scores.items():
            if not all(0 <= value <= 10 for value in its.values()):
                raise _refused(path, f"{measure_name} has values that do not run from 0 to 1: {its}")
    return baseline


def _numbers(scores: Mapping[str, Mapping[str, Any]]) -> Numbers:
    return {measure: {score: float(its[score]) for score in SCORES if score in its} for measure, its in scores.items()}


HEADING = re.compile(r"METRIC (\S+):$")
UNDER = re.compile(r"====> (.+):$")
TOTALS = "====== TOTALS ======="
MENTION_COUNT = re.compile(r"(Total key mentions|Total response mentions|Strictly correct identified mentions): (\d+)$")
RESULT = re.compile(r"(?:(.+?): )?Recall: \((\S+) / (\S+)\) \S+\s+Precision: \((\S+) / (\S+)\) \S+\s+F1: \S+$")


class _Printed:
    """The counts in an official output, as it is read line by line: by document (None for all of them) and metric."""

    def __init__(self) -> None:
        self.counts: dict[str | None, dict[str, Floats]] = {}

    def add(self, document: str | None, metric: Metric, label: str, four: Sequence[float]) -> None:
        """One result line. A line without a label is that of a metric with one measure."""
        counted = [measure for measure in metric.measures if measure.combine is None]
        labels = [measure.label if label else "" for measure in counted]
        if label in labels:
            scope = self.counts.setdefault(document, {})
            scope.setdefault(metric.name, np.zeros((len(counted), 4)))[labels.index(label)] = four

    def scores(self, document: str | None, metrics: Sequence[Metric]) -> Numbers:
        found = self.counts[document]
        its = values([metric for metric in metrics if metric.name in found], found)
        return _numbers(Scores(its).to_dict())


def _from_official(text: str, path: str, name: str | None) -> Baseline:
    """What the official scorer printed. Values are divided anew from the fractions that it prints."""
    printed = _Printed()
    if name in GROUPS:
        raise UsageError(f'--metric names the one metric that was scored, and "{name}" is several')
    metrics: list[Metric] = [find(name)] if name is not None else []
    metric = metrics[0] if metrics else None
    mentions = find(MENTIONS)
    document: str | None = None
    whole: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if found := HEADING.match(line):
            metric = _metrics(found[1], path, number)[0]
            metrics += [metric] * (metric not in metrics)
            document = None
        elif found := UNDER.match(line):
            document = found[1]
        elif line == TOTALS:
            document = None
        elif found := MENTION_COUNT.match(line):
            whole[found[1]] = float(found[2])
            if len(whole) == 3:
                key, response, common = whole.values()
                its = metric if metric is not None and metric.identification != MENTIONS else mentions
                printed.add(document, its, _identification(its).label, [common, key, common, response])
                whole = {}
        elif found := RESULT.match(line):
            if metric is None:
                raise _refused(path, "this does not say which metric it is of: name it with --metric", number)
            try:
                four = [float(each) for each in found.groups()[1:]]
            except ValueError as error:
                raise _refused(path, f"this line has something else than a number: {error}", number) from error
            its = mentions if found[1] == mentions.measures[0].label else metric
            printed.add(document, its, found[1] or "", four)
    if None not in printed.counts:
        raise _refused(path, "there are no totals in this file")
    every = [mentions, *metrics]
    documents = {each: printed.scores(each, every) for each in printed.counts if each is not None}
    return Baseline(metrics, printed.scores(None, every), documents)


def _identification(metric: Metric) -> Measure:
    """The measure of a metric that is mention identification."""
    return next(measure for measure in metric.measures if measure.name == metric.identification)


class Moved(NamedTuple):
    """A score that moved by more than the tolerance; ``document`` is None for that of all documents."""

    document: str | None
    measure: str
    score: str
    before: float
    now: float

    @property
    def difference(self) -> float:
        return self.now - self.before

    @property
    def verdict(self) -> str:
        return "worse" if self.difference < 0 else "better"


class Floor(NamedTuple):
    """A score that must not be less than ``least``."""

    measure: str
    score: str
    least: float
    now: float

    @property
    def met(self) -> bool:
        return self.now >= self.least - SLACK


@dataclass(frozen=True, eq=False)
class Check:
    """The report of `check`. ``tolerance`` is from 0 to 1.

    The totals decide, each measure and score by itself: a better system is worse on some document. Where
    ``both_ways`` is set, for a scorer that must print the same, every document and every rise counts as well.
    """

    result: Result
    moved: Sequence[Moved]
    floors: Sequence[Floor]
    tolerance: float
    both_ways: bool
    baseline: str | None = None

    @property
    def failures(self) -> list[Moved]:
        """What moved in a way that fails the check."""
        return [each for each in self.moved if self.both_ways or (each.document is None and each.difference < 0)]

    @property
    def passed(self) -> bool:
        return not self.failures and all(floor.met for floor in self.floors)

    @property
    def signature(self) -> str:
        return self.result.signature

    @property
    def tables(self) -> Sequence[Table]:
        moved = (
            Column("kind", "kind", shown=False),
            Column("scope", "scope"),
            Column("measure", "measure"),
            Column("score", "score"),
            Column("baseline", "baseline", PERCENT),
            Column("now", "now", PERCENT),
            Column("difference", "difference", PERCENT),
            Column("verdict", "verdict"),
        )
        rows = [
            [
                *((TOTAL, TOTAL) if each.document is None else (DOCUMENT, each.document)),
                each.measure,
                HEADINGS[each.score],
                each.before,
                each.now,
                each.difference,
                each.verdict,
            ]
            for each in self.moved
        ]
        floors = (
            Column("measure", "measure"),
            Column("score", "score"),
            Column("floor", "floor", PERCENT),
            Column("now", "now", PERCENT),
            Column("verdict", "verdict"),
        )
        lows = [
            [each.measure, HEADINGS[each.score], each.least, each.now, "met" if each.met else "below"]
            for each in self.floors
        ]
        return [Table("moved", moved, rows), Table("floors", floors, lows)]

    @property
    def notes(self) -> Sequence[str]:
        notes = []
        if self.baseline is not None:
            points = f"{round(self.tolerance * 100, 10):g} points"
            notes.append(f"{'something' if self.moved else 'nothing'} moved by more than {points} from {self.baseline}")
        return [*notes, "the check has " + ("passed" if self.passed else "failed")]

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/check.md``."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "command": "check",
            "signature": self.signature,
            "options": self.result.settings.to_dict(),
            "baseline": self.baseline,
            "tolerance": self.tolerance,
            "both_ways": self.both_ways,
            "passed": self.passed,
            "moved": [
                {**each._asdict(), "difference": each.difference, "verdict": each.verdict} for each in self.moved
            ],
            "floors": [{**each._asdict(), "met": each.met} for each in self.floors],
        }

    def failed(self) -> Iterator[str]:
        """Every failure in a sentence."""
        for each in self.failures:
            way = "fell" if each.difference < 0 else "rose"
            where = "" if each.document is None else f" in document {each.document}"
            points = f"{abs(each.difference) * 100:.2f} points, from {each.before * 100:.2f} to {each.now * 100:.2f}"
            yield f"{each.measure} {HEADINGS[each.score]} {way} by {points}{where}"
        for floor in self.floors:
            if not floor.met:
                now, least = f"{floor.now * 100:.2f}", f"{floor.least * 100:.2f}"
                yield f"{floor.measure} {HEADINGS[floor.score]} is {now}, below the floor of {least}"


def check(
    result: Result,
    baseline: Baseline | None,
    floors: Mapping[tuple[str, str], float],
    *,
    tolerance: float = 0.0005,
    both_ways: bool = False,
    path: str | None = None,
) -> Check:
    """Check a result against a baseline, which came from ``path``, and against floors by measure and score.

    All numbers are from 0 to 1. Raises `InputError` where the baseline was made in another way or of other
    documents: such scores cannot be compared.
    """
    moved: list[Moved] = []
    whole = _numbers(result.total.to_dict())
    if baseline is not None:
        _comparable(result, baseline, path or "baseline")
        moved += _moved(None, baseline.total, whole, tolerance)
        for name, numbers in baseline.documents.items():
            moved += _moved(name, numbers, _numbers(result.documents[name].to_dict()), tolerance)
    low = [Floor(measure, score, least, whole[measure][score]) for (measure, score), least in floors.items()]
    return Check(result, moved, low, tolerance, both_ways, path)


def _comparable(result: Result, baseline: Baseline, path: str) -> None:
    names = tuple(metric.name for metric in baseline.metrics)
    own = {option.keyword for metric in baseline.metrics for option in metric.every_option}
    options = {name: value for name, value in result.settings.own.items() if name in own}
    run = replace(result.settings, metrics=names, own=options).signature
    if baseline.signature not in (None, run):
        raise InputError([Finding("other-signature", path, details={"baseline": baseline.signature, "run": run})])
    known, now = set(baseline.documents), set(result.names)
    if known and known != now:
        some = sorted(known ^ now)[0]
        which = "the key lacks" if some in known else "the baseline lacks"
        details = {"count": len(known ^ now), "which": which, "document": some}
        raise InputError([Finding("other-documents", path, details=details)])


def _moved(document: str | None, before: Numbers, now: Numbers, tolerance: float) -> Iterator[Moved]:
    for measure, scores in before.items():
        for score, value in scores.items():
            if abs(now[measure][score] - value) > tolerance + SLACK:
                yield Moved(document, measure, score, value, now[measure][score])
