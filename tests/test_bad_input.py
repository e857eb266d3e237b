"""Every folder of ``testdata/bad``: the exit status and the whole message, through the real command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from support import TESTDATA, command

CASES = sorted((TESTDATA / "bad").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_message_tells_place_fault_and_remedy(case: Path) -> None:
    done = command(*shlex.split((case / "command.txt").read_text()), cwd=case)
    assert b"exit %d\n" % done.status + done.stderr == (case / "expected.txt").read_bytes()
    assert (done.stdout == b"") == (done.status != 0), "a refused run prints nothing on standard output"
