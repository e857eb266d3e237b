"""Seeded pairs of any size, for measuring: `python scripts/generate.py SHAPE FOLDER`.

Writes key.conll and response.conll (for the shape ``corefud`` .conllu). The response follows the key with noise, so
that components of the overlap hold at most a few entities; the hard cases are the responses ``random``, ``merged``,
``one`` and ``singletons``, and keys that mark spans again.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

Span = tuple[int, int]


class Shape(NamedTuple):
    """Documents, tokens and mentions in each, and how the response comes about.

    ``entities`` is how many of one size the key has, 0 for sizes drawn at random; ``copies`` how often the key
    marks each span, in as many entities. ``corefud`` writes the text as CorefUD: some mentions of one token are zeros.
    """

    documents: int
    tokens: int
    mentions: int
    response: str = "noisy"
    entities: int = 0
    copies: int = 1
    corefud: bool = False

    @property
    def suffix(self) -> str:
        """How the names of its files end."""
        return "conllu" if self.corefud else "conll"


SHAPES = {
    "tiny": Shape(1, 20, 6),
    "corpus": Shape(348, 494, 82),
    "corefud": Shape(348, 494, 82, corefud=True),
    "book": Shape(1, 200_000, 30_000),
    "many": Shape(5_000, 99, 16),
    "three": Shape(30_000, 100, 16),
    "huge": Shape(100_000, 100, 16),
    "huge-half": Shape(50_000, 100, 16),
    "book-random": Shape(1, 200_000, 30_000, "random"),
    "book-merged": Shape(1, 200_000, 30_000, "merged"),
    "corpus-random": Shape(348, 494, 82, "random"),
    "corpus-merged": Shape(348, 494, 82, "merged"),
    "component": Shape(1, 500_000, 250_000, "random", entities=5_000),
    "component-dense": Shape(1, 2_000_000, 1_000_000, "random", entities=5_000),
    "one-entity": Shape(1, 2_000_000, 1_000_000, "one"),
    "singletons": Shape(1, 2_000_000, 1_000_000, "singletons"),
    "repeats": Shape(1, 200_000, 30_000, copies=2),
    "repeats-many": Shape(1, 200_000, 10_000, entities=500, copies=10),
}

DISTINCT = 2_000
"""Documents after which contents are used again, under new names: the largest files are made in seconds."""


def spans(numbers: random.Random, tokens: int, count: int) -> list[Span]:
    """Spans of one to four tokens that do not overlap, in random order."""
    width = tokens // count
    found = []
    for slot in range(count):
        start = slot * width + numbers.randrange(width)
        found.append((start, min((slot + 1) * width - 1, start + numbers.choices((0, 1, 2, 3), (6, 2, 1, 1))[0])))
    numbers.shuffle(found)
    return found


def partition(numbers: random.Random, mentions: list[Span], count: int) -> list[list[Span]]:
    """Key entities: ``count`` of one size, or where it is 0, most of them small and a few large."""
    if count:
        return [mentions[at::count] for at in range(count)]
    left = list(mentions)
    entities = []
    while left:
        size = min(len(left), 1 + int(numbers.paretovariate(1.1)))
        entities.append([left.pop() for _ in range(size)])
    return entities


def noisy(numbers: random.Random, key: Sequence[Sequence[Span]], spurious: list[Span]) -> list[list[Span]]:
    """The key with mentions lost and made up, entities cut in two, and pairs of neighbours joined."""
    response: list[list[Span]] = [[]]
    for entity in key:
        kept = [span for span in entity if numbers.random() > 0.1]
        if len(kept) > 3 and numbers.random() < 0.2:
            at = numbers.randrange(1, len(kept))
            response += [kept[:at], kept[at:]]
        elif len(response[-1]) < 10 and numbers.random() < 0.1:
            response[-1] = response[-1] + kept
        else:
            response.append(kept)
    for span in spurious:
        numbers.choice(response).append(span)
    return response


def shuffled(numbers: random.Random, key: Sequence[Sequence[Span]], spurious: list[Span]) -> list[list[Span]]:
    """The key's mentions, dealt anew to as many entities of the same sizes."""
    left = [span for entity in key for span in entity]
    numbers.shuffle(left)
    return [[left.pop() for _ in entity] for entity in key]


def merged(numbers: random.Random, key: Sequence[Sequence[Span]], spurious: list[Span]) -> list[list[Span]]:
    """The noisy response with its entities joined, twenty at a time."""
    response = noisy(numbers, key, spurious)
    numbers.shuffle(response)
    return [list(chain.from_iterable(response[at : at + 20])) for at in range(0, len(response), 20)]


def one(numbers: random.Random, key: Sequence[Sequence[Span]], spurious: list[Span]) -> list[list[Span]]:
    """All mentions of the key in one entity."""
    return [list(chain.from_iterable(key))]


def singletons(numbers: random.Random, key: Sequence[Sequence[Span]], spurious: list[Span]) -> list[list[Span]]:
    """Every mention of the key by itself."""
    return [[span] for entity in key for span in entity]


