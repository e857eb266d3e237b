"""A key from names alone: the names of one document that look like one thing are one entity.

Names are grouped within a document and a type by these rules, closed transitively; ``--match`` chooses among them.

- ``exact``: the same words.
- ``words``: the words of the shorter name are a run at the start or the end of the longer (`Bush`, `George Bush`).
- ``initials``: the one word of the shorter is made of the initials of the longer, of all its words or of those in upper
  case (`USC`, `University of Southern California`); single letters count as one word (`I. B. M.`).

A word is a token. Case, periods and a trailing possessive do not matter. A name without a match is a singleton entity.

Source: Lin et al. 2010, section 4, names "exact matching, word matches, matches between initials" without defining
them; what they are here stands in ``docs/cone.md``, with examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from unicodedata import normalize

import numpy as np

from corefscore.checking.findings import Finding
from corefscore.documents.arrays import changes, order_by
from corefscore.documents.model import Documents
from corefscore.errors import InputError
from corefscore.formats.words import BLANK_MARKS
from corefscore.names.mentions import counting, names_of
from corefscore.names.options import NameOptions

NameWords = tuple[str, ...]

NO_WORDS = frozenset(("", *BLANK_MARKS.decode()))
"""What stands for a word that is not known."""

POSSESSIVES = ("'s", "\u2019s", "s'", "s\u2019")
"""The ends of a possessive, of which the letter before an apostrophe stays."""


def estimated(documents: Documents, how: NameOptions) -> Documents:
    """A batch with entities of its names in place of those that it had; their ids run from 0 in each document.

    Raises `InputError` for a batch without named entities, and for a name without words.
    """
    names = names_of(documents, how)
    which = counting(names, how)
    document = names.document[which]
    for name in which.tolist():
        if NO_WORDS.issuperset(names.words[name]):
            in_document = int(names.document[name])
            details = {"document": documents.names[in_document], "type": names.type[name]}
            path, line = documents.place_of(in_document).source.name, int(names.line[name])
            raise InputError([Finding("unknown-words", path, line, details=details)])
    group = np.empty(len(which), dtype=np.int64)
    of_document_and_type: dict[tuple[int, str], list[int]] = defaultdict(list)
    for at, name in enumerate(which.tolist()):
        of_document_and_type[int(document[at]), names.type[name]].append(at)
    for its in of_document_and_type.values():
        entities = grouped([names.words[int(which[at])] for at in its], how.estimate)
        group[its] = np.array(its)[entities]
    # Names stand in the order of the text, so the first of a group is where its entity appears.
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


Initials = Mapping[NameWords, Collection[str]]
"""Names of different words, folded, with the initials of each."""


def grouped(names: Sequence[Sequence[str]], rules: Sequence[str]) -> list[int]:
    """For each name the first name of its entity. A name is a sequence of words; all are of one document and type."""
    plain = [without_possessive(name) for name in names]
    its_words = [folded(words) for words in plain]
    initials: dict[NameWords, set[str]] = defaultdict(set)
    for words, its in zip(its_words, plain, strict=True):
        initials[words] |= set(initials_of(its))
    groups = _Groups()
    for rule in rules:
        for one, other in RULES[rule](initials):
            groups.join(one, other)
    first: dict[NameWords, int] = {}
    # Names of the same words are one entity where a rule speaks of them.
    return [first.setdefault(groups.of(words), at) if words in groups else at for at, words in enumerate(its_words)]


def _exact(initials: Initials) -> Iterator[tuple[NameWords, NameWords]]:
    yield from ((words, words) for words in initials)


def _words(initials: Initials) -> Iterator[tuple[NameWords, NameWords]]:
    sizes = {len(words) for words in initials}
    for words in initials:
        for size in sizes:
            if size < len(words):
                yield from ((run, words) for run in (words[:size], words[-size:]) if run in initials)


def _initials(initials: Initials) -> Iterator[tuple[NameWords, NameWords]]:
    acronyms: dict[str, list[NameWords]] = defaultdict(list)
    for words in initials:
        if len(words) == 1 or all(len(word) == 1 for word in words):
            acronyms["".join(words)].append(words)
    for words, its in initials.items():
        for letters in its:
            yield from ((acronym, words) for acronym in acronyms.get(letters, ()) if acronym != words)


RULES: Mapping[str, Callable[[Initials], Iterator[tuple[NameWords, NameWords]]]] = {
    "exact": _exact,
    "words": _words,
    "initials": _initials,
}
"""Each rule gives pairs of names that belong together."""


def without_possessive(name: Sequence[str]) -> list[str]:
    """The words of a name without a trailing possessive, as a token of its own or within the last one."""
    words = [word for word in name if word]
    if len(words) > 1 and words[-1].lower() in ("'s", "\u2019s", "'", "\u2019"):
        return words[:-1]
    if words and len(words[-1]) > 2 and words[-1].lower().endswith(POSSESSIVES):
        last = words[-1]
        words[-1] = last[:-1] if last[-1] in "'\u2019" else last[:-2]
    return words


def folded(words: Sequence[str]) -> NameWords:
    """Words without case and periods, with one spelling for each letter (Unicode's NFC) and for apostrophes; a name of
    nothing else stays as it is."""
    spelt = (normalize("NFC", word).replace("\u2019", "'") for word in words)
    plain = tuple(filter(None, (word.replace(".", "").casefold() for word in spelt)))
    return plain or tuple(words)


def initials_of(words: Sequence[str]) -> Iterator[str]:
    """The initials of several words in lower case: of all, and of those that begin in upper case.

    Words that begin with no letter and no digit have none.
    """
    firsts = [word.lstrip(".")[:1] for word in words]
    firsts = [first for first in firsts if first.isalnum()]
    for letters in (firsts, [first for first in firsts if first.isupper()]):
        if len(letters) > 1:
            yield "".join(letters).casefold()


class _Groups:
    """Names of different words in groups; it holds those that were joined, if only with themselves."""

    def __init__(self) -> None:
        self._before: dict[NameWords, NameWords] = {}

    def __contains__(self, words: NameWords) -> bool:
        return words in self._before

    def of(self, words: NameWords) -> NameWords:
        """The group of a name, as one of the names in it."""
        while self._before[words] != words:
            self._before[words] = words = self._before[self._before[words]]
        return words

    def join(self, one: NameWords, other: NameWords) -> None:
        """Make one group of the groups of two names."""
        for words in (one, other):
            self._before.setdefault(words, words)
        self._before[self.of(one)] = self.of(other)
