"""The ranking of a shared task: the best system comes first, each with the range of its possible ranks; and its plot,
which needs matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np

from corefscore.core.arrays import Bools
from corefscore.core.errors import UsageError
from corefscore.core.findings import plural
from corefscore.core.records import dataclass
from corefscore.metrics import HEADINGS, asked, deciding, scores_of
from corefscore.metrics.base import SCORES
from corefscore.reports.base import (
    AGAINST,
    GROUP,
    MEASURE,
    SYSTEM,
    VERDICT,
    Column,
    Interval,
    Scored,
    Table,
    known,
    scored_columns,
    tabled,
)
from corefscore.reports.datasets import VERDICTS
from corefscore.reports.systems import Systems, SystemsReport, fidelities, fidelity_data, in_line, sampled, scores_data
from corefscore.scoring.results import refuse_division
from corefscore.statistics.agreement import taus
from corefscore.statistics.significance import Compared, Method, Sample, Watch, compared

_RANK = Column("rank", "rank", data=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ranking(SystemsReport):
    """The report of `rank`.

    ``found`` has the tests of the measure and score ``sort``, which decide the ranks, ``table`` the scores of every
    measure, and ``every`` the tests of all measures, if their agreement is reported.
    """

    table: Sample
    sort: Scored
    every: Compared | None

    def __repr__(self) -> str:
        ranked = (f"{self.rank(system)} {self.names[system]}" for system in self.order)
        return f"<Ranking by {self.sorted_by}: {', '.join(ranked)}>"

    @property
    def signature(self) -> str:
        return f"{super().signature} | sort={self.sorted_by}"

    @property
    def sorted_by(self) -> str:
        return ".".join(self.sort)

    @property
    def column(self) -> int:
        """The number of the score that decides ranks in the arrays of the comparison."""
        return SCORES.index(self.sort[1])

    @cached_property
    def order(self) -> list[int]:
        """The numbers of the systems, best first."""
        return self.best_first(0, self.column)

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

    def _test(self, system: int) -> dict[str, Any]:
        """Return the p of a system against the baseline, and the verdict; empty without this test."""
        base = self.found.sample.baseline
        if base is None or base == system:
            return {}
        test = self.found.sample.pairs.index((system, base)), 0, self.column
        return {"p": float(self.found.corrected[test]), "verdict": VERDICTS[self.found.differ[test]]}

    @cached_property
    def undecided(self) -> list[tuple[str, str]]:
        """The pairs of systems for which no test could have shown a difference: too few differing units or trials."""
        return [(self.names[first], self.names[second]) for first, second in self.found.undecided(0, self.column)]

    @property
    def tables(self) -> Sequence[Table]:
        return [self._ranking(), *self._agreement(), *fidelities(self.results)]

    @property
    def readable(self) -> Sequence[Table]:
        """The ranking with as many columns as fit: first the score that decides, then the F1 of other measures, then
        recall and precision; and a table of the scores on each group of documents."""
        ranking, *others = self.tables
        return [ranking, *self._by_group(), *others]

    @property
    def paper(self) -> Sequence[Table]:
        systems = {system: [self.rank(system), self.names[system]] for system in self.order}
        table = self.paper_table(self.table, [_RANK, SYSTEM], systems)
        empty = [None] * (len(table.columns) - 2)
        rows = [*table.rows, *([None, name, *empty] for name in self.unscored)]
        return [table._replace(rows=rows, notes=[*table.notes, *self._not_ranked]), *self._by_group()]

    def _ranking(self) -> Table:
        """Return the row of each system, best first, and of those without scores."""
        numbers, over = scored_columns(self.table.measures), self.sorted_by
        columns = [
            _RANK,
            *(Column(name, name, "count", shown=False) for name in ("best", "worst")),
            SYSTEM,
            *(Column(f"{m}_{c}", HEADINGS[c], "percent", over=m, score=c, spare=self._spare(m, c)) for m, c in numbers),
            Column("interval", "[low, high]", "percent", over=over, spare=3, data=False),
            *(Column(end, end, "percent", shown=False) for end in Interval._fields),
            *[Column("spread", "spread", "percent", over=over, spare=2)] * (self.runs is not None),
            Column("p", "p", "chance", shown=self.found.method.baseline is not None, spare=1),
            VERDICT._replace(shown=self.found.method.baseline is not None, spare=2),
            *(Column(f"{'_'.join(self.sort)}@{group}", group, "percent", shown=False) for group in self.groups),
            Column("reason", "not scored because", shown=False),
        ]
        rows = [self._record(system) for system in self.order]
        rows += [{"system": name, "reason": reason} for name, reason in self.unscored.items()]
        return tabled("ranking", columns, rows, self._not_ranked)

    def _record(self, system: int) -> dict[str, Any]:
        """Return the cells of a system by column."""
        scores = scores_data(self.table.measures, self.table.shown[system])
        return {
            "rank": self.rank(system),
            "interval": self.interval_of(system, 0, self.column),
            **self._data(system),
            **{f"{m}_{c}": value for m, by_score in scores.items() for c, value in by_score.items()},
            **self._test(system),
            **{f"{'_'.join(self.sort)}@{group}": value for group, value in self._on_groups(system).items()},
        }

    def _data(self, system: int) -> dict[str, Any]:
        """Return what is known of a system besides scores, as data."""
        best, worst = self.ranges[system]
        low, high = self.interval_of(system, 0, self.column) or (None, None)
        ends = {"best": best, "worst": worst, "system": self.names[system], "low": low, "high": high}
        return ends if self.runs is None else {**ends, "spread": known(self.found.spread[system, 0, self.column])}

    @cached_property
    def agreement(self) -> list[dict[str, Any]]:
        """How far the orders of each two measures agree, and the pairs of systems on which their verdicts differ; empty
        if that was not asked for."""
        if self.every is None:
            return []
        measures, method = list(self.every.sample.measures), self.every.method
        pairs = list(combinations(range(len(measures)), 2))
        numbers = taus(self.every.sample, pairs, method.seed, method.confidence).tolist()
        found, better = [], _better(self.every)
        for (first, second), ends in zip(pairs, numbers, strict=True):
            unlike = better[first] != better[second]
            apart = np.argwhere(np.triu(unlike | unlike.T, 1)).tolist()
            tau, low, high = map(known, ends)
            names = {"measure": measures[first], "against": measures[second]}
            verdicts = [[self.names[system] for system in pair] for pair in apart]
            found.append({**names, "tau": tau, "low": low, "high": high, "verdicts_differ": verdicts})
        return found

    def _agreement(self) -> Iterator[Table]:
        """Yield the agreement of measures, and the verdicts of all measures on pairs on which two of them differ."""
        if self.every is None:
            return
        columns = [MEASURE, Column("against", "against", cut="middle")]
        columns += (Column(name, name, "ratio") for name in ("tau", "low", "high"))
        columns.append(Column("verdicts_differ", "verdicts differ", "count"))
        rows = [{**row, "verdicts_differ": len(row["verdicts_differ"])} for row in self.agreement]
        yield tabled("agreement of measures", columns, rows)
        verdicts, better = [], _better(self.every)
        for first, second in combinations(self.order, 2):
            signs = [">" if each[first, second] else "<" if each[second, first] else "." for each in better]
            if len(set(signs)) > 1:
                verdicts.append([self.names[first], self.names[second], *signs])
        of_measures = (Column(f"{measure}_verdict", measure) for measure in self.every.sample.measures)
        yield Table("verdicts that differ", [SYSTEM, AGAINST, *of_measures], verdicts)

    def _on_groups(self, system: int) -> dict[str, float | None]:
        """Return the score of a system that decides ranks on each group."""
        found, (measure, score) = {}, self.sort
        for group, scores in self.groups.items():
            empty = self.results[self.names[system]].uncounted(scores[system])
            found[group] = None if self.sort in empty else known(getattr(scores[system][measure], score))
        return found

    def _by_group(self) -> list[Table]:
        """Return the score that decides ranks on each group of documents, one row per group. The columns are in the
        order of the ranks, and the last ones are left out first.
        """
        names = [self.short[self.names[system]] for system in self.order]
        columns = [Column(f"@{name}", name, "percent", spare=at, cut="middle") for at, name in enumerate(names)]
        scores = [self._on_groups(system) for system in self.order]
        rows = [[group, *(each[group] for each in scores)] for group in self.groups]
        return [Table(f"{self.sorted_by} by group", [GROUP, *columns], rows)] if rows else []

    def _spare(self, measure: str, score: str) -> int:
        """Return the ``spare`` of the column of a score."""
        if (measure, score) == self.sort:
            return 0
        measures = list(self.table.measures)
        return 5 + measures.index(measure) if score == "f1" else len(measures) + 5

    @property
    def _not_ranked(self) -> list[str]:
        """Notes on the systems without scores."""
        return [f"{self.short[name]} is not ranked: {why}" for name, why in self.unscored.items()]

    @property
    def legend(self) -> Sequence[str]:
        legend = [*self._legend()]
        if self.found.method.baseline is not None:
            corrected = f", {self.corrected}" * (len(self.found.sample.pairs) > 1)
            legend.append(f"p, verdict: the test against {self.found.method.baseline}{corrected}")
        if self.every is not None:
            legend.append(
                "tau: Kendall's tau between the orders of two measures, from -1 to 1; low, high beside it are "
                "bootstrap percentiles; in verdicts that differ: > system was shown to be better than the one against "
                "it, < worse, . neither"
            )
        return legend

    @property
    def notes(self) -> Sequence[str]:
        method, sample = self.found.method, self.found.sample
        means = f", the mean over groups of documents by {method.by}" if method.by is not None else ""
        means = ", the mean over documents" if method.average is not None else means
        allowed = f"the ranks that the tests allow at significance level {method.alpha:g}"
        notes = [f"ranked by {self.sorted_by}{means}; rank: {allowed}"]
        if sample.units == 1:
            notes.append("no intervals, and no test can show a difference, since there is only one unit; see --unit")
        elif self.undecided:
            which = in_line([f"{first} and {second}" for first, second in self.undecided])
            notes.append(
                f"no verdict on {len(self.undecided)} of {plural(len(sample.pairs), 'pair')}, since p cannot "
                f"reach {method.alpha:g}: {which}"
            )
        return [*notes, self.note_on_units, *self.notes_on_tests, *self.notes_on_intervals]

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/rank.md``."""
        ranked = []
        for system in self.order:
            row = {**self._data(system), "scores": scores_data(self.table.measures, self.table.observed[system])}
            groups = {group: scores[system].to_dict() for group, scores in self.groups.items()}
            ranked.append({**row, "groups": groups} if groups else row)
        return {
            **self.head("rank", sort=self.sorted_by),
            "ranking": ranked,
            "pairs": list(self._pairs()),
            **({} if self.every is None else {"agreement": self.agreement}),
            **self.runs_data,
            "undecided": [list(pair) for pair in self.undecided],
            "unscored": dict(self.unscored),
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes],
        }

    def _pairs(self) -> Iterator[dict[str, Any]]:
        """Yield the test of each pair, as data; the first system is the one of the higher score."""
        numbers = {frozenset(pair): number for number, pair in enumerate(self.found.sample.pairs)}
        for pair in combinations(self.order, 2):
            if frozenset(pair) in numbers:
                test = numbers[frozenset(pair)], 0, self.column
                yield {
                    "system": self.names[pair[0]],
                    "against": self.names[pair[1]],
                    "difference": abs(float(self.found.differences[test])),
                    "p": float(self.found.tests.p[test]),
                    "p_corrected": float(self.found.corrected[test]),
                    "differ": self.found.differ[test],
                }


