"""The characters of a text, and the words that they make."""

from __future__ import annotations

import re

import numpy as np

from corefscore.core.arrays import Bytes, Codes, Ints, ranges
from corefscore.core.findings import Finding, plural

_SOLID, _WHITE, SINGLE = range(3)
"""Kinds of characters in a text: part of a word, white space, and a word of its own."""

_ALONE = "\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that do not separate words by white space: each is a word of its own."""

_IS_ALONE = re.compile(f"[{_ALONE}]")


INVISIBLE = re.compile(
    r"[^\S\n]|[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)
"""Characters that are not compared, apart from line ends."""


def codes_of(text: str) -> Codes:
    """Return the number in Unicode of each character of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def kinds_of(codes: Codes) -> Bytes:
    """Return the kind of each character of a text, one of `_SOLID`, `_WHITE` and `SINGLE`."""
    if int(codes.max(initial=0)) < len(_ASCII_KINDS):
        return _ASCII_KINDS[codes]
    # Without a table by code, which would be far longer than a short text.
    characters, places = np.unique(codes, return_inverse=True)
    return np.array([_kind(chr(code)) for code in characters.tolist()], dtype=np.uint8)[places]


def _kind(character: str) -> int:
    return _WHITE if character.isspace() else SINGLE if _IS_ALONE.match(character) else _SOLID


_ASCII_KINDS: Bytes = np.array([_kind(chr(code)) for code in range(128)], dtype=np.uint8)
"""The kinds of ASCII characters; most texts have no others."""


def words_in(kinds: Bytes, borders: Ints) -> tuple[Ints, Ints]:
    """Return where the words of a text begin and end, given the kinds of its characters.

    Words end at white space, around characters that are words, and at the ``borders`` of mentions.
    """
    apart = kinds != _SOLID
    edge = np.append(apart, True)
    edge[1:] |= apart
    edge[:1] = True
    edge[borders] = True
    solid = kinds != _WHITE
    return np.flatnonzero(edge[:-1] & solid), np.flatnonzero(edge[1:] & solid) + 1


def spaced(codes: Codes, starts: Ints, stops: Ints) -> str:
    """Return the words of a text with one blank between them."""
    sizes = stops - starts
    kept = np.insert(codes[ranges(starts, sizes)], np.cumsum(sizes)[:-1], ord(" "))
    return kept.tobytes().decode("utf-32-le", "surrogatepass")


def undecodable(text: bytes) -> list[int]:
    """Return the numbers of the lines (from 1) of a text that are not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        lines = enumerate(text.split(b"\n"), start=1)
        return [number for number, line in lines if line.decode(errors="ignore").encode() != line]
    return []


def not_utf_8(path: str, first: int, count: int) -> Finding:
    """Return the notice for a file in which ``count`` lines are not UTF-8."""
    lines = f"{plural(count, 'line')} {'is' if count == 1 else 'are'}"
    return Finding("not-utf-8", path, first, details={"count": lines})
