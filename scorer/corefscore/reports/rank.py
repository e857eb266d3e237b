"""The ranking of a shared task: the best system comes first, each with the range of its possible ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from corefscore.core.errors import UsageError
from corefscore.core.findings import Noticed, plural
from corefscore.metrics import HEADINGS, asked, deciding, scores_of
from corefscore.metrics.base import SCORES
from corefscore.reports.base import (
    AGAINST,
    CHANCE,
    COUNT,
    GROUP,
    MEASURE,
    MIDDLE,
    PERCENT,
    RATIO,
    SYSTEM,
    VERDICT,
    Column,
    Interval,
    Reported,
    Scored,
    Table,
    head,
    known,
    scored_columns,
    shortened,
)
from corefscore.reports.compare import (
    against,
    interval_legend,
    listed,
    notes_on_intervals,
    notes_on_tests,
    options,
    runs_data,
    runs_legend,
    sampled,
    signed,
)
from corefscore.reports.datasets import VERDICTS
from corefscore.reports.system_tables import (
    by_score,
    fidelities,
    fidelity_data,
    interval_of,
    on_groups,
    paper_of,
    sort_heading,
)
from corefscore.scoring.results import Result, Scores, refuse_division
from corefscore.statistics.agreement import taus
from corefscore.statistics.significance import Compared, Method, Sample, Watch, compared

_RANK = Column("rank", "rank")
_P = Column("p", "p", CHANCE)
"""Columns of several tables."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Reported):
    """The report of `rank`.

    ``results`` are the results of the scored systems by name, ``unscored`` the reasons why others have no score.
    ``table`` has the scores of every measure, ``found`` the tests of ``score`` of the measure ``sort``, which decide
    the ranks. ``order`` are the numbers of the systems, best first. ``notices`` are about the key and the
    systems. ``every`` has the tests of all measures, if their agreement is reported. If systems have several ``runs``,
    whose names these are, the results are those of the runs.
    """

    results: Mapping[str, Result]
    unscored: Mapping[str, str]
    table: Sample
    sort: str
    score: str
    found: Compared
    order: Sequence[int]
    notices: Sequence[Noticed] = ()
    every: Compared | None = None
    runs: Mapping[str, Sequence[str]] | None = None

    def __repr__(self) -> str:
        ranked = (f"{self.rank(system)} {self.names[system]}" for system in self.order)
        return f"<Ranking by {self.sorted_by}: {', '.join(ranked)}>"

    @property
    def names(self) -> list[str]:
        return list(self.runs or self.results)

    @property
    def signature(self) -> str:
        return f"{signed(self.results, self.found)} | sort={self.sorted_by}"

    @property
    def sorted_by(self) -> str:
        return f"{self.sort}.{self.score}"

    @property
    def column(self) -> int:
        """The number of the score that decides ranks in the arrays of the comparison."""
        return SCORES.index(self.score)

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """The best and the worst rank of each system, in the order of the results: 1 more than the number of systems
        that were shown to be better, and the number of those that were not shown to be worse, with itself."""
        better = self.found.better(0, self.column)
        best, worst = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
        return list(zip(best.tolist(), worst.tolist(), strict=True))

    def rank(self, system: int) -> str:
        """Return the range of ranks of a system: ``2``, or ``1-3``."""
        return "-".join(map(str, dict.fromkeys(self.ranges[system])))

    @property
    def baseline(self) -> str | None:
        """The name of the system that the others were tested against, if not all pairs were."""
        return self.found.method.baseline

    def _test(self, system: int) -> tuple[float | None, str | None]:
        """Return the p of a system against the baseline, and the verdict."""
        base = self.found.sample.baseline
        number = None if base is None else self.found.pair_number(system, base)
        if number is None:
            return None, None
        p = float(self.found.corrected[number, 0, self.column])
        return p, VERDICTS[self.found.differ(number, 0, self.column)]

    @cached_property
    def groups(self) -> dict[str, list[Scores]]:
        """The scores of all systems on each group of documents; empty without groups."""
        return on_groups(self.results, self.found.method.by)

    @cached_property
    def undecided(self) -> list[tuple[str, str]]:
        """The pairs of systems for which no test could have shown a difference: too few differing units or trials."""
        pairs = self.found.undecided(0, self.column)
        return [(self.names[first], self.names[second]) for first, second in pairs]

    @property
    def tables(self) -> Sequence[Table]:
        heading = sort_heading(self.sort, self.score)
        scores = scored_columns(self.table.measures)
        columns = [
            *(Column(name, name, COUNT) for name in ("best", "worst")),
            SYSTEM,
            *(Column(f"{measure}_{score}", sort_heading(measure, score), PERCENT) for measure, score in scores),
            Column("low", f"{heading} low", PERCENT),
            Column("high", f"{heading} high", PERCENT),
            *[Column("spread", f"{heading} spread", PERCENT)] * (self.runs is not None),
            _P,
            VERDICT,
            *(Column(f"{self.sort}_{self.score}@{group}", group, PERCENT) for group in self.groups),
            Column("reason", "not scored because"),
        ]
        rows: list[list[Any]] = []
        for system in self.order:
            ends = [*(self.interval(system) or (None, None)), *self._spread(system)]
            rest = [*ends, *self._test(system), *self._by_group(system), None]
            rows.append([*self.ranges[system], self.names[system], *self._scores(system), *rest])
        empty = [None] * (len(columns) - 4)
        rows += [[None, None, name, *empty, reason] for name, reason in self.unscored.items()]
        texts = fidelities(self.results, list(self.results))
        return [Table("ranking", columns, rows), *self._agreement(self.names), *texts]

    @cached_property
    def agreement(self) -> list[dict[str, Any]]:
        """How far the orders of each two measures agree, and the pairs of systems on which their verdicts differ; empty
        if that was not asked for."""
        if self.every is None:
            return []
        measures, columns, method = list(self.every.sample.measures), self._deciding(self.every), self.every.method
        pairs = list(combinations(range(len(measures)), 2))
        found = []
        for (first, second), numbers in zip(
            pairs, taus(self.every.sample, pairs, method.seed, method.confidence).tolist(), strict=True
        ):
            signs = [self.every.better(m, columns[m]) for m in (first, second)]
            apart = np.argwhere(np.triu((signs[0] != signs[1]) | (signs[0] != signs[1]).T, 1)).tolist()
            tau, low, high = map(known, numbers)
            names = {"measure": measures[first], "against": measures[second]}
            verdicts = [[self.names[system] for system in pair] for pair in apart]
            found.append({**names, "tau": tau, "low": low, "high": high, "verdicts_differ": verdicts})
        return found

    @staticmethod
    def _deciding(every: Compared) -> list[int]:
        return [SCORES.index(deciding(scores)) for scores in asked(every.sample.measures).values()]

    def _agreement(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield the agreement of measures, and the verdicts of all measures on pairs on which two of them differ;
        ``names`` are the names of the systems.
        """
        if self.every is None:
            return
        columns = MEASURE, AGAINST, *(Column(name, name, RATIO) for name in ("tau", "low", "high"))
        count = Column("verdicts_differ", "verdicts differ", COUNT)
        numbers = [[*list(row.values())[:5], len(row["verdicts_differ"])] for row in self.agreement]
        yield Table("agreement of measures", [*columns, count], numbers)
        better = [self.every.better(m, c) for m, c in enumerate(self._deciding(self.every))]
        rows = []
        for first, second in combinations(self.order, 2):
            signs = [">" if each[first, second] else "<" if each[second, first] else "." for each in better]
            if len(set(signs)) > 1:
                rows.append([names[first], names[second], *signs])
        of_measures = (Column(f"{measure}_verdict", measure) for measure in self.every.sample.measures)
        yield Table("verdicts that differ", [SYSTEM, AGAINST, *of_measures], rows)

    def _scores(self, system: int) -> list[float | None]:
        """Return the scores of a system in the columns of the tables."""
        measures = list(self.table.measures)
        columns = scored_columns(self.table.measures)
        return [known(self.table.shown[system, measures.index(m), SCORES.index(c)]) for m, c in columns]

    def _data(self, system: int) -> dict[str, dict[str, float]]:
        """Return the scores of a system by measure and score, as data."""
        observed = self.table.observed[system]
        return by_score(self.table.measures, lambda m, c: known(observed[m, c]))

    def _by_group(self, system: int) -> list[float | None]:
        """Return the score that decides ranks on each group; empty without groups."""
        if not self.groups:
            return []
        result, deciding = self.results[self.names[system]], (self.sort, self.score)
        groups = [scores[system] for scores in self.groups.values()]
        return [
            None if deciding in result.uncounted(scores) else known(getattr(scores[self.sort], self.score))
            for scores in groups
        ]

    @property
    def readable(self) -> Sequence[Table]:
        """The ranking with as many columns as fit: first the score that decides, then the F1 of other measures, then
        recall and precision; and a table of the scores on each group of documents."""
        names, scored = self._short, [self._short[name] for name in self.names]
        return [
            self._with_unscored(self._ranking(names)),
            *self._groups_of(scored),
            *self._agreement(scored),
            *fidelities(self.results, shortened(list(self.results)) if self.runs else scored),
        ]

    @cached_property
    def _short(self) -> Mapping[str, str]:
        """The short names of all systems by name."""
        names = [*self.names, *self.unscored]
        return dict(zip(names, shortened(names), strict=True))

    def _with_unscored(self, table: Table) -> Table:
        """Add a row and a note for each system without scores to a table that begins with ranks and systems."""
        empty = [None] * (len(table.columns) - 2)
        rows = [[None, self._short[name], *empty] for name in self.unscored]
        notes = [f"{self._short[name]} is not ranked: {why}" for name, why in self.unscored.items()]
        return table._replace(rows=[*table.rows, *rows], notes=[*table.notes, *notes])

    def _ranking(self, names: Mapping[str, str]) -> Table:
        """Return the readable ranking; ``names`` are the short names of all systems by name."""
        columns = [
            _RANK,
            SYSTEM,
            *(
                Column(f"{m}.{c}", HEADINGS[c], PERCENT, over=m, score=c, spare=self._spare((m, c)))
                for m, c in scored_columns(self.table.measures)
            ),
            Column("interval", "[low, high]", PERCENT, over=self.sorted_by, spare=3),
            *[Column("spread", "spread", PERCENT, over=self.sorted_by, spare=2)] * (self.runs is not None),
            _P._replace(shown=self.baseline is not None, spare=1),
            VERDICT._replace(shown=self.baseline is not None, spare=2),
        ]
        rows = [
            [
                *(self.rank(system), names[self.names[system]], *self._scores(system)),
                *(self.interval(system), *self._spread(system), *self._test(system)),
            ]
            for system in self.order
        ]
        return Table("ranking", columns, rows)

    def _groups_of(self, names: Sequence[str]) -> list[Table]:
        """Return the score that decides ranks on each group of documents, one row per group; ``names`` are the names of
        the systems. The columns are in the order of the ranks, and the last ones are left out first.
        """
        if not self.groups:
            return []
        systems = [
            Column(f"@{names[system]}", names[system], PERCENT, spare=position, cut=MIDDLE)
            for position, system in enumerate(self.order)
        ]
        scores = zip(*(self._by_group(system) for system in self.order), strict=True)
        rows = [[group, *cells] for group, cells in zip(self.groups, scores, strict=True)]
        return [Table(f"{self.sorted_by} by group", [GROUP, *systems], rows)]

    def _spare(self, scored: Scored) -> int:
        """Return the ``spare`` of the column of a score."""
        if scored == (self.sort, self.score):
            return 0
        measures = list(self.table.measures)
        return 5 + measures.index(scored[0]) if scored[1] == "f1" else len(measures) + 5

    @property
    def paper(self) -> Sequence[Table]:
        measures = self.table.measures
        rank = _RANK, [self.rank(system) for system in self.order]
        tested = {self.sort: 0} if self.sort in measures else {}
        names = [self._short[name] for name in self.names]
        systems = paper_of(
            *(self.results, self.found, self.table, measures),
            tested=tested,
            order=self.order,
            names=names,
            before=[rank],
        )
        return [self._with_unscored(systems), *self._groups_of(names)]

    def interval(self, system: int) -> Interval | None:
        """Return the interval of the score that decides ranks; see `interval_of`."""
        return interval_of(self.found, system, 0, self.column)

    def _spread(self, system: int) -> list[float | None]:
        """Return the standard deviation over the runs of a system, if there are runs."""
        return [] if self.runs is None else [known(self.found.spread[system, 0, self.column])]

    @property
    def legend(self) -> Sequence[str]:
        legend = [*interval_legend(self.found), *runs_legend(self.found)]
        if self.baseline is not None:
            legend.append(f"p, verdict: the test against {self.baseline}, {against(self.found)}")
        if self.every is not None:
            legend.append(
                "tau: Kendall's tau between the orders of two measures, from -1 to 1, with its bootstrap percentiles; "
                "verdicts that differ: > the first system was shown to be better, < worse, . neither"
            )
        return legend

    @property
    def notes(self) -> Sequence[str]:
        by = self.found.method.by
        means = f", the mean over groups of documents by {by}" if by is not None else ""
        means = ", the mean over documents" if self.found.method.average is not None else means
        notes = [
            f"ranked by {self.sorted_by}{means}; rank: from 1 + the number of systems that were shown to be better, to "
            f"the number that were not shown to be worse, at the level {self.found.method.alpha:g}"
        ]
        if self.found.sample.units == 1:
            notes.append("no intervals, and no test can show a difference, since there is only one unit; see --unit")
        undecided = self.undecided
        if undecided and self.found.sample.units > 1:
            pairs = plural(len(self.found.sample.pairs), "pair")
            which = listed([f"{first} and {second}" for first, second in undecided])
            notes.append(
                f"no verdict on {len(undecided)} of {pairs}, whose p could not have been small enough: {which}"
            )
        return notes + notes_on_tests(self.found) + list(notes_on_intervals(self.found))

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/rank.md``."""
        ranked = []
        for system in self.order:
            low, high = self.interval(system) or (None, None)
            groups = {group: scores_of_group[system].to_dict() for group, scores_of_group in self.groups.items()}
            best, worst = self.ranges[system]
            row = {
                "best": best,
                "worst": worst,
                "system": self.names[system],
                "low": low,
                "high": high,
                **({} if self.runs is None else {"spread": self._spread(system)[0]}),
                "scores": self._data(system),
            }
            ranked.append({**row, "groups": groups} if groups else row)
        return {
            **head(
                *("rank", self.signature, {**options(self.results, self.found), "sort": self.sorted_by}), self.notices
            ),
            "units": self.found.sample.units,
            "ranking": ranked,
            "pairs": [
                self._pair(*pair) for pair in combinations(self.order, 2) if self.found.pair_number(*pair) is not None
            ],
            **({} if self.every is None else {"agreement": self.agreement}),
            **runs_data(self.found, self.runs),
            "undecided": [list(pair) for pair in self.undecided],
            "unscored": dict(self.unscored),
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes],
        }

    def _pair(self, first: int, second: int) -> dict[str, Any]:
        """Return the test of a pair, as data; the first is the one of the higher score."""
        number = self.found.pair_number(first, second)
        assert number is not None, "called only for pairs with a test"
        test = number, 0, self.column
        return {
            "system": self.names[first],
            "against": self.names[second],
            "difference": abs(float(self.found.differences[test])),
            "p": float(self.found.tests.p[test]),
            "p_corrected": float(self.found.corrected[test]),
            "differ": self.found.differ(*test),
        }


