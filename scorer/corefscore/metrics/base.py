"""A metric as a row of the table of metrics: what it counts, its measures, its options and its description.

**The overlap of two partitions**, which it counts. For a key entity i with |k_i| mentions and a response entity j with
|r_j|, cell (i, j) is the number of mentions n_ij that they share. Only cells that are not zero exist, so nothing here
is quadratic in mentions or entities. Copies of a span that is annotated more than once are mentions. But B-cubed and
BLANC count distinct spans (`_Distinct`), and a pair of spans is one link, however often it occurs. Which copies are
kept is decided before, in `corefscore.matching.matched`.

**Counts**, which it returns, are summed first and divided last, and only here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from corefscore.core.arrays import Array, Floats, Ints, lists_by_key, pairs_of, ranked, sums
from corefscore.core.errors import UsageError, suggested
from corefscore.core.names import NameOptions, name_options
from corefscore.core.records import NamedTuple, check_options, dataclass, declared, replace
from corefscore.core.records import Option as Option  # noqa: PLC0414 - metrics of other packages import it from here
from corefscore.matching.matched import Matched, Side


@dataclass(frozen=True, eq=False, repr=False)
class _Distinct:
    """The distinct spans of groups of mentions, entities or cells.

    One value a group: its ``size`` in spans, and the number of its spans that are in no other group, ``alone``.

    One value a document: the number of ``spans``, of those that are annotated ``twice`` in one group, and of those in
    ``several`` groups. ``groups_of_spans`` has, for each document with spans in several groups, the number of spans in
    each set of groups.
    """

    size: Ints
    alone: Ints
    spans: Ints
    twice: Ints
    several: Ints
    groups_of_spans: Sequence[Counter[frozenset[int]]]


def _surplus_pairs(sets: Mapping[frozenset[int], int]) -> int:
    """Sum max(0, |A and B| - 1) over unordered pairs of spans, with A and B the groups of each; ``sets`` is the number
    of spans in each set of groups.
    """
    spans = np.array(list(sets.values()))
    with_group = lists_by_key((group, row) for row, groups in enumerate(sets) for group in groups)
    rows = {group: np.array(its) for group, its in with_group.items()}
    twice = 0
    for groups, count in sets.items():
        if 16 * len(others := np.concatenate([rows[group] for group in groups])) > len(sets):
            surplus = int(np.maximum(np.bincount(others, minlength=len(sets)) - 1, 0) @ spans)
        else:  # the same for a set that shares groups with few others
            which, shared = np.unique(others, return_counts=True)
            surplus = int((shared - 1) @ spans[which])
        twice += count * (surplus - (len(groups) - 1))  # without the pair of each span with itself
    return twice // 2


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Entities of one side, or cells: the ``document`` of each, in order, its ``size`` in mentions, and their
    ``distinct`` spans. A formula on sets of spans needs ``distinct.size``, since copies of a span are mentions, too.

    ``row`` is the row in which each group is summed: its document, or its unit within documents (`by_units`); then
    ``distinct`` has one value a unit instead of one a document.
    """

    document: Ints
    size: Ints
    distinct: _Distinct
    row: Ints

    def total(self, values: Array) -> Floats:
        """Return the sum of ``values`` (one a group) for each document, added in the order of the groups."""
        return sums(self.row, values, len(self.distinct.spans))

    def together(self) -> Floats:
        """Return the number of pairs of spans that share a group, for each document."""
        pairs = self.total(pairs_of(self.distinct.size))
        for sets in self.distinct.groups_of_spans:
            pairs[self.row[min(chain(*sets))]] -= _surplus_pairs(sets)
        return pairs


_G = TypeVar("_G", bound=Groups)


@dataclass(frozen=True, eq=False, repr=False)
class Cells(Groups):
    """The cells, by key entity and then response entity.

    ``key`` and ``response`` are the entities of each cell. ``size``, the n_ij, is the number of mentions of the key
    entity that are in the response entity; ``met`` the number of mentions of the response entity that match one of the
    key entity. Both are equal unless the key annotates a span twice: a response mention matches only the last copy.
    """

    key: Ints
    response: Ints
    met: Ints


