"""JSON lines with a closer look: the fault of every line, where scoring refuses at the first one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from scorer.errors import InputError
from scorer.findings import MOST, Finding, Found, counted
from scorer.formats.jsonlines import Fields, Reader, clean, objects, sentences_of
from scorer.formats.row import NO_WORD, Asked
from scorer.formats.words import Words, numbers_of
from scorer.model import Place
from scorer.sources import Source


class Examiner(Reader):
    """Reads one side, adding all that is wrong or odd to ``found``.

    ``words`` holds the words of every document by its place, where the file has them and they are asked for.
    """

    most = MOST

    def __init__(self, found: Found, asked: Asked, *, keep_words: bool = False) -> None:
        super().__init__([], asked)
        self.found = found
        self.words: dict[Place, Words] = {}
        self._keep_words = keep_words

    def note(self, finding: Finding) -> None:
        self.found.add(finding)

    def refuse(self, error: InputError, place: Place, fields: Fields) -> None:
        self.found.add(*error.findings)
        if isinstance(fields.get("doc_key"), str):
            self.batch.add_faulty(clean(fields["doc_key"]), place, error.findings[0])

    def look(self, place: Place, fields: Fields, field: str) -> None:
        empty = sum(not cluster for cluster in fields[field])
        if empty:
            details = {"document": clean(fields["doc_key"]), "count": counted(empty, "cluster"), "field": field}
            self.found.add(Finding("empty-cluster", place.source.name, place.line, details=details))
        its_sentences = sentences_of(fields) if self._keep_words else None
        if its_sentences is not None:
            number = numbers_of([word.encode("utf-8", "surrogateescape") for word in chain(*its_sentences)])
            self.words[place] = Words(number, np.full(len(number), place.line))

    def words_at(self, source: Source, tokens: Sequence[tuple[int, int]]) -> list[str]:
        """The words of tokens of a file, given by line and number in the document."""
        wanted = set(tokens)
        texts = {
            (place.line, number): word
            for place, fields in objects(source, {line for line, _ in tokens})
            for number, word in enumerate(chain(*(sentences_of(fields) or ())))
            if (place.line, number) in wanted
        }
        return [texts.get(token, NO_WORD) for token in tokens]
