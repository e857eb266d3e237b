"""`--entities`: what each entity of one document adds to a score, worked out by hand, and sums that equal the score."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore import UsageError
from corefscore.metrics import select
from corefscore.reports.entities import entities
from corefscore.scoring.run import scored, settings_of
from corefscore.scoring.settings import Rules, Run
from support import TESTDATA, call

Capture = pytest.CaptureFixture[bytes]
Clusters = list[list[tuple[int, int]]]

DEMO = TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll"
WITH_TERMS = "muc,bcub,ceafm,ceafe,blanc,lea,linked,pairwise,cluster"

BY_HAND: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]] = {
    ("lea", "recall"): {"2": (3, 3), "5": (3 * 1 / 3, 3), "3": (0, 1), "4": (0, 1), "sum": (4, 8)},
    ("lea", "precision"): {"2": (3, 3), "5": (2, 2), "4": (0, 2), "sum": (5, 7)},
    ("muc", "recall"): {"2": (2, 2), "5": (1, 2), "3": (0, 0), "4": (0, 0), "sum": (3, 4)},
    ("muc", "precision"): {"2": (2, 2), "5": (1, 1), "4": (0, 1), "sum": (3, 4)},
    ("bcub", "recall"): {"2": (3, 3), "5": (5 / 3, 3), "3": (0, 1), "4": (1, 1), "sum": (17 / 3, 8)},
    ("bcub", "precision"): {"2": (3, 3), "5": (2, 2), "4": (1, 2), "sum": (6, 7)},
    ("ceafe", "recall"): {"2": (1, 1), "5": (4 / 5, 1), "3": (0, 1), "4": (2 / 3, 1), "sum": (37 / 15, 4)},
    ("ceafe", "precision"): {"2": (1, 1), "5": (4 / 5, 1), "4": (2 / 3, 1), "sum": (37 / 15, 3)},
    ("blanc.coreference", "recall"): {"2": (3, 3), "5": (1, 3), "3": (0, 0), "4": (0, 0), "sum": (4, 6)},
    ("blanc.coreference", "precision"): {"2": (3, 3), "5": (1, 1), "4": (0, 1), "sum": (4, 5)},
    ("pairwise", "recall"): {"2": (3, 3), "5": (1, 3), "3": (0, 0), "4": (0, 0), "sum": (4, 6)},
    ("pairwise", "precision"): {"2": (3, 3), "5": (1, 1), "4": (0, 1), "sum": (4, 5)},
    ("cluster", "recall"): {"2": (1, 1), "5": (0, 1), "3": (0, 1), "4": (0, 1), "sum": (1, 4)},
    ("cluster", "precision"): {"2": (1, 1), "5": (0, 1), "4": (0, 1), "sum": (1, 3)},
    ("blanc.noncoreference", "recall"): {
        "2": (12 / 2, 15 / 2),
        "5": (11 / 2, 15 / 2),
        "3": (0, 7 / 2),
        "4": (5 / 2, 7 / 2),
        "sum": (14, 22),
    },
    ("blanc.noncoreference", "precision"): {"2": (6, 12 / 2), "5": (4, 10 / 2), "4": (4, 10 / 2), "sum": (14, 16)},
}


def lines(capture: Capture, *arguments: str | Path) -> list[dict[str, str]]:
    """Run a command with the layout CSV; returns its rows."""
    done = call(capture, *arguments, "--format", "csv")
    assert done.status == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def test_the_demo_by_hand(capfdbinary: Capture) -> None:
    """The key has 2 (The cat, it, It), 5 (Ann, She, her), 3 (Ann and Bo) and 4 (Bo); the response 2 (the same), 5 (Ann,
    her) and 4 (Bo, She). Ann and Bo is missing.

    - LEA: 5 of the key has 3 links, of which 1 is kept: 3 x 1/3 of 3. The singletons 3 and 4 have no counterpart that
      is one. Entity 4 of the response has one link, which the key lacks: 0 of 2. 4 of 8 and 5 of 7.
    - MUC: 5 of the key takes 2 links, and one is missing. 3 of 4; the response adds the wrong link Bo, She: 3 of 4.
    - B-cubed: 5 of the key adds 2/3 + 2/3 + 1/3, and 4, which is within 4 of the response, 1. 17/3 of 8; 6 of 7.
    - CEAF-e: 2 is assigned to 2 (1), 5 to 5 (2 x 2 / 5), 4 to 4 (2 x 1 / 3).
    - BLANC, coreference: 3 links and 1 of 3; 4 of 6 and 4 of 5. Non-coreference, at both ends: the 3 mentions of 2 have
      5 others, of which 4 are found; of those of 5, Ann and her are apart from 3 + 1 (Bo) others, She from 3, since the
      response has it with Bo: 11 of 15; Bo is apart from 3 + 2 of its 7. Half of 12 + 11 + 0 + 5 is 14, of 22.
    """
    found: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
    rows = lines(capfdbinary, "conll,lea,blanc,pairwise,cluster", *DEMO, "--entities")
    for row in rows:
        names = row["measure"], row["score"]
        found.setdefault(names, {})[row["entity"]] = float(row["numerator"]), float(row["denominator"])
        assert row["kind"] == ("total" if row["entity"] == "sum" else "entity")
        assert float(row["lost"]) == pytest.approx(float(row["denominator"]) - float(row["numerator"]))
    assert found.keys() == BY_HAND.keys()
    for names, of_score in BY_HAND.items():
        assert list(found[names]) == list(of_score)
        for entity, numbers in of_score.items():
            assert found[names][entity] == pytest.approx(numbers), (names, entity)
    said = {(row["entity"], row["mentions"], row["parts"]) for row in rows if row["score"] == "recall"}
    assert ("5", "Ann / She / her", "2 in entity 5, 1 in entity 4") in said
    assert ("3", "Ann and Bo", "1 missing") in said
    assigned = {(row["score"], row["entity"], row["assigned"]) for row in rows if row["measure"] == "ceafe"}
    assert assigned >= {("recall", "5", "5"), ("recall", "3", ""), ("recall", "4", "4"), ("precision", "4", "4")}
    assert not any(row["assigned"] for row in rows if row["measure"] != "ceafe")


def test_the_response_has_extra_mentions(capfdbinary: Capture) -> None:
    rows = lines(capfdbinary, "lea", *reversed(DEMO), "--entities")
    (row,) = (row for row in rows if row["mentions"] == "Ann and Bo")
    assert (row["score"], row["parts"]) == ("precision", "1 extra")


def test_every_layout_has_the_sums(capfdbinary: Capture) -> None:
    table = call(capfdbinary, "lea", *DEMO, "none", "--entities").stdout.decode()
    assert "lea, recall: entities of the key" in table
    assert "recall = 4.00 / 8.00 = 50.00 %" in table and "precision = 5.00 / 7.00 = 71.43 %" in table
    assert table == call(capfdbinary, "lea", *DEMO, "--entities", "--format", "table").stdout.decode()
    markdown = call(capfdbinary, "lea", *DEMO, "--entities", "--format", "markdown").stdout.decode()
    assert "| 5      | Ann / She / her   | 2 in entity 5, 1 in entity 4 | 2.00 | 1.00 | 3.00 |" in markdown
    data = json.loads(call(capfdbinary, "ceafe", *DEMO, "--entities", "--format", "json").stdout)
    assert data["total"]["ceafe"]["recall_numerator"] == pytest.approx(37 / 15)
    assert data["entities"][1] == {
        "measure": "ceafe",
        "score": "recall",
        "entity": "5",
        "mentions": ["Ann", "She", "her"],
        "parts": {"5": 2, "4": 1},
        "assigned": "5",
        "numerator": pytest.approx(4 / 5),
        "denominator": 1.0,
    }


def adds_up(key: Any, response: Any, words: str = WITH_TERMS, **rules: Any) -> int:
    """Check that the shares of entities add up to each score; returns the number of shares."""
    metrics = select(words)
    settings = settings_of(metrics, Rules(**rules), None, {})
    result = scored(key, response, Run(metrics, settings), keep_pairs=True)
    report = entities(result)
    sums: dict[tuple[str, str], np.ndarray[Any, Any]] = {}
    for share in report.shares:
        numbers = np.array([share.numerator, share.denominator])
        sums[share.measure, share.score] = sums.get((share.measure, share.score), np.zeros(2)) + numbers
        assert sum(share.parts.values()) <= len(share.mentions)
        assert (share.assigned is not None) <= (share.measure in ("ceafm", "ceafe"))
        assert share.assigned is None or share.assigned in share.parts
    for (measure, score), numbers in sums.items():
        counts = getattr(result[measure], f"{score}_counts")
        exact = measure not in ("bcub", "ceafe", "lea")  # those of the others are whole numbers and halves
        assert tuple(numbers) == (tuple(counts) if exact else pytest.approx(tuple(counts), rel=1e-12))
    return len(report.shares)


def partition(random: np.random.Generator) -> Clusters:
    """Return some of 16 mentions in random entities."""
    spans = [(int(token), int(token)) for token in np.flatnonzero(random.random(16) < 0.8)]
    entity = random.integers(0, 6, len(spans))
    found = [[span for span, its in zip(spans, entity, strict=True) if its == number] for number in range(6)]
    return [mentions for mentions in found if mentions]


@pytest.mark.parametrize("rules", [{}, {"singletons": "drop"}, {"mentions": "given"}, {"singletons": "drop-response"}])
def test_sums_over_entities_equal_the_score(rules: dict[str, str]) -> None:
    random = np.random.default_rng(7)
    for _ in range(60):
        assert adds_up({"a": partition(random)}, {"a": partition(random)}, **rules)


COREFUD = sorted((TESTDATA / "corefud").rglob("key.conllu"))


def test_sums_over_entities_of_corefud_equal_the_score() -> None:
    shown = 0
    for key in COREFUD:
        if sum(line.startswith("# newdoc") for line in key.read_text("utf-8").splitlines()) < 2:
            adds_up(key, key.parent / "response.conllu", repeated="first", task="aligned")
            shown += 1
    assert shown > 20


def test_corefud_has_the_words_of_mentions_with_gaps(capfdbinary: Capture) -> None:
    folder = TESTDATA / "corefud" / "reading" / "gap-head-of-last-part-101"
    rows = lines(capfdbinary, "lea", folder / "key.conllu", folder / "response.conllu", "--entities")
    assert [row["mentions"] for row in rows] == ["gim pel quo eno / opa", "", "eno / opa", ""]


def test_entities_of_tagged_text_beside_corefud_have_the_words_of_the_key(capfdbinary: Capture) -> None:
    folder = TESTDATA / "odd" / "other-heads"
    arguments = "--entities", "--repeated", "first"
    done = call(capfdbinary, "bcub", folder / "key.conllu", folder / "response.txt", *arguments)
    assert (done.status, b"\nb       the old man / him" in done.stdout) == (0, True)


def test_json_lines_have_the_numbers_of_entities(capfdbinary: Capture, tmp_path: Path) -> None:
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    words = {"sentences": [["Ann", "saw", "Bo"], ["and", "her"]]}
    key.write_text(json.dumps({"doc_key": "a", **words, "clusters": [[[0, 0], [4, 4]], [[2, 2]]]}) + "\n", "utf-8")
    response.write_text(json.dumps({"doc_key": "a", **words, "clusters": [[[0, 0], [2, 2]]]}) + "\n", "utf-8")
    rows = lines(capfdbinary, "bcub", key, response, "--entities", "--repeated", "refuse")
    found = [[row[name] for name in ("entity", "mentions", "parts", "numerator")] for row in rows]
    assert found == [
        ["0", "Ann / her", "1 in entity 0, 1 missing", "0.5"],
        ["1", "Bo", "1 in entity 0", "1.0"],
        ["sum", "", "", "1.5"],
        ["0", "Ann / Bo", "1 in entity 0, 1 in entity 1", "1.0"],
        ["sum", "", "", "1.0"],
    ]
    without = {"doc_key": "a", "predicted_clusters": [[[0, 0], [2, 2]]]}
    response.write_text(json.dumps(without) + "\n", "utf-8")
    rows = lines(capfdbinary, "bcub", key, response, "--entities")
    assert rows[3]["mentions"] == "0-0 / 2-2"


def test_of_several_documents_one_is_named(capfdbinary: Capture) -> None:
    files = [TESTDATA / "fables" / f"{side}.conll" for side in ("key", "response")]
    done = call(capfdbinary, "conll", *files, "--entities")
    assert done.status == 2
    assert b'name one after RESPONSE (in Python: document=), such as "(fables/crow); part 000"' in done.stderr
    total = call(capfdbinary, "conll", *files, "(fables/crow); part 000", "--format", "json").stdout
    rows = lines(capfdbinary, "conll", *files, "(fables/crow); part 000", "--entities")
    for row in rows:
        if row["kind"] == "total":
            scores = json.loads(total)["total"][row["measure"]]
            assert float(row["numerator"]) == scores[f"{row['score']}_numerator"]


REPEATED = TESTDATA / "recorded" / "repeat-both-0013"


def test_python_gives_the_report_of_the_command(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "pairwise,cluster,lea", *DEMO, "--entities", "--format", "json")
    assert json.loads(done.stdout) == corefscore.entities(str(DEMO[0]), str(DEMO[1]), "pairwise,cluster,lea").to_dict()
    with pytest.raises(UsageError, match="leave --of out"):
        corefscore.entities(str(DEMO[0]), str(DEMO[1]), "lea", of="size:2-")
    with pytest.raises(UsageError, match="name one after RESPONSE"):
        corefscore.entities([[["a"]], [["b"]]], [[["a"]], [["b"]]])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["bcubs"], "--entities: bcubs is not a sum over entities; name others, such as lea or conll"),
        (["lea", "--of", "size:2-"], "leave --of out"),
        (["lea", "--of", "size"], "leave --of size out"),
        (["lea", "--window", "5"], "leave --window out"),
        (["lea", "--documents"], "leave --documents out"),
        (["lea", "--intervals"], "leave --intervals out"),
        (["lea", "--format", "official"], "--entities needs a layout other than official"),
    ],
)
def test_what_is_no_sum_over_entities_is_refused(words: list[str], message: str, capfdbinary: Capture) -> None:
    metric, *options = words
    done = call(capfdbinary, metric, *DEMO, "--entities", *options)
    assert (done.status, done.stdout) == (2, b"")
    assert message in done.stderr.decode()


def test_repeated_mentions_need_the_first_copy(capfdbinary: Capture) -> None:
    files = REPEATED / "key.conll", REPEATED / "response.conll"
    names = [line[16:-1].decode() for line in files[0].read_bytes().splitlines(keepends=True) if b"#begin" in line]
    refused = 0
    for name in names:
        done = call(capfdbinary, "lea", *files, name, "--entities")
        refused += b"--repeated first" in done.stderr and done.status == 2
        assert lines(capfdbinary, "lea", *files, name, "--entities", "--repeated", "first")
    assert refused


def test_another_look_up_than_the_alignment_is_refused(capfdbinary: Capture) -> None:
    """The official CorefUD scorer finds mentions in several entities only in the last of them."""
    refused = 0
    for key in COREFUD:
        files = key, key.parent / "response.conllu"
        done = call(capfdbinary, "muc,bcub", *files, "--entities", "--repeated", "first")
        if b"do not add up to" in done.stderr:
            assert b"add --task aligned --repeated first" in done.stderr
            assert lines(capfdbinary, "muc,bcub", *files, "--entities", "--repeated", "first", "--task", "aligned")
            refused += 1
    assert refused