class Overlap(NamedTuple):
    """The overlap table of a batch of pairs of documents.

    ``cell_of`` is the cell of each response mention that matches a key mention, in the order of the response.

    The last bit of a sum can be visible, and the two official scorers add in different orders: ``by_entity`` means the
    order of the CorefUD scorer.
    """

    documents: int
    key: Groups
    response: Groups
    cells: Cells
    cell_of: Ints
    by_entity: bool = False

    def squares(self, entity: Ints, entities: Groups) -> Floats:
        """Return the sum of n_ij^2 / |e| over cells for each document; ``entity`` is the entity e of each cell on one
        side.

        Added by mention, n_ij / |e| each, in the order of the response; or by entity (``by_entity``).
        """
        if self.by_entity:
            squares = np.bincount(entity, self.cells.distinct.size**2, len(entities.size))
            return entities.total(squares / np.maximum(entities.size, 1))
        shares = self.cells.distinct.size / entities.size[entity]
        return sums(self.cells.row[self.cell_of], shares[self.cell_of], len(self.cells.distinct.spans))


def overlap(matched: Matched) -> Overlap:
    """Return the overlap table of numbered mentions. The response has at most one copy of a span that the key has."""
    key, response = matched.key, matched.response
    numbers = len(matched.document)
    entity_in_response = np.full(numbers, -1)
    entity_in_response[response.number] = response.entity

    # The cell of every key mention that the response has, copies included.
    common = entity_in_response[key.number] >= 0
    number, i = key.number[common], key.entity[common]
    j = entity_in_response[number]
    first, cell_of = ranked(i, j)
    cell_key, cell_response = i[first], j[first]

    # The cell of the last copy of each span.
    cell_of_number = np.full(numbers, -1)
    cell_of_number[number] = cell_of
    met = cell_of_number[response.number]
    met = met[met >= 0]

    # The cells are groups of mentions like the entities of a side.
    of_key, of_response, of_cells = (
        _groups(matched, side)
        if side.has_copies
        else plain_groups(side.document, np.bincount(side.entity, minlength=len(side.document)), matched.documents)
        for side in (key, response, Side(number, cell_of, key.document[cell_key], key.mention[common]))
    )
    size = np.bincount(met, minlength=len(cell_key))
    cells = Cells(**vars(of_cells), key=cell_key, response=cell_response, met=size)
    return Overlap(matched.documents, of_key, of_response, cells, met)


def plain_groups(document: Ints, size: Ints, documents: int) -> Groups:
    """Return groups of mentions if no two mentions have the same span."""
    nothing, spans = np.zeros(documents, dtype=np.int64), sums(document, size, documents).astype(np.int64)
    return Groups(document, size, _Distinct(size, size, spans, nothing, nothing, ()), document)


def by_units(matched: Matched, table: Overlap, row: Ints, rows: int) -> tuple[Overlap, Overlap]:
    """Return the table of numbered mentions with units within documents as rows of sums: for recall and for precision.
    ``row`` is the row of each number.

    An entity is in the unit of its first mention, a cell in the unit of its key entity for recall and of its response
    entity for precision; distinct spans are in the units of their mentions.
    """
    nothing = np.zeros(rows, dtype=np.int64)

    def spans(numbers: Ints) -> Ints:
        return np.bincount(row[np.unique(numbers)], minlength=rows)

    def in_units(groups: _G, unit: Ints, numbers: Ints) -> _G:
        of_units = replace(groups.distinct, spans=spans(numbers), twice=nothing, several=nothing)
        return replace(groups, row=unit, distinct=of_units)

    key, response = (row[side.first(side.number)] for side in (matched.key, matched.response))
    common = np.intersect1d(matched.key.number, matched.response.number)
    sides = table._replace(
        key=in_units(table.key, key, matched.key.number),
        response=in_units(table.response, response, matched.response.number),
    )
    of_cells = key[table.cells.key], response[table.cells.response]
    recall, precision = (sides._replace(cells=in_units(table.cells, unit, common)) for unit in of_cells)
    return recall, precision


