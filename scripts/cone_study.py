"""Does CONE tell how a system does on all mentions? The experiment of Lin et al. 2010, section 5, on any data.

    python scripts/cone_study.py KEY RESPONSE... [--degrade] [--window TOKENS] [--csv FILE] [--plot FILE]

KEY has coreference and named entities. For each system and document there are the scores of CONE, with the annotated
names and with the estimated key, and beside them B-cubed and CEAF-m, of the entities that hold a named mention (all
their mentions kept, as in the paper) and of the whole key. The tables have Pearson's correlation of their F1 over
documents, one row a system as in the paper's Tables 1 to 4, then all systems together; ``--csv`` writes those of
precision and recall, too. The drawing is that of its Figures 2 to 5.

``--degrade`` adds made-up systems: the key with seeded errors, see `degraded`. ``--window`` cuts documents into
windows, so that there are enough of them.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import corefscore
import numpy as np
from corefscore.core.arrays import Floats, Ints
from corefscore.core.documents import Documents
from corefscore.core.names import NameOptions
from corefscore.matching.named import reduced
from corefscore.matching.pairing import Pairs
from corefscore.scoring.run import Corpus

FEWEST = 3
"""A correlation of fewer documents is not told."""

SLACK = 1e-9
"""Scores that differ by less do not vary."""

PAIRS = {"B3": ("cone_b3", "bcub"), "CEAF": ("cone_ceaf", "ceafm")}
"""The measure of CONE and the one that it should tell of."""

SCORES = ("precision", "recall", "f1")

KEYS = {"annotated": False, "estimated": True}
"""The keys of CONE, and whether they are estimated."""

NAMED, WHOLE = TARGETS = ("entities with names", "all entities")

EVERY = "all systems"


# Windows


def windows(key: Documents, size: int) -> list[Ints]:
    """Where to cut each document: about every ``size`` tokens, but within no mention and no name of the key."""
    names = key.named_entities
    assert names is not None, "the key was read with its names"
    spans = (
        np.concatenate([key.document[key.entity], names.document]),
        np.concatenate([key.start, names.start]),
        np.concatenate([key.end, names.end]),
    )
    found = []
    for document, tokens in enumerate(key.tokens.tolist()):
        its = spans[0] == document
        # How many spans reach over the gap before each token.
        over = np.zeros(tokens + 1, dtype=np.int64)
        np.add.at(over, spans[1][its] + 1, 1)
        np.add.at(over, spans[2][its] + 1, -1)
        free = np.flatnonzero(np.cumsum(over) == 0)
        cuts = [0]
        while cuts[-1] + size < tokens - size // 2:
            cuts.append(int(free[np.searchsorted(free, cuts[-1] + size)]))
        found.append(np.array(cuts))
    return found


def cut(documents: Documents, cuts: Sequence[Ints]) -> Documents:
    """The same documents in windows; a mention that reaches over a cut is left out, entities are cut."""
    sizes = [len(its) for its in cuts]
    first = np.cumsum([0, *sizes])
    starts = np.concatenate([np.array(its) for its in cuts])
    tokens = np.concatenate(
        [np.diff(np.append(its, count)) for its, count in zip(cuts, documents.tokens.tolist(), strict=True)]
    )
    width = 1 + int(documents.tokens.max(initial=0))
    begins = np.repeat(np.arange(len(documents)), sizes) * width + starts

    def window(document: Ints, token: Ints) -> Ints:
        return np.searchsorted(begins, document * width + token, side="right") - 1

    of_mention = documents.document[documents.entity]
    its_window = window(of_mention, documents.start)
    kept = np.flatnonzero(its_window == window(of_mention, documents.end))
    its_window = its_window[kept]
    pairs, entity = np.unique(np.stack([its_window, documents.entity[kept]]), axis=1, return_inverse=True)
    order = np.argsort(entity.ravel(), kind="stable")
    names = documents.named_entities
    if names is not None:
        of_name = window(names.document, names.start)
        names = names._replace(document=of_name, start=names.start - starts[of_name], end=names.end - starts[of_name])
    numbers = np.arange(len(starts)) - np.repeat(first[:-1], sizes)
    which = np.repeat(np.arange(len(documents)), sizes).tolist()
    return replace(
        documents,
        names=[f"{documents.names[at]} window {number}" for at, number in zip(which, numbers.tolist(), strict=True)],
        places=[documents.places[at] for at in which],
        tokens=tokens,
        document=pairs[0],
        label=np.arange(pairs.shape[1]),
        entity=entity.ravel()[order],
        start=(documents.start[kept] - starts[its_window])[order],
        end=(documents.end[kept] - starts[its_window])[order],
        line=documents.line[kept][order],
        named_entities=names,
    )


# Made-up systems


class Noise(NamedTuple):
    """What a made-up system does wrong: the weights of its errors, and whether names and other mentions go wrong to the
    same degree within a document."""

    miss: int = 0
    alone: int = 0
    move: int = 0
    merge: int = 0
    invent: int = 0
    together: bool = True


SYSTEMS = {
    "misses": Noise(miss=1),
    "splits": Noise(alone=1),
    "moves": Noise(move=1),
    "merges": Noise(merge=1),
    "mixed": Noise(miss=2, alone=1, move=1, merge=1, invent=1),
    "apart": Noise(miss=2, alone=1, move=1, merge=1, invent=1, together=False),
}

Span = tuple[int, int]


def degraded(key: Documents, named: Sequence[bool], noise: Noise, seed: str) -> Documents:
    """A response: the key with errors. ``named`` tells which mentions have names.

    How much goes wrong is drawn for each document, from 5 to 60 percent of the mentions: texts are easy or hard. Where
    names and others do not go ``together``, it is drawn for both apart. What goes wrong is drawn for each mention, see
    `with_errors`. The same seed, the same response.
    """
    numbers = random.Random(seed)
    its: list[list[tuple[int, Span, bool]]] = [[] for _ in key.names]
    for entity, start, end, name in zip(key.entity.tolist(), key.start.tolist(), key.end.tolist(), named, strict=True):
        its[int(key.document[entity])].append((entity, (start, end), name))
    clusters = {}
    for document, mentions, tokens in zip(key.names, its, key.tokens.tolist(), strict=True):
        level = {is_name: numbers.uniform(0.05, 0.6) for is_name in (True, False)}
        if noise.together:
            level[False] = level[True]
        clusters[document] = with_errors(numbers, mentions, noise, level, tokens)
    return as_documents(key, clusters)


def with_errors(
    numbers: random.Random,
    mentions: Sequence[tuple[int, Span, bool]],
    noise: Noise,
    level: Mapping[bool, float],
    tokens: int,
) -> list[list[Span]]:
    """The entities of a document with errors; a mention is its entity, its span, and whether it is named.

    A mention in error is missed, put alone, or moved to another entity; or, once in five times, its whole entity is
    merged into another; or it stays, and one of one token is invented.
    """
    entities = sorted({entity for entity, *_ in mentions})
    merged: dict[object, object] = {}
    taken = {span for _, span, _ in mentions}
    found: dict[object, list[Span]] = {}
    for entity, span, name in mentions:
        wrong = numbers.random() < level[name]
        error = numbers.choices(Noise._fields[:5], noise[:5])[0] if wrong else None
        other, token = numbers.choice(entities), numbers.randrange(tokens)
        if error == "merge" and numbers.random() < 0.2:
            merged[entity] = other
        if error == "invent" and (token, token) not in taken:
            taken.add((token, token))
            found.setdefault(other, []).append((token, token))
        if error != "miss":
            into = {"alone": span, "move": other}.get(error or "", entity)
            found.setdefault(into, []).append(span)
    whole: dict[object, list[Span]] = {}
    for before, spans in found.items():
        whole.setdefault(merged.get(before, before), []).extend(spans)
    return list(whole.values())


def as_documents(key: Documents, clusters: Mapping[str, Sequence[Sequence[tuple[int, int]]]]) -> Documents:
    """Entities by document as a response to a key; it has the tokens of the key and its words."""
    rows = [
        (document, start, end, entity)
        for document, name in enumerate(key.names)
        for entity, spans in enumerate(clusters[name])
        for start, end in spans
    ]
    document, start, end, number = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    pairs, entity = np.unique(np.stack([document, number]), axis=1, return_inverse=True)
    return replace(
        key,
        document=pairs[0],
        label=np.arange(pairs.shape[1]),
        entity=entity.ravel(),
        start=start,
        end=end,
        line=np.full(len(start), -1),
    )


# Scores and correlations


def named_mentions(key: Documents, side: Documents, how: NameOptions) -> Documents:
    """A side cut down to its named mentions, by the names of the key."""
    return reduced(Pairs(key, side, np.ones(len(key), dtype=np.bool_)), how).response


def of_names(key: Documents, side: Documents, how: NameOptions) -> Documents:
    """A side with those entities only that hold a named mention, all their mentions kept (section 5 of the paper)."""
    left = named_mentions(key, side, how)
    held = set(zip(left.document.tolist(), left.label.tolist(), strict=True))
    entities = [
        at for at, pair in enumerate(zip(side.document.tolist(), side.label.tolist(), strict=True)) if pair in held
    ]
    new = np.full(len(side.document), -1)
    new[entities] = np.arange(len(entities))
    mentions = np.flatnonzero(new[side.entity] >= 0)
    return replace(
        side,
        document=side.document[entities],
        label=side.label[entities],
        entity=new[side.entity[mentions]],
        start=side.start[mentions],
        end=side.end[mentions],
        line=side.line[mentions],
    )


@dataclass(frozen=True)
class Points:
    """The scores of a system, from 0 to 1: one row a document, with precision, recall and F1.

    ``cone`` by key and pair of `PAIRS`, ``target`` by one of `TARGETS` and pair.
    """

    cone: Mapping[tuple[str, str], Floats]
    target: Mapping[tuple[str, str], Floats]


def corpus(documents: Documents) -> Corpus:
    """Documents in memory as what can be scored."""
    return Corpus(documents, (), {})


def points(key: Documents, response: Documents, how: NameOptions) -> Points:
    """Score a system on the documents that have a named mention in the key."""
    used = np.flatnonzero(np.isin(np.arange(len(key)), named_mentions(key, key, how).document))
    if len(used) < FEWEST:
        raise SystemExit(
            f"cone_study: {len(used)} documents have a named mention; cut them into windows, --window TOKENS"
        )

    def scores(result: corefscore.Result, measure: str) -> Floats:
        its = [result.documents[key.names[document]][measure] for document in used.tolist()]
        return np.array([[getattr(score, name) for name in SCORES] for score in its])

    cone = {
        name: corefscore.score(corpus(key), corpus(response), "cone", named=how.named, estimate_key=estimate)
        for name, estimate in KEYS.items()
    }
    target = {
        NAMED: corefscore.score(corpus(of_names(key, key, how)), corpus(of_names(key, response, how)), "bcub,ceafm"),
        WHOLE: corefscore.score(corpus(key), corpus(response), "bcub,ceafm"),
    }
    return Points(
        {(name, pair): scores(result, its[0]) for name, result in cone.items() for pair, its in PAIRS.items()},
        {(name, pair): scores(result, its[1]) for name, result in target.items() for pair, its in PAIRS.items()},
    )


def pooled(systems: Sequence[Points]) -> Points:
    """The documents of all systems in a row."""
    return Points(
        {at: np.concatenate([system.cone[at] for system in systems]) for at in systems[0].cone},
        {at: np.concatenate([system.target[at] for system in systems]) for at in systems[0].target},
    )


def correlation(x: Floats, y: Floats) -> float | None:
    """Pearson's coefficient; None if one side does not vary."""
    if len(x) < FEWEST or min(np.ptp(x), np.ptp(y)) < SLACK:
        return None
    return float(np.corrcoef(x, y)[0, 1])


