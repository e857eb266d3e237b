"""Tagged text beside keys of CorefUD: zeros, heads by the tree, and files made of answers.

The pairs are those of `test_corefud`. With a faithful text, which has the words, the zeros and the tree of the key, an
answer scores as the file that it was made from.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.checking.convert import WITH_ZEROS, convert
from corefscore.core.errors import ScorerError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats import Reading
from corefscore.formats.base import EVERY_NAME, Annotations, Request
from corefscore.formats.corefud.annotations import read as layers_of
from corefscore.formats.tagged.notations import NAMES
from corefscore.matching.text.zeros import gaps_of
from support import ABSENT, TESTDATA, call, every_second, within
from test_corefud import OWN, SHARED

CASES = {folder: sorted(path.parent for path in folder.rglob("key.conllu")) for folder in (OWN, SHARED)}
NOT_OWN = [pytest.mark.slow, pytest.mark.skipif(not CASES[SHARED], reason=ABSENT)]
SHARES = [pytest.param(CASES[SHARED][share::8], marks=NOT_OWN, id=f"shared-{share}") for share in range(8)]
TREE = Reading(heads="tree", tags="words")
HOW = ("--heads", "tree", "--singletons", "keep")


def same_text(one: Annotations, other: Annotations) -> bool:
    """Whether two documents have the same words, zeros and dependencies."""
    trees = one.tree(), other.tree()
    return (
        np.array_equal(one.numbers, other.numbers)
        and one.words == other.words
        and np.array_equal(trees[0].depth, trees[1].depth)
        and trees[0].links == trees[1].links
    )


@cache
def is_faithful(key: Path, response: Path) -> bool:
    """Whether a response has the text of its key, under the same names, and can be scored."""
    try:
        corefscore.score(key, response, "muc", heads="tree")
        names = corefscore.read(key, heads="tree").names, corefscore.read(response, heads="tree").names
        its, others = (list(layers_of(Source(str(path)), Request())) for path in (key, response))
    except ScorerError:
        return False
    return names[0] == names[1] and all(map(same_text, its, others))


@pytest.mark.parametrize("cases", [pytest.param(CASES[OWN], id="own"), *SHARES])
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_a_faithful_answer_scores_as_the_file_it_was_made_from(
    cases: list[Path], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """To the byte; and so does the file of CorefUD that is made of the answer, on the words of the key."""
    tried = 0
    answer, made = tmp_path / "answer.txt", tmp_path / "made.conllu"
    for case in cases:
        key, response = case / "key.conllu", case / "response.conllu"
        if not response.exists() or not is_faithful(key, response):
            continue
        notices: list[Finding] = []
        text = "".join(convert(str(response), notices, "tagged", TREE))
        if {"changed-mentions", "changed-order"} & {notice.code for notice in notices}:
            continue
        tried += 1
        answer.write_text(text, encoding="utf-8", errors="surrogateescape")
        plain, told = call(capfdbinary, "all", key, response, *HOW, "--format", "official")[1:]
        if b"[split-entity]" in told:  # then the order of entities depends on documents that are other texts
            continue
        tagged = call(capfdbinary, "all", key, answer, *HOW, "--format", "official", "--tags", "words").stdout
        assert tagged.startswith(plain), case
        assert tagged[len(plain) :].startswith(b"Fidelity of the text: 100.00 %"), case
        notices.clear()
        back = "".join(convert(str(answer), notices, "corefud", TREE, key=str(key)))
        if any(notice.code in ("crossing-mentions", "split-mentions") for notice in notices):
            continue
        made.write_text(back, encoding="utf-8", errors="surrogateescape")
        again = call(capfdbinary, "all", key, made, "--heads", "file", "--singletons", "keep", "--format", "official")
        first = call(capfdbinary, "all", key, answer, "--singletons", "keep", "--format", "official", "--tags", "words")
        assert b"[split-entity]" in again.stderr or first.stdout.startswith(again.stdout), case
    assert tried > 0


KEY = """# newdoc id = d
# global.Entity = eid-head
# sent_id = 1
1\tAnn\t_\t_\t_\t_\t2\tnsubj\t_\tEntity=(e1-1)
2\tsaw\t_\t_\t_\t_\t0\troot\t_\t_
3\tBo\t_\t_\t_\t_\t2\tobj\t_\tEntity=(e2-1)
3.1\tshe\t_\t_\t_\t_\t_\t_\t4:nsubj\tEntity=(e1-1)
4\tfed\t_\t_\t_\t_\t2\tdep\t_\t_
4.1\t_\t_\t_\t_\t_\t_\t_\t4:obj\tEntity=(e2-1)

