"""Regression checks: scores against those of an earlier run, or of the official scorer, and against floors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corefscore.baselines import Baseline, Numbers, numbers_in
from corefscore.errors import InputError
from corefscore.findings import Finding
from corefscore.measures import HEADINGS
from corefscore.reports.row import PERCENT, Annotation, Column, Table, head
from corefscore.reports.score import DOCUMENT, TOTAL
from corefscore.results import Result

SLACK = 1e-12
"""The official scorer prints 15 digits, so what is equal may differ by so much."""


TITLE = "corefscore check"
"""What annotations are called."""


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

    Only the totals decide, each measure and score by itself, since even a better system loses on some documents. Where
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
            **head("check", self.signature, self.result.settings.to_dict()),
            "baseline": self.baseline,
            "tolerance": self.tolerance,
            "both_ways": self.both_ways,
            "passed": self.passed,
            "moved": [
                {**each._asdict(), "difference": each.difference, "verdict": each.verdict} for each in self.moved
            ],
            "floors": [{**each._asdict(), "met": each.met} for each in self.floors],
        }

    @property
    def annotations(self) -> Iterator[Annotation]:
        """Every failure, or that there is none."""
        if self.passed:
            yield Annotation("notice", TITLE, "; ".join(self.notes))
        for sentence in self._failed():
            yield Annotation("error", TITLE, sentence)

    def _failed(self) -> Iterator[str]:
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
    whole = numbers_in(result.total.to_dict())
    if baseline is not None:
        _comparable(result, baseline, path or "baseline")
        moved += _moved(None, baseline.total, whole, tolerance)
        for name, numbers in baseline.documents.items():
            moved += _moved(name, numbers, numbers_in(result.documents[name].to_dict()), tolerance)
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
