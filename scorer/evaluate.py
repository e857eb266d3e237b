"""From the files of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.columns import Floats
from scorer.counts import packed
from scorer.findings import Finding
from scorer.matching import exact, without_singletons
from scorer.metrics import MENTIONS, find
from scorer.metrics.row import Metric
from scorer.model import Documents
from scorer.official import Repeat, describe, refuse_too_many, treat
from scorer.overlap import overlap
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
    counted = (find(MENTIONS), *metrics)
    rows: list[_Rows] = []
    dropped: list[Repeat] = []
    for pairs in pair(key, response, notices, settings.document):
        treated = treat(exact(pairs.key, pairs.response), pairs, settings.repeated)
        dropped += treated.dropped
        table = overlap(without_singletons(treated.matched, settings.singletons))
        rows.append(
            _Rows(
                pairs.key.names,
                {metric.name: packed(metric.count(table, **_own(metric, settings))) for metric in counted},
                table.key.total(table.key.size),
                treated.messages,
                pairs if keep_pairs else None,
            )
        )
    if settings.repeated == "official":
        refuse_too_many(dropped)
    else:
        notices += describe("dropped-repeat", dropped)
    return _joined(rows, counted, settings, notices)


class _Rows(NamedTuple):
    """What one batch of pairs comes to."""

    names: Sequence[str]
    counts: Mapping[str, Floats]
    key_copies: Floats
    messages: Mapping[int, Sequence[str]]
    pairs: Pairs | None


def _own(metric: Metric, settings: Settings) -> dict[str, Any]:
    """The values of a metric's own options."""
    keywords = (option.keyword for option in metric.options)
    return {keyword: settings.own[keyword] for keyword in keywords if keyword in settings.own}


def _joined(rows: Sequence[_Rows], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]) -> Result:
    messages = {}
    before = 0
    for row in rows:
        messages.update({before + document: lines for document, lines in row.messages.items()})
        before += len(row.names)
    return Result(
        metrics,
        [name for row in rows for name in row.names],
        {metric.name: np.concatenate([row.counts[metric.name] for row in rows]) for metric in metrics},
        settings,
        key_copies=np.concatenate([row.key_copies for row in rows]),
        messages=messages,
        pairs=[row.pairs for row in rows if row.pairs],
        notices=notices,
    )
