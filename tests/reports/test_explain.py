"""`corefscore explain`: each row is what an ordinary run prints, and the numbers recorded of other programs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import corefscore
import pytest
from corefscore.reports.explain import CONVENTIONS
from support import EXCERPTS, ROOT, TESTDATA, call, server, within

KEY, RESPONSE = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "cedar.conll"

Capture = pytest.CaptureFixture[bytes]


def rows(capture: Capture, *arguments: str | Path) -> dict[str, dict[str, str]]:
    done = call(capture, "explain", *arguments, "--format", "csv", "--quiet")
    assert done.status == 0
    return {row["convention"]: row for row in csv.DictReader(io.StringIO(done.stdout.decode()))}


HOSTILE = 'it\'s "two" $HOME `x` \\\\ *'
"""A part of file names that a shell would take for something else."""


@pytest.fixture
def all_differ(tmp_path: Path) -> Mapping[str, tuple[Path, Path]]:
    """Pairs whose CoNLL average is another number by each convention, in files with hostile names. That of spans has
    documents of many sizes, one over 1500 tokens, repeated mentions, and singletons on both sides; that of CorefUD is
    two random pairs."""
    for side in ("key", "response"):
        shutil.copy(TESTDATA / "conventions" / f"{side}.conll", tmp_path / f"{side} {HOSTILE}.conll")
        (tmp_path / f"{side} {HOSTILE}").mkdir()
        for name in ("links-101-04", "spans-101-03"):
            text = (TESTDATA / "corefud" / "random" / name / f"{side}.conllu").read_text()
            (tmp_path / f"{side} {HOSTILE}" / f"{name}.conllu").write_text(
                text.replace("newdoc id = ", f"newdoc id = {name}")
            )
    key, response = (tmp_path / f"{side} {HOSTILE}" for side in ("key", "response"))
    return {"spans": (Path(f"{key}.conll"), Path(f"{response}.conll")), "corefud": (key, response)}


def printed(command: str, output: str) -> list[str]:
    """The F1 of MUC, B-cubed, CEAF-e and the CoNLL average that the call of a row has printed."""
    if command.startswith("python -c "):
        return output.split()
    lines = [line.split() for line in output.splitlines()]
    lines = [line[1:] for line in lines if line[:1] == ["macro"]] if " --average documents " in command else lines
    found = {line[0]: line[-1] for line in lines if line}
    return [found[measure] for measure in ("muc", "bcub", "ceafe", "conll")]


@pytest.mark.filterwarnings("ignore::corefscore.core.errors.ScorerWarning")
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("spans", ()),
        ("spans", ("--input-format", "key=conll,response=conll", "--columns", "word=1")),
        ("corefud", ("--heads", "tree")),
    ],
)
def test_the_call_of_each_row_prints_its_numbers(
    kind: str, options: tuple[str, ...], all_differ: Mapping[str, tuple[Path, Path]], capfdbinary: Capture
) -> None:
    """Run as it stands, with the digits of the table; no two rows have the same average."""
    found = rows(capfdbinary, *all_differ[kind], *options)
    shown = call(capfdbinary, "explain", *all_differ[kind], *options).stdout.decode()
    for row in found.values():
        assert f"\n  {row['command']}\n" in shown
        program, *words = shlex.split(row["command"])
        if program == "python":
            exec(words[1], {})
            output = capfdbinary.readouterr().out
        else:
            output = call(capfdbinary, *words, "--quiet").stdout
        if not row["conll_f1"]:
            assert f"{float(row['bcub_f1']):.2f}".encode() in output, row["convention"]
            continue
        expected = [f"{float(row[f'{measure}_f1']):.2f}" for measure in ("muc", "bcub", "ceafe", "conll")]
        assert printed(row["command"], output.decode()) == expected, row["convention"]
    averages = [f"{float(row['conll_f1']):.2f}" for row in found.values() if row["conll_f1"]]
    assert len({*averages}) == len(averages) > 6


@pytest.mark.outside
def test_a_shell_takes_each_kind_of_call(all_differ: Mapping[str, tuple[Path, Path]], capfdbinary: Capture) -> None:
    found = rows(capfdbinary, *all_differ["spans"])
    path = os.pathsep.join((str(server().parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "FORKED": str(server())}
    for name in ("mean-of-documents", "mean-of-recall-and-precision", "e2e-evaluator"):
        row = found[name]
        done = subprocess.run(row["command"], check=False, shell=True, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert printed(row["command"], done.stdout)[-1] == f"{float(row['conll_f1']):.2f}"


def test_flags_are_given_to_each_call_as_they_are(tmp_path: Path) -> None:
    """``align`` has no value on the command line, and a line of Python takes it as a keyword."""
    report = corefscore.explain(KEY, RESPONSE, align=True, input_format={"key": "conll"})
    commands = {row.convention.name: row.command for row in report.rows}
    assert commands["official"].endswith("cedar.conll --input-format key=conll --align --format table")
    assert "('muc', {'input_format': {'key': 'conll'}, 'align': True})" in commands["e2e-evaluator"]
    in_memory = corefscore.explain([[1, 2]], [[1, 2]]).rows[0]
    assert in_memory.command == "corefscore conll KEY RESPONSE --format table"


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
    found = rows(capfdbinary, folder / "key.conll", folder / "lemma-baselines-lemma-wd.conll", expect)
    assert "conll" in found[name]["matches"].split(", ")


def test_an_expectation_that_nothing_meets_is_told(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "explain", KEY, RESPONSE, "1.23")
    assert b"No convention gives 1.23." in done.stdout
    assert within("explain", KEY, RESPONSE, "1.23%").stdout == done.stdout


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("many", "many: expected a score in percent, such as 71.35"),
        ("0.7435", "0.7435 may be a percentage or a fraction; write 74.35 for 74.35 %"),
        ("7.4e1", "7.4e1: expected a score in percent"),
        ("101", "101: expected a percentage"),
        ("", "'': expected a score in percent"),
    ],
)
def test_an_expectation_is_a_percentage(expect: str, told: str) -> None:
    done = within("explain", KEY, RESPONSE, expect)
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


def test_a_convention_that_items_do_not_have_is_left_out(tmp_path: Path, capfdbinary: Capture) -> None:
    """Its command was printed, and refused."""
    table = tmp_path / "labels.csv"
    table.write_text("document,item,entity\na,x,1\na,y,1\nb,z,1\nb,u,1\n")
    found = rows(capfdbinary, table, table)
    assert "official" in found and "windows" not in found


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


def test_heads_of_spans_are_refused(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "explain", KEY, RESPONSE, "--heads", "last")
    assert (done.status, done.stdout) == (2, b"")
    assert b"--heads changes scores of CorefUD only" in done.stderr
