"""Named mentions: which mentions are named, and documents reduced to them.

Metrics with the view `corefscore.metrics.base.NAMED` count the partitions from this module.

One of three rules, ``--named``, says which name a mention has: with ``exact`` the spans are equal; with ``head`` the
mention ends with the name and does not begin after the beginning of the name; with ``contains`` it contains this name
completely, and no other. The mention is then compared by the span of its name, so that `President Bush` matches `Bush`.
If mentions of different spans have the same name, like `Bush` and `the wife of Bush`, only the shortest one is named,
or the first of equally short ones.

Source: Lin et al. 2010, CONE, section 4, where one tagger selects the named mentions of both sides.

A key can be estimated from names alone (`estimated`): similar names of one document are one entity. Names are grouped
within a document and a type by these rules and transitively; ``--match`` selects the rules.

- ``exact``: the same words.
- ``words``: the words of the shorter name are the first or the last words of the longer (`Bush`, `George Bush`).
- ``initials``: the only word of the shorter name consists of the initials of the longer, of all its words or of those
  in upper case (`USC`, `University of Southern California`); single letters count as one word (`I. B. M.`).

A word is a token. Case, periods and a trailing possessive do not matter. A name without a match is a singleton entity.
Lin et al. name "exact matching, word matches, matches between initials" without defining them; ``docs/cone.md`` defines
them as implemented here, with examples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

import numpy as np

from corefscore.core.arrays import NO_OBJECTS, NONE, Ints, connected, lists_by_key, order_by
from corefscore.core.documents import Documents, NameColumn, NamedEntities, worded
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.names import ALL, CONTAINS, EXACT, OWN, USUAL, NameOptions
from corefscore.formats.base import BLANK_MARKS
from corefscore.matching.common import different_words, first_differences
from corefscore.matching.pairing import Pairs

_NOWHERE = ", since other formats and clusters have none; in Python, read(path, columns='ne=11') reads them from CoNLL"
_ELSEWHERE = "; --columns ne=N reads another column, --ne-types LIST chooses the types that count"
_LAST = (
    "; choose another with --columns ne=N; if the key has no coreference, --estimate-key makes it from names in the "
    "last column"
)
"""What to do if there are no names: in this kind of input, in the column, or if the column is the last one."""


def reduced(pairs: Pairs, options: NameOptions) -> Pairs:
    """Return both sides reduced to their named mentions, each with the span of its name.

    An entity without a named mention disappears; an entity with one stays. Raises `InputError` for a side without
    names, and if the names of the key are used and the response has different tokens.
    """
    of_key = of_response = names_of(pairs.key)
    if options.ne_from == OWN:
        of_response = names_of(pairs.response)
    else:
        _compare_tokens(pairs, of_key)
    key, response = _named(pairs.key, of_key, options), _named(pairs.response, of_response, options)
    return pairs._replace(key=key, response=response)


def names_of(documents: Documents) -> NamedEntities:
    """Return the names of a batch; none for a batch without documents. Raises `InputError` if names were not read."""
    found, place = documents.named_entities, next(filter(None, documents.places), None)
    if place is None:  # there is no document
        return NamedEntities(NONE, NONE, NONE, NONE, NO_OBJECTS, NO_OBJECTS, ())
    if found is None:
        details = {"what": "this input has no named entities", "advice": _NOWHERE}
        raise InputError([Finding("no-names", place.source.name, details=details)])
    return found


def _names_that_count(names: NamedEntities, options: NameOptions) -> Ints:
    """Return the numbers of the names whose type counts."""
    counts = {kind: options.counts(kind) for kind in set(names.type)}
    return np.flatnonzero([counts[kind] for kind in names.type])


class SideNames(NamedTuple):
    """The names and entities of one side of a batch: the number of names that count and the columns of names (0 and
    none if the names of this side are not used), the number of entities, and of those with one mention."""

    number: int
    columns: Sequence[NameColumn]
    entities: int
    singletons: int


def names_of_side(documents: Documents, options: NameOptions, side: str) -> SideNames:
    """Return the numbers of names and entities of a side. Raises as `names_of` does."""
    sizes = np.bincount(documents.entity, minlength=len(documents.document))
    found = SideNames(0, (), len(sizes), int(np.count_nonzero(sizes == 1)))
    if not options.of_side(side):
        return found
    names = names_of(documents)
    return found._replace(number=len(_names_that_count(names, options)), columns=names.columns)


def about_names(names: Sequence[Sequence[SideNames]], options: NameOptions) -> Iterator[Finding]:
    """Yield the notices about the names of all batches, which are given by batch and side.

    Raises `InputError` for a side whose names are used, but none of which counts.
    """
    for side in zip(*names, strict=True):
        if not any(batch.columns for batch in side):
            continue
        column = _column_of(side)
        if not any(batch.number for batch in side):
            what = f"no name in column {column.number} counts: {_described(column, options)}"
            details = {"what": what, "advice": _LAST if column.last and not column.types else _ELSEWHERE}
            raise InputError([Finding("no-names", column.path, details=details)])
        for kind in sorted(options.types - {USUAL, ALL} - column.types.keys()):
            absent = {"type": kind, "column": column.number, "known": _types(column)}
            yield Finding("absent-type", column.path, details=absent)
        yield from without_column(chain.from_iterable(batch.columns for batch in side))


def about_mentions(
    names: Sequence[Sequence[SideNames]], options: NameOptions, *, named: bool, singletons: bool
) -> Iterator[Finding]:
    """Yield the notices about the mentions of all batches, which are given by batch and side: that no mention of the
    key is named (``named`` is false); and that an estimated key has singletons and the response has none, if they
    count.
    """
    key, response = zip(*names, strict=True)
    column = _column_of(key)
    if not named:
        yield Finding("no-named-mentions", column.path, details={"column": column.number, "named": options.named})
    alone = sum(batch.singletons for batch in key)
    without = any(batch.entities for batch in response) and not any(batch.singletons for batch in response)
    if options.estimate_key and singletons and alone and without:
        entities = sum(batch.entities for batch in key)
        yield Finding("no-singletons", column.path, details={"alone": alone, "entities": entities})


def without_column(columns: Iterable[NameColumn]) -> list[Finding]:
    """Return a notice for each file with tokens in which no line has the column of names."""
    of_files = lists_by_key((column.path, column) for column in columns)  # several of a file that was read in pieces
    return [
        Finding("no-name-column", column.path, details={"column": column.number, "what": _lacking(column)})
        for column in map(NameColumn.of_all, of_files.values())
        if column.columns and not column.there
    ]


def _column_of(side: Sequence[SideNames]) -> NameColumn:
    """Return the columns of names of all batches of a side as one."""
    return NameColumn.of_all(column for batch in side for column in batch.columns)


def _described(column: NameColumn, options: NameOptions) -> str:
    """Return the content of a column in which no name counts, for messages."""
    if any(map(options.counts, column.types)):
        return "the scored documents contain none, but others in the file do"
    if column.types:
        return f"it contains names of types that do not count: {_types(column)}"
    return "the column contains no name" if column.there else _lacking(column)


def _lacking(column: NameColumn) -> str:
    """Return the reason why a file does not have the column, for messages."""
    if column.columns < column.number:
        return f"no line has more than {plural(column.columns, 'column')}"
    return "this is the last column, which is read as coreference"


def _types(column: NameColumn) -> str:
    """Return the types of the names of a column with their numbers, for messages."""
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(column.types.items()))


def _named(documents: Documents, names: NamedEntities, options: NameOptions) -> Documents:
    """Return one side reduced to its named mentions, each with the span of its name."""
    which = _names_that_count(names, options)
    document, start, end = names.document[which], names.start[which], names.end[which]
    of_mention = documents.document[documents.entity]
    width = 1 + max(int(column.max(initial=0)) for column in (documents.end, end))
    # With the documents numbered on, the starts and the ends of names rise, since names do not overlap.
    first, last = document * width + start, document * width + end
    mention_first, mention_last = of_mention * width + documents.start, of_mention * width + documents.end
    name = _name_of(first, last, mention_first, mention_last, options.named)
    # Of several spans with one name, the shortest is named, or the first of equally short ones.
    claim = (documents.end - documents.start) * width + documents.start
    has = np.flatnonzero(name >= 0)
    best = np.full(len(which), width * width)
    np.minimum.at(best, name[has], claim[has])
    has = has[claim[has] == best[name[has]]]
    # Their order does not change, since it decides which copies count.
    return replace(documents.keep(has), start=start[name[has]], end=end[name[has]])


def _name_of(first: Ints, last: Ints, mention_first: Ints, mention_last: Ints, rule: str) -> Ints:
    """Return the number of the name of each mention, -1 for none. Names and mentions are given by their ends."""
    if rule == CONTAINS:
        name = np.searchsorted(first, mention_first)
        found = np.searchsorted(last, mention_last, side="right") - name == 1
    else:
        name = np.searchsorted(last, mention_last)
        padded_first, padded_last = np.append(first, -1), np.append(last, -1)
        found = padded_last[name] == mention_last
        found &= padded_first[name] == mention_first if rule == EXACT else padded_first[name] >= mention_first
    return np.where(found, name, -1)


def _compare_tokens(pairs: Pairs, names: NamedEntities) -> None:
    """Raise `InputError` for the first document in which the known tokens of both sides differ."""
    known = np.flatnonzero(pairs.present & (pairs.key.tokens >= 0) & (pairs.response.tokens >= 0)).tolist()
    if known and pairs.response.texts is None:
        path, column = pairs.response.place_of(known[0]).source.name, names.columns[0].number
        raise UsageError(
            f"{path}: its tokens cannot be compared with those of the names; give a file with the tokens of the key, "
            f"without tags and --align, and in Python read it with columns='ne={column}'"
        )
    tokens, sizes = first_differences(pairs), (pairs.key.tokens, pairs.response.tokens)
    tokens = np.where((tokens < 0) & (sizes[0] != sizes[1]), np.minimum(*sizes), tokens)
    for document in known:
        if tokens[document] >= 0:
            raise InputError(worded(different_words("other-tokens", pairs, [(document, int(tokens[document]))])))


_NameWords = tuple[str, ...]

_NO_WORDS = frozenset(("", *BLANK_MARKS.decode()))
"""The marks for an unknown word."""


def estimated(documents: Documents, options: NameOptions) -> Documents:
    """Return a batch with its entities replaced by entities of its names, whose ids run from 0 in each document.

    Raises `InputError` for a batch without named entities, and for a name without words.
    """
    names = names_of(documents)
    which = _names_that_count(names, options)
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
        group[rows] = np.array(rows)[grouped([words[row] for row in rows], options.rules)]
    # Names are in the order of the text, so an entity appears at the first name of its group.
    first, entity = np.unique(group, return_inverse=True)
    mentions = order_by(entity)
    label = np.arange(len(first)) - np.searchsorted(document[first], document[first])
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
    """Return, for each name, the number of the first name of its entity.

    A name is a sequence of words; all names are of one document and one type.
    """
    plain = [_without_possessive(name) for name in names]
    folded_names = [_folded(words) for words in plain]
    initials: dict[_NameWords, set[str]] = defaultdict(set)
    for name, words in zip(folded_names, plain, strict=True):
        initials[name] |= set(_initials_of(words))
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


def _words(initials: _Initials) -> Iterator[tuple[_NameWords, _NameWords]]:
    """Yield names whose words are the first or the last words of a longer name."""
    sizes = {len(words) for words in initials}
    for words in initials:
        for size in sizes:
            if size < len(words):
                yield from ((run, words) for run in (words[:size], words[-size:]) if run in initials)


def _initials(initials: _Initials) -> Iterator[tuple[_NameWords, _NameWords]]:
    """Yield names that are the initials of another name."""
    short = (words for words in initials if len(words) == 1 or all(len(word) == 1 for word in words))
    acronyms = lists_by_key(("".join(words), words) for words in short)
    for words, of_name in initials.items():
        for letters in of_name:
            yield from ((acronym, words) for acronym in acronyms.get(letters, ()) if acronym != words)


_RULES: Mapping[str, Callable[[_Initials], Iterator[tuple[_NameWords, _NameWords]]]] = {
    "exact": lambda initials: zip(initials, initials, strict=True),
    "words": _words,
    "initials": _initials,
}
"""The function of each rule, which returns pairs of names of one entity."""


def _without_possessive(name: Sequence[str]) -> list[str]:
    """Return the words of a name with one kind of apostrophe and without a trailing possessive, as a token of its own
    or within the last one; the letter before a last apostrophe is part of the word."""
    words = [word.replace("\u2019", "'") for word in name if word]
    if len(words) > 1 and words[-1].lower() in ("'s", "'"):
        return words[:-1]
    if words and len(words[-1]) > 2 and words[-1].lower().endswith(("'s", "s'")):
        words[-1] = words[-1][: -1 if words[-1].endswith("'") else -2]
    return words


def _folded(words: Sequence[str]) -> _NameWords:
    """Return words without case and periods, with letters normalized (NFC); a name that consists of periods alone stays
    as it is.
    """
    return tuple(filter(None, (normalize("NFC", word).replace(".", "").casefold() for word in words))) or tuple(words)


def _initials_of(words: Sequence[str]) -> Iterator[str]:
    """Yield the initials of several words in lower case: of all words, and of those that begin in upper case.

    Words that do not begin with a letter or a digit have no initial.
    """
    firsts = [word.lstrip(".")[:1] for word in words]
    firsts = [first for first in firsts if first.isalnum()]
    for letters in (firsts, [first for first in firsts if first.isupper()]):
        if len(letters) > 1:
            yield "".join(letters).casefold()
