"""The report of a comparison: scores with intervals, differences with tests, and notes on how they were computed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np

from corefscore.core.arrays import lists_by_key
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural
from corefscore.metrics import HEADINGS, asked
from corefscore.metrics.base import SCORES
from corefscore.reports.base import AGAINST, MEASURE, PAIR, SYSTEM, VERDICT, Column, Interval, Table, known, tabled
from corefscore.reports.datasets import PAIRWISE, TEST_STATISTICS, OnDatasets, Statistic, in_words
from corefscore.reports.systems import Systems, by_score, fidelities, fidelity_data, in_line, sampled
from corefscore.scoring.results import Result, refuse_division
from corefscore.statistics.datasets import on_each
from corefscore.statistics.significance import Method, Watch, compared

_SIGNS = {True: "><", False: "..", None: "??", "": "  "}
"""The signs of a matrix by whether two systems differ, or were not compared: if the system of the row is better, and if
it is worse."""

_LEGEND = (
    "> the system of the row is better than that of the column, < it is worse, . no difference was shown"
    "{unknown}; --format csv also prints the differences, recall and precision of all pairs"
)

_EQUIVALENT = {True: "equivalent", False: "not shown", None: None}
"""The words for a test of equivalence; None if it was not made."""

PAIR_STATISTICS = (
    Statistic("difference", Column("difference", "difference", "percent"), attrgetter("differences")),
    Statistic("low", Column("difference_low", "low", "percent", spare=2), lambda of: of.difference_ends[..., 0]),
    Statistic("high", Column("difference_high", "high", "percent", spare=1), lambda of: of.difference_ends[..., 1]),
    *TEST_STATISTICS,
    Statistic("shown_from", Column("shown_from", "detectable", "percent", spare=3), attrgetter("shown_from")),
    Statistic("units_needed", Column("units_needed", "units needed", "count", spare=4), attrgetter("units_needed")),
    Statistic("p_equivalent", Column("p_equivalent", "p (equal)", "chance"), attrgetter("p_equivalent")),
    Statistic("exact", None, attrgetter("tests.exact")),
)
"""The statistics of the difference of two systems, in the order of tables and data."""


class Comparison(OnDatasets):
    """The report of `compare`; with groups of documents, also the comparison on each of them (``datasets``)."""

    CORRECTED = "p (all): {}; the verdict uses it"

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.names)} in {', '.join(self.measures)}>"

    @property
    def measures(self) -> Collection[str]:
        """The measures that are compared."""
        return self.found.sample.measures

    @cached_property
    def tables(self) -> Sequence[Table]:
        return [self._scores(), self._differences(), *self.tables_of_groups, *fidelities(self.results)]

    @cached_property
    def readable(self) -> Sequence[Table]:
        """The scores and a table for each pair; with more than `PAIRWISE` systems, a matrix for each measure."""
        scores, differences, texts = self._scores(), self._differences(), fidelities(self.results)
        if len(self.names) > PAIRWISE:
            return [*([] if self.runs is None else [scores]), *self._matrices(), *self.readable_groups, *texts]
        return [scores, *texts, *self._pairwise(differences), *self.readable_groups]

    @cached_property
    def paper(self) -> Sequence[Table]:
        """A row for each system, and the tables of groups; a single system has a second row with its intervals."""
        systems = {number: [name] for number, name in enumerate(self.names)}
        table = self.paper_table(self.found.sample, [SYSTEM], systems)
        if len(systems) > 1:
            return [table, *self.readable_groups]
        ends = {f"{m}.{c}": end for m, by_score in self.ends.items() for c, end in by_score.items()}
        row = [ends.get(column.name) for column in table.columns]
        return [table._replace(rows=[*table.rows, row], notes=self.legend)]

    @property
    def ends(self) -> dict[str, dict[str, Interval]]:
        """The intervals of the first system by measure and score."""
        return by_score(self.measures, partial(self.interval_of, 0))

    def _scores(self) -> Table:
        """Return the scores of all systems with their intervals."""
        columns = [MEASURE, SYSTEM]
        asked_for = {score for scores in asked(self.measures).values() for score in scores}
        for score, heading in HEADINGS.items():
            shown, spare = score in asked_for, score != "f1"
            columns.append(Column(score, heading, "percent", shown, score=score, spare=spare))
            ends = (*Interval._fields, *["spread"] * (self.runs is not None))
            columns += [Column(f"{score}_{end}", end, "percent", shown, score=score, spare=2 * spare) for end in ends]
        rows = [
            [measure, name, *(cell for c in range(len(SCORES)) for cell in self._score(s, m, c).values())]
            for m, measure in enumerate(self.measures)
            for s, name in enumerate(self.names)
        ]
        return Table("scores", columns, rows)

    def _score(self, s: int, m: int, c: int) -> dict[str, float | None]:
        """Return a score of a system, its interval, and with several runs its spread; None if it counts nothing."""
        spread = {} if self.runs is None else {"spread": known(self.found.spread[s, m, c])}
        low, high = map(known, self.found.ends[s, m, c])
        return {"value": known(self.found.sample.shown[s, m, c]), "low": low, "high": high, **spread}

    def _differences(self) -> Table:
        """Return the difference of each pair in each score, with its test."""
        hidden = {"smallest_p"} if self.found.family > 1 else {"smallest_p", "p_corrected"}
        hidden |= set() if self.found.method.margin is not None else {"p_equivalent", "equivalent"}
        hidden |= set() if self.runs is None else {"smallest_p", "units_needed"}
        tests = (each.column._replace(shown=each.name not in hidden) for each in PAIR_STATISTICS if each.column)
        columns = *PAIR, *tests, VERDICT, Column("equivalent", "equal", shown="equivalent" not in hidden)
        records = []
        for m, c, pair in np.ndindex(len(self.measures), len(SCORES), len(self.found.sample.pairs)):
            if test := self._difference(pair, m, c):
                numbers = {each.column.name: test[each.name] for each in PAIR_STATISTICS if each.column}
                own = {"differ": test["differ"], "equivalent": _EQUIVALENT[test["equivalent"]]}
                records.append(in_words({**self._named((pair, m, c)), **numbers, **own}))
        return tabled("differences", columns, records)

    def _difference(self, pair: int, m: int, c: int) -> dict[str, Any] | None:
        """Return the difference of a pair in a score, as data; None if the measure has no such score."""
        if math.isnan(self.found.tests.p[pair, m, c]):
            return None
        values = {each.name: each.of(self.found, (pair, m, c)) for each in PAIR_STATISTICS}
        p = values["p_equivalent"]
        within = None if p is None else p <= self.found.method.alpha
        return {**values, "differ": self.found.differ[pair, m, c], "equivalent": within}

    def _pairwise(self, differences: Table) -> Iterator[Table]:
        """Yield a table for each pair of systems, from the table of all differences."""
        columns = [column for column in differences.columns if column not in (SYSTEM, AGAINST)]
        rows_of = lists_by_key(((row[2], row[3]), [*row[:2], *row[4:]]) for row in differences.rows)
        for (system, against), rows in rows_of.items():
            yield Table(f"{self.short[system]} - {self.short[against]}", columns, rows)

    def _matrices(self) -> Iterator[Table]:
        """Yield a matrix per measure of which systems differ in its F1, or in the first score asked for; best system
        first.
        """
        tables = [self._matrix(m, c) for m, c in enumerate(self.found.sample.deciding_scores)]
        yield from tables[:-1]
        unclear = any("?" in row[-1] for table in tables for row in table.rows)
        unknown = ", ? no test could have shown one" if unclear else ""
        unknown += f", blank: only {self.found.method.baseline} was compared" if self.found.method.baseline else ""
        yield tables[-1]._replace(notes=[_LEGEND.format(unknown=unknown)])

    def _matrix(self, m: int, c: int) -> Table:
        """Return the matrix of a measure and the score that decides."""
        measure, scores = list(asked(self.measures).items())[m]
        order = self.best_first(m, c)
        first, second = self.found.sample.sides
        verdicts = np.full((len(order), len(order)), "", dtype=object)
        verdicts[first, second] = verdicts[second, first] = self.found.differ[:, m, c]
        numbers = range(1, len(order) + 1)
        tens = " ".join(str(number // 10 % 10) if number > 9 else " " for number in numbers).rstrip()
        columns = [Column("number", "", "count"), SYSTEM]
        columns += (Column(of, HEADINGS[of], "percent", score=of, spare=2 * (of != SCORES[c])) for of in scores)
        columns.append(Column("interval", "[low, high]", "percent", spare=1))
        columns.append(Column("signs", " ".join(str(number % 10) for number in numbers), over=tens))
        rows = []
        for number, system in enumerate(order, start=1):
            shown = [known(self.found.sample.shown[system, m, SCORES.index(score)]) for score in scores]
            of_others = enumerate(verdicts[system, order], start=1)
            signs = " ".join(_SIGNS[verdict][number > place] for place, verdict in of_others)
            rows.append([number, self.names[system], *shown, self.interval_of(system, m, c), signs])
        return Table(f"{measure} {HEADINGS[SCORES[c]]}", columns, rows)

    @property
    def legend(self) -> Sequence[str]:
        method = self.found.method
        pairs = len(self.found.sample.pairs)
        together = f"; those of differences are corrected for all {pairs} pairs" if self.found.together else ""
        level = f"at significance level {method.alpha:g}"
        verdict = f"differences are shown {level}"
        if len(self.names) <= PAIRWISE:  # a matrix has none of these columns
            verdict = f"verdict: {level}; units: number of units in which the two differ; detectable: smallest "
            verdict += "difference that would be shown with 80% power, empty if there is none"
            if self.runs is None:
                verdict += "; units needed: number of units for 80% power at the observed difference"
            if method.margin is not None:
                verdict += f"; p (equal): p of the test that the difference is below {100 * method.margin:g} points "
                verdict += "(two one-sided t tests, empty if fewer than 5 units differ)"
        return [*self._legend(together), *[verdict] * bool(pairs)]

    @property
    def notes(self) -> Sequence[str]:
        notes = [self.note_on_units]
        if self.found.sample.pairs:
            notes += [*self.notes_on_tests, *self._undecided(), *self._contradictions()]
        notes += self.notes_on_intervals
        if self.found.method.by is not None:
            groups = plural(len(self.found.sample.groups), "group")
            notes.append(f"scores are means over {groups} by {self.found.method.by}")
        return notes

    def _contradictions(self) -> Iterator[str]:
        """Yield a note on differences whose intervals seem to contradict their verdicts."""
        found = self.found
        apart = (found.difference_ends[..., 0] > 0) | (found.difference_ends[..., 1] < 0)
        shown = found.corrected <= found.method.alpha
        known = found.tested & ~np.isnan(found.difference_ends).any(axis=-1) & (found.least <= found.method.alpha)
        if doubtful := int((apart != shown)[known].sum()):
            disagree = f"for {plural(doubtful, 'difference')}, test and interval disagree on whether 0 is possible"
            yield f"{disagree}; the verdict is that of the test"

    def _undecided(self) -> Iterator[str]:
        """Yield a note on the tests that could not have shown a difference."""
        names = self.names
        tests = [
            f"{measure} {HEADINGS[score]} of {names[first]} and {names[second]}"
            for m, measure in enumerate(self.measures)
            for c, score in enumerate(SCORES)
            if self.found.tested[m, c]
            for first, second in self.found.undecided(m, c)
        ]
        if tests:
            yield f"no verdict (p cannot reach {self.found.method.alpha:g}): {in_line(tests)}"

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/compare.md``."""
        names, pairs = self.names, []
        for pair, (first, second) in enumerate(self.found.sample.pairs):
            tests = by_score(self.measures, partial(self._difference, pair))
            pairs.append({"system": names[first], "against": names[second], "measures": tests})
        return {
            **self.head("compare"),
            "family": self.found.family,
            "tests": self.found.count,
            "systems": {name: by_score(self.measures, partial(self._score_data, s)) for s, name in enumerate(names)},
            "pairs": pairs,
            **self.runs_data,
            **self.data_of_groups,
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes, *self.notes_on_groups],
        }

    def _score_data(self, s: int, m: int, c: int) -> dict[str, float | None] | None:
        """Return a score of a system as data, with 0 for nothing to count; None if it was not asked for."""
        observed = known(self.found.sample.observed[s, m, c])
        return None if observed is None else {**self._score(s, m, c), "value": observed}

    @property
    def of_total(self) -> dict[str, Any]:
        """The intervals of the first system, as the data of its scores has them."""
        ends = by_score(self.measures, lambda m, c: (found := self.interval_of(0, m, c)) and found._asdict())
        units, notes = self.found.sample.units, [*self.legend, *self.notes]
        return {"units": units, "options": self.terms, "measures": ends, "notes": notes}


