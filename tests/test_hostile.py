"""Input made to exhaust memory: what a run takes stays within a stated multiple of the input (docs/trust.md)."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import ROOT

SLACK = 1.25
"""How much more than `MEASURED` a run may take on another machine."""

AT_REST = 60 << 20
"""What a run takes for any input: the interpreter and its libraries, and buffers."""

SIZE = 1_000_000

BEGIN, END = b"#begin document d\n", b"#end document\n"


def lines(unit: bytes) -> bytes:
    """One document of that line again and again."""
    return BEGIN + unit * (SIZE // len(unit)) + END


def cell(unit: bytes) -> bytes:
    """One document of one token, whose cell is that piece again and again."""
    return BEGIN + b"w\t" + unit * (SIZE // len(unit)) + b"\n" + END


def numbered(line: bytes) -> bytes:
    """That line with a number of its own each time."""
    return b"".join(line % number for number in range(SIZE // len(line)))


def clusters(before: bytes, unit: bytes, behind: bytes) -> bytes:
    """One document of JSON lines, with that piece again and again in its clusters."""
    pieces = b",".join([unit] * (SIZE // len(unit)))
    return b'{"doc_key": "d", "clusters": [' + before + pieces + behind + b"]}\n"


HOSTILE: dict[str, Callable[[], bytes]] = {
    "many ids": lambda: BEGIN + numbered(b"w\t(%d)\n") + END,
    "ids of a hundred digits": lambda: BEGIN + numbered(b"w\t(%0100d)\n") + END,
    "deep nesting": lambda: BEGIN + b"w\t(1\n" * (SIZE // 10) + b"w\t1)\n" * (SIZE // 10) + END,
    "deep nesting of many ids": lambda: BEGIN + numbered(b"w\t(%d\n") + numbered(b"w\t%d)\n") + END,
    "deep nesting in one cell": lambda: BEGIN + b"w\t" + b"(1|" * 200_000 + b"\nw\t" + b"1)|" * 200_000 + b"\n" + END,
    "a cell without bars": lambda: cell(b"(1)"),
    "a cell of open brackets": lambda: cell(b"(1"),
    "a cell of brackets alone": lambda: cell(b"("),
    "a cell of discarded marks": lambda: cell(b"(1+2)"),
    "open brackets": lambda: lines(b"w\t(1\n"),
    "a giant entity": lambda: lines(b"w\t(1)\n"),
    "repeats": lambda: lines(b"w\t(1)|(2)\n"),
    "cells that are not plain": lambda: lines(b"w\t(x\n"),
    "a long line": lambda: cell(b"w"),
    "columns": lambda: lines(b"w\t" * 1000 + b"(1)\n"),
    "short lines": lambda: lines(b"w\n"),
    "empty lines": lambda: lines(b"\n"),
    "comments": lambda: lines(b"#\n"),
    "documents": lambda: numbered(b"#begin document %d\n#end document\n"),
    "documents with faults": lambda: numbered(b"#begin document %d\nw\t(1\n#end document\n"),
    "documents inside documents": lambda: numbered(b"#begin document %d\n"),
    "json of many mentions": lambda: clusters(b"[", b"[1, 2]", b"]"),
    "json of many clusters": lambda: clusters(b"", b"[[1, 2]]", b""),
    "json of clusters without mentions": lambda: clusters(b"", b"[]", b""),
    "json of mentions that are none": lambda: clusters(b"[", b"[2, 1]", b"]"),
    "json nested deeply": lambda: b'{"doc_key": "d", "clusters": ' + b"[" * SIZE + b"\n",
    "json of documents with faults": lambda: numbered(b'{"doc_key": "%d"}\n'),
    "json of lines that are none": lambda: b"{}\n" + b"x\n" * (SIZE // 20),
}

MEASURED: dict[str, tuple[int, int]] = {
    "many ids": (24, 26),
    "ids of a hundred digits": (15, 15),
    "deep nesting": (33, 66),
    "deep nesting of many ids": (26, 30),
    "deep nesting in one cell": (123, 156),
    "a cell without bars": (198, 199),
    "a cell of open brackets": (161, 217),
    "a cell of brackets alone": (69, 70),
    "a cell of discarded marks": (14, 26),
    "open brackets": (47, 83),
    "a giant entity": (34, 54),
    "repeats": (142, 152),
    "cells that are not plain": (10, 34),
    "short lines": (57, 117),
    "empty lines": (15, 24),
    "documents with faults": (73, 127),
    "documents inside documents": (0, 19),
    "json of many mentions": (60, 54),
    "json of many clusters": (57, 42),
    "json of documents with faults": (0, 101),
}
"""Bytes of memory for a byte of input, besides those at rest, of scoring and of validating beside a key: the table of
docs/trust.md. What is not here stays below `LITTLE`."""

LITTLE = 15

PROGRAM = (
    "import sys; from corefscore.cli import run\n"
    "status = run(sys.argv[1:], 'corefscore')\n"
    "peak = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
    "print(f'\\n{status} {peak}')\n"
)
"""What `resource.getrusage` tells would include the process that started this one."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by /proc")


