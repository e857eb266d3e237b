"""Documents in memory: tagged text, as language models return it, clusters with their words, labels of items,
and clusters from the objects of other libraries, which are not imported."""

from __future__ import annotations

import json
import math
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.documents import KEY, RESPONSE, Clusters, Documents, Place, joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, shortened
from corefscore.core.items import Values, text_of
from corefscore.core.sources import Source
from corefscore.formats import BY_CONTENT, TAGGED, Reading, opened
from corefscore.formats.ids import linked_items, merged_cells, odd_ids, odd_names
from corefscore.formats.labels import UNNAMED
from corefscore.formats.labels import documents as documents_of
from corefscore.formats.numbering import documents_in
from corefscore.scoring.run import LONGEST_NAME, ONLY_DOCUMENT, Corpus, Texts, is_text


def from_text(answers: str | Texts, *, tags: str | None = None) -> Corpus:
    """Make a corpus of tagged text, such as ``[Ann](#1) saw [her](#1) cat.``, for the response of a score.

    ``answers`` are texts by the names of their documents, a list of texts in the order of the documents of the key, or
    one text. ``tags`` is the notation, as a name or a pattern (by default recognised by content). The words of the
    texts are looked up in the key, which has to have words.

        score("key.conll", from_text("[Ann](#1) saw [her](#1) cat."))

    Raises `UsageError` for anything but text and for a notation that is none, `InputError` for tagged text in a
    notation that is only similar.
    """
    given = [answers] if isinstance(answers, str) else answers
    if not is_text(given):
        expected = "expected text, a list of texts, or texts by document name"
        raise UsageError(f"answers have the type {type(answers).__name__}; {expected}")
    return answered(given, Reading(tags=tags))


def answered(answers: Texts, reading: Reading) -> Corpus:
    """Make a corpus of texts as if each were an answer in a file of JSON lines.

    Raises `UsageError` for paths in place of texts, and as `corefscore.formats.opened` does.
    """
    by_name = answers.items() if isinstance(answers, Mapping) else ((None, text) for text in answers)
    objects = []
    for name, text in by_name:
        if 0 < len(text) <= LONGEST_NAME and os.path.exists(text):
            raise UsageError(f"{text!r} is a file; expected tagged text, pathlib.Path objects, or Runs of one system")
        objects.append({"answer": text} if name is None else {"doc_key": name, "answer": text})
    found = _read(objects, "answers", TAGGED, RESPONSE, replace(reading, columns=None))
    return replace(found, reading=reading.settings)


_Words: TypeAlias = Iterable[str] | Iterable[Iterable[str]]
"""The words of a document, or its sentences."""


def from_clusters(clusters: Mapping[str, Clusters] | Clusters, words: Mapping[str, _Words] | _Words) -> Corpus:
    """Make a corpus of clusters and words, to `write` it, or as a key for tagged text.

    ``clusters`` are those of one document, or of documents by name, as `score` takes them; mentions are (first token,
    last token), counted from 0 in the document. ``words`` are, for each document, a list of words or of sentences.

        write(from_clusters([[(0, 0), (2, 2)]], ["Ann", "fed", "her", "cat"]), "key.conll", "conll")

    Raises `UsageError` for a document without words or without clusters, `InputError` for words of another shape, for
    mentions that are no spans, and for those beyond the words.
    """
    from corefscore.formats.memory import nested_by_name

    entities, texts = (side if isinstance(side, Mapping) else {ONLY_DOCUMENT: side} for side in (clusters, words))
    for name in sorted(entities.keys() ^ texts.keys(), key=str):
        has, lacks = ("clusters", "words") if name in entities else ("words", "clusters")
        expected = "words and clusters of the same documents; clusters may be []"
        raise UsageError(f"document {name!r} has {has} and no {lacks}; expected {expected}")
    objects = [
        {"doc_key": name, "sentences": _sentences(name, texts[name]), "clusters": of_document}
        for name, of_document in nested_by_name(entities, "clusters").items()
    ]
    return _read(objects, "clusters", "jsonlines", KEY, BY_CONTENT)


def _sentences(name: str, words: Any) -> Any:
    """Return the words of a document by sentence. Raises `UsageError` if they are no list."""
    from corefscore.formats.memory import as_collections

    found = as_collections(words)
    if not isinstance(found, list | tuple):
        expected = "a list of words, or of sentences, each a list of words"
        raise UsageError(f"the words of document {name!r} have the type {type(words).__name__}; expected {expected}")
    return [found] if all(isinstance(word, str) for word in found) else found


