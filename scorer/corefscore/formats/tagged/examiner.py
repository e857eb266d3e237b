"""Text with tags with a closer look: every faulty tag at its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from corefscore.core.documents import Documents
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, Found, plural
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.tagged.notations import Untagged
from corefscore.formats.tagged.reader import Answer, notation_of, read


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Yield the documents of all files, in batches; all that is wrong or odd is added to ``found``.

    Raises `UsageError` for a file that cannot be read.
    """
    try:
        name = notation_of(files, request).name
    except InputError as error:
        found.add(*error.findings)
        return
    notices: list[Finding] = []
    for source in files:
        try:
            for batch in read([source], notices, request._replace(tags=name), partial(_look, found)):
                found.add(*notices)
                notices.clear()
                yield batch
        except InputError as error:
            found.add(*error.findings)


def _look(found: Found, answer: Answer, text: Untagged) -> None:
    """Look at the tags of an answer."""
    source = answer.place.source
    for fault, count in text.faults.items():
        code = f"{fault}-tags"
        places = found.take(code, text.odd[fault])
        found.add_unlisted(code, count - len(text.odd[fault]))
        for start, stop in places:
            line, column, around = answer.at(start, stop)
            details = {"document": answer.name, "count": plural(1, "tag")}
            found.add(Finding(code, source.name, line, column, details, around))
