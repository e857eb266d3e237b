"""Means over documents in `compare`, `rank` and `check`: the statistic is `Result.mean`, the units are documents.

Expected numbers come from loops over the scores of documents, as `Result.documents` has them.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.core.errors import UsageError
from corefscore.metrics import wanted
from corefscore.statistics.significance import statistics, without_each
from corefscore.statistics.units import sample
from support import TESTDATA, call

SYSTEMS = TESTDATA / "systems"
KEY, ASH, CEDAR = SYSTEMS / "key.conll", SYSTEMS / "runs" / "ash.conll", SYSTEMS / "runs" / "cedar.conll"
MEASURES = "muc,bcub,blanc,lea,mentions,conll"

Capture = pytest.CaptureFixture[bytes]


@pytest.fixture(scope="module")
def results() -> list[corefscore.Result]:
    return [corefscore.score(KEY, path) for path in (ASH, CEDAR)]


def test_documents_with_errors_are_counted(results: list[corefscore.Result]) -> None:
    """A key without errors, and a system with some in every document."""
    perfect = corefscore.score(KEY, KEY)
    wrong = [sum(d["lea"].f1 < 1 for d in its.documents.values()) for its in (perfect, results[1])]
    found = sample([perfect, results[1]], wanted("lea").measures, "part", averaged=True)
    assert found.deciding_units.tolist() == wrong
    assert wrong == [0, 24]


def test_scores_are_those_of_the_mean(results: list[corefscore.Result]) -> None:
    found = corefscore.compare(KEY, {"ash": ASH, "cedar": CEDAR}, MEASURES, average="documents", trials=99)
    for name, result in zip(("ash", "cedar"), results, strict=True):
        for measure, its in found.to_dict()["systems"][name].items():
            for score, each in its.items():
                assert each["value"] == getattr(result.mean[measure], score), (name, measure, score)
                assert each["value"] in {0, 1} or each["low"] <= each["value"] <= each["high"]
    assert "| average=documents" in found.signature
    assert found.to_dict()["options"]["average"] == "documents"


def test_units_of_several_documents_weigh_by_their_number() -> None:
    """In one of the two documents of unit x the response links nothing, so LEA is 0; the other and that of unit y are
    right: without x the mean is 1, without y 1/2, and of all three documents 2/3."""
    key = {name: [["a", "b"]] for name in ("x_1", "x_2", "y_1")}
    result = corefscore.score(key, {**key, "x_2": [["a"], ["b"]]}, "lea")
    units = sample([result], {"lea": ("recall", "precision", "f1")}, r"^(.)_", averaged=True)
    assert units.units == 2
    assert units.observed.ravel().tolist() == [2 / 3] * 3
    assert without_each(units).reshape(2, 3).tolist() == [[1] * 3, [0.5] * 3]
    assert units.deciding_units.tolist() == [1]


def test_a_test_swaps_whole_documents(tmp_path: Path) -> None:
    """All 2^n assignments of a few documents, one after the other."""
    few = 6
    names = corefscore.read(KEY).names[:few]
    paths = {}
    for path in (KEY, ASH, CEDAR):
        blocks = path.read_text().split("#end document\n")[:few]
        paths[path] = tmp_path / path.name
        paths[path].write_text("".join(f"{block}#end document\n" for block in blocks))
    found = corefscore.compare(
        paths[KEY], {"a": paths[ASH], "b": paths[CEDAR]}, "lea.f1", average="documents", correction="none"
    )
    each = [
        np.array([its["lea"].f1 for its in corefscore.score(paths[KEY], paths[path], "lea").documents.values()])
        for path in (ASH, CEDAR)
    ]
    assert len(names) == len(each[0])
    differences = each[0] - each[1]
    all_ways = [abs(np.mean(differences * signs)) for signs in product((1, -1), repeat=few)]
    p = np.mean(np.array(all_ways) >= abs(differences.mean()) - 1e-12)
    assert found.to_dict()["pairs"][0]["measures"]["lea"]["f1"]["p"] == pytest.approx(p)


@pytest.mark.parametrize("measure", ["muc", "lea"])
def test_the_units_of_one_measure_add_up_to_its_mean(measure: str, results: list[corefscore.Result]) -> None:
    units = sample(results, [measure], averaged=True)
    means = [[getattr(result.mean[measure], score) for score in ("recall", "precision", "f1")] for result in results]
    found = statistics(units.metrics, [measure], units.counts.sum(axis=1)[None], averaged=True)
    assert found[:, 0] == pytest.approx(np.array(means))


@pytest.mark.parametrize("verb", ["compare", "rank"])
def test_the_commands_take_means(verb: str, capfdbinary: Capture) -> None:
    common: list[Path | str] = [verb, KEY, ASH, CEDAR, "--measures", "lea", "--trials", "99", "--average", "documents"]
    others = ["--sort", "lea"] if verb == "rank" else []
    done = call(capfdbinary, *common, *others)
    assert done.status == 0, done.stderr
    mean = corefscore.score(KEY, ASH, "lea").mean["lea"].f1
    assert f"{100 * mean:.2f}".encode() in done.stdout
    assert b"average=documents" in done.stdout
    assert b"over documents" in b" ".join(done.stdout.split())


def test_the_mean_can_rank_otherwise() -> None:
    """A system that is good on the many small documents and bad on the large one."""
    key = {"large": [[(at, at) for at in range(20)]], **{f"d{n}": [[(0, 0), (1, 1)]] for n in range(9)}}
    small = {**key, "large": [[(at, at)] for at in range(20)]}
    large: dict[str, list[list[tuple[int, int]]]] = {**key, **{f"d{n}": [] for n in range(9)}}
    systems = {"small": small, "large": large}
    total, mean = (
        corefscore.rank(key, systems, "muc", sort="muc", trials=99, average=average) for average in (None, "documents")
    )
    best = [list(ranking.results)[ranking.order[0]] for ranking in (total, mean)]
    assert best == ["large", "small"]


def test_check_takes_means(tmp_path: Path, capfdbinary: Capture) -> None:
    mean = corefscore.score(KEY, ASH, "lea").mean["lea"].f1
    for floor, status in ((mean - 0.001, 0), (mean + 0.001, 3)):
        floors = ["--min", f"lea={100 * floor:.4f}", "--average", "documents"]
        assert call(capfdbinary, "check", *floors, KEY, ASH).status == status
    assert corefscore.check(KEY, ASH, minimum={"lea": mean - 1e-9}, average="documents").passed
    for options, status in ((["--average", "documents"], 0), (["--documents"], 0), ([], 2)):
        baseline = tmp_path / "baseline.json"
        baseline.write_bytes(call(capfdbinary, "lea", KEY, ASH, "--format", "json", *options).stdout)
        kept = json.loads(baseline.read_text())
        if not options:
            kept.pop("documents", None)
            baseline.write_text(json.dumps(kept))
        assert call(capfdbinary, "check", baseline, KEY, ASH, "--average", "documents").status == status
        worse = call(capfdbinary, "check", baseline, KEY, CEDAR, "--average", "documents", "--format", "json")
        assert worse.status == (3 if status == 0 else 2)
        if status == 0:
            moved = [each for each in json.loads(worse.stdout)["moved"] if each["document"] is None]
            fell = next(each for each in moved if (each["measure"], each["score"]) == ("lea", "f1"))
            assert fell["before"] == pytest.approx(mean)
            assert fell["now"] == pytest.approx(corefscore.score(KEY, CEDAR, "lea").mean["lea"].f1)


def test_what_means_cannot_do_is_refused() -> None:
    topics = TESTDATA / "topics"
    with pytest.raises(UsageError, match="leave one of them out"):
        corefscore.rank(KEY, {"a": ASH}, "lea", sort="lea", by="d", average="documents")
    with pytest.raises(UsageError, match="cannot be combined with means over documents"):
        corefscore.compare(
            topics / "key.conll", {"a": topics / "within.conll"}, "lea", unit="column:1", average="documents"
        )
    with pytest.raises(UsageError, match="average='mean': expected 'documents'"):
        corefscore.compare(KEY, {"a": ASH}, "lea", average="mean")
    with pytest.raises(UsageError, match="average='mean': expected 'documents'"):
        corefscore.check(KEY, ASH, minimum={"lea": 0.1}, average="mean")
