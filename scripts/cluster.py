"""What a run on a cluster costs: `python scripts/cluster.py [--documents 100000] [--tokens 1e9]`.

Scores generated files of 100 tokens a document by a worker in this process, through which all goes as it would go to
another machine, and measures what the first process does, what is sent, and what it keeps. Prints the same for a corpus
of more tokens, since all of it grows with the number of documents.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corefscore import score
from generate import SHAPES, write

METRICS = "muc,bcub,ceafm,ceafe,blanc,lea"


class Counted:
    """A worker in this process that counts its seconds, and the bytes to it and from it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.to_worker = self.from_worker = self.slices = 0

    def __call__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Apply a function as `map` does."""
        for item in items:
            sent = pickle.dumps((function, item))
            begin = time.process_time()
            there, its = pickle.loads(sent)
            found = pickle.dumps(there(its))
            self.seconds += time.process_time() - begin
            self.slices += 1
            self.to_worker += len(sent)
            self.from_worker += len(found)
            yield pickle.loads(found)


def main() -> None:
    """Measure, and print both columns as a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=SHAPES["huge"].documents, help="documents to score")
    parser.add_argument("--tokens", type=float, default=1e9, help="tokens to extrapolate to")
    arguments = parser.parse_args()
    shape = SHAPES["huge"]._replace(documents=arguments.documents)
    with TemporaryDirectory() as folder:
        key, response = write(shape, Path(folder))
        megabytes = (key.stat().st_size + response.stat().st_size) / 1e6
        worker = Counted()
        score(key, response, METRICS, workers=Counted())  # the first run imports modules
        begin = time.process_time()
        result = score(key, response, METRICS, workers=worker)
        driver = time.process_time() - begin - worker.seconds
    tokens = shape.documents * shape.tokens
    kept = len(pickle.dumps((result.names, result.counts))) / 1e6
    times = arguments.tokens / tokens
    rows = (
        ("documents", shape.documents, "{:,.0f}"),
        ("tokens", tokens, "{:,.0f}"),
        ("MB of both sides", megabytes, "{:,.0f}"),
        ("slices", worker.slices, "{:,.0f}"),
        ("seconds of the workers together", worker.seconds, "{:,.1f}"),
        ("seconds of the first process", driver, "{:,.2f}"),
        ("MB to workers", worker.to_worker / 1e6, "{:,.2f}"),
        ("MB from workers", worker.from_worker / 1e6, "{:,.0f}"),
        ("MB of the result", kept, "{:,.0f}"),
    )
    lines = ["| processor time, data and memory | measured | extrapolated |", "|---|---:|---:|"]
    lines += [f"| {name} | {form.format(value)} | {form.format(value * times)} |" for name, value, form in rows]
    share, size = driver / (driver + worker.seconds), worker.from_worker / shape.documents
    lines.append(f"\n{size:.0f} bytes come back for a document; the first process does {share:.1%} of the work.")
    print("\n".join(lines))  # noqa: T201 - what it found is what it prints


if __name__ == "__main__":
    main()
