"""Which response document belongs to which key document: the one with the same name.

Between CoNLL and another format, names can also have two forms (`in_other_form`): ``X_0``, as models name the documents
of JSON lines, is ``(X); part 000``, and so is ``X`` if this is its only part, if no other document of either side can
be meant. The number of zeros does not matter. Between two CoNLL files names must be equal, as for the official scorer
(other-name-0001).

Both sides are read batch by batch. If both have their documents in the same order, only the current batches are in
memory; a response document that comes early waits until the key gets there. If names of the two forms have to be
paired, both sides are read to the end first.

If mentions of one side count characters, they become mentions of tokens here (`_InTokens`). Readers cut such a text at
blanks and where mentions begin and end (`corefscore.core.documents.Documents`). Both texts have to be the same, blanks
aside; a mention is the tokens of the other side to which its characters belong. If both sides count characters, the
tokens are those of the key, or the characters that are no blanks if a mention of the response begins or ends in one.
Where texts may differ (``--align``), `corefscore.matching.text.projection` finds the pieces in the key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import accumulate, chain, islice
from operator import eq
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from corefscore.core.arrays import Bools, Ints, bounds, lists_by_key
from corefscore.core.documents import (
    KEY,
    RESPONSE,
    UNKNOWN,
    Documents,
    Place,
    Places,
    Span,
    Texts,
    by_appearance,
    fingerprint,
    joined,
    part_of,
    texts_of,
    types_of,
)
from corefscore.core.errors import InputError, UnknownDocumentError, UsageError, nearest, refuse, suggested
from corefscore.core.findings import NO_CHARACTERS, SHOWN, Finding, plural
from corefscore.core.records import NamedTuple, dataclass, field, replace
from corefscore.core.sources import Source
from corefscore.formats.base import Annotations, found_at, refused

if TYPE_CHECKING:
    from corefscore.matching.text.characters import Characters


_AROUND = 20
"""How many characters a message shows of texts that part."""

_FIRST, _WORDS = 20, 4
"""The number of documents whose words are compared if they are paired by line, and of words that say too little."""


_Texts = dict[Place, tuple[str, Ints]]
"""The texts of documents by place: their pieces with a blank between them, and where tokens begin if blanks are
left out."""


def _words_in(texts: _Texts, source: Source, spans: Sequence[Span]) -> Iterator[str]:
    """Yield the words of spans of tokens, as they are in the text."""
    from corefscore.formats.words import codes_of

    characters_of = cache(lambda text: np.flatnonzero(codes_of(text) != ord(" ")))
    for span in spans:
        text, first = texts.get(Place(source, span.line), ("", None))
        if first is None:
            yield f"{span.start}-{span.end}"
        else:
            begin, last = characters_of(text)[[first[span.start], first[span.end + 1] - 1]]
            yield text[begin : last + 1]


class _InTokens:
    """Brings pairs of documents to tokens, batch after batch."""

    def __init__(self, notices: list[Finding]) -> None:
        self.notices, self.of_characters, self.cut = notices, False, 0
        self._words_of: dict[Source, dict[int | None, Annotations]] = {}
        self._known: dict[Place, Annotations] = {}
        self._texts: tuple[_Texts, _Texts] = {}, {}

    def side(self, side: Documents, other: Documents, number: int) -> Documents:
        """Give a side mentions of tokens; ``number`` is 0 for the key, 1 for the response.

        Raises `InputError` where the other side has no words, and where texts differ.
        """
        if side.characters is None:
            return side
        from corefscore.matching.text.characters import of_pieces

        start, end, tokens = side.start.copy(), side.end.copy(), side.tokens.copy()
        first_mentions = bounds(side.document[side.entity], len(side))
        other_mentions = bounds(other.document[other.entity], len(other))
        kept, cut = number == 0, 0  # whether the key keeps its tokens, and a checksum of them
        widened: list[int] = []  # mentions that begin or end within a token
        unreachable: list[int] = []  # mentions of the other side that begin or end with a token of blanks
        for d, text in enumerate(side.characters):
            if text is None or d in side.faults or d in other.faults:
                continue
            own = of_pieces(text)
            theirs = own if other.places[d] is None else self._beside(side, other, d, own)
            which = slice(int(first_mentions[d]), int(first_mentions[d + 1]))
            of_other = slice(int(other_mentions[d]), int(other_mentions[d + 1]))
            if other.characters is not None and other.characters[d] is not None:
                its, at = ((other, of_other), (side, which))[number]
                theirs = self._of_both((own, theirs)[number], (theirs, own)[number], its.start[at], its.end[at])
            kept &= theirs is own
            cut += crc32(theirs.first.tobytes()) * (number == 0)
            self._texts[number][side.place_of(d)] = text, theirs.first
            begins, stops = own.first[start[which]], own.first[end[which] + 1]
            start[which], end[which] = theirs.token[begins], theirs.token[stops - 1]
            inside = (theirs.first[start[which]] != begins) | (theirs.first[end[which] + 1] != stops)
            widened += (which.start + np.flatnonzero(inside)).tolist()
            tokens[d] = theirs.tokens
            if (blank := theirs.first[1:] == theirs.first[:-1]).any():
                at_blank = blank[other.start[of_other]] | blank[other.end[of_other]]
                unreachable += (of_other.start + np.flatnonzero(at_blank)).tolist()
        if kept:
            return replace(side, characters=None)
        self.cut += cut
        self._tell("within-token", side, widened)
        self._tell("blank-token", other, unreachable)
        known = np.maximum(tokens, 0)
        lines = [0 if place is None else place.line or 0 for place in side.places]
        # The words of these tokens were compared by their characters.
        texts = side.texts and Texts(np.full(int(known.sum()), UNKNOWN), np.array(lines, dtype=np.int64).repeat(known))
        found = replace(side, start=start, end=end, tokens=tokens, texts=texts, characters=None)
        annotations = types_of(side.annotations, {} if self.of_characters else self._known)
        return by_appearance(replace(found, words=partial(_words_in, self._texts[number]), annotations=annotations))

    def _tell(self, code: str, side: Documents, mentions: Sequence[int]) -> None:
        """Add a notice about some mentions of a side, which names the first."""
        if mentions:
            first = side.mention(mentions[0])
            (words,) = texts_of([first])
            count = plural(len(mentions), "mention")
            self.notices.append(found_at(first.place, code, document=first.document, count=count, words=words))

    def _beside(self, side: Documents, other: Documents, document: int, own: Characters) -> Characters:
        """Return the same characters by the tokens of the other side. Raises `InputError` where it has another text."""
        from corefscore.matching.text.characters import as_they_are, of_pieces

        others = None if other.characters is None else other.characters[document]
        theirs = as_they_are(self._words(side, other, document)) if others is None else of_pieces(others)
        if not np.array_equal(own.code, theirs.code):
            size = min(len(own.code), len(theirs.code))
            same = int(np.argmin(np.append(own.code[:size] == theirs.code[:size], False)))
            raise refused(
                side.place_of(document),
                "other-text",
                document=side.names[document],
                text=own.text(slice(same, same + _AROUND)),
                other=theirs.text(slice(same, same + _AROUND)),
                place=str(other.place_of(document)),
            )
        return theirs

    def _of_both(self, key: Characters, response: Characters, start: Ints, end: Ints) -> Characters:
        """Return the tokens of a document of which both sides count characters: those of the key, if all mentions of
        the response, from token ``start`` to ``end`` of its own, begin and end with one of these, or its characters."""
        if key.begins[response.first[start]].all() and key.begins[response.first[end + 1]].all():
            return key
        self.of_characters = True
        return key.by_itself

    def _words(self, side: Documents, other: Documents, document: int) -> list[str]:
        """Find the words of a document of the other side. Raises `InputError` if it has none."""
        place = other.place_of(document)
        found: Annotations | None = None
        if other.annotations is not None and place.line is not None:
            if place.source not in self._words_of:
                self._words_of[place.source] = {its.line: its for its in other.annotations(place.source)}
            found = self._words_of[place.source].get(place.line)
        if found is None or not any(found.words):
            raise refused(side.place_of(document), "no-tokens", document=side.names[document], place=str(place))
        self._known[side.place_of(document)] = found
        return list(chain(*found.words))


def peek(batches: Iterator[Documents]) -> tuple[Documents | None, Iterator[Documents]]:
    """Read the first batch, if there is one; returns it, and all batches."""
    first = next(batches, None)
    # An iterator over the first lets go of it, which a list would not.
    return first, batches if first is None else chain(iter([first]), batches)


def _named_by_position(sides: Iterable[Iterator[Documents]], number: int) -> list[Iterator[Documents]]:
    """Return both sides, of which side ``number`` has no names of documents, with the names of the other side.

    They belong together by their position, which their texts confirm, or because both have one document. Raises
    `InputError` for another number of them.
    """
    whole = [joined(list(side)) for side in sides]
    without, names = whole[number], whole[1 - number].names
    if len(without) != len(names):
        details = {"count": plural(len(without), "document"), "others": len(names)}
        raise InputError([Finding("unnamed-documents", without.place_of(0).source.name, details=details)])
    whole[number] = replace(without, names=list(names))
    return [iter([side]) for side in whole]


WITHIN_TOKENS = (
    "both sides count characters, and mentions of a response begin or end within tokens of the key; score with "
    "--align, which widens them"
)
"""Why characters cannot be tokens."""


class Pairs(NamedTuple):
    """A batch of pairs; document d of ``key`` and of ``response`` belong together.

    If the response has no such document, its side is empty and ``present`` is false. ``fingerprint`` is that of the
    documents of the key as they were read. ``of_characters`` says that characters stand for tokens on both sides, and
    ``cut`` is a checksum of the tokens of the key if they are not its own, else 0. ``cut_from`` is the number of the
    document that each was cut from, if they are windows.
    """

    key: Documents
    response: Documents
    present: Bools
    fingerprint: int = 0
    of_characters: bool = False
    cut: int = 0
    cut_from: Ints | None = None

    def need_tokens(self, option: str) -> None:
        """Raise `UsageError` if mentions are not spans of tokens, which an option counts."""
        for name, side in ((KEY, self.key), (RESPONSE, self.response)):
            if int(side.start.min(initial=0)) < 0:
                raise UsageError(f"{option} needs mentions of the form (start, end), and the {name} has others")
        if self.of_characters:
            raise UsageError(f"{option} counts tokens, but {WITHIN_TOKENS}")

    def narrow(self) -> Pairs:
        """Return the pairs in less memory: narrow columns, and equal names of both sides once."""
        key, response = self.key.narrow(), self.response.narrow()
        names = key.names if key.names == response.names else response.names
        return self._replace(key=key, response=replace(response, names=names))


@dataclass(eq=False, repr=False)
class Names:
    """The names seen on one side, and where each document begins; ``exact`` means that all are CoNLL names.

    ``seen`` has each name by itself, so that equal names of two sides can be one object (``others``): of a corpus of
    small documents, a score keeps little else.
    """

    others: Mapping[str, str] = field(default_factory=dict)
    exact: bool = True
    seen: dict[str, str] = field(default_factory=dict)
    _places: list[Places] = field(default_factory=list)

    def add(self, documents: Documents) -> Documents:
        """Add the names of a batch, and return it. Raises `InputError` for a name that was already added."""
        self.exact = self.exact and documents.exact_names
        self._places.append(Places(documents.places))
        for name, place in zip(documents.names, documents.places, strict=True):
            assert place is not None, "no document that was read is missing"
            if name in self.seen:
                raise refused(place, "repeated-name", document=name, first=str(self.places({name})[name]))
            once = self.others.get(name, name)
            self.seen[once] = once
        return documents

    def places(self, names: Collection[str]) -> dict[str, Place]:
        """Return the places of some documents, in the order in which they were seen."""
        places = zip(self.seen, chain(*self._places), strict=False)
        return {name: place for name, place in places if place and name in names}


def in_other_form(key: Collection[str], response: Collection[str]) -> dict[str, str]:
    """Return the response name by key name, for pairs of documents whose names have the two forms."""
    ours, theirs = {*key}.difference(response), {*response}.difference(key)
    found: dict[str, str] = {}
    two_forms = _parts(key), _parts(response), _only_parts([*key, *response])
    for form, other in chain.from_iterable(its.items() for its in two_forms):
        for ours_name, theirs_name in ((form, other), (other, form)):
            if ours_name in ours and theirs_name in theirs:
                found[ours_name] = theirs_name
                ours.remove(ours_name)
                theirs.remove(theirs_name)
    return found


def _parts(names: Iterable[str]) -> dict[str, str]:
    """Return the names ``(X); part 000`` by their other form ``X_0``, if this can mean only one of them."""
    parts = ((part, name) for name in names if (part := part_of(name)))
    meant_by = lists_by_key((f"{document}_{number.lstrip('0') or '0'}", name) for (document, number), name in parts)
    return {names[0]: name for name, names in meant_by.items() if len(names) == 1}


def _only_parts(names: Iterable[str]) -> dict[str, str]:
    """Return the names ``(X); part 000`` with the name X, if the document has no other part."""
    parts = lists_by_key((part[0], (name, part[1])) for name in dict.fromkeys(names) if (part := part_of(name)))
    return {its[0][0]: document for document, its in parts.items() if len(its) == 1 and not its[0][1].strip("0")}


class Pairing:
    """All documents of the key, or the one named ``only``, paired with those of the response: batches of pairs.

    A response without a document of the key counts as one without mentions there; a document that only
    the response has is not scored (recorded cases missing-document, extra-document). Both give a notice, and
    so do different numbers of tokens, and faults in documents that are not scored. ``refuse`` is called with each error
    that only the comparison with the other side shows; it raises the error, or collects it and returns.

    Raises `InputError` for two documents of one name on a side and for a fault in a document that is
    scored; `UsageError` if the key has no document named ``only``.
    """

    def __init__(
        self,
        key: Iterator[Documents],
        response: Iterator[Documents],
        notices: list[Finding],
        only: str | None = None,
        refuse: Callable[[Finding], None] = refuse,
    ) -> None:
        self.notices, self.only, self.refuse = notices, only, refuse
        self.nameless: tuple[int, Place] | None = None
        (first, key), (other, response) = peek(key), peek(response)
        if first is not None and other is not None and first.unnamed != other.unnamed:
            nameless, number = (first, 0) if first.unnamed else (other, 1)
            if nameless.characters is not None or nameless.names[0] != str(nameless.place_of(0).line):
                key, response = _named_by_position((key, response), number)
            else:
                self.nameless = number, nameless.place_of(0)
        self.by_line = bool(first and first.unnamed and other and other.unnamed)
        self.compared = not self.by_line
        self.key_names = Names()
        self.response_names = Names(self.key_names.seen)
        self.key: Iterator[Documents] = map(self.key_names.add, key)
        self.response: Iterator[Documents] = map(self.response_names.add, response)
        self.in_tokens: _InTokens | None = None
        self.other_form: dict[str, str] = {}
        self.of_other_files: dict[str, tuple[Place, Place]] = {}
        self.waiting: dict[str, tuple[Documents, int]] = {}
        self.unscored = 0

    def __iter__(self) -> Iterator[Pairs]:
        while (batch := next(self.key, None)) is not None:
            wanted = np.array([self.only in (None, name) for name in batch.names], dtype=np.bool_)
            if batch.faults:
                self._tell_unscored(batch, [d for d in batch.faults if not wanted[d]])
            if wanted.any():
                yield self._pairs(batch.take(np.flatnonzero(wanted)))
            del batch  # before the next one is read
        if self.only is not None and self.only not in self.key_names.seen:
            asked, *known = (f'"{name}"' for name in (self.only, *self.key_names.seen))
            raise UnknownDocumentError(f"the key has no document named {asked}; {suggested(asked, known)}")
        while self._read_response():
            pass
        for batch, d in self.waiting.values():
            if d in batch.faults:
                self._tell_unscored(batch, [d])
        if self.of_other_files:
            self._refuse_other_files()
        key, response = self.key_names.seen, self.response_names.seen
        if self.nameless is not None:
            number, place = self.nameless
            both = (key.keys() & response.keys()).union((self.other_form.values(), self.other_form.keys())[number])
            named = (self.response_names, self.key_names)[number].places(both)
            if (other := next((name for name, its in named.items() if name != str(its.line)), None)) is not None:
                self.notices.append(found_at(place, "named-by-line", document=other))
        lacking = {name for name in key if self.only in (None, name) and name not in response} - self.other_form.keys()
        more = {name for name in response if name not in key}.difference(self.other_form.values())
        if lacking or more:
            missing, extra = self.key_names.places(lacking), self.response_names.places(more)
            if lacking and more and self.by_line:
                self.refuse(found_at(next(iter(extra.values())), "other-lines"))
                return
            self.notices += unpaired(missing, extra, len(key), alone=self.only is not None)

    def _pairs(self, key: Documents) -> Pairs:
        """Pair a batch of the key."""
        of_key = fingerprint(key)
        while not all(name in self.waiting for name in key.names) and self._read_response():
            pass
        missing = {name for name in key.names if name not in self.waiting}
        two_forms = not (self.key_names.exact and self.response_names.exact)
        if missing and two_forms and not self.other_form and in_other_form(missing, self.response_names.seen):
            self.key = iter(list(self.key))  # they stay in memory until they are scored
            self.other_form = in_other_form(self.key_names.seen, self.response_names.seen)
        found = [self.waiting.pop(self.other_form.get(name, name), None) for name in key.names]
        parts = {id(there[0]): there[0] for there in found if there is not None}
        # The documents in the parts before each.
        before = dict(zip(parts, accumulate(map(len, parts.values()), initial=0), strict=False))
        places = [-1 if there is None else before[id(there[0])] + there[1] for there in found]
        chosen = np.array(places, dtype=np.int64)
        response = joined(list(parts.values())).take(chosen)
        present = chosen >= 0
        if self.other_form:
            response = replace(response, names=[name if p else "" for name, p in zip(key.names, present, strict=True)])
        if not self.compared:
            self.compared = True
            self._compare_texts(key, response)
        cut, of_characters = 0, False
        if key.characters is not None or response.characters is not None:
            self.in_tokens = self.in_tokens or _InTokens(self.notices)
            self.in_tokens.cut, self.in_tokens.of_characters = 0, False
            key, response = self.in_tokens.side(key, response, 0), self.in_tokens.side(response, key, 1)
            cut, of_characters = self.in_tokens.cut, self.in_tokens.of_characters
        if key.items is not None and response.items is not None:
            from corefscore.matching.items import compared

            response, found_in_one = compared(key, response, present)
            told = {its.code for its in self.notices} - {"other-items"}  # which are of documents
            self.notices += [its for its in found_in_one if its.code not in told]
        self._check(key, response, present)
        if key.nodes is not None and response.nodes is not None:
            both = zip(key.names, key.places, response.places, strict=True)
            self.of_other_files |= {n: (k, r) for n, k, r in both if k and r and k.source.stem != r.source.stem}
        return Pairs(key, response, present, of_key, of_characters, cut)

    def _compare_texts(self, key: Documents, response: Documents) -> None:
        """Add a notice if most words of one of the first documents differ, which were paired by line."""
        for place, *layers in islice(zip(response.places, key.layers(), response.layers(), strict=True), _FIRST):
            words = [[*map(str.casefold, chain(*layer.words))] if layer else [] for layer in layers]
            if place and len(words[0]) == len(words[1]) > max(2 * sum(map(eq, *words)), _WORDS) and len(key) > 1:
                self.notices.append(found_at(place, "unlike-by-line", document=str(place.line)))
                return

    def _refuse_other_files(self) -> None:
        """Refuse a pair of CorefUD from files of different names, if another file has a document of the same name."""
        sides = (its.places(its.seen).items() for its in (self.key_names, self.response_names))
        named = [(name, f" ({place.source.file})") for side in sides for name, place in side]
        again = {name.removesuffix(file) for name, file in named if name.endswith(file)}
        for name in [name for name in self.of_other_files if name in again][:1]:
            key, response = self.of_other_files[name]
            self.refuse(found_at(response, "other-file", document=name, file=key.source.file))

    def _read_response(self) -> bool:
        """Read the next batch of the response; returns whether there is one."""
        if (batch := next(self.response, None)) is None:
            return False
        self.waiting.update((name, (batch, d)) for d, name in enumerate(batch.names))
        return True

    def _check(self, key: Documents, response: Documents, present: Bools) -> None:
        if faults := {**response.faults, **key.faults}:
            raise InputError([faults[min(faults)]()])
        if not (known := present & (key.tokens >= 0) & (response.tokens >= 0)).all():
            for finding in chain(_beyond(key, response, present), _beyond(response, key, present)):
                self.refuse(finding)
        differ = known & (key.tokens != response.tokens)
        none = 0, 0
        # By document, so that the order does not depend on how documents are cut into batches.
        for d in sorted({*np.flatnonzero(differ).tolist(), *key.comments, *response.comments}):
            if differ[d]:
                self._differ("token-count", response, d, key=int(key.tokens[d]), response=int(response.tokens[d]))
            counts = key.comments.get(d, none), response.comments.get(d, none)
            if present[d] and key.exact_names and response.exact_names and counts[0] != counts[1]:
                self._differ("other-comments", response, d, key=counts[0][0], response=counts[1][0])

    def _differ(self, code: str, documents: Documents, d: int, **numbers: int) -> None:
        """Add a notice about a document."""
        self.notices.append(found_at(documents.place_of(d), code, document=documents.names[d], **numbers))

    def _tell_unscored(self, batch: Documents, documents: list[int]) -> None:
        """Add notices about the faults of documents that are not scored."""
        for d in documents:
            self.unscored += 1
            if self.unscored > SHOWN:
                # This one is only counted, since the file would have to be read again to say what is wrong.
                details = {"fault": f'in document "{batch.names[d]}"'}
                self.notices.append(Finding("unscored-fault", batch.place_of(d).source.name, details=details))
            else:
                fault = batch.faults[d]()
                self.notices.append(fault._replace(code="unscored-fault", details={"fault": fault.found}))


def unpaired(
    missing: Mapping[str, Place], extra: Mapping[str, Place], count: int, *, alone: bool = False
) -> Iterator[Finding]:
    """Report the documents that one side lacks; the key has ``count``. With ``alone`` only those of the response."""
    if extra and missing and len(missing) == count:
        other, place = next(iter(extra.items()))
        yield found_at(place, "no-common-document", key=next(iter(missing)), response=other)
    yield from _alone("missing-document", missing, extra)
    yield from _alone("extra-document", {} if alone else extra, missing)


def _alone(code: str, documents: Mapping[str, Place], others: Mapping[str, Place]) -> Iterator[Finding]:
    """Report some documents without a partner, with the most similar name among the ``others``."""
    near = list(islice(others, 1000))
    for number, (name, place) in enumerate(documents.items()):
        # Only so many are shown, and finding similar names takes time.
        like = nearest(name, near, count=1) if number < SHOWN else []
        hint = f'; the most similar unmatched name is "{like[0]}"' if like else ""
        yield found_at(place, code, document=name, nearest=hint)


def _beyond(side: Documents, other: Documents, present: Bools) -> Iterator[Finding]:
    """Yield the mentions beyond the last token of their document, whose number of tokens only the other side has, and
    those that are no spans of tokens, such as (-1, -1) or (5, 3), beside others that are.
    """
    if not (unknown := present & (side.tokens < 0) & (other.tokens >= 0)).any():
        return
    document = side.document[side.entity]
    odd = (side.start < 0) & (side.items is not None and (side.start >= 0).any())
    for mention in np.flatnonzero(unknown[document] & (odd | (side.end >= other.tokens[document]))).tolist():
        d = int(document[mention])
        what = f"[{side.start[mention]}, {side.end[mention]}]"
        expected = f"offsets below {other.tokens[d]}, the number of tokens on the other side{NO_CHARACTERS}"
        if odd[mention]:
            (what,) = texts_of([side.mention(mention)])
            expected = "(first token, last token), counted from 0, as in the other mentions"
        details = {"document": side.names[d], "place": "a mention", "what": what, "expected": expected}
        yield found_at(side.place_of(d), "bad-mention", **details)
