"""What the reports on several systems share: names, signature, notes on tests and intervals, and tables for papers."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.documents import UNIT_SOURCES
from corefscore.core.errors import NAMES_SHOWN, UsageError, suggested
from corefscore.core.findings import Noticed, plural
from corefscore.core.percent import percent
from corefscore.core.records import dataclass, field, replace
from corefscore.metrics.base import SCORES
from corefscore.reports.base import (
    BEST,
    SHOWN,
    SYSTEM,
    Column,
    Interval,
    Reported,
    Table,
    head,
    known,
    paper,
    scored_columns,
    shortened,
    tabled,
)
from corefscore.scoring.results import Result, Scores
from corefscore.statistics.intervals import NAME as INTERVAL
from corefscore.statistics.significance import SHORT, TIE, Compared, Method, Sample
from corefscore.statistics.units import UNITS, sample

_T = TypeVar("_T")

_DOMINANT = 0.5
"""If one unit has a larger share of the key, a note gives the share."""

_HOLM = "corrected by Holm's method"

_OF_TESTS = ("test", "correction", "alpha", "trials", "seed")
"""The options of a `Method` that change no number if there is only one system."""


@dataclass(frozen=True, eq=False, repr=False)
class Systems:
    """Systems: their ``results`` by name, all with the same key, and the ``notices`` about the key and the systems. If
    systems have several ``runs``, whose names these are, the results are those of the runs. ``unscored`` are the
    reasons why other systems have no score."""

    results: Mapping[str, Result]
    notices: Sequence[Noticed] = ()
    runs: Mapping[str, Sequence[str]] | None = None
    unscored: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemsReport(Systems, Reported):
    """A report on `Systems`, and their comparison ``found``."""

    found: Compared

    CORRECTED = "tests: {}"
    """The note on corrected p."""

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.runs or self.results)

    @cached_property
    def short(self) -> Mapping[str, str]:
        """The short names of runs and systems."""
        runs, systems = list(self.results), [*self.names, *self.unscored]
        return dict(zip([*runs, *systems], [*shortened(runs), *shortened(systems)], strict=True))

    @cached_property
    def groups(self) -> dict[str, list[Scores]]:
        """The scores of all systems on each group of documents (`Result.by`); empty without groups."""
        by = self.found.method.by
        of_systems = [] if by is None else [result.by(by) for result in self.results.values()]
        return {group: [scores[group] for scores in of_systems] for group in (of_systems[0] if of_systems else ())}

    @property
    def signature(self) -> str:
        """The signature of the scores, followed by the terms of the comparison."""
        terms = {**self.terms, "confidence": _percentage(self.found.method.confidence)}
        parts = [f"{name}={value}" for name, value in terms.items() if value is not None]
        return " | ".join([self._first.signature, *parts])

    @property
    def _first(self) -> Result:
        return next(iter(self.results.values()))

    @property
    def terms(self) -> dict[str, Any]:
        """The method of the comparison, with its actual units, number of trials and family of tests."""
        found, method = self.found, self.found.method.to_dict()
        terms = {"unit": method.pop("unit"), "parts": found.sample.parts, "test": "randomization", **method}
        if found.sample.runs is not None:
            terms = {name: term for name, term in terms.items() if name not in ("trials", "seed")}
            terms |= {"test": "t", "runs": self._run_counts(",")}
        if not found.sample.pairs:  # nothing is tested
            return {name: term for name, term in terms.items() if name not in _OF_TESTS} | {"interval": INTERVAL}
        return {**terms, "family": found.family, "interval": INTERVAL}

    def head(self, command: str, **others: Any) -> dict[str, Any]:
        """Return the first fields of the data, with every option that can change a number."""
        options = {**self._first.settings.to_dict(), **self.terms, **others}
        return {**head(command, self.signature, options, self.notices), "units": self.found.sample.units}

    def _run_counts(self, between: str) -> str:
        """Return the number of runs of each system as text."""
        return between.join(map(str, self.found.run_counts.ravel().tolist()))

    @property
    def runs_data(self) -> dict[str, Any]:
        """The scores of each run of each system, if they have several, as data."""
        if self.runs is None:
            return {}
        rows = (scores_data(self.found.sample.measures, scores) for scores in self.found.of_runs)
        return {"runs": {name: {run: next(rows) for run in runs} for name, runs in self.runs.items()}}

    def best_first(self, m: int, c: int) -> list[int]:
        """Return the numbers of the systems by a score, the highest first, and equal ones by name."""
        observed, names = self.found.sample.observed[:, m, c].tolist(), self.names
        return sorted(range(len(names)), key=lambda system: (-observed[system], names[system]))

    def interval_of(self, system: int, m: int, c: int) -> Interval | None:
        """Return the interval of a score; None if it has nothing to count, or if every group has only one unit."""
        low, high = map(float, self.found.ends[system, m, c])
        return None if math.isnan(low) else Interval(low, high)

    def _legend(self, of_differences: str = "") -> Iterator[str]:
        """Yield the lines about intervals and runs, if there are any; ``of_differences`` ends that about intervals."""
        if self.found.sample.resamplable:
            level = _percentage(self.found.method.confidence)
            yield f"low, high: {level} intervals (jackknife, Student's t on a logit scale){of_differences}"
        if self.runs is not None:
            yield (
                "the scores of a system with several runs are means over its runs, and intervals cover units and runs; "
                "spread: standard deviation over the runs"
            )

    @property
    def note_on_units(self) -> str:
        """The note on the units of resampling."""
        method, sample = self.found.method, self.found.sample
        is_named = method.unit in UNITS or method.unit.startswith(UNIT_SOURCES)
        unit = method.unit if is_named else f"documents with the same match of {method.unit}"
        joined = "; the parts of a document are one unit" if sample.parts is not None else ""
        means = f"; scores are means over {method.average}" if method.average is not None else ""
        return f"unit of resampling: {unit}, {sample.units} in all{joined}{means}"

    @property
    def notes_on_tests(self) -> Iterator[str]:
        """Notes on tests: how p is computed and corrected, and whether there are too few units."""
        found, method, units = self.found, self.found.method, self.found.sample.units
        most = method.trials.bit_length() - 1
        exact = f"; exact (all assignments) if two systems differ in at most {most} units"
        test = f"paired approximate randomization, two-sided, {method.trials} trials, seed {method.seed}"
        if self.runs is not None:
            test = "Student's t of the difference of means over runs, two-sided"
            test += f"; its standard error combines units (jackknife) and runs ({self._run_counts(', ')} per system)"
        yield f"test: {test}{exact if found.tests.exact.any() else ''}"
        yield from self._notes_on_correction()
        if self.runs is not None and found.run_counts.min() == 1:
            yield "for a system with one run, the variation between runs is not known and is taken as 0"
        if self.runs is not None and 2 in found.run_counts:
            yield "two runs say little about how much runs vary: intervals are very wide if the two differ much"
        if self.runs is None and 1 < units <= most:
            yield f"with only {units} units, p of a randomization test is at least {2.0 ** (1 - units):.3g}"

    def _notes_on_correction(self) -> Iterator[str]:
        """Yield notes on the number of tests, and on what p is corrected for."""
        found, method = self.found, self.found.method
        p_is, tested = (self.CORRECTED, "scores") if found.family > 1 else (SystemsReport.CORRECTED, "tests")
        if method.correction == "holm-all":
            yield p_is.format(f"Holm's correction for all {plural(found.count, 'test')}")
        elif len(found.sample.pairs) > 1:
            yield p_is.format(f"{self.corrected}, within one score")
        if found.family < found.count and found.by_chance:
            yield (
                f"{found.count} tests: if all systems were equal, about {found.by_chance:.2g} {tested} would show a "
                "difference by chance; --correction holm-all corrects for all tests"
            )
        needed = method.enough(found.family)
        # With fewer units all assignments are enumerated, and more trials do not make p smaller.
        if method.trials < needed and (found.tests.differing_units[:, found.tested] >= needed.bit_length()).any():
            yield (
                f"{plural(method.trials, 'trial')} are too few for a verdict on {plural(found.family, 'test')} at "
                f"significance level {method.alpha:g}; use --trials {needed}"
            )

    @property
    def corrected(self) -> str:
        """What p is corrected for, in words."""
        how = {"largest": "corrected by Westfall and Young's method", "none": "not corrected"}
        pairs = plural(len(self.found.sample.pairs), "pair") + " of systems"
        method = self.found.method
        of = pairs if method.baseline is None else f"{pairs} with {method.baseline}"
        return f"{how.get(method.correction, _HOLM)} for the {of}"

    @property
    def notes_on_intervals(self) -> Iterator[str]:
        """Notes on intervals: that there are none, or that they may be too short, because there are few units."""
        found = self.found
        if not found.sample.resamplable:
            if found.sample.units > 1:
                yield "no intervals, since every group has only one unit, so all resamples are the same; see --unit"
            return
        sizes = np.bincount(found.sample.stratum)
        own = found.sample.shares * len(sizes) * (sizes > 1)[found.sample.stratum, None]
        for measure, share in zip(found.sample.measures, own.max(axis=(0, 1)).tolist(), strict=True):
            if share > _DOMINANT:
                whole = f"the key{' of its group' * (len(sizes) > 1)}, as {measure} recall counts it"
                part = _percentage(round(share, 3))
                yield f"one unit is {part} of {whole}, so scores and intervals depend mostly on this unit"
        scored = ~np.isnan(found.sample.shown)
        if extremes := int(np.isnan(found.ends[..., 0])[scored].sum()):
            rest = _percentage(round(1 - (1 - found.method.confidence) ** (1 / found.sample.units), 3))
            same = f"{plural(extremes, 'score')} with the same value, 0 or 100, in all {found.sample.units} units"
            sure = f"with {_percentage(found.method.confidence)} confidence"
            yield f"no interval for {same}; {sure}, it differs in fewer than {rest} of the texts these are drawn from"
        if (sizes < SHORT).any():
            few_units = f"there are only {found.sample.units} units"
            if len(sizes) > 1:
                few_units = f"groups with fewer than {SHORT} units: {(sizes < SHORT).sum()} of {len(sizes)}"
            alone = "; a group of one unit adds nothing to the width of intervals" * int(sizes.min() == 1)
            yield f"{few_units}; intervals from so few units are unreliable{alone}"
        for name, rest, of_units in (
            ("system", f"have errors, or fewer than {SHORT} have correct answers", found.sample.deciding_units),
            ("difference", "have different scores", found.tests.differing_units[:, found.tested]),
        ):
            few = int(((of_units > 0) & (of_units < SHORT)).sum())
            if found.sample.units >= SHORT and few:
                yield f"intervals may be too short for {plural(few, name)}: fewer than {SHORT} units {rest}"

    def paper_table(self, sample: Sample, columns: Sequence[Column], systems: Mapping[int, Sequence[Any]]) -> Table:
        """Make the table of systems for papers: rows with the cells of ``columns`` and the scores of ``sample``.

        ``systems`` has the cells of each system by number, in the order of the rows.
        """
        method, measures, tested = self.found.method, sample.measures, self.found.sample.measures
        marks = self._marks(sample, list(systems), len(columns))
        rows = [(cells, scores_data(measures, sample.shown[system])) for system, cells in systems.items()]
        legend = []
        if marks:
            rival = "the best of the others" if method.baseline is None else method.baseline
            which = "" if set(tested) >= set(measures) else f" in {', '.join(tested)}"
            legend.append(
                f"bold: the best of its column; †: better than {rival}{which} at significance level {method.alpha:g}"
            )
        of_texts = fidelity_data(self.results).get("fidelity", {})
        if of_texts:
            parts = [f"{name} {percent(counts['fidelity'])} %" for name, counts in of_texts.items()]
            legend.append(f"fidelity of the text: {', '.join(parts)}")
        return paper(self._first.metrics, measures, before=columns, rows=rows, notes=legend)._replace(marks=marks)

    def _marks(self, sample: Sample, order: Sequence[int], before: int) -> dict[tuple[int, int], str]:
        """Return the marks of a table for papers, whose scores are after ``before`` columns: the best system of each
        score, and those that were shown to be better than the baseline or, without one, than the best of the others.

        Empty cells and measures without tests get no mark of the second kind.
        """
        marks: dict[tuple[int, int], str] = {}
        if len(order) < 2:
            return marks
        names, tested = list(sample.measures), list(self.found.sample.measures)
        for column, (measure, score) in enumerate(scored_columns(sample.measures), start=before):
            m, c = names.index(measure), SCORES.index(score)
            observed, shown = sample.observed[:, m, c], sample.shown[:, m, c]
            ranked = sorted(order, key=lambda system, observed=observed: -observed[system])  # type: ignore[misc]
            better = self.found.better(tested.index(measure), c) if measure in tested else None
            for row, system in enumerate(order):
                if math.isnan(shown[system]):
                    continue
                rival = sample.baseline if sample.baseline is not None else ranked[int(system == ranked[0])]
                is_best = BEST if observed[ranked[0]] - observed[system] <= TIE else ""
                marks[row, column] = is_best + (SHOWN if better is not None and better[system, rival] else "")
        return {place: mark for place, mark in marks.items() if mark}


def _percentage(value: float) -> str:
    """Return ``95%`` for 0.95."""
    return f"{round(value * 100, 10):g}%"


def in_line(names: Sequence[str]) -> str:
    """Return names in one line; of many names only the first."""
    more = f", and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "; ".join(names[:NAMES_SHOWN]) + more


def fidelities(results: Mapping[str, Result]) -> list[Table]:
    """Return the fidelity of the text of each system; no table if it is unknown for all systems."""
    known = fidelity_data(results).get("fidelity", {})
    counted = [name for name in next(iter(known.values()), ()) if name != "fidelity"]
    columns = [SYSTEM, Column("fidelity", "fidelity", "percent")]
    for name in counted:
        shown = any(counts[name] for counts in known.values())
        columns.append(Column(name, name.replace("_", " "), "count", shown=shown))
    rows = [{"system": name, **known.get(name, {})} for name in results]
    return [tabled("fidelity of the text", columns, rows)] if known else []


def fidelity_data(results: Mapping[str, Result]) -> dict[str, Any]:
    """Return the fidelity of the text of each system for which it is known, as data."""
    texts = {name: result.fidelity for name, result in results.items() if result.fidelity is not None}
    by_system = {name: text.to_dict(documents=False) for name, text in texts.items()}
    return {"fidelity": by_system} if by_system else {}


def by_score(measures: Iterable[str], value: Callable[[int, int], _T | None]) -> dict[str, dict[str, _T]]:
    """Return the values by measure and score, as data; ``value`` takes the numbers of both, and returns None for no
    value.
    """
    return {
        measure: {score: found for c, score in enumerate(SCORES) if (found := value(m, c)) is not None}
        for m, measure in enumerate(measures)
    }


def scores_data(measures: Iterable[str], scores: Floats) -> dict[str, dict[str, float]]:
    """Return scores, measures x scores, by measure and score, as data."""
    return by_score(measures, lambda m, c: known(scores[m, c]))


def sampled(systems: Systems, measures: Collection[str], method: Method) -> Sample:
    """Return the sample of systems, or of their runs. Raises `UsageError` for a baseline that is no system, and for
    runs with groups of documents.
    """
    results, runs = systems.results, systems.runs
    if runs is not None and method.by is not None:
        raise UsageError(
            "--by: several runs of a system cannot be compared on groups of documents; give one run of each system"
        )
    names = list(runs or results)
    if method.baseline not in (None, *names):
        raise UsageError(f"--baseline {method.baseline!r}: no such system; {suggested(str(method.baseline), names)}")
    of_runs = None if runs is None else [number for number, its in enumerate(runs.values()) for _ in its]
    averaged = method.average is not None
    units = sample(list(results.values()), measures, method.unit, method.by, averaged=averaged, runs=of_runs)
    return replace(units, baseline=None if method.baseline is None else names.index(method.baseline))
