"""CoNLL-2011/2012: readers for scoring, for named entities and for validation, and a writer."""

from __future__ import annotations

import re
from functools import partial

from corefscore.core.sources import MARK
from corefscore.formats import later
from corefscore.formats.base import NE, WORD, Format

BEGIN = b"begin document "
"""What follows the ``#`` of a line that begins a document."""


_BEGINS = re.compile(rb"^(?:%s)?#[^\S\n]*%s" % (MARK, BEGIN), re.MULTILINE)
"""What the first bytes of a file contain: a begin marker."""

FORMAT = Format(
    "conll",
    "CoNLL-2011/2012",
    _BEGINS.search,
    read=partial(later, "conll.reader", "read"),
    write=partial(later, "conll.writer", "write"),
    begin=b"#" + BEGIN,
    name_in=partial(later, "conll.lines", "name_in"),
    examine=partial(later, "conll.examiner", "examine"),
    annotations=partial(later, "conll.annotations", "read"),
    columns=(WORD, NE),
)