class Row(NamedTuple):
    """A correlation, and what it is of."""

    system: str
    key: str
    target: str
    measure: str
    score: str
    correlation: float | None


def correlations(systems: Mapping[str, Points]) -> list[Row]:
    """Of CONE with each key and the score of each target, by precision, recall and F1."""
    return [
        Row(name, key, target, pair, score, correlation(its.cone[key, pair][:, at], its.target[target, pair][:, at]))
        for key in KEYS
        for target in TARGETS
        for name, its in systems.items()
        for pair in PAIRS
        for at, score in enumerate(SCORES)
    ]


def written(found: float | None) -> str:
    """A correlation to two digits."""
    return "-" if found is None else f"{found:.2f}"


def table(rows: Sequence[Row], key: str) -> Iterator[str]:
    """The correlations of F1 with one key in Markdown, a row a system."""
    headings = [f"{pair}, {target}" for target in TARGETS for pair in PAIRS]
    yield "| system | " + " | ".join(headings) + " |\n|---|" + "---|" * len(headings) + "\n"
    shown = [row for row in rows if row.key == key and row.score == "f1"]
    for name in dict.fromkeys(row.system for row in shown):
        yield f"| {name} | " + " | ".join(written(row.correlation) for row in shown if row.system == name) + " |\n"


