"""Words as characters that can be compared.

These differences are ignored: white space and tokenisation, case, forms of Unicode and ligatures (NFKC), kinds of
quotes (single for double ones, too) and dashes, several dashes for one, invisible and control characters, and how
OntoNotes writes brackets (``-LRB-``) and full stops (``/.``). Words without visible characters are all equal if the
response has at least half as many as the key, and are passed over otherwise.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints
from corefscore.core.records import dataclass
from corefscore.formats.words import INVISIBLE, codes_of

_BRACKETS: Mapping[str, str] = dict(zip(("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-"), "()[]{}", strict=True))

_ALIKE = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\uff02", '"'),
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u00b4`\u02bc", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63", "-"),
        "\u0153": "oe",
        "\u00e6": "ae",
        "\u00b7": ".",
    }
)
"""Characters that are the same here and different in NFKC: quotes, apostrophes, dashes, ligatures."""

_UNSEEN = "\u200b"
"""The one character of a word without visible ones, so that mentions can begin and end with it."""

_OF_TREEBANK = re.compile(rf"^(?:{'|'.join(_BRACKETS)})$|^/(?=[.?!,:;-]$)", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Characters:
    """The characters of some words, one after the other: ``code`` is that of each, ``token`` the word that it is of;
    ``tokens`` is the number of words, which may have none."""

    code: Ints
    token: Ints
    tokens: int

    @cached_property
    def first(self) -> Ints:
        """Where the characters of each word begin, and last where those of all end."""
        return np.append(0, np.cumsum(np.bincount(self.token, minlength=self.tokens)))

    @cached_property
    def begins(self) -> Bools:
        """Where words begin, and finally where the last one ends."""
        begins = np.ones(len(self.token) + 1, dtype=np.bool_)
        begins[1:-1] = self.token[1:] != self.token[:-1]
        return begins

    @cached_property
    def _borders(self) -> Ints:
        return np.flatnonzero(self.begins)

    def borders(self, start: int, stop: int) -> Ints:
        """Return where words begin inside a stretch of characters, in a time that does not grow with it."""
        first, last = np.searchsorted(self._borders, (start + 1, stop))
        return self._borders[first:last]

    @property
    def by_itself(self) -> Characters:
        """The same characters, each of them a word."""
        return Characters(self.code, np.arange(len(self.code)), len(self.code))

    @cached_property
    def unseen(self) -> int:
        """How many words have no visible characters."""
        return int(np.count_nonzero(self.code == ord(_UNSEEN)))

    @cached_property
    def has_word(self) -> bool:
        """Whether there is a letter or a digit."""
        return self.has_word_at(slice(None))

    def has_word_at(self, which: Bools | slice) -> bool:
        """Return whether some of the characters are letters or digits."""
        return any(map(str.isalnum, self.text(which)))

    def text(self, which: Bools | slice) -> str:
        """Return some of the characters."""
        return self.code[which].astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def of_pieces(text: str) -> Characters:
    """Return the characters of words with one blank between them, and no other white space."""
    code = codes_of(text)
    blank = code == ord(" ")
    return Characters(code[~blank], np.cumsum(blank)[~blank], int(blank.sum()) + bool(text))


def in_a_row(texts: Sequence[Characters]) -> Characters:
    """Return the characters of several texts one after another."""
    before = np.cumsum([0, *(text.tokens for text in texts)])
    token = np.concatenate([text.token + first for text, first in zip(texts, before, strict=False)])
    return Characters(np.concatenate([text.code for text in texts]), token, int(before[-1]))


def as_they_are(words: Sequence[str]) -> Characters:
    """Return the characters of words without any change except that blanks are left out."""
    text = "".join(words)
    if " " in text or not text.isprintable():
        words = ["".join(word.split()) for word in words]
        text = "".join(words)
    return Characters(codes_of(text), np.repeat(np.arange(len(words)), list(map(len, words))), len(words))


def characters(
    words: Sequence[str], without: Collection[int] = (), *, unseen: bool = True, divided: bool = False
) -> Characters:
    """Return the characters of words; those of the words ``without`` are left out, and words without visible characters
    unless ``unseen``; ``divided`` says that a tokenizer may have divided quotes such as '' and dashes such as --.
    """
    if without:
        words = ["" if index in without else word for index, word in enumerate(words)]
    if not words:
        return Characters(NONE, NONE, 0)
    text = _normalised("\n".join(words))
    if text.count("\n") != len(words) - 1:  # a word with a line end in it
        text = _normalised("\n".join(word.replace("\n", " ") for word in words))
    if unseen and not all(lines := text.split("\n")):
        text = "\n".join(line or _UNSEEN * (index not in without) for index, line in enumerate(lines))
    # A treebank's double quote is one character, as a single one is.
    between = r"(\n*)" if divided else "()"
    text = re.sub(f"'{between}'", r'"\1', re.sub(f"(?<=-){between}-", r"\1", text)).replace("'", '"')
    code = codes_of(text)
    ends = code == ord("\n")
    return Characters(code[~ends], np.cumsum(ends)[~ends], len(words))


def _normalised(text: str) -> str:
    """Return words on lines as they are compared; line ends stay where they are."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if not (text := text.casefold()).isascii():
        text = unicodedata.normalize("NFKC", text)
    text = _OF_TREEBANK.sub(lambda match: _BRACKETS.get(match[0], ""), text)
    return re.sub(INVISIBLE, "", text.translate(_ALIKE))
