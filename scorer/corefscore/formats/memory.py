"""Documents from clusters in memory: entities as nested sequences of mentions, from Python or from JSON.

The rule by which they are one document or a list of documents, whose levels are counted up from mentions: a mention is
a plain value (text, a number, anything else that is hashable and not a collection) or a flat sequence of plain values:
a tuple, or a list that contains a number, such as `[0, 1]` in JSON. Entities are collections of mentions, a document is
a collection of entities, and a list of documents is the level above. So

    [["Ann", "she"], ["Bo"]]            a document       [[["Ann", "she"], ["Bo"]], ...]            documents
    [[(0, 1), (4, 4)], [(2, 2)]]        a document       [[[(0, 1), (4, 4)], [(2, 2)]], ...]        documents
    [[7, 8], [9]]                       a document       [[[7, 8], [9]], ...]                       refused

The lists in the last could be mentions as well as entities, so it is ambiguous; so is a number, or a value in a tuple,
beside sequences, such as `((0, 1), 2)`. An empty collection has the level of the other side; two lists of empty
collections are documents. A document with a name is not taken for a list of them.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, MappingView, Sequence, Sized
from functools import cache
from itertools import chain, islice
from numbers import Number
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from corefscore.core.arrays import Ints, repeated
from corefscore.core.documents import KEY, RESPONSE, Clusters, Documents, MentionText, Place, by_appearance
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural, shortened
from corefscore.core.items import LONGEST, Items, ItemWords, text_of
from corefscore.core.sources import Source
from corefscore.formats.ids import missing_item, shifted_items, without_spelling

DOCUMENT, DOCUMENTS = 2, 3
"""The number of levels of sequences above mentions."""

COLLECTIONS = (list, tuple, set, frozenset)

_EQUAL = frozenset({str, bytes, int, bool})
"""The types of most mentions and of their parts; such values equal themselves."""

_LONG = 50
"""No more tokens than most mentions have."""

_PRECISE = 10_000
"""The size up to which floats of 32 bits represent thousandths."""

MOST = 10_000
"""The number of mentions that only one side has among which spellings of one are looked for."""

_SOME = 0.1
"""The share of the mentions from which it is reported that they would match without a part."""

_PAIRS = 4
"""From so many pairs of text on, such as ["A", "17"], each of them is rather a mention than an entity."""

_PER_PAIR, _PER_NEGATIVE = 20, 3
"""How many spans there are, at least, for each pair that may be meant as one; and if a pair has a negative number."""

_OF_FRAME = (
    "write an entity as list(zip(frame['start'], frame['end'])), and a document as "
    "[list(zip(entity['start'], entity['end'])) for _, entity in frame.groupby('entity')] (group_by in polars)"
)

_EXPECTED = (
    "a document (a list of entities, each a list of mentions) or a list of documents; a mention is text, a number or a "
    "tuple such as (start, end)"
)

BY_NAME = "; to make the levels clear, give documents by name, {name: document}"

_UNCLEAR = (
    f"{_EXPECTED}; some of these could be one mention or several: give mentions as flat tuples of one length "
    f"and entities as lists{BY_NAME}"
)


class Nested(NamedTuple):
    """One side: its value, as nested collections that can be iterated again, and its level, `DOCUMENT` or `DOCUMENTS`;
    None if there is no mention to decide it. ``unclear`` documents may be one document (`_seem_mentions`)."""

    value: Any
    level: int | None
    unclear: bool = False


def are_spans(value: Any) -> TypeGuard[list[list[tuple[int, ...]]]]:
    """Return whether a value is a document of pairs of numbers in lists, as nearly all are: the rule above takes it for
    one, and its types are looked at once for each level."""
    if type(value) is not list or set(map(type, value)) != {list}:
        return False
    mentions = list(chain.from_iterable(value))
    if set(map(type, mentions)) != {tuple} or set(map(len, mentions)) != {2}:
        return False
    return set(map(type, chain.from_iterable(mentions))) == {int}


def nested(value: Any, side: str, name: str | None = None) -> Nested:
    """Find the level of ``value`` by the rule above. A value with a ``name`` can only be a document.

    Raises `InputError` for a value that fits no level, and for mentions that cannot equal others.
    """
    if are_spans(value):
        return Nested(value, DOCUMENT)
    index = [*map(str, value.index)] if hasattr(value, "isna") and hasattr(value, "index") else []
    levels_of_index = getattr(getattr(value, "index", None), "nlevels", 1)
    value, levels = _levels(value)
    level, wrong = _level(levels, named=name is not None)
    what, expected = "documents", "documents by name, series.to_dict(), or in the order of the other side, list(series)"
    if level == DOCUMENT:
        what, expected = "entities", "documents by name, dict(list(series.groupby(level=0))), or list(series) for one"
    by_document = name is None and (len({*index}) < len(index) or levels_of_index > 1)
    if by_document if level == DOCUMENT else level and index != [*map(str, range(len(index)))]:
        raise refusal(side, f"a series of {what} with the index {shortened(', '.join(index))}", expected)
    if wrong is None and name is not None and level == DOCUMENTS:
        wrong = "a document, not a list of documents"
    mentions = levels[level].plain if level is not None and level < len(levels) else ()
    if not all(map(str.strip, (its for its in mentions if isinstance(its, str)))):
        wrong = wrong or "mentions with words; leave out a text without any"
    if wrong := _wrong_leaf(levels) or wrong:
        raise refusal(side, shape(value), wrong, name)
    return Nested(value, level, level == DOCUMENTS and _seem_mentions(levels[DOCUMENT].collections))


def nested_by_name(value: Mapping[Any, Any], side: str) -> dict[str, Any]:
    """Check documents by name, each as `nested` does. Raises `InputError` for a name that is no text, and for an object
    of JSON."""
    refuse_other_names(value, side)
    if "clusters" in value:
        raise refusal(side, "in an object", 'clusters alone, such as object["clusters"]')
    return {name: nested(clusters, side, name).value for name, clusters in value.items()}


def refuse_other_names(names: Iterable[Any], side: str) -> None:
    """Raise `InputError` for the name of a document that is no text."""
    for name in names:
        if not isinstance(name, str):
            raise refusal(side, f"named {name!r:.40}, which has the type {type(name).__name__}", "a string for a name")


def seem_entities(documents: Mapping[str, Any]) -> bool:
    """Return whether clusters by document seem to be clusters by id: they have several entities, and each is a pair as
    a mention can be: of numbers, also as text, most of which are near each other, or of text."""
    pairs = list(chain.from_iterable(documents.values()))
    if len(pairs) < 2 or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        return False
    texts = [text_of(of) for of in chain(*pairs) if isinstance(of, int | float | np.number | str)]
    numbers = [float(text) for text in texts if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text)]
    near = sum(abs(b - a) < _LONG for a, b in zip(numbers[::2], numbers[1::2], strict=False))
    return len(numbers) == 2 * len(pairs) < 4 * near or (set(map(type, chain(*pairs))) == {str} and _seem_named(pairs))


def refusal(side: str, shape: str, expected: str, name: str | None = None) -> InputError:
    """Return the error for clusters of a shape that does not fit."""
    where = "" if name is None else f'in document "{name}": '
    return InputError([Finding("not-clusters", side, details={"where": where, "what": shape, "expected": expected})])


def together(key: Nested, response: Nested) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the documents of both sides by their numbers if they are lists, None if each side is one document.

    Raises `InputError` if one side is a document and the other a list, if the lists have different lengths, and if
    both may be one document.
    """
    level = key.level or response.level
    for side, name, other in ((key, KEY, response), (response, RESPONSE, key)):
        if side.unclear and (other.unclear or other.level is None):
            raise refusal(name, shape(side.value), _UNCLEAR)
    if level is None:
        level = DOCUMENTS if len(key.value) and len(response.value) else DOCUMENT
    if response.level not in (None, level):
        ours, theirs = (
            f"{shape(side.value)}, {'one document' if side.level == DOCUMENT else 'a list of documents'}"
            for side in (response, key)
        )
        raise refusal(RESPONSE, f"{ours}; those of the other side are {theirs}", "the same on both sides" + BY_NAME)
    if level == DOCUMENT:
        return None
    names = list(map(str, range(len(key.value))))
    return by_position(key, KEY, names), by_position(response, RESPONSE, names)


