"""`corefscore check`: baselines of ours and of the official scorer, floors, statuses, annotations."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from corefscore import InputError, UsageError, __version__, check, score
from corefscore.checking.baselines import SCORES_CHANGED, changed_between, read_baseline
from support import RECORDED, ROOT, TESTDATA, call, command, within

CASE = RECORDED / "documents-0015"
KEY, RESPONSE = CASE / "key.conll", CASE / "response.conll"
METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea")


def scored(case: Path) -> bool:
    """Whether the official scorer scored a recorded pair with all its metrics."""
    return bool(json.loads((case / "status.json").read_text()).get("all-none", {}).get("exit") == 0)


SCORED = sorted(filter(scored, RECORDED.iterdir()))

Capture = pytest.CaptureFixture[bytes]


@pytest.fixture
def worse(tmp_path: Path) -> Path:
    """The response with its second document emptied."""
    documents = RESPONSE.read_text().split("#begin document ")
    lines = [line.rpartition("\t") for line in documents[2].split("\n")]
    documents[2] = "\n".join("\t".join([head, "-"]) if tab else tail for head, tab, tail in lines)
    path = tmp_path / "worse.conll"
    path.write_text("#begin document ".join(documents))
    return path


def saved(capture: Capture, tmp_path: Path, *options: str, response: Path = RESPONSE) -> Path:
    path = tmp_path / "baseline.json"
    assert call(capture, "conll", KEY, response, "--format", "json", "--output", path, *options).status == 0
    return path


def checked(capture: Capture, *arguments: Any, status: int) -> dict[str, Any]:
    done = call(capture, "check", *arguments, "--format", "json", "--quiet")
    assert done.status == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["passed"] == (status == 0)
    return found


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case.name)
def test_what_the_official_scorer_printed_is_met_both_ways(case: Path, capfdbinary: Capture) -> None:
    """Fractions have 15 digits, so nothing moves with no tolerance at all."""
    pair = case / "key.conll", case / "response.conll"
    found = checked(capfdbinary, case / "all-none.txt", *pair, "--both-ways", "--tolerance", 0, status=0)
    assert found["moved"] == []


@pytest.mark.parametrize("metric", METRICS)
def test_one_metric_of_the_official_scorer_is_named_and_its_documents_count(
    metric: str, worse: Path, capfdbinary: Capture
) -> None:
    baseline = f"{metric}={CASE / metric}.txt"
    options = ("--both-ways", "--tolerance", "0")
    assert checked(capfdbinary, baseline, KEY, RESPONSE, *options, status=0)["moved"] == []
    moved = checked(capfdbinary, baseline, KEY, worse, *options, status=3)["moved"]
    documents = {each["document"] for each in moved}
    assert documents == {None, "(bc/cctv/01/cctv_3085); part 001"}
    assert metric in {each["measure"] for each in moved if each["document"] is None}


def test_blanc_is_made_anew_from_the_links_that_are_printed(capfdbinary: Capture, worse: Path) -> None:
    moved = checked(capfdbinary, f"blanc={CASE / 'blanc.txt'}", KEY, worse, status=3)["moved"]
    assert {"blanc", "blanc.coreference", "blanc.noncoreference"} <= {each["measure"] for each in moved}


@pytest.mark.parametrize("options", [("--of", "size:2"), ()], ids=str)
def test_official_output_of_a_kind_has_the_mentions_of_each_side(
    options: tuple[str, ...], tmp_path: Path, capfdbinary: Capture
) -> None:
    """Of entities of two mentions, the key has six and the response (5,5), (6,6), (8,8) and (9,9), of which two match;
    the response has all mentions of the key."""
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    entities = [[0, 1], [2, 3], [8, 9]], [[0, 1, 2], [3], [5, 6], [8, 9]]
    for path, its in zip((key, response), entities, strict=True):
        path.write_text(json.dumps({"doc_key": "d", "clusters": [[[at, at] for at in each] for each in its]}))
    printed = tmp_path / "printed"
    printed.write_bytes(call(capfdbinary, "bcub", key, response, *options).stdout)
    counts = b"mentions: 6\nTotal response mentions: %d\nStrictly correct identified mentions: 6\n"
    assert counts % (4 if options else 8) in printed.read_bytes()
    assert b"\nInvented: 2\n" in printed.read_bytes()
    same = ("--both-ways", "--tolerance", "0")
    assert checked(capfdbinary, f"bcub={printed}", key, response, *options, *same, status=0)["moved"] == []


@pytest.mark.parametrize("options", [(), ("--boundary", "both")], ids=str)
def test_blanc_of_official_output_has_the_boundary_of_the_run(
    options: tuple[str, ...], tmp_path: Path, capfdbinary: Capture
) -> None:
    """One entity of three in two parts: by the links of the key BLANC is 50, by those of both sides 25. With the other
    boundary its line does not follow from the links above it."""
    pair = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, cells in zip(pair, (("(0)", "(0)", "(0)"), ("(0)", "(0)", "(1)")), strict=True):
        words = "".join(f"w\t{cell}\n" for cell in cells)
        path.write_text(f"#begin document (d); part 000\n{words}#end document\n")
    printed = tmp_path / "printed"
    printed.write_bytes(call(capfdbinary, "blanc", *pair, *options).stdout)
    assert (b"BLANC: Recall: (0.166" in printed.read_bytes()) == bool(options)
    same = ("--both-ways", "--tolerance", "0")
    baseline = f"blanc={printed}"
    assert checked(capfdbinary, baseline, *pair, *options, *same, status=0)["moved"] == []
    boundary: dict[str, Any] = {"boundary": "both"} if options else {}
    assert not check(pair[0], pair[1], baseline, tolerance=0, both_ways=True, **boundary).moved
    done = call(capfdbinary, "check", baseline, *pair, *(() if options else ("--boundary", "both")), *same)
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[not-a-baseline] the scores of blanc do not follow from its counts" in done.stderr


def test_a_run_without_links_has_the_boundary_of_its_mentions(tmp_path: Path, capfdbinary: Capture) -> None:
    """Two documents of one mention, of which the response has one: with --boundary both its mentions decide."""
    pair = tmp_path / "key.conll", tmp_path / "response.conll"
    for path, cells in zip(pair, ("((", "(-"), strict=True):
        words = ("(0)" if cell == "(" else "-" for cell in cells)
        text = (f"#begin document ({at}); part 000\nw\t{word}\n#end document\n" for at, word in enumerate(words))
        path.write_text("".join(text))
    printed = tmp_path / "printed"
    printed.write_bytes(call(capfdbinary, "blanc", *pair, "--boundary", "both").stdout)
    assert b"BLANC: Recall: (0.5 / 1) 50%\tPrecision: (1 / 1) 100%" in printed.read_bytes()
    options = ("--boundary", "both", "--both-ways", "--tolerance", 0)
    assert checked(capfdbinary, f"blanc={printed}", *pair, *options, status=0)["moved"] == []


@pytest.mark.parametrize("kind", ["official", "json", "documents", "result"])
def test_a_baseline_of_another_key_is_refused(kind: str, tmp_path: Path, capfdbinary: Capture) -> None:
    """The same documents, and one mention more in the key of the second: in the total, or only in its document."""
    other = tmp_path / "other.conll"
    documents = KEY.read_text().split("#begin document ")
    documents[2] = documents[2].replace("\t-\n", "\t(77)\n", 1)
    if kind == "documents":
        documents[1] = re.sub(r"\t\(\d+\)\n", "\t-\n", documents[1], count=1)
    other.write_text("#begin document ".join(documents))
    baseline = tmp_path / "baseline"
    layout = ("official",) if kind == "official" else ("json", *(["--documents"] if kind == "documents" else ()))
    assert call(capfdbinary, "conll", KEY, RESPONSE, "--format", *layout, "--output", baseline).status == 0
    if kind == "result":
        with pytest.raises(InputError, match=r"error\[other-key\]"):
            check(str(other), str(RESPONSE), score(str(KEY), str(RESPONSE), "conll"))
    done = call(capfdbinary, "check", baseline, other, RESPONSE)
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[other-key] the baseline was computed with another key: " in done.stderr
    assert checked(capfdbinary, baseline, KEY, RESPONSE, status=0)["moved"] == []


def test_the_json_of_an_earlier_run_is_a_baseline(tmp_path: Path, worse: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path)
    assert checked(capfdbinary, baseline, KEY, RESPONSE, status=0)["moved"] == []
    moved = checked(capfdbinary, baseline, KEY, worse, status=3)["moved"]
    assert {each["document"] for each in moved} == {None}
    conll = next(each for each in moved if each["measure"] == "conll")
    assert conll["verdict"] == "worse"
    assert conll["difference"] == conll["now"] - conll["before"] < 0


def test_a_baseline_of_one_kind_of_mentions_is_met(tmp_path: Path, capfdbinary: Capture) -> None:
    """Its totals also have the links of that kind, which are no measure of the metric."""
    key, response = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll"
    baseline = tmp_path / "baseline.json"
    call(capfdbinary, "lea", key, response, "--of", "size:2-", "--format", "json", "--output", baseline)
    assert call(capfdbinary, "check", baseline, key, response, "--of", "size:2-").status == 0
    worse = key.parent / "runs" / "birch.conll"
    assert call(capfdbinary, "check", baseline, key, worse, "--of", "size:2-").status == 3


def test_documents_of_the_baseline_are_listed(tmp_path: Path, worse: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path, "--documents")
    moved = checked(capfdbinary, baseline, KEY, worse, status=3)["moved"]
    assert {each["document"] for each in moved} == {None, "(bc/cctv/01/cctv_3085); part 001"}


def test_a_rise_passes_unless_both_ways_count(tmp_path: Path, worse: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path, response=worse)
    found = checked(capfdbinary, baseline, KEY, KEY, status=0)
    assert {each["verdict"] for each in found["moved"]} == {"better"}
    checked(capfdbinary, baseline, KEY, KEY, "--both-ways", status=3)


@pytest.fixture
def traded(tmp_path: Path, capfdbinary: Capture) -> tuple[Path, Path, Path]:
    """A baseline, a key and a response whose LEA recall fell and whose LEA F1 rose.

    The key is {0, 1, 2, 3}. Before: {0, 1, 2, 3, 4, 5, 6}, LEA R 100, P 6/21, F1 44.44; now: {0, 1, 2}, LEA R 3/6,
    P 100, F1 66.67.
    """

    def written(name: str, mentions: int) -> Path:
        lines = "".join(f"w\t{'(1)' if at < mentions else '-'}\n" for at in range(8))
        path = tmp_path / name
        path.write_text(f"#begin document (d); part 000\n{lines}#end document\n")
        return path

    key, before, now = written("key", 4), written("before", 7), written("now", 3)
    baseline = tmp_path / "baseline.json"
    call(capfdbinary, "lea,muc", key, before, "--format", "json", "--output", baseline)
    return baseline, key, now


def test_f1_decides_and_falls_of_recall_are_listed(traded: tuple[Path, ...], capfdbinary: Capture) -> None:
    found = checked(capfdbinary, *traded, status=0)
    lea = {each["score"]: each for each in found["moved"] if each["measure"] == "lea"}
    assert (lea["recall"]["before"], lea["recall"]["now"]) == (1, 0.5)
    assert (lea["recall"]["verdict"], lea["recall"]["fails"]) == ("worse", False)
    assert lea["f1"]["verdict"] == "better"
    assert lea["f1"]["now"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        pytest.param(["--measures", "lea.recall"], 3, id="a recall that decides"),
        pytest.param(["--measures", "muc,lea.recall"], 3, id="one of several"),
        pytest.param(["--measures", "LEA,muc.precision"], 0, id="others decide"),
        pytest.param(["--measures", "lea.recall", "--tolerance", "50"], 0, id="a tolerance for all"),
        pytest.param(["--measures", "lea.recall", "--tolerance", "lea.recall=50"], 0, id="one for this score"),
        pytest.param(["--measures", "lea.recall", "--tolerance", "49.9"], 3, id="a little less is too little"),
        pytest.param(["--measures", "lea.recall", "--tolerance", "lea.recall=49.9"], 3, id="one that is too small"),
        pytest.param(["--measures", "lea.recall", "--tolerance", "lea=50"], 3, id="one for another score"),
        pytest.param(
            ["--measures", "lea.recall", "--tolerance", "0", "--tolerance", "lea.recall=50"], 0, id="both kinds"
        ),
        pytest.param(["--both-ways"], 3, id="a reimplementation has to print the same"),
        pytest.param(["--both-ways", "--tolerance", "80"], 0, id="both ways within the tolerance"),
    ],
)
def test_measures_and_tolerances_are_chosen(
    options: list[str], status: int, traded: tuple[Path, ...], capfdbinary: Capture
) -> None:
    checked(capfdbinary, *traded, *options, status=status)


def test_the_check_says_what_decides(traded: tuple[Path, ...], capfdbinary: Capture) -> None:
    options = ("--measures", "lea", "--tolerance", "lea.recall=60")
    found = checked(capfdbinary, *traded, *options, status=0)
    assert (found["measures"], found["tolerances"]) == (["lea.f1"], {"lea.recall": 0.6})
    text = " ".join(call(capfdbinary, "check", *traded, *options).stdout.decode().split())
    assert "scores changed by more than 0.05 points or lea.recall by more than 60 points against " in text
    assert " the check fails if lea.f1 falls " in text


def of_version(baseline: Path, version: str) -> Path:
    """The same baseline as another version would have written it."""
    data = json.loads(baseline.read_text())
    data["signature"] = data["signature"].replace(data["version"], version)
    data["version"] = version
    baseline.write_text(json.dumps(data))
    return baseline


def test_a_baseline_of_another_version_is_compared_with_a_notice(tmp_path: Path, capfdbinary: Capture) -> None:
    newer = f"{__version__}.1"
    done = call(capfdbinary, "check", of_version(saved(capfdbinary, tmp_path), newer), KEY, RESPONSE)
    assert done.status == 0
    assert b"notice[other-version]" in done.stderr
    assert newer.encode() in done.stderr


def test_a_baseline_from_before_a_change_of_scores_is_refused(tmp_path: Path, capfdbinary: Capture) -> None:
    done = call(capfdbinary, "check", of_version(saved(capfdbinary, tmp_path), "0.0.9"), KEY, RESPONSE)
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[scores-changed]" in done.stderr


def test_an_option_that_a_baseline_does_not_know_had_its_default(tmp_path: Path, capfdbinary: Capture) -> None:
    baseline = of_version(saved(capfdbinary, tmp_path), f"{__version__}.1")
    data = json.loads(baseline.read_text())
    del data["options"]["singletons"]
    baseline.write_text(json.dumps(data))
    assert call(capfdbinary, "check", baseline, KEY, RESPONSE).status == 0
    done = call(capfdbinary, "check", baseline, KEY, RESPONSE, "--singletons", "drop")
    assert b"error[other-signature]" in done.stderr


def test_the_options_that_differ_from_those_of_a_baseline_are_named(tmp_path: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path)
    done = call(capfdbinary, "check", baseline, KEY, RESPONSE, "--mentions", "given", "--repeated", "first")
    assert b"made with repeated=official, mentions=default, but this run uses repeated=first, mentions=" in done.stderr


@pytest.mark.parametrize(
    ("one", "other", "changes"),
    [
        ("1.0", "1.0", []),
        ("1.0", "1.1.0", ["1.1"]),
        ("1.2", "1.0", ["1.1", "1.2"]),
        ("1.1", "1.9", ["1.2"]),
        ("1.10", "1.2", []),
        ("1.2.dev4+local", "1.9", []),
        ("no version", "1.1", ["1.1"]),
    ],
)
def test_changes_of_scores_between_two_versions(
    one: str, other: str, changes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores changed in 1.1 and 1.2."""
    monkeypatch.setattr("corefscore.checking.baselines.SCORES_CHANGED", ("1.1", "1.2"))
    assert changed_between(one, other) == changed_between(other, one) == changes


