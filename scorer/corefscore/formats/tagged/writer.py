"""Documents as text with tags: to make prompts, and answers to show in them.

In the notation of the CRAC tasks each line is a document. In the others each line is an object of JSON: `doc_key`, the
name; `text`, the words; `answer`, the same with tags. Sentences are lines of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count

from corefscore.checking.findings import Finding, plural
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
from corefscore.formats.jsonlines.records import as_json
from corefscore.formats.row import ZERO, FullDocument, Request, Sentences, order_kept
from corefscore.formats.tagged.notations import NOTATIONS, Notation, find
from corefscore.formats.tagged.reader import FIELD
from corefscore.formats.written import CLOSE, OPEN, SINGLE, crossings, marks, noted, with_signs, words_of

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
    sentences, widened = _fit(with_signs(words_of(document, notices), document.zeros), notation, document.zeros)
    if widened:
        noted(document, notices, "widened-brackets", count=plural(widened, "word"), notation=notation.name)
    ids = {name: name for name in document.entities}
    if not all(map(re.compile(notation.ids).fullmatch, ids)):
        letter = "e" if notation.by_line else ""
        ids = {name: f"{letter}{number}" for number, name in enumerate(ids, start=1)}
        noted(document, notices, "unsaid-ids", notation=notation.name)
    spans = [(start, end, ids[name]) for name, mentions in document.entities.items() for start, end in mentions]
    if not notation.by_id:
        spans, crossing = nested(spans)
        if crossing:
            noted(document, notices, "unsaid-crossing", count=plural(crossing, "mention"), notation=notation.name)
    if not order_kept(document, document.entities):
        noted(document, notices, "changed-order")
    if notation.by_line:
        return _by_word(sentences, {ids[name]: mentions for name, mentions in document.entities.items()})
    plain = "\n".join(map(" ".join, sentences))
    tagged = _around(sentences, spans, notation)
    return as_json({NAMES_OF_DOCUMENTS[0]: document.name, "text": plain, FIELD: tagged}) + "\n"


def _fit(sentences: Sentences, notation: Notation, zeros: Collection[int]) -> tuple[list[list[str]], int]:
    """The words without white space, and the number of words that were widened: characters that would be read as a tag
    or a zero become full-width.
    """
    unfit, in_zero = re.compile(rf"{notation.unfit}|^{ZERO}"), re.compile(notation.unfit)
    widened = token = 0
    fitted = []
    for sentence in sentences:
        words = ["".join(word.split()) or "_" for word in sentence]
        for index, word in enumerate(words):
            words[index] = (in_zero if token in zeros else unfit).sub(
                lambda part: "".join(chr(ord(character) + WIDER) for character in part[0]), word
            )
            widened += words[index] != word
            token += 1
        fitted.append(words)
    return fitted, widened


def nested(spans: Spans) -> tuple[list[tuple[int, int, str]], int]:
    """The mentions that do not cross one that begins before them, in the order in which tags open; and how many do."""
    crossing = {number for _, number in crossings([span[:2] for span in spans])}
    kept = [span for number, span in enumerate(spans) if number not in crossing]
    return sorted(kept, key=lambda span: (span[0], -span[1])), len(crossing)


def _around(sentences: Sentences, spans: Spans, notation: Notation) -> str:
    """The text with tags around its mentions, which nest."""
    opens: dict[int, list[str]] = defaultdict(list)
    closes: dict[int, list[str]] = defaultdict(list)
    for start, end, name in spans:
        opens[start].append(notation.opening.format(id=name))
        closes[end].insert(0, notation.closing.format(id=name))
    tokens = count()
    lines = []
    for sentence in sentences:
        tagged = zip(sentence, tokens, strict=False)  # the sentence first: where it ends, no number is taken
        words = ["".join([*opens.get(token, ()), word, *closes.get(token, ())]) for word, token in tagged]
        lines.append(" ".join(words))
    return "\n".join(lines)


def _by_word(sentences: Sentences, entities: Mapping[str, Sequence[tuple[int, int]]]) -> str:
    """The line of a document, with the tags of each word after it: those of mentions of this word alone, of mentions
    that close, of mentions that open."""
    tags = marks(entities, {SINGLE: "[{}]".format, CLOSE: "{}]".format, OPEN: "[{}".format})
    words = enumerate(chain.from_iterable(sentences))
    return " ".join(f"{word}|{','.join(tags[token])}" if token in tags else word for token, word in words) + "\n"
