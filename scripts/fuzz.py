"""Coverage-guided fuzzing of the reader and of the whole command: `python scripts/fuzz.py [SECONDS]`.

Needs the extra `fuzz` (atheris, for Python 3.11 to 3.13). Every input is read, validated, mended, and scored on either
side of a key, and converted. A finding is anything but a result or one of our errors, and a promise that does not hold:

- the lines that the mender sees are those that the reader counts;
- what was mended is never worse: no fault that was not there before.

New inputs and findings go into the folder CORPUS (default: fuzz-corpus), whose first content comes from testdata.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

with atheris.instrument_imports(include=["corefscore"]):
    from corefscore.checking.repair import Fixes, repaired
    from corefscore.checking.validation import validate
    from corefscore.cli import run
    from corefscore.core.errors import ScorerError
    from corefscore.core.findings import ERROR
    from corefscore.core.sources import Source
    from corefscore.formats import Reading
    from corefscore.formats.base import Request
    from corefscore.formats.conll import reader as conll
    from corefscore.formats.conll.lines import lines_of

ROOT = Path(__file__).parent.parent
KEY = str(ROOT / "testdata" / "demo" / "key.conll")
KEY_WITH_ZEROS = str(ROOT / "testdata" / "corefud" / "scoring" / "zero-collision-101" / "key.conllu")
CORPUS = Path(os.environ.get("CORPUS", "fuzz-corpus"))
LONGEST = 1024
SEEDS = 400
ROUND = 100
WORDS = (
    *("#begin document ", "#end document", "# ", "(1)", "(1", "1)", "|", "(1+2)"),
    *("\\x0d\\x0a", "\\x09", "\\xef\\xbb\\xbf"),
    *(
        '{\\"doc_key\\": \\"a\\", ',
        '\\"sentences\\": [[\\"a\\"]], ',
        '\\"clusters\\": [[[0, 1]]]',
        '\\"subtoken_map\\": [0]',
    ),
    *(
        "# newdoc id = a",
        "# global.Entity = eid-etype-head",
        "\\x09_\\x09_",
        "Entity=(e1--1)",
        "(e1[1/2]",
        "(e1[2/2]",
        "e1)",
    ),
    *("[", "](#1)", "<m>", "</m>#1", '<m id=\\"1\\">', "|[e1", "|e1]", "{1 ", "}", "##", '{\\"answer\\": \\"'),
)
"""What the grammar is made of, in the form of a dictionary of libFuzzer."""


def once(path: Path, data: bytes) -> None:
    """Try everything on one input."""
    path.write_bytes(data)
    before = same_lines(path)
    mended = path.with_suffix(".mended")
    try:
        text = "".join(repaired(Source(str(path)), Fixes(), first_copy=bool(len(data) % 2)))
        mended.write_bytes(text.encode("utf-8", "surrogateescape"))
        after = faults(mended)
        assert not after - before, (before, after)
    except ScorerError:
        pass
    whole_command("validate", str(path), "--key", KEY, "--format", "json")
    whole_command("every", KEY, str(path))
    whole_command("lea,muc", str(path), KEY, "none", "--repeated", "first")
    whole_command("convert", str(path), str(mended), "--quiet")
    as_tagged(path, mended)


def as_tagged(path: Path, out: Path) -> None:
    """Try an input as tagged text beside keys without and with zeros, in its notation and in one that may not fit."""
    for key in (KEY, KEY_WITH_ZEROS):
        for tags in ((), ("--tags", "words")):
            its_format = ("--input-format", "response=tagged", *tags)
            whole_command("lea,muc", key, str(path), "none", *its_format)
            whole_command("validate", str(path), "--key", key, "--format", "json", *its_format)
        whole_command("convert", str(path), str(out), "--key", key, "--quiet", "--input-format", "response=tagged")


def faults(path: Path) -> Counter[str]:
    """The faults of a file by code."""
    return Counter(
        f.code
        for f in validate(str(path), [Source(str(path))], reading=Reading(input_format="conll")).findings
        if f.severity == ERROR
    )


def same_lines(path: Path) -> Counter[str]:
    """The faults of a file, after comparing how many tokens of documents there are line by line and block by block."""
    source = Source(str(path))
    try:
        tokens = sum(line.token >= 0 and line.begin > 0 for line in lines_of(source))
        assert validate(str(path), [source], reading=Reading(input_format="conll")).sizes["tokens"] == tokens
        for _ in conll.read([source], [], Request()):
            pass
    except ScorerError:
        pass
    try:
        return faults(path)
    except ScorerError:
        return Counter()


def whole_command(*arguments: str) -> None:
    """The command within this process; the status is one of ours, and nothing but a status comes out."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO())
    try:
        status = run(list(arguments), "corefscore")
    finally:
        sys.stdout, sys.stderr = before
    assert status in (0, 1, 2), status


def seed() -> None:
    """The files of testdata that are small enough, as the first corpus."""
    CORPUS.mkdir(parents=True, exist_ok=True)
    found = (
        path
        for path in sorted((ROOT / "testdata").rglob("*"))
        if path.suffix in (".conll", ".jsonl", ".conllu", ".txt")
    )
    files = [path for path in found if path.stat().st_size <= LONGEST]
    for number, path in enumerate(files[:: max(len(files) // SEEDS, 1)]):
        (CORPUS / f"seed-{number}").write_bytes(path.read_bytes())


def a_round(seconds: str, folder: Path) -> None:
    """Fuzz for so many seconds, or until something is found."""
    conll.BLOCK = 512  # small blocks have more edges
    words = folder / "words"
    words.write_text("".join(f'"{word}"\n' for word in WORDS))
    limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=8192"]
    places = [f"-dict={words}", f"-artifact_prefix={CORPUS}-"]
    atheris.Setup([sys.argv[0], str(CORPUS), *limits, *places], lambda data: once(folder / "input", data))
    atheris.Fuzz()


def main() -> int:
    """Fuzz in rounds of their own process, since atheris itself takes more memory the longer it runs."""
    seed()
    left = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    with TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        while left > 0:
            seconds = min(left, ROUND)
            done = subprocess.run([sys.executable, __file__, "--round", str(seconds), folder], check=False)
            if done.returncode:
                return done.returncode
            left -= seconds
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--round"]:
        a_round(sys.argv[2], Path(sys.argv[3]))
    sys.exit(main())