def _groups(matched: Matched, side: Side) -> Groups:
    """Return groups of mentions, which are the entities of a side, if some mentions have the same span."""
    documents, of_number = matched.documents, matched.document
    number, group, document, _ = side

    # Distinct (number, group) rows, by number.
    first, row = ranked(number, group)
    row_number, row_group = number[first], group[first]
    groups_of_number = np.bincount(row_number, minlength=len(of_number))
    alone = groups_of_number[row_number] == 1
    sets = lists_by_key(zip(row_number[~alone].tolist(), row_group[~alone].tolist(), strict=True))
    groups_of_spans: dict[int, Counter[frozenset[int]]] = defaultdict(Counter)
    for span, groups in sets.items():
        groups_of_spans[int(of_number[span])][frozenset(groups)] += 1

    def spans(numbers: Ints) -> Ints:
        return np.bincount(of_number[numbers], minlength=documents)

    distinct = _Distinct(
        np.bincount(row_group, minlength=len(document)),
        np.bincount(row_group[alone], minlength=len(document)),
        spans(np.flatnonzero(groups_of_number)),
        spans(np.unique(row_number[np.bincount(row, minlength=len(first)) > 1])),
        spans(np.flatnonzero(groups_of_number > 1)),
        list(groups_of_spans.values()),
    )
    return Groups(document, np.bincount(group, minlength=len(document)), distinct, document)


SCORES = ("recall", "precision", "f1")
"""The scores of a measure, in the order that they have in arrays and tables."""


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Divide: numerator / denominator, and 0 if the denominator is 0 (recorded cases empty-key, empty-response)."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    if denominator.all():  # much faster than with a mask
        return np.divide(numerator, denominator, out=np.empty(numerator.shape))
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """Return 2 P R / (P + R), 0 if both are 0; multiplied in this order, like in the official scorer."""
    return quotient(2 * precision * recall, precision + recall)


class Ratios(NamedTuple):
    """Numerators and denominators: one number each, or one for each document, group or trial."""

    numerator: Floats
    denominator: Floats


class Counts(NamedTuple):
    """The counts of one measure: recall and precision before division."""

    recall: Ratios
    precision: Ratios


def shares(common: Floats, key: Floats, response: Floats) -> Counts:
    """Return the counts of a measure whose recall is common / key, and its precision common / response."""
    return Counts(Ratios(common, key), Ratios(common, response))


class Values(NamedTuple):
    """The scores of a measure, from 0 to 1: one number each, or one for each document, group or trial; and the counts
    of recall and precision.
    """

    recall: Floats
    precision: Floats
    f1: Floats
    recall_counts: Ratios
    precision_counts: Ratios


def divided(counts: Counts) -> Values:
    """Recall, precision and F1 of counts."""
    recall, precision = quotient(*counts.recall), quotient(*counts.precision)
    return Values(recall, precision, f1(recall, precision), *counts)


def combined(recall: Floats, precision: Floats, f1: Floats) -> Values:
    """Return the values of a measure that combines others, whose counts are the scores over 1."""
    ones = np.ones(recall.shape)
    return Values(recall, precision, f1, Ratios(recall, ones), Ratios(precision, ones))


def packed(measures: Sequence[Counts]) -> Floats:
    """Return the counts of measures as one array of the shape documents x measures x 4.

    The four are the numerator and denominator of recall, then of precision.
    """
    return np.stack([np.stack([*counts.recall, *counts.precision], axis=-1) for counts in measures], axis=-2)


def unpacked(array: Floats) -> list[Counts]:
    """Return the counts in an array of the shape ... x measures x 4."""
    return [
        Counts(Ratios(array[..., row, 0], array[..., row, 1]), Ratios(array[..., row, 2], array[..., row, 3]))
        for row in range(array.shape[-2])
    ]


def summed(array: Floats) -> Floats:
    """Return the sum over documents (the first axis), added from left to right.

    `numpy.cumsum` adds in order; `numpy.sum` adds pairwise, which changes the last bit.
    """
    if not len(array):
        return np.zeros(array.shape[1:])
    total: Floats = np.cumsum(array, axis=0)[-1].copy()  # without the sums before it
    return total


class Measure(NamedTuple):
    """A named score of a metric, and its label in the official layout. ``title`` is its name in papers, if it has
    another one there.

    ``combine`` computes it from all counts of the metric, and takes the metric's options by keyword. Without it, the
    measure is the quotient of its own counts, in the order in which `Metric.count` returns them.
    """

    name: str
    label: str
    combine: Callable[..., Values] | None = None
    title: str = ""


WHOLE, NAMED, NODES = "whole", "named", "nodes"

VIEWS: Mapping[str, tuple[Option, ...]] = {WHOLE: (), NAMED: declared(NameOptions), NODES: ()}
"""The views of documents that a metric can count, with the options of each: all mentions, named mentions only
(`corefscore.matching.named`), or mentions with their words (`corefscore.matching.mentions.Alignment`)."""


