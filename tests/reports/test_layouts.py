"""Layouts other than the official one: what stands in them, where it comes from, and how it is written."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from corefscore import __version__
from corefscore.core.percent import percent
from corefscore.reports.layouts import DATA, RESULT, TABLES, fitting
from support import RECORDED, ROOT, TESTDATA, within

DEMO = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")
CASE = RECORDED / "documents-0051"
PAIR = (CASE / "key.conll", CASE / "response.conll")
OPTIONS = f"corefscore {__version__} | lea | repeated=official | singletons=keep"
SIGNATURE = f"{OPTIONS} | key=1de91d"


def rows(*arguments: str | Path) -> list[dict[str, str]]:
    """The CSV layout, a dictionary a row."""
    return list(csv.DictReader(io.StringIO(within(*arguments, "--format", "csv").stdout.decode())))


def test_every_layout_of_scores_is_on_the_page() -> None:
    page = (ROOT / "docs" / "score.md").read_text()
    missing = [name for name in fitting(RESULT, TABLES, DATA) if f"`{name}`" not in page]
    assert not missing, "add a row to docs/score.md"


def test_a_table_has_a_row_for_each_measure_and_the_signature() -> None:
    """The demo pair: 7 of 8 mentions, LEA 4/8 and 5/7, as the README shows in the official layout."""
    assert within("lea", *DEMO, "--format", "table").stdout.decode() == (
        "measure       R       P     F1\n"
        "--------  -----  ------  -----\n"
        "mentions  87.50  100.00  93.33\n"
        "lea       50.00   71.43  58.82\n"
        f"\n{SIGNATURE}\n"
    )


def test_markdown() -> None:
    """One row for the response, each score under the first column that its measure spans."""
    assert within("lea", *DEMO, "--format", "markdown").stdout.decode() == (
        "| system   |   LEA |       |       |\n"
        "| -------- | ----: | ----: | ----: |\n"
        "|          |     P |     R |    F1 |\n"
        "| response | 71.43 | 50.00 | 58.82 |\n"
        f"\n`{SIGNATURE}`\n"
    )


def test_latex() -> None:
    assert within("conll,bcub", *DEMO, "--format", "latex", "--digits", "1").stdout.decode() == (
        "% needs \\usepackage{booktabs}\n"
        f"% {SIGNATURE.replace('lea', 'muc,bcub,ceafe')}\n"
        "\\begin{tabular}{lrrrrrrrrrr}\n"
        "\\toprule\n"
        " & \\multicolumn{3}{c}{MUC} & \\multicolumn{3}{c}{B$^3$} & \\multicolumn{3}{c}{CEAF$_e$} & "
        "\\multicolumn{1}{c}{CoNLL} \\\\\n"
        "\\cmidrule(lr){2-4} \\cmidrule(lr){5-7} \\cmidrule(lr){8-10} \\cmidrule(lr){11-11}\n"
        "system   &    P &    R & F$_1$ &    P &    R & F$_1$ &    P &    R & F$_1$ & F$_1$ \\\\\n"
        "\\midrule\n"
        "response & 75.0 & 75.0 &  75.0 & 85.7 & 70.8 &  77.6 & 82.2 & 61.7 &  70.5 &  74.3 \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
    )


def test_csv_and_tsv_give_percentages_in_full() -> None:
    expected = "kind,scope,measure,recall,precision,f1\ntotal,total,mentions,87.5,100.0,93.33333333333333\n"
    expected += f"total,total,lea,50.0,{5 / 7 * 100!r},{58.823529411764696!r}\n"
    assert within("lea", *DEMO, "--format", "csv").stdout.decode() == expected
    assert within("lea", *DEMO, "--format", "tsv").stdout.decode() == expected.replace(",", "\t")


def test_names_that_would_break_a_table_do_not(tmp_path: Path) -> None:
    """A bar ends a cell of Markdown, a CR a line of CSV, and ESC moves a terminal."""
    key = tmp_path / "key"
    key.write_bytes(b"#begin document a|b\r\x1bc\nw\t(1)\nw\t(1)\n#end document\n")
    found = rows("muc", key, key, "--documents")
    assert [row["scope"] for row in found] == ["a|b\r\x1bc", "a|b\r\x1bc", "total", "total"]
    markdown = within("muc", key, key, "--documents", "--format", "markdown").stdout.decode()
    assert "\n| a\\|b\u240d\u241bc " in markdown
    table = within("muc", key, key, "--documents", "--format", "table").stdout.decode()
    assert table.splitlines()[2].startswith("a|b\u240d\u241bc  mentions")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there are no names for what is open")
def test_output_to_what_is_open_already_is_added_to_it(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("corefscore")
    call = f"{program} lea {DEMO[0]} {DEMO[1]} --format csv --output /dev/fd/3"
    subprocess.run(f"(echo before; {call} 3>&1; echo after) > log", shell=True, cwd=tmp_path, check=True)
    lines = (tmp_path / "log").read_text().splitlines()
    assert (lines[0], len(lines), lines[-1]) == ("before", 5, "after")


@pytest.mark.parametrize("name", ["", "folder/", "."])
def test_output_to_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    done = within("lea", *DEMO, "--output", name, cwd=tmp_path)
    assert (done.status, done.stdout) == (2, b"")
    assert b"this is a folder" in done.stderr


def test_json_gives_counts_values_options_version_and_signature() -> None:
    lea = {
        "recall": 0.5,
        "precision": 5 / 7,
        "f1": 0.588235294117647,
        "recall_numerator": 4,
        "recall_denominator": 8,
        "precision_numerator": 5,
        "precision_denominator": 7,
    }
    found = json.loads(within("lea", *DEMO, "--format", "json").stdout)
    assert found["total"].pop("mentions")["recall_numerator"] == 7
    assert found == {
        "schema": 3,
        "version": __version__,
        "signature": SIGNATURE,
        "key": "1de91d",
        "options": {"metrics": ["lea"], "repeated": "official", "singletons": "keep", "document": None},
        "notices": [],
        "total": {"lea": lea},
    }


def test_json_has_both_kinds_of_link_of_blanc() -> None:
    """As recorded in all-none.txt of the case missing-document-0016: 28 of 50 and 43, 40 of 96 and 67."""
    case = RECORDED / "missing-document-0016"
    total = json.loads(within("blanc", case / "key.conll", case / "response.conll", "--format", "json").stdout)["total"]
    parts = ("recall_numerator", "recall_denominator", "precision_numerator", "precision_denominator")
    assert [total["blanc.coreference"][part] for part in parts] == [28, 50, 28, 43]
    assert [total["blanc.noncoreference"][part] for part in parts] == [40, 96, 40, 67]
    assert total["blanc"]["recall"] == pytest.approx(0.488333333333333, abs=1e-15)


def test_documents_adds_rows_for_each_document_blanc_included() -> None:
    found = rows("blanc", *PAIR, "--documents")
    names = list(dict.fromkeys(row["scope"] for row in found))
    assert names[-1] == "total"
    assert names[:-1] == [line[16:-1] for line in PAIR[0].open() if line.startswith("#begin document")]
    assert [row["measure"] for row in found[:4]] == ["mentions", "blanc.coreference", "blanc.noncoreference", "blanc"]


def test_counts_of_documents_add_up_to_the_total() -> None:
    found = json.loads(within("every", *PAIR, "--format", "json", "--documents").stdout)
    for measure, total in found["total"].items():
        if measure in ("blanc", "conll"):
            continue
        for part in ("recall_numerator", "precision_denominator"):
            added = sum(Fraction(document[measure][part]) for document in found["documents"].values())
            assert float(added) == pytest.approx(total[part], abs=1e-12)


def test_the_average_stands_where_its_three_metrics_are() -> None:
    assert [row["measure"] for row in rows("conll", *DEMO)] == ["mentions", "muc", "bcub", "ceafe", "conll"]
    assert [row["measure"] for row in rows("muc,bcub", *DEMO)] == ["mentions", "muc", "bcub"]


def grouped(folder: Path) -> tuple[Path, Path]:
    """Four documents of three groups: bc twice (1 of 1 and 0 of 1 link), wb (2 of 2), and one without a genre."""
    cells = {
        "(bc/a); part 000": ("(1) (1)", "(1) (1)"),
        "(bc/b); part 000": ("(1) (1)", "(1) (2)"),
        "(wb/c); part 000": ("(1) (1) (1)", "(1) (1) (1)"),
        "other": ("(1) (1)", "(1) (1)"),
    }
    for side, path in enumerate(("key", "response")):
        text = "".join(
            f"#begin document {name}\n" + "".join(f"w\t{cell}\n" for cell in both[side].split()) + "#end document\n"
            for name, both in cells.items()
        )
        (folder / path).write_text(text)
    return folder / "key", folder / "response"


def test_by_gives_totals_of_groups_and_their_unweighted_mean(tmp_path: Path) -> None:
    """MUC recall: bc 1 / 2, wb 2 / 2, the rest 1 / 1, so 250 / 3 in the mean and 4 / 5 in all."""
    found = [row for row in rows("muc", *grouped(tmp_path), "--by", r"^\((\w\w)/") if row["measure"] == "muc"]
    assert [(row["scope"], float(row["recall"])) for row in found] == [
        ("bc", 50.0),
        ("wb", 100.0),
        ("(no match)", 100.0),
        ("mean of groups", pytest.approx(250 / 3)),
        ("total", 80.0),
    ]


def test_the_mean_of_the_average_is_that_over_groups(tmp_path: Path) -> None:
    found = [row for row in rows("conll", *grouped(tmp_path), "--by", r"^\((\w\w)/") if row["measure"] == "conll"]
    *groups, mean, total = found
    assert (len(groups), mean["scope"], total["scope"]) == (3, "mean of groups", "total")
    for score in ("recall", "precision", "f1"):
        assert float(mean[score]) == pytest.approx(sum(float(row[score]) for row in groups) / 3)


def test_json_with_intervals_signs_what_they_were_made_with() -> None:
    system = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll"
    data = json.loads(within("lea", *system, "--format", "json", "--intervals").stdout)
    table = within("lea", *system, "--format", "table", "--intervals").stdout.decode()
    assert data["signature"] == table.splitlines()[-1]
    assert "unit=document | parts=joined | confidence=95%" in data["signature"]


@pytest.mark.parametrize("pattern", ["[bw][bc]", "(bc)|(wb)"])
def test_without_a_bracket_the_group_is_the_match(pattern: str, tmp_path: Path) -> None:
    """With several brackets it is the first that takes part in the match."""
    found = rows("muc", *grouped(tmp_path), "--by", pattern)
    assert list(dict.fromkeys(row["scope"] for row in found)) == ["bc", "wb", "(no match)", "mean of groups", "total"]


@pytest.mark.parametrize("rest", ["lea --format table", "check --min lea=10", "rank", "compare"])
def test_groups_without_a_member_are_refused(rest: str) -> None:
    command, *options = rest.split()
    demo = TESTDATA / "demo"
    sides = [demo / name for name in ("key.conll", "response.conll", "key.conll")][
        : 3 if command in ("compare", "rank") else 2
    ]
    done = within(command, *sides, "--by", "xyz", *options)
    assert (done.status, done.stdout) == (2, b"")
    assert b"--by 'xyz' matches none of the names of 1 document, so there are no groups" in done.stderr


@pytest.mark.parametrize(
    ("layout", "options"), [("official", ["--digits", "3"]), ("csv", ["--digits", "1"]), ("json", ["--digits", "1"])]
)
def test_a_look_that_a_layout_cannot_have_is_refused(layout: str, options: list[str]) -> None:
    done = within("lea", *DEMO, "--format", layout, *options)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        f"corefscore: {options[0]} needs --format table, markdown or latex; this is --format {layout}\n"
    )


def test_papers_have_precision_first_and_tables_recall() -> None:
    """LEA of the demo: R 50, P 71.4286, F1 58.8235."""
    table = within("lea", *DEMO, "--format", "table", "--digits", "4").stdout.decode().splitlines()
    assert table[0].split()[1:] == ["R", "P", "F1"]
    assert table[3].split()[1:] == ["50.0000", "71.4286", "58.8235"]
    markdown = within("lea", *DEMO, "--format", "markdown", "--digits", "4").stdout.decode().splitlines()
    assert markdown[2].replace("|", "").split() == ["P", "R", "F1"]
    assert markdown[3].replace("|", "").split()[1:] == ["71.4286", "50.0000", "58.8235"]


def test_intervals_of_the_total_are_those_of_compare() -> None:
    """Of one response alone; documents and groups have none."""
    systems = TESTDATA / "systems"
    pair = systems / "key.conll", systems / "runs" / "ash.conll"
    compared = json.loads(
        within("compare", pair[0], f"ash.conll={pair[1]}", "--measures", "lea,mentions", "--format", "json").stdout
    )
    expected = {
        m: {s: (x["low"], x["high"]) for s, x in its.items() if x["low"] is not None}  # a score of 1 has none
        for m, its in compared["systems"]["ash.conll"].items()
    }
    found = json.loads(within("lea", *pair, "--intervals", "--format", "json").stdout)
    assert {
        m: {s: (x["low"], x["high"]) for s, x in its.items()} for m, its in found["intervals"]["measures"].items()
    } == expected
    low, high = expected["lea"]["f1"]
    by_row = {
        row["scope"]: row for row in rows("lea", *pair, "--intervals", "--by", r"^\((\w\w)/") if row["measure"] == "lea"
    }
    assert (float(by_row["total"]["f1_low"]), float(by_row["total"]["f1_high"])) == (low * 100, high * 100)
    assert by_row["bn"]["f1_low"] == ""
    interval = f"[{percent(low)}, {percent(high)}]"
    assert interval in within("lea", *pair, "--intervals", "--format", "markdown").stdout.decode()
    assert f"{{\\scriptsize {interval}}}" in within("lea", *pair, "--intervals", "--format", "latex").stdout.decode()
    table = within("lea", *pair, "--intervals", "--format", "table").stdout.decode()
    assert f"{percent(low)}  {percent(high)}" in table
    assert "confidence=95%" in table


def test_a_table_leaves_out_what_does_not_fit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = TESTDATA / "systems"
    call = ("every", systems / "key.conll", systems / "runs" / "ash.conll", "--intervals", "--format", "table")
    monkeypatch.setenv("COLUMNS", "80")
    narrow = within(*call).stdout.decode()
    monkeypatch.setenv("COLUMNS", "120")
    wide = within(*call).stdout.decode()
    assert narrow.splitlines()[0].split() == ["measure", "R", "P", "F1", "low", "high"]
    assert "recall low, recall high, precision low, precision high; --format csv has all columns" in " ".join(
        narrow.split()
    )
    assert wide.splitlines()[0].split() == [
        "measure",
        *("R", "low", "high"),
        *("P", "low", "high"),
        "F1",
        "low",
        "high",
    ]
    assert "left out" not in wide
    assert all(len(line) <= 80 for line in narrow.splitlines()[:-1])


def test_a_pattern_that_is_no_regular_expression_is_wrong_usage() -> None:
    done = within("lea", *DEMO, "--format", "table", "--by", "(")
    assert (done.status, done.stdout) == (2, b"")
    assert b"'(' is not a regular expression: missing )" in done.stderr


@pytest.mark.parametrize(
    ("way", "recall", "precision"),
    [
        pytest.param("keep", "4 / 8", "5 / 7", id="as given"),
        pytest.param("drop-response", "4 / 8", "5 / 7", id="the response has none"),
        pytest.param("drop", "4 / 6", "5 / 7", id="two of the key are left out"),
    ],
)
def test_singletons_can_be_left_out(way: str, recall: str, precision: str) -> None:
    lines = within("lea", *DEMO, "none", "--singletons", way).stdout.decode().splitlines()
    assert f"Recall: ({recall})" in lines[-2]
    assert f"Precision: ({precision})" in lines[-2]


def test_singletons_are_left_out_of_the_response_alone() -> None:
    """With the sides swapped the two singletons of the demo are the response's."""
    lines = within("lea", *reversed(DEMO), "none", "--singletons", "drop-response").stdout.decode().splitlines()
    assert "Identification of Mentions: Recall: (6 / 7)" in lines[3]


