"""Input made to exhaust memory: what a run takes stays within a stated multiple of the input (docs/trust.md)."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
import sys
from collections.abc import Sequence
from cProfile import Profile
from pathlib import Path

import pytest
from corefscore.cli import run
from hostile import ANSWERS, CORPUS, HOSTILE, lines
from support import ROOT, within

SLACK = 1.25
"""How much more than `MEASURED` a run may take on another machine."""

AT_REST = 60 << 20
"""What a run takes for any input: the interpreter and its libraries, and buffers."""

SIZE = 1_000_000

MEASURED: dict[str, tuple[int, int]] = {
    "many ids": (13, 26),
    "ids of a hundred digits": (0, 0),
    "deep nesting": (21, 53),
    "deep nesting of many ids": (17, 30),
    "deep nesting in one cell": (89, 121),
    "a cell without bars": (160, 188),
    "a cell of open brackets": (81, 107),
    "a cell of brackets alone": (0, 0),
    "a cell of discarded marks": (44, 34),
    "open brackets": (23, 58),
    "a giant entity": (17, 40),
    "repeats": (182, 173),
    "cells that are not plain": (29, 31),
    "short lines": (104, 112),
    "empty lines": (25, 24),
    "documents with faults": (27, 42),
    "documents inside documents": (0, 24),
    "json of many mentions": (61, 58),
    "json of many clusters": (57, 48),
    "json of documents with faults": (0, 248),
    "comments": (46, 46),
}
"""Bytes of memory for a byte of input, besides those at rest, of scoring and of validating beside a key."""

SMALL = ("a long line", "columns", "documents")
"""Input that takes less than `LITTLE` times its size."""

LITTLE = 15

PROGRAM = (
    "import json, sys; from corefscore.cli import run\n"
    "for words in json.loads(sys.argv[1]): status = run(words, 'corefscore')\n"
    "peak = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
    "print(f'\\n{status} {peak}')\n"
)
"""What `resource.getrusage` tells would include the process that started this one."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by /proc")


def measured(*arguments: str | Path) -> tuple[int, int]:
    """The exit status of a run, and the memory that it took at its peak, in bytes."""
    return measured_together([arguments])


def measured_together(calls: Sequence[Sequence[str | Path]]) -> tuple[int, int]:
    """The exit status of the last of these runs in one process, and the memory at the peak of all."""
    command = [sys.executable, "-c", PROGRAM, json.dumps([[str(word) for word in words] for words in calls])]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, check=True)
    status, peak = done.stdout.splitlines()[-1].split()
    return int(status), int(peak) * 1024


@pytest.mark.slow
@pytest.mark.parametrize("command", ["lea", "validate"])
@pytest.mark.parametrize("name", [*MEASURED, *SMALL])
def test_memory_stays_within_a_multiple_of_the_input(name: str, command: str, tmp_path: Path) -> None:
    text = HOSTILE[name](SIZE)
    path = tmp_path / "hostile"
    path.write_bytes(text)
    arguments: dict[str, list[str | Path]] = {"lea": [path, path, "none"], "validate": [path, "--key", path]}
    status, peak = measured(command, *arguments[command])
    assert status in (0, 1)
    multiple = MEASURED.get(name, (LITTLE, LITTLE))[command == "validate"]
    assert peak <= AT_REST + SLACK * max(multiple, LITTLE) * len(text), (peak - AT_REST) / len(text)


MULTIPLE, PAIRS = 256, 200 << 20
"""What docs/trust.md promises of any call: bytes of memory for a byte of input, and bytes for the pairs of CorefUD."""

SIDES = "key", "response"

CALLS = {
    "official": ["every", *SIDES],
    "none": ["every", *SIDES, "none"],
    "first": ["lea", *SIDES, "none", "--repeated", "first"],
    "mor": ["mor", *SIDES],
    "partial": ["lea", *SIDES, "--matching", "partial"],
    "crac22": ["lea", *SIDES, "--task", "crac22"],
    "crac23": ["lea", *SIDES, "--task", "crac23"],
    "json": ["every", *SIDES, "--format", "json", "--documents"],
    "csv": ["every", *SIDES, "--format", "csv", "--documents"],
    "table": ["lea", *SIDES, "--format", "table", "--documents"],
    "markdown": ["lea", *SIDES, "--format", "markdown", "--documents"],
    "latex": ["lea", *SIDES, "--format", "latex", "--documents"],
    "groups": ["every", *SIDES, "--format", "json", "--by", ".*"],
    "cone": ["cone", *SIDES, "none", "--columns", "ne=1"],
    "validate": ["validate", "key"],
    "validate json": ["validate", "key", "--format", "json"],
    "validate github": ["validate", "key", "--format", "github"],
    "beside": ["validate", "response", "--key", "key"],
    "fix": ["validate", "key", "--fix", "out", "--repeated", "first"],
    "convert": ["convert", "key", "out"],
    "check": ["check", "--min", "lea.f1=1", *SIDES],
    "compare": ["compare", "two", "two", "two", "--metrics", "every"],
    "rank": ["rank", "two", "two", "two", "--metrics", "every"],
}
"""A call of every command and kind of layout; ``two`` has one more document, since tests need two."""

