"""The examiner of JSON, which reports the faults of every object; scoring stops at the first one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from corefscore.core.arrays import Ints
from corefscore.core.documents import Documents, Place
from corefscore.core.errors import InputError
from corefscore.core.findings import MOST, Finding, Found, plural
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.jsonlines.dialects import Dialect
from corefscore.formats.jsonlines.objects import dialect_of, name_of
from corefscore.formats.jsonlines.reader import Reader, numbers
from corefscore.formats.jsonlines.records import Fields
from corefscore.formats.jsonlines.words import sentences_of


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches, with their faults; all that is wrong or odd is added to
    ``found``. Raises `UsageError` for a file that cannot be read."""
    return _Examiner(found, request).documents(files)


class _Examiner(Reader):
    """Reads one side and adds everything that is wrong or odd to ``found``."""

    most = MOST

    def __init__(self, found: Found, request: Request) -> None:
        super().__init__(found.add, request)
        self.found = found

    def refuse(self, error: InputError, place: Place, fields: Fields) -> None:
        self.found.add(*error.findings)
        if not fields:  # not an object, or an empty one, so it has no name
            return
        with suppress(InputError):
            dialect = self.first[0] if self.first is not None else dialect_of(place, fields, self.request)
            self.add_faulty(name_of(place, fields, dialect), place, error.findings[0])

    def text_of(self, fields: Fields, tokens: int, dialect: Dialect) -> Ints:
        """As in the reader, but words that are joined from subtokens are known, too."""
        sentences = sentences_of(fields, dialect)
        return super().text_of(fields, tokens, dialect) if sentences is None else numbers(sentences)

    def look(self, place: Place, fields: Fields, field: str, dialect: Dialect) -> None:
        empty = sum(not cluster for cluster in fields[field])
        if empty:
            details = {"document": name_of(place, fields, dialect), "count": plural(empty, "cluster"), "field": field}
            self.found.add(Finding("empty-cluster", place.source.name, place.line, details=details))
