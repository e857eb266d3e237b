"""Names of metrics and measures: one for what is printed, others understood wherever a name is given."""

from __future__ import annotations

import json
from pathlib import Path

import corefscore
import pytest
from corefscore import score
from corefscore.metrics import GROUPS, NAMES, OTHER_NAMES, RESERVED, asked, find, named, single, wanted
from support import TESTDATA, call, within

KEY, RESPONSE = (TESTDATA / "systems" / name for name in ("key.conll", "runs/ash.conll"))
OTHER = TESTDATA / "systems" / "runs" / "birch.conll"

SPELLINGS = [
    *(("bcub", other) for other in ("b3", "B3", "b_cubed", "B-Cubed", "bcubed", "b^3", "B³", " bcub ")),
    *(("ceafe", other) for other in ("ceaf_e", "ceaf-e", "CEAF_E", "entity_ceaf")),
    *(("ceafm", other) for other in ("ceaf_m", "CEAF-m", "mention_ceaf")),
    *(("conll", other) for other in ("CoNLL", "conll_f1", "CoNLL-average")),
    *(("mentions", other) for other in ("mention", "Mentions", "mention-identification")),
]


@pytest.mark.parametrize(("name", "other"), SPELLINGS)
def test_other_names_are_understood(name: str, other: str) -> None:
    assert named(other) == name
    assert list(wanted(other).measures) == [name]
    assert single(f"{other}.F1") == single(other) == (name, "f1")


def test_no_other_name_is_the_name_of_something_else() -> None:
    measures = {measure.name for metric in NAMES for measure in find(metric).measures}
    assert not OTHER_NAMES.keys() & {*NAMES, *GROUPS, *measures}
    assert all(other == other.lower().replace("-", "_") for other in OTHER_NAMES)
    assert OTHER_NAMES.keys() <= RESERVED


