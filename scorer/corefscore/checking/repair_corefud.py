"""Mend in CorefUD what can be mended without guessing; everything else in the file stays as it is, byte for byte."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from corefscore.checking.findings import Finding, plural
from corefscore.checking.repair import Fix, Fixes
from corefscore.documents.arrays import Ints, changes
from corefscore.documents.sources import MARK, Source, as_text
from corefscore.errors import UsageError
from corefscore.formats.corefud.chunks import CLOSE, OPEN, SINGLE, Cells, Chunks, Fields
from corefscore.formats.corefud.lines import COLUMNS, TAB
from corefscore.formats.corefud.mentions import Events, Marked, Refuse, Sized
from corefscore.formats.corefud.reader import Columns, File
from corefscore.formats.row import Request

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""A line with its line end, as the reader has it."""


def mend(source: Source, fixes: Fixes, *, first_copy: bool) -> Iterator[str]:
    """The mended text of a file. What was done is in ``fixes`` once all of the text is taken.

    - A file that ends with one line end gets an empty line, without which the official scorer fails.
    - Lines of less than ten columns get `_` for each that is missing, as they are read.
    - The parts of a discontinuous mention are numbered from 1 to as many as there are, in the order in which they are
      read, if the mention has its last part.
    - The second copy of a mention within one entity goes if it has the same words and the same head as the first, is
      no discontinuous mention, and leaves brackets that mean the same without it.

    So no score changes. A file with errors only gets the empty line, since nobody knows what the rest of it means.
    Raises `UsageError` for a file that cannot be read, and for ``first_copy``: which of two entities appears first
    depends on the copies themselves.
    """
    if first_copy:
        raise UsageError(
            f"{source.name}: --repeated first is for CoNLL files; of CorefUD, score with --repeated first instead"
        )
    its = _Mended(source)
    its.documents()
    lines: list[bytes] = LINE.findall(source.read())
    if not its.faulty:
        _fill(lines, its, fixes)
        for line, edits in its.edits(fixes).items():
            lines[line] = _edited(lines[line], edits, len(MARK) if not line and lines[line].startswith(MARK) else 0)
    if its.lines.ends_open:
        end = re.search(rb"[\r\n]*\Z", lines[-1])
        lines.append(end[0] if end else b"\n")
        fixes.add(Fix("no-empty-line", source.name, len(lines) - 1, "added an empty line after this line"))
    yield from map(as_text, lines)


class Edit(NamedTuple):
    """Bytes of a line, from ``start`` to ``stop``, that become other ones."""

    start: int
    stop: int
    text: bytes


def _edited(line: bytes, edits: list[Edit], shift: int) -> bytes:
    """A line in which places are changed, counted from ``shift`` on."""
    pieces, end = [], 0
    for start, stop, text in sorted(edits):
        pieces += [line[end : shift + start], text]
        end = shift + stop
    return b"".join([*pieces, line[end:]])


def _fill(lines: list[bytes], its: _Mended, fixes: Fixes) -> None:
    """Give the lines of words ten columns where they have less."""
    if its.lines.irregular is None:
        return
    filled = []
    for at in its.lines.tokens.tolist():
        missing = COLUMNS - 1 - lines[at].count(bytes([TAB]))
        if missing > 0:
            text = lines[at].rstrip(b"\r\n")
            lines[at] = text + b"\t_" * missing + lines[at][len(text) :]
            filled.append(at)
    if filled:
        what = f"added the missing columns to {plural(len(filled), 'line')}, the first one here"
        fixes.add(Fix("not-ten-columns", its.source.name, filled[0] + 1, what))


class _Read(NamedTuple):
    """What was read of the mentions of a file."""

    cells: Cells
    chunks: Chunks
    events: Events
    found: Marked
    sized: Sized
    head: Ints