def by_position(unnamed: Nested, side: str, names: Sequence[str]) -> dict[str, Any]:
    """Name the documents of a side after those of the other side, in order. One document needs one name.

    Raises `InputError` if there are more or fewer documents than names.
    """
    single = unnamed.level == DOCUMENT or (unnamed.level is None and len(names) == 1)
    if len(documents := [unnamed.value] if single else list(unnamed.value)) != len(names):
        what = ("" if single else "a list of ") + plural(len(documents), "document")
        expected = (
            f"{len(names)}, since lists are paired by position with the documents of the other side; give documents by "
            "name, {name: document}, to leave some out"
        )
        raise refusal(side, f"{what}, and the other side has {len(names)}", expected)
    return dict(zip(names, documents, strict=True))


class _Level(NamedTuple):
    """The collections and the plain values that are equally deep in a value, and the types of both."""

    collections: list[Any]
    plain: list[Any]
    kinds: frozenset[type]


def as_collections(value: Any) -> Any:
    """Return the value, or each document by its name, with every other iterable in it as a list."""
    if isinstance(value, Mapping):
        return {name: as_collections(document) for name, document in value.items()}
    return _levels(value)[0]


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number."""
    return type(value) is int or isinstance(value, np.integer)


def _levels(value: Any) -> tuple[Any, list[_Level]]:
    """Return the value with every other iterable in it as a list, and its levels, from the outside in. Types are looked
    at once for each level."""
    levels, layer = [], [value]
    while layer:
        kinds = frozenset(map(type, layer))
        if (inner := _collections_among(kinds)) is None:
            return _levels(_unfolded(value))
        collections, plain = (layer, []) if inner else ([], layer)
        if inner and inner != kinds:
            collections = [item for item in layer if type(item) in inner]
            plain = [item for item in layer if type(item) not in inner]
        levels.append(_Level(collections, plain, kinds))
        layer = list(chain.from_iterable(collections))
    return value, levels


@cache
def _collections_among(kinds: frozenset[type]) -> frozenset[type] | None:
    """Return which of some types are `COLLECTIONS`; None if there are collections of other types among them."""
    if any(map(_is_other_collection, kinds)):
        return None
    return frozenset(kind for kind in kinds if issubclass(kind, COLLECTIONS))


def _is_other_collection(kind: type) -> bool:
    """Return whether values of a type are collections of another type: arrays, iterators, and any iterable with a
    length that is not hashable, so that it cannot be a mention. A pydantic model has no length: its elements are its
    fields."""
    if issubclass(kind, (*COLLECTIONS, str, bytes, Mapping)) or not issubclass(kind, Iterable) or _is_frame(kind):
        return False
    return issubclass(kind, (np.ndarray, Iterator, MappingView)) or (kind.__hash__ is None and issubclass(kind, Sized))


def _is_frame(kind: type) -> bool:
    """Return whether a type is a data frame of any library, whose elements are the names of its columns, or its
    groups."""
    return hasattr(kind, "columns") or kind.__name__.endswith("GroupBy")


def _unfolded(value: Any) -> Any:
    """Return the value with every collection of another type as a list."""
    if isinstance(value, np.ndarray):
        of_text = value.ndim == 2 and value.dtype.kind not in "biuf"  # rows of numbers are mentions as lists, too
        value = list(map(tuple, value.tolist())) if of_text else value.tolist()
    if isinstance(value, tuple):
        return tuple(map(_unfolded, value))
    others = _is_other_collection(type(value)) or isinstance(value, list)
    if others or (isinstance(value, COLLECTIONS) and any(map(_is_other_collection, map(type, value)))):
        return list(map(_unfolded, value))
    return value


def _level(levels: list[_Level], *, named: bool) -> tuple[int | None, str | None]:
    """Return the level of a value; if it has none, what was expected instead."""
    first = next((depth for depth, level in enumerate(levels) if level.plain), None)
    if first is None:
        depth = len(levels) - 1  # of the innermost collection, which is empty
        return (None if depth < DOCUMENT else DOCUMENTS), (_EXPECTED if depth > DOCUMENT else None)
    flat = first == DOCUMENTS and _are_mentions(*levels[DOCUMENT : DOCUMENTS + 1])
    level = DOCUMENT if first == DOCUMENT or flat else DOCUMENTS
    if first < DOCUMENT or not _are_mentions(*levels[level : level + 2]):
        paths = first == 1 and levels[1].kinds == {str}
        return None, f"{_EXPECTED}; give paths in a list as pathlib.Path objects" if paths else _EXPECTED
    sequences, plain, _ = levels[level]
    entities = levels[level - 1].collections if plain else []
    alike = len({tuple(map(type, entity)) for entity in entities}) == 1 < len(entities)
    unclear = alike and all(map(_has_text_beside, entities))
    if not sequences and level == DOCUMENT:  # then lists of numbers, and tuples of text, are entities
        entities = [entity for entity in entities if isinstance(entity, tuple) and _has_number(entity)]
    lengths = set(map(len, sequences)) if flat and not named else set()
    unclear = unclear or len(lengths) > 1 or lengths == {1} or any(map(_can_be_mention, entities))
    return (None, _UNCLEAR.removesuffix(BY_NAME if named else "")) if unclear else (level, None)


def _are_mentions(level: _Level, inner: _Level | None = None) -> bool:
    """Return whether everything at a level can be a mention; ``inner`` is the next one."""
    if inner is not None and inner.collections:
        return False
    kinds = {*(_collections_among(level.kinds) or ())}
    if kinds == {tuple} or (kinds == {list} and inner is not None and inner.kinds == {int}):
        return all(level.collections)  # nearly all input, without a look at each
    return all(map(_can_be_mention, level.collections))


def _can_be_mention(value: Any) -> bool:
    """Return whether a collection has plain values that can be parts of one mention."""
    if isinstance(value, tuple):
        return any(not isinstance(part, COLLECTIONS) for part in value)
    return isinstance(value, list) and _has_number(value)


def _has_text_beside(entity: Any) -> bool:
    """Return whether an entity is a list of text and of numbers or lists, which is rather one mention, such as
    ["doc", 3] or [[0, 1], "Ann"]."""
    kinds = set(map(type, entity)) if isinstance(entity, list) else set()
    return str in kinds and not kinds.isdisjoint({int, list})


def _seem_mentions(entities: Sequence[Any]) -> bool:
    """Return whether the entities of a list of documents seem to be the mentions of one document: frozen sets of the
    numbers of tokens, digits beside text, such as ["A", "17"], or spans in digits or beside their text, such as
    ["3", "5"] and [[3, 5], "Ann"]."""
    if all(isinstance(each, frozenset) for each in entities):
        return all(map(_has_number, entities))
    if not all(isinstance(each, list) and len(each) == 2 for each in entities):
        return False
    if any(isinstance(part, list) for part in entities[0]):
        return str in map(type, entities[0])
    texts = set(map(type, chain(*entities))) == {str}
    digits = [all(map(str.isdecimal, column)) for column in zip(*entities, strict=True)] if texts else []
    ordered = texts and all(digits) and all(int(first) <= int(last) for first, last in entities)
    return ordered or (len(entities) >= _PAIRS and digits.count(True) == 1) or (texts and _seem_named(entities))


def _seem_named(pairs: Sequence[Any]) -> bool:
    """Return whether pairs of text are rather mentions than entities, such as ("doc1", "Ann"): what they begin with has
    digits or signs of names, and comes again, and what they end with does not."""
    first, second = map(set, zip(*pairs, strict=True))
    return _PAIRS <= len(pairs) == len(second) > len(first) and all(re.fullmatch(r"\S*[\d_/]\S*", of) for of in first)


def _has_number(values: Iterable[Any]) -> bool:
    return any(isinstance(value, Number) for value in values)


def _wrong_leaf(levels: list[_Level]) -> str | None:
    """Describe what is wrong with plain values of some type: not hashable, or no two of them ever equal."""
    for kind in {kind for level in levels for kind in level.kinds - _EQUAL if not issubclass(kind, COLLECTIONS)}:
        if kind is type(None):
            return f"{_EXPECTED}; None is not a mention: leave it out"
        if _is_frame(kind):
            return f"{_EXPECTED}; {kind.__name__} is not a list of mentions: {_OF_FRAME}"
        if kind.__hash__ is None or issubclass(kind, Mapping | np.void):
            by_id = "give clusters by id as list(clusters.values())"
            more = f"; {by_id}" if issubclass(kind, Mapping) else ", or a collection"
            return f"hashable mentions; a value of type {kind.__name__} cannot be a mention{more}"
        of_kind = [value for level in levels for value in level.plain if type(value) is kind]
        for other in filter(_differs_from_itself, of_kind):
            return f"{_EXPECTED}; {other!r:.20} cannot be a mention: leave it out"
        if kind.__hash__ is object.__hash__ or hash(of_kind[0]) == id(of_kind[0]):
            return f"mentions that can be equal; each {kind.__name__} equals only itself: make them numbers or text"
    return None


def _differs_from_itself(value: Any) -> bool:
    """Return whether a value is a missing one: NaN, or pandas.NA, whose comparison is neither true nor false."""
    equal = value == value  # noqa: PLR0124
    return not (isinstance(equal, bool | np.bool_) and equal)


def shape(value: Any, depth: int = 0) -> str:
    """Describe the types of a value, from the outside in: ``list[list[tuple[int, int]]]``."""
    kind = type(value).__name__
    if not isinstance(value, COLLECTIONS):
        return kind
    if depth > DOCUMENTS + 2:
        return f"{kind}[...]"
    inner = [shape(item, depth + 1) for item in islice(value, 100)]
    if isinstance(value, tuple) and len(value) <= DOCUMENTS:
        return f"{kind}[{', '.join(inner)}]"
    kinds = sorted(dict.fromkeys(inner), key=len, reverse=True)
    return f"{kind}[{' | '.join([*kinds[:3], '...'] if len(kinds) > 3 else kinds)}]"


class Mentions:
    """Gives every mention a span: ``(start, end)`` is its own span, any other value gets one that no token has.

    Both sides of a run share one of these, so that equal mentions get equal spans. The spans of other values rise in
    the order in which these first occur.
    """

    def __init__(self) -> None:
        self._spans: dict[Hashable, tuple[int, int]] = {}
        self.values: list[Hashable] = []
        """The mentions that are no spans, in the order in which they first occur."""

    def span(self, mention: Any) -> tuple[int, int]:
        """Return the span of a mention, which is a hashable value or a list of hashable values."""
        value = as_tuple(mention)
        if (span := self._spans.get(value)) is None:
            if _is_span(value):
                span = int(value[0]), int(value[1])
            else:
                span = (len(self.values) - LONGEST,) * 2
                self.values.append(value)
            self._spans[value] = span
        return span

    def spans(self, mentions: list[Any]) -> Ints:
        """Return the spans of mentions, a row each."""
        if set(map(type, mentions)) <= {tuple, list} and set(map(len, mentions)) == {2}:
            numbers = list(chain.from_iterable(mentions))
            if set(map(type, numbers)) == {int} and min(numbers) >= 0 and max(numbers) < LONGEST:
                spans = np.array(numbers, dtype=np.int64).reshape(-1, 2)
                if (spans[:, 0] <= spans[:, 1]).all():
                    return spans
        return np.array([self.span(mention) for mention in mentions], dtype=np.int64).reshape(-1, 2)


def odd_mentions(mentions: Mentions, *sides: Documents) -> Iterator[Finding]:
    """Yield a notice about two mentions that do not match and differ in case, white space or the like only, one about
    items counted from another number, one about a missing item, and one about tuples of whole numbers that are no
    spans: pairs, if most mentions of the sides are spans, and others if only one side has such. Pairs that fall, such
    as (4, 1), can be a sentence and a token, so for these nearly all mentions have to be spans."""
    values = [_named(mentions, side) for side in sides]
    if len(values) > 1:
        ours, theirs = map(dict.fromkeys, values)
        alone = [[its for its in one if its not in other] for one, other in ((ours, theirs), (theirs, ours))]
        if (all(alone) and any(isinstance(its, tuple) for its in mentions.values)) or all(map(_share_numbers, sides)):
            yield from _entity_parts(mentions, sides)
        if all(alone):
            yield from alike_mentions(alone[0], alone[1], "clusters")
            items = [{(of, text_of(its)) for of, its in some} for some in (ours, theirs)]
            yield from shifted_items(items[0], items[1], "clusters")
    yield from missing_item(mentions.values, None)
    numbers = [its for its in mentions.values if isinstance(its, tuple) and its and all(map(is_whole, its))]
    odd = [its for its in numbers if len(its) == 2]
    spans = sum(int(np.count_nonzero(its.start >= 0)) for its in sides)
    if not (odd and len(odd) * (_PER_NEGATIVE if min(map(min, odd)) < 0 else _PER_PAIR) <= spans):
        odd = numbers if any(len(side.start) and not some for side, some in zip(sides, values, strict=True)) else []
    if odd:
        yield Finding("no-span", "clusters", details={"count": plural(len(odd), "tuple"), "pair": str(odd[0])})


_InDocument = tuple[str, Any]
"""A mention that is no span, with the name of its document."""


def _named(mentions: Mentions, side: Documents, *, spans: bool = False) -> list[_InDocument]:
    """Return the mentions of a side that are no spans, or all with ``spans``, each with the name of its document."""
    which = np.flatnonzero((side.start < 0) | spans)
    of, start, end = side.document[side.entity[which]].tolist(), side.start[which].tolist(), side.end[which].tolist()
    values = (mentions.values[at + LONGEST] if at < 0 else (at, stop) for at, stop in zip(start, end, strict=True))
    return list(zip(map(side.names.__getitem__, of), values, strict=True))


def _share_numbers(side: Documents) -> bool:
    """Return whether all spans of an entity begin, or all end, with the same number, as in rows with its number."""
    same = side.entity[1:] == side.entity[:-1]
    return bool(same.any()) and any((np.diff(edge)[same] == 0).all() for edge in (side.start, side.end))


def _entity_parts(mentions: Mentions, sides: Sequence[Documents]) -> Iterator[Finding]:
    """Yield a notice if many mentions would match without one of their parts, such as an id or a type, or without
    several, which all mentions of an entity share on both sides."""
    rows = [list(zip(_named(mentions, side, spans=True), side.entity.tolist(), strict=True)) for side in sides]
    tuples = [[row for row in some if isinstance(row[0][1], tuple)] for some in rows]
    of_first = [[(its, entity) for (_, its), entity in some[:MOST]] for some in tuples]
    shared = [
        part
        for part in range(min((len(its) for some in of_first for its, _ in some), default=0))
        if all(len({(its[part], of) for its, of in some}) == len({of for _, of in some}) for some in of_first)
    ]
    several = any(len({of for _, of in some}) < len(some) for some in of_first)
    others = [{its for its, _ in some} for some in rows[::-1]]
    alone = [[its for its, _ in some if its not in other][:MOST] for some, other in zip(tuples, others, strict=True)]
    for parts in [*([part] for part in shared), shared] if several else ():
        without = [{(of, _without(its, parts)): its for of, its in some} for some in alone]
        alike, every = without[0].keys() & without[1].keys(), max(map(len, without))
        if max(map(len, alone)) <= every <= 2 * len(alike) and len(alike) >= _SOME * min(*map(len, rows), MOST):
            first, second = (repr(some[min(alike, key=repr)]) for some in without)
            details = {"count": plural(len(alike), "mention"), "first": first, "second": second}
            yield Finding("part-of-entity", "clusters", details=details)
            return


def _without(mention: tuple[Hashable, ...], parts: Sequence[int]) -> tuple[Hashable, ...]:
    """Return a mention without some of its parts."""
    return tuple(part for at, part in enumerate(mention) if at not in parts)


_SIGNS = r"(?i)\s+|%20|&nbsp;|-[lr]rb-|[()\"]|``|''"
"""White space, round brackets and double quotes, also as the Penn Treebank writes them."""


def alike_mentions(key: Sequence[_InDocument], response: Sequence[_InDocument], path: str) -> Iterator[Finding]:
    """Yield a notice about one of the first mentions of each side, of one document, that differ only in what is easily
    overlooked; each is given with the name of its document."""
    ours, theirs = (
        {(of, text): its for (of, its), text in zip(side, texts, strict=True)}
        for side in (key[:MOST], response[:MOST])
        for plain in [without_spelling([re.sub(_SIGNS, "", _rounded(its)) for _, its in side])[0]]
        for texts in [[its.replace(" ", "") for its in plain]]
    )
    if alike := min(ours.keys() & theirs.keys(), default=None):
        yield Finding("alike-mentions", path, details={"first": repr(ours[alike]), "second": repr(theirs[alike])})


def _rounded(mention: Hashable) -> str:
    """Return a mention as text, with its floats as floats of 32 bits."""
    if isinstance(mention, tuple):
        return ", ".join(map(_rounded, mention))
    if isinstance(mention, float) and abs(mention) < _PRECISE:
        return str(np.float32(mention))
    return text_of(mention)


def _is_span(value: Any) -> TypeGuard[tuple[int, int]]:
    """Return whether a mention is a pair of token numbers; anything else, negative pairs included, is a name. A number
    of any type is a token number if it equals one, as 1.0 does in a data frame; Python gives it the same hash.
    """
    if not (isinstance(value, tuple) and len(value) == 2):
        return False
    start, end = map(hash, value)
    return 0 <= start <= end < LONGEST and value == (start, end)


def as_tuple(mention: Any) -> Any:
    """Return a mention with its lists as tuples; one of `Corpus.clusters` as its span, or as the name of its item."""
    if isinstance(mention, MentionText):
        return mention.words if mention.start < 0 else tuple(mention[:2])
    return tuple(map(as_tuple, mention)) if isinstance(mention, list) else mention


def documents(names: Sequence[str], clusters: Iterable[Clusters], mentions: Mentions, side: str) -> Documents:
    """Return documents from clusters that were checked (`nested`); ``side`` is their file in messages."""
    checked: list[Any] = list(clusters)
    document = np.repeat(np.arange(len(checked)), list(map(len, checked)))
    # A set has no order of its own, and that of text changes from run to run.
    entities = [sorted(its, key=repr) if isinstance(its, set | frozenset) else its for its in chain(*checked)]
    sizes = np.array(list(map(len, entities)), dtype=np.int64)
    document, sizes = document[sizes > 0], sizes[sizes > 0]
    start, end = mentions.spans(list(chain.from_iterable(entities))).T
    numbers = np.arange(len(sizes))
    columns = document, numbers, np.repeat(numbers, sizes), start, end, np.full(len(start), -1)
    places = [Place(Source(side), None)] * len(checked)
    tokens = np.full(len(checked), -1)
    words = ItemWords(mentions.values)
    found = Documents(list(names), places, tokens, *columns, words=words, items=Items(mentions.values))
    # The order of mentions decides only which copy of a repeated one counts.
    return by_appearance(found) if repeated(document[found.entity], start, end).any() else found
