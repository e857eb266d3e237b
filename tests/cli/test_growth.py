"""Time grows in proportion to the input: four times the input takes far less than sixteen times the processor time."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.core.sources import Source
from corefscore.formats.conll import reader
from hostile import HOSTILE, Made
from support import call, forked

pytestmark = pytest.mark.outside
"""Each row takes seconds of processor time."""

TIMES = 4
"""How many times as large the larger input is."""

PACKAGE = str(Path(corefscore.__file__).parent)

AT_MOST = 9
"""How many times as long it may take: between 4, of what is linear, and 16, of what is quadratic."""

SLACK = 0.2
"""Seconds of processor time that always may come on top: of imports, of another process in the same core."""


def long_names(side: str) -> Made:
    """Documents with names of a tenth of the size each, none of them on the other side, and of rare letters."""

    def made(size: int) -> bytes:
        random = Random(side)
        names = ["".join(chr(random.randrange(0x4E00, 0x4F00)) for _ in range(size // 30)) for _ in range(10)]
        return b"".join(b"#begin document %s\n#end document\n" % name.encode() for name in names)

    return made


def fields_beside(size: int) -> bytes:
    """A document for every fifty bytes, each with a field of its own."""
    return HOSTILE["json of a field of its own each"](size)


def tagged(unit: bytes, before: bytes = b"") -> Made:
    """Tagged text of that piece again and again, behind another one as often."""
    return lambda size: b"%b a %b" % (before * (size // len(before + unit)), unit * (size // len(before + unit)))


def quoted(side: str, part: float, copies: int = 1) -> Made:
    """A text of words that are rare, as a key or as an answer that has part of it, or several copies."""

    def made(size: int) -> bytes:
        words = [f"w{at * 7919 % 99991}x{at % 13}" for at in range(size // 10)]
        if side == "key":
            return b"#begin document (1); part 000\n%b#end document\n" % b"".join(
                b"%b\t-\n" % w.encode() for w in words
            )
        return (" ".join(words[: int(part * len(words))]) + " [a](#1) ").encode() * copies

    return made


SCORED = ["lea", "0", "1", "none", "--input-format", "response=tagged"]
"""The call for an answer beside a key."""

KEY = quoted("key", 1)

ROWS: dict[str, tuple[int, Sequence[Made], Sequence[str]]] = {
    "a cell of digits": (80_000, [HOSTILE["a cell of digits"]] * 2, ["lea", "0", "1", "none"]),
    "a field twice": (400_000, [HOSTILE["json of a field twice"]] * 2, ["lea", "0", "1", "none"]),
    "a field of its own each": (600_000, [fields_beside], ["convert", "0", "/dev/null"]),
    "a word of many subtokens": (300_000, [HOSTILE["json of a word of many subtokens"]], ["convert", "0", "/dev/null"]),
    "an array": (2_000_000, [HOSTILE["json in an array"]] * 2, ["lea", "0", "1", "none"]),
    "an array of one object": (4_000_000, [HOSTILE["json in an array of one object"]], ["validate", "0"]),
    "a text of mentions": (800_000, [HOSTILE["json of a text of mentions"]] * 2, ["lea", "0", "1", "none"]),
    "words of mentions": (800_000, [HOSTILE["json of words of mentions"]], ["validate", "0"]),
    "an answer of brackets": (200_000, [KEY, tagged(b"[")], SCORED),
    "an answer of brackets that close nothing": (200_000, [KEY, tagged(b"](#1)")], SCORED),
    "an answer nested 100,000 deep": (200_000, [KEY, tagged(b"](#1)", b"[")], SCORED),
    "an answer of one tag": (200_000, [KEY, tagged(b"[a](#1) ")], SCORED),
    "half an answer": (400_000, [KEY, quoted("answer", 0.5)], SCORED),
    "a text twice": (400_000, [KEY, quoted("answer", 1, 2)], SCORED),
    "tags without an answer, validated": (400_000, [tagged(b"](#1)", b"[[")], ["validate", "0"]),
    "long names": (240_000, [long_names("key"), long_names("response")], ["muc", "0", "1", "none"]),
}
"""The larger size, what makes the files, and the call, with files by number."""

LONG = {"an array", "an array of one object", "a field of its own each", "a text of mentions", "words of mentions"}
"""Those that take seconds."""


def seconds(*arguments: str) -> float:
    """The processor time of the command, that of the kernel left out."""
    with Path(os.devnull).open("r+") as nothing:
        return forked(*arguments, streams=[nothing.fileno()] * 3)[1]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in ROWS]
)
def test_time_grows_in_proportion(name: str, tmp_path: Path) -> None:
    size, makers, words = ROWS[name]

    def taken(size: int) -> float:
        for number, make in enumerate(makers):
            (tmp_path / str(number)).write_bytes(make(size))
        return seconds(*(str(tmp_path / word) if word.isdigit() else word for word in words))

    start = min(taken(1000) for _ in range(2))
    # What is quadratic is too slow every time; another process only now and then.
    assert any(taken(size) - start <= AT_MOST * max(0.0, taken(size // TIMES) - start) + SLACK for _ in range(3))


def counting(calls: list[object], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with a mark in ``calls`` for each call."""

    def counted(*given: Any) -> Any:
        calls.append(given)
        return function(*given)

    return counted


