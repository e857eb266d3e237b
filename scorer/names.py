"""What can be asked of names: the options about them. Every run imports this; what it means is in `scorer.naming`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from scorer.errors import UsageError, nearest_first

KEY, OWN = FROM = ("key", "own")
"""Whose names name the mentions of a response."""

EITHER = "either"
"""What is asked where it is not known yet whose names they will be."""

EXACT, HEAD, CONTAINS = WAYS = ("exact", "head", "contains")
"""Which mentions have a name."""

COLUMN = 11
"""Where CoNLL-2011/2012 has the named entities."""

USUAL, ALL = "usual", "all"
"""What stands for types: all but `NUMBERS`, and all."""

NUMBERS = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"))
"""Types of OntoNotes that name nothing: numbers and times."""

MATCHES = ("exact", "words", "initials")
"""The rules of `scorer.estimate`."""


class Asked(NamedTuple):
    """What is asked of names: whose they are, their column (from 1), the rule by which a mention has one, the types
    that count (in upper case; None for the usual ones, an empty set for all), and the rules by which the key is
    estimated from its names, if it is."""

    source: str = KEY
    column: int = COLUMN
    named: str = EXACT
    types: frozenset[str] | None = None
    estimate: tuple[str, ...] = ()

    def counts(self, kind: str) -> bool:
        """Whether names of a type, in upper case, count."""
        return kind not in NUMBERS if self.types is None else not self.types or kind in self.types

    @property
    def compares_words(self) -> bool:
        """Whether names of one side are found in the other by token."""
        return self.source != OWN

    def of_side(self, side: str | None) -> bool:
        """Whether the names of a side are looked at."""
        return side == KEY or self.source != KEY


def asked(own: Mapping[str, Any]) -> Asked:
    """The options about names, from their values by keyword. Raises `UsageError` for what they cannot be."""
    column = own.get("ne_column", COLUMN)
    if column < 1:
        raise UsageError(f"--ne-column {column}: columns are counted from 1")
    kinds = own.get("ne_types", USUAL)
    types = None if kinds.lower() == USUAL else frozenset[str]() if kinds.lower() == ALL else _listed(kinds, "ne-types")
    rules = _listed(own.get("match", ",".join(MATCHES)), "match")
    for rule in sorted(rules - {known.upper() for known in MATCHES}):
        known = ", ".join(nearest_first(rule.lower(), MATCHES))
        raise UsageError(f'--match has no rule "{rule.lower()}"; known, the nearest first: {known}')
    estimate = own.get("estimate_key", False)
    if "match" in own and not estimate:
        raise UsageError("--match says how a key is estimated; it needs --estimate-key")
    return Asked(
        own.get("ne_from", KEY),
        column,
        own.get("named", EXACT),
        types,
        tuple(rule for rule in MATCHES if rule.upper() in rules) if estimate else (),
    )


def _listed(words: str, option: str) -> frozenset[str]:
    """The words of a list in upper case."""
    listed = [word.strip().upper() for word in words.split(",")]
    if not all(listed):
        raise UsageError(f'--{option} "{words}": there is an empty word in the list')
    return frozenset(listed)
