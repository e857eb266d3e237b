"""A million items: `python scripts/bench_labels.py` times all six metrics from arrays of numbers and from tables of
text, and er-evaluation's B-cubed and pairwise beside them. Key and response have the items in different orders.

Rounds are interleaved, so that whatever else the machine does falls on both alike; printed are medians of processor
time. Where er-evaluation is not installed, only corefscore is measured.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from corefscore import from_labels, score

ITEMS, ROUNDS, ROUNDS_OF_TEXT = 1_000_000, 5, 2


def measured(runs: Mapping[str, Callable[[], object]], rounds: int) -> None:
    """Run each program in turn, and print the median of its seconds."""
    taken = defaultdict(list)
    for _ in range(rounds):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            taken[name].append(time.process_time() - begin)
    sys.stdout.writelines(f"{name}: {median(seconds):.2f} s\n" for name, seconds in taken.items())


def main() -> None:
    """Measure, and print a line for each program."""
    random = np.random.default_rng(0)
    key = random.integers(0, ITEMS // 3, ITEMS)
    response = np.where(random.random(ITEMS) < 0.8, key, random.integers(0, ITEMS // 3, ITEMS))
    order = random.permutation(ITEMS)
    with TemporaryDirectory() as folder:
        files = [Path(folder, f"{name}.csv") for name in ("key", "response")]
        for path, labels, items in zip(files, (key, response[order]), (np.arange(ITEMS), order), strict=True):
            rows = (f"record-{item},person-{label}\n" for item, label in zip(items, labels, strict=True))
            path.write_text("item,entity\n" + "".join(rows))
        of_arrays: dict[str, Callable[[], object]] = {
            "arrays, corefscore, the six metrics of every": lambda: score(
                from_labels(key, items=np.arange(ITEMS)), from_labels(response[order], items=order)
            )
        }
        of_text: dict[str, Callable[[], object]] = {"tables, corefscore, the same": lambda: score(files[0], files[1])}
        if find_spec("er_evaluation"):
            import pandas as pd
            from er_evaluation import metrics

            names = [f"{metric}_{part}" for metric in ("b_cubed", "pairwise") for part in ("precision", "recall")]

            def evaluate(ours: Any, theirs: Any) -> None:
                for name in names:
                    getattr(metrics, name)(theirs, ours)

            of_arrays["arrays, er-evaluation, B-cubed and pairwise"] = lambda: evaluate(
                pd.Series(key), pd.Series(response[order], index=order)
            )
            of_text["tables, er-evaluation, the same"] = lambda: evaluate(
                *(pd.read_csv(path, index_col="item")["entity"] for path in files)
            )
        measured(of_arrays, ROUNDS)
        measured(of_text, ROUNDS_OF_TEXT)


if __name__ == "__main__":
    main()