def test_a_file_is_read_again_once_however_many_batches_have_repeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    sides = tmp_path / "key", tmp_path / "response"
    for path in sides:
        path.write_text("".join(f"#begin document {d}\nw\t(1)|(1)\n#end document\n" for d in range(40)))
    reads: list[object] = []
    monkeypatch.setattr(Source, "numbered_lines", counting(reads, Source.numbered_lines))
    monkeypatch.setattr(reader, "BATCH", 100)
    monkeypatch.setattr(reader, "BLOCK", 100)
    assert call(capfdbinary, "lea", *sides, "none", "--repeated", "first").status == 0
    assert len(reads) == 2  # once for each side


class Elements:
    """numpy, with the elements of all arrays counted that its functions are given or give, and those of what operators
    compute from the latter."""

    count = 0

    def __getattr__(self, name: str) -> Any:
        its = getattr(np, name)
        if isinstance(its, (type, np.ufunc)) or not callable(its):
            return its

        def counted(*given: Any, **more: Any) -> Any:
            found = its(*given, **more)
            results = found if isinstance(found, tuple) else (found,)
            looked_at = given[1:] if name == "searchsorted" else given
            Elements.count += sum(each.size for each in (*looked_at, *results) if isinstance(each, np.ndarray))
            watched = [each.view(Counted) if isinstance(each, np.ndarray) else each for each in results]
            return tuple(watched) if isinstance(found, tuple) else watched[0]

        return counted


class Counted(np.ndarray[Any, Any]):
    """An array that an operator, or a choice of elements, adds to the count."""

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        def plain(its: Any) -> Any:
            if isinstance(its, tuple):
                return tuple(map(plain, its))
            return its.view(np.ndarray) if isinstance(its, Counted) else its

        Elements.count += max(np.size(each) for each in given)
        found = getattr(ufunc, method)(*plain(given), **{name: plain(its) for name, its in more.items()})
        return found.view(Counted) if isinstance(found, np.ndarray) else found

    def __getitem__(self, which: Any) -> Any:
        Elements.count += np.size(which) if isinstance(which, np.ndarray) else 1
        return super().__getitem__(which)


