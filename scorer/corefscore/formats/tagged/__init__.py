"""Text with tags in it, as language models write it: `[Ann](#1) saw [her](#1) cat.`

The notations are in `corefscore.formats.tagged.notations`, where documents come from in `.reader`.
"""

from __future__ import annotations

import re
from functools import partial

from corefscore.core.sources import MARK
from corefscore.formats import later
from corefscore.formats.base import Format, is_json
from corefscore.formats.tagged.notations import nearby, recognised

_ANSWER = re.compile(rb'"answer"\s*:\s*"')
"""The field of JSON that has the text."""

_CLUSTERS = re.compile(rb'clusters"\s*:')
"""A field that tagged text does not have."""


def _recognises(head: bytes) -> bool:
    """Return whether a file that begins so is tagged text, or JSON with such text."""
    text = head.removeprefix(MARK).lstrip()
    if is_json(text):
        first = text if text.startswith(b"[") else text.split(b"\n", 1)[0]
        return _ANSWER.search(first) is not None and _CLUSTERS.search(first) is None
    if text.startswith(b"#") and b"](#" not in text:
        return False
    decoded = text.decode("utf-8", "replace")
    if recognised(decoded) is None and nearby(decoded) is None:
        return False
    from corefscore.formats.labels import recognises as is_table  # with tags in its cells

    return not is_table(head)


FORMAT = Format(
    "tagged",
    "tagged text",
    _recognises,
    read=partial(later, "tagged.texts", "read"),
    write=partial(later, "tagged.texts", "write"),
    completed_request=partial(later, "tagged.texts", "completed_request"),
    examine=partial(later, "tagged.texts", "examine"),
    annotations=partial(later, "tagged.texts", "annotations_of"),
    zeros=True,
)
