"""Clusters from objects of other libraries, without importing these."""

from __future__ import annotations

import re
from typing import Any

from corefscore.core.errors import UsageError

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
