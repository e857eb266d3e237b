"""The report of a check: scores compared with those of an earlier run or of the official scorer, and with floors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, NamedTuple

from corefscore.checking.baselines import Baseline, Numbers, changed_between, numbers_in
from corefscore.core import __version__
from corefscore.core.errors import UsageError, refuse
from corefscore.core.findings import Finding
from corefscore.core.percent import fraction, percent
from corefscore.core.records import dataclass, replace
from corefscore.matching.text.fidelity import described, ratio
from corefscore.metrics import HEADINGS, LINKED, MENTIONS, NAMES, select, wanted
from corefscore.metrics.base import Metric, options_of
from corefscore.reports.base import MEASURE, SCORE, VERDICT, Annotation, Column, Reported, Scored, Table, head
from corefscore.reports.score import GROUP, MACRO, MEAN, Report
from corefscore.reports.systems import fidelities
from corefscore.scoring.results import DOCUMENT, TOTAL, Result, refuse_division
from corefscore.scoring.settings import SPANS
from corefscore.statistics.significance import check_average

_SLACK = 1e-12
"""The largest difference of equal scores, since the official scorer prints 15 digits."""


_TITLE = "corefscore check"
"""The title of annotations."""


class Asked(NamedTuple):
    """The options of a check; numbers are from 0 to 1.

    ``measures`` are the scores that decide; if empty, the F1 of every measure does. ``tolerance`` is how far a score
    may fall, ``tolerances`` the same for single scores. With ``both_ways``, every score of every document counts, and a
    rise fails the check, too. If ``by`` is a pattern (see `Result.by`), each group of documents and the mean over
    groups decide instead of the total; with ``average``, means over documents do. ``floors`` are minimum scores.
    """

    measures: Sequence[Scored] = ()
    tolerance: float = 0.0005
    tolerances: Mapping[Scored, float] = {}
    both_ways: bool = False
    by: str | None = None
    average: str | None = None
    floors: Mapping[Scored, float] = {}


class _Moved(NamedTuple):
    """A score that moved by more than its tolerance, in a document, a group of documents, a mean or the total. A mean
    and the total have the name of their kind as ``scope``."""

    kind: str
    scope: str
    measure: str
    score: str
    before: float
    now: float

    @property
    def difference(self) -> float:
        """The score now less the score before."""
        return self.now - self.before

    @property
    def verdict(self) -> str:
        """``better`` or ``worse``."""
        return "worse" if self.difference < 0 else "better"


class _Floor(NamedTuple):
    """A score that must not be less than ``least``."""

    measure: str
    score: str
    least: float
    now: float

    @property
    def met(self) -> bool:
        """Whether the score is not below the floor."""
        return self.now >= self.least - _SLACK


@dataclass(frozen=True, eq=False, repr=False)
class Check(Reported):
    """The report of `check`; ``before`` is the baseline.

    Only a fall of a total fails a check, since even a better system loses on some documents, and only for the scores
    that decide, since recall often rises when precision falls; with ``asked.by``, a fall on a group or of their mean
    fails it instead. With ``asked.both_ways``, which is for scorers that must print the same numbers, every change of
    every score beyond its tolerance fails it. ``notices`` are about the baseline. A lower fidelity of the text is a
    notice and never fails a check.
    """

    result: Result
    moved: Sequence[_Moved]
    floors: Sequence[_Floor]
    asked: Asked
    notices: Sequence[Finding]
    before: Baseline | None

    def __repr__(self) -> str:
        return f"<Check: {'; '.join(self.notes)}>"

    @property
    def failures(self) -> list[_Moved | _Floor]:
        """What fails the check: changes, and minimum scores that are not met."""
        return [*filter(self.fails, self.moved), *(floor for floor in self.floors if not floor.met)]

    def fails(self, moved: _Moved) -> bool:
        """Return whether a change fails the check."""
        if self.asked.both_ways:
            return True
        whole = TOTAL if self.asked.average is None else MACRO
        deciding = (whole,) if self.asked.by is None else (MEAN, GROUP)
        named, score = self.asked.measures, (moved.measure, moved.score)
        return moved.kind in deciding and moved.difference < 0 and (score in named if named else moved.score == "f1")

    @property
    def passed(self) -> bool:
        """Whether nothing fails the check."""
        return not self.failures

    @property
    def signature(self) -> str:
        average = self.asked.average
        return self.result.signature if average is None else f"{self.result.signature} | average={average}"

    @property
    def tables(self) -> Sequence[Table]:
        moved = (
            Column("kind", "kind", shown=False),
            Column("scope", "scope"),
            MEASURE,
            SCORE,
            *(Column(name, name, "percent") for name in ("baseline", "now", "difference")),
            VERDICT,
            Column("fails", "fails"),
        )
        rows = [
            [*_headed(change), change.difference, change.verdict, "yes" if self.fails(change) else None]
            for change in self.moved
        ]
        floors = MEASURE, SCORE, Column("floor", "minimum", "percent"), Column("now", "now", "percent"), VERDICT
        lows = [[*_headed(floor), "met" if floor.met else "below"] for floor in self.floors]
        texts = fidelities({"now": self.result})
        if texts and self.before is not None and self.before.fidelity is not None:
            empty = [None] * (len(texts[0].columns) - 2)
            texts = [texts[0]._replace(rows=[["baseline", self.before.fidelity, *empty], *texts[0].rows])]
        return [Table("changed scores", moved, rows), Table("minimum scores", floors, lows), *texts]

    @property
    def notes(self) -> Sequence[str]:
        notes = []
        if self.before is not None:
            limits = [_points(self.asked.tolerance)]
            limits += [f"{'.'.join(name)} by more than {_points(by)}" for name, by in self.asked.tolerances.items()]
            what = "scores" if self.moved else "no scores"
            notes.append(f"{what} changed by more than {' or '.join(limits)} against {self.before.path}")
            least = ", or if a score is below its minimum" * bool(self.floors)
            notes.append(f"the check fails if {self._deciding()}{least}")
        if self.before is not None and self.before.by is not None and self.asked.by is None:
            notes.append(f"the baseline also has groups; --by {quote(self.before.by)} checks each of them")
        if self.floors and self.asked.by is not None:
            notes.append("minimum scores are for the mean of groups")
        return [*notes, "the check has " + ("passed" if self.passed else "failed")]

    def _deciding(self) -> str:
        """Return what fails the check, in words."""
        grouped = self.asked.by is not None
        if self.asked.both_ways:
            groups = ", in a group or in the mean of groups" if grouped else ""
            return f"any score changes by more than that, in total or in a document{groups}"
        where = f" in a group by {self.asked.by}, or in the mean of groups" if grouped else ""
        if self.asked.measures:
            return f"{' or '.join(map('.'.join, self.asked.measures))} falls by more than that{where}"
        over = "the mean of an F1 over documents" if self.asked.average else "an F1 over all documents"
        return f"{'an F1' if grouped else over} falls by more than that{where} (--measures chooses other scores)"

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/check.md``."""
        averaged = {} if self.asked.average is None else {"average": self.asked.average}
        options = {**self.result.settings.to_dict(), **averaged}
        data = {
            **head("check", self.signature, options, [*self.result.notices, *self.notices]),
            "baseline": self.before and self.before.path,
            "measures": list(map(".".join, self.asked.measures)),
            "tolerance": self.asked.tolerance,
            "tolerances": {".".join(name): limit for name, limit in self.asked.tolerances.items()},
            "both_ways": self.asked.both_ways,
            "by": self.asked.by,
            "passed": self.passed,
            "moved": [
                {
                    "document": change.scope if change.kind == DOCUMENT else None,
                    **change._asdict(),
                    "difference": change.difference,
                    "verdict": change.verdict,
                    "fails": self.fails(change),
                }
                for change in self.moved
            ],
            "floors": [{**floor._asdict(), "met": floor.met} for floor in self.floors],
        }
        if (now := self.result.fidelity) is not None:
            data["fidelity"] = {"baseline": self.before and self.before.fidelity, **now.to_dict(documents=False)}
        return data

    @property
    def annotations(self) -> Iterator[Annotation]:
        """An annotation for every failure, or one that says that the check has passed."""
        if self.passed:
            yield Annotation("notice", _TITLE, "; ".join(self.notes))
        for failure in self.failures:
            what, now = f"{failure.measure} {HEADINGS[failure.score]}", f"{failure.now * 100:.2f}"
            if isinstance(failure, _Floor):
                where = "" if self.asked.by is None else f" in the {MEAN}"
                how = f"is {now}{where}, below the minimum of {failure.least * 100:.2f}"
            else:
                way = "fell" if failure.difference < 0 else "rose"
                of_kind = {TOTAL: "", MACRO: "", MEAN: f" in the {MEAN}"}
                where = of_kind.get(failure.kind, f" in {failure.kind} {failure.scope}")
                points = f"{abs(failure.difference) * 100:.2f} points, from {failure.before * 100:.2f} to {now}"
                how = f"{way} by {points}{where}"
            yield Annotation("error", _TITLE, f"{what} {how}")


