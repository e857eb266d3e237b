"""`corefscore rank`: the grouping rule, groups of documents, systems that cannot be scored, the drawing."""

from __future__ import annotations

import csv
import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.metrics import find
from corefscore.reports.base import Interval
from corefscore.reports.rank import Ranking, drawn, rank
from corefscore.reports.systems import Systems
from corefscore.scoring.results import Result
from corefscore.scoring.settings import Settings
from corefscore.statistics.significance import Method
from support import TESTDATA, call

KEY = TESTDATA / "systems" / "key.conll"
RUNS = TESTDATA / "systems" / "runs"
UNCLOSED = TESTDATA / "bad" / "unclosed"

Capture = pytest.CaptureFixture[bytes]


def ranking(
    hits: dict[str, list[int]],
    by: str | None = None,
    correction: str = "largest",
    trials: int = 10_000,
    baseline: str | None = None,
) -> Ranking:
    """Systems that have so many of ten links right in each document, ranked by MUC."""
    results = {}
    for name, its in hits.items():
        array = np.array([[[hit, 10, hit, 10]] for hit in its], dtype=np.float64)
        names = [f"{'ab'[at % 2]}{at}" for at in range(len(its))]
        results[name] = Result([find("muc")], names, {"muc": array}, Settings(("muc",)))
    method = Method(correction=correction, by=by, trials=trials, baseline=baseline)
    return rank(Systems(results), ["muc"], ("muc", "f1"), method)


def ranked(capture: Capture, *arguments: Any, status: int = 0) -> dict[str, Any]:
    done = call(capture, "rank", *arguments, "--format", "json")
    assert done.status == status, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_ranks_range_over_the_systems_that_were_not_told_apart() -> None:
    """B and C do the same, now better, now worse; A is better and D worse than both everywhere."""
    b, c = [6, 4] * 6, [4, 5] * 6
    found = ranking({"d": [1] * 12, "c": c, "b": b, "a": [9] * 12})
    assert [found.names[system] for system in found.order] == ["a", "b", "c", "d"]
    assert [found.rank(system) for system in found.order] == ["1", "2-3", "2-3", "4"]
    assert repr(found) == "<Ranking by muc.f1: 1 a, 2-3 b, 2-3 c, 4 d>"


def test_ranges_overlap_if_a_difference_was_not_shown_in_between() -> None:
    """C is better than D in every document; B varies, and was not shown to differ from either."""
    found = ranking({"a": [10] * 12, "b": [9, 3] * 6, "c": [5] * 12, "d": [4] * 12, "e": [0] * 12})
    assert [found.rank(system) for system in found.order] == ["1", "2-4", "2-3", "3-4", "5"]


@pytest.mark.parametrize(
    "options", [(), ("--unit", "part"), ("--by", r"^\((\w\w)/"), ("--average", "documents")], ids=str
)
def test_order_and_names_of_systems_and_another_one_change_no_digit(
    options: tuple[str, ...], tmp_path: Path, capfdbinary: Capture
) -> None:
    """Scores, intervals, and the p-value, not corrected, of each pair."""
    runs = {path.stem: path for path in sorted(RUNS.iterdir())}
    asked = ("--measures", "all,lea", "--trials", "200", "--correction", "none", *options)

    def drawn(systems: dict[str, Path], names: dict[str, str]) -> tuple[dict[str, Any], dict[Any, float]]:
        found = ranked(capfdbinary, KEY, *(f"{name}={path}" for name, path in systems.items()), *asked)
        known = {names.get(row["system"], row["system"]): row for row in found["ranking"]}
        pairs = {
            tuple(names.get(test[side], test[side]) for side in ("system", "against")): test["p"]
            for test in found["pairs"]
        }
        return {name: (row["low"], row["high"], row["scores"]) for name, row in known.items()}, pairs

    numbers, pairs = drawn(runs, {})
    assert drawn(dict(reversed(runs.items())), {}) == (numbers, pairs)
    copies = {f"{at}": tmp_path / f"{at}.conll" for at in range(len(runs))}
    for path, copy in zip(runs.values(), reversed(copies.values()), strict=True):
        copy.write_bytes(path.read_bytes())
    assert drawn(copies, dict(zip(reversed(copies), runs, strict=True))) == (numbers, pairs)
    (tmp_path / "more.conll").write_text(runs["ash"].read_text().replace("(1)", "-"))
    more, of_pairs = drawn({"more": tmp_path / "more.conll", **runs}, {})
    assert {name: more[name] for name in runs} == numbers
    assert {pair: of_pairs[pair] for pair in pairs.keys() & of_pairs.keys()}.items() <= pairs.items()
    fewer, _ = drawn({name: runs[name] for name in ("cedar", "ash")}, {})
    assert fewer == {name: numbers[name] for name in fewer}


