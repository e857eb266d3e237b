"""From one format to another: documents with their words, and notices of what cannot be carried over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

import numpy as np

from corefscore.alignment.pairing import Names
from corefscore.checking.findings import Finding, counted
from corefscore.documents.arrays import tally
from corefscore.documents.model import KEY, RESPONSE, SENTENCE, TENTH, Documents, joined
from corefscore.documents.sources import sources
from corefscore.errors import UsageError
from corefscore.formats import BY_CONTENT, EVERY_NAME, TAGGED, find, form_of, read, requested
from corefscore.formats.row import FullDocument, Reading, Sentences, full_documents


def convert(
    path: str,
    notices: list[Finding],
    to: str | None = None,
    reading: Reading = BY_CONTENT,
    watch: Callable[[int], None] | None = None,
    *,
    key: str | None = None,
) -> Iterator[str]:
    """The documents of a file or folder in another format, as pieces of text.

    ``to`` is the name of a format, by default JSON lines for CoNLL and CoNLL for all others; ``watch`` is that of
    `corefscore.formats.read`. With a ``key`` (a path) the documents are its own, with the entities of the file on its
    tokens. What the new format cannot hold is added to ``notices``.

    Raises `InputError` for input that is refused, two documents of one name and documents with faults included;
    `UsageError` for a file that cannot be read.
    """
    both, reading = reading, reading.of(None if key is None else RESPONSE)
    files = sources(path, reading.include, reading.max_unpacked, notices)
    for source in files:
        source.watch = watch
    if to == TAGGED:  # in which the notation of what is read is recognised
        asked, reading = requested(KEY, reading), reading._replace(tags=None)
    else:
        asked = requested(KEY, reading)
    origin = form_of(files, reading, RESPONSE)
    target = find(to or next(name for name in USUAL_TARGETS if name != origin.name))
    if origin.sentences is None or target.write is None:
        able = ", ".join(writable())
        raise UsageError(f"{origin.name} cannot be converted to {target.name}; formats that can be converted: {able}")
    if key is not None:
        yield from target.write(_on_tokens(key, path, both, notices), notices, asked)
        return
    sentences = origin.sentences
    request = requested(KEY, reading)._replace(texts=True)
    batches = origin.read(files, notices, request)
    texts = chain.from_iterable(sentences(source, notices, request) for source in files)
    yield from target.write(_full(batches, texts, notices), notices, asked)


USUAL_TARGETS = ("conll", "jsonlines")


def _on_tokens(key: str, path: str, reading: Reading, notices: list[Finding]) -> Iterator[FullDocument]:
    """The documents of a key with the entities that a file has, on the tokens of the key.

    Raises as `corefscore.alignment.text.placing.placed` does.
    """
    from corefscore.alignment.text.placing import placed, words_of

    # Said of both, a format is meant for the file that is converted.
    its_format = reading.of(KEY).input_format if isinstance(reading.input_format, Mapping) else None
    of_key = reading._replace(tags=None, input_format=its_format)
    batches = joined(list(read(key, notices, of_key)))
    found = placed([batches], list(read(path, notices, reading, side=RESPONSE)), reading, notices).response
    words = words_of(batches, range(len(batches)), KEY)
    entities = {document.name: document for document in full_documents(found)}
    for at, name in enumerate(batches.names):
        place = batches.place_of(at)
        its = entities[name].entities if name in entities else {}
        there = {label: [span for span in spans if span[1] < batches.tokens[at]] for label, spans in its.items()}
        if lost := sum(map(len, its.values())) - sum(map(len, there.values())):
            details = {"document": name, "count": counted(lost, "mention")}
            notices.append(Finding("lost-mentions", entities[name].place.source.name, details=details))
        if name not in entities:
            notices.append(Finding("missing-document", path, details={"document": name, "nearest": ""}))
        kept = {label: spans for label, spans in there.items() if spans}
        yield FullDocument(name, place, words[at].words, kept)


def as_spans(batch: Documents, notices: list[Finding]) -> Documents:
    """A batch whose mentions are spans of tokens, each with all tokens from the first to the last of its own.

    What is more than that (`corefscore.documents.model.Nodes`) is lost, and added to the notices: heads, gaps, and
    mentions without tokens.
    """
    nodes = batch.nodes
    if nodes is None or not len(nodes.size):
        return batch
    place = batch.place_of(0)
    notices.append(Finding("dropped-heads", place.source.name))
    is_token = nodes.word % SENTENCE % TENTH == 0
    tokens = np.add.reduceat(is_token.astype(np.int64), nodes.first)
    document = batch.mention_document()
    kept = tokens > 0
    gaps = kept & (tokens <= batch.end - batch.start)
    for code, which in (("dropped-zeros", ~kept), ("filled-gaps", gaps)):
        for its, first, count in zip(*np.unique(document[which], return_index=True, return_counts=True), strict=True):
            details = {"document": batch.names[its], "count": counted(int(count), "mention")}
            line = int(batch.line[which][first])
            notices.append(Finding(code, batch.place_of(int(its)).source.name, line, details=details))
    left = tally(batch.entity[kept], len(batch.document)) > 0
    return replace(
        batch,
        document=batch.document[left],
        label=batch.label[left],
        entity=(np.cumsum(left) - 1)[batch.entity[kept]],
        start=batch.start[kept],
        end=batch.end[kept],
        line=batch.line[kept],
        nodes=None,
    )


def writable() -> list[str]:
    """The names of the formats that can be written."""
    return [name for name in EVERY_NAME if find(name).write]


def _full(
    batches: Iterator[Documents], texts: Iterator[Sentences | None], notices: list[Finding]
) -> Iterator[FullDocument]:
    """Documents with their words, which come from a pass of their own over the files."""
    names = Names()
    for batch in batches:
        names.add(batch)
        for number, document in enumerate(full_documents(as_spans(batch, notices))):
            place = document.place
            if pieces := batch.discarded.get(number):
                details = {"document": document.name, "count": counted(len(pieces), "mark"), "piece": pieces[0]}
                notices.append(Finding("dropped-marks", place.source.name, place.line, details=details))
            yield document._replace(sentences=next(texts))
