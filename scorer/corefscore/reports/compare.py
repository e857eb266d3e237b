"""The report of a comparison: scores with intervals, differences with tests, and notes on how they were computed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import attrgetter
from typing import Any

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.documents import is_within
from corefscore.core.errors import NAMES_SHOWN, InputError, UsageError, suggested
from corefscore.core.findings import Finding, Noticed, plural
from corefscore.metrics import HEADINGS, asked
from corefscore.metrics.base import SCORES
from corefscore.reports.base import (
    CHANCE,
    COUNT,
    MEASURE,
    PAIR,
    PERCENT,
    SYSTEM,
    VERDICT,
    Column,
    Interval,
    Reported,
    Table,
    head,
    known,
    shortened,
)
from corefscore.reports.datasets import TEST_STATISTICS, VERDICTS, OnDatasets, Statistic
from corefscore.reports.score import Intervals
from corefscore.reports.system_tables import (
    PAIRWISE,
    by_score,
    fidelities,
    fidelity_data,
    interval_of,
    matrices,
    pairwise,
    paper_of,
)
from corefscore.scoring.results import Result, refuse_division
from corefscore.statistics.datasets import on_each
from corefscore.statistics.intervals import NAME as INTERVAL
from corefscore.statistics.significance import Compared, Method, Sample, Watch, compared
from corefscore.statistics.units import UNITS, sample

_FEW = 20
"""With fewer units, a note says how small p can be."""

_SHORT = 5
"""With fewer units, or fewer units that differ, intervals are too short (``docs/background/statistics.md``)."""

_DOMINANT = 0.5
"""If one unit has a larger share of the key, a note gives the share."""

_HOLM = "corrected by Holm's method"

_EQUIVALENT = {True: "equivalent", False: "not shown", None: None}
"""The words for a test of equivalence; None if it was not made."""

_OF_TESTS = ("test", "correction", "alpha", "trials", "seed")
"""The options of a `Method` that change no number if there is only one system."""

PAIR_STATISTICS = (
    Statistic("difference", Column("difference", "difference", PERCENT), attrgetter("differences")),
    Statistic("low", Column("difference_low", "low", PERCENT, spare=2), lambda found: found.difference_ends[..., 0]),
    Statistic("high", Column("difference_high", "high", PERCENT, spare=1), lambda found: found.difference_ends[..., 1]),
    *TEST_STATISTICS,
    Statistic("shown_from", Column("shown_from", "80% from", PERCENT, spare=3), attrgetter("shown_from")),
    Statistic("units_needed", Column("units_needed", "needs", COUNT, spare=4), attrgetter("units_needed")),
    Statistic("p_equivalent", Column("p_equivalent", "p (equal)", CHANCE), attrgetter("p_equivalent")),
    Statistic("exact", None, attrgetter("tests.exact")),
)
"""The statistics of the difference of two systems, in the order of tables and data."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Reported):
    """The report of `compare`: ``results`` by the name of the system, all with the same key, and the comparison
    ``found``; with groups of documents, also the comparison on each of them (``datasets``). ``notices`` are about the
    key and the systems. If systems have several ``runs``, whose names these are, the results are those of the runs."""

    results: Mapping[str, Result]
    measures: Collection[str]
    found: Compared
    datasets: OnDatasets | None = None
    notices: Sequence[Noticed] = ()
    runs: Mapping[str, Sequence[str]] | None = None

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.names)} in {', '.join(self.measures)}>"

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.runs or self.results)

    @property
    def signature(self) -> str:
        return signed(self.results, self.found)

    @cached_property
    def tables(self) -> Sequence[Table]:
        texts = fidelities(self.results, list(self.results))
        groups = [] if self.datasets is None else self.datasets.tables
        return [self._scores(), self._differences(), *groups, *texts]

    @cached_property
    def readable(self) -> Sequence[Table]:
        """The scores and a table for each pair; with more than `PAIRWISE` systems, a matrix for each measure."""
        names = self.names
        texts = fidelities(self.results, shortened(list(self.results)))
        if len(names) > PAIRWISE:
            means = [] if self.runs is None else [self._scores(shortened(names))]
            return [*means, *matrices(self.found, names), *self._on_groups, *texts]
        return [self._scores(shortened(names)), *texts, *pairwise(self._differences(), names), *self._on_groups]

    @property
    def _on_groups(self) -> Sequence[Table]:
        """The readable tables of groups, if there are any: of each of a few pairs of systems, and of all."""
        if self.datasets is None:
            return []
        names = self.names
        pairs = self.datasets.pairs(names) if len(names) <= PAIRWISE else ()
        return [*pairs, self.datasets.sums(shortened(names))]

    @cached_property
    def paper(self) -> Sequence[Table]:
        """A row for each system, and the tables of groups; a single system has a second row with its intervals."""
        order, tested = range(len(self.names)), {name: index for index, name in enumerate(self.measures)}
        names = shortened(self.names)
        table = paper_of(
            *(self.results, self.found, self.found.sample, self.measures), tested=tested, order=order, names=names
        )
        if len(order) > 1:
            return [table, *self._on_groups]
        ends = {f"{m}.{c}": end for m, by_score in _ends(self.found).items() for c, end in by_score.items()}
        row = [ends.get(column.name) for column in table.columns]
        return [table._replace(rows=[*table.rows, row], notes=self.legend)]

    def _scores(self, names: Sequence[str] = ()) -> Table:
        """Return the scores of all systems, under ``names`` if they are given."""
        columns, has_runs = [MEASURE, SYSTEM], self.runs is not None
        asked_for = {score for scores in asked(self.measures).values() for score in scores}
        for score, heading in HEADINGS.items():
            shown, spare = score in asked_for, score != "f1"
            columns.append(Column(score, heading, PERCENT, shown, score=score, spare=spare))
            ends = [Column(f"{score}_{end}", end, PERCENT, shown, score=score) for end in Interval._fields]
            columns += [end._replace(spare=2 * spare) for end in ends]
            columns += [Column(f"{score}_spread", "spread", PERCENT, shown, score=score, spare=2 * spare)] * has_runs
        rows = []
        for m, measure in enumerate(self.measures):
            for s, name in enumerate(names or self.names):
                row: list[Any] = [measure, name]
                for c in range(len(SCORES)):
                    value = known(self.found.sample.shown[s, m, c])
                    row += [None] * 3 if value is None else [value, *map(known, self.found.ends[s, m, c])]
                    row += [known(self.found.spread[s, m, c])] if has_runs else []
                rows.append(row)
        return Table("scores", columns, rows)

    def _differences(self) -> Table:
        """Return the difference of each pair in each score, with its test."""
        hidden = {"smallest_p"} if self.found.family > 1 else {"smallest_p", "p_corrected"}
        hidden |= set() if self.found.method.margin is not None else {"p_equivalent", "equivalent"}
        hidden |= set() if self.runs is None else {"smallest_p", "units_needed"}
        columns = (
            *PAIR,
            *(each.column._replace(shown=each.name not in hidden) for each in PAIR_STATISTICS if each.column),
            VERDICT,
            Column("equivalent", "equal", shown="equivalent" not in hidden),
        )
        names = self.names
        rows = []
        for m, measure in enumerate(self.measures):
            for c, score in enumerate(SCORES):
                for pair, (first, second) in enumerate(self.found.sample.pairs):
                    test = self._difference(pair, m, c)
                    if test is not None:
                        numbers = [test[each.name] for each in PAIR_STATISTICS if each.column]
                        verdicts = VERDICTS[test["differ"]], _EQUIVALENT[test["equivalent"]]
                        rows.append([measure, HEADINGS[score], names[first], names[second], *numbers, *verdicts])
        return Table("differences", columns, rows)

    def _difference(self, pair: int, m: int, c: int) -> dict[str, Any] | None:
        """Return the difference of a pair in a score, as data; None if the measure has no such score."""
        if math.isnan(self.found.tests.p[pair, m, c]):
            return None
        values = {each.name: each.of(self.found, (pair, m, c)) for each in PAIR_STATISTICS}
        p = values["p_equivalent"]
        within = None if p is None else p <= self.found.method.alpha
        return {**values, "differ": self.found.differ(pair, m, c), "equivalent": within}

    @property
    def legend(self) -> Sequence[str]:
        method = self.found.method
        verdict = (
            f"verdict: at the level {method.alpha:g}; units: number of units in which the two differ; 80% from: the "
            "smallest difference that this number of units shows with a probability of 80%"
        )
        if self.runs is None:
            verdict += "; needs: the number of units that show the observed difference with this probability"
        legend = [*interval_legend(self.found, differences=self.found.together), *runs_legend(self.found)]
        if method.margin is not None:
            verdict += (
                f"; p (equal): that the two are {100 * method.margin:g} points or more apart (two one-sided t tests)"
            )
        return [*legend, verdict] if self.found.sample.pairs else legend

    @property
    def notes(self) -> Sequence[str]:
        on_units, *on_tests = notes_on_tests(self.found)
        notes = (
            [on_units, *on_tests, *self._undecided(), *self._contradictions()]
            if self.found.sample.pairs
            else [on_units]
        )
        return [*notes, *notes_on_intervals(self.found), *self._notes_on_groups()]

    def _notes_on_groups(self) -> Iterator[str]:
        """Yield notes on groups of documents."""
        if self.found.method.by is not None:
            yield f"scores are means over {plural(len(self.found.sample.groups), 'group')} by {self.found.method.by}"

    def _contradictions(self) -> Iterator[str]:
        """Yield a note on differences whose intervals seem to contradict their verdicts."""
        found = self.found
        apart = (found.difference_ends[..., 0] > 0) | (found.difference_ends[..., 1] < 0)
        shown = found.corrected <= found.method.alpha
        doubtful = int((apart != shown)[found.tested & ~np.isnan(found.errors)].sum())
        if doubtful:
            yield (
                f"{plural(doubtful, 'verdict')} against the interval, which contains 0 although a difference was "
                "shown, or does not although none was: the test decides"
            )

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
            yield f"no verdict in {len(tests)} of {plural(self.found.count, 'test')}: {listed(tests)}"

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/compare.md``."""
        names = self.names
        return {
            **head("compare", self.signature, options(self.results, self.found), self.notices),
            "units": self.found.sample.units,
            "family": self.found.family,
            "tests": self.found.count,
            "systems": {name: self._system(s) for s, name in enumerate(names)},
            "pairs": [
                {"system": names[first], "against": names[second], "measures": self._pair(pair)}
                for pair, (first, second) in enumerate(self.found.sample.pairs)
            ],
            **runs_data(self.found, self.runs),
            **({} if self.datasets is None else self.datasets.to_dict()),
            **fidelity_data(self.results),
            "notes": [*self.legend, *self.notes, *([] if self.datasets is None else [self.datasets.note])],
        }

    def _system(self, s: int) -> dict[str, Any]:
        """Return the scores of a system with their intervals, as data."""

        def value(m: int, c: int) -> dict[str, float | None] | None:
            observed, (low, high) = known(self.found.sample.observed[s, m, c]), map(known, self.found.ends[s, m, c])
            spread = {} if self.runs is None else {"spread": known(self.found.spread[s, m, c])}
            return None if observed is None else {"value": observed, "low": low, "high": high, **spread}

        return by_score(self.measures, value)

    def _pair(self, pair: int) -> dict[str, Any]:
        """Return the differences of a pair by measure and score, as data."""
        return by_score(self.measures, partial(self._difference, pair))


def compare(
    results: Mapping[str, Result],
    measures: Collection[str],
    method: Method,
    watch: Watch | None = None,
    notices: Sequence[Noticed] = (),
    *,
    runs: Mapping[str, Sequence[str]] | None = None,
) -> Comparison:
    """Compare systems, given as results by name, with the ``notices`` about them; ``watch`` is called with the share of
    the work done, from 0 to 1. ``runs`` are the names of the runs of each system, if there are several.

    Raises `InputError` if there is only one unit, and `UsageError` for invalid units and for results that are divided
    into kinds of mentions.
    """
    refuse_division(results.values())
    return replace(_comparison(results, measures, method, watch, runs), notices=notices, runs=runs)


def _comparison(
    results: Mapping[str, Result],
    measures: Collection[str],
    method: Method,
    watch: Watch | None = None,
    runs: Mapping[str, Sequence[str]] | None = None,
) -> Comparison:
    """Return the comparison of one or more systems."""
    units = sampled(results, measures, method, runs)
    if units.units == 1:
        first = next(iter(results.values()))
        details = {"unit": method.unit, "documents": len(first.names)}
        raise InputError([Finding("one-unit", first.files[0] if first.files else "key", details=details)])
    comparison = compared(units, method, watch=watch)
    if method.by is None or not units.pairs:
        return Comparison(results, measures, comparison)
    groups = list(dict.fromkeys(next(iter(results.values())).groups(method.by)))
    on_groups = OnDatasets(results, measures, comparison, on_each(units, groups, comparison))
    return Comparison(results, measures, comparison, on_groups)


def intervals(result: Result, method: Method) -> Intervals:
    """Return the intervals of every measure of one response. Raises `InputError` if there is only one unit."""
    alone = _comparison({"": result}, dict.fromkeys(result, SCORES), method)
    ends = _ends(alone.found)
    by_score = {
        measure: {score: interval._asdict() for score, interval in scores.items()} for measure, scores in ends.items()
    }
    data = {"units": alone.found.sample.units, "options": _terms(alone.found), "measures": by_score}
    notes = [*alone.legend, *alone.notes]
    return Intervals(ends, notes, alone.signature, {**data, "notes": notes})


def _ends(found: Compared) -> dict[str, dict[str, Interval]]:
    """Return the intervals of the first system by measure and score."""
    return by_score(found.sample.measures, partial(interval_of, found, 0))


def notes_on_tests(found: Compared) -> list[str]:
    """Return notes on tests: the units, how p is computed and corrected, and whether there are too few units."""
    method, tests, units = found.method, found.tests, found.sample.units
    joined = found.sample.parts is not None
    named = method.unit in UNITS or is_within(method.unit)
    unit = method.unit if named else f"matches of {method.unit}"
    notes = [
        f"unit of resampling: {unit}, {units} in all" + ("; the parts of a document are one unit" if joined else ""),
        f"test: paired approximate randomization, two-sided, {method.trials} trials, seed {method.seed}",
    ]
    if found.sample.runs is not None:
        counts = ", ".join(map(str, found.run_counts.ravel().tolist()))
        notes[-1] = (
            "test: Student's t of the difference of means over runs, two-sided; its error is that over units "
            f"(jackknife) and that over the runs of each system ({counts})"
        )
    if tests.exact.any():
        notes[-1] += f"; exact, by all assignments, up to {method.trials.bit_length() - 1} differing units"
    if method.average is not None:
        notes[0] += f"; scores are means over {method.average}"
    notes += _notes_on_correction(found)
    if found.sample.runs is not None and found.run_counts.min() == 1:
        notes.append("a system with one run counts as if further runs had its score: it stands for this response only")
    if found.sample.runs is None and 1 < units < _FEW:
        notes.append(
            f"only {units} units: even if the systems differ in all of them, p of a randomization test is at least "
            f"{2.0 ** (1 - units):.3g}"
        )
    return notes


def _notes_on_correction(found: Compared) -> Iterator[str]:
    """Yield notes on the number of tests, and on what p is corrected for."""
    method, pairs = found.method, len(found.sample.pairs)
    if method.correction == "holm-all":
        yield f"corrected by Holm's method for all {plural(found.count, 'test')}"
    elif pairs > 1:
        yield f"{against(found)}, within one measure"
    if found.family < found.count:
        chance = method.alpha * found.count / max(1, found.family)
        yield (
            f"{found.count} tests: if all systems were equal, about {chance:.2g} of them would show a difference by "
            "chance; --correction holm-all corrects for all tests"
        )
    needed = method.enough(found.family)
    if found.sample.runs is None and method.trials < needed:
        yield (
            f"{plural(method.trials, 'trial')} are too few for a verdict on {found.family} tests at the level "
            f"{method.alpha:g} unless p is exact; use --trials {needed}"
        )


def against(found: Compared) -> str:
    """Return what p is corrected for, in words."""
    how = {"largest": "corrected by the largest difference of each trial", "none": "not corrected"}
    pairs = plural(len(found.sample.pairs), "pair") + " of systems"
    of = pairs if found.method.baseline is None else f"{pairs} with {found.method.baseline}"
    return f"{how.get(found.method.correction, _HOLM)} for the {of}"


def interval_legend(found: Compared, *, differences: bool = False) -> list[str]:
    """Return the line of a legend about intervals, if there are any; ``differences`` is whether several of them are
    shown.
    """
    if not found.sample.resamplable:
        return []
    level = _percentage(found.method.confidence)
    together = f"; those of differences hold together for all {len(found.sample.pairs)} pairs" if differences else ""
    return [f"low, high: {level} intervals (jackknife, Student's t on a logit scale){together}"]


def sampled(
    results: Mapping[str, Result],
    measures: Collection[str],
    method: Method,
    runs: Mapping[str, Sequence[str]] | None = None,
) -> Sample:
    """Return the sample of systems, or of their ``runs``. Raises `UsageError` for a baseline that is no system, and for
    runs with groups of documents.
    """
    if runs is not None and method.by is not None:
        raise UsageError("--by: several runs of a system are not compared on groups of documents; give a run of each")
    names = list(runs or results)
    if method.baseline not in (None, *names):
        raise UsageError(f"--baseline {method.baseline!r} is no system; {suggested(str(method.baseline), names)}")
    of_runs = None if runs is None else [number for number, its in enumerate(runs.values()) for _ in its]
    averaged = method.average is not None
    units = sample(list(results.values()), measures, method.unit, method.by, averaged=averaged, runs=of_runs)
    return replace(units, baseline=None if method.baseline is None else names.index(method.baseline))


def runs_legend(found: Compared) -> list[str]:
    """Return the line of a legend about runs, if systems have several."""
    if found.sample.runs is None:
        return []
    return [
        "scores of a system with several runs are means over these, and intervals are over units and runs; spread: the "
        "standard deviation over its runs"
    ]


def runs_data(found: Compared, runs: Mapping[str, Sequence[str]] | None) -> dict[str, Any]:
    """Return the scores of each run of each system, if they have several, as data."""
    rows = iter(found.of_runs if runs else ())

    def scores(of_run: Floats) -> dict[str, dict[str, float]]:
        return by_score(found.sample.measures, lambda m, c: known(of_run[m, c]))

    of_systems = {name: {run: scores(next(rows)) for run in its} for name, its in (runs or {}).items()}
    return {"runs": of_systems} if runs else {}


def notes_on_intervals(found: Compared) -> Iterator[str]:
    """Yield notes on intervals: that there are none, or that they may be too short, because there are few units."""
    if not found.sample.resamplable:
        if found.sample.units > 1:
            yield "no intervals, since every group has only one unit, so all resamples are the same; see --unit"
        return
    sizes = np.bincount(found.sample.stratum)
    own = found.sample.shares * len(sizes) * (sizes > 1)[found.sample.stratum, None]
    for measure, share in zip(found.sample.measures, own.max(axis=0).tolist(), strict=True):
        if share > _DOMINANT:
            yield (
                f"one unit has {_percentage(round(share, 2))} of what the recall of {measure} counts in the "
                f"key{' of its group' * (len(sizes) > 1)}: scores are mostly those of this unit, and intervals cannot "
                "be relied on"
            )
    scored = ~np.isnan(found.sample.shown)
    extremes = int(np.isnan(found.ends[..., 0])[scored].sum())
    if extremes:
        rest = 1 - (1 - found.method.confidence) ** (1 / found.sample.units)
        yield (
            f"{plural(extremes, 'score')} of 0 or 100 in every unit, without an interval: with {found.sample.units} "
            f"units and at the level of {_percentage(found.method.confidence)}, fewer than "
            f"{_percentage(round(rest, 3))} of all such units have another score"
        )
    if (sizes < _SHORT).any():
        few_units = f"only {found.sample.units} units"
        if len(sizes) > 1:
            few_units = f"{(sizes < _SHORT).sum()} of {len(sizes)} groups with fewer than {_SHORT} units"
        yield f"{few_units}: they hardly show how much scores vary, and a single unit adds nothing to an interval"
    extreme = int((found.sample.deciding < _SHORT).sum())
    if found.sample.units >= _SHORT and extreme:
        yield (
            f"{plural(extreme, 'system')} with errors, or with anything right, in fewer than {_SHORT} units: their "
            "intervals rest on these units alone, and are too short if a sample has none of them by chance"
        )
    few = found.tests.differing_units[:, found.tested]
    few = few[(few > 0) & (few < _SHORT)]
    if found.sample.units >= _SHORT and len(few):
        yield (
            f"{plural(len(few), 'difference')} with fewer than {_SHORT} differing units: their intervals rest on these "
            "units alone"
        )


def listed(names: Sequence[str]) -> str:
    """Return names in one line; of many names only the first."""
    more = f", and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "; ".join(names[:NAMES_SHOWN]) + more


def _percentage(value: float) -> str:
    """``95%`` for 0.95."""
    return f"{round(value * 100, 10):g}%"


def options(results: Mapping[str, Result], found: Compared) -> dict[str, Any]:
    """Return every option that can change a number of a comparison, as data."""
    return {**next(iter(results.values())).settings.to_dict(), **_terms(found)}


def _terms(found: Compared) -> dict[str, Any]:
    """Return the method of a comparison, with its actual units, number of trials and family of tests."""
    method = found.method.to_dict()
    terms = {"unit": method.pop("unit"), "parts": found.sample.parts, "test": "randomization", **method}
    if found.sample.runs is not None:
        counts = ",".join(map(str, found.run_counts.ravel().tolist()))
        terms = {name: term for name, term in terms.items() if name not in ("trials", "seed")}
        terms |= {"test": "t", "runs": counts}
    if not found.sample.pairs:  # nothing is tested
        return {name: term for name, term in terms.items() if name not in _OF_TESTS} | {"interval": INTERVAL}
    return {**terms, "family": found.family, "interval": INTERVAL}


def signed(results: Mapping[str, Result], found: Compared) -> str:
    """Return the signature of the scores, followed by the terms of the comparison."""
    terms = {**_terms(found), "confidence": _percentage(found.method.confidence)}
    parts = [f"{name}={value}" for name, value in terms.items() if value is not None]
    return " | ".join([next(iter(results.values())).signature, *parts])
