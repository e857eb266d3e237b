"""What both sides have in common. If that is nothing, a notice says so, since every score is 0 then and no number shows
the reason. If their texts differ, a notice says where they differ first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, permutations
from operator import eq

import numpy as np

from corefscore.core.arrays import NONE, RARE, Bools, Floats, Ints, among, changes, lists_by_key, ranges
from corefscore.core.documents import (
    KEY,
    RESPONSE,
    UNKNOWN,
    Documents,
    Mention,
    Place,
    Span,
    Unread,
    Unworded,
    texts_of,
)
from corefscore.core.findings import Finding, plural, some_of, tokens
from corefscore.core.records import NamedTuple
from corefscore.formats.base import found_at, is_json
from corefscore.formats.conll.columns import mentions_by_column
from corefscore.formats.sides import ABOUT_TEXT, METADATA, OF_ENTITIES, names_entities, side_in
from corefscore.formats.words import are_words
from corefscore.matching.matched import FEW, NO_PLACES, SURE, Matched
from corefscore.matching.pairing import Pairs

_ENOUGH, _HARDLY, _TIMES = 20, 0.1, 1.3
"""A response of so many mentions is reported if at most this share of them is in the key, or at most so many times what
chance explains, and two standard deviations more."""

_HEAD = 1 << 18
"""The number of bytes of a file in which other columns are looked for."""

_EARLY = -0.25
"""The mean place (`places_of_matches`) up to which mentions that match are reported."""

_SOME, _LITTLE, _RARE = 10, 0.2, 10_000
"""A document of so many mentions is reported if less than this share match, by one, and this is as rare among
documents. If they are shifted by a token, or of another document, one of six mentions of a play matches by chance."""

_SEVERAL, _SHARE, _LEAST, _FAR = 3, 0.05, 4, 2.5
"""From so many documents on, and such a share of those of at least so many mentions, they are reported together if
their rate is so many standard deviations below that of the others; in smaller ones, mentions often are all right or all
wrong."""


class Common(NamedTuple):
    """What the sides of a batch of pairs have in common.

    ``documents`` is the number of documents that both sides have. ``first`` has a mention of each side, if possible of
    one document, and None for a side without mentions; ``places`` has the beginnings of the documents of such a side.
    ``tagged`` means that the response is tagged text, ``left_out`` that none of the mentions that they share counts.
    ``few`` says how few mentions they share, if it is by chance; ``apart`` is given if most are `_steps_apart`.
    """

    documents: int
    first: Mapping[str, Mention | None]
    places: Mapping[str, Sequence[Place]]
    tagged: bool
    few: str
    apart: tuple[int, int] | None
    left_out: bool


def common(
    pairs: Pairs, counted: Sequence[Matched], every: Sequence[Matched] = (), *, left_out: bool = False
) -> Common | None:
    """Return what the sides of a batch have in common; None if they share a mention that counts in any of the ways in
    which metrics see it, unless these are hardly any, few and explained by chance, or less than half and most are
    `_steps_apart`. ``every`` has the mentions before some were left out; ``left_out`` says that they share some of
    these.
    """
    shared = list(map(_shared, counted))
    few = max((np.count_nonzero(mentions) / max(len(mentions), 1) for mentions in shared), default=0)
    if few >= 1 / 2:
        return None
    apart, by_chance = _steps_apart(pairs) if few else (None, False)
    hardly = few <= FEW and all(len(mentions) >= _ENOUGH and (by_chance or few <= _HARDLY) for mentions in shared)
    if few and not apart and not hardly:
        return None
    left_out = not few and (left_out or any(_shared(mentions).any() for mentions in every))
    sides = {KEY: pairs.key, RESPONSE: pairs.response}
    in_both = np.intersect1d(pairs.key.document[pairs.key.entity], pairs.response.document[pairs.response.entity])
    first = {name: _first(side, in_both if len(in_both) else side.document) for name, side in sides.items()}
    present = np.flatnonzero(pairs.present).tolist()
    places = {name: [side.place_of(d) for d in present] for name, side in sides.items() if first[name] is None}
    how = "most mentions do not match" if few > FEW else "hardly any mention matches"
    how = "hardly more mentions match than by chance" if by_chance else how
    return Common(len(present), first, places, pairs.response.own_text, how if few else "", apart, left_out)


def _shared(matched: Matched) -> Bools:
    """Return whether each mention of the response is in the key."""
    return among(matched.response.number, matched.key.number)


def _steps_apart(pairs: Pairs) -> tuple[tuple[int, int] | None, bool]:
    """Return how many tokens later most mentions of the response begin and end than mentions of the key, as if one side
    counted tokens from 1 or ended mentions with the token after them; None if there is no such step. Return also
    whether those that match where they are may match by chance.
    """
    key, response = (
        zip(side.document[side.entity].tolist(), side.start.tolist(), side.end.tolist(), strict=True)
        for side in (pairs.key, pairs.response)
    )
    spans, some = set(key), list(response)[:: 1 + len(pairs.response.start) // _MANY]
    counts = {
        (begins, ends): sum((document, start - begins, end - ends) in spans for document, start, end in some)
        for begins, ends in chain(_STEPS, _OTHER_STEPS)
    }
    step = max(_STEPS, key=counts.__getitem__)
    known = (abs(step[0]) < 2 or counts[step] >= _ENOUGH) and counts[step] > len(some) / 2
    chance = sorted(map(counts.__getitem__, _OTHER_STEPS))[len(_OTHER_STEPS) // 2]
    are_spans, by_chance = (pairs.response.start >= 0).any(), counts[0, 0] <= _TIMES * chance + 2 * chance**0.5
    return step if known and any(step) and are_spans else None, bool(chance > 0 and by_chance and are_spans)


_STEPS = [(0, 0), (0, 1), (1, 2), (1, 0), (0, -1), (-1, -2), (-1, 0), *((by, by) for by in range(-5, 6) if by)]
_OTHER_STEPS = [(by, by) for by in chain(range(-22, -6), range(7, 23))]
"""How many tokens later mentions begin and end on a side that counts tokens from 1 or after some other tokens, ends
mentions with the token after them, or both; and where mentions match by chance."""

_MANY = 20_000
"""From so many mentions on, only some are looked at."""


def _first(side: Documents, documents: Ints) -> Mention | None:
    """Return the first mention in the first of some documents, in the order of the text."""
    if not len(documents):
        return None
    mentions = np.flatnonzero(side.document[side.entity] == documents[0])
    # Mentions that are no spans of tokens have numbers below 0, which say nothing of their order: the first given wins.
    start, end = np.maximum(side.start[mentions], 0), np.maximum(side.end[mentions], 0)
    return side.mention(int(mentions[np.lexsort((end, start))[0]]))


def about_matches(shared: Sequence[Common | None], places: Floats) -> list[Finding]:
    """Report `early_mentions`; or that a side has no mention, or that both sides have mentions and hardly share any,
    given what is `common` in all batches. There is no notice if they do not even share a document."""
    batches = list(filter(None, shared))
    documents = sum(batch.documents for batch in batches)
    known = any(batch.apart for batch in batches)
    if len(batches) < len(shared) or not documents or (not known and any(early_mentions(places))):
        return [*early_mentions(places)]
    if left_out := next((batch.first[RESPONSE] for batch in batches if batch.left_out), None):
        details = {"documents": plural(documents, "document")}
        return [Finding("no-counted-mention", left_out.place.source.name, left_out.line, details=details)]
    tagged = any(batch.tagged for batch in batches)
    lacking = {
        side: [place for batch in batches for place in batch.places[side]]
        for side in (KEY, RESPONSE)
        if not any(batch.first[side] for batch in batches)
    }
    if not lacking:
        both = [batch for batch in batches if all(batch.first.values())] or batches
        key, response = (next(filter(None, (batch.first[side] for batch in both))) for side in (KEY, RESPONSE))
        few = next(filter(None, (batch.few for batch in batches)), "")
        apart = next(filter(None, (batch.apart for batch in batches)), None)
        return [_apart(key, response, documents, tagged, few=few, apart=apart)]
    found = []
    for side, (place, *_) in lacking.items():
        hint = _hint(place, side == RESPONSE and tagged)
        details = {"side": side, "documents": plural(documents, "document"), "hint": hint}
        found.append(Finding("side-without-mentions", place.source.name, details=details))
    return found


def counts_of_mentions(matched: Matched, documents: int) -> Floats:
    """Return what `unlike_documents` compares of a batch of so many documents."""
    shared = _shared(matched)
    of_key, of_response = (side.document[side.entity] for side in (matched.key, matched.response))
    columns = of_response[shared], of_key, of_response[shared], of_response
    return np.stack([np.bincount(of, minlength=documents) for of in columns], axis=1).astype(np.float64)


def places_of_matches(matched: Matched, cut_from: Ints | None = None) -> Floats:
    """Return for each side how many mentions match, and the sum of their places among the mentions of their documents,
    from -1 for the beginning to 1 for the end; 0 if more than half of both sides match. ``cut_from`` is the document of
    each window, if there are windows."""
    if 2 * np.count_nonzero(_shared(matched)) > max(len(matched.key.number), len(matched.response.number)):
        return NO_PLACES
    found = []
    for side, other in permutations((matched.key, matched.response)):
        order = np.argsort(side.number, kind="stable")
        of = side.document[side.entity[order]] if cut_from is None else cut_from[side.document[side.entity[order]]]
        before, after = np.searchsorted(of, of), np.searchsorted(of, of, "right")
        places = (2 * np.arange(len(of)) + 1 - before - after) / (after - before)
        shared = among(side.number[order], other.number)
        found.append((shared.sum(), places[shared].sum()))
    return np.array(found)


def early_mentions(places: Floats) -> Iterator[Finding]:
    """Report that mentions match near the beginnings of documents, given the sum of `places_of_matches`, as if offsets
    of one side began again in each sentence. Chance moves the mean by four standard deviations in 0.003 %."""
    for side, (count, total) in zip((KEY, RESPONSE), places.tolist(), strict=True):
        # Where one side is shifted, what matches is late on the other.
        if max(total, places[:, 1].sum()) < _EARLY * count and 3 * total**2 > 4**2 * count:
            details = {"count": int(count), "percent": round(50 + 50 * total / count), "side": side}
            yield Finding("early-mentions", RESPONSE, details=details)
            return


_MUCH = 0.1
"""The share of the mentions of a side from which documents without mentions on the other are reported."""


def unlike_documents(names: Sequence[str], files: Sequence[str], counts: Floats) -> Iterator[Finding]:
    """Report documents of which hardly any mention matches, on either side, although so many match in all that
    chance explains one such document in `_RARE`, or that several are `_FAR` from the others. ``files`` are only used if
    no document is in memory; ``counts`` has one row a document: common mentions, those of the key, common mentions,
    those of the response.

    Report also that a side has no mentions in documents with many of the other, or the response in one with so many
    that chance explains it as rarely."""
    matching, of_key, _, of_response = counts.T
    smaller = np.minimum(of_key, of_response)
    low = (matching <= _LITTLE * smaller) & (smaller >= _LEAST)
    share = min(matching.sum() / max(of_response.sum(), 1), 1)
    rare = (1 - share) ** np.maximum(of_response - matching, 0) * _RARE < 1
    unlike = rare & (smaller >= _SOME) & (matching <= _LITTLE * smaller - 1) & (matching < FEW * share * of_response)
    # Rates of documents vary by chance, and since some texts are harder.
    rates, few = (matching / np.maximum(smaller, 1))[~low & (smaller >= _LEAST)], np.flatnonzero(low)
    mean, varied = (rates.mean(), rates.var()) if len(rates) else (0, 0)
    far = few[mean - _FAR * np.sqrt(varied + mean * (1 - mean) / smaller[few]) > _LITTLE]
    several = len(far) >= max(_SEVERAL, _SHARE * (smaller >= _LEAST).sum())
    for these in [far] if several else np.flatnonzero(unlike)[:, None]:
        d = int(these[0])
        details = {
            "document": names[d],
            "where": f'document "{names[d]}"' if len(these) == 1 else f'{len(these)} documents, such as "{names[d]}"',
            "matching": int(matching[these].sum()),
            "mentions": int(of_response[these].sum()),
            "all": int(matching.sum()),
            "total": int(of_response.sum()),
        }
        yield Finding("unlike-document", files[d] if len(files) == len(names) else RESPONSE, details=details)
    for side, own, of in ((RESPONSE, of_response, of_key), (KEY, of_key, of_response)):
        empty = np.flatnonzero((own == 0) & (of > 0))
        missed, every = int(of[empty].sum()), int(of.sum())
        most, found = max(of[empty], default=0), matching.sum() / max(every, 1)
        # A system finds something in every long document, but not every one has coreference.
        failed = side == RESPONSE and most >= _SOME and (1 - min(found, 1)) ** most * _RARE < 1
        if missed and (missed >= _MUCH * every or failed) and matching.any():
            details = {"count": len(empty), "all": plural(len(names), "document"), "document": names[empty[0]]}
            details |= {"side": side, "missed": missed, "every": every}
            yield Finding("documents-without-mentions", side, details=details)


_NEAR = 0.85
"""The mean rate of the others from which documents that are scored as perfect are not reported."""


def copied_documents(names: Sequence[str], counts: Mapping[str, Floats], mentions: Floats) -> Iterator[Finding]:
    """Report documents that are scored as perfect although that is unlikely: rate ** mentions < `RARE` for a recall or
    precision, with the mean rate of the other documents and two standard deviations more. ``counts`` are those of
    metrics (shape: documents x measures x 4), ``mentions`` those of mentions (documents x 4). Only documents of `SURE`
    mentions and more are looked at.
    """
    matching, of_key = mentions.T[:2]
    right = [(of[..., ::2] == of[..., 1::2]).all(axis=(1, 2)) for of in counts.values()]
    perfect = np.logical_and.reduce([of_key >= SURE, *right])
    others = (of_key >= SURE) & ~perfect & (matching > _LITTLE * of_key)
    chance = np.ones(len(names))
    enough = others.sum() >= min(max(perfect.sum(), 1), 2)  # a single one may be the odd one itself
    for of in counts.values() if enough else ():
        rates = (of[..., ::2] / np.maximum(of[..., 1::2], 1))[others]
        rate = np.minimum(rates.mean(axis=0) + 2 * rates.std(axis=0), 1)
        # Nothing to count is no rate of 0.
        rate[(rates.mean(axis=0) > _NEAR) | (of[others][..., 1::2] == 0).any(axis=0)] = 1
        chance = np.minimum(chance, (rate ** np.minimum(of[..., 1::2], of_key[:, None, None])).min(axis=(1, 2)))
    if len(copied := np.flatnonzero(perfect & (chance < RARE))):
        first = int(copied[0])
        details = {"count": plural(len(copied), "document"), "document": names[first], "mentions": int(of_key[first])}
        yield Finding("copied-document", RESPONSE, details=details)


def unread_columns(
    unread: Sequence[tuple[Mapping[Unread, Place], Mapping[Unread, Place]]],
    key: Place | None,
    response: Place | None,
    where: str = "",
    *,
    equal: bool = True,
) -> Iterator[Finding]:
    """Report fields and columns that may have the entities of the system, of a response that has those of the key, or
    nearly so if it is not ``equal``: those that are ``unread`` on one side and that the other side lacks, or that have
    other values there; and the columns of CoNLL and attributes of CorefUD that only one side has, from the lines of
    these documents on. ``where`` says which documents have the same entities, if it is not all of them."""
    of_key, of_response = (
        {its: at for both in reversed(unread) for its, at in both[side].items() if its.name not in exempt}
        for side, exempt in enumerate((_metadata(key), _metadata(response)))
    )
    if key is not None and response is not None and key.source.name == response.source.name:
        of_key, key = {}, None  # given twice, perhaps for two fields of it
    found = _unread_fields(of_key, of_response, key, response)
    texts = [_text_at(its, where != "") if its else b"" for its in (key, response)]
    attributes = [_attributes(text) for text in texts]
    for at, its, other in zip((key, response), attributes, attributes[::-1], strict=True):
        found |= {} if at is None or key is None else dict.fromkeys(its - other, at)
    own, others = map(mentions_by_column, texts)
    last, of_last = own.pop(0, {}), others.pop(0, {})
    found |= _unlike(others, own, last, response)
    how, whose, side = "name it: --columns response.entity=NAME", "system", RESPONSE
    if not found and not where and (found := _unlike(own, others, of_last, key)):
        whose = side = KEY
    if found:
        place = min(found.values(), key=lambda place: place.line or 0)
        fields = sorted(name for name, its in found.items() if its.source.name == place.source.name)
        how = "remove the columns after it" if (others if side == RESPONSE else own) else how
        how = "rename the attribute to Entity" if attributes[0] | attributes[1] else how
        if key and place.source.name == key.source.name and side == RESPONSE:
            how = f"give this file as RESPONSE, and {how}"
        how += _OF_JSON * is_json(place.source.head(_HEAD))
        details = {"fields": some_of(fields), "how": how, "whose": whose, "side": side.upper()}
        details["where"] = where or ("" if equal else ", or nearly so")
        yield found_at(place, "same-as-key", **details)


def _unread_fields(
    of_key: Mapping[Unread, Place], of_response: Mapping[Unread, Place], key: Place | None, response: Place | None
) -> dict[str, Place]:
    """Return the fields and columns that only one side has or that have other values there, if they may have entities;
    those that only the response has, whatever they have."""
    lists = [_lists_in(its, of) for its, of in ((key, of_key), (response, of_response))]
    found = {column.name: place for column, place in of_response.items() if column not in of_key}
    for name, theirs in lists[1].items():
        ours = lists[0].get(name, set())
        if not (theirs <= ours or (ours and ours <= theirs)):  # one side may have fewer documents
            found[name] = of_response[Unread(name)]
    names = {column.name for column in of_response}
    for column, place in of_key.items():
        may = side_in(column.name) == RESPONSE or column.name in lists[0]
        may = may or (column.cells != 0 and names_entities(column.name, ""))
        if may and column.name not in names:
            found[column.name] = place
    return found


_ATTRIBUTE = re.compile(rb"(?!Entity=|Bridge=|SplitAnte=)([A-Za-z]\w*)=((?:\(\w|[^()|\s]+\))[^|\s]*(?=[|\s]|\Z))?")
"""An attribute of CorefUD, and its value if it begins with the bracket of an entity, or the end of one."""


def _attributes(text: bytes) -> set[str]:
    """Return the names of the attributes of a text in CorefUD that may have entities, beside those that have them: by
    their names, or since most of their brackets open or close another one."""
    cells = [line.split(b"\t") for line in text.split(b"\n")] if b"Entity=" in text else []
    found = [_ATTRIBUTE.match(piece) for its in cells if len(its) == 10 for piece in its[9].split(b"|")]
    values = lists_by_key((match[1].decode(), match[2] or b"") for match in found if match)
    counts = {name: [b"".join(its).count(of) for of in (b"(", b")")] for name, its in values.items()}
    balanced = (name for name, of in counts.items() if min(of) > 1 and min(of) * 10 > max(of) * 9)
    named = (name for name in counts if re.search(OF_ENTITIES, name) and (side_in(name) or names_entities(name, "")))
    return {*balanced, *named}


def _lists_in(place: Place | None, unread: Mapping[Unread, Place]) -> dict[str, set[int]]:
    """Return those unread fields of a file of JSON that have clusters by their shape, with the hashes of their values,
    each beside the name of its document."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    if place is None or not unread or not is_json(place.source.head(_HEAD)):
        return found
    from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
    from corefscore.formats.jsonlines.objects import objects

    for _, fields in objects(place.source):
        of = str([*map(fields.get, NAMES_OF_DOCUMENTS)])
        for name, value in fields.items():
            if Unread(name) in unread and value != []:
                is_list = isinstance(value, list) and all(map(_is_cluster, value))
                found[name].add(hash((of, repr(value))) if is_list else 0)
    return {name: values for name, values in found.items() if 0 not in values}


