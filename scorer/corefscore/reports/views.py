"""Systems compared as they are read: differences pair by pair, a matrix of all pairs, and the table of a paper."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from corefscore.metrics import AVERAGE
from corefscore.metrics.counts import SCORES
from corefscore.metrics.measures import HEADINGS, asked
from corefscore.reports.paper import Scored, paper, scored_columns
from corefscore.reports.row import BEST, COUNT, MIDDLE, PERCENT, SAME, Column, Interval, Table, shortened
from corefscore.results import Result
from corefscore.statistics.percent import percent
from corefscore.statistics.significance import TIE, Compared, Sample

PAIRWISE = 4
"""Up to so many systems, each pair is a table of its own; more are a matrix a measure."""

SIGNS = {True: "><", False: "..", None: "??"}
"""What stands in a matrix, by whether two systems differ; then by whether that of the row is better or worse."""

LEGEND = (
    "> the system of the row is better than that of the column, < it is worse, . no difference was shown"
    "{unknown}; differences and recall and precision of all pairs: --format csv"
)


def fidelities(results: Mapping[str, Result], names: Sequence[str]) -> list[Table]:
    """How far the text of each system is that of the key, under these names; no table where no text had to be found."""
    if all(result.fidelity is None for result in results.values()):
        return []
    from corefscore.alignment.text.fidelity import COLUMNS, ratio

    totals = [result.fidelity and result.fidelity.total for result in results.values()]
    columns = [
        Column("system", "system", cut=MIDDLE),
        Column("fidelity", "fidelity", PERCENT),
        *(
            Column(name, name.replace("_", " "), COUNT, shown=any(its and its[name] for its in totals))
            for name in COLUMNS
        ),
    ]
    rows = [
        [name, *([None] * (1 + len(COLUMNS)) if its is None else [ratio(its), *its.values()])]
        for name, its in zip(names, totals, strict=True)
    ]
    return [Table("fidelity of the text", columns, rows)]


def fidelity_data(results: Mapping[str, Result]) -> dict[str, Any]:
    """The same as data: ``fidelity`` by system, for those that have any."""
    found = {name: its.fidelity.to_dict(documents=False) for name, its in results.items() if its.fidelity is not None}
    return {"fidelity": found} if found else {}


def fidelity_note(results: Mapping[str, Result]) -> list[str]:
    """The same in a sentence."""
    found = [f"{name} {percent(its['fidelity'])} %" for name, its in fidelity_data(results).get("fidelity", {}).items()]
    return [f"fidelity of the text: {', '.join(found)}"] if found else []


def pairwise(differences: Table, names: Sequence[str]) -> Iterator[Table]:
    """A table for each pair of systems, from the table of all differences."""
    short = dict(zip(names, shortened(names), strict=True))
    at = {column.name: place for place, column in enumerate(differences.columns)}
    system, against = at["system"], at["against"]
    spared = ("smallest_p", "units_differing", "difference_low", "difference_high")
    spare = {name: len(spared) - place for place, name in enumerate(spared)}
    kept = [place for place in range(len(differences.columns)) if place not in (system, against)]
    columns = [
        differences.columns[place]._replace(spare=spare.get(differences.columns[place].name, 0)) for place in kept
    ]
    for pair in dict.fromkeys((row[system], row[against]) for row in differences.rows):
        rows = [[row[place] for place in kept] for row in differences.rows if (row[system], row[against]) == pair]
        yield Table(f"{short[pair[0]]} - {short[pair[1]]}", columns, rows)


def matrices(found: Compared, names: Sequence[str]) -> Iterator[Table]:
    """For each measure which systems differ in its F1, or in the first score asked for; the best first."""
    measures, unknown = asked(found.sample.measures), ""
    for m, (measure, scores) in enumerate(measures.items()):
        c = SCORES.index("f1" if "f1" in scores else scores[0])
        order = sorted(range(len(names)), key=lambda s, m=m, c=c: (-found.sample.observed[s, m, c], names[s]))  # type: ignore[misc]
        rows = [list(_matrix_row(found, names, order, place, (m, c))) for place in range(len(order))]
        unknown = ", ? no test could have shown one" if any("?" in row[-1] for row in rows) else unknown
        legend = [LEGEND.format(unknown=unknown)] if m + 1 == len(measures) else []
        columns = _matrix_columns(scores, SCORES[c], len(order))
        yield Table(f"{measure} {HEADINGS[SCORES[c]]}", columns, rows, {}, legend)


def _matrix_columns(scores: Sequence[str], score: str, systems: int) -> list[Column]:
    numbers = range(1, systems + 1)
    tens = " ".join(str(number // 10 % 10) if number > 9 else " " for number in numbers).rstrip()
    return [
        Column("number", "", COUNT),
        Column("system", "system", cut=MIDDLE),
        *(Column(each, HEADINGS[each], PERCENT, score=each, spare=2 * (each != score)) for each in scores),
        Column("interval", "[low, high]", PERCENT, spare=1),
        Column("against", " ".join(str(number % 10) for number in numbers), over=tens),
    ]


def _matrix_row(
    found: Compared, names: Sequence[str], order: Sequence[int], place: int, at: tuple[int, int]
) -> Iterator[Any]:
    system, (m, c) = order[place], at
    yield from (place + 1, shortened(names)[system])
    for score in list(asked(found.sample.measures).values())[m]:
        yield known(found.sample.shown[system, m, SCORES.index(score)])
    yield None if math.isnan(found.sample.shown[system, m, c]) else Interval(*map(float, found.ends[system, m, c]))
    yield " ".join(
        " " if other == system else SIGNS[_differ(found, system, other, m, c)][place > column]
        for column, other in enumerate(order)
    )


def _differ(found: Compared, one: int, other: int, m: int, c: int) -> bool | None:
    return found.differ(found.pair_numbers[min(one, other), max(one, other)], m, c)


def _marks(
    sample: Sample, found: Compared, measures: Collection[str], *, tested: Mapping[str, int], order: Sequence[int]
) -> dict[tuple[int, Scored], str]:
    """The marks of a paper's table: the best system of each score; and where the measure was ``tested`` (its place
    among the tests), those that do not differ from it. Empty cells have none. ``sample`` has the scores, ``order`` are
    the systems in the order of the rows."""
    marks: dict[tuple[int, Scored], str] = {}
    if len(order) < 2:
        return marks
    places = list(measures)
    for each in scored_columns(measures):
        m, c = places.index(each[0]), SCORES.index(each[1])
        observed, shown = sample.observed[:, m, c], sample.shown[:, m, c]
        best = max(order, key=observed.__getitem__)
        for row, system in enumerate(order):
            if math.isnan(shown[system]):
                continue
            if observed[best] - observed[system] <= TIE:
                marks[row, each] = BEST
            elif each[0] in tested and _differ(found, best, system, tested[each[0]], c) is not True:
                marks[row, each] = SAME
    return marks


def paper_of(
    results: Mapping[str, Result],
    found: Compared,
    sample: Sample,
    measures: Collection[str],
    *,
    tested: Mapping[str, int],
    order: Sequence[int],
    before: Iterable[tuple[Column, Sequence[Any]]] = (),
) -> Table:
    """Systems as a paper prints them; ``before`` are columns in front of their names, with a cell for each row."""
    names, fronts, places = shortened(list(results)), list(before), list(measures)
    marks = _marks(sample, found, measures, tested=tested, order=order)
    rows: list[tuple[list[Any], dict[Scored, Any]]] = [
        (
            [*(cells[row] for _, cells in fronts), names[system]],
            {
                each: known(sample.shown[system, places.index(each[0]), SCORES.index(each[1])])
                for each in scored_columns(measures)
            },
        )
        for row, system in enumerate(order)
    ]
    legend = []
    if marks:
        which = "" if set(tested) >= set(measures) else f" in {', '.join(tested)}"
        legend.append(
            f"bold: the best of its column; †: not shown to differ from the best{which} at the level "
            f"{found.method.alpha:g}"
        )
    legend += fidelity_note(results)
    columns = [*(column for column, _ in fronts), Column("system", "system", cut=MIDDLE)]
    metrics = next(iter(results.values())).metrics
    return paper(metrics, measures, before=columns, rows=rows, marks=marks, notes=legend)


def known(value: float) -> float | None:
    """A number, or None for what is not there (NaN)."""
    return None if math.isnan(value) else float(value)


def sort_heading(measure: str, score: str) -> str:
    """``lea F1``, and ``conll`` for the F1 of the CoNLL average."""
    return AVERAGE if (measure, score) == (AVERAGE, "f1") else f"{measure} {HEADINGS[score]}"
