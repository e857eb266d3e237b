"""Every bracket that `diff` opens is closed, and every mention of the page has words, whatever the mentions are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest
import twins
from support import within

KEY = """#begin document (beyond); part 000
x\t0\t0\tNobody\t-
x\t0\t1\tknew\t-
x\t0\t2\tAnna\t(1
x\t0\t3\tSmith\t1)
x\t0\t4\tleft\t-
#end document
"""


def test_a_mention_without_a_place_in_the_key_is_named_as_one(tmp_path: Path) -> None:
    (tmp_path / "beyond.conll").write_text(KEY)
    (tmp_path / "beyond_0.txt").write_text("Nobody [indeed](#8) knew [Anna Smith](#1) left")
    lines = within("diff", "beyond.conll", "beyond_0.txt", "--around", "all", cwd=tmp_path).stdout.decode().splitlines()
    assert lines[1:3] == ["    1  Nobody knew [Anna Smith]1 left", "    2  (without a place in the text:) +[indeed]r8"]


def drawn(random: Random, tokens: int) -> twins.Partition:
    """Entities with nested and crossing mentions."""
    spans = [sorted((random.randrange(tokens), random.randrange(tokens))) for _ in range(9)]
    unique = list(dict.fromkeys((start, end) for start, end in spans))
    return [[span] for span in unique[: random.randint(0, 9)]]


def text_of(random: Random, tokens: int) -> str:
    """Two documents in CoNLL, with an empty line after every third token."""
    documents = []
    for name in "ab":
        opened, closed = ([list[str]() for _ in range(tokens)] for _ in range(2))
        for entity, [(start, end)] in enumerate(drawn(random, tokens)):
            if start == end:
                opened[start].append(f"({entity % 4})")
            else:
                opened[start].append(f"({entity % 4}")
                closed[end].append(f"{entity % 4})")
        cells = ["|".join([*closed[at], *opened[at]]) or "-" for at in range(tokens)]
        rows = [f"{name}\t0\t{at}\tw{at}\t{cell}" + "\n" * (at % 3 == 2) for at, cell in enumerate(cells)]
        documents.append("\n".join([f"#begin document ({name}); part 000", *rows, "#end document", ""]))
    return "".join(documents)


@pytest.mark.parametrize("seed", range(25))
def test_every_bracket_is_closed(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    (tmp_path / "key").write_text(text_of(random, 10))
    (tmp_path / "response").write_text(text_of(random, 14))
    done = within("diff", "key", "response", "--around", "all", "--pronouns", "none", cwd=tmp_path)
    assert done.status == 0, done.stderr
    for line in done.stdout.decode().partition("\n\n[x]3 right")[0].replace("\n       ", " ").splitlines():
        depth = 0
        for bracket in re.findall(r"[\[\]]", line):
            depth += 1 if bracket == "[" else -1
            assert depth >= 0, line
        assert depth == 0, line
    assert within("diff", "key", "response", "--pronouns", "none", "--html", "page.html", cwd=tmp_path).status == 0
    page = (tmp_path / "page.html").read_text()
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found is not None
    for document in json.loads(found[1])["documents"]:
        size = sum(map(len, document["sentences"]))
        assert all(mark[0] < size for marks in document["marks"] for mark in marks)
