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


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_refused_run_prints_nothing_on_standard_output(case: Path) -> None:
    refused = not (case / "expected.txt").read_bytes().startswith(b"exit 0")
    done = command(*shlex.split((case / "command.txt").read_text()), cwd=case)
    assert (done.stdout == b"") == refused
