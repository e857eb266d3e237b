"""Readers: from the files of one side to batches of documents."""

from __future__ import annotations

from collections.abc import Iterator

from scorer.findings import Finding
from scorer.formats import conll
from scorer.model import Documents
from scorer.sources import sources


def read(
    path: str, notices: list[Finding], include: str | None = None, *, max_unpacked: int | None = None
) -> Iterator[Documents]:
    """The documents that a KEY or RESPONSE argument stands for: a file, ``-``, or a folder as one corpus.

    ``max_unpacked`` is how many MB a compressed file may unpack to (see `scorer.sources`). What is odd is added to
    ``notices`` while reading. Raises `InputError` for input that is refused, `UsageError` for a file that cannot be
    read.
    """
    return conll.read(sources(path, include, max_unpacked), notices)
