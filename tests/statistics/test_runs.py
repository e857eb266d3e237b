"""Several runs of a system: means, spread and tests over runs and documents, against a twin in plain Python."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev, variance
from typing import Any

import corefscore
import pytest
from corefscore import Runs, UsageError
from scipy import stats
from support import TESTDATA, call, within

SYSTEMS = TESTDATA / "systems"
KEY = SYSTEMS / "key.conll"
ASH, BIRCH, CEDAR, DOGWOOD = (SYSTEMS / "runs" / f"{name}.conll" for name in ("ash", "birch", "cedar", "dogwood"))

Clusters = dict[str, list[list[tuple[int, int]]]]


def noisy(key: Clusters, rate: float, seed: int) -> Clusters:
    """The key, each mention of which is in another entity at this rate."""
    numbers, found = random.Random(seed), {}
    for name, entities in key.items():
        response: list[list[tuple[int, int]]] = [[] for _ in entities]
        for number, entity in enumerate(entities):
            for mention in entity:
                response[numbers.randrange(len(entities)) if numbers.random() < rate else number].append(mention)
        found[name] = [entity for entity in response if entity]
    return found


def jackknife(score: Callable[[list[str]], float], documents: list[str]) -> float:
    """The variance of a statistic over documents."""
    whole, count = score(documents), len(documents)
    left_out = [score([other for other in documents if other != each]) for each in documents]
    return (count - 1) / count * sum((whole - each) ** 2 for each in left_out)


def test_tests_and_spread_are_those_of_a_twin() -> None:
    """B-cubed recall counts mentions, so a document's share of the key is that of its mentions."""
    sizes = random.Random(4)
    key = {f"d{n:02}": [[(m, m) for m in range(5 * e, 5 * e + sizes.randint(2, 5))] for e in range(sizes.randint(3, 8))]
           for n in range(14)}  # fmt: skip
    systems = {"a": [noisy(key, rate, seed) for seed, rate in enumerate((0.2, 0.25, 0.3))],
               "b": [noisy(key, 0.45, 7), noisy(key, 0.5, 8)], "c": [noisy(key, 0.26, 9)]}  # fmt: skip
    given = {name: Runs(runs) if len(runs) > 1 else runs[0] for name, runs in systems.items()}
    report = corefscore.compare(key, given, "bcub.f1", margin=0.1)
    found: dict[str, Any] = report.to_dict()

    def score(run: Clusters, documents: list[str]) -> float:
        return corefscore.score({d: key[d] for d in documents}, {d: run[d] for d in documents}, "bcub")["bcub"].f1

    def of_system(name: str, documents: list[str]) -> float:
        return mean(score(run, documents) for run in systems[name])

    documents = sorted(key)
    shares = [sum(map(len, key[d])) / sum(len(e) for es in key.values() for e in es) for d in documents]
    freedom = 2 / (1 / 13 + 1 / (1 / sum(share**2 for share in shares) - 1))
    for name, runs in systems.items():
        scores = [score(run, documents) for run in runs]
        its = found["systems"][name]["bcub"]["f1"]
        assert its["value"] == pytest.approx(mean(scores))
        assert its["spread"] == (pytest.approx(stdev(scores)) if len(runs) > 1 else None)
        of_runs = [numbers["bcub"]["f1"] for numbers in found["runs"][name].values()]
        assert of_runs == pytest.approx(scores)
    p = {}
    for first, second in combinations(systems, 2):
        over = jackknife(lambda some: of_system(first, some) - of_system(second, some), documents)  # noqa: B023
        parts = [(over, freedom)]
        for name in (first, second):
            if len(runs := systems[name]) > 1:
                parts.append((variance(score(run, documents) for run in runs) / len(runs), len(runs) - 1))
        error = sum(part for part, _ in parts) ** 0.5
        welch = error**4 / sum(part**2 / its for part, its in parts)
        difference = of_system(first, documents) - of_system(second, documents)
        p[first, second] = max(2 * stats.t.sf(abs(difference) / error, welch), 2.0**-13)
        number = next(
            n for n, pair in enumerate(found["pairs"]) if (pair["system"], pair["against"]) == (first, second)
        )
        its = found["pairs"][number]["measures"]["bcub"]["f1"]
        assert its["p"] == pytest.approx(p[first, second])
        assert report.found.errors[number, 0, 2] == pytest.approx(error)
        within_margin = stats.t.sf((0.1 - abs(difference)) / error, welch)
        assert its["p_equivalent"] >= within_margin * (1 - 1e-9)
    holm = sorted(p.values())
    largest = max(min(1, 3 * holm[0]), min(1, 2 * holm[1]), holm[2])
    assert max(pair["measures"]["bcub"]["f1"]["p_corrected"] for pair in found["pairs"]) == pytest.approx(largest)


