"""What several tests share: where the data is, and ways to run the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT / "testdata"
RECORDED = TESTDATA / "recorded"
CORPORA = ROOT.parent / "shared" / "corpora"

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


def command(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", path: Sequence[Path] = ()) -> Run:
    """Run the installed command in a process of its own; ``path`` goes in front of where Python looks."""
    program = Path(sys.executable).with_name("corefscore")
    environment = dict(os.environ)
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(map(str, path))
    done = subprocess.run(
        [program, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, env=environment, check=False
    )
    return Run(done.returncode, done.stdout, done.stderr)


def call(capture: pytest.CaptureFixture[bytes], *arguments: str | Path) -> Run:
    """The same within this process: for tests of many runs, where start-up would take all the time."""
    from corefscore.cli import run

    status = run([str(argument) for argument in arguments], "corefscore")
    return Run(status, *capture.readouterr())