def compare(systems: Systems, measures: Collection[str], method: Method, watch: Watch | None = None) -> Comparison:
    """Compare systems; ``watch`` is called with the share of the work done, from 0 to 1.

    Raises `InputError` if there is only one unit, and `UsageError` for invalid units and for results that are divided
    into kinds of mentions.
    """
    refuse_division(systems.results.values())
    return _comparison(systems, measures, method, watch)


def intervals(result: Result, method: Method) -> Comparison:
    """Return the intervals of every measure of one response. Raises `InputError` if there is only one unit."""
    return _comparison(Systems({"": result}), dict.fromkeys(result, SCORES), method)


def _comparison(systems: Systems, measures: Collection[str], method: Method, watch: Watch | None = None) -> Comparison:
    """Return the comparison of one or more systems."""
    first, units = next(iter(systems.results.values())), sampled(systems, measures, method)
    if units.units == 1:
        details = {"unit": method.unit, "documents": plural(len(first.names), "document")}
        raise InputError([Finding("one-unit", first.files[0] if first.files else "key", details=details)])
    found = compared(units, method, watch=watch)
    groups = [] if method.by is None else list(dict.fromkeys(first.groups(method.by)))
    datasets = on_each(units, groups, found) if groups and units.pairs else {}
    return Comparison(**vars(systems), found=found, datasets=datasets)