RESPONSES = {"noisy": noisy, "random": shuffled, "merged": merged, "one": one, "singletons": singletons}


def rows(entities: Sequence[Sequence[Span]], tokens: int) -> list[str]:
    """The lines of a document from its third column on: twelve columns in the manner of OntoNotes."""
    singles: dict[int, list[str]] = defaultdict(list)
    opens: dict[int, list[tuple[int, str]]] = defaultdict(list)
    closes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for label, entity in enumerate(entities):
        for start, end in entity:
            if start == end:
                singles[start].append(f"({label})")
            else:
                opens[start].append((-end, f"({label}"))
                closes[end].append((-start, f"{label})"))
    lines = []
    for token in range(tokens):
        pieces = singles[token] + [text for _, text in sorted(opens[token]) + sorted(closes[token])]
        cell = "|".join(pieces) or "-"
        lines.append(f"{token % 25}\tword{token % 977}\tNN\t(NP*)\tlemma{token % 977}\t-\t-\tspeaker\t*\t{cell}\n")
        if token % 25 == 24:
            lines.append("\n")
    return lines


SENTENCE = 25
"""Tokens of a sentence."""


def nodes(entities: Sequence[Sequence[Span]], tokens: int, document: int, *, moved: bool) -> list[str]:
    """The lines of the same document as CorefUD: every fourth mention of one token is an empty node behind that token.

    What it depends on follows from its place. Every tenth of those stands behind the next token where they are
    ``moved``, as a response may have it.
    """
    cells: dict[int, list[tuple[int, str]]] = defaultdict(list)
    zeros: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for label, entity in enumerate(entities):
        for start, end in entity:
            # No mention is longer than four tokens, so one that a sentence ends in is cut there.
            last = min(end, start // SENTENCE * SENTENCE + SENTENCE - 1)
            if start == end and start % 4 == 0:
                place = start + (moved and start % 40 == 0 and start % SENTENCE < SENTENCE - 1 and start + 1 < tokens)
                zeros[place].append((start, f"(d{document}e{label}--1)"))
            elif start == last:
                cells[start].append((1, f"(d{document}e{label}--1)"))
            else:
                cells[start].append((2, f"(d{document}e{label}--{last - start + 1}"))
                cells[last].append((0, f"d{document}e{label})"))
    lines = []
    for token in range(tokens):
        number = token % SENTENCE + 1
        if number == 1:
            lines.append(f"# sent_id = s{token // SENTENCE}\n")
        entity_cell = "".join(text for _, text in sorted(cells[token]))
        misc = f"Entity={entity_cell}" if entity_cell else "_"
        head, relation = (number // 2, "dep") if number > 1 else (0, "root")
        form, lemma = f"word{token % 977}", f"lemma{token % 977}"
        lines.append(f"{number}\t{form}\t{lemma}\tNOUN\tNN\t_\t{head}\t{relation}\t{head}:{relation}\t{misc}\n")
        for at, (start, text) in enumerate(zeros[token], 1):
            links = f"{start % SENTENCE // 2 + 1}:{('nsubj', 'obj')[start // 4 % 2]}"
            lines.append(f"{number}.{at}\t_\t_\tPRON\t_\t_\t_\t_\t{links}\tEntity={text}\n")
        if number == SENTENCE or token == tokens - 1:
            lines.append("\n")
    return lines


def write(shape: Shape, folder: Path, seed: int = 0) -> tuple[Path, Path]:
    """Write the pair of a shape into a folder; the paths of key and response."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(seed)
    contents = []
    for document in range(min(shape.documents, DISTINCT)):
        extra = shape.mentions // 10
        mentions = spans(numbers, shape.tokens, shape.mentions + extra)
        marked = set(mentions[extra:])
        key = partition(numbers, mentions[extra:], shape.entities)
        response = RESPONSES[shape.response](numbers, key, mentions[:extra])
        for _ in range(1, shape.copies):
            numbers.shuffle(mentions)
            key += partition(numbers, [span for span in mentions if span in marked], shape.entities)
        if shape.corefud:
            contents.append(
                (nodes(key, shape.tokens, document, moved=False), nodes(response, shape.tokens, document, moved=True))
            )
        else:
            contents.append((rows(key, shape.tokens), rows(response, shape.tokens)))
    paths = folder / f"key.{shape.suffix}", folder / f"response.{shape.suffix}"
    for side, path in enumerate(paths):
        with path.open("w") as file:
            for document in range(shape.documents):
                name = f"nw/gen/{document // 100:04}/gen_{document:06}"
                if shape.corefud:
                    file.write(f"# newdoc id = {name}\n# global.Entity = eid-etype-head\n")
                    file.write("".join(contents[document % DISTINCT][side]))
                    continue
                file.write(f"#begin document ({name}); part 000\n")
                start = f"{name}\t0\t"
                lines = contents[document % DISTINCT][side]
                file.write("".join(start + line if line != "\n" else line for line in lines))
                file.write("#end document\n")
    return paths


def main() -> None:
    """The command line of the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    write(SHAPES[arguments.shape], arguments.folder)


if __name__ == "__main__":
    main()
