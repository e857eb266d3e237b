"""The progress bar: on a terminal, for work that takes a while, and nowhere else."""

from __future__ import annotations

import io

import pytest
from support import RECORDED, call

from scorer.cli import progress

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
    monkeypatch.setattr(progress, "DELAY", delay)
    done = call(capfdbinary, "muc", *PAIR)
    assert done.body == (CASE / "muc.txt").read_bytes()
    assert ("reading" in screen.text()) == shown
    assert not shown or "100%" in screen.text()


def test_there_is_no_bar_where_the_size_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", Screen(terminal=True))
    with progress.progress(["-"], None) as watch:
        assert watch is None
