"""The part of a comparison about groups of documents, such as data sets: tables, notes and data."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from corefscore.metrics import HEADINGS, asked, deciding
from corefscore.metrics.base import SCORES
from corefscore.reports.base import CHANCE, COUNT, GROUP, PAIR, PERCENT, VERDICT, Column, Table, shortened
from corefscore.reports.system_tables import on_groups
from corefscore.scoring.results import Result, Scores
from corefscore.statistics.datasets import Datasets
from corefscore.statistics.significance import Compared

VERDICTS = {True: "differ", False: "not shown", None: "no verdict"}
"""The words for a test: the systems differ; no difference was shown; no test could have shown one."""

_Tested = tuple[int, int, int]
"""The numbers of a pair of systems, a measure and a score."""


class Statistic(NamedTuple):
    """A number of each test: its name in data, its column in tables, if it has one, and the array of a comparison that
    contains it."""

    name: str
    column: Column | None
    array: Callable[[Any], Any]

    def of(self, found: Compared | Datasets, test: tuple[int, ...]) -> Any:
        """Return the number of one test, or None for NaN."""
        number = self.array(found)[test].item()
        if math.isnan(number):
            return None
        return int(number) if self.column is not None and self.column.kind == COUNT else number


TEST_STATISTICS = (
    Statistic("p", Column("p", "p", CHANCE), attrgetter("tests.p")),
    Statistic("p_corrected", Column("p_corrected", "p (all)", CHANCE), attrgetter("corrected")),
    Statistic(
        "units_differing", Column("units_differing", "units", COUNT, spare=5), attrgetter("tests.differing_units")
    ),
    Statistic("smallest_p", Column("smallest_p", "smallest p", CHANCE, spare=4), attrgetter("tests.smallest")),
)
"""The statistics of every test, on groups, too, in the order of tables and data."""


@dataclass(frozen=True, eq=False)
class OnDatasets:
    """A comparison on groups of documents: ``results`` and ``measures`` are those of the comparison, ``over`` has the
    tests over all groups, ``found`` the tests on each group."""

    results: Mapping[str, Result]
    measures: Collection[str]
    over: Compared
    found: Datasets

    @property
    def tables(self) -> list[Table]:
        """A table of all tests on groups, and a table of their summaries."""
        columns = (
            GROUP,
            *PAIR,
            Column("value", "value", PERCENT),
            Column("against_value", "against value", PERCENT),
            Column("difference", "difference", PERCENT),
            *(statistic.column for statistic in TEST_STATISTICS if statistic.column),
            VERDICT,
        )
        names = list(self.results)
        rows = []
        for group, name in enumerate(self.found.names):
            for tested in self._tested:
                *numbers, differ = self._test(group, tested).values()
                rows.append([name, *self._row(tested, names), *numbers, VERDICTS[differ]])
        return [Table("groups", columns, rows), self.sums(names, every=True)]

    def pairs(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield a table for each pair of systems, with a row for each group; ``names`` are the names of the systems."""
        short = shortened(names)
        for pair, (first, second) in enumerate(self.over.sample.pairs):
            columns = [GROUP, Column("units", "units", COUNT)]
            for m, measure in enumerate(self.measures):
                over = f"{measure} {HEADINGS[SCORES[self._deciding[m]]]}"
                spare = 2 * (len(self.measures) - m)
                columns += [
                    Column(f"{measure}_difference", "difference", PERCENT, over=over, spare=spare - 1),
                    Column(f"{measure}_p", "p (Holm)", CHANCE, over=over, spare=spare),
                    Column(f"{measure}_verdict", "verdict", over=over, spare=spare),
                ]
            rows = []
            for group, name in enumerate(self.found.names):
                row: list[Any] = [name, self.found.units[group]]
                for m, c in enumerate(self._deciding):
                    test = self._test(group, (pair, m, c))
                    row += [test["difference"], test["p_corrected"], VERDICTS[test["differ"]]]
                rows.append(row)
            yield Table(f"{short[first]} - {short[second]} by group", columns, rows)

    def sums(self, names: Sequence[str], *, every: bool = False) -> Table:
        """Return the number of groups on which each pair of systems differs; ``names`` are the names of the systems.

        There is a row for each score of a measure with ``every``, else only for its F1 or its first score.
        """
        columns = (
            *PAIR,
            Column("groups", "groups", COUNT),
            Column("groups_differing", "differ on", COUNT),
            Column("better", "better", COUNT),
            Column("worse", "worse", COUNT),
            Column("no_verdict", "no verdict", COUNT, spare=1),
            Column("if_independent", "if independent", COUNT),
        )
        rows = [
            [*self._row((pair, m, c), names), *self._summary((pair, m, c)).values()]
            for pair, m, c in self._tested
            if every or c == self._deciding[m]
        ]
        return Table("over all groups", columns, rows, notes=[self.note])

    @property
    def note(self) -> str:
        """The note on the tests on groups."""
        pairs = "groups and pairs of systems within one score"
        tests = {"largest": pairs, "holm": pairs, "holm-all": "tests on groups"}
        way = tests.get(self.over.method.correction)
        corrected = f"corrected by Holm's method for all {way}" if way else "not corrected, so some by chance"
        return (
            f"differ on: groups on which p is at most {self.over.method.alpha:g}, {corrected} "
            f"({self.found.method.trials} trials on each); if independent: the smallest number of groups on which the "
            "systems differ, if no two groups share texts (Dror et al. 2017)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the part of the JSON layout about groups."""
        return {
            "groups": [
                {"group": name, **self._named(tested), **self._test(group, tested)}
                for group, name in enumerate(self.found.names)
                for tested in self._tested
            ],
            "over_groups": [{**self._named(tested), **self._summary(tested)} for tested in self._tested],
        }

    @cached_property
    def _tested(self) -> list[_Tested]:
        """The pairs, measures and scores that are tested."""
        scores = np.argwhere(self.over.tested).tolist()
        return [(pair, m, c) for pair in range(len(self.over.sample.pairs)) for m, c in scores]

    def _named(self, tested: _Tested) -> dict[str, str]:
        """Return the measure, score and systems of a test, as data."""
        pair, m, c = tested
        first, second = (list(self.results)[system] for system in self.over.sample.pairs[pair])
        return {"measure": list(self.measures)[m], "score": SCORES[c], "system": first, "against": second}

    def _row(self, tested: _Tested, names: Sequence[str]) -> list[str]:
        """Return the measure, score and systems of a test, as cells."""
        pair, m, c = tested
        return [list(self.measures)[m], HEADINGS[SCORES[c]], *(names[s] for s in self.over.sample.pairs[pair])]

    @cached_property
    def _deciding(self) -> list[int]:
        """The score of each measure that tables show: F1, or the first score asked for."""
        return [SCORES.index(deciding(scores)) for scores in asked(self.measures).values()]

    @cached_property
    def _scores(self) -> Mapping[str, list[Scores]]:
        """The scores of the systems on each group, in the order of the systems."""
        return on_groups(self.results, self.over.method.by)

    def _test(self, group: int, tested: _Tested) -> dict[str, Any]:
        """Return the scores of a pair on a group, and their test."""
        pair, m, c = tested
        index = group, *tested
        scores, measure = self._scores[self.found.names[group]], list(self.measures)[m]
        first, second = (float(getattr(scores[system][measure], SCORES[c])) for system in self.over.sample.pairs[pair])
        return {
            "value": first,
            "against_value": second,
            "difference": first - second,
            **{statistic.name: statistic.of(self.found, index) for statistic in TEST_STATISTICS},
            "differ": self.found.differ(*index),
        }

    def _summary(self, tested: _Tested) -> dict[str, Any]:
        """Return the number of groups on which a pair differs in a score."""
        tests = [self._test(group, tested) for group in range(len(self.found.names))]
        differences = [test["difference"] for test in tests if test["differ"]]
        return {
            "groups": len(tests),
            "differ": len(differences),
            "better": sum(difference > 0 for difference in differences),
            "worse": sum(difference < 0 for difference in differences),
            "no_verdict": sum(test["differ"] is None for test in tests),
            "if_independent": self.found.independent(*tested),
        }
