"""Every example of the README and of the pages in docs is run; the table of metrics is that of the code."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import pytest
from support import ROOT, TESTDATA, inside, server
from update_readme import evaluators_table, metrics_table

README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Example(NamedTuple):
    """A call on a page, and what the page shows as its output."""

    page: str
    call: str
    output: str


def examples() -> list[Example]:
    """The calls in ``console`` blocks, continuation lines joined, each with what it prints."""
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
            for call, output in re.findall(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                found.append(Example(page.name, call.replace("\n> ", "\n").strip(), output))
    return found


PLAIN = re.compile(r"corefscore (?P<words>[^$*?\[~<>|&;`{}()#\\]+?)(?: 2>&1)?(?P<out> >[\w.]+)?")
"""A call for which no shell is needed."""


@pytest.mark.parametrize("example", examples(), ids=lambda example: f"{example.page}: {example.call[:60]}")
def test_an_example_prints_what_the_page_shows(example: Example, tmp_path: Path) -> None:
    page, call, output = example
    hint = f"if this is what it should print: python scripts/update_examples.py with the path of {page}"
    if "perl " in call and not shutil.which("perl"):
        pytest.skip("there is no perl")
    (tmp_path / "testdata").symlink_to(TESTDATA)
    if plain := PLAIN.fullmatch(call.replace("\\\n", "")):
        with open(os.devnull, "rb") as nothing, TemporaryFile() as shown, TemporaryFile() as scores:
            streams = nothing, scores if plain["out"] else shown, shown
            inside(*shlex.split(plain["words"]), cwd=tmp_path, streams=[stream.fileno() for stream in streams])
            shown.seek(0)
            assert shown.read().decode() == output, hint
        return
    folders = (str(server().parent), str(Path(sys.executable).parent), os.environ["PATH"])
    environment = dict(os.environ, PATH=os.pathsep.join(folders), FORKED=str(server()))
    done = subprocess.run(
        call, shell=True, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert done.stdout.decode() == output, hint


def test_the_table_of_evaluators_is_that_of_the_script() -> None:
    """The numbers that the programs themselves printed for this output."""
    assert f"<!-- evaluators -->\n{evaluators_table()}<!-- /evaluators -->" in README
    assert [line.split("|")[2].strip() for line in evaluators_table().splitlines()[2:]] == [
        *("78.42", "71.35", "70.34", "43.45")
    ]


def test_the_first_example_works_after_the_set_up_of_the_page(tmp_path: Path) -> None:
    """The words of the page in a shell of its own, where no other `corefscore` is on the path.

    The environment is the one of the tests, so that nothing has to be downloaded.
    """
    if not shutil.which("make") or not Path(sys.prefix, "bin", "activate").exists():
        pytest.skip("there is no make, or no virtual environment")
    words = README.split("## Use")[0]
    set_up = "".join(re.findall(r"^    (.*\n)", words, re.MULTILINE))
    assert "make demo" in set_up
    for name in ("Makefile", "pyproject.toml", "testdata"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.prefix, "bin"))
    (tmp_path / ".venv" / "installed").touch()
    bare = subprocess.run([shutil.which("make") or "", "demo"], cwd=tmp_path, env={}, capture_output=True, check=True)
    assert bare.stderr == b""
    done = subprocess.run(
        ["sh", "-ec", set_up + examples()[0].call],
        cwd=tmp_path,
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        check=True,
    )
    demo, _, first = done.stdout.partition("to call it as corefscore: . .venv/bin/activate\n")
    assert "The command is .venv/bin/corefscore; " in demo
    assert [line.split() for line in demo.splitlines() if line.startswith("lea")] == [
        ["lea", "50.00", "71.43", "58.82"]
    ]
    assert examples()[0].page == "README.md"
    assert first == examples()[0].output


def test_the_examples_are_found() -> None:
    assert {"README.md", "compare.md", "rank.md", "check.md"} <= {example.page for example in examples()}


def test_the_table_of_metrics_is_that_of_the_code() -> None:
    table = (
        (ROOT / "docs" / "start" / "which-metric.md")
        .read_text()
        .split("<!-- metrics -->\n")[1]
        .split("<!-- /metrics -->")[0]
    )
    assert table == metrics_table(), "python scripts/update_readme.py writes it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_formula_stays_on_its_line(page: Path) -> None:
    """Its next line may begin with a minus, which Markdown takes for an item of a list."""
    prose = re.sub(r"```.*?```|`[^`\n]*`|^\$\$.*?\$\$$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert not [line for line in prose.splitlines() if line.count("$") % 2]
