"""What several tests share: where the data is, and ways to run the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT / "testdata"
RECORDED = TESTDATA / "recorded"
CORPORA = ROOT.parent / "shared" / "corpora"

COMMAND = Path(sys.executable).with_name("corefscore")

PYTHON = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
"""What Python was told when the tests began."""

VERSION_LINE = b"version: 8.01 corefscore "


class Run(NamedTuple):
    """What a run of the command printed, and its exit status."""

    status: int
    stdout: bytes
    stderr: bytes

    @property
    def body(self) -> bytes:
        """Standard output without the first line, which is ours."""
        first, _, rest = self.stdout.partition(b"\n")
        assert first.startswith(VERSION_LINE), self
        return rest


def process(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", path: Sequence[Path] = ()) -> Run:
    """Run the installed command in a process of its own; ``path`` goes in front of where Python looks."""
    environment = dict(os.environ)
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, env=environment, check=False
    )
    return Run(done.returncode, done.stdout, done.stderr)


def command(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", path: Sequence[Path] = ()) -> Run:
    """The same, forked where possible from a process that has imported the command already (`forked`)."""
    python = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    if path or python != PYTHON or not hasattr(os, "fork"):
        return process(*arguments, cwd=cwd, stdin=stdin, path=path)
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        streams = {name: Path(folder, name) for name in ("stdin", "stdout", "stderr")}
        for name, file in streams.items():
            file.write_bytes(stdin if name == "stdin" else b"")
        asked = {
            **{name: str(file) for name, file in streams.items()},
            "arguments": [str(COMMAND), *map(str, arguments)],
            "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ),
        }
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return Run(status, streams["stdout"].read_bytes(), streams["stderr"].read_bytes())


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks; it ends with its standard input."""
    program = [sys.executable, str(Path(__file__).with_name("forked.py"))]
    return subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)


def loaded(late: Iterable[str], *calls: Sequence[str | Path]) -> list[str]:
    """Which of these modules are imported by calls of the command, all of them in one process."""
    runs = "".join(f"run({[str(word) for word in words]!r}, 'corefscore')\n" for words in calls)
    program = f"import sys; from corefscore.cli import run\n{runs}print(' '.join({set(late)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.splitlines()[-1].split()


def call(capture: pytest.CaptureFixture[bytes], *arguments: str | Path) -> Run:
    """The same within this process: for tests of many runs, where start-up would take all the time."""
    from corefscore.cli import run

    status = run([str(argument) for argument in arguments], "corefscore")
    return Run(status, *capture.readouterr())
