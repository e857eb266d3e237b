"""Memory grows in proportion to the documents, and takes so much for each: counted by tracemalloc, without a clock."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import pytest
from corefscore.formats.conll import reader
from support import call

DOCUMENTS = 150
"""Of six tokens each, in the smallest run; the others have twice and four times as many."""

CALLS: dict[str, tuple[int, Sequence[str]]] = {
    "score": (400, ["conll", "key", "response", "none"]),
    "errors": (1500, ["errors", "key", "response", "--pronouns", "none"]),
    "diff": (1200, ["diff", "key", "response", "--pronouns", "none"]),
    "compare": (4000, ["compare", "key", "response", "key", "--trials", "20"]),
}
"""The most bytes that a further document may take, somewhat more than it took, and the call."""


def text(documents: int, by: int) -> str:
    """Documents of six tokens and four mentions; ``by`` decides which entity of two they are in."""
    cells = [
        ["-" if at in (d % 6, (d + 3) % 6) else f"({(at + d) // by % 2})" for at in range(6)] for d in range(documents)
    ]
    lines = ("".join(f"nw\t0\tw{at}\t{cell}\n" for at, cell in enumerate(its)) for its in cells)
    return "".join(f"#begin document (nw/{d:06}); part 000\n{its}#end document\n" for d, its in enumerate(lines))


@pytest.mark.outside
@pytest.mark.parametrize("name", CALLS)
def test_a_document_takes_so_much_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    most, arguments = CALLS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reader, "BATCH", 10_000)
    monkeypatch.setattr(reader, "BLOCK", 10_000)

    def peak(documents: int) -> int:
        for side, by in (("key", 2), ("response", 3)):
            Path(side).write_text(text(documents, by))
        tracemalloc.start()
        try:
            assert call(capfdbinary, *arguments).status == 0
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(2)  # imports modules
    few, some, many = (peak(times * DOCUMENTS) for times in (1, 2, 4))
    assert many - some < 3.5 * (some - few)  # of what is linear twice, of what is quadratic four times
    assert many - some < most * 2 * DOCUMENTS


def test_a_notice_in_a_large_document_takes_no_memory_for_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    tokens = "".join(f"nw\t0\tw{number}\t-\n" for number in range(20_000))
    peaks = []
    for cell in ("(1)", "(1)|(1)"):  # the second is repeated, which a notice says with its words
        Path("key").write_text(f"#begin document (nw); part 000\n{tokens}nw\t0\tlast\t{cell}\n#end document\n")
        call(capfdbinary, "muc", "key", "key", "none")  # imports modules
        tracemalloc.start()
        try:
            assert (b"last" in call(capfdbinary, "muc", "key", "key", "none").stderr) == ("|" in cell)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 20 * 20_000, "a word of its own for each token takes more than twenty bytes"
