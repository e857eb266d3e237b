"""A million items: `python scripts/bench_labels.py` times all six metrics from arrays, and er-evaluation beside them.

Rounds are interleaved, so that whatever else the machine does falls on both alike; printed are medians of processor
time. Where er-evaluation is not installed, only corefscore is measured.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median

import numpy as np
from corefscore import from_labels, score

ITEMS, ROUNDS = 1_000_000, 5


def main() -> None:
    """Measure, and print a line for each program."""
    random = np.random.default_rng(0)
    key = random.integers(0, ITEMS // 3, ITEMS)
    response = np.where(random.random(ITEMS) < 0.8, key, random.integers(0, ITEMS // 3, ITEMS))
    runs: dict[str, Callable[[], object]] = {
        "corefscore: the six metrics of every": lambda: score(from_labels(key), from_labels(response))
    }
    if find_spec("er_evaluation"):
        import pandas as pd
        from er_evaluation import metrics

        names = [f"{metric}_{part}" for metric in ("b_cubed", "pairwise") for part in ("precision", "recall")]
        runs["er-evaluation: B-cubed and pairwise"] = lambda: [
            getattr(metrics, name)(pd.Series(response), pd.Series(key)) for name in names
        ]
    taken = defaultdict(list)
    for _ in range(ROUNDS):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            taken[name].append(time.process_time() - begin)
    sys.stdout.writelines(f"{name}: {median(seconds):.2f} s\n" for name, seconds in taken.items())


if __name__ == "__main__":
    main()