def test_the_changelog_names_the_versions_in_which_scores_changed() -> None:
    """What is not released yet is of this version, so that needs a new number as soon as a score changes."""
    sections = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    changed = [section.split()[0] for section in sections if "\n### Scores\n" in section]
    named = [__version__ if version == "Unreleased" else version for version in changed]
    assert sorted(named) == sorted(SCORES_CHANGED)


def test_a_document_that_falls_fails_only_where_both_ways_count(
    tmp_path: Path, worse: Path, capfdbinary: Capture
) -> None:
    """A response that is the key but for one document, which is worse than in the baseline: all totals rise."""
    baseline = saved(capfdbinary, tmp_path, "--documents")
    key, fallen = (path.read_text().split("#begin document ") for path in (KEY, worse))
    key[2] = fallen[2]
    mixed = tmp_path / "mixed.conll"
    mixed.write_text("#begin document ".join(key))
    found = checked(capfdbinary, baseline, KEY, mixed, status=0)
    assert {each["verdict"] for each in found["moved"] if each["document"] is None} == {"better"}
    assert "worse" in {each["verdict"] for each in found["moved"]}
    checked(capfdbinary, baseline, KEY, mixed, "--both-ways", status=3)


def test_within_the_tolerance_nothing_moved(tmp_path: Path, worse: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path)
    assert checked(capfdbinary, baseline, KEY, worse, "--tolerance", 50, status=0)["moved"] == []


