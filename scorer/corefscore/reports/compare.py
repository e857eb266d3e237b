"""Systems compared, for people: scores with intervals, differences with tests, and what they rest on."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from corefscore.checking.findings import Finding, plural
from corefscore.documents.model import is_within
from corefscore.errors import InputError
from corefscore.metrics.counts import SCORES
from corefscore.metrics.measures import HEADINGS, asked
from corefscore.reports.datasets import VERDICTS, OnDatasets
from corefscore.reports.presented import Presented
from corefscore.reports.row import CHANCE, COUNT, MIDDLE, PERCENT, Column, Interval, Table, head, shortened
from corefscore.reports.score import Intervals
from corefscore.reports.views import PAIRWISE, fidelities, fidelity_data, known, matrices, pairwise, paper_of
from corefscore.results import Result, refuse_division
from corefscore.statistics.datasets import on_each
from corefscore.statistics.intervals import NAME as INTERVAL
from corefscore.statistics.significance import Compared, Method, Watch, compared
from corefscore.statistics.units import NAMES_SHOWN, UNITS, sample

FEW = 20
"""Under so many units a comparison says how little they can show."""

SHORT = 5
"""Under so many units, or units that differ, intervals are too short (``docs/background/statistics.md``)."""

OF_TESTS = ("test", "correction", "alpha")
"""What of a `Method` moves no number where a system has nothing to be compared with."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Presented):
    """The report of `compare`: ``results`` by the name of the system, all of one key, and what was ``found``; with
    groups of documents, also on each of them (``datasets``)."""

    results: Mapping[str, Result]
    measures: Collection[str]
    found: Compared
    datasets: OnDatasets | None = None

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.results)} in {', '.join(self.measures)}>"

    @property
    def signature(self) -> str:
        return signed(next(iter(self.results.values())), self.found)

    @cached_property
    def tables(self) -> Sequence[Table]:
        texts = fidelities(self.results, list(self.results))
        groups = [] if self.datasets is None else self.datasets.tables
        return [self._scores(), self._differences(), *groups, *texts]

    @cached_property
    def readable(self) -> Sequence[Table]:
        """The scores and a table for each pair; or with many systems a matrix for each measure."""
        names = list(self.results)
        sums = [] if self.datasets is None else [self.datasets.sums(shortened(names))]
        texts = fidelities(self.results, shortened(names))
        if len(names) > PAIRWISE:
            return [*matrices(self.found, names), *sums, *texts]
        groups = [] if self.datasets is None else self.datasets.pairs(names)
        return [self._scores(shortened(names)), *texts, *pairwise(self._differences(), names), *groups, *sums]

    @cached_property
    def paper(self) -> Sequence[Table]:
        """A row for each system; intervals where there is nothing to compare it with."""
        order, tested = range(len(self.results)), {name: place for place, name in enumerate(self.measures)}
        table = paper_of(self.results, self.found, self.found.sample, self.measures, tested=tested, order=order)
        if len(order) > 1:
            return [table]
        ends = {f"{m}.{c}": end for m, by_score in _ends(self.found).items() for c, end in by_score.items()}
        row = [ends.get(column.name) for column in table.columns]
        return [table._replace(rows=[*table.rows, row], notes=self.legend)]

    def _scores(self, names: Sequence[str] = ()) -> Table:
        """The scores of all systems, under other names if these are given."""
        columns = [Column("measure", "measure"), Column("system", "system", cut=MIDDLE)]
        asked_for = {score for its in asked(self.measures).values() for score in its}
        for score, heading in HEADINGS.items():
            shown, spare = score in asked_for, score != "f1"
            columns.append(Column(score, heading, PERCENT, shown, score=score, spare=spare))
            ends = [Column(f"{score}_{end}", end, PERCENT, shown, score=score) for end in Interval._fields]
            columns += [end._replace(spare=2 * spare) for end in ends]
        rows = []
        for m, measure in enumerate(self.measures):
            for s, name in enumerate(names or self.results):
                row: list[Any] = [measure, name]
                for c in range(len(SCORES)):
                    value = known(self.found.sample.shown[s, m, c])
                    row += [None] * 3 if value is None else [value, *map(known, self.found.ends[s, m, c])]
                rows.append(row)
        return Table("scores", columns, rows)

    def _differences(self) -> Table:
        corrected = self.found.family > 1
        columns = (
            Column("measure", "measure"),
            Column("score", "score"),
            Column("system", "system", cut=MIDDLE),
            Column("against", "against"),
            Column("difference", "difference", PERCENT),
            Column("difference_low", "low", PERCENT),
            Column("difference_high", "high", PERCENT),
            Column("p", "p", CHANCE),
            Column("p_corrected", "p (Holm)", CHANCE, shown=corrected),
            Column("units_differing", "units", COUNT),
            Column("smallest_p", "smallest p", CHANCE),
            Column("verdict", "verdict"),
        )
        names = list(self.results)
        rows = []
        for m, measure in enumerate(self.measures):
            for c, score in enumerate(SCORES):
                for place, (a, b) in enumerate(self.found.sample.pairs):
                    each = self._difference(place, a, b, m, c)
                    if each is not None:
                        heading = HEADINGS[score]
                        numbers = [each[name] for name in ("difference", "low", "high", "p", "p_corrected")]
                        tests = self.found.tests
                        units, least = int(tests.differing_units[place, m, c]), float(tests.smallest[place, m, c])
                        verdict = VERDICTS[each["differ"]]
                        rows.append([measure, heading, names[a], names[b], *numbers, units, least, verdict])
        return Table("differences", columns, rows)

    def _difference(self, place: int, a: int, b: int, m: int, c: int) -> dict[str, Any] | None:
        """One score of one measure of a pair; None where the measure has no such score."""
        found = self.found
        if math.isnan(found.tests.p[place, m, c]):
            return None
        low, high = map(float, found.difference_ends[place, m, c])
        return {
            "difference": float(found.sample.observed[a, m, c] - found.sample.observed[b, m, c]),
            "low": low,
            "high": high,
            "p": float(found.tests.p[place, m, c]),
            "p_corrected": float(found.corrected[place, m, c]),
            "units_differing": int(found.tests.differing_units[place, m, c]),
            "smallest_p": float(found.tests.smallest[place, m, c]),
            "exact": bool(found.tests.exact[place, m, c]),
            "differ": found.differ(place, m, c),
        }

    @property
    def legend(self) -> Sequence[str]:
        method = self.found.method
        interval = (
            f"low, high: {percentage(method.confidence)} intervals (bootstrap-t), from "
            f"{self.found.resampled.shape[-1]} paired bootstrap resamples"
        )
        verdict = (
            f"verdict: at the level {method.alpha:g}; units: how many the two differ in; smallest p: the least that "
            "this run could have given"
        )
        return [interval, verdict] if self.found.sample.pairs else [interval]

    @property
    def notes(self) -> Sequence[str]:
        on_units, *on_tests = notes_on_tests(self.found)
        notes = [on_units, *on_tests, *self._undecided()] if self.found.sample.pairs else [on_units]
        return [*notes, *notes_on_intervals(self.found), *self._notes_on_groups()]

    def _notes_on_groups(self) -> Iterator[str]:
        """What scores of groups and tests on them rest on."""
        if self.found.method.by is not None:
            yield f"scores are means over {plural(len(self.found.sample.groups), 'group')} by {self.found.method.by}"
        if self.datasets is not None:
            yield from self.datasets.notes

    def _undecided(self) -> Iterator[str]:
        """That some tests could not have told systems apart, and which."""
        names = list(self.results)
        found = [
            f"{measure} {HEADINGS[score]} of {names[a]} and {names[b]}"
            for m, measure in enumerate(self.measures)
            for c, score in enumerate(SCORES)
            if self.found.tested[m, c]
            for a, b in self.found.undecided(m, c)
        ]
        if found:
            yield f"no verdict in {len(found)} of {plural(self.found.count, 'test')}: {listed(found)}"

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/compare.md``."""
        names = list(self.results)
        return {
            **head("compare", self.signature, options(next(iter(self.results.values())), self.found)),
            "units": self.found.sample.units,
            "family": self.found.family,
            "tests": self.found.count,
            "systems": {name: self._system(s) for s, name in enumerate(names)},
            "pairs": [
                {"system": names[a], "against": names[b], "measures": self._pair(place, a, b)}
                for place, (a, b) in enumerate(self.found.sample.pairs)
            ],
            **({} if self.datasets is None else self.datasets.to_dict()),
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes],
        }

    def _system(self, s: int) -> dict[str, Any]:
        found = self.found
        return {
            measure: {
                score: {
                    "value": float(found.sample.observed[s, m, c]),
                    "low": float(found.ends[s, m, c, 0]),
                    "high": float(found.ends[s, m, c, 1]),
                }
                for c, score in enumerate(SCORES)
                if not math.isnan(found.sample.observed[s, m, c])
            }
            for m, measure in enumerate(self.measures)
        }

    def _pair(self, place: int, a: int, b: int) -> dict[str, Any]:
        return {
            measure: {
                score: each
                for c, score in enumerate(SCORES)
                if (each := self._difference(place, a, b, m, c)) is not None
            }
            for m, measure in enumerate(self.measures)
        }


def compare(
    results: Mapping[str, Result], measures: Collection[str], method: Method, watch: Watch | None = None
) -> Comparison:
    """Compare systems, given as their results by name; ``watch`` is told how much of the work is done, from 0 to 1.

    Raises `InputError` where there is one unit only, and `UsageError` for units that cannot be made and for mentions
    that are divided into kinds.
    """
    refuse_division(results.values())
    return _comparison(results, measures, method, watch)


def _comparison(
    results: Mapping[str, Result], measures: Collection[str], method: Method, watch: Watch | None = None
) -> Comparison:
    averaged = method.average is not None
    units = sample(list(results.values()), measures, method.unit, method.by, averaged=averaged)
    if units.units == 1:
        first = next(iter(results.values()))
        raise InputError([Finding("one-unit", "key", details={"unit": method.unit, "documents": len(first.names)})])
    found = compared(units, method, watch=watch)
    if method.by is None or not units.pairs:
        return Comparison(results, measures, found)
    on = OnDatasets(results, measures, found, on_each(units, units.groups, found))
    return Comparison(results, measures, found, on)


def intervals(result: Result, method: Method) -> Intervals:
    """The intervals of every measure of one response. Raises `InputError` where there is one unit only."""
    alone = _comparison({"": result}, dict.fromkeys(result, SCORES), method)
    ends = _ends(alone.found)
    by_score = {m: {c: end._asdict() for c, end in its.items()} for m, its in ends.items()}
    data = {"units": alone.found.sample.units, "options": _terms(alone.found), "measures": by_score}
    notes = [*alone.legend, *alone.notes]
    return Intervals(ends, notes, alone.signature, {**data, "notes": notes})


def _ends(found: Compared) -> dict[str, dict[str, Interval]]:
    """The intervals of the first system by measure and score."""
    return {
        measure: {
            score: Interval(*map(float, found.ends[0, m, c]))
            for c, score in enumerate(SCORES)
            if not math.isnan(found.ends[0, m, c, 0] + found.sample.shown[0, m, c])
        }
        for m, measure in enumerate(found.sample.measures)
    }


def notes_on_tests(found: Compared) -> list[str]:
    """What tests rest on: units, the way p came about, its correction, and how few units there are."""
    method, tests, units = found.method, found.tests, found.sample.units
    joined = found.sample.parts is not None
    named = method.unit in UNITS or is_within(method.unit)
    unit = method.unit if named else f"matches of {method.unit}"
    names = {"randomization": "paired approximate randomization", "bootstrap": "paired bootstrap test"}
    notes = [
        f"unit of resampling: {unit}, {units} in all" + ("; the parts of a document are one" if joined else ""),
        f"p: {names[method.test]}, two-sided, {found.trials} trials, seed {method.seed}",
    ]
    if tests.exact.any():
        notes[-1] += f"; exact, by all assignments, up to {found.trials.bit_length() - 1} differing units"
    if method.average is not None:
        notes[0] += f"; scores are means over {method.average}"
    notes += _notes_on_correction(found)
    if units < FEW:
        least = min(1.0, 2.0 ** (1 - units))
        notes.append(
            f"only {plural(units, 'unit')}: even where they differ in all, no randomization test can give less than "
            f"p = {least:.3g}"
        )
    return notes


def _notes_on_correction(found: Compared) -> Iterator[str]:
    """How many tests there are, for what p is corrected, and what is left to chance."""
    method, pairs = found.method, len(found.sample.pairs)
    if method.correction == "holm-all":
        yield f"corrected by Holm's method for all {plural(found.count, 'test')}"
    elif pairs > 1:
        way = "by Holm's method" if method.correction == "holm" else "not at all"
        yield f"corrected {way} for the family of all {pairs} pairs of systems within one measure"
    if found.family < found.count:
        chance = method.alpha * found.count / max(1, found.family)
        yield (
            f"{found.count} tests: of equal systems, some {chance:.2g} would be said to differ by chance on average; "
            "--correction holm-all is for all of them together"
        )
    needed = method.enough(found.family)
    if found.trials < needed:
        yield (
            f"{plural(found.trials, 'trial')} can give no verdict for a family of {found.family} tests at the level "
            f"{method.alpha:g} unless p is exact; it needs --trials {needed}"
        )


def notes_on_intervals(found: Compared) -> Iterator[str]:
    """That intervals may be too short, where there are few units."""
    if found.sample.units < SHORT:
        yield (
            f"only {plural(found.sample.units, 'unit')}: intervals may be too short; in simulations with 3 units, 95% "
            "intervals contained the true score in 83 to 99% of cases"
        )
    nearly_perfect = int((found.sample.erring < SHORT).sum())
    if found.sample.units >= SHORT and nearly_perfect:
        yield (
            f"{plural(nearly_perfect, 'system')} with errors in fewer than {SHORT} units: their intervals are too "
            "short, since most resamples see few of these units"
        )
    few = found.tests.differing_units[:, found.tested]
    few = few[(few > 0) & (few < SHORT)]
    if found.sample.units >= SHORT and len(few):
        yield (
            f"{plural(len(few), 'difference')} with fewer than {SHORT} differing units: their intervals are too "
            "short, since most resamples see few of these units"
        )


def listed(names: Sequence[str]) -> str:
    """Names in a row, the first of many."""
    more = f", and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "; ".join(names[:NAMES_SHOWN]) + more


def percentage(value: float) -> str:
    """``95%`` for 0.95."""
    return f"{round(value * 100, 10):g}%"


def options(result: Result, found: Compared) -> dict[str, Any]:
    """Everything that can move a number of a comparison, as data."""
    return {**result.settings.to_dict(), **_terms(found)}


def _terms(found: Compared) -> dict[str, Any]:
    """What was asked of a comparison, and what came of it: units of joined parts, trials, the family of tests."""
    method = found.method.to_dict()
    terms = {"unit": method.pop("unit"), "parts": found.sample.parts, **method, "trials": found.trials}
    if not found.sample.pairs:  # nothing is tested
        return {name: term for name, term in terms.items() if name not in OF_TESTS} | {"interval": INTERVAL}
    return {**terms, "family": found.family, "interval": INTERVAL}


def signed(result: Result, found: Compared) -> str:
    """The signature of the scores, and what was asked of the comparison."""
    terms = {**_terms(found), "confidence": percentage(found.method.confidence)}
    parts = [f"{name}={value}" for name, value in terms.items() if value is not None]
    return " | ".join([result.signature, *parts])