def _metadata(place: Place | None) -> set[str]:
    """Return the fields and columns of a file that have no entities of their own: of JSON, those about the text, those
    that have as many mentions for each entity as other fields, and those without lists of lists."""
    from corefscore.formats.jsonlines.dialects import DIALECTS
    from corefscore.formats.jsonlines.objects import objects

    found, of_clusters = METADATA, {field for dialect in DIALECTS for field in (dialect.clusters, dialect.predicted)}
    for _, fields in objects(place.source) if place and place.line and is_json(place.source.head(_HEAD)) else ():
        known = [_sizes(fields[name]) for name in fields if name in of_clusters]
        others = {name for name in found.intersection(fields) - ABOUT_TEXT if "[[" in repr(fields[name])}
        found = found - {name for name in others if _sizes(fields[name]) not in known}
    return found


def _sizes(value: object) -> list[int]:
    return [len(its) for its in value if isinstance(its, list)] if isinstance(value, list) else []


def _is_cluster(value: object) -> bool:
    """Return whether a value is a list of spans, each a list that begins with two numbers."""
    spans = value if isinstance(value, list) and value else [None]
    return all(isinstance(its, list) and [*map(type, its[:2])] == [int, int] for its in spans)


_Columns = Mapping[int, Mapping[int, bytes]]


