"""Every folder of ``testdata/bad``, and those of the dialects of JSON: the exit status and the whole message of the
command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support import TESTDATA, call

CASES = [
    *sorted((TESTDATA / "bad").iterdir()),
    *sorted(path.parent for path in TESTDATA.glob("dialects/*/*/command.txt")),
]


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{'' if case.parent.name == 'bad' else case.parent.name + '-'}{case.name}"
)
def test_the_message_tells_place_fault_and_remedy(
    case: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(case)
    done = call(capfdbinary, *shlex.split((case / "command.txt").read_text()))
    assert b"exit %d\n" % done.status + done.stderr == (case / "expected.txt").read_bytes()
    assert (done.stdout == b"") == (done.status != 0), "a refused run prints nothing on standard output"
