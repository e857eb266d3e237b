"""The options about named entities, which `corefscore.matching.named` implements; every run imports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import filterfalse
from typing import Any

from corefscore.core.documents import KEY
from corefscore.core.errors import UsageError, suggested
from corefscore.core.records import ABOUT_NAMES, check_options, dataclass, declared, option, replace

OWN = "own"
"""The names of each side decide which of its mentions are named."""

EITHER = "either"
"""The value of a reader that does not know yet whose names are used."""

EXACT, HEAD, CONTAINS = NAMED_BY = ("exact", "head", "contains")
"""The rules by which a mention is named."""

COLUMN = 11
"""The column of named entities in CoNLL-2011/2012."""

USUAL, ALL = "usual", "all"
"""Names of several types: those that are `_usual`, and all."""

_NUMBERS = {"DATE", "TIME", "YEAR", "DURATION", "SET", "NUMBER", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"}
"""The types of OntoNotes, and of other tools, for numbers and times, which do not name an entity."""

MATCHES = ("exact", "words", "initials")
"""The rules of `corefscore.matching.named`."""


_OF_NAMES: Mapping[str, Any] = {"implied": True, "heading": ABOUT_NAMES}


@dataclass(frozen=True, kw_only=True, repr=False)
class NameOptions:
    """The options about names."""

    ne_from: str = option(
        KEY,
        "Names that decide which mentions of the response are named: those of the key (key) or of the response (own).",
        (KEY, OWN),
        **_OF_NAMES,
    )
    named: str = option(
        EXACT,
        "Which mentions are named: those whose span is a name, those that end with a name, or those that contain "
        "exactly one name.",
        NAMED_BY,
        **_OF_NAMES,
    )
    ne_types: str | Sequence[str] = option(
        USUAL,
        "Types of names that count, joined by commas; usual: all but numbers, times "
        f"({', '.join(sorted(_NUMBERS))}) and roles such as ARG0; all: every type.",
        **_OF_NAMES,
    )
    estimate_key: bool = option(
        False, "Estimate the key from its names. The coreference of KEY is ignored and can be missing.", **_OF_NAMES
    )
    match: str | Sequence[str] = option(
        ",".join(MATCHES),
        "Rules by which --estimate-key merges names into entities: any of exact, words, initials, with commas.",
        **_OF_NAMES,
    )

    @property
    def types(self) -> frozenset[str]:
        """The types that count, in upper case, or `USUAL` and `ALL`."""
        if ALL.upper() in (kinds := _listed(self.ne_types, "ne-types")):
            return frozenset((ALL,))
        return frozenset((USUAL, *filterfalse(_usual, kinds))) if USUAL.upper() in kinds else kinds

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules by which the key is estimated from its names, in the order of `MATCHES`."""
        listed = _listed(self.match, "match")
        for rule in sorted(name.lower() for name in listed):
            if rule not in MATCHES:
                raise UsageError(f'--match has no rule "{rule}"; {suggested(rule, MATCHES)}')
        return tuple(rule for rule in MATCHES if rule.upper() in listed)

    def counts(self, kind: str) -> bool:
        """Return whether names of this type (in upper case) count."""
        types = self.types
        return kind in types or ALL in types or (USUAL in types and _usual(kind))

    def of_side(self, side: str | None) -> bool:
        """Return whether the names of a side are used."""
        return side == KEY or self.ne_from != KEY


def _usual(kind: str) -> bool:
    """Return whether a type (in upper case) is one of things with a name: neither of `_NUMBERS` nor a role of a
    predicate, which the columns beside that of names contain in CoNLL-2012.
    """
    return kind not in _NUMBERS and kind.removeprefix("C-").removeprefix("R-")[:3] not in ("V", "ARG")


def name_options(own: Mapping[str, Any]) -> NameOptions:
    """Return the options about names from their values by keyword, in a canonical form, so that runs with the same
    meaning have the same signature. Raises `UsageError` for invalid values.
    """
    options = NameOptions(**{name: own[name] for name in vars(NameOptions()) if name in own})
    check_options(declared(NameOptions), vars(options))
    if options.rules != MATCHES and not options.estimate_key:
        raise UsageError("--match sets how a key is estimated; it needs --estimate-key")
    return replace(options, ne_types=",".join(sorted(options.types)), match=",".join(options.rules))


def _listed(words: Any, option: str) -> frozenset[str]:
    """Return the words of a list, or of a string with commas, in upper case."""
    listed = words.split(",") if isinstance(words, str) else words
    if not isinstance(listed, list | tuple | set | frozenset) or not all(isinstance(word, str) for word in listed):
        raise UsageError(f"{option.replace('-', '_')}={words!r}: expected a list of words or words separated by commas")
    if not (found := frozenset(word.strip().upper() for word in listed)) or "" in found:
        raise UsageError(f'--{option} "{words}": the list contains an empty word; expected words separated by commas')
    return found
