"""The fidelity of a text to that of the key: counts for each document, and the ratio that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.records import NamedTuple
from corefscore.formats.base import FAULTS

_WORDS = ("words", "kept", "replaced", "deleted", "moved", "inserted")
"""The counts of words: all of the key; those that the response has unchanged, with other characters or replaced by
other words, not at all, and elsewhere; and the words that only the response has."""

_MENTIONS = ("mentions_changed", "mentions_inserted", "mentions_deleted")
"""The counts of mentions: those of the response with a word that differs from the key; those of the response that match
nothing, since they lie in inserted words or on the words of another mention, or their heads are zeros that the key
lacks; and those of the key all of whose words were deleted."""

FIELDS = (*_WORDS, *(f"tags_{fault}" for fault in FAULTS), *_MENTIONS)

UNUSUAL = 95.0
"""The fidelity, in percent, below which a document gives a notice."""


class Fidelity(NamedTuple):
    """Counts of documents: ``counts`` is of the shape documents x `FIELDS`, in the order of the key."""

    names: Sequence[str]
    counts: Ints

    @property
    def total(self) -> Mapping[str, int]:
        """The counts of all documents together."""
        return dict(zip(FIELDS, self.counts.sum(axis=0).tolist(), strict=True))

    def of(self, document: int) -> Mapping[str, int]:
        """Return the counts of one document."""
        return dict(zip(FIELDS, self.counts[document].tolist(), strict=True))

    def to_dict(self, *, documents: bool) -> dict[str, object]:
        """Return the fidelity as it is in JSON."""
        fields: dict[str, object] = _data_of(self.total)
        if documents:
            fields["documents"] = {name: _data_of(self.of(document)) for document, name in enumerate(self.names)}
        return fields


def of_all(parts: Sequence[tuple[Sequence[str], Ints | None]]) -> Fidelity:
    """Return the fidelity of several batches of documents, given by their names and counts; nothing is counted where
    these are None.
    """
    counts = [[[0] * len(FIELDS)] * len(names) if counts is None else counts for names, counts in parts]
    return Fidelity([name for names, _ in parts for name in names], np.concatenate(counts))


def ratio(counts: Mapping[str, int]) -> float:
    """Return the fidelity, from 0 to 1: words kept / (words of the key + words inserted); 1 where there are none at
    all.
    """
    every = counts["words"] + counts["inserted"]
    return counts["kept"] / every if every else 1.0


def _data_of(counts: Mapping[str, int]) -> dict[str, object]:
    """Return the fidelity with its counts."""
    return {"fidelity": ratio(counts), **counts}


def described(counts: Mapping[str, int]) -> str:
    """Return a description of all counts that are not 0; empty if there is none."""
    parts = {
        what: ", ".join(f"{counts[name]} {words}" for name, words in names.items() if counts[name])
        for what, names in _IN_WORDS.items()
    }
    return "; ".join(f"{what}: {part}" for what, part in parts.items() if part)


_IN_WORDS = {
    "words": {name: name for name in _WORDS[2:]},
    "tags": {
        "tags_unclosed": "unclosed",
        "tags_unopened": "unopened",
        "tags_crossing": "crossing",
        "tags_unreadable": "without id or words",
        "tags_unknown": "misspelled or in another notation",
    },
    "mentions": {
        "mentions_changed": "in changed words",
        "mentions_inserted": "in inserted words",
        "mentions_deleted": "of the key in deleted words",
    },
}
"""The counts that a description has, each with its words."""
