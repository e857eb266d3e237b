"""What CorefUD has besides mentions: words, sentence by sentence, empty nodes among them, with their parts of speech
(UPOS); and the types of entities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain

import numpy as np

from corefscore.core.arrays import Ints, bounds, changes, order_by
from corefscore.core.documents import SENTENCE, is_within
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import EMPTY, NO_WORD, Annotations, Request
from corefscore.formats.corefud.chunks import CLOSE, Fields, attributes_of, chunks
from corefscore.formats.corefud.lines import FORM, UPOS, Lines
from corefscore.formats.corefud.mentions import parts_of
from corefscore.formats.corefud.trees import depths, tree_of

_NOTHING = b"_"

_PRONOUN = "PRON"
"""What an empty node is that has no part of speech: most stand for a pronoun that is left out."""

_TYPE_FIELD = "etype"
"""The field with the type of an entity in the brackets that open its mentions."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    lines = Lines(source)
    words, numbers = lines.words, lines.numbers(lines.documents.of_sentence)
    depth = cache(partial(depths, lines))
    of_word = _types_of_words(lines) if request.types and not is_within(request.types) else {}
    for begin, which in by_document(lines):
        rows = list(zip(words.row[which].tolist(), words.overt[which].tolist(), strict=True))
        forms = [_form(lines.column(row, FORM), overt=overt) for row, overt in rows]
        tags = [_tag(lines.column(row, UPOS), overt=overt) for row, overt in rows]
        tree = partial(tree_of, lines, depth, which, numbers)
        types: dict[str, str] = {}
        for name, kind in chain.from_iterable(of_word.get(word, ()) for word in which.tolist()):
            types.setdefault(name, kind)
        yield Annotations(begin, cut(forms, numbers[which]), tags, numbers=numbers[which], tree=tree, types=types)


def by_document(lines: Lines) -> Iterator[tuple[int, Ints]]:
    """For each document the line at which it begins, and its words (their places in the file)."""
    names, begins, of_sentence, *_ = lines.documents
    document = of_sentence[lines.words.sentence]
    order = order_by(document)
    at = bounds(document[order], len(names))
    for begin, start, stop in zip(begins, at, at[1:], strict=False):
        yield begin, order[start:stop]


def cut(forms: list[str], numbers: Ints) -> list[list[str]]:
    """Return the forms of words with these numbers (`corefscore.core.documents.Nodes`), sentence by sentence."""
    cuts = np.flatnonzero(changes(numbers // SENTENCE)).tolist()
    return [forms[first:last] for first, last in zip(cuts, [*cuts[1:], None], strict=True)] if cuts else []


def _form(form: bytes, *, overt: bool) -> str:
    return as_text(form) if overt else EMPTY + as_text(form if form != _NOTHING else b"")


def _tag(tag: bytes, *, overt: bool) -> str:
    if tag == _NOTHING:
        return NO_WORD if overt else _PRONOUN
    return as_text(tag)


def _types_of_words(lines: Lines) -> Mapping[int, Sequence[tuple[str, str]]]:
    """Return the ids and types of the mentions that begin at each word. A header that names no type gives nothing."""
    header = lines.header or []
    fields = Fields.of(header)
    attributes = attributes_of(lines)
    if fields is None or _TYPE_FIELD not in header or not len(attributes.word):
        return {}
    field = header.index(_TYPE_FIELD)
    found = chunks(attributes, fields)
    parts = parts_of(found)
    of_word: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for chunk, kind in enumerate(found.kind.tolist()):
        if kind == CLOSE:
            continue
        values = found.text_of(chunk).split(b"-")
        if len(values) > field and values[field].strip():
            word = int(attributes.word[found.cell[chunk]])
            label = parts[chunk][0] if chunk in parts else found.id_of(chunk)
            of_word[word].append((as_text(label), as_text(values[field].strip())))
    return of_word
