"""What `errors` and `diff` print for committed files, as recorded in ``testdata/errors/recorded.json``.

The counts and costs in it are those of `error_twins`, which follows the definitions, wherever no span is repaired; the
cases of ``testdata/errors`` have what the analyser of Kummerfeld and Klein found. The rest (lists, groups, words,
repaired files) was compared with the files by reading when it was recorded. To record again (then read `git diff`):

    PYTHONPATH=tests python tests/analysis/test_errors_recorded.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from support import TESTDATA, Run, within

RECORDED = TESTDATA / "errors" / "recorded.json"


CASES = [
    "fables/key.conll fables/response.conll",
    "fables/key.conll fables/response.conll --measures lea --pronouns english",
    "fables/key.conll fables/response.conll --symmetric --pronouns tags:PRP*",
    "demo/key.conll demo/response.conll --heads last",
    "names/key.conll names/response.conll --singletons drop",
    "systems/key.conll systems/runs/ash.conll --pronouns none --measures ceafm",
    "fables/key.conll fables/response.conll --measures blanc --pronouns none",
    "recorded/repeat-both-0013/key.conll recorded/repeat-both-0013/response.conll --pronouns none",
    *(
        f"corefud/scoring/{name}/key.conllu corefud/scoring/{name}/response.conllu"
        for name in ("partial-with-gap-101", "zero-collision-101", "mor-zeros-by-position-101", "head-other-span-101")
    ),
    *(
        f"errors/{name}/key.conll errors/{name}/{response}.conll --pronouns english --heads parse"
        for name, response in (("toy-both", "response"), ("toy-span-head-two-keys", "response"))
    ),
]
"""Key, response and options."""

LEFT_OUT = ("schema", "version", "signature", "notices")


def run(*words: str, folder: Path | None = None) -> Run:
    done = within(*words, "--quiet", cwd=folder or TESTDATA)
    assert done.status == 0, done.stderr
    return done


def rounded(value: Any) -> Any:
    """Data with floats of nine digits: what is added in another order is the same."""
    if isinstance(value, float):
        return round(value, 9) + 0.0
    if isinstance(value, dict):
        return {name: rounded(its) for name, its in value.items()}
    return [rounded(its) for its in value] if isinstance(value, list) else value


def data(words: Sequence[str]) -> Any:
    """All data of the errors."""
    found = json.loads(run("errors", *words, "--format", "json").stdout)
    return rounded({name: value for name, value in found.items() if name not in LEFT_OUT})


def text(*command: str) -> Callable[[Sequence[str]], list[str]]:
    """The lines that a command prints, without the signature."""
    name, *options = command
    return lambda words: run(name, *words, *options).stdout.decode().splitlines()[:-1]


def repaired(words: Sequence[str]) -> dict[str, str]:
    """The documents and the cells of coreference of each step."""
    with TemporaryDirectory() as folder:
        run("errors", *words, "--repaired", folder)
        files = sorted(Path(folder).iterdir())
        return {path.name: " ".join(line.split("\t")[-1] for line in path.read_text().splitlines()) for path in files}


SHOWN: dict[str, Callable[[Sequence[str]], Any]] = {
    "data": data,
    "tables": text("errors"),
    "list": text("errors", "--format", "tsv"),
    "diff": text("diff", "--around", "all"),
    "repaired": repaired,
}


def shown(case: str, how: str) -> Any:
    return SHOWN[how](case.split())


@pytest.mark.parametrize("how", SHOWN)
@pytest.mark.parametrize("case", CASES)
def test_what_is_recorded(case: str, how: str) -> None:
    assert shown(case, how) == json.loads(RECORDED.read_text())[case][how]


if __name__ == "__main__":
    recorded = {case: {how: shown(case, how) for how in SHOWN} for case in CASES}
    RECORDED.write_text(json.dumps(recorded, ensure_ascii=False, separators=(",", ":")).replace('},"', '},\n"') + "\n")
