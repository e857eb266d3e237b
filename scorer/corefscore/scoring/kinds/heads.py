"""Heads of spans in the parse trees of a key: Collins' rules (1999, appendix A) for the labels of the Penn Treebank.

The rules for NP are those of Kummerfeld and Klein 2013, so that the same spans have the same head.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

LEFT, RIGHT = 1, -1
"""The side from which children are searched, as the step of a slice."""

RULES: Mapping[str, tuple[int, str]] = {
    "ADJP": (RIGHT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (LEFT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (LEFT, "CC RB IN"),
    "FRAG": (LEFT, ""),
    "INTJ": (RIGHT, ""),
    "LST": (LEFT, "LS :"),
    "NAC": (RIGHT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (LEFT, "IN TO VBG VBN RP FW"),
    "PRN": (RIGHT, ""),
    "PRT": (LEFT, "RP"),
    "QP": (RIGHT, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (LEFT, "VP NP ADVP ADJP PP"),
    "S": (RIGHT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (RIGHT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (RIGHT, "SQ S SINV SBARQ FRAG"),
    "SINV": (RIGHT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (RIGHT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (LEFT, ""),
    "VP": (RIGHT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (RIGHT, "CC WRB JJ ADJP"),
    "WHADVP": (LEFT, "CC WRB"),
    "WHNP": (RIGHT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (LEFT, "IN TO FW"),
    "NX": (RIGHT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "X": (RIGHT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "META": (RIGHT, ""),
}
"""For each label, the side from which the search for the head child starts, and the labels to search for, in order. If
none is found, the first child from that side is the head."""

_NOMINAL = ("NP", "NML")

_NOMINAL_RULES: Sequence[tuple[int, frozenset[str]]] = (
    (RIGHT, frozenset(["NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR"])),
    (LEFT, frozenset(_NOMINAL)),
    (RIGHT, frozenset(["$", "ADJP", "PRN"])),
    (RIGHT, frozenset(["CD"])),
    (RIGHT, frozenset(["JJ", "JJS", "RB", "QP"])),
)
"""The same for noun phrases: each row is one search for any label of the set."""

_PIECE = re.compile(r"\(([^()*\s]*)|(\*)|(\))")


class _Node(NamedTuple):
    """A node of a parse: its first and last token, its head, and the tag of its head."""

    label: str
    start: int
    end: int
    head: int
    tag: str


def nodes(parse: Sequence[str], tags: Sequence[str]) -> Iterator[_Node]:
    """The nodes of a sentence, children before parents, leaves included.

    ``parse`` has the cells of the parse column, such as ``(NP*``, and ``tags`` the part of speech of each token.
    Brackets without a partner are ignored.
    """
    open_nodes: list[tuple[str, list[_Node]]] = [("", [])]
    for token, (bit, tag) in enumerate(zip(parse, tags, strict=True)):
        for label, leaf, _ in _PIECE.findall(bit):
            if leaf:
                node = _Node(tag, token, token, token, tag)
            elif label:
                open_nodes.append((label, []))
                continue
            elif len(open_nodes) > 1 and open_nodes[-1][1]:
                node = _parent(*open_nodes.pop())
            else:
                continue
            yield node
            open_nodes[-1][1].append(node)


def heads(parse: Sequence[str], tags: Sequence[str]) -> dict[tuple[int, int], int]:
    """The head of each span of a sentence that is a node; if several nodes have the same span, that of the lowest."""
    found: dict[tuple[int, int], int] = {}
    for node in nodes(parse, tags):
        found.setdefault((node.start, node.end), node.head)
    return found


def _parent(label: str, children: Sequence[_Node]) -> _Node:
    """The node over some children."""
    child = _head(label, children)
    return _Node(label, children[0].start, children[-1].end, child.head, child.tag)


def _head(label: str, children: Sequence[_Node]) -> _Node:
    """The child with the head of a node."""
    if label in _NOMINAL and children[-1].tag == "POS":
        return children[-1]
    side, labels = RULES.get(label, (RIGHT, ""))
    searches = _NOMINAL_RULES if label in _NOMINAL else [(side, (wanted,)) for wanted in labels.split()]
    for step, wanted in searches:
        for child in children[::step]:
            if child.label in wanted or child.tag in wanted:
                return child
    return children[::side][0]