def test_the_command_and_the_function_say_the_same() -> None:
    given = {"a": Runs([str(ASH), str(BIRCH)]), "b": Runs([str(CEDAR), str(DOGWOOD)]), "c": str(BIRCH)}
    words = [f"a={ASH},{BIRCH}", f"b={CEDAR},{DOGWOOD}", f"c={BIRCH}", "--measures", "lea,conll", "--format", "json"]
    for name, function in (("compare", corefscore.compare), ("rank", corefscore.rank)):
        done = within(name, KEY, *words)
        assert done.status == 0
        assert json.loads(done.stdout) == json.loads(json.dumps(function(str(KEY), given, "lea,conll").to_dict()))
        assert b"runs=2,2,1" in done.stdout


def test_runs_that_differ_take_the_verdict_away() -> None:
    """Ash is far better than cedar on any documents; as runs of one system beside birch, they show nothing."""
    alone = corefscore.compare(str(KEY), {"a": str(ASH), "c": str(CEDAR)}, "lea.f1")
    assert alone.to_dict()["pairs"][0]["measures"]["lea"]["f1"]["differ"] is True
    runs = {"a": Runs([str(ASH), str(DOGWOOD)]), "c": Runs([str(CEDAR), str(DOGWOOD)])}
    numbers = corefscore.compare(str(KEY), runs, "lea.f1").to_dict()["pairs"][0]["measures"]["lea"]["f1"]
    assert (numbers["differ"], numbers["units_needed"]) == (False, None)


def test_a_run_that_is_given_twice_is_told() -> None:
    """In Python and on the command line, by another path to it; not a run that another system has, too."""
    with pytest.warns(corefscore.ScorerWarning, match='the runs "b 1" and "b 3" of this system have the same counts'):
        found = corefscore.compare(
            str(KEY), {"a": str(CEDAR), "b": Runs([str(CEDAR), str(DOGWOOD), str(CEDAR)])}, "lea"
        )
    assert [notice["code"] for notice in found.to_dict()["notices"]] == ["same-runs"]
    again = f"{CEDAR.parent}/./{CEDAR.name}"
    done = within("rank", KEY, f"a={ASH}", f"b={CEDAR},{again}", "--measures", "lea")
    assert done.stderr.startswith(b'b: notice[same-runs] the runs "b 1" and "b 2"')


def test_one_run_of_each_has_the_errors_of_documents() -> None:
    """So a system of one run is the response that it is."""
    paths = {"a": str(ASH), "c": str(CEDAR)}
    one = corefscore.compare(str(KEY), {name: Runs([path]) for name, path in paths.items()}, "lea.f1").found
    usual = corefscore.compare(str(KEY), paths, "lea.f1").found
    assert one.errors == pytest.approx(usual.errors, nan_ok=True)
    assert one.ends == pytest.approx(usual.ends, nan_ok=True)


