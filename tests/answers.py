"""Real documents and what language models could answer about them, for tests of text with tags."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from corefscore.core.documents import Documents, joined
from corefscore.formats import Reading
from corefscore.matching.text.projection import words_of
from reading import read

Mentions = list[tuple[str, int, int]]


def words_and_mentions(path: Path) -> tuple[Documents, list[list[str]], list[Mentions]]:
    key = joined(list(read(str(path), [], Reading())))
    layers = words_of(key, range(len(key)), "key")
    found: list[Mentions] = [[] for _ in key.names]
    for document, entity, start, end in zip(
        key.document[key.entity].tolist(), key.entity.tolist(), key.start.tolist(), key.end.tolist(), strict=True
    ):
        found[document].append((f"e{entity}", start, end))
    return key, [list(chain(*layers[at].words)) for at in range(len(key))], found


def as_characters(name: str, words: Sequence[str], its: Mentions) -> str:
    """A document whose mentions count characters."""
    begins = [sum(len(word) + 1 for word in words[:at]) for at in range(len(words))]
    entities: dict[str, list[tuple[int, int]]] = {}
    for entity, first, last in its:
        entities.setdefault(entity, []).append((begins[first], begins[last] + len(words[last])))
    return json.dumps({"doc_key": name, "text": " ".join(words), "clusters": list(entities.values())}) + "\n"


def marked(out: Sequence[tuple[str, int]], its: Mentions) -> tuple[str, Counter[tuple[int, int]]]:
    """Words, each with its place in a document or -1, as an answer in the notation `words`; and where the mentions of
    the document belong: to what is left of them."""
    place = {at: there for there, (_, at) in enumerate(out) if at >= 0}
    marks: dict[int, list[tuple[int, int, str]]] = {}
    truth: Counter[tuple[int, int]] = Counter()
    for name, start, end in its:
        left = [place[at] for at in range(start, end + 1) if at in place]
        if not left:
            continue
        first, last = left[0], left[-1]
        truth[out[first][1], out[last][1]] += 1
        if first == last:
            marks.setdefault(first, []).append((0, 0, f"[{name}]"))
        else:
            marks.setdefault(first, []).append((1, -last, f"[{name}"))
            marks.setdefault(last, []).append((2, -first, f"{name}]"))
    text = (
        word + ("|" + ",".join(mark for *_, mark in sorted(marks[at])) if at in marks else "")
        for at, (word, _) in enumerate(out)
    )
    return " ".join(text), truth