def _none(**_: Any) -> int:
    """Count nothing more."""
    return 0


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """One row of the table of metrics.

    What it counts:

    - ``count``: from an `Overlap` (for the view `NODES` an `Alignment`) to one `Counts`, each part with one value a
      document, for each measure that is not combined, and then as many as ``more`` says that only combined measures
      read.
    - ``terms``: the same with one value a mention (`corefscore.metrics.members`), for metrics that can be restricted to
      kinds of mentions.
    - ``view``: the view of documents that it counts, one of `VIEWS`.
    - ``corefud``: its measures by the definitions of the official CorefUD scorer, if these are different.
    - ``additive``: whether the counts of parts of a document that share no entity add up to those of the document.

    The official layout:

    - ``heading``: the text before its totals.
    - ``per_document``: whether it has a result line under each document.
    - ``identification``: the measure of mention identification that is printed first; a measure of its own if it does
      not count all mentions.

    What is said of it:

    - ``about``: its description, the docstring of its module (None in Python without docstrings). The paragraphs of a
      description are its title and when to use it; the definition; "Paper: ..."; and a note, which may be missing.
    - ``cite``: the keys of its papers in ``papers.bib``.
    """

    name: str
    about: str | None
    measures: tuple[Measure, ...]
    count: Callable[..., Sequence[Counts]]
    terms: Callable[..., Sequence[Counts]] | None = None
    view: str = WHOLE
    options: tuple[Option, ...] = ()
    heading: str = ""
    per_document: bool = True
    identification: str = "mentions"
    additive: bool = True
    more: Callable[..., int] = _none
    corefud: tuple[Measure, ...] | None = None
    cite: tuple[str, ...] = ()

    def given(self, own: Mapping[str, Any], definitions: str | None = None) -> Metric:
        """Pass the values of its options, by keyword, to its functions and those of its measures, which are those of an
        official scorer: conll or corefud."""
        measures = self.corefud if definitions == "corefud" and self.corefud else self.measures
        if not (values := {option.name: own[option.name] for option in self.options if option.name in own}):
            return self if measures is self.measures else replace(self, measures=measures)
        bound = [its._replace(combine=its.combine and partial(its.combine, **values)) for its in measures]
        return replace(
            self,
            count=partial(self.count, **values),
            terms=self.terms and partial(self.terms, **values),
            more=partial(self.more, **values),
            measures=tuple(bound),
        )

    def described(self) -> list[str]:
        """List the four paragraphs of its description, each in one line, and empty if it is missing."""
        paragraphs = re.split(r"\n\s*\n", self.about or "", maxsplit=3)
        return [" ".join(paragraph.split()) for paragraph in (*paragraphs, "", "", "")[:4]]

    @property
    def use(self) -> str:
        """When to use it: "Use it ..."."""
        return self.described()[0].partition(". ")[2]

    @property
    def uncombined(self) -> list[str]:
        """The names of its measures that are not combined, in the order of their counts."""
        return [measure.name for measure in self.measures if measure.combine is None]

    @property
    def width(self) -> int:
        """Count what ``count`` returns for a document."""
        return len(self.uncombined) + self.more()


def options_of(metrics: Sequence[Metric]) -> list[Option]:
    """List the options of several metrics without duplicates."""
    return list(dict.fromkeys(option for metric in metrics for option in (*metric.options, *VIEWS[metric.view])))


def own_values(metrics: Sequence[Metric], given: Mapping[str, Any]) -> tuple[dict[str, Any], NameOptions | None]:
    """Find the values of the options of some metrics by keyword, from ``given`` or the defaults; and the options about
    named entities among them, None if no metric counts named mentions.

    Implied options are left out if they have their default. Raises `UsageError` for an unknown option and for an
    invalid value.
    """
    options = options_of(metrics)
    if unknown := sorted(given.keys() - (known := [option.name for option in options])):
        hint = suggested(unknown[0], known) if known else "they have no options"
        raise UsageError(f"unknown option {', '.join(unknown)} for these metrics; {hint}")
    names = name_options(given) if any(metric.view == NAMED for metric in metrics) else None
    if names is not None:
        given = {**given, **vars(names)}
    values = {option.name: given.get(option.name, option.default) for option in options}
    check_options(options, values)
    implied = {option.name for option in options if option.implied and values[option.name] == option.default}
    return {name: value for name, value in values.items() if name not in implied}, names
