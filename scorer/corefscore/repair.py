"""Mend what can be mended without guessing; everything else in the file stays as it is, byte for byte."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from corefscore.findings import Collected, Found, counted
from corefscore.formats.conll.cells import PLAIN
from corefscore.formats.conll.examiner import Examiner
from corefscore.formats.conll.lines import END, Line, lines_of, marker_of
from corefscore.formats.conll.reader import last_cells
from corefscore.formats.row import Request
from corefscore.model import Documents
from corefscore.repeats import repeats
from corefscore.sources import Source, as_text

TOGETHER = 1000
"""Lines whose cells are looked up at a time."""


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


class _Copy(NamedTuple):
    """A copy of a mention that is to go: where its document begins, its tokens, its entity and how to name it."""

    begin: int
    start: int
    end: int
    label: bytes
    line: int
    what: str


def mend(source: Source, fixes: Fixes, *, first_copy: bool) -> Iterator[str]:
    """The text of a file, mended; what was done is in ``fixes`` once the text was taken to its end.

    - The second copy of a mention within one entity goes; with ``first_copy`` any later copy of a span does, as
      with ``--repeated first``. A copy with an end in a cell that is not plain stays.
    - Where a file has line ends of both kinds, all become LF.
    - A document without its end line gets one.

    Raises `UsageError` for a file that cannot be read.
    """
    found = Found()
    by_token: dict[tuple[int, int], list[_Copy]] = defaultdict(list)
    for copy in _removable(source, found, first_copy=first_copy):
        fixes.add(Fix("repeated-mention", source.name, copy.line, copy.what))
        for token in {copy.start, copy.end}:
            by_token[copy.begin, token].append(copy)
    mixed = found.has("mixed-line-ends")
    new_line = b"\r\n" if not mixed and _uses_crlf(source) else b"\n"
    changed_ends = first_changed = 0
    last = Line(0, b"", 0, 0)
    inside = 0
    for line, cell in _with_cells(source, by_token.keys()):
        text = line.text
        if inside and line.begins:
            fixes.add(Fix("nested-document", source.name, line.number, 'put "#end document" before this line'))
            yield as_text(b"#" + END + new_line)
        inside = line.begin
        if cell:
            text = _without(text, *cell, line.token, by_token[line.begin, line.token])
        if mixed and text.endswith(b"\r\n"):
            changed_ends += 1
            first_changed = first_changed or line.number
            text = _with_lf(text)
        yield as_text(text)
        last = line
    if inside:
        fixes.add(Fix("no-end", source.name, last.number, 'put "#end document" behind this line'))
        yield as_text((b"" if last.text.endswith(b"\n") else new_line) + b"#" + END + new_line)
    if changed_ends:
        what = f"made {counted(changed_ends, 'line end')} LF, the first one here"
        fixes.add(Fix("mixed-line-ends", source.name, first_changed, what))


def _removable(source: Source, found: Found, *, first_copy: bool) -> list[_Copy]:
    """The copies of mentions that are to go, of those that can be written without a doubt; what else is odd in the file
    is added to ``found``."""
    batches = Examiner(found, Request()).documents([source])
    return _in_plain_cells(source, [copy for batch in batches for copy in _copies(batch, first_copy=first_copy)])


def _copies(batch: Documents, *, first_copy: bool) -> list[_Copy]:
    """The mentions of a batch that are to go."""
    gone: list[int] = []
    for repeat in repeats(batch):
        kept: set[int] = set()
        for mention in repeat.copies:
            entity = int(batch.entity[mention])
            if entity in kept or (first_copy and kept):
                gone.append(mention)
            kept.add(entity)
    copies = []
    for mention, words in zip(gone, batch.words_of(gone), strict=True):
        document = int(batch.document[batch.entity[mention]])
        start, end = int(batch.start[mention]), int(batch.end[mention])
        label = batch.name_of(int(batch.entity[mention]))
        name = batch.names[document]
        what = f'in document "{name}": took a copy of "{words}" (tokens {start} to {end}) out of entity {label}'
        begin = batch.place_of(document).line or 0
        copies.append(_Copy(begin, start, end, label.encode(), int(batch.line[mention]), what))
    return copies


def _in_plain_cells(source: Source, copies: list[_Copy]) -> list[_Copy]:
    """Those of the copies that begin and end in plain cells."""
    if not copies:
        return []
    tokens = {(copy.begin, token) for copy in copies for token in (copy.start, copy.end)}
    cells = ((line.begin, line.token, cell) for line, cell in _with_cells(source, tokens) if cell)
    plain = {(begin, token) for begin, token, (_, text) in cells if PLAIN.fullmatch(text)}
    return [copy for copy in copies if {(copy.begin, copy.start), (copy.begin, copy.end)} <= plain]


def _with_cells(source: Source, tokens: Container[tuple[int, int]]) -> Iterator[tuple[Line, tuple[int, bytes] | None]]:
    """The lines of a file, and for some tokens, each by the begin of its document and its number, where the coreference
    cell of the line begins, and the cell. Many lines are looked at together, since one by one takes fifty times as
    long."""
    rest = lines_of(source)
    while block := list(islice(rest, TOGETHER)):
        wanted = [at for at, line in enumerate(block) if line.begin and (line.begin, line.token) in tokens]
        texts = [b"\n" + block[at].text.removesuffix(b"\n") for at in wanted]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        starts, stops = last_cells(np.frombuffer(b"".join([*texts, b"\n"]), dtype=np.uint8), ends)
        begins = [1, *(ends + 1).tolist()]
        places = zip(wanted, texts, (starts - begins[:-1]).tolist(), (stops - begins[:-1]).tolist(), strict=True)
        cells = {at: (start, text[1 + start : 1 + stop]) for at, text, start, stop in places}
        yield from ((line, cells.get(at)) for at, line in enumerate(block))


def _without(line: bytes, at: int, cell: bytes, token: int, copies: list[_Copy]) -> bytes:
    """A line without the brackets that some copies have in its (plain) cell, which begins at ``at``."""
    pieces = cell.split(b"|")
    # Counted first and taken out in one go, since a cell may hold very many.
    there = Counter(pieces)
    gone: Counter[bytes] = Counter()
    for copy in copies:
        single = b"(%s)" % copy.label
        if copy.start == copy.end and gone[single] < there[single]:
            gone[single] += 1
            continue
        if token == copy.start:
            gone[b"(%s" % copy.label] += 1
        if token == copy.end:
            gone[b"%s)" % copy.label] += 1
    left = []
    for piece in pieces:
        if gone[piece]:
            gone[piece] -= 1
        else:
            left.append(piece)
    return line[:at] + (b"|".join(left) or b"-") + line[at + len(cell) :]


def _uses_crlf(source: Source) -> bool:
    return any(line.endswith(b"\r\n") for _, line in islice(source.numbered_lines(), 1))


def _with_lf(line: bytes) -> bytes:
    """A line that ends with CR LF, with LF alone, so that it is read as before."""
    text = line.removesuffix(b"\r\n")
    if text.endswith(b"\r") and marker_of(text):
        return line  # the second CR belongs to the name
    # Before CR LF an empty column at the end counts, before LF it does not.
    return text + (b"-\n" if text.endswith(b"\t") and text.strip() else b"\n")