def test_the_one_document_of_a_baseline_is_scored_again(tmp_path: Path, capfdbinary: Capture) -> None:
    path = tmp_path / "one.json"
    name = "(bc/cctv/00/cctv_0160); part 000"
    call(capfdbinary, "lea", KEY, RESPONSE, name, "--format", "json", "--output", path)
    found = checked(capfdbinary, path, KEY, RESPONSE, "--both-ways", "--tolerance", 0, status=0)
    assert found["options"]["document"] == name


@pytest.mark.parametrize(
    ("floors", "status"),
    [(["lea=45"], 0), (["lea.f1=45.7"], 3), (["lea.recall=50", "conll=59"], 0), (["muc=60", "conll=60"], 3)],
)
def test_floors_need_no_baseline(floors: list[str], status: int, capfdbinary: Capture) -> None:
    """LEA 50.14, 41.96, 45.69; MUC F1 60.6; the CoNLL average 59.39."""
    given = [word for floor in floors for word in ("--min", floor)]
    found = checked(capfdbinary, *given, KEY, RESPONSE, status=status)
    assert len(found["floors"]) == len(floors)
    assert found["moved"] == []


def test_floors_and_a_baseline_go_together(tmp_path: Path, capfdbinary: Capture) -> None:
    baseline = saved(capfdbinary, tmp_path)
    checked(capfdbinary, baseline, KEY, RESPONSE, "--min", "lea=45", status=0)
    checked(capfdbinary, baseline, KEY, RESPONSE, "--min", "lea=46", status=3)


