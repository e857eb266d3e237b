"""Mend what can be mended without guessing; everything else in the file stays as it is, byte for byte."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from corefscore.alignment.repeats import Repeat, repeats
from corefscore.checking.findings import Collected, Found, plural
from corefscore.documents.model import Documents
from corefscore.documents.sources import MARK, Source, as_text
from corefscore.formats.conll.cells import PLAIN
from corefscore.formats.conll.examiner import Examiner
from corefscore.formats.conll.lines import BEGIN, END, Line, cell_of, lines_of, marker_of
from corefscore.formats.row import Request


class Fix(NamedTuple):
    """One thing that was mended, at its line in the file as it was; ``code`` is that of the finding."""

    code: str
    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: fixed[{self.code}] {self.what}"


Fixes = Collected[Fix]
"""What was mended."""

WITHOUT_BLANK = re.compile(rb"^((?:%s)?#[^\S\n]*%s)(?=\()" % (MARK, BEGIN.rstrip()))
"""A line that would begin a document with one blank before its name."""


class _Copy(NamedTuple):
    """A copy of a mention that is to go: where its document begins, its tokens, its entity, whether no copy is left in
    that entity, and the mention in its batch."""

    begin: int
    start: int
    end: int
    label: bytes
    last: bool
    mention: int


def mend(source: Source, fixes: Fixes, *, first_copy: bool) -> Iterator[str]:
    """The text of a file, mended; what was done is in ``fixes`` once the text was taken to its end.

    - Where no line begins a document, those that lack only the blank before the name get it.
    - The second copy of a mention within one entity goes, unless it has an end in a cell that is not plain. With
      ``first_copy`` any later copy of a span does, as with ``--repeated first``, in documents where all of them can:
      if some stayed, other copies could come first.
    - Where a file has line ends of both kinds, all become LF.
    - A document without its end line gets one.

    So no score with ``--repeated first`` changes. Raises `UsageError` for a file that cannot be read.
    """
    source = _with_blanks(source, fixes)
    found = Found()
    by_token = _removable(source, found, fixes, first_copy=first_copy)
    mixed = found.has("mixed-line-ends")
    new_line = b"\r\n" if not mixed and _uses_crlf(source) else b"\n"
    changed_ends = first_changed = 0
    last = Line(0, b"", 0, 0)
    inside = 0
    for line in lines_of(source):
        text = line.text
        if inside and line.begins:
            fixes.add(Fix("nested-document", source.name, line.number, 'put "#end document" before this line'))
            yield as_text(b"#" + END + new_line)
        inside = line.begin
        if its := by_token.get((line.begin, line.token)) if line.begin else None:
            text = _without(text, line.token, its)
        if mixed and (with_lf := _with_lf(text)) != text:
            changed_ends += 1
            first_changed = first_changed or line.number
            text = with_lf
        yield as_text(text)
        last = line
    if inside:
        fixes.add(Fix("no-end", source.name, last.number, 'put "#end document" behind this line'))
        yield as_text((b"" if last.text.endswith(b"\n") else new_line) + b"#" + END + new_line)
    if changed_ends:
        what = f"made {plural(changed_ends, 'line end')} LF, the first one here"
        fixes.add(Fix("mixed-line-ends", source.name, first_changed, what))


class _InMemory(Source):
    """A file with another text."""

    def __init__(self, source: Source, text: bytes) -> None:
        super().__init__(source.path, source.max_unpacked)
        self.name = source.name
        self._kept = text


def _with_blanks(source: Source, fixes: Fixes) -> Source:
    """The file with a blank before every name, where without them no line begins a document."""
    markers = (marker_of(text.removeprefix(MARK)) for _, text in source.numbered_lines())
    if any(marker.name is not None for marker in markers if marker):
        return source
    spaced = []
    for number, text in source.numbered_lines():
        mended = WITHOUT_BLANK.sub(rb"\1 ", text)
        spaced.append(mended)
        if mended != text:
            fixes.add(Fix("no-document", source.name, number, 'put a blank behind "#begin document"'))
    return _InMemory(source, b"".join(spaced))


def _removable(source: Source, found: Found, fixes: Fixes, *, first_copy: bool) -> dict[tuple[int, int], list[_Copy]]:
    """The copies of mentions that are to go, by the begin of their document and by token, of those that can be written
    without a doubt; what else is odd in the file is added to ``found``."""
    by_token: dict[tuple[int, int], list[_Copy]] = defaultdict(list)
    batches = [
        (batch, its) for batch in Examiner(found, Request()).documents([source]) if (its := list(repeats(batch)))
    ]
    plain = _plain_cells(source, batches)
    for batch, its in batches:
        going = _copies(batch, its, plain, first_copy=first_copy)
        _tell(source, batch, fixes.take("repeated-mention", going), fixes)
        for copy in going:
            for token in {copy.start, copy.end}:
                by_token[copy.begin, token].append(copy)
    return by_token


def _tell(source: Source, batch: Documents, copies: Sequence[_Copy], fixes: Fixes) -> None:
    """Add what is done about some copies."""
    for copy, words in zip(copies, batch.words_of([copy.mention for copy in copies]), strict=True):
        name = batch.names[int(batch.document[batch.entity[copy.mention]])]
        tokens = f"tokens {copy.start} to {copy.end}"
        what = f'in document "{name}": took a copy of "{words}" ({tokens}) out of entity {copy.label.decode()}'
        fixes.add(Fix("repeated-mention", source.name, int(batch.line[copy.mention]), what))


def _plain_cells(source: Source, batches: Sequence[tuple[Documents, Sequence[Repeat]]]) -> set[tuple[int, int]]:
    """The tokens at which repeated spans begin or end in plain cells, each behind the begin of its document."""
    tokens = {
        (batch.place_of(repeat.document).line or 0, token)
        for batch, its in batches
        for repeat in its
        for token in _ends(repeat)
    }
    return {
        (line.begin, line.token)
        for line in (lines_of(source) if tokens else ())
        if (line.begin, line.token) in tokens and PLAIN.fullmatch(cell_of(line.text)[1])
    }


def _ends(repeat: Repeat) -> tuple[int, int]:
    return repeat.first.span.start, repeat.first.span.end


def _copies(
    batch: Documents, found: Sequence[Repeat], plain: Collection[tuple[int, int]], *, first_copy: bool
) -> list[_Copy]:
    """The mentions of a batch that are to go, in the order of the mentions."""
    begins = [batch.place_of(document).line or 0 for document in range(len(batch))]
    clear = [all((begins[repeat.document], token) in plain for token in _ends(repeat)) for repeat in found]
    unclear = {repeat.document for repeat, its in zip(found, clear, strict=True) if not its}
    copies = []
    for repeat in (repeat for repeat, its in zip(found, clear, strict=True) if its):
        only_first = first_copy and repeat.document not in unclear
        start, end = _ends(repeat)
        kept: set[int] = set()
        for mention in repeat.copies:
            entity = int(batch.entity[mention])
            if entity in kept or (only_first and kept):
                label = batch.name_of(entity).encode()
                copies.append(_Copy(begins[repeat.document], start, end, label, entity not in kept, mention))
            else:
                kept.add(entity)
    return sorted(copies, key=lambda copy: copy.mention)


def _without(line: bytes, token: int, copies: list[_Copy]) -> bytes:
    """A line without the brackets that some copies have in its (plain) cell.

    The last ones of a form go, and one-token mentions after brackets, so that entities appear in the same order.
    """
    at, cell = cell_of(line)
    pieces = cell.split(b"|")
    there = Counter(pieces)
    # Counted first and taken out in one go, since a cell may hold very many.
    gone: Counter[bytes] = Counter()
    for (label, last), count in Counter((copy.label, copy.last) for copy in copies if copy.start == copy.end).items():
        single = b"(%s)" % label
        gone[single] = there[single] if last else max(there[single] - 1, 0)
        for bracket in (b"(%s" % label, b"%s)" % label):
            gone[bracket] += count - gone[single]
    for copy in copies:
        if copy.start < copy.end:
            gone[(b"(%s" if token == copy.start else b"%s)") % copy.label] += 1
    left = []
    for piece in reversed(pieces):
        if gone[piece]:
            gone[piece] -= 1
        else:
            left.append(piece)
    return line[:at] + (b"|".join(left[::-1]) or b"-") + line[at + len(cell) :]


def _uses_crlf(source: Source) -> bool:
    return any(line.endswith(b"\r\n") for _, line in islice(source.numbered_lines(), 1))


def _with_lf(line: bytes) -> bytes:
    """A line that ends with CR LF, with LF alone, so that it is read as before; any other line as it is."""
    if not line.endswith(b"\r\n"):
        return line
    text = line.rstrip(b"\r\n")
    begin = marker_of(line[:-2])
    if begin and begin.name is not None and line.endswith(b"\r\r\n"):
        return line  # the second CR belongs to the name
    # Before a CR that is not part of the line end, or before CR LF, an empty column counts, before LF it does not.
    empty = text.endswith(b"\t") or (text.endswith(b" ") and b"\t" not in text and line.endswith(b"\r\r\n"))
    return text + (b"-\n" if empty and text.strip() else b"\n")
