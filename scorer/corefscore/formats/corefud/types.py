"""The types of entities in CorefUD: the field ``etype`` of the brackets that open their mentions."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.core.sources import Source, as_text
from corefscore.formats.corefud.annotations import by_document
from corefscore.formats.corefud.chunks import CLOSE, Fields, attributes_of, chunks
from corefscore.formats.corefud.lines import Lines
from corefscore.formats.corefud.mentions import parts_of

_TYPE_FIELD = "etype"


def read(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    """For each document of a file that has no faults the line at which it begins, and the types of its entities by id:
    the first one that a mention of an entity has. A header that names no type gives nothing."""
    lines = Lines(source)
    header = lines.header or []
    fields = Fields.of(header)
    attributes = attributes_of(lines)
    if fields is None or _TYPE_FIELD not in header or not len(attributes.word):
        return
    field = header.index(_TYPE_FIELD)
    found = chunks(attributes, fields)
    parts = parts_of(found)
    of_word: dict[int, list[tuple[str, str]]] = {}
    for chunk, kind in enumerate(found.kind.tolist()):
        if kind == CLOSE:
            continue
        values = found.text_of(chunk).split(b"-")
        if len(values) > field and values[field].strip():
            word = int(attributes.word[found.cell[chunk]])
            label = parts[chunk][0] if chunk in parts else found.id_of(chunk)
            of_word.setdefault(word, []).append((as_text(label), as_text(values[field].strip())))
    for begin, words in by_document(lines):
        types: dict[str, str] = {}
        for word in words.tolist():
            for name, kind in of_word.get(word, ()):
                types.setdefault(name, kind)
        yield begin, types
