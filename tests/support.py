"""What several tests share: where the data is, and ways to run the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import cache, wraps
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple, TypeVar

import pytest
from forked import STREAMS, ask, open_streams

Row = TypeVar("Row")

ROOT = Path(__file__).parent.parent
TESTDATA = ROOT / "testdata"
RECORDED = TESTDATA / "recorded"
EXCERPTS = TESTDATA / "corpora"

CORPORA = ROOT.parent / "shared" / "corpora"
ABSENT = "the whole corpora are not here; a test of their excerpts is"
WHOLE_CORPORA = pytest.mark.skipif(not CORPORA.is_dir(), reason=ABSENT)
FURTHER = (pytest.mark.outside, WHOLE_CORPORA)
"""The marks of a row of a whole corpus, where a row of its excerpt stays with the quick tests."""

EXCERPTS_AND_WHOLE = [pytest.param(EXCERPTS, id="excerpts"), pytest.param(CORPORA, marks=FURTHER, id="whole")]

COMMAND = Path(sys.executable).with_name("corefscore")

PYTHON = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
"""What Python was told when the tests began."""

ENDED = ExitStack()
"""What ends with the tests (`conftest`)."""

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
    words = [str(COMMAND), *map(str, arguments)]
    done = subprocess.run(words, input=stdin, capture_output=True, cwd=cwd, env=searching(path), check=False)
    return Run(done.returncode, done.stdout, done.stderr)


def searching(path: Sequence[Path]) -> dict[str, str]:
    """The environment in which Python looks there first."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))} if path else dict(os.environ)


def command(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", path: Sequence[Path] = ()) -> Run:
    """The same, forked where possible from a process that has imported the command already (`forked`)."""
    python = {name: value for name, value in os.environ.items() if name.startswith("PYTHON")}
    if python != PYTHON or not hasattr(os, "fork"):
        return process(*arguments, cwd=cwd, stdin=stdin, path=path)
    with TemporaryFile() as given, TemporaryFile() as stdout, TemporaryFile() as stderr:
        given.write(stdin)
        given.seek(0)
        streams = [given.fileno(), stdout.fileno(), stderr.fileno()]
        status, _ = forked(*arguments, cwd=cwd, streams=streams, path=path)
        for stream in (stdout, stderr):
            stream.seek(0)
        return Run(status, stdout.read(), stderr.read())


def forked(
    *arguments: str | Path, cwd: Path | None = None, streams: Sequence[int], path: Sequence[Path] = ()
) -> tuple[int, float]:
    """Exit status and processor time of a forked run with these standard streams."""
    words = [str(COMMAND), *map(str, arguments)]
    return ask(str(server()), words, str(cwd or Path.cwd()), searching(path), streams)


def within(*arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"") -> Run:
    """The same within this process, four times as fast: for what does not depend on how the command is started."""
    with TemporaryFile() as given, TemporaryFile() as stdout, TemporaryFile() as stderr:
        given.write(stdin)
        given.seek(0)
        status = inside(*arguments, cwd=cwd, streams=[given.fileno(), stdout.fileno(), stderr.fileno()])
        for file in (stdout, stderr):
            file.seek(0)
        return Run(status, stdout.read(), stderr.read())


def inside(*arguments: str | Path, cwd: Path | None = None, streams: Sequence[int]) -> int:
    """Exit status of a run within this process with these standard streams."""
    from corefscore.cli import run

    folder, ours = Path.cwd(), (sys.stdin, sys.stdout, sys.stderr)
    kept = [os.dup(number) for number in STREAMS]
    try:
        os.chdir(cwd or folder)
        for number, descriptor in zip(STREAMS, streams, strict=True):
            os.dup2(descriptor, number)
        opened = sys.stdin, sys.stdout, sys.stderr = open_streams()
        status = run([str(argument) for argument in arguments], COMMAND.name)
        for stream in (*opened, sys.stdout, sys.stderr):
            stream.flush()
    finally:
        sys.stdin, sys.stdout, sys.stderr = ours
        for number, descriptor in zip(STREAMS, kept, strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.chdir(folder)
    return status


@cache
def server() -> Path:
    """The socket of the process that forks; beside it is a `corefscore` that asks it."""
    folder = ENDED.enter_context(TemporaryDirectory(prefix="corefscore-"))
    program = Path(__file__).with_name("forked.py")
    asking = Path(folder, COMMAND.name)
    asking.write_text(f"#!{sys.executable} -IS\n{program.read_text()}")
    asking.chmod(0o755)
    path = Path(folder, "socket")
    # It ends with its standard input, which this closes.
    started = ENDED.enter_context(
        subprocess.Popen(
            [sys.executable, program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"ready\n"
    return path


def loaded(late: Iterable[str], *calls: Sequence[str | Path]) -> list[str]:
    """Which of these modules are imported by calls of the command, all of them in one process.

    Whatever numpy imports by itself does not count: versions before 2 import `numpy.ma`.
    """
    runs = "".join(f"run({[str(word) for word in words]!r}, 'corefscore')\n" for words in calls)
    program = f"import sys, numpy; before = {{*sys.modules}}; from corefscore.cli import run\n{runs}"
    program += f"print(' '.join({set(late)!r} & {{*sys.modules}} - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.splitlines()[-1].split()


def together(
    parameter: str, rows: Sequence[Row], ids: Callable[[Row], str] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, for hundreds of rows that each take less time than a test does by itself.

    All are one test, whose failure names every row that fails. ``ROW=name`` in the environment runs one alone.
    """

    def decorated(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def of_all_rows(**fixtures: Any) -> None:
            failed: dict[str, Exception] = {}
            for row in rows:
                if os.environ.get("ROW", ids(row)) == ids(row):
                    try:
                        test(**fixtures, **{parameter: row})
                    except Exception as error:
                        failed[ids(row)] = error
            if failed:
                message = f"{len(failed)} of {len(rows)} fail, by {parameter}: {', '.join(failed)}"
                raise AssertionError(message) from next(iter(failed.values()))

        its = signature(test)
        others = [parameter_ for name, parameter_ in its.parameters.items() if name != parameter]
        of_all_rows.__signature__ = its.replace(parameters=others)  # type: ignore[attr-defined]
        del of_all_rows.__wrapped__
        return of_all_rows

    return decorated


def every_second(rows: Sequence[Row], ids: Callable[[Row], str]) -> list[Any]:
    """Rows of which every second one is left to `make test-outside`, since one takes long and most fail together."""
    return [
        pytest.param(row, id=ids(row), marks=[pytest.mark.outside] if at % 2 else []) for at, row in enumerate(rows)
    ]


def call(capture: pytest.CaptureFixture[bytes], *arguments: str | Path) -> Run:
    """The same within this process: for tests of many runs, where start-up would take all the time."""
    from corefscore.cli import run

    status = run([str(argument) for argument in arguments], "corefscore")
    return Run(status, *capture.readouterr())