"""


@pytest.mark.parametrize(
    ("answer", "matched", "spurious"),
    [
        pytest.param("Ann|[1] saw Bo|[2] ##she|[1] fed ##|[2]", 4, 0, id="where they stand"),
        pytest.param("Ann|[1] saw Bo|[2] fed ##she|[1] ##|[2]", 4, 0, id="behind what they depend on"),
        pytest.param("Ann|[1] saw Bo|[2] fed ##|[2] ##|[1]", 4, 0, id="behind what they depend on, without a form"),
        pytest.param("Ann|[1] saw Bo|[2] ##|[1] fed", 3, 0, id="one is missing"),
        pytest.param("Ann|[1] saw Bo|[2] fed", 2, 0, id="both are missing"),
        pytest.param("Ann|[1] ##|[2] saw Bo|[2] ##she|[1] fed ##|[2]", 4, 1, id="one is invented"),
        pytest.param("Ann ##|[2] saw Bo|[2] ##she|[1] fed ##|[2]", 3, 1, id="one is invented beside no mention"),
        pytest.param("ann|[1] saw Bob|[2] ##she|[1] fed ##|[2]", 4, 0, id="in another text"),
        pytest.param("Ann|[1] saw Bo|[1 ##she|1] fed ##|[2]", 2, 1, id="as part of a mention"),
    ],
)
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_zeros_of_an_answer_are_empty_nodes_of_the_key(
    answer: str, matched: int, spurious: int, tmp_path: Path
) -> None:
    """Counted by hand: mentions that both sides have, and those that only the answer has."""
    (tmp_path / "key.conllu").write_text(KEY)
    (tmp_path / "d.txt").write_text(answer)
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "d.txt", "muc", matching="exact", singletons="keep")
    mentions = result.to_dict()["total"]["mentions"]
    assert mentions["recall_numerator"] == matched
    assert mentions["recall_denominator"] == 4
    assert (mentions["precision_numerator"], mentions["precision_denominator"]) == (matched, matched + spurious)


SAW = "# newdoc id = d\n# global.Entity = eid-head\n# sent_id = 1\n1\tAnn{}e1-1)\n2\tsaw{}e4-1)\n3\tBo{}e2-1)\n".format(
    *(f"\t_\t_\t_\t_\t{link}\t_\tEntity=(" for link in ("2\tnsubj", "0\troot", "2\tobj"))
)
FED = "4\tfed\t_\t_\t_\t_\t2\tdep\t_\t_\n"


def with_nodes(*nodes: str) -> str:
    """A file with empty nodes, each as its number, form, dependency and entity; all follow the third or fourth word."""
    lines = ["{}\t{}\t_\t_\t_\t_\t_\t_\t{}\tEntity=({}-1)\n".format(*node.split()) for node in nodes]
    before = [line for line in lines if line.startswith("3")]
    return "".join([SAW, *before, FED, *lines[len(before) :], "\n"])


CROSSED = with_nodes("3.1 _ 4:dep e1", "4.1 _ 2:dep e2")


@pytest.mark.parametrize(
    ("key", "response", "links"),
    [
        pytest.param(
            with_nodes("3.1 she 4:nsubj e1", "3.2 her 4:obj e2"),
            with_nodes("3.1 her 4:nsubj e1", "3.2 she 4:obj e2"),
            2,
            id="relations come before forms",
        ),
        pytest.param(
            CROSSED,
            with_nodes("3.1 _ 2:dep e2", "4.1 _ 4:dep e1"),
            2,
            id="dependencies come before places",
        ),
        pytest.param(
            CROSSED,
            "Ann|[1] saw|[4] ##|[2] Bo|[2] fed ##|[1]",
            2,
            id="the way that fits more zeros comes first",
        ),
        pytest.param(
            with_nodes("3.1 _ 4:dep e1", "4.1 _ 4:dep e2"),
            "Ann|[1] saw|[4] Bo|[2] fed ##|[2] ##|[1]",
            2,
            id="of the nodes of a word those after it come first",
        ),
        pytest.param(
            with_nodes("3.1 _ 4:dep e1", "4.1 _ 3:dep e2"),
            "Ann|[1] saw|[4] Bo|[2] ##|[1 other ##|1] fed",
            1,
            id="a mention of inserted words is its zeros in one place",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_which_empty_node_a_zero_is(key: str, response: str, links: int, tmp_path: Path) -> None:
    """Counted by hand: a zero that is another empty node joins no entity of the key."""
    of_response = tmp_path / ("response.conllu" if response.startswith("#") else "d.txt")
    (tmp_path / "key.conllu").write_text(key)
    of_response.write_text(response)
    result = corefscore.score(
        tmp_path / "key.conllu", of_response, "muc", matching="exact", singletons="keep", align=True
    )
    muc = result.to_dict()["total"]["muc"]
    assert (muc["recall_numerator"], muc["recall_denominator"]) == (links, 2)


def test_a_gap_that_zeros_leave_is_told(tmp_path: Path) -> None:
    """The mention of two words skips the zero between them, which is written after the word on which it depends. With
    the key, the zero is between them again, and part of the mention: one of five words is wrong."""
    text = with_nodes("3.1 _ 1:dep e1").replace("Entity=(e2-1)", "Entity=(e2[1/2]-1)")
    text = text.replace("\tEntity=(e1-1)\n4", "\t_\n4").replace("2\tdep\t_\t_", "2\tdep\t_\tEntity=(e2[2/2]-1)")
    (tmp_path / "key.conllu").write_text(text)
    notices: list[Finding] = []
    (tmp_path / "answer.txt").write_text("".join(convert(str(tmp_path / "key.conllu"), notices, "tagged")))
    assert [(its.line, its.details["count"]) for its in notices if its.code == "changed-mentions"] == [(6, "1 mention")]
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "answer.txt", "mor", singletons="keep")
    assert result["mor"].precision == 4 / 5


SELF = """# newdoc id = d
# global.Entity = eid-head
# sent_id = 1
1\tGrow\t_\t_\t_\t_\t0\troot\t_\t_
2\tself\t_\t_\t_\t_\t1\tobl\t_\tEntity=(e1-1)
3\told\t_\t_\t_\t_\t4\tamod\t_\t_
4\tfriend\t_\t_\t_\t_\t1\tobj\t_\t_
4.1\tone\t_\t_\t_\t_\t_\t_\t{}\tEntity=(e1-1)
5\tlasts\t_\t_\t_\t_\t1\tcsubj\t_\t_
6\tlong\t_\t_\t_\t_\t5\tadvmod\t_\t_