class _Mended(File):
    """A file that is read for what can be mended in it; ``faulty`` if scoring would refuse it."""

    def __init__(self, source: Source) -> None:
        self.faulty = False
        self._read: dict[str, Any] = {}
        super().__init__(source, lambda finding: None, Request())

    def refuse(self, finding: Finding) -> None:
        """See that there is an error, and read on."""
        self.faulty = True

    def _columns(self, its_cells: Cells, its_chunks: Chunks, fields: Fields) -> Columns:
        self._read.update(cells=its_cells, chunks=its_chunks)
        return super()._columns(its_cells, its_chunks, fields)

    def _events(self, word: Ints, its_chunks: Chunks, refuse: Refuse) -> Events:
        self._read["events"] = found = super()._events(word, its_chunks, refuse)
        return found

    def _by_entity(self, found: Marked, sized: Sized, head: Ints, id_of: Callable[[int], Any]) -> tuple[Columns, Ints]:
        self._read.update(found=found, sized=sized, head=head)
        return super()._by_entity(found, sized, head, id_of)

    def edits(self, fixes: Fixes) -> dict[int, list[Edit]]:
        """What changes in the brackets of each line (from 0)."""
        edits: dict[int, list[Edit]] = defaultdict(list)
        if not self._read:
            return edits
        read = _Read(**self._read)
        for chunks in _copies(read):
            self._tell(fixes, "dropped-repeat", chunks[0], read, "removed the second copy of a mention from entity {}")
            for chunk in chunks:
                self._edit(edits, read, chunk, Edit(*_extent(read.chunks, chunk), b""))
        for parts in read.found.misnumbered:
            what = f"numbered the {parts[0].total} parts of a mention of entity {{}} from 1"
            self._tell(fixes, "misnumbered-parts", parts[0].chunk, read, what)
            for part in parts:
                start, shift = int(read.chunks.id_stop[part.chunk]), read.chunks.shift_of(part.chunk)
                stop = self.lines.data.index(b"]", start + shift) + 1 - shift
                text = b"[%d/%d]" % (part.number, part.total)
                self._edit(edits, read, part.chunk, Edit(start, stop, text))
        return edits

    def _edit(self, edits: dict[int, list[Edit]], read: _Read, chunk: int, edit: Edit) -> None:
        """Add what changes in the line of a chunk, given by places in the text of the chunks."""
        line = self._line(read, chunk)
        begin = int(self.lines.starts[line]) - read.chunks.shift_of(chunk)
        edits[line].append(edit._replace(start=edit.start - begin, stop=edit.stop - begin))

    def _line(self, read: _Read, chunk: int) -> int:
        """The line (from 0) of a chunk."""
        return int(self.lines.tokens[self.lines.words.row[read.events.word[chunk]]])

    def _tell(self, fixes: Fixes, code: str, chunk: int, read: _Read, what: str) -> None:
        name = self.lines.documents.names[int(self.document_of(read.events.word[chunk]))]
        text = what.format(as_text(read.chunks.id_of(chunk)))
        fixes.add(Fix(code, self.source.name, self._line(read, chunk) + 1, f'in document "{name}": {text}'))


def _extent(chunks: Chunks, chunk: int) -> tuple[int, int]:
    """Where a chunk is with its brackets."""
    kind = int(chunks.kind[chunk])
    return int(chunks.start[chunk]) - (kind != CLOSE), int(chunks.stop[chunk]) + (kind != OPEN)


def _copies(read: _Read) -> Iterator[tuple[int, ...]]:
    """The chunks of each copy of a mention that can go."""
    found, sized = read.found, read.sized
    in_parts = np.bincount(found.of, minlength=len(found.entity)) > 1
    first = np.cumsum(sized.size) - sized.size
    order = np.argsort(found.chunk, kind="stable")
    seen: set[tuple[int, ...]] = set()
    written = _Written(read)
    for mention in order.tolist():
        words = sized.word[first[mention] : first[mention] + sized.size[mention]].tolist()
        value = int(found.entity[mention]), int(read.head[mention]), *words
        if value not in seen:
            seen.add(value)
            continue
        its = written.chunks_of(int(found.chunk[mention]))
        if not in_parts[mention] and written.can_go(its):
            written.leave_out(its)
            yield its


class _Written:
    """The chunks of a file: for each that is left the ones before and after it in its cell, -1 for none, and for each
    that opens the one that closes it."""

    def __init__(self, read: _Read) -> None:
        chunks = read.chunks
        self.kind = chunks.kind.tolist()
        cell = chunks.cell
        same = np.append(~changes(cell)[1:], False)[: len(cell)]
        at = np.arange(len(cell))
        self.behind = np.where(same, at + 1, -1).tolist()
        self.before = np.where(np.append(False, same[:-1])[: len(cell)], at - 1, -1).tolist()
        brackets = chunks.text[np.minimum(chunks.id_stop, len(chunks.text) - 1)] == ord("[")
        self.odd = brackets | np.isin(cell, chunks.rest)
        self.odd[list(read.found.stretched)] = True
        self.closing: dict[int, int] = {}
        opened: dict[int, list[int]] = defaultdict(list)
        for chunk, (kind, entity) in enumerate(zip(self.kind, read.events.entity.tolist(), strict=True)):
            if kind == OPEN:
                opened[entity].append(chunk)
            elif kind == CLOSE:
                self.closing[opened[entity].pop()] = chunk

    def chunks_of(self, chunk: int) -> tuple[int, ...]:
        """A chunk with which a mention begins, and the one that closes it."""
        return (chunk,) if self.kind[chunk] == SINGLE else (chunk, self.closing[chunk])

    def can_go(self, chunks: tuple[int, ...]) -> bool:
        """Whether chunks are plain, and those around them are read as before without them: one that opens and one that
        closes would be read as one."""
        around = [(self.before[chunk], self.behind[chunk]) for chunk in chunks]
        return not any(self.odd[chunk] for chunk in chunks) and not any(
            before >= 0 and self.kind[before] == OPEN and behind >= 0 and self.kind[behind] == CLOSE
            for before, behind in around
        )

    def leave_out(self, chunks: tuple[int, ...]) -> None:
        """Go on as if chunks were not there."""
        for chunk in chunks:
            before, behind = self.before[chunk], self.behind[chunk]
            if before >= 0:
                self.behind[before] = behind
            if behind >= 0:
                self.before[behind] = before
