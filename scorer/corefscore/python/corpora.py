"""Documents in memory: text with tags, as language models return it, clusters with their words, and clusters from the
objects of other libraries, which are not imported."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from corefscore.core.documents import KEY, RESPONSE, joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats import BY_CONTENT, TAGGED, Opened, find, requested
from corefscore.formats.base import Reading
from corefscore.scoring.run import LONGEST_NAME, ONLY_DOCUMENT, Corpus, Texts, is_text

if TYPE_CHECKING:
    from corefscore.formats.memory.clusters import Clusters


def from_text(answers: str | Texts, *, tags: str | None = None) -> Corpus:
    """Make a corpus of text with tags, such as ``[Ann](#1) saw [her](#1) cat.``, for the response of a score.

    ``answers`` are texts by the names of their documents, a list of texts in the order of the documents of the key, or
    one text. ``tags`` is the notation, as a name or a pattern (by default recognised by content). The words of the
    texts are looked up in the key, which has to have words.

        score("key.conll", from_text("[Ann](#1) saw [her](#1) cat."))

    Raises `UsageError` for anything but text and for a notation that is none, `InputError` for text with tags in a
    notation that is only similar.
    """
    given = [answers] if isinstance(answers, str) else answers
    if not is_text(given):
        expected = "expected text, a list of texts, or texts by document name"
        raise UsageError(f"answers are {type(answers).__name__}; {expected}")
    return answered(given, Reading(tags=tags))


def answered(answers: Texts, reading: Reading) -> Corpus:
    """Make a corpus of texts as if each were an answer in a file of JSON lines.

    Raises `UsageError` for paths in place of texts, and as `corefscore.formats.read` does.
    """
    by_name = answers.items() if isinstance(answers, Mapping) else ((None, text) for text in answers)
    objects = []
    for name, text in by_name:
        if 0 < len(text) <= LONGEST_NAME and os.path.exists(text):
            raise UsageError(f"{text!r} is a file; expected text with tags, or paths as pathlib.Path objects")
        objects.append({"answer": text} if name is None else {"doc_key": name, "answer": text})
    found = _read(objects, "answers", TAGGED, RESPONSE, replace(reading, columns=None))
    return replace(found, reading=reading.settings)


_Words: TypeAlias = Iterable[str] | Iterable[Iterable[str]]
"""The words of a document, or its sentences."""


def from_clusters(clusters: Mapping[str, Clusters] | Clusters, words: Mapping[str, _Words] | _Words) -> Corpus:
    """Make a corpus of clusters and words, to `write` it, or as a key for text with tags.

    ``clusters`` are those of one document, or of documents by name, as `score` takes them; mentions are (first token,
    last token), counted from 0 in the document. ``words`` are, for each document, a list of words or of sentences.

        write(from_clusters([[(0, 0), (2, 2)]], ["Ann", "fed", "her", "cat"]), "key.conll", "conll")

    Raises `UsageError` for a document without words or without clusters, `InputError` for words of another shape, for
    mentions that are no spans, and for those beyond the words.
    """
    from corefscore.formats.memory.nesting import nested_by_name

    entities, texts = (side if isinstance(side, Mapping) else {ONLY_DOCUMENT: side} for side in (clusters, words))
    for name in sorted(entities.keys() ^ texts.keys(), key=str):
        has, lacks = ("clusters", "words") if name in entities else ("words", "clusters")
        expected = "both for the same documents, by name or for a single one; clusters may be []"
        raise UsageError(f"document {name!r} has {has} and no {lacks}; expected {expected}")
    objects = [
        {"doc_key": name, "sentences": _sentences(name, texts[name]), "clusters": of_document}
        for name, of_document in nested_by_name(entities, "clusters").items()
    ]
    return _read(objects, "clusters", "jsonlines", KEY, BY_CONTENT)


def _sentences(name: str, words: Any) -> Any:
    """Return the words of a document by sentence. Raises `UsageError` if they are no list."""
    from corefscore.formats.memory.nesting import as_collections

    found = as_collections(words)
    if not isinstance(found, list | tuple):
        expected = "a list of words, or of sentences, each a list of words"
        raise UsageError(f"the words of document {name!r} are {type(words).__name__}; expected {expected}")
    return [found] if all(isinstance(word, str) for word in found) else found


def _read(objects: Iterable[Any], name: str, form: str, side: str, reading: Reading) -> Corpus:
    """Make a corpus of objects as if they were in a file of JSON lines, called ``name`` in messages."""
    source = Source(name, "\n".join(json.dumps(each, default=_for_json) for each in objects).encode())
    notices: list[Finding] = []
    request = requested(side, reading)._replace(texts=True)
    documents = Opened([source], find(form), request).documents(notices)
    return Corpus(joined(list(documents)), tuple(notices), reading.settings, origin=(source, reading))


def _for_json(value: Any) -> Any:
    """Return a set as a list, a number of numpy as one of Python, and anything else as text, which is no mention."""
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, set | frozenset) else repr(value)


SPANS, HEADS = "coref_clusters", "coref_head_clusters"
"""The names of the groups that spaCy's coreference components make, each followed by a number."""


def from_spacy(doc: Any, *, heads: bool = False) -> list[list[tuple[int, int]]]:
    """Return the entities of a spaCy document, for `corefscore.score` and other functions that accept clusters.

    Each group of ``doc.spans`` with a name like ``coref_clusters_1`` is an entity; with ``heads``, each group with a
    name like ``coref_head_clusters_1``, whose mentions are heads. Entities are in the order of these numbers. A mention
    is (first token, last token), whereas a spaCy span ends after its last token.

        score([from_spacy(key) for key in keys], [from_spacy(doc) for doc in docs])

    Raises `UsageError` for an object without ``spans``, and for a document that has only groups of the other kind.
    """
    try:
        groups = dict(doc.spans)
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError(f"a {type(doc).__name__} has no groups of spans; expected a Doc of spaCy") from error
    wanted, other = (HEADS, SPANS) if heads else (SPANS, HEADS)
    names = _numbered(groups, wanted)
    if not names and _numbered(groups, other):
        raise UsageError(f"the document has groups {other}_*, and no {wanted}_*; write heads={not heads}")
    return [[(span.start, span.end - 1) for span in groups[name]] for name in names]


def _numbered(groups: Any, prefix: str) -> list[str]:
    """Return the names of groups that consist of a prefix and a number, in the order of the numbers."""
    names = [name for name in groups if re.fullmatch(rf"{prefix}_\d+", str(name))]
    return sorted(names, key=lambda name: int(name.rpartition("_")[2]))
