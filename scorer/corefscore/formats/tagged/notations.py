"""The table of notations: how tags in a text say which words are a mention, and of which entity.

A notation finds the tags of a text one after the other (`_Tag`). For all notations, `untagged` removes and pairs them.
Faulty tags, which language models write, are counted and never rejected:

- A tag that opens a mention and is never closed is ignored, and so is one that closes nothing.
- A pair of tags without an id, or without a word between them, is ignored, too.
- What is nearly a tag of the notation, or a tag of another one, is read as text; so is a pair of tags with two ids.
- Crossing mentions are scored as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.errors import UsageError
from corefscore.formats.base import FAULTS, zeros_in
from corefscore.formats.words import words_in
from corefscore.formats.written import crossings

_OPEN, _CLOSE, _PLAIN_OPEN, _PLAIN_CLOSE = range(4)
"""What a tag does: it opens a mention or closes one. The plain ones are probably brackets of the text itself, which are
paired with each other."""

_ID = r"[A-Za-z_]*[0-9]+"
_PART = r"(?:[._-][0-9]+|[A-RT-Za-rt-z](?![^\W\d_]))*"
"""What an id can be in notations in which a word could be taken for one, and what can follow it if words follow it
without a blank: `3.1`, `3-1`, `3a`."""

_PREFIX = "cluster_"
"""What may precede an id without being a part of it."""

_NEARLY_ID = rf"#?(?:{_PREFIX})?[A-Za-z_]{{0,20}}\d{{1,9}}"
"""An id in what is nearly a tag."""


class _Tag(NamedTuple):
    """A tag: ``text[start:stop]``, what it does, and the id that it has."""

    start: int
    stop: int
    kind: int
    id: str | None


class _Marked(NamedTuple):
    """A mention of words ``first`` to ``last``, counted from 0, and its entity."""

    entity: str
    first: int
    last: int


class Untagged(NamedTuple):
    """A text without its tags: its words, and its mentions in the order in which they open. ``zeros`` are the words
    that may be zeros. ``odd`` has the tags with each fault (`corefscore.formats.base.FAULTS`), by where they begin and
    end in the text, ``origin`` gives where a word begins there."""

    words: Sequence[str]
    mentions: Sequence[_Marked]
    zeros: Sequence[int]
    odd: Mapping[str, Sequence[_Tag]]
    origin: Callable[[int], int]

    @property
    def faults(self) -> Mapping[str, int]:
        """How many tags have which fault."""
        return {fault: len(places) for fault, places in self.odd.items()}


class Notation(NamedTuple):
    """One row of the table.

    ``tags`` gives the tags of a text. ``sign`` is a pattern that text in this notation contains, and hardly any other
    text; ``near`` matches what is nearly a tag. ``opening`` and ``closing`` are how it writes a tag, ``{id}`` being the
    id. ``ids`` is what an id can be, ``unfit`` what a word cannot contain; without ``ids`` a notation can only be read.
    With ``by_id`` a tag closes the mention of its own id, not the one that was opened last, so that mentions can cross.
    With ``by_line`` a line is a document, and tags belong to words.
    """

    name: str
    tags: Callable[[str], Iterator[_Tag]]
    sign: str
    near: str = ""
    opening: str = ""
    closing: str = ""
    ids: str = ""
    unfit: str = ""
    by_id: bool = False
    by_line: bool = False


def _by_pattern(text: str, pattern: re.Pattern[str]) -> Iterator[_Tag]:
    """Yield the tags that a pattern finds. The names of its groups say what a tag does."""
    kinds = [(kind, pattern.groupindex[name]) for kind, name in enumerate(_KINDS) if name in pattern.groupindex]
    ids = [group for name, group in pattern.groupindex.items() if name.startswith("id")]
    for match in pattern.finditer(text):
        start, stop = match.span()
        for kind, group in kinds:
            if match[group] is not None and stop > start:
                entity_id = next((match[name] for name in ids if match[name]), None)
                yield _Tag(start, stop, kind, entity_id and entity_id.removeprefix(_PREFIX))
                break


_KINDS = ("open", "close", "plain_open", "plain_close")
"""The names of the groups of a pattern, by what a tag does."""

_OF_WORD = re.compile(r"(\[?)([^\s,\[\]|]*)(\]?)")
"""One of the tags of a word in the notation of the CRAC tasks."""


def _by_word(text: str) -> Iterator[_Tag]:
    """Yield the tags after words: ``word|[e1,e2]``, where ``[e1`` opens, ``e2]`` closes, and ``[e3]`` is both."""
    for match in re.finditer(r"\S+", text):
        word, bar, marks = match[0].rpartition("|")
        if not bar or not ("[" in marks or "]" in marks):
            continue
        start, stop = match.start() + len(word), match.end()
        for mark in marks.split(","):
            brackets = _OF_WORD.fullmatch(mark)
            opens, name, closes = brackets.groups() if brackets else ("", "", "")
            if opens:
                yield _Tag(match.start(), match.start(), _OPEN, name or None)
            if closes or not opens:
                yield _Tag(start, start, _CLOSE, (closes and name) or None)
        yield _Tag(start, stop, _PLAIN_CLOSE, None)


def _pattern(words: str) -> Callable[[str], Iterator[_Tag]]:
    return partial(_by_pattern, pattern=re.compile(words))


NOTATIONS = (
    Notation(
        "markdown",  # links of Markdown: [[Ann](#3)'s cat](#1)
        _pattern(r"(?P<open>\[)|(?P<close>\]\(#(?P<id>[^()\s#]{1,99})\))|(?P<plain_close>\])"),
        sign=r"\]\(#[^()\s]{1,99}\)",
        near=rf"\]\([^()\s]{{1,99}}\)?|\]\s{{0,9}}\(\s{{0,9}}#[^()\n]{{0,99}}\)?|\][{{\[_^#]{_NEARLY_ID}[\]}}]?"
        rf"|[(\uff08][#\uff03]{_NEARLY_ID}[)\uff09]",
        opening="[",
        closing="](#{id})",
        ids=rf"(?!{_PREFIX})[^()\s#]{{1,99}}",
        unfit=r"[\[\]]",
    ),
    Notation(
        "xml",  # elements of XML: <m><m>Ann</m>#3's cat</m>#1
        _pattern(
            r"""(?P<open><m(?:\s{1,9}id\s{0,9}=\s{0,9}["']?#?(?P<id1>[^\s"'<>]{1,99})["']?)?\s{0,9}>)"""
            rf"|(?P<close></m>(?:#(?P<id2>(?:{_PREFIX})?{_ID}{_PART}))?)"
        ),
        sign=r"<m[\s>]|</m>",
        near=r"<\s{0,9}/?\s{0,9}[mM]\b[^<>]{0,99}>|<[A-Za-z]\w{0,30}\s[^<>]{0,99}\bid\s{0,9}=[^<>]{0,99}>|&lt;m\b",
        opening="<m>",
        closing="</m>#{id}",
        ids=rf"(?!{_PREFIX}){_ID}{_PART}",
        unfit=r"<(?=/?m)",
    ),
    Notation(
        "words",  # tags after words, as in the text-to-text track of the CRAC tasks: Ann|[e1,[e3] 's cat|e1]
        _by_word,
        sign=r"\S\|(?:\[[^\s,\[\]|]{1,99}\]?|[^\s,\[\]|]{1,99}\])(?:,\S*)?(?:\s|\Z)",
        near=rf"[^\s|]\|[({{<]?{_NEARLY_ID}[)}}>]?(?![^\s.,;:!?])|[^\s\[|]\[{_NEARLY_ID}\](?![^\s.,;:!?])",
        ids=r"[^\s,\[\]|]{1,99}",
        unfit=r"\|",
        by_id=True,
        by_line=True,
    ),
    Notation(
        "braces",  # braces with the id in front: {1 {3 Ann}'s cat}
        _pattern(rf"(?P<open>\{{(?P<id>(?:{_PREFIX})?{_ID})\s)|(?P<close>\}})|(?P<plain_open>\{{)"),
        sign=rf"\{{(?:{_PREFIX})?{_ID}\s",
        near=rf"\{{\s{{0,9}}{_NEARLY_ID}(?:[\s:|,}}-]|(?=[^\W\d_]))|\[{_NEARLY_ID}[:|\s]"
        rf"|(?:\{{[^\W\d_][^{{}}\n]{{0,99}})?\}}[_#({{\[]{_NEARLY_ID}|\{{(?:[^\W\d_]|\[)[^{{}}\n]{{0,99}}\}}",
        opening="{{{id} ",
        closing="}}",
        ids=rf"(?!{_PREFIX}){_ID}",
        unfit=r"[{}]",
    ),
)
"""Every notation. Of two that fit the content of a file equally well, the first is taken."""

NAMES = tuple(notation.name for notation in NOTATIONS)


def find(words: str, *, writes: bool = False) -> Notation:
    """Return the notation of that name, or the one that a pattern is. Raises `UsageError` for what is neither, and for
    a pattern where a notation has to be written (``writes``).
    """
    for notation in NOTATIONS:
        if notation.name == words:
            return notation
    if writes:
        raise UsageError(f"--tags {words!r}: expected {', '.join(NAMES)}; a pattern can be read, but not written")
    expected = (
        f"expected {', '.join(NAMES)}, or a regular expression with the groups open, close and id, such as "
        r"'<(?P<open>(?P<id>\d+):)|(?P<close>>)'"
    )
    try:
        pattern = re.compile(words)
    except re.error as error:
        raise UsageError(f"--tags {words!r} is not a regular expression: {error}; {expected}") from error
    groups = pattern.groupindex
    if not {"open", "close"} <= groups.keys() or not any(name.startswith("id") for name in groups):
        raise UsageError(f"--tags {words!r}: {expected}")
    # If both tags may have an id, tags with the same id are paired.
    by_id = sum(name.startswith("id") for name in groups) > 1
    return Notation(words, partial(_by_pattern, pattern=pattern), words, by_id=by_id)


def recognised(text: str) -> Notation | None:
    """Return the notation whose sign is most frequent in a text; None if there is no sign."""
    counts = [sum(1 for _ in re.finditer(notation.sign, text)) for notation in NOTATIONS]
    return NOTATIONS[counts.index(max(counts))] if any(counts) else None


def untagged(text: str, notation: Notation) -> Untagged:
    """Return a text without its tags, in time that is linear in its length for every notation of the table."""
    tags = list(notation.tags(text))
    pairs, odd, kept = _paired(tags, by_id=notation.by_id)
    plain, places, origin = _plain(text, tags, kept)
    spans = [(entity, places[opens], places[closes]) for opens, closes, entity in pairs]
    words = words_in(plain, (border for _, *ends in spans for border in ends))
    starts, stops = [start for start, _ in words], [stop for _, stop in words]
    mentions, opened = [], []
    for (opens, _, _), (entity, start, stop) in zip(pairs, spans, strict=True):
        first, last = bisect_left(starts, start), bisect_left(stops, stop + 1) - 1
        if first > last:
            odd["unreadable"].append(opens)
        else:
            mentions.append(_Marked(entity, first, last))
            opened.append(opens)
    odd["crossing"] = [opened[number] for _, number in crossings([mention[1:] for mention in mentions])]
    texts = [plain[start:stop] for start, stop in words]
    faulty = {fault: [tags[tag] for tag in sorted(of_fault)] for fault, of_fault in odd.items()}
    unknown = (match.span() for match in _unknown(notation.name).finditer(plain))
    faulty["unknown"] = [_Tag(int(origin[at]), int(origin[stop - 1]) + 1, _OPEN, None) for at, stop in unknown]
    return Untagged(texts, mentions, zeros_in(texts), faulty, lambda word: int(origin[starts[word]]))


@cache
def _unknown(name: str) -> re.Pattern[str]:
    """Compile a pattern for what, in text without the tags of a notation, is nearly one of them, or a tag of another
    notation."""
    return re.compile("|".join(row.near if row.name == name else row.sign for row in NOTATIONS))


def _paired(
    tags: Sequence[_Tag], *, by_id: bool
) -> tuple[list[tuple[int, int, str]], dict[str, list[int]], Collection[int]]:
    """Return the pairs of tags with their ids, in the order in which they open; the tags with each fault; and those
    that are part of the text.
    """
    odd: dict[str, list[int]] = {fault: [] for fault in FAULTS[:-1]}
    pairs: list[tuple[int, int, str]] = []
    kept: set[int] = set()
    opened: dict[str | None, list[int]] = defaultdict(list)
    for tag, (start, stop, kind, entity_id) in enumerate(tags):
        waiting = opened[entity_id if by_id else None]
        if kind in (_OPEN, _PLAIN_OPEN):
            waiting.append(tag)
        elif not waiting:
            if kind == _CLOSE:
                odd["unopened"].append(tag)
            elif stop > start and not by_id:
                kept.add(tag)
        elif kind == _PLAIN_CLOSE and by_id:
            continue
        else:
            opens = waiting.pop()
            ids = {each for each in (tags[opens].id, entity_id) if each is not None}
            if tags[opens].kind == _PLAIN_OPEN or kind == _PLAIN_CLOSE or len(ids) > 1:
                # Two brackets of the text are a pair, and tags with two ids are read as text.
                kept |= {opens, tag}
            elif ids:
                pairs.append((opens, tag, ids.pop()))
            else:
                odd["unreadable"].append(tag)
    for rest in opened.values():
        odd["unclosed"] += [tag for tag in rest if tags[tag].kind == _OPEN]
        kept.update(tag for tag in rest if tags[tag].kind == _PLAIN_OPEN)
    return sorted(pairs), odd, kept


def _plain(text: str, tags: Sequence[_Tag], kept: Collection[int]) -> tuple[str, Sequence[int], Ints]:
    """Return the text without tags except those that are kept; where each tag begins in it; and where each of its
    characters is in the tagged text.
    """
    left = np.ones(len(text), dtype=np.bool_)
    for tag, (start, stop, *_) in enumerate(tags):
        if tag not in kept:
            left[start:stop] = False
    origin = np.flatnonzero(left)
    edges = np.flatnonzero(np.diff(left, prepend=False, append=False)).tolist()
    plain = "".join(text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True))
    return plain, np.searchsorted(origin, [start for start, *_ in tags]).tolist(), origin


_LIKE_ID = r"#?[A-Za-z_]{0,20}\d{1,9}(?a:\b)"
"""What an id can be in such a notation."""


def _behind(before: str, after: str, opening: str = r"\[") -> tuple[str, str]:
    """Return the sign and the pattern of a notation with the id between these, after a mention and its bracket."""
    close = rf"{before}#?(?P<id>[A-Za-z\d_]+){after}"
    pattern = rf"(?P<open>{opening})|(?P<close>{close})|(?P<plain_close>\])"
    return rf"{opening}[^\[\]\n]{{1,99}}{before}{_LIKE_ID}{after}", pattern


def _in_front(opening: str, closing: str, before: str = "#?", after: str = "[:|]") -> tuple[str, str]:
    """Return the sign and the pattern of a notation with the id between these, in brackets before the mention."""
    pattern = rf"(?P<open>{opening}{before}(?P<id>\w+){after})|(?P<close>{closing})|(?P<plain_open>{opening})"
    return rf"{opening}(?={before}\w){_LIKE_ID}{after}[^{opening}{closing}\n]{{0,99}}{closing}?", pattern


def _elements(attribute: str) -> tuple[str, str]:
    """Return the sign and the pattern of elements with the id in an attribute. Elements that refer to others (``ref``)
    have an id for each mention, not for each entity."""
    sign = (
        r"<(?P<name>[A-Za-z]\w{0,30})\s(?![^<>]{0,99}\b[rR][eE][fF]\s{0,9}=)(?:[^<>]{0,99}\s)?"
        rf"(?P<attribute>{attribute})\s{{0,9}}=\s{{0,9}}[\"']?(?P<value>{_LIKE_ID})[^<>]{{0,99}}>"
    )
    # An id between quotes can have blanks, and without an id a tag is one nevertheless.
    found = r"[\x22\x27]?(?P<id>(?<=[\x22\x27])[^<>\x22\x27]+|[^\s<>\x22\x27]+)?"
    return sign, rf"<(?P<open>NAME)\b[^<>]*?\bATTRIBUTE\s*=\s*{found}[^<>]*>|</(?P<close>NAME)>"


_NEARBY = tuple(
    (re.compile(sign), pattern)
    for sign, pattern in (
        _behind(r"\]\(", r"\)"),
        _behind(r"\]\{", r"\}"),
        _behind(r"\]\[", r"\]"),
        _behind(r"\][_^]\{?", r"\}?"),
        _behind(r"\|", r"\]\]", r"\[\["),
        _in_front(r"\[", r"\]"),
        _in_front(r"\{", r"\}"),
        _in_front(r"\[", r"\]", "#", r"\s"),
        _in_front(r"\{", r"\}", "#", r"\s"),
        _elements("(?i:entity|cluster|chain|coref|set)(?:_?(?i:id))?"),
        _elements("(?i:id)"),
    )
)
"""Each notation: what its text contains, and the pattern (``--tags``) that reads it."""


def nearby(text: str) -> tuple[re.Match[str], str] | None:
    """Find the most frequent of these notations in a text: its first tag and its pattern; None if there is none. If
    each element has an id of its own, these are ids of mentions, which no pattern is for."""
    if not any(counts := [sum(1 for _ in sign.finditer(text)) for sign, _ in _NEARBY]):
        return None
    sign, pattern = _NEARBY[counts.index(max(counts))]
    first = sign.search(text)
    assert first is not None, "it was counted"
    for name, value in first.groupdict().items():
        pattern = pattern.replace(name.upper(), value)
    ids = [match["value"] for match in sign.finditer(text)] if "value" in sign.groupindex else []
    return first, "" if len(ids) == len({*ids}) > 1 else pattern
