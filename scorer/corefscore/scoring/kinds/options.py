"""The values of ``--of``: one kind of mentions, or a division of all mentions into kinds.

Which mentions are pronouns is decided by the parts of speech of the key, by words, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints
from corefscore.core.documents import OF_COLUMN, is_within
from corefscore.core.errors import UsageError, nearest
from corefscore.formats.base import AUTO
from corefscore.scoring.kinds.texts import NO_TAG, PENN, TAG_SETS, Text

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


_NO_PRONOUNS = Pronouns("none")
_ENGLISH = Pronouns("english", TAG_SETS[PENN].pronouns, _ENGLISH_WORDS)


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
        return _ENGLISH
    if kind == "tags" and separator and all(rest.split(",")):
        return Pronouns(words, tuple(rest.split(",")))
    if kind == "words" and rest:
        try:
            with open(rest, encoding="utf-8") as file:
                return Pronouns(words, words=frozenset(line.strip().lower() for line in file if line.strip()))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{option}{words}: {getattr(error, 'strerror', None) or error}") from error
    raise UsageError(f'{option}"{words}": expected auto, none, english, tags:A,B or words:FILE')


def unknown(asked: str, pronouns: Pronouns, text: Text, option: str = "--pronouns ") -> str | None:
    """Why no token of a text is recognised as a pronoun; None if some are, if ``auto`` knows the tags, or for ``none``.

    ``option`` is the name of the option as it is typed.
    """
    if asked == _NO_PRONOUNS.name:
        return None
    if not text.words:
        return "the key has no words"
    if asked != AUTO:
        found = any(map(fitting(pronouns), text.tags, text.words))
        return None if found else f"nothing in the key fits {option}{asked}"
    if pronouns.tags:
        return None
    if {*text.tags} <= {NO_TAG}:
        return "the key has no parts of speech"
    return f"the parts of speech of the key are of no known set ({', '.join(TAG_SETS)})"


def are_pronouns(document: Ints, columns: tuple[Ints, Ints, Bools], text: Text, pronouns: Pronouns) -> Bools:
    """Return whether each mention is one token with a pronoun tag or word. ``columns`` are the first of
    `Projection`.
    """
    start, end, inside = columns
    found = np.zeros(len(start), dtype=np.bool_)
    if not (pronouns.tags or pronouns.words):
        return found
    one_token = np.flatnonzero(inside & (start == end))
    tokens = (text.first[document] + start)[one_token].tolist()
    tags, words = map(text.tags.__getitem__, tokens), map(text.words.__getitem__, tokens)
    found[one_token] = list(map(fitting(pronouns), tags, words))
    return found


Fits = Callable[[str, str], bool]
"""Whether a token with this tag and word is a pronoun."""


def fitting(pronouns: Pronouns) -> Fits:
    """Return whether a token is a pronoun; each distinct one is checked once."""
    tags = frozenset(tag for tag in pronouns.tags if not tag.endswith("*"))
    begin = tuple(tag[:-1] for tag in pronouns.tags if tag.endswith("*"))

    @cache
    def fits(tag: str, word: str) -> bool:
        return tag in tags or tag.startswith(begin) or word.lower() in pronouns.words

    return fits


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
    - ``pronouns``: how pronouns are recognised (`corefscore.scoring.kinds.options`).
    - ``types``: where types are annotated: `TYPE` (``etype`` in CorefUD), or one of
      `corefscore.core.documents.UNIT_SOURCES` with a number or name.
    """

    value: str
    by: str
    division: bool
    ranges: Mapping[str, _Range]
    kinds: tuple[str, ...]
    pronouns: str
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
        kinds = KINDS if by == KIND else (by,)
        return Of(words, KIND, by == KIND, {}, kinds, rest or "auto")
    if is_within(words):
        place, colon, kind = rest.partition(":")
        column = place.isascii() and place.isdigit() and int(place)
        if not place or (colon and not kind) or (words.startswith(OF_COLUMN) and not column):
            raise _unknown(words, "expected column:N, counted from 1, or field:FIELD, with :NAME after it for one type")
        return Of(words, TYPE, not kind, {}, (words,) if kind else (), "", f"{by}:{place}")
    if by not in _DIVISIONS or (colon and not rest):
        like = [] if by in _DIVISIONS else nearest(by, [*_DIVISIONS, *KINDS, *_OTHER_NAMES])
        raise _unknown(words, f"did you mean {' or '.join(like)}?" if like else _EXPECTED)
    if by == TYPE:
        return Of(words, by, not rest, {}, (words,) if rest else (), "")
    if not rest:
        return Of(words, by, True, {f"{by}:{name}": ends for name, ends in _RANGES[by].items()}, (), "")
    low, high = _RANGES[by].get(rest) or _range(words, rest)
    if by == SIZE and low < 1:
        raise _unknown(words, "entities have at least one mention")
    return Of(words, by, False, {words: (low, high)}, (), "")


def _range(words: str, rest: str) -> _Range:
    """Return the range ``4``, ``2-5`` or ``6-``. Raises `UsageError` for anything else."""
    found = re.fullmatch(r"([0-9]{1,15})(?:(-)([0-9]{1,15})?)?", rest)
    if found is None:
        raise _unknown(words, "expected a number or a range: 4, 2-5 or 6-")
    low = int(found[1])
    high = low if found[2] is None else _ENDLESS if found[3] is None else int(found[3])
    if high < low:
        raise _unknown(words, "expected a range that begins with its smaller number")
    return low, high


def _unknown(words: str, why: str) -> UsageError:
    return UsageError(f'--of "{words}": {why}')
