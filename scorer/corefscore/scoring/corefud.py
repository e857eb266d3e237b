"""Scoring of mentions that are more than spans (CorefUD): from pairs of documents to counts and notices.

Each metric counts from the table of overlap that the official scorer uses for it (`counts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import NONE, Bools, Floats, among, repeated
from corefscore.core.documents import Documents, Unworded, worded
from corefscore.core.findings import SHOWN, Finding, plural
from corefscore.matching.common import Common as InCommon
from corefscore.matching.common import common, different_words, first_differences
from corefscore.matching.entity_lookup import differing, entities_found, partners_of_mentions, search
from corefscore.matching.matched import SEARCHES, Repeat, copies_by_number, describe, distinct, refusal, repeats_of
from corefscore.matching.mentions import Alignment, Common, Mentions, align, equals, heads_compared, in_common, numbered
from corefscore.matching.pairing import Pairs
from corefscore.metrics.base import NODES, Cells, Counts, Metric, Overlap, packed, plain_groups
from corefscore.scoring.settings import COREFUD, Rules


def _members(alignment: Alignment) -> Common:
    """Count the mentions of each entity of the key with a partner in each entity of the response; or, if mentions look
    by themselves, with one that fits."""
    if alignment.searched is not None:
        return alignment.searched.fitting
    key, response = alignment.sides
    at_key, at_response = equals((partners_of_mentions(alignment).key,), (response.number,))
    return in_common(key.entity[at_key], response.entity[at_response])


def _table(alignment: Alignment, both: Common) -> Overlap:
    """Make the table of what entities have in common. Its sums are added by entity, and its ``cell_of`` is empty."""
    ours, theirs = (
        plain_groups(side.document, np.bincount(side.entity, minlength=len(side.document)), alignment.documents)
        for side in alignment.sides
    )
    groups = plain_groups(ours.document[both.key], both.size, alignment.documents)
    cells = Cells(**vars(groups), key=both.key, response=both.response, met=both.size)
    return Overlap(alignment.documents, ours, theirs, cells, NONE, by_entity=True)


class About(NamedTuple):
    """What is odd in a batch.

    ``dropped`` are mentions that have dropped copies, ``repeated`` are mentions in several entities. ``looked_up`` is
    the number of mentions that the official look-up finds in another entity than the alignment does. ``common`` is what
    both sides have in common if no mention is aligned, None otherwise.
    """

    dropped: Sequence[Repeat]
    repeated: Sequence[Repeat]
    looked_up: int
    common: InCommon | None
    pairs: Pairs


def matched(pairs: Pairs, rules: Rules) -> tuple[Alignment, About]:
    """Align the mentions that count. ``rules`` has no defaults left.

    Raises `InputError` at the first copy of a mention if ``rules`` refuse copies.
    """
    assert rules.matching and rules.zeros and rules.lookup, "set by with_defaults"
    key, response, document = numbered(pairs.key, pairs.response, by_head=heads_compared(rules.matching, rules.lookup))
    numbers = key.number, response.number
    key, *of_key = _that_count(key, pairs.key, rules)
    response, *of_response = _that_count(response, pairs.response, rules)
    dropped, several = (ours + theirs for ours, theirs in zip(of_key, of_response, strict=True))
    if rules.singletons == "drop":
        key = key.keep(key.side.not_alone)
    if rules.singletons != "keep":
        response = response.keep(response.side.not_alone)
    if rules.lookup in SEARCHES:
        alignment = search(key, response, document, documents=len(pairs.key), matching=rules.matching)
    else:
        alignment = align(key, response, document, documents=len(pairs.key), matching=rules.matching, zeros=rules.zeros)
        alignment = alignment._replace(lookup=rules.lookup)
    looked_up = differing(alignment) if rules.lookup == "official" else 0
    # Mentions that both sides have may all have been left out.
    nothing = None if len(alignment.aligned[0]) else common(pairs, (), left_out=bool(among(*numbers).any()))
    return alignment, About(dropped, several, looked_up, nothing, pairs)


def _that_count(mentions: Mentions, documents: Documents, rules: Rules) -> tuple[Mentions, list[Repeat], list[Repeat]]:
    """Return the mentions of a side without zeros and copies that do not count; of these copies what they repeat; and
    what is in several entities.
    """
    if rules.zeros == "drop":
        mentions = mentions.keep(~mentions.nodes.zero)
    side = mentions.side
    if not side.has_copies:
        return mentions, [], []
    if rules.repeated == "refuse":
        raise refusal(_repeats(mentions, documents, repeated(side.number))[:1])
    again = repeated(side.number) if rules.repeated == "first" else repeated(side.entity, side.number)
    left = mentions.keep(~again)
    return left, _repeats(mentions, documents, again), _repeats(left, documents, repeated(left.number))


def _repeats(mentions: Mentions, documents: Documents, copies: Bools) -> list[Repeat]:
    """Return the mentions that some copies belong to, with all of their copies."""
    spans = copies_by_number(mentions.number, copies)
    return repeats_of(documents, [mentions.side.mention[span].tolist() for span in spans])


def _different_words(pairs: Pairs) -> Iterator[Unworded]:
    """Yield a finding for each place at which the texts of documents first differ, except the end of the shorter text,
    which has a notice of its own.
    """
    tokens = first_differences(pairs)
    within = (tokens >= 0) & (tokens < np.minimum(pairs.key.tokens, pairs.response.tokens))
    places = [(document, int(tokens[document])) for document in np.flatnonzero(within).tolist()]
    return different_words("different-word", pairs, places)


def counts(alignment: Alignment, metrics: Sequence[Metric], rules: Rules) -> tuple[dict[str, Floats], Floats]:
    """Return what each metric counts, by name, and the number of key mentions of each document.

    Recall comes from what the mentions of the key find in the response, precision from what those of the response find
    in the key. The official scorer counts both of BLANC from the former, and both of CEAF from a table in which a
    mention counts for every entity of the response that contains it.
    """
    where = entities_found(alignment)
    key, response = alignment.sides
    both_ways = in_common(key.entity, where.key), in_common(where.response, response.entity), _members(alignment)
    of_key, of_response, members = (_table(alignment, both) for both in both_ways)
    official = {"ceafm": [members], "ceafe": [members], "blanc": [of_key]} if rules.definitions == "corefud" else {}
    found: dict[str, Floats] = {}
    for metric in metrics:
        tables = official.get(metric.name, [of_key, of_response])
        counted = [metric.count(its) for its in ([alignment] if metric.view == NODES else tables)]
        both = zip(counted[0], counted[-1], strict=True)
        found[metric.name] = packed([Counts(there.recall, here.precision) for there, here in both])
    return found, of_key.key.total(of_key.key.size)


def marked_again(documents: Documents) -> dict[str, list[Repeat]]:
    """Return the mentions of a side that have copies that do not count, and those in several entities, by the code of
    their notices.
    """
    mentions, _, _ = numbered(documents, Documents([], [], NONE), by_head=(True, True))
    _, dropped, several = _that_count(mentions, documents, COREFUD)
    return {"dropped-repeat": dropped, "repeated-mention": several}


def notices(parts: Sequence[About]) -> Iterator[Finding]:
    """Yield the notices about all batches."""
    dropped = distinct([repeat for part in parts for repeat in part.dropped])
    several = distinct([repeat for part in parts for repeat in part.repeated])
    yield from worded((*describe("dropped-repeat", dropped, SHOWN), *describe("repeated-mention", several, SHOWN)))
    yield from notices_of_both_sides(parts)


def notices_of_both_sides(parts: Sequence[About]) -> Iterator[Finding]:
    """Yield the notices that need both sides."""
    looked_up = sum(part.looked_up for part in parts)
    if looked_up:
        places = next(part.pairs.response.places for part in parts if part.looked_up)
        path = next(place for place in places if place is not None).source.name
        yield Finding("official-lookup", path, details={"count": plural(looked_up, "mention")})
    for finding in worded(its for part in parts for its in _different_words(part.pairs)):
        same = finding.details["word"] == finding.details["key_word"]
        yield finding._replace(code="different-sentence") if same else finding
