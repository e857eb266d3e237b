"""Everything that is wrong or odd in a file, and in a response compared with its key."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Floats, changes, order_by
from corefscore.core.documents import KEY, RESPONSE, Documents, Nodes, Place, Unworded, worded
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding, Found, kinds, plural, tokens
from corefscore.core.sources import Source
from corefscore.formats import BY_CONTENT, Reading, opened, refuse_heads
from corefscore.formats.base import FAULTS, found_at
from corefscore.formats.ids import odd_ids
from corefscore.matching.common import (
    Common,
    about_matches,
    common,
    counts_of_mentions,
    different_words,
    first_differences,
    places_of_matches,
    unlike_documents,
)
from corefscore.matching.matched import NO_PLACES, copies_of, describe, match_spans, repeats_of, too_many, treat_repeats
from corefscore.matching.pairing import Pairing
from corefscore.scoring.corefud import About, marked_again, notices_of_both_sides
from corefscore.scoring.corefud import matched as align
from corefscore.scoring.evaluate import on_key
from corefscore.scoring.settings import COREFUD

_SINGLETONS_COUNT = "corpora like OntoNotes have no such entities; --singletons drop leaves them out of the score"
_SINGLETONS_DROPPED = "CorefUD scores leave such entities out; --singletons keep counts them"
"""The advice about entities of one mention, by the default of the format."""


_SIZES = ("documents", "tokens", "mentions", "entities")


class Validated(NamedTuple):
    """The result of validating one FILE: its number of documents, tokens, mentions and entities, the findings in the
    order of the file, and the number of findings of each kind that are not listed."""

    path: str
    sizes: Mapping[str, int]
    findings: Sequence[Finding]
    unlisted: Mapping[str, int]

    def count(self, severity: str) -> int:
        """Return the number of errors or notices."""
        listed = sum(finding.severity == severity for finding in self.findings)
        return listed + sum(count for code, count in self.unlisted.items() if kinds()[code].severity == severity)

    def without(self, codes: Collection[str]) -> Validated:
        """Return the result without the findings of some kinds."""
        return self._replace(
            findings=[finding for finding in self.findings if finding.code not in codes],
            unlisted={code: count for code, count in self.unlisted.items() if code not in codes},
        )


def validate(
    path: str,
    files: Sequence[Source],
    key: Sequence[Source] | None = None,
    reading: Reading = BY_CONTENT,
    side: str = RESPONSE,
    *,
    notices: Sequence[Finding] = (),
) -> Validated:
    """Return everything that is wrong or odd in ``files``.

    ``path`` is the argument from which the files come, ``side`` says whether it is a key or a response, and ``key`` are
    the files to compare it with; faults of the key alone are not reported here. ``notices`` are added to the findings.

    Raises `UsageError` for a file that cannot be read, and for options that change nothing.
    """
    given = opened(files, [], reading, side=side, texts=key is not None)
    beside = None if key is None else opened(key, [], reading, side=KEY, texts=True)
    refuse_heads(reading, [its.form for its in (given, beside) if its])
    found = Found()
    found.add(*notices)

    whole = _Side(path, found, given.examined(found))
    if beside is None:
        for _ in whole.documents():
            pass
    else:
        of_key = Found()
        _compare(_Side(path, of_key, beside.examined(of_key)), whole, found, reading)
    found.add(*worded(whole.unworded))
    order = {source.name: number for number, source in enumerate([*files, *(key or ())])}
    findings = sorted(found.listed, key=lambda f: (order.get(f.path, -1), f.line or 0, f.column or 0))
    return Validated(path, whole.sizes, findings, found.unlisted)


def unreadable(path: str, error: UsageError) -> Validated:
    """Return the result for a FILE that cannot be read."""
    return Validated(path, dict.fromkeys(_SIZES, 0), [Finding("unreadable", path, details={"what": str(error)})], {})


class _Side:
    """One side while it is read: its findings, those that lack words, its sizes and the number of its faults."""

    def __init__(self, path: str, found: Found, batches: Iterator[Documents]) -> None:
        self.path, self.found, self.batches = path, found, batches
        self.unworded: list[Unworded] = []
        self.sizes, self.faults = dict.fromkeys(_SIZES, 0), 0

    def documents(self) -> Iterator[Documents]:
        """Read all files; yields batches in a form that can be paired: without faults, and with every name once."""
        places: dict[str, Place] = {}
        singletons = 0
        for batch in self.batches:
            sizes = len(batch), int(np.maximum(batch.tokens, 0).sum()), len(batch.start), len(batch.document)
            for name, size in zip(_SIZES, sizes, strict=True):
                self.sizes[name] += size
            self.faults += len(batch.faults)
            singletons += int(np.count_nonzero(np.bincount(batch.entity, minlength=len(batch.document)) == 1))
            _examine(batch, self.found, self.unworded)
            yield self._sound(batch, places)
        if singletons:
            has = "has" if singletons == 1 else "have"
            hint = _SINGLETONS_COUNT if batch.nodes is None else _SINGLETONS_DROPPED
            details = {"count": f"{singletons} of {plural(self.sizes['entities'], 'entity')} {has}", "hint": hint}
            self.found.add(Finding("singletons", self.path, details=details))

    def _sound(self, batch: Documents, places: dict[str, Place]) -> Documents:
        """Return a batch without faults and without the documents whose name another one has, which are reported."""
        new = []
        for document, name in enumerate(batch.names):
            place = batch.place_of(document)
            if (first := places.setdefault(name, place)) is place:
                new.append(document)
                continue
            self.found.add(found_at(place, "repeated-name", document=name, first=str(first)))
        return replace(batch, faults={}).take(np.array(new, dtype=np.int64))


def _examine(documents: Documents, found: Found, unworded: list[Unworded]) -> None:
    """Add the oddities of a batch of documents of any format: odd ids; missing, repeated and overlapping mentions.
    Those that need words are added to ``unworded``, so that a file is read again once, and not for every batch.
    """
    found.add(*odd_ids(documents))
    has_mentions = np.zeros(len(documents), dtype=np.bool_)
    has_mentions[documents.document] = True
    has_mentions[list(documents.faults)] = True
    for document in found.take("no-mentions", np.flatnonzero(~has_mentions).tolist()):
        found.add(found_at(documents.place_of(document), "no-mentions", document=documents.names[document]))
    if documents.nodes is None:
        repeated = found.take("repeated-mention", copies_of(documents))
        unworded += describe("repeated-mention", repeats_of(documents, repeated))
    else:
        for code, copies in marked_again(documents).items():
            unworded += describe(code, found.take(code, copies))
    unworded += _describe_overlaps(documents, found.take("overlapping-mentions", _overlaps(documents)))


def _overlaps(documents: Documents) -> list[tuple[int, int]]:
    """Return the mentions that are inside an earlier mention of their entity or cross it, with both ends at other
    tokens; each with the earlier mention that ends last.

    Mentions of one token are left out, since ``(1)`` is clear. So are mentions inside others if the format names both
    ends, as JSON lines do, and mentions that share no words because of a gap.
    """
    if not len(order := order_by(documents.entity, documents.start, documents.end)):
        return []
    entity, start, end = documents.entity[order], documents.start[order], documents.end[order]
    width = int(end.max()) + 1
    reach = np.maximum.accumulate(entity * width + end) - entity * width
    furthest = np.maximum.accumulate(np.where(reach == end, np.arange(len(order)), 0))
    # The last mention that begins before each, and the last token of those up to it.
    begins = changes(entity, start)
    before = np.flatnonzero(begins)[np.cumsum(begins) - 1] - 1
    overlapping = np.flatnonzero((entity[before] == entity) & (before >= 0) & (reach[before] >= start))
    earlier_end, own_end = reach[before[overlapping]], end[overlapping]
    brackets = documents.opening is not None or documents.nodes is not None
    unclear = earlier_end != own_end if brackets else earlier_end < own_end
    overlapping = overlapping[unclear & (start[overlapping] < own_end)]
    pairs = list(zip(order[overlapping].tolist(), order[furthest[before[overlapping]]].tolist(), strict=True))
    return pairs if documents.nodes is None else _sharing_words(documents.nodes, pairs)


def _sharing_words(nodes: Nodes, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs of mentions that have words in common."""
    first = nodes.first
    words = {mention: nodes.word[first[mention] :][: nodes.size[mention]] for pair in pairs for mention in pair}
    return [pair for pair in pairs if np.isin(words[pair[0]], words[pair[1]], assume_unique=True).any()]


