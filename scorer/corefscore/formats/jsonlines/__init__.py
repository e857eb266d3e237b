"""JSON lines and other dialects of JSON: readers for scoring and for validation, and a writer."""

from __future__ import annotations

from functools import partial

from corefscore.formats.base import CLUSTERS, Format
from corefscore.formats.jsonlines import reader
from corefscore.formats.jsonlines.dialects import DIALECTS
from corefscore.formats.jsonlines.objects import recognises
from corefscore.formats.jsonlines.writer import write

FORMAT = Format(
    "jsonlines",
    "JSON lines",
    recognises,
    read=reader.read,
    write=write,
    begin=b"",
    name_in=reader.name_in,
    completed_request=reader.completed_request,
    has_both_sides=reader.has_both_sides,
    examine=reader.examine,
    annotations=reader.annotations_of,
    columns=(CLUSTERS,),
    zeros=True,
)
"""JSON of any dialect; written in the dialect of e2e-coref."""

DIALECTS_OF = {
    row.name: FORMAT._replace(name=row.name, title=row.title, write=partial(write, dialect=row)) for row in DIALECTS
}
"""A format for each dialect, by name."""
