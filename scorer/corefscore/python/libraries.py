"""Clusters from the objects of other libraries, which are looked at but never imported."""

from __future__ import annotations

import re
from typing import Any

from corefscore.errors import UsageError

SPANS, HEADS = "coref_clusters", "coref_head_clusters"
"""What spaCy's components for coreference call their groups, each with a number behind it."""


def from_spacy(doc: Any, *, heads: bool = False) -> list[list[tuple[int, int]]]:
    """The entities of a document of spaCy, for `corefscore.score` and all that takes clusters.

    Each group of ``doc.spans`` named ``coref_clusters_1`` and so on is an entity; with ``heads``, each named
    ``coref_head_clusters_1``, in which mentions are their heads. They come in the order of their numbers. A mention is
    (first token, last token), where a span of spaCy ends behind its last token.

        score([from_spacy(key) for key in keys], [from_spacy(doc) for doc in docs])

    Raises `UsageError` for what has no ``spans``, and for a document that has groups of the other kind only.
    """
    try:
        groups = dict(doc.spans)
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError(f"a {type(doc).__name__} has no groups of spans; expected a Doc of spaCy") from error
    wanted, other = (HEADS, SPANS) if heads else (SPANS, HEADS)
    found = _numbered(groups, wanted)
    if not found and _numbered(groups, other):
        raise UsageError(f"the document has groups {other}_*, and no {wanted}_*; write heads={not heads}")
    return [[(span.start, span.end - 1) for span in groups[name]] for name in found]


def _numbered(groups: Any, prefix: str) -> list[str]:
    """The names of groups that are a prefix and a number, in the order of the numbers."""
    names = [name for name in groups if re.fullmatch(rf"{prefix}_\d+", str(name))]
    return sorted(names, key=lambda name: int(name.rpartition("_")[2]))
