"""Marked text for a terminal: every mention is in brackets with signs, and colours repeat what the signs say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from corefscore.core.findings import VISIBLE
from corefscore.reports.diff import EXTRA, MISSING, RIGHT, SPAN, WRONG, Diff, Mark, Sentence, wanted
from corefscore.reports.layouts.tables import width_of

_SIGNS = {RIGHT: "", SPAN: "~", WRONG: "", MISSING: "-", EXTRA: "+"}
"""The sign before the opening bracket of a mention."""

_COLOURS = {RIGHT: "2", SPAN: "35", WRONG: "33", MISSING: "31", EXTRA: "34"}
"""The colours of brackets, as ANSI numbers."""

_LATER = "]...    goes on later; sentences without {error}s: --around all"

_INDENT = 5


class Shown(NamedTuple):
    """What a diff shows: only errors of ``types``, only mentions of ``entities`` (empty for all), and ``around``
    sentences before and after each, None for every sentence. Lines have ``width`` characters, and ``colour`` adds
    colours."""

    types: Collection[str] = ()
    entities: Collection[str] = ()
    around: int | None = 0
    width: int = 80
    colour: bool = False


def render(diff: Diff, shown: Shown) -> Iterator[str]:
    """Each document with its score, errors and sentences; then the legend of the signs."""
    empty = True
    for document in range(len(diff.analysis.result.names)):
        sentences = list(diff.sentences(document))
        chosen = _chosen(sentences, shown)
        if chosen:
            empty = False
            yield _title(diff, document) + "\n"
            yield from (line + "\n" for index in chosen for line in _lines(sentences[index], shown))
            yield "\n"
    if empty:
        which = "such" if shown.types or shown.entities else "any"
        yield f"no sentence has {which} {diff.words.error}s\n\n"
    yield "".join(f"{line}\n" for line in (*diff.words.legend, _LATER.format(error=diff.words.error)))
    yield f"{diff.report.signature}\n"


def _chosen(sentences: Sequence[Sentence], shown: Shown) -> list[int]:
    """The indices of the sentences to show."""
    indices, reach = range(len(sentences)), shown.around
    if reach is None:
        return [*indices]
    hits = [
        index
        for index, sentence in enumerate(sentences)
        if any(wanted(mark, shown.types, shown.entities) for mark in sentence.marks)
    ]
    return sorted({index for hit in hits for index in indices[max(0, hit - reach) : hit + reach + 1]})


def _title(diff: Diff, document: int) -> str:
    """The name of a document, its score, and the number of its errors."""
    name = diff.analysis.result.names[document].translate(VISIBLE)
    return f"{name}   {diff.score_of(document)}; {diff.counts_of(document)}"


def _lines(sentence: Sentence, shown: Shown) -> Iterator[str]:
    """A sentence in lines of the width; the first line begins with its number."""
    line, size = f"{sentence.number:>{_INDENT}}  ", _INDENT + 2
    for index, (word, length) in enumerate(_words(sentence, shown.colour)):
        if index and size + 1 + length > shown.width and size > _INDENT + 2:
            yield line
            line, size = " " * (_INDENT + 2), _INDENT + 2
        elif index:
            line, size = line + " ", size + 1
        line, size = line + word, size + length
    yield line


def _words(sentence: Sentence, colour: bool) -> Iterator[tuple[str, int]]:
    """Each word with its brackets, and its width in the terminal."""
    opening: dict[int, list[Mark]] = {}
    closing: dict[int, list[tuple[Mark, bool]]] = {}
    last = sentence.first + len(sentence.words) - 1
    parts = [(start, end, mark) for mark in sentence.marks for start, end in mark.parts if start <= last]
    for start, end, mark in sorted(parts, key=lambda part: (part[0], -part[1])):
        opening.setdefault(start, []).append(mark)
        closing.setdefault(min(end, last), []).insert(0, (mark, mark.end > min(end, last)))
    for token, word in enumerate(sentence.words, start=sentence.first):
        before = [(f"{_SIGNS[mark.state]}[", mark.state) for mark in opening.get(token, ())]
        after = [(f"]{mark.label}" + "..." * more, mark.state) for mark, more in closing.get(token, ())]
        pieces = [(piece.translate(VISIBLE), state) for piece, state in (*before, (word, None), *after)]
        text = "".join(_coloured(piece, state) if colour and state else piece for piece, state in pieces)
        yield text, sum(width_of(piece) for piece, _ in pieces)


def _coloured(piece: str, state: str) -> str:
    return f"\x1b[{_COLOURS[state]}m{piece}\x1b[0m"