def skilled(systems: int, units: int, seed: int) -> dict[str, list[int]]:
    """Systems whose skill falls from the first to the last."""
    numbers = np.random.default_rng(seed)
    skill = np.clip(numbers.beta(6, 3, units) - np.linspace(0, 0.4, systems)[:, None], 0.02, 1)
    return {f"s{number}": hits for number, hits in enumerate(numbers.binomial(10, skill).tolist())}


@pytest.mark.parametrize("correction", ["largest", "holm", "none"])
def test_ranges_that_do_not_overlap_are_shown_differences(correction: str) -> None:
    """In 10 random corpora: if the range of one system ends before that of another begins, JSON has the pair as shown,
    or a chain of shown pairs; and every shown pair has ranges in its order."""
    for seed in range(10):
        found = ranking(skilled(8, 6 + 2 * seed, seed), correction=correction, trials=1000)
        better = found.found.better(0, 2)
        for (i, one), (j, other) in itertools.permutations(enumerate(found.ranges), 2):
            if one[1] < other[0]:
                assert better[i, j]
            if better[i, j]:
                assert one[0] < other[0] and one[1] < other[1]
        data = found.to_dict()
        shown = {(pair["system"], pair["against"]) for pair in data["pairs"] if pair["differ"]}
        if correction != "none":
            assert len(shown) == better.sum()


def test_order_names_and_copies_change_no_verdict() -> None:
    """Of systems in another order and under other names, and of the last one four times more."""
    for seed in range(10):
        hits = skilled(6, 12, seed)
        one = ranking(hits, trials=500)
        reverse = ranking({f"x{name}": hits[name] for name in sorted(hits, reverse=True)}, trials=500)
        assert one.ranges == reverse.ranges[::-1]
        last = one.names[one.order[-1]]
        more = ranking({**hits, **{f"{last}-{copy}": hits[last] for copy in range(4)}}, trials=500)
        for before, after in zip(one.ranges, more.ranges, strict=False):
            assert before[0] == after[0]
        better = one.found.better(0, 2)[:, one.order[-1]]
        expected = [worst if shown else worst + 4 for (_, worst), shown in zip(one.ranges, better, strict=True)]
        assert [worst for _, worst in more.ranges[:6]] == expected


def test_a_baseline_needs_fewer_tests() -> None:
    found = ranking({"a": [9] * 7, "b": [6, 4, 5, 6, 4, 5, 5], "c": [5] * 7, "d": [1] * 7}, baseline="c")
    assert found.found.family == 3
    assert [found.rank(system) for system in found.order] == ["1-2", "1-4", "2-3", "3-4"]
    rows = {row[3]: row[-3:-1] for row in found.tables[0].rows}
    assert rows["c"] == [None, None]
    assert (rows["a"][1], rows["b"][1], rows["d"][1]) == ("differ", "no verdict", "differ")
    assert any(line.startswith("p, verdict: the test against c, corrected") for line in found.legend)
    pair = ranking({"a": [9] * 7, "c": [5] * 7}, baseline="c")
    assert "p, verdict: the test against c" in pair.legend, "one test needs no correction"


@pytest.mark.parametrize(
    ("measures", "sorted_by"), [("lea", "lea.f1"), ("muc.recall,lea", "muc.recall"), ("lea,conll", "conll.f1")]
)
def test_the_first_measure_ranks_unless_the_average_is_among_them(
    measures: str, sorted_by: str, capfdbinary: Capture
) -> None:
    found = ranked(capfdbinary, KEY, "--systems", RUNS, "--measures", measures)
    assert found["options"]["sort"] == sorted_by
    assert ("conll" in found["ranking"][0]["scores"]) == ("conll" in measures)


