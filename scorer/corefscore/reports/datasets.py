"""Systems compared on each group of documents, such as data sets, for people and as data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from corefscore.metrics.counts import SCORES
from corefscore.metrics.measures import HEADINGS, asked
from corefscore.reports.row import CHANCE, COUNT, MIDDLE, PERCENT, Column, Table, shortened
from corefscore.results import Result, Scores
from corefscore.statistics.datasets import Datasets
from corefscore.statistics.significance import Compared

VERDICTS = {True: "differ", False: "not shown", None: "no verdict"}
"""What is said of two systems: they differ; that was not shown; nothing could have shown it."""

Tested = tuple[int, int, int]
"""The places of a pair of systems, a measure and a score."""


@dataclass(frozen=True, eq=False)
class OnDatasets:
    """What a comparison says of groups of documents: ``results`` and ``measures`` are its own, ``over`` is what was
    found over all groups, ``found`` what was found on each."""

    results: Mapping[str, Result]
    measures: Collection[str]
    over: Compared
    found: Datasets

    @property
    def tables(self) -> list[Table]:
        """Every test on every group, and their sum."""
        columns = (
            Column("group", "group"),
            Column("measure", "measure"),
            Column("score", "score"),
            Column("system", "system"),
            Column("against", "against"),
            Column("value", "value", PERCENT),
            Column("against_value", "against value", PERCENT),
            Column("difference", "difference", PERCENT),
            Column("p", "p", CHANCE),
            Column("p_corrected", "p (Holm)", CHANCE),
            Column("units_differing", "units", COUNT),
            Column("smallest_p", "smallest p", CHANCE),
            Column("verdict", "verdict"),
        )
        names = list(self.results)
        rows = []
        for group, name in enumerate(self.found.names):
            for at in self._tested():
                *numbers, differ = self._on(group, at).values()
                rows.append([name, *self._row(at, names), *numbers, VERDICTS[differ]])
        return [Table("groups", columns, rows), self.sums(names, every=True)]

    def pairs(self, names: Sequence[str]) -> Iterator[Table]:
        """A table for each pair of systems, which have these names, with a line for each group."""
        short = shortened(names)
        for place, (one, other) in enumerate(self.over.sample.pairs):
            columns = [Column("group", "group", cut=MIDDLE), Column("units", "units", COUNT)]
            for m, measure in enumerate(self.measures):
                over = f"{measure} {HEADINGS[SCORES[self._deciding[m]]]}"
                spare = 2 * (len(self.measures) - m)
                columns += [
                    Column(f"{measure}_difference", "difference", PERCENT, over=over, spare=spare and spare - 1),
                    Column(f"{measure}_p", "p (Holm)", CHANCE, over=over, spare=spare),
                    Column(f"{measure}_verdict", "verdict", over=over, spare=spare),
                ]
            rows = []
            for group, name in enumerate(self.found.names):
                row: list[Any] = [name, self.found.units[group]]
                for m, c in enumerate(self._deciding):
                    its = self._on(group, (place, m, c))
                    row += [its["difference"], its["p_corrected"], VERDICTS[its["differ"]]]
                rows.append(row)
            yield Table(f"{short[one]} - {short[other]} by group", columns, rows)

    def sums(self, names: Sequence[str], *, every: bool = False) -> Table:
        """On how many groups systems, which have these names, differ: in each score, or in the one of each measure
        that decides."""
        columns = (
            Column("measure", "measure"),
            Column("score", "score"),
            Column("system", "system", cut=MIDDLE),
            Column("against", "against", cut=MIDDLE),
            Column("groups", "groups", COUNT),
            Column("groups_differing", "differ on", COUNT),
            Column("better", "better", COUNT),
            Column("worse", "worse", COUNT),
            Column("no_verdict", "no verdict", COUNT, spare=1),
            Column("if_independent", "if independent", COUNT),
        )
        rows = [
            [*self._row((place, m, c), names), *self._sum((place, m, c)).values()]
            for place, m, c in self._tested()
            if every or c == self._deciding[m]
        ]
        return Table("over all groups", columns, rows)

    @property
    def notes(self) -> Iterator[str]:
        """What the tests on groups rest on."""
        tests = {"holm": "groups and pairs of systems within one score", "holm-all": "tests on groups"}
        way = tests.get(self.over.method.correction)
        corrected = f"corrected by Holm's method for all {way}" if way else "not corrected, so some by chance"
        yield (
            f"differ on: groups on which p is at most {self.over.method.alpha:g}, {corrected} "
            f"({self.found.trials} trials on each); if independent: the least number of groups on which the "
            "systems differ, if no two groups have texts in common (Dror et al. 2017)"
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints of groups."""
        every = list(self._tested())
        return {
            "groups": [
                {"group": name, **self._named(at), **self._on(group, at)}
                for group, name in enumerate(self.found.names)
                for at in every
            ],
            "over_groups": [{**self._named(at), **self._sum(at)} for at in every],
        }

    def _tested(self) -> Iterator[Tested]:
        """The pairs, measures and scores that are tested."""
        for place in range(len(self.over.sample.pairs)):
            for m in range(len(self.measures)):
                for c in range(len(SCORES)):
                    if self.over.tested[m, c]:
                        yield place, m, c

    def _named(self, at: Tested) -> dict[str, str]:
        """The names of what is tested, as data has them."""
        place, m, c = at
        one, other = (list(self.results)[system] for system in self.over.sample.pairs[place])
        return {"measure": list(self.measures)[m], "score": SCORES[c], "system": one, "against": other}

    def _row(self, at: Tested, names: Sequence[str]) -> list[str]:
        """The same as tables have it, with these names of systems."""
        place, m, c = at
        return [list(self.measures)[m], HEADINGS[SCORES[c]], *(names[s] for s in self.over.sample.pairs[place])]

    @cached_property
    def _deciding(self) -> list[int]:
        """Of each measure the F1, or the first score that is asked for."""
        return [SCORES.index("f1" if "f1" in its else its[0]) for its in asked(self.measures).values()]

    @cached_property
    def _scores(self) -> Mapping[str, list[Scores]]:
        """The scores of the systems, in their order, on each group."""
        by = self.over.method.by
        assert by is not None, "it made the groups"
        its = [result.by(by) for result in self.results.values()]
        return {group: [scores[group] for scores in its] for group in self.found.names}

    def _on(self, group: int, at: Tested) -> dict[str, Any]:
        """What was found on one group."""
        place, m, c = at
        tests, here = self.found.tests, (group, *at)
        scores, measure = self._scores[self.found.names[group]], list(self.measures)[m]
        one, other = (float(getattr(scores[system][measure], SCORES[c])) for system in self.over.sample.pairs[place])
        return {
            "value": one,
            "against_value": other,
            "difference": one - other,
            "p": float(tests.p[here]),
            "p_corrected": float(self.found.corrected[here]),
            "units_differing": int(tests.differing_units[here]),
            "smallest_p": float(tests.smallest[here]),
            "differ": self.found.differ(*here),
        }

    def _sum(self, at: Tested) -> dict[str, Any]:
        """On how many groups a pair differs in a score."""
        on = [self._on(group, at) for group in range(len(self.found.names))]
        return {
            "groups": len(on),
            "differ": sum(each["differ"] is True for each in on),
            "better": sum(each["differ"] is True and each["difference"] > 0 for each in on),
            "worse": sum(each["differ"] is True and each["difference"] < 0 for each in on),
            "no_verdict": sum(each["differ"] is None for each in on),
            "if_independent": self.found.independent(*at),
        }
