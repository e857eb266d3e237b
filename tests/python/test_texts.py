"""Answers as strings in memory score as the command scores the same answers in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import corefscore
import pytest
from corefscore import Scorer, UsageError, from_text, score
from support import TESTDATA

KEY = TESTDATA / "demo" / "key.conll"

ANSWERS = {
    "markdown": "[The cat](#1) saw [Ann](#2) . [She](#2) fed [it](#1) .",
    "changed": "[The dog](#1) saw [Ann](#2) . [She](#2) fed [it](#1) and left .",
    "xml": '<m id="1">The cat</m> saw <m id="2">Ann</m> .\n<m id="2">She</m> fed it .',
    "unclosed": "[The cat](#1) saw [Ann . [She](#2) fed [it](#1",
    "nothing": "I cannot help with that.",
    "half": "[The cat\ud800](#1) saw [Ann](#2)",
}


def printed(result: corefscore.Result) -> dict[str, Any]:
    """All that a score prints as data, but where the answers were."""
    found = result.to_dict()
    found["notices"] = [{**notice, "file": "", "line": 0} for notice in found["notices"]]
    return found


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("tags", [None, "markdown", "xml"])
def test_texts_score_as_files_do(name: str, tags: str | None, tmp_path: Path) -> None:
    (document,) = corefscore.read(KEY).names
    path = tmp_path / "answer.jsonl"
    path.write_text(json.dumps({"doc_key": document, "answer": ANSWERS[name]}))
    expected = printed(score(KEY, path, input_format={"response": "tagged"}, tags=tags))
    assert "fidelity" in expected
    expected["options"].pop("response_input_format")
    expected["signature"] = expected["signature"].replace(" | response_input_format=tagged", "")
    for answer in ({document: ANSWERS[name]}, [ANSWERS[name]]):
        found = printed(score(KEY, answer, tags=tags))
        own = printed(score(KEY, from_text(answer, tags=tags)))
        for each in (found, own):
            assert each["total"] == expected["total"]
            assert each["fidelity"] == expected["fidelity"]
        if isinstance(answer, dict):
            assert found == expected


def test_texts_are_the_files_with_them(tmp_path: Path) -> None:
    """Several documents, by name or in order, with blanks and line ends as they are."""
    key = TESTDATA / "tagged" / "key-of-two.jsonl"
    names = corefscore.read(key).names
    texts = ["[The cat](#1) \n saw  [Ann](#2)\r\n . [She](#2)", "[Bo](#7) and\t[his](#7) cat"]
    (tmp_path / "answers").mkdir()
    for name, text in zip(names, texts, strict=True):
        (tmp_path / "answers" / f"{name}.txt").write_bytes(text.encode())
    expected = score(key, tmp_path / "answers")
    for answers in (dict(zip(names, texts, strict=True)), texts, tuple(texts)):
        assert score(key, answers).to_dict()["total"] == expected.to_dict()["total"]
        assert score(key, answers).to_dict()["documents"] == expected.to_dict()["documents"]
    found, expected_errors = (corefscore.analyse(key, side).analysis.counts for side in (texts, tmp_path / "answers"))
    assert found == expected_errors


@pytest.mark.parametrize("answers", [["[The cat](#1)"], {corefscore.read(KEY).names[0]: "[The cat](#1)"}], ids=str)
@pytest.mark.parametrize("key", [KEY, corefscore.read(KEY)], ids=["file", "corpus"])
def test_a_scorer_takes_texts(key: Any, answers: Any) -> None:
    scorer = Scorer("muc")
    scorer.add(key, answers)
    assert scorer.result().to_dict() == score(key, answers, "muc").to_dict()


def test_tags_are_given_where_the_text_is_read() -> None:
    text = from_text(ANSWERS["xml"], tags="xml")
    assert score(KEY, text, tags="xml") == score(KEY, text)
    for call in (score, corefscore.analyse, lambda *sides, tags: Scorer(tags=tags).add(*sides)):
        with pytest.raises(UsageError, match="tags: the response was read without this argument; pass it to from_text"):
            call(KEY, text, tags="markdown")


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([1], "answers have the type list; expected text"),
        ([], "answers have the type list; expected text"),
        ({"a": None}, "answers have the type dict; expected text"),
        ([str(KEY)], "is a file; expected tagged text"),
    ],
)
def test_what_is_no_text_is_refused(answers: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        from_text(answers)
