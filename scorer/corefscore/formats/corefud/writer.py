"""CorefUD as words for other formats, and documents of other formats as CorefUD."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import lists_by_key
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import USUAL, FullDocument, Request, shares_spans
from corefscore.formats.corefud.annotations import KEPT_COMMENTS, by_document
from corefscore.formats.corefud.lines import COLUMNS, HEAD, Lines
from corefscore.formats.written import CLOSE, OPEN, SINGLE, Fit, add_notice, fitted, marks, note_crossing

_HEADER = "# global.Entity = eid\n"
"""The header of mentions with ids alone, which tells readers that heads are not known."""

_HEADED = "# global.Entity = eid-head\n"
"""Likewise, where heads are."""

_DASH = "-"
"""What stands between an id and a head; no id has it."""

_OF_ENTITIES = ("Entity", "Bridge", "SplitAnte", "_")
"""What of MISC is left out when there are other entities."""

FIT = Fit("CorefUD", r"[\t\n\r]|(?a:\A\s+)|\A\Z", words=r"[\t\n\r]", ids=r"[^\W\d]\w*", letter="e", least=1)
"""No ids with brackets, dashes and other signs that mean something in MISC; digits alone follow a letter."""


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL) -> Iterator[str]:
    """Yield documents as CoNLL-U with Entity in MISC.

    The notices get what the format cannot contain: what does not fit (`FIT`), mentions of several sentences, and
    mentions of one entity that cross.
    """
    header = _HEADER
    for document in fitted(documents, notices, FIT):
        yield f"# newdoc id = {document.name}\n{header}"
        header = ""
        kept = _within_sentences(document, notices)
        if shares_spans(kept):
            add_notice(kept, notices, "changed-order")
        note_crossing(kept, notices, FIT.title, closed_first=True)
        cells = _cells(kept)
        token = 0
        for sentence in document.sentences or ():
            for number, word in enumerate(sentence, start=1):
                columns = [str(number), word, *["_"] * (COLUMNS - 3), cells.get(token, "_")]
                columns[HEAD] = "0"
                yield "\t".join(columns) + "\n"
                token += 1
            yield "\n"


def write_on(source: Source, documents: Mapping[int, Headed], notices: list[Finding]) -> Iterator[str]:
    """Yield a file of CorefUD with the entities of other documents on its words, by the line at which each begins.

    Attributes about other entities (Bridge, SplitAnte) go with them.
    """
    lines = Lines(source)
    cells: dict[int, str] = {}
    for begin, places in by_document(lines):
        headed = documents[begin]
        kept = _within_sentences(headed.document, notices)
        note_crossing(kept, notices, FIT.title, closed_first=True)
        by_token = _cells(headed.named(kept))
        line = lines.tokens[lines.words.row[places]]
        cells |= {int(line[token]): cell for token, cell in by_token.items()}
    tokens = set(lines.tokens.tolist())
    headers = {at for at in np.flatnonzero(lines.comments).tolist() if lines.line(at).startswith(KEPT_COMMENTS[1])}
    text = as_text(lines.text.tobytes()).removesuffix("\n").split("\n")
    if not headers:
        yield _HEADED
    for at, line_ in enumerate(text):
        if at in tokens:
            columns = line_.split("\t")[:COLUMNS]
            columns += ["_"] * (COLUMNS - len(columns))
            left = [field for field in columns[-1].split("|") if field.partition("=")[0] not in _OF_ENTITIES]
            columns[-1] = "|".join([*([cells[at]] if at in cells else []), *left]) or "_"
            yield "\t".join(columns) + "\n"
        else:
            yield _HEADED if at in headers else f"{line_}\n"


class Headed(NamedTuple):
    """A document whose tokens are the words of CorefUD, with the head of each span: which of its words, from 1."""

    document: FullDocument
    heads: Mapping[tuple[int, int], int]

    def named(self, document: FullDocument) -> FullDocument:
        """Return the document with mentions by entity and head, as brackets open."""
        rows = ((entity, span) for entity, spans in document.entities.items() for span in spans)
        entities = lists_by_key((f"{entity}{_DASH}{self.heads[span]}", span) for entity, span in rows)
        return document._replace(entities=entities)


def _within_sentences(document: FullDocument, notices: list[Finding]) -> FullDocument:
    """Return the document with the mentions that are in one sentence each."""
    sizes = [len(sentence) for sentence in document.sentences or ()]
    sentence = np.repeat(np.arange(len(sizes)), sizes)
    rows = [(entity, span) for entity, spans in document.entities.items() for span in spans]
    dropped = [(start, end) for _, (start, end) in rows if sentence[start] != sentence[end]]
    entities = lists_by_key((entity, (start, end)) for entity, (start, end) in rows if sentence[start] == sentence[end])
    if dropped:
        add_notice(document, notices, "split-mentions", count=plural(len(dropped), "mention"), first=list(dropped[0]))
    return document._replace(entities=entities)


def _cells(document: FullDocument) -> dict[int, str]:
    """Return the columns MISC of a document, by token. Brackets that close stand first: the others are of new
    mentions.
    """
    forms = {CLOSE: lambda name: f"{name.split(_DASH)[0]})", OPEN: "({}".format, SINGLE: "({})".format}
    return {token: f"Entity={''.join(pieces)}" for token, pieces in marks(document.entities, forms).items()}