def _read(objects: Iterable[Any], name: str, form: str, side: str, reading: Reading) -> Corpus:
    """Make a corpus of objects as if they were in a file of JSON lines, called ``name`` in messages."""
    source = Source(name, "\n".join(json.dumps(each, default=_for_json) for each in objects).encode())
    notices: list[Finding] = []
    files = opened([source], notices, replace(reading, input_format=form), side=side, texts=True)
    documents = joined(list(files.documents(notices)))
    return Corpus(documents, tuple(notices), reading.settings, origin=(source, reading, KEY))


def _for_json(value: Any) -> Any:
    """Return a set as a list, a number of numpy as one of Python, and anything else as text, which is no mention."""
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, set | frozenset) else repr(value)


SPANS, HEADS = "coref_clusters", "coref_head_clusters"
"""The names of the groups that spaCy's coreference components make, each followed by a number."""


def from_spacy(doc: Any, *, heads: bool = False) -> list[list[tuple[int, int]]]:
    """Return the entities of a spaCy document, for `corefscore.score` and other functions that accept clusters.

    Each group of ``doc.spans`` with a name like ``coref_clusters_1`` is an entity; with ``heads``, each group with a
    name like ``coref_head_clusters_1``, whose mentions are heads. Entities are in the order of these numbers. A mention
    is (first token, last token), whereas a spaCy span ends after its last token.

        score([from_spacy(key) for key in keys], [from_spacy(doc) for doc in docs])

    Raises `UsageError` for an object without ``spans``, and for a document that has only groups of the other kind.
    """
    try:
        groups = dict(doc.spans)
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError(f"a {type(doc).__name__} has no groups of spans; expected a Doc of spaCy") from error
    wanted, other = (HEADS, SPANS) if heads else (SPANS, HEADS)
    if not (names := _numbered(groups, wanted)) and _numbered(groups, other):
        raise UsageError(f"the document has groups {other}_*, and no {wanted}_*; write heads={not heads}")
    return [[(span.start, span.end - 1) for span in groups[name]] for name in names]


def _numbered(groups: Any, prefix: str) -> list[str]:
    """Return the names of groups that consist of a prefix and a number, in the order of the numbers."""
    names = [name for name in groups if re.fullmatch(rf"{prefix}_\d+", str(name))]
    return sorted(names, key=lambda name: int(name.rpartition("_")[2]))


_LARGE = np.float64(2**53)
"""The limit of whole numbers, which floats represent up to here; floats of fewer bits are compared as of 64."""