def test_equal_systems_share_a_range_in_the_order_of_their_names() -> None:
    found = ranking({"z": [5] * 12, "y": [5] * 12})
    assert ([found.names[system] for system in found.order], found.ranges) == (["y", "z"], [(1, 2), (1, 2)])


def test_one_system_is_ranked_too() -> None:
    assert ranking({"a": [5] * 12}).ranges == [(1, 1)]


def test_one_document_cannot_tell_systems_apart() -> None:
    found = ranking({"a": [10], "b": [0]})
    assert found.ranges == [(1, 2), (1, 2)]
    assert "no intervals, and no test can show a difference, since there is only one unit; see --unit" in found.notes
    assert not any(note.startswith("only 1 unit") for note in found.notes)
    assert found.interval_of(0, 0, 2) is None


def test_pairs_that_could_not_be_told_apart_are_named() -> None:
    """A and B differ in two documents, so that p is 1/2 at the least; C differs from both in all."""
    found = ranking({"a": [9] * 12, "b": [9] * 10 + [5] * 2, "c": [1] * 12})
    assert found.undecided == [("a", "b")]
    assert "no verdict on 1 of 3 pairs, since p cannot reach 0.05: a and b" in found.notes
    assert found.to_dict()["undecided"] == [["a", "b"]]
    assert ranking({"a": [9] * 12, "c": [1] * 12}).undecided == []


def test_systems_of_a_large_task_are_told_apart() -> None:
    """528 pairs in 10,000 trials: the largest difference needs no more, and Holm's method twice as many."""
    hits = {f"s{number:02}": [10 if number == 0 else number % 3] * 20 for number in range(33)}
    found = ranking(hits)
    assert found.rank(0) == "1"
    holm = ranking(hits, correction="holm")
    assert holm.rank(0) == "1-33"
    assert any(note.endswith("use --trials 10559") for note in holm.notes)


def test_too_few_trials_say_how_many_it_takes() -> None:
    results = {name: [number] * 20 for number, name in enumerate("abcdefgh")}
    found = ranking(results, trials=10)
    assert len(found.undecided) == 28
    assert any(note.endswith("use --trials 19") for note in found.notes)
    assert any(note.startswith("no verdict on 28 of 28 pairs") and "and 18 more" in note for note in found.notes)


def test_the_mean_over_groups_ranks_where_asked() -> None:
    """Group a has 1 document, group b 11: the mean weighs both the same."""
    hits = {"x": [10, *[2] * 11], "y": [0, *[3] * 11]}
    plain, mean = ranking(hits), ranking(hits, by="^(a0|)")
    assert [plain.names[system] for system in plain.order] == ["y", "x"]
    assert [mean.names[system] for system in mean.order] == ["x", "y"]
    assert mean.table.observed[0, 0, 2] == pytest.approx((1 + 0.2) / 2)


