"""Batches of documents after it was scored, and all of them joined to one result with its notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Floats, in_a_row
from corefscore.core.documents import worded
from corefscore.core.errors import UsageError
from corefscore.core.findings import MOST, SHOWN, Finding
from corefscore.core.fingerprint import digits_of
from corefscore.core.tuples import NamedTuple
from corefscore.matching.common import Common, nothing_in_common, other_columns
from corefscore.matching.repeats import Repeat, describe, distinct, refusal, too_many
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


class ScoredBatch(NamedTuple):
    """Everything about a scored batch of pairs.

    - ``names``, ``files``: of its documents in the key.
    - ``counts``: by metric, with one row a document.
    - ``mention_sets``: the data of the official layout, by view.
    - ``dropped``, ``repeats``: spans with dropped copies, and all spans with copies.
    - ``common``: what both sides have in common; None if they share a mention.
    - ``named``: the names of both sides, if a metric counts named mentions.
    - ``nodes``: oddities of mentions that are more than spans.
    - ``windows``, ``units``: windows of tokens and units within documents, if there are any.
    - ``by_unit``: the counts by metric, with one row a unit, if there are units.
    - ``kinds``: the counts by kind and metric, if a division is scored.
    - ``fidelity``: of the text of the response, if its words had to be found in the key.
    - ``fingerprint``: of the documents of the key.
    """

    names: Sequence[str]
    files: Sequence[str]
    counts: Mapping[str, Floats]
    mention_sets: Mapping[str, Shown]
    dropped: Sequence[Repeat] = ()
    repeats: Sequence[Repeat] = ()
    common: Common | None = None
    named: Sequence[SideNames] = ()
    nodes: About | None = None
    windows: Windows | None = None
    units: Units | None = None
    by_unit: Mapping[str, Floats] = {}
    kinds: Mapping[str, Mapping[str, Floats]] = {}
    fidelity: Fidelity | None = None
    fingerprint: int = 0


def counted_metrics(metrics: Sequence[Metric], settings: Settings) -> tuple[Metric, ...]:
    """Return the metrics that are counted, with their options and definitions as in the settings: mention
    identification, for kinds of mentions also linking, and the given ones.
    """
    linked = (find(LINKED),) if settings.rules.of is not None else ()
    every = dict.fromkeys((find(MENTIONS), *linked, *metrics))
    return tuple(metric.given(settings.own, settings.rules.definitions) for metric in every)


def result_of(
    batches: Sequence[ScoredBatch], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]
) -> Result:
    """Join all batches in order to one result; notices about them are added to ``notices``.

    Counts are joined first and summed once, since sums of sums would change the last bit. Raises `InputError` if too
    many repeated mentions were dropped (`corefscore.matching.repeats.too_many`), and if no named entity counts
    (`corefscore.matching.named.about_names`).
    """
    if not batches:
        raise UsageError("there is no document to score: the key is empty")
    rules = settings.rules.settled(nodes=any(batch.nodes is not None for batch in batches))
    settings = replace(settings, rules=rules, key=digits_of(sum(batch.fingerprint for batch in batches)))
    names = [batch.names if batch.windows is None else batch.windows.named(batch.names) for batch in batches]
    mention_sets = {view: _shown(batches, names, view) for view in batches[0].mention_sets}
    every = counted_metrics(metrics, settings)
    counts = {metric.name: in_a_row([batch.counts[metric.name] for batch in batches]) for metric in every}
    notices.extend(_notices(batches, metrics, settings, mention_sets))
    kinds = dict.fromkeys(kind for batch in batches for kind in batch.kinds)
    if rules.of is not None and not kinds:
        from corefscore.scoring.kinds.labels import nothing_to_count

        notices += nothing_to_count(rules.of, every, counts, batches[0].files)
    fidelity: Fidelity | None = None
    if any(batch.fidelity is not None for batch in batches):
        from corefscore.matching.text.fidelity import of_all

        fidelity = of_all([(batch.names, batch.fidelity) for batch in batches])
    return Result(
        every,
        [name for of_batch in names for name in of_batch],
        counts,
        settings,
        tuple(notices),
        mention_sets,
        [name for batch in batches for name in batch.files],
        fidelity,
        {kind: _of_kind(batches, kind) for kind in kinds},
        _by_unit(batches, names) if batches[0].units is not None else None,
    )


def _notices(
    batches: Sequence[ScoredBatch], metrics: Sequence[Metric], settings: Settings, mention_sets: Mapping[str, Shown]
) -> Iterator[Finding]:
    """Give the notices about all batches. Raises as `result_of` does."""
    nodes = [batch.nodes for batch in batches if batch.nodes is not None]
    if nodes:
        from corefscore.scoring.corefud import notices as about_nodes

        yield from about_nodes(nodes)
    if any(batch.repeats for batch in batches):
        dropped = [repeat for batch in batches for repeat in batch.dropped]
        if settings.rules.repeated == "official":
            if summary := too_many(dropped):
                raise refusal(dropped[:MOST], summary)
            repeats = [repeat for batch in batches for repeat in batch.repeats]
            yield from worded(describe("repeated-mention", distinct(repeats), SHOWN))
        else:
            yield from worded(describe("dropped-repeat", distinct(dropped), SHOWN))
    windows = [batch.windows for batch in batches if batch.windows is not None]
    if windows:
        from corefscore.matching.windows import crossing_notices

        yield from crossing_notices(windows)
    for batch in batches:
        if batch.units is not None:
            yield from batch.units.crossing
    common = [batch.common for batch in batches if batch.common is not None]
    if len(common) == len(batches):
        yield from nothing_in_common(common)
        if not nodes:
            yield from other_columns(common)
    options = names_asked(metrics, settings.own)
    if options is not None:
        from corefscore.matching.named import about_mentions, about_names

        named = [batch.named for batch in batches]
        yield from about_names(named, options)
        any_named, singletons = bool(mention_sets[NAMED].key_copies.any()), settings.rules.singletons != "drop"
        yield from about_mentions(named, options, named=any_named, singletons=singletons)


def _of_kind(batches: Sequence[ScoredBatch], kind: str) -> dict[str, Floats]:
    """Join the counts of a kind of mentions by metric; they are 0 in a batch that does not have the kind."""

    def of_batch(batch: ScoredBatch, metric: str) -> Floats:
        return batch.kinds[kind][metric] if kind in batch.kinds else np.zeros_like(batch.counts[metric])

    return {metric: in_a_row([of_batch(batch, metric) for batch in batches]) for metric in batches[0].counts}


def _by_unit(batches: Sequence[ScoredBatch], names: Sequence[Sequence[str]]) -> UnitCounts:
    """Join the counts of units; ``names`` are those of what was counted in each batch."""
    first = np.cumsum([0, *map(len, names)])
    units = [batch.units for batch in batches if batch.units is not None]
    return UnitCounts(
        [name for of_batch in units for name in of_batch.names],
        np.concatenate([before + of_batch.document for before, of_batch in zip(first, units, strict=False)]),
        {name: in_a_row([batch.by_unit[name] for batch in batches]) for name in batches[0].by_unit},
    )


def _shown(batches: Sequence[ScoredBatch], names: Sequence[Sequence[str]], view: str) -> Shown:
    """Join the data of the official layout in one view; ``names`` are those of what was counted in each batch."""
    parts = [batch.mention_sets[view] for batch in batches]
    before = np.cumsum([0, *map(len, names)]).tolist()
    messages = {
        first + document: lines
        for first, part in zip(before, parts, strict=False)
        for document, lines in part.messages.items()
    }
    copies = in_a_row([part.key_copies for part in parts])
    return Shown(copies, messages, [pairs for part in parts for pairs in part.pairs])
