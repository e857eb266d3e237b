"""Compare with the official scorer: `python scripts/cross_check.py path/to/scorer.pl FOLDER [METRIC...]`.

FOLDER has pairs at any depth: folders with ``key*`` and ``response*``. Every metric is run with both on each pair, and
what differs is reported, byte for byte. Before comparing, the first line, which names the version, is left out, and
the official scorer's documents, which come in the order of a Perl hash, are put in that of the key; nothing else. Where
both refuse, only that counts. Exit status: 0 all the same, 1 something differs, 2 wrong usage.

LEA is part of only some versions of the official scorer; ask for it by name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

METRICS = ("muc", "bcub", "ceafm", "ceafe", "blanc")
OURS = (str(Path(sys.executable).with_name("corefscore")),)
KNOWN = tuple(Path(__file__).parent.parent / "testdata" / "demo" / f"{side}.conll" for side in ("key", "response"))
"""A pair that every version scores."""

SHOWN = 12
"""How many lines of a difference are shown."""


class Output(NamedTuple):
    """What a scorer printed, its first line left out, and whether it refused."""

    body: bytes
    refused: bool


def printed(command: Sequence[str]) -> Output:
    """Run a scorer."""
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return Output(b"", refused=True)
    return Output(done.stdout.partition(b"\n")[2], done.returncode != 0)


BLOCK = re.compile(rb"^====> .*\n", re.MULTILINE)
TOTALS = b"\n====== TOTALS ======="


def reordered(body: bytes, like: bytes) -> bytes:
    """The documents of ``body`` in the order of those of ``like``, which are the same or else stay where they are."""
    head, documents, tail = _parts(body)
    wanted = [_name(document) for document in _parts(like)[1]]
    if sorted(map(_name, documents)) != sorted(wanted):
        return body
    left = {name: [each for each in documents if _name(each) == name] for name in wanted}
    return head + b"".join(left[name].pop(0) for name in wanted) + tail


def _parts(body: bytes) -> tuple[bytes, list[bytes], bytes]:
    """What comes before the documents, each document, and the totals. A document is two blocks: the key's entities, and
    the response's with the scores."""
    before, mark, after = body.partition(TOTALS)
    starts = [found.start() for found in BLOCK.finditer(before)][::2]
    head = before[: starts[0]] if starts else before
    return head, [before[a:b] for a, b in pairwise([*starts, len(before)])], mark + after


def _name(document: bytes) -> bytes:
    return document.partition(b"\n")[0]


def pairs(folder: Path) -> list[tuple[Path, Path]]:
    """All pairs below a folder, in name order."""
    found = []
    for key in sorted(folder.rglob("key*")):
        for response in sorted(key.parent.glob("response*")):
            found.append((key, response))
    return found


def compare(scorer: str, key: Path, response: Path, metric: str) -> list[str]:
    """The lines in which both differ, as a diff; none where they agree."""
    files = (str(key), str(response))
    ours = printed([*OURS, metric, *files])
    theirs = printed(["perl", scorer, metric, *files])
    if ours.refused or theirs.refused:
        words = {True: "refused", False: "scored"}
        same = ours.refused == theirs.refused
        return [] if same else [f"corefscore {words[ours.refused]}, the official scorer {words[theirs.refused]}"]
    body = reordered(theirs.body, ours.body)
    if body == ours.body:
        return []
    before, after = (each.decode(errors="surrogateescape").splitlines() for each in (body, ours.body))
    return list(unified_diff(before, after, "official", "corefscore", n=0, lineterm=""))[:SHOWN]


def main(arguments: Sequence[str]) -> int:
    """Compare all pairs; the exit status."""
    if len(arguments) < 2 or not Path(arguments[0]).is_file() or not (found := pairs(Path(arguments[1]))):
        say("expected: path/to/scorer.pl, and a folder with pairs of key* and response*")
        return 2
    for scorer in (OURS, ("perl", arguments[0])):
        known = printed([*scorer, "muc", *map(str, KNOWN)])
        if known.refused or not known.body:
            say(f"{' '.join(scorer)} does not score {KNOWN[0]}, so nothing can be compared with it")
            return 2
    differing = 0
    metrics = arguments[2:] or METRICS
    for key, response in found:
        for metric in metrics:
            if lines := compare(arguments[0], key, response, metric):
                differing += 1
                say(f"{metric} {key} {response}")
                say("".join(f"    {line}\n" for line in lines).rstrip("\n"))
    say(f"{len(found)} pairs, {len(found) * len(metrics)} runs, {differing} differ")
    return 1 if differing else 0


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
