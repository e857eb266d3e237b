"""The mentions of a response whose text differs from the key's, placed on the tokens of the key.

1. A mention covers the words of the key from the first to the last of its characters that the key has, as whole words.
   In moved text these characters are those of one stretch. If the key has the mention with or without markup, or
   without the signs beside a word (`Bob.`) of an answer that names whole words, it is that of the key.
2. A mention without any such character is in inserted text, and one of CorefUD may have a zero as its head that the
   key lacks. It gets tokens after the end of the document, so that it matches nothing; if several pieces have it, the
   same ones. `_stands` says where it is in the text.
3. If several mentions cover the same words, the one that differs from them in the fewest characters keeps them. The
   others get tokens after the end, too, so that no mention is lost or added.
4. If the key is CorefUD, its empty nodes are words as well as its tokens (`corefscore.matching.text.zeros`). If the
   response is CorefUD, too, its mentions keep their heads and gaps.

If a document has several answers (pieces), these are aligned one after another, in the order of the numbers in their
names. A piece that fits better alone is aligned alone. A mention that an earlier piece has on the same words counts
once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints, Objects, changes, connected, order_by, ranked
from corefscore.core.documents import (
    KEY,
    NO_NODES,
    RESPONSE,
    Documents,
    Nodes,
    Span,
    by_appearance,
    joined,
    part_of,
    refuse_deep,
    types_of,
)
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source
from corefscore.formats import HEAD_BYTES, Reading
from corefscore.formats.base import (
    APART,
    FAULTS,
    NO_WORD,
    OVERLAP,
    SAME,
    ZERO,
    Annotations,
    found_at,
    is_json,
    passage,
    passage_places,
    refused,
)
from corefscore.formats.ids import odd_ids
from corefscore.matching.pairing import in_other_form
from corefscore.matching.text.alignment import ABSENT, AROUND, EQUAL, MOVED, REPLACED, Alignment, align, in_place
from corefscore.matching.text.characters import Characters, characters, in_a_row
from corefscore.matching.text.fidelity import FIELDS, UNUSUAL, Fidelity, described, ratio
from corefscore.matching.text.zeros import DocumentWords, Spans, as_nodes, gaps_of, nodes_of_zeros, with_zeros

_AROUND, _BESIDE, _OPENING, _DIVIDED = ([*map(ord, its)] for its in (AROUND, f"{AROUND}.,;:!?", "[{<", '"-'))
"""Quotes, brackets and markup; these and signs of sentences; the characters with which tags begin; and signs that
tokenizers divide."""

_NUMBERED = re.compile(r"[\W_]*(?:part|chunk|piece|window)?[\W_]*\d+$", re.IGNORECASE)
"""What may follow the name of the document in that of a piece."""


class Projection(NamedTuple):
    """The response on the tokens of the key, the fidelity of its text, and where each text first differs."""

    response: Documents
    fidelity: Fidelity
    first_differences: Sequence[Finding]


def placed(
    key: Sequence[Documents], response: Sequence[Documents], reading: Reading, notices: list[Finding]
) -> Projection:
    """Return the response on the tokens of the key. ``notices`` get what is guessed, joined or odd.

    Raises `InputError` if the key or the response has no words, `UsageError` for an unknown option.
    """
    return _Placing(joined(key), joined(response), reading, notices).run()


class _Piece(NamedTuple):
    """A document of the response: its number, its words, their alignment, how many words the pieces before it have,
    which empty nodes of the key its zeros are, and its `_foreign` words."""

    document: int
    annotations: Annotations
    words: Characters
    alignment: Alignment
    before: int
    zeros: Mapping[int, int]
    foreign: Sequence[int]


class _Placing:
    def __init__(self, key: Documents, response: Documents, reading: Reading, notices: list[Finding]) -> None:
        self.key, self.response, self.notices = key, response, notices
        self.both_corefud = key.nodes is not None and response.nodes is not None
        self.first_differences: list[Finding] = []
        self.pieces, self.heads = OVERLAP if reading.pieces is None else reading.pieces, reading.heads
        self.documents: list[Documents] = []
        self.labels = list(response.odd_labels)
        self.texts: _Texts = {}
        self.of_key: DocumentWords
        self.spans: tuple[Ints, Ints]
        """The first and last words, or empty nodes, of the mentions of the key in this document."""

    def run(self) -> Projection:
        """Place each document of the response on that of the key."""
        answers, others = self._by_document()
        key_words = words_of(self.key, sorted(answers), KEY)
        response_words = words_of(self.response, sorted(chain(*answers.values())), RESPONSE, zeros=self.both_corefud)
        if self.both_corefud:
            start, end = spans_of_words(self.response, response_words)
            self.response = replace(self.response, start=start, end=end)
        key_spans = (self.key.start, self.key.end) if self.key.nodes is None else spans_of_words(self.key, key_words)
        counts = np.zeros((len(self.key), len(FIELDS)), dtype=np.int64)
        for document in sorted(answers):
            which = _mentions_of(self.key, document)
            self.spans = key_spans[0][which], key_spans[1][which]
            pieces = self._pieces(answers[document], response_words, key_words[document])
            spans = self._merged(pieces)
            self._add(document, pieces, spans)
            by_name = self._counts(document, pieces, spans)
            counts[document] = [by_name[name] for name in FIELDS]
            for piece in pieces:
                self._note_first_difference(document, piece)
            self._note(document, pieces, by_name)
        for document in set(range(len(self.key))) - answers.keys():
            size, which = max(int(self.key.tokens[document]), 0), _mentions_of(self.key, document)
            counts[document, [FIELDS.index("words"), FIELDS.index("deleted")]] = size
            overt = self.key.end[which] >= self.key.start[which]
            counts[document, FIELDS.index("mentions_deleted")] = np.count_nonzero(overt)
        rest = self.response.take(others)
        rest = replace(rest, stands=2 * rest.start)
        if self.key.nodes is not None:  # no mention of these is scored
            rest = Documents(rest.names, rest.places, rest.tokens, stands=NONE, nodes=NO_NODES)
        response = joined([*self.documents, rest])
        if self.pieces == SAME:  # ids of several pieces may be spellings of one, too
            self.notices += (its for its in odd_ids(response) if its.code == "alike-ids" and its not in self.notices)
        if self.key.nodes is not None and not self.both_corefud:
            from corefscore.formats.corefud.clusters import other_heads

            self.notices.extend(other_heads(self.key, response))
        return Projection(response, Fidelity(self.key.names, counts), self.first_differences)

    # Names

    def _by_document(self) -> tuple[dict[int, list[int]], Ints]:
        """Return the documents of the response that belong to each of the key, and those that belong to none."""
        key = {name: document for document, name in enumerate(self.key.names)}
        names = self.response.names
        if self.response.unnamed and len(key) == len(names) and list(key) != list(names):
            return self._by_position(), NONE
        forms = dict(key)
        if not (self.key.exact_names and self.response.exact_names):
            forms |= {theirs: key[ours] for ours, theirs in in_other_form(key, names).items()}
        if self.response.own_text:
            forms = other_names(self.key.names) | forms
        answers: dict[int, list[int]] = defaultdict(list)
        others = []
        for answer, name in enumerate(names):
            if (document := forms.get(name)) is None and self.response.own_text:
                document = forms.get(_NUMBERED.sub("", name))
            if document is None or answer in self.response.faults:
                others.append(answer)
            else:
                answers[document].append(answer)
        unnamed = self.response.unnamed or (self.key.unnamed and len(key) == len(names))
        if not answers and (self.response.own_text or unnamed):
            answers, others = self._by_position(), []
        for document, pieces in answers.items():
            if len(pieces) > 1:
                pieces.sort(key=lambda piece: _natural(names[piece]))
                if self.pieces == SAME and not self.response.own_text and self._are_positions(pieces):
                    raise UsageError(
                        "--pieces same joins entities with the same id, and lists of clusters have no ids; leave it out"
                    )
                details = {"document": self.key.names[document], "count": len(pieces), "meaning": _MEANING[self.pieces]}
                self.notices.append(found_at(self.response.place_of(pieces[0]), "joined-pieces", **details))
        return answers, np.array(others, dtype=np.int64)

    def _are_positions(self, documents: Sequence[int]) -> bool:
        """Return whether the ids of entities are their positions in lists of JSON."""
        side, of = self.response, self.response.document
        in_json = (is_json(side.place_of(document).source.head(HEAD_BYTES)) for document in documents)
        numbers = (side.label[of == document] for document in documents)
        return all(in_json) and all(np.array_equal(np.sort(ids), np.arange(len(ids))) for ids in numbers)

    def _by_position(self) -> dict[int, list[int]]:
        """Return documents of the response without names of the key."""
        place, count, known = self.response.place_of(0), len(self.response), len(self.key)
        if 1 < known != count:
            raise refused(place, "unnamed-answers", count=plural(count, "document"), documents=known)
        is_named = not (self.response.unnamed or self.key.unnamed or self.response.names[0] == place.source.stem)
        if known > 1 or is_named:
            how = f"paired in order with the {known}" if known > 1 else "paired with the only one"
            self.notices.append(found_at(place, "by-position", count=plural(count, "document"), how=how))
        return {0: list(range(count))} if known == 1 else {document: [document] for document in range(known)}

    # Words

    def _pieces(
        self, documents: Sequence[int], annotations: Mapping[int, Annotations], of_key: Annotations
    ) -> list[_Piece]:
        """Return the pieces of a document, each aligned with the words of the key, ``self.of_key``.

        All are aligned as one text, so that of words that the key repeats, the first piece gets the first ones. A piece
        that fits better alone (`_fit`) is aligned alone, as where pieces overlap.
        """
        zeros = [annotations[document].zeros if self.key.nodes is not None else () for document in documents]
        words = [list(chain(*annotations[document].words)) for document in documents]
        texts = [characters(its, set(without)) for its, without in zip(words, zeros, strict=True)]
        self.of_key = DocumentWords(of_key)
        ours, theirs = self.of_key.characters.unseen, sum(text.unseen for text in texts)
        signs, *others = (np.isin(text.code, _DIVIDED).sum() for text in (self.of_key.characters, *texts))
        form = {"unseen": 0 < ours <= 2 * theirs, "divided": bool(signs != sum(others))}
        if form["divided"] or (ours + theirs and not form["unseen"]):
            self.of_key = DocumentWords(of_key, **form)
            texts = [characters(its, set(without), **form) for its, without in zip(words, zeros, strict=True)]
        ends = np.cumsum([len(text.code) for text in texts])[:-1]
        together = map(Alignment, *(np.split(its, ends) for its in align(self.of_key.text, in_a_row(texts))))
        pieces, before, at = [], 0, 0
        for document, its, without, text, alignment in zip(documents, words, zeros, texts, together, strict=True):
            best = alignment
            if len(texts) > 1 and (fit := _fit(alignment, text)) < (True, len(text.code), 0):
                alone = align(self.of_key.text, text, at)
                best = alone if not fit[0] or fit < _fit(alone, text) else alignment
            at = 1 + next(iter(best.key[best.state == EQUAL].tolist()), at - 1)
            own = DocumentWords(annotations[document]) if self.both_corefud and without else its
            nodes = nodes_of_zeros(self.of_key, without, text, best, own)
            # A tag that is nearly right was counted, as text between such tags would be again.
            told = annotations[document].at is None or annotations[document].faults.get("unknown")
            foreign = [] if told else _foreign(text, best, self.of_key.characters)
            pieces.append(_Piece(document, annotations[document], text, best, before, nodes, foreign))
            before += len(its)
        return pieces

    # Mentions

    def _merged(self, pieces: Sequence[_Piece]) -> Spans:
        """Return the mentions of the pieces of a document, each span only of the first piece that has it; entities that
        are the same have the same number.
        """
        if len(parts := [self._spans(piece) for piece in pieces]) == 1:
            return parts[0]
        _share_places(pieces, parts, len(self.of_key.words))
        spans = Spans(*map(np.concatenate, zip(*parts, strict=True)))
        entities, entity = np.unique(spans.entity, return_inverse=True)
        links = np.array(self._same(parts, entities), dtype=np.int64).reshape(-1, 2).T
        same = entities[connected(len(entities), *np.searchsorted(entities, links))]
        piece = np.repeat(np.arange(len(parts)), [len(part.entity) for part in parts])
        first, rank = ranked(spans.start, spans.end)
        return spans._replace(entity=same[entity]).take(piece[first[rank]] == piece)

    def _same(self, parts: Sequence[Spans], entities: Ints) -> list[tuple[int, int]]:
        """Return pairs of the entities of pieces that are the same."""
        if self.pieces == SAME:
            by_name: dict[str, int] = {}
            names = zip(self.response.names_of(entities.tolist()), entities.tolist(), strict=True)
            return [(by_name.setdefault(name, entity), entity) for name, entity in names]
        found: list[tuple[int, int]] = []
        seen: dict[tuple[int, int], int] = {}
        for part in parts if self.pieces == OVERLAP else ():
            spans = zip(part.start.tolist(), part.end.tolist(), strict=True)
            of_span = list(zip(spans, part.entity.tolist(), strict=True))
            found += [(seen[span], entity) for span, entity in of_span if span in seen]
            seen.update(of_span)
        return found

    def _spans(self, piece: _Piece) -> Spans:
        """Return the mentions of a piece on the tokens of the key."""
        mentions = _mentions_of(self.response, piece.document)
        entity, own = self.response.entity[mentions], (self.response.start[mentions], self.response.end[mentions])
        characters_of = piece.words.first
        begin, end = characters_of[own[0]], characters_of[own[1] + 1]
        start, last, differing = _projected(begin, end, piece.alignment, self.of_key.characters)
        signs = (piece.alignment.state == REPLACED) & np.isin(piece.words.code, _AROUND)
        sizes, token = np.diff(self.of_key.characters.first), self.of_key.characters.token
        whole_words = self.response.by_word or not (self.response.own_text or self.response.characters)
        if whole_words and not self.both_corefud and len(token):
            # A word with signs beside it, such as "Bob.", may be two words of the key, and so may "Bob's".
            code, first = self.of_key.characters.code, np.minimum(self.of_key.characters.first[:-1], len(token) - 1)
            is_sign = np.bincount(token, ~np.isin(code, _BESIDE), len(sizes)) == 0
            is_sign |= (code[first] == ord('"')) & (sizes <= 3)
            beside, word = in_place(piece.alignment) & is_sign[token[piece.alignment.key]], piece.words.token
            signs |= beside & (np.bincount(word, ~beside) > 0)[word]
        replaced = np.bincount(token[np.unique(piece.alignment.key[signs])], minlength=len(sizes))
        seen = np.flatnonzero((sizes > replaced) | self.of_key.empty)
        if 0 < len(seen) < len(sizes):
            _move_to_same_words(start, last, self.spans, seen)
        with_zeros(own, (start, last, differing), piece.zeros, self.of_key)
        zero = begin == end
        if self.both_corefud and self.response.nodes is not None:  # their heads may be zeros that the key lacks
            lacking = piece.annotations.numbers[[*set(piece.annotations.zeros).difference(piece.zeros)]]
            is_lost = np.isin(self.response.nodes.head[mentions], lacking)
            differing[is_lost], zero = -1, zero | is_lost
        _resolve(own, start, last, differing)
        # A mention that the key does not have comes after all words of the key.
        lost, after = differing < 0, len(self.of_key.words) + piece.before
        start, last = np.where(lost, after + own[0], start), np.where(lost, after + own[1], last)
        return Spans(entity, start, last, differing, zero, *self._heads_and_gaps(piece, own, (start, last)))

    def _heads_and_gaps(
        self, piece: _Piece, own: tuple[Ints, Ints], placed: tuple[Ints, Ints]
    ) -> tuple[Ints, Ints, Objects]:
        """Return the last three columns of `Spans`. The head is among all words of a mention, and no mention has gaps,
        unless both sides are CorefUD.
        """
        gaps = np.full(len(own[0]), None)
        if not self.both_corefud or self.response.nodes is None:
            return *placed, gaps
        mentions = _mentions_of(self.response, piece.document)
        nodes = self.response.nodes.take(np.arange(mentions.start, mentions.stop))
        # For every word of the response the first and the last word in the key.
        borders = piece.words.first
        first, last, _ = _projected(borders[:-1], borders[1:], piece.alignment, self.of_key.characters)
        for zero, node in piece.zeros.items():
            first[zero] = last[zero] = node
        head = np.searchsorted(piece.annotations.numbers, nodes.head)
        within = (first[head] >= placed[0]) & (last[head] <= placed[1])
        for mention in np.flatnonzero(nodes.size < own[1] - own[0] + 1).tolist():
            own_words = nodes.word[nodes.first[mention] :][: nodes.size[mention]]
            words = np.searchsorted(piece.annotations.numbers, own_words)
            gaps[mention] = gaps_of(words, (first, last), (int(placed[0][mention]), int(placed[1][mention])))
        return np.where(within, first[head], placed[0]), np.where(within, last[head], placed[1]), gaps

    # Counts

    def _counts(self, document: int, pieces: Sequence[_Piece], spans: Spans) -> dict[str, int]:
        """Return the counts of a document, by the names of `COLUMNS`."""
        # Another piece may have kept what one replaced. A word without characters is always kept.
        sizes = np.diff(self.of_key.characters.first)
        every = [sizes == 0, sizes < 0, sizes == 0]
        for piece in pieces:
            for so_far, of_piece in zip(every, _states(piece, self.of_key.characters, sizes), strict=True):
                so_far[of_piece] = True
        # Empty nodes are not part of the text.
        kept, moved, touched = (words[~self.of_key.empty] for words in every)
        counts = {
            "words": len(kept),
            "kept": int(np.count_nonzero(kept)),
            "moved": int(np.count_nonzero(moved & ~kept)),
            "replaced": int(np.count_nonzero(touched & ~kept & ~moved)),
            "deleted": int(np.count_nonzero(~touched)),
            "inserted": sum(_inserted(piece, self.of_key.characters, every[0]) for piece in pieces),
        }
        for fault in FAULTS:
            counts[f"tags_{fault}"] = sum(piece.annotations.faults.get(fault, 0) for piece in pieces)
        counts["tags_unknown"] += sum(len(piece.foreign) for piece in pieces)
        lost = spans.differing < 0
        within = _contain(~every[0], spans.start, np.where(lost, spans.start, spans.end))
        changed = ~lost & ((spans.differing > 0) | within)
        overt = ~self.of_key.empty
        deleted = _contain(overt, *self.spans) & ~_contain(every[2] & overt, *self.spans)
        for name, mentions in (("inserted", lost), ("changed", changed), ("deleted", deleted)):
            counts[f"mentions_{name}"] = int(np.count_nonzero(mentions))
        return counts

    def _note_first_difference(self, document: int, piece: _Piece) -> None:
        """Note where the text of a piece first differs from that of the key."""
        alignment, key, words = piece.alignment, self.of_key.characters, piece.words
        size = len(alignment.key)
        first = int(alignment.key[0]) if size and alignment.state[0] == EQUAL else 0
        differs = (alignment.state != EQUAL) | (alignment.key != first + np.arange(size))
        equal = int(np.argmax(np.append(differs, True)))
        ends, key_goes_on = equal == size, first + equal < len(key.code)
        if ends and not key_goes_on:
            return
        key_word = "no more words"
        if key_goes_on:
            key_word = f'"{self.of_key.words[key.token[first + equal]]}" {"after this word" if ends else "instead"}'
        place, column, around = self.response.place_of(piece.document), None, None
        if piece.annotations.at is not None and words.tokens:
            line, column, around = piece.annotations.at(words.tokens - 1 if ends else int(words.token[equal]))
            place = place._replace(line=line)
        name = self.key.names[document]
        self.first_differences.append(found_at(place, "parting-text", column, around, document=name, key_word=key_word))

    def _note(self, document: int, pieces: Sequence[_Piece], counts: Mapping[str, int]) -> None:
        """Add notices about the text and the tags of a document: also about tags that the key has itself, of which a
        copy is read as a mention, and ids that end with what the key has after the mention, as where text follows a tag
        without a blank."""
        name, place = self.key.names[document], self.response.place_of(pieces[0].document)
        tagged = pieces[0].annotations.tagged
        if tagged is not None and (found := tagged(" ".join(self.of_key.words)).mentions):
            self.notices.append(found_at(place, "tags-in-key", document=name, id=found[0].entity))
        elif tagged is not None and (longer := [*chain(*map(self._longer_ids, pieces))]):
            self.notices.append(found_at(place, "odd-label", label=longer[0], count=plural(len(longer), "mention")))
        for fault in FAULTS:
            if (count := counts[f"tags_{fault}"]) and fault != "crossing":
                known = [piece for piece in pieces if piece.annotations.faults.get(fault)]
                piece = (known or [piece for piece in pieces if len(piece.foreign)])[0]
                assert piece.annotations.at is not None, "this is tagged text"
                line, column, around = piece.annotations.at(fault if known else piece.foreign[0])
                of_tag = self.response.place_of(piece.document)._replace(line=line)
                code, tags = f"{fault}-tags", plural(count, "tag")
                self.notices.append(found_at(of_tag, code, column, around, document=name, count=tags))
        if (percent := 100 * ratio(counts)) < UNUSUAL:
            hint = _ALIKE if counts["words"] > counts["deleted"] else _OTHER
            details = {"document": name, "fidelity": f"{percent:.1f}", "least": f"{UNUSUAL:g}", "hint": hint}
            self.notices.append(found_at(place, "low-fidelity", what=described(counts), **details))

    # Documents on the tokens of the key

    def _longer_ids(self, piece: _Piece) -> Iterator[str]:
        """Yield the ids of the mentions of a piece that end with text that the key has after the mention."""
        mentions, (key, state) = _mentions_of(self.response, piece.document), piece.alignment
        after = np.append(key, -1)[piece.words.first[self.response.end[mentions] + 1] - 1] + 1
        for mention in np.flatnonzero((after > 0) & ~np.isin(after, key[state == EQUAL])).tolist():
            entity_id = self.response.name_of(int(self.response.entity[mentions][mention]))
            text = self.of_key.text.text[after[mention] : after[mention] + len(entity_id)]
            tails = (size for size in range(1, len(text)) if entity_id.casefold().endswith(text[:size]))
            if any(entity_id[-size - 1].isdigit() for size in tails):
                yield entity_id

    def _add(self, document: int, pieces: Sequence[_Piece], spans: Spans) -> None:
        """Add a document with its mentions."""
        place, words = self.response.place_of(pieces[0].document), self.of_key
        entities, entity = np.unique(spans.entity, return_inverse=True)
        label, ids = self._ids(entities)
        order = np.argsort(entity, kind="stable")
        spans = spans.take(order)._replace(entity=entity[order])
        nodes: Nodes | None = None
        if self.key.nodes is not None:
            size = sum(len(piece.words.code) for piece in pieces) + len(words.characters.code)
            refuse_deep(place.source, spans.end - spans.start + 1, size, "characters")
            spans, nodes = as_nodes(words, spans, ids, self.heads)
            new = changes(spans.entity)
            label = label[spans.entity[new]]
            spans = spans._replace(entity=np.cumsum(new) - 1)
        placed = Documents(
            [self.key.names[document]],
            [place],
            self.key.tokens[[document]],
            document=np.zeros_like(entities),
            label=label,
            line=np.full(len(order), place.line or 0),
            odd_labels=self.labels,
            words=partial(_words_in, self.texts),
            annotations=types_of(self.response.annotations),
            own_text=self.response.own_text,
            entity=spans.entity,
            start=spans.start,
            end=spans.end,
            stands=_stands(spans, pieces, words),
            nodes=nodes,
        )
        self.documents.append(by_appearance(placed) if nodes is None else placed)
        own = [word for piece in pieces for sentence in piece.annotations.words for word in sentence]
        self.texts[place.source, place.line] = list(compress(words.words, ~words.empty)), own

    def _ids(self, entities: Ints) -> tuple[Ints, list[str]]:
        """Return the labels and the ids of entities. If pieces have the same id for several entities, a number is
        added.
        """
        label, ids = self.response.label[entities], self.response.names_of(entities.tolist())
        seen = Counter[str]()
        for index, name in enumerate(ids):
            seen[name] += 1
            if seen[name] > 1:
                ids[index] = f"{name}.{seen[name]}"
                self.labels.append(ids[index])
                label[index] = -len(self.labels)
        return label, ids


_Texts = dict[tuple[Source, int | None], tuple[list[str], list[str]]]
"""The words of each document in the key and in the response, by its place in the response."""


def _words_in(texts: _Texts, source: Source, spans: Sequence[Span]) -> Iterator[str]:
    """Yield the words of spans: of the key, or of the response if the key does not have them."""
    for span in spans:
        start, size = span.start, span.end - span.start + 1
        words, own = texts[source, span.line]
        every, start = (words, start) if start < len(words) else (own, start - len(words))
        yield passage([every[index] for index in passage_places(start, size)], size) if size > 0 else ZERO


_ALIKE = "fidelity is the share of words that agree with the key; mentions in inserted or deleted words cannot match"
_OTHER = "no word of the key was found in the response: check whether it is a refusal, or the text of another document"
"""What is said of a low fidelity."""

_MEANING = {
    OVERLAP: "entities of different pieces are joined if they share a mention in overlapping text",
    APART: "entities of different pieces are never joined",
    SAME: "entities with the same id are joined",
}


def other_names(names: Sequence[str]) -> dict[str, int]:
    """Return the documents of a key by other names that a file may have. For ``(bn/x); part 000`` these are ``bn_x_0``
    and ``x_0``, and ``bn_x`` and ``x`` if there is no other part. Names that could mean two documents are left out.
    """
    meant: dict[str, set[int]] = defaultdict(set)
    for document, name in enumerate(names):
        base, number = part_of(name) or (name, "")
        for base_name in (base, base.rsplit("/", 1)[-1]):
            form = re.sub(r"[^\w.-]+", "_", base_name).strip("_")
            numbers = {number, number.lstrip("0") or "0"} if number else set()
            for other in (form, *(f"{form}_{part}" for part in numbers), *(f"{form}_part_{part}" for part in numbers)):
                meant[other].add(document)
    return {form: documents.pop() for form, documents in meant.items() if len(documents) == 1 and form}


def _natural(name: str) -> list[tuple[int, str]]:
    """Return what orders names by the numbers in them: 2 before 10."""
    return [(len(part) if part.isdecimal() else 0, part) for part in re.split(r"0*(\d+)", name)]


def words_of(side: Documents, documents: Sequence[int], name: str, *, zeros: bool = False) -> dict[int, Annotations]:
    """Return the words of some documents, which are read again; those of a response have empty nodes only with
    ``zeros``.

    Raises `InputError` for a document whose words are not known.
    """
    words: dict[int, Annotations] = {}
    for document, layer in zip(documents, side.take(np.array(documents, dtype=np.int64)).layers(), strict=True):
        found = layer
        if found is not None and side.nodes is not None and name != KEY:
            found = found._replace(zeros=np.flatnonzero(found.empty).tolist()) if zeros else found.overt
        if found is None or side.tokens[document] < 0 or set(chain(*found.words)) == {NO_WORD}:
            raise refused(side.place_of(document), "text-unknown", document=side.names[document], side=name)
        words[document] = found
    return words


def spans_of_words(side: Documents, words: Mapping[int, Annotations]) -> tuple[Ints, Ints]:
    """Return the first and the last word of each mention of CorefUD in these documents, empty nodes counted as words;
    words that a document lacks are taken for those after or before them.
    """
    assert side.nodes is not None, "this is CorefUD"
    start, end = side.start.copy(), side.end.copy()
    first_word, last_word = side.nodes.first_word, side.nodes.last_word
    for document, annotated in words.items():
        mentions = _mentions_of(side, document)
        start[mentions] = np.searchsorted(annotated.numbers, first_word[mentions])
        end[mentions] = np.searchsorted(annotated.numbers, last_word[mentions], side="right") - 1
    return start, end


def _mentions_of(side: Documents, document: int) -> slice:
    """Return the mentions of a document among those of all."""
    return slice(*np.searchsorted(side.entity, np.searchsorted(side.document, [document, document + 1])).tolist())


def _projected(begin: Ints, end: Ints, alignment: Alignment, key: Characters) -> tuple[Ints, Ints, Ints]:
    """Return the first and the last word in the key for stretches of the response, and by how many characters they
    differ; -1 for stretches that the key does not have.
    """
    start, last, differing = (np.full(len(begin), -1) for _ in range(3))
    equal = np.append(0, np.cumsum(alignment.state == EQUAL))
    for aligned in (in_place(alignment), alignment.state == MOVED):
        known = np.flatnonzero(aligned)
        first, stop = np.searchsorted(known, begin), np.searchsorted(known, end)
        new = np.flatnonzero((start < 0) & (stop > first))
        first_key, last_key = alignment.key[known[first[new]]], alignment.key[known[stop[new] - 1]]
        # Of moved text one stretch counts: that with the first character.
        start[new] = key.token[first_key]
        last[new] = key.token[np.where(last_key < first_key, first_key, last_key)]
        key_size = key.first[last[new] + 1] - key.first[start[new]]
        same = equal[end[new]] - equal[begin[new]]
        differing[new] = key_size + (end - begin)[new] - 2 * np.minimum(same, key_size)
    return start, last, differing


def _move_to_same_words(start: Ints, last: Ints, key: tuple[Ints, Ints], words: Ints) -> None:
    """Move mentions, in place, to a mention of the key (first and last words) that has the same of these ``words``, and
    differs only by others: those without characters, and signs in whose place the response has others, such as markup.
    """
    near = (key[1] >= start.min(where=start >= 0, initial=words[-1])) & (key[0] <= last.max(initial=-1))
    sides = (key[0][near], key[1][near]), (start, last)
    content = ((np.searchsorted(words, begin), np.searchsorted(words, end, "right")) for begin, end in sides)
    spans, own = ([*zip(*map(np.ndarray.tolist, chain(*its)), strict=True)] for its in zip(sides, content, strict=True))
    found, known = {its[2:]: its[:2] for its in spans if its[2] < its[3]}, {its[:2] for its in spans}
    for at, its in enumerate(own):
        start[at], last[at] = its[:2] if its[:2] in known else found.get(its[2:], its[:2])


def _resolve(own: tuple[Ints, Ints], start: Ints, end: Ints, differing: Ints) -> None:
    """Choose which of several mentions keeps the same words: the one that differs least. The others match nothing, and
    differ by -1."""
    known = np.flatnonzero(differing >= 0)
    order = known[order_by(*(column[known] for column in (start, end, differing, *own)))]
    new = changes(start[order], end[order])
    best = order[new][np.cumsum(new) - 1]
    differing[order[(own[0][order] != own[0][best]) | (own[1][order] != own[1][best])]] = -1


def _share_places(pieces: Sequence[_Piece], parts: Sequence[Spans], words: int) -> None:
    """Move mentions that the key does not have to where an earlier piece has the same ones: the same characters (of
    long ones the first hundred), as many words before or after the same character of the key. ``words`` is how many
    words the key has."""
    places: dict[tuple[str, int, int, int], tuple[int, int]] = {}
    for piece, part in zip(pieces, parts, strict=True):
        known, after = np.flatnonzero(piece.alignment.state != ABSENT), words + piece.before
        key, token = piece.alignment.key[known], piece.words.token[known]
        for mention in np.flatnonzero(part.differing < 0).tolist():
            start, end = int(part.start[mention]), int(part.end[mention])
            begin, stop = piece.words.first[[start - after, end - after + 1]].tolist()
            text = piece.words.text(slice(begin, min(stop, begin + 100)))
            first, last = np.searchsorted(known, [begin, stop]).tolist()
            beside = [at for at in (first - 1, last) if 0 <= at < len(known)]
            ways = [(text, end - start, int(key[at]), int(token[at]) + after - start) for at in beside]
            place = next((places[way] for way in ways if way in places), (start, end))
            places |= dict.fromkeys(ways, place)
            part.start[mention], part.end[mention] = place


def _stands(spans: Spans, pieces: Sequence[_Piece], key: DocumentWords) -> Ints:
    """Return the places of mentions in the key: 2 t if a mention begins with token t, 2 t + 1 if the key does not have
    its first word and t is the token before."""
    places, last = [], -1
    for piece in pieces:
        known = np.flatnonzero(piece.alignment.state != ABSENT)
        token = key.overt_before[key.characters.token[piece.alignment.key[known]]]
        before = np.append(token[0] - 1 if len(token) else last, token)
        at = np.searchsorted(known, piece.words.first)
        places.append(np.where(at[1:] > at[:-1], 2 * np.append(token, 0)[at[:-1]], 2 * before[at[:-1]] + 1))
        last = int(before[-1])
    lost, stands = np.flatnonzero(spans.differing < 0), 2 * spans.start
    stands[lost] = np.concatenate(places)[spans.start[lost] - key.tokens]
    return stands


def _foreign(text: Characters, alignment: Alignment, key: Characters) -> list[int]:
    """Return the words of tagged text with a bracket that the key does not have there, before the same character: a
    tag without an id or of another notation, or one that was paired with a bracket of the text. Brackets before and
    after all words of the key are passed over."""
    equal, found = np.flatnonzero(alignment.state == EQUAL), set()
    odd = np.flatnonzero(np.isin(text.code, _OPENING) & ~np.isin(alignment.state, (EQUAL, MOVED)))
    for at, after in zip(odd.tolist(), np.searchsorted(equal, odd).tolist(), strict=True):
        if 0 < after < len(equal):
            first, last = alignment.key[equal[after - 1 : after + 1]].tolist()
            if text.text(slice(at, at + 2)) not in key.text(slice(first, last + 1)):
                found.add(int(text.token[at]))
    return sorted(found)


def _fit(alignment: Alignment, text: Characters) -> tuple[bool, int, int]:
    """Return how well a text is aligned: whether a letter or digit is equal, if it has any; the number of equal
    characters; and that of gaps of the key between them, as a negative number."""
    equal = alignment.state == EQUAL
    gaps = int(np.count_nonzero(np.diff(alignment.key[equal]) != 1))
    return text.has_word_at(equal) or not text.has_word, int(np.count_nonzero(equal)), -gaps


def _inserted(piece: _Piece, key: Characters, kept: Bools) -> int:
    """Return the number of words of a piece that have characters, none of which is in the key, or which only stand
    where the key has words that another piece has ``kept``."""
    token, tokens, (at, state) = piece.words.token, piece.words.tokens, piece.alignment
    found, replaced = state != ABSENT, state == REPLACED
    found[replaced] = ~kept[key.token[at[replaced]]]
    known = np.bincount(token[found], minlength=tokens)
    return int(np.count_nonzero((known == 0) & (np.bincount(token, minlength=tokens) > 0)))


def _states(piece: _Piece, key: Characters, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the words of the key that a piece has kept, those that it has moved, and all of which it has a character.
    ``sizes`` are the numbers of characters of the words of the key.
    """
    alignment, words = piece.alignment, piece.words
    known = np.flatnonzero(alignment.state != ABSENT)
    touched, index = np.unique(key.token[alignment.key[known]], return_inverse=True)
    state = alignment.state[known]
    equal, moved = (np.bincount(index[state == its], minlength=len(touched)) for its in (EQUAL, MOVED))
    whole = equal == sizes[touched]
    # A word with other characters in it is not kept: they belong to the word before them, or else to the next.
    has_known = np.bincount(words.token[known], minlength=words.tokens) > 0
    partly = np.flatnonzero((alignment.state == ABSENT) & has_known[words.token])
    nearest = np.searchsorted(known, partly)
    before, after = (known[np.clip(nearest - by, 0, max(len(known) - 1, 0))] for by in (1, 0))
    beside = np.where(words.token[before] == words.token[partly], before, after)
    whole[np.searchsorted(touched, key.token[alignment.key[beside]])] = False
    return touched[whole], touched[~whole & (equal + moved == sizes[touched]) & (moved > 0)], touched


def _contain(which: Bools, start: Ints, end: Ints) -> Bools:
    """Return whether spans of tokens contain any of some tokens; a place after the last token is none."""
    count = np.append(0, np.cumsum(which))
    last = len(which)
    return count[np.minimum(end + 1, last)] > count[np.minimum(start, last)]