def test_the_signature_tells_what_can_move_a_number() -> None:
    name = "(demo/cats); part 000"
    text = within(
        "muc,lea", *DEMO, name, "--format", "table", "--repeated", "first", "--singletons", "drop"
    ).stdout.decode()
    assert text.splitlines()[-1] == (
        f"corefscore {__version__} | muc,lea | repeated=first | singletons=drop | document={name} | key=1de91d"
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(0.12345, "12.35", id="the float is a little above 0.12345"),
        pytest.param(0.00125, "0.13", id="the float is a little above 0.00125"),
        pytest.param(0.00375, "0.37", id="the float is a little below 0.00375"),
        pytest.param(1.005 / 100, "1.00", id="the float is a little below 0.01005"),
        pytest.param(0.03125, "3.12", id="exact half, to the even digit"),
        pytest.param(0.09375, "9.38", id="exact half, to the even digit above"),
        pytest.param(1.0, "100.00", id="all"),
    ],
)
def test_tables_round_half_to_even_on_the_exact_value(value: float, expected: str) -> None:
    assert percent(value) == expected


def test_output_goes_to_a_file_and_replaces_it_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("old")
    path.chmod(0o640)
    done = within("muc", *PAIR, "--output", path)
    assert (done.status, done.stdout, done.stderr) == (0, b"", b"")
    assert path.read_bytes().partition(b"\n")[2] == (CASE / "muc.txt").read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["scores.txt"]


def test_a_refused_run_leaves_the_output_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("old")
    bad = TESTDATA / "bad" / "unclosed"
    done = within("muc", bad / "key.conll", bad / "response.conll", "--output", path)
    assert (done.status, path.read_text()) == (1, "old")
    assert os.listdir(tmp_path) == ["scores.txt"]


def test_an_output_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    done = within("muc", *PAIR, "--output", tmp_path / "no" / "file")
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr == f"corefscore: {tmp_path}/no/file: No such file or directory\n".encode()


def test_names_that_are_not_utf8_come_through_every_layout(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_bytes(b"#begin document \xff\nw\t(1)\n#end document\n")
    assert b"\xff" in within("lea", path, path).stdout
    assert b"\xff" in within("lea", path, path, "--format", "csv", "--documents").stdout
    assert list(json.loads(within("lea", path, path, "--format", "json", "--documents").stdout)["documents"]) == [
        "\udcff"
    ]


def test_the_signature_tells_what_was_asked_of_the_reader() -> None:
    text = within("lea", *DEMO, "--format", "table", "--input-format", "conll", "--align").stdout.decode()
    assert text.splitlines()[-1] == f"{OPTIONS} | input_format=conll | align=True | key=1de91d"
