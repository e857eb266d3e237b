"""Marked text for a terminal: every mention in brackets, with signs that say all, and colours on top."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from corefscore.checking.findings import VISIBLE
from corefscore.layouts.cells import width_of
from corefscore.reports.diff import EXTRA, MISSING, RIGHT, SPAN, WRONG, Diff, Mark, Sentence, wanted
from corefscore.statistics.percent import percent

SIGNS = {RIGHT: "", SPAN: "~", WRONG: "", MISSING: "-", EXTRA: "+"}
"""What stands before a bracket."""

COLOURS = {RIGHT: "2", SPAN: "35", WRONG: "33", MISSING: "31", EXTRA: "34"}
"""The colours of brackets, as numbers of ANSI."""

LATER = "]...    goes on later; sentences without {error}s: --all"

INDENT = 5


class Shown(NamedTuple):
    """What of a diff is shown: errors of ``types`` only, mentions of ``entities`` only, ``around`` so many sentences
    before and after, or ``every`` sentence; in lines of ``width`` characters, in ``colour`` or not."""

    types: Collection[str] = ()
    entities: Collection[str] = ()
    around: int = 0
    every: bool = False
    width: int = 80
    colour: bool = False


def render(diff: Diff, shown: Shown) -> Iterator[str]:
    """Each document under its score and errors, sentence by sentence, then what the signs mean."""
    empty = True
    for document in range(len(diff.analysis.result.names)):
        sentences = list(diff.sentences(document))
        chosen = _chosen(sentences, shown)
        if chosen:
            empty = False
            yield _title(diff, document) + "\n"
            yield from (line + "\n" for at in chosen for line in _lines(sentences[at], shown))
            yield "\n"
    if empty:
        which = "such" if shown.types or shown.entities else "any"
        yield f"no sentence has {which} {diff.words.error}s\n\n"
    yield "".join(f"{line}\n" for line in (*diff.words.legend, LATER.format(error=diff.words.error)))
    yield f"{diff.report.signature}\n"


def _chosen(sentences: Sequence[Sentence], shown: Shown) -> list[int]:
    """The sentences that are shown."""
    if shown.every:
        return list(range(len(sentences)))
    hits = [
        at
        for at, sentence in enumerate(sentences)
        if any(wanted(mark, shown.types, shown.entities) for mark in sentence.marks)
    ]
    reach = shown.around
    return sorted({at for hit in hits for at in range(hit - reach, hit + reach + 1) if 0 <= at < len(sentences)})


def _title(diff: Diff, document: int) -> str:
    its = diff.analysis
    score = f"{diff.report.measure_title} {percent(float(its.document_scores[document]))}"
    return f"{_clean(its.result.names[document])}   {score}; {diff.counts_of(document)}"


def _lines(sentence: Sentence, shown: Shown) -> Iterator[str]:
    """A sentence in lines of the width, its number before the first."""
    line, size = f"{sentence.number:>{INDENT}}  ", INDENT + 2
    for place, (word, length) in enumerate(_words(sentence, shown.colour)):
        if place and size + 1 + length > shown.width and size > INDENT + 2:
            yield line
            line, size = " " * (INDENT + 2), INDENT + 2
        elif place:
            line, size = line + " ", size + 1
        line, size = line + word, size + length
    yield line


def _words(sentence: Sentence, colour: bool) -> Iterator[tuple[str, int]]:
    """Each word with its brackets, and how wide it is."""
    opening: dict[int, list[Mark]] = {}
    closing: dict[int, list[tuple[Mark, bool]]] = {}
    last = sentence.first + len(sentence.words) - 1
    parts = [(start, end, mark) for mark in sentence.marks for start, end in mark.parts]
    for start, end, mark in sorted(parts, key=lambda part: (part[0], -part[1])):
        opening.setdefault(start, []).append(mark)
        closing.setdefault(min(end, last), []).insert(0, (mark, mark.end > min(end, last)))
    for place, word in enumerate(sentence.words, start=sentence.first):
        before = [(f"{SIGNS[mark.state]}[", mark.state) for mark in opening.get(place, ())]
        after = [(f"]{_clean(mark.label)}" + "..." * more, mark.state) for mark, more in closing.get(place, ())]
        pieces = [*before, (_clean(word), None), *after]
        text = "".join(_coloured(piece, state) if colour and state else piece for piece, state in pieces)
        yield text, sum(width_of(piece) for piece, _ in pieces)


def _coloured(piece: str, state: str) -> str:
    return f"\x1b[{COLOURS[state]}m{piece}\x1b[0m"


def _clean(text: str) -> str:
    """Text that cannot move a terminal."""
    return text.translate(VISIBLE)
