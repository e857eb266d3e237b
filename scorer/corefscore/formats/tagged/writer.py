"""Documents as text with tags: to make prompts, and answers to show in them.

In the notation of the CRAC tasks each line is a document. In the others each line is an object of JSON: `doc_key`, the
name; `text`, the words; `answer`, the same with tags. Sentences are lines of the text.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from corefscore.checking.findings import Finding, plural
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
from corefscore.formats.row import NO_WORD, ZERO, FullDocument, Request, Sentences, changed_order, order_kept
from corefscore.formats.tagged.notations import NOTATIONS, Notation, find
from corefscore.formats.tagged.reader import FIELD

WIDER = 0xFEE0
"""How far a character of ASCII is from its full-width form, which is compared as the same."""

Spans = Sequence[tuple[int, int, str]]
"""Mentions: first token, last token, id."""


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request) -> Iterator[str]:
    """Documents as text with tags; notices tell what the notation cannot say.

    Raises `UsageError` for a notation that can only be read.
    """
    notation = find(request.tags or NOTATIONS[0].name, writes=True)
    for document in documents:
        yield _line(document, notation, notices)


def _line(document: FullDocument, notation: Notation, notices: list[Finding]) -> str:
    def notice(code: str, **details: object) -> None:
        place = document.place
        details["document"] = document.name
        notices.append(Finding(code, place.source.name, place.line, details=details))

    sentences, widened = _fit(_words(document, notice), notation, document.zeros)
    if widened:
        notice("widened-brackets", count=plural(widened, "word"), notation=notation.name)
    ids = _ids(document.entities, notation)
    if ids is None:
        ids = {name: str(number) for number, name in enumerate(document.entities, start=1)}
        if notation.by_line:
            ids = {name: f"e{number}" for name, number in ids.items()}
        notice("unsaid-ids", notation=notation.name)
    spans = [(start, end, ids[name]) for name, mentions in document.entities.items() for start, end in mentions]
    if not notation.by_id:
        spans, crossing = nested(spans)
        if crossing:
            notice("unsaid-crossing", count=plural(crossing, "mention"), notation=notation.name)
    if not order_kept(document, document.entities):
        notices.append(changed_order(document))
    tagged = _by_word(sentences, spans) if notation.by_line else _around(sentences, spans, notation)
    if notation.by_line:
        return f"{tagged}\n"
    plain = "\n".join(map(" ".join, sentences))
    fields = {NAMES_OF_DOCUMENTS[0]: document.name, "text": plain, FIELD: tagged}
    line = json.dumps(fields, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line) + "\n"


def _words(document: FullDocument, notice: object) -> Sentences:
    """The words of a document; `NO_WORD` for each where they are not known."""
    if document.sentences is not None:
        return document.sentences
    tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
    assert callable(notice)
    notice("no-words", tokens=tokens)
    return [[NO_WORD] * tokens]


def _fit(sentences: Sentences, notation: Notation, zeros: Collection[int]) -> tuple[list[list[str]], int]:
    """The words without white space, with the sign of zeros, and the number of words that were widened: characters that
    would be read as a tag or a zero become full-width.
    """
    unfit = re.compile(rf"{notation.unfit}|^{ZERO}")
    widened = token = 0
    fitted = []
    for sentence in sentences:
        words = ["".join(word.split()) or "_" for word in sentence]
        for index, word in enumerate(words):
            if unfit.search(word):
                widened += 1
                words[index] = unfit.sub(
                    lambda part: "".join(chr(ord(character) + WIDER) for character in part[0]), word
                )
            if token in zeros:
                words[index] = ZERO + words[index].removeprefix("_")
            token += 1
        fitted.append(words)
    return fitted, widened


def _ids(entities: Mapping[str, object], notation: Notation) -> dict[str, str] | None:
    """The ids of entities unchanged, if the notation can write all of them; otherwise None."""
    good = re.compile(notation.ids)
    return {name: name for name in entities} if all(good.fullmatch(name) for name in entities) else None


def nested(spans: Spans) -> tuple[list[tuple[int, int, str]], int]:
    """The mentions that do not cross one that begins before them, in the order in which tags open; and how many do."""
    kept: list[tuple[int, int, str]] = []
    around: list[int] = []
    for span in sorted(spans, key=lambda span: (span[0], -span[1])):
        while around and around[-1] < span[0]:
            around.pop()
        if around and around[-1] < span[1]:
            continue
        around.append(span[1])
        kept.append(span)
    return kept, len(spans) - len(kept)


def _around(sentences: Sentences, spans: Spans, notation: Notation) -> str:
    """The text with tags around its mentions, which nest."""
    opens: dict[int, list[str]] = defaultdict(list)
    closes: dict[int, list[str]] = defaultdict(list)
    for start, end, name in spans:
        opens[start].append(notation.opening.format(id=name))
        closes[end].insert(0, notation.closing.format(id=name))
    lines, token = [], 0
    for sentence in sentences:
        words = []
        for word in sentence:
            words.append("".join([*opens.get(token, ()), word, *closes.get(token, ())]))
            token += 1
        lines.append(" ".join(words))
    return "\n".join(lines)


def _by_word(sentences: Sentences, spans: Spans) -> str:
    """The text on one line, with the tags of a word after it.

    The tags of a word are sorted: mentions of this word alone, mentions that close, mentions that open.
    """
    marks: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for start, end, name in spans:
        if start == end:
            marks[start].append((0, 0, f"[{name}]"))
        else:
            marks[start].append((2, -end, f"[{name}"))
            marks[end].append((1, -start, f"{name}]"))
    words, token = [], 0
    for sentence in sentences:
        for word in sentence:
            marked = ",".join(mark for _, _, mark in sorted(marks.get(token, ()), key=lambda mark: mark[:2]))
            words.append(f"{word}|{marked}" if marked else word)
            token += 1
    return " ".join(words)
