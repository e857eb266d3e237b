"""Read and write the formats of files, and documents in memory.

A format is the `FORMAT` of the file or folder of its name, a `corefscore.formats.base.Format`; only the formats that a
run needs are imported. Each dialect of JSON has a name of its own. `Reading` has the options of reading files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

from corefscore.core.documents import KEY, RESPONSE, Documents
from corefscore.core.errors import InputError, UsageError, suggested
from corefscore.core.findings import Finding, Found
from corefscore.core.names import OWN, NameOptions
from corefscore.core.records import INPUT, NamedTuple, check_options, dataclass, declared, option, replace
from corefscore.core.sources import Source, listed, place_and_pattern, sources, unpacked
from corefscore.formats.base import (
    AUTO,
    CLUSTERS,
    CONTENTS,
    DIALECTS,
    DOCUMENT,
    ENTITY,
    EVERY_NAME,
    HEADS,
    ITEM,
    NAMES,
    NE,
    PIECES,
    WORD,
    Annotations,
    Format,
    Request,
)

TAGGED = "tagged"
"""The format of tagged text, which cannot always be recognised."""

LABELS = "labels"
"""The format of tables, which cannot always be recognised either."""

HEAD_BYTES = 1 << 16
"""The number of bytes of a file from which its format is recognised."""


def later(module: str, function: str, *arguments: Any) -> Any:
    """Call a function of a module of this folder, which is imported only now: every format is asked whether it
    recognises a file, but a run needs few of their modules.
    """
    return getattr(import_module(f"corefscore.formats.{module}"), function)(*arguments)


T = TypeVar("T")

OneOrEach: TypeAlias = "T | Mapping[str, T] | None"
"""An option for both sides, or for each by its name; None leaves it to the content."""


def of_side(option: OneOrEach[T], side: str | None) -> T | None:
    """Return the value of an option for one side.

    Raises `UsageError` for names that are not sides, and for values by side if the side is not known.
    """
    if not isinstance(option, Mapping):
        return option
    if unknown := [name for name in option if name not in (KEY, RESPONSE)]:
        raise UsageError(f"{unknown[0]!r} is not a side; give values for {KEY} or {RESPONSE}")
    if side is None:
        raise UsageError("--input-format: there is only one input here; give one format, without key= or response=")
    return option.get(side)


@dataclass(frozen=True, kw_only=True, repr=False)
class Reading:
    """How files are read."""

    input_format: OneOrEach[str] = option(
        None,
        f"Format of the input (default: recognised by content). {', '.join(NAMES)}, or a dialect of JSON "
        f"({', '.join(DIALECTS)}). If key and response differ: key=FORMAT,response=FORMAT.",
        EVERY_NAME,
        heading=INPUT,
        metavar="FORMAT",
        by_side=True,
        common=True,
    )
    heads: str | None = option(
        None,
        "Heads of mentions. CorefUD: as annotated (file), the highest word of the tree (tree), or the last (last). "
        "CoNLL, only in errors and diff: from the parse (parse), or last. (default: auto. CorefUD: file; "
        "CoNLL: parse if the key has parses, otherwise last)",
        HEADS,
        heading=INPUT,
    )
    tags: str | None = option(
        None,
        "Notation of tagged text: markdown, xml, words, braces, or a pattern with the groups open, close and id "
        "(default: recognised by content).",
        kind=str,
        heading=INPUT,
        metavar="NAME|REGEX",
    )
    pieces: str | None = option(
        None,
        "Which entities to join if a document has several pieces of tagged text: those that share a mention where "
        f"pieces overlap (overlap), those with the same id (same), or none (apart). (default: {PIECES[0]})",
        PIECES,
        heading=INPUT,
    )
    align: bool | None = option(
        None,
        "Align the words of the response with those of the key, if its tokens or text differ. Always on "
        "if the response is tagged text.",
        kind=bool,
        heading=INPUT,
    )
    columns: str | None = option(
        None,
        "Columns or fields to read, such as word=6,ne=7. CoNLL: word (default: 4, or the last but one if there are "
        "fewer than 5) and ne (named entities; default: 11). Tables and JSON with an "
        "object for each mention: item, entity, document. Other JSON: clusters. For one of two sides: key.word=6.",
        kind=str,
        heading=INPUT,
        metavar="COLUMNS",
    )

    def of(self, side: str | None) -> Reading:
        """Return the options for one side, without the column of names. If no side is known, there is no other one.

        Raises `UsageError` as `of_side` and `columns_of` do, and for an option about the other side if there is none.
        """
        if side is None and (self.align or self.pieces is not None):
            raise UsageError("--align and --pieces need a key; add --key KEY, or leave them out")
        named = (f"{content}={name}" for content, name in columns_of(self, side).items() if content != NE)
        return replace(self, input_format=of_side(self.input_format, side), columns=",".join(named) or None)

    @property
    def settings(self) -> dict[str, str]:
        """The options that were given and can change a score; the name of a value by side begins with the side."""
        given: dict[str, Any] = {}
        for name, value in vars(self).items():
            if isinstance(value, Mapping):
                given |= {f"{side}_{name}": of_one for side, of_one in value.items()}
            elif value not in (None, False, AUTO):
                given[name] = value
        return given


def columns_of(reading: Reading, side: str | None) -> dict[str, Any]:
    """Return the columns of a side that ``--columns`` names, by what they contain (`CONTENTS`).

    Raises `UsageError` for anything else, and for a column of one side if the side is not known.
    """
    check_options(declared(Reading), vars(reading))
    found: dict[str, Any] = {}
    for piece in () if reading.columns is None else reading.columns.split(","):
        place, _, name = piece.partition("=")
        of, dot, content = place.rpartition(".")
        if content not in CONTENTS or not name or (dot and of not in (KEY, RESPONSE)):
            raise UsageError(
                f"--columns {reading.columns}: expected word=N, ne=N, item=NAME, entity=NAME, document=NAME, "
                f'clusters=NAME or several of these, separated by commas; for one side begin with "{KEY}." or '
                f'"{RESPONSE}."'
            )
        if content in (WORD, NE) and not (name.isdecimal() and int(name)):
            raise UsageError(f"--columns {piece}: expected the number of a column, 1 or more")
        if dot and side is None:
            raise UsageError(f'--columns {piece}: there is only one side here; leave out "{of}."')
        if not dot or of == side:
            if content in found or name in found.values():
                twice = content if content in found else name
                raise UsageError(f"--columns {reading.columns}: {twice} is given twice; leave one of them out")
            found[content] = int(name) if content in (WORD, NE) else name
    return found


BY_CONTENT = Reading()
"""The default: the content of the files decides how they are read."""


class Opened(NamedTuple):
    """The files of a side, with all that reading them needs."""

    files: Sequence[Source]
    form: Format
    request: Request

    def documents(self, notices: list[Finding], watch: Callable[[int], None] | None = None) -> Iterator[Documents]:
        """Yield the documents of all files as one corpus. ``watch`` is called with the number of bytes of each step of
        reading. Oddities are added to ``notices`` during reading.

        Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
        """
        for source in self.files:
            source.watch = watch
        annotations = self.annotations if self.form.annotations else None
        for batch in self.form.read(self.files, notices, self.request):
            if (batch.label < 0).any():  # those of plain CoNLL are whole numbers
                from corefscore.formats.ids import odd_ids

                notices.extend(odd_ids(batch))
            yield replace(batch, annotations=annotations)

    def examined(self, found: Found) -> Iterator[Documents]:
        """Yield the documents of all files as their examiner reads them (`Format.examine`), or else up to the first
        fault. Raises `UsageError` for a file that cannot be read."""
        notices: list[Finding] = []
        if self.form.examine:
            batches = self.form.examine(self.files, found, self.request)
        else:
            batches = self.form.read(self.files, notices, self.request)
        annotations = self.annotations if self.form.annotations else None
        try:
            yield from (replace(batch, annotations=annotations) for batch in batches)
        except InputError as error:
            found.add(*error.findings)
        found.add(*notices)

    def annotations(self, source: Source, **wanted: Any) -> Iterator[Annotations]:
        """Yield the annotations of each document of one of the files (`corefscore.core.documents.AnnotationsOf`)."""
        assert self.form.annotations is not None, "documents of other formats have none"
        completed = self.form.completed_request
        request = completed(self.files, self.request) if completed else self.request
        return self.form.annotations(source, request._replace(**wanted))


def opened(
    path: str | Sequence[str] | Sequence[Source],
    notices: list[Finding],
    reading: Reading = BY_CONTENT,
    *,
    side: str | None = KEY,
    names: NameOptions | None = None,
    texts: bool = False,
) -> Opened:
    """Find the files of a KEY or RESPONSE argument and their format. The argument is a file, ``-``, a folder as one
    corpus, or a list of files as one corpus.

    ``side`` is key or response, or None if it is not known. ``names`` are the options of metrics that count named
    mentions. ``texts`` keeps the words of all tokens, to compare those of both sides. What is skipped is added to
    ``notices``.

    Raises `UsageError` for a file that cannot be read, and for an unknown format.
    """
    # Names of the key are looked up in the response by token, so words are compared.
    texts = texts or bool(reading.align) or (names is not None and names.ne_from != OWN)
    request = requested(side, reading, names)
    given = listed(path, notices) if isinstance(path, str) else path
    files = unpacked([Source(of) if isinstance(of, str) else of for of in given], notices)
    return Opened(files, form_of(files, reading, side), request._replace(texts=texts, several=len(files) > 1))


def has_both_sides(path: str | Sequence[str], reading: Reading) -> bool:
    """Return whether each file is both key and response, by the first of them and the requested fields. False for files
    that cannot be read twice. Raises as `opened` does.
    """
    paths = [path] if isinstance(path, str) else path
    places = [place_and_pattern(path)[0] for path in paths]
    if not all(os.path.isfile(place) or os.path.isdir(place) for place in places):
        return False
    files = [source for name in paths for source in sources(name, [])]
    if (form := form_of(files, reading, KEY)).has_both_sides is None:
        return False
    fields = {side: columns_of(reading, side).get(CLUSTERS) for side in (KEY, RESPONSE)}
    return form.has_both_sides(files[0], fields[KEY], fields[RESPONSE])


def requested(side: str | None, reading: Reading, names: NameOptions | None = None) -> Request:
    """Return the request to a reader. Raises `UsageError` for an invalid option, and for a column of named entities
    that are not read.
    """
    if NE in (columns := columns_of(reading, side)) and names is None:
        ne = f"{NE}={columns[NE]}"
        raise UsageError(f"--columns {ne} is for metrics that read named entities, such as cone; leave {NE} out")
    return Request(
        side,
        names=names,
        heads=AUTO if reading.heads is None else reading.heads,
        input_format=of_side(reading.input_format, side),
        tags=reading.tags,
        columns=columns,
        both=[content for content in columns if f"{side}.{content}=" not in (reading.columns or "")],
    )


def find(name: str) -> Format:
    """Return the format with this name. Raises `UsageError` for an unknown name."""
    if name not in EVERY_NAME:
        raise UsageError(f'unknown format "{name}"; {suggested(name, EVERY_NAME)}')
    if name in DIALECTS:
        dialects: Mapping[str, Format] = import_module("corefscore.formats.jsonlines").DIALECTS_OF
        return dialects[name]
    row: Format = import_module(f"corefscore.formats.{name}").FORMAT
    return row


def form_of(files: Sequence[Source], reading: Reading, side: str | None) -> Format:
    """Return the format of the files of a side: the one that is requested, or that of the content of the first file.

    A file that no format recognises is tagged text if an option is about tags, a table if one is about columns, and
    otherwise CoNLL. A request for tagged text is about the response; a key is read as such only if no other format
    recognises it.

    Raises `UsageError` for a file that cannot be read, for an unknown format, and for options that the format does not
    have.
    """
    name, columns = of_side(reading.input_format, side), columns_of(reading, side)
    about_tags = name == TAGGED or reading.tags is not None
    # Requested for both sides, it applies to the one that can be tagged text.
    both_sides = not isinstance(reading.input_format, Mapping)
    requested_name = None if name == TAGGED and side == KEY and both_sides else name
    otherwise = TAGGED if about_tags else LABELS if {ITEM, ENTITY, DOCUMENT} & columns.keys() else NAMES[0]
    if requested_name is not None:
        form = find(requested_name)
    else:
        head = files[0].head(HEAD_BYTES)
        form = next((row for row in map(find, NAMES) if row.recognises(head)), None) or find(otherwise)
    for content in columns:
        # A column that no side is named for may be that of one side: names are those of the key, others the response's.
        is_named = f"{side}.{content}=" in (reading.columns or "")
        if (is_named or side != (RESPONSE if content == NE else KEY)) and content not in form.columns:
            other = KEY if side == RESPONSE else RESPONSE
            only = f" (or write {other}.{content}=... if only the {other} has it)" * bool(side and not is_named)
            named = f"can only name {', '.join(form.columns)}" if form.columns else "cannot be used with it"
            can = f"--columns {named}; leave {content} out{only}"
            raise UsageError(f"{files[0].name}: this file is read as {form.title}, and {can}")
    if reading.tags is not None and side == RESPONSE and form.name != TAGGED:
        raise UsageError(
            f"{files[0].name}: --tags is the notation of tagged text, and this file is read as {form.title}; leave "
            f"--tags out, or add --input-format {TAGGED} if it is tagged text"
        )
    return form


def refuse_heads(reading: Reading, forms: Iterable[Format]) -> None:
    """Raise `UsageError` if the option for heads is given and none of these formats has heads."""
    if reading.heads not in (None, AUTO) and "corefud" not in [form.name for form in forms]:
        raise UsageError("--heads is about the heads of CorefUD, and these files are not CorefUD; leave it out")
