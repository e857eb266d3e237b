"""CorefUD, CoNLL-U with coreference in the column MISC: a reader for scoring, one that looks closer, and a writer."""

from __future__ import annotations

import re
from functools import partial

from corefscore.formats import later
from corefscore.formats.base import Format

_CONLL_U = rb"(?m)^# ?(newdoc|global\.Entity|sent_id)|^\d+(?:[-.]\d+)?(?:\t[^\t\n]*){9}\r?$"
"""What a file in CoNLL-U has: a comment of it, or a line of ten columns that begins with the number of a word."""


def recognises(head: bytes) -> bool:
    """Return whether a file that begins so is CoNLL-U."""
    return re.search(_CONLL_U, head) is not None


FORMAT = Format(
    "corefud",
    "CorefUD",
    recognises,
    read=partial(later, "corefud.reader", "read"),
    write=partial(later, "corefud.writer", "write"),
    examine=partial(later, "corefud.guidelines", "examine"),
    annotations=partial(later, "corefud.annotations", "read"),
)
