"""The dialects of JSON: which fields have the name, the words and the clusters of a document, and what a mention is.

A dialect is a row of dialects.json; one reader reads all of them. The dialect of a corpus is recognised from the fields
of its first object (`dialects_of`), unless ``--input-format`` names it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pkgutil import get_data
from typing import NamedTuple

from corefscore.formats.base import CLUSTERS

SENTENCES, FLAT, OBJECTS, TEXT = "sentences", "flat", "objects", "text"
"""The shapes of the field of words: a list of words for each sentence; one list of words; sentences that are objects
with tokens, which are objects with a text; or the text itself, in which mentions count characters."""

PREDICTED = "predicted_clusters"

NAMES_OF_DOCUMENTS = ("doc_key", "doc_id", "document_id", "id")
"""The fields in which dialects have the name of a document."""


class Dialect(NamedTuple):
    """One row of the table of dialects. Fields of an object:

    - ``names``: those that can have the name of a document; ``part``: the number of its part.
    - ``words``: the words, in the given ``shape``.
    - ``clusters``: the clusters; ``predicted``: the clusters of a response, if it has this field.
    - ``sentence_of``: the number of the sentence of each word; ``subtokens``: the number of the word of each subtoken.
    - ``spelled``: the words of each mention, which are always those of the text if ``exact`` is true.
    - ``unique``: the fields that only this dialect has.

    ``exclusive`` says that the end of a mention is the first token (or character) after it, not its last one;
    ``by_sentence`` that a mention is [sentence, start, end], counted from the first token of the sentence; ``array``
    that the dialect is written as one array. Arrays and lines are read in any dialect.
    """

    name: str
    title: str
    names: Sequence[str]
    words: str
    shape: str
    clusters: str
    predicted: str | None = None
    exclusive: bool = False
    by_sentence: bool = False
    part: str | None = None
    sentence_of: str | None = None
    subtokens: str | None = None
    spelled: str | None = None
    exact: bool = False
    array: bool = False
    unique: Sequence[str] = ()

    @property
    def unit(self) -> str:
        """What offsets count, for messages."""
        return "character" if self.shape == TEXT else "token"

    @property
    def mention(self) -> str:
        """The parts of a mention, for messages."""
        ends = f"first {self.unit}, " + (f"{self.unit} after the last" if self.exclusive else f"last {self.unit}")
        return f"[sentence, {ends}]" if self.by_sentence else f"[{ends}]"

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are read."""
        own = (*self.names, self.words, self.part, self.sentence_of, self.subtokens, self.spelled)
        return frozenset(field for field in own if field is not None)


DIALECTS = tuple(Dialect(**row) for row in json.loads(get_data(__package__, "dialects.json") or b""))
"""Every dialect. Sources: the files that the programs of these names write and read; for the ends of mentions in
coref-data its converters, which write the number of the last token."""

BY_NAME: Mapping[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}

E2E, _FASTCOREF = BY_NAME["e2e"], BY_NAME["fastcoref"]

OF_MENTIONS = ("clusters_strings", "clusters_text_mentions", "clusters_token_text")
"""The fields in which programs write the words of each mention."""

OF_CHARACTERS = ("text", "clusters_strings")
"""The fields of objects whose offsets count characters, unless other fields have tokens."""


def dialects_of(fields: Collection[str], requested: str | None) -> list[Dialect]:
    """Return the dialects that an object with these fields can have, the likeliest first; ``requested`` is the field of
    clusters that the caller named. Only the first of two dialects with the same fields is listed.
    """
    if by_field := [dialect for dialect in DIALECTS if dialect.clusters == requested != CLUSTERS]:
        return by_field[:1]
    found = [dialect for dialect in DIALECTS if not dialect.array and any(field in fields for field in dialect.unique)]
    if CLUSTERS in fields or PREDICTED in fields or not found:
        found.insert(0, E2E if has_tokens(fields) else _FASTCOREF)
    return found


def has_tokens(fields: Collection[str]) -> bool:
    """Return whether the offsets of an object, which has no field of another dialect, seem to count tokens."""
    return E2E.words in fields or "subtoken_map" in fields or not any(field in fields for field in OF_CHARACTERS)
