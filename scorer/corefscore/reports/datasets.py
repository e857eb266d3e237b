"""The part of a comparison about groups of documents, such as data sets: tables, notes and data."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.records import dataclass
from corefscore.metrics import HEADINGS
from corefscore.metrics.base import SCORES
from corefscore.reports.base import GROUP, PAIR, VERDICT, Column, Table, tabled
from corefscore.reports.systems import SystemsReport
from corefscore.statistics.datasets import independent
from corefscore.statistics.significance import Compared

VERDICTS = {True: "differ", False: "not shown", None: "no verdict"}
"""The words for a test: the systems differ; no difference was shown; no test could have shown one."""

PAIRWISE = 4
"""The largest number of systems for which each pair has its own table; more systems have a matrix per measure."""

_Tested = tuple[int, int, int]
"""The numbers of a pair of systems, a measure and a score."""


class Statistic(NamedTuple):
    """A number of each test: its name in data, its column in tables, if it has one, and the array of a comparison that
    contains it."""

    name: str
    column: Column | None
    array: Callable[[Any], Any]

    def of(self, found: Compared, test: tuple[int, ...]) -> Any:
        """Return the number of one test, or None for NaN."""
        number = self.array(found)[test].item()
        if math.isnan(number):
            return None
        return int(number) if self.column is not None and self.column.kind == "count" else number


TEST_STATISTICS = (
    Statistic("p", Column("p", "p", "chance"), attrgetter("tests.p")),
    Statistic("p_corrected", Column("p_corrected", "p (all)", "chance"), attrgetter("corrected")),
    Statistic(
        "units_differing", Column("units_differing", "units", "count", spare=5), attrgetter("tests.differing_units")
    ),
    Statistic("smallest_p", Column("smallest_p", "smallest p", "chance", spare=4), attrgetter("tests.smallest")),
)
"""The statistics of every test, on groups, too, in the order of tables and data."""


def in_words(test: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a test with the words of tables for its score and verdict."""
    return {**test, "score": HEADINGS[test["score"]], "verdict": VERDICTS[test["differ"]]}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OnDatasets(SystemsReport):
    """The part of a comparison about groups of documents: ``datasets`` has the tests on each group, if there are groups
    and pairs of systems; without any, tables, notes and data are empty."""

    datasets: Mapping[str, Compared]

    @property
    def tables_of_groups(self) -> list[Table]:
        """A table of all tests on groups, and a table of their summaries."""
        if not self.datasets:
            return []
        values = (Column(name, name.replace("_", " "), "percent") for name in ("value", "against_value", "difference"))
        tests = (statistic.column for statistic in TEST_STATISTICS if statistic.column)
        columns = GROUP, *PAIR, *values, *tests, VERDICT
        return [tabled("groups", columns, map(in_words, self._on_each)), self._sums(self._tested)]

    @property
    def readable_groups(self) -> list[Table]:
        """The summaries of the score of each measure that decides, after a table for each of a few pairs of systems."""
        if not self.datasets:
            return []
        deciding = self.found.sample.deciding_scores
        sums = self._sums([tested for tested in self._tested if tested[2] == deciding[tested[1]]])
        return [*(self._pairs() if len(self.names) <= PAIRWISE else ()), sums]

    def _pairs(self) -> Iterator[Table]:
        """Yield a table for each pair of systems, with a row for each group."""
        names, sample = [self.short[name] for name in self.names], self.found.sample
        scores = list(zip(sample.measures, sample.deciding_scores, strict=True))
        columns = [GROUP, Column("units", "units", "count")]
        heading = "p" if self.found.method.correction == "none" else "p (Holm)"
        for m, (measure, c) in enumerate(scores):
            over, spare = f"{measure} {HEADINGS[SCORES[c]]}", 2 * (len(scores) - m)
            columns += [
                Column(f"{measure}_difference", "difference", "percent", over=over, spare=spare - 1),
                Column(f"{measure}_p", heading, "chance", over=over, spare=spare),
                Column(f"{measure}_verdict", "verdict", over=over, spare=spare),
            ]
        for pair, (first, second) in enumerate(sample.pairs):
            rows = []
            for group, found in self.datasets.items():
                row: list[Any] = [group, found.sample.units]
                for m, (_, c) in enumerate(scores):
                    test = self._test(group, (pair, m, c))
                    row += [test["difference"], test["p_corrected"], VERDICTS[test["differ"]]]
                rows.append(row)
            yield Table(f"{names[first]} - {names[second]} by group", columns, rows)

    def _sums(self, tests: Sequence[_Tested]) -> Table:
        """Return the number of groups on which the two systems of each of some tests differ."""
        headings = {"groups": "groups", "groups_differing": "differ on", "better": "better", "worse": "worse"}
        headings |= {"no_verdict": "no verdict", "if_independent": "if independent"}
        counts = (Column(name, text, "count", spare=name == "no_verdict") for name, text in headings.items())
        data = map(self._summary, tests)
        rows = ({**its, "score": HEADINGS[its["score"]], "groups_differing": its["differ"]} for its in data)
        return tabled("over all groups", [*PAIR, *counts], rows, self.notes_on_groups)

    @property
    def notes_on_groups(self) -> list[str]:
        """The note on the tests on groups."""
        if not self.datasets:
            return []
        pairs = "groups and pairs of systems within one score"
        tests, method = {"largest": pairs, "holm": pairs, "holm-all": "tests on groups"}, self.found.method
        way = tests.get(method.correction)
        corrected = f"corrected by Holm's method for all {way}" if way else "not corrected, so some differ by chance"
        differ = f"number of groups with p <= {method.alpha:g}, {corrected} ({method.trials} trials)"
        bound = "lower bound on the number of groups on which the two differ"
        fisher = "valid if groups share no texts (Fisher's combination, Dror et al. 2017)"
        return [f"differ on: {differ}; if independent: {bound}, {fisher}"]

    @property
    def data_of_groups(self) -> dict[str, Any]:
        """The part of the JSON layout about groups."""
        if not self.datasets:
            return {}
        return {"groups": self._on_each, "over_groups": [self._summary(tested) for tested in self._tested]}

    @cached_property
    def _on_each(self) -> list[dict[str, Any]]:
        """Every test on each group, as data."""
        every = product(self.datasets, self._tested)
        return [{"group": group, **self._named(tested), **self._test(group, tested)} for group, tested in every]

    @cached_property
    def _tested(self) -> list[_Tested]:
        """The pairs, measures and scores that are tested."""
        scores = np.argwhere(self.found.tested).tolist()
        return [(pair, m, c) for pair in range(len(self.found.sample.pairs)) for m, c in scores]

    def _named(self, tested: _Tested) -> dict[str, str]:
        """Return the measure, score and systems of a test, as data."""
        pair, m, c = tested
        first, second = (self.names[system] for system in self.found.sample.pairs[pair])
        return {"measure": list(self.found.sample.measures)[m], "score": SCORES[c], "system": first, "against": second}

    def _test(self, group: str, tested: _Tested) -> dict[str, Any]:
        """Return the scores of a pair on a group, and their test."""
        pair, m, c = tested
        found, scores, measure = self.datasets[group], self.groups[group], list(self.found.sample.measures)[m]
        first, second = (float(getattr(scores[system][measure], SCORES[c])) for system in self.found.sample.pairs[pair])
        return {
            "value": first,
            "against_value": second,
            "difference": first - second,
            **{statistic.name: statistic.of(found, tested) for statistic in TEST_STATISTICS},
            "differ": found.differ[tested],
        }

    def _summary(self, tested: _Tested) -> dict[str, Any]:
        """Return the number of groups on which a pair differs in a score, as data."""
        tests = [self._test(group, tested) for group in self.datasets]
        level = self.found.method.alpha / max(1, self.found.family)
        differences = [test["difference"] for test in tests if test["differ"]]
        return {
            **self._named(tested),
            "groups": len(tests),
            "differ": len(differences),
            "better": sum(difference > 0 for difference in differences),
            "worse": sum(difference < 0 for difference in differences),
            "no_verdict": sum(test["differ"] is None for test in tests),
            "if_independent": independent(self.datasets.values(), tested, level),
        }
