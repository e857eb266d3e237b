"""The types of entities in CoNLL: in ids such as ``(person-3``, or in a column of names from ``(PERSON*`` to ``*)``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from corefscore.core.documents import OF_COLUMN
from corefscore.core.errors import UsageError
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import USUAL
from corefscore.formats.conll.lines import columns_of, tokens_of
from corefscore.formats.conll.reader import read

_TYPED_ID = re.compile(r"\(([A-Za-z][^()|-]*)-(\d+)")
"""What opens a mention with a type, and its id, as in `corefscore.formats.conll.cells`."""

_BRACKET = re.compile(r"\(([^\s()*|]+)|\)")


def types_of(source: Source, place: str) -> Mapping[int, Mapping[str, str]]:
    """Return the types of entities by id, for each document of a file without faults by the line at which it begins.

    ``place`` names the column. If that is coreference, types are in its ids. In any other a mention has the type of the
    name with the same tokens, the innermost if there are several. Raises `UsageError` for brackets without a partner.
    """
    column = int(place.removeprefix(OF_COLUMN))
    found: dict[int, dict[str, str]] = defaultdict(dict)
    spans: dict[int, dict[tuple[int, int], str]] = {}
    for begin, lines, _ in tokens_of(source):
        rows = list(map(columns_of, lines))
        for row in rows:
            for kind, name in _TYPED_ID.findall(as_text(row[-1]) if len(row) == column else ""):
                found[begin].setdefault(name, kind)
        cells = [as_text(row[column - 1]) if len(row) > column else "" for row in rows]
        spans[begin] = _spans(cells, f"{source.name}:{begin}: column {column} of the document")
    for batch in read([source], [], USUAL) if any(spans.values()) else ():
        mentions = zip(batch.start.tolist(), (-batch.end).tolist(), batch.entity.tolist(), strict=True)
        for start, minus_end, entity in sorted(mentions):  # of those that begin at one token the longest is first
            begin = batch.place_of(int(batch.document[entity])).line or 0
            if kind := spans[begin].get((start, -minus_end)):
                found[begin].setdefault(batch.name_of(entity), kind)
    return found


def _spans(cells: Sequence[str], where: str) -> dict[tuple[int, int], str]:
    """Return the types of names by their first and last token, from the cells of all tokens of a document."""
    found: dict[tuple[int, int], str] = {}
    opened: list[tuple[int, str]] = []
    brackets = [(token, each[1] or each[0]) for token, cell in enumerate(cells) for each in _BRACKET.finditer(cell)]
    for token, bracket in brackets:
        if bracket != ")":
            opened.append((token, bracket))
        elif opened:
            start, kind = opened.pop()
            found.setdefault((start, token), kind)
        else:
            opened = [(token, bracket)]
            break
    if opened:
        token, bracket = opened[-1]
        raise UsageError(f'{where} has "{bracket}" without a partner at token {token}; expected "(TYPE*" to "*)"')
    return found