def _unlike(columns: _Columns, others: _Columns, last: Mapping[int, bytes], place: Place | None) -> dict[str, Place]:
    """Return the columns of CoNLL that are neither among those of the other side nor its ``last`` one, with the places
    where they begin."""
    return {
        f"column {number}": place._replace(line=(place.line or 1) - 1 + min(its))
        for number, its in columns.items()
        if place is not None and its != last
        if not any(all(map(eq, its.values(), cells.values())) for cells in others.values())
    }


def _text_at(place: Place, alone: bool) -> bytes:
    """Read whole lines of a document, and of those that follow it unless it is wanted ``alone``; nothing if it is not
    in a file."""
    if place.line is None:
        return b""
    with place.source.reading() as stream:
        text = b"".join([*islice(stream, place.line - 1, place.line), stream.read(_HEAD)])
    end = text.find(b"\n#end document") if alone else -1
    return text[: (end if end >= 0 else text.rfind(b"\n")) + 1]


_OF_JSON = ' (response.clusters=NAME for lists of clusters), or rename it "answer" if it is tagged text'
"""How to have a field of JSON scored, in addition to the way for tables."""


def _apart(
    key: Mention, response: Mention, documents: int, tagged: bool, *, few: str, apart: tuple[int, int] | None
) -> Finding:
    shown = [
        f'"{text}"{tokens(mention.span.start, mention.span.end)}'
        for mention, text in zip((key, response), texts_of([key, response]), strict=True)
    ]
    details = {"documents": plural(documents, "document"), "key": shown[0], "response": shown[1]}
    details["few"] = few or "no mention matches"
    details["what"] = (
        "perhaps one side counts other tokens, or the names of documents are swapped"
        if few
        else "entities cannot agree without common mentions"
    )
    if apart:
        begins, ends = (
            f"{plural(abs(by), 'token')} {'earlier' if by > 0 else 'later'}" if by else "where they do" for by in apart
        )
        details["what"] = f"most mentions of the response would match if they began {begins} and ended {ends}"
    one_sided = (key.span.start < 0) != (response.span.start < 0)
    details["hint"] = (
        "corefscore validate ANSWER --key KEY shows where the text of the answer first differs"
        if tagged
        else "one side has spans of tokens, the other items or text, which never match, even if they look alike; write "
        "mentions in one form"
        if one_sided
        else "these mentions are the same, but their heads differ: correct the heads, or use --heads tree or "
        "--matching exact"
        if shown[0] == shown[1] and key.document == response.document and not few
        else "check that both sides have the same tokens, count them from 0, end mentions at their last token, and "
        "write mentions in the same form"
    )
    return Finding("no-common-mention", response.place.source.name, response.line, details=details)


