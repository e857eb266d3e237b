"""Repairing CorefUD files: faults that need no guess are repaired; the rest of the file stays the same, byte for
byte."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from corefscore.checking.repair import Fixes
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, Fix, plural
from corefscore.core.sources import MARK, Source, as_text
from corefscore.formats.base import Request
from corefscore.formats.corefud.chunks import CLOSE, OPEN, SINGLE, Chunks
from corefscore.formats.corefud.lines import COLUMNS, TAB
from corefscore.formats.corefud.mentions import FileMentions, paired
from corefscore.formats.corefud.reader import File


def repaired(source: Source, fixes: Fixes, *, first_copy: bool) -> Iterator[str]:
    """Yield the text of a file after repair, line by line. ``fixes`` is complete at the end of the text.

    - An empty line is added to a file that ends with one line end; without it the official scorer fails.
    - A `_` is added for each missing column of lines with fewer than ten, which is how they are read.
    - The parts of a discontinuous mention are numbered from 1 to their number, in the order in which they are read, if
      the mention has its last part.
    - The second copy of a mention within one entity is removed if it has the same words and the same head as the first,
      is not discontinuous, and the other brackets mean the same without it.

    Scores do not change. In a file with errors only the empty line is added, since the meaning of the rest is unknown.
    Raises `UsageError` for a file that cannot be read, and for ``first_copy``: which of two entities appears first
    depends on the copies themselves.
    """
    if first_copy:
        raise UsageError(
            f"{source.name}: --repeated first repairs only CoNLL files; score a CorefUD file with that option instead"
        )
    file = _Repaired(source)
    file.documents()
    lines = source.read().splitlines(keepends=True)
    if not file.faulty:
        _fill(lines, file, fixes)
        for line, edits in file.edits(fixes).items():
            lines[line] = _edited(lines[line], edits, len(MARK) if lines[line].startswith(MARK) else 0)
    if file.lines.ends_open:
        end = re.search(rb"[\r\n]*\Z", lines[-1])
        lines.append(end[0] if end else b"\n")
        fixes.add(Fix("no-empty-line", source.name, len(lines) - 1, "added an empty line after this line"))
    yield from map(as_text, lines)


_Edit = tuple[int, int, bytes]
"""Bytes of a line: where they start and stop, and the text that replaces them."""


def _edited(line: bytes, edits: list[_Edit], shift: int) -> bytes:
    """Return a line after edits, whose positions are counted from ``shift`` on."""
    pieces, end = [], 0
    for start, stop, text in sorted(edits):
        pieces += [line[end : shift + start], text]
        end = shift + stop
    return b"".join([*pieces, line[end:]])


def _fill(lines: list[bytes], file: _Repaired, fixes: Fixes) -> None:
    """Add the missing columns to lines of words with fewer than ten."""
    if file.lines.irregular is None:
        return
    filled = []
    for number in file.lines.tokens.tolist():
        if (missing := COLUMNS - 1 - lines[number].count(bytes([TAB]))) > 0:
            text = lines[number].rstrip(b"\r\n")
            lines[number] = text + b"\t_" * missing + lines[number][len(text) :]
            filled.append(number)
    if filled:
        what = f"added the missing columns to {plural(len(filled), 'line')}, beginning at this line"
        fixes.add(Fix("not-ten-columns", file.source.name, filled[0] + 1, what))


class _Repaired(File):
    """A file that is read to be repaired; it is ``faulty`` if scoring would refuse it."""

    faulty = False

    def __init__(self, source: Source) -> None:
        super().__init__(source, lambda finding: None, Request())

    def refuse(self, finding: Finding) -> None:
        """Note that there is an error, and continue."""
        self.faulty = True

    def edits(self, fixes: Fixes) -> dict[int, list[_Edit]]:
        """Return the edits of the brackets of each line (from 0)."""
        edits: dict[int, list[_Edit]] = defaultdict(list)
        if self.mentions is None:
            return edits
        for chunks in _copies(self, self.mentions):
            self._report(fixes, "dropped-repeat", chunks[0], "removed a copy of a mention from entity {}")
            for chunk in chunks:
                self._edit(edits, chunk, *_extent(self.chunks, chunk), b"")
        for parts in self.mentions.misnumbered:
            what = f"numbered the {parts[0].total} parts of a mention of entity {{}} from 1"
            self._report(fixes, "misnumbered-parts", parts[0].chunk, what)
            for part in parts:
                start = int(self.chunks.id_stop[part.chunk])
                line_end = self.lines.ends[np.searchsorted(self.lines.ends, start)]
                stop = start + self.lines.piece(start, line_end).index(b"]") + 1
                self._edit(edits, part.chunk, start, stop, b"[%d/%d]" % (part.number, part.total))
        return edits

    def _edit(self, edits: dict[int, list[_Edit]], chunk: int, start: int, stop: int, text: bytes) -> None:
        """Add an edit to the line of a chunk; its positions are those in the file."""
        line = self._line_of(int(self.chunks.word[chunk])) - 1
        begin = int(self.lines.starts[line])
        edits[line].append((start - begin, stop - begin, text))

    def _report(self, fixes: Fixes, code: str, chunk: int, what: str) -> None:
        """Add a repair at the line of a chunk; ``what`` has a place for the entity."""
        name = self.lines.documents.names[int(self.document_of(self.chunks.word[chunk]))]
        text = f'in document "{name}": {what.format(as_text(self.chunks.id_of(chunk)))}'
        fixes.add(Fix(code, self.source.name, self._line_of(int(self.chunks.word[chunk])), text))


def _extent(chunks: Chunks, chunk: int) -> tuple[int, int]:
    """Return where a chunk begins and stops, brackets included."""
    kind = int(chunks.kind[chunk])
    return int(chunks.start[chunk]) - (kind != CLOSE), int(chunks.stop[chunk]) + (kind != OPEN)


def _copies(read: _Repaired, found: FileMentions) -> Iterator[tuple[int, ...]]:
    """Return the chunks of each copy of a mention that can be removed: they are plain, and those around them are read
    the same without them; an open bracket next to a close bracket would be read as one mention."""
    sized, chunks = read.sized, read.chunks
    kind, cell = chunks.kind.tolist(), chunks.cell.tolist()
    brackets = chunks.text[np.minimum(chunks.id_stop, len(chunks.text) - 1)] == ord("[")
    odd = brackets | np.isin(chunks.cell, chunks.rest)
    odd[list(found.stretched)] = True
    odd[found.chunk[np.bincount(found.of, minlength=len(found.entity)) > 1]] = True
    first = np.cumsum(sized.size) - sized.size
    opens, closes, _ = paired(chunks, read.entity, lambda *_: None)  # none was refused when the file was read
    closing = dict(zip(opens.tolist(), closes.tolist(), strict=True))
    seen: set[tuple[int, ...]] = set()
    removed: set[int] = set()

    def beside(chunk: int, step: int) -> int | None:
        """Return the kind of the chunk before (-1) or after (1) that is left in the cell; None if there is none."""
        at = chunk + step
        while at in removed:
            at += step
        return kind[at] if 0 <= at < len(cell) and cell[at] == cell[chunk] else None

    for mention in np.argsort(found.chunk, kind="stable").tolist():
        words = sized.word[first[mention] : first[mention] + sized.size[mention]].tolist()
        value = int(found.entity[mention]), int(read.head[mention]), *words
        if value not in seen:
            seen.add(value)
            continue
        chunk = int(found.chunk[mention])
        both = (chunk,) if kind[chunk] == SINGLE else (chunk, closing[chunk])
        if not any(odd[each] or (beside(each, -1), beside(each, 1)) == (OPEN, CLOSE) for each in both):
            removed.update(both)
            yield both