def check(result: Result, baseline: Baseline | None, asked: Asked) -> Check:
    """Check a result against a baseline, and against minimum scores.

    These are for the total, with ``asked.average`` for the mean over documents, and with ``asked.by`` for the mean over
    groups. All numbers are from 0 to 1. Raises `InputError` if the baseline has other options, documents or groups,
    since such scores cannot be compared, and `UsageError` for a measure that the baseline lacks, for a number that is a
    percentage, and for an invalid regular expression.
    """
    refuse_division([result])
    fraction(0.5 if asked.tolerance == 0 else asked.tolerance, "tolerance=", ends=False)  # 1 would pass everything
    for (measure, score), number in (*asked.floors.items(), *asked.tolerances.items()):
        fraction(number, f"{measure}.{score}=")
    moved: list[_Moved] = []
    notices: list[Finding] = []
    check_average(asked.average, asked.by)
    report = Report(result, by=asked.by)
    whole = numbers_in((result.total if asked.average is None else result.mean).to_dict())
    if baseline is not None:
        notices += _comparable(result, baseline)
        _same_groups(report, baseline)
        _refuse_unknown(asked, baseline)
        moved = [
            _Moved(kind, scope, measure, score, value, now[measure][score])
            for kind, scope, before, now in _scopes(report, baseline, whole, asked.average)
            for measure, scores in before.items()
            for score, value in scores.items()
            if abs(now[measure][score] - value) > asked.tolerances.get((measure, score), asked.tolerance) + _SLACK
        ]
        notices += _lower_fidelity(result, baseline, asked)
    lowest = whole if asked.by is None else report.mean_values
    low = [_Floor(measure, score, least, lowest[measure][score]) for (measure, score), least in asked.floors.items()]
    return Check(result, moved, low, asked, notices, baseline)


