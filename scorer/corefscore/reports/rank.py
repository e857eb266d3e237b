"""The table of a shared task: systems best first, those that do not differ sharing a rank."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from corefscore.checking.findings import plural
from corefscore.errors import UsageError
from corefscore.metrics.counts import SCORES
from corefscore.metrics.measures import HEADINGS, asked, scores_of
from corefscore.reports.compare import listed, notes_on_intervals, notes_on_tests, options, percentage, signed
from corefscore.reports.paper import Scored, scored_columns
from corefscore.reports.presented import Presented
from corefscore.reports.row import CHANCE, COUNT, MIDDLE, PERCENT, Column, Interval, Table, head, shortened
from corefscore.reports.views import fidelities, fidelity_data, known, paper_of, sort_heading
from corefscore.results import Result, Scores, refuse_division
from corefscore.statistics.significance import Compared, Method, Sample, Watch, compared
from corefscore.statistics.units import sample


class Hidden(NamedTuple):
    """Two systems that share a rank although they differ; the one ahead is ``difference`` better, at the corrected
    ``p``."""

    rank: int
    system: str
    against: str
    difference: float
    p: float


class Decided(NamedTuple):
    """The test that decided the rank of a system: against the first of the group above it, with the corrected ``p``."""

    against: str
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Presented):
    """The report of `rank`.

    ``results`` are those of the systems that were scored, by name; ``unscored`` the reasons of the others.
    ``table`` has the scores of every measure, ``found`` the tests of the one measure ``sort`` alone, of which
    ``score`` counts. ``order`` are the places of the systems, best first, ``ranks`` their ranks.
    """

    results: Mapping[str, Result]
    unscored: Mapping[str, str]
    table: Sample
    sort: str
    score: str
    found: Compared
    order: Sequence[int]
    ranks: Sequence[int]

    def __repr__(self) -> str:
        ranked = (f"{rank} {self.names[system]}" for rank, system in zip(self.ranks, self.order, strict=True))
        return f"<Ranking by {self.sorted_by}: {', '.join(ranked)}>"

    @property
    def names(self) -> list[str]:
        return list(self.results)

    @property
    def signature(self) -> str:
        return f"{signed(next(iter(self.results.values())), self.found)} | sort={self.sorted_by}"

    @property
    def sorted_by(self) -> str:
        return f"{self.sort}.{self.score}"

    @cached_property
    def hidden(self) -> list[Hidden]:
        """Pairs of one rank that differ: going down, only the first of a group is looked at."""
        at = SCORES.index(self.score)
        observed, corrected = self.found.sample.observed[:, 0, at], self.found.corrected[:, 0, at]
        return [
            Hidden(
                rank,
                self.names[better],
                self.names[worse],
                float(observed[better] - observed[worse]),
                float(corrected[_place(self.found, better, worse)]),
            )
            for (better, rank), (worse, its_rank) in combinations(zip(self.order, self.ranks, strict=True), 2)
            if rank == its_rank and _differ(self.found, self.score, better, worse)
        ]

    @cached_property
    def decided(self) -> list[Decided | None]:
        """For each system in order the test that decided its rank; the first had none."""
        at = SCORES.index(self.score)
        found: list[Decided | None] = [None]
        for system, above in zip(self.order[1:], self.ranks, strict=False):
            first = self.order[above - 1]
            p = float(self.found.corrected[_place(self.found, first, system), 0, at])
            found.append(Decided(self.names[first], p))
        return found

    @cached_property
    def groups(self) -> dict[str, list[Scores]]:
        """The scores of each group of documents, those of the systems in their order; nothing without groups."""
        by = self.found.method.by
        its = [] if by is None else [result.by(by) for result in self.results.values()]
        return {group: [scores[group] for scores in its] for group in (its[0] if its else ())}

    @cached_property
    def undecided(self) -> list[tuple[str, str]]:
        """The pairs of systems that no test could have told apart: too few units differ, or trials are too few."""
        return [(self.names[a], self.names[b]) for a, b in self.found.undecided(0, SCORES.index(self.score))]

    @property
    def tables(self) -> Sequence[Table]:
        heading = sort_heading(self.sort, self.score)
        scores = scored_columns(self.table.measures)
        columns = [
            Column("rank", "rank", COUNT),
            Column("system", "system", cut=MIDDLE),
            *(Column(f"{measure}_{score}", sort_heading(measure, score), PERCENT) for measure, score in scores),
            Column("low", f"{heading} low", PERCENT),
            Column("high", f"{heading} high", PERCENT),
            Column("against", "against"),
            Column("p", "p", CHANCE),
            *(Column(f"{self.sort}_{self.score}@{group}", group, PERCENT) for group in self.groups),
            Column("reason", "not scored because"),
        ]
        rows: list[list[Any]] = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            rest = [*self.ends(system), *(test or (None, None)), *self._by_group(system), None]
            rows.append([rank, self.names[system], *self._scores(system), *rest])
        empty = [None] * (len(columns) - 3)
        rows += [[None, name, *empty, reason] for name, reason in self.unscored.items()]
        return [Table("ranking", columns, rows), self._hidden(self.names), *fidelities(self.results, self.names)]

    def _scores(self, system: int) -> list[float | None]:
        """The scores of a system in the columns of the tables."""
        measures = list(self.table.measures)
        each = scored_columns(self.table.measures)
        return [known(self.table.shown[system, measures.index(m), SCORES.index(c)]) for m, c in each]

    def _by_group(self, system: int) -> list[float | None]:
        """The score that ranks, in each group."""
        result, at = self.results[self.names[system]], (self.sort, self.score)
        its = [scores[system] for scores in self.groups.values()]
        return [None if at in result.uncounted(each) else known(getattr(each[self.sort], self.score)) for each in its]

    def _hidden(self, names: Sequence[str]) -> Table:
        columns = (
            Column("rank", "rank", COUNT),
            Column("system", "system", cut=MIDDLE),
            Column("against", "against"),
            Column("difference", "difference", PERCENT),
            Column("p", "p", CHANCE),
        )
        called = dict(zip(self.names, names, strict=True))
        rows = [(rank, called[one], called[other], *rest) for rank, one, other, *rest in self.hidden]
        return Table("differences within a rank", columns, rows)

    @property
    def readable(self) -> Sequence[Table]:
        """The ranking with as many measures as fit: first what ranks, then the F1 of the others in their order, then
        recall and precision; and the systems on each group of documents."""
        every = [*self.names, *self.unscored]
        names = shortened(every)
        columns = [
            Column("rank", "rank", COUNT),
            Column("system", "system", cut=MIDDLE),
            *(
                Column(".".join(each), HEADINGS[each[1]], PERCENT, over=each[0], score=each[1], spare=self._spare(each))
                for each in scored_columns(self.table.measures)
            ),
            Column("interval", "[low, high]", PERCENT, over=self.sorted_by, spare=2),
            Column("p", "p", CHANCE, spare=1),
            Column("against", "against", spare=99),
        ]
        rows: list[list[Any]] = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            low, high = self.ends(system)
            interval = None if low is None or high is None else Interval(low, high)
            against = None if test is None else names[every.index(test.against)]
            cells = [*self._scores(system), interval, test and test.p, against]
            rows.append([rank, names[system], *cells])
        empty = [None] * (len(columns) - 2)
        rows += [[None, name, *empty] for name in names[len(self.names) :]]
        notes = [
            f"{name} is not ranked: {why}"
            for name, why in zip(names[len(self.names) :], self.unscored.values(), strict=True)
        ]
        scored = names[: len(self.names)]
        ranking = Table("ranking", columns, rows, notes=notes)
        return [ranking, *self._groups_of(scored), self._hidden(scored), *fidelities(self.results, scored)]

    def _groups_of(self, names: Sequence[str]) -> list[Table]:
        """The score that ranks on each group of documents, a line for each; the systems, which have these names, stand
        in the order of their ranks, and the last ones are left out first."""
        if not self.groups:
            return []
        systems = [
            Column(f"@{names[system]}", names[system], PERCENT, spare=place, cut=MIDDLE)
            for place, system in enumerate(self.order)
        ]
        scores = zip(*(self._by_group(system) for system in self.order), strict=True)
        rows = [[group, *its] for group, its in zip(self.groups, scores, strict=True)]
        return [Table(f"{self.sorted_by} by group", [Column("group", "group", cut=MIDDLE), *systems], rows)]

    def _spare(self, each: Scored) -> int:
        """How well the column of a score can be spared."""
        if each == (self.sort, self.score):
            return 0
        measures = list(self.table.measures)
        return 5 + measures.index(each[0]) if each[1] == "f1" else 100

    @property
    def paper(self) -> Sequence[Table]:
        measures = self.table.measures
        rank = Column("rank", "rank", COUNT), self.ranks
        tested = {self.sort: 0} if self.sort in measures else {}
        return [
            paper_of(self.results, self.found, self.table, measures, tested=tested, order=self.order, before=[rank])
        ]

    def ends(self, system: int) -> tuple[float | None, float | None]:
        """The interval of the score that ranks; without numbers where there is one unit only."""
        at = SCORES.index(self.score)
        if math.isnan(self.found.sample.shown[system, 0, at]):
            return None, None
        low, high = self.found.ends[system, 0, at]
        return known(low), known(high)

    @property
    def legend(self) -> Sequence[str]:
        legend = []
        if self.found.sample.units > 1:
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
            f"ranked by {self.sorted_by}{means}; a system shares the rank of the first of its group unless the two "
            f"differ at the level {self.found.method.alpha:g}"
        ]
        if self.found.sample.units == 1:
            notes.append("no intervals, and no test can tell systems apart: there is one unit only")
        undecided = self.undecided
        if undecided and self.found.sample.units > 1:
            pairs = plural(len(self.found.sample.pairs), "pair")
            which = listed([f"{one} and {other}" for one, other in undecided])
            notes.append(f"no verdict on {len(undecided)} of {pairs}, which no p could have told apart: {which}")
        return notes + notes_on_tests(self.found) + list(notes_on_intervals(self.found))

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/rank.md``."""
        ranked = []
        for system, rank, test in zip(self.order, self.ranks, self.decided, strict=True):
            low, high = self.ends(system)
            scores = {
                measure: {
                    score: float(self.table.observed[system, m, c])
                    for c, score in enumerate(SCORES)
                    if not math.isnan(self.table.observed[system, m, c])
                }
                for m, measure in enumerate(self.table.measures)
            }
            test_of = {"against": test and test.against, "p": test and test.p}
            groups = {group: its[system].to_dict() for group, its in self.groups.items()}
            its = {"rank": rank, "system": self.names[system], "low": low, "high": high, **test_of, "scores": scores}
            ranked.append({**its, "groups": groups} if groups else its)
        return {
            **head(
                "rank",
                self.signature,
                {**options(next(iter(self.results.values())), self.found), "sort": self.sorted_by},
            ),
            "units": self.found.sample.units,
            "ranking": ranked,
            "hidden": [each._asdict() for each in self.hidden],
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
) -> Ranking:
    """Rank systems by a score of the measure ``sort``, the highest first, those of one score by name.

    Going down, a system shares the rank of the first of the current group when it does not differ from that one
    (see `Compared.differ`), else it opens a group with its own position as rank: 1, 2, 2, 4. Source: the rankings
    of Moosavi and Strube 2016, section 6, table 5. Scores are means over groups where the method has them. ``watch`` is
    told how much of the work is done, from 0 to 1. Raises as `corefscore.reports.compare.compare` does.
    """
    refuse_division(results.values())
    shown = dict(asked(measures))
    shown[sort] = [each for each in SCORES if each == score or each in shown.get(sort, scores_of(sort))]
    averaged = method.average is not None
    whole = sample(list(results.values()), shown, method.unit, method.by, averaged=averaged)
    only = whole.only(sort)
    if all(map(math.isnan, only.shown[:, 0, SCORES.index(score)])):
        of = next(iter(results.values())).settings.rules.of
        raise UsageError(f"--of {of}: there is nothing to count for {sort}.{score}; --sort by another score")
    found = compared(only, method, score, watch)
    observed = found.sample.observed[:, 0, SCORES.index(score)].tolist()
    names = list(results)
    order = sorted(range(len(names)), key=lambda system: (-observed[system], names[system]))
    ranks: list[int] = []
    for position, system in enumerate(order, start=1):
        opens = not ranks or _differ(found, score, order[ranks[-1] - 1], system)
        ranks.append(position if opens else ranks[-1])
    return Ranking(results, unscored or {}, whole, sort, score, found, order, ranks)


def _place(found: Compared, first: int, second: int) -> int:
    """The place of two systems among the pairs."""
    return found.pair_numbers[min(first, second), max(first, second)]


def _differ(found: Compared, score: str, first: int, second: int) -> bool:
    return found.differ(_place(found, first, second), 0, SCORES.index(score)) is True
