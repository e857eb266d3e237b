"""The table of a shared task: systems best first, those that do not differ sharing a rank."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from corefscore.counts import SCORES
from corefscore.measures import HEADINGS, asked, scores_of
from corefscore.metrics import AVERAGE
from corefscore.reports.compare import known, notes_on_tests, options, percentage, signed
from corefscore.reports.row import CHANCE, COUNT, PERCENT, Column, Table, head
from corefscore.results import Result
from corefscore.significance import Compared, Method, Sample, compared
from corefscore.units import sample


class Hidden(NamedTuple):
    """Two systems that share a rank although they differ; the one ahead is ``difference`` better, at the corrected
    ``p``."""

    rank: int
    system: str
    against: str
    difference: float
    p: float


@dataclass(frozen=True, eq=False)
class Ranking:
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

    @property
    def names(self) -> list[str]:
        return list(self.results)

    @property
    def signature(self) -> str:
        return f"{signed(next(iter(self.results.values())), self.found.method)} | sort={self.sorted_by}"

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

    @property
    def tables(self) -> Sequence[Table]:
        heading = AVERAGE if self.sort == AVERAGE else f"{self.sort} {HEADINGS[self.score]}"
        columns = [Column("rank", "rank", COUNT), Column("system", "system")]
        shown = [(measure, score) for measure, its in asked(self.table.measures).items() for score in its]
        for measure, score in shown:
            title = measure if measure == AVERAGE else f"{measure} {HEADINGS[score]}"
            columns.append(Column(f"{measure}_{score}", title, PERCENT))
        columns += [
            Column("low", f"{heading} low", PERCENT),
            Column("high", f"{heading} high", PERCENT),
            Column("reason", "not scored because", shown=bool(self.unscored)),
        ]
        rows: list[list[Any]] = []
        for system, rank in zip(self.order, self.ranks, strict=True):
            scores = [
                known(self.table.observed[system, m, c])
                for m, measure in enumerate(self.table.measures)
                for c, score in enumerate(SCORES)
                if (measure, score) in shown
            ]
            rows.append([rank, self.names[system], *scores, *self.ends(system), None])
        empty = [None] * (len(columns) - 3)
        rows += [[None, name, *empty, reason] for name, reason in self.unscored.items()]
        hidden = (
            Column("rank", "rank", COUNT),
            Column("system", "system"),
            Column("against", "against"),
            Column("difference", "difference", PERCENT),
            Column("p", "p", CHANCE),
        )
        return [Table("ranking", columns, rows), Table("differences within a rank", hidden, self.hidden)]

    def ends(self, system: int) -> tuple[float | None, float | None]:
        """The interval of the score that ranks; without numbers where there is one unit only."""
        low, high = self.found.ends[system, 0, SCORES.index(self.score)]
        return known(low), known(high)

    @property
    def notes(self) -> Sequence[str]:
        method = self.found.method
        means = f", the mean over groups of documents by {method.by}" if method.by is not None else ""
        notes = [
            f"ranked by {self.sorted_by}{means}; a system shares the rank of the first of its group unless the two "
            f"differ at the level {method.alpha:g}",
            f"low, high: {percentage(method.confidence)} percentile interval, from {method.trials} bootstrap resamples",
        ]
        if self.found.sample.units == 1:
            notes[-1] = "no intervals, and no test can tell systems apart: there is one unit only"
        return notes + notes_on_tests(self.found)

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/rank.md``."""
        ranked = []
        for system, rank in zip(self.order, self.ranks, strict=True):
            low, high = self.ends(system)
            scores = {
                measure: {
                    score: float(self.table.observed[system, m, c])
                    for c, score in enumerate(SCORES)
                    if not math.isnan(self.table.observed[system, m, c])
                }
                for m, measure in enumerate(self.table.measures)
            }
            ranked.append({"rank": rank, "system": self.names[system], "low": low, "high": high, "scores": scores})
        return {
            **head(
                "rank",
                self.signature,
                {**options(next(iter(self.results.values())), self.found.method), "sort": self.sorted_by},
            ),
            "units": self.found.sample.units,
            "ranking": ranked,
            "hidden": [each._asdict() for each in self.hidden],
            "unscored": dict(self.unscored),
            "notes": list(self.notes),
        }


def rank(
    results: Mapping[str, Result],
    measures: Collection[str],
    *,
    sort: str,
    score: str,
    method: Method,
    unscored: Mapping[str, str] | None = None,
) -> Ranking:
    """Rank systems by a score of the measure ``sort``, the highest first, those of one score by name.

    Going down, a system shares the rank of the first of the current group when it does not differ from that one
    (see `Compared.differ`), else it opens a group with its own position as rank: 1, 2, 2, 4. Source: the rankings
    of Moosavi and Strube 2016, section 6, table 5. Scores are means over groups where the method has them.
    """
    shown = dict(asked(measures))
    shown[sort] = [each for each in scores_of(sort) if each == score or each in shown.get(sort, scores_of(sort))]
    whole = sample(list(results.values()), shown, method.unit, method.by)
    found = compared(whole.only(sort), method)
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
    return found.places[min(first, second), max(first, second)]


def _differ(found: Compared, score: str, first: int, second: int) -> bool:
    return found.differ(_place(found, first, second), 0, SCORES.index(score)) is True
