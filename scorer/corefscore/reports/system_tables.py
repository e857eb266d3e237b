"""Readable tables of systems: differences by pair, a matrix of all pairs, and the table of a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from corefscore.core.percent import percent
from corefscore.metrics import AVERAGE, HEADINGS, asked, deciding
from corefscore.metrics.base import SCORES
from corefscore.reports.base import (
    BEST,
    COUNT,
    PERCENT,
    SHOWN,
    SYSTEM,
    Column,
    Interval,
    Scored,
    Table,
    known,
    paper,
    scored_columns,
    shortened,
)
from corefscore.scoring.results import Result, Scores
from corefscore.statistics.significance import TIE, Compared, Sample

_T = TypeVar("_T")

PAIRWISE = 4
"""The largest number of systems for which each pair has its own table; more systems have a matrix per measure."""

_SIGNS = {True: "><", False: "..", None: "??"}
"""The signs of a matrix by whether two systems differ: if the system of the row is better, and if it is worse."""

_LEGEND = (
    "> the system of the row is better than that of the column, < it is worse, . no difference was shown"
    "{unknown}; differences and recall and precision of all pairs: --format csv"
)


def fidelities(results: Mapping[str, Result], names: Sequence[str]) -> list[Table]:
    """Return the fidelity of the text of each system, under ``names``; no table if it is unknown for all systems."""
    if all(result.fidelity is None for result in results.values()):
        return []
    from corefscore.matching.text.fidelity import COLUMNS, ratio

    totals = [result.fidelity and result.fidelity.total for result in results.values()]
    columns = [
        SYSTEM,
        Column("fidelity", "fidelity", PERCENT),
        *(
            Column(name, name.replace("_", " "), COUNT, shown=any(counts and counts[name] for counts in totals))
            for name in COLUMNS
        ),
    ]
    rows = [
        [name, *([None] * (1 + len(COLUMNS)) if counts is None else [ratio(counts), *counts.values()])]
        for name, counts in zip(names, totals, strict=True)
    ]
    return [Table("fidelity of the text", columns, rows)]


def fidelity_data(results: Mapping[str, Result]) -> dict[str, Any]:
    """Return the fidelity of the text of each system for which it is known, as data."""
    by_system = {
        name: result.fidelity.to_dict(documents=False)
        for name, result in results.items()
        if result.fidelity is not None
    }
    return {"fidelity": by_system} if by_system else {}


def _fidelity_note(results: Mapping[str, Result]) -> list[str]:
    """Return a note on the fidelity of the text of each system, if it is known."""
    by_system = fidelity_data(results).get("fidelity", {})
    parts = [f"{name} {percent(fidelity['fidelity'])} %" for name, fidelity in by_system.items()]
    return [f"fidelity of the text: {', '.join(parts)}"] if parts else []


def on_groups(results: Mapping[str, Result], by: str | None) -> dict[str, list[Scores]]:
    """Return the scores of all systems on each group of documents (`Result.by`); empty without a pattern."""
    of_systems = [] if by is None else [result.by(by) for result in results.values()]
    return {group: [scores[group] for scores in of_systems] for group in (of_systems[0] if of_systems else ())}


def by_score(measures: Iterable[str], value: Callable[[int, int], _T | None]) -> dict[str, dict[str, _T]]:
    """Return the values by measure and score, as data; ``value`` takes the numbers of both, and returns None for no
    value.
    """
    return {
        measure: {score: found for c, score in enumerate(SCORES) if (found := value(m, c)) is not None}
        for m, measure in enumerate(measures)
    }


def interval_of(found: Compared, system: int, m: int, c: int) -> Interval | None:
    """Return the interval of a score; None if it has nothing to count, or if every group has only one unit."""
    low, high = map(float, found.ends[system, m, c])
    return None if math.isnan(low + found.sample.shown[system, m, c]) else Interval(low, high)


def pairwise(differences: Table, names: Sequence[str]) -> Iterator[Table]:
    """Yield a table for each pair of systems, from the table of all differences."""
    short = dict(zip(names, shortened(names), strict=True))
    number_of = {column.name: number for number, column in enumerate(differences.columns)}
    system, against = number_of["system"], number_of["against"]
    kept = [number for number in range(len(differences.columns)) if number not in (system, against)]
    columns = [differences.columns[number] for number in kept]
    for pair in dict.fromkeys((row[system], row[against]) for row in differences.rows):
        rows = [[row[number] for number in kept] for row in differences.rows if (row[system], row[against]) == pair]
        yield Table(f"{short[pair[0]]} - {short[pair[1]]}", columns, rows)


def matrices(found: Compared, names: Sequence[str]) -> Iterator[Table]:
    """Yield a matrix per measure of which systems differ in its F1, or in the first score asked for; best system
    first.
    """
    measures, unknown = asked(found.sample.measures), ""
    for m, (measure, scores) in enumerate(measures.items()):
        c = SCORES.index(deciding(scores))
        order = sorted(range(len(names)), key=lambda s, m=m, c=c: (-found.sample.observed[s, m, c], names[s]))  # type: ignore[misc]
        rows = [list(_matrix_row(found, names, order, row, (m, c))) for row in range(len(order))]
        unknown = ", ? no test could have shown one" if any("?" in row[-1] for row in rows) else unknown
        legend = [_LEGEND.format(unknown=unknown)] if m + 1 == len(measures) else []
        columns = _matrix_columns(scores, SCORES[c], len(order))
        yield Table(f"{measure} {HEADINGS[SCORES[c]]}", columns, rows, {}, legend)


def _matrix_columns(scores: Sequence[str], score: str, systems: int) -> list[Column]:
    """Return the columns of a matrix."""
    numbers = range(1, systems + 1)
    tens = " ".join(str(number // 10 % 10) if number > 9 else " " for number in numbers).rstrip()
    return [
        Column("number", "", COUNT),
        SYSTEM,
        *(Column(name, HEADINGS[name], PERCENT, score=name, spare=2 * (name != score)) for name in scores),
        Column("interval", "[low, high]", PERCENT, spare=1),
        Column("against", " ".join(str(number % 10) for number in numbers), over=tens),
    ]


def _matrix_row(
    found: Compared, names: Sequence[str], order: Sequence[int], row: int, measure_and_score: tuple[int, int]
) -> Iterator[Any]:
    """Yield the cells of a row of a matrix."""
    system, (m, c) = order[row], measure_and_score
    yield from (row + 1, shortened(names)[system])
    for score in list(asked(found.sample.measures).values())[m]:
        yield known(found.sample.shown[system, m, SCORES.index(score)])
    yield interval_of(found, system, m, c)
    yield " ".join(
        " " if other == system else _SIGNS[_differ(found, system, other, m, c)][row > column]
        for column, other in enumerate(order)
    )


def _differ(found: Compared, first: int, second: int, m: int, c: int) -> bool | None:
    """Return the verdict on two systems in a score (`Compared.differ`); None if they are not compared."""
    pair = found.pair_number(first, second)
    return None if pair is None else found.differ(pair, m, c)


def _marks(
    sample: Sample, found: Compared, measures: Collection[str], *, tested: Mapping[str, int], order: Sequence[int]
) -> dict[tuple[int, Scored], str]:
    """Return the marks of a table for papers: the best system of each score, and those that were shown to be better
    than the baseline or, without one, than the best of the others.

    ``sample`` has the scores, ``order`` are the systems in the order of the rows, ``tested`` is the number of each
    tested measure among the tests. Empty cells and measures without tests get no mark of the second kind.
    """
    marks: dict[tuple[int, Scored], str] = {}
    if len(order) < 2:
        return marks
    names = list(measures)
    for scored in scored_columns(measures):
        m, c = names.index(scored[0]), SCORES.index(scored[1])
        observed, shown = sample.observed[:, m, c], sample.shown[:, m, c]
        ranked = sorted(order, key=lambda system, observed=observed: -observed[system])  # type: ignore[misc]
        better = found.better(tested[scored[0]], c) if scored[0] in tested else None
        for row, system in enumerate(order):
            if math.isnan(shown[system]):
                continue
            rival = sample.baseline if sample.baseline is not None else ranked[int(system == ranked[0])]
            is_best = BEST if observed[ranked[0]] - observed[system] <= TIE else ""
            marks[row, scored] = is_best + (SHOWN if better is not None and better[system, rival] else "")
    return {place: mark for place, mark in marks.items() if mark}


def paper_of(
    results: Mapping[str, Result],
    found: Compared,
    sample: Sample,
    measures: Collection[str],
    *,
    tested: Mapping[str, int],
    order: Sequence[int],
    names: Sequence[str],
    before: Iterable[tuple[Column, Sequence[Any]]] = (),
) -> Table:
    """Make the table of systems for papers; ``names`` are their short names, and ``before`` are columns before these,
    each with a cell for each row."""
    fronts = list(before)
    marks = _marks(sample, found, measures, tested=tested, order=order)

    def scores(system: int) -> Mapping[str, Mapping[str, float]]:
        return by_score(measures, lambda m, c: known(sample.shown[system, m, c]))

    rows = [([*(cells[row] for _, cells in fronts), names[at]], scores(at)) for row, at in enumerate(order)]
    legend = []
    if marks:
        rival = "the best of the others" if found.method.baseline is None else found.method.baseline
        which = "" if set(tested) >= set(measures) else f" in {', '.join(tested)}"
        legend.append(
            f"bold: the best of its column; †: shown to be better than {rival}{which} at the level "
            f"{found.method.alpha:g}"
        )
    legend += _fidelity_note(results)
    columns = [*(column for column, _ in fronts), SYSTEM]
    metrics = next(iter(results.values())).metrics
    return paper(metrics, measures, before=columns, rows=rows, marks=marks, notes=legend)


def sort_heading(measure: str, score: str) -> str:
    """``lea F1``, and ``conll`` for the F1 of the CoNLL average."""
    return AVERAGE if (measure, score) == (AVERAGE, "f1") else f"{measure} {HEADINGS[score]}"
