"""The table of formats: one name, one file or folder. From the files of one side to batches of documents.

A format is the `FORMAT` of the file or folder of its name, a `corefscore.formats.row.Format`; only those that a run
needs are imported. JSON has a name for each of its dialects besides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import NamedTuple

from corefscore.checking.findings import Finding, Found
from corefscore.documents.model import KEY, RESPONSE, Documents, LayersOf
from corefscore.documents.sources import Source, sources
from corefscore.errors import UsageError, suggested
from corefscore.formats.row import AUTO, HEADS, Examination, Format, Layers, Reading, Request, of_side
from corefscore.names.options import NameOptions
from corefscore.work.workers import Map, Unsuited

NAMES = ("conll", "corefud", "tagged", "jsonlines")
"""Every format, in the order in which content is tried; the first one says what a file is that nobody recognises."""

DIALECTS = ("e2e", "maverick", "crac-2026", "wl-coref", "preco", "fastcoref", "coref-data")
"""Every dialect of JSON (`corefscore.formats.jsonlines.dialects`), which can be named like a format."""

EVERY_NAME = (*NAMES, *DIALECTS)
"""Every name of a format."""

TAGGED = "tagged"
"""The format whose content may have no sign of it."""

BY_CONTENT = Reading()
"""Reading that leaves all to the content of the files."""

HEAD_BYTES = 1 << 16
"""How many bytes of a file tell its format."""


def read(
    path: str | Sequence[str],
    notices: list[Finding],
    reading: Reading = BY_CONTENT,
    *,
    side: str | None = KEY,
    names: NameOptions | None = None,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    apply: Map | None = None,
) -> Iterator[Documents]:
    """The documents that a KEY or RESPONSE argument stands for: a file, ``-``, or a folder as one corpus; or some
    files as one corpus.

    ``side`` is key or response, None where that is not known. ``names`` are asked for by metrics that count named
    mentions, ``texts`` by who compares the words of both sides. ``watch`` is told how many bytes each step of reading
    took. What is odd is added to ``notices`` while reading. ``apply``, if it is given, does the work in pieces.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read and for an unknown
    format; with ``apply`` also `Unsuited`, and then nothing was read that cannot be read again.
    """
    texts = texts or bool(reading.align) or (names is not None and names.compares_words)
    request = requested(side, reading)._replace(names=names, texts=texts)
    if isinstance(path, str):
        files = sources(path, reading.include, reading.max_unpacked, notices)
    else:
        files = [Source(name, reading.max_unpacked) for name in path]
    if apply is not None and not all(os.path.isfile(source.path) for source in files):
        raise Unsuited
    if not files:
        raise UsageError(f"the list of files of the {side} is empty")
    form = form_of(files, reading, side)
    if names is not None and form.named:
        form = form._replace(read=import_module(form.named).read)
    layers = _layers_of(form, files, request)
    if apply is not None:
        from corefscore.formats.pieces import read_in_pieces

        for batch in read_in_pieces(files, form, form.settled(files, request), apply, watch):
            yield replace(batch, layers=layers)
        return
    for source in files:
        source.watch = watch
    for batch in form.read(files, notices, request):
        yield replace(batch, layers=layers)


def _layers_of(form: Format, files: Sequence[Source], request: Request) -> LayersOf | None:
    return partial(_layers, form, files, request) if form.layers else None


def _layers(
    form: Format, files: Sequence[Source], request: Request, source: Source, unit: str | None = None
) -> Iterator[Layers]:
    """The layers of each document of one of some files that were read (`corefscore.documents.model.LayersOf`)."""
    if form.layers:
        yield from import_module(form.layers).read(source, form.settled(files, request)._replace(unit=unit))


def has_both_sides(path: str | Sequence[str], reading: Reading) -> bool:
    """Whether files that can be read twice are key and response in one, by the first of them and the fields asked for.

    Raises as `read` does.
    """
    files = sources(path, reading.include, reading.max_unpacked) if isinstance(path, str) else list(map(Source, path))
    if not files or not os.path.isfile(files[0].path):
        return False
    form = form_of(files, reading, KEY)
    fields = reading.clusters_field
    return form.has_both_sides(files[0]) if fields is None else "," in fields and form.name in ("jsonlines", *DIALECTS)


def requested(side: str | None, reading: Reading) -> Request:
    """What is asked of a reader. Raises `UsageError` for a field of clusters that is neither one name nor two, for
    heads that are none of `HEADS`, and for a column of words that is none."""
    fields = "clusters" if reading.clusters_field is None else reading.clusters_field
    if fields.count(",") > 1 or not all(fields.split(",")):
        raise UsageError(f'clusters field "{fields}": expected the name of a field, or two as KEY,RESPONSE')
    heads = AUTO if reading.heads is None else reading.heads
    if heads not in HEADS:
        raise UsageError(f"heads={heads!r} is not one of {', '.join(HEADS)}")
    column = of_side(reading.word_column, side)
    if column is not None and (type(column) is not int or column < 1):
        raise UsageError(f"word_column={column!r}: expected a whole number; columns are counted from 1")
    return Request(
        side,
        reading.clusters_field,
        heads=heads,
        input_format=of_side(reading.input_format, side),
        tags=reading.tags,
        word_column=column,
    )


def find(name: str) -> Format:
    """The format of a name. Raises `UsageError` for an unknown one."""
    if name not in EVERY_NAME:
        raise UsageError(f'unknown format "{name}"; {suggested(name, EVERY_NAME)}')
    if name in DIALECTS:
        dialects: Mapping[str, Format] = import_module("corefscore.formats.jsonlines").DIALECTS_OF
        return dialects[name]
    row: Format = import_module(f"corefscore.formats.{name}").FORMAT
    return row


def examination(
    files: Sequence[Source], found: Found, reading: Reading, side: str, *, texts: bool = False
) -> Examination:
    """What reads files of their format to the end, and adds all that is wrong or odd to ``found``.

    Raises `UsageError` for a file that cannot be read, and for a format that is unknown or has no such reader.
    """
    form = form_of(files, reading, side)
    if form.examiner is None:
        able = ", ".join(name for name in NAMES if find(name).examiner)
        raise UsageError(f"the format {form.name} can be scored, not validated; that can be: {able}")
    examiner: Callable[..., Examination] = import_module(form.examiner).Examiner
    request = requested(side, reading)._replace(texts=texts)
    return _WithLayers(examiner(found, request), _layers_of(form, files, request))


class _WithLayers(NamedTuple):
    """An examination, the documents of which know how to read their tokens again."""

    examination: Examination
    layers: LayersOf | None

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        for batch in self.examination.documents(files):
            yield replace(batch, layers=self.layers)


def recognisable(source: Source, name: str | None = None, clusters_field: str | None = None) -> bool:
    """Whether the content of a file can be scored in some format, or in the one of that name; an empty file may be any.

    Raises as `recognised` does.
    """
    head, fields = source.head(HEAD_BYTES), (clusters_field or "").split(",")
    if not head.strip():
        return True
    rows = [row for row in map(find, NAMES if name is None else (name,)) if row.recognises(head)]
    return any(len(head) == HEAD_BYTES or row.promises(head, fields) for row in rows)


def form_of(files: Sequence[Source], reading: Reading, side: str | None) -> Format:
    """The format of the files of a side: the one that is asked for, or that of the content of the first file. Where
    nobody recognises that, it is text with tags if something was asked of tags, and else CoNLL.

    Text with tags is asked of a response; a key is only taken for it where its content is nothing else. Raises as
    `recognised` does, and `UsageError` if a column of words is asked for and the format has no columns, or a notation
    of tags for a response in another format.
    """
    name, column = of_side(reading.input_format, side), of_side(reading.word_column, side)
    about_tags = name == TAGGED or reading.tags is not None
    # Said of both sides, it is meant for that which can be text with tags.
    everywhere = not isinstance(reading.input_format, Mapping)
    asked = None if name == TAGGED and side == KEY and everywhere else name
    found = recognised(files, asked, TAGGED if about_tags else NAMES[0])
    if column is not None and not found.columns:
        raise UsageError(
            f"{files[0].name}: --word-column names a column of CoNLL, and this file is read as {found.title}; leave it "
            "out, or name the side that has columns: --word-column key=N or response=N"
        )
    if reading.tags is not None and side == RESPONSE and found.name != TAGGED:
        raise UsageError(
            f"{files[0].name}: --tags is the notation of tagged text, and this file is read as {found.title}; leave "
            f"--tags out, or add --input-format {TAGGED} if it is tagged text"
        )
    return found


def recognised(files: Sequence[Source], name: str | None = None, otherwise: str = NAMES[0]) -> Format:
    """The format of that name, or without one that of the content of the first file, or ``otherwise``.

    Raises `UsageError` for a file that cannot be read and for an unknown format.
    """
    if name is not None:
        return find(name)
    head = files[0].head(HEAD_BYTES)
    return next((row for row in map(find, NAMES) if row.recognises(head)), None) or find(otherwise)
