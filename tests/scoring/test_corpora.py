"""Real corpora, real responses, and what the official scorer printed for them; whole where they are there."""

from __future__ import annotations

from pathlib import Path

import corefscore
import pytest
from corefscore.metrics import find
from support import CORPORA, EXCERPTS, EXCERPTS_AND_WHOLE, FURTHER, WHOLE_CORPORA, call

REFUSED = "human-reader-overlapped"


def named(output: Path) -> str:
    return f"{output.parent.parent.name}-{output.stem}"


OUTPUTS = [
    pytest.param(path, marks=() if corpora == EXCERPTS else FURTHER, id=named(path))
    for corpora in (EXCERPTS, CORPORA)
    for path in sorted(corpora.glob("*/official/*.txt"))
    if REFUSED not in path.name
]


@pytest.mark.parametrize("output", OUTPUTS)
def test_output_is_that_of_the_official_scorer(output: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    response, run = output.stem.rsplit(".", 1)
    metric, _, scope = run.partition("-")
    folder = output.parent.parent
    done = call(capfdbinary, metric, folder / "key.conll", folder / f"{response}.conll", *filter(None, [scope]))
    assert done.body == output.read_bytes()
    assert done.status == 0


@WHOLE_CORPORA
def test_a_response_with_too_many_repeats_is_refused_with_five_of_them(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """The official scorer refused this one (STATUS); 1,162 repeats, says the README of the corpora."""
    folder = CORPORA / "koconovel"
    done = call(capfdbinary, "muc", folder / "key.conll", folder / f"{REFUSED}.conll")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(str(folder / f"{REFUSED}.conll").encode())
    assert b"there are 1162 extra copies of 779 spans in 325 documents" in done.stderr
    assert done.stderr.count(b"error[repeated-mention]") == 5
    assert b"\n... and 774 more errors [repeated-mention]\n" in done.stderr
    assert len(done.stderr.splitlines()) == 13


@WHOLE_CORPORA
def test_a_refused_response_is_scored_with_the_first_copies(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder = CORPORA / "koconovel"
    done = call(capfdbinary, "muc", folder / "key.conll", folder / f"{REFUSED}.conll", "none", "--repeated", "first")
    assert done.status == 0
    assert b"... and 781 more notices [dropped-repeat]" in done.stderr  # 786 spans, 7 of them in the key


@pytest.mark.parametrize("corpora", EXCERPTS_AND_WHOLE)
@pytest.mark.parametrize("corpus", ["litbank", "openboek"])
def test_a_key_scores_100_percent_against_itself(
    corpora: Path, corpus: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key = corpora / corpus / "key.conll"
    done = call(capfdbinary, "every", key, key, "none")
    results = [line for line in done.body.splitlines() if b"F1:" in line]
    assert len(results) == 14
    assert all(line.count(b"100%") == 3 for line in results)


@pytest.mark.parametrize(("corpora", "f1"), [(EXCERPTS, 36 / 71), pytest.param(CORPORA, 0.1980, marks=FURTHER)])
def test_singletons_of_a_key_count_for_lea(corpora: Path, f1: float) -> None:
    """What the note of LEA says: all key mentions of LitBank as singletons. Without singletons, nothing is left. Of the
    71 mentions of the excerpts, 36 are singletons in the key, too."""
    key = corefscore.read(corpora / "litbank" / "key.conll").documents
    entities: dict[str, dict[int, list[int]]] = {name: {} for name in key.names}
    for mention, (entity, document) in enumerate(
        zip(key.entity.tolist(), key.document[key.entity].tolist(), strict=True)
    ):
        entities[key.names[document]].setdefault(entity, []).append(mention)
    whole = {name: list(its.values()) for name, its in entities.items()}
    alone = {name: [[mention] for entity in its for mention in entity] for name, its in whole.items()}
    assert corefscore.score(whole, alone, "lea")["lea"].f1 == pytest.approx(f1, abs=5e-5)
    assert "on LitBank, a response with each key mention as a singleton gets F1 19.80" in find("lea").described()[3]
    assert corefscore.score(whole, alone, "lea", singletons="drop")["lea"].f1 == 0
