"""The response after each step of repair, written as CoNLL: the files from which costs can be recomputed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from corefscore.analysis import types
from corefscore.analysis.costs import in_turn
from corefscore.analysis.partitions import ABSENT
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Ints
from corefscore.core.documents import Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats.base import FullDocument
from corefscore.formats.conll.writer import write
from corefscore.formats.written import crossing, tokens_without_words


def repaired_files(analysis: Analysis, notices: list[Finding]) -> list[tuple[str, Iterator[str]]]:
    """Return the file name and text of each step: the first file has only spans repaired, the last one is the key.

    Documents have the words of the key. While the first text is read, a notice is added for everything that CoNLL
    cannot represent. Raises `UsageError` for mentions without tokens, for mentions of one entity that cross and for
    mentions beyond the last word, since the written file would be read differently, and `InputError` for mentions far
    beyond any text.
    """
    steps = [(types.SPAN, analysis.both.response), *in_turn(analysis.errors)]
    files = []
    for number, (name, entities) in enumerate(steps, start=1):
        documents = list(_documents(analysis, entities))
        for document in documents:
            _refuse(document, name)
        # The words, which the notices are about, are the same in all steps.
        files.append((f"{number}-{name}.conll", write(iter(documents), notices if number == 1 else [])))
    return files


def _documents(analysis: Analysis, entities: Ints) -> Iterator[FullDocument]:
    """Yield the documents with the given entity of each mention; entities are numbered in each document."""
    both = analysis.both
    spans: list[dict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(both.documents)]
    for document, start, end, entity in zip(*(column.tolist() for column in (*both[1:4], entities)), strict=True):
        if entity != ABSENT:
            spans[document][entity].append((start, end))
    for document, name in enumerate(analysis.result.names):
        named = {str(number): mentions for number, mentions in enumerate(spans[document].values())}
        place = analysis.pairs.key.places[document] or Place(Source("key"), None)
        yield FullDocument(name, place, analysis.text.sentences(document) or None, named)


def _refuse(document: FullDocument, step: str) -> None:
    """Raise `UsageError` if a document has mentions that CoNLL cannot represent."""
    if document.of_items:
        raise UsageError(
            f'--repaired: mentions of document "{document.name}" have no token numbers, which CoNLL needs; leave '
            "--repaired out"
        )
    size = tokens_without_words(document) if document.sentences is None else sum(map(len, document.sentences))
    for spans in document.entities.values():
        if beyond := [span for span in spans if span[1] >= size]:
            raise UsageError(
                f'--repaired: document "{document.name}" has a mention of tokens {_shown(beyond[0])}, but the key has '
                f"only {size} tokens; key and response need the same tokens"
            )
        if pair := crossing(spans):
            raise UsageError(
                f'--repaired: in document "{document.name}", mentions {_shown(pair[0])} and {_shown(pair[1])} of one '
                f"entity cross after the step {step}, which CoNLL cannot represent; leave --repaired out"
            )


def _shown(span: tuple[int, int]) -> str:
    return f"{span[0]} to {span[1]}"
