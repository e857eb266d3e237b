"""Text with tags: notations, fidelity, and what no answer can do to a score."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import corefscore
import pytest
from answers import Mentions, as_characters, words_and_mentions
from corefscore import formats
from corefscore.core.errors import InputError, UsageError
from corefscore.core.sources import Source
from corefscore.formats.base import FAULTS
from corefscore.formats.tagged.notations import NAMES, NOTATIONS, Notation, find, nearby, recognised, untagged
from corefscore.formats.tagged.texts import without_crossing
from corefscore.matching.text.fidelity import FIELDS, ratio
from support import CORPORA, EXCERPTS, TESTDATA, WHOLE_CORPORA, call, within

TAGGED = TESTDATA / "tagged"
KEY = TESTDATA / "demo" / "key.conll"
SAME = ("markdown", "xml", "words", "braces")


def mentions(text: str, notation: str) -> Mentions:
    return [(*mention,) for mention in untagged(text, find(notation)).mentions]


def faults(text: str, notation: str) -> dict[str, int]:
    return {fault: count for fault, count in untagged(text, find(notation)).faults.items() if count}


# Notations

EXAMPLES = {
    "markdown": "[[Ann](#3)'s cat](#1)",
    "xml": "<m><m>Ann</m>#3's cat</m>#1",
    "words": "Ann|[e1,[e3] 's cat|e1]",
    "braces": "{1 {3 Ann}'s cat}",
}
"""In each notation: Ann, of entity 3, is a part of a mention of entity 1."""


@pytest.mark.parametrize("notation", NOTATIONS, ids=lambda notation: notation.name)
def test_the_example_of_a_notation_is_what_it_says(notation: Notation) -> None:
    its = untagged(EXAMPLES[notation.name], notation)
    assert "".join(its.words) == "Ann'scat"
    assert [(mention.entity.removeprefix("e"), mention.first) for mention in its.mentions] == [("1", 0), ("3", 0)]
    assert its.mentions[1].last == 0
    assert its.mentions[0].last == len(its.words) - 1
    assert recognised(EXAMPLES[notation.name]) is notation


@pytest.mark.parametrize(
    ("notation", "text", "expected"),
    [
        ("markdown", "[Ann](#cluster_1) left", [("1", 0, 0)]),
        ("markdown", "[sic] [Ann [Lee]](#1)", [("1", 1, 2)]),
        ("markdown", "[Ann](#1)'s [ cat ](#2)", [("1", 0, 0), ("2", 2, 2)]),
        ("markdown", "她说[我](#1)好", [("1", 2, 2)]),
        ("xml", '<m id="3">Ann</m> <m>Bo</m>#3 <m id=4>cat</m>', [("3", 0, 0), ("3", 1, 1), ("4", 2, 2)]),
        ("xml", "<m id='cluster_3'>Ann</m>", [("3", 0, 0)]),
        ("xml", "<m>A</m>#3a <m>B</m>#3.1, <m>C</m>#e3_1.", [("3a", 0, 0), ("3.1", 1, 1), ("e3_1", 3, 3)]),
        ("xml", "<m>A</m>#3's <m>B</m>#3is <m>C</m>#3. <m>她</m>#3说", [("3", at, at) for at in (0, 2, 4, 6)]),
        ("xml", "<m>A</m>#3s <m>社長</m>#1\uff13月", [("3", 0, 0), ("1", 2, 3)]),
        ("words", "Ann|[e1],[e2 and|[e3 Bo|e2] left|e3]", [("e1", 0, 0), ("e2", 0, 2), ("e3", 1, 3)]),
        ("words", "a|[e1 b|[e1],e1] c|d", [("e1", 0, 1), ("e1", 1, 1)]),
        ("braces", "{1 {2 Ann} { x } } y", [("1", 0, 3), ("2", 0, 0)]),
        (r"<(?P<open>(?P<id>\d+):)|(?P<close>>)", "<1:Ann> is", [("1", 0, 0)]),
        (r"<(?P<open>(?P<id>\d))>|</(?P<close>(?P<id2>\d))>", "<1>a <2>b</1> c</2>", [("1", 0, 1), ("2", 1, 2)]),
    ],
)
def test_mentions(notation: str, text: str, expected: Mentions) -> None:
    assert mentions(text, notation) == expected
    assert not {fault for fault in faults(text, notation) if fault != "crossing"}


@pytest.mark.parametrize(
    ("notation", "text", "expected", "left"),
    [
        ("markdown", "[Ann](#1) [left", {"unclosed": 1}, [("1", 0, 0)]),
        ("markdown", "Ann](#1) [left](#2)", {"unopened": 1}, [("2", 1, 1)]),
        ("markdown", "[](#1) [ ](#2) Ann", {"unreadable": 2}, []),
        ("xml", "<m>Ann</m> left</m>#2", {"unreadable": 1, "unopened": 1}, []),
        ("words", "Ann|[e1 Bo|e2] c|[e3]", {"unclosed": 1, "unopened": 1}, [("e3", 2, 2)]),
        ("words", "Ann|[e1,x Bo|e1]", {"unopened": 1}, [("e1", 0, 1)]),
        ("words", "a|[e1 b|[e2 c|e1] d|e2]", {"crossing": 1}, [("e1", 0, 2), ("e2", 1, 3)]),
        ("braces", "{1 Ann} left} {2 x", {"unopened": 1, "unclosed": 1}, [("1", 0, 0)]),
        ("xml", '<m id="1">A</m>#9 <m id="2"><m id="3">B</m>#3 C</m>#2', {"unknown": 2}, [("2", 2, 3), ("3", 2, 2)]),
    ],
)
def test_what_is_wrong_with_tags_is_counted(notation: str, text: str, expected: dict[str, int], left: Mentions) -> None:
    assert faults(text, notation) == expected
    assert mentions(text, notation) == left


@pytest.mark.parametrize(
    ("notation", "written"),
    [
        (
            "markdown",
            [
                "[Bo](2)",
                "[Bo] (#2)",
                "[Bo](#2",
                "[Bo](#)",
                "[Bo](# 2)",
                "[Bo]{2}",
                "[Bo][2]",
                "[Bo]_2",
                "[Bo](#1,#2)",
                "[Bo](#1;#2)",
                "[Bo]\\(#2)",
                "[Bo](\uff032)",
                "\uff3bBo\uff3d\uff08#2\uff09",
                "Bo(#2)",
            ],
        ),
        (
            "xml",
            [
                "<m#2>Bo",
                "<m=2>Bo",
                '<m id="">Bo',
                "<M>Bo",
                '<entity id="2">Bo',
                "< m >Bo",
                "&lt;m&gt;Bo",
            ],
        ),
        ("words", ["Bo|e2", "Bo[e2]", "Bo|(e2)", "Bo|e2."]),
        (
            "braces",
            [
                "{2: Bo}",
                "{2|Bo}",
                "{#2 Bo}",
                "{Bo}_2",
                "{Bo}{2}",
                "{2}",
                "[2: Bo]",
                "{2Bo}",
                "{Bo}",
                "{Bo 2}",
                "{[2] Bo}",
            ],
        ),
    ],
)
def test_what_is_nearly_a_tag_is_counted_and_shown(
    notation: str, written: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Among right tags, once each, in the text and on standard error; and so is a tag of another notation."""
    right = EXAMPLES[notation]
    for near in [*written, *(other for name, other in EXAMPLES.items() if name != notation)]:
        assert not untagged(right, find(notation)).faults["unknown"]
        text = f"{right} saw {near} and left. {right}"
        found = untagged(text, find(notation))
        assert [(mention.entity, mention.last - mention.first) for mention in found.mentions] == 2 * [
            (mention.entity, mention.last - mention.first) for mention in untagged(right, find(notation)).mentions
        ], near
        assert (
            found.faults["unknown"] == (1 if near in written else len(found.odd["unknown"]) > 0) or near not in written
        )
        start, stop, *_ = found.odd["unknown"][0]
        assert text[start:stop].strip() in near, near
        assert start >= len(right)
    (tmp_path / "x.txt").write_text(f"{right} saw {written[0]}")
    done = call(capfdbinary, "lea", KEY, tmp_path / "x.txt", "none", "--tags", notation)
    assert b"[unknown-tags]" in done.stderr


