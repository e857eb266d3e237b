"""Documents as text with tags: to make prompts, and answers to show in them.

In the notation of the CRAC tasks each line is a document. In the others each line is an object of JSON: `doc_key`, the
name; `answer`, the words with tags; `text`, the same without. Sentences are lines of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count

from corefscore.core.findings import Finding, plural
from corefscore.formats.base import FullDocument, Request, Sentences, shares_spans
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
from corefscore.formats.jsonlines.records import as_json
from corefscore.formats.tagged.notations import NOTATIONS, Notation, find
from corefscore.formats.tagged.reader import FIELD
from corefscore.formats.words import INVISIBLE
from corefscore.formats.written import (
    CLOSE,
    OPEN,
    SINGLE,
    Fit,
    crossings,
    fitted,
    marks,
    note_crossing,
    noted,
    with_signs,
)

_NOT_TEXT = re.compile("BZh|PK|7z|Rar!|LZIP|[\0-\x1f\x7f\ufeff\udc80-\udcff]")
"""What could be the beginning of a compressed file or of another encoding, or a byte order mark, where text begins."""

_Spans = Sequence[tuple[int, int, str]]
"""Mentions: first token, last token, id."""


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request) -> Iterator[str]:
    """Write documents as text with tags; notices name what the notation cannot contain.

    Raises `UsageError` for a notation that can only be read.
    """
    notation = find(request.tags or NOTATIONS[0].name, writes=True)
    fit = Fit(
        f"the notation {notation.name}",
        words=rf"[\s\0]|{notation.unfit}|\A(?:{INVISIBLE.pattern})*\Z",
        blank="",
        signs=True,
        ids=notation.ids,
        letter="e" if notation.by_line else "",
        least=1 if notation.by_line else 0,
    )
    for number, document in enumerate(fitted(documents, notices, fit), start=1):
        if notation.by_line and document.name != str(number) == "1":
            noted(document, notices, "changed-name", format=fit.title, written="1")
        line = _line(document, notation, notices)
        yield "\ufeff" + line if number == 1 and _NOT_TEXT.match(line) else line


def _line(document: FullDocument, notation: Notation, notices: list[Finding]) -> str:
    sentences = with_signs(document.sentences or (), document.zeros)
    spans = [(start, end, name) for name, mentions in document.entities.items() for start, end in mentions]
    if notation.by_id:
        note_crossing(document, notices, f"the notation {notation.name}", closed_first=True)
    else:
        spans, crossing = without_crossing(spans)
        if crossing:
            noted(document, notices, "unsaid-crossing", count=plural(crossing, "mention"), notation=notation.name)
    if shares_spans(document):
        noted(document, notices, "changed-order")
    if notation.by_line:
        return _by_word(sentences, document.entities)
    plain = "\n".join(map(" ".join, sentences))
    tagged = _around(sentences, spans, notation)
    return as_json({NAMES_OF_DOCUMENTS[0]: document.name, FIELD: tagged, "text": plain}) + "\n"


def without_crossing(spans: _Spans) -> tuple[list[tuple[int, int, str]], int]:
    """Return the mentions that do not cross one that begins before them, in the order in which tags open; and how many
    do.
    """
    crossing = {number for _, number in crossings([span[:2] for span in spans])}
    kept = [span for number, span in enumerate(spans) if number not in crossing]
    return sorted(kept, key=lambda span: (span[0], -span[1])), len(crossing)


def _around(sentences: Sentences, spans: _Spans, notation: Notation) -> str:
    """Return the text with tags around its mentions, which nest."""
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
    """Return the line of a document, with the tags of each word after it: those of mentions of this word alone, of
    mentions that close, of mentions that open.
    """
    tags = marks(entities, {SINGLE: "[{}]".format, CLOSE: "{}]".format, OPEN: "[{}".format})
    words = enumerate(chain.from_iterable(sentences))
    return " ".join(f"{word}|{','.join(tags[token])}" if token in tags else word for token, word in words) + "\n"
