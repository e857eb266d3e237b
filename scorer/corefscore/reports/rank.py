"""The ranking of a shared task: the best system comes first, and systems that do not differ share a rank."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from corefscore.core.errors import UsageError
from corefscore.core.findings import Noticed, plural
from corefscore.metrics.counts import SCORES
from corefscore.metrics.measures import HEADINGS, asked, scores_of
from corefscore.reports.base import (
    AGAINST,
    CHANCE,
    COUNT,
    GROUP,
    MIDDLE,
    PERCENT,
    SYSTEM,
    Column,
    Interval,
    Table,
    head,
    known,
    shortened,
)
from corefscore.reports.compare import listed, notes_on_intervals, notes_on_tests, options, percentage, signed
from corefscore.reports.paper import Scored, scored_columns
from corefscore.reports.presented import Presented
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
from corefscore.statistics.significance import Compared, Method, Sample, Watch, compared
from corefscore.statistics.units import sample

RANKED = Column("rank", "rank", COUNT), SYSTEM
P = Column("p", "p", CHANCE)
"""Columns of several tables."""

OF_AGAINST = 99
"""The ``spare`` of the column of systems that others were tested against: it is left out after recall and precision and
before the F1 of any measure."""


class Hidden(NamedTuple):
    """Two systems that share a rank although they differ: ``system`` is better by ``difference`` (from 0 to 1), with
    the corrected ``p``."""

    rank: int
    system: str
    against: str
    difference: float
    p: float


class Decided(NamedTuple):
    """The test that decided the rank of a system: against the first system of its rank or, if it is the first itself,
    of the rank above; with the corrected ``p``. The best system has none."""

    against: str | None = None
    p: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Presented):
    """The report of `rank`.

    ``results`` are the results of the scored systems by name, ``unscored`` the reasons why others have no score.
    ``table`` has the scores of every measure, ``found`` the tests of ``score`` of the measure ``sort``, which decide
    the ranks. ``order`` are the numbers of the systems, best first, and ``ranks`` their ranks in this order.
    ``notices`` are about the key and the systems.
    """

    results: Mapping[str, Result]
    unscored: Mapping[str, str]
    table: Sample
    sort: str
    score: str
    found: Compared
    order: Sequence[int]
    ranks: Sequence[int]
    notices: Sequence[Noticed] = ()

    def __repr__(self) -> str:
        ranked = (f"{rank} {self.names[system]}" for rank, system in zip(self.ranks, self.order, strict=True))
        return f"<Ranking by {self.sorted_by}: {', '.join(ranked)}>"

    @property
    def names(self) -> list[str]:
        return list(self.results)

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
    def hidden(self) -> list[Hidden]:
        """Pairs of systems that share a rank but differ, since a system is compared only with the first of its rank."""
        found, column = self.found, self.column
        hidden = []
        for (better, rank), (worse, rank_of_worse) in combinations(zip(self.order, self.ranks, strict=True), 2):
            pair = found.pair_number(better, worse)
            if rank == rank_of_worse and found.differ(pair, 0, column):
                difference = found.sample.observed[better, 0, column] - found.sample.observed[worse, 0, column]
                p = found.corrected[pair, 0, column]
                hidden.append(Hidden(rank, self.names[better], self.names[worse], float(difference), float(p)))
        return hidden

    @cached_property
    def decided(self) -> list[Decided]:
        """The test that decided the rank of each system, in order."""
        tests = [Decided()]
        for system, rank_above in zip(self.order[1:], self.ranks[:-1], strict=True):
            first = self.order[rank_above - 1]  # a rank is the position of its first system, from 1
            p = float(self.found.corrected[self.found.pair_number(first, system), 0, self.column])
            tests.append(Decided(self.names[first], p))
        return tests

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
            *RANKED,
            *(Column(f"{measure}_{score}", sort_heading(measure, score), PERCENT) for measure, score in scores),
            Column("low", f"{heading} low", PERCENT),
            Column("high", f"{heading} high", PERCENT),
            AGAINST,
            P,
            *(Column(f"{self.sort}_{self.score}@{group}", group, PERCENT) for group in self.groups),
            Column("reason", "not scored because"),
        ]
        rows: list[list[Any]] = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            rest = [*(self.interval(system) or (None, None)), *test, *self._by_group(system), None]
            rows.append([rank, self.names[system], *self._scores(system), *rest])
        empty = [None] * (len(columns) - 3)
        rows += [[None, name, *empty, reason] for name, reason in self.unscored.items()]
        return [Table("ranking", columns, rows), self._hidden(self.names), *fidelities(self.results, self.names)]

    def _scores(self, system: int) -> list[float | None]:
        """The scores of a system in the columns of the tables."""
        measures = list(self.table.measures)
        columns = scored_columns(self.table.measures)
        return [known(self.table.shown[system, measures.index(m), SCORES.index(c)]) for m, c in columns]

    def _data(self, system: int) -> dict[str, dict[str, float]]:
        """The scores of a system by measure and score, as data."""
        observed = self.table.observed[system]
        return by_score(self.table.measures, lambda m, c: known(observed[m, c]))

    def _by_group(self, system: int) -> list[float | None]:
        """The score that decides ranks on each group."""
        result, deciding = self.results[self.names[system]], (self.sort, self.score)
        groups = [scores[system] for scores in self.groups.values()]
        return [
            None if deciding in result.uncounted(scores) else known(getattr(scores[self.sort], self.score))
            for scores in groups
        ]

    def _hidden(self, names: Sequence[str]) -> Table:
        """The pairs of systems that differ within a rank; ``names`` are the names of the systems."""
        columns = *RANKED, AGAINST._replace(cut=""), Column("difference", "difference", PERCENT), P
        shown_names = dict(zip(self.names, names, strict=True))
        rows = [
            (rank, shown_names[system], shown_names[against], *rest) for rank, system, against, *rest in self.hidden
        ]
        return Table("differences within a rank", columns, rows)

    @property
    def readable(self) -> Sequence[Table]:
        """The ranking with as many columns as fit: first the score that decides, then the F1 of other measures, then
        recall and precision; and a table of the scores on each group of documents."""
        names, scored = self._short, [self._short[name] for name in self.names]
        return [
            self._with_unscored(self._ranking(names)),
            *self._groups_of(scored),
            self._hidden(scored),
            *fidelities(self.results, scored),
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
        """The readable ranking; ``names`` are the short names of all systems by name."""
        columns = [
            *RANKED,
            *(
                Column(f"{m}.{c}", HEADINGS[c], PERCENT, over=m, score=c, spare=self._spare((m, c)))
                for m, c in scored_columns(self.table.measures)
            ),
            Column("interval", "[low, high]", PERCENT, over=self.sorted_by, spare=2),
            P._replace(spare=1),
            Column("against", "against", spare=OF_AGAINST),
        ]
        rows: list[list[Any]] = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            against = test.against and names[test.against]
            row = [rank, names[self.names[system]], *self._scores(system), self.interval(system), test.p, against]
            rows.append(row)
        return Table("ranking", columns, rows)

    def _groups_of(self, names: Sequence[str]) -> list[Table]:
        """The score that decides ranks on each group of documents, one row per group; ``names`` are the names of the
        systems. The columns are in the order of the ranks, and the last ones are left out first."""
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
        """The ``spare`` of the column of a score."""
        if scored == (self.sort, self.score):
            return 0
        measures = list(self.table.measures)
        return 5 + measures.index(scored[0]) if scored[1] == "f1" else OF_AGAINST + 1

    @property
    def paper(self) -> Sequence[Table]:
        measures = self.table.measures
        rank = RANKED[0], self.ranks
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
        """The interval of the score that decides ranks; see `interval_of`."""
        return interval_of(self.found, system, 0, self.column)

    @property
    def legend(self) -> Sequence[str]:
        legend = []
        if self.found.sample.resamplable:
            legend.append(
                f"low, high: {percentage(self.found.method.confidence)} interval (bootstrap-t), from "
                f"{self.found.resampled.shape[-1]} bootstrap resamples"
            )
        if len(self.names) > 1:
            legend.append(
                "p: the test that decided the rank, against the first system of the same rank or, for the first of a "
                "rank, of the rank above"
            )
        return legend

    @property
    def notes(self) -> Sequence[str]:
        by = self.found.method.by
        means = f", the mean over groups of documents by {by}" if by is not None else ""
        means = ", the mean over documents" if self.found.method.average is not None else means
        notes = [
            f"ranked by {self.sorted_by}{means}; a system has the rank of the one above unless it differs from the "
            f"first of that rank at the level {self.found.method.alpha:g}"
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
        """What the JSON layout prints; see ``docs/rank.md``."""
        ranked = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            low, high = self.interval(system) or (None, None)
            groups = {group: scores_of_group[system].to_dict() for group, scores_of_group in self.groups.items()}
            row = {
                "rank": rank,
                "system": self.names[system],
                "low": low,
                "high": high,
                **test._asdict(),
                "scores": self._data(system),
            }
            ranked.append({**row, "groups": groups} if groups else row)
        return {
            **head(
                *("rank", self.signature, {**options(self.results, self.found), "sort": self.sorted_by}), self.notices
            ),
            "units": self.found.sample.units,
            "ranking": ranked,
            "hidden": [hidden._asdict() for hidden in self.hidden],
            "undecided": [list(pair) for pair in self.undecided],
            "unscored": dict(self.unscored),
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes],
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
) -> Ranking:
    """Rank systems by a score of the measure ``sort``: the highest comes first, and equal scores are sorted by name.

    From the best system down, each is compared with the first system of the rank above (`Compared.differ`). If they do
    not differ, it has the same rank. Otherwise it is the first of a new rank, which is its position: 1, 2, 2, 4. If the
    method makes groups of documents, scores are means over them.

    ``watch`` is called with the share of the work done, from 0 to 1. Raises the errors of
    `corefscore.reports.compare.compare`, and `UsageError` if there is nothing to count for the score.
    Source: the rankings of Moosavi and Strube 2016, section 6, table 5.
    """
    refuse_division(results.values())
    shown = dict(asked(measures))
    shown[sort] = [name for name in SCORES if name == score or name in shown.get(sort, scores_of(sort))]
    averaged = method.average is not None
    whole = sample(list(results.values()), shown, method.unit, method.by, averaged=averaged)
    only = whole.only(sort)
    if all(map(math.isnan, only.shown[:, 0, SCORES.index(score)])):
        of = next(iter(results.values())).settings.rules.of
        raise UsageError(f"--of {of}: there is nothing to count for {sort}.{score}; --sort by another score")
    found = compared(only, method, score, watch)
    column = SCORES.index(score)
    observed = found.sample.observed[:, 0, column].tolist()
    names = list(results)
    order = sorted(range(len(names)), key=lambda system: (-observed[system], names[system]))
    ranks: list[int] = []
    for position, system in enumerate(order, start=1):
        shares = ranks and not found.differ(found.pair_number(order[ranks[-1] - 1], system), 0, column)
        ranks.append(ranks[-1] if shares else position)
    return Ranking(results, unscored or {}, whole, sort, score, found, order, ranks, notices)