NEARLY_77 = " ".join(f"[word{at}](#{at % 9})" for at in range(77))


def test_eight_of_77_tags_without_their_sign(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    answer, key = tmp_path / "x.txt", tmp_path / "key.jsonl"
    answer.write_text(NEARLY_77)
    assert within("convert", answer, key, "--format", "e2e").status == 0
    plain = call(capfdbinary, "lea", key, answer, "--format", "json")
    assert (json.loads(plain.stdout)["total"]["lea"]["f1"], b"unknown-tags" in plain.stderr) == (1, False)
    answer.write_text(re.sub(r"\(#(?=2\))", "(", NEARLY_77))
    done = call(capfdbinary, "lea", key, answer, "--format", "json")
    assert json.loads(done.stdout)["fidelity"]["tags_unknown"] == 9
    assert b"read 9 tags as text, misspelled or in another notation" in done.stderr
    assert b"[word2](2)" in done.stderr


@pytest.mark.parametrize(
    "mention",
    [
        "[{}]({})",
        "[{}](e{})",
        "[{}]{{{}}}",
        "[{}][{}]",
        "[{}]_{}",
        "[{}]_{{{}}}",
        "[{}]^{}",
        "[[{}|{}]]",
        "[{1}: {0}]",
        "{{{1}: {0}}}",
        "{{#{1} {0}}}",
        "[#{1} {0}]",
        '<entity id="{1}">{0}</entity>',
        "<coref id={1}>{0}</coref>",
        '<coref id="7-{1}">{0}</coref>',
        "<mention id='m' cluster='{1}'>{0}</mention>",
        '<COREF ID="set_{1}">{0}</COREF>',
    ],
)
def test_the_pattern_in_the_refusal_of_another_notation_reads_it(
    mention: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The response of the demo; what the message says is typed."""
    text = (TAGGED / "markdown.txt").read_text()
    answer = tmp_path / "answer.txt"
    answer.write_text(re.sub(r"\[([^\]]+)\]\(#(\d)\)", lambda tag: mention.format(*tag.groups()), text))
    refused = call(capfdbinary, "lea", KEY, answer, "none")
    assert (refused.status, refused.stdout) == (1, b"")
    assert b"[other-notation]" in refused.stderr
    assert within("validate", answer).status == 1
    typed = refused.stderr.decode().partition("score with ")[2]
    done = call(capfdbinary, "lea", KEY, answer, "none", *shlex.split(typed))
    assert done.stdout == call(capfdbinary, "lea", KEY, TAGGED / "markdown.txt", "none").stdout
    assert done.stderr == b""
    named = call(capfdbinary, "lea", KEY, answer, "none", "--tags", "xml")
    assert b"[unknown-tags]" in named.stderr or b"[no-tags]" in named.stderr


@pytest.mark.parametrize(
    "tags",
    [
        '<COREF ID="1">Ann</COREF> saw <COREF ID="2">Bo</COREF>. <COREF ID="3" TYPE="IDENT" REF="1">She</COREF> ran.',
        '<n id="1" group="1">Ann</n> saw <n id="2" group="2">Bo</n>. <n id="3" group="1">She</n> ran.',
        '<mention id="1">Ann</mention> saw <mention id="2">Bo</mention>. <mention id="3" of="1">She</mention> ran.',
    ],
)
def test_ids_of_mentions_are_not_proposed_as_those_of_entities(tags: str, tmp_path: Path) -> None:
    """As in MUC, or in MMAX: what the message proposed scored 30.3 for 93.01."""
    (tmp_path / "answer.txt").write_text(tags)
    with pytest.raises(InputError, match="each tag has an id of its own"):
        corefscore.read(tmp_path / "answer.txt")


def test_the_pattern_for_elements_reads_ids_with_blanks_and_passes_over_empty_ones(tmp_path: Path) -> None:
    """An id ended at its first blank, and the name of the next attribute was that of a tag without one."""
    text = 'Ann</n> saw <n id="" type="X">Bo</n> and <n id="" type="Y">Al</n>. <n id="1" type="X">She</n> ran.'
    text = f'<n id="1" type="X">{text} <n id="the cat">Tom</n> and <n id="the dog">Rex</n> saw it.'
    (tmp_path / "answer.txt").write_text(text)
    with pytest.raises(InputError) as raised:
        corefscore.read(tmp_path / "answer.txt")
    _, pattern = shlex.split(str(raised.value).partition("score with ")[2])
    (entities,) = corefscore.read(tmp_path / "answer.txt", tags=pattern).clusters().values()
    words = {name: [mention.words for mention in entity] for name, entity in entities.items()}
    assert words == {"1": ["Ann", "She"], "the cat": ["Tom"], "the dog": ["Rex"]}


def test_elements_that_refer_to_others_are_not_read_by_their_ids() -> None:
    assert nearby('<COREF ID="1">Ann</COREF>') is not None
    assert nearby('<COREF ID="2" TYPE="IDENT" REF="1">Ann</COREF>') is None


JSON_TEXTS = [
    ('[\n{"doc_id": "a", "tokens": ["x", "|"], "clusters_token_offsets": [[[0, 0]]]}\n]\n', "jsonlines"),
    ('[{"id":"a","text":"x [here](#top) y","clusters":[[[0,1],[15,16]]]}]', "jsonlines"),
    ('{\n"doc_key": "a|", "clusters": []}', "jsonlines"),
    ('\ufeff [ {"doc_key": "[a](#1)", "clusters": []}]', "jsonlines"),
    ('["[Ann](#1) left"]', "jsonlines"),
    ("[[0, 1], [3, 3]]", "jsonlines"),
    ("[]", "jsonlines"),
    ("{'doc_key': '[a](#1)'}", "jsonlines"),
    ('{"doc_key": "a", "answer": "[Ann](#1) left"}', "tagged"),
    ('[{"doc_key": "a", "answer": "[Ann](#1) left"}]', "tagged"),
    ('["Ann"](#1) left', "tagged"),
    ("[1984](#1) was over", "tagged"),
    ("[[Ann](#3)'s cat](#1) left", "tagged"),
    ("[1: Ann] left", "tagged"),
    ("{1 Ann} left", "tagged"),
    ("{#1 Ann} saw {#2 Bo}", "tagged"),
    ("[#1 Ann] left", "tagged"),
    ("[true](#1) or", "tagged"),
    ("[Ann] left", "conll"),
    ("[1] Ann", "conll"),
]


@pytest.mark.parametrize(("text", "name"), JSON_TEXTS)
def test_json_is_told_from_text_in_brackets(text: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(text)
    assert formats.form_of([Source(str(tmp_path / "x"))], formats.BY_CONTENT, None).name == name


def test_an_array_of_answers_is_read_as_lines_of_them_are(tmp_path: Path) -> None:
    rows = [{"doc_key": name, "answer": f"[Ann](#1) {name} [her](#1)"} for name in "ab"]
    paths = tmp_path / "array.json", tmp_path / "lines.jsonl"
    paths[0].write_text(json.dumps(rows, indent=1))
    paths[1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = [within("convert", path, "-", "--format", "e2e", "--quiet").stdout for path in paths]
    assert made[0] == made[1]
    assert b"[[[0, 0], [2, 2]]]" in made[0]


@pytest.mark.parametrize(
    ("text", "status"),
    [('{"text": "x"} {1 The cat} saw', 0), ('{"text": "x"}', 1), ('{"answer": "{1 Bo}"} {"answer": "x"}', 1)],
)
def test_an_object_with_tags_after_it_is_text(text: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(text)
    done = within("convert", tmp_path / "x.txt", "-", "--input-format", "tagged", "--format", "e2e", "--quiet")
    assert done.status == status
    assert status or json.loads(done.stdout)["clusters"] == [[[2, 3]]]


@pytest.mark.parametrize("words", ["(", "<m>", "(?P<open>a)(?P<close>b)", "(?P<open>a)(?P<id>b)"])
def test_a_pattern_without_its_groups_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="--tags"):
        find(words)


# Scores


@pytest.mark.parametrize("name", [*SAME, "pattern"])
def test_one_answer_in_every_notation(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The response of the demo, as text."""
    asked = ["--tags", r"<<(?P<open>(?P<id>\d+):)|(?P<close>>>)"] if name == "pattern" else []
    done = call(capfdbinary, "all", KEY, TAGGED / f"{name}.txt", "none", *asked)
    plain = call(capfdbinary, "all", KEY, TESTDATA / "demo" / "response.conll", "none")
    assert done.stdout == plain.stdout + b"Fidelity of the text: 100.00 %\n"
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["prediction"], 1),
        (["prompt", "model_output", "response"], 1),
        (["generated_text"], 1),
        (["choices"], 1),
        (["prompt", "model"], 0),
        (["prompt", "messages", "output_tokens", "response_time"], 0),
    ],
)
def test_what_may_be_the_answer_beside_answer_is_told(names: list[str], told: int, tmp_path: Path) -> None:
    """What `convert` wrote for a harness has the tags of the key in `answer`."""
    path = tmp_path / "answers.jsonl"
    objects = [{"doc_key": key, "answer": "[Ann](#1) saw [her](#1)", **dict.fromkeys(names, "x")} for key in "ab"]
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    notices = [notice for notice in corefscore.read(path, side="response").notices if notice.code == "unread-field"]
    assert [notice.details["name"] for notice in notices] == [names[-2 if len(names) > 2 else 0]] * told


