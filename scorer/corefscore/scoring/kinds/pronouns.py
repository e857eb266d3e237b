"""Which mentions are pronouns: decided by the parts of speech of the key, by words, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints
from corefscore.core.errors import UsageError
from corefscore.formats.base import AUTO
from corefscore.scoring.kinds.texts import NO_TAG, PENN, TAG_SETS, Text

_ENGLISH = """
'em all anybody anyone em everybody everyone everything few he her hers herself him himself his how i it its itself many
me mine most my myself nobody none noone nothing one our ours ourselves several she some somebody someone something that
their theirs them themselves these they this those thyself us we what whatever when where which who whoever whom
whomever whose ya you your yours yourself yourselves
"""

_ENGLISH_WORDS = frozenset(_ENGLISH.split())
"""The words that Kummerfeld and Klein 2013 treat as pronouns in addition to tags."""


class Pronouns(NamedTuple):
    """How pronouns are recognised: by tags, by lower-case words, or by either; ``name`` appears in signatures."""

    name: str
    tags: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()


_NO_PRONOUNS = Pronouns("none")
ENGLISH = Pronouns("english", TAG_SETS[PENN].pronouns, _ENGLISH_WORDS)


def pronouns_of(words: str, text: Text, option: str = "--pronouns ") -> Pronouns:
    """How to recognise pronouns, from a value of ``--pronouns``: ``auto``, ``none``, ``english``, ``tags:A,B*`` or
    ``words:FILE``. Messages put ``option`` before the value.

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
        return ENGLISH
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
    if set(text.tags) <= {NO_TAG}:
        return "the key has no parts of speech"
    return f"the parts of speech of the key are of no known set ({', '.join(TAG_SETS)})"


def are_pronouns(document: Ints, columns: tuple[Ints, Ints, Bools], text: Text, pronouns: Pronouns) -> Bools:
    """Whether each mention is one token with a pronoun tag or word. ``columns`` are the first of `Projection`."""
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
    """Whether a token is a pronoun; each distinct one is checked once."""
    tags = frozenset(tag for tag in pronouns.tags if not tag.endswith("*"))
    begin = tuple(tag[:-1] for tag in pronouns.tags if tag.endswith("*"))

    @cache
    def fits(tag: str, word: str) -> bool:
        return tag in tags or tag.startswith(begin) or word.lower() in pronouns.words

    return fits