MORE = {
    b"{": b'{"doc_key": "more", "clusters": [[[0, 0]]]}\n',
    b"# newdoc": b"# newdoc id = more\n1\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e)\n\n",
    b"": b"#begin document more\nw\t(1)\n#end document\n",
}
"""The other document, by what the file begins with."""


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", HOSTILE)
def test_every_command_and_layout_stays_within_the_bound(name: str, call: str, tmp_path: Path) -> None:
    text = HOSTILE[name](SIZE // 2)
    for path in SIDES:
        (tmp_path / path).write_bytes(text)
    (tmp_path / "two").write_bytes(text + next(more for begin, more in MORE.items() if text.startswith(begin)))
    paths = (*SIDES, "two", "out")
    status, peak = measured(*(tmp_path / word if word in paths else word for word in CALLS[call]))
    assert status in (0, 1, 2, 3)
    most = AT_REST + MULTIPLE * len(text) + PAIRS * name.startswith("corefud")
    assert peak <= most, (peak - AT_REST) / len(text)


CALLS_WITH_ANSWERS = {
    "score": ["lea", "key", "d.txt", "none"],
    "beside": ["validate", "d.txt", "--key", "key"],
    "convert": ["convert", "d.txt", "out", "--key", "key"],
}


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS_WITH_ANSWERS)
@pytest.mark.parametrize("key_size", [6, SIZE // 10], ids=["short", "long"])
@pytest.mark.parametrize("name", ANSWERS)
def test_text_with_tags_stays_within_the_bound(name: str, key_size: int, call: str, tmp_path: Path) -> None:
    (tmp_path / "d.txt").write_bytes(ANSWERS[name](SIZE // 5))
    (tmp_path / "key").write_bytes(lines(b"a\t(1)\n")(key_size))
    paths = ("key", "d.txt", "out")
    words = [tmp_path / word if word in paths else word for word in CALLS_WITH_ANSWERS[call]]
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    status, peak = measured(*words, "--input-format", "response=tagged")
    assert status in (0, 1)
    assert peak <= AT_REST + MULTIPLE * size, (peak - AT_REST) / size


@pytest.mark.slow
def test_tags_that_are_never_closed_take_a_bounded_multiple(tmp_path: Path) -> None:
    """A tag for every other character: the list of tags takes some 170 times the input, within what is promised."""
    key, answer = tmp_path / "key", tmp_path / "d.txt"
    key.write_bytes(lines(b"a\t(1)\n")(6))
    answer.write_bytes(ANSWERS["tags that open"](SIZE // 2))
    status, peak = measured("lea", key, answer, "none", "--input-format", "response=tagged")
    assert status == 0
    assert peak <= AT_REST + 180 * SIZE // 2


CALLS_A_BYTE = 35
"""How many calls of functions a byte of the two files may take, where lines and mentions have two or three bytes: a
tenth of a microsecond each. Calls are counted because times depend on the machine."""


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_input_takes_many_calls_for_a_byte(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(HOSTILE[name](SIZE // 10))
    for arguments in (["lea", str(path), str(path), "none"], ["validate", str(path), "--key", str(path)]):
        profile = Profile()
        assert profile.runcall(run, arguments, "corefscore") in (0, 1, 2)
        capfd.readouterr()
        assert sum(entry.callcount for entry in profile.getstats()) <= CALLS_A_BYTE * 2 * path.stat().st_size


@pytest.mark.outside
def test_a_short_file_stays_small(tmp_path: Path) -> None:
    """What is compressed may not unpack to hundreds of MB; one offset is not held as millions of words."""
    bomb, offset, out = (tmp_path / name for name in ("bomb.gz", "offset.json", "out"))
    bomb.write_bytes(gzip.compress(HOSTILE["repeats"](10 * SIZE)))
    offset.write_text("".join(f'{{"doc_key": "{name}", "clusters": [[[9999, 9999]]]}}\n' for name in range(50)))
    status, peak = measured("muc", bomb, bomb, "none")
    assert status == 2
    assert peak <= 2 * AT_REST
    for form in ("conll", "coref-data"):
        status, peak = measured("convert", offset, out, "--format", form)
        assert status == 0
        assert peak <= 1.2 * AT_REST
        assert out.stat().st_size > 6 * SIZE


NO_TOKENS = b"expected offsets below 10090 in a document without words"

FAR = {
    "lea far far --window 1": b'far:1: the mentions of document "d", which has no words, are in ',
    "convert far out": b'far:1: error[bad-mention] in document "d": a mention is [99999990, 99999991]',
    "convert far out --format corefud": NO_TOKENS,
    "convert far out --format fastcoref": NO_TOKENS,
    "errors far near --repaired out": NO_TOKENS,
    "errors near far --repaired out": NO_TOKENS,
}


def test_a_mention_far_from_all_others_takes_no_memory(tmp_path: Path) -> None:
    """Windows and tokens that only an offset claims are refused before they are made."""
    (tmp_path / "far").write_text('{"doc_key": "d", "clusters": [[[0, 0], [99999990, 99999991]], [[5, 5]]]}\n')
    (tmp_path / "near").write_text('{"doc_key": "d", "clusters": [[[0, 0], [1, 1]], [[5, 5]]]}\n')
    paths = ("far", "near", "out")
    calls = [[tmp_path / word if word in paths else word for word in line.split()] for line in FAR]
    for arguments, message in zip(calls, FAR.values(), strict=True):
        run = within(*arguments)
        assert (run.status, message in run.stderr, (tmp_path / "out").exists()) == (run.status or 1, True, False), run
    _, peak = measured_together(calls)
    assert peak <= AT_REST


def test_many_mentions_may_be_written_in_a_long_document_without_words(tmp_path: Path) -> None:
    """A novel has a mention for some ten tokens."""
    (tmp_path / "long").write_text(json.dumps({"doc_key": "d", "clusters": [[[n, n] for n in range(0, 150_000, 15)]]}))
    assert within("convert", tmp_path / "long", tmp_path / "out").status == 0
    assert within("lea", tmp_path / "long", tmp_path / "long", "none", "--window", "1").status == 0


def test_what_unpacks_to_too_much_is_unpacked_no_further_than_allowed(tmp_path: Path) -> None:
    """A file that is read as a whole is asked for in pieces that are larger than what it may unpack to."""
    bomb = tmp_path / "bomb.xz"
    bomb.write_bytes(lzma.compress(CORPUS + b"\n" * (100 * SIZE), preset=0))
    status, peak = measured("muc", bomb, bomb)
    assert status == 2
    assert peak <= AT_REST


@pytest.mark.slow
def test_json_of_many_documents_takes_no_more_than_scoring_them(tmp_path: Path) -> None:
    path = tmp_path / "documents.conll"
    path.write_bytes(b"".join(b"#begin document %d\nw\t(1)\nx\t(1)\n#end document\n" % d for d in range(100_000)))
    for metric in ("lea", "every"):
        _, scoring = measured(metric, path, path, "none")
        status, peak = measured(metric, path, path, "--format", "json", "--documents")
        assert status == 0
        assert peak <= min(scoring + (20 << 20), 200_000_000)


def test_what_was_measured_is_what_is_tried_and_told() -> None:
    """The page has the three largest numbers."""
    assert MEASURED.keys() <= HOSTILE.keys()
    page = (ROOT / "docs" / "maintaining.md").read_text().replace("\n", " ")
    largest = sorted(MEASURED.values(), key=max, reverse=True)[:3]
    told = re.findall(r"\((\d+) and (\d+)\)", page)
    assert [(int(scoring), int(validating)) for scoring, validating in told] == largest


@pytest.mark.slow
def test_a_million_documents(tmp_path: Path) -> None:
    path = tmp_path / "documents.conll"
    path.write_bytes(b"".join(b"#begin document %d\nw\t(1)\nx\t(1)\n#end document\n" % d for d in range(1_000_000)))
    status, peak = measured("muc", path, path, "none")
    assert status == 0
    assert peak <= AT_REST + 24 * path.stat().st_size


@pytest.mark.outside
def test_memory_does_not_grow_with_an_ordinary_corpus(tmp_path: Path) -> None:
    """Only counts and names are kept: 40 MB of ordinary documents take no more than any input does."""
    rows = b"".join(b"corpus\t0\t%d\t%s\tNN\t(NP*)\t-\t-\t-\tspeaker\t*\t-\n" % (n, b"word" * 3) for n in range(300))
    path = tmp_path / "corpus.conll"
    path.write_bytes(b"".join(b"#begin document %d\n%s#end document\n" % (d, rows) for d in range(2600)))
    status, peak = measured("muc", path, path, "none")
    assert status == 0
    assert peak <= AT_REST
