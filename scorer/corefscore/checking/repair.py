"""Repairing CoNLL files: faults that need no guess are repaired; the rest of the file stays the same, byte for byte."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

from corefscore.core.arrays import lists_by_key
from corefscore.core.documents import Documents
from corefscore.core.findings import Collected, Fix, Found, plural, tokens
from corefscore.core.sources import MARK, Source, as_text
from corefscore.formats.base import Request
from corefscore.formats.conll import BEGIN
from corefscore.formats.conll.cells import PLAIN, USUAL_END, cell_of, marker_of
from corefscore.formats.conll.examiner import examine
from corefscore.formats.conll.lines import Line, lines_of
from corefscore.matching.matched import Repeat, copies_of, repeats_of

Fixes = Collected[Fix]
"""The repairs of a file."""

_WITHOUT_BLANK = re.compile(rb"^((?:%s)?#[^\S\n]*%s)(?=\()" % (MARK, BEGIN.rstrip()))
"""A line that would begin a document if it had a blank before the name."""


class _Copy(NamedTuple):
    """A copy of a mention that is to be removed: the line at which its document begins, its tokens, its entity, whether
    it is the last copy in that entity, and the number of the mention in its batch."""

    begin: int
    start: int
    end: int
    label: bytes
    last: bool
    mention: int


def repaired(source: Source, fixes: Fixes, *, first_copy: bool) -> Iterator[str]:
    """Yield the text of a file after repair, in pieces. ``fixes`` is complete at the end of the text.

    - If no line begins a document, a blank is added to lines that lack only the blank before the name.
    - The second copy of a mention within one entity is removed, unless one of its cells is not plain. With
      ``first_copy`` every later copy of a span is, as with ``--repeated first``, but only in documents in which all of
      them can be removed, since otherwise other copies could become the first.
    - If a file has line ends of both kinds, all become LF.
    - A missing end line of a document is added.

    Scores with ``--repeated first`` do not change. Raises `UsageError` for a file that cannot be read.
    """
    source = _with_blanks(source, fixes)
    found = Found()
    by_token = _removable(source, found, fixes, first_copy=first_copy)
    mixed = any(finding.code == "mixed-line-ends" for finding in found.listed)
    _, first_line = next(iter(source.numbered_lines()), (0, b""))
    new_line = b"\r\n" if not mixed and first_line.endswith(b"\r\n") else b"\n"
    changed_ends = first_changed = 0
    last = Line(0, b"", 0, 0)
    inside = 0
    for line in lines_of(source):
        text = line.text
        if inside and line.begin == line.number:
            fixes.add(Fix("nested-document", source.name, line.number, 'added "#end document" before this line'))
            yield as_text(USUAL_END + new_line)
        inside = line.begin
        if copies := by_token.get((line.begin, line.token)):
            text = _without(text, line.token, copies)
        if inside and text.endswith(b"\r"):
            # The last line: its CR becomes part of the line end before the end line.
            text, mixed = text + b"\n", mixed or new_line == b"\n"
        if mixed and (with_lf := _with_lf(text)) != text:
            changed_ends += 1
            first_changed = first_changed or line.number
            text = with_lf
        yield as_text(text)
        last = line._replace(text=text)
    if inside:
        fixes.add(Fix("no-end", source.name, last.number, 'added "#end document" after this line'))
        yield as_text((b"" if last.text.endswith(b"\n") else new_line) + USUAL_END + new_line)
    if changed_ends:
        what = f"converted {plural(changed_ends, 'line end')} to LF, beginning at this line"
        fixes.add(Fix("mixed-line-ends", source.name, first_changed, what))


def _with_blanks(source: Source, fixes: Fixes) -> Source:
    """Return the file; if no line begins a document, with a blank added before names that lack one."""
    markers = (marker_of(text) for _, text in source.numbered_lines())
    if any(marker.name is not None for marker in markers if marker):
        return source
    spaced = []
    for number, text in source.numbered_lines():
        with_blank = _WITHOUT_BLANK.sub(rb"\1 ", text)
        spaced.append(with_blank)
        if with_blank != text:
            fixes.add(Fix("no-document", source.name, number, 'added a space after "#begin document"'))
    return Source(source.path, b"".join(spaced))


def _removable(source: Source, found: Found, fixes: Fixes, *, first_copy: bool) -> dict[tuple[int, int], list[_Copy]]:
    """Return the copies of mentions that are to be removed, by the begin of their document and by token. Other findings
    of the file are added to ``found``.
    """
    removed: list[_Copy] = []
    examined = examine([source], found, Request())
    batches = [(batch, repeated) for batch in examined if (repeated := repeats_of(batch, copies_of(batch)))]
    plain = _plain_cells(source, batches)
    for batch, repeated in batches:
        copies = _copies(batch, repeated, plain, first_copy=first_copy)
        _report(source, batch, fixes.take("repeated-mention", copies), fixes)
        removed += copies
    return lists_by_key(((copy.begin, token), copy) for copy in removed for token in {copy.start, copy.end})


def _report(source: Source, batch: Documents, copies: Sequence[_Copy], fixes: Fixes) -> None:
    """Add the removal of some copies to the fixes."""
    for copy, words in zip(copies, batch.words_of([copy.mention for copy in copies]), strict=True):
        name = batch.names[int(batch.document[batch.entity[copy.mention]])]
        place = tokens(copy.start, copy.end)
        what = f'in document "{name}": removed a copy of "{words}"{place} from entity {copy.label.decode()}'
        fixes.add(Fix("repeated-mention", source.name, int(batch.line[copy.mention]), what))


def _plain_cells(source: Source, batches: Sequence[tuple[Documents, Sequence[Repeat]]]) -> set[tuple[int, int]]:
    """Return the tokens at which repeated spans begin or end in plain cells, each as the begin of its document and its
    number.
    """
    edges = {
        (batch.place_of(repeat.document).line or 0, token)
        for batch, repeated in batches
        for repeat in repeated
        for token in _ends(repeat)
    }
    return {
        (line.begin, line.token)
        for line in (lines_of(source) if edges else ())
        if (line.begin, line.token) in edges and re.fullmatch(PLAIN, cell_of(line.text)[1])
    }


def _ends(repeat: Repeat) -> tuple[int, int]:
    return repeat.first.span.start, repeat.first.span.end


def _copies(
    batch: Documents, repeated: Sequence[Repeat], plain: Collection[tuple[int, int]], *, first_copy: bool
) -> list[_Copy]:
    """Return the copies of a batch that are to be removed, in the order of the mentions."""
    begins = [batch.place_of(document).line or 0 for document in range(len(batch))]
    clear = [all((begins[repeat.document], token) in plain for token in _ends(repeat)) for repeat in repeated]
    unclear = {repeat.document for repeat, is_clear in zip(repeated, clear, strict=True) if not is_clear}
    copies = []
    for repeat in compress(repeated, clear):
        only_first = first_copy and repeat.document not in unclear
        start, end = _ends(repeat)
        kept: set[int] = set()
        for mention in repeat.copies:
            if (entity := int(batch.entity[mention])) in kept or (only_first and kept):
                label = batch.name_of(entity).encode()
                copies.append(_Copy(begins[repeat.document], start, end, label, entity not in kept, mention))
            else:
                kept.add(entity)
    return sorted(copies, key=lambda copy: copy.mention)


def _without(line: bytes, token: int, copies: list[_Copy]) -> bytes:
    """Return a line without the brackets of some copies in its (plain) cell.

    The last pieces of a form are removed, and one-token mentions before brackets, so that the order in which entities
    appear stays the same.
    """
    start, cell = cell_of(line)
    pieces = cell.split(b"|")
    counts = Counter(pieces)
    # Counted first and removed in one pass, since a cell may contain very many pieces.
    removed: Counter[bytes] = Counter()
    for (label, last), count in Counter((copy.label, copy.last) for copy in copies if copy.start == copy.end).items():
        single = b"(%s)" % label
        removed[single] = counts[single] if last else max(counts[single] - 1, 0)
        for bracket in (b"(%s" % label, b"%s)" % label):
            removed[bracket] += count - removed[single]
    for copy in copies:
        if copy.start < copy.end:
            removed[(b"(%s" if token == copy.start else b"%s)") % copy.label] += 1
    left = []
    for piece in reversed(pieces):
        if removed[piece]:
            removed[piece] -= 1
        else:
            left.append(piece)
    return line[:start] + (b"|".join(left[::-1]) or b"-") + line[start + len(cell) :]


def _with_lf(line: bytes) -> bytes:
    """Return a line with LF instead of CR LF, changed so that it is read as before; a line without CR LF as it is."""
    if not line.endswith(b"\r\n"):
        return line
    text = line.rstrip(b"\r\n")
    if (begin := marker_of(line[:-2])) and begin.name is not None and line.endswith(b"\r\r\n"):
        return line  # the second CR is part of the name
    # An empty column counts before CR LF and before a CR that is not part of the line end, but not before LF.
    empty = text.endswith(b"\t") or (text.endswith(b" ") and b"\t" not in text and line.endswith(b"\r\r\n"))
    return text + (b"-\n" if empty and text.strip() and not begin else b"\n")
