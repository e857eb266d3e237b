"""CoNLL-2011/2012: readers for scoring, for named entities and for validation, and a writer."""

from __future__ import annotations

from corefscore.formats.conll.lines import BEGIN, sentences
from corefscore.formats.conll.reader import read, recognises
from corefscore.formats.conll.writer import write
from corefscore.formats.row import Format

FORMAT = Format(
    "conll",
    "CoNLL-2011/2012",
    recognises,
    read,
    sentences,
    write,
    begin=b"#" + BEGIN,
    examiner="corefscore.formats.conll.examiner",
    layers="corefscore.formats.conll.layers",
    named="corefscore.formats.conll.names",
    columns=True,
)
