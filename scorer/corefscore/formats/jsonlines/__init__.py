"""JSON lines and other dialects of JSON: readers for scoring and for validation, and a writer."""

from __future__ import annotations

from corefscore.formats.jsonlines.dialects import DIALECTS
from corefscore.formats.jsonlines.objects import promises, recognises
from corefscore.formats.jsonlines.reader import has_both_sides, of_characters, read, sentences, settled
from corefscore.formats.jsonlines.writer import write, writer
from corefscore.formats.row import Format, later

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    recognises,
    read=read,
    sentences=sentences,
    write=write,
    begin=b"",
    settled=settled,
    has_both_sides=has_both_sides,
    of_characters=of_characters,
    examiner=later("jsonlines.examiner:Examiner"),
    layers=later("jsonlines.layers:read"),
    promises=promises,
)
"""JSON of any dialect; written in the dialect of e2e-coref."""

DIALECTS_OF = {row.name: FORMAT._replace(name=row.name, title=row.title, write=writer(row)) for row in DIALECTS}
"""A format for each dialect, by name."""
