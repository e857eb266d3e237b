"""The progress bar: on a terminal, for work that takes a while, and nowhere else."""

from __future__ import annotations

import gzip
import io
import re
import shutil
from pathlib import Path

import pytest
from corefscore.cli import output
from corefscore.core.sources import STEP, Source
from support import RECORDED, call

CASE = RECORDED / "documents-0015"
PAIR = (CASE / "key.conll", CASE / "response.conll")


class Screen(io.TextIOWrapper):
    """Standard error that says it is a terminal, or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.seek(0)
        return self.read()


@pytest.mark.parametrize(
    "call_of",
    [
        ["muc", "key", "response"],
        ["muc", "key.gz", "response.jsonl"],
        ["rank", "key", "a=response", "--measures", "muc", "--sort", "muc", "--trials", "1"],
        ["convert", "key", "out"],
        ["validate", "response.jsonl", "--key", "key"],
    ],
    ids=" ".join,
)
def test_the_bar_begins_early_and_ends_at_all(
    call_of: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """What is read counts as it lies in the file, in every format and by every command."""
    shutil.copy(PAIR[0], tmp_path / "key")
    shutil.copy(PAIR[1], tmp_path / "response")
    (tmp_path / "key.gz").write_bytes(gzip.compress(PAIR[0].read_bytes()))
    monkeypatch.chdir(tmp_path)
    call(capfdbinary, "convert", "response", "response.jsonl")
    monkeypatch.setattr("sys.stderr", screen := Screen(True))
    monkeypatch.setattr(output, "DELAY", 0.0)
    call(capfdbinary, *call_of)
    shown = [int(percent) for percent in re.findall(r"(\d+)%", screen.text())]
    assert shown[0] < 100
    assert shown[-1] == 100


@pytest.mark.parametrize(
    ("terminal", "delay", "shown"),
    [
        pytest.param(True, 0.0, True, id="slow work on a terminal"),
        pytest.param(True, 1e9, False, id="quick work on a terminal"),
        pytest.param(False, 0.0, False, id="slow work in a pipe"),
    ],
)
def test_the_bar_is_for_people_who_wait(
    terminal: bool,
    delay: float,
    shown: bool,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    screen = Screen(terminal)
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(output, "DELAY", delay)
    done = call(capfdbinary, "muc", *PAIR)
    assert done.body == (CASE / "muc.txt").read_bytes()
    assert ("reading" in screen.text()) == shown
    assert not shown or "100%" in screen.text()


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_trials_have_a_bar(
    name: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    quiet = call(capfdbinary, name, PAIR[0], *PAIR, "--measures", "conll")
    monkeypatch.setattr("sys.stderr", screen := Screen(True))
    monkeypatch.setattr(output, "DELAY", 0.0)
    assert call(capfdbinary, name, PAIR[0], *PAIR, "--measures", "conll").stdout == quiet.stdout
    shown = screen.text().rpartition("reading")[2]
    assert "resampling" in shown
    assert "100%" in shown.rpartition("resampling")[2]


def test_a_file_read_as_a_whole_moves_the_bar_as_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"w\n" * (3 << 20))
    steps: list[int] = []
    source = Source(str(path))
    source.watch = steps.append
    assert len(source.read()) == sum(steps) == 6 << 20
    assert max(steps) <= STEP


def test_there_is_no_bar_where_the_size_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Screen(terminal=True))
    with output.progress(["-"]) as watch:
        assert watch is None


def test_a_folder_without_files_does_not_hide_the_others_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("sys.stderr", screen := Screen(terminal=True))
    assert b"notice[overlapping-mentions]" in call(capfdbinary, "validate", tmp_path, PAIR[0]).stdout
    assert f"corefscore: {tmp_path}: the folder contains no visible file\n" in screen.text()