def from_labels(
    labels: Mapping[Any, Any] | Iterable[Any],
    items: Iterable[Any] | None = None,
    documents: Iterable[Any] | None = None,
) -> Corpus:
    """Return a clustering as a corpus, for `corefscore.score` and other functions: items with equal labels are one
    entity.

    ``labels`` is a list, an array, a series of pandas or polars, or a mapping from items to labels. An item with None,
    NaN or "" for a label is in no entity. ``items`` name the items; by default these are the index of a series of
    pandas, and otherwise the positions, so two lists of equal length need no items. ``documents`` name the document of
    each item, and items of one document are compared; by default there is one document.

        >>> from corefscore import from_labels, score
        >>> score(from_labels([1, 1, 1, 2]), from_labels(["a", "a", "b", "b"]), metrics="bcub")["bcub"].recall
        0.6666666666666667

    Items are the same if they are equal; numbers of one side beside text of the other by their texts. Names of items in
    a list are not compared with positions, unless they are 0, 1, 2 and so on. With ``documents``, equal labels in two
    documents are two entities. Arrays of numbers or text stay arrays. Raises `UsageError` for columns of different
    lengths, for an item without a name, and for labels that are tuples and lack their last part, such as
    ("document", None).
    """
    if is_mapping := isinstance(labels, Mapping):
        if items is not None:
            raise UsageError("items are given twice: as the keys of labels, and as items")
        labels, items = list(labels.values()), list(labels)
    every = (("labels", labels), ("items", items), ("documents", documents))
    indexed = [(name, its) for name, column in every if (its := _index(column)) is not None]
    named = [*map(str, items)] if indexed and isinstance(items, list | tuple) else []
    for name, its in indexed:
        if not its.equals(indexed[0][1]):
            first = f"{name} and {indexed[0][0]} differ in their index"
            raise UsageError(f"{first}; give {name}.array if their rows correspond")
        index = [*map(str, its)] if named else []
        if index != named and sorted(index) == sorted(named) and index != [*map(str, range(len(index)))]:
            first = f"{name} have the items for an index, in another order than {'labels' if is_mapping else 'items'}"
            raise UsageError(f"{first}; give them in this order, or {name}.array if their rows correspond")
    items = _index(labels) if items is None else items
    entity = _column("labels", labels)
    values = () if isinstance(entity.values, np.ndarray) else entity.values
    _refuse_rounded("labels", values, _LARGE)
    # Labels that are all different and have parts are pairs or clusters; those with a missing part are rows or pairs
    # of a document and a label.
    different = len(entity.values) == len(entity.number)
    odds = (value for value in values if isinstance(value, tuple) or (different and isinstance(value, frozenset)))
    if (odd := next((its for its in odds if different or not its or _is_missing([*its][-1])), None)) is not None:
        expected = "one label for each item; for pairs of item and label, give dict(pairs); score() takes clusters"
        if not different:
            expected = "None for an item without a label, and not a tuple without it"
        raise UsageError(f"a label is {shortened(repr(odd))}, a {type(odd).__name__}; expected {expected}")
    size = len(entity.number)
    item = _Column(np.arange(size), range(size)) if items is None else _column("items", items)
    document = _Column(np.zeros(size, np.int64), [UNNAMED]) if documents is None else _column("documents", documents)
    for name, column in (("items", item), ("documents", document)):
        if len(column.number) != size:
            raise UsageError(f"there are {len(column.number)} {name} and {size} labels; expected as many of both")
        if (column.number < 0).any():
            at = int(np.argmin(column.number))
            raise UsageError(f"{name}[{at}] is missing; expected a name (only a label may be None, NaN or empty)")
    names = list(map(text_of, document.values))
    columns = document.number, item.number, entity.number, np.full(size, -1)
    found = documents_of(names, [Place(Source("labels"), None)] * len(names), columns, item.values)
    texts = list(map(str, entity.values))
    found = replace(found, label=-1 - found.label, odd_labels=texts, unnamed=documents is None)
    rows = enumerate(item.number.tolist() if items is not None and not is_mapping else ())
    if found.items and any(text_of(item.values[at]) != str(row) for row, at in rows):
        found = replace(found, items=found.items._replace(named=True))
    return Corpus(found, tuple(_odd(found, texts, entity, item)), {})


