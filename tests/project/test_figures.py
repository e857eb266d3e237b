"""`scripts/figures.py`: the order of folders, and what counts as a line of code and as a public name."""

from __future__ import annotations

import ast

import pytest
from figures import code_lines, layers, main, public

TEXT = """"A module."

from a import b  # not an assignment

FIRST = 1
"What it is."

# a comment
_HIDDEN: int = 2


def function() -> str:
    "What it does."

    return (
        "text"
    )
"""


def test_folders_come_after_what_they_import() -> None:
    assert list(layers({"top": {"low", "mid"}, "mid": {"low"}, "low": set()})) == [["low"], ["mid"], ["top"]]


def test_folders_of_a_cycle_are_named_together() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert list(layers(graph)) == [["b", "c"], ["a"], ["d"]]


def test_docstrings_comments_and_blank_lines_are_no_code() -> None:
    assert sorted(code_lines(TEXT, ast.parse(TEXT))) == [3, 5, 9, 12, 15, 16, 17]


def test_public_names_are_functions_classes_and_assignments() -> None:
    assert public(ast.parse(TEXT)) == {"FIRST", "function"}


def test_the_house_keeps_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """Who exceeds one of these takes something else out. Each figure is the first number after these words."""
    main()
    found = capsys.readouterr().out
    limits = {
        "corefscore lea KEY RESPONSE: ": 150,
        "score(KEY, RESPONSE) from Python: ": 110,
        "corefscore errors KEY RESPONSE: ": 260,
        "modules: ": 160,
        "lines of code: ": 21_629,
        "longest (": 50,
        "public names: ": 1000,
        "options: ": 55,
        "longest help: ": 50,
    }
    figures = {words: int(found.partition(words)[2].split()[0].strip(",")) for words in limits}
    assert {words: number for words, number in figures.items() if number > limits[words]} == {}
