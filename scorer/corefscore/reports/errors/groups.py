"""Groups of entities that share mentions, each as a table of its overlaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.findings import plural
from corefscore.reports.base import COUNT, MIDDLE, Column, Table
from corefscore.reports.errors.names import Named
from corefscore.reports.words import Words

MOST, ROWS, COLUMNS = 3, 8, 4
"""The largest number of groups that are shown, and of rows and columns of entities in the table of a group."""


class Group(NamedTuple):
    """A group: its number and document, the F1 from 0 to 1 gained if all its errors are repaired, the sizes of its key
    and response entities in text order, and the number of mentions in each pair of entities; `ABSENT` is the entity of
    mentions that a side lacks."""

    number: int
    document: int
    cost: float
    key: Counter[int]
    response: Counter[int]
    cells: Counter[tuple[int, int]]


def _groups(analysis: Analysis, which: Iterable[int]) -> Iterator[Group]:
    """The groups with these numbers."""
    groups, both = analysis.groups, analysis.both
    members = Members(groups.of, len(groups.document))
    for number in which:
        mentions = members[number]
        key, response = both.key[mentions].tolist(), both.response[mentions].tolist()
        keys, responses = (Counter(entity for entity in side if entity != ABSENT) for side in (key, response))
        cells = Counter(zip(key, response, strict=True))
        yield Group(number, int(groups.document[number]), float(groups.cost[number]), keys, responses, cells)


def group_tables(named: Named, words: Words) -> list[Table]:
    """The tables of the groups that cost most; none for a measure that gives groups no cost."""
    analysis = named.analysis
    if not analysis.measure.additive:
        return []
    order = np.argsort(-analysis.groups.cost, kind="stable").tolist()
    most = [group for group in order if not analysis.groups.perfect[group]][:MOST]
    return [_table(named, words, group) for group in _groups(analysis, most)]


def _table(named: Named, words: Words, group: Group) -> Table:
    """The table of a group: its largest key entities are rows, its largest response entities columns."""
    keys, responses = ([entity for entity, _ in sizes.most_common()] for sizes in (group.key, group.response))
    down, across = (_places(*side) for side in ((keys, ROWS), (responses, COLUMNS)))
    counts: Counter[tuple[int, int]] = Counter()
    for (key, response), count in group.cells.items():
        counts[down[key], across[response]] += count
    more, others = keys[ROWS:], responses[COLUMNS:]
    columns = [
        Column("key_entity", words.key, cut=MIDDLE),
        Column("size", "size", COUNT),
        *(Column(f"response_{entity}", named.response(entity), cut=MIDDLE) for entity in responses[:COLUMNS]),
        *([Column("others", f"{len(others)} more")] if others else []),
        Column("missing", words.missing),
    ]
    shown = list(dict.fromkeys(across.values()))

    def cells(row: int, home: int | None = None) -> list[str]:
        return [f"{counts[row, at] or '.'}{'*' * (at == home)}" for at in shown]

    rows: list[list[Any]] = []
    for row, entity in enumerate(keys[:ROWS]):
        main = int(named.analysis.both.response[named.analysis.errors.key.main[entity]])
        rows.append([named.key(entity), group.key[entity], *cells(row, None if main == ABSENT else across[main])])
    if more:
        rows.append([f"{len(more)} more", sum(group.key[entity] for entity in more), *cells(ROWS)])
    if any(key == ABSENT for key, _ in group.cells):
        rows.append([words.extra, None, *cells(ABSENT)])
    title = (
        f"{named.document(group.document)}, group {group.number + 1}: {plural(len(keys), 'entity')} of "
        f"{words.key} and {len(responses)} of {words.response}; costs {group.cost * 100:.2f}"
    )
    return Table(title, columns, rows)


def _places(entities: Sequence[int], most: int) -> dict[int, int]:
    """The row or column of each entity: the ``most`` largest have one each, and the rest have one together; `ABSENT`
    stays."""
    return {**{entity: min(at, most) for at, entity in enumerate(entities)}, ABSENT: ABSENT}


def group_data(analysis: Analysis) -> list[dict[str, Any]]:
    """All groups with errors, as data."""
    groups = _groups(analysis, np.flatnonzero(~analysis.groups.perfect).tolist())
    return [_data(group, analysis.result.names[group.document]) for group in groups]


def _data(group: Group, document: str) -> dict[str, Any]:
    """Describe a group of entities of a document as data."""
    row, column = ({entity: index for index, entity in enumerate(sizes)} for sizes in (group.key, group.response))
    shared = ((*pair, count) for pair, count in group.cells.items() if ABSENT not in pair)
    return {
        "document": document,
        "cost": None if np.isnan(group.cost) else group.cost,
        "key": list(row),
        "response": list(column),
        "overlap": [[row[key], column[response], count] for key, response, count in shared],
    }
