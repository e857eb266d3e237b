"""Milliseconds a document in a training loop: `python scripts/bench_loops.py [FOLDER with coval ...]`.

Scores documents in memory with MUC, B-cubed and CEAF-e: by a call of `score` each, by one call for the lists of all
documents, by `Scorer.add`, and by the peers that can be imported, from this Python or from the folders. Rounds are
interleaved, and each cell is a median.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from statistics import median
from typing import Any

from corefscore import Scorer, score
from generate import partition, spans

SIZES = (12, 57, 300, 2_000)
"""Mentions a document."""

MENTIONS, ROUNDS = 6_000, 5
"""Mentions that one cell is measured on in a round, and rounds."""

Clusters = list[list[tuple[int, int]]]
Documents = list[tuple[Clusters, Clusters]]


def documents(size: int) -> Documents:
    """Pairs of key and response, which share most mentions."""
    numbers = random.Random(size)
    found = []
    for _ in range(max(3, MENTIONS // size)):
        mentions = spans(numbers, 8 * size, size + size // 10)
        key, response = mentions[: -(size // 10) or None], mentions[size // 10 :]
        found.append((partition(numbers, key, 0), partition(numbers, response, 0)))
    return found


def one_by_one(pairs: Documents) -> None:
    """Score each document by a call of its own."""
    for key, response in pairs:
        score(key, response, "conll")


def by_lists(pairs: Documents) -> None:
    """Score all documents by one call."""
    score([key for key, _ in pairs], [response for _, response in pairs], "conll")


def by_scorer(pairs: Documents) -> None:
    """Add the documents to one scorer."""
    scorer = Scorer("conll")
    for key, response in pairs:
        scorer.add(key, response)
    scorer.result()


def with_corefeval(module: Any) -> Callable[[Documents], None]:
    """Score with coreference-eval; it always counts LEA, too."""

    def run(pairs: Documents) -> None:
        scorer = module.Scorer()
        for key, response in pairs:
            scorer.update(module.Document(response, key))
        scorer.get_conll()

    return run


def with_coval(module: Any) -> Callable[[Documents], None]:
    """Score with coval, whose documents are clusters with the cluster on the other side of each mention."""

    def run(pairs: Documents) -> None:
        metrics = [module.Evaluator(count) for count in (module.muc, module.b_cubed, module.ceafe)]
        for key, response in pairs:
            of = [{mention: number for number, each in enumerate(side) for mention in each} for side in (key, response)]
            for metric in metrics:
                metric.update((key, response, of[1], of[0]))
        for metric in metrics:
            metric.get_f1()

    return run


PEERS: Mapping[str, Callable[[Any], Callable[[Documents], None]]] = {
    "corefeval": with_corefeval,
    "coval.eval.evaluator": with_coval,
}
"""How each peer is used, by the module to import."""


def main() -> None:
    """Print a table of Markdown."""
    sys.path += sys.argv[1:]
    runs: dict[str, Callable[[Documents], None]] = {
        "`score`, a call each": one_by_one,
        "`score`, one call": by_lists,
        "`Scorer.add`": by_scorer,
    }
    for name, use in PEERS.items():
        try:
            runs[name.split(".", maxsplit=1)[0]] = use(import_module(name))
        except ImportError:
            print(f"{name} is not there", file=sys.stderr)  # noqa: T201 - what it found is what it prints
    lines = ["| mentions | " + " | ".join(runs) + " |", "|---:" * (len(runs) + 1) + "|"]
    for size in SIZES:
        pairs = documents(size)
        seconds: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(ROUNDS + 1):
            for name, run in runs.items():
                begin = time.process_time()
                run(pairs)
                seconds[name].append((time.process_time() - begin) / len(pairs))
        # The first round imports modules.
        lines.append(f"| {size:,} | " + " | ".join(f"{1000 * median(its[1:]):.2f}" for its in seconds.values()) + " |")
    print("\n".join(lines))  # noqa: T201 - what it found is what it prints


if __name__ == "__main__":
    main()
