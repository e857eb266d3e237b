"""Options: each is declared once; help fits on a screen, its examples run, and a removed option names the new way."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest
from corefscore.analysis.response import Asked
from corefscore.cli import COMMANDS, commands, synonyms
from corefscore.cli.options import WRITING, Command, Parameter, grouped
from corefscore.core.names import NameOptions
from corefscore.core.records import HEADINGS, Option, declared
from corefscore.formats import Reading
from corefscore.metrics import GROUPS, NAMES
from corefscore.scoring.settings import Rules
from corefscore.statistics.significance import Method
from support import TESTDATA, call, server, within

KEY, RUNS = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs"
COREFUD = TESTDATA / "corefud" / "scoring" / "blanc-one-entity-split-101"
EVERY = (*NAMES, *GROUPS, *COMMANDS)
PROGRAM = Path(sys.executable).with_name("corefscore")


def made(name: str) -> Command:
    found = commands().get_command(click.Context(commands()), name)
    assert isinstance(found, Command)
    return found


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples of help name."""
    folder = tmp_path_factory.mktemp("examples")
    shutil.copy(KEY, folder / "key.conll")
    for name in ("response", "other", "a", "b", "systems/a", "systems/b"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(RUNS / f"{'birch' if name in 'other systems/b' else 'ash'}.conll", folder / f"{name}.conll")
    within("convert", RUNS / "ash.conll", folder / "response.txt", "--format", "tagged", "--tags", "words")
    shutil.copy(TESTDATA / "names" / "text.conll", folder / "names.conll")
    within("convert", RUNS / "ash.conll", folder / "one.jsonl")
    for side in ("key", "response"):
        (folder / f"{side}.csv").write_text("item,entity\na,1\nb,1\n")
    (folder / "both.jsonl").write_text('{"a": [[[0, 0]]], "b": [[[0, 0]]]}\n')
    for side in ("key", "response"):
        shutil.copy(COREFUD / f"{side}.conllu", folder)
    return folder


@pytest.fixture
def files(made_once: Path, tmp_path: Path) -> Path:
    """A copy of that folder, which a test may change."""
    shutil.copytree(made_once, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize("name", ["", *EVERY])
def test_help_fits_on_a_screen(name: str) -> None:
    lines = within(*filter(None, [name]), "--help").stdout.decode().splitlines()
    assert len(lines) <= 50, "make an option less common (common=False), or shorten a help"
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("name", EVERY)
def test_all_options_are_in_the_long_help_under_their_headings(name: str) -> None:
    lines = within(name, "--help-all").stdout.decode().splitlines()
    assert max(map(len, lines)) <= 80
    command = made(name)
    headings = grouped(command.params)
    assert [line[:-1] for line in lines if line[:-1] in HEADINGS] == [*headings]
    shown = {option for line in lines for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", line)}
    options = [option for option in command.params if isinstance(option, Parameter)]
    assert shown == {option.opts[0] for option in options}
    hidden = [option.opts[0] for option in options if not option.common]
    short = within(name, "--help").stdout.decode()
    assert ("--help-all shows more options" in short) == bool(hidden)
    assert not [option for option in hidden if f"\n  {option} " in short]


@pytest.mark.parametrize("name", EVERY)
def test_examples_of_help_run(name: str, files: Path) -> None:
    if name == "cone":
        for side in ("key", "response"):
            shutil.copy(TESTDATA / "names" / f"{side}.conll", files)
    command = made(name)
    examples = [line.strip() for line in command.examples.splitlines()]
    assert 2 <= len(examples) <= 3
    for example in examples:
        program, *words = shlex.split(example)
        done = within(*words, cwd=files)
        assert program == "corefscore"
        assert done.status == 0, (example, done.stderr)


def test_a_command_without_help_has_no_examples() -> None:
    """As all have in Python without docstrings."""
    for text, shown in ((None, False), ("X.\n\nExamples:\n  corefscore x", True)):
        command = Command("x", params=[WRITING], help=text)
        assert ("Examples:\n  corefscore x\n" in command.get_help(click.Context(command))) == shown
        assert ("Examples" in command.get_help(click.Context(command))) == shown


def test_there_are_at_most_55_options() -> None:
    every = {option for name in EVERY for option in made(name).params if isinstance(option, Parameter)}
    assert len({option.opts[0] for option in every}) <= 55, "merge or remove an option for each that is new"
    assert len({word for name in EVERY for option in made(name).params for word in option.secondary_opts}) == 0


@pytest.mark.parametrize("topic", [Rules, Reading, NameOptions, Method, Asked], ids=lambda topic: topic.__name__)
def test_what_is_declared_is_an_option_of_a_command(topic: type) -> None:
    """A field that is inserted anywhere is a whole option or none, since all that it needs is with it."""
    options = {option.name: option for name in reversed(EVERY) for option in made(name).params}
    by_name = {each.name: each for each in fields(topic)}
    for option in declared(topic):
        assert isinstance(option, Option)
        assert by_name[option.name].default == option.default
        shown = options[option.name]
        assert isinstance(shown, Parameter)
        spelled = f"--{option.name.replace('_', '-')}"
        assert (shown.opts, shown.help, shown.heading) == ([spelled], option.help, option.heading)
        assert option.help.endswith((".", ")", "]"))


SCORE, SPANS = ["conll", "key.conll", "response.conll", "none"], ["errors", "key.conll", "response.conll"]
DIFF, COMPARE = ["diff", "key.conll", "response.conll"], ["compare", "key.conll", "a.conll", "b.conll"]
TREES = ["corefud", "key.conllu", "response.conllu"]
NEW_WAYS = {
    "--include": (SCORE, ["conll", "./[k]ey.conll", "response.conll"]),
    "--max-unpacked": (SCORE, SCORE),
    "--fidelity": (SCORE, ["conll", "key.conll", "response.txt", "--format", "json"]),
    "--lookup": (TREES, [*TREES, "--task", "aligned"]),
    "--definitions": (TREES, [*TREES, "--task", "none"]),
    "--order": (SCORE, ["conll", "key.conll", "response.conll", "--format", "markdown"]),
    "--notices": (SCORE, SCORE),
    "--scheduler": (SCORE, [*SCORE, "--jobs", "2"]),
    "--alpha": (COMPARE, [*COMPARE, "--confidence", "99"]),
    "--test": (COMPARE, COMPARE),
    "--metric": (["check", *SCORE[1:3]], ["check", "muc=muc.txt", "key.conll", "response.conll"]),
    "--plot": (["rank", *COMPARE[1:]], ["rank", *COMPARE[1:], "--output", "ranking.svg"]),
    "--expect": (["explain", *SCORE[1:3]], ["explain", *SCORE[1:3], "63.8"]),
    "--write-key": (["cone", *SCORE[1:3]], ["cone", "names.conll", "--estimate-key", "--output", "out.conll"]),
    "--measure": (SPANS, [*SPANS, "--measures", "lea"]),
    "--spans": (SPANS, SPANS),
    "--top": (SPANS, [*SPANS, "--format", "json"]),
    "--list": (SPANS, [*SPANS, "--format", "tsv"]),
    "--type": (DIFF, [*DIFF, "--only", "divided"]),
    "--entity": (DIFF, [*DIFF, "--only", "0"]),
    "--all": (DIFF, [*DIFF, "--around", "all"]),
    "--color": (DIFF, DIFF),
    "--other": (DIFF, [*DIFF, "other.conll", "--html", "page.html"]),
    "--to": (["convert", "key.conll", "-"], ["convert", "key.conll", "-", "--format", "e2e"]),
    "--word-column": (SPANS, [*SPANS, "--columns", "word=3"]),
    "--ne-column": (
        ["cone", "names.conll", "--estimate-key"],
        ["cone", "names.conll", "--estimate-key", "--columns", "ne=11"],
    ),
    "--clusters-field": (SCORE, ["conll", "both.jsonl", "--columns", "key.clusters=a,response.clusters=b"]),
}
"""For each removed option, a call that had it, and the same call in the new way."""


@pytest.mark.parametrize("option", synonyms("removed"))
def test_a_removed_option_names_a_way_that_works(option: str, files: Path) -> None:
    (files / "muc.txt").write_bytes(within("muc", "key.conll", "response.conll", cwd=files).stdout)
    before, now = NEW_WAYS[option]
    refused = within(*before, option, "x", cwd=files)
    assert (refused.status, refused.stdout) == (2, b"")
    assert f"unknown option {option}; {synonyms('removed')[option]}\n" in refused.stderr.decode()
    named = [word for word in now if word.startswith("--") and word not in before]
    assert all(word in synonyms("removed")[option] for word in named if word != "--html")
    done = within(*now, cwd=files)
    assert done.status == 0, done.stderr


_TABLES = "this file is read as CoNLL-2011/2012, and --columns can only name word, ne; "
_TEXT, _HEADS = "--pieces is for tagged text", "--heads is about the heads of CorefUD"
_WITHOUT_KEY = "--align and --pieces need a key; add --key KEY, or leave them out"
_NAMES = "--columns ne=5 is for metrics that read named entities, such as cone; leave ne out"
UNUSED = {
    "lea key.conll response.conll --pieces same": _TEXT,
    "lea key.conll one.jsonl --pieces apart": _TEXT,
    "lea key.conllu response.conllu --pieces overlap": _TEXT,
    "errors key.conll response.conll --pieces same": _TEXT,
    "errors key.conll response.conll --of names": "errors are found in all mentions; leave --of out",
    "diff key.conll response.conll --window 3": "errors are found in whole documents; leave --window out",
    "compare key.conll a.conll b.conll --pieces same": _TEXT,
    "validate response.conll --key key.conll --pieces same": _TEXT,
    "lea key.conll response.conll --columns clusters=a": f"response.conll: {_TABLES}leave clusters out (or",
    "lea key.conll response.conll --columns key.item=a": f"key.conll: {_TABLES}leave item out\n",
    "lea key.conll one.jsonl --columns key.clusters=a": f"key.conll: {_TABLES}leave clusters out",
    "lea key.conll one.jsonl --columns item=a": "JSON lines, and --columns can only name clusters; leave item out",
    "lea key.conll one.jsonl --columns word=4": "leave word out (or write key.word=... if only the key has it)",
    "lea key.csv response.csv --columns clusters=a": "of labels, and --columns can only name item, entity, document",
    "lea key.conllu response.conllu --columns clusters=a": "CorefUD, and --columns cannot be used with it; leave",
    "lea key.conll response.txt --columns entity=a": "this file is read as tagged text, and --columns can",
    "validate response.conll --columns entity=a": _TABLES,
    "validate response.conll --columns key.word=4": 'there is only one side here; leave out "key."',
    "validate response.conll --input-format key=conll": "there is only one input here; give one format",
    "validate response.txt --align": _WITHOUT_KEY,
    "validate response.txt --pieces same": _WITHOUT_KEY,
    "validate response.conll --heads last": _HEADS,
    "validate response.conll --key key.conll --heads tree": _HEADS,
    "convert response.conll out.jsonl --align": _WITHOUT_KEY,
    "convert response.txt out.conll --pieces same": _WITHOUT_KEY,
    "convert response.conll out.jsonl --heads last": _HEADS,
    "convert response.txt out.conll --key key.conll --heads last": _HEADS,
    "convert response.conll out.jsonl --columns ne=5": _NAMES,
    "convert response.txt out.conll --key key.conll --columns ne=5": _NAMES,
    "convert response.conll out.jsonl --columns clusters=a": _TABLES,
    "errors key.conll one.jsonl --heads parse": "--heads parse needs parses, and the key has none; leave it out",
}
"""Calls with an option that would change nothing, and what is said."""


@pytest.mark.parametrize("words", UNUSED)
def test_an_option_that_changes_nothing_is_refused(words: str, files: Path) -> None:
    if "--heads parse" in words:
        (files / "key.conll").write_text("#begin document d\nd\t0\t0\tIt\tPRP\t(TOP*)\t(1)\n#end document\n")
    done = within(*words.split(), cwd=files)
    assert done.status == 2
    assert UNUSED[words] in done.stderr.decode()
    assert not [*files.glob("out*")]


@pytest.mark.parametrize(
    "words",
    [
        "lea key.conll one.jsonl --columns clusters=clusters",
        "lea key.conll response.txt --pieces same --columns key.word=4",
        "lea key.conll one.jsonl --pieces same --align",
        "cone names.conll one.jsonl --columns ne=11",
        "errors key.conll response.conll --heads last",
        "validate response.txt --key key.conll --pieces same --align",
        "validate response.conllu --heads tree",
        "convert response.txt out.conllu --key key.conllu --heads last",
        "convert response.conllu out.txt --format tagged --heads tree",
    ],
)
def test_an_option_that_one_side_needs_is_not(words: str, files: Path) -> None:
    if "response.txt --key key.conllu" in words:
        within("convert", "response.conllu", "response.txt", "--format", "tagged", "--tags", "words", cwd=files)
    if "names" in words:
        shutil.copy(TESTDATA / "names" / "key.conll", files / "names.conll")
        within("convert", "names.conll", "one.jsonl", cwd=files)
    done = within(*words.split(), cwd=files)
    assert done.status == 0, done.stderr


@pytest.mark.parametrize(
    "options",
    [["--documents"], ["--intervals"], ["--average", "documents"], ["--by", "."], ["--of", "size"]],
    ids=" ".join,
)
def test_what_the_official_layout_does_not_have_is_a_table(options: list[str]) -> None:
    pair = KEY, RUNS / "ash.conll"
    table = within("lea", *pair, *options, "--format", "table")
    assert within("lea", *pair, *options) == table
    assert table.status == 0
    refused = within("lea", *pair, *options, "--format", "official")
    assert (refused.status, refused.stdout) == (2, b"")
    assert b"leave --format out for a table" in refused.stderr


@pytest.mark.parametrize(
    ("words", "lines"),
    [([], True), (["--quiet"], False), (["none"], False), (["--format", "table"], False)],
    ids=["long", "quiet", "none", "table"],
)
def test_a_long_output_on_a_terminal_says_how_to_get_less(words: list[str], lines: bool, tmp_path: Path) -> None:
    """The official layout itself does not change; the hint is on standard error."""
    outside, inside = pty.openpty()
    with subprocess.Popen(
        [server().with_name("corefscore"), "lea", KEY, RUNS / "ash.conll", *words],
        stdout=inside,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "LINES": "24", "COLUMNS": "80", "FORKED": str(server())},
    ) as process:
        os.close(inside)
        text = b""
        try:
            while block := os.read(outside, 1 << 16):
                text += block
        except OSError:  # Linux reports the end of a terminal so
            pass
        _, errors = process.communicate()
    os.close(outside)
    assert process.returncode == 0
    count = text.count(b"\n")
    hint = f'corefscore: printed {count} lines; for totals only, add the word "none" or --format table\n'
    assert errors.decode() == (hint if lines else "")


@pytest.mark.parametrize("name", ["errors", "diff"])
def test_both_commands_write_the_page(name: str, files: Path) -> None:
    done = within(name, "key.conll", "response.conll", "other.conll", "--html", f"{name}.html", cwd=files)
    assert (done.status, done.stdout) == (0, b"")
    assert (files / f"{name}.html").read_text().startswith("<!DOCTYPE html>")


def test_errors_and_diff_write_the_same_page(files: Path) -> None:
    for name in ("errors", "diff"):
        assert within(name, "key.conll", "response.conll", "--html", f"{name}.html", cwd=files).status == 0
    assert (files / "errors.html").read_bytes() == (files / "diff.html").read_bytes()


def test_a_pattern_is_part_of_the_path(files: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A file whose name has the characters of a pattern is that file."""
    (files / "README").write_text("no CoNLL")
    (files / "systems" / "[a].conll").write_bytes((files / "a.conll").read_bytes())
    assert call(capfdbinary, "muc", f"{files}/k*.conll", f"{files}/systems/[a].conll").status == 0
    nothing = call(capfdbinary, "muc", f"{files}/z*.conll", files / "response.conll")
    assert nothing.stderr == f"corefscore: {files}: the folder contains no file that matches z*.conll\n".encode()
    plain = call(capfdbinary, "muc", f"{files}/key.conll/*.conll", files / "response.conll")
    assert b"key.conll is neither a folder nor an archive" in plain.stderr