def _better(found: Compared) -> list[Bools]:
    """Return whether each system was shown to be better than each other one, for each measure."""
    return [found.better(m, c) for m, c in enumerate(found.sample.deciding_scores)]


def rank(
    systems: Systems,
    measures: Collection[str],
    sort: Scored,
    method: Method,
    watch: Watch | None = None,
    *,
    agreement: bool = False,
) -> Ranking:
    """Rank systems by the measure and score ``sort``: the highest comes first, and equal scores are sorted by name.

    If the method makes groups of documents, scores are means over them.

    With ``agreement``, all measures are tested, to report on what they agree. ``watch`` is called with the share of the
    work done, from 0 to 1. Raises the errors of
    `corefscore.reports.compare.compare`, and `UsageError` if there is nothing to count for the score.
    Source: the rank ranges of the Conference on Machine Translation, such as Bojar et al. 2013, section 3.
    """
    refuse_division(systems.results.values())
    if method.margin is not None:
        raise UsageError("rank does not test equivalence; use compare with margin")
    if agreement and systems.runs is not None:
        raise UsageError("--agreement compares measures on single runs only; give one run of each system")
    shown, (measure, score) = dict(asked(measures)), sort
    shown[measure] = [name for name in SCORES if name == score or name in shown.get(measure, scores_of(measure))]
    whole = sampled(systems, shown, method)
    only = sampled(systems, {measure: shown[measure]}, method)
    if all(map(math.isnan, only.shown[:, 0, SCORES.index(score)])):
        of = next(iter(systems.results.values())).settings.rules.of
        raise UsageError(f"--of {of}: there is nothing to count for {measure}.{score}; use another score with --sort")
    found = compared(only, method, score, watch)
    every = None
    if agreement:
        first = {measure: [deciding(scores)] for measure, scores in asked(measures).items()}
        every = compared(sampled(systems, first, method), method)
    return Ranking(**vars(systems), found=found, table=whole, sort=sort, every=every)


