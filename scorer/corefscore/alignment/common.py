"""What both sides have in common. If that is nothing, a notice says so, since every score is 0 then and no number shows
the reason."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from corefscore.alignment.matching import Matched
from corefscore.alignment.pairing import Pairs
from corefscore.checking.findings import Finding, Found, plural, tokens
from corefscore.documents.arrays import Ints
from corefscore.documents.model import KEY, RESPONSE, Documents, Mention, Place, texts_of
from corefscore.errors import UsageError


class Common(NamedTuple):
    """What the sides of a batch of pairs have in common.

    If they share a mention, the other fields are not set. ``documents`` is the number of documents that both sides
    have, ``key`` and ``response`` are a mention of each side, if possible of one document, and ``places`` are the
    beginnings of documents, each with a side that has no mention. ``tagged`` means that the response is text with tags.
    """

    shares_mention: bool
    documents: int = 0
    key: Mention | None = None
    response: Mention | None = None
    places: Sequence[tuple[str, Place]] = ()
    tagged: bool = False


SHARED = Common(shares_mention=True)


def common(pairs: Pairs, views: Sequence[Matched]) -> Common:
    """What the sides of a batch have in common, in any of the ways in which metrics see it."""
    for matched in views:
        of_key = np.zeros(len(matched.document), dtype=np.bool_)
        of_key[matched.key.number] = True
        if of_key[matched.response.number].any():
            return SHARED
    sides = {KEY: pairs.key, RESPONSE: pairs.response}
    in_both = np.intersect1d(pairs.key.mention_document(), pairs.response.mention_document())
    first = {name: _first(side, in_both if len(in_both) else side.document) for name, side in sides.items()}
    present = np.flatnonzero(pairs.present).tolist()
    places = [
        (name, side.place_of(document)) for name, side in sides.items() for document in present if first[name] is None
    ]
    return Common(False, len(present), first[KEY], first[RESPONSE], places, pairs.response.own_text)


def _first(side: Documents, documents: Ints) -> Mention | None:
    """The first mention in the first of some documents, in the order of the text."""
    if not len(documents):
        return None
    mentions = np.flatnonzero(side.mention_document() == documents[0])
    # Mentions that are no spans of tokens have numbers below 0, which say nothing of their order: the first given wins.
    start, end = np.maximum(side.start[mentions], 0), np.maximum(side.end[mentions], 0)
    return side.mention(int(mentions[np.lexsort((end, start))[0]]))


def nothing_in_common(batches: Sequence[Common]) -> list[Finding]:
    """The notice that a side has no mention, or that both sides have mentions and share none. There is no notice if
    they share a mention, or if they do not even share a document."""
    documents = sum(batch.documents for batch in batches)
    if not documents or any(batch.shares_mention for batch in batches):
        return []
    key = [batch.key for batch in batches if batch.key]
    response = [batch.response for batch in batches if batch.response]
    if key and response:
        beside = next(((b.key, b.response) for b in batches if b.key and b.response), (key[0], response[0]))
        return [_apart(*beside, documents, any(batch.tagged for batch in batches))]
    found = []
    for side, mentions in ((KEY, key), (RESPONSE, response)):
        if not mentions:
            place = next(place for batch in batches for name, place in batch.places if name == side)
            tagged = side == RESPONSE and any(batch.tagged for batch in batches)
            details = {"side": side, "documents": plural(documents, "document"), "hint": _hint(place, tagged)}
            found.append(Finding("side-without-mentions", place.source.name, details=details))
    return found


def _apart(key: Mention, response: Mention, documents: int, tagged: bool) -> Finding:
    words = texts_of([key, response])
    shown = [
        f'"{text}"{tokens(mention.span.start, mention.span.end)}'
        for mention, text in zip((key, response), words, strict=True)
    ]
    details = {"documents": plural(documents, "document"), "key": shown[0], "response": shown[1]}
    details["hint"] = (
        "corefscore validate ANSWER --key KEY shows where the text of the answer first differs"
        if tagged
        else "check that both have the same tokens, count them from 0, end a mention with its last token, and write "
        "mentions in the same form"
    )
    return Finding("no-common-mention", response.place.source.name, response.line, details=details)


def _hint(place: Place, tagged: bool) -> str:
    if place.line is None:
        return "no entity with a mention was given"
    if tagged:
        return (
            "no answer has a pair of tags with an id and a word between them; read what the model wrote, and if it has "
            "other tags, name them with --tags"
        )
    return (
        "CoNLL has coreference in the last column, JSON lines have it in a field of clusters, CorefUD has it in MISC; "
        "corefscore validate FILE reports what this file contains"
    )


def other_columns(batches: Sequence[Common]) -> list[Finding]:
    """For a side without mentions, the notices that the last column of its files seems to be another one."""
    if any(batch.shares_mention for batch in batches):
        return []
    from corefscore.formats import examination
    from corefscore.formats.row import Reading

    found = Found()
    for side, mentions in ((KEY, [b.key for b in batches]), (RESPONSE, [b.response for b in batches])):
        places = [place for batch in batches for name, place in batch.places if name == side and place.line is not None]
        if any(mentions) or (side == RESPONSE and any(batch.tagged for batch in batches)):
            continue
        for source in dict.fromkeys(place.source for place in places):
            with suppress(UsageError):  # what cannot be read a second time is not looked at
                deque(examination([source], found, Reading(), side).documents([source]), maxlen=0)
    return [finding for finding in found.listed if finding.code == "other-column"]