@pytest.mark.parametrize(
    "calls",
    [
        (("b3,CEAF-E,CoNLL", "--format", "csv"), ("bcub,ceafe,conll", "--format", "csv")),
        (("B_Cubed", "none"), ("bcub", "none")),
    ],
)
def test_the_output_keeps_one_name(
    calls: tuple[tuple[str, ...], ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    one, other = (call(capfdbinary, words, KEY, RESPONSE, *rest) for words, *rest in calls)
    assert one == other
    assert one.status == 0


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (
            ("compare", KEY, RESPONSE, OTHER, "--trials", "20", "--measures", "b3,CEAF_e.F1,CoNLL"),
            ("compare", KEY, RESPONSE, OTHER, "--trials", "20", "--measures", "bcub,ceafe.f1,conll"),
        ),
        (
            ("rank", KEY, RESPONSE, OTHER, "--trials", "20", "--measures", "B3", "--sort", "Ceaf-M.Recall"),
            ("rank", KEY, RESPONSE, OTHER, "--trials", "20", "--measures", "bcub", "--sort", "ceafm.recall"),
        ),
        (("check", "--min", "b_cubed=50", KEY, RESPONSE), ("check", "--min", "bcub.f1=50", KEY, RESPONSE)),
    ],
)
def test_options_take_other_names(
    given: tuple[str, ...], plain: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    one, other = call(capfdbinary, *given), call(capfdbinary, *plain)
    assert one == other
    assert one.status == 0


def test_the_metric_of_a_baseline_takes_other_names(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    baseline = tmp_path / "bcub.txt"
    baseline.write_bytes(call(capfdbinary, "bcub", KEY, RESPONSE, "none").stdout)
    done = call(capfdbinary, "check", f"B3={baseline}", KEY, RESPONSE)
    assert (done.status, done.stderr) == (0, b"")
    done = call(capfdbinary, "check", f"CoNLL={baseline}", KEY, RESPONSE)
    told = f'"CoNLL" is a group; name the metric of this file, as in muc={baseline}, or leave out "CoNLL=" if the file'
    assert (done.status, done.stderr.decode()) == (2, f"corefscore: {told} names its metrics\n")


def test_python_takes_other_names() -> None:
    result = score([["a", "b"], ["c"]], [["a", "b", "c"]], metrics=["b3", "CEAF-e", "muc"])
    assert list(result) == ["mentions", "bcub", "ceafe", "muc", "conll"]
    assert result["B_cubed"] == result["bcub"]
    assert "CEAF_E" in result
    assert result["CoNLL"].f1 == result.conll
    assert "lea" not in result
    with pytest.raises(KeyError, match=r'there is no measure "bcup"; did you mean bcub\?'):
        result["bcup"]
    scorer = corefscore.Scorer("b3,Muc")
    scorer.add([["a", "b"]], [["a", "b"]])
    assert list(scorer.result()) == ["mentions", "bcub", "muc"]


@pytest.mark.parametrize(
    ("words", "measures"),
    [
        ("lea.f1", {"lea": ["f1"]}),
        ("lea.precision,lea.recall", {"lea": ["recall", "precision"]}),
        ("lea.f1,lea", {"lea": ["recall", "precision", "f1"]}),
        ("blanc.coreference.recall", {"blanc.coreference": ["recall"]}),
        ("conll", {"conll": ["f1"]}),
        ("conll.f1,muc.F1", {"conll": ["f1"], "muc": ["f1"]}),
        ("all.f1", {name: ["f1"] for name in ("muc", "bcub", "ceafm", "ceafe")}),
    ],
)
def test_a_score_of_a_measure_is_asked_for(words: str, measures: dict[str, list[str]]) -> None:
    found = wanted(words).measures
    assert {name: found[name] for name in measures} == measures
    assert asked(found) is found


def test_the_recall_of_the_average_is_asked_for_by_name() -> None:
    assert wanted("conll").measures == {"conll": ["f1"]}
    assert wanted("muc.f1,conll.precision,conll").measures == {"muc": ["f1"], "conll": ["precision", "f1"]}


def test_the_average_is_the_mean_of_each_score(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Of MUC 3/4 3/4, B-cubed 17/24 6/7 and CEAF-e 37/60 37/45, which the official scorer printed for the pair."""
    demo = TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll"
    result = score(*demo, "conll")
    three = [result[name] for name in ("muc", "bcub", "ceafe")]
    for name in ("recall", "precision", "f1"):
        assert getattr(result["conll"], name) == pytest.approx(sum(getattr(each, name) for each in three) / 3)
    assert result["conll"].recall == pytest.approx((3 / 4 + 17 / 24 + 37 / 60) / 3)
    assert result["conll"].recall_counts == (result["conll"].recall, 1)
    rows = call(capfdbinary, "conll", *demo, "--format", "csv").stdout.decode().splitlines()
    assert rows[-1].split(",")[3:] == [repr(value * 100) for value in result["conll"][:3]]
    lines = call(capfdbinary, "conll", *demo, "none").stdout.decode().splitlines()
    assert lines[-1] == "CoNLL average: F1: 74.34%"
    ranked = json.loads(
        call(capfdbinary, "rank", KEY, RESPONSE, OTHER, "--sort", "conll.recall", "--format", "json").stdout
    )
    assert ranked["options"]["sort"] == "conll.recall"
    assert set(ranked["ranking"][0]["scores"]["conll"]) == {"recall", "f1"}


def test_only_the_score_that_is_asked_for_is_shown(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pair = (KEY, RESPONSE, OTHER, "--trials", "20", "--measures", "lea.f1,muc.f1", "--format", "json")
    data = json.loads(call(capfdbinary, "compare", *pair).stdout)
    assert all(set(scores) == {"f1"} for its in data["systems"].values() for scores in its.values())
    assert [set(its) & {"recall", "precision", "f1"} for its in data["pairs"][0]["measures"].values()] == [{"f1"}] * 2
    ranked = json.loads(call(capfdbinary, "rank", *pair, "--sort", "lea.recall").stdout)
    assert {name: set(its) for name, its in ranked["ranking"][0]["scores"].items()} == {
        "lea": {"recall", "f1"},
        "muc": {"f1"},
    }
    table = call(capfdbinary, "compare", *pair[:-2]).stdout.decode().split("\n\n")[1].splitlines()
    assert table[0].split() == ["measure", "system", "F1", "low", "high"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["key.conll", "runs/ash.conll"], "corefscore conll key.conll runs/ash.conll"),
        (["key.conll", "runs/ash.conll", "none", "--quiet"], "corefscore conll key.conll runs/ash.conll none --quiet"),
        (["key.conll", "runs/ash.conll", "B3"], "corefscore B3 key.conll runs/ash.conll"),
        (["runs/no such", "key.conll"], "corefscore conll 'runs/no such' key.conll"),
        (["key.conll"], "corefscore conll key.conll RESPONSE"),
        (["key.conll", "B3"], "corefscore B3 key.conll RESPONSE"),
        (["gold.v4.conll", "runs/ash.conll"], "corefscore conll gold.v4.conll runs/ash.conll"),
        (["no.jsonl.gz", "no.conll"], "corefscore conll no.jsonl.gz no.conll"),
    ],
)
def test_a_forgotten_metric_is_recognised(words: list[str], meant: str) -> None:
    done = within(*words, cwd=TESTDATA / "systems")
    said = f'corefscore: "{words[0]}" is a path; a metric comes first. Did you mean: {meant}\n'
    assert (done.status, done.stdout, done.stderr.decode()) == (2, b"", said)


@pytest.mark.parametrize("word", ["lea.f1", "lea.x", "leaa.F1", "conll.recall", "muc,lea.conll", "e.g."])
def test_a_metric_with_a_score_or_in_a_list_is_no_file(word: str) -> None:
    done = within(word, "no.conll", "none.conll", cwd=TESTDATA / "systems")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("corefscore: unknown metric ")
