"""The rules of CorefUD on which no score depends, beside udtools: `udvalidate --level 2 --coref`."""

from __future__ import annotations

import json
import random
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from corefscore.checking.validation import validate
from corefscore.core.sources import Source
from corefscore.formats.corefud.guidelines import RULES
from support import TESTDATA

FILES = TESTDATA / "guidelines"
RECORDED = json.loads((FILES / "udtools.json").read_text())["files"]

Rules = set[tuple[str, int | None]]


def ours(path: Path) -> Rules:
    found = validate(str(path), [Source(str(path))]).findings
    return {(str(finding.details["rule"]), finding.line) for finding in found if "rule" in finding.details}


@pytest.mark.parametrize("file", sorted(RECORDED))
def test_the_same_rules_are_broken_at_the_same_lines(file: str) -> None:
    assert ours(FILES / file) == {(rule, line) for rule, line in RECORDED[file]}


def test_every_rule_and_every_file_is_recorded() -> None:
    assert {rule for of_file in RECORDED.values() for rule, _ in of_file} == RULES.keys()
    assert {path.name for path in FILES.glob("*.conllu")} == RECORDED.keys()


@pytest.mark.parametrize(
    ("entity", "rules"),
    [
        pytest.param("(e1-person-" + "9" * 5000 + ")", {"mention-head-out-of-range"}, id="a head of 5,000 digits"),
        pytest.param(f"(e1[{'9' * 5000}/{'9' * 5000}]-person-1)", set(), id="a part of 5,000 digits"),
        pytest.param("(-person-1)", set(), id="an empty id"),
        pytest.param("(e1\x85-person-1)", set(), id="a line end of Unicode"),
        pytest.param("(e1-person-1)|SplitAnte=" + "a," * 99999 + "<", {"spurious-splitante-statement"}, id="commas"),
        pytest.param("(e1-person-1)|Bridge=" + ",a<" * 99999, {"spurious-bridge-statement"}, id="bridges"),
        pytest.param("(e1-person-1" * 9999, {"cross-sentence-mention"}, id="never closed"),
    ],
)
def test_hostile_values_are_no_obstacle(entity: str, rules: set[str], tmp_path: Path) -> None:
    path = tmp_path / "file.conllu"
    path.write_text((FILES / "clean.conllu").read_text().replace("(e1-person-1-)", entity, 1))
    assert {rule for rule, line in ours(path)} == rules


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_udtools_says_the_same_of_random_mutants(seed: int, tmp_path: Path) -> None:
    """It is asked sentence by sentence, since it looks at no entity in a sentence with another fault.

    Files on which it fails are left out, and those with `Entity` that it cannot read beside `SplitAnte`, which it
    compares with the mentions of an earlier line.
    """
    pytest.importorskip("udtools")
    numbers = random.Random(seed)
    texts = [path.read_text() for path in (*FILES.glob("*.conllu"), *(TESTDATA / "corefud").rglob("key.conllu"))]
    path = tmp_path / "file.conllu"
    compared = 0
    for _ in range(300):
        sentences = numbers.choice(texts).rstrip("\n").split("\n\n")
        at = numbers.randrange(len(sentences))
        header = re.findall(r"^# ?global\.Entity.*", sentences[0], re.MULTILINE)[:1] if at else []
        lines = "\n".join([*header, "\n\n".join(sentences[at : at + 12])]).split("\n")
        for _ in range(numbers.randint(1, 5)):
            mutate(lines, numbers)
        path.write_text("\n".join([*lines, "", ""]))
        official = of_udtools(path)
        if official is not None:
            compared += 1
            assert ours(path) == official, path.read_text()
    assert compared > 200


SIGNS = (*"()-<>:,[]/|= 12e", "(e1)", "e1)", "[1/2]", "[2/2]", "-person-", "|SplitAnte=e1<e2,e3<e2", "|Bridge=e1<e2")


def mutate(lines: list[str], numbers: random.Random) -> None:
    """Change a piece of the column MISC of one line."""
    tokens = [at for at, line in enumerate(lines) if line.count("\t") == 9]
    annotated = [at for at in tokens if "Entity=" in lines[at]] or tokens
    if not annotated:
        return
    at = numbers.choice(annotated)
    *columns, misc = lines[at].split("\t")
    begin = numbers.randrange(len(misc))
    end = begin + numbers.choice((0, 0, 1, 3, len(misc)))
    there = lines[numbers.choice(annotated)].split("\t")[9]
    misc = misc[:begin] + numbers.choice((*SIGNS, "", there, f"|{there}")) + misc[end:]
    lines[at] = "\t".join([*columns, misc or "_"])


def of_udtools(path: Path) -> Rules | None:
    """What the validator reports about entities; None if it fails."""
    validator: Any = import_module("udtools.validator").Validator(lang="ud", level=2, check_coref=True, output=None)
    state: Any = import_module("udtools.state").State()
    lines = path.read_text().split("\n")
    ends = [at for at, line in enumerate(lines) if not line]
    for begin, end in zip([0, *(at + 1 for at in ends)], ends, strict=False):
        words = [line.split("\t") for line in lines[begin:end] if not line.startswith("#")]
        if words:
            state.current_lines, state.current_token_node_table = lines[begin:end], words
            state.comment_start_line, state.sentence_line = begin + 1, end - len(words) + 1
            try:
                validator.check_misc_entity(state)
            except (IndexError, UnboundLocalError):
                return None
    names = {"internal-error": "misplaced-mention-part"}
    found = [each for each in state.error_tracker if each.get_type().name == "ERROR"]
    unreadable = {each.lineno for each in found if each.testid == "spurious-entity-statement"}
    if any("SplitAnte=" in lines[line - 1] for line in unreadable):
        return None
    return {(names.get(each.testid, each.testid), each.lineno) for each in found}
