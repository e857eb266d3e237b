"""CorefUD, CoNLL-U with coreference in the column MISC: a reader for scoring, one that looks closer, and a writer.

Only what tells the format is imported with it, since every file that is no CoNLL is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefscore.checking.findings import Finding
from corefscore.documents.model import Documents
from corefscore.documents.sources import Source
from corefscore.formats.row import Format, FullDocument, Request, Sentences

CONLL_U = re.compile(rb"^# ?(newdoc|global\.Entity|sent_id)|^\d+(?:[-.]\d+)?(?:\t[^\t\n]*){9}\r?$", re.MULTILINE)
"""What a file in CoNLL-U has: a comment of it, or a line of ten columns that begins with the number of a word."""


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is CoNLL-U."""
    return CONLL_U.search(head) is not None


def _read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    from corefscore.formats.corefud.reader import read

    yield from read(files, notices, request)


def _sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences | None]:
    from corefscore.formats.corefud.writer import sentences

    yield from sentences(source, notices, request)


def _write(documents: Iterator[FullDocument], notices: list[Finding], request: Request) -> Iterator[str]:
    from corefscore.formats.corefud.writer import write

    yield from write(documents, notices, request)


FORMAT = Format(
    "corefud",
    "CorefUD",
    recognises,
    _read,
    _sentences,
    _write,
    examiner="corefscore.formats.corefud.examiner",
    layers="corefscore.formats.corefud.layers",
    types="corefscore.formats.corefud.types",
)
