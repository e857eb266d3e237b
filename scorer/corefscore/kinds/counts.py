"""The counts of kinds of mentions: the terms of their mentions, summed for each document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from corefscore.alignment.lookups import together
from corefscore.alignment.matching import Matched
from corefscore.alignment.mentions import Alignment
from corefscore.checking.findings import Finding
from corefscore.documents.arrays import Floats, Ints, order_by, sums
from corefscore.documents.model import KEY, RESPONSE, Kinds
from corefscore.errors import UsageError
from corefscore.kinds.labels import UNKNOWN
from corefscore.kinds.options import DISTANCE, FIRST, Of
from corefscore.metrics.counts import Counts, Ratios, packed
from corefscore.metrics.members import Both, Members, members
from corefscore.metrics.overlap import overlap
from corefscore.metrics.row import Metric

ByKind = Mapping[str, Mapping[str, Floats]]
"""Counts by kind, and by metric: each an array of documents x measures x 4."""


def refuse_without_terms(metrics: Sequence[Metric]) -> None:
    """Raise `UsageError` for a metric that cannot be restricted to kinds of mentions."""
    for metric in metrics:
        if metric.terms is None:
            raise UsageError(
                f"--of restricts sums over mentions, and the metric {metric.name} has none (docs/kinds.md); leave one "
                "of the two out"
            )


def nothing_to_count(
    kind: str, metrics: Sequence[Metric], counts: Mapping[str, Floats], files: Sequence[str]
) -> Iterator[Finding]:
    """A notice about the measures that have nothing to count in the kind asked for; ``files`` are the key's."""
    whole = {
        measure.name: its[:, place].sum(axis=0)
        for metric in metrics
        for its in [counts[metric.name]]
        for place, measure in enumerate(each for each in metric.measures if each.combine is None)
    }
    found = []
    for side, denominator in ((KEY, 1), (RESPONSE, 3)):
        empty = [name for name, its in whole.items() if not its[denominator]]
        if empty:
            found.append(f"in the {side} for {'any measure' if len(empty) == len(whole) else ', '.join(empty)}")
    if found:
        yield Finding("nothing-of-kind", files[0] if files else KEY, details={"kind": kind, "where": "; ".join(found)})


def by_number(kinds: Kinds, number: Ints, mention: Ints, numbers: int) -> Kinds:
    """The kinds of mentions by their numbers, of which there are so many; ``mention`` are the places of mentions with
    the numbers ``number``; copies that are still there are of one kind."""
    found = np.full(numbers, UNKNOWN)
    found[number] = kinds.number[mention]
    return kinds._replace(number=found)


def counts_of_kinds(
    matched: Matched | Alignment, metrics: Sequence[Metric], of: Of, own: Callable[[Metric], Any]
) -> ByKind:
    """The counts of metrics for the kinds that are asked for. ``matched`` has no mention of a side twice; ``own`` gives
    the values of a metric's own options."""
    places = _numbers(matched)
    told = [(its.number[place], its.names) for its, place in zip(matched.kinds or (), places, strict=False)]
    if not isinstance(matched, Matched):
        matched = together(matched)
    both = members(matched, overlap(matched), places)
    names, key, response = _kinds(both, told, of)
    groups = (key, both.key.document), (response, both.response.document)
    found: dict[str, dict[str, Floats]] = {name: {} for name in names}
    for metric in metrics:
        assert metric.terms is not None, "refused before"
        terms = metric.terms(both, **own(metric))
        summed = packed([_summed(each, groups, len(names), both.overlap.documents) for each in terms])
        for name, its in zip(names, summed, strict=True):
            found[name][metric.name] = its
    return found


def _numbers(matched: Matched | Alignment) -> tuple[Ints, Ints]:
    """The numbers of the mentions of both sides, which rise in text order."""
    if isinstance(matched, Matched):
        return matched.key.number, matched.response.number
    return matched.key.side.number, matched.response.side.number


def _kinds(both: Both, told: Sequence[tuple[Ints, tuple[str, ...]]], of: Of) -> tuple[tuple[str, ...], Ints, Ints]:
    """The names of the kinds, and the place among them of the mentions of either side, -1 for those of no kind;
    ``told`` is what is known of the mentions of each side, unless sizes tell them apart."""
    sides = both.key, both.response
    if not told:
        (names, key), (_, response) = (of.of_numbers(side.size) for side in sides)
    elif of.by == DISTANCE:
        distances = (_distances(side, start) for side, (start, _) in zip(sides, told, strict=True))
        (names, key), (_, response) = map(of.of_numbers, distances)
    else:
        (key, known), (response, _) = told
        response = np.where(response == UNKNOWN, _partners(both, key), response)
        (names, key), (_, response) = (of.of_names(its, known) for its in (key, response))
    return names, key, response


def _partners(both: Both, key: Ints) -> Ints:
    """For each mention of the response what is told of that of the key which it matches, 0 for one without."""
    numbers = both.key.side.number, both.response.side.number
    found = np.zeros(1 + max(int(number.max(initial=-1)) for number in numbers), dtype=np.int64)
    found[numbers[0]] = key
    return found[numbers[1]]


def _distances(its: Members, start: Ints) -> Ints:
    """The tokens from the first one of the mention before it in its entity to its own, `FIRST` where there is none."""
    order = order_by(its.side.entity, its.place)
    found = np.full(len(order), FIRST)
    step = np.diff(start[order])
    same = its.side.entity[order][1:] == its.side.entity[order][:-1]
    found[order[1:][same]] = step[same]
    return found


def _summed(terms: Counts, groups: tuple[tuple[Ints, Ints], tuple[Ints, Ints]], kinds: int, documents: int) -> Counts:
    """Terms summed by kind and document: each part has the shape kinds x documents."""

    def of_side(ratios: Ratios, kind: Ints, document: Ints) -> Ratios:
        its = np.flatnonzero(kind >= 0)
        place = kind[its] * documents + document[its]
        return Ratios(*(sums(place, part[its], kinds * documents).reshape(kinds, documents) for part in ratios))

    return Counts(of_side(terms.recall, *groups[0]), of_side(terms.precision, *groups[1]))
