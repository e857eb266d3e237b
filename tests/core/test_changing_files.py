"""Files that change while they are read: a message, whatever changes and whenever."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from corefscore.core.sources import Source
from corefscore.formats.conll import reader
from support import Run, call

Change = Callable[[Path], object]


def replaced(path: Path) -> None:
    """Another file of the same size under the same name."""
    other = path.with_name("other")
    other.write_bytes(b"x" * path.stat().st_size)
    other.replace(path)


CHANGES: dict[str, Change] = {
    "replaced": replaced,
    "truncated": lambda path: os.truncate(path, 0),
    "cut": lambda path: os.truncate(path, 60),
    "appended": lambda path: path.write_bytes(path.read_bytes() * 2),
    "deleted": os.unlink,
}

CONLL = "#begin document (a); part 000\n{}#end document\n"
LINES = '{"doc_key": "a", "sentences": [["w", "x"]], "clusters": [[[0, 1], [0, 1]]], "more": 1}\n'

FILES = {
    "fault.conll": CONLL.format("a\t0\t0\tw\t(1\n" * 20),
    "repeat.conll": CONLL.format("a\t0\t0\tw\t(1)|(2)\n" * 20),
    "other.conll": CONLL.format("a\t0\t0\tx\t(1)\n" * 20),
    "lines.jsonl": LINES,
}
"""What makes a command look into a file again."""

CALLS = (
    "muc other.conll fault.conll",
    "muc other.conll repeat.conll --repeated refuse",
    "muc repeat.conll other.conll --repeated first",
    "muc other.conll lines.jsonl --repeated first",
    "validate fault.conll",
    "validate lines.jsonl",
    "validate repeat.conll --key other.conll",
    "validate repeat.conll --fix out",
    "convert repeat.conll -",
    "convert lines.jsonl out",
    "compare other.conll repeat.conll other.conll --trials 10 --repeated first",
)


def changed_at(monkeypatch: pytest.MonkeyPatch, name: str, change: Change, when: int) -> list[int]:
    """Change a file right before it is opened for the time ``when``, counted from 0; returns the number of times."""
    opened = [0]
    real = Source.reading

    def hooked(self: Source) -> AbstractContextManager[io.BufferedReader]:
        if os.path.basename(self.path) == name:
            if opened[0] == when:
                change(Path(self.path))
            opened[0] += 1
        return real(self)

    monkeypatch.setattr(Source, "reading", hooked)
    return opened


def run_in(folder: Path, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes], line: str) -> Run:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return call(capture, *line.split())


@pytest.mark.parametrize("line", CALLS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changed_when_it_is_looked_at_again_is_told(
    change: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """At each later time that the command opens it."""
    name = next(word for word in line.split() if word in ("fault.conll", "repeat.conll", "lines.jsonl"))
    (tmp_path / "whole").mkdir()
    with monkeypatch.context() as patch:
        times = changed_at(patch, name, lambda path: None, -1)
        run_in(tmp_path / "whole", patch, capfdbinary, line)
    assert times[0] > 1, "this call is no test of looking again"
    for when in range(1, times[0]):
        folder = tmp_path / str(when)
        folder.mkdir()
        with monkeypatch.context() as patch:
            changed_at(patch, name, CHANGES[change], when)
            done = run_in(folder, patch, capfdbinary, line)
        assert done.status == 2
        assert f"{name}: this file changed while it was read; try again".encode() in done.stderr
        assert not (folder / "out").exists()


@pytest.mark.parametrize("name", ["repeat.conll", "lines.jsonl"])
@pytest.mark.parametrize("change", [change for change in CHANGES if change not in ("replaced", "deleted")])
def test_a_file_that_changes_within_one_reading_is_told(
    change: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Replaced or deleted files are read to their end by who has them open."""
    path = tmp_path / name
    path.write_text(FILES[name] * 500 if name == "lines.jsonl" else CONLL.format("a\t0\t0\tw\t(1)\n" * 5000))
    real: Callable[..., Iterator[Any]] = reader._blocks if name == "repeat.conll" else Source.numbered_lines
    seen = 0

    def hooked(*source: Any) -> Iterator[Any]:
        nonlocal seen
        for item in real(*source):
            seen += 1
            if seen == 2:
                CHANGES[change](path)
            yield item

    monkeypatch.setattr(reader, "BLOCK", 1 << 14)
    if name == "repeat.conll":
        monkeypatch.setattr(reader, "_blocks", hooked)
    else:
        monkeypatch.setattr(Source, "numbered_lines", hooked)
    done = call(capfdbinary, "muc", path, path)
    assert (done.status, done.stdout) == (2, b"")
    assert b"this file changed while it was read" in done.stderr


def test_lines_that_are_not_there_any_more_are_told(tmp_path: Path) -> None:
    """Where nothing else shows that the file is another one."""
    path = tmp_path / "file"
    path.write_text("one line\n")
    with pytest.raises(Exception, match="this file changed while it was read"):
        Source(str(path)).lines_at([3])
