"""`corefscore compare` through the command line: tables, data, options."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import corefscore
import pytest
from corefscore.reports.compare import PAIR_STATISTICS
from corefscore.reports.datasets import TEST_STATISTICS
from support import RECORDED, ROOT, TESTDATA, call, within

KEY = TESTDATA / "systems" / "key.conll"
RUNS = TESTDATA / "systems" / "runs"
ASH, BIRCH, CEDAR = (RUNS / f"{name}.conll" for name in ("ash", "birch", "cedar"))

Capture = pytest.CaptureFixture[bytes]


def compared(capture: Capture, *arguments: Any) -> dict[str, Any]:
    done = call(capture, "compare", KEY, *arguments, "--format", "json")
    assert (done.status, done.stderr) == (0, b"")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_scores_are_those_of_scoring(capfdbinary: Capture) -> None:
    found = compared(capfdbinary, f"a={ASH}", f"b={BIRCH}")
    assert list(found["systems"]) == ["a", "b"]
    for name, path in (("a", ASH), ("b", BIRCH)):
        result = corefscore.score(KEY, path)
        for measure, its in found["systems"][name].items():
            if measure == "conll":
                assert its["f1"]["value"] == result.conll
                assert list(its) == ["f1"]
            else:
                known = {score: getattr(result[measure], score) for score in ("recall", "precision", "f1")}
                assert {score: numbers["value"] for score, numbers in its.items()} == known
    assert list(found["systems"]["a"]) == ["muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "conll"]


def test_a_difference_is_that_of_the_scores_and_within_its_interval(capfdbinary: Capture) -> None:
    found = compared(capfdbinary, f"a={ASH}", f"c={CEDAR}")
    (pair,) = found["pairs"]
    lea = pair["measures"]["lea"]
    values = [found["systems"][name]["lea"]["f1"]["value"] for name in ("a", "c")]
    assert lea["f1"]["difference"] == values[0] - values[1]
    assert lea["f1"]["low"] < lea["f1"]["difference"] < lea["f1"]["high"]
    assert lea["f1"]["differ"] is True
    assert (lea["f1"]["units_differing"], lea["f1"]["smallest_p"], lea["f1"]["exact"]) == (12, 2.0**-11, True)
    whole = compared(capfdbinary, f"a={ASH}", f"c={CEDAR}", "--unit", "part")
    lea = whole["pairs"][0]["measures"]["lea"]["f1"]
    assert (lea["units_differing"], lea["smallest_p"], lea["exact"]) == (22, 1 / 10_001, False)


def test_the_same_call_gives_the_same_bytes_and_another_seed_others() -> None:
    calls = [within("compare", KEY, ASH, BIRCH, "--seed", seed) for seed in ("1", "1", "2")]
    assert calls[0] == calls[1] != calls[2]


def drawn(report: dict[str, Any]) -> list[Any]:
    """Everything in the data of a report that comes from resampling, for the systems a and b."""
    ends = [
        (name, measure, score, numbers["low"], numbers["high"])
        for name in "ab"
        for measure, scores in report["systems"][name].items()
        for score, numbers in scores.items()
    ]
    (pair,) = (pair for pair in report["pairs"] if (pair["system"], pair["against"]) == ("a", "b"))
    own = ("low", "high", "p", "units_differing", "smallest_p", "exact")
    tests = [test[name] for scores in pair["measures"].values() for test in scores.values() for name in own]
    of_groups = [
        tuple(test[name] for name in ("group", "measure", "score", "p", "smallest_p"))
        for test in report.get("groups", ())
        if (test["system"], test["against"]) == ("a", "b")
    ]
    return [ends, tests, sorted(of_groups)]


def documents_of(path: Path) -> list[str]:
    """The text of each document of a CoNLL file."""
    return [f"{text}#end document\n" for text in path.read_text().split("#end document\n") if text.strip()]


ORDERS = {
    "total": [],
    "units of parts": ["--unit", "part"],
    "means over groups": ["--by", r"^\((\w\w)/"],
    "means over documents": ["--average", "documents"],
    "Holm's method": ["--correction", "holm"],
}


@pytest.mark.parametrize("options", ORDERS.values(), ids=ORDERS)
def test_order_of_documents_and_another_system_change_no_digit(
    options: list[str], tmp_path: Path, capfdbinary: Capture
) -> None:
    several = ["--measures", "all,lea", "--trials", "300", *options]
    plain = compared(capfdbinary, f"a={ASH}", f"b={BIRCH}", *several)
    for name, path in (("key", KEY), ("a", ASH), ("b", BIRCH)):
        (tmp_path / name).write_text("".join(documents_of(path)[::-1]))
    done = call(capfdbinary, "compare", *(tmp_path / name for name in ("key", "a", "b")), *several, "--format", "json")
    assert drawn(json.loads(done.stdout)) == drawn(plain)
    three = compared(capfdbinary, f"c={CEDAR}", f"a={ASH}", f"b={BIRCH}", *several, "--correction", "none")
    assert drawn(three) == drawn(plain)


def test_names_of_files_change_no_digit(tmp_path: Path, capfdbinary: Capture) -> None:
    """Three files of documents, whose names sort in two orders, so that the documents are read in two orders."""
    reports = []
    for names in ("xyz", "zxy"):
        for side, path in (("key", KEY), ("a", ASH), ("b", BIRCH)):
            documents, folder = documents_of(path), tmp_path / names / side
            folder.mkdir(parents=True)
            for number, name in enumerate(names):
                (folder / f"{name}.conll").write_text("".join(documents[8 * number : 8 * number + 8]))
        sides = [tmp_path / names / side for side in ("key", "a", "b")]
        options = ["--by", "file", "--unit", "part", "--trials", "300", "--measures", "lea", "--format", "json"]
        done = call(capfdbinary, "compare", *sides, *options)
        assert done.status == 0, done
        ends, tests, groups = drawn(json.loads(done.stdout))
        reports.append([ends, tests, sorted(group[1:] for group in groups)])
    assert reports[0] == reports[1]


def test_python_has_the_same_digits_in_any_order() -> None:
    key, *systems = (corefscore.read(path) for path in (KEY, ASH, BIRCH, CEDAR))
    names = [f"{number:02}" for number in range(12)]
    of_key = {
        name: [[(0, 0), (number, number), (30, 30)], [(40, 40), (41, 41)]] for number, name in enumerate(names, 1)
    }
    first = {name: [entity[: 1 + int(name) % 3], pair] for name, (entity, pair) in of_key.items()}
    second = {name: [entity[1:], pair] for name, (entity, pair) in of_key.items()}
    third = {name: [[*entity, (50, 50)]] for name, (entity, _) in of_key.items()}

    def in_order(order: list[str], **others: Any) -> list[Any]:
        a, b = ({name: side[name] for name in order} for side in (first, second))
        renamed = {name: of_key[name] for name in order}
        report = corefscore.compare(renamed, {"a": a, "b": b, **others}, "every", trials=200, correction="none")
        return drawn(report.to_dict())

    assert in_order(names) == in_order(names[::-1]) == in_order(names, c=third)
    one, two = (
        corefscore.compare(key, dict(zip(found, systems, strict=False)), "lea", trials=200, correction="none")
        for found in ("ab", "abc")
    )
    assert drawn(one.to_dict()) == drawn(two.to_dict())


def test_three_systems_are_corrected_and_it_is_said(capfdbinary: Capture) -> None:
    by_largest = compared(capfdbinary, ASH, BIRCH, CEDAR, "--measures", "lea")
    note = "p (all): corrected by Westfall and Young's method for the 3 pairs of systems, within one score"
    assert f"{note}; the verdict uses it" in by_largest["notes"]
    found = compared(capfdbinary, ASH, BIRCH, CEDAR, "--measures", "lea", "--correction", "holm")
    raw = [pair["measures"]["lea"]["f1"]["p"] for pair in found["pairs"]]
    smallest = min(raw)
    corrected = [pair["measures"]["lea"]["f1"]["p_corrected"] for pair in found["pairs"]]
    assert min(corrected) == pytest.approx(3 * smallest)
    assert found["family"] == 3
    assert any(note.startswith("p (all): corrected by Holm's method for the 3 pairs") for note in found["notes"])
    plain = compared(capfdbinary, ASH, BIRCH, CEDAR, "--measures", "lea", "--correction", "none")
    assert [pair["measures"]["lea"]["f1"]["p_corrected"] for pair in plain["pairs"]] == raw


def test_parts_of_one_document_are_one_unit_and_units_can_be_matched(capfdbinary: Capture) -> None:
    joined = compared(capfdbinary, ASH, BIRCH, "--measures", "muc")
    older = compared(capfdbinary, ASH, BIRCH, "--unit", "parts-joined", "--measures", "muc")
    parts = compared(capfdbinary, ASH, BIRCH, "--unit", "part", "--measures", "muc")
    matched = compared(capfdbinary, ASH, BIRCH, "--unit", r"^\((\w+/\d+)\)", "--measures", "muc")
    assert joined["units"] == matched["units"] == 12
    assert joined["systems"] == matched["systems"]
    assert joined["pairs"] == matched["pairs"]
    assert joined["pairs"] == older["pairs"]
    assert parts["units"] == 24
    assert parts["pairs"] != joined["pairs"]
    assert "unit of resampling: document, 12 in all; the parts of a document are one unit" in joined["notes"]
    assert "| unit=document | parts=joined |" in joined["signature"]
    assert "| unit=part |" in parts["signature"]
    assert "parts=" not in parts["signature"]
    assert any(note.startswith("with only 12 units") for note in joined["notes"])


def test_few_units_give_exact_p_and_no_verdict(capfdbinary: Capture) -> None:
    """Two genres, two units: all differ, so no test can give less than 1 / 2."""
    found = compared(capfdbinary, ASH, CEDAR, "--unit", r"^\((\w\w)", "--measures", "lea")
    lea = found["pairs"][0]["measures"]["lea"]
    assert (lea["f1"]["units_differing"], lea["f1"]["smallest_p"], lea["f1"]["exact"]) == (2, 0.5, True)
    assert lea["f1"]["p"] == 0.5
    assert lea["f1"]["differ"] is None
    table = call(capfdbinary, "compare", KEY, ASH, CEDAR, "--unit", r"^\((\w\w)", "--measures", "lea").stdout
    assert table.count(b"no verdict") == 4  # the fourth names the three
    three = compared(capfdbinary, ASH, BIRCH, CEDAR, "--unit", r"^\((\w\w)", "--measures", "lea")
    numbers = [pair["measures"]["lea"]["f1"] for pair in three["pairs"]]
    assert [each["smallest_p"] for each in numbers] == [0.5] * 3


def test_the_report_says_how_many_tests_there_are(capfdbinary: Capture) -> None:
    """Six metrics with three scores, and the CoNLL average: one verdict by chance is to be expected. An exact p of ten
    documents is at most 25 / 512 if it is below 0.05."""
    found = compared(capfdbinary, ASH, BIRCH)
    assert (found["tests"], found["family"]) == (19, 1)
    assert "| family=1 |" in found["signature"]
    assert any(
        note.startswith("19 tests: if all systems were equal, about 0.94 tests would show") for note in found["notes"]
    )
    strict = compared(capfdbinary, ASH, BIRCH, "--correction", "holm-all")
    assert (strict["tests"], strict["family"]) == (19, 19)
    assert "p (all): Holm's correction for all 19 tests; the verdict uses it" in strict["notes"]
    assert "| correction=holm-all |" in strict["signature"]
    assert not any("by chance" in note for note in strict["notes"])
    two = ("compare", KEY, ASH, BIRCH, "--measures", "lea.f1,muc.f1")
    assert b"p (all)" not in call(capfdbinary, *two).stdout
    assert b"p (all)" in call(capfdbinary, *two, "--correction", "holm-all").stdout
    for measure, scores in found["pairs"][0]["measures"].items():
        for score, numbers in scores.items():
            assert (
                numbers["p_corrected"] == numbers["p"] <= strict["pairs"][0]["measures"][measure][score]["p_corrected"]
            )


def test_few_units_say_how_far_intervals_can_be_trusted(capfdbinary: Capture) -> None:
    few = compared(capfdbinary, ASH, CEDAR, "--unit", r"^\((\w\w)", "--measures", "lea")
    assert any(note.startswith("there are only 2 units; intervals from so few units") for note in few["notes"])
    enough = compared(capfdbinary, ASH, CEDAR, "--measures", "lea")
    assert not any("too short" in note for note in enough["notes"])
    assert enough["signature"].endswith("interval=jackknife-t")
    perfect = compared(capfdbinary, f"perfect={KEY}", CEDAR, "--measures", "lea")
    assert not any("in fewer than 5 units" in note for note in perfect["notes"])  # it has no interval


@pytest.mark.parametrize(
    ("units", "right", "least", "chance"),
    [
        pytest.param(2, 1, "0.5", None, id="two"),
        pytest.param(3, 2, "0.25", None, id="three"),
        pytest.param(4, 3, "0.125", None, id="four"),
        pytest.param(5, 4, "0.0625", None, id="five"),
        pytest.param(6, 5, "0.0312", None, id="five of six differ"),
        pytest.param(6, 6, "0.0312", "about 0.062", id="six"),
        pytest.param(7, 7, "0.0156", "about 0.094", id="seven"),
    ],
)
def test_what_few_units_show_by_chance_is_what_they_can_show(
    units: int, right: int, least: str, chance: str | None
) -> None:
    """p is a multiple of 2^(1 - n): of six units that differ, 1 / 32 is the only one below 0.05, of seven 3 / 64."""
    key = {str(number): [[(0, 0), (1, 1), (2, 2)]] for number in range(units)}
    worse = {name: [[(0, 0), (1, 1)]] if int(name) < right else its for name, its in key.items()}
    notes = " ".join(corefscore.compare(key, {"a": key, "b": worse}, "lea.f1,lea.recall").notes)
    assert f"with only {units} units, p of a randomization test is at" in notes
    assert f"least {least}" in notes
    assert ("2 tests: if all systems were equal" in notes) == (chance is not None)
    assert chance is None or f"{chance} tests would show a difference by chance" in notes
    assert "a group of one unit" not in notes


def test_the_least_p_is_said_where_it_is_true() -> None:
    """Of up to 13 units all swaps are enumerated; of 14, no hit in 10,000 trials is p = 0.0001, less than 2^-13."""
    for units, told in ((13, "at least 0.000244"), (14, None)):
        key = {f"{number:02}": [[(0, 0), (1, 1), (2, 2)]] for number in range(units)}
        found = corefscore.compare(key, {"a": key, "b": {name: [its[0][:2]] for name, its in key.items()}}, "lea.f1")
        notes = " ".join(found.notes)
        assert ("only" in notes) == (told is not None)
        assert told is None or f"p of a randomization test is {told}" in notes


def test_more_trials_are_advised_only_if_they_help() -> None:
    """Of twelve systems with Holm's method: exact p do not get smaller; nor do those that more trials make exact."""
    for units, told in ((8, False), (10, False), (12, True)):
        key = {str(number): [[(at, at) for at in range(15)]] for number in range(units)}
        systems = {str(system): {n: [its[0][: 15 - system]] for n, its in key.items()} for system in range(12)}
        found = corefscore.compare(key, systems, "muc.f1", correction="holm", trials=999)
        assert any("999 trials are too few for a verdict on 66 tests" in note for note in found.notes) == told


