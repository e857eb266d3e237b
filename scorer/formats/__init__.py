"""The table of formats: one name, one file. From the files of one side to batches of documents.

A format is the `FORMAT` of the file of its name, a `scorer.formats.row.Format`; only those that a run needs are
imported. Exact spans only for now: what other formats mark (CoNLL-U / CorefUD: heads, discontinuous mentions, empty
nodes) needs a reader here and an answer in `scorer.matching`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from scorer.errors import UsageError, nearest_first
from scorer.findings import Finding, Found
from scorer.formats.row import KEY, Asked, Examination, Format, Reading
from scorer.model import Documents
from scorer.names import Asked as NamesAsked
from scorer.sources import Source, sources
from scorer.workers import Map, Unsuited

NAMES = ("conll", "jsonlines")
"""Every format, in the order in which content is tried; the first one says what a file is that nobody recognises."""

EXAMINED = {"conll": "scorer.formats.examiner", "jsonlines": "scorer.formats.json_examiner"}
"""The formats that can be validated, and the file whose `Examiner` does so."""

NAMED = {"conll": "scorer.formats.names"}
"""The formats that have named entities, and the file that reads them as well."""

BY_CONTENT = Reading()
"""Reading that leaves all to the content of the files."""

HEAD = 1 << 16
"""How many bytes of a file tell its format."""


def read(
    path: str | Sequence[str],
    notices: list[Finding],
    reading: Reading = BY_CONTENT,
    *,
    side: str | None = KEY,
    names: NamesAsked | None = None,
    watch: Callable[[int], None] | None = None,
    apply: Map | None = None,
) -> Iterator[Documents]:
    """The documents that a KEY or RESPONSE argument stands for: a file, ``-``, or a folder as one corpus; or some
    files as one corpus.

    ``side`` is key or response, None where that is not known. ``names`` are asked for by metrics that count named
    mentions. ``watch`` is told how many bytes each step of reading took. What is odd is added to ``notices`` while
    reading. ``apply``, if it is given, does the work in pieces.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read and for an unknown
    format; with ``apply`` also `Unsuited`, and then nothing was read that cannot be read again.
    """
    wanted = asked(side, reading.clusters_field)._replace(names=names)
    if isinstance(path, str):
        files = sources(path, reading.include, reading.max_unpacked)
    else:
        files = [Source(name, reading.max_unpacked) for name in path]
    if apply is not None and not all(os.path.isfile(source.path) for source in files):
        raise Unsuited
    if not files:
        raise UsageError(f"the list of files of the {side} is empty")
    form = recognised(files, reading.input_format)
    if names is not None and form.name in NAMED:
        form = form._replace(read=import_module(NAMED[form.name]).read)
    if apply is not None:
        from scorer.formats.pieces import read_in_pieces

        yield from read_in_pieces(files, form, form.settled(files, wanted), apply, watch)
        return
    for source in files:
        source.watch = watch
    yield from form.read(files, notices, wanted)


def asked(side: str | None, clusters_field: str | None) -> Asked:
    """What is asked of a reader. Raises `UsageError` for a ``clusters_field`` that names neither a field nor two."""
    fields = (clusters_field or "clusters").split(",")
    if clusters_field == "" or len(fields) > 2 or not all(fields):
        raise UsageError(f'clusters field "{clusters_field}": expected the name of a field, or two as KEY,RESPONSE')
    return Asked(side, clusters_field)


def find(name: str) -> Format:
    """The format of a name. Raises `UsageError` for an unknown one."""
    if name not in NAMES:
        known = ", ".join(nearest_first(name, NAMES))
        raise UsageError(f'unknown format "{name}"; known, the nearest first: {known}')
    row: Format = import_module(f"scorer.formats.{name}").FORMAT
    return row


def examination(
    files: Sequence[Source], found: Found, reading: Reading, side: str, *, keep_words: bool = False
) -> Examination:
    """What reads files of their format to the end, and adds all that is wrong or odd to ``found``.

    Raises `UsageError` for a file that cannot be read, and for a format that is unknown or has no such reader.
    """
    wanted = asked(side, reading.clusters_field)
    name = recognised(files, reading.input_format).name
    if name not in EXAMINED:
        raise UsageError(f"the format {name} can be scored, not validated; that can be: {', '.join(EXAMINED)}")
    examiner: Callable[..., Examination] = import_module(EXAMINED[name]).Examiner
    return examiner(found, wanted, keep_words=keep_words)


def recognised(files: Sequence[Source], name: str | None = None) -> Format:
    """The format of that name, or without one that of the content of the first file.

    Raises `UsageError` for a file that cannot be read and for an unknown format.
    """
    if name is not None:
        return find(name)
    head = files[0].head(HEAD)
    return next((row for row in map(find, NAMES) if row.recognises(head)), find(NAMES[0]))
