"""From batches of documents of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorer.columns import Floats, Ints
from scorer.counts import packed
from scorer.errors import UsageError
from scorer.findings import Finding
from scorer.formats.row import KEY, RESPONSE
from scorer.matching import Matched, exact, without_singletons
from scorer.metrics import MENTIONS, NAMES, find, select
from scorer.metrics.row import Metric, names_asked
from scorer.model import Documents
from scorer.official import Repeat, describe, refuse_too_many, treat
from scorer.overlap import Overlap, overlap
from scorer.pairing import Pairs, pair
from scorer.results import Result, Seen, Settings
from scorer.workers import Map

if TYPE_CHECKING:
    from scorer.naming import Held


def evaluate(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    settings: Settings,
    notices: list[Finding],
    *,
    keep_pairs: bool = False,
    apply: Map = map,
) -> Result:
    """Score two sides, given as batches of documents.

    ``settings`` say what to score and how; what is odd is added to ``notices``, which are part of the result.
    ``keep_pairs`` keeps the documents themselves, for layouts that list mentions. ``apply`` is who counts
    (`scorer.workers`).

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    how = names_asked(metrics, settings.own)
    if how is not None and how.estimate:
        from scorer.estimate import estimated

        key = (estimated(batch, how) for batch in key)
    parts: list[Part] = []

    def tables() -> Iterator[Tables]:
        for pairs in pair(key, response, notices, settings.document):
            part, matched = _prepared(pairs, metrics, settings, keep_pairs=keep_pairs)
            parts.append(part)
            yield matched

    # All that crosses to other processes are columns and names.
    counted = list(apply(partial(_tally_by_name, settings=settings), tables()))
    parts = [part._replace(counted=each) for part, each in zip(parts, counted, strict=True)]
    return joined(parts, metrics, settings, notices)


class Counted(NamedTuple):
    """What is counted in one batch of pairs: counts by metric, each with one row a document, and the key mentions of
    each document with copies, of all and of those with names."""

    counts: Mapping[str, Floats]
    key_copies: Floats
    named_copies: Floats


NOTHING = Counted({}, np.zeros(0), np.zeros(0))


class Named(NamedTuple):
    """What there is besides where names were read: the same as of `Part` for the documents cut down to named mentions;
    the names that count on each side whose names are looked at; how many entities and singletons each side has."""

    messages: Mapping[int, Sequence[str]]
    pairs: Pairs | None
    held: Sequence[Held]
    entities: Sequence[Ints]


class Part(NamedTuple):
    """What one batch of pairs comes to: what is counted, and what the official layout and the messages need
    besides."""

    names: Sequence[str]
    counted: Counted
    messages: Mapping[int, Sequence[str]]
    dropped: Sequence[Repeat]
    pairs: Pairs | None
    named: Named | None = None


Tables = tuple[Matched, Matched | None]
"""The mentions of a batch that count; and where names were read, those that have one."""


def count(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False) -> Part:
    """Count a batch of pairs: match mentions, treat repeats, lay out the overlap, ask every metric."""
    part, tables = _prepared(pairs, metrics, settings, keep_pairs=keep_pairs)
    return part._replace(counted=_tally(tables, metrics, settings))


def _prepared(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool) -> tuple[Part, Tables]:
    """Match mentions, treat repeats; and the same of the pairs cut down to named mentions, where a metric reads names.

    In both, repeats are decided by the order of all mentions.
    """
    treated = treat(exact(pairs.key, pairs.response), pairs, settings.repeated)
    part = Part(pairs.key.names, NOTHING, treated.messages, treated.dropped, pairs if keep_pairs else None)
    how = names_asked(metrics, settings.own)
    if how is None:
        return part, (treated.matched, None)
    from scorer.naming import cut_down, held_by

    cut = Pairs(*cut_down(*pairs, how), pairs.present)
    its = treat(exact(cut.key, cut.response), cut, settings.repeated)
    sides = [pairs.key, pairs.response]
    held = [held_by(side, how) for side, name in zip(sides, (KEY, RESPONSE), strict=True) if how.of_side(name)]
    sizes = [np.bincount(side.entity, minlength=len(side.document)) for side in sides]
    entities = [np.array([len(size), np.count_nonzero(size == 1)]) for size in sizes]
    named = Named(its.messages, cut if keep_pairs else None, held, entities)
    key, response = its.matched.key.in_text_order(), its.matched.response.in_text_order()
    return part._replace(named=named), (treated.matched, its.matched._replace(key=key, response=response))