def test_groups_of_few_units_or_with_a_dominant_one_are_said() -> None:
    """Of three groups, one has 6 documents of which the last has 80 of 100 links, the others have one or two."""
    names = [*(f"a{at}" for at in range(6)), "b0", "c0", "c1"]
    sizes = [5, 5, 5, 5, 5, 81, 5, 5, 5]
    key = {name: [list(range(size))] for name, size in zip(names, sizes, strict=True)}
    response = {name: [entity[: -1 - int(name[1:]) % 3] for entity in its] for name, its in key.items()}
    notes = " ".join(corefscore.compare(key, {"x": response}, "muc", by="^.", trials=100).notes)
    assert "groups with fewer than 5 units: 2 of 3; intervals from so few units are unreliable" in notes
    assert "one unit is 80% of the key of its group, as muc recall counts it, so scores and intervals depend" in notes
    whole = " ".join(corefscore.compare(key, {"x": response}, "muc", trials=100).notes)
    assert "one unit is 71.4% of the key, as muc recall counts it, so scores and intervals depend mostly" in whole
    assert "so few units" not in whole


@pytest.mark.parametrize(
    ("sizes", "right", "told"),
    [
        pytest.param([2] * 11 + [100], range(11), ("one unit is 82% of the key", False), id="a dominant document"),
        pytest.param(
            [2] * 12,
            [3],
            ("intervals may be too short for 1 system: fewer than 5 units have errors, or fewer than 5 have", False),
            id="one right of 12",
        ),
        pytest.param(
            [2] * 12,
            [],
            ("no interval for 6 scores with the same value, 0 or 100, in all 12 units", True),
            id="none right",
        ),
        pytest.param([2] * 2, [0], ("there are only 2 units; intervals from so few units", False), id="two units"),
    ],
)
def test_what_intervals_cannot_say_is_said(
    sizes: list[int], right: Any, told: tuple[str, bool], tmp_path: Path, capfdbinary: Capture
) -> None:
    """Each document has entities of two mentions; the response has all of them, or others."""
    start, empty = told
    for side in ("key", "response"):
        lines = []
        for number, size in enumerate(sizes):
            apart = 0 if side == "key" or number in right else 1000
            clusters = [[[4 * at + apart] * 2, [4 * at + 1 + apart] * 2] for at in range(size)]
            lines.append(json.dumps({"doc_key": f"d{number}", "clusters": clusters}) + "\n")
        (tmp_path / f"{side}.jsonl").write_text("".join(lines))
    pair = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    scored = json.loads(call(capfdbinary, "lea", *pair, "--intervals", "--format", "json", "--quiet").stdout)
    assert any(note.startswith(start) for note in scored["intervals"]["notes"]), scored["intervals"]["notes"]
    named = f"a={pair[1]}"
    found = json.loads(
        call(capfdbinary, "compare", pair[0], named, "--measures", "lea", "--format", "json", "--quiet").stdout
    )
    ends = found["systems"]["a"]["lea"]["f1"]
    assert (ends["low"] is None, ends["high"] is None) == (empty, empty)
    assert ("f1" not in scored["intervals"]["measures"]["lea"]) == empty
    assert empty or 0 < ends["low"] < ends["high"] < 1


