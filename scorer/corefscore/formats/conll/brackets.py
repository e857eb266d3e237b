"""Brackets to mentions: which close bracket belongs to which open one, for a whole batch of documents at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints, changes, order_by

SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of events, in the order in which those of one cell happen: ``(N)``, ``(N``, ``N)``."""


class Events(NamedTuple):
    """The brackets of cells in reading order, as columns with one value an event."""

    document: Ints
    token: Ints
    line: Ints
    kind: Ints
    label: Ints

    def only(self, which: Ints) -> Events:
        """The events ``which``, in that order."""
        return Events(*(column[which] for column in self))


def partitions(events: Events) -> tuple[dict[str, Any], list[int]]:
    """Match brackets; returns the columns of `corefscore.core.documents.Documents` that come from brackets, by name,
    and the documents in which a bracket has no partner.

    The latter have no mentions in the columns. A close bracket closes the latest open bracket of its entity: sorted by
    entity and depth of nesting, open and close brackets alternate, so each open bracket is next to its close.
    """
    order = order_by(events.document, events.label)
    kind = events.kind[order]
    begins = changes(events.document[order], events.label[order])
    group = np.cumsum(begins) - 1
    step = (kind == OPEN).astype(np.int64) - (kind == CLOSE)
    depth = np.cumsum(step)
    if len(depth):
        depth -= (depth - step)[begins][group]
    last = np.roll(begins, -1)
    unmatched_here = (depth < 0) | (last & (depth != 0))
    if unmatched_here.any():
        faulty = np.unique(events.document[order][unmatched_here])
        sound = np.flatnonzero(~np.isin(events.document, faulty))
        return partitions(events.only(sound))[0], faulty.tolist()

    single, bracket = np.flatnonzero(kind == SINGLE), np.flatnonzero(kind != SINGLE)
    level = depth[bracket] + (kind[bracket] == CLOSE)
    if level.max(initial=0) > 1:
        bracket = bracket[order_by(group[bracket], level)]
    opens, closes = bracket[0::2], bracket[1::2]
    first_event = order[np.concatenate([single, opens])]
    last_event = order[np.concatenate([single, closes])]

    appearance = order[begins]
    by_appearance = np.argsort(appearance)
    entity_of_group = np.argsort(by_appearance)
    entity = entity_of_group[group[np.concatenate([single, opens])]]
    mentions = order_by(entity, last_event)
    first_event, last_event = first_event[mentions], last_event[mentions]
    appearance = appearance[by_appearance]
    columns = {
        "document": events.document[appearance],
        "label": events.label[appearance],
        "entity": entity[mentions],
        "start": events.token[first_event],
        "end": events.token[last_event],
        "line": events.line[first_event],
        "opening": first_event,
    }
    return columns, []


def matching(group: Ints, opened: Bools) -> tuple[Ints, Ints, Ints]:
    """The indices of the open brackets that have a partner, of their close brackets, and of brackets without one.

    A close bracket closes the latest open bracket of its group. The brackets of a group are consecutive. At one depth
    of nesting the open and close brackets of a group alternate, so an open one is closed by the next.
    """
    level = np.cumsum(np.where(opened, 1, -1)) + ~opened
    order = order_by(group, level)
    opens = np.flatnonzero(~changes(group[order], level[order])[1:] & opened[order][:-1])
    opens, closes = order[opens], order[opens + 1]
    alone = np.ones(len(order), dtype=np.bool_)
    alone[opens] = alone[closes] = False
    return opens, closes, np.flatnonzero(alone)


def unmatched(events: Events) -> Ints:
    """The indices of the brackets that have no partner among the events of some documents."""
    bracket = np.flatnonzero(events.kind != SINGLE)
    bracket = bracket[order_by(events.document[bracket], events.label[bracket])]
    group: Ints = np.cumsum(changes(events.document[bracket], events.label[bracket]))
    *_, alone = matching(group, events.kind[bracket] == OPEN)
    return np.sort(bracket[alone])
