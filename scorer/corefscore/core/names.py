"""The options about names, which every run imports; `corefscore.matching.named` implements them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from corefscore.core.documents import KEY
from corefscore.core.errors import UsageError, suggested

OWN = "own"

FROM = (KEY, OWN)
"""The side whose names decide which mentions of a response are named."""

EITHER = "either"
"""The value of a reader that does not know yet whose names are used."""

EXACT, HEAD, CONTAINS = NAMED_BY = ("exact", "head", "contains")
"""The rules by which a mention is named."""

COLUMN = 11
"""The column of named entities in CoNLL-2011/2012."""

USUAL, ALL = "usual", "all"
"""Names of several types: all except `NUMBERS`, and all."""

NUMBERS = frozenset(("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"))
"""The types of OntoNotes for numbers and times, which do not name an entity."""

MATCHES = ("exact", "words", "initials")
"""The rules of `corefscore.matching.named`."""


@dataclass(frozen=True, kw_only=True)
class NameOptions:
    """The options about names.

    - ``source``: whose names are used, one of `FROM`.
    - ``column``: their column, from 1.
    - ``named``: the rule by which a mention is named, one of `NAMED_BY`.
    - ``types``: the types that count, in upper case, or `USUAL` and `ALL`.
    - ``estimate``: the rules by which the key is estimated from its names; none if it is not.
    """

    source: str = KEY
    column: int = COLUMN
    named: str = EXACT
    types: frozenset[str] = frozenset((USUAL,))
    estimate: tuple[str, ...] = ()

    def counts(self, kind: str) -> bool:
        """Whether names of this type (in upper case) count."""
        return kind in self.types or ALL in self.types or (USUAL in self.types and kind not in NUMBERS)

    @property
    def compares_words(self) -> bool:
        """Whether the names of the key are looked up in the response by token, so that words are compared."""
        return self.source != OWN

    def of_side(self, side: str | None) -> bool:
        """Whether the names of a side are used."""
        return side == KEY or self.source != KEY


def name_options(own: Mapping[str, Any]) -> NameOptions:
    """The options about names from their values by keyword. Raises `UsageError` for invalid values."""
    column, estimate = own.get("ne_column", COLUMN), own.get("estimate_key", False)
    if type(column) is not int:
        raise UsageError(f"ne_column={column!r}: expected a whole number")
    if column < 1:
        raise UsageError(f"--ne-column {column}: columns are counted from 1")
    if type(estimate) is not bool:
        raise UsageError(f"estimate_key={estimate!r}: expected True or False")
    rules = frozenset(rule.lower() for rule in _listed(own.get("match", MATCHES), "match"))
    for rule in sorted(rules.difference(MATCHES)):
        raise UsageError(f'--match has no rule "{rule}"; {suggested(rule, MATCHES)}')
    if len(rules) < len(MATCHES) and not estimate:
        raise UsageError("--match says how a key is estimated; it needs --estimate-key")
    return NameOptions(
        source=own.get("ne_from", KEY),
        column=column,
        named=own.get("named", EXACT),
        types=_types(_listed(own.get("ne_types", USUAL), "ne-types")),
        estimate=tuple(rule for rule in MATCHES if rule in rules) if estimate else (),
    )


def canonical(own: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a canonical form, so that runs with the same meaning have the same signature.

    Raises `UsageError` as `name_options` does.
    """
    meant = name_options(own)
    lists = {"ne_types": ",".join(sorted(meant.types)), "match": ",".join(meant.estimate or MATCHES)}
    return {**own, **lists}


def _types(listed: Iterable[str]) -> frozenset[str]:
    """Types in upper case, without those that `USUAL` and `ALL` include."""
    kinds = frozenset(listed)
    if ALL.upper() in kinds:
        return frozenset((ALL,))
    return kinds & NUMBERS | {USUAL} if USUAL.upper() in kinds else kinds


def _listed(words: Any, option: str) -> frozenset[str]:
    """The words of a list, or of a string with commas, in upper case."""
    listed = words.split(",") if isinstance(words, str) else words
    if not isinstance(listed, list | tuple | set | frozenset) or not all(isinstance(word, str) for word in listed):
        raise UsageError(f"{option.replace('-', '_')}={words!r}: expected words, as a list or joined by commas")
    found = frozenset(word.strip().upper() for word in listed)
    if not found or "" in found:
        raise UsageError(f'--{option} "{words}": there is an empty word in the list')
    return found
