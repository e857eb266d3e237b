"""JSON with a closer look: the fault of every object, where scoring refuses at the first one."""

from __future__ import annotations

from contextlib import suppress

from corefscore.checking.findings import MOST, Finding, Found, plural
from corefscore.documents.arrays import Ints
from corefscore.documents.model import Place
from corefscore.errors import InputError
from corefscore.formats.jsonlines.dialects import Dialect
from corefscore.formats.jsonlines.objects import dialect_of, name_of
from corefscore.formats.jsonlines.reader import Reader, numbers
from corefscore.formats.jsonlines.records import Fields, Record
from corefscore.formats.jsonlines.words import sentences_of
from corefscore.formats.row import Request


class Examiner(Reader):
    """Reads one side, adding all that is wrong or odd to ``found``."""

    most = MOST

    def __init__(self, found: Found, request: Request) -> None:
        super().__init__([], request)
        self.found = found
        self.hopeless: dict[bytes | str, str] = {}
        """Short lines that are no object, and the code of their fault, where that is only counted by now."""

    def note(self, finding: Finding) -> None:
        self.found.add(finding)

    def refuse(self, error: InputError, record: Record, fields: Fields) -> None:
        self.found.add(*error.findings)
        if not fields:  # no object, or an empty one, so it has no name either
            code = error.findings[0].code
            if record.raw and not self.found.room(code):
                self.hopeless[record.raw] = code
            return
        place = record.place
        with suppress(InputError):
            dialect = self.first.dialect if self.first is not None else dialect_of(place, fields, self.request)
            self.batch.add_faulty(name_of(place, fields, dialect), place, error.findings[0])

    def skips(self, raw: bytes | str) -> bool:
        code = self.hopeless.get(raw)
        if code is None:
            return False
        self.found.pass_over(code, 1)
        return True

    def text_of(self, fields: Fields, tokens: int, dialect: Dialect) -> Ints:
        """Words put together from subtokens as well."""
        its_sentences = sentences_of(fields, dialect)
        return super().text_of(fields, tokens, dialect) if its_sentences is None else numbers(its_sentences)

    def look(self, place: Place, fields: Fields, field: str, dialect: Dialect) -> None:
        empty = sum(not cluster for cluster in fields[field])
        if empty:
            details = {"document": name_of(place, fields, dialect), "count": plural(empty, "cluster"), "field": field}
            self.found.add(Finding("empty-cluster", place.source.name, place.line, details=details))
