"""The tables of an error analysis: what each type of error costs, and in which mentions and documents it occurs."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT
from corefscore.analysis.response import Analysis
from corefscore.core.percent import percent
from corefscore.reports.base import BAR, COUNT, DOCUMENT, END, GAIN, MEASURE, MIDDLE, PERCENT, Column, Table
from corefscore.reports.errors.names import KINDS, Named
from corefscore.reports.errors.single import Listed
from corefscore.reports.words import Words

OF_SINGLETONS = (types.EXTRA_SINGLETON, types.MISSING_SINGLETON)
"""The types that most corpora do not have."""

REPEATS = "repeated mention"
LOOKUP = "official look-up"
"""The rows before the types of errors: what is gained by ignoring later copies of repeated mentions, or by looking up
entities by the alignment of mentions (`corefscore.matching.entity_lookup`)."""

TOP = 5
"""The number of rows of each table of examples."""

NOTHING = 1e-9
"""Scores that differ by less are equal except for rounding."""


def cost_table(analysis: Analysis, words: Words, title: str) -> Table:
    """One row per type: the number of errors and what they cost."""
    columns = (
        Column("type", words.error),
        Column("count", "count", COUNT),
        Column("alone", "alone", GAIN),
        Column("in_turn", "in turn", GAIN),
        Column("then", "then", PERCENT),
        Column("bar", "", BAR),
    )
    rows: list[Sequence[Any]] = []
    moved = analysis.start - analysis.score
    if analysis.copies or abs(moved) > NOTHING:
        name, count = (REPEATS, analysis.copies) if analysis.copies else (LOOKUP, None)
        rows.append([name, count, None, moved, analysis.start, None])
    rows += [
        [words.types[cost.type].title, cost.errors, cost.alone, cost.in_turn, cost.then, max(cost.in_turn, 0.0)]
        for cost in analysis.costs
    ]
    return Table(title, columns, rows, notes=_conclusions(analysis, words))


def _conclusions(analysis: Analysis, words: Words) -> list[str]:
    """Notes on the type of error that costs most, and on a measure that gives the key itself less than 100."""
    sentences = []
    most = max(analysis.costs, key=lambda cost: cost.in_turn)
    if most.in_turn > NOTHING:
        points = f"{percent(most.in_turn)} of {percent(1 - analysis.score)} points"
        sentences.append(
            f"{words.conclusion} {words.types[most.type].means} ({words.types[most.type].title}): {points}"
        )
    reached = analysis.costs[-1].then
    if reached < 1 - NOTHING:
        sentences.append(f"{words.key} itself has {percent(reached)} here, so the costs add up to less than 100")
    return sentences


def agreement_table(analysis: Analysis) -> Table:
    """The F1 of every measure, which does not depend on which side is the key."""
    columns = MEASURE, Column("f1", "F1", PERCENT)
    return Table("agreement", columns, [[name, score.f1] for name, score in analysis.result.items()])


def mention_table(named: Named, errors: Sequence[Listed], words: Words) -> Table:
    """One row per type: the kinds of mentions in its errors, and their most frequent words."""
    of_type: dict[str, list[int]] = {name: [] for name in types.TYPES}
    for error in errors:
        of_type[error.type] += error.mentions
    columns = (
        Column("type", words.error),
        *(Column(kind.replace(" ", "_"), kind, COUNT) for kind in KINDS),
        Column("most_often", "most often", cut=END),
    )
    rows = []
    for name, mentions in of_type.items():
        if mentions:
            rows.append([words.types[name].title, *named.kinds(mentions).values(), named.most_often(mentions)])
    return Table(f"mentions in these {words.error}s", columns, rows)


def confusion_table(named: Named, errors: Sequence[Listed], words: Words) -> Table:
    """Which key entity is put into which other one: conflated pieces by the key entity of the main mention of their
    response entity."""
    mentions: dict[tuple[int, int], list[int]] = defaultdict(list)
    document: dict[tuple[int, int], int] = {}  # of the last error
    for error in errors:
        if error.type == types.CONFLATED and error.into != ABSENT:
            mentions[error.key, error.into] += error.mentions
            document[error.key, error.into] = error.document
    columns = (
        Column("mentions", "mentions", COUNT),
        Column("of", "of", cut=MIDDLE),
        Column("put_into", words.put_into, cut=MIDDLE),
        Column("most_often", "most often", cut=END),
        DOCUMENT._replace(shown=len(named.analysis.result.names) > 1),
    )
    most = sorted(mentions, key=lambda entities: -len(mentions[entities]))[:TOP]
    rows = [
        [
            len(mentions[entities]),
            *map(named.key, entities),
            named.most_often(mentions[entities], 3),
            named.document(document[entities]),
        ]
        for entities in most
    ]
    return Table(words.confused, columns, rows)


def document_table(named: Named, words: Words) -> Table:
    """The documents that cost most, with their errors by type."""
    analysis = named.analysis
    cost = analysis.document_costs
    columns = (
        DOCUMENT,
        Column("f1", "F1", PERCENT),
        Column("cost", "costs", GAIN),
        *(
            Column(name, heading, COUNT, over=over, shown=bool(analysis.counts[name]) or name not in OF_SINGLETONS)
            for name, (_, over, heading, _) in words.types.items()
        ),
    )
    rows = [
        [
            named.document(document),
            float(analysis.document_scores[document]),
            float(cost[document]),
            *(int(analysis.by_document[name][document]) for name in words.types),
        ]
        for document in np.argsort(-cost, kind="stable")[:TOP].tolist()
        if cost[document] > 0
    ]
    notes = [f"in the text: {words.command} {shlex.quote(str(rows[0][0]))}"] if rows else []
    return Table("documents that cost most (points of the total F1)", columns, rows, notes=notes)