def test_a_verdict_against_its_interval_is_said(capfdbinary: Capture) -> None:
    """The F1 of cedar and birch: shown to differ by the chain of tests, although the common interval contains 0."""
    found = compared(capfdbinary, ASH, CEDAR, BIRCH, "--measures", "conll")
    pair = found["pairs"][2]["measures"]["conll"]["f1"]
    assert pair["differ"] and pair["low"] < 0 < pair["high"]
    assert any(note.startswith("for 1 difference, test and interval disagree") for note in found["notes"])


def test_equivalence_needs_a_margin(capfdbinary: Capture) -> None:
    """ash and birch are less than 10 points of CoNLL apart, and not shown to be less than 5; nothing is called equal
    because no difference was shown."""
    for margin, expected in (("10", True), ("5", False), (None, None)):
        how = () if margin is None else ("--margin", margin)
        found = compared(capfdbinary, ASH, BIRCH, "--measures", "conll", *how)
        pair = found["pairs"][0]["measures"]["conll"]["f1"]
        assert (pair["differ"], pair["equivalent"]) == (False, expected)
        text = call(capfdbinary, "compare", KEY, ASH, BIRCH, "--measures", "conll", *how).stdout
        assert (b"equivalent" in text) == (expected is True)
        assert (pair["p_equivalent"] is None) == (margin is None)
    assert pair["units_needed"] > 1000
    assert pair["shown_from"] > abs(pair["difference"])
    # It was read as two hundredths of a point.
    refused = call(capfdbinary, "compare", KEY, ASH, BIRCH, "--margin", "0.02")
    assert (refused.status, refused.stdout) == (2, b"")
    assert b"--margin 0.02 may be a percentage or a fraction; write --margin 2 for 2 %" in refused.stderr
    refused = call(capfdbinary, "compare", KEY, ASH, BIRCH, "--margin", "0.005")
    assert b"write --margin 0.5% for 0.5 %, or --margin 0.005% for 0.005 %" in refused.stderr
    parts = call(capfdbinary, "compare", KEY, ASH, BIRCH, "--margin", "0.5%", "--measures", "lea").stdout
    assert b"below 0.5 points" in b" ".join(parts.split()) and b"margin=0.005" in parts


