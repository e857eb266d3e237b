"""What the official scorer printed, byte for byte: every recorded run of every recorded case.

A case is a folder of ``testdata/recorded``; adding one is adding a folder. See ``testdata/README.md``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from corefscore.formats.conll import reader as conll
from support import RECORDED, call


class Recorded(NamedTuple):
    """One run: the case, the metric, the NAME argument, the official exit status, the output."""

    case: Path
    metric: str
    name: str | None
    status: int
    output: Path

    def arguments(self) -> list[str | Path]:
        name = [self.name] if self.name else []
        return [self.metric, self.case / "key.conll", self.case / "response.conll", *name]


def recorded(case: Path) -> list[Recorded]:
    runs = []
    for run, official in json.loads((case / "status.json").read_text()).items():
        metric, _, scope = run.partition("-")
        name = {"": None, "none": "none", "name": official.get("name")}[scope]
        runs.append(Recorded(case, metric, name, official["exit"], case / f"{run}.txt"))
    return runs


CASES = {case.name: recorded(case) for case in sorted(RECORDED.iterdir())}

SEVERAL = ("repeat-both-0013", "reordered-0054", "missing-document-0016", "extra-document-0089", "documents-0015")
"""Cases of several documents, with messages, in other orders, with documents that only one side has."""


def test_there_are_runs_to_compare() -> None:
    assert sum(map(len, CASES.values())) >= 1398


def assert_same_output(runs: list[Recorded], capture: pytest.CaptureFixture[bytes]) -> None:
    """The output of each run, by the name of its file: a difference names the files that differ."""
    scored = [run for run in runs if run.status == 0]
    done = {run.output.name: call(capture, *run.arguments()) for run in scored}
    expected = {run.output.name: (0, run.output.read_bytes()) for run in scored}
    assert {name: (its.status, its.body) for name, its in done.items()} == expected


@pytest.mark.parametrize("case", CASES)
def test_output_is_that_of_the_official_scorer(case: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert_same_output(CASES[case], capfdbinary)


@pytest.mark.parametrize("case", [case for case, runs in CASES.items() if any(run.status for run in runs)])
def test_what_it_refused_is_refused_without_output(case: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for run in CASES[case]:
        if run.status:
            done = call(capfdbinary, *run.arguments())
            assert (done.status, done.stdout) == (1, b""), run.output.name
            assert b"error[" in done.stderr, run.output.name


@pytest.mark.parametrize("case", SEVERAL)
def test_output_is_the_same_when_every_document_is_a_batch(
    case: str, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BLOCK", 256)
    monkeypatch.setattr(conll, "BATCH", 1)
    assert_same_output(CASES[case], capfdbinary)
