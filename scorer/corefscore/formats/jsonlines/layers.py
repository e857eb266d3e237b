"""The words of JSON, sentence by sentence; parts of speech and parses it has none."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.documents.sources import Source
from corefscore.formats.jsonlines.objects import objects
from corefscore.formats.jsonlines.reader import words_of
from corefscore.formats.row import Layers, Request


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    for place, fields in objects(source):
        yield Layers(place.line, words_of(place, fields, request) or ())
