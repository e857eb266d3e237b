"""Writing documents: what formats share, and the notices of what is lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import NamedTuple

from corefscore.core.documents import Place
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural, some_of
from corefscore.formats.base import NO_WORD, ZERO, FullDocument, Sentences, found_at, likely_tokens, refused

Spans = Sequence[tuple[int, int]]

_WIDER = 0xFEE0
"""How far a character of ASCII is from its full-width form, which is compared as the same."""

_FIELDS_SHOWN = 10
"""The number of fields that a message lists."""

_LINE_ENDS = r"\n|\r\Z"
"""What no name of a document can contain."""


def dropped(place: Place, what: str, kind: str, names: Sequence[str]) -> Finding:
    """Return the notice about fields or columns (``kind``) that are not converted."""
    fields = some_of(names, _FIELDS_SHOWN)
    return found_at(place, "dropped-fields", what=f"{what} has other {kind}", kind=kind, fields=fields)


class Fit(NamedTuple):
    """What a format can contain.

    - ``title``: the format in messages.
    - ``names``, ``words``: patterns for the pieces of names of documents and of words that it cannot contain;
      ``blank``: what is written for white space in words; ``signs``: whether `ZERO` in a word would make it a zero.
    - ``ids``: a pattern for a whole id of an entity; None if ids are not written.
    - ``letter``: what stands before numbers that are ids.
    - ``bare``: whether a document can have mentions without words.
    - ``empty``: whether sentences can be empty; ``least``: how many tokens a document has at least.
    """

    title: str
    names: str = _LINE_ENDS
    words: str = r"(?!)"
    blank: str = "_"
    signs: bool = False
    ids: str | None = None
    letter: str = ""
    bare: bool = False
    empty: bool = False
    least: int = 0


NO_FORM = "_"
"""The word for an empty node without a form."""

SINGLE, OPEN, CLOSE = range(3)
"""The kinds of marks: of a mention of one token, and where one of several begins and ends."""


def marks(entities: Mapping[str, Spans], forms: Mapping[int, Callable[[str], str]]) -> dict[int, list[str]]:
    """Return the marks of mentions at each token. ``forms`` has a function for each kind: from the id of an entity, its
    mark.

    The marks of a token come by kind, in the order of ``forms``; those of one kind in the order in which mentions nest.
    """
    mentions = [(start, end, name) for name, spans in entities.items() for start, end in spans]
    by_start, by_end = (sorted(mentions, key=itemgetter(side), reverse=True) for side in (0, 1))
    found: dict[int, list[str]] = defaultdict(list)
    for kind, form in forms.items():
        for start, end, name in by_start if kind == CLOSE else by_end:
            if (start == end) == (kind == SINGLE):
                found[end if kind == CLOSE else start].append(form(name))
    return found


def add_notice(document: FullDocument, notices: list[Finding], code: str, **details: object) -> None:
    """Add a notice about a document."""
    notices.append(found_at(document.place, code, document=document.name, **details))


def note_crossing(document: FullDocument, notices: list[Finding], title: str, *, closed_first: bool = False) -> None:
    """Add a notice for every entity with mentions that cross, which a format does not distinguish from nested ones."""
    for entity, spans in document.entities.items():
        if pair := crossing(spans, closed_first=closed_first):
            first, second = map(list, pair)
            add_notice(document, notices, "crossing-mentions", format=title, entity=entity, first=first, second=second)


def crossing(spans: Spans, *, closed_first: bool = False) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Find two mentions of one entity whose brackets would be read as nested mentions; None if there are none.

    Such mentions cross, or one begins at the last token of the other, unless cells have close brackets before open ones
    (``closed_first``).
    """
    pair = next(crossings(spans, closed_first=closed_first), None)
    return pair and (spans[pair[0]], spans[pair[1]])


def crossings(spans: Spans, *, closed_first: bool = False) -> Iterator[tuple[int, int]]:
    """Yield pairs of mentions as `crossing` has them, by their numbers: an earlier mention, and a later one that
    crosses it. The later one is then left out: no other mention is compared with it.
    """
    around: list[int] = []
    for number, (start, end) in sorted(enumerate(spans), key=lambda row: (row[1][0], -row[1][1])):
        while around and spans[around[-1]][1] < start + closed_first:
            around.pop()
        if around and spans[around[-1]][1] < end:
            yield around[-1], number
        else:
            around.append(number)