def _hint(place: Place, tagged: bool) -> str:
    if place.line is None:
        return "no entity with a mention was given"
    if tagged:
        return (
            "no answer contains a pair of tags with an id and a word between them; read what the model wrote, and "
            "name other tags with --tags"
        )
    return (
        "coreference is read from the last column in CoNLL, a field such as clusters in JSON, and MISC in CorefUD; "
        "corefscore validate FILE reports what this file contains"
    )


def first_differences(pairs: Pairs) -> Ints:
    """Return, for each document, the first token that is a different word on the other side, or that only one side has.

    -1 if there is none, if the words of a side are not known, and if a side does not have the document.
    """
    found = np.full(len(pairs.present), -1)
    key, response = pairs.key, pairs.response
    if key.texts is None or response.texts is None:
        return found
    words, other_words = key.texts.number, response.texts.number
    begins, other_begins = key.first_tokens, response.first_tokens
    if np.array_equal(words, other_words) and np.array_equal(begins, other_begins):
        return found
    document = np.flatnonzero(pairs.present & are_words(words, begins) & are_words(other_words, other_begins))
    size, other_size = np.diff(begins)[document], np.diff(other_begins)[document]
    shorter = np.minimum(size, other_size)
    # Without a different word, the texts part where the shorter one ends.
    found[document] = np.where(size == other_size, -1, shorter)
    # The words of all documents one after another, as far as both sides have them.
    words, other_words = words[ranges(begins[document], shorter)], other_words[ranges(other_begins[document], shorter)]
    different = np.flatnonzero((words != other_words) & (words != UNKNOWN) & (other_words != UNKNOWN))
    ends = np.cumsum(shorter)
    row = np.searchsorted(ends, different, side="right")
    first = changes(row)
    row, different = row[first], different[first]
    found[document[row]] = different - (ends - shorter)[row]
    return found