def measured(*arguments: str | Path) -> tuple[int, int]:
    """The exit status of a run, and the memory that it took at its peak, in bytes."""
    command = [sys.executable, "-c", PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=True)
    status, peak = done.stdout.splitlines()[-1].split()
    return int(status), int(peak) * 1024


@pytest.mark.slow
@pytest.mark.parametrize("command", ["lea", "validate"])
@pytest.mark.parametrize("name", HOSTILE)
def test_memory_stays_within_a_multiple_of_the_input(name: str, command: str, tmp_path: Path) -> None:
    text = HOSTILE[name]()
    path = tmp_path / "hostile"
    path.write_bytes(text)
    arguments: dict[str, list[str | Path]] = {"lea": [path, path, "none"], "validate": [path, "--key", path]}
    status, peak = measured(command, *arguments[command])
    assert status in (0, 1)
    multiple = MEASURED.get(name, (LITTLE, LITTLE))[command == "validate"]
    assert peak <= AT_REST + SLACK * max(multiple, LITTLE) * len(text), (peak - AT_REST) / len(text)


def test_what_was_measured_is_what_is_tried_and_told() -> None:
    """The page has every number, rounded as there."""
    assert MEASURED.keys() <= HOSTILE.keys()
    page = (ROOT / "docs" / "trust.md").read_text()
    rows = dict(re.findall(r"^\| (.*?) \| (\d+ \| \d+ \| \d+) \|$", page, re.MULTILINE))
    told = {name: tuple(map(int, rows[name].split(" | ")))[::2] for name in MEASURED if name in rows}
    assert told == {name: MEASURED[name] for name in told}
    assert MEASURED.keys() - told.keys() == {"ids of a hundred digits"}


@pytest.mark.slow
def test_a_million_documents(tmp_path: Path) -> None:
    path = tmp_path / "documents.conll"
    path.write_bytes(b"".join(b"#begin document %d\nw\t(1)\nx\t(1)\n#end document\n" % d for d in range(1_000_000)))
    status, peak = measured("muc", path, path, "none")
    assert status == 0
    assert peak <= AT_REST + 24 * path.stat().st_size


def test_memory_does_not_grow_with_an_ordinary_corpus(tmp_path: Path) -> None:
    """Only counts and names are kept: 40 MB of ordinary documents take no more than any input does."""
    rows = b"".join(b"corpus\t0\t%d\t%s\tNN\t(NP*)\t-\t-\t-\tspeaker\t*\t-\n" % (n, b"word" * 3) for n in range(300))
    path = tmp_path / "corpus.conll"
    path.write_bytes(b"".join(b"#begin document %d\n%s#end document\n" % (d, rows) for d in range(2600)))
    status, peak = measured("muc", path, path, "none")
    assert status == 0
    assert peak <= AT_REST