def test_a_baseline_is_compared_with_the_others(capfdbinary: Capture) -> None:
    found = compared(capfdbinary, ASH, BIRCH, CEDAR, "--baseline", "birch.conll", "--measures", "lea")
    assert [(pair["system"], pair["against"]) for pair in found["pairs"]] == [
        ("ash.conll", "birch.conll"),
        ("cedar.conll", "birch.conll"),
    ]
    assert "| baseline=birch.conll | family=2 |" in found["signature"]
    key = {str(number): [[(0, 0), (1, 1), (2, 2)]] for number in range(8)}
    worse = {name: [[(0, 0), (1, 1)]] for name in key}
    systems = {"a": key, "b": worse, "c": key, "d": key, "e": worse}
    matrix = str(corefscore.compare(key, systems, "lea.f1", baseline="b"))
    signs = ["      >", "      >", "      >", "< < <   .", "      ."]
    assert [line[-len(row) :] for line, row in zip(matrix.splitlines()[4:9], signs, strict=True)] == signs
    assert "blank: only b was compared" in " ".join(matrix.split())
    assert "differences are shown at significance level 0.05" in " ".join(matrix.split())
    assert "units needed" not in matrix, "there is no such column"
    wrong = call(capfdbinary, "compare", KEY, ASH, BIRCH, "--baseline", "birsh.conll")
    assert (wrong.status, wrong.stdout) == (2, b"")
    assert b"did you mean birch.conll" in wrong.stderr


