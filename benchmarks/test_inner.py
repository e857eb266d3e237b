"""Parts of a run, timed within one process by pytest-benchmark: `make bench-inner`. Nothing here checks a result.

Inputs come from the generator of the whole-process measurements, `scripts/generate.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from corefscore import Scorer
from corefscore.formats import opened
from corefscore.formats.conll.reader import BLOCK
from corefscore.matching.assignment import best
from corefscore.matching.matched import match_spans
from corefscore.matching.pairing import Pairing, Pairs
from corefscore.metrics import NAMES, find, select
from corefscore.metrics.base import Overlap, overlap
from corefscore.reports.layouts import Style, rendered
from corefscore.reports.score import Report
from corefscore.scoring.evaluate import BatchScorer, result_of
from corefscore.scoring.settings import Run, Settings
from generate import SHAPES, Span, noisy, partition, spans, write
from pytest_benchmark.fixture import BenchmarkFixture

INPUTS = ("corpus", "book", "many")
MENTIONS = 60
"""Mentions of the one document of a training loop."""


@pytest.fixture(scope="session", params=INPUTS)
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write(SHAPES[request.param], tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="session")
def pairs(files: tuple[Path, Path]) -> list[Pairs]:
    key, response = (opened(str(path), []).documents([]) for path in files)
    return list(Pairing(key, response, []))


@pytest.fixture(scope="session")
def tables(pairs: list[Pairs]) -> list[Overlap]:
    return [overlap(match_spans(each.key, each.response)) for each in pairs]


def test_reading_one_side(benchmark: BenchmarkFixture, files: tuple[Path, Path]) -> None:
    benchmark(lambda: list(opened(str(files[0]), []).documents([])))


def line_ends(text: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int:
    """Do the least that a reader in numpy does: find the line ends, and look at the last byte of each line."""
    ends = np.flatnonzero(text == ord("\n"))
    return int(np.count_nonzero(text[ends - 1]))


def by_blocks(path: Path) -> int:
    """Return the `line_ends` of a file, block by block in the same memory."""
    buffer, lines = bytearray(BLOCK), 0
    with open(path, "rb", buffering=0) as file:
        while size := file.readinto(buffer):
            lines += line_ends(np.frombuffer(buffer, dtype=np.uint8, count=size))
    return lines


@pytest.mark.parametrize("way", ["whole", "blocks"])
def test_line_ends_by_numpy(benchmark: BenchmarkFixture, files: tuple[Path, Path], way: str) -> None:
    if way == "whole":
        benchmark(lambda: line_ends(np.fromfile(files[0], dtype=np.uint8)))
    else:
        benchmark(lambda: by_blocks(files[0]))


def test_matching(benchmark: BenchmarkFixture, pairs: list[Pairs]) -> None:
    benchmark(lambda: [match_spans(each.key, each.response) for each in pairs])


def test_overlap(benchmark: BenchmarkFixture, pairs: list[Pairs]) -> None:
    matched = [match_spans(each.key, each.response) for each in pairs]
    benchmark(lambda: [overlap(each) for each in matched])


@pytest.mark.parametrize("name", NAMES)
def test_metric(benchmark: BenchmarkFixture, tables: list[Overlap], name: str) -> None:
    metric = find(name)
    benchmark(lambda: [metric.count(table) for table in tables])


@pytest.mark.parametrize("documents", [False, True], ids=["totals", "verbose"])
def test_printing(benchmark: BenchmarkFixture, pairs: list[Pairs], documents: bool) -> None:
    metrics = select("all")
    settings = Settings(tuple(metric.name for metric in metrics))
    parts = [BatchScorer(metrics, settings, keep_pairs=documents).count(each) for each in pairs]
    benchmark(
        lambda: list(rendered(Report(result_of(parts, Run(metrics, settings), []), documents), Style("official")))
    )


def document() -> tuple[Sequence[Sequence[Span]], Sequence[Sequence[Span]]]:
    numbers = random.Random(0)
    mentions = spans(numbers, 10 * MENTIONS, MENTIONS)
    key = partition(numbers, mentions, 0)
    return key, noisy(numbers, key, [])


@pytest.mark.parametrize("metrics", ["conll", "every"])
def test_one_document_of_a_training_loop(benchmark: BenchmarkFixture, metrics: str) -> None:
    key, response = document()
    scorer = Scorer(metrics)
    benchmark(lambda: scorer.add(key, response))


def test_result_of_a_training_loop(benchmark: BenchmarkFixture) -> None:
    key, response = document()
    scorer = Scorer("conll")
    for _ in range(1_000):
        scorer.add(key, response)
    benchmark(lambda: scorer.result().conll)


@pytest.mark.parametrize("entities", [50, 500, 5_000])
def test_assignment_of_one_component(benchmark: BenchmarkFixture, entities: int) -> None:
    """Twenty cells an entity, all of them in one component."""
    numbers = np.random.default_rng(0)
    cells = np.unique(numbers.integers(0, entities, (20 * entities, 2)), axis=0)
    weights = numbers.random(len(cells)) + 0.01
    benchmark(lambda: best(cells[:, 0], cells[:, 1], weights))
