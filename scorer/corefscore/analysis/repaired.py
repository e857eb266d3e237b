"""The response after each step of repair, as CoNLL: what the costs of errors are counted on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from corefscore.analysis import types
from corefscore.analysis.costs import in_turn
from corefscore.analysis.found import Analysis
from corefscore.analysis.partitions import ABSENT
from corefscore.checking.findings import Finding
from corefscore.documents.arrays import Ints
from corefscore.documents.model import Place
from corefscore.documents.sources import Source
from corefscore.errors import UsageError
from corefscore.formats.conll.writer import write
from corefscore.formats.row import FullDocument, Sentences
from corefscore.formats.written import crossing

Entities = dict[str, list[tuple[int, int]]]


def repaired(analysis: Analysis, notices: list[Finding]) -> list[tuple[str, list[str]]]:
    """The name of the file of each step, and its text. The first has spans repaired, the last one is the key.

    Documents have the words of the key. What CoNLL cannot hold of them is added to the notices. Raises `UsageError` for
    mentions that cross in one entity, and for those beyond the words: they would be read as others, or not at all.
    """
    sentences = [_sentences(analysis, document) for document in range(analysis.both.documents)]
    steps = [(types.SPAN, analysis.both.response), *in_turn(analysis.errors)]
    found = []
    for number, (name, entities) in enumerate(steps, start=1):
        told: list[Finding] = []
        documents = list(_documents(analysis, entities, sentences))
        for document in documents:
            _refuse(document, name)
        found.append((f"{number}-{name}.conll", list(write(iter(documents), told))))
        if number == 1:  # the words are the same in all
            notices += told
    return found


def _documents(analysis: Analysis, entities: Ints, sentences: Sequence[Sentences | None]) -> Iterator[FullDocument]:
    """The documents with another response, given as the entity of each mention; ids are numbers in each document."""
    both = analysis.both
    spans: list[dict[int, list[tuple[int, int]]]] = [defaultdict(list) for _ in range(both.documents)]
    columns = (column.tolist() for column in (both.document, both.start, both.end, entities))
    for document, start, end, entity in zip(*columns, strict=True):
        if entity != ABSENT:
            spans[document][entity].append((start, end))
    for document, name in enumerate(analysis.result.names):
        its: Entities = {str(number): mentions for number, mentions in enumerate(spans[document].values())}
        place = analysis.pairs.key.places[document] or Place(Source("key"), None)
        yield FullDocument(name, place, sentences[document], its)


def _sentences(analysis: Analysis, document: int) -> Sentences | None:
    """The words of a document of the key, None if they are not known."""
    text = analysis.text
    first, stop = (int(at) for at in text.first[document : document + 2])
    if first == stop:
        return None
    ends = text.ends[(text.ends > first) & (text.ends <= stop)].tolist()
    return [text.words[begin:end] for begin, end in zip([first, *ends], ends, strict=False)]


def _refuse(document: FullDocument, step: str) -> None:
    size = None if document.sentences is None else sum(map(len, document.sentences))
    for spans in document.entities.values():
        if size is not None and (beyond := [span for span in spans if span[1] >= size]):
            raise UsageError(
                f'--repaired: document "{document.name}" has a mention of tokens {_shown(beyond[0])}, and the key has '
                f"{size} tokens there; give key and response of one text"
            )
        if pair := crossing(spans):
            raise UsageError(
                f'--repaired: in document "{document.name}", mentions {_shown(pair[0])} and {_shown(pair[1])} of one '
                f"entity cross after the step {step}, which CoNLL cannot hold; use --format json --list instead"
            )


def _shown(span: tuple[int, int]) -> str:
    return f"{span[0]} to {span[1]}"
