"""`corefscore explain`: each row is what an ordinary run prints, and the numbers recorded of other programs."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import corefscore
import pytest
from corefscore.reports.explain import CONVENTIONS
from support import EXCERPTS, ROOT, TESTDATA, call, within

KEY, RESPONSE = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "cedar.conll"

Capture = pytest.CaptureFixture[bytes]


def rows(capture: Capture, *arguments: str | Path) -> dict[str, dict[str, str]]:
    done = call(capture, "explain", *arguments, "--format", "csv", "--quiet")
    assert done.status == 0
    return {row["convention"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}


def test_each_row_is_repeated_by_its_command(capfdbinary: Capture) -> None:
    """The F1 of each metric, to the last digits; for the F1 of means, by their recall and precision."""
    for name, row in rows(capfdbinary, KEY, RESPONSE).items():
        found: dict[str, tuple[float, float, float]] = {}
        for each in row["command"].split("; "):
            words = shlex.split(each)[1:]
            words = words[: words.index("--format")] if "--format" in words else words
            done = call(capfdbinary, *words, "--format", "csv", "--quiet")
            kind = "macro" if "--average" in words else "total"
            for its in csv.DictReader(io.StringIO(done.stdout.decode())):
                if its["kind"] == kind:
                    found[its["measure"]] = (float(its["recall"]), float(its["precision"]), float(its["f1"]))
        for measure in ("muc", "bcub", "ceafe"):
            recall, precision, f1 = found[measure]
            if name == "mean-of-recall-and-precision":
                f1 = 2 * recall * precision / (recall + precision)
            assert float(row[f"{measure}_f1"]) == pytest.approx(f1, abs=1e-9), (name, measure)


@pytest.mark.parametrize(
    ("expect", "name"),
    [
        ("78.42", "official"),
        ("78.41", "official"),
        ("71.35", "mean-of-recall-and-precision"),
        ("70.34", "mean-of-documents"),
        ("43.45", "e2e-evaluator"),
        ("57.16", "without-singletons"),
        ("31.18", "mean-of-documents-without-singletons"),
    ],
)
def test_the_numbers_that_were_recorded_for_real_output(expect: str, name: str, capfdbinary: Capture) -> None:
    """Recorded by others who ran each project's evaluator on this output; not run here. For 43.45,
    B-cubed drops singletons on both sides, CEAF-e in the response. 78.41 is cut off, as the official scorer does."""
    folder = EXCERPTS / "ecbplus-withindoc"
    found = rows(capfdbinary, folder / "key.conll", folder / "lemma-baselines-lemma-wd.conll", "--expect", expect)
    assert "conll" in found[name]["matches"].split(", ")


def test_an_expectation_that_nothing_meets_is_told(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "explain", KEY, RESPONSE, "--expect", "1.23")
    assert b"No convention gives 1.23." in done.stdout
    assert within("explain", KEY, RESPONSE, "--expect", "1.23%").stdout == done.stdout


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("many", "--expect many: expected a score in percent, such as 71.35"),
        ("0.7435", "--expect 0.7435 would be 0.7435 %; for 74.35 % write --expect 74.35"),
        ("7.4e1", "--expect 7.4e1: expected a score in percent"),
        ("101", "--expect 101: expected a percentage"),
        ("", "--expect : expected a number"),
    ],
)
def test_an_expectation_is_a_percentage(expect: str, told: str) -> None:
    done = within("explain", KEY, RESPONSE, "--expect", expect)
    assert (done.status, done.stdout) == (2, b"")
    assert told in done.stderr.decode()
    with pytest.raises(corefscore.UsageError, match="expect="):
        corefscore.explain(KEY, RESPONSE, expect=expect)


def test_given_mentions_leave_linking_alone() -> None:
    """By hand: mentions 3 and 9 are on one side only, so {1, 2} and {4, 5} are as in the key."""
    key = [[(1, 1), (2, 2), (3, 3)], [(4, 4), (5, 5)]]
    response = [[(1, 1), (2, 2)], [(4, 4), (5, 5), (9, 9)]]
    result = corefscore.score(key, response, "lea", mentions="given")
    assert (result["lea"].f1, "mentions=given" in result.signature) == (1, True)
    assert "mentions=" not in corefscore.score(key, response, "lea", mentions="all").signature
    with pytest.raises(corefscore.UsageError, match="mentions"):
        corefscore.score(key, response, "muc", mentions="some")


def test_a_pair_that_the_official_scorer_refuses_has_the_other_rows(capfdbinary: Capture) -> None:
    """Eleven copies are refused, unless the first one counts."""
    folder = TESTDATA / "bad" / "11-repeats"
    words = shlex.split((folder / "command.txt").read_text())
    found = rows(capfdbinary, *(folder / word for word in words[1:3]))
    assert (found["official"]["conll_f1"], found["first-copies"]["conll_f1"] != "") == ("", True)


def test_corefud_has_rows_of_its_own(capfdbinary: Capture) -> None:
    folder = TESTDATA / "corefud" / "scoring" / "anaphor-wrong-link-101"
    found = rows(capfdbinary, folder / "key.conllu", folder / "response.conllu")
    assert {"official", "with-singletons", "exact-matching"} <= found.keys()
    assert "given-mentions" not in found


def test_python_and_json_have_the_same_rows(capfdbinary: Capture) -> None:
    found = corefscore.explain(KEY, RESPONSE, expect=90)
    printed = json.loads(call(capfdbinary, "explain", KEY, RESPONSE, "--format", "json", "--quiet").stdout)
    scores = [row["scores"] for row in found.to_dict()["conventions"]]
    assert [row["scores"] for row in printed["conventions"]] == scores
    assert [row.convention for row in found.rows] == [its for its in CONVENTIONS if its.only != "nodes"]
    assert "without-singletons" in str(found)


def test_each_side_is_read_once(tmp_path: Path, capfdbinary: Capture) -> None:
    """So standard input will do, and one file that has both sides."""
    assert within("explain", "-", RESPONSE, "--quiet", stdin=KEY.read_bytes()).status == 0
    path = tmp_path / "both.jsonl"
    path.write_text('{"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[0, 0], [1, 1]]]}\n')
    assert rows(capfdbinary, path)["official"]["conll_f1"] == "100.0"


def test_the_page_names_no_other_convention() -> None:
    page = (ROOT / "docs" / "explain.md").read_text().split("```")[2]
    named = set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", page))
    assert named
    assert named <= {its.name for its in CONVENTIONS}
