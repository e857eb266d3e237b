"""LaTeX and Markdown as papers print them: marks, odd names, what compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from corefscore.reports.base import BEST, SHOWN, Column, Table, shortened
from corefscore.reports.layouts import Style, rendered
from support import TESTDATA, call

KEY = TESTDATA / "systems" / "key.conll"
RUNS = TESTDATA / "systems" / "runs"

Capture = pytest.CaptureFixture[bytes]

ODD = {
    "ash": "a_b^c~d#1 50% $x$ {y}",
    "birch": "\\input|`b`*<c>&amp;",
    "cedar": '[x] --- "q" **z**',
    "dogwood": "größe—ф 中文",
}
"""Names that would break a table, or set it in other type, if they were taken as they are."""


@pytest.fixture
def odd(tmp_path: Path) -> list[str]:
    return [f"{name}={RUNS / file}.conll" for file, name in ODD.items()]


def paper(capture: Capture, *arguments: str | Path) -> str:
    done = call(capture, *arguments)
    assert done.status == 0, done.stderr
    return done.stdout.decode()


class Small:
    """A report of one table: three systems with one score, of which the second is the best."""

    signature = "sig|nature"
    legend = ()
    notes = ("a_note",)

    def __init__(self, *scores: float, marks: dict[tuple[int, int], str] | None = None) -> None:
        columns = [Column("system", "system"), Column("f1", "F1", "percent", over="B³", score="f1")]
        self.short: dict[str, str] = {}
        self.paper = [Table("", columns, [[f"s{at}", score] for at, score in enumerate(scores)], marks or {})]


def test_the_best_is_bold_and_what_was_shown_is_marked() -> None:
    small = Small(0.5, 0.6, 0.55, marks={(1, 1): BEST + SHOWN, (2, 1): SHOWN})
    markdown = "".join(rendered(small, Style("markdown", 1)))
    assert [line.split("|")[2].strip() for line in markdown.splitlines()[3:6]] == ["50.0", "**60.0**†", "55.0†"]
    latex = "".join(rendered(small, Style("latex", 1)))
    cells = [line.split(" & ")[1].strip() for line in latex.splitlines()[8:11]]
    dagger = "\\rlap{$^\\dagger$} \\\\"
    assert cells == ["50.0 \\\\", f"\\textbf{{60.0}}{dagger}", f"55.0{dagger}"]
    assert latex.splitlines()[:2] == ["% needs \\usepackage{booktabs}", "% sig|nature"]
    assert markdown.endswith("\na\\_note\\\n`sig|nature`\n")


def test_what_prints_as_the_best_is_bold_with_it() -> None:
    """With one digit both are 60.0."""
    small = Small(0.6004, 0.6, 0.5, marks={(0, 1): BEST, (1, 1): SHOWN})
    one, two = ("".join(rendered(small, Style("markdown", digits))) for digits in (1, 2))
    assert one.count("**60.0**") == 2
    assert (two.count("**60.04**"), two.count("60.00†")) == (1, 1)


def test_marks_are_those_of_the_tests(capfdbinary: Capture) -> None:
    """Of 4 systems two are as good as each other; docs/compare.md has the verdicts of ash against cedar."""
    systems = sorted(RUNS.iterdir())
    text = paper(capfdbinary, "compare", KEY, *systems, "--measures", "conll", "--format", "markdown")
    assert re.findall(r"^\| (\w+) +\| +(\S+) \|$", text, re.MULTILINE)[1:] == [
        ("ash", "**86.12**"),
        ("birch", "85.68"),
        ("cedar", "73.34"),
        ("dogwood", "65.35"),
    ]
    assert "†: better than the best of the others at significance level 0.05" in text
    text = paper(
        capfdbinary,
        "compare",
        KEY,
        *systems,
        "--measures",
        "conll",
        "--format",
        "markdown",
        "--baseline",
        "cedar.conll",
    )
    assert re.findall(r"^\| (\w+) +\| +(\S+) \|$", text, re.MULTILINE)[1:] == [
        ("ash", "**86.12**†"),
        ("birch", "85.68†"),
        ("cedar", "73.34"),
        ("dogwood", "65.35"),
    ]
    assert "†: better than cedar.conll at significance level 0.05" in text


def test_a_ranking_marks_the_score_that_ranks_alone(capfdbinary: Capture) -> None:
    how = ("--measures", "lea,muc", "--sort", "lea", "--format", "markdown")
    text = paper(capfdbinary, "rank", KEY, "--systems", RUNS, *how)
    assert "better than the best of the others in lea at significance level 0.05" in text
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[3:7]]
    assert [row[:2] for row in rows] == [["1-2", "birch"], ["1-2", "ash"], ["3-4", "cedar"], ["3-4", "dogwood"]]
    assert rows[0][4] == "**80.76**"
    assert rows[1][4] == "80.34"
    assert not any("†" in cell for row in rows for cell in row[5:])


@pytest.mark.parametrize("layout", ["markdown", "latex"])
@pytest.mark.parametrize("command", ["compare", "rank"])
def test_notes_are_about_columns_that_are_there(command: str, layout: str, capfdbinary: Capture) -> None:
    """Intervals and the p of each test are columns of the tables to read, not of those of a paper."""
    call = (command, KEY, "--systems", RUNS, "--measures", "lea")
    readable, printed = paper(capfdbinary, *call), paper(capfdbinary, *call, "--format", layout)
    for start in ("low, high: ", *(["verdict: at"] if command == "compare" else [])):
        assert start in readable
        assert start not in printed
    assert "low, high: " in paper(capfdbinary, "compare", KEY, f"ash={RUNS / 'ash.conll'}", "--format", layout)


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_odd_names_break_no_table(command: str, odd: list[str], capfdbinary: Capture) -> None:
    """Every row has as many cells as the others, braces are balanced, and nothing else is left unescaped."""
    latex = paper(capfdbinary, command, KEY, *odd, "--measures", "muc,lea", "--format", "latex")
    body = latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    assert len(body) == 4
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {7 if command == "rank" else 6}
    first = 3 if command == "rank" else 2
    rules = [(first, first + 2), (first + 3, first + 5)]
    assert " ".join(f"\\cmidrule(lr){{{left}-{right}}}" for left, right in rules) + "\n" in latex
    assert "a\\_b\\textasciicircum{}c\\textasciitilde{}d\\#1 50\\% \\$x\\$ \\{y\\}" in latex
    assert "{[}x{]} -{}-{}- \\textquotedbl{}q\\textquotedbl{} {*}{*}z{*}{*}" in latex
    for line in latex.splitlines():
        if not line.startswith("%"):
            bare = re.sub(r"\\[{}]", "", line)
            assert bare.count("{") == bare.count("}"), line
    markdown = paper(capfdbinary, command, KEY, *odd, "--measures", "muc,lea", "--format", "markdown")
    table = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table}) == 1
    assert "\\\\input\\|\\`b\\`\\*&lt;c&gt;&amp;amp;" in markdown


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no pdflatex")
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["compare", "--digits", "1"], id="compare"),
        pytest.param(["rank", "--by", r"^\((\w\w)/"], id="rank"),
        pytest.param(["lea,blanc", "--intervals"], id="intervals"),
        pytest.param(["conll", "--documents"], id="documents"),
    ],
)
def test_latex_compiles(arguments: list[str], odd: list[str], tmp_path: Path, capfdbinary: Capture) -> None:
    """All but the name in characters that this font does not have."""
    systems = odd[:3] if arguments[0] in ("compare", "rank") else [str(RUNS / "ash.conll")]
    table = paper(capfdbinary, arguments[0], KEY, *systems, *arguments[1:], "--format", "latex")
    text = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n"
        f"\\begin{{document}}\\tiny\n{table}\\end{{document}}\n"
    )
    (tmp_path / "paper.tex").write_text(text)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_other_characters_need_another_engine(odd: list[str], capfdbinary: Capture) -> None:
    comments = [paper(capfdbinary, "compare", KEY, *its, "--format", "latex").splitlines()[0] for its in (odd[:2], odd)]
    assert "XeLaTeX" not in comments[0]
    assert "XeLaTeX or LuaLaTeX" in comments[1]


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a.conll", "b.conll"], ["a", "b"]),
        (["a.pred.conll", "b.pred.conll"], ["a", "b"]),
        (["a.v1.conll", "a.v2.conll"], ["a.v1", "a.v2"]),
        (["m-1.5.conll", "m-2.5.conll"], ["m-1.5", "m-2.5"]),
        (["a.conll", "b.jsonl"], ["a.conll", "b.jsonl"]),
        (["a.conll", "b"], ["a.conll", "b"]),
        (["my.model.v2.conll"], ["my.model.v2"]),
        ([".conll", "b.conll"], [".conll", "b.conll"]),
        (["a"], ["a"]),
        ([], []),
    ],
)
def test_the_ending_that_all_names_have_is_left_out(names: list[str], short: list[str]) -> None:
    assert shortened(names) == short
