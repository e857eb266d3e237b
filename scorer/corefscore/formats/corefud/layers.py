"""The words of CorefUD, sentence by sentence, empty nodes among them, with their parts of speech (UPOS)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corefscore.arrays import bounds, changes, order_by
from corefscore.formats.corefud.lines import FORM, UPOS, Lines
from corefscore.formats.row import NO_WORD, Layers, Request
from corefscore.model import SENTENCE
from corefscore.sources import Source, as_text

EMPTY = "\N{EMPTY SET}"
"""What stands before the form of an empty node, and in place of none."""

NOTHING = b"_"

PRONOUN = "PRON"
"""What an empty node is that has no part of speech: most stand for a pronoun that is left out."""


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    lines = Lines(source)
    names, begins, of_sentence, _ = lines.documents()
    words, numbers = lines.words, lines.numbers(of_sentence)
    document = of_sentence[words.number // SENTENCE]
    order = order_by(document)
    at = bounds(document[order], len(names))
    for begin, start, stop in zip(begins, at, at[1:], strict=False):
        its = order[start:stop]
        rows = list(zip(words.row[its].tolist(), words.overt[its].tolist(), strict=True))
        forms = [_form(lines.column(row, FORM), overt=overt) for row, overt in rows]
        tags = [_tag(lines.column(row, UPOS), overt=overt) for row, overt in rows]
        cuts = np.flatnonzero(changes(numbers[its] // SENTENCE)).tolist()
        sentences = [forms[first:last] for first, last in zip(cuts, [*cuts[1:], None], strict=True)]
        yield Layers(begin, sentences, tags, numbers=numbers[its])


def _form(form: bytes, *, overt: bool) -> str:
    return as_text(form) if overt else EMPTY + as_text(form if form != NOTHING else b"")


def _tag(tag: bytes, *, overt: bool) -> str:
    if tag == NOTHING:
        return NO_WORD if overt else PRONOUN
    return as_text(tag)
