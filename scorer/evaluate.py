"""From the files of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from scorer.columns import Floats, counts
from scorer.counts import Counts, Ratio, Scores, divided, packed, summed, unpacked
from scorer.findings import Finding
from scorer.matching import Matched, exact
from scorer.metrics import GROUPS
from scorer.metrics.row import Metric
from scorer.model import Documents
from scorer.official import Repeat, Treated, describe, refuse_too_many, treat
from scorer.overlap import overlap
from scorer.pairing import Pairs, pair


class Identification(NamedTuple):
    """Mentions of each document by span: ``key`` and ``response`` distinct ones, ``common`` those of both,
    ``key_copies`` all of the key with copies."""

    key: Floats
    response: Floats
    common: Floats
    key_copies: Floats

    def scores(self) -> Scores:
        """Mention identification: common / key and common / response spans."""
        return divided(Counts(Ratio(self.common, self.key), Ratio(self.common, self.response)))


@dataclass(frozen=True, eq=False)
class Result:
    """Counts per document, in the order of the key.

    ``counts`` has, for each metric by name, an array of the shape documents x counted measures x 4 (see
    `scorer.counts.packed`); ``mentions`` one of documents x 4, the fields of `Identification`. ``messages`` are
    the official lines about repeats, by document. ``pairs`` are kept only when asked for.
    """

    metrics: Sequence[Metric]
    names: Sequence[str]
    mentions: Floats
    counts: Mapping[str, Floats]
    messages: Mapping[int, Sequence[str]]
    pairs: Sequence[Pairs]
    notices: Sequence[Finding] = field(default_factory=list)

    def identification(self, document: int | None = None) -> Identification:
        """Mention identification of one document, or of all."""
        row = summed(self.mentions) if document is None else self.mentions[document]
        return Identification(*row)

    @property
    def conll(self) -> float:
        """The CoNLL average: the mean of the F1 of MUC, B-cubed and CEAF-e over all documents."""
        parts = [
            float(self.scores(metric)[metric.name].f1) for metric in self.metrics if metric.name in GROUPS["conll"]
        ]
        return sum(parts) / len(parts)

    def scores(self, metric: Metric, document: int | None = None) -> dict[str, Scores]:
        """The scores of every measure of a metric, for one document or for all of them together."""
        array = self.counts[metric.name]
        counted = unpacked(summed(array) if document is None else array[document])
        own = iter(counted)
        return {
            measure.name: measure.combine(counted) if measure.combine else divided(next(own))
            for measure in metric.measures
        }


def evaluate(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    notices: list[Finding],
    *,
    repeated: str = "official",
    only: str | None = None,
    keep_pairs: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Score two sides, given as batches of documents.

    ``repeated`` says what a span that is marked again means (`scorer.official.WAYS`), ``only`` names the one
    document to score, ``options`` are the values of the metrics' own options by name. What is odd is added to
    ``notices``.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    rows: list[_Rows] = []
    dropped: list[Repeat] = []
    for pairs in pair(key, response, notices, only):
        treated = treat(exact(pairs.key, pairs.response), pairs, repeated)
        dropped += treated.dropped
        rows.append(_count(pairs, treated, metrics, options or {}, keep_pairs))
    if repeated == "official":
        refuse_too_many(dropped)
    else:
        notices += describe("dropped-repeat", dropped)
    return _joined(rows, metrics, notices)


class _Rows(NamedTuple):
    """What one batch of pairs comes to."""

    names: Sequence[str]
    mentions: Floats
    counts: Mapping[str, Floats]
    messages: Mapping[int, Sequence[str]]
    pairs: Pairs | None


def _count(pairs: Pairs, treated: Treated, metrics: Sequence[Metric], options: Mapping[str, Any], keep: bool) -> _Rows:
    table = overlap(treated.matched)
    counted = {}
    for metric in metrics:
        own = {option.keyword: options[option.keyword] for option in metric.options if option.keyword in options}
        counted[metric.name] = packed(metric.count(table, **own))
    return _Rows(pairs.key.names, _mentions(treated.matched), counted, treated.messages, pairs if keep else None)


def _mentions(matched: Matched) -> Floats:
    """The columns of `Identification` for a batch."""
    in_key, in_response = matched.held_by(matched.key), matched.held_by(matched.response)
    copies = counts(matched.key.document[matched.key.entity], matched.documents)
    spans = [counts(matched.document[held], matched.documents) for held in (in_key, in_response, in_key & in_response)]
    return np.stack([*spans, copies], axis=-1).astype(np.float64)


def _joined(rows: Sequence[_Rows], metrics: Sequence[Metric], notices: list[Finding]) -> Result:
    messages = {}
    before = 0
    for row in rows:
        messages.update({before + document: lines for document, lines in row.messages.items()})
        before += len(row.names)
    return Result(
        metrics,
        [name for row in rows for name in row.names],
        np.concatenate([row.mentions for row in rows]),
        {metric.name: np.concatenate([row.counts[metric.name] for row in rows]) for metric in metrics},
        messages,
        [row.pairs for row in rows if row.pairs],
        notices,
    )