def test_measures_are_read_in_any_letter_case(capfdbinary: Capture) -> None:
    assert checked(capfdbinary, "--min", "CoNLL.F1=59", KEY, RESPONSE, status=0)["floors"][0]["measure"] == "conll"


def test_annotations_for_a_workflow(worse: Path, capfdbinary: Capture) -> None:
    done = call(capfdbinary, "check", CASE / "all-none.txt", KEY, worse, "--format", "github")
    assert done.status == 3
    lines = done.stdout.decode().splitlines()
    assert all(line.startswith("::error title=corefscore check::") for line in lines)
    assert any("::muc F1 fell by " in line for line in lines)
    passed = call(capfdbinary, "check", CASE / "all-none.txt", KEY, RESPONSE, "--format", "github")
    assert passed.stdout.startswith(b"::notice title=corefscore check::no scores changed")


def test_the_table_tells_what_moved_and_the_verdict(worse: Path, capfdbinary: Capture) -> None:
    text = call(capfdbinary, "check", CASE / "all-none.txt", KEY, worse).stdout.decode()
    assert text.startswith("changed scores\n\nscope")
    assert "\nthe check has failed\n" in text
    assert text.endswith(
        "corefscore 0.1.0 | muc,bcub,ceafm,ceafe,blanc | repeated=official | singletons=keep | key=8be651\n"
    )


