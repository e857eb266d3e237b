"""The tables of an error analysis: what each type of error costs, in which mentions and documents it occurs, every
error, and groups of entities that share mentions."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import KINDS, Analysis
from corefscore.core.arrays import order_by, ranked
from corefscore.core.findings import plural
from corefscore.core.percent import percent
from corefscore.reports.base import DOCUMENT, MEASURE, Column, Table, known
from corefscore.reports.words import ReportWords

_OF_SINGLETONS = (types.EXTRA_SINGLETON, types.MISSING_SINGLETON)
"""The types that most corpora do not have."""

REPEATS = "repeated mention"
LOOKUP = "official look-up"
"""The rows before the types of errors: what is gained by ignoring later copies of repeated mentions, or by looking up
entities by the alignment of mentions (`corefscore.matching.entity_lookup`)."""

_BRIEF = 14
"""The largest number of characters of a mention in a heading."""

_MOST_OFTEN = Column("most_often", "most often", cut="end")
"""The column of the most frequent words."""

TOP = 5
"""The number of rows of each table of examples."""

NOTHING = 1e-9
"""Scores that differ by less are equal except for rounding."""


def cost_table(analysis: Analysis, words: ReportWords, title: str) -> Table:
    """Return one row per type: the number of errors and what they cost."""
    gains = Column("alone", "alone", "gain"), Column("in_turn", "in turn", "gain"), Column("then", "then", "percent")
    columns = Column("type", words.error), Column("count", "count", "count"), *gains, Column("bar", "", "bar")
    rows: list[Sequence[Any]] = []
    moved = analysis.start - analysis.score
    if analysis.copies or (analysis.pairs.key.nodes is not None and abs(moved) > NOTHING):
        name, count = (REPEATS, analysis.copies) if analysis.copies else (LOOKUP, None)
        rows.append([name, count, None, moved, analysis.start, None])
    rows += [
        [words.types[cost.type].title, cost.errors, cost.alone, cost.in_turn, cost.then, max(cost.in_turn, 0.0)]
        for cost in analysis.costs
    ]
    return Table(title, columns, rows, notes=list(_conclusions(analysis, words)))


def _conclusions(analysis: Analysis, words: ReportWords) -> Iterator[str]:
    """Yield notes on the type of error that costs most, and on a measure that gives the key itself less than 100."""
    most = max(analysis.costs, key=attrgetter("in_turn"))
    what = f"{words.types[most.type].means} ({words.types[most.type].title})"
    before = f"mentions annotated again ({REPEATS})" if analysis.copies else f"entities matched otherwise ({LOOKUP})"
    if (largest := max((most.in_turn, what), (analysis.start - analysis.score, before)))[0] > NOTHING:
        yield f"{words.conclusion} {largest[1]}: {percent(largest[0])} of {percent(1 - analysis.score)} points"
    if (reached := analysis.costs[-1].then) < 1 - NOTHING:
        yield f"the {words.key} itself scores only {percent(reached)} here, so no more can be gained"


def agreement_table(analysis: Analysis) -> Table:
    """Return the F1 of every measure, which does not depend on which side is the key."""
    columns = MEASURE, Column("f1", "F1", "percent")
    return Table("agreement", columns, [[name, score.f1] for name, score in analysis.result.items()])


def mention_table(analysis: Analysis, words: ReportWords) -> Table:
    """Return one row per type: the kinds of mentions in its errors, and their most frequent words."""
    kinds = (Column(kind.replace(" ", "_"), kind, "count") for kind in KINDS)
    columns = Column("type", words.error), *kinds, _MOST_OFTEN
    rows = []
    for name, errors in groupby(analysis.errors.each(), key=attrgetter("type")):
        if name == types.SPAN:
            continue
        mentions = np.fromiter((mention for error in errors for mention in error.mentions), dtype=np.int64)
        rows.append([words.types[name].title, *analysis.kinds_of(mentions).values(), analysis.most_often(mentions)])
    return Table(f"mentions in these {words.error}s", columns, rows)


def confusion_table(analysis: Analysis, words: ReportWords) -> Table:
    """Return which key entity is put into which other one: conflated pieces by the key entity of the main mention of
    their response entity.
    """
    both, pieces, response = analysis.both, analysis.errors.pieces, analysis.errors.response
    into = both.key[response.main][pieces.response]
    apart = np.flatnonzero(response.apart & (into != ABSENT))
    first, pair = ranked(pieces.key[apart], into[apart])
    sizes = np.bincount(pieces.of + 1, minlength=len(into) + 1)[1:]
    size = np.bincount(pair.repeat(sizes[apart]), minlength=len(first))
    members = Members(pieces.of, len(into))
    entities = Column("of", "of", cut="middle"), Column("put_into", words.put_into, cut="middle")
    document = DOCUMENT._replace(shown=len(analysis.result.names) > 1)
    columns = Column("mentions", "mentions", "count"), *entities, _MOST_OFTEN, document
    rows = []
    for number in order_by(-size, first)[:TOP].tolist():
        of_pair = apart[pair == number]
        mentions = np.concatenate([members[piece] for piece in of_pair])
        names = map(analysis.key.name, (pieces.key[of_pair[0]], into[of_pair[0]]))
        document_name = analysis.result.names[pieces.document[of_pair[0]]]
        rows.append([len(mentions), *names, analysis.most_often(mentions, 3), document_name])
    return Table(words.confused, columns, rows)


def document_table(analysis: Analysis, words: ReportWords) -> Table:
    """Return the documents that cost most, with their errors by type."""
    cost = analysis.document_costs
    columns = [DOCUMENT, Column("f1", "F1", "percent"), Column("cost", "costs", "gain")]
    for name, (_, over, heading, _) in words.types.items():
        shown = bool(analysis.counts[name]) or name not in _OF_SINGLETONS
        columns.append(Column(name, heading, "count", over=over, shown=shown))
    rows: list[list[Any]] = []
    for document in np.argsort(-cost, kind="stable")[:TOP].tolist():
        if cost[document] > 0:
            counts = (int(analysis.errors.by_document[name][document]) for name in words.types)
            scores = float(analysis.document_scores[document]), float(cost[document])
            rows.append([analysis.result.names[document], *scores, *counts])
    notes = [f"to see them in the text: {words.command} {shlex.quote(str(rows[0][0]))}"] if rows else []
    return Table("documents that cost most (points of the total F1)", columns, rows, notes=notes)


def list_table(analysis: Analysis, words: ReportWords) -> Table:
    """Make a table with a row per error, and its place in the file of the side that has its mentions."""
    place_columns = DOCUMENT._replace(spare=1), Column("file", "file", cut="middle"), Column("line", "line", "count")
    columns = (
        Column("type", words.error),
        *place_columns,
        Column("mentions", "tokens", spare=2, cut="end"),
        Column("words", "words", cut="middle"),
        Column("key_entity", words.key, over="entity", cut="middle"),
        Column("response_entity", words.response, over="entity", cut="middle"),
        Column("into_key_entity", "into", over="entity", spare=1, cut="middle"),
    )
    both = analysis.both
    rows: list[list[Any]] = []
    for error in analysis.errors.each():
        spans = " ".join(f"{both.start[its]}-{both.end[its]}" for its in error.mentions if both.start[its] >= 0)
        texts = ", ".join(map(analysis.words, error.mentions))
        if error.type == types.SPAN:
            before, (document, *after) = analysis.in_response(error.mentions[0]), analysis.span(error.mentions[0])
            spans = f"{before[0]}-{before[1]} -> {spans}"
            texts = f"{analysis.text.between(document, *before)} -> {analysis.text.between(document, *after)}"
        entities = analysis.key.id(error.key), analysis.response.id(error.response)
        title, first = words.types[error.type].title, analysis.mention(error.mentions[0])
        place = analysis.result.names[error.document], first.place.source.name, first.line
        rows.append([title, *place, spans, texts, *entities, analysis.key.id(error.into)])
    return Table("", columns, rows)


# --- Groups of entities that share mentions ---

_MOST, _ROWS, _COLUMNS = 3, 8, 4
"""The largest number of groups that are shown, and of rows and columns of entities in the table of a group."""


_REST = ABSENT - 1
"""Stands for the entities of a group that have no row or column of their own."""

_Cells = Counter[tuple[int, int]]
"""The number of mentions in each pair of a key entity and a response entity, in text order; `ABSENT` is the entity of
mentions that a side lacks."""


def _cells(analysis: Analysis, groups: Iterable[int]) -> Iterator[tuple[int, _Cells]]:
    """Yield the cells of some groups, which are given by their numbers."""
    members = Members(analysis.groups.of, len(analysis.groups.document))
    for group in groups:
        sides = (column[members[group]].tolist() for column in (analysis.both.key, analysis.both.response))
        yield group, Counter(zip(*sides, strict=True))


def _sizes(cells: _Cells, side: int) -> Counter[int]:
    """Return the sizes of the entities of a side, 0 for the key and 1 for the response."""
    return Counter(pair[side] for pair in cells.elements() if pair[side] != ABSENT)


def group_tables(analysis: Analysis, words: ReportWords) -> list[Table]:
    """Return the tables of the groups that cost most; none for a measure that gives groups no cost."""
    if not analysis.measure.additive:
        return []
    order = np.argsort(-analysis.groups.cost, kind="stable")
    most = order[~analysis.groups.perfect[order]][:_MOST].tolist()
    return [_group_table(analysis, words, *group) for group in _cells(analysis, most)]


def _group_table(analysis: Analysis, words: ReportWords, group: int, cells: _Cells) -> Table:
    """Return the table of a group: its largest key entities are rows, its largest response entities columns."""
    sizes = _sizes(cells, 0)
    keys, responses = ([entity for entity, _ in its.most_common()] for its in (sizes, _sizes(cells, 1)))
    more, others = keys[_ROWS:], responses[_COLUMNS:]
    columns = [Column("key_entity", words.key, cut="middle"), Column("size", "size", "count")]
    named = ((entity, analysis.response.name(entity, _BRIEF)) for entity in responses[:_COLUMNS])
    columns += (Column(f"response_{entity}", name, cut="middle") for entity, name in named)
    columns += [Column("others", f"{len(others)} more")] * bool(others)
    columns.append(Column("missing", words.missing))
    down, across = (dict.fromkeys(entities, _REST) for entities in (more, others))
    counts: _Cells = Counter()
    for (key, response), count in cells.items():
        counts[down.get(key, key), across.get(response, response)] += count
    shown = [*responses[:_COLUMNS], *([_REST] if others else []), ABSENT]

    def row(entity: int, home: int | None = None) -> list[str]:
        return [f"{counts[entity, at] or '.'}{'*' * (at == home)}" for at in shown]

    rows: list[list[Any]] = []
    for entity in keys[:_ROWS]:
        main = int(analysis.both.response[analysis.errors.key.main[entity]])
        home = None if main == ABSENT else across.get(main, main)
        rows.append([analysis.key.name(entity), sizes[entity], *row(entity, home)])
    if more:
        rows.append([f"{len(more)} more", sum(sizes[entity] for entity in more), *row(_REST)])
    if any(key == ABSENT for key, _ in cells):
        rows.append([words.extra, None, *row(ABSENT)])
    title = (
        f"{analysis.result.names[analysis.groups.document[group]]}, group {group + 1}: "
        f"{plural(len(keys), 'entity')} of the {words.key} and {len(responses)} of the {words.response}; "
        f"costs {analysis.groups.cost[group] * 100:.2f}"
    )
    return Table(title, columns, rows)


def group_data(analysis: Analysis) -> Iterator[dict[str, Any]]:
    """Yield all groups with errors, as data."""
    for group, cells in _cells(analysis, np.flatnonzero(~analysis.groups.perfect).tolist()):
        row, column = ({entity: index for index, entity in enumerate(_sizes(cells, side))} for side in (0, 1))
        shared = ((*pair, count) for pair, count in cells.items() if ABSENT not in pair)
        yield {
            "document": analysis.result.names[analysis.groups.document[group]],
            "cost": known(analysis.groups.cost[group]),
            "key": list(map(analysis.key.id, row)),
            "response": list(map(analysis.response.id, column)),
            "overlap": [[row[key], column[response], count] for key, response, count in shared],
        }