def test_a_narrower_confidence_gives_narrower_intervals(capfdbinary: Capture) -> None:
    wide, narrow = (compared(capfdbinary, ASH, BIRCH, "--confidence", level) for level in ("95", "50"))
    ends = [found["systems"]["ash.conll"]["lea"]["f1"] for found in (wide, narrow)]
    assert ends[0]["low"] < ends[1]["low"] < ends[1]["high"] < ends[0]["high"]


def test_the_options_that_move_a_number_are_those_of_scoring(capfdbinary: Capture) -> None:
    found = compared(capfdbinary, ASH, BIRCH, "--singletons", "drop", "--repeated", "first", "--measures", "lea")
    result = corefscore.score(KEY, ASH, "lea", singletons="drop", repeated="first")
    assert found["systems"]["ash.conll"]["lea"]["f1"]["value"] == result["lea"].f1
    assert found["signature"].startswith(result.signature)


def test_csv_is_one_table_to_load(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "compare", KEY, ASH, CEDAR, "--measures", "lea,conll", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["table"] for row in rows] == ["scores"] * 4 + ["differences"] * 4
    assert [row["verdict"] for row in rows[4:]] == ["differ"] * 4
    score = corefscore.score(KEY, ASH, "lea")["lea"]
    assert float(rows[0]["recall"]) == score.recall * 100