def test_odd_baselines_are_refused_without_a_traceback(tmp_path: Path, capfdbinary: Capture) -> None:
    path = tmp_path / "odd"
    good = json.loads(saved(capfdbinary, tmp_path).read_text())
    for odd in (
        {**good, "total": []},
        {**good, "total": {"muc": {"f1": "high"}}},
        {**good, "options": {}},
        {**good, "documents": {"d": 1}},
        {**good, "documents": []},
        {**good, "total": {**good["total"], "onll": good["total"]["conll"]}},
        {**good, "documents": {"d": {"lea": good["total"]["muc"]}}},
        {**good, "schema": None},
    ):
        path.write_text(json.dumps(odd))
        done = call(capfdbinary, "check", path, KEY, RESPONSE)
        assert (done.status, done.stdout) == (1, b""), odd
        assert b"error[not-a-baseline]" in done.stderr
    for text in (
        b"",
        b"\xff\xfe\x00",
        b"{" * 100_000,
        b"METRIC muc:\nRecall: (a / 1) 1%\tPrecision: (1 / 1) 1%\tF1: 1%\n",
    ):
        path.write_bytes(text)
        assert call(capfdbinary, "check", path, KEY, RESPONSE).status == 1


@pytest.mark.parametrize("module", ["gzip", "bz2", "lzma"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_compressed_baseline_is_refused(
    module: str, damage: str, tmp_path: Path, capfdbinary: Capture
) -> None:
    # Without the place of the checkout, by which a damaged file can also be one that unpacks to too much.
    text = saved(capfdbinary, tmp_path, "--documents").read_bytes().replace(bytes(CASE), b"")
    packed = bytearray(import_module(module).compress(text))
    path = tmp_path / "packed"
    for at in (len(packed) // 2, len(packed) - 5):
        damaged = packed[:at] if damage == "cut" else packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :]
        path.write_bytes(damaged)
        done = call(capfdbinary, "check", path, KEY, RESPONSE)
        assert (done.status, done.stdout) == (2, b"")
        assert f"corefscore: {path}: this file cannot be ".encode() in done.stderr


@pytest.mark.parametrize("field", ["schema", "document", "metrics", "documents"])
def test_half_a_surrogate_pair_in_a_baseline_is_told(field: str, tmp_path: Path, capfdbinary: Capture) -> None:
    data = json.loads(saved(capfdbinary, tmp_path, "--documents").read_text())
    if field == "document":
        data["options"]["document"] = "\ud800"
    elif field == "metrics":
        data["options"]["metrics"] = ["\ud800"]
    elif field == "documents":
        data["documents"]["\ud800"] = data["total"]
    else:
        data[field] = "\ud800"
    path = tmp_path / "odd"
    path.write_text(json.dumps(data))
    done = call(capfdbinary, "check", path, KEY, RESPONSE)
    assert b"\\ud800" in done.stdout + done.stderr


@pytest.mark.parametrize("odd", ["\x85", "\f", "\v", "\x1c", "\u2028", "\r"])
def test_names_with_line_ends_of_other_kinds_are_met(odd: str, tmp_path: Path, capfdbinary: Capture) -> None:
    """Only LF ends a line of the official scorer."""
    for path in (KEY, RESPONSE):
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"cctv_3085", f"cctv{odd}3085".encode()))
    printed = (CASE / "muc.txt").read_text().replace("cctv_3085", f"cctv{odd}3085")
    (tmp_path / "baseline").write_bytes(printed.encode())
    pair = tmp_path / KEY.name, tmp_path / RESPONSE.name
    options = ("--both-ways", "--tolerance", 0)
    assert checked(capfdbinary, f"muc={tmp_path / 'baseline'}", *pair, *options, status=0)["moved"] == []


