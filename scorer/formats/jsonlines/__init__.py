"""JSON lines: a reader for scoring, one that looks closer, and a writer."""

from __future__ import annotations

from scorer.formats.jsonlines.objects import recognises
from scorer.formats.jsonlines.reader import read, sentences, settled, write
from scorer.formats.row import Format

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    recognises,
    read,
    sentences,
    write,
    begin=b"",
    settled=settled,
    examiner="scorer.formats.jsonlines.examiner",
)
