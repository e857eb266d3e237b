"""The counts of kinds of mentions: the terms of their mentions, summed for each document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from corefscore.core.arrays import Floats, Ints, changes, order_by, sums
from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.matching.entity_lookup import together
from corefscore.matching.matched import Matched, Side
from corefscore.matching.mentions import Alignment
from corefscore.matching.pairing import Pairs
from corefscore.metrics.base import Metric
from corefscore.metrics.counts import Counts, Ratios, packed
from corefscore.metrics.members import Both, Members, members
from corefscore.metrics.overlap import overlap
from corefscore.scoring.kinds.labels import UNKNOWN
from corefscore.scoring.kinds.options import DISTANCE, FIRST, Of

M = TypeVar("M", Matched, Alignment)

_ByKind = Mapping[str, Mapping[str, Floats]]
"""Counts by kind and metric, each an array of documents x measures x 4."""


def refuse_without_terms(metrics: Sequence[Metric]) -> None:
    """Raise `UsageError` for a metric that cannot be restricted to kinds of mentions."""
    for metric in metrics:
        if metric.terms is None:
            raise UsageError(
                f"--of restricts sums over mentions, and the metric {metric.name} has none (docs/kinds.md); leave one "
                "of them out"
            )


def nothing_to_count(
    kind: str, metrics: Sequence[Metric], counts: Mapping[str, Floats], files: Sequence[str]
) -> Iterator[Finding]:
    """A notice about the measures that have nothing to count for a kind; ``files`` are those of the key."""
    totals: dict[str, Floats] = {}
    for metric in metrics:
        quotients = [measure.name for measure in metric.measures if measure.combine is None]
        totals.update(zip(quotients, counts[metric.name].sum(axis=0), strict=False))
    empty_sides = []
    for side, denominator in ((KEY, 1), (RESPONSE, 3)):
        if empty := [name for name, total in totals.items() if not total[denominator]]:
            measures = "any measure" if len(empty) == len(totals) else ", ".join(empty)
            empty_sides.append(f"the {side} has nothing to count for {measures}")
    if empty_sides:
        details = {"kind": kind, "where": "; ".join(empty_sides)}
        yield Finding("nothing-of-kind", files[0] if files else KEY, details=details)


def with_numbers(matched: M, pairs: Pairs) -> M:
    """The matched mentions with the kinds of both sides of ``pairs`` by number, if these have any. Copies of a mention
    are of one kind."""
    if pairs.key.kinds is None or pairs.response.kinds is None:
        return matched
    found = []
    for kinds, side in ((pairs.key.kinds, matched.key), (pairs.response.kinds, matched.response)):
        of_number = np.full(len(matched.document), UNKNOWN)
        of_number[side.number] = kinds.number if isinstance(side, Side) else kinds.number[side.mention]
        found.append(kinds._replace(number=of_number))
    return matched._replace(kinds=(found[0], found[1]))


def counts_of_kinds(matched: Matched | Alignment, metrics: Sequence[Metric], of: Of) -> _ByKind:
    """The counts of metrics for each kind of ``of``; ``matched`` has no copies of a mention on either side."""
    # The mentions of both sides are in the order of the text.
    numbers = matched.key.number, matched.response.number
    known = [(kinds.number[number], kinds.names) for kinds, number in zip(matched.kinds or (), numbers, strict=False)]
    if not isinstance(matched, Matched):
        matched = together(matched)
    both = members(matched, overlap(matched), numbers)
    names, key, response = _kinds(both, known, of)
    groups = (key, both.key.document), (response, both.response.document)
    found: dict[str, dict[str, Floats]] = {name: {} for name in names}
    for metric in metrics:
        assert metric.terms is not None, "refused before"
        terms = metric.terms(both)
        by_kind = packed([_summed(counts, groups, len(names), both.overlap.documents) for counts in terms])
        for name, counts_of_kind in zip(names, by_kind, strict=True):
            found[name][metric.name] = counts_of_kind
    return found


def _kinds(both: Both, known: Sequence[tuple[Ints, tuple[str, ...]]], of: Of) -> tuple[tuple[str, ...], Ints, Ints]:
    """The names of the kinds, and the index of the kind of each mention of key and response, -1 for none.

    ``known`` are the `Kinds` of the mentions of each side; without them kinds are sizes of entities.
    """
    sides = both.key, both.response
    if not known:
        (names, key), (_, response) = (of.of_numbers(side.size) for side in sides)
    elif of.by == DISTANCE:
        distances = (_distances(side, start) for side, (start, _) in zip(sides, known, strict=True))
        (names, key), (_, response) = map(of.of_numbers, distances)
    else:
        (key, known_names), (response, _) = known
        response = np.where(response == UNKNOWN, _partners(both, key), response)
        (names, key), (_, response) = (of.of_names(kinds, known_names) for kinds in (key, response))
    return names, key, response


def _partners(both: Both, key: Ints) -> Ints:
    """For each mention of the response the kind of the key mention that it matches, 0 for none."""
    numbers = both.key.side.number, both.response.side.number
    found = np.zeros(1 + max(int(number.max(initial=-1)) for number in numbers), dtype=np.int64)
    found[numbers[0]] = key
    return found[numbers[1]]


def _distances(members: Members, start: Ints) -> Ints:
    """For each mention the number of tokens from the first token of the mention before it in its entity to its own
    first token, `FIRST` for the first mention."""
    order = order_by(members.side.entity, members.place)
    found = np.full(len(order), FIRST)
    later = np.flatnonzero(~changes(members.side.entity[order]))
    found[order[later]] = start[order[later]] - start[order[later - 1]]
    return found


def _summed(terms: Counts, groups: tuple[tuple[Ints, Ints], tuple[Ints, Ints]], kinds: int, documents: int) -> Counts:
    """Terms summed by kind and document; each part has the shape kinds x documents."""

    def of_side(ratios: Ratios, kind: Ints, document: Ints) -> Ratios:
        which = np.flatnonzero(kind >= 0)
        row = kind[which] * documents + document[which]
        return Ratios(*(sums(row, part[which], kinds * documents).reshape(kinds, documents) for part in ratios))

    return Counts(of_side(terms.recall, *groups[0]), of_side(terms.precision, *groups[1]))