def save(rows: Sequence[Row], path: str) -> None:
    """All correlations as CSV."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows((*row[:-1], written(row.correlation)) for row in rows)


def drawn(systems: Mapping[str, Points], path: str) -> None:
    """F1 of CONE against F1 of the entities with a named mention, all systems, as in Figures 2 to 5 of the paper."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8.4), layout="constrained")
    grid = figure.subplots(len(KEYS), len(PAIRS), squeeze=False)
    for row, key in zip(grid, KEYS, strict=True):
        for axes, pair in zip(row, PAIRS, strict=True):
            for name, its in systems.items():
                if name != EVERY:
                    x, y = its.cone[key, pair][:, -1], its.target[NAMED, pair][:, -1]
                    axes.scatter(100 * x, 100 * y, s=8, alpha=0.5, label=name)
            found = correlation(systems[EVERY].cone[key, pair][:, -1], systems[EVERY].target[NAMED, pair][:, -1])
            axes.set_title(f"{pair}, {key} key" + ("" if found is None else f", Pearson {found:.2f}"))
            axes.set_xlabel(f"CONE-{pair} F1 (%)")
            axes.set_ylabel(f"{pair} F1 (%), entities with a named mention")
            axes.set_xlim(-2, 102)
            axes.set_ylim(-2, 102)
            axes.grid(alpha=0.3)
    grid[0][0].legend(markerscale=2, fontsize="small")
    figure.savefig(path, dpi=100, metadata={"Software": None})


