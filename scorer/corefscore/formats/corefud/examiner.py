"""CorefUD with a closer look: every error of a file, where scoring refuses at the first one.

The reader is that of scoring, so both mean the same by a line, a bracket or a mention. This one reads on without what
is faulty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from corefscore.core.documents import Documents
from corefscore.core.findings import Finding, Found
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.characters import not_utf_8, undecodable
from corefscore.formats.corefud.guidelines import check
from corefscore.formats.corefud.reader import File, batches


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Return the documents of all files as one corpus, each file as a batch, with their mentions that have no faults;
    all that is wrong or odd is added to ``found``. Raises `UsageError` for a file that cannot be read.
    """
    read = (_Examined(source, found, request) for source in files)
    return (batch for batch in batches(read, found.add) if len(batch))


class _Examined(File):
    """A file that is read to its end."""

    def __init__(self, source: Source, found: Found, request: Request) -> None:
        super().__init__(source, found.add, request)
        self.found = found
        self._faults: dict[int, Callable[[], Finding]] = {}

    def refuse(self, finding: Finding) -> None:
        self.found.add(finding)
        self._faults.setdefault(self._document_of(finding), lambda: finding)

    def take(self, code: str, faulty: Sequence[int]) -> Sequence[int]:
        return self.found.take(code, faulty)

    def documents(self) -> Documents:
        if odd := undecodable(self.lines.text.tobytes()):
            self.keep(not_utf_8(self.source.name, odd[0], len(odd)))
        found = replace(super().documents(), faults=self._faults)
        check(self.lines, self.found.add)
        return found

    def _document_of(self, error: Finding) -> int:
        """Return the document with the line of an error."""
        row = int(np.searchsorted(self.lines.tokens, (error.line or 1) - 1))
        return int(self.document_of_sentence[self.lines.sentence[row]]) if len(self.lines.tokens) else 0
