"""The values of ``--of``, one kind of mentions or a division of all into kinds; the kind of each mention; and the
counts of kinds: the terms of their mentions, summed for each document.

Kinds are known from the text of the key, the types of entities, or the positions of mentions. Which mentions are
pronouns is decided by the parts of speech of the key, by words, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, changes, lacking, order_by, ranked, sums
from corefscore.core.documents import KEY, OF_COLUMN, RESPONSE, UNIT_SOURCES, Documents, Kinds
from corefscore.core.errors import UsageError, nearest
from corefscore.core.findings import Finding, plural, some_of
from corefscore.formats.base import AUTO, PARSE
from corefscore.formats.ids import without_spelling
from corefscore.matching.entity_lookup import together
from corefscore.matching.matched import Matched
from corefscore.matching.mentions import Alignment
from corefscore.matching.pairing import WITHIN_TOKENS, Pairs
from corefscore.metrics.base import Counts, Metric, Ratios, packed
from corefscore.metrics.members import Both, Members, members
from corefscore.scoring.kinds.texts import NO_TAG, NO_TAGS, PENN, TAG_SETS, Projection, Text, text_of

_ENGLISH_TEXT = """
'em all anybody anyone em everybody everyone everything few he her hers herself him himself his how i it its itself many
me mine most my myself nobody none noone nothing one our ours ourselves several she some somebody someone something that
their theirs them themselves these they this those thyself us we what whatever when where which who whoever whom
whomever whose ya you your yours yourself yourselves
"""

_ENGLISH_WORDS = frozenset(_ENGLISH_TEXT.split())
"""The words that Kummerfeld and Klein 2013 treat as pronouns in addition to tags."""


class Pronouns(NamedTuple):
    """How pronouns are recognised: by tags, by lower-case words, or by either; ``name`` appears in signatures."""

    name: str
    tags: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()

    def fit(self, tag: str, word: str) -> bool:
        """Return whether a token with this tag and word is one."""
        by_tag = (tag.startswith(its[:-1]) if its.endswith("*") else tag == its for its in self.tags)
        return any(by_tag) or word.lower() in self.words


_NO_PRONOUNS = Pronouns("none")


def pronouns_of(words: str, text: Text, option: str = "--pronouns ") -> Pronouns:
    """Return how to recognise pronouns, from a value of ``--pronouns``: ``auto``, ``none``, ``english``, ``tags:A,B*``
    or ``words:FILE``. Messages put ``option`` before the value.

    ``auto`` uses the pronouns of the tag set (`TAG_SETS`) that most tokens have a tag of, and for the Penn Treebank the
    English words as well. Without tags there are no pronouns. Raises `UsageError` for any other value, and for a file
    that cannot be read.
    """
    kind, separator, rest = words.partition(":")
    if words == AUTO:
        if text.tag_set is None:
            return _NO_PRONOUNS
        also = _ENGLISH_WORDS if text.tag_set == PENN else frozenset[str]()
        return Pronouns(f"tags:{text.tag_set}", TAG_SETS[text.tag_set].pronouns, also)
    if words == "none":
        return _NO_PRONOUNS
    if words == "english":
        return Pronouns(words, TAG_SETS[PENN].pronouns, _ENGLISH_WORDS)
    if kind == "tags" and separator and all(rest.split(",")):
        return Pronouns(words, tuple(map(str.strip, rest.split(","))))
    if kind == "words" and rest:
        try:
            with open(rest, encoding="utf-8-sig") as file:
                return Pronouns(words, words=frozenset(line.strip().lower() for line in file if line.strip()))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{option}{words}: {getattr(error, 'strerror', None) or error}") from error
    raise UsageError(f'{option}"{words}": expected auto, none, english, tags:A,B or words:FILE')


def unknown(asked: str, pronouns: Pronouns, text: Text, option: str = "--pronouns ") -> str | None:
    """Explain why no token of a text is a recognised pronoun; None if some are, if ``auto`` knows the tags, or for
    ``none``.

    ``option`` is the name of the option as it is typed.
    """
    if asked == _NO_PRONOUNS.name:
        return None
    if not text.words:
        return "the key has no words"
    if asked != AUTO:
        found = any(map(cache(pronouns.fit), text.tags, text.words))
        return None if found else f"nothing in the key matches {option}{asked}"
    if pronouns.tags:
        return None
    if {*text.tags} <= {NO_TAG}:
        return "the key has no parts of speech"
    return f"the parts of speech of the key do not belong to a known tag set ({', '.join(TAG_SETS)})"


_LEAST = 3
"""The number of mentions of a document from which it is reported that none of them is annotated."""


def _unannotated(side: Documents, annotated: Bools, what: str, effect: str) -> Iterator[Finding]:
    """Report that no mention of some documents is ``annotated``, if this is unlikely; ``effect`` says what follows."""
    of, documents = side.document[side.entity], len(side.names)
    every, found = (np.bincount(mentions, minlength=documents) for mentions in (of, of[annotated]))
    if annotated.any() and len(without := np.flatnonzero(lacking(found, every) & (every >= _LEAST))):
        place = side.place_of(int(without[0]))
        count = f"{len(without)} of {plural(documents, 'document')}"
        details = {"what": what, "count": count, "document": side.names[without[0]], "effect": effect}
        yield Finding("partial-annotation", place.source.name, place.line, details=details)


def absent_pronouns(key: Documents, text: Text, pronouns: Pronouns) -> Iterator[Finding]:
    """Report what is listed for pronouns and no token of the key is: tags that no known tag set has for them, if there
    are others, or a line of several words."""
    has = {tag: any(Pronouns("", (tag,)).fit(other, "") for other in {*text.tags}) for tag in pronouns.tags}
    unusual = [tag for tag in has if not has[tag] and all(tag not in its.pronouns for its in TAG_SETS.values())]
    several = {word for word in pronouns.words if len(word.split()) > 1}
    missing = [f'is "{line}"' for line in several and sorted(several.difference(map(str.lower, text.words)))][:1]
    if unusual and any(has.values()):
        missing = [f"has the part of speech {some_of(unusual)}"]
    for what in missing:
        yield Finding("absent-pronoun", key.place_of(0).source.name, details={"what": what})


def unknown_in_some(key: Documents, text: Text, *, by_tags: bool, heads: str) -> Iterator[Finding]:
    """Report documents of a key without the parts of speech, words or parses by which mentions of others are known."""
    if len(key) == 1:
        return  # there are no others
    placed, of_mention = text.placed(key), key.document[key.entity]
    known = placed.inside
    if by_tags:
        tokens = (text.first[of_mention] + placed.end)[known].tolist()
        known[known] = [text.tags[token] not in NO_TAGS for token in tokens]
    effect = f"no mention counts as a pronoun{' or name by its part of speech' if by_tags else ''}"
    yield from _unannotated(key, known, "parts of speech" if by_tags else "words", effect)
    if by_tags and text.tag_set is not None:
        yield from _unannotated(key, text.in_tag_set[of_mention], f"parts of speech of the set {text.tag_set}", effect)
    if heads == PARSE:
        yield from _unannotated(key, text.parsed[of_mention], "parses", "the head of each mention is its last word")


def are_pronouns(document: Ints, columns: tuple[Ints, Ints, Bools], text: Text, pronouns: Pronouns) -> Bools:
    """Return whether each mention is one token with a pronoun tag or word. ``columns`` are the first of
    `Projection`.
    """
    start, end, inside = columns
    found = np.zeros(len(start), dtype=np.bool_)
    one_token = np.flatnonzero(inside & (start == end))
    tokens = (text.first[document] + start)[one_token].tolist()
    tags, words = map(text.tags.__getitem__, tokens), map(text.words.__getitem__, tokens)
    found[one_token] = list(map(cache(pronouns.fit), tags, words))
    return found


SIZE, KIND, DISTANCE, TYPE = _DIVISIONS = ("size", "kind", "distance", "type")
"""The divisions of mentions."""

PRONOUNS, NAMES, NOMINALS = KINDS = ("pronouns", "names", "nominals")
"""The kinds of the division `KIND`; each mention is of one of them."""

FIRST = -1
"""The distance of a mention without an antecedent."""

UNTYPED = "-"
"""The type of entities without one."""

_ENDLESS = int(np.iinfo(np.int64).max)

_OTHER_NAMES = {"singletons": "size:1", "long": "size:11-"}
"""Other names of kinds."""

_Range = tuple[int, int]

_RANGES: Mapping[str, Mapping[str, _Range]] = {
    SIZE: {"1": (1, 1), "2": (2, 2), "3-5": (3, 5), "6-10": (6, 10), "11-": (11, _ENDLESS)},
    DISTANCE: {
        "first": (FIRST, FIRST),
        "0-20": (0, 20),
        "21-100": (21, 100),
        "101-500": (101, 500),
        "501-": (501, _ENDLESS),
    },
}
"""The kinds of the divisions by ranges of numbers: the name of each after the colon, and its first and last number."""

_EXPECTED = (
    "expected size, size:2-5, singletons, long, kind, pronouns, names, nominals, distance, distance:0-20, "
    "distance:first, type, type:NAME, column:N, column:N:NAME, field:FIELD or field:FIELD:NAME"
)


class Of(NamedTuple):
    """A value of ``--of``.

    - ``value``: the value as it is in signatures.
    - ``by``: one of `_DIVISIONS`; ``division``: whether all kinds of it are wanted.
    - ``ranges``: the kinds that are ranges of numbers, by name.
    - ``kinds``: the kinds that are names, if these are known before the mentions are read.
    - ``pronouns``: how pronouns are recognised (`corefscore.scoring.kinds.divisions`).
    - ``types``: where types are annotated: `TYPE` (``etype`` in CorefUD), or one of
      `corefscore.core.documents.UNIT_SOURCES` with a number or name.
    """

    value: str
    by: str
    division: bool
    ranges: Mapping[str, _Range] = {}
    kinds: tuple[str, ...] = ()
    pronouns: str = ""
    types: str = TYPE

    @property
    def needs_files(self) -> bool:
        """Whether kinds depend on what files contain besides coreference."""
        return self.by in (KIND, TYPE)

    def of_numbers(self, numbers: Ints) -> tuple[tuple[str, ...], Ints]:
        """Return the names of the kinds, and the index of the kind of mentions with these sizes or distances, -1 for
        none.
        """
        found = np.full(len(numbers), -1)
        for index, (low, high) in enumerate(self.ranges.values()):
            found[(numbers >= low) & (numbers <= high)] = index
        return tuple(self.ranges), found

    def of_names(self, numbers: Ints, names: tuple[str, ...]) -> tuple[tuple[str, ...], Ints]:
        """Return the names of the kinds, and the index of the kind of mentions, which are given by their index in
        ``names``; -1 for none.
        """
        kinds = self.kinds or names
        index_of = np.array([kinds.index(name) if name in kinds else -1 for name in names], dtype=np.int64)
        return kinds, index_of[numbers] if len(numbers) else numbers


def of(words: str) -> Of:
    """Return a value of ``--of``. Raises `UsageError` for an invalid one."""
    words = _OTHER_NAMES.get(words, words)
    by, colon, rest = words.partition(":")
    if by in (KIND, *KINDS):
        if (colon and not rest) or rest == "none":
            raise _unknown(words, "expected a way to recognise pronouns, such as english, tags:PRON or words:FILE")
        return Of(words, KIND, by == KIND, kinds=KINDS if by == KIND else (by,), pronouns=rest or AUTO)
    if words.startswith(UNIT_SOURCES):
        place, colon, kind = rest.partition(":")
        column = place.isascii() and place.isdigit() and int(place)
        if not place or (colon and not kind) or (words.startswith(OF_COLUMN) and not column):
            raise _unknown(words, "expected column:N, counted from 1, or field:FIELD, with :NAME after it for one type")
        return Of(words, TYPE, not kind, kinds=(words,) if kind else (), types=f"{by}:{place}")
    if by not in _DIVISIONS or (colon and not rest):
        like = [] if by in _DIVISIONS else nearest(by, [*_DIVISIONS, *KINDS, *_OTHER_NAMES])
        raise _unknown(words, f"did you mean {' or '.join(like)}?" if like else _EXPECTED)
    if by == TYPE:
        return Of(words, by, not rest, kinds=(words,) if rest else ())
    if not rest:
        return Of(words, by, True, {f"{by}:{name}": ends for name, ends in _RANGES[by].items()})
    low, high = _RANGES[by].get(rest) or _range(words, rest)
    if by == SIZE and low < 1:
        raise _unknown(words, "entities have at least one mention")
    return Of(words, by, False, {words: (low, high)})


def _range(words: str, rest: str) -> _Range:
    """Return the range ``4``, ``2-5`` or ``6-``. Raises `UsageError` for anything else."""
    if (found := re.fullmatch(r"([0-9]{1,15})(?:(-)([0-9]{1,15})?)?", rest)) is None:
        raise _unknown(words, "expected a number or a range: 4, 2-5 or 6-")
    low = int(found[1])
    high = low if found[2] is None else _ENDLESS if found[3] is None else int(found[3])
    if high < low:
        raise _unknown(words, "expected a range that begins with its smaller number")
    return low, high


def _unknown(words: str, why: str) -> UsageError:
    return UsageError(f'--of "{words}": {why}')


_UNKNOWN = -1
"""The number of a mention whose side does not say its kind."""


def with_kinds(pairs: Pairs, of: Of) -> tuple[Pairs, list[Finding]]:
    """Return the same documents with the `Kinds` of their mentions, and the notices about documents that do not say
    them.

    A division by size gets none, since the size of an entity depends on which mentions count. Raises `UsageError` if
    the kinds of mentions cannot be found.
    """
    if of.by == SIZE:
        return pairs, []
    notices: list[Finding] = []
    if of.by == DISTANCE:
        pairs.need_tokens("--of distance")
        both = pairs.key, pairs.response
        key, response = (Kinds(2 * side.start if side.stands is None else side.stands) for side in both)
    else:
        key, response = (_by_head if of.by == KIND else _by_type)(pairs, of, notices)
    return pairs._replace(key=replace(pairs.key, kinds=key), response=replace(pairs.response, kinds=response)), notices


def _by_head(pairs: Pairs, of: Of, notices: list[Finding]) -> tuple[Kinds, Kinds]:
    """Return mentions as pronouns, names and nominals, by the text of the key."""
    text = text_of([pairs])
    pronouns = pronouns_of(of.pronouns, text, f"--of {of.value.partition(':')[0]}:")
    why = WITHIN_TOKENS if pairs.of_characters else unknown(of.pronouns, pronouns, text, "")
    if why is None and text.tag_set is None and of.kinds != (PRONOUNS,):
        why = "the key has no parts of speech from which names can be recognised"
    if why is not None and len(pairs.key.start):
        raise UsageError(f"--of {of.value}: {why}; {_remedy(of, text)}")
    names = Pronouns(NAMES, TAG_SETS[text.tag_set].names if text.tag_set else ())
    heads = text.heads(AUTO)
    notices += absent_pronouns(pairs.key, text, pronouns)
    notices += unknown_in_some(pairs.key, text, by_tags=bool(pronouns.tags) or of.kinds != (PRONOUNS,), heads=heads)

    def of_side(side: Documents) -> Kinds:
        document, placed = side.document[side.entity], text.placed(side)
        number = np.full(len(side.start), KINDS.index(NOMINALS))
        number[_named(document, placed, text, names, heads)] = KINDS.index(NAMES)
        number[are_pronouns(document, placed[:3], text, pronouns)] = KINDS.index(PRONOUNS)
        return Kinds(number, KINDS)

    return of_side(pairs.key), of_side(pairs.response)


def _remedy(of: Of, text: Text) -> str:
    """Return what to do if kinds cannot be recognised in the key."""
    if not text.words:
        return "--of size and --of distance need no words"
    if of.kinds == (PRONOUNS,) and of.pronouns != AUTO:
        return "give other tags or words"
    only = "pronouns" if of.kinds == (PRONOUNS,) else "only pronouns"
    return f"{only} can be recognised by their words: use --of pronouns:english or --of pronouns:words:FILE"


def _named(document: Ints, placed: Projection, text: Text, names: Pronouns, heads: str) -> Ints:
    """Return the mentions whose head is a name."""
    which = np.flatnonzero(placed.inside)
    tokens = text.heads_of(placed, which, document[which], heads)
    fit = cache(names.fit)
    return which[np.array([fit(text.tags[token], text.words[token]) for token in tokens.tolist()], dtype=np.bool_)]


def _by_type(pairs: Pairs, of: Of, notices: list[Finding]) -> tuple[Kinds, Kinds]:
    """Return mentions by the types of their entities. In a response without types they are unknown, so those of the
    matching key mentions count.
    """
    key, response = _types(pairs.key, of.types), _types(pairs.response, of.types)
    if not any(key) and len(pairs.key.start):
        raise UsageError(f"--of {of.value}: the key has no types of entities; {_WHERE[of.types.partition(':')[0]]}")
    names = (UNTYPED, *sorted({*key, *response} - {"", UNTYPED}))
    first_of: dict[str, str] = {}
    for plain, name in zip(without_spelling(names)[0], names, strict=True):
        if (first := first_of.setdefault(plain, name)) != name:
            details = {"what": "types of entities are nearly the same", "first": first, "second": name}
            alike = Finding("alike-ids", pairs.key.place_of(0).source.name, details=details)
            notices += [alike] * (alike not in notices)
    number_of = {name: number for number, name in enumerate(names)} | {"": 0}
    found = []
    for side, types in ((pairs.key, key), (pairs.response, response)):
        of_entity = np.array([number_of[name] for name in types], dtype=np.int64)
        if side is pairs.response and not any(types):
            of_entity[:] = _UNKNOWN
        typed = of_entity[side.entity] > 0
        found_in_some = _unannotated(side, typed, "types of entities", f'the type of entities is "{UNTYPED}"')
        notices += (notice for notice in found_in_some if notice not in notices)  # one file can be both sides
        found.append(Kinds(of_entity[side.entity], tuple(f"{of.types}:{name}" for name in names)))
    return found[0], found[1]


_WHERE = {
    TYPE: "CorefUD contains them in the field etype; for CoNLL use --of column:N, for JSON --of field:NAME",
    "column": 'expected "(GPE)", or "(GPE*" and "*)", in this column of CoNLL, or "(person-3" in the last column',
    "field": "expected a type for each cluster or each mention, or lists of offsets and a type, in this field of JSON",
}
"""Where types are annotated, by what the value of ``--of`` begins with."""


def _types(side: Documents, types: str) -> list[str]:
    """Return the type of each entity of a side, empty if it has none."""
    of_document: list[Mapping[str, str]] = [layer.types if layer else {} for layer in side.layers(types=types)]
    ids = side.names_of(range(len(side.document)))
    return [of_document[document].get(name, "") for document, name in zip(side.document.tolist(), ids, strict=True)]


_ByKind = Mapping[str, Mapping[str, Floats]]
"""Counts by kind and metric, each an array of documents x measures x 4."""


def nothing_to_count(
    kind: str, metrics: Sequence[Metric], counts: Mapping[str, Floats], files: Sequence[str]
) -> Iterator[Finding]:
    """Yield a notice about the measures that have nothing to count for a kind; ``files`` are those of the key."""
    totals: dict[str, Floats] = {}
    for metric in metrics:
        totals.update(zip(metric.uncombined, counts[metric.name].sum(axis=0), strict=False))
    empty_sides = []
    for side, denominator in ((KEY, 1), (RESPONSE, 3)):
        if empty := [name for name, total in totals.items() if not total[denominator]]:
            measures = "any measure" if len(empty) == len(totals) else ", ".join(empty)
            empty_sides.append(f"the {side} has nothing to count for {measures}")
    if empty_sides:
        details = {"kind": kind, "where": "; ".join(empty_sides)}
        yield Finding("nothing-of-kind", files[0] if files else KEY, details=details)


def counts_of_kinds(pairs: Pairs, matched: Matched | Alignment, metrics: Sequence[Metric], of: Of) -> _ByKind:
    """Return the counts of metrics for each kind of ``of``; ``matched`` has no copies of a mention on either side, and
    ``pairs`` the `Kinds` of all mentions.
    """
    # In the order of the text, except for mentions that the key does not have.
    numbers = matched.key.number, matched.response.number
    if not isinstance(matched, Matched):
        matched = together(matched)
    sides = (pairs.key, matched.key), (pairs.response, matched.response)
    of_items = (pairs.key.start < 0).any() or (pairs.response.start < 0).any()  # their numbers are not in this order
    of_key, of_response = (
        its.mention if of_items else number if side.stands is None else ranked(side.stands[its.mention], number)[1]
        for number, (side, its) in zip(numbers, sides, strict=True)
    )
    both = members(matched, (of_key, of_response))
    known = [(side.kinds.number[its.mention], side.kinds.names) for side, its in sides if side.kinds is not None]
    names, key, response = _kinds(both, known, of)
    groups = (key, both.key.document), (response, both.response.document)
    found: dict[str, dict[str, Floats]] = {name: {} for name in names}
    for metric in metrics:
        assert metric.terms is not None, "refused before"
        by_kind = packed([_summed(counts, groups, len(names), both.overlap.documents) for counts in metric.terms(both)])
        for name, counts_of_kind in zip(names, by_kind, strict=True):
            found[name][metric.name] = counts_of_kind
    return found


def _kinds(both: Both, known: Sequence[tuple[Ints, tuple[str, ...]]], of: Of) -> tuple[tuple[str, ...], Ints, Ints]:
    """Return the names of the kinds, and the index of the kind of each mention of key and response, -1 for none.

    ``known`` are the `Kinds` of the mentions of each side; without them kinds are sizes of entities.
    """
    sides = both.key, both.response
    if not known:
        (names, key), (_, response) = (of.of_numbers(side.size) for side in sides)
    elif of.by == DISTANCE:
        distances = (_distances(side, stands) for side, (stands, _) in zip(sides, known, strict=True))
        (names, key), (_, response) = map(of.of_numbers, distances)
    else:
        (key, known_names), (response, _) = known
        response = np.where(response == _UNKNOWN, _partners(both, key), response)
        (names, key), (_, response) = (of.of_names(kinds, known_names) for kinds in (key, response))
    return names, key, response


def _partners(both: Both, key: Ints) -> Ints:
    """Return, for each mention of the response, the kind of the key mention that it matches, 0 for none."""
    numbers = both.key.side.number, both.response.side.number
    found = np.zeros(1 + max(int(number.max(initial=-1)) for number in numbers), dtype=np.int64)
    found[numbers[0]] = key
    return found[numbers[1]]


def _distances(members: Members, stands: Ints) -> Ints:
    """Return, for each mention, the number of tokens from the first token of the mention before it in its entity to
    its own first token, `FIRST` for the first mention; ``stands`` are the places of mentions (`Documents.stands`)."""
    order = order_by(members.side.entity, members.place)
    found = np.full(len(order), FIRST)
    later = np.flatnonzero(~changes(members.side.entity[order]))
    found[order[later]] = (stands[order[later]] - stands[order[later - 1]]) // 2
    return found


def _summed(terms: Counts, groups: tuple[tuple[Ints, Ints], tuple[Ints, Ints]], kinds: int, documents: int) -> Counts:
    """Return terms summed by kind and document; each part has the shape kinds x documents."""

    def of_side(ratios: Ratios, kind: Ints, document: Ints) -> Ratios:
        which = np.flatnonzero(kind >= 0)
        row = kind[which] * documents + document[which]
        return Ratios(*(sums(row, part[which], kinds * documents).reshape(kinds, documents) for part in ratios))

    return Counts(of_side(terms.recall, *groups[0]), of_side(terms.precision, *groups[1]))