def test_metrics_of_other_packages_are_checked_as_well(tmp_path: Path) -> None:
    plugin = [ROOT / "tests" / "plugin"]
    baseline = tmp_path / "baseline.json"
    key, response = (RECORDED / "documents-0051" / name for name in ("key.conll", "response.conll"))
    command("whole", key, response, "--format", "json", "--output", baseline, path=plugin)
    done = command("check", baseline, key, response, "--min", "whole=0", path=plugin)
    assert (done.status, done.stderr) == (0, b"")


def test_the_shared_data_is_there() -> None:
    assert len(SCORED) > 100
    assert (TESTDATA / "systems" / "key.conll").exists()


def test_a_line_that_is_missing_shifts_no_other(tmp_path: Path) -> None:
    """Three lines count the mentions of a document; without one nothing is known of it, and of no other less."""
    text = (CASE / "muc.txt").read_text()
    whole = read_baseline(f"muc={CASE / 'muc.txt'}")
    first, *others = whole.documents
    line = next(line for line in text.splitlines(keepends=True) if line.startswith("Strictly correct"))
    (tmp_path / "cut").write_text(text.replace(line, "", 1))
    cut = read_baseline(f"muc={tmp_path / 'cut'}")
    assert "mentions" not in cut.documents[first]
    assert others
    assert all(cut.documents[name] == whole.documents[name] for name in others)


RIGHT, WRONG, HALF = ("(0)", "(0)", "(1)", "(1)"), ("(0)", "(1)", "(0)", "(1)"), ("(0)", "(0)", "(1)", "(2)")
"""Four words; against the first, LEA is 1, 0 and 0.5."""


