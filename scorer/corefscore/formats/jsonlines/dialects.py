"""The dialects of JSON: the fields of a document with its name, its words and its clusters, and what a mention is.

A dialect is a row of `DIALECTS`; all of them are read by one reader. The first object of a corpus tells its dialect by
its fields (`dialect_of`), unless ``--input-format`` names one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

SENTENCES, FLAT, OBJECTS, TEXT = "sentences", "flat", "objects", "text"
"""What the field of words can hold: lists of words by sentence; one list of words; sentences that are objects with
tokens, which are objects with a text; or the text itself, of which mentions count characters."""

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"

NAMES_OF_DOCUMENTS = ("doc_key", "doc_id", "document_id", "id")
"""Where the dialects have the name of a document."""


class Dialect(NamedTuple):
    """One row of the table.

    ``names`` are the fields that can have the name of a document, ``part`` one with the number of its part. ``words``
    is the field of words, of the ``shape`` that stands there. ``clusters`` has the clusters, ``predicted`` those of a
    response that has it. ``behind`` says that an end is the first token (or character) behind the mention, not
    the last one of it; ``by_sentence`` that a mention is [sentence, start, end], counted from the first token of the
    sentence. ``spelled`` is the field with the words of each mention, and ``exact`` whether they are always those of
    the text. ``sentence_of`` has the sentence of each word, ``subtokens`` the word of each subtoken. ``array`` says
    that the dialect is written as one array; either is read. ``tells`` are fields that only this dialect has.
    """

    name: str
    title: str
    names: tuple[str, ...]
    words: str
    shape: str
    clusters: str
    predicted: str | None = None
    behind: bool = False
    by_sentence: bool = False
    part: str | None = None
    sentence_of: str | None = None
    subtokens: str | None = None
    spelled: str | None = None
    exact: bool = False
    array: bool = False
    tells: tuple[str, ...] = ()

    @property
    def mention(self) -> str:
        """What a mention is, for messages."""
        unit = "character" if self.shape == TEXT else "token"
        ends = f"first {unit}, " + (f"{unit} behind the last" if self.behind else f"last {unit}")
        return f"[sentence, {ends}]" if self.by_sentence else f"[{ends}]"

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are read."""
        own = (*self.names, self.words, self.part, self.sentence_of, self.subtokens, self.spelled)
        return frozenset(field for field in own if field is not None)


E2E = Dialect(
    "e2e",
    "e2e-coref and its heirs",
    names=("doc_key",),
    words="sentences",
    shape=SENTENCES,
    clusters=CLUSTERS,
    predicted=PREDICTED,
    subtokens="subtoken_map",
)

MAVERICK = Dialect(
    "maverick",
    "Maverick, xCoRe",
    names=("doc_id",),
    words="tokens",
    shape=FLAT,
    clusters="clusters_token_offsets",
    spelled="clusters_text_mentions",
    tells=("clusters_token_offsets", "clusters_text_mentions"),
)

DIALECTS: tuple[Dialect, ...] = (
    E2E,
    MAVERICK,
    MAVERICK._replace(name="crac-2026", title="CRAC 2026, as one array", array=True),
    Dialect(
        "wl-coref",
        "wl-coref, CAW-coref",
        names=("document_id",),
        words="cased_words",
        shape=FLAT,
        clusters="span_clusters",
        behind=True,
        part="part_id",
        sentence_of="sent_id",
        tells=("span_clusters", "cased_words"),
    ),
    Dialect(
        "preco",
        "PreCo",
        names=("id",),
        words="sentences",
        shape=SENTENCES,
        clusters="mention_clusters",
        behind=True,
        by_sentence=True,
        tells=("mention_clusters",),
    ),
    Dialect(
        "fastcoref",
        "fastcoref, LingMess",
        names=NAMES_OF_DOCUMENTS,
        words="text",
        shape=TEXT,
        clusters=CLUSTERS,
        behind=True,
        spelled="clusters_strings",
        exact=True,
    ),
    Dialect(
        "coref-data",
        "coref-data",
        names=("id",),
        words="sentences",
        shape=OBJECTS,
        clusters="coref_chains",
        by_sentence=True,
        tells=("coref_chains",),
    ),
)
"""Every dialect. Sources: the files that the programs of these names write and read. That the end of a mention is
inside it in coref-data is from its converters, which give the number of the last token."""

BY_NAME: Mapping[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}

FASTCOREF = BY_NAME["fastcoref"]

OF_CHARACTERS = ("text", "clusters_strings")
"""Fields of objects whose offsets count characters, where nothing tells tokens."""


def dialects_of(fields: Collection[str], asked: str | None = None) -> list[Dialect]:
    """The dialects that an object with these fields can be of, the likeliest first; ``asked`` is the field of clusters
    that was asked for. Of two dialects with the same fields the first stands for both."""
    by_field = [dialect for dialect in DIALECTS if dialect.clusters == asked != CLUSTERS]
    if by_field:
        return by_field[:1]
    found = [dialect for dialect in DIALECTS if not dialect.array and any(field in fields for field in dialect.tells)]
    if CLUSTERS in fields or PREDICTED in fields:
        found.insert(0, E2E if _has_tokens(fields) else FASTCOREF)
    elif not found:
        found = [E2E if _has_tokens(fields) else FASTCOREF]
    return found


def _has_tokens(fields: Collection[str]) -> bool:
    """Whether an object without the fields of another dialect has offsets of tokens, as far as can be told."""
    return E2E.words in fields or "subtoken_map" in fields or not any(field in fields for field in OF_CHARACTERS)