@pytest.mark.parametrize("layout", ["markdown", "latex"])
def test_papers_get_notes_and_the_signature(layout: str, capfdbinary: Capture) -> None:
    done = call(capfdbinary, "compare", KEY, ASH, CEDAR, "--measures", "lea", "--format", layout)
    assert b"unit of resampling: document, 12 in all" in done.stdout
    assert b"bold: the best of its column" in done.stdout
    assert compared(capfdbinary, ASH, CEDAR, "--measures", "lea")["signature"].encode() in done.stdout


def test_one_system_has_its_scores_and_intervals(capfdbinary: Capture) -> None:
    alone, pair = compared(capfdbinary, f"ash.conll={ASH}"), compared(capfdbinary, ASH, BIRCH)
    assert alone["systems"]["ash.conll"] == pair["systems"]["ash.conll"]
    assert alone["pairs"] == []
    for name in ("test", "correction", "alpha", "family", "trials", "seed"):  # nothing is tested
        assert f"| {name}=" in pair["signature"]
        assert f"| {name}=" not in alone["signature"]
        assert name not in alone["options"]
    text = call(capfdbinary, "compare", KEY, f"ash.conll={ASH}", "--measures", "lea").stdout.decode()
    low, high = (f"{100 * alone['systems']['ash.conll']['lea']['f1'][end]:.2f}" for end in ("low", "high"))
    assert f"80.34  {low}  {high}\n" in text
    assert "differences" not in text
    assert "randomization," not in text