@pytest.mark.parametrize("layout", ["table", "csv", "markdown", "latex", "json"])
@pytest.mark.parametrize("name", ["compare", "rank"])
def test_every_layout_has_the_mean(name: str, layout: str) -> None:
    mean_of_both = 100 * mean(corefscore.score(str(KEY), str(path), "lea")["lea"].f1 for path in (ASH, BIRCH))
    systems = f"a={ASH},{BIRCH}", f"b={CEDAR},{DOGWOOD}", f"c={CEDAR}", f"d={BIRCH}", f"e={DOGWOOD}"
    done = within(name, KEY, *systems, "--measures", "lea.f1", "--format", layout)
    assert (done.status, done.stderr) == (0, b"")
    assert (f"{mean_of_both:.2f}" if layout != "json" else f"{mean_of_both / 100:.6f}").encode() in done.stdout
    if layout == "csv":
        rows = [row for row in csv.reader(io.StringIO(done.stdout.decode())) if row]
        assert any("spread" in cell for cell in rows[0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((f"a={ASH},{ASH}", f"b={CEDAR}"), b"with a different path for each run"),
        ((f"a={ASH},", f"b={CEDAR}"), b"with a different path for each run"),
        ((f"a={ASH},{BIRCH}", f"a 1={CEDAR}"), b'run a unique name: the second run of "a"'),
        ((f"a={ASH},{BIRCH}", f"b={CEDAR}", "--by", "file"), b"cannot be compared on groups of documents"),
    ],
)
@pytest.mark.parametrize("name", ["compare", "rank"])
def test_what_cannot_be_combined_is_refused(
    name: str, words: tuple[str, ...], message: bytes, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = call(capfdbinary, name, KEY, *words)
    assert (done.status != 0, done.stdout) == (True, b"")
    assert message in done.stderr


def test_compare_needs_all_runs(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "compare", KEY, f"a={ASH},nothing", f"b={CEDAR}")
    assert (done.status, done.stdout) == (2, b"")
    assert b"nothing: No such file" in done.stderr


def test_agreement_and_no_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--agreement"):
        corefscore.rank(str(KEY), {"a": Runs([str(ASH), str(BIRCH)]), "b": str(CEDAR)}, "lea,muc", agreement=True)
    with pytest.raises(UsageError, match="each system needs at least one run, and each run a unique name"):
        corefscore.compare(str(KEY), {"a": Runs(), "b": str(CEDAR)}, "lea")


def test_runs_without_a_name_have_the_names_of_all() -> None:
    done = within("compare", KEY, f"{ASH},{BIRCH}", f"{CEDAR},{DOGWOOD}", "--measures", "lea.f1", "--format", "json")
    assert [*json.loads(done.stdout)["systems"]] == ["ash,birch.conll", "cedar,dogwood.conll"]


def test_a_path_with_a_comma_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "a,b.conll"
    path.write_bytes(ASH.read_bytes())
    done = within("compare", KEY, f"a={path}", f"c={CEDAR}", "--measures", "lea", "--format", "json")
    assert "runs" not in json.loads(done.stdout)
    done = within("compare", KEY, path, f"c={CEDAR}", "--measures", "lea", "--format", "json")
    assert [*json.loads(done.stdout)["systems"]] == ["a,b.conll", "c"]


def test_a_system_with_a_run_that_cannot_be_scored_is_not_ranked_and_the_others_are(tmp_path: Path) -> None:
    broken = tmp_path / "broken.conll"
    broken.write_text("no document\n")
    systems = (f"b={BIRCH},{CEDAR}", f"c={DOGWOOD}")
    done = within("rank", KEY, f"a={ASH},{broken}", *systems, "--measures", "lea", "--format", "json")
    assert done.status == 1
    assert b"corefscore: a is not ranked: " in done.stderr
    found = json.loads(done.stdout)
    assert list(found["unscored"]) == ["a"]
    alone = json.loads(within("rank", KEY, *systems, "--measures", "lea", "--format", "json").stdout)
    assert (found["ranking"], found["runs"]) == (alone["ranking"], alone["runs"])


def test_runs_that_are_better_by_the_same_in_all_documents_differ_in_all() -> None:
    names = [str(number) for number in range(12)]
    right, wrong = (dict.fromkeys(names, clusters) for clusters in ([[(0, 0), (1, 1)]], [[(0, 0)], [(1, 1)]]))
    found = corefscore.compare(right, {"a": Runs([right, right]), "b": Runs([wrong, wrong])}, "muc").to_dict()
    (pair,) = found["pairs"]
    test = pair["measures"]["muc"]["f1"]
    assert (test["units_differing"], test["differ"], test["p"]) == (12, True, 2.0**-11)


def test_equivalence_needs_five_documents_that_differ() -> None:
    names = [str(number) for number in range(12)]
    right = {name: [[(0, 0), (1, 1)]] for name in names}
    found = corefscore.compare(right, {"a": right, "b": dict(right)}, "muc", margin=0.01).to_dict()
    assert found["pairs"][0]["measures"]["muc"]["f1"]["p_equivalent"] is None


def test_a_note_explains_the_wide_intervals_of_two_runs() -> None:
    def notes(*runs: Path) -> str:
        systems = {"a": Runs(map(str, runs)), "b": str(DOGWOOD)}
        return " ".join(corefscore.compare(str(KEY), systems, "lea").to_dict()["notes"])

    assert "two runs say little about how much runs vary" in notes(ASH, BIRCH)
    assert "two runs say little about how much runs vary" not in notes(ASH, BIRCH, CEDAR)


def test_tests_without_a_verdict_are_not_against_their_intervals() -> None:
    names = [str(number) for number in range(5)]
    key = {name: [[(0, 0), (1, 1), (2, 2), (3, 3)]] for name in names}
    worse = {name: [[(0, 0), (1, 1), (2, 2)]] if name < "2" else [[(0, 0), (1, 1)]] for name in names}
    found = corefscore.compare(key, {"a": key, "b": worse}, "muc").to_dict()
    test = found["pairs"][0]["measures"]["muc"]["f1"]
    assert test["differ"] is None
    assert test["low"] > 0
    assert not any("and interval disagree" in note for note in found["notes"])