def fitted(documents: Iterator[FullDocument], notices: list[Finding], fit: Fit) -> Iterator[FullDocument]:
    """Yield documents as a format can contain them; every replacement is added to the notices.

    Entities are numbered if an id cannot be written. Raises `InputError` if two documents get the same name, and for
    mentions without a place in a text, which have none in a format or in a document that has words.
    """
    places: dict[str, Place] = {}
    numbered = False
    for document in documents:
        if document.of_items and (document.sentences is not None or not fit.bare):
            start, end = min(span for spans in document.entities.values() for span in spans)
            expected = f"token numbers, which {fit.title} needs; write such mentions with --format jsonlines or labels"
            raise _bad_mention(document, f'"{document.text(start, end)}", without token numbers', expected)
        if (name := _replaced(fit.names, "_", document.name)) != document.name:
            add_notice(document, notices, "changed-name", format=fit.title, written=name)
        if (first := places.setdefault(name, document.place)) is not document.place:
            raise refused(document.place, "repeated-name", document=name, first=str(first))
        ids, odd = _ids(document, fit)
        if odd is not None and not numbered:
            numbered = True
            add_notice(document, notices, "numbered-ids", format=fit.title, entity=ascii(odd))
        entities = dict(zip(ids, document.entities.values(), strict=True))
        yield document._replace(name=name, sentences=_words(document, notices, fit), entities=entities)


def tokens_without_words(document: FullDocument) -> int:
    """Count the tokens of a document up to the end of its last mention. Raises `InputError` for far too many."""
    spans = [span for spans in document.entities.values() for span in spans]
    last = max(spans, key=lambda span: span[1], default=(0, -1))
    if last[1] >= (most := likely_tokens(len(spans))):
        expected = f"offsets below {most} in a document without words, since a word is written for each token"
        raise _bad_mention(document, str(list(last)), expected)
    return last[1] + 1


def _bad_mention(document: FullDocument, what: str, expected: str) -> InputError:
    details = {"document": document.name, "place": "a mention", "what": what, "expected": expected}
    return refused(document.place, "bad-mention", **details)


def with_signs(document: FullDocument, sentences: Sentences, notices: list[Finding]) -> Sentences:
    """Put the sign of zeros before the words that are zeros, which is all of a word without a form. Zeros without it
    are those of CorefUD, whose dependencies are lost."""
    if not document.zeros:
        return sentences
    token = count()

    def signed(word: str) -> str:
        is_zero = next(token) in document.zeros and not word.startswith(ZERO)
        return ZERO + word.removeprefix(NO_FORM) if is_zero else word

    words, code = list(chain(*sentences)), "dropped-dependencies"
    of_corefud = any(not words[zero].startswith(ZERO) for zero in document.zeros)
    if of_corefud and code not in {notice.code for notice in notices}:
        add_notice(document, notices, code)
    return [list(map(signed, sentence)) for sentence in sentences]


def _replaced(unfit: str, blank: str, text: str) -> str:
    """Replace the pieces of a text that a pattern finds: ASCII by its full-width form, the rest by ``blank``."""

    def wider(piece: re.Match[str]) -> str:
        return "".join(chr(ord(each) + _WIDER) if "!" <= each <= "~" else blank for each in piece[0])

    return (re.sub(unfit, wider, text) or "_") if re.search(unfit, text) else text


def _ids(document: FullDocument, fit: Fit) -> tuple[list[str], str | None]:
    """Return the ids that are written for the entities of a document, and the first id that a format cannot contain."""
    names = list(document.entities)
    if fit.ids is None:
        return names, None
    fits = re.compile(fit.ids).fullmatch
    for letter in ("", fit.letter):
        if all(fits(letter + name) for name in names):
            return [letter + name for name in names], None
    return [f"{fit.letter}{number}" for number in range(len(names))], next(name for name in names if not fits(name))


def _words(document: FullDocument, notices: list[Finding], fit: Fit) -> Sentences | None:
    """Return the words of a document; `NO_WORD` for each token, and a notice, if they are not known and have to be."""
    if document.sentences is None and fit.bare:
        return None
    known = document.sentences or ()
    if empty := len(known) - len(sentences := [sentence for sentence in known if sentence or fit.empty]):
        add_notice(document, notices, "empty-sentences", format=fit.title, count=plural(empty, "sentence"))
    if not sentences and (document.sentences is None or fit.least):
        size = max(tokens_without_words(document), fit.least)
        add_notice(document, notices, "no-words", tokens=size)
        return [[NO_WORD] * size]
    tokens, no_zero = count(), f"{fit.words}|{ZERO}" if fit.signs else fit.words
    changed: list[tuple[int, str, str]] = []

    def written(word: str) -> str:
        token = next(tokens)
        if (found := _replaced(fit.words if token in document.zeros else no_zero, fit.blank, word)) != word:
            changed.append((token, word, found))
        return found

    fitting = [list(map(written, sentence)) for sentence in sentences]
    if changed:
        token, word, found = changed[0]
        details = {"count": plural(len(changed), "word"), "word": ascii(word), "token": token, "written": found}
        add_notice(document, notices, "changed-word", format=fit.title, **details)
    return fitting
