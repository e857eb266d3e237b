"""CoNLL-U in bulk: which lines are words, where their columns are, which sentence and document they belong to.

1. Lines end with LF, CR LF or CR. Empty lines separate sentences; comments alone are not a sentence.
2. A line that begins with `#` is a comment. Every other line is a token with ten columns separated by tabs; missing
   columns are `_`, surplus columns are ignored.
3. The first column is an integer, `n.m` for an empty node, or `n-m` for a range, which is skipped. The words of a
   sentence are in the order of these numbers, whatever the order of lines; `n.m` is read as a decimal fraction.
4. A sentence with `# newdoc` begins a document. If an id comes again, the document continues.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from io import BytesIO
from itertools import chain, compress
from typing import NamedTuple, SupportsIndex

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, changes, order_by
from corefscore.core.documents import SENTENCE, TENTH
from corefscore.core.errors import refuse
from corefscore.core.findings import MOST, Finding, shortened
from corefscore.core.sources import MARK, Source, as_text
from corefscore.formats.base import excerpt
from corefscore.formats.words import whole_numbers

COLUMNS = 10

ID, FORM, UPOS, HEAD, DEPS, MISC = 0, 1, 3, 6, 8, 9
"""Columns, counted from 0."""

LF, CR, TAB, HASH = b"\n\r\t#"

DIGITS = 6
"""How many digits the number of a word may have."""

_NUMBER = re.compile(rb"(\d{1,6})(?:\.(\d+))?")
"""The number of a word in its sentence."""

_RANGE = re.compile(rb"\d+-\d+")

_NEWDOC = re.compile(rb"# newdoc(?:[^\S\n]+id[^\S\n]*=[^\S\n]*([^\n]+))?")

_LIKE_NEWDOC = re.compile(rb"(?i)#\s*new[ _-]?doc(?![a-z])[^\n]*")

_HEADER = re.compile(rb"# global\.Entity[^\S\n]*=[^\S\n]*([^\n]*)")

_MARKED = re.compile(rb"^%s" % MARK, re.MULTILINE)

WITHOUT_NEWDOC = "(no newdoc)"
"""The name of the document that begins without `# newdoc`."""

Refuse = Callable[[Finding], None]
"""A function for errors: it raises the error, or keeps it and returns; then reading continues without the faulty
part."""

_Take = Callable[[str, Sequence[int]], Sequence[int]]
"""A function that returns which of the places of an error will be reported, given its code and the places."""


def few(code: str, faulty: Sequence[int]) -> Sequence[int]:
    """Return the first `MOST` places."""
    return faulty[:MOST]


class Words(NamedTuple):
    """The words of a file in the order of their sentences: the row of each among the token lines, its sentence, counted
    in the file, its number with that sentence (`corefscore.core.documents.Nodes`), and whether it is a token rather
    than an empty node."""

    row: Ints
    sentence: Ints
    number: Ints
    overt: Bools

    def take(self, which: Ints) -> Words:
        """Return some of the words, in this order."""
        return Words(self.row[which], self.sentence[which], self.number[which], self.overt[which])


class _Begun(NamedTuple):
    """Where documents begin: their names; the line (from 1) at which each begins; the document of each sentence; the
    lines with `# newdoc` that begin no sentence; those with an id that an earlier one has, with this id; and those
    that are nearly `# newdoc`, such as `#newdoc`, with their text."""

    names: list[str]
    lines: list[int]
    of_sentence: Ints
    lost: list[int]
    again: list[tuple[int, str]]
    nearly: list[tuple[int, str]]


_Irregular = tuple[int, int, int]
"""Lines of tokens that have other than ten columns: how many, and the first one (from 1) and its columns."""


class Lines:
    """The lines of a file: line n is ``text[starts[n]:ends[n]]``, its line end left out.

    ``tokens`` are the lines that are tokens, each with nine tabs; ``irregular`` describes those that had other than
    these. A token without a number is refused; if ``refuse`` returns, it is no word.
    """

    def __init__(self, source: Source, *, refuse: Refuse = refuse, take: _Take = few) -> None:
        self.source, self.refuse, self.take = source, refuse, take
        self.irregular: _Irregular | None = None
        text = _read_with_lf(source)
        self.ends_open = text.endswith(b"\n") and not text.endswith(b"\n\n")
        self.text = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", dtype=np.uint8)
        self._split()
        if not self._regular():
            self.text, self.irregular = _regular(self.text, self.tokens)
            self._split()
            self._regular()

    def _split(self) -> None:
        self.ends = np.flatnonzero(self.text == LF)
        self.starts = np.zeros(len(self.ends), dtype=np.int64)
        np.add(self.ends[:-1], 1, out=self.starts[1:])
        first = self.text[self.starts]
        self.empty = first == LF
        self.comments = first == HASH
        self.tokens = np.flatnonzero(~self.comments & ~self.empty)

    def _regular(self) -> bool:
        """Find the tabs; whether there are nine in each line of a token and none elsewhere."""
        tabs = np.flatnonzero(self.text == TAB)
        if len(tabs) != len(self.tokens) * (COLUMNS - 1):
            return False
        self._tabs = tabs.reshape(-1, COLUMNS - 1)
        first, last = self.starts[self.tokens] <= self._tabs[:, 0], self._tabs[:, -1] < self.ends[self.tokens]
        return bool(first.all() and last.all())

    def bounds(self, column: int, rows: Ints | slice) -> tuple[Ints, Ints]:
        """Return where a column of some tokens begins and ends."""
        begin = self.starts[self.tokens[rows]] if column == ID else self._tabs[rows, column - 1] + 1
        return begin, self.ends[self.tokens[rows]] if column == MISC else self._tabs[rows, column]

    def column(self, row: int, column: int) -> bytes:
        """Return a column of a token."""
        return self.line(self.tokens[row]).split(b"\t")[column]

    def line(self, number: int) -> bytes:
        """Return a line of the file, counted from 0."""
        return self.piece(self.starts[number], self.ends[number])

    def piece(self, start: SupportsIndex, stop: SupportsIndex) -> bytes:
        """Return a piece of the file."""
        return self.text.data[start:stop].tobytes()

    def line_of(self, row: int) -> int:
        """Return the number of the line (from 1) of a token."""
        return int(self.tokens[row]) + 1

    def about(self, code: str, row: int, piece: bytes, start: int | None = None, **details: object) -> Finding:
        """Return the finding about a piece of the line of a token, with the piece shown in it; ``start`` is where the
        piece is in the file; otherwise its last occurrence is meant.
        """
        number = int(self.tokens[row])
        line, part = self.line(number), as_text(piece)
        at = max(line.rfind(piece), 0) if start is None else start - int(self.starts[number])
        column, around = excerpt(as_text(line), len(as_text(line[:at])), len(part))
        return Finding(code, self.source.name, number + 1, column, {"piece": shortened(part), **details}, around)

    @cached_property
    def words(self) -> Words:
        """The words of the file."""
        number, overt, word = self._numbers()
        number += self.sentence * SENTENCE
        found = Words(np.arange(len(number)), self.sentence, number, overt)
        if not word.all():
            found = found.take(np.flatnonzero(word))
        if (found.number[1:] < found.number[:-1]).any():
            found = found.take(np.argsort(found.number, kind="stable"))
        return found

    @cached_property
    def sentences(self) -> Ints:
        """The first token of each sentence."""
        first = np.append(0, np.searchsorted(self.tokens, np.flatnonzero(self.empty)))
        first = first[first < len(self.tokens)]
        return first[changes(first)]

    @cached_property
    def sentence(self) -> Ints:
        """The sentence of each token, counted in the file."""
        return np.repeat(np.arange(len(self.sentences)), np.diff(self.sentences, append=len(self.tokens)))

    def _numbers(self) -> tuple[Ints, Bools, Bools]:
        """Return the number of each token in its sentence times `TENTH`, whether it is overt, and whether it is a
        word.
        """
        number = whole_numbers(self.text, *self.bounds(ID, slice(None)), DIGITS)
        overt = number >= 0
        number *= TENTH
        other = np.flatnonzero(~overt)
        pieces = [self.piece(*edges) for edges in zip(*self.bounds(ID, other), strict=True)]
        found = list(map(cache(number_of), pieces))  # few are different
        number[other] = [-1 if each is None else each for each in found]
        rows = zip(other.tolist(), found, pieces, strict=True)
        faulty = [row for row, each, piece in rows if each is None and not _RANGE.fullmatch(piece)]
        for row in self.take("bad-id", faulty):
            piece = self.column(row, ID) or b"\t" + self.column(row, FORM)
            self.refuse(self.about("bad-id", row, piece))
        return number, overt, number >= 0

    @cached_property
    def headers(self) -> dict[tuple[str, ...], int]:
        """The fields of mentions in each header that differs, those of the last one first, which counts; and the line
        (from 1) of the first one with these fields."""
        every = reversed(self._comments(b"# global.Entity").tolist())
        found = [(each[1], each.start()) for at in every if (each := _HEADER.match(self.text.data, at))]
        lines = np.searchsorted(self.ends, [at for _, at in found]) + 1
        fields = (tuple(as_text(text).strip().split("-")) for text, _ in found)
        return dict(zip(fields, lines.tolist(), strict=True))

    def _comments(self, beginning: bytes) -> Ints:
        """Return where the comments with this ``beginning`` begin."""
        at: Ints = self.starts[self.comments]
        at = at[at + len(beginning) < len(self.text)]
        for place, byte in enumerate(beginning):
            at = at[self.text[at + place] == byte]
        return at

    @cached_property
    def documents(self) -> _Begun:
        """Where the documents of the file begin."""
        sentences = len(self.sentences)
        empty = np.flatnonzero(self.empty)
        block_of_sentence = np.searchsorted(empty, self.tokens[self.sentences])
        at, called_by, nearly = self._newdocs()
        block = np.searchsorted(empty, at)
        first_of = np.searchsorted(block_of_sentence, block)
        there = np.append(block_of_sentence, -1)[first_of] == block
        named = (name or f"newdoc {n}" for n, name in enumerate(compress(called_by, there), start=1))
        # The line and the name of each document that begins or continues, and its first sentence there.
        rows = list(zip(at[there].tolist(), named, first_of[there].tolist(), strict=True))
        if sentences and not (rows and rows[0][2] == 0):
            rows.insert(0, (int(self.tokens[0]), WITHOUT_NEWDOC, 0))
        numbers: dict[str, int] = {}
        lines: list[int] = []
        again: list[tuple[int, str]] = []
        for line, name, _ in rows:
            if numbers.setdefault(name, len(numbers)) == len(lines):
                lines.append(line + 1)
            else:
                again.append((line + 1, name))
        document, first = np.array([(numbers[name], begin) for _, name, begin in rows], dtype=np.int64).reshape(-1, 2).T
        of_sentence = np.repeat(document, np.diff(first, append=sentences))
        return _Begun(list(numbers), lines, of_sentence, (at[~there] + 1).tolist(), again, nearly)

    def numbers(self, document: Ints) -> Ints:
        """Return the number of each word (`corefscore.core.documents.Nodes`), given the document of each sentence."""
        order = order_by(document)
        begins = changes(document[order])
        in_document = np.empty(len(order), dtype=np.int64)
        in_document[order] = np.arange(len(order)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
        return self.words.number + (in_document - np.arange(len(order)))[self.words.sentence] * SENTENCE

    def _newdocs(self) -> tuple[Ints, list[str | None], list[tuple[int, str]]]:
        """Return the lines (from 0) with `# newdoc`, the id of each, and what is nearly this (`_Begun`)."""
        places: list[int] = []
        names: list[str | None] = []
        nearly: list[tuple[int, str]] = []
        for at in chain(*(self._comments(begin).tolist() for begin in (b"# n", b"# N", b"#n", b"#N", b"#  "))):
            match = _NEWDOC.match(self.text.data, at)
            if match and self.text[match.end()] == LF:
                places.append(at)
                names.append(None if match[1] is None else as_text(match[1]))
            elif match := _LIKE_NEWDOC.match(self.text.data, at):
                nearly.append((int(np.searchsorted(self.ends, at)) + 1, shortened(as_text(match[0]))))
        return np.searchsorted(self.ends, np.array(places, dtype=np.int64)), names, sorted(nearly)


def _read_with_lf(source: Source) -> bytes:
    """Return the bytes of a file, with LF for every line end, and without byte order marks at the begins of lines."""
    if b"\r" in (text := source.read()):
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return _MARKED.sub(b"", text) if MARK in text else text


def number_of(piece: bytes) -> int | None:
    """Return the number of a word in its sentence times `TENTH`, such as 31000 for ``3.1``; None if it is not a number.

    As in the official scorer, it is a decimal fraction: 3.10 is 3.1.
    """
    if (found := _NUMBER.fullmatch(piece)) is None:
        return None
    places = (found[2] or b"").rstrip(b"0")
    return None if len(places) > 4 else int(found[1]) * TENTH + int(places.ljust(4, b"0"))


def _regular(text: Bytes, tokens: Ints) -> tuple[Bytes, _Irregular | None]:
    """Return the same lines with nine tabs in each line of a token and none in any other, and which lines had other
    numbers of tabs.
    """
    found = bytearray()
    irregular: list[tuple[int, int]] = []
    is_token = np.zeros(len(text), dtype=np.bool_)
    is_token[tokens] = True
    for number, line in enumerate(BytesIO(text.data)):
        if is_token[number]:
            columns = line[:-1].split(b"\t")
            irregular += [(number + 1, len(columns))] * (len(columns) != COLUMNS)
            found += b"\t".join(columns[:COLUMNS] + [b"_"] * (COLUMNS - len(columns))) + b"\n"
        else:
            found += line.replace(b"\t", b" ")
    return np.frombuffer(found, dtype=np.uint8), (len(irregular), *irregular[0]) if irregular else None
