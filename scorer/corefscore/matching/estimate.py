"""A key estimated from names alone: similar names of one document are one entity.

Names are grouped within a document and a type by these rules and transitively; ``--match`` selects the rules.

- ``exact``: the same words.
- ``words``: the words of the shorter name are the first or the last words of the longer (`Bush`, `George Bush`).
- ``initials``: the only word of the shorter name consists of the initials of the longer, of all its words or of those
  in upper case (`USC`, `University of Southern California`); single letters count as one word (`I. B. M.`).

A word is a token. Case, periods and a trailing possessive do not matter. A name without a match is a singleton entity.

Source: Lin et al. 2010, section 4, names "exact matching, word matches, matches between initials" without defining
them; ``docs/cone.md`` defines them as implemented here, with examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from unicodedata import normalize

import numpy as np

from corefscore.core.arrays import changes, connected, order_by
from corefscore.core.documents import Documents
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding
from corefscore.core.names import NameOptions
from corefscore.formats.words import BLANK_MARKS
from corefscore.matching.named import names_of, names_that_count

_NameWords = tuple[str, ...]

_NO_WORDS = frozenset(("", *BLANK_MARKS.decode()))
"""The marks for an unknown word."""

_POSSESSIVES = ("'s", "\u2019s", "s'", "s\u2019")
"""The ends of a possessive; the letter before an apostrophe is part of the word."""


def estimated(documents: Documents, options: NameOptions) -> Documents:
    """A batch with its entities replaced by entities of its names, whose ids run from 0 in each document.

    Raises `InputError` for a batch without named entities, and for a name without words.
    """
    names = names_of(documents, options)
    which = names_that_count(names, options)
    document, words = names.document[which], names.words[which]
    rows_of: dict[tuple[int, str], list[int]] = defaultdict(list)
    for row, (at, kind) in enumerate(zip(document.tolist(), names.type[which], strict=True)):
        if _NO_WORDS.issuperset(words[row]):
            details = {"document": documents.names[at], "type": kind}
            path, line = documents.place_of(at).source.name, int(names.line[which[row]])
            raise InputError([Finding("unknown-words", path, line, details=details)])
        rows_of[at, kind].append(row)
    group = np.empty(len(which), dtype=np.int64)
    for rows in rows_of.values():
        group[rows] = np.array(rows)[grouped([words[row] for row in rows], options.estimate)]
    # Names are in the order of the text, so an entity appears at the first name of its group.
    first, entity = np.unique(group, return_inverse=True)
    mentions = order_by(entity)
    begins = np.flatnonzero(changes(document[first])) if len(first) else first
    label = np.arange(len(first)) - np.repeat(begins, np.diff(np.append(begins, len(first))))
    return replace(
        documents,
        document=document[first],
        label=label,
        entity=entity[mentions],
        start=names.start[which][mentions],
        end=names.end[which][mentions],
        line=names.line[which][mentions],
        opening=None,
        discarded={},
    )


_Initials = Mapping[_NameWords, Collection[str]]
"""Different names, folded, with the initials of each."""


def grouped(names: Sequence[Sequence[str]], rules: Sequence[str]) -> list[int]:
    """For each name the number of the first name of its entity.

    A name is a sequence of words; all names are of one document and one type.
    """
    plain = [without_possessive(name) for name in names]
    folded_names = [folded(words) for words in plain]
    initials: dict[_NameWords, set[str]] = defaultdict(set)
    for name, words in zip(folded_names, plain, strict=True):
        initials[name] |= set(initials_of(words))
    row = {name: number for number, name in enumerate(initials)}
    links = [(row[name], row[other]) for rule in rules for name, other in _RULES[rule](initials)]
    group = connected(len(row), *np.array(links, dtype=np.int64).reshape(-1, 2).T).tolist()
    first: dict[int, int] = {}
    # Names of the same words are one entity only if a rule joins them, be it with themselves.
    known = set(chain(*links))
    return [
        first.setdefault(group[row[name]], number) if row[name] in known else number
        for number, name in enumerate(folded_names)
    ]


def _exact(initials: _Initials) -> Iterator[tuple[_NameWords, _NameWords]]:
    """Names of the same words."""
    return zip(initials, initials, strict=True)


def _words(initials: _Initials) -> Iterator[tuple[_NameWords, _NameWords]]:
    """Names whose words are the first or the last words of a longer name."""
    sizes = {len(words) for words in initials}
    for words in initials:
        for size in sizes:
            if size < len(words):
                yield from ((run, words) for run in (words[:size], words[-size:]) if run in initials)


def _initials(initials: _Initials) -> Iterator[tuple[_NameWords, _NameWords]]:
    """Names that are the initials of another name."""
    acronyms: dict[str, list[_NameWords]] = defaultdict(list)
    for words in initials:
        if len(words) == 1 or all(len(word) == 1 for word in words):
            acronyms["".join(words)].append(words)
    for words, of_name in initials.items():
        for letters in of_name:
            yield from ((acronym, words) for acronym in acronyms.get(letters, ()) if acronym != words)


_RULES: Mapping[str, Callable[[_Initials], Iterator[tuple[_NameWords, _NameWords]]]] = {
    "exact": _exact,
    "words": _words,
    "initials": _initials,
}
"""The function of each rule, which returns pairs of names of one entity."""


def without_possessive(name: Sequence[str]) -> list[str]:
    """The words of a name without a trailing possessive, as a token of its own or within the last one."""
    words = [word for word in name if word]
    if len(words) > 1 and words[-1].lower() in ("'s", "\u2019s", "'", "\u2019"):
        return words[:-1]
    if words and len(words[-1]) > 2 and words[-1].lower().endswith(_POSSESSIVES):
        last = words[-1]
        words[-1] = last[:-1] if last[-1] in "'\u2019" else last[:-2]
    return words


def folded(words: Sequence[str]) -> _NameWords:
    """Words without case and periods, with letters normalized (NFC) and one kind of apostrophe; a name that consists of
    periods alone stays as it is."""
    spelt = (normalize("NFC", word).replace("\u2019", "'") for word in words)
    plain = tuple(filter(None, (word.replace(".", "").casefold() for word in spelt)))
    return plain or tuple(words)


def initials_of(words: Sequence[str]) -> Iterator[str]:
    """The initials of several words in lower case: of all words, and of those that begin in upper case.

    Words that do not begin with a letter or a digit have no initial.
    """
    firsts = [word.lstrip(".")[:1] for word in words]
    firsts = [first for first in firsts if first.isalnum()]
    for letters in (firsts, [first for first in firsts if first.isupper()]):
        if len(letters) > 1:
            yield "".join(letters).casefold()
