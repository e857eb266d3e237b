"""Text with tags in memory, as language models return it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeGuard

from corefscore.core.documents import RESPONSE, joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats import TAGGED, Opened, find, requested
from corefscore.formats.base import Reading
from corefscore.scoring.sides import LONGEST_NAME, Corpus

_Texts: TypeAlias = Mapping[str, str] | Sequence[str]
"""Texts by the names of their documents, or in the order of the documents of the other side."""


def from_text(answers: str | _Texts, *, tags: str | None = None) -> Corpus:
    """Make a corpus of text with tags, such as ``[Ann](#1) saw [her](#1) cat.``, for the response of a score.

    ``answers`` are texts by the names of their documents, a list of texts in the order of the documents of the key, or
    one text. ``tags`` is the notation, as a name or a pattern (by default recognised by content). The words of the
    texts are looked up in the key, which has to have words.

        score("key.conll", from_text("[Ann](#1) saw [her](#1) cat."))

    Raises `UsageError` for anything but text and for a notation that is none, `InputError` for text with tags in a
    notation that is only similar.
    """
    given = [answers] if isinstance(answers, str) else answers
    if not is_text(given):
        expected = "expected text, a list of texts, or texts by document name"
        raise UsageError(f"answers are {type(answers).__name__}; {expected}")
    return answered(given, Reading(tags=tags))


def is_text(side: Any) -> TypeGuard[_Texts]:
    """Return whether a side is text with tags in memory."""
    texts = side.values() if isinstance(side, Mapping) else side if isinstance(side, list | tuple) else ()
    return bool(texts) and all(isinstance(text, str) for text in texts)


def answered(answers: _Texts, reading: Reading) -> Corpus:
    """Make a corpus of texts as if each were an answer in a file of JSON lines.

    Raises `UsageError` for paths in place of texts, and as `corefscore.formats.read` does.
    """
    by_name = answers.items() if isinstance(answers, Mapping) else ((None, text) for text in answers)
    lines = []
    for name, text in by_name:
        if 0 < len(text) <= LONGEST_NAME and os.path.exists(text):
            raise UsageError(f"{text!r} is a file; expected text with tags, or paths as pathlib.Path objects")
        lines.append(json.dumps({"answer": text} if name is None else {"doc_key": name, "answer": text}))
    notices: list[Finding] = []
    request = requested(RESPONSE, replace(reading, columns=None))._replace(texts=True)
    opened = Opened([Source("answers", "\n".join(lines).encode())], find(TAGGED), request)
    return Corpus(joined(list(opened.documents(notices))), tuple(notices), reading.settings)
