"""From one format to another: documents with their words, and notices of what cannot be carried over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain, islice

import numpy as np

from corefscore.alignment.pairing import Names
from corefscore.checking.findings import Finding, plural
from corefscore.documents.arrays import Bools, Ints, bounds, tally
from corefscore.documents.model import KEY, RESPONSE, SENTENCE, TENTH, Documents, joined
from corefscore.documents.sources import sources
from corefscore.errors import UsageError
from corefscore.formats import BY_CONTENT, EVERY_NAME, TAGGED, find, form_of, read, requested
from corefscore.formats.row import EMPTY, FullDocument, Layers, Reading, Sentences, full_documents


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
    if key is not None and target.name == COREFUD and form_of(sources(key), BY_CONTENT, KEY).name == COREFUD:
        yield from _on_words(key, path, both, notices)
        return
    sentences = origin.sentences
    request = requested(KEY, reading)._replace(texts=True)
    if key is not None:
        documents = _on_tokens(key, path, both, notices)
    elif target.name == TAGGED and origin.name == COREFUD:
        read_layers = import_module(str(origin.layers)).read
        layers = chain.from_iterable(read_layers(source, request) for source in files)
        documents = _with_zeros(origin.read(files, notices, request), layers, notices)
    else:
        texts = chain.from_iterable(sentences(source, notices, request) for source in files)
        documents = _full(origin.read(files, notices, request), texts, notices)
    yield from target.write(_in_one_file(documents, key or path, notices), notices, asked)


def _in_one_file(documents: Iterator[FullDocument], path: str, notices: list[Finding]) -> Iterator[FullDocument]:
    """Documents that go into one file; see `_note_joined`."""
    count, files = 0, set()
    for document in documents:
        count += 1
        files.add(document.place.source.name)
        yield document
    _note_joined(path, len(files), count, notices)


def _note_joined(path: str, files: int, documents: int, notices: list[Finding]) -> None:
    """Notice that files become one, unless each is one document: then there was nothing that only they held apart."""
    if files > 1 and documents > files:
        notices.append(Finding("joined-files", path, details={"files": files, "documents": documents}))


USUAL_TARGETS = ("conll", "jsonlines")

COREFUD = "corefud"
"""The format whose mentions are more than spans."""


def _on_words(key: str, path: str, reading: Reading, notices: list[Finding]) -> Iterator[str]:
    """A key of CorefUD with the entities that a file has instead of its own, with heads, empty nodes included.

    Raises as `corefscore.alignment.text.placing.placed` does.
    """
    from corefscore.alignment.text.placing import placed, words_of
    from corefscore.formats.corefud.writer import Headed, write_on

    batches = list(read(key, notices, _for_key(reading)))
    found = placed(batches, list(read(path, notices, reading, side=RESPONSE)), reading, notices).response
    answers = {name: at for at, name in enumerate(found.names)}
    for batch in batches:  # one for each file
        words = words_of(batch, range(len(batch)), KEY)
        its = found.take(np.array([answers.get(name, -1) for name in batch.names], dtype=np.int64))
        its = replace(its, names=batch.names, places=batch.places)
        start, end = _places(its, [words[at].numbers for at in range(len(batch))])
        assert its.nodes is not None, "the key is CorefUD"
        there = end - start + 1 == its.nodes.size  # all of its words are words of the key
        _note_lost(its, [("lost-mentions", ~there)], notices)
        heads: list[dict[tuple[int, int], int]] = [{} for _ in batch.names]
        rows = zip(its.mention_document().tolist(), start.tolist(), end.tolist(), its.nodes.head.tolist(), strict=True)
        for document, first, last, head in rows:
            heads[document][first, last] = int(np.searchsorted(words[document].numbers, head)) - first + 1
        documents = {}
        for at, full in enumerate(full_documents(_kept(replace(its, start=start, end=end), there))):
            documents[full.place.line or 0] = Headed(full._replace(sentences=words[at].words), heads[at])
        yield from write_on(batch.place_of(0).source, documents, notices)
    _note_joined(key, len(batches), sum(map(len, batches)), notices)


def _places(batch: Documents, numbers: Sequence[Ints]) -> tuple[Ints, Ints]:
    """The places of the first and the last word of each mention among the words of its document, empty nodes counted;
    ``numbers`` are those of the words of each document."""
    assert batch.nodes is not None, "this is CorefUD"
    start, end = batch.start.copy(), batch.end.copy()
    at = bounds(batch.mention_document(), len(batch)).tolist()
    for its, first, last in zip(numbers, at, at[1:], strict=False):
        start[first:last] = np.searchsorted(its, batch.nodes.first_word[first:last])
        end[first:last] = np.searchsorted(its, batch.nodes.last_word[first:last], side="right") - 1
    return start, end


def _kept(batch: Documents, kept: Bools) -> Documents:
    """A batch with some of its mentions, as spans, and without the entities that have none left."""
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


def _for_key(reading: Reading) -> Reading:
    """How the key is read: said of both, a format is meant for the file that is converted."""
    its_format = reading.of(KEY).input_format if isinstance(reading.input_format, Mapping) else None
    return reading._replace(tags=None, input_format=its_format)


def _on_tokens(key: str, path: str, reading: Reading, notices: list[Finding]) -> Iterator[FullDocument]:
    """The documents of a key with the entities that a file has, on the tokens of the key.

    Raises as `corefscore.alignment.text.placing.placed` does.
    """
    from corefscore.alignment.text.placing import overt, placed, words_of

    of_key = _for_key(reading)
    batches = joined(list(read(key, notices, of_key)))
    found = placed([batches], list(read(path, notices, reading, side=RESPONSE)), reading, notices).response
    words = words_of(batches, range(len(batches)), KEY)
    if found.nodes is not None:
        has_token = found.end >= found.start
        _note_lost(found, [("dropped-zeros", ~has_token)], notices)
        found = _kept(found, has_token)
    entities = {document.name: document for document in full_documents(found)}
    for at, name in enumerate(batches.names):
        place = batches.place_of(at)
        its = entities[name].entities if name in entities else {}
        there = {label: [span for span in spans if span[1] < batches.tokens[at]] for label, spans in its.items()}
        if lost := sum(map(len, its.values())) - sum(map(len, there.values())):
            details = {"document": name, "count": plural(lost, "mention")}
            notices.append(Finding("lost-mentions", entities[name].place.source.name, details=details))
        if name not in entities:
            notices.append(Finding("missing-document", path, details={"document": name, "nearest": ""}))
        kept = {label: spans for label, spans in there.items() if spans}
        yield FullDocument(name, place, overt(words[at]).words, kept)


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
    kept = tokens > 0
    gaps = kept & (tokens <= batch.end - batch.start)
    _note_lost(batch, [("dropped-zeros", ~kept), ("filled-gaps", gaps)], notices)
    return _kept(batch, kept)


def _note_lost(batch: Documents, lost: Sequence[tuple[str, Bools]], notices: list[Finding]) -> None:
    """Notice the mentions that lose something, for each document."""
    document = batch.mention_document()
    for code, which in lost:
        for its, first, count in zip(*np.unique(document[which], return_index=True, return_counts=True), strict=True):
            details = {"document": batch.names[its], "count": plural(int(count), "mention")}
            line = int(batch.line[which][first])
            notices.append(Finding(code, batch.place_of(int(its)).source.name, line, details=details))


def _with_zeros(
    batches: Iterator[Documents], layers: Iterator[Layers], notices: list[Finding]
) -> Iterator[FullDocument]:
    """Documents of CorefUD with their empty nodes as tokens; each mention has all words from its first to its last."""
    for batch in batches:
        its_layers = list(islice(layers, len(batch)))
        start, end = _places(batch, [its.numbers for its in its_layers])
        assert batch.nodes is not None, "this is CorefUD"
        lost = [
            ("filled-gaps", batch.nodes.size <= end - start),
            ("other-heads", _other_heads(batch, its_layers, start, end)),
        ]
        _note_lost(batch, lost, notices)
        for its, full in zip(its_layers, full_documents(replace(batch, start=start, end=end)), strict=True):
            words = [[word.removeprefix(EMPTY) or "_" for word in sentence] for sentence in its.words]
            yield full._replace(sentences=words, zeros=set(np.flatnonzero(its.empty).tolist()))


def _other_heads(batch: Documents, layers: Sequence[Layers], start: Ints, end: Ints) -> Bools:
    """Which mentions, from one place among the words of their document to another, have a head that is not the highest
    of these words in the tree."""
    assert batch.nodes is not None, "this is CorefUD"
    trees = [its.tree() for its in layers]
    found = np.zeros(len(start), dtype=np.bool_)
    rows = zip(batch.mention_document().tolist(), start.tolist(), end.tolist(), batch.nodes.head.tolist(), strict=True)
    for at, (document, first, last, head) in enumerate(rows):
        place = first + int(np.argmin(trees[document].depth[first : last + 1]))
        found[at] = layers[document].numbers[place] != head
    return found


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
                details = {"document": document.name, "count": plural(len(pieces), "mark"), "piece": pieces[0]}
                notices.append(Finding("dropped-marks", place.source.name, place.line, details=details))
            yield document._replace(sentences=next(texts))