def _describe_overlaps(documents: Documents, overlaps: Sequence[tuple[int, int]]) -> Iterator[Unworded]:
    """Yield a finding for each pair of overlapping mentions."""
    for overlapping in overlaps:
        mention, other = documents.mentions(overlapping)
        (_, _, start, end), (_, _, other_start, other_end) = mention.span, other.span
        details = {
            "document": mention.document,
            "words": "",
            "start": start,
            "end": end,
            "tokens": tokens(start, end),
            "how": "is inside" if end < other_end else "crosses",
            "entity": documents.name_of(int(documents.entity[overlapping[0]])),
            "other_start": other_start,
            "other_end": other_end,
            "other_tokens": tokens(other_start, other_end),
        }
        finding = Finding("overlapping-mentions", mention.place.source.name, mention.span.line, details=details)
        yield Unworded([mention], partial(_with_words, finding))


def _with_words(finding: Finding, words: Sequence[str]) -> Finding:
    return finding._replace(details={**finding.details, "words": words[0]})


# A response compared with its key

_OF_TAGS = tuple(f"{fault}-tags" for fault in FAULTS)
"""The findings about tags, which the examiner of tagged text has already reported for each tag."""


def _compare(key: _Side, response: _Side, found: Found, reading: Reading) -> None:
    """Add the findings for which both sides are needed: documents without a partner, different texts, copies beyond the
    limit."""
    notices: list[Finding] = []
    dropped = []
    shared: list[Common | None] = []
    names: list[str] = []
    files: list[str] = []
    counts: list[Floats] = []
    places = NO_PLACES
    aligned: list[About] = []
    try:
        of_key, of_response, text = on_key(key.documents(), response.documents(), reading, notices)
    except InputError as error:
        found.add(*error.findings)
        return
    if text is not None:
        notices[:] = [notice for notice in notices if notice.code not in _OF_TAGS]
        found.add(*text.first_differences)
    for pairs in Pairing(of_key, of_response, notices, refuse=found.add):
        found.add(*notices)
        notices.clear()
        if pairs.key.nodes is not None and pairs.response.nodes is not None:
            _, about = align(pairs, COREFUD)
            shared.append(about.common)
            aligned.append(about)
            continue
        matched = match_spans(pairs.key, pairs.response)
        shared.append(common(pairs, [matched]))
        places = places + places_of_matches(matched)
        names += pairs.key.names
        files += pairs.key.files
        counts.append(counts_of_mentions(matched, len(pairs.key)))
        dropped.extend(treat_repeats(matched, pairs, "official").dropped)
        first = first_differences(pairs)
        different = [(document, int(first[document])) for document in np.flatnonzero(first >= 0).tolist()]
        response.unworded += different_words("different-word", pairs, found.take("different-word", different))
    found.add(*notices)
    if aligned:
        found.add(*notices_of_both_sides(aligned))
    if refusal := too_many(dropped):
        found.add(refusal)
    if key.faults or response.faults:  # they may hide mentions
        return
    found.add(*about_matches(shared, places))
    if None in shared and counts:
        found.add(*unlike_documents(names, files, np.concatenate(counts)))