"""


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize("after", ["Grow", "self", "old", "friend", "lasts", "long"])
@pytest.mark.parametrize("name", ["d.txt", "d.json"])
@pytest.mark.parametrize(
    ("links", "parents"),
    [("5:obj", {"lasts"}), ("1:nsubj:xsubj|5:obj", {"Grow", "lasts"}), ("2:a|5:b|6:c", {"self", "lasts", "long"})],
)
def test_a_zero_may_follow_any_word_on_which_its_node_depends(
    links: str, parents: set[str], name: str, after: str, tmp_path: Path
) -> None:
    """Or the word after which the node is; in text, and as a token of JSON (CRAC 2026)."""
    key, answer = tmp_path / "key.conllu", tmp_path / name
    key.write_text(SELF.format(links))
    words = " Grow self old friend lasts long ".replace(f" {after} ", f" {after} ##one ").split()
    mentions = [words.index("self"), words.index("##one")]
    if name == "d.txt":
        answer.write_text(" ".join(word + "|[e1]" * (at in mentions) for at, word in enumerate(words)))
    else:
        fields = {"doc_id": "d", "tokens": words, "clusters_token_offsets": [[[at, at] for at in mentions]]}
        answer.write_text(json.dumps([fields]))
    result = corefscore.score(key, answer, "muc", matching="exact", align=True)
    assert result["muc"].f1 == (after in {*parents, "friend"})
    assert result.fidelity is not None
    assert result.fidelity.total["inserted"] == 0


def test_a_zero_without_a_node_is_shown_after_the_text(tmp_path: Path) -> None:
    """It was drawn on the last word."""
    key, answer = tmp_path / "key.conllu", tmp_path / "d.txt"
    key.write_text(SELF.format("5:obj"))
    answer.write_text("Grow self|[e1] old friend ##one|[e1] lasts long ##two|[e1]")
    done = within("diff", key, answer, "--tags", "words", "--quiet")
    assert re.search(rb"\(without a place in the text:\) \+\[##two\]e1\n", done.stdout)


@pytest.mark.parametrize(("answer", "options"), [("answer.txt", ["--tags", "words"]), ("answer.json", ["--align"])])
def test_zeros_written_by_text2text_coref(answer: str, options: list[str]) -> None:
    """Its conllu2text and conllu2json wrote both from the key, whose nodes have up to three parents."""
    folder = TESTDATA / "tagged" / "text2text"
    how = ["--matching", "exact", "--singletons", "keep", "--format", "json"]
    done = within("conll", folder / "key.conllu", folder / answer, *options, *how)
    found = json.loads(done.stdout)
    assert (found["total"]["mentions"]["f1"], found["total"]["conll"]["f1"]) == (1, 1)
    assert found["fidelity"]["fidelity"] == 1


@pytest.mark.parametrize(("answer", "exact"), [("places.txt", 87.17), ("places-back.conllu", 77.47)])
def test_text2text_coref_and_convert_write_zeros_in_the_same_places(answer: str, exact: float, tmp_path: Path) -> None:
    """Its conllu2text (-z) wrote the text, its text2conllu (-z) the other file from what convert writes: of zeros
    before and after the words on which they depend, on two words, on the root, and of mentions with gaps."""
    folder = TESTDATA / "tagged" / "text2text"
    key, text = folder / "places.conllu", tmp_path / "text"
    assert within("convert", key, text, "--format", "tagged", "--tags", "words", "--quiet").status == 0
    assert text.read_bytes() == (folder / "places.txt").read_bytes()
    tags = ["--tags", "words"] * answer.endswith(".txt")
    for matching, expected in (("head", 100), ("exact", exact)):
        how = ["--matching", matching, "--singletons", "keep", "--format", "json"]
        found = json.loads(within("conll", key, folder / answer, *tags, *how).stdout)
        assert round(100 * found["total"]["conll"]["f1"], 2) == expected


def test_signs_of_zeros_stay_when_an_answer_is_converted(tmp_path: Path) -> None:
    """From the CRAC tasks' JSON to text, from there to JSON, and from CorefUD to JSON."""
    folder = TESTDATA / "tagged" / "text2text"
    made = [tmp_path / name for name in ("text", "json", "key.json")]
    rows = [(folder / "answer.json", "tagged"), (made[0], "crac-2026"), (folder / "key.conllu", "crac-2026")]
    for (source, target), out in zip(rows, made, strict=True):
        tags = ["--tags", "words"] * (target == "tagged")
        assert within("convert", source, out, "--format", target, *tags, "--quiet").status == 0
    tokens = [[row["tokens"] for row in json.loads(path.read_text())] for path in (folder / "answer.json", made[1])]
    assert tokens[0] == tokens[1]
    for path, options in ((made[0], ["--tags", "words"]), (made[2], ["--align"])):
        done = within("conll", folder / "key.conllu", path, *options, "--format", "json", "--quiet")
        assert json.loads(done.stdout)["total"]["conll"]["f1"] == 1


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_words_with_one_number_are_one_word(tmp_path: Path) -> None:
    """The second word has the number of the third, and one mention contains both."""
    key = (
        with_nodes()
        .replace("2\tsaw", "3\tsaw")
        .replace("(e1-1)", "(e1-1")
        .replace("(e4-1)", "_")
        .replace("(e2-1)", "e1)")
    )
    (tmp_path / "key.conllu").write_text(key)
    (tmp_path / "d.txt").write_text("Ann|[1 saw Bo|1] fed")
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "d.txt", "muc", matching="exact", singletons="keep")
    assert result.to_dict()["total"]["mentions"]["recall_numerator"] == 1