@pytest.fixture
def data_sets(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A baseline, a key and a response of two files: LEA rises from 0 to 1 on the 9 documents of a.conll, and falls
    from 1 to 0.5 on the one of b.conll: from 0.5 to 0.75 in their mean, and from 0.1 to 0.95 in the total."""
    for side, of_a, of_b in (("key", RIGHT, RIGHT), ("before", WRONG, RIGHT), ("now", RIGHT, HALF)):
        (tmp_path / side).mkdir()
        for name, documents, cells in (("a", 9, of_a), ("b", 1, of_b)):
            words = "".join(f"w\t{cell}\n" for cell in cells)
            each = (f"#begin document ({name}{at}); part 000\n{words}#end document\n" for at in range(documents))
            (tmp_path / side / f"{name}.conll").write_text("".join(each))
    baseline, key = tmp_path / "baseline.json", tmp_path / "key"
    within("lea", key, tmp_path / "before", "--by", "file", "--format", "json", "--output", baseline)
    return baseline, key, tmp_path / "now"


def test_a_fall_on_one_data_set_fails_though_the_total_rises(data_sets: tuple[Path, ...], capfdbinary: Capture) -> None:
    checked(capfdbinary, *data_sets, status=0)
    found = checked(capfdbinary, *data_sets, "--by", "file", status=3)
    lea = {
        (its["kind"], its["scope"]): its for its in found["moved"] if (its["measure"], its["score"]) == ("lea", "f1")
    }
    moves = {scope: (its["before"], its["now"], its["fails"]) for scope, its in lea.items()}
    assert moves == {
        ("total", "total"): (pytest.approx(0.1), pytest.approx(0.95), False),
        ("mean of groups", "mean of groups"): (0.5, 0.75, False),
        ("group", "a.conll"): (0, 1, False),
        ("group", "b.conll"): (1, 0.5, True),
    }
    assert found["by"] == "file"


@pytest.mark.parametrize(
    ("options", "status"),
    [
        pytest.param(["--measures", "muc"], 3, id="MUC falls, too"),
        pytest.param(["--measures", "muc.precision"], 0, id="and its precision does not"),
        pytest.param(["--measures", "lea", "--tolerance", "49.9"], 3, id="a little too much"),
        pytest.param(["--measures", "lea", "--tolerance", "50"], 0, id="within the tolerance"),
        pytest.param(["--tolerance", "lea=50"], 3, id="within that of one measure"),
        pytest.param(["--both-ways", "--tolerance", "70"], 3, id="a rise fails, too"),
        pytest.param(["--min", "lea=75", "--tolerance", "60"], 0, id="a floor that the mean meets"),
        pytest.param(["--min", "lea=75.1", "--tolerance", "60"], 3, id="a floor between the mean and the total"),
    ],
)
def test_what_decides_on_data_sets(
    options: list[str], status: int, data_sets: tuple[Path, ...], capfdbinary: Capture
) -> None:
    baseline, key, now = data_sets
    before = (key, key.with_name("before"), "--by", "file", "--format", "json", "--output", baseline)
    assert call(capfdbinary, "lea,muc", *before).status == 0
    checked(capfdbinary, baseline, key, now, "--by", "file", *options, status=status)


@pytest.mark.parametrize("layout", ["table", "csv", "tsv", "markdown", "latex", "github"])
def test_every_layout_names_the_data_set(layout: str, data_sets: tuple[Path, ...], capfdbinary: Capture) -> None:
    done = call(capfdbinary, "check", *data_sets, "--by", "file", "--format", layout)
    assert (done.status, done.stderr) == (3, b"")
    (line,) = (line for line in done.stdout.splitlines() if b"b.conll" in line and b"lea" in line and b"F1" in line)
    assert b"50.0" in line


def test_a_table_says_that_groups_decide_and_that_they_could(data_sets: tuple[Path, ...], capfdbinary: Capture) -> None:
    def said(*options: str) -> str:
        return " ".join(call(capfdbinary, "check", *data_sets, *options).stdout.decode().split())

    assert "an F1 falls by more than that in a group by file, or in the mean of groups (--measures" in said(
        "--by", "file"
    )
    assert "the baseline also has groups; --by file checks each of them" in said()
    low = call(capfdbinary, "check", *data_sets[1:], "--by", "file", "--min", "lea=80", "--format", "github")
    assert b"lea F1 is 75.00 in the mean of groups, below the minimum of 80.00" in low.stdout


@pytest.mark.parametrize(
    ("made_by", "by", "what"),
    [
        ([], "file", b"has no groups, and this run asks for --by file"),
        (["--by", "[ab]"], "file", b"has groups by '[ab]', and this run asks for --by file"),
        (
            ["--by", "file"],
            "file",
            b'has other groups: 2 in only one of the two; the first is "a.conll", which the key lacks',
        ),
    ],
)
def test_a_baseline_without_these_groups_is_refused(
    made_by: list[str], by: str, what: bytes, data_sets: tuple[Path, ...], capfdbinary: Capture
) -> None:
    baseline, key, now = data_sets
    before = key.with_name("before")
    call(capfdbinary, "lea", key, before, *made_by, "--format", "json", "--output", baseline)
    if made_by == ["--by", by]:
        for side in (key, now):
            (side / "a.conll").rename(side / "c.conll")
    done = call(capfdbinary, "check", baseline, key, now, "--by", by)
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[other-groups] the baseline " + what in done.stderr
    assert b"corefscore METRIC KEY RESPONSE --by file --format json" in done.stderr


def test_what_the_official_scorer_printed_has_no_groups(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "check", CASE / "all-none.txt", KEY, RESPONSE, "--by", "cctv")
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[other-groups] the baseline has no groups" in done.stderr


@pytest.mark.parametrize("lost", ["mean", "lea", "f1"])
def test_groups_that_could_not_fail_are_refused(lost: str, data_sets: tuple[Path, ...], capfdbinary: Capture) -> None:
    baseline, *pair = data_sets
    data = json.loads(baseline.read_text())
    del {"mean": data, "lea": data["groups"]["b.conll"], "f1": data["groups"]["b.conll"]["lea"]}[lost][lost]
    baseline.write_text(json.dumps(data))
    done = call(capfdbinary, "check", baseline, *pair, "--by", "file")
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[not-a-baseline] a group, or the mean of groups, has no scores of" in done.stderr


def test_from_python_a_result_is_a_baseline_of_groups(data_sets: tuple[Path, ...]) -> None:
    baseline, key, now = map(str, data_sets)
    before = score(key, str(data_sets[1].with_name("before")), metrics="lea")
    for given in (before, baseline, json.loads(data_sets[0].read_text())):
        found = check(key, now, given, measures="lea", by="file")
        failing = [change for change in found.moved if found.fails(change)]
        assert [(change.scope, change.kind, change.difference) for change in failing] == [("b.conll", "group", -0.5)]
        assert found.failures == failing
        assert check(key, now, given, measures="lea").passed
    with pytest.raises(InputError, match="has no groups"):
        check(key, now, before.to_dict(), by="file")
    with pytest.raises(UsageError, match="not a regular expression"):
        check(key, now, before, by="(")
    with pytest.raises(UsageError, match="leave one of them out"):
        check(key, now, before, by="file", average="documents")


def test_heads_of_spans_are_refused(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "check", "--min", "lea=5", KEY, RESPONSE, "--heads", "last")
    assert (done.status, done.stdout) == (2, b"")
    assert b"--heads changes scores of CorefUD only" in done.stderr


@pytest.mark.parametrize(
    ("tolerance", "message"),
    [
        (1, r"tolerance=1 would be 100 %; for 1 % write tolerance=0\.01"),  # --tolerance 1 is a point
        (None, "tolerance=None: expected a number between 0 and 1"),
        ("", "tolerance='': expected a number between 0 and 1"),
    ],
)
def test_a_tolerance_that_is_none_is_refused(tolerance: Any, message: str) -> None:
    entities = [["a", "b"]]
    with pytest.raises(UsageError, match=message):
        check(entities, entities, score(entities, entities, "muc"), tolerance=tolerance)


def test_a_minimum_that_can_fail_the_check_is_said() -> None:
    entities = [["a", "b"]]
    before = score(entities, entities, "muc")
    for minimum in ({}, {"muc": 0.5}):
        (note,) = [note for note in check(entities, entities, before, minimum=minimum).notes if "fails if" in note]
        assert note.endswith("or if a score is below its minimum") == bool(minimum)


@pytest.mark.parametrize(
    ("entities", "options"),
    [
        (([["a"], ["ab"]], [["ab"], ["a"]]), ("--of", "size:1")),  # what each side lacks adds up to the same
        (([["ab", "a"]], [["ab", "a"]]), ()),  # a copy counts as invented
    ],
)
def test_official_output_is_that_of_the_same_run(
    entities: tuple[list[list[str]], list[list[str]]],
    options: tuple[str, ...],
    tmp_path: Path,
    capfdbinary: Capture,
) -> None:
    """Each entity is written as the tokens of its mentions."""
    pair = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    for path, documents in zip(pair, entities, strict=True):
        rows = [[[[ord(of) - 97] * 2 for of in its] for its in document] for document in documents]
        lines = [json.dumps({"doc_key": str(number), "clusters": row}) for number, row in enumerate(rows)]
        path.write_text("\n".join(lines))
    printed = tmp_path / "printed"
    printed.write_bytes(call(capfdbinary, "bcub", *pair, *options).stdout)
    same = ("--both-ways", "--tolerance", "0")
    assert checked(capfdbinary, f"bcub={printed}", *pair, *options, *same, status=0)["moved"] == []