def elements(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """The elements of arrays that a run touches anywhere in the package."""
    with monkeypatch.context() as patched:
        for name, module in list(sys.modules.items()):
            if name.startswith("corefscore.") and getattr(module, "np", None) is np:
                patched.setattr(module, "np", Elements())
        Elements.count = 0
        run()
    return Elements.count


def lines(run: Callable[[], object]) -> int:
    """The lines of the package that a run passes."""
    count = 0

    def traced(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event in {"line", "call"}
        return traced if PACKAGE in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("words", [30, 0], ids=["windows", "other text"])
def test_pieces_of_a_document_take_time_in_their_own_length(
    words: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Pieces that overlap by half, some words changed, or of other text: four times the key and the pieces."""

    def touched(size: int) -> int:
        text = [f"w{at * 7919 % 99991}" for at in range(size)]
        document = {"doc_key": "d", "sentences": [text], "clusters": [[[0, 0]]]}
        (tmp_path / "key").write_text(json.dumps(document) + "\n")
        pieces = [text[at : at + words] or [f"x{at}y{other}" for other in range(30)] for at in range(0, size, 15)]
        answers = (" ".join(["[a](#1)", *its[:7], "other", *its[8:]]) for its in pieces)
        lines = (json.dumps({"doc_key": "d", "answer": answer}) + "\n" for answer in answers)
        (tmp_path / "answers").write_text("".join(lines))
        asked = "lea", tmp_path / "key", tmp_path / "answers", "none", "--quiet"
        return elements(lambda: call(capfdbinary, *asked), monkeypatch)

    assert touched(4 * 1200) < 6 * touched(1200)


def test_files_with_faults_take_time_in_their_own_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = "w (1\nw 1)\n" * 20 + "w (2\n"

    def touched(files: int) -> int:
        (folder := tmp_path / str(files)).mkdir()
        for number in range(files):
            (folder / f"{number}.conll").write_text(f"#begin document {number}\n{lines}#end document\n")
        return elements(lambda: call(capfdbinary, "validate", folder), monkeypatch)

    assert touched(4 * 40) < 6 * touched(40)


def conll(documents: Iterable[Iterable[str]]) -> str:
    """CoNLL of the cells of each document."""
    texts = ("".join(f"w{at}\t{cell}\n" for at, cell in enumerate(cells)) for cells in documents)
    return "".join(f"#begin document (d{at}); part 000\n{text}#end document\n" for at, text in enumerate(texts))


def small_documents(size: int) -> list[str]:
    """Documents of eight tokens and four mentions; the response confuses some."""
    return [conll([[f"({(at + d) // by % 3})", "-"][at % 2] for at in range(8)] for d in range(size)) for by in (2, 3)]


def chained(size: int) -> list[str]:
    """One connected group of entities: each of the response has mentions of two of the key."""
    return [conll([f"({(at + shift) // 4})" for at in range(size)] for _ in "d") for shift in (0, 1)]


def alone(size: int) -> list[str]:
    """A document of entities of one mention, half of which only one side has."""
    return [
        conll([f"({at})" if at % 4 in found else "-" for at in range(size)] for _ in "d") for found in ((0, 1), (1, 2))
    ]


def odd(size: int) -> list[str]:
    """Documents with a repeated mention and overlapping ones each."""
    cells = ["(1)|(1)", "(2|(2", "2)", "2)", "-", "-"]
    return [conll(cells for _ in range(size))] * 2


GROWING: dict[str, tuple[Callable[[int], list[str]], int]] = {
    "documents": (small_documents, 200),
    "a connected group": (chained, 800),
    "singletons": (alone, 400),
    "notices": (odd, 100),
}
"""What makes both sides, and how many documents or tokens of it the smaller run has."""

CALLS: dict[str, Sequence[str]] = {
    "score": ["conll", "key", "response"],
    "errors": ["errors", "key", "response", "--pronouns", "none"],
    "errors as data": ["errors", "key", "response", "--pronouns", "none", "--format", "json"],
    "two responses": ["errors", "key", "response", "key", "--pronouns", "none"],
    "diff": ["diff", "key", "response", "--pronouns", "none"],
    "page": ["diff", "key", "response", "--pronouns", "none", "--html", "page"],
    "validate": ["validate", "key"],
    "validate with a key": ["validate", "response", "--key", "key"],
    "convert": ["convert", "key", "text.jsonl"],
    "compare": ["compare", "key", "response", "key", "--trials", "20"],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("of", GROWING)
def test_calls_take_work_in_proportion(
    of: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Lines of the package that are run and elements of arrays, each four times as many, or a little more since sorting
    takes more; what is quadratic in a tenth of the work already is noticed."""
    make, size = GROWING[of]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reader, "BATCH", 500)
    monkeypatch.setattr(reader, "BLOCK", 1000)

    def run() -> None:
        assert call(capfdbinary, *CALLS[name]).status in (0, 1)

    def worked(size: int) -> tuple[int, int]:
        for side, text in zip(("key", "response"), make(size), strict=True):
            Path(side).write_text(text)
        return lines(run), elements(run, monkeypatch)

    worked(2)  # imports modules, and fills what is kept
    few, some, many = (worked(each) for each in (size, 2 * size, 4 * size))
    for less, twice, more in zip(few, some, many, strict=True):
        assert more - twice < 2.5 * (twice - less), name
