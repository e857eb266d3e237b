"""CoNLL line by line: what a line is, its word, and documents as lines.

`scorer.formats.conll` reads mentions without looking at most lines; whoever wants words goes through here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.findings import Finding, counted
from scorer.formats.row import NO_WORD, Asked, FullDocument, Sentences, passage, passage_places
from scorer.model import Documents, part_of
from scorer.sources import Source

MARK = b"\xef\xbb\xbf"

BEGIN, END = b"begin document ", b"end document"
END_MARKER = re.compile(rb"#[^\S\n]*" + END)

COLUMNS = 5
"""How many columns are written: document, part, number of the token in its sentence, word, coreference."""


def as_text(raw: bytes) -> str:
    """Bytes as text that gives the same bytes back, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


class Marker(NamedTuple):
    """A line that begins a document of this name, or ends one: then there is no name."""

    name: str | None


ENDS = Marker(None)


def marker_of(line: bytes) -> Marker | None:
    """Rule 1 of the grammar in `scorer.formats.conll`, for a line without its LF: the marker that it is, or None."""
    if line.startswith(b"#"):
        marker = line[1:].lstrip()
        if marker.startswith(BEGIN):
            return Marker(as_text(marker[len(BEGIN) :].removesuffix(b"\r")))
        if marker.startswith(END):
            return ENDS
    return ENDS if END in line and END_MARKER.search(line) else None


def holds_token(line: bytes) -> bool:
    """Rule 3 of the grammar in `scorer.formats.conll`, for a line that is no marker."""
    if not line.startswith(b"#"):
        return bool(line.strip())
    return b"\t" in line or re.search(rb"\(\d|\d\)", line.rstrip().rsplit(b" ", 1)[-1]) is not None


def columns_of(line: bytes) -> list[bytes]:
    """The columns of a token: rule 4 of the grammar in `scorer.formats.conll`."""
    ended = line.removesuffix(b"\n")
    text = ended.removesuffix(b"\r")
    if b"\t" in text:
        return (text.rstrip(b"\t") if text == ended else text).split(b"\t")
    return [column for column in text.split(b" ") if column]


def word(columns: Sequence[bytes]) -> str:
    """The fourth column, as in CoNLL-2011/2012, or the one before the last where there are fewer than five."""
    if len(columns) == 1:
        return NO_WORD
    return as_text((columns[3] if len(columns) > 4 else columns[-2]).strip())


def words(documents: Documents, mentions: Sequence[int]) -> list[str]:
    """The words of some mentions. Each file is read once, for all of its mentions."""
    by_source: dict[Source, list[int]] = defaultdict(list)
    for mention in mentions:
        by_source[documents.place_of(int(documents.document[documents.entity[mention]])).source].append(mention)
    texts: dict[int, str] = {}
    for source, its in by_source.items():
        sizes = documents.end[its] - documents.start[its] + 1
        spans = list(zip(documents.line[its].tolist(), sizes.tolist(), strict=True))
        texts.update(zip(its, _texts(source, spans), strict=True))
    return [texts[mention] for mention in mentions]