def test_a_folder_of_systems_is_the_list_of_its_entries(capfdbinary: Capture) -> None:
    found = ranked(capfdbinary, KEY, "--systems", RUNS)
    listed = ranked(capfdbinary, KEY, *sorted(RUNS.iterdir(), reverse=True))
    assert found == listed
    assert [(row["best"], row["worst"]) for row in found["ranking"]] == [(1, 2), (1, 2), (3, 4), (3, 4)]
    assert [row["system"] for row in found["ranking"]] == [
        f"{name}.conll" for name in ("ash", "birch", "cedar", "dogwood")
    ]


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_what_is_plainly_no_system_in_the_folder_is_skipped_with_a_notice(
    command: str, tmp_path: Path, capfdbinary: Capture
) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(RUNS, folder)
    shutil.copy(KEY, folder / "key.conll")
    (folder / "README.md").write_text("ash is the best\n")
    (folder / "LICENSE").write_text("MIT\n")
    (folder / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    how = ("--measures", "conll", "--trials", "100", "--format", "json")
    done = call(capfdbinary, command, folder / "key.conll", "--systems", folder, *how)
    assert done.status == 0
    found = json.loads(done.stdout)
    systems = [row["system"] for row in found["ranking"]] if command == "rank" else list(found["systems"])
    assert sorted(systems) == ["ash.conll", "birch.conll", "cedar.conll", "dogwood.conll"]
    told = [line.split(": ", 2) for line in done.stderr.decode().splitlines() if "notice[not-a-system]" in line]
    expected = [
        (".DS_Store", "its name begins with a dot"),
        ("LICENSE", "files named README, LICENSE and the like are not systems"),
        ("README.md", "files named README, LICENSE and the like are not systems"),
        ("key.conll", "it is the key"),
    ]
    assert [(Path(path).name, what) for path, _, what in told] == expected
    assert [(Path(notice["file"]).name, notice["system"], notice["code"]) for notice in found["notices"]] == [
        (name, None, "not-a-system") for name, _ in expected
    ]
    assert all(what in notice["text"] for notice, (_, what) in zip(found["notices"], expected, strict=True))


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_the_key_among_the_systems_is_told(command: str, tmp_path: Path, capfdbinary: Capture) -> None:
    """As the pattern of a shell finds it; a file of both sides is a system, too."""
    how = ("--measures", "lea", "--trials", "100")
    done = call(capfdbinary, command, KEY, *sorted(KEY.parent.glob("*.conll")), *sorted(RUNS.glob("*.conll")), *how)
    assert done.status == 0 and done.stderr.count(b"notice[key-as-system] this system is the key") == 1
    assert str(KEY).encode() in done.stderr
    named = call(capfdbinary, command, KEY, f"key={KEY}", *sorted(RUNS.glob("*.conll")), *how)
    assert named.status == 0 and not named.stderr, "who gives it a name means it"
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "copy.conll").write_bytes(KEY.read_bytes())
    copied = call(capfdbinary, command, KEY, "--systems", tmp_path / "systems", *sorted(RUNS.glob("*.conll")), *how)
    assert copied.status == 0 and copied.stderr.count(b"copy.conll: notice[key-as-system]") == 1, copied.stderr
    both = tmp_path / "both.jsonl"
    fields = {"clusters": [[[0, 0], [2, 2]]], "predicted_clusters": [[[0, 0], [1, 1]]]}
    both.write_text("".join(json.dumps({"doc_key": name, **fields}) + "\n" for name in "abc"))
    done = call(capfdbinary, command, both, both, *how)
    assert done.status == 0 and b"key-as-system" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("ash.conll key.conll", True),
        ("out/dev.conll gold/dev.conll", True),
        ("dev.system dev.GOLD-3.conll", True),
        ("key.conll gold.conll", False),
        ("key.conll ash.conll", False),
        ("dev.conll monkey.conll", False),
        ("dev.conll golden.conll", False),
        ("dev.conll dev.gold_mentions.conll", False),
        ("dev.conll dev.v4_gold_conll.x", False),
        ("dev.conll gold.pred.conll", False),
        ("train.gold.conll annotator2.gold.conll", False),
        ("data/routes/run.conll data/routes/gold.conll", True),
        ("out/spanish.conll gold/spanish.conll", True),
        ("dev.conll key/md/a.conll", True),
        ("dev.conll gold-boundaries/dev.conll", False),
    ],
)
def test_a_key_in_place_of_a_response_is_told(
    names: str, told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture
) -> None:
    """Whoever gives a system a name means it."""
    monkeypatch.chdir(tmp_path)
    key, response = names.split()
    for path in (Path(key), Path(response)):
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(KEY.read_bytes() + b"\n" * (path == Path(key)))
    notice = f"notice[perhaps-exchanged] by its path this response is a key, and KEY, {key}, is not".encode()
    for words in (("lea",), ("errors",), ("rank", "--measures", "lea"), ("compare", "--trials", "10")):
        systems = [response] if len(words) == 1 else [response, f"other={response}"]
        done = call(capfdbinary, words[0], key, *systems, *words[1:])
        assert done.status == 0 and (notice in done.stderr) == told, (words, done.stderr)
        assert done.stderr.count(b"perhaps-exchanged") == told


