"""Converting between formats: documents with their words, and notices about what is lost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice, repeat

import numpy as np

from corefscore.core.arrays import Bools, Ints
from corefscore.core.documents import KEY, RESPONSE, Documents, are_empty, joined
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import MARK, Source, is_utf_16, sources
from corefscore.formats import BY_CONTENT, HEAD_BYTES, TAGGED, Reading, find, form_of, opened, refuse_heads, requested
from corefscore.formats.base import EMPTY, NAMES, Annotations, Format, FullDocument, found_at, full_documents
from corefscore.formats.written import NO_FORM, add_notice, dropped, fitted
from corefscore.matching.pairing import Names


def convert(
    path: str | Source,
    notices: list[Finding],
    to: str | None = None,
    reading: Reading = BY_CONTENT,
    watch: Callable[[int], None] | None = None,
    *,
    key: str | None = None,
    side: str = KEY,
) -> Iterator[str]:
    """Yield the documents of a file or folder, or of a file in memory, in another format, as pieces of text.

    ``to`` is the name of a format, by default JSON lines for CoNLL and tables and CoNLL for all others; ``watch`` is
    that of `corefscore.formats.Opened`. A file of both sides is read as this ``side``. With a ``key`` (a path) the
    documents are those of the key, with the entities of the file on its tokens. What the new format cannot contain is
    added to ``notices``.

    Raises `InputError` for input that is refused, including documents with the same name and documents with faults;
    `UsageError` for a file that cannot be read.
    """
    asked = None if key is None else RESPONSE
    written, both, reading = requested(asked, reading), reading, reading.of(asked)
    if isinstance(path, Source):
        files, path = [path], path.name
    else:
        files = sources(path, notices)
    for source in files:
        source.watch = watch
    if to == TAGGED:  # the notation is that of the output; that of the input is recognised
        reading = replace(reading, tags=None)
    origin = form_of(files, reading, RESPONSE)
    target = find(to or ("jsonlines" if origin.name in ("conll", "labels") else "conll"))
    on_key = key is not None and target.name == _COREFUD and form_of(sources(key, []), BY_CONTENT, KEY)
    refuse_heads(reading, [on_key or origin])
    request = requested(side, reading)._replace(texts=True, several=len(files) > 1, both=())
    if key is not None:
        on_words = on_key and on_key.name == _COREFUD
        of_key, found = _placed(key, path, both, notices, on_words=bool(on_words))
        if on_words:
            yield from _on_words(of_key, found, notices)
            return
        documents = _on_tokens(path, joined(of_key), found, notices)
    else:
        _note_joined(path, files, notices)
        of_files = (origin.annotations(source, request) if origin.annotations else repeat(None) for source in files)
        annotations: Iterator[Annotations | None] = chain.from_iterable(of_files)
        with_zeros = target.name in WITH_ZEROS and origin.name == _COREFUD
        documents = (_with_zeros if with_zeros else _full)(origin.read(files, notices, request), annotations, notices)
        if not target.zeros:
            documents = _zeros_as_words(documents, notices, target.title)
    yield from _recognisable(target.write(documents, notices, written), target, key or path, notices)


def _recognisable(pieces: Iterator[str], target: Format, path: str, notices: list[Finding]) -> Iterator[str]:
    """Yield the same text; a notice is added if its beginning would not be recognised as its format."""
    head = b""
    for piece in pieces:
        if len(head) < HEAD_BYTES:
            head += piece[:HEAD_BYTES].encode("utf-8", "surrogateescape")
        yield piece
    rows = () if is_utf_16(head.removeprefix(MARK)) else map(find, NAMES)
    found = next((row for row in rows if row.recognises(head[:HEAD_BYTES])), None)
    if found is None or found.read is not target.read:
        taken = "an unknown format" if found is None else found.title
        details = {"format": target.title, "taken": taken, "name": target.name}
        notices.append(Finding("other-format", path, details=details))


def _note_joined(path: str, files: Collection[Source], notices: list[Finding]) -> None:
    """Add a notice if several files become one."""
    if len(files) > 1:
        notices.append(Finding("joined-files", path, details={"files": len(files)}))


_COREFUD, _TYPE = "corefud", "type"
"""The format whose mentions are more than spans."""

WITH_ZEROS = (TAGGED, "crac-2026")
"""The formats in which zeros are words."""


def _on_words(batches: Sequence[Documents], found: Documents, notices: list[Finding]) -> Iterator[str]:
    """Yield a key in CorefUD with its entities replaced by those of the documents ``found`` on it, heads and empty
    nodes included."""
    from corefscore.formats.corefud.writer import FIT, Headed, write_on
    from corefscore.matching.text.projection import spans_of_words, words_of

    answers = {name: number for number, name in enumerate(found.names)}
    for batch in batches:  # one for each file
        words = words_of(batch, range(len(batch)), KEY)
        answer = found.take(np.array([answers.get(name, -1) for name in batch.names], dtype=np.int64))
        answer = replace(answer, names=batch.names, places=batch.places)
        start, end = spans_of_words(answer, words)
        nodes = answer.nodes
        assert nodes is not None, "the key is CorefUD"
        sizes = np.array([len(words[document].numbers) for document in range(len(batch))], dtype=np.int64)
        of_mention = answer.document[answer.entity]
        known = start < sizes[of_mention]  # the words of other mentions are after the last word
        with_gaps = known & (end - start + 1 > nodes.size)
        _note_lost(answer, [("lost-mentions", ~known), ("filled-gaps", with_gaps)], notices)
        heads: list[dict[tuple[int, int], int]] = [{} for _ in batch.names]
        rows = zip(of_mention.tolist(), start.tolist(), end.tolist(), nodes.head.tolist(), strict=True)
        for document, first, last, head in rows:
            heads[document][first, last] = int(np.searchsorted(words[document].numbers, head)) - first + 1
        spans = full_documents(replace(answer, start=start, end=end).keep(known))
        in_words = (full._replace(sentences=words[document].words) for document, full in enumerate(spans))
        pairs = zip(fitted(in_words, notices, FIT), heads, strict=True)
        documents = {full.place.line or 0: Headed(full, of_document) for full, of_document in pairs}
        yield from write_on(batch.place_of(0).source, documents, notices)


def _placed(
    key: str, path: str, reading: Reading, notices: list[Finding], *, on_words: bool
) -> tuple[Sequence[Documents], Documents]:
    """Return the documents of a key, and those of a file on the tokens of the key. What is lost is added to the
    notices; ``on_words`` says that all but coreference is kept from the key."""
    from corefscore.matching.pairing import unpaired
    from corefscore.matching.text.projection import placed

    # A format that is not given by side is that of the file to convert.
    form = reading.of(KEY).input_format if isinstance(reading.input_format, Mapping) else None
    of_key = list(opened(key, notices, replace(reading, tags=None, input_format=form)).documents(notices))
    answers = list(opened(path, notices, reading, side=RESPONSE).documents(notices))
    found = placed(of_key, answers, reading, notices).response
    known = {*chain.from_iterable(batch.names for batch in of_key)}
    of_answers = zip(found.names, found.places, strict=True)
    notices += unpaired({}, {name: place for name, place in of_answers if place and name not in known}, len(known))
    _note_joined(key, {place.source for batch in of_key for place in batch.places if place}, notices)
    _note_annotations(answers, notices, alone=not on_words)
    if not on_words:
        _note_annotations(of_key, notices, alone=True)
    return of_key, found


def _note_annotations(batches: Sequence[Documents], notices: list[Finding], *, alone: bool) -> None:
    """Add notices about what documents have besides coreference, and with ``alone`` besides words: the types of
    entities in CorefUD are lost even where all else of the key is kept."""
    for layer in filter(None, chain.from_iterable(batch.layers(types=_TYPE) for batch in batches)):
        if alone:
            notices += layer.lost
        elif layer.types:
            notices.append(dropped(batches[0].place_of(0), "each mention", "fields", ["etype"]))
            return


def _on_tokens(path: str, batches: Documents, found: Documents, notices: list[Finding]) -> Iterator[FullDocument]:
    """Yield the documents of a key with the entities of those ``found`` in a file, on the tokens of the key."""
    from corefscore.matching.text.projection import words_of

    words = words_of(batches, range(len(batches)), KEY)
    found = _as_spans(found, notices)
    entities = {document.name: document for document in full_documents(found)}
    for document, name in enumerate(batches.names):
        place, tokens = batches.place_of(document), batches.tokens[document]
        answered = entities[name].entities if name in entities else {}
        inside = {label: [span for span in spans if span[1] < tokens] for label, spans in answered.items()}
        if lost := sum(map(len, answered.values())) - sum(map(len, inside.values())):
            details = {"document": name, "count": plural(lost, "mention")}
            notices.append(Finding("lost-mentions", entities[name].place.source.name, details=details))
        if name not in entities:
            notices.append(Finding("missing-document", path, details={"document": name, "nearest": ""}))
        kept = {label: spans for label, spans in inside.items() if spans}
        yield FullDocument(name, place, words[document].overt.words, kept)


def _as_spans(batch: Documents, notices: list[Finding]) -> Documents:
    """Return a batch whose mentions are spans, each with all tokens from its first to its last one.

    Heads, gaps and mentions without tokens (`corefscore.core.documents.Nodes`) are lost and added to the notices.
    """
    if (nodes := batch.nodes) is None or not len(nodes.size):
        return batch
    notices.append(Finding("dropped-heads", batch.place_of(0).source.name))
    tokens = np.add.reduceat((~are_empty(nodes.word)).astype(np.int64), nodes.first)
    kept = tokens > 0
    _note_lost(batch, [("dropped-zeros", ~kept), ("filled-gaps", kept & (tokens <= batch.end - batch.start))], notices)
    return batch.keep(kept)


def _note_lost(batch: Documents, lost: Sequence[tuple[str, Bools]], notices: list[Finding]) -> None:
    """Add a notice for each document and code about the mentions that are lost or changed."""
    of_mention = batch.document[batch.entity]
    for code, which in lost:
        documents, firsts, counts = np.unique(of_mention[which], return_index=True, return_counts=True)
        for document, first, count in zip(documents.tolist(), firsts, counts, strict=True):
            details = {"document": batch.names[document], "count": plural(int(count), "mention")}
            line = int(batch.line[which][first])
            notices.append(Finding(code, batch.place_of(document).source.name, line, details=details))


def _with_zeros(
    batches: Iterator[Documents], annotations: Iterator[Annotations | None], notices: list[Finding]
) -> Iterator[FullDocument]:
    """Yield documents of CorefUD with their empty nodes as tokens, in the order of text2text-coref."""
    from corefscore.matching.text.zeros import DocumentWords

    for batch in batches:
        of_batch = list(filter(None, islice(annotations, len(batch))))
        orders = [DocumentWords(of_document).written for of_document in of_batch]
        start, end, other_words, other_head = _in_order(batch, of_batch, orders)
        _note_lost(batch, [("changed-mentions", other_words), ("other-heads", other_head)], notices)
        documents = full_documents(replace(batch, start=start, end=end))
        for of_document, order, full in zip(of_batch, orders, documents, strict=True):
            empty = of_document.empty[order]
            forms = list(chain(*of_document.words))
            rows = zip((forms[word] for word in order.tolist()), empty.tolist(), strict=True)
            words = (word.removeprefix(EMPTY) or NO_FORM if zero else word for word, zero in rows)
            sentences = [list(islice(words, len(sentence))) for sentence in of_document.words]
            yield full._replace(sentences=sentences, zeros=set(np.flatnonzero(empty).tolist()))


def _in_order(
    batch: Documents, annotations: Sequence[Annotations], orders: Sequence[Ints]
) -> tuple[Ints, Ints, Bools, Bools]:
    """Return the first and the last word of each mention among the words of its document in another order; whether
    these and the words between them are others than those of the mention, or were not in a row; and whether its head
    is not the highest of them.

    Of a mention with gaps this is the part with its head.
    """
    assert batch.nodes is not None, "this is CorefUD"
    start, end = batch.start.copy(), batch.end.copy()
    other_words, other_head = (np.zeros(len(start), dtype=np.bool_) for _ in range(2))
    trees = [of_document.tree() for of_document in annotations]
    places = [np.argsort(order) for order in orders]
    columns = batch.document[batch.entity], batch.nodes.first, batch.nodes.size
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for mention, (document, first, size) in enumerate(rows):
        numbers, order = annotations[document].numbers, orders[document]
        words = np.searchsorted(numbers, batch.nodes.word[first : first + size])
        head = int(np.searchsorted(numbers, batch.nodes.head[mention]))
        place = np.sort(places[document][words])
        part = np.cumsum(np.diff(place, prepend=place[0]) > 1)
        kept = place[part == part[np.searchsorted(place, places[document][head])]]
        start[mention], end[mention] = kept[0], kept[-1]
        written = np.sort(order[kept[0] : kept[-1] + 1])
        gap = words[-1] - words[0] >= len(words)  # zeros in it are between its words again when a key places them
        other_words[mention] = gap or not np.array_equal(written, words)
        other_head[mention] = written[np.argmin(trees[document].depth[written])] != head
    return start, end, other_words, other_head


def _full(
    batches: Iterator[Documents], annotations: Iterator[Annotations | None], notices: list[Finding]
) -> Iterator[FullDocument]:
    """Yield documents with their words, which a second pass over the files reads, and with the zeros among them. What
    is lost is added to the notices."""
    names = Names()
    for batch in batches:
        names.add(batch)
        for number, document in enumerate(full_documents(_as_spans(batch, notices))):
            if pieces := batch.discarded.get(number):
                details = {"document": document.name, "count": plural(len(pieces), "piece"), "piece": pieces[0]}
                notices.append(found_at(document.place, "dropped-marks", **details))
            if (layer := next(annotations)) is None:
                if columns := {name: place for (name, _), place in batch.unread.items() if name and number == 0}:
                    first, *_ = columns.values()
                    notices.append(dropped(first, "each row", "columns or fields", list(columns)))
                yield document
                continue
            notices += layer.lost
            known = layer.words or not batch.tokens[number]  # a document without tokens has no words, either
            yield document._replace(sentences=layer.overt.words if known else None, zeros=set(layer.zeros))


def _zeros_as_words(documents: Iterator[FullDocument], notices: list[Finding], title: str) -> Iterator[FullDocument]:
    """Yield documents whose zeros are words, which a notice says, for a format without a sign for zeros."""
    for document in documents:
        if document.zeros:
            add_notice(document, notices, "zeros-as-words", count=plural(len(document.zeros), "word"), format=title)
        yield document._replace(zeros=())
