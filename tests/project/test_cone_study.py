"""The study of CONE: windows, made-up systems, correlations, and the whole script on a small key."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import cone_study
import corefscore
import numpy as np
import pytest
from corefscore.core.documents import Documents
from corefscore.core.names import NameOptions
from names import Mention, tagged
from support import CORPORA, ROOT, WHOLE_CORPORA

OPENBOEK = CORPORA / "openboek" / "key.conll"


def small_key(folder: Path, documents: int = 12) -> Path:
    """Documents of forty tokens: three people with two names and some pronouns each, at random places."""
    numbers = random.Random(7)
    text = ""
    for number in range(documents):
        order = numbers.sample(range(40), 18)
        names: dict[Mention, str] = {}
        words = [f"w{token}" for token in range(40)]
        entities = [[(token, token) for token in sorted(order[at::3])] for at in range(3)]
        for entity, name in zip(entities, ("Ann", "Bo", "Cy"), strict=True):
            for token, _ in entity[:2]:
                names[token, token] = "PER"
                words[token] = name
        text += tagged(words, entities, names, document=f"(d{number}); part 000")
    path = folder / "key.conll"
    path.write_text(text)
    return path


def partition(documents: Documents) -> list[set[tuple[str, int, int]]]:
    found: list[set[tuple[str, int, int]]] = [set() for _ in documents.document]
    for entity, start, end in zip(documents.entity, documents.start, documents.end, strict=True):
        found[entity].add((documents.names[documents.document[entity]], int(start), int(end)))
    return found


def test_windows_cut_within_no_mention(tmp_path: Path) -> None:
    """Ten tokens in windows of about four: the gap before token 4 lies in a mention, that before 5 in a name."""
    names = {(0, 0): "PER", (4, 5): "PER", (9, 9): "PER"}
    path = tmp_path / "key"
    path.write_text(tagged("a b c d e f g h i j", [[(0, 0), (3, 4), (9, 9)], [(6, 6)]], names))
    key = corefscore.read(path, columns="ne=11").documents
    cuts = cone_study.windows(key, 4)
    assert [its.tolist() for its in cuts] == [[0, 6]]
    halves = cone_study.cut(key, cuts)
    first, second = "(d); part 000 window 0", "(d); part 000 window 1"
    assert (list(halves.names), halves.tokens.tolist()) == ([first, second], [6, 4])
    assert partition(halves) == [{(first, 0, 0), (first, 3, 4)}, {(second, 3, 3)}, {(second, 0, 0)}]
    cut_names = halves.named_entities
    assert cut_names is not None
    assert [cut_names.document.tolist(), cut_names.start.tolist(), cut_names.end.tolist()] == [
        [0, 0, 1],
        [0, 4, 3],
        [0, 5, 3],
    ]
    assert corefscore.score(cone_study.corpus(halves), cone_study.corpus(halves), "cone")[
        "cone_mentions"
    ].recall_counts == (2, 2)


def test_a_mention_of_a_response_that_reaches_over_a_cut_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "response").write_text(tagged("a b c d", [[(0, 0), (1, 2)], [(3, 3)]], {}))
    halves = cone_study.cut(corefscore.read(tmp_path / "response").documents, [np.array([0, 2])])
    assert [sorted((start, end) for _, start, end in entity) for entity in partition(halves)] == [[(0, 0)], [(1, 1)]]


@pytest.mark.parametrize("name", cone_study.SYSTEMS)
def test_a_made_up_system_follows_from_its_seed(name: str, tmp_path: Path) -> None:
    key = corefscore.read(small_key(tmp_path), columns="ne=11").documents
    named = cone_study.named_spans(key, NameOptions())
    assert sum(named) == 12 * 6
    noise = cone_study.SYSTEMS[name]
    one, again, other = (partition(cone_study.degraded(key, named, noise, seed)) for seed in ("1", "1", "2"))
    assert one == again
    assert one != other
    mentions, of_key = ({m for entity in its for m in entity} for its in (one, partition(key)))
    assert bool(of_key - mentions) == bool(noise.miss)
    assert bool(mentions - of_key) == bool(noise.invent)
    assert sum(map(len, one)) == len(mentions), "no mention stands twice"


def test_entities_with_a_named_mention_keep_all_their_mentions(tmp_path: Path) -> None:
    """G of section 4.1 of the paper, and an entity of two mentions without a name."""
    entities = [[(0, 0), (1, 1), (3, 3)], [(2, 2), (4, 4)]]
    (tmp_path / "key").write_text(tagged("A B c d e", entities, {(0, 0): "PER", (1, 1): "PER"}))
    key = corefscore.read(tmp_path / "key", columns="ne=11").documents
    left = cone_study.of_names(key, key, NameOptions())
    assert [sorted(start for _, start, _ in entity) for entity in partition(left)] == [[0, 1, 3]]


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ([1.0, 2, 3], [2.0, 4, 6], 1),
        ([1.0, 2, 3], [3.0, 2, 1], -1),
        # Deviations -1.5 -0.5 0.5 1.5 and -3 -2 -1 6: 14 / sqrt(5 * 50).
        ([1.0, 2, 3, 4], [0.0, 1, 2, 9], 14 / np.sqrt(250)),
        ([1.0, 1, 1], [1.0, 2, 3], None),
        ([1.0, 2], [1.0, 2], None),
    ],
)
def test_correlations(x: list[float], y: list[float], expected: float | None) -> None:
    found = cone_study.correlation(np.array(x), np.array(y))
    assert found == (None if expected is None else pytest.approx(expected))


@pytest.mark.outside
def test_the_script_prints_a_row_for_each_system_and_one_for_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = small_key(tmp_path)
    (tmp_path / "same.conll").write_bytes(key.read_bytes())
    arguments = [str(key), str(tmp_path / "same.conll"), "--degrade", "--window", "20"]
    plot = tmp_path / "plot.png"
    drawing = ["--plot", str(plot)] if find_spec("matplotlib") else []
    saved = tmp_path / "saved.csv"
    cone_study.main([*arguments, *drawing, "--csv", str(saved)])
    printed = capsys.readouterr().out
    assert printed.startswith("14 documents with a named mention (24 in all, from 12 of the file); 216 mentions, 72 ")
    assert printed.count("| all systems |") == printed.count("| mixed |") == 2
    assert printed.count("| same.conll | - | - | - | - |") == 2, "it is always right, so nothing varies"
    values = [float(value) for value in re.findall(r"-?\d\.\d\d(?= \|)", printed)]
    assert values
    assert all(-1 <= value <= 1 for value in values)
    rows = saved.read_text().splitlines()
    assert len(rows) == 1 + 2 * 2 * 8 * 2 * 3, "keys, targets, systems with all of them, pairs, scores"
    cells = [row.rsplit(",", 1)[1] for row in rows if ",f1," in row]
    assert sorted(cells) == sorted(re.findall(r"-?\d\.\d\d(?= \|)|(?<= )-(?= \|)", printed))
    cone_study.main([*arguments, "--seed", "1"])
    assert capsys.readouterr().out != printed
    cone_study.main(arguments)
    assert capsys.readouterr().out == printed
    if drawing:
        assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.conll", "--degrade"], "cone_study: missing.conll: No such file"),
        (["key.conll", "--degrade", "--ne-column", "10"], "cone_study: 0 documents have a named mention"),
    ],
)
def test_the_script_tells_what_is_wrong(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    small_key(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=message):
        cone_study.main(arguments)
    assert capsys.readouterr() == ("", "")


def test_the_script_is_a_program() -> None:
    words = [sys.executable, str(ROOT / "scripts" / "cone_study.py"), "key.conll"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "a response is needed, or --degrade" in done.stderr
    assert "Traceback" not in done.stderr


@WHOLE_CORPORA
def test_the_page_has_what_the_script_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cone_study.main([str(OPENBOEK), "--window", "500", "--degrade", "--csv", str(tmp_path / "rows")])
    assert (tmp_path / "rows").read_text() == (ROOT / "docs" / "cone-study.csv").read_text()
    page = (ROOT / "docs" / "cone-study.md").read_text()
    assert page.split("<!-- study -->\n")[1].split("<!-- /study -->")[0] == capsys.readouterr().out
