"""Slow, obvious twins of the metrics, random partitions to try them on, and ways to score such partitions.

A twin follows the definition of its metric on plain lists and sets, in fractions. It takes a partition as a
list of entities, an entity as a list of mentions, a mention as (first token, last token).

Where a side marks a span more than once the twins do what the official scorer does (the cases ``repeat-*`` of
``testdata/recorded``; `corefscore.matching.matched` has the rules). Where nothing repeats these rules change nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from corefscore.core.documents import Documents, Place
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.metrics import MENTIONS, select
from corefscore.metrics.base import Metric
from corefscore.scoring.evaluate import count_batches, result_of
from corefscore.scoring.results import Result
from corefscore.scoring.settings import Rules, Run, Settings
from reading import read

Mention = tuple[int, int]
Entity = list[Mention]
Partition = list[Entity]
Pair = tuple[Partition, Partition]
"""Key and response of one document."""

TOKENS = 120
"""The number of tokens of every document made here."""


# What the metrics come to


class Share(NamedTuple):
    numerator: Fraction
    denominator: Fraction

    @property
    def value(self) -> Fraction:
        return quotient(self.numerator, self.denominator)


class Counted(NamedTuple):
    recall: Share
    precision: Share


class Scored(NamedTuple):
    recall: Fraction
    precision: Fraction
    f1: Fraction


Twin = Callable[[Partition, Partition], list[Counted]]
Recall = Callable[[Partition, Partition], Share]


def quotient(numerator: Fraction, denominator: Fraction) -> Fraction:
    return numerator / denominator if denominator else Fraction(0)


def divided(counted: Counted) -> Scored:
    recall, precision = counted.recall.value, counted.precision.value
    return Scored(recall, precision, quotient(2 * recall * precision, recall + precision))


# Spans marked more than once


def without_dropped(key: Partition, response: Partition) -> Partition:
    """The response without later copies of the spans that the key has, and without entities left empty."""
    in_key = {mention for entity in key for mention in entity}
    seen = set()
    left: Partition = []
    for entity in response:
        left.append([])
        for mention in entity:
            if mention not in in_key or mention not in seen:
                left[-1].append(mention)
            seen.add(mention)
    return [entity for entity in left if entity]


def told_apart(partition: Partition, side: int) -> Partition:
    """The last copy of each span stays, the copies before it become spans that nobody else has."""
    to_come = Counter(mention for entity in partition for mention in entity)
    apart: Partition = []
    for entity in partition:
        apart.append([])
        for mention in entity:
            to_come[mention] -= 1
            copies = to_come[mention]
            apart[-1].append((-1000 * copies - mention[0], -1000 * side - mention[1]) if copies else mention)
    return apart


# The metrics


def both_sides(recall: Recall) -> Twin:
    """A metric whose precision is its recall with the sides swapped."""
    return lambda key, response: [Counted(recall(key, response), recall(response, key))]


def muc_recall(key: Partition, response: Partition) -> Share:
    """Sum of |k| - |p(k)| over the sum of |k| - 1; p(k) are the parts that the response cuts k into, a mention that
    the response lacks being a part of its own (Vilain et al. 1995; Moosavi and Strube 2016, section 3.1)."""
    kept = links = 0
    for entity in key:
        parts = {next((j for j, r in enumerate(response) if mention in r), mention) for mention in entity}
        kept += len(entity) - len(parts)
        links += len(entity) - 1
    return Share(Fraction(kept), Fraction(links))


def muc(key: Partition, response: Partition) -> list[Counted]:
    """Copies: a response mention meets the last copy in the key."""
    return both_sides(muc_recall)(told_apart(key, 1), told_apart(response, 2))


def bcub_recall(key: Partition, response: Partition) -> Share:
    """Sum over mentions of |K(m) and R(m)| / |K(m)| over the number of key mentions (Bagga and Baldwin 1998).

    Copies: K(m) is the entity of the last copy, what it shares with R(m) is a set, its size counts copies.
    """
    total = Fraction(0)
    holder = {mention: entity for entity in key for mention in entity}
    other = {mention: entity for entity in response for mention in entity}
    for mention in holder.keys() & other.keys():
        total += Fraction(len(set(holder[mention]) & set(other[mention])), len(holder[mention]))
    return Share(total, Fraction(sum(map(len, key))))


def pairwise_recall(key: Partition, response: Partition) -> Share:
    """Pairs of spans that share an entity on both sides over those that do in the key (Menestrina et al. 2010)."""
    ours, theirs = ({pair for e in side for pair in combinations(sorted(set(e)), 2)} for side in (key, response))
    return Share(Fraction(len(ours & theirs)), Fraction(len(ours)))


def cluster_recall(key: Partition, response: Partition) -> Share:
    """Entities that the response has with exactly the same spans over all of them (Menestrina et al. 2010)."""
    theirs = list(map(set, response))
    return Share(Fraction(sum(set(k) in theirs for k in key)), Fraction(len(key)))


def mention_similarity(k: Entity, r: Entity) -> Fraction:
    """Shared mentions: phi 3 of Luo 2005. Copies in k count each."""
    return Fraction(sum(mention in r for mention in k))


def entity_similarity(k: Entity, r: Entity) -> Fraction:
    """2 x shared mentions over the sum of both sizes: phi 4 of Luo 2005."""
    return 2 * mention_similarity(k, r) / (len(k) + len(r))


def ceaf(similarity: Callable[[Entity, Entity], Fraction]) -> Twin:
    """The largest sum of similarities over one-to-one assignments, over what each side has with itself
    (Luo 2005, as in Moosavi and Strube 2016, equation 1)."""

    def twin(key: Partition, response: Partition) -> list[Counted]:
        total = largest_total(
            {(i, j): similarity(k, r) for i, k in enumerate(key) for j, r in enumerate(response) if set(k) & set(r)}
        )
        own = [sum((similarity(entity, entity) for entity in side), Fraction(0)) for side in (key, response)]
        return [Counted(Share(total, own[0]), Share(total, own[1]))]

    return twin


def largest_total(weights: Mapping[tuple[int, int], Fraction]) -> Fraction:
    """The largest total weight of cells (row, column) no two of which share a row or column: every choice is tried."""
    unit = math.lcm(*(weight.denominator for weight in weights.values()))
    units = {cell: int(weight * unit) for cell, weight in weights.items()}  # whole numbers are added faster
    rows = [list(cells) for _, cells in groupby(sorted(weights), key=lambda cell: cell[0])]

    @cache
    def below(row: int, taken: frozenset[int]) -> int:
        if row == len(rows):
            return 0
        choices = [below(row + 1, taken)]
        for cell in rows[row]:
            if cell[1] not in taken:
                choices.append(units[cell] + below(row + 1, taken | {cell[1]}))
        return max(choices)

    return Fraction(below(0, frozenset()), unit)


Link = frozenset[Mention]


def coreference_links(partition: Partition) -> set[Link]:
    """Pairs of mentions of one entity; two copies of a span are a link of the span with itself."""
    return {frozenset(pair) for entity in partition for pair in combinations(entity, 2)}


def noncoreference_links(partition: Partition) -> set[Link]:
    """Pairs of mentions of two entities; two copies of a span are a link of the span with itself."""
    return {frozenset((m, n)) for one, other in combinations(partition, 2) for m in one for n in other}


def blanc(key: Partition, response: Partition) -> list[Counted]:
    """Links of each kind that both sides have over those of one side (Luo et al. 2014, equations 16 and 17)."""
    return [
        Counted(
            Share(Fraction(len(links(key) & links(response))), Fraction(len(links(key)))),
            Share(Fraction(len(links(key) & links(response))), Fraction(len(links(response)))),
        )
        for links in (coreference_links, noncoreference_links)
    ]


def lea_recall(key: Partition, response: Partition) -> Share:
    """Sum over entities of |k| x resolved links / links of k, over the sum of |k|; a singleton has one link, to itself,
    and the same singleton resolves it (Moosavi and Strube 2016, section 4).

    Copies in the key are mentions like others, so two copies of a span in one entity are a link.
    """
    total = Fraction(0)
    for k in key:
        if len(k) == 1:
            total += k in response
            continue
        links = list(combinations(k, 2))
        resolved = sum(any(m in r and n in r for r in response) for m, n in links)
        total += len(k) * Fraction(resolved, len(links))
    return Share(total, Fraction(sum(map(len, key))))


def lea(key: Partition, response: Partition) -> list[Counted]:
    """Copies: for precision, a response mention meets the last copy in the key."""
    precision = lea_recall(told_apart(response, 2), told_apart(key, 1))
    return [Counted(lea_recall(key, response), precision)]


def mentions_recall(key: Partition, response: Partition) -> Share:
    """Spans that both sides mark over those of the key."""
    spans, other = ({mention for entity in side for mention in entity} for side in (key, response))
    return Share(Fraction(len(spans & other)), Fraction(len(spans)))


TWINS: Mapping[str, Twin] = {
    "muc": muc,
    "bcub": both_sides(bcub_recall),
    "ceafm": ceaf(mention_similarity),
    "ceafe": ceaf(entity_similarity),
    "blanc": blanc,
    "lea": lea,
    "pairwise": both_sides(pairwise_recall),
    "cluster": both_sides(cluster_recall),
    MENTIONS: both_sides(mentions_recall),
}
"""Like `corefscore.metrics.base.Metric.count`, each gives one `Counted` for each measure that is counted."""

SCORED = tuple(name for name in TWINS if name != MENTIONS)
"""The metrics that have a twin; mentions are counted in every run."""


def counted(metric: str, key: Partition, response: Partition) -> list[Counted]:
    """What the twin of a metric counts in one document."""
    return TWINS[metric](key, without_dropped(key, response))


def scored(metric: str, counts: Sequence[Counted]) -> dict[str, Scored]:
    """Every measure of a metric, from its counts."""
    if metric != "blanc":
        return {metric: divided(counts[0])}
    return {
        "blanc.coreference": divided(counts[0]),
        "blanc.noncoreference": divided(counts[1]),
        "blanc": blanc_by_the_key(counts),
    }


def blanc_by_the_key(counts: Sequence[Counted]) -> Scored:
    """The mean over the kinds of link that the key has, 0 where it has none (Recasens and Hovy 2011, section 2.2, last
    case, and the official scorer)."""
    parts = [divided(links) for links in counts if links.recall.denominator]
    if not parts:
        return Scored(Fraction(0), Fraction(0), Fraction(0))
    return Scored(*(sum(values, Fraction(0)) / len(parts) for values in zip(*parts, strict=True)))


def blanc_by_both_sides(key: Partition, response: Partition) -> Fraction:
    """BLANC as in Luo et al. 2014, equations 18 and 19 and the boundary cases of section 4.1."""
    kinds = [links for links in blanc(key, response) if links.recall.denominator + links.precision.denominator]
    if not kinds:
        return Fraction({m for k in key for m in k} == {m for r in response for m in r})
    f1 = [2 * links.recall.numerator / (links.recall.denominator + links.precision.denominator) for links in kinds]
    return sum(f1, Fraction(0)) / len(f1)


# Random partitions


def apart() -> list[Mention]:
    """Spans that do not touch, of one token or two."""
    return [(start, start + start % 2) for start in range(0, 40, 3)]


def nested() -> list[Mention]:
    """Spans within spans, also with the same first or last token."""
    return [(start, end) for start in range(5) for end in range(start, 9) if (start + end) % 3]


def crossing() -> list[Mention]:
    """Spans each of which crosses the next ones."""
    return [(start, start + 3 + start % 2) for start in range(14)]


class Side(NamedTuple):
    """How to draw the partition of one side."""

    share: float = 0.8
    """The chance that a span is marked."""
    entities: int = 5
    """The number of entities, some of which may come out empty."""
    size: int = 0
    """The size of every entity, in place of ``entities``."""
    copies: int = 0
    """How many copies of spans that both sides mark are added."""
    lone_copies: int = 0
    """How many copies of spans that only this side marks are added."""


class Kind(NamedTuple):
    """How to draw the key and the response of a document."""

    key: Side = Side()
    response: Side = Side()
    spans: Callable[[], list[Mention]] = apart


PLAIN: Mapping[str, Kind] = {
    "plain": Kind(),
    "nested": Kind(spans=nested),
    "crossing": Kind(spans=crossing),
    "same-mentions": Kind(Side(share=1), Side(share=1)),
    "few-shared-mentions": Kind(Side(share=0.4), Side(share=0.4)),
    "singletons": Kind(Side(entities=14), Side(entities=14)),
    "ties": Kind(Side(share=1, size=2), Side(share=1, size=2)),
}
"""Nothing repeats, nothing is empty."""

AT_THE_BOUNDARY: Mapping[str, Kind] = {
    "key-of-singletons": Kind(Side(size=1)),
    "response-of-singletons": Kind(response=Side(size=1)),
    "both-of-singletons": Kind(Side(size=1), Side(size=1)),
    "key-of-one-entity": Kind(Side(entities=1)),
    "response-of-one-entity": Kind(response=Side(entities=1)),
    "both-of-one-entity": Kind(Side(entities=1), Side(entities=1)),
    "almost-no-mentions": Kind(Side(share=0.1), Side(share=0.1)),
    "empty-key": Kind(Side(share=0)),
    "empty-response": Kind(response=Side(share=0)),
    "empty": Kind(Side(share=0), Side(share=0)),
}
"""Some denominator is 0."""

REPEATED: Mapping[str, Kind] = {
    "repeats-in-the-key": Kind(Side(copies=3, lone_copies=1)),
    "repeats-in-the-response": Kind(response=Side(copies=2)),
    "spurious-repeats": Kind(Side(share=0.5), Side(lone_copies=5)),
    "repeats-on-both-sides": Kind(Side(share=0.6, copies=3, lone_copies=1), Side(copies=2, lone_copies=3)),
    "repeats-on-both-sides-nested": Kind(Side(share=0.6, copies=3), Side(copies=2, lone_copies=3), nested),
    "same-mentions-repeated": Kind(Side(share=1, copies=3, entities=3), Side(share=1, copies=2, entities=3)),
    "one-entity-with-repeats": Kind(Side(entities=1, copies=3), Side(entities=2, copies=2, lone_copies=2)),
    "spans-in-many-entities": Kind(Side(size=1, copies=60, lone_copies=20)),
    "spurious-spans-in-many-entities": Kind(Side(share=0.5), Side(size=1, lone_copies=60)),
}
"""Spans marked more than once. At most two copies are dropped, so five documents stay below
`corefscore.matching.matched._LIMIT`."""

KINDS: Mapping[str, Kind] = {**PLAIN, **AT_THE_BOUNDARY, **REPEATED}


def drawn(kind: str, count: int) -> list[Pair]:
    """So many random documents of one of the `KINDS`, the same ones every time."""
    random = Random(kind)
    pairs = []
    for _ in range(count):
        wanted = KINDS[kind]
        spans = wanted.spans()
        key, response = (_partition(random, spans, side) for side in (wanted.key, wanted.response))
        in_key, in_response = ({m for entity in side for m in entity} for side in (key, response))
        for side, wish, own, other in (
            (key, wanted.key, in_key, in_response),
            (response, wanted.response, in_response, in_key),
        ):
            _add(random, side, sorted(own & other), wish.copies)
            _add(random, side, sorted(own - other), wish.lone_copies)
        pairs.append((key, response))
    return pairs


def _partition(random: Random, spans: list[Mention], side: Side) -> Partition:
    marked = [span for span in random.sample(spans, len(spans)) if random.random() < side.share]
    number = len(marked) // side.size + 1 if side.size else side.entities
    entities: Partition = [[] for _ in range(number)]
    for at, mention in enumerate(marked):
        wanted = entities[at // side.size] if side.size else random.choice(entities)
        if not _writable(wanted, mention):
            wanted = []
            entities.append(wanted)
        wanted.append(mention)
    return [entity for entity in entities if entity]


def _add(random: Random, partition: Partition, mentions: list[Mention], copies: int) -> None:
    for _ in range(copies if mentions else 0):
        mention = random.choice(mentions)
        entity = random.choice([entity for entity in partition if _writable(entity, mention)])
        entity.insert(random.randint(0, len(entity)), mention)


def _writable(entity: Entity, mention: Mention) -> bool:
    """Whether CoNLL has a way to write a mention of this entity: those of one entity must not cross."""
    return not any(m[0] < n[0] <= m[1] < n[1] for other in entity for m, n in ((mention, other), (other, mention)))


# From partitions to scores


def name(document: int) -> str:
    return f"(twins); part {document:03}"


def documents(partitions: Sequence[Partition], first: int = 0) -> Documents:
    """The partitions as one batch of a side, documents numbered from ``first`` in their names."""
    entities = [entity for partition in partitions for entity in partition]
    mentions = np.array([mention for entity in entities for mention in entity], dtype=np.int64).reshape(-1, 2)
    sizes = [len(partition) for partition in partitions]
    return Documents(
        names=[name(first + at) for at in range(len(partitions))],
        places=[Place(Source("twins"), None)] * len(partitions),
        tokens=np.full(len(partitions), TOKENS),
        document=np.repeat(np.arange(len(partitions)), sizes),
        label=np.array([label for size in sizes for label in range(size)], dtype=np.int64),
        entity=np.repeat(np.arange(len(entities)), [len(entity) for entity in entities]),
        start=mentions[:, 0],
        end=mentions[:, 1],
        line=mentions[:, 0] + 2,
    )


def batches(partitions: Sequence[Partition], size: int) -> Iterator[Documents]:
    """The partitions as batches of so many documents."""
    for first in range(0, len(partitions), size):
        yield documents(partitions[first : first + size], first)


def evaluate(
    key: Iterator[Documents], response: Iterator[Documents], metrics: Sequence[Metric], settings: Settings
) -> Result:
    """Score two sides, given as batches of documents."""
    notices: list[Finding] = []
    run = Run(metrics, settings)
    return result_of(count_batches(key, response, run, notices), run, notices)


def score(
    pairs: Sequence[Pair],
    *,
    batch: int = 1000,
    response_batch: int = 1000,
    repeated: str = "official",
    singletons: str = "keep",
) -> Result:
    """Score documents that were never written to a file, with every metric, in batches of so many documents."""
    return evaluate(
        batches([key for key, _ in pairs], batch),
        batches([response for _, response in pairs], response_batch),
        select(",".join(SCORED)),
        Settings(SCORED, Rules(repeated=repeated, singletons=singletons)),
    )


def score_files(key: Path, response: Path, *, repeated: str = "official") -> Result:
    """Score two CoNLL files with every metric."""
    return evaluate(
        read(str(key), []),
        read(str(response), []),
        select(",".join(SCORED)),
        Settings(SCORED, Rules(repeated=repeated)),
    )


def measures(result: Result, document: int | None = None) -> dict[str, tuple[float, float, float]]:
    """Recall, precision and F1 of every measure, of one document or of all together."""
    scores = result if document is None else result.documents[result.names[document]]
    return {measure: (score.recall, score.precision, score.f1) for measure, score in scores.items()}


def conll(partitions: Sequence[Partition], ids: Sequence[int] = range(1000)) -> str:
    """The partitions as CoNLL text: a word column and that of coreference, where entity n has the id ``ids[n]``."""
    lines = []
    for document, partition in enumerate(partitions):
        cells: list[list[str]] = [[] for _ in range(TOKENS)]
        for label, entity in zip(ids, partition, strict=False):
            for start, end in entity:
                if start == end:
                    cells[start].append(f"({label})")
                else:
                    cells[start].append(f"({label}")
                    cells[end].append(f"{label})")
        rows = [f"word\t{'|'.join(cell) or '-'}" for cell in cells]
        lines += [f"#begin document {name(document)}", *rows, "#end document"]
    return "\n".join([*lines, ""])


def in_reading_order(partition: Partition) -> Partition:
    """The same partition as a reader finds it: entities in order of first appearance, mentions in the order in which
    they close; within a cell one-token mentions come first. The text must be that of `conll`."""
    by_close = [sorted(entity, key=lambda m: (m[1], m[0] < m[1], -m[0])) for entity in partition]
    return sorted(by_close, key=lambda entity: min((start, start < end) for start, end in entity))


def partitions_of(batch: Documents) -> list[Partition]:
    """The partitions that a reader found."""
    found: list[Partition] = [[] for _ in batch.names]
    entities: list[Entity] = [[] for _ in batch.document]
    for document, entity in zip(batch.document.tolist(), entities, strict=True):
        found[document].append(entity)
    for number, start, end in zip(batch.entity.tolist(), batch.start.tolist(), batch.end.tolist(), strict=True):
        entities[number].append((start, end))
    return found
