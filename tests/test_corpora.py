"""Real corpora, real responses, and what the official scorer printed for them; skipped where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import CORPORA, call

OUTPUTS = sorted(CORPORA.glob("*/official/*.txt"))
REFUSED = "human-reader-overlapped"

pytestmark = pytest.mark.skipif(not OUTPUTS, reason="../shared/corpora is not there")


def named(output: Path) -> str:
    return f"{output.parent.parent.name}-{output.stem}"


@pytest.mark.parametrize("output", [path for path in OUTPUTS if REFUSED not in path.name], ids=named)
def test_output_is_that_of_the_official_scorer(output: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    response, run = output.stem.rsplit(".", 1)
    metric, _, scope = run.partition("-")
    folder = output.parent.parent
    done = call(capfdbinary, metric, folder / "key.conll", folder / f"{response}.conll", *filter(None, [scope]))
    assert done.body == output.read_bytes()
    assert done.status == 0


def test_a_response_with_too_many_repeats_is_refused_and_each_is_listed(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """The official scorer refused this one (STATUS); 1,162 repeats, says the README of the corpora."""
    folder = CORPORA / "koconovel"
    done = call(capfdbinary, "muc", folder / "key.conll", folder / f"{REFUSED}.conll")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(str(folder / f"{REFUSED}.conll").encode())
    assert b"1162 later copies of 779 spans in 325 documents" in done.stderr
    assert done.stderr.count(b"error[repeated-mention]") == 779


def test_a_refused_response_is_scored_with_the_first_copies(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = CORPORA / "koconovel"
    done = call(capfdbinary, "muc", folder / "key.conll", folder / f"{REFUSED}.conll", "none", "--repeated", "first")
    assert done.status == 0
    assert b"... and 781 more notices [dropped-repeat]" in done.stderr  # 786 spans, 7 of them in the key


@pytest.mark.parametrize("corpus", ["litbank", "openboek"])
def test_a_key_scores_100_percent_against_itself(corpus: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    key = CORPORA / corpus / "key.conll"
    done = call(capfdbinary, "every", key, key, "none")
    results = [line for line in done.body.splitlines() if b"F1:" in line]
    assert len(results) == 14
    assert all(line.count(b"100%") == 3 for line in results)