@pytest.mark.parametrize(
    ("places", "gaps"),
    [
        pytest.param([4, 5, 6, 7], [1], id="a word between"),
        pytest.param([-1, 5, 6, 7], [], id="a mention begins in no gap"),
        pytest.param([4, 6, 6, 7], [], id="a word of the key for two of the answer is in the mention"),
        pytest.param([4, -1, 6, 7], [], id="a word that the key does not have"),
    ],
)
def test_words_of_the_key_in_gaps(places: list[int], gaps: list[int]) -> None:
    """A mention of the words 0, 2 and 3 of the answer, given where these and the word between them are in the key."""
    in_key = np.array(places)
    span = next(place for place in places if place >= 0), places[-1]
    assert gaps_of(np.array([0, 2, 3]), (in_key, in_key), span).tolist() == gaps


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize("name", ["response.conllu", "d.txt"])
def test_of_entities_with_the_same_mention_the_first_one_by_id_is_first(name: str, tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(with_nodes().replace("e2-1", "e1-1"))
    response = with_nodes().replace("(e1-1)", "(e9-1)(e2-1)").replace("e4-1", "e9-1")
    answer = response if name == "response.conllu" else "Ann|[e9],[e2] saw|[e9] Bo|[e2] fed"
    (tmp_path / name).write_text(answer)
    result = corefscore.score(
        tmp_path / "key.conllu", tmp_path / name, "muc", repeated="first", matching="exact", singletons="keep"
    )
    assert result["muc"].recall == 1


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_an_invented_mention_has_the_distance_from_where_it_stands(tmp_path: Path) -> None:
    """Each mention is of one kind: the first, or at most 20 tokens after another."""
    (tmp_path / "key.conllu").write_text(KEY)
    (tmp_path / "d.txt").write_text("Oh|[2] Ann|[1] ##|[2] saw just|[1] now|[3] Bo|[3] ##she|[1] fed ##|[2] bye|[1]")
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "d.txt", "bcub", singletons="keep", of="distance")
    kinds = {name: scores["bcub"]["precision_denominator"] for name, scores in result.to_dict()["kinds"].items()}
    assert {name: count for name, count in kinds.items() if count} == {"distance:first": 3, "distance:0-20": 6}


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize(("zeros", "mentions"), [("dependent", 5), ("drop", 2)])
def test_an_invented_zero_is_dropped_with_the_others(zeros: str, mentions: int, tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(KEY)
    (tmp_path / "d.txt").write_text("Ann|[1] ##|[2] saw Bo|[2] ##she|[1] fed ##|[2]")
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "d.txt", "muc", singletons="keep", zeros=zeros)
    assert result.to_dict()["total"]["mentions"]["precision_denominator"] == mentions


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize(("second", "mentions"), [("surely|[3] ##", 1), ("surely|[3 ##|3]", 2)])
def test_mentions_of_two_pieces_with_other_zeros_are_two(second: str, mentions: int, tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(KEY)
    pieces = "Ann surely|[3] ## saw Bo", f"Ann {second} saw Bo fed"
    lines = "".join(json.dumps({"doc_key": "d", "answer": piece}) + "\n" for piece in pieces)
    (tmp_path / "d.jsonl").write_text(lines)
    result = corefscore.score(tmp_path / "key.conllu", tmp_path / "d.jsonl", "muc", singletons="keep", pieces="same")
    assert result.to_dict()["total"]["mentions"]["precision_denominator"] == mentions


HEADED = """# newdoc id = d
# global.Entity = eid-etype-head-other
1\tThe\t_\tDET\t_\t_\t2\tdet\t_\tEntity=(e1-x-2-
2\tpresident\t_\tNOUN\t_\t_\t5\tnsubj\t_\t_
3\tof\t_\tADP\t_\t_\t4\tcase\t_\t_
4\tFrance\t_\tPROPN\t_\t_\t2\tnmod\t_\tEntity=e1)
5\tspoke\t_\tVERB\t_\t_\t0\troot\t_\t_
6\tHe\t_\tPRON\t_\t_\t7\tnsubj\t_\tEntity=(e1-x-1-)
7\tleft\t_\tVERB\t_\t_\t5\tdep\t_\t_

"""
OTHER_TREE = HEADED.replace("2\tnmod", "5\tnsubj").replace("5\tnsubj\t_\t_\n3", "4\tnmod\t_\t_\n3")
ZERO_HEAD = HEADED.replace("(e1-x-2-", "_").replace(
    "2\tnmod\t_\tEntity=e1)\n", "2\tnmod\t_\tEntity=(e1-x-2-\n4.1\t_\t_\tPRON\t_\t_\t_\t_\t5:nsubj\tEntity=e1)\n"
)


@pytest.mark.parametrize(
    ("key", "response", "options", "f1"),
    [
        (HEADED, OTHER_TREE, {"heads": "tree"}, 0.5),  # it had the head of the key's tree
        (HEADED, OTHER_TREE, {"heads": "last"}, 1),
        (HEADED, OTHER_TREE, {}, 1),  # the file has the same heads
        (HEADED, ZERO_HEAD, {}, 0.5),  # the zero that the key lacks was left, and another word was the head
        (HEADED.replace("(e1-x-2-", "_").replace("=e1)", "=(e1-x-1-)"), ZERO_HEAD, {}, 0.5),
        (HEADED.replace("(e1-x-2-", "_").replace("=e1)", "=(e1-x-1-)"), ZERO_HEAD, {"zeros": "drop"}, 2 / 3),
    ],
)
def test_mentions_of_aligned_corefud_keep_their_heads(
    key: str, response: str, options: dict[str, str], f1: float, tmp_path: Path
) -> None:
    """Words are the same, so the scores are those of the files as they are: 100 for 50."""
    (tmp_path / "key.conllu").write_text(key)
    (tmp_path / "response.conllu").write_text(response)
    pair = tmp_path / "key.conllu", tmp_path / "response.conllu"
    found = [
        corefscore.score(*pair, "muc,bcub", singletons="keep", align=align, **options).to_dict()["total"]  # type: ignore[arg-type]
        for align in (False, True)
    ]
    assert {**found[1], "fidelity": None} == {**found[0], "fidelity": None}
    assert found[0]["mentions"]["f1"] == pytest.approx(f1)


@pytest.mark.parametrize(
    "entities",
    [
        # The mention has none of the quotes, or both.
        ["(e3-x-1-)", "(e1-x-1-)", "", "(e2-x-1-)", "", "(e4-x-1-)"],
        ["(e3-x-1-)", "(e1-x-1-)", "(e2-x-2-", "", "e2)", "(e4-x-1-)"],
    ],
)
def test_markup_in_place_of_quotes_after_a_zero(entities: list[str], tmp_path: Path) -> None:
    zero, he, first, name, last, again = (f"Entity={entity}" if entity else "_" for entity in entities)
    rows = [("0.1", "_", "_", zero), ("1", "He", "2", he), ("2", "saw", "0", "_"), ("3", '"', "4", first)]
    rows += [("4", "Titanic", "2", name), ("5", '"', "4", last), ("6", "again", "2", again)]
    lines = (f"{at}\t{word}\t_\tX\t_\t_\t{head}\tdep\t2:dep\t{misc}\n" for at, word, head, misc in rows)
    begin = "# global.Entity = eid-etype-head-other\n# newdoc id = d\n# sent_id = 1\n"
    (tmp_path / "key.conllu").write_text(f"{begin}{''.join(lines)}\n")
    (tmp_path / "answer.txt").write_text("##|[e3] He|[e1] saw * Titanic|[e2] * again|[e4]")
    pair = tmp_path / "key.conllu", tmp_path / "answer.txt"
    result = corefscore.score(*pair, "ceafm", tags="words", matching="exact", singletons="keep")
    assert result["ceafm"].f1 == 1


def test_other_notations_have_zeros_too(tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(KEY)
    for notation in ("markdown", "xml", "words", "braces"):
        made = within("convert", tmp_path / "key.conllu", tmp_path / "answer", "--format", "tagged", "--tags", notation)
        assert made.status == 0
        assert "##she" in (tmp_path / "answer").read_text()
        result = corefscore.score(tmp_path / "key.conllu", tmp_path / "answer", "muc", heads="tree")
        assert result["muc"].f1 == 1, notation


def test_words_of_another_response_come_onto_corefud_where_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "key.conllu").write_text(KEY)
    response = '{"doc_key": "d", "sentences": [["Ann", "saw", "Bo", "fed"]], "clusters": [[[0, 0]], [[2, 2]]]}\n'
    (tmp_path / "response.jsonl").write_text(response)
    refused = within("muc", tmp_path / "key.conllu", tmp_path / "response.jsonl")
    assert b"--align" in refused.stderr
    done = within("muc", tmp_path / "key.conllu", tmp_path / "response.jsonl", "--align", "--singletons", "keep")
    assert done.status == 0
    assert b"Fidelity of the text: 100.00 %" in done.stdout or b"fidelity" in done.stdout


OF_OWN = [CASES[OWN][at::2] for at in range(2)]


@pytest.mark.parametrize("cases", [*every_second(OF_OWN, lambda cases: f"own-{OF_OWN.index(cases)}"), *SHARES])
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_aligned_responses_in_corefud_keep_their_scores(cases: list[Path]) -> None:
    """A file scores against itself as without the alignment, and so does every response with the text of its key."""
    tried = 0
    for case in cases:
        key = case / "key.conllu"
        for response in (key, case / "response.conllu"):
            if not response.exists() or not is_faithful(key, response):
                continue
            for matching in ("head", "exact"):
                try:
                    plain = corefscore.score(key, response, "corefud", matching=matching, singletons="keep")
                except corefscore.InputError:  # a file that is refused without --align, too
                    break
                aligned = corefscore.score(key, response, "corefud", matching=matching, singletons="keep", align=True)
                assert aligned.fidelity is not None
                assert aligned.fidelity.total["kept"] == aligned.fidelity.total["words"]
                assert aligned.to_dict()["total"] == plain.to_dict()["total"], (response, matching)
                tried += 1
    assert tried > 0


TREE_KEY = """# newdoc id = d
# global.Entity = eid-head
# sent_id = 1
1\tAnn\t_\t_\t_\t_\t4\tnsubj\t_\tEntity=(e1-1)
2\tdid\t_\t_\t_\t_\t4\taux\t_\t_
3\tn't\t_\t_\t_\t_\t4\tadvmod\t_\t_
4\tsay\t_\t_\t_\t_\t0\troot\t_\tEntity=(e2[1/2]-1)
5\tthat\t_\t_\t_\t_\t4\tobj\t_\tEntity=(e3-1)
6\taloud\t_\t_\t_\t_\t4\tadvmod\t_\tEntity=(e2[2/2]-1)
6.1\tshe\t_\t_\t_\t_\t_\t_\t7:nsubj\tEntity=(e1-1)
7\tsang\t_\t_\t_\t_\t4\tconj\t_\tEntity=(e3-1
8\tit\t_\t_\t_\t_\t7\tobj\t_\tEntity=(e2-1)e3)

"""

OTHER_TOKENS = """# newdoc id = d
# global.Entity = eid-head
# sent_id = 1
1\tAnn\t_\t_\t_\t_\t2\tnsubj\t_\tEntity=(e1-1)
2\tdidn't\t_\t_\t_\t_\t0\troot\t_\t_
3\ts\t_\t_\t_\t_\t2\tdep\t_\tEntity=(e2[1/2]-1
4\tay\t_\t_\t_\t_\t3\tdep\t_\tEntity=e2[1/2])
5\tthat\t_\t_\t_\t_\t2\tdep\t_\tEntity=(e3-1)
6\taloud\t_\t_\t_\t_\t2\tdep\t_\tEntity=(e2[2/2]-1)

# sent_id = 2
"""
ZERO_BEFORE = "0.1\tshe\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1-1)\n"
SANG = "1\tsang\t_\t_\t_\t_\t0\troot\t_\tEntity=(e3-1\n"
ZERO_AFTER = ZERO_BEFORE.replace("0.1", "1.1")
IT = "2\tit\t_\t_\t_\t_\t1\tobj\t_\tEntity=(e2-1)e3)\n"


@pytest.mark.parametrize(
    ("sentence", "matched", "given"),
    [
        pytest.param(ZERO_BEFORE + SANG + IT, 6, 6, id="other tokens and sentences"),
        pytest.param(SANG + IT, 5, 5, id="without the zero"),
        pytest.param(SANG + ZERO_AFTER + IT, 6, 6, id="the zero is after the word on which it depends"),
        pytest.param(ZERO_BEFORE.replace("1:", "2:") + SANG + IT, 6, 6, id="the zero depends on another word"),
        pytest.param(ZERO_BEFORE + SANG + IT.replace("\tit", "\thim"), 6, 6, id="another word in its place"),
        pytest.param(ZERO_BEFORE + SANG.replace("-1", "-2") + IT, 5, 6, id="another head"),
        pytest.param(
            ZERO_BEFORE + SANG + IT + IT.replace("2\tit", "3\ttoo").replace("e3)", ""), 6, 7, id="a word more"
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_words_of_corefud_are_found_in_a_key_with_other_tokens(
    sentence: str, matched: int, given: int, tmp_path: Path
) -> None:
    """Counted by hand: the mentions that both sides have, with their gaps and heads, and all of the response."""
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(TREE_KEY)
    response.write_text(f"{OTHER_TOKENS}{sentence}\n")
    done = within("muc", key, response, "--align", "--singletons", "keep", "--format", "json")
    assert done.status == 0
    mentions = json.loads(done.stdout)["total"]["mentions"]
    assert (mentions["recall_numerator"], mentions["recall_denominator"]) == (matched, 6)
    assert (mentions["precision_numerator"], mentions["precision_denominator"]) == (matched, given)


def test_entities_of_corefud_come_onto_a_key_with_other_tokens(tmp_path: Path) -> None:
    """The file has the words of the key; the gap of the one mention that has any is filled, with a notice."""
    key, response, made = (tmp_path / name for name in ("key.conllu", "response.conllu", "made.conllu"))
    key.write_text(TREE_KEY)
    response.write_text(f"{OTHER_TOKENS}{ZERO_BEFORE}{SANG}{IT}\n")
    done = within("convert", response, made, "--key", key, "--format", "corefud")
    assert done.status == 0
    assert b"[filled-gaps]" in done.stderr
    assert b"[lost-mentions]" not in done.stderr
    rows = [line.split("\t") for line in made.read_text().splitlines() if line[:1].isdigit()]
    assert [row[1] for row in rows] == [line.split("\t")[1] for line in TREE_KEY.splitlines() if line[:1].isdigit()]
    entities = [row[9] for row in rows]
    assert entities[3] == "Entity=(e2-1"
    assert entities[5] == "Entity=e2)"
    assert entities[6:] == ["Entity=(e1-1)", "Entity=(e3-1", "Entity=e3)(e2-1)"]


@pytest.mark.parametrize(("depth", "status"), [(300, 0), (500, 2)])
def test_an_answer_nested_deeply_is_refused_before_its_words_take_all_memory(
    depth: int, status: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Of 500 mentions the outermost has 1000 words, the next one 998, and so on: 500 * 501."""
    key = OWN / "scoring" / "zero-collision-101" / "key.conllu"
    text = [f"[a{at}" for at in range(depth)] + [f"b](#{at})" for at in range(depth)]
    (tmp_path / "x").write_text(" ".join(text))
    done = call(capfdbinary, "lea", key, tmp_path / "x", "none")
    assert done.status == status
    if status:
        assert b"nested too deeply: 500 mentions contain 250500 words in total" in done.stderr


ROUND = {
    "plain": TESTDATA / "demo" / "response.conll",
    "zeros": OWN / "scoring" / "zero-collision-101" / "key.conllu",
}


@pytest.mark.parametrize("target", EVERY_NAME)
@pytest.mark.parametrize("notation", NAMES)
@pytest.mark.parametrize("name", ROUND)
def test_there_and_back_is_the_same_in_every_format(
    name: str, notation: str, target: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """To tagged text and from there to a format, on the words of the key, as from the key to that format."""
    key, answer, back, plain = ROUND[name], tmp_path / "answer.txt", tmp_path / "back", tmp_path / "plain"
    tagged = ["--input-format", "tagged", "--tags", notation]
    same = key if target == ("conll" if name == "plain" else "corefud") else plain
    assert call(capfdbinary, "convert", key, answer, "--format", "tagged", "--tags", notation).status == 0
    asked = ["--tags", notation] if target == "tagged" else []
    assert call(capfdbinary, "convert", key, plain, "--format", target, *asked).status == 0 or same == key
    done = call(capfdbinary, "convert", answer, back, "--key", key, "--format", target, *tagged)
    assert done.status == 0
    assert (b"[dropped-zeros]" in done.stderr) == (name == "zeros" and target != "corefud")
    if name == "zeros" and target in WITH_ZEROS:  # only these could have said them
        return
    formats = ["--input-format", target] if target != "tagged" else tagged
    totals = [
        json.loads(call(capfdbinary, "conll,lea", same, made, "none", "--format", "json", *formats).stdout)["total"]
        for made in (back, same)
    ]
    assert totals[0] == totals[1]
    assert totals[0]["mentions"]["f1"] == 1


def test_heads_of_trees_need_trees(tmp_path: Path) -> None:
    """The first word was the head of each mention."""
    rows = [
        f"{n}\t{word}\t_\tX\t_\t_\t_\t_\t_\t{misc}"
        for n, word, misc in ((1, "the", "Entity=(e1-x-2-"), (2, "cat", "Entity=e1)"))
    ]
    path = tmp_path / "key.conllu"
    path.write_text(
        "\n".join(["# newdoc id = d", "# global.Entity = eid-etype-head-other", "# sent_id = 1", *rows, "", ""])
    )
    assert corefscore.score(path, path, "mor", singletons="keep")["mor"].f1 == 1
    with pytest.raises(corefscore.UsageError, match="--heads tree needs trees"):
        corefscore.score(path, path, "mor", heads="tree")