def _scopes(
    report: Report, baseline: Baseline, whole: Numbers, average: str | None
) -> Iterator[tuple[str, str, Numbers, Numbers]]:
    """Yield the scopes to compare: the kind and name of each, its scores before and now."""
    if average is not None and not baseline.macro:
        raise UsageError(f"{baseline.path} contains no mean over documents; make a baseline with --average documents")
    kind, before = (TOTAL, baseline.total) if average is None else (MACRO, baseline.macro)
    yield kind, kind, before, whole
    if report.by is not None:
        yield MEAN, MEAN, baseline.mean, report.mean_values
        for name, numbers in baseline.groups.items():
            yield GROUP, name, numbers, numbers_in(report.groups[name].to_dict())
    for name, numbers in baseline.documents.items():
        yield DOCUMENT, name, numbers, numbers_in(report.result.documents[name].to_dict())


def _lower_fidelity(result: Result, baseline: Baseline, asked: Asked) -> Iterator[Finding]:
    """Yield a notice if the fidelity of the text is lower than in the baseline."""
    if baseline.fidelity is None or result.fidelity is None:
        return
    if (now := ratio(result.fidelity.total)) < baseline.fidelity - asked.tolerance - _SLACK:
        what = described(result.fidelity.total)
        details = {"now": percent(now), "before": percent(baseline.fidelity), "what": what}
        yield Finding("lower-fidelity", baseline.path, details=details)


def needed(baseline: Baseline | None, asked: Asked) -> tuple[Metric, ...]:
    """Return the metrics that a check needs: those of the baseline, and those of the scores that have a floor.

    Raises `UsageError` if there is neither, and for options that exclude each other or need a baseline.
    """
    if baseline is None and not asked.floors:
        raise UsageError("check needs a baseline, or a minimum: --min lea.f1=50, in Python minimum={'lea.f1': 0.5}")
    if baseline is None and asked._replace(by=None, average=None, floors={}) != Asked():
        raise UsageError("--measures, --tolerance and --both-ways need a baseline; add one, or leave them out")
    if asked.measures and asked.both_ways:
        raise UsageError("--both-ways compares every score; leave --measures out")
    words = ",".join(measure for measure, _ in asked.floors)
    metrics = [*(baseline.metrics if baseline else ()), *(wanted(words).metrics if words else ())]
    return select(metric.name for metric in metrics)


def _refuse_unknown(asked: Asked, baseline: Baseline) -> None:
    """Raise `UsageError` if the baseline lacks a score that decides or has a tolerance."""
    for measure, score in (*asked.measures, *asked.tolerances):
        if score not in baseline.total.get(measure, {}):
            raise UsageError(f"the baseline has no {measure}.{score}; its measures are {', '.join(baseline.total)}")


