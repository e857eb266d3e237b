"""Text with tags in it, as language models write it: `[Ann](#1) saw [her](#1) cat.`

The notations are in `corefscore.formats.tagged.notations`, where documents come from in `.reader`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefscore.checking.findings import Finding
from corefscore.documents.model import Documents
from corefscore.documents.sources import MARK, Source
from corefscore.formats.row import Format, FullDocument, Request, Sentences

ANSWER = re.compile(rb'"answer"\s*:\s*"')
"""The field of JSON lines that has the text."""

SIGN = re.compile(
    rb"\]\(#[^()\s]+\)|</?m[\s>]|</m>#|\S\|\[?[^\s,\[\]|]+\](?:,|\s|$)|\S\|\[[^\s,\[\]|]+(?:,|\s|$)|\{[A-Za-z_]*\d+\s"
)
"""What some notation has."""


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is text with tags, or JSON lines with such text."""
    text = head.removeprefix(MARK).lstrip()
    if text.startswith(b"{") and text[1:].lstrip().startswith(b'"'):
        first = text.split(b"\n", 1)[0]
        return ANSWER.search(first) is not None and b'clusters"' not in first
    if text.startswith((b"[[", b'["', b"[{", b"#")) and b"](#" not in text:
        return False
    return SIGN.search(text) is not None


def _read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    from corefscore.formats.tagged.reader import read

    yield from read(files, notices, request)


def _sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences | None]:
    from corefscore.formats.tagged.layers import read

    yield from ([words for words in layers.words if words] for layers in read(source, request))


def _write(documents: Iterator[FullDocument], notices: list[Finding], request: Request) -> Iterator[str]:
    from corefscore.formats.tagged.writer import write

    yield from write(documents, notices, request)


def _settled(files: Sequence[Source], request: Request) -> Request:
    from corefscore.formats.tagged.reader import settled

    return settled(files, request)


FORMAT = Format(
    "tagged",
    "text with tags",
    recognises,
    _read,
    _sentences,
    _write,
    settled=_settled,
    examiner="corefscore.formats.tagged.examiner",
    layers="corefscore.formats.tagged.layers",
)