UNREADABLE: dict[str, bytes | dict[str, bytes] | None] = {
    "answers": {"a.md": b"no mention here\n", "b.md": b"nor here\n"},
    "config.json": b'{"lr": 0.1, "batch": 32}\n',
    "list.json": b"[1, 2, 3]\n",
    "logs": {"train.log": b"epoch 1\n"},
    "metrics.jsonl": b'{"epoch": 1, "loss": 2.5}\n',
    "notes.conll": b"ash is the best\n",
    "packed.zip": b"PK\3\4\x14\0\0\0\0\0" + b"\0" * 40,
    "twice": {"1.conll": (RUNS / "ash.conll").read_bytes(), "2.conll": (RUNS / "ash.conll").read_bytes()},
    "wide.conll": (RUNS / "ash.conll").read_text().encode("utf-16"),
    "gone.conll": None,
}
"""Entries of a folder of systems that cannot be scored: what each contains; none for a link to nothing."""


@pytest.mark.parametrize("layout", ["table", "markdown", "latex", "csv", "tsv", "json"])
def test_every_entry_that_cannot_be_read_has_a_row_with_its_reason(
    layout: str, tmp_path: Path, capfdbinary: Capture
) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(RUNS, folder)
    for name, content in UNREADABLE.items():
        if content is None:
            (folder / name).symlink_to(folder / "nothing")
            continue
        if isinstance(content, dict):
            (folder / name).mkdir()
        for path, text in (content if isinstance(content, dict) else {"": content}).items():
            (folder / name / path).write_bytes(text)
    how = ("--measures", "conll", "--trials", "100", "--format", layout)
    done = call(capfdbinary, "rank", KEY, "--systems", folder, *how)
    assert done.status == 1, done.stderr
    told = dict(
        line.split(" is not ranked: ") for line in done.stderr.decode().splitlines() if " is not ranked" in line
    )
    assert sorted(told) == sorted(f"corefscore: {name}" for name in UNREADABLE)
    if layout == "json":
        found = json.loads(done.stdout)
        assert found["unscored"] == {name: told[f"corefscore: {name}"] for name in UNREADABLE}
        assert len(found["ranking"]) == 4
        return
    lines = done.stdout.decode().translate({ord("\\"): None}).splitlines()
    for name in UNREADABLE:
        reason = told[f"corefscore: {name}"]
        if layout in ("csv", "tsv"):
            (row,) = (row for row in csv.reader(lines, delimiter="," if layout == "csv" else "\t") if name in row)
            assert reason in row
        else:
            separators = {"table": " ", "markdown": "|", "latex": "&"}
            (row,) = (
                [cell.strip() for cell in line.split(separators[layout])] for line in lines if _begins(line, name)
            )
            assert name in row
            assert re.sub(r"\s", "", f"{name} is not ranked: {reason}") in re.sub(r"\s|% ", "", "".join(lines))


def _begins(line: str, name: str) -> bool:
    """Whether a line is the row of a system without a rank."""
    return re.match(rf"[\s|&]*{re.escape(name)}[\s|&]*$", line) is not None


def test_a_system_that_cannot_be_scored_ends_a_comparison(tmp_path: Path, capfdbinary: Capture) -> None:
    shutil.copytree(RUNS, tmp_path / "runs")
    (tmp_path / "runs" / "notes.conll").write_text("ash is the best\n")
    done = call(capfdbinary, "compare", KEY, "--systems", tmp_path / "runs")
    assert (done.status, done.stdout) == (1, b"")
    assert b"notes.conll:1: error[no-document]" in done.stderr


@pytest.mark.parametrize(
    ("content", "how"),
    [
        ('{"doc_key": "a", "cluster": [[[0, 1]]]}\n', ()),
        ('{\n  "doc_key": "a",\n  "clusters": []\n}\n', ()),
        ('{"predicted": [[[0, 1]]]', ("--columns", "response.clusters=predicted")),
    ],
)
def test_faulty_json_of_documents_is_a_system_that_failed(
    content: str, how: tuple[str, ...], tmp_path: Path, capfdbinary: Capture
) -> None:
    systems, ash = tmp_path / "systems", tmp_path / "systems" / "ash.jsonl"
    systems.mkdir()
    assert call(capfdbinary, "convert", RUNS / "ash.conll", ash).status == 0
    if how:
        ash.write_text(ash.read_text().replace('"clusters"', '"predicted"'))
    (systems / "birch.jsonl").write_text(content)
    found = ranked(capfdbinary, KEY, "--systems", systems, "--measures", "lea", "--sort", "lea", *how, status=1)
    assert list(found["unscored"]) == ["birch.jsonl"]