def test_pairs_are_tables_of_their_own_without_the_suffix_of_all_names(capfdbinary: Capture) -> None:
    text = call(capfdbinary, "compare", KEY, ASH, BIRCH, CEDAR, "--measures", "lea").stdout.decode()
    lines = text.splitlines()
    assert [line for line in lines if " - " in line and len(line) < 20] == [
        "ash - birch",
        "ash - cedar",
        "birch - cedar",
    ]
    assert ".conll" not in text
    row = next(line for line in lines[lines.index("ash - cedar") :] if line.startswith("lea      F1"))
    assert (row.split()[2], row.split()[-1]) == ("17.44", "differ")


def test_many_systems_are_a_matrix_a_measure_and_data_keeps_all_rows(tmp_path: Path, capfdbinary: Capture) -> None:
    """Eleven systems: copies of four, so copies never differ; D is the worst and differs from A and B."""
    names = "abcd"
    for at in range(11):
        source = sorted(RUNS.iterdir())[at % 4]
        (tmp_path / f"{names[at % 4]}{at}.conll").write_bytes(source.read_bytes())
    systems = sorted(tmp_path.iterdir())
    text = call(capfdbinary, "compare", KEY, *systems, "--measures", "lea,conll", "--unit", "part").stdout.decode()
    lines = text.splitlines()
    assert [line for line in lines if line.endswith(" F1") and len(line) < 12] == ["lea F1", "conll F1"]
    matrix = lines[lines.index("conll F1") + 5 :][:11]
    assert [line.split()[:2] for line in matrix] == [
        [str(place), name]
        for place, name in enumerate(["a0", "a4", "a8", "b1", "b5", "b9", "c10", "c2", "c6", "d3", "d7"], start=1)
    ]
    assert matrix[0].endswith("  . . . . . > > > > >")
    assert matrix[10].endswith("< < < < < < . . . .")
    assert all(len(line) <= 80 for line in lines[:-1])
    data = call(
        capfdbinary, "compare", KEY, *systems, "--measures", "lea,conll", "--unit", "part", "--format", "csv"
    ).stdout.decode()
    assert len(data.splitlines()) == 1 + 2 * 11 + 4 * 55
    assert len(lines) < 60
    for row in csv.DictReader(io.StringIO(data)):
        if row["table"] == "differences" and row["measure"] == "conll":
            first, second = (row[name].removesuffix(".conll") for name in ("system", "against"))
            places = [next(at for at, line in enumerate(matrix) if line.split()[1] == name) for name in (first, second)]
            sign = matrix[places[0]].split("]")[1].removeprefix("  ")[2 * places[1]]
            assert (sign in "<>") == (row["verdict"] == "differ"), row


def test_the_official_layout_is_none_of_compare(capfdbinary: Capture) -> None:
    assert call(capfdbinary, "compare", KEY, ASH, BIRCH, "--format", "official").status == 2


def test_a_response_can_be_standard_input() -> None:
    done = within("compare", KEY, "x=-", f"y={BIRCH}", "--measures", "lea", stdin=ASH.read_bytes())
    expected = within("compare", KEY, f"x={ASH}", f"y={BIRCH}", "--measures", "lea")
    assert done == expected


def test_notices_name_the_response_they_are_about(capfdbinary: Capture) -> None:
    folder = TESTDATA / "bad" / "missing-document"
    key = folder / "key.conll"
    done = call(capfdbinary, "compare", key, f"whole={key}", f"short={folder / 'response.conll'}", "--unit", "part")
    assert done.status == 0
    assert done.stderr.startswith(b"corefscore: messages about short:\n")
    quiet = call(capfdbinary, "compare", key, key, folder / "response.conll", "--unit", "part", "--quiet")
    assert (quiet.status, quiet.stderr) == (0, b"")


def test_repeated_mentions_of_a_recorded_pair_are_compared(capfdbinary: Capture) -> None:
    case = RECORDED / "documents-0015"
    done = call(capfdbinary, "compare", case / "key.conll", case / "key.conll", case / "response.conll")
    assert done.status == 0
    assert b"exact (all assignments)" in b" ".join(done.stdout.split())


def test_the_page_names_every_statistic() -> None:
    page = (ROOT / "docs" / "compare.md").read_text()
    for field, statistics in (("pairs", PAIR_STATISTICS), ("groups", TEST_STATISTICS)):
        row = page[page.index(f"| `{field}` |") :].split("\n", 1)[0]
        missing = [statistic.name for statistic in statistics if f"`{statistic.name}`" not in row]
        assert not missing, f"name them in the row {field} of docs/compare.md"
