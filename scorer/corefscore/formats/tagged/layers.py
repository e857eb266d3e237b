"""The words of text with tags, and what is wrong with its tags."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.documents.sources import Source
from corefscore.formats.row import Layers, Request
from corefscore.formats.tagged.notations import untagged
from corefscore.formats.tagged.reader import answers, notation_of


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The words of each document, all as one sentence."""
    notation = notation_of([source], request)
    for answer in answers(source, notation):
        its = untagged(answer.text, notation)
        yield Layers(answer.place.line, [its.words], faults=its.faults, zeros=its.zeros)