def test_an_empty_output_is_a_system_that_failed(tmp_path: Path, capfdbinary: Capture) -> None:
    shutil.copy(RUNS / "ash.conll", tmp_path)
    (tmp_path / "birch.conll").write_text("")
    found = ranked(capfdbinary, KEY, "--systems", tmp_path, "--measures", "lea", "--sort", "lea", status=1)
    assert list(found["unscored"]) == ["birch.conll"]


@pytest.mark.parametrize("command", ["rank", "compare"])
def test_a_folder_of_systems_given_as_one_is_told_of(command: str, capfdbinary: Capture) -> None:
    for system in (RUNS, f"runs={RUNS}"):
        done = call(capfdbinary, command, KEY, system)
        assert (done.status, done.stdout) == (2, b"")
        assert b"is a system: corefscore" in done.stderr and f" --systems {RUNS}\n".encode() in done.stderr
    nothing = call(capfdbinary, command, KEY)
    assert (nothing.status, nothing.stderr) == (
        2,
        f"corefscore: {command} needs systems: SYSTEM ..., or --systems FOLDER\n".encode(),
    )


def test_tests_are_those_of_compare(capfdbinary: Capture) -> None:
    """The same p of each pair, corrected for the same family."""
    found = ranked(capfdbinary, KEY, "--systems", RUNS)
    compared = json.loads(call(capfdbinary, "compare", KEY, "--systems", RUNS, "--format", "json").stdout)
    of_compare = {(x["system"], x["against"]): x["measures"]["conll"]["f1"] for x in compared["pairs"]}
    of_rank = {(x["system"], x["against"]): x for x in found["pairs"]}
    assert {frozenset(pair) for pair in of_compare} == {frozenset(pair) for pair in of_rank}
    for pair, test in of_rank.items():
        same = of_compare.get(pair) or of_compare[pair[::-1]]
        assert [test[name] for name in ("p", "p_corrected", "differ")] == [
            same[name] for name in ("p", "p_corrected", "differ")
        ]
        assert test["difference"] == abs(same["difference"])


def test_groups_of_documents_have_a_line_each(capfdbinary: Capture) -> None:
    by = ("--by", r"^\((\w\w)", "--sort", "lea.precision", "--measures", "lea")
    found = ranked(capfdbinary, KEY, "--systems", RUNS, *by)
    groups = corefscore.score(KEY, RUNS / "cedar.conll").by(by[1])
    cedar = next(row for row in found["ranking"] if row["system"] == "cedar.conll")
    assert {name: its["lea"]["f1"] for name, its in cedar["groups"].items()} == {
        name: scores["lea"].f1 for name, scores in groups.items()
    }
    lines = call(capfdbinary, "rank", KEY, "--systems", RUNS, *by).stdout.decode().splitlines()
    head, _, *rows = (line.split() for line in lines[lines.index("lea.precision by group") + 2 :][:4])
    shown = [[row[0], row[head.index("cedar")]] for row in rows]
    assert shown == [[name, f"{100 * groups[name]['lea'].precision:.2f}"] for name in ("bn", "nw")]
    paper = call(capfdbinary, "rank", KEY, "--systems", RUNS, *by, "--format", "markdown").stdout.decode()
    (row,) = (line for line in paper.splitlines() if line.startswith("| bn "))
    assert shown[0][1] in row


