"""Text with tags with a closer look: every faulty tag at its place, and notations that are mixed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from corefscore.checking.findings import Finding, Found, plural
from corefscore.documents.model import Documents
from corefscore.documents.sources import Source
from corefscore.errors import InputError
from corefscore.formats.row import Request
from corefscore.formats.tagged.notations import NOTATIONS, Untagged
from corefscore.formats.tagged.reader import Answer, notation_of, read


class Examiner:
    """Reads one side, adding all that is wrong or odd to ``found``."""

    def __init__(self, found: Found, request: Request) -> None:
        self.found, self.request = found, request

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """The documents of all files, in batches. Raises `UsageError` for a file that cannot be read."""
        try:
            self.name = notation_of(files, self.request).name
        except InputError as error:
            self.found.add(*error.findings)
            return
        notices: list[Finding] = []
        for source in files:
            try:
                for batch in read([source], notices, self.request._replace(tags=self.name), self.look):
                    self.found.add(*notices)
                    notices.clear()
                    yield batch
            except InputError as error:
                self.found.add(*error.findings)

    def look(self, answer: Answer, text: Untagged) -> None:
        """Look at the tags of an answer."""
        source = answer.place.source
        for fault, count in text.faults.items():
            code = f"{fault}-tags"
            places = self.found.take(code, text.odd[fault])
            self.found.add_unlisted(code, count - len(text.odd[fault]))
            for start, stop in places:
                line, column, around = answer.at(start, stop)
                details = {"document": answer.name, "count": plural(1, "tag")}
                self.found.add(Finding(code, source.name, line, column, details, around))
        for other in NOTATIONS:
            match = re.search(other.sign, answer.text) if other.name != self.name else None
            if match is not None:
                line, column, around = answer.at(*match.span())
                details = {"document": answer.name, "notation": self.name, "other": other.name}
                self.found.add(Finding("mixed-notations", source.name, line, column, details, around))
