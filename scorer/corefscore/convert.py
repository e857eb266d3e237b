"""From one format to another: documents with their words, and notices of what cannot be carried over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

from corefscore.errors import UsageError
from corefscore.findings import Finding, counted
from corefscore.formats import BY_CONTENT, EVERY_NAME, NAMES, find, recognised, requested
from corefscore.formats.row import FullDocument, Reading, Sentences, full_documents
from corefscore.model import KEY, Documents
from corefscore.pairing import Names
from corefscore.sources import sources


def convert(
    path: str,
    notices: list[Finding],
    to: str | None = None,
    reading: Reading = BY_CONTENT,
    watch: Callable[[int], None] | None = None,
) -> Iterator[str]:
    """The documents of a file or folder in another format, as pieces of text.

    ``to`` is the name of a format, by default the other one than that of the input; ``watch`` is that of
    `corefscore.formats.read`. What the new format cannot hold is added to ``notices``.

    Raises `InputError` for input that is refused, two documents of one name and documents with faults included;
    `UsageError` for a file that cannot be read.
    """
    files = sources(path, reading.include, reading.max_unpacked, notices)
    for source in files:
        source.watch = watch
    origin = recognised(files, reading.input_format)
    target = find(to or next(name for name in NAMES if name != origin.name))
    if origin.sentences is None or target.write is None:
        able = ", ".join(writable())
        raise UsageError(f"{origin.name} cannot be converted to {target.name}; formats that can be converted: {able}")
    sentences = origin.sentences
    request = requested(KEY, reading)._replace(cut=True)
    batches = origin.read(files, notices, request)
    texts = chain.from_iterable(sentences(source, notices, request) for source in files)
    yield from target.write(_full(batches, texts, notices), notices)


def writable() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name in EVERY_NAME if find(name).write]


def _full(
    batches: Iterator[Documents], texts: Iterator[Sentences | None], notices: list[Finding]
) -> Iterator[FullDocument]:
    """Documents with their words, which come from a pass of their own over the files."""
    names = Names()
    for batch in batches:
        names.add(batch)
        for number, document in enumerate(full_documents(batch)):
            place = document.place
            if pieces := batch.discarded.get(number):
                details = {"document": document.name, "count": counted(len(pieces), "mark"), "piece": pieces[0]}
                notices.append(Finding("dropped-marks", place.source.name, place.line, details=details))
            yield document._replace(sentences=next(texts))