def plot_format(path: str) -> str:
    """Return the format of a plot by the ending of its file name: png, svg or pdf; empty for any other ending.

    Raises `UsageError` if matplotlib is not installed.
    """
    form = os.path.splitext(path)[1].removeprefix(".").lower()
    if form not in ("png", "svg", "pdf"):
        return ""
    if find_spec("matplotlib") is None:
        raise UsageError("a plot needs matplotlib: pip install matplotlib")
    return form


def drawn(ranking: Ranking, form: str) -> bytes:
    """Return a plot of the systems, best first, each with its score and interval in percent; ``form`` is png, svg or
    pdf.
    """
    from matplotlib.figure import Figure

    scores = [100 * float(ranking.found.sample.observed[system, 0, ranking.column]) for system in ranking.order]
    rows = list(range(len(scores)))
    figure = Figure(figsize=(7, 1.2 + 0.35 * len(scores)), layout="constrained")
    axes = figure.add_subplot()
    ends = [ranking.interval_of(system, 0, ranking.column) or (np.nan, np.nan) for system in ranking.order]
    low, high = 100 * np.transpose(ends)
    # An interval need not contain the score, but the length of a bar cannot be negative.
    bars = np.fmax(0, [scores - low, high - scores])  # 0 for NaN, too
    axes.errorbar(scores, rows, xerr=bars, fmt="o", capsize=3)
    axes.set_yticks(rows, [f"{ranking.rank(system)}  {ranking.names[system]}" for system in ranking.order])
    axes.invert_yaxis()
    axes.set_xlabel(f"{ranking.sorted_by} (%)")
    axes.grid(axis="x", alpha=0.3)
    stream = io.BytesIO()
    figure.savefig(stream, format=form, dpi=150)
    return stream.getvalue()
