"""The words of JSON lines, sentence by sentence; parts of speech and parses they have none."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.formats.jsonlines.objects import objects, sentences_of
from corefscore.formats.row import Layers, Request
from corefscore.sources import Source


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    for place, fields in objects(source):
        yield Layers(place.line, sentences_of(fields) or ())
