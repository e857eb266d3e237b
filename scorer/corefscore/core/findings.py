"""Everything that can be wrong or odd in a file: a finding has the place, ``messages.ini`` has the words.

An error refuses the input; a notice says what the scorer did with something odd. Both are findings with a stable code,
so that each text is in one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar  # `core.records` needs errors, which are made of findings

from corefscore.core.arrays import lists_by_key

ERROR, NOTICE = "error", "notice"

VISIBLE = {**{code: 0x2400 + code for code in range(0x20)}, 0x7F: 0x2421}
VISIBLE |= dict.fromkeys([*range(0x80, 0xA0), *range(0xDC80, 0xDCA0)], 0xFFFD)
"""The visible replacements of control characters and of bytes that are not UTF-8 and can be one, so that the content of
a file cannot control a terminal."""

SHOWN = 5
"""The number of notices of one kind that are shown; the rest are counted."""

MOST = 1000
"""The number of findings of one kind that are listed if all are wanted; the rest are counted, to bound memory."""

NO_CHARACTERS = "; offsets of characters cannot be scored, since their tokens are not known: give offsets of tokens"
"""The advice about offsets that are too large for tokens."""

T = TypeVar("T")


class Kind(NamedTuple):
    """The severity of a kind of finding, and its texts: what was found, and what it means or what to do."""

    severity: str
    found: str
    advice: str


def texts_in(package: str, name: str) -> dict[str, dict[str, str]]:
    """Return the texts of a file of a package by section and name; the package can be in a zip archive."""
    from configparser import RawConfigParser  # only for runs that have something to say
    from pkgutil import get_data

    texts = RawConfigParser(delimiters="=")
    texts.read_string((get_data(package, name) or b"").decode("utf-8"))
    return {section: dict(texts[section]) for section in texts.sections()}


@cache
def kinds() -> Mapping[str, Kind]:
    """Return every kind of finding by its code, from ``messages.ini``."""
    found = {}
    for code, texts in texts_in(__package__, "messages.ini").items():
        (severity, first), (_, advice) = ((name, text.replace("\n", " ")) for name, text in texts.items())
        found[code] = Kind(severity, first, advice)
    return found


class Finding(NamedTuple):
    """An error or notice at one place.

    ``path``, ``line`` and ``column`` (both from 1) say where, if that is known; ``details`` are inserted into the texts
    of its kind; ``excerpt`` is the text of the cell and the caret line under it; ``strict`` turns a notice into an
    error.
    """

    code: str
    path: str
    line: int | None = None
    column: int | None = None
    details: Mapping[str, object] = {}
    excerpt: tuple[str, str] | None = None
    strict: bool = False

    @property
    def severity(self) -> str:
        """The severity of its kind, or an error if the finding is ``strict``."""
        return ERROR if self.strict else kinds()[self.code].severity

    def as_error(self) -> Finding:
        """Return the same finding as an error."""
        return self._replace(strict=True)

    @property
    def found(self) -> str:
        """What was found, in one sentence."""
        return kinds()[self.code].found.format(**self.details)

    @property
    def advice(self) -> str:
        """What was expected, what it means for the score, or what to do."""
        return kinds()[self.code].advice.format(**self.details)

    @property
    def place(self) -> str:
        """``FILE:LINE:COLUMN``, or the known part of it."""
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)

    def to_dict(self) -> dict[str, Any]:
        """Describe a notice as data; see ``docs/json.md``."""
        return {"code": self.code, "file": self.path, "line": self.line, "text": self.found, "advice": self.advice}

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.severity}[{self.code}] {self.found}"]
        if self.excerpt:
            lines += [f"    {line}" for line in self.excerpt]
        lines.append(f"  {self.advice}")
        return "\n".join(line.translate(VISIBLE) for line in lines)


Noticed = tuple[str, Finding]
"""A notice and the name of the system that it is about, which is empty for the key."""


def in_words(findings: Iterable[Finding], most: int = SHOWN, hint: str = "") -> Iterator[str]:
    """Yield findings as text, by kind: at most ``most`` of each, then the number of further ones and a ``hint``."""
    for code, of_code in lists_by_key((finding.code, finding) for finding in findings).items():
        yield from map(str, of_code[:most])
        if len(of_code) > most:
            yield f"... and {plural(len(of_code) - most, 'more ' + of_code[0].severity)} [{code}]{hint}"


class Fix(NamedTuple):
    """One repair, at its line in the original file; ``code`` is that of the finding."""

    code: str
    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: fixed[{self.code}] {self.what}"


_C = TypeVar("_C", Finding, Fix)


class Collected(Generic[_C]):
    """A collection of findings or fixes: at most `MOST` of each code, and the number of further ones."""

    def __init__(self) -> None:
        self.listed: list[_C] = []
        self.unlisted: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def add(self, *things: _C) -> None:
        """Add things; beyond `MOST` of a code they are only counted."""
        for thing in things:
            if self.take(thing.code, [thing]):
                self.listed.append(thing)
                self._counts[thing.code] += 1

    def take(self, code: str, things: Sequence[T]) -> Sequence[T]:
        """Return the first of some things, which can be listed; the others are counted."""
        listed = things[: MOST - self._counts[code]]
        self.add_unlisted(code, len(things) - len(listed))
        return listed

    def add_unlisted(self, code: str, count: int) -> None:
        """Count further things that are not listed."""
        if count:
            self.unlisted[code] += count


Found = Collected[Finding]
"""The findings of a file."""


def plural(number: int, noun: str) -> str:
    """Return a count with its noun: ``1 line``, ``2 lines``; ``1 entity``, ``2 entities``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def some_of(names: Sequence[str], most: int = SHOWN) -> str:
    """List names with commas: the first ones, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def shortened(text: str) -> str:
    """Return text of at most 60 characters, cut at its end if it is longer."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def tokens(start: int, end: int) -> str:
    """Return the text `` (tokens 3 to 4)``, which follows the words of a mention; empty if it is not a span of tokens.
    A zero has an empty span (`corefscore.core.documents.Documents`).
    """
    if 0 <= start > end:
        return f" (empty node before token {start})"
    if start < 0:
        return ""
    return f" (token {start})" if start == end else f" (tokens {start} to {end})"
