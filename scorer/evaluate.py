"""From the files of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.columns import Floats
from scorer.counts import packed
from scorer.errors import UsageError
from scorer.findings import Finding
from scorer.matching import exact, without_singletons
from scorer.metrics import MENTIONS, NAMES, find
from scorer.metrics.row import Metric
from scorer.model import Documents
from scorer.official import Repeat, describe, refuse_too_many, treat
from scorer.overlap import Overlap, overlap
from scorer.pairing import Pairs, pair
from scorer.results import Result, Settings


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


def count(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False) -> Part:
    """Count a batch of pairs: match mentions, treat repeats, lay out the overlap, ask every metric."""
    treated = treat(exact(pairs.key, pairs.response), pairs, settings.repeated)
    table = overlap(without_singletons(treated.matched, settings.singletons))
    return Part(
        pairs.key.names,
        {metric.name: _counts(metric, table, settings) for metric in _with_mentions(metrics)},
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
    messages = {}
    before = 0
    for part in parts:
        messages.update({before + document: lines for document, lines in part.messages.items()})
        before += len(part.names)
    return Result(
        counted,
        [name for part in parts for name in part.names],
        {metric.name: np.concatenate([part.counts[metric.name] for part in parts]) for metric in counted},
        settings,
        key_copies=np.concatenate([part.key_copies for part in parts]),
        messages=messages,
        pairs=[part.pairs for part in parts if part.pairs],
        notices=tuple(notices),
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