def _tally(tables: Tables, metrics: Sequence[Metric], settings: Settings) -> Counted:
    """Lay out the overlap, ask every metric; those that read names are asked about named mentions."""
    whole, named = (
        None if matched is None else overlap(without_singletons(matched, settings.singletons)) for matched in tables
    )
    assert whole is not None, "all mentions are always there"
    counts = {}
    for metric in _with_mentions(metrics):
        table = named if metric.reads_names and named is not None else whole
        counts[metric.name] = _counts(metric, table, settings)
    copies = [np.zeros(0) if table is None else table.key.total(table.key.size) for table in (whole, named)]
    return Counted(counts, *copies)


def _tally_by_name(tables: Tables, settings: Settings) -> Counted:
    """The same in any process, which has to find the metrics by itself."""
    return _tally(tables, select(",".join(settings.metrics)), settings)


def joined(parts: Sequence[Part], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]) -> Result:
    """All parts in their order as one result, summed once: sums of parts would move the last bit.

    Raises `InputError` where too many repeated mentions were dropped (`scorer.official.refuse_too_many`), and where
    names are asked for and there are none (`scorer.naming.about_names`).
    """
    if not parts:
        raise UsageError("there is no document to score: the key is empty")
    dropped = [repeat for part in parts for repeat in part.dropped]
    if settings.repeated == "official":
        refuse_too_many(dropped)
    else:
        notices += describe("dropped-repeat", dropped)
    counted = _with_mentions(metrics)
    named = [(part, part.named) for part in parts if part.named is not None]
    if named:
        notices += _about_names(parts, metrics, settings)
    whole = _seen([(len(part.names), part.counted.key_copies, part.messages, part.pairs) for part in parts])
    return Result(
        counted,
        [name for part in parts for name in part.names],
        {metric.name: np.concatenate([part.counted.counts[metric.name] for part in parts]) for metric in counted},
        settings,
        **whole._asdict(),
        named=_seen([(len(part.names), part.counted.named_copies, its.messages, its.pairs) for part, its in named])
        if named
        else None,
        notices=tuple(notices),
    )


def _about_names(parts: Sequence[Part], metrics: Sequence[Metric], settings: Settings) -> Iterator[Finding]:
    """What is odd about names. Raises as `scorer.naming.about_names`."""
    from scorer.naming import about_names, about_singletons, column_of, no_named_mentions

    how = names_asked(metrics, settings.own)
    its = [part.named for part in parts if part.named is not None]
    assert how is not None, "names are there only where they were asked for"
    yield from about_names([each.held for each in its], how)
    column = column_of([each.held[0] for each in its])
    if not any(part.counted.named_copies.any() for part in parts):
        yield no_named_mentions(column, how)
    if how.estimate and settings.singletons != "drop":
        yield from about_singletons(column, np.sum([each.entities for each in its], axis=0))


def _seen(batches: Sequence[tuple[int, Floats, Mapping[int, Sequence[str]], Pairs | None]]) -> Seen:
    """What the official layout tells of batches, given their numbers of documents, copies, messages and pairs."""
    messages = {}
    before = 0
    for documents, _, its, _ in batches:
        messages.update({before + document: lines for document, lines in its.items()})
        before += documents
    copies = np.concatenate([copies for _, copies, _, _ in batches])
    return Seen(copies, messages, [pairs for *_, pairs in batches if pairs])


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
