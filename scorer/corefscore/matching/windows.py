"""Documents cut into windows with a fixed number of tokens, each of which is scored as a document of its own.

The k-th window of N tokens contains the tokens from k N to (k + 1) N - 1, counted from 0. A mention belongs to the
window of its first token, so that every mention is in exactly one window; a notice names mentions that end in another
one. An entity is cut into those of its mentions that are in one window.

Source: Martinelli et al. 2025, BookCoref, who score predictions on whole books also by windows of 1500 tokens
("gold+window"), to compare them with those of systems that read only such windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, order_by, ranked
from corefscore.core.documents import KEY, RESPONSE, Documents, Mention, by_appearance, texts_of
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.formats.base import likely_tokens
from corefscore.matching.pairing import Pairs


class Windows(NamedTuple):
    """The windows of a batch: the number of the document that each was cut from, the first token of each, the number of
    tokens of all, and the mentions that do not end in the window of their first token, each with the token at which the
    next window begins."""

    document: Ints
    begin: Ints
    size: int
    crossing: Sequence[tuple[Mention, int]]

    def named(self, documents: Sequence[str]) -> list[str]:
        """Return the name of each window: that of its document, and its tokens."""
        places = zip(self.document.tolist(), self.begin.tolist(), strict=True)
        return [f"{documents[document]} [{begin}, {begin + self.size})" for document, begin in places]


def cut(pairs: Pairs, size: int) -> tuple[Pairs, Windows]:
    """Return a batch of pairs cut into windows of ``size`` tokens.

    The number of tokens of a document is the larger of those of both sides, or more if mentions begin later. Positions
    remain those of the whole document. Raises `UsageError` for mentions that are not spans of tokens.
    """
    sides = {KEY: pairs.key, RESPONSE: pairs.response}
    for name, side in sides.items():
        _refuse_others(name, side)
    length = np.maximum(1, np.maximum(pairs.key.tokens, pairs.response.tokens))
    for side in sides.values():
        np.maximum.at(length, side.mention_document(), side.start + 1)
    windows = -(-length // size)
    _refuse_far(pairs, windows)
    first = np.cumsum(windows) - windows
    document = np.repeat(np.arange(len(windows)), windows)
    begin = (np.arange(len(document)) - first[document]) * size
    crossing = [mention for side in sides.values() for mention in _crossing(side, size)]
    # By document, so that the order does not depend on how documents are cut into batches.
    found = Windows(document, begin, size, sorted(crossing, key=lambda crossed: crossed[0].span.document))
    key, response = (_side(side, found, first) for side in sides.values())
    return Pairs(key, response, pairs.present[document]), found


def crossing_notices(windows: Sequence[Windows]) -> list[Finding]:
    """Return a notice for each mention that crosses a border."""
    crossing = [crossed for of_batch in windows for crossed in of_batch.crossing]
    found = []
    for (mention, border), words in zip(crossing, texts_of([mention for mention, _ in crossing]), strict=True):
        details = {
            "document": mention.document,
            "words": words,
            "start": mention.span.start,
            "end": mention.span.end,
            "border": border,
        }
        found.append(Finding("crosses-window", mention.place.source.name, mention.line, details=details))
    return found


def whole(name: str) -> str:
    """Return the document of a window, from its name."""
    return name.rpartition(" [")[0]


def _refuse_others(name: str, side: Documents) -> None:
    if side.nodes is not None:
        raise UsageError(
            "windows need mentions that are spans of tokens, and those of CorefUD are not; leave --window out"
        )
    if int(side.start.min(initial=0)) < 0:
        raise UsageError(f"windows need mentions that are (start, end), and the {name} has others; leave --window out")


def _refuse_far(pairs: Pairs, windows: Ints) -> None:
    """Raise `UsageError` for far more windows than mentions in documents whose number of tokens is not known."""
    most = likely_tokens(len(pairs.key.start) + len(pairs.response.start))
    unknown = np.maximum(pairs.key.tokens, pairs.response.tokens) < 0
    if int(windows[unknown].sum()) > most:
        document = int(np.argmax(windows * unknown))
        raise UsageError(
            f'{pairs.key.place_of(document)}: the mentions of document "{pairs.key.names[document]}", which has no '
            f"words, are in {windows[document]} windows; expected {most} at most for so few mentions; check the "
            "offsets, or give larger windows"
        )


def _side(side: Documents, windows: Windows, first: Ints) -> Documents:
    """Return one side cut into windows; ``first`` is the first window of each document."""
    document, begin, size, _ = windows
    window = first[side.mention_document()] + side.start // size
    order = order_by(window, side.entity)
    first_mentions, entity = ranked(window, side.entity)
    names = side.named_entities
    tokens = np.clip(side.tokens[document] - begin, np.minimum(side.tokens[document], 0), size)
    at_first = {d: int(first[d]) for d in (*side.faults, *side.discarded)}
    return by_appearance(
        replace(
            side,
            names=windows.named(side.names),
            places=[side.places[d] for d in document.tolist()],
            tokens=tokens,
            document=window[first_mentions],
            label=side.label[side.entity[first_mentions]],
            entity=entity[order],
            start=side.start[order],
            end=side.end[order],
            line=side.line[order],
            opening=None if side.opening is None else side.opening[order],
            faults={at_first[d]: fault for d, fault in side.faults.items()},
            discarded={at_first[d]: marks for d, marks in side.discarded.items()},
            comments={},
            named_entities=names and names._replace(document=first[names.document] + names.start // size),
            kinds=side.kinds and side.kinds._replace(number=side.kinds.number[order]),
        )
    )


def _crossing(side: Documents, size: int) -> list[tuple[Mention, int]]:
    """Return the mentions of a side that cross a border, in the order of the text."""
    over = np.flatnonzero(side.start // size != side.end // size)
    over = over[order_by(side.mention_document()[over], side.start[over])]
    return [(side.mention(mention), (int(side.start[mention]) // size + 1) * size) for mention in over.tolist()]