@pytest.mark.parametrize(
    ("name", "other", "told"),
    [
        ("content", "[Ann](#1) saw [her](#2)", 1),
        ("content", "[Ann](#1) saw [her](#1)\n", 0),  # the same
        ("content", "Ann saw her", 0),
        ("content", "Write [Ann](#1) for a name. Ann saw her", 0),
        ("text", "Here it is: [Ann](#1) saw [her](#2)", 1),
        ("content", None, 0),
        ("choices", None, 0),
        ("gold", "[Ann](#1) saw [her](#2)", 0),
        ("gold_answer", "[Ann](#1) saw [her](#2)", 0),
    ],
)
def test_the_same_text_with_other_tags_is_told(name: str, other: str | None, told: int, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    objects = [{"doc_key": key, "answer": "[Ann](#1) saw [her](#1)", name: other} for key in "ab"]
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    notices = [notice for notice in corefscore.read(path, side="response").notices if notice.code == "unread-field"]
    assert [notice.details["name"] for notice in notices] == [name] * told


def test_an_answer_in_json_lines(tmp_path: Path) -> None:
    answer = {"doc_key": "demo/cats_0", "answer": (TAGGED / "xml.txt").read_text()}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer) + "\n")
    result = corefscore.score(KEY, tmp_path / "answers.jsonl", "conll")
    assert result.conll == corefscore.score(KEY, TESTDATA / "demo" / "response.conll", "conll").conll
    assert result.notices == ()


EXPECTED = {
    "words": 15,
    "kept": 14,
    "replaced": 1,  # Bo, who is Bob
    "deleted": 0,
    "moved": 0,
    "inserted": 6,  # Sure! Here is the text: and black
    "tags_unclosed": 0,
    "tags_unopened": 1,
    "tags_crossing": 0,
    "tags_unreadable": 1,
    "tags_unknown": 0,
    "mentions_changed": 2,  # The black cat, Bob
    "mentions_inserted": 1,  # Here
    "mentions_deleted": 0,
}


def test_fidelity_stands_beside_the_score_in_every_layout() -> None:
    answer = TAGGED / "chatty.txt"
    shown = {
        name: within("lea", KEY, answer, "--format", name, "--quiet").stdout.decode()
        for name in ("official", "table", "markdown", "latex", "csv", "json")
    }
    assert json.loads(shown["json"])["fidelity"] == {"fidelity": 14 / 21, **EXPECTED}
    line = (
        "idelity of the text: 66.67 % (words: 1 replaced, 6 inserted; tags: 1 unopened, 1 without id or words; "
        "mentions: 2 in changed words, 1 in inserted words)"
    )
    assert shown["official"].endswith(f"F{line}\n")
    assert line in shown["markdown"]
    assert line in shown["latex"]
    for name, count in EXPECTED.items():
        assert f"fidelity of the text,total,total,,,,,{name},{count},\n" in shown["csv"]
        assert (f"\n{name} " in shown["table"]) == bool(count)
    assert re.search(r"\nfidelity +66\.67\n", shown["table"])


