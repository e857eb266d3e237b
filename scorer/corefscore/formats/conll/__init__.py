"""CoNLL-2011/2012: readers for scoring, for named entities and for validation, and a writer."""

from __future__ import annotations

import re

from corefscore.core.sources import MARK
from corefscore.formats.base import NE, WORD, Format, later

BEGIN = b"begin document "
"""What follows the ``#`` of a line that begins a document."""


def recognises(head: bytes) -> bool:
    """Return whether the first bytes of a file contain a begin marker."""
    return re.search(rb"^(?:%s)?#[^\S\n]*%s" % (MARK, BEGIN), head, re.MULTILINE) is not None


FORMAT = Format(
    "conll",
    "CoNLL-2011/2012",
    recognises,
    read=later("conll.reader:read"),
    sentences=later("conll.lines:sentences"),
    write=later("conll.writer:write"),
    begin=b"#" + BEGIN,
    name_in=later("conll.lines:name_in"),
    examine=later("conll.examiner:examine"),
    named=later("conll.names:read"),
    annotations=later("conll.annotations:read"),
    columns=(WORD, NE),
)