def different_words(code: str, pairs: Pairs, tokens: Iterable[tuple[int, int]]) -> Iterator[Unworded]:
    """Yield a finding for each token at which the texts differ, with its line and its word on both sides; ``tokens``
    are the number of a document and that of a token in it.
    """
    for document, token in tokens:
        sides = [_token(side, document, token) for side in (pairs.response, pairs.key)]
        yield Unworded([mention for mention, missing in sides if not missing], partial(_different, code, token, sides))


def _token(side: Documents, document: int, token: int) -> tuple[Mention, str]:
    """Return a token with its line; if the text ends before it, with the line of the last token and a remark."""
    size, (first, stop) = int(side.tokens[document]), side.first_tokens[document : document + 2]
    line_of = NONE if side.texts is None else side.texts.line[first:stop]
    line = int(line_of[min(token, size - 1)]) if len(line_of) else side.place_of(document).line
    mention = side.at(Span(document, line or 0, token, token))
    return mention, "" if token < size else f"missing, since the text has only {plural(size, 'token')}"


def _different(code: str, token: int, sides: Sequence[tuple[Mention, str]], words: Iterable[str]) -> Finding:
    """Return the finding for a token, with the words of those sides that have it."""
    known = iter(words)
    word, key_word = (missing or f'"{next(known)}"' for _, missing in sides)
    (response, _), (key, _) = sides
    details = {
        "document": key.document,
        "token": token,
        "word": word,
        "key_word": key_word,
        "place": f"{key.place.source.name}:{key.line}",
    }
    return Finding(code, response.place.source.name, response.line, details=details)
