"""CoNLL-2011/2012: a reader for scoring, others that look closer, at names or at all that is odd, and a writer."""

from __future__ import annotations

from scorer.formats.conll.lines import BEGIN, sentences
from scorer.formats.conll.reader import read, recognises
from scorer.formats.conll.writer import write
from scorer.formats.row import Format

FORMAT = Format(
    "conll",
    "CoNLL-2011/2012",
    recognises,
    read,
    sentences,
    write,
    begin=b"#" + BEGIN,
    examiner="scorer.formats.conll.examiner",
    named="scorer.formats.conll.names",
)
