"""Batches of documents after counting, and all of them joined to one result with its notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Floats, in_a_row
from corefscore.core.documents import worded
from corefscore.core.errors import UsageError
from corefscore.core.findings import SHOWN, Finding
from corefscore.core.tuples import NamedTuple
from corefscore.matching.common import Common, nothing_in_common, other_columns
from corefscore.matching.pairing import Pairs
from corefscore.matching.repeats import Repeat, describe, distinct, refuse_too_many
from corefscore.metrics import LINKED, MENTIONS, find
from corefscore.metrics.base import NAMED, Metric, names_asked
from corefscore.scoring.results import Result, Shown, UnitCounts
from corefscore.scoring.settings import Settings

if TYPE_CHECKING:
    from corefscore.matching.named import SideNames
    from corefscore.matching.text.fidelity import Fidelity
    from corefscore.matching.units import Units
    from corefscore.matching.windows import Windows
    from corefscore.scoring.corefud import About


class BatchNotes(NamedTuple):
    """What is kept of a batch of pairs besides its counts.

    - ``names``, ``files``: of its documents in the key.
    - ``messages``: by view and document, the lines of the official layout about repeats.
    - ``pairs``: by view the documents themselves, if they are kept.
    - ``dropped``, ``repeats``: spans with dropped copies, and all spans with copies.
    - ``common``: what both sides have in common; None if they share a mention.
    - ``named``: the names of both sides, if a metric counts named mentions.
    - ``nodes``: oddities of mentions that are more than spans.
    - ``fidelity``: of the text of the response, if its words had to be found in the key.
    - ``windows``, ``units``: windows of tokens and units within documents, if there are any.
    """

    names: Sequence[str]
    files: Sequence[str]
    messages: Mapping[str, Mapping[int, Sequence[str]]]
    pairs: Mapping[str, Pairs]
    dropped: Sequence[Repeat]
    repeats: Sequence[Repeat]
    common: Common | None
    named: Sequence[SideNames] = ()
    nodes: About | None = None
    fidelity: Fidelity | None = None
    windows: Windows | None = None
    units: Units | None = None

    @property
    def counted_names(self) -> Sequence[str]:
        """The names of what was counted: documents, or their windows."""
        return self.names if self.windows is None else self.windows.named(self.names)


class BatchCounts(NamedTuple):
    """The counts of a batch of pairs: by metric, with one row a document; by view the number of key mentions of each
    document, copies included; by kind, if a division is scored; and by metric with one row a unit, if there are units.
    """

    counts: Mapping[str, Floats]
    key_copies: Mapping[str, Floats]
    kinds: Mapping[str, Mapping[str, Floats]] = {}
    by_unit: Mapping[str, Floats] = {}


Counted = tuple[BatchNotes, BatchCounts]
"""A batch after counting."""


def counted_metrics(metrics: Sequence[Metric], settings: Settings) -> tuple[Metric, ...]:
    """The metrics that are counted, with their options and definitions as in the settings: mention identification, for
    kinds of mentions also linking, and the given ones."""
    linked = (find(LINKED),) if settings.rules.of is not None else ()
    every = dict.fromkeys((find(MENTIONS), *linked, *metrics))
    return tuple(metric.by(settings.rules.definitions).given(settings.own) for metric in every)


def result_of(
    batches: Sequence[Counted], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]
) -> Result:
    """All batches in order as one result; notices about them are added to ``notices``.

    Counts are joined first and summed once, since sums of sums would change the last bit. Raises `InputError` if too
    many repeated mentions were dropped (`corefscore.matching.repeats.refuse_too_many`), and if no named entity counts
    (`corefscore.matching.named.about_names`).
    """
    if not batches:
        raise UsageError("there is no document to score: the key is empty")
    notes = [of_batch for of_batch, _ in batches]
    rules = settings.rules.settled(nodes=any(batch.nodes is not None for batch in notes))
    settings = replace(settings, rules=rules)
    mention_sets = {view: _shown(batches, view) for view in notes[0].messages}
    every = counted_metrics(metrics, settings)
    counts = {metric.name: in_a_row([batch.counts[metric.name] for _, batch in batches]) for metric in every}
    notices.extend(_notices(notes, metrics, settings, mention_sets))
    if rules.of is not None and not any(batch.kinds for _, batch in batches):
        from corefscore.scoring.kinds.labels import nothing_to_count

        notices += nothing_to_count(rules.of, every, counts, notes[0].files)
    return Result(
        every,
        [name for batch in notes for name in batch.counted_names],
        counts,
        settings,
        tuple(notices),
        mention_sets,
        [name for batch in notes for name in batch.files],
        _fidelity(notes),
        _kinds(batches, list(counts)),
        _by_unit(batches),
    )


def _notices(
    notes: Sequence[BatchNotes], metrics: Sequence[Metric], settings: Settings, mention_sets: Mapping[str, Shown]
) -> Iterator[Finding]:
    """The notices about all batches. Raises as `joined` does."""
    nodes = [batch.nodes for batch in notes if batch.nodes is not None]
    if nodes:
        from corefscore.scoring.corefud import notices as about_nodes

        yield from about_nodes(nodes)
    dropped = [repeat for batch in notes for repeat in batch.dropped]
    if settings.rules.repeated == "official":
        refuse_too_many(dropped)
        repeats = [repeat for batch in notes for repeat in batch.repeats]
        yield from worded(describe("repeated-mention", distinct(repeats), SHOWN))
    else:
        yield from worded(describe("dropped-repeat", distinct(dropped), SHOWN))
    windows = [batch.windows for batch in notes if batch.windows is not None]
    if windows:
        from corefscore.matching.windows import crossing_notices

        yield from crossing_notices(windows)
    for batch in notes:
        if batch.units is not None:
            yield from batch.units.crossing
    common = [batch.common for batch in notes]
    yield from nothing_in_common(common)
    if not nodes:
        yield from other_columns(common)
    options = names_asked(metrics, settings.own)
    if options is not None:
        from corefscore.matching.named import about_mentions, about_names

        names = [batch.named for batch in notes]
        yield from about_names(names, options)
        named, singletons = bool(mention_sets[NAMED].key_copies.any()), settings.rules.singletons != "drop"
        yield from about_mentions(names, options, named=named, singletons=singletons)


def _kinds(batches: Sequence[Counted], metrics: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """The counts of all batches for each kind of a division; 0 in a batch that does not have the kind."""

    def of_batch(batch: BatchCounts, kind: str, metric: str) -> Floats:
        return batch.kinds[kind][metric] if kind in batch.kinds else np.zeros_like(batch.counts[metric])

    return {
        kind: {metric: in_a_row([of_batch(batch, kind, metric) for _, batch in batches]) for metric in metrics}
        for kind in dict.fromkeys(kind for _, batch in batches for kind in batch.kinds)
    }


def _by_unit(batches: Sequence[Counted]) -> UnitCounts | None:
    """The counts of the units of all batches; None if there are no units."""
    names: list[str] = []
    documents: list[int] = []
    before = 0
    for notes, _ in batches:
        if notes.units is None:
            return None
        names += notes.units.names
        documents += (before + notes.units.document).tolist()
        before += len(notes.counted_names)
    counts = {name: in_a_row([batch.by_unit[name] for _, batch in batches]) for name in batches[0][1].by_unit}
    return UnitCounts(names, np.array(documents, dtype=np.int64), counts)


def _fidelity(notes: Sequence[BatchNotes]) -> Fidelity | None:
    """The fidelity of all batches; None if no words had to be found in the key."""
    if all(batch.fidelity is None for batch in notes):
        return None
    from corefscore.matching.text.fidelity import of_all

    return of_all([(batch.names, batch.fidelity) for batch in notes])


def _shown(batches: Sequence[Counted], view: str) -> Shown:
    """The data of the official layout for the documents of all batches in one view."""
    messages = {}
    before = 0
    for notes, _ in batches:
        messages.update({before + document: lines for document, lines in notes.messages[view].items()})
        before += len(notes.counted_names)
    copies = in_a_row([batch.key_copies[view] for _, batch in batches])
    return Shown(copies, messages, [notes.pairs[view] for notes, _ in batches if notes.pairs])
