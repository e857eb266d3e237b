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


def recorded() -> list[Recorded]:
    runs = []
    for case in sorted(RECORDED.iterdir()):
        for run, official in json.loads((case / "status.json").read_text()).items():
            metric, _, scope = run.partition("-")
            name = {"": None, "none": "none", "name": official.get("name")}[scope]
            runs.append(Recorded(case, metric, name, official["exit"], case / f"{run}.txt"))
    return runs


RUNS = recorded()

SEVERAL = ("repeat-both-0013", "reordered-0054", "missing-document-0016", "extra-document-0089", "documents-0015")
"""Cases of several documents, with messages, in other orders, with documents that only one side has."""


def arguments(run: Recorded) -> list[str | Path]:
    name = [run.name] if run.name else []
    return [run.metric, run.case / "key.conll", run.case / "response.conll", *name]


def named(run: Recorded) -> str:
    return f"{run.case.name}-{run.output.stem}"


def test_there_are_runs_to_compare() -> None:
    assert len(RUNS) >= 1398


@pytest.mark.parametrize("run", [run for run in RUNS if run.status == 0], ids=named)
def test_output_is_that_of_the_official_scorer(run: Recorded, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, *arguments(run))
    assert done.body == run.output.read_bytes()
    assert done.status == 0


@pytest.mark.parametrize("run", [run for run in RUNS if run.status != 0], ids=named)
def test_what_it_refused_is_refused_without_output(run: Recorded, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, *arguments(run))
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[" in done.stderr


@pytest.mark.parametrize("run", [run for run in RUNS if run.status == 0 and run.case.name in SEVERAL], ids=named)
def test_output_is_the_same_when_every_document_is_a_batch(
    run: Recorded, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BLOCK", 256)
    monkeypatch.setattr(conll, "BATCH", 1)
    assert call(capfdbinary, *arguments(run)).body == run.output.read_bytes()