def _texts(source: Source, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The words of spans of one file, each given by the line of its first token and its number of tokens.

    Only the words that a `passage` shows are kept, so spans may be long, many and nested.
    """
    beginning = defaultdict(list)
    for at, (line, _) in enumerate(spans):
        beginning[line].append(at)
    last = max(beginning, default=0)
    shown: list[list[int]] = [[] for _ in spans]
    wanted: dict[int, str] = {}
    token = end = 0
    for number, line_text in source.numbered_lines():
        for at in beginning.get(number, ()):
            shown[at] = passage_places(token, spans[at][1])
            wanted.update(dict.fromkeys(shown[at], ""))
            end = max(end, token + spans[at][1])
        if token < end and holds_token(line_text):
            if token in wanted:
                wanted[token] = word(columns_of(line_text))
            token += 1
        if number >= last and token >= end:
            break
    return [passage([wanted[place] for place in places], size) for places, (_, size) in zip(shown, spans, strict=True)]


def sentences(source: Source, notices: list[Finding], asked: Asked) -> Iterator[Sentences]:
    """The words of a file, document by document; lines of white space part sentences.

    Notices tell where the file first has columns that are not among those of `write`, and where a comment.
    """
    found: list[list[str]] | None = None
    more_columns = commented = False
    for number, line in source.numbered_lines():
        text = line.removesuffix(b"\n")
        text = text.removeprefix(MARK) if number == 1 else text
        if marker := marker_of(text):
            if found is not None:
                yield [sentence for sentence in found if sentence]
            found = None if marker.name is None else [[]]
        elif found is None:
            continue
        elif not text.strip():
            found.append([])
        elif holds_token(text):
            columns = columns_of(line)
            found[-1].append(word(columns))
            if len(columns) > COLUMNS and not more_columns:
                more_columns = True
                notices.append(Finding("dropped-columns", source.name, number, details={"count": len(columns)}))
        elif not commented:
            commented = True
            notices.append(Finding("dropped-comments", source.name, number))
    if found is not None:
        yield [sentence for sentence in found if sentence]


def write(documents: Iterator[FullDocument], notices: list[Finding]) -> Iterator[str]:
    """Documents as CoNLL, with the columns of `COLUMNS`, separated by tabs.

    What cannot be held is added to the notices: unknown words; words with line ends or tabs; mentions of one entity
    that cross.
    """
    for document in documents:
        yield f"#begin document {document.name}\n"
        yield from _token_lines(document, notices)
        yield "#end document\n"


def _token_lines(document: FullDocument, notices: list[Finding]) -> Iterator[str]:
    def notice(code: str, **details: object) -> None:
        place = document.place
        details["document"] = document.name
        notices.append(Finding(code, place.source.name, place.line, details=details))

    its_cells = cells(document)
    for entity, spans in document.entities.items():
        if crossing := _crossing(spans):
            notice("crossing-mentions", entity=entity, first=list(crossing[0]), second=list(crossing[1]))
    its_sentences = document.sentences
    if its_sentences is None:
        tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
        notice("no-words", tokens=tokens)
        its_sentences = [[NO_WORD] * tokens]
    name, part = part_of(document.name) or (document.name, "0")
    first_columns = re.sub(r"\s", "_", name) + "\t" + part
    # What would end a column, a line or the document, and white space at the ends, which reading takes off.
    unfit = re.compile(r"[\t\n]|\A\s|\s\Z|#\s*end document", re.ASCII)
    if empty := sum(not sentence for sentence in its_sentences):
        notice("empty-sentences", count=counted(empty, "sentence"))
    token = 0
    for at, sentence in enumerate(filter(None, its_sentences)):
        if at:
            yield "\n"
        for number, its_word in enumerate(sentence):
            written = its_word
            if unfit.search(its_word):
                written = re.sub(r"\s", "_", its_word)
                notice("changed-word", word=ascii(its_word), token=token, written=written)
            yield f"{first_columns}\t{number}\t{written}\t{its_cells.get(token, '-')}\n"
            token += 1


def cells(document: FullDocument) -> dict[int, str]:
    """The cells of coreference of a document, by token: brackets stand in the order in which they nest."""
    singles, opens, closes = defaultdict(list), defaultdict(list), defaultdict(list)
    for entity, spans in document.entities.items():
        for start, end in spans:
            if start == end:
                singles[start].append(f"({entity})")
            else:
                opens[start].append((-end, f"({entity}"))
                closes[end].append((-start, f"{entity})"))
    held: dict[int, list[str]] = defaultdict(list)
    for token, pieces in singles.items():
        held[token] += pieces
    for brackets in (opens, closes):
        for token, found in brackets.items():
            held[token] += [piece for _, piece in sorted(found, key=lambda bracket: bracket[0])]
    return {token: "|".join(pieces) for token, pieces in held.items()}


def _crossing(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two mentions of one entity that its brackets cannot tell from nested ones, if there are any.

    That is so where the second begins within the first and ends behind it; also where it begins at the last token
    of the first, since the brackets that open in a cell do so before others close.
    """
    around: list[tuple[int, int]] = []
    for span in sorted((span for span in spans if span[0] < span[1]), key=lambda span: (span[0], -span[1])):
        while around and around[-1][1] < span[0]:
            around.pop()
        if around and around[-1][1] < span[1]:
            return around[-1], span
        around.append(span)
    return None
