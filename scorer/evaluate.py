"""From the files of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.columns import Floats, Ints
from scorer.counts import packed
from scorer.errors import UsageError
from scorer.findings import Finding
from scorer.formats.row import KEY, RESPONSE
from scorer.matching import exact, without_singletons
from scorer.metrics import MENTIONS, NAMES, find
from scorer.metrics.row import Metric, names_asked
from scorer.model import Documents
from scorer.names import Held, about_names, about_singletons, cut_down, held_by, no_named_mentions
from scorer.official import Repeat, describe, refuse_too_many, treat
from scorer.overlap import Overlap, overlap
from scorer.pairing import Pairs, pair
from scorer.results import Result, Seen, Settings


def evaluate(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    settings: Settings,
    notices: list[Finding],
    *,
    keep_pairs: bool = False,
) -> Result:
    """Score two sides, given as batches of documents.

    ``settings`` say what to score and how; what is odd is added to ``notices``, which are part of the result.
    ``keep_pairs`` keeps the documents themselves, for layouts that list mentions.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    how = names_asked(metrics, settings.own)
    if how is not None and how.estimate:
        from scorer.estimate import estimated

        key = (estimated(batch, how) for batch in key)
    parts = [
        count(pairs, metrics, settings, keep_pairs=keep_pairs)
        for pairs in pair(key, response, notices, settings.document)
    ]
    return joined(parts, metrics, settings, notices)


class Part(NamedTuple):
    """What one batch of pairs comes to: counts by metric, each with one row a document, and what the official
    layout and the messages need besides."""

    names: Sequence[str]
    counts: Mapping[str, Floats]
    key_copies: Floats
    messages: Mapping[int, Sequence[str]]
    dropped: Sequence[Repeat]
    pairs: Pairs | None
    named: Named | None = None


class Named(NamedTuple):
    """What there is besides where names were read: the counts of named mentions, the names that count on each side
    whose names are looked at, and how many entities and singletons each side has."""

    part: Part
    held: Sequence[Held]
    entities: Sequence[Ints]


def count(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False) -> Part:
    """Count a batch of pairs: match mentions, treat repeats, lay out the overlap, ask every metric.

    Metrics that read names count the same pairs cut down to named mentions; repeats are treated by the order of all
    mentions, and what ``settings.singletons`` leaves out is what has one named mention.
    """
    counted = _with_mentions(metrics)
    whole = [metric for metric in counted if not metric.reads_names]
    part = _counted(pairs, whole, settings, keep_pairs=keep_pairs, named=False)
    how = names_asked(metrics, settings.own)
    if how is None:
        return part
    cut = Pairs(*cut_down(*pairs, how), pairs.present)
    readers = [metric for metric in counted if metric.reads_names]
    named = _counted(cut, readers, settings, keep_pairs=keep_pairs, named=True)
    sides = [pairs.key, pairs.response]
    held = [held_by(side, how) for side, name in zip(sides, (KEY, RESPONSE), strict=True) if how.of_side(name)]
    sizes = [np.bincount(side.entity, minlength=len(side.document)) for side in sides]
    entities = [np.array([len(size), np.count_nonzero(size == 1)]) for size in sizes]
    return part._replace(counts={**part.counts, **named.counts}, named=Named(named, held, entities))


def _counted(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool, named: bool) -> Part:
    treated = treat(exact(pairs.key, pairs.response), pairs, settings.repeated)
    matched = treated.matched
    if named:
        matched = matched._replace(key=matched.key.in_text_order(), response=matched.response.in_text_order())
    table = overlap(without_singletons(matched, settings.singletons))
    return Part(
        pairs.key.names,
        {metric.name: _counts(metric, table, settings) for metric in metrics},
        table.key.total(table.key.size),
        treated.messages,
        treated.dropped,
        pairs if keep_pairs else None,
    )


def joined(parts: Sequence[Part], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]) -> Result:
    """All parts in their order as one result, summed once: sums of parts would move the last bit.

    Raises `InputError` where too many repeated mentions were dropped (`scorer.official.refuse_too_many`).
    """
    if not parts:
        raise UsageError("there is no document to score: the key is empty")
    dropped = [repeat for part in parts for repeat in part.dropped]
    if settings.repeated == "official":
        refuse_too_many(dropped)
    else:
        notices += describe("dropped-repeat", dropped)
    counted = _with_mentions(metrics)
    named = [part.named for part in parts if part.named is not None]
    how = names_asked(metrics, settings.own)
    if how is not None:
        notices += about_names([each.held for each in named], how)
        if not sum(each.part.key_copies.sum() for each in named):
            notices.append(no_named_mentions(named[0].held[0].column, how))
        if how.estimate:
            notices += about_singletons(named[0].held[0].column, np.sum([each.entities for each in named], axis=0))
    return Result(
        counted,
        [name for part in parts for name in part.names],
        {metric.name: np.concatenate([part.counts[metric.name] for part in parts]) for metric in counted},
        settings,
        **_seen(parts)._asdict(),
        named=_seen([each.part for each in named]) if named else None,
        notices=tuple(notices),
    )


def _seen(parts: Sequence[Part]) -> Seen:
    messages = {}
    before = 0
    for part in parts:
        messages.update({before + document: lines for document, lines in part.messages.items()})
        before += len(part.names)
    return Seen(
        np.concatenate([part.key_copies for part in parts]),
        messages,
        [part.pairs for part in parts if part.pairs],
    )


def _with_mentions(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    return (find(MENTIONS), *metrics)


def _counts(metric: Metric, table: Overlap, settings: Settings) -> Floats:
    """What a metric counts; a failure of one from outside is told as its own."""
    try:
        return packed(metric.count(table, **_own(metric, settings)))
    except Exception as error:
        if metric.name in (*NAMES, MENTIONS):
            raise
        raise UsageError(f"the metric {metric.name!r} failed: {type(error).__name__}: {error}") from error


def _own(metric: Metric, settings: Settings) -> dict[str, Any]:
    """The values of a metric's own options."""
    keywords = (option.keyword for option in metric.options)
    return {keyword: settings.own[keyword] for keyword in keywords if keyword in settings.own}
