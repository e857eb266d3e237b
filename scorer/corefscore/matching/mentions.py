"""Which mentions match if they are more than spans of tokens: a one-to-one alignment by one of three rules.

The order of steps is that of the official CorefUD scorer (version 1.2, CRAC 2024 to 2026):

1. Copies of a mention within an entity are dropped, then entities of one mention, on both sides.
2. Zeros, which are mentions whose head is an empty node, are aligned by what they depend on (`_dependencies`),
   whatever the rule is.
3. Of the other mentions, equal ones are aligned.
4. The remaining mentions are aligned by the rule. `RULES` has a row for each value of ``--matching``, whose function
   returns pairs of mentions with scores. The pairs with the largest sum of scores are aligned.

If several alignments are best, the official scorer's is taken (`corefscore.matching.assignment`). Metrics see
mentions as numbers (`corefscore.matching.entity_lookup`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, changes, order_by, ranges, ranked
from corefscore.core.documents import NO_NODES, SENTENCE, Documents, Nodes, scrambled
from corefscore.core.errors import UsageError
from corefscore.matching.assignment import assigned
from corefscore.matching.matched import Side

NOWHERE = -1
"""The entity or partner of a mention that has none."""


class Mentions(NamedTuple):
    """The mentions of one side that count.

    ``side`` has the number of each, which is equal for equal mentions of both sides and rises in text order. ``nodes``
    has their words and heads.
    """

    side: Side
    nodes: Nodes

    @property
    def number(self) -> Ints:
        """The number of each."""
        return self.side.number

    @property
    def document(self) -> Ints:
        """The document of each."""
        return self.side.document[self.side.entity]

    def keep(self, which: Bools) -> Mentions:
        """Keep only the mentions ``which``, without the entities that become empty."""
        return self.take(which)._replace(side=self.side.keep(which))

    def take(self, which: Ints | Bools) -> Mentions:
        """Return the mentions ``which``, in that order; entities keep their numbers."""
        number, entity, document, mention = self.side
        return Mentions(Side(number[which], entity[which], document, mention[which]), self.nodes.take(which))


class Candidates(NamedTuple):
    """Pairs of mentions that may be aligned, as indices, sorted by both, with scores above 0."""

    key: Ints
    response: Ints
    score: Floats


class Common(NamedTuple):
    """Pairs of entities or sets of key and response with members in common, each once and sorted, and the numbers of
    these members."""

    key: Ints
    response: Ints
    size: Ints


class Searched(NamedTuple):
    """What mentions find if each looks by itself (`corefscore.matching.entity_lookup`).

    ``key`` has for each mention of the key the number of the mention of the response that it finds, or `NOWHERE`;
    ``response`` has the same for the other direction. ``fitting`` counts for each pair of entities the mentions of the
    key's entity that fit some mention of the response's entity.
    """

    key: Ints
    response: Ints
    fitting: Common


class Alignment(NamedTuple):
    """A batch of pairs of documents with aligned mentions.

    ``document`` has the document of each number. ``aligned`` are the numbers of the key and the numbers of the response
    that are aligned with them, equal numbers included; if mentions look by themselves, these are the mentions that
    those of the key find. ``lookup`` says how the entity of a mention is found (`corefscore.matching.entity_lookup`):
    official or alignment.
    """

    documents: int
    document: Ints
    key: Mentions
    response: Mentions
    aligned: tuple[Ints, Ints]
    searched: Searched | None = None
    lookup: str = "official"

    @property
    def sides(self) -> tuple[Side, Side]:
        """What scoring needs of the mentions of both sides."""
        return self.key.side, self.response.side


def numbered(key: Documents, response: Documents, *, by_head: Sequence[bool]) -> tuple[Mentions, Mentions, Ints]:
    """Assign numbers to the mentions of both sides; also returns the document of each number.

    Mentions have equal numbers if they have the same words and, on a side for which ``by_head`` is true, the same head.
    Numbers rise by document, first word, last word, number of words.
    """
    sides = key, response
    nodes = [side.nodes or NO_NODES for side in sides]
    every = Nodes(*(np.concatenate(columns) for columns in zip(*nodes, strict=True)))
    document = np.concatenate([side.document[side.entity] for side in sides])
    # Last words and heads count from the first word, which makes narrow columns of the same order.
    first = every.first_word
    columns = [document, first // SENTENCE, first % SENTENCE, every.last_word - first, every.size]
    if any(by_head):
        head = every.head - first
        # On a side whose heads do not matter all are the same one.
        head[~np.repeat(by_head, [len(side.start) for side in sides])] = head.min(initial=0) - 1
        columns.append(head)
    # A number for the words of each mention: equal for equal words, and for others with a probability of 2^-64.
    same = np.add.reduceat(scrambled(every.word), every.first).astype(np.int64)
    rows, number = ranked(*columns)
    if (same != same[rows][number]).any():  # as mentions with gaps can be
        rows, number = ranked(*columns, same)
    ours, theirs = (
        Mentions(Side(part, side.entity, side.document, np.arange(len(part))), side_nodes)
        for side, part, side_nodes in zip(sides, np.split(number, [len(key.start)]), nodes, strict=True)
    )
    return ours, theirs, document[rows]


def heads_compared(matching: str, lookup: str) -> tuple[bool, bool]:
    """Return whether mentions with the same words but different heads are different mentions, in key and response.

    Source: the official scorer. In version 1.0 (``crac22``) they never are; in version 1.1 (``crac23``) they are on a
    side whose mentions have heads; in version 1.2 only if mentions of both sides have heads.
    """
    if lookup == "crac22":
        return False, False
    headed = RULES[matching].headed
    return headed if lookup == "crac23" or all(headed) else (False, False)


def align(key: Mentions, response: Mentions, document: Ints, *, documents: int, matching: str, zeros: str) -> Alignment:
    """Align the mentions of both sides in the steps above; ``document`` has the document of each number."""
    # Each once, in the order of the numbers; of copies in several entities the first one.
    ours, theirs = (side.take(ranked(side.number)[0]) for side in (key, response))
    aligned: list[tuple[Ints, Ints]] = []
    # Which numbers of each side are not yet aligned.
    left = np.zeros((2, len(document)), dtype=np.bool_)
    left[0, ours.number] = left[1, theirs.number] = True

    def settle(pairs: tuple[Ints, Ints]) -> None:
        aligned.append(pairs)
        left[0, pairs[0]] = left[1, pairs[1]] = False

    if zeros == "dependent":
        zero, other = ours.take(ours.nodes.zero), theirs.take(theirs.nodes.zero)
        settle(_best(zero, other, _dependencies(zero, other)))
    both = np.flatnonzero(left[0] & left[1])
    settle((both, both))
    ours, theirs = ours.take(left[0, ours.number]), theirs.take(left[1, theirs.number])
    settle(_best(ours, theirs, RULES[matching].pairs(ours, theirs)))
    of_key, of_response = (np.concatenate(column) for column in zip(*aligned, strict=True))
    return Alignment(documents, document, key, response, (of_key, of_response))


def _best(key: Mentions, response: Mentions, scores: Candidates) -> tuple[Ints, Ints]:
    """Return the numbers of the pairs with the largest sum of scores in each document."""
    taken = assigned(key.document, response.document, *scores)
    return key.number[scores.key[taken]], response.number[scores.response[taken]]


def _dependencies(key: Mentions, response: Mentions) -> Candidates:
    """Pair zeros whose heads are in one sentence. The score of two zeros is 10 times the F1 of their dependencies
    (parent and relation) plus the F1 of their parents.

    Source: the official scorer, zero-deprel-before-position, zero-parent-breaks-tie. Positions have no influence.
    """
    parents = _links(key, relations=False), _links(response, relations=False)
    both = _links(key, relations=True), _links(response, relations=True)
    pairs, related = (shared(*sides) for sides in (parents, both))
    # Every pair that shares a link shares its parent, so none is lost.
    size = max(len(response.number), 1)
    links = np.zeros(len(pairs.key), dtype=np.int64)
    links[np.searchsorted(pairs.key * size + pairs.response, related.key * size + related.response)] = related.size
    return Candidates(pairs.key, pairs.response, 10 * _f1(pairs._replace(size=links), *both) + _f1(pairs, *parents))


def shared(key: _Sets, response: _Sets) -> Common:
    """Find which sets of both sides share members, and how many."""
    at_key, at_response = equals(key.rows, response.rows)
    return in_common(key.of[at_key], response.of[at_response])


def _f1(common: Common, key: _Sets, response: _Sets) -> Floats:
    """Return the F1 of pairs of nonempty sets."""
    recall, precision = common.size / key.size[common.key], common.size / response.size[common.response]
    return 2 * precision * recall / np.where(common.size > 0, precision + recall, 1)


def _equal(key: Mentions, response: Mentions) -> Candidates:
    """Pair mentions with the same words. None are left if equal ones are aligned, but if mentions look by themselves.

    Source: the official scorer, version 1.1, span-in-two-entities-heads-differ.
    """
    at_key, at_response = equals((key.number,), (response.number,))
    return Candidates(at_key, at_response, np.ones(len(at_key)))


def _head(key: Mentions, response: Mentions) -> Candidates:
    """Pair mentions with the same head. The score is the share of the key mention's words that both have.

    Source: the official scorer, head-oversized-preferred, head-best-total-not-greedy.
    """
    at_key, at_response = equals((key.document, key.nodes.head), (response.document, response.nodes.head))
    return Candidates(at_key, at_response, common_words(key, response, at_key, at_response) / key.nodes.size[at_key])


def _partial(key: Mentions, response: Mentions) -> Candidates:
    """Pair key mentions with response mentions that contain their head and no word that they lack. The score is the
    share of the key mention's words that both have.

    Source: the official scorer, partial-inside-with-head, partial-larger, partial-response-head-ignored.
    """
    words = word_sets(response)
    at_key, word = equals((key.document, key.nodes.head), words.rows)
    at_response = words.of[word]
    common = common_words(key, response, at_key, at_response)
    within = common == response.nodes.size[at_response]
    return Candidates(at_key[within], at_response[within], common[within] / key.nodes.size[at_key[within]])


class _Rule(NamedTuple):
    """One row of `RULES`.

    - ``pairs``: the function that returns pairs of mentions with scores.
    - ``headed``: whether the rule reads the heads of mentions of the key, and of the response.
    """

    pairs: Callable[[Mentions, Mentions], Candidates]
    headed: tuple[bool, bool]


RULES: Mapping[str, _Rule] = {
    "exact": _Rule(_equal, (False, False)),
    "partial": _Rule(_partial, (True, False)),
    "head": _Rule(_head, (True, True)),
}
"""The rule of each value of ``--matching`` (`corefscore.matching.matched.MATCHING`)."""


class _Sets(NamedTuple):
    """A set for each mention as rows of (document, member, ...), each row once. ``of`` is the mention of each row, and
    ``size`` the size of each set."""

    rows: tuple[Ints, ...]
    of: Ints
    size: Ints


def word_sets(mentions: Mentions) -> _Sets:
    """Return the words of mentions as sets."""
    size = mentions.nodes.size
    of = np.repeat(np.arange(len(size)), size)
    return _Sets((mentions.document[of], mentions.nodes.word), of, size)


def _links(side: Mentions, *, relations: bool) -> _Sets:
    """Return the dependencies of zeros as sets, each with the sentence of the zero's head: parents, or parents with
    relations.
    """
    nodes = side.nodes
    of = np.repeat(np.arange(len(nodes.size)), nodes.links)
    members = (of, side.document[of], nodes.head[of] // SENTENCE, nodes.parent, nodes.relation)
    rows = members if relations else members[:-1]
    first = ranked(*rows)[0]
    of, *columns = (row[first] for row in rows)
    return _Sets(tuple(columns), of, np.bincount(of, minlength=len(nodes.size)))


def in_common(key: Ints, response: Ints) -> Common:
    """Count what entities or sets have in common; ``key`` and ``response`` are those of each member, `NOWHERE` for
    none."""
    both = np.flatnonzero((key >= 0) & (response >= 0))
    order = order_by(key[both], response[both])
    key, response = key[both][order], response[both][order]
    first = np.flatnonzero(changes(key, response))
    return Common(key[first], response[first], np.diff(first, append=len(both)))


_MOST_PAIRS, _MORE_PAIRS = 200_000, 3
"""How many matching pairs there may be: a fixed number, and so many more for each mention or word. A pair takes up to
500 bytes."""


def equals(key: tuple[Ints, ...], response: tuple[Ints, ...]) -> tuple[Ints, Ints]:
    """Find all pairs of equal rows, in the order of the key. Raises `UsageError` for more than fit into memory."""
    _, value = ranked(*map(np.concatenate, zip(key, response, strict=True)))
    ours, theirs = np.split(value, [len(key[0])])
    by_value = order_by(theirs)
    first, stop = (np.searchsorted(theirs[by_value], ours, side) for side in ("left", "right"))
    many = stop - first
    pairs, most = int(many.sum()), _MOST_PAIRS + _MORE_PAIRS * len(value)
    if pairs > most:
        raise UsageError(
            f"{len(value)} mentions or words form {pairs} matching pairs; expected at most {most}; check "
            "whether mentions are in too many entities or inside each other (--repeated first keeps one copy of each)"
        )
    return np.repeat(np.arange(len(ours)), many), by_value[ranges(first, many)]


_AT_ONCE = 1 << 18
"""How many pairs of words are compared in one step, since thousands of mentions that all match have very many."""


def common_words(key: Mentions, response: Mentions, at_key: Ints, at_response: Ints) -> Ints:
    """Count the words that each of some pairs of mentions has in common."""
    known, rank = ranked(np.concatenate([key.nodes.word, response.nodes.word]))
    of_key, word = np.split(rank, [len(key.nodes.word)])
    # The words of a mention rise, and so do (mention, word) over all mentions.
    width = len(known) + 1
    there = np.repeat(np.arange(len(key.number)), key.nodes.size) * width + of_key
    common = np.zeros(len(at_key), dtype=np.int64)
    for begin in range(0, len(at_key), _AT_ONCE):
        pairs = slice(begin, begin + _AT_ONCE)
        sizes = response.nodes.size[at_response[pairs]]
        wanted = np.repeat(at_key[pairs], sizes) * width + word[ranges(response.nodes.first[at_response[pairs]], sizes)]
        found = there[np.minimum(np.searchsorted(there, wanted), len(there) - 1)] == wanted
        common[pairs] = np.bincount(np.repeat(np.arange(len(sizes)), sizes)[found], minlength=len(sizes))
    return common