def report(rows: Sequence[Row], about: str) -> Iterator[str]:
    """The tables, each under its title."""
    yield f"{about}\n"
    for key in KEYS:
        yield f"\n**CONE with the {key} key**\n\n"
        yield from table(rows, key)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read, score, print the tables; draw where that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("key", metavar="KEY")
    parser.add_argument("responses", metavar="RESPONSE", nargs="*")
    parser.add_argument("--degrade", action="store_true", help=f"add made-up systems: {', '.join(SYSTEMS)}")
    parser.add_argument("--seed", type=int, default=0, help="of the made-up systems (0)")
    parser.add_argument("--window", type=int, metavar="TOKENS", help="cut documents into windows of about so many")
    parser.add_argument("--named", default="exact", choices=("exact", "head", "contains"))
    parser.add_argument("--ne-column", type=int, default=11, metavar="N")
    parser.add_argument("--csv", metavar="FILE", help="write the correlations of precision, recall and F1")
    parser.add_argument("--plot", metavar="FILE", help="draw the F1 of all systems (needs matplotlib, the extra plots)")
    asked = parser.parse_args(arguments)
    if not asked.responses and not asked.degrade:
        parser.error("a response is needed, or --degrade")
    how = NameOptions(named=asked.named)
    try:
        key = corefscore.read(asked.key, columns=f"ne={asked.ne_column}").documents
        responses = {
            os.path.basename(path): corefscore.read(path, side="response", columns=f"ne={asked.ne_column}").documents
            for path in asked.responses
        }
        whole = len(key)
        for name, response in responses.items():
            places = {document: at for at, document in enumerate(response.names)}
            responses[name] = response.take(np.array([places.get(document, -1) for document in key.names]))
        if asked.window:
            cuts = windows(key, asked.window)
            key = cut(key, cuts)
            responses = {name: cut(response, cuts) for name, response in responses.items()}
        if asked.degrade:
            spans = named_spans(key, how)
            for name, noise in SYSTEMS.items():
                responses[name] = degraded(key, spans, noise, f"{asked.seed} {name}")
        systems = {name: points(key, response, how) for name, response in responses.items()}
    except corefscore.ScorerError as error:
        raise SystemExit(f"cone_study: {error}") from error
    systems[EVERY] = pooled(list(systems.values()))
    used = len(systems[EVERY].cone["annotated", "B3"]) // len(responses)
    rows = correlations(systems)
    sys.stdout.writelines(
        report(
            rows,
            f"{used} documents with a named mention ({len(key)} in all, from {whole} of the file); {len(key.start)} "
            f"mentions, {len(named_mentions(key, key, how).start)} of them named (`--named {how.named}`).",
        )
    )
    if asked.csv:
        save(rows, asked.csv)
    if asked.plot:
        drawn(systems, asked.plot)


def named_spans(key: Documents, how: NameOptions) -> list[bool]:
    """Which mentions of the key are named."""
    # With an entity for each mention, the entities that are left are the mentions that are named.
    apart = replace(
        key, document=key.document[key.entity], label=np.arange(len(key.start)), entity=np.arange(len(key.start))
    )
    left = set(named_mentions(key, apart, how).label.tolist())
    return [mention in left for mention in range(len(key.start))]


if __name__ == "__main__":
    main()
