"""How far a text is still the text of the key: counts by document, and the one number that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.documents.arrays import Ints
from corefscore.formats.row import FAULTS

WORDS = ("words", "kept", "replaced", "deleted", "moved", "inserted")
"""What is counted of words: all of the key; of these the ones that the response has as they are, with other characters
in them or in their place, not at all, and elsewhere; and words that only the response has."""

MENTIONS = ("mentions_changed", "mentions_inserted", "mentions_deleted")
"""What is counted of mentions: those of the response in which a word is not as in the key; those that lie in inserted
words, or on words that a mention with a better claim has, and match nothing; those of the key all of whose words were
deleted."""

COLUMNS = (*WORDS, *(f"tags_{fault}" for fault in FAULTS), *MENTIONS)

UNUSUAL = 95.0
"""The fidelity, in percent, below which a document gives a notice."""


class Fidelity(NamedTuple):
    """Counts of documents: ``counts`` is of the shape documents x `COLUMNS`, in the order of the key."""

    names: Sequence[str]
    counts: Ints

    @property
    def total(self) -> Mapping[str, int]:
        """The counts of all documents together."""
        return dict(zip(COLUMNS, self.counts.sum(axis=0).tolist(), strict=True))

    def of(self, document: int) -> Mapping[str, int]:
        """The counts of one document."""
        return dict(zip(COLUMNS, self.counts[document].tolist(), strict=True))

    def take(self, names: Sequence[str]) -> Fidelity:
        """The documents of these names, in that order."""
        place = {name: at for at, name in enumerate(self.names)}
        return Fidelity(names, self.counts[np.array([place[name] for name in names], dtype=np.int64)])

    def to_dict(self, *, documents: bool) -> dict[str, object]:
        """What the JSON layout has."""
        found: dict[str, object] = data_of(self.total)
        if documents:
            found["documents"] = {name: data_of(self.of(at)) for at, name in enumerate(self.names)}
        return found


def of_all(parts: Sequence[tuple[Sequence[str], Fidelity | None]]) -> Fidelity:
    """The fidelity of several batches of documents, given with their names; nothing is counted where it is None."""
    names = [name for its, _ in parts for name in its]
    nothing = np.zeros((len(names), len(COLUMNS)), dtype=np.int64)
    return Fidelity(names, np.concatenate([nothing[: len(its)] if one is None else one.counts for its, one in parts]))


def ratio(counts: Mapping[str, int]) -> float:
    """The fidelity, from 0 to 1: words kept / (words of the key + words inserted); 1 where there are none at all."""
    every = counts["words"] + counts["inserted"]
    return counts["kept"] / every if every else 1.0


def data_of(counts: Mapping[str, int]) -> dict[str, object]:
    """The fidelity with its counts."""
    return {"fidelity": ratio(counts), **counts}


def described(counts: Mapping[str, int]) -> str:
    """What differs, in words; nothing where nothing does."""
    parts = [f"{counts[name]} {name}" for name in WORDS[2:] if counts[name]]
    tags = [f"{counts[f'tags_{fault}']} {words}" for fault, words in OF_TAGS.items() if counts[f"tags_{fault}"]]
    mentions = [f"{counts[name]} {words}" for name, words in OF_MENTIONS.items() if counts[name]]
    said = [("words: " + ", ".join(parts)) if parts else "", ("tags: " + ", ".join(tags)) if tags else ""]
    return "; ".join(filter(None, [*said, ("mentions: " + ", ".join(mentions)) if mentions else ""]))


OF_TAGS = {
    "unclosed": "never closed",
    "unopened": "close nothing",
    "crossing": "cross",
    "unreadable": "without id or words",
}

OF_MENTIONS = {
    "mentions_changed": "in changed words",
    "mentions_inserted": "in inserted words",
    "mentions_deleted": "of the key in deleted words",
}