def rank(
    results: Mapping[str, Result],
    measures: Collection[str],
    *,
    sort: str,
    score: str,
    method: Method,
    unscored: Mapping[str, str] | None = None,
    watch: Watch | None = None,
    notices: Sequence[Noticed] = (),
    agreement: bool = False,
    runs: Mapping[str, Sequence[str]] | None = None,
) -> Ranking:
    """Rank systems by a score of the measure ``sort``: the highest comes first, and equal scores are sorted by name.

    If the method makes groups of documents, scores are means over them.

    With ``agreement``, all measures are tested, to report on what they agree. ``watch`` is called with the share of the
    work done, from 0 to 1. Raises the errors of
    `corefscore.reports.compare.compare`, and `UsageError` if there is nothing to count for the score.
    Source: the rank ranges of the Conference on Machine Translation, such as Bojar et al. 2013, section 3.
    """
    refuse_division(results.values())
    if method.margin is not None:
        raise UsageError("ranks are not about equivalence; give the margin to compare")
    if agreement and runs is not None:
        raise UsageError("--agreement: the agreement of measures is that of single runs; give a run of each system")
    shown = dict(asked(measures))
    shown[sort] = [name for name in SCORES if name == score or name in shown.get(sort, scores_of(sort))]
    whole = sampled(results, shown, method, runs)
    only = whole.only(sort)
    if all(map(math.isnan, only.shown[:, 0, SCORES.index(score)])):
        of = next(iter(results.values())).settings.rules.of
        raise UsageError(f"--of {of}: there is nothing to count for {sort}.{score}; --sort by another score")
    found = compared(only, method, score, watch)
    column = SCORES.index(score)
    observed = found.sample.observed[:, 0, column].tolist()
    names = list(runs or results)
    order = sorted(range(len(names)), key=lambda system: (-observed[system], names[system]))
    every = None
    if agreement:
        first = {measure: [deciding(scores)] for measure, scores in asked(measures).items()}
        every = compared(sampled(results, first, method), method)
    return Ranking(results, unscored or {}, whole, sort, score, found, order, notices, every, runs)