def test_fidelity_by_document(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    words = ("lea", TAGGED / "key-of-two.jsonl", TAGGED / "two.txt", "--format", "json", "--documents")
    done = call(capfdbinary, *words)
    found = json.loads(done.stdout)["fidelity"]
    windows = call(capfdbinary, *words, "--window", "3")
    assert json.loads(windows.stdout)["fidelity"] == found
    assert found["documents"]["two"]["kept"] == 5
    one = call(capfdbinary, "lea", TAGGED / "key-of-two.jsonl", TAGGED / "two.txt", "two", "--format", "json")
    total = json.loads(one.stdout)["fidelity"]
    assert {name: total[name] for name in found["documents"]["two"]} == found["documents"]["two"]


LOOSE = TAGGED / "loose.txt"
"""The response of the demo with five words in front, which the key does not have: 15 of 20 words."""


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_fidelity_stands_beside_the_scores_of_systems_in_every_layout(
    name: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    systems = [f"loose={TAGGED / 'loose-two.txt'}", f"plain={TAGGED / 'key-of-two.jsonl'}"]
    call_: list[str | Path] = [name, TAGGED / "key-of-two.jsonl", *systems, "--measures", "lea", "--quiet", "--format"]
    shown = {each: call(capfdbinary, *call_, each).stdout.decode() for each in ("table", "markdown", "csv", "json")}
    paper = call(capfdbinary, *call_, "latex").stdout.decode()
    assert json.loads(shown["json"])["fidelity"].keys() == {"loose"}
    assert json.loads(shown["json"])["fidelity"]["loose"]["fidelity"] == 10 / 12
    assert re.search(r"\nloose +83\.33 +10 +10 +2\n", shown["table"])
    assert re.search(r"fidelity of the text: loose 83\.33 %", paper)
    assert "83.33333333333334,10,10,0,0,0,2," in shown["csv"]
    strict = call(capfdbinary, *(each for each in call_ if each != "--quiet"), "table", "--strict")
    assert strict.status == 1


def test_a_fall_of_fidelity_is_named_by_check(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    baseline = TAGGED / "baseline.json"
    same = call(capfdbinary, "check", baseline, KEY, TAGGED / "markdown.txt", "--format", "json")
    assert (same.status, same.stderr) == (0, b"")
    assert json.loads(same.stdout)["fidelity"]["baseline"] == json.loads(same.stdout)["fidelity"]["fidelity"] == 1
    fell = call(capfdbinary, "check", baseline, KEY, LOOSE)
    assert b"fell from 100.00 % to 75.00 % (words: 5 inserted)" in fell.stderr
    assert re.search(rb"\nbaseline +100\.00 *\nnow +75\.00 ", fell.stdout)
    assert fell.status == 0, "no score fell"
    strict = call(capfdbinary, "check", baseline, KEY, LOOSE, "--strict")
    assert strict.status == 1
    plain = call(capfdbinary, "check", baseline, KEY, TESTDATA / "demo" / "response.conll", "--format", "json")
    assert (plain.status, "fidelity" in json.loads(plain.stdout)) == (0, False)


def test_fidelity_of_systems_from_python(tmp_path: Path) -> None:
    systems = {"loose": TAGGED / "loose-two.txt", "plain": TAGGED / "key-of-two.jsonl"}
    with pytest.warns(corefscore.ScorerWarning, match="low-fidelity"):
        found = corefscore.compare(TAGGED / "key-of-two.jsonl", systems, measures="lea")
    assert found.to_dict()["fidelity"]["loose"]["inserted"] == 2


@pytest.mark.parametrize(("options", "status"), [(["--strict"], 1), ([], 0)])
def test_strict_refuses_below_a_fidelity(
    options: Sequence[str], status: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "answer.txt").write_text(f"Sure! Here it is now: {(TAGGED / 'markdown.txt').read_text()}")
    done = call(capfdbinary, "lea", KEY, tmp_path / "answer.txt", *options)
    assert done.status == status
    assert b"[low-fidelity]" in done.stderr


@pytest.mark.parametrize(
    ("answer", "f1"),
    [
        ("[The [cat](#1)](#2) saw [it](#1) .", 1),
        ("[xyzzy [cat](#1)](#2) saw [it](#1) .", 1),
        ("[[cat](#2) xyzzy](#1) saw [it](#1) .", 0),
        ("[[cat](#1) xyzzy](#2) saw [it](#1) .", 1),
    ],
)
def test_of_mentions_on_the_same_words_the_one_with_the_fewest_differences_keeps_them(
    answer: str, f1: float, tmp_path: Path
) -> None:
    """Whichever comes first in the answer. The other one matches nothing."""
    words = [*(["The"] if "The" in answer else []), "cat", "saw", "it", "."]
    cat, it = words.index("cat"), words.index("it")
    key = {"doc_key": "x", "sentences": [words], "clusters": [[[cat, cat], [it, it]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    (tmp_path / "x.txt").write_text(answer)
    result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.txt", "muc", singletons="keep")
    assert result["muc"].recall == f1


# What two texts have in common


# Answers made from corpora, of which the truth is known


PAIRS = [
    (TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll"),
    *(
        (TESTDATA / "recorded" / name / "key.conll", TESTDATA / "recorded" / name / "response.conll")
        for name in ("plain-0000", "documents-0051")
    ),
]


@pytest.mark.parametrize("notation", NAMES)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[1].parent.name)
def test_a_faithful_answer_scores_as_the_file_it_was_made_from(
    notation: str, pair: tuple[Path, Path], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """To the byte, but for mentions that the notation cannot say."""
    answer = tmp_path / "answer"
    key, response = pair
    said = call(capfdbinary, "convert", response, answer, "--format", "tagged", "--tags", notation).stderr
    if b"[unsaid-crossing]" in said:
        assert notation != "words", "mentions cross, which only words can say"
        return
    plain = call(capfdbinary, "all", key, response, "none", "--repeated", "first").stdout
    text = call(capfdbinary, "all", key, answer, "none", "--repeated", "first").stdout
    assert text.startswith(plain)
    assert text[len(plain) :].startswith(b"Fidelity of the text: 100.00 %")


def as_conll(names: Sequence[str], words: Sequence[Sequence[str]], its: Sequence[Mentions]) -> str:
    """Documents with one column of words and one of coreference."""
    lines = []
    for name, mine, mentions_of_it in zip(names, words, its, strict=True):
        cells: list[list[str]] = [[] for _ in mine]
        for entity, first, last in mentions_of_it:
            cells[first].append(f"({entity}" + ")" * (first == last))
            if last > first:
                cells[last].insert(0, f"{entity})")
        rows = (f"{word}\t{'|'.join(cell) or '-'}" for word, cell in zip(mine, cells, strict=True))
        lines += [f"#begin document {name}", *rows, "#end document"]
    return "\n".join(lines) + "\n"


def imperfect(its: Mentions, chance: random.Random, *, crossing: bool) -> Mentions:
    """Mentions of which some are left out and some are in other entities, every span once; and none that crosses
    another one unless asked for."""
    entities = sorted({int(entity[1:]) for entity, *_ in its})
    spans = {(first, last): int(entity[1:]) for entity, first, last in its if chance.random() < 0.9}
    found = [
        (first, last, str(chance.choice(entities) if chance.random() < 0.1 else entity))
        for (first, last), entity in spans.items()
    ]
    kept = sorted(found, key=lambda span: (span[0], -span[1])) if crossing else without_crossing(found)[0]
    return [(entity, first, last) for first, last, entity in kept]


CORPUS_NAMES = ("ecbplus-crossdoc", "ecbplus-withindoc", "gerdracor", "litbank", "openboek")


@pytest.mark.parametrize("notation", NAMES)
@pytest.mark.parametrize(
    ("corpora", "corpus"),
    [
        *((EXCERPTS, name) for name in CORPUS_NAMES),
        *(
            pytest.param(CORPORA, name, marks=(pytest.mark.slow, WHOLE_CORPORA))
            for name in (*CORPUS_NAMES, "ecbplus-goldmentions", "koconovel")
        ),
    ],
)
def test_a_faithful_answer_scores_alike_in_every_corpus(
    corpora: Path, corpus: str, notation: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """To the byte: a response made of the key, and the same as tagged text."""
    path = corpora / corpus / "key.conll"
    documents, words, its = words_and_mentions(path)
    chance = random.Random(corpus)
    changed = [imperfect(each, chance, crossing=notation == "words") for each in its]
    response, answer = tmp_path / "response.conll", tmp_path / "answer"
    response.write_text(as_conll(documents.names, words, changed))
    said = call(capfdbinary, "convert", response, answer, "--format", "tagged", "--tags", notation)
    assert (said.status, b"[unsaid-" in said.stderr) == (0, False)
    plain = call(capfdbinary, "conll,lea", path, response, "none", "--repeated", "first")
    text = call(capfdbinary, "conll,lea", path, answer, "none", "--repeated", "first")
    assert plain.status == text.status == 0
    assert text.stdout.startswith(plain.stdout)
    rest = text.stdout[len(plain.stdout) :].decode()
    assert re.fullmatch(r"Fidelity of the text: 100\.00 %( \(tags: \d+ crossing\))?\n", rest)
    assert b"CoNLL average: F1: 100" not in plain.stdout


# Names


def test_answers_without_names_are_taken_in_order_or_refused() -> None:
    with pytest.warns(corefscore.ScorerWarning, match="by-position"):
        assert corefscore.score(TAGGED / "key-of-two.jsonl", TAGGED / "two.txt", "lea")["lea"].f1 == 1
    with pytest.raises(InputError, match="unnamed-answers"):
        corefscore.score(TAGGED / "key-of-two.jsonl", TAGGED / "three.txt", "lea")


def test_an_answer_with_the_name_of_another_document_is_taken_with_a_notice() -> None:
    for name, odd in (("cats", []), ("demo/cats", []), ("dogs", ["by-position"])):
        found = corefscore.score(KEY, {name: "[The cat](#1) saw Ann and Bo"}, "lea")
        assert [notice.code for notice in found.notices if notice.code == "by-position"] == odd


# Other tokens


def test_a_response_of_another_tokenizer_is_aligned_where_that_is_asked_for(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    response: dict[str, object] = {
        "doc_key": "demo/cats_0",
        "sentences": [["The cat", "saw", "Ann", "and", "Bo.", "She", "fed"]],
    }
    response["clusters"] = [[[0, 0]], [[2, 4]]]
    (tmp_path / "response.jsonl").write_text(json.dumps(response) + "\n")
    plain = call(capfdbinary, "lea", KEY, tmp_path / "response.jsonl", "none")
    assert b"--align finds the words of the response in the key" in plain.stderr
    aligned = call(capfdbinary, "lea", KEY, tmp_path / "response.jsonl", "--align", "--format", "json")
    found = json.loads(aligned.stdout)
    assert found["total"]["mentions"]["recall_numerator"] == 2  # a full stop beside Bo is another word of the key
    assert found["options"]["align"] is True
    assert (found["fidelity"]["kept"], found["fidelity"]["deleted"]) == (9, 6)


def test_a_response_with_the_tokens_of_the_key_is_the_same_aligned(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pair = PAIRS[0]
    plain = call(capfdbinary, "all", *pair, "none")
    aligned = call(capfdbinary, "all", *pair, "none", "--align")
    assert aligned.stdout == plain.stdout + b"Fidelity of the text: 100.00 %\n"


@pytest.mark.parametrize("word", ["\u200b", "\u00ad", "\u2028", "\ufeff"], ids=ascii)
def test_mentions_that_end_with_an_invisible_word_are_aligned(
    word: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A file against itself: such mentions shrank or matched nothing, at a fidelity of 100 %."""
    document = {"doc_key": "a", "sentences": [["Ann", word, "saw", "Bo"]], "clusters": [[[0, 1], [2, 2]], [[1, 1]]]}
    (tmp_path / "file.jsonl").write_text(json.dumps(document) + "\n")
    done = call(capfdbinary, "bcub", tmp_path / "file.jsonl", tmp_path / "file.jsonl", "none", "--align")
    assert done.stdout.count(b"(3 / 3) 100%") == 4
    assert done.stdout.endswith(b"Fidelity of the text: 100.00 %\n")


def test_characters_of_another_text_are_refused_or_aligned(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The demo, changed: documents without names belong together by position; the message names --align."""
    words = ["The", "cat", "saw", "Ann", "and", "Bob", ".", "Then", "She", "fed", "it", ".", "It", "liked", "her", "."]
    its: Mentions = [("cat", 0, 1), ("cat", 10, 10), ("cat", 12, 12), ("Ann", 3, 3), ("Ann", 14, 14), ("Bo", 5, 5)]
    fields = json.loads(as_characters("x", words, [*its, ("Bo", 8, 8)]))
    (tmp_path / "response.jsonl").write_text(json.dumps({name: fields[name] for name in ("text", "clusters")}))
    refused = call(capfdbinary, "lea", KEY, tmp_path / "response.jsonl")
    assert refused.status == 1
    assert b"differs from that of the other side" in refused.stderr
    assert b'"b.ThenShefedit.Itlik" here' in refused.stderr
    assert b"--align" in refused.stderr
    done = call(capfdbinary, "lea", KEY, tmp_path / "response.jsonl", "none", "--align", "--format", "json")
    found = json.loads(done.stdout)
    assert {name: found["fidelity"][name] for name in ("kept", "replaced", "inserted")} == {
        "kept": 14,
        "replaced": 1,
        "inserted": 1,
    }
    plain = call(capfdbinary, "lea", KEY, TESTDATA / "demo" / "response.conll", "none", "--format", "json").stdout
    assert found["total"] == json.loads(plain)["total"]


def test_tagged_text_is_scored_on_a_key_that_counts_characters(tmp_path: Path) -> None:
    key = tmp_path / "key.jsonl"
    assert within("convert", KEY, key, "--format", "fastcoref").status == 0
    result = corefscore.score(key, TAGGED / "markdown.txt", "lea")
    assert result["lea"] == corefscore.score(KEY, TAGGED / "markdown.txt", "lea")["lea"]
    assert result.fidelity is not None
    assert ratio(result.fidelity.total) == 1


# Convert


def test_an_answer_becomes_a_file_on_the_tokens_of_the_key(tmp_path: Path) -> None:
    done = within("convert", TAGGED / "chatty.txt", tmp_path / "out.conll", "--key", KEY)
    assert done.status == 0
    assert b"[lost-mentions]" in done.stderr
    result = corefscore.score(KEY, tmp_path / "out.conll", "lea")
    assert result["lea"].recall == corefscore.score(KEY, TAGGED / "chatty.txt", "lea")["lea"].recall


def test_words_that_would_be_tags(tmp_path: Path) -> None:
    words = ["[", "a]", "<m>", "{1", "}", "x|[e1]", "##", "b c", "", "</m>#1", "](#2)"]
    key: dict[str, object] = {
        "doc_key": "x",
        "sentences": [words],
        "clusters": [[[at, at] for at in range(len(words)) if words[at]]],
    }
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    for notation in NAMES:
        done = within("convert", tmp_path / "key.jsonl", tmp_path / "x", "--format", "tagged", "--tags", notation)
        assert b"[changed-word]" in done.stderr
        result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "x", "lea", tags=notation)
        assert result.mentions.f1 == 1, notation


# Validate


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hm.\n[Ann](#1) [left", [(2, 11, "unclosed-tags", "[")]),
        ("Ann](#1) [left](#2)", [(1, 4, "unopened-tags", "](#1)")]),
        ("a\n\n [](#1) [Ann](#2)", [(3, 2, "unreadable-tags", "[")]),
        ("Ann|[1 and|[2 Bo|1] left|2]", [(1, 8, "crossing-tags", "a")]),
        ("[Ann](#1) [saw](#1) {2 Bo}", [(1, 21, "unknown-tags", "{2 ")]),
    ],
)
def test_validate_shows_every_faulty_tag(text: str, expected: list[tuple[int, int, str, str]], tmp_path: Path) -> None:
    """Line, column and what the carets are under, counted by hand."""
    (tmp_path / "x.txt").write_text(text)
    ignored = "singletons,repeated-mention"
    done = within("validate", tmp_path / "x.txt", "--ignore", ignored, "--format", "json", "--input-format", "tagged")
    (found,) = json.loads(done.stdout)["files"]
    assert [(its["line"], its["column"], its["code"]) for its in found["findings"]] == [each[:3] for each in expected]
    plain = within("validate", tmp_path / "x.txt", "--ignore", ignored, "--input-format", "tagged")
    lines = (plain.stdout + plain.stderr).decode().split("\n")
    (carets,) = [at for at, line in enumerate(lines) if line.strip() and set(line.strip()) == {"^"}]
    begin = lines[carets].index("^")
    assert lines[carets - 1][begin:].startswith(expected[0][3])


def test_validate_shows_where_the_text_parts_from_the_key(tmp_path: Path) -> None:
    text = (TAGGED / "markdown.txt").read_text().replace("fed", "petted")
    (tmp_path / "x.txt").write_text(text)
    done = within("validate", tmp_path / "x.txt", "--key", KEY, "--format", "json")
    found = [its for its in json.loads(done.stdout)["files"][0]["findings"] if its["code"] == "parting-text"]
    (its,) = found
    assert its["details"]["key_word"] == '"fed" instead'
    assert text.split("\n")[its["line"] - 1][its["column"] - 1 :].startswith("petted")
    same = within("validate", TAGGED / "markdown.txt", "--key", KEY)
    assert b"parting-text" not in same.stdout + same.stderr


def test_a_text_that_ends_early_parts_at_its_last_word(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_text(as_conll(["d"], [["Ann", "saw", "Bo", "leave"]], [[("1", 0, 0)]]))
    (tmp_path / "x.txt").write_text("[Ann](#1)\nsaw\nBo")
    asked = "--ignore", "singletons", "--format", "json", "--input-format", "response=tagged"
    done = within("validate", tmp_path / "x.txt", "--key", tmp_path / "key.conll", *asked)
    (found,) = (its for its in json.loads(done.stdout)["files"][0]["findings"] if its["code"] == "parting-text")
    assert (found["line"], found["column"], found["details"]["key_word"]) == (3, 1, '"leave" after this word')


@pytest.mark.parametrize(
    ("key", "answer"), [("a aaaba caa bac", "a xaaba aa bac"), ("ab bbca cb", "abbcacbx")], ids=["before", "at the end"]
)
def test_a_word_with_other_letters_in_it_is_not_kept(key: str, answer: str, tmp_path: Path) -> None:
    """One word of each is; of the others only some letters are aligned."""
    (tmp_path / "key.conll").write_text(as_conll(["d"], [key.split()], [[("1", 0, 0)]]))
    (tmp_path / "x.txt").write_text(answer)
    result = corefscore.score(tmp_path / "key.conll", tmp_path / "x.txt", "muc", tags="markdown")
    assert result.fidelity is not None
    assert result.fidelity.total["kept"] == 1


def test_many_faults_are_counted(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("[a](#1) " + "](#1) " * 5000)
    done = within("validate", tmp_path / "x.txt", "--format", "json")
    (found,) = json.loads(done.stdout)["files"]
    listed = sum(its["code"] == "unopened-tags" for its in found["findings"])
    assert listed + found["unlisted"]["unopened-tags"] == 5000


# Hostile answers

LONG = 20_000


@pytest.mark.parametrize("notation", NAMES)
@pytest.mark.parametrize(
    "text",
    [
        "[" * LONG,
        "](#1)" * LONG,
        "[" * LONG + "a" + "](#1)" * LONG,
        "{1 " * LONG,
        "}" * LONG,
        "<m" * LONG,
        "<m " + " " * LONG,
        "<m>" * LONG + "</m>" * LONG,
        "|[e1" * LONG,
        "a|[e1 " * LONG,
        "a|" + "[e1," * LONG,
        "a " * LONG,
        "[a](#1) " * LONG,
        "\x00\ufeff\u202e" * LONG,
    ],
    ids=lambda text: text[:8].encode("unicode_escape").decode(),
)
def test_a_hostile_answer_takes_linear_time(text: str, notation: str) -> None:
    before = process_time()
    its = untagged(text, find(notation))
    assert process_time() - before < 8
    assert set(its.faults) == set(FAULTS)


DEMO = (TAGGED / "markdown.txt").read_text()

ODD_BYTES: dict[str, tuple[bytes, float]] = {
    "CR": (DEMO.replace(" ", "\r").encode(), 100),
    "CRLF": (DEMO.replace(" ", "\r\n").encode(), 100),
    "CRLF in JSON": (json.dumps({"answer": DEMO}).encode() + b"\r\n", 100),
    "byte order mark": (b"\xef\xbb\xbf" + DEMO.encode(), 100),
    "byte order mark of JSON": (b"\xef\xbb\xbf" + json.dumps({"answer": DEMO}).encode(), 100),
    "NUL": (DEMO.replace(" ", "\0 ").encode(), 100),
    "bytes that are not UTF-8": (DEMO.replace("cat", "c\udce9t").encode("utf-8", "surrogateescape"), 100 * 14 / 15),
    "half of a pair": (json.dumps({"answer": DEMO.replace("cat", "\ud800")}).encode(), 100 * 14 / 15),
    # No tags any more, but parts of four words: [The, cat](#1...1), [it, [It.
    "an id of 10,000 digits": (DEMO.replace("#1", "#" + "1" * 10_000).encode(), 100 * 11 / 15),
    "nested 10,000 deep": (b"[" * 10_000 + DEMO.encode() + b"](#9)" * 10_000, 100),
}
"""Answers of odd bytes, and the fidelity in percent."""


@pytest.mark.parametrize("name", ODD_BYTES)
def test_odd_bytes_are_part_of_the_text_or_of_no_account(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text, fidelity = ODD_BYTES[name]
    (tmp_path / "x").write_bytes(text)
    done = call(capfdbinary, "lea", KEY, tmp_path / "x", "--format", "json", "--input-format", "response=tagged")
    assert done.status == 0
    assert 100 * json.loads(done.stdout)["fidelity"]["fidelity"] == pytest.approx(fidelity), name
    beside = "--key", KEY, "--input-format"
    assert call(capfdbinary, "validate", tmp_path / "x", *beside, "response=tagged").status == 0
    assert call(capfdbinary, "convert", tmp_path / "x", "-", *beside, "tagged", "--format", "conll").status == 0


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [DEMO, json.dumps({"answer": DEMO})], ids=["text", "JSON"])
def test_utf_16_is_refused_as_such(
    encoding: str, text: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "x").write_bytes(text.encode(encoding))
    done = call(capfdbinary, "lea", KEY, tmp_path / "x", "--input-format", "response=tagged")
    assert (done.status, done.stdout) == (1, b"")
    assert b"it looks like UTF-16" in done.stderr


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?P<open>(?P<id>))|(?P<close>)",  # the empty string is no tag
        r"(?P<open>\[(?P<id>\d*):)|(?P<close>\])",
        r"(?P<open>(?=a)(?P<id>))|(?P<close>$)",
    ],
)
def test_a_pattern_that_fits_too_much_is_no_tag(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("a" * 60 + " [1:The cat] saw [:Bo]")
    assert within("lea", KEY, tmp_path / "x", "--tags", pattern).status == 0


@pytest.mark.parametrize(("text", "what"), [("", "the file is empty"), (" \n\n", "nothing but white space")])
def test_an_empty_file_is_refused(text: str, what: str, tmp_path: Path) -> None:
    """It is a run that broke rather than an answer."""
    (tmp_path / "x.txt").write_text(text)
    done = within("lea", KEY, tmp_path / "x.txt", "--input-format", "response=tagged")
    assert (done.status, done.stdout) == (1, b"")
    assert what.encode() in done.stderr
    assert b'{"answer": ""}' in done.stderr, "what to do if the model wrote nothing"


def test_an_empty_answer_in_json_has_no_mentions(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"answer": ""}\n')
    done = within("lea", KEY, tmp_path / "x.jsonl", "--format", "json")
    found = json.loads(done.stdout)
    assert found["total"]["lea"]["f1"] == 0
    assert (found["fidelity"]["fidelity"], found["fidelity"]["deleted"], found["fidelity"]["mentions_deleted"]) == (
        0,
        15,
        8,
    )
    assert b"[no-tags]" in done.stderr
    assert b"[low-fidelity]" in done.stderr


APOLOGIES = {
    "plain": ("I'm sorry, but I cannot mark up this passage.", "side-without-mentions"),
    "tagged": ("[I](#1) am sorry, but [I](#1) cannot mark up [this passage](#2).", "no-common-mention"),
}


@pytest.mark.parametrize("name", APOLOGIES)
@pytest.mark.parametrize("call_", [["lea", str(KEY)], ["validate", "--key", str(KEY)]], ids=["score", "validate"])
def test_an_apology_is_not_explained_by_columns(
    name: str, call_: Sequence[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """No word is in common: nothing is aligned, and what is said is about answers."""
    text, code = APOLOGIES[name]
    (tmp_path / "cats.txt").write_text(text)
    done = call(capfdbinary, *call_, tmp_path / "cats.txt", "--input-format", "response=tagged")
    said = (done.stderr + (done.stdout if call_[0] == "validate" else b"")).decode()
    assert f"[{code}]" in said
    assert "no word of the key was found in the response" in said
    assert "15 deleted, " in said
    assert "replaced" not in said
    assert "CoNLL" not in said
    assert "number them alike" not in said


@pytest.mark.parametrize("copies", [2, 3])
def test_of_a_text_that_comes_twice_one_copy_counts(copies: int, tmp_path: Path) -> None:
    text = (TAGGED / "markdown.txt").read_text()
    (tmp_path / "x.txt").write_text(text * copies)
    result = corefscore.score(KEY, tmp_path / "x.txt", "lea")
    assert result["lea"].recall == 0.5
    assert result.fidelity is not None
    assert result.fidelity.total["inserted"] > 0
    assert result["lea"].precision < corefscore.score(KEY, TAGGED / "markdown.txt", "lea")["lea"].precision


def test_half_an_answer_is_half_missing(tmp_path: Path) -> None:
    text = (TAGGED / "markdown.txt").read_text()
    (tmp_path / "x.txt").write_text(text[: text.index("[It]")])
    result = corefscore.score(KEY, tmp_path / "x.txt", "lea")
    assert result.fidelity is not None
    assert {**result.fidelity.total, "deleted": 4, "mentions_deleted": 2} == result.fidelity.total
    assert tuple(result.fidelity.total) == FIELDS


def test_a_mention_that_is_left_out_leaves_out_no_other() -> None:
    spans = [(1, 4, "b"), (3, 5, "c"), (0, 2, "a")]
    assert without_crossing(spans) == ([(0, 2, "a"), (3, 5, "c")], 1)


@pytest.mark.parametrize(
    ("label", "told"), [("None", True), ("1,2", True), ("1|2", True), ("1-2", False), ("12", False)]
)
def test_ids_that_mean_none_or_several_are_told(label: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"[Ann](#{label}) saw [Bo](#3) and [her](#{label})")
    found = corefscore.read(tmp_path / "a.txt", input_format="tagged").notices
    assert ("odd-label" in {notice.code for notice in found}) == told


def test_the_field_of_a_name_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": null, "answer": "[Ann](1) met [her](1)"}\n')
    with pytest.raises(InputError, match=r'"id" is not a name'):
        corefscore.read(path, input_format="tagged")


@pytest.mark.parametrize(("label", "told"), [("e1,e2", True), ("e1/e2", True), ("e1-e2", False), ("e1+e2", False)])
def test_ids_that_are_several_of_the_others_are_told(label: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"[Ann](#e1) saw [Bo](#e2) and [they](#{label}) left")
    found = corefscore.read(tmp_path / "a.txt", input_format="tagged").notices
    assert ("odd-label" in {notice.code for notice in found}) == told


@pytest.mark.parametrize(
    ("name", "answer", "found"),
    [
        ("words", 'Ann|[e1] fed Bob.|[e2] "She|[e1] likes him," he|[e2] said.', 4),
        ("words", 'Ann|[e1] fed Bob\'s|[e2] "She|[e1] likes him," "he|[e2] said.', 4),
        ("words", 'Ann|[e1] fed Bob|[e2] . " She|[e1] likes him , " he|[e2] said .', 4),
        ("markdown", '[Ann](#1) fed [Bob.](#2) "[She](#1) likes him," [he](#2) said.', 3),  # as the tag says
        (
            "tokens",
            [["Ann", "fed", "Bob.", '"She', "likes", 'him,"', "he", "said."], [[[0, 0], [3, 3]], [[2, 2], [6, 6]]]],
            4,
        ),
        ("tokens", [["Ann", "fed", "Bob", ".", '"', "She"], [[[0, 0], [5, 5]], [[2, 3]]]], 2),
    ],
)
def test_signs_beside_words_are_left_out_where_mentions_are_of_whole_words(
    name: str, answer: str | list[object], found: int, tmp_path: Path
) -> None:
    """Answers of tokens between blanks had mentions with full stops: 61.13 for 97.58."""
    words = ["Ann", "fed", "Bob", ".", '"', "She", "likes", "him", ",", '"', "he", "said", "."]
    key = {"doc_key": "x", "sentences": [words], "clusters": [[[0, 0], [5, 5]], [[2, 2], [7, 7], [10, 10]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    path = tmp_path / ("x.jsonl" if name == "tokens" else "x.txt")
    if isinstance(answer, list):
        tokens, clusters = answer
        path.write_text(json.dumps({"doc_key": "x", "sentences": [tokens], "clusters": clusters}) + "\n")
    else:
        path.write_text(answer)
    result = corefscore.score(tmp_path / "key.jsonl", path, "bcub", align=True, tags=None if name == "tokens" else name)
    assert result["mentions"].recall == pytest.approx(found / 5)


@pytest.mark.parametrize(
    ("key", "response", "found"),
    [
        (("Stop \" he 'd gone", [[[2, 2]]]), ("Stop\" he'd gone", [[[1, 1]]]), 1),
        (('Bob spoke ( " He left " ) .', [[[0, 0], [4, 4]]]), ('Bob spoke ("He left").', [[[0, 0], [2, 2]]]), 1),
        (("Bob said he 'll .", [[[0, 0], [2, 2]]]), ("Bob said he'll.", [[[0, 0], [2, 2]]]), 1),
        (('Ann " This is Al \'s . "', [[[0, 0], [4, 4]]]), ('Ann "This is Al\'s."', [[[0, 0], [3, 3]]]), 1),
        (("Mary 's a - z", [[[0, 0]], [[4, 4]]]), ("Mary's a-z", [[[0, 0]]]), 0.5),
        (("Ann O 'Neil left", [[[0, 1]]]), ("Ann O'Neil left", [[[0, 1]]]), 0),  # a name, no ending
        (("qu' il voit", [[[0, 1]], [[1, 1]]]), ("qu'il voit", [[[0, 0]]]), 0.5),
        (("the U.S. , too", [[[0, 1]]]), ("the U.S., too", [[[0, 1]]]), 1),
    ],
)
def test_endings_are_those_of_their_own_word(
    key: tuple[str, object], response: tuple[str, object], found: float, tmp_path: Path
) -> None:
    """A review found these, where the ending was looked for among the characters that follow."""
    for name, (text, clusters) in (("key", key), ("response", response)):
        fields = {"doc_key": "x", "sentences": [text.split()], "clusters": clusters}
        (tmp_path / name).write_text(json.dumps(fields) + "\n")
    result = corefscore.score(tmp_path / "key", tmp_path / "response", "bcub", align=True)
    assert result["mentions"].recall == pytest.approx(found)


def test_signs_stay_in_mentions_between_two_corefud_files(tmp_path: Path) -> None:
    """A mention that is moved would lose the head that its file gives: mentions 50 for 100."""
    entities = {1: "(e1-p-1-)", 3: "(e1-p-3-", 5: "e1)"}
    for name, words, heads in (
        ("key.conllu", "They saw Ann and Mary 's dog .", "2 0 2 5 3 5 2 2"),
        ("response.conllu", "They saw Ann and Mary's dog.", "2 0 2 5 3 2"),
    ):
        rows = (
            f"{at}\t{word}\t_\tX\t_\t_\t{head}\tdep\t_\t{'Entity=' + entities[at] if at in entities else '_'}"
            for at, (word, head) in enumerate(zip(words.split(), heads.split(), strict=True), 1)
        )
        begin = "# newdoc id = x", "# global.Entity = eid-etype-head-other", "# sent_id = 1"
        (tmp_path / name).write_text("\n".join([*begin, *rows, "", ""]))
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "response.conllu", "muc", align=True)
    assert result["mentions"].f1 == result["muc"].f1 == 1