def _odd(found: Documents, texts: Sequence[str], entity: _Column, item: _Column) -> Iterator[Finding]:
    """Yield what is odd about the columns of a clustering; ``texts`` are the labels as text."""
    yield from merged_cells(found)
    yield from linked_items(Place(Source("labels"), None), texts, _as_items(entity, item), item.number, entity.number)
    if found.unnamed and not isinstance(item.values, range):
        rows = [item.values[number] for number in item.number.tolist()]
        if part := documents_in(rows, [texts[at] if at >= 0 else "" for at in entity.number.tolist()]):
            expected = "all items are in one document; from_labels(labels, items, documents) divides them"
            details = {"name": part, "what": "the name of a document", "expected": expected}
            yield Finding("unread-field", "labels", details=details)
    its = entity.values
    # No smaller whole number can be odd, but for what -1 is in 8 and 16 bits.
    small = isinstance(its, np.ndarray) and its.dtype.kind in "iu" and not (its // np.float64(2**32 - 1)).any()
    small = small and np.asarray(its).max(initial=0) not in (2**8 - 1, 2**16 - 1)
    yield from odd_names(found) if small else odd_ids(found)


def _as_items(labels: _Column, items: _Column) -> Ints:
    """Return the number of the item that each label is, -1 for none. Labels and items of arrays have to have one type;
    of others, text and numbers are compared as text."""
    values, of = np.asarray(items.values) if isinstance(items.values, range) else items.values, labels.values
    none = np.full(len(of), -1)
    if isinstance(values, np.ndarray) and isinstance(of, np.ndarray):
        if values.dtype.kind != of.dtype.kind or not len(values):
            return none
        at = np.minimum(np.searchsorted(values, of), len(values) - 1)
        return np.where(values[at] == of, at, -1)
    every = values.tolist() if isinstance(values, np.ndarray) else values
    if {*of[:100], *map(text_of, of[:100])}.isdisjoint(every):  # then hardly most of them are items
        return none
    texts = list(map(text_of, of))
    known, plain = {*texts}, ((number, value) for number, value in enumerate(every) if type(value) in (str, int, float))
    table = {text: number for number, value in plain if (text := text_of(value)) in known}
    return np.array([table.get(text, -1) for text in texts], np.int64)


def _index(column: Any) -> Any:
    """Return the index of a series of pandas, None for another column."""
    return getattr(column, "index", None) if hasattr(column, "isna") else None


class _Column(NamedTuple):
    """The values of a column without copies, and the number of the value in each row, -1 where it is missing."""

    number: Ints
    values: Values


def _column(name: str, given: Iterable[Any]) -> _Column:
    """Return a list, array or series as numbers. Raises `UsageError` for what is none of them."""
    if isinstance(given, str | bytes | set | frozenset | Mapping) or not isinstance(given, Iterable):
        raise UsageError(f"{name} have the type {type(given).__name__}; expected a list, an array or a series")
    if hasattr(given, "factorize"):  # pandas, which is faster than a loop
        try:
            number, different = given.factorize()
        except TypeError as error:
            raise UsageError(f"{name}: {error}; expected a label or name per row, as in {name}.explode()") from error
        once = _column(name, different.to_numpy())
        return once._replace(number=np.append(once.number, -1)[number])
    # A tensor is an array, too. Those of polars with a missing whole number are floats, which large numbers are not.
    column: Any = given
    if hasattr(column, "__array__") and not (hasattr(column, "has_nulls") and column.has_nulls()):
        column = column if isinstance(column, np.ndarray) else np.asarray(column)
    if not isinstance(column, np.ndarray) or isinstance(column, np.ma.MaskedArray):
        column = column.tolist() if isinstance(column, np.ma.MaskedArray) else list(column)
        small = set(map(type, column)) == {int} and max(map(abs, column)) < 2**53
        column = np.array(column, dtype=np.int64) if small else column
    elif column.ndim != 1:
        raise UsageError(f"{name} have the shape {column.shape}; expected one dimension")
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "iufU":
        return _of_objects(name, column)
    missing = np.isnan(column) if column.dtype.kind == "f" else column == "" if column.dtype.kind == "U" else None
    number = np.full(len(column), -1)
    there: Any = slice(None) if missing is None or not missing.any() else ~missing
    found, number[there] = np.unique(column[there], return_inverse=True)
    if name != "items" and found.dtype.kind == "f":
        _refuse_rounded(name, found.tolist(), 2.0 ** (np.finfo(found.dtype).nmant + 1))
    if found.dtype.kind in "uf" and (found == np.round(found)).all() and (np.abs(found) < _LARGE).all():
        found = found.astype(np.int64)
    return _Column(number, found if found.dtype.kind in "iU" else found.tolist())


def _refuse_rounded(name: str, values: Iterable[Any], limit: float) -> None:
    """Raise `UsageError` for values that are floats too large to tell one whole number from the next."""
    floats = (value for value in values if isinstance(value, float))
    if (rounded := next((v for v in floats if math.isfinite(v) and abs(v) >= limit), None)) is not None:
        expected = "whole numbers or text; in pandas, use astype('Int64') before adding missing values"
        raise UsageError(f"{name} are floats such as {rounded:.17g}, too large to distinguish; expected {expected}")


def _of_objects(name: str, column: Sequence[Any]) -> _Column:
    """Return a column of any objects as numbers. Raises `UsageError` for one that is not hashable or cannot be
    compared."""
    table: defaultdict[Any, int] = defaultdict(count().__next__)
    arrays = [kind for kind in {*map(type, column)} if hasattr(kind, "__array__") and not issubclass(kind, np.generic)]
    if arrays:
        raise UsageError(f"{name} are {arrays[0].__name__} objects; expected values, as {name}.tolist() returns")
    try:
        number = [-1 if _is_missing(value) else table[value] for value in column]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise UsageError(f"{name}: {error}; expected text, numbers or other hashable values") from error
    return _Column(np.array(number, dtype=np.int64), list(table))


def _is_missing(value: Any) -> bool:
    """Return whether a value means nothing: None, an empty text, NaN of any type, or the missing values of pandas."""
    if value is None or isinstance(value, str | bytes):
        return not value
    return type(value).__name__ == "NAType" or bool(value != value)  # noqa: PLR0124