def test_of_many_systems_the_best_are_shown_by_group(tmp_path: Path, capfdbinary: Capture) -> None:
    systems = tmp_path / "systems"
    systems.mkdir()
    for number, run in enumerate(sorted(RUNS.iterdir()) * 3):
        (systems / f"{run.stem}-{number}.conll").write_bytes(run.read_bytes())
    by = ("--by", r"^\((\w\w)", "--measures", "lea", "--sort", "lea", "--trials", "9", "--quiet")
    found = ranked(capfdbinary, KEY, "--systems", systems, *by)
    order = [row["system"].removesuffix(".conll") for row in found["ranking"]]
    lines = call(capfdbinary, "rank", KEY, "--systems", systems, *by).stdout.decode().splitlines()
    shown = lines[lines.index("lea.f1 by group") + 2].split()[1:]
    assert 3 < len(shown) < len(order)
    assert shown == order[: len(shown)]


def test_a_ranking_fits_the_terminal(capfdbinary: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ranks and its interval always stay; the wider the terminal, the more stands beside it."""
    columns = {}
    for width in (60, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = (
            call(capfdbinary, "rank", KEY, "--systems", RUNS, "--measures", "all,lea,conll")
            .stdout.decode()
            .splitlines()
        )
        assert all(len(line) <= width for line in lines[:-1])
        columns[width] = len(lines[3].split())
        assert {"rank", "system", "F1"} <= set(lines[3].split())
    assert columns[60] < columns[80] < columns[200]
    assert not any(line.startswith("left out") for line in lines)


def test_the_scores_are_those_of_scoring(capfdbinary: Capture) -> None:
    best = ranked(capfdbinary, KEY, "--systems", RUNS)["ranking"][0]
    result = corefscore.score(KEY, RUNS / best["system"])
    assert best["scores"]["conll"] == {"f1": result.conll}
    assert best["scores"]["lea"]["recall"] == result["lea"].recall
    assert best["low"] < result.conll < best["high"]


def test_any_score_can_rank(capfdbinary: Capture) -> None:
    found = ranked(capfdbinary, KEY, "--systems", RUNS, "--sort", "lea.precision", "--measures", "muc")
    assert found["ranking"][0]["system"] == "birch.conll"
    assert found["options"]["sort"] == "lea.precision"


def test_alpha_decides(capfdbinary: Capture) -> None:
    """With nearly any p as a difference every system has one rank."""
    found = ranked(capfdbinary, KEY, "--systems", RUNS, "--confidence", "0.1%", "--correction", "none")
    assert [(row["best"], row["worst"]) for row in found["ranking"]] == [(1, 1), (2, 2), (3, 3), (4, 4)]


def test_by_shows_means_over_groups(capfdbinary: Capture) -> None:
    found = ranked(capfdbinary, KEY, "--systems", RUNS, "--by", r"^\((\w\w)")
    groups = corefscore.score(KEY, RUNS / "ash.conll").by(r"^\((\w\w)")
    ash = next(row for row in found["ranking"] if row["system"] == "ash.conll")
    mean = sum(scores["lea"].f1 for scores in groups.values()) / 2
    assert ash["scores"]["lea"]["f1"] == pytest.approx(mean, abs=1e-15)


def test_a_system_that_cannot_be_scored_has_its_row_and_the_others_are_ranked(
    tmp_path: Path, capfdbinary: Capture
) -> None:
    shutil.copytree(RUNS, tmp_path / "runs")
    broken = tmp_path / "runs" / "broken.conll"
    broken.write_text((RUNS / "ash.conll").read_text().replace("(0)", "(0", 1))
    (tmp_path / "runs" / "empty").mkdir()
    done = call(capfdbinary, "rank", KEY, "--systems", tmp_path / "runs", "--measures", "lea")
    assert done.status == 1
    assert b"corefscore: broken.conll is not ranked: " in done.stderr
    lines = done.stdout.decode().splitlines()
    assert (
        sum(line.lstrip().startswith(("1-2   birch", "1-2   ash", "3-4   cedar", "3-4   dogwood")) for line in lines)
        == 4
    )
    words = " ".join(done.stdout.decode().split())
    assert f"broken.conll is not ranked: {broken}" in words
    assert "opens a mention that is never closed" in words
    assert f"empty is not ranked: {tmp_path / 'runs' / 'empty'}: the folder contains no visible file" in words
    assert [line.split() for line in lines if line.strip() in ("broken.conll", "empty")] == [
        ["broken.conll"],
        ["empty"],
    ]
    found = ranked(capfdbinary, KEY, "--systems", tmp_path / "runs", status=1)
    assert list(found["unscored"]) == ["broken.conll", "empty"]


def test_a_fault_in_the_key_is_no_fault_of_the_systems(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "rank", UNCLOSED / "response.conll", f"a={UNCLOSED / 'key.conll'}")
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[unclosed-mention]" in done.stderr


def test_strict_takes_a_system_with_notices_for_one_that_cannot_be_scored(capfdbinary: Capture) -> None:
    folder = TESTDATA / "bad" / "missing-document"
    key = folder / "key.conll"
    found = ranked(capfdbinary, key, f"whole={key}", f"short={folder / 'response.conll'}", "--strict", status=1)
    assert [row["system"] for row in found["ranking"]] == ["whole"]
    assert "the response has no document" in found["unscored"]["short"]


def test_agreement_has_the_verdicts_of_compare(capfdbinary: Capture) -> None:
    """Of each measure, on each pair; the average agrees with itself only."""
    how = ("--systems", RUNS, "--measures", "lea.f1,muc.f1,conll")
    found = ranked(capfdbinary, KEY, *how, "--agreement")["agreement"]
    assert "agreement" not in ranked(capfdbinary, KEY, *how)
    assert [(row["measure"], row["against"]) for row in found] == [("lea", "muc"), ("lea", "conll"), ("muc", "conll")]
    compared = json.loads(call(capfdbinary, "compare", KEY, *how, "--format", "json").stdout)
    for row in found:
        verdicts = [
            [pair["system"], pair["against"]]
            for pair in compared["pairs"]
            if len({pair["measures"][row[name]]["f1"]["differ"] is True for name in ("measure", "against")}) == 2
        ]
        assert sorted(map(sorted, row["verdicts_differ"])) == sorted(map(sorted, verdicts))
        assert row["low"] <= row["tau"] <= row["high"]
    table = call(capfdbinary, "rank", KEY, *how, "--agreement").stdout.decode()
    assert "agreement of measures" in table and "verdicts that differ" in table


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_the_ranking_can_be_drawn(form: str, tmp_path: Path, capfdbinary: Capture) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"ranking.{form}"
    assert call(capfdbinary, "rank", KEY, "--systems", RUNS, "--output", path).status == 0
    assert path.read_bytes().lstrip()[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")


@pytest.mark.parametrize("interval", [None, Interval(0.0, 0.1), Interval(1.0, 1.0)])
def test_a_score_outside_its_interval_or_without_one_can_be_drawn(
    interval: Interval | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(Ranking, "interval_of", lambda *score: interval)
    assert drawn(ranking({"a": [5] * 12, "b": [4] * 12}), "png").startswith(b"\x89PNG")


def test_numbers_are_not_cut_in_a_narrow_table(monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture) -> None:
    monkeypatch.setenv("COLUMNS", "12")
    done = call(capfdbinary, "rank", KEY, f"a long name={KEY}", "--by", r"\((..)", "--digits", "6")
    assert done.status == 0
    assert done.stdout.count(b"100.000000\n") == 1 + len(["bn", "nw"])


def test_a_drawing_without_matplotlib_names_the_library(
    tmp_path: Path, capfdbinary: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corefscore.reports.rank.find_spec", lambda name: None)
    done = call(capfdbinary, "rank", KEY, "--systems", RUNS, "--output", tmp_path / "ranking.png")
    message = b"corefscore: a plot needs matplotlib: pip install matplotlib\n"
    assert done == (2, b"", message)


def test_windows_of_texts_of_different_lengths_are_refused(tmp_path: Path, capfdbinary: Capture) -> None:
    """A response that has more tokens than the key has more windows."""
    text = "#begin document (a); part 000\n" + "a 0 0 w (1)\n" + "a 0 1 w -\n" * 5
    for name, more in (("key", 0), ("one", 0), ("two", 9)):
        (tmp_path / name).write_text(text + "a 0 2 w -\n" * more + "\n#end document\n")
    done = call(capfdbinary, "rank", *(tmp_path / name for name in ("key", "one", "two")), "--window", "3")
    assert (done.status, done.stdout) == (2, b"")
    assert b"leave --window and --of distance out" in done.stderr
