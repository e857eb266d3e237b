"""Span errors: response mentions that differ from a key mention only at their ends, or only after the head.

Kummerfeld and Klein 2013, section 3: a response mention that the key lacks takes the span of a key mention in the same
sentence that the response lacks,

1. if both consist of the same tokens after the words in `_TRIMMED` are removed from their ends; if there are several
   such mentions, the first of each side are paired;
2. of the mentions that are left, if both have the same head and no other mention has it.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np

from corefscore.analysis.partitions import ABSENT, BY_HEAD, BY_TRIMMING, Partitions
from corefscore.core.arrays import Ints, changes, narrow, order_by
from corefscore.scoring.kinds.texts import PENN, Projection, Text

_TRIMMED = {"punctuation": (r"[\W_]*", r"[\W_]*"), "english": (r"the|[^A-Za-z]", r"'s|[^A-Za-z]")}
"""The forms of the words that are removed from the left and the right end of a span.

``punctuation``: tokens without a letter or digit, in any script. ``english``: `the` on the left, `'s` on the right, and
any token of one character that is not a letter from a to z, as in Kummerfeld and Klein.
"""

_OFF = "off"


def way_of(text: Text) -> str:
    """Return how spans are repaired: by the row of `_TRIMMED` that is english for tags of the Penn Treebank, else
    punctuation; `_OFF`, which leaves spans as they are, if the words are unknown.
    """
    if not text.words:
        return _OFF
    return "english" if text.tag_set == PENN else "punctuation"


def repaired_spans(
    both: Partitions, text: Text, way: str, placed: tuple[Projection, Projection], heads: str
) -> Partitions:
    """Give response mentions with a span error the span of their key mention.

    ``way`` is a result of `way_of`, ``placed`` says where the mentions of each side are, ``heads`` how heads of spans
    are found.
    """
    if way == _OFF:
        return both
    start, end = text.first[both.document] + both.start, text.first[both.document] + both.end
    within = both.inside.copy()
    within[within] = np.equal(*(np.searchsorted(text.ends, tokens[within], side="right") for tokens in (start, end)))
    key, response = np.flatnonzero(both.missing & within), np.flatnonzero(both.extra & within)
    rows = both.key_row, both.response_row
    # Mentions that skip tokens are not trimmed.
    trimmed = [
        mentions[~np.isin(row[mentions], list(side.gaps))] if side.gaps else mentions
        for mentions, row, side in zip((key, response), rows, placed, strict=True)
    ]
    left, right = _trimmed(start, end, np.concatenate(trimmed), text, _TRIMMED[way])
    new_key, new_response = _in_order(trimmed[0], trimmed[1], (left, right))
    left_over = within.copy()
    left_over[new_key] = left_over[new_response] = False
    key, response = key[left_over[key]], response[left_over[response]]
    head = np.full_like(start, ABSENT)
    for mentions, row, side in zip((key, response), rows, placed, strict=True):
        head[mentions] = text.heads_of(side, row[mentions], both.document[mentions], heads)
    more_key, more_response = _alone(key, response, head)
    repair = both.repair.copy()
    repair[new_key], repair[more_key] = BY_TRIMMING, BY_HEAD
    old, new = np.append(new_response, more_response), np.append(new_key, more_key)
    if not len(old):
        return both
    entity, row = both.response.copy(), both.response_row.copy()
    entity[new], row[new] = both.response[old], both.response_row[old]
    entity[old] = ABSENT
    return both._replace(response=entity, response_row=row, repair=repair).compact()


def _trimmed(start: Ints, end: Ints, mentions: Ints, text: Text, ends: tuple[str, str]) -> tuple[Ints, Ints]:
    """Return the first and last token of all mentions, with the ends of ``mentions`` trimmed; at least one token
    stays.
    """
    left, right = start.copy(), end.copy()
    for edge, step, form in zip((left, right), (1, -1), ends, strict=True):
        off = cache(re.compile(form).fullmatch)
        left_to_do = mentions
        while len(left_to_do := left_to_do[left[left_to_do] < right[left_to_do]]):
            left_to_do = left_to_do[[off(text.words[token]) is not None for token in edge[left_to_do].tolist()]]
            edge[left_to_do] += step
    return left, right


def _in_order(key: Ints, response: Ints, spans: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return pairs of mentions with equal spans: the first of the key with the first of the response, and so on."""
    both = narrow(np.concatenate([key, response]))
    order = order_by(*(span[both] for span in spans))  # of equal spans, those of the key are first
    mention, of_response = both[order], order >= len(key)
    group = narrow(np.cumsum(changes(*(span[mention] for span in spans))))
    row = narrow(np.arange(len(mention)))
    rank = row - np.maximum.accumulate(np.where(changes(group, of_response), row, 0))
    order = order_by(group, rank)
    second = np.flatnonzero(~changes(group[order], rank[order]))
    return mention[order[second - 1]], mention[order[second]]


def _alone(key: Ints, response: Ints, head: Ints) -> tuple[Ints, Ints]:
    """Return pairs of mentions with the same head, which no other mention of either side has."""
    alone = []
    for mentions in (key, response):
        _, first, count = np.unique(head[mentions], return_index=True, return_counts=True)
        alone.append(mentions[first[count == 1]])
    key, response = alone
    _, in_key, in_response = np.intersect1d(head[key], head[response], assume_unique=True, return_indices=True)
    return key[in_key], response[in_response]