def _comparable(result: Result, baseline: Baseline) -> list[Finding]:
    """Return notices about a baseline. Raises `InputError` for a baseline with other options, documents or key."""
    _same_options(result, baseline)
    versions = {"baseline": baseline.version, "run": __version__}
    changes = changed_between(baseline.version, __version__) if baseline.version is not None else []
    if changes:
        refuse(Finding("scores-changed", baseline.path, details={**versions, "versions": ", ".join(changes)}))
    if baseline.documents and (details := _only_one_side(baseline.documents, result.names)):
        refuse(Finding("other-documents", baseline.path, details=details))
    _same_key(result, baseline)
    if baseline.version in (None, __version__):
        return []
    return [Finding("other-version", baseline.path, details=versions)]


def _same_key(result: Result, baseline: Baseline) -> None:
    """Raise `InputError` if the baseline has another fingerprint of the key or, if it has none, other denominators of
    recall, which are counts of the key. `LINKED`, perhaps a metric of another package, and all with
    ``mentions="given"`` count found mentions alone.
    """
    if baseline.key is not None:
        if baseline.key != result.key:
            what = f"the baseline gives the fingerprint {baseline.key}, and this key has {result.key}"
            refuse(Finding("other-key", baseline.path, details={"what": what}))
        return
    own = {measure.name for metric in result.metrics if metric.name in NAMES for measure in metric.measures}
    known = set() if result.settings.rules.mentions == "given" else {MENTIONS, *own} - {LINKED}
    for scope, sizes in baseline.sizes.items():
        scores = result.total if scope is None else result.documents[scope]
        for measure in filter(known.__contains__, sizes):
            before, now = sizes[measure], scores[measure].recall_counts.denominator
            if not math.isclose(before, now, rel_tol=1e-9):
                where = "all documents" if scope is None else f'document "{scope}"'
                what = f"the recall of {measure} in {where} had the denominator {before:.15g} and now has {now:.15g}"
                refuse(Finding("other-key", baseline.path, details={"what": what}))


def _only_one_side(known: Iterable[str], now: Iterable[str]) -> dict[str, Any]:
    """Return how many names only the baseline or only the key has, and the first of them; empty if the names are the
    same.
    """
    lacking = sorted((before := set(known)) ^ set(now))
    if not lacking:
        return {}
    which = "the key lacks" if lacking[0] in before else "the baseline lacks"
    return {"count": len(lacking), "which": which, "first": lacking[0]}


def _same_groups(report: Report, baseline: Baseline) -> None:
    """Raise `InputError` if groups are asked for and the baseline has none or others."""
    if report.by is None:
        return
    if baseline.by is None:
        found = f"has no groups, and this run asks for --by {quote(report.by)}"
    elif baseline.by != report.by:
        found = f"has groups by {quote(baseline.by)}, and this run asks for --by {quote(report.by)}"
    elif difference := _only_one_side(baseline.groups, report.groups):
        count, which, first = difference.values()
        found = f'has other groups: {count} in only one of the two; the first is "{first}", which {which}'
    else:
        return
    refuse(Finding("other-groups", baseline.path, details={"what": found, "by": quote(report.by)}))


def _same_options(result: Result, baseline: Baseline) -> None:
    """Raise `InputError` if an option that can change a number has another value than in the baseline. An option that
    the version of the baseline did not have counts as its default."""
    names = tuple(metric.name for metric in baseline.metrics)
    of_metrics = {option.name: option.default for option in options_of(baseline.metrics)}
    own = {name: value for name, value in result.settings.own.items() if name in of_metrics}
    run = replace(result.settings, metrics=names, own=own)
    now, before = ({**vars(SPANS), **of_metrics, **options} for options in (run.to_dict(), baseline.options))
    differing = [name for name in now | before if now.get(name) != before.get(name)]
    if baseline.version is not None and differing:
        old, new = (", ".join(f"{name}={of.get(name) or 'default'}" for name in differing) for of in (before, now))
        refuse(Finding("other-signature", baseline.path, details={"baseline": old, "run": new}))


def _points(tolerance: float) -> str:
    """Return ``0.05 points`` for 0.0005."""
    points = f"{round(tolerance * 100, 10):g}"
    return f"{points} point" if points == "1" else f"{points} points"


def _headed(row: _Moved | _Floor) -> _Moved | _Floor:
    """Return a row of a table, with the heading of its score."""
    return row._replace(score=HEADINGS[row.score])
