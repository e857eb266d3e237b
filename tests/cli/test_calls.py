"""Every command in every layout, its help, and calls from Python, as they have to work with all allowed dependencies.

`make test-versions` runs this file and some others with the oldest and the newest versions that are allowed.
"""

from __future__ import annotations

import csv
import json

import click
import pytest
from corefscore import analyse, compare, score
from corefscore.cli import commands
from support import TESTDATA, call, process

SYSTEMS, NAMES = TESTDATA / "systems", TESTDATA / "names"
COREFUD = TESTDATA / "corefud" / "scoring" / "head-best-total-not-greedy-101"

PAIR = "SYSTEMS/key.conll SYSTEMS/runs/cedar.conll"
COREFUD_PAIR = "COREFUD/key.conllu COREFUD/response.conllu"
CALLS = {
    "cone": "NAMES/key.conll NAMES/response.conll",
    **dict.fromkeys(("mor", "zero", "corefud"), COREFUD_PAIR),
    "compare": "SYSTEMS/key.conll A=SYSTEMS/runs/ash.conll SYSTEMS/runs/birch.conll --trials 200",
    "rank": "SYSTEMS/key.conll --systems SYSTEMS/runs --trials 200",
    "check": f"{PAIR} --min conll=50",
    "validate": "SYSTEMS/key.conll SYSTEMS/runs/ash.conll",
    "convert": "SYSTEMS/key.conll -",
    "cite": "conll,lea",
}
"""The words after each command; those of other commands are `PAIR`."""

REFUSED = {(name, "official") for name in ("mor", "zero", "corefud")} | {("cone", "corefud")}
"""Layouts that cannot show these metrics."""

CONTEXT = click.Context(commands(), info_name="corefscore")
COMMANDS = commands().list_commands(CONTEXT)


def words_of(name: str, layout: str | None) -> list[str]:
    """The words of a call, with the paths of its files."""
    words = COREFUD_PAIR if layout == "corefud" and name not in CALLS else CALLS.get(name, PAIR)
    for folder, path in {"SYSTEMS": SYSTEMS, "NAMES": NAMES, "COREFUD": COREFUD}.items():
        words = words.replace(f"{folder}/", f"{path}/")
    return [name, *words.split(), *(["--format", layout] if layout else [])]


def layouts_of(name: str) -> list[str | None]:
    """The layouts of a command; None alone if it has only one."""
    made = commands().get_command(CONTEXT, name)
    assert made is not None
    (choices,) = [option.type.choices for option in made.params if option.name == "layout"] or [[None]]  # type: ignore[attr-defined]
    return list(choices)


def test_every_command_and_layout_is_called() -> None:
    """`COMMANDS` and the layouts are asked of the program itself; these are at least there."""
    assert {"lea", "every", "corefud", "compare", "rank", "check", "errors", "diff", "explain"} <= set(COMMANDS)
    assert sum(len(layouts_of(name)) for name in COMMANDS) >= 140
    assert set(CALLS) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_each_of_its_layouts(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for layout in layouts_of(name):
        done = call(capfdbinary, *words_of(name, layout))
        text = done.stdout.decode()
        if (name, layout) in REFUSED:
            assert (done.status, text) == (2, "") and f"--format {layout} " in done.stderr.decode()
            continue
        assert (done.status, bool(text), b"error" in done.stderr) == (0, True, False), done
        if layout == "json":
            json.loads(text)
        elif layout in ("csv", "tsv"):
            rows = list(csv.reader(text.splitlines(), delimiter="," if layout == "csv" else "\t"))
            assert len(rows) > 1 and len(set(map(len, rows))) == 1
        elif layout == "latex":
            assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, name, "--help")
    assert (done.status, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith(f"Usage: corefscore {name} ")
    assert call(capfdbinary, "help", name) == done


def test_the_installed_command_starts() -> None:
    """LEA of the demo pair is 10/17, as the README prints; that of the pair here is the same from Python."""
    done = process("lea", *(TESTDATA / "demo" / f"{side}.conll" for side in ("key", "response")), "none")
    assert (done.status, done.stderr) == (0, b"")
    assert b"F1: 58.82%" in done.stdout


def test_python_gives_what_the_command_prints(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    key, one, other = SYSTEMS / "key.conll", SYSTEMS / "runs" / "ash.conll", SYSTEMS / "runs" / "birch.conll"
    printed = json.loads(call(capfdbinary, "compare", key, one, other, "--format", "json", "--trials", "100").stdout)
    compared = compare(key, {"ash.conll": one, "birch.conll": other}, trials=100)
    assert json.loads(json.dumps(compared.to_dict())).items() <= printed.items()
    assert score(key, one).conll == pytest.approx(0.8612, abs=5e-5)
    assert analyse(key, one)
