"""JSON lines: a reader for scoring, one that looks closer, and a writer."""

from __future__ import annotations

from corefscore.formats.jsonlines.objects import promises, recognises
from corefscore.formats.jsonlines.reader import has_both_sides, read, sentences, settled, write
from corefscore.formats.row import Format

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    recognises,
    read,
    sentences,
    write,
    begin=b"",
    settled=settled,
    has_both_sides=has_both_sides,
    examiner="corefscore.formats.jsonlines.examiner",
    layers="corefscore.formats.jsonlines.layers",
    promises=promises,
)
