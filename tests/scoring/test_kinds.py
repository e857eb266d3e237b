"""Scores of kinds of mentions and entities: terms added up by hand, and what holds for every division."""

from __future__ import annotations

import csv
import io
import json
import pickle
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from corefscore import InputError, Scorer, UsageError, analyse, check, compare, rank, read, score
from corefscore.formats.base import Annotations
from corefscore.metrics import NAMES, find
from corefscore.scoring.kinds.texts import TAG_SETS, Text
from corefscore.scoring.results import Result
from hypothesis import given, settings
from hypothesis import strategies as st
from support import TESTDATA, call, every_second

F = Fraction

Capture = pytest.CaptureFixture[bytes]

Span = tuple[int, int]
Partition = list[list[Span]]

DEMO = TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll"
FABLES = TESTDATA / "fables" / "key.conll", TESTDATA / "fables" / "response.conll"
SYSTEM = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll"
COREFUD = sorted((TESTDATA / "corefud").rglob("key.conllu"))


def spans(*entities: list[int]) -> Partition:
    return [[(token, token) for token in entity] for entity in entities]


KEY = spans([0, 2, 5, 9, 10], [3, 7], [11])
RESPONSE = spans([0, 2], [3, 5, 9, 10], [7, 12])
"""Entities A, B, C and X, Y, Z. They share 0, 2 (A and X), 5, 9, 10 (A and Y), 3 (B and Y), 7 (B and Z); CEAF assigns
A to Y (similarity 6/9) and B to Z (2/4)."""

BY_HAND: dict[tuple[str, str], dict[str, tuple[Any, Any]]] = {
    # In recall: A.
    ("size:5", "recall"): {
        "mentions": (5, 5),
        "linked": (3, 4),  # 2, 9 and 10; not 5, before which Y has no mention of A
        "muc": (3, 4),
        "bcub": (2 * F(2, 5) + 3 * F(3, 5), 5),
        "ceafm": (3, 5),
        "ceafe": (F(2, 3), 1),
        "blanc.coreference": (2 * 1 + 3 * 2, 5 * 4),
        "blanc.noncoreference": (2 * 2 + 3 * 1, 5 * 3),  # 3 and 7 are apart from 0 and 2, and 7 from 5, 9 and 10
        "lea": (2 * F(1, 4) + 3 * F(2, 4), 5),
    },
    ("size:5", "precision"): dict.fromkeys(
        ("mentions", "linked", "muc", "bcub", "ceafm", "ceafe", "blanc.coreference", "blanc.noncoreference", "lea"),
        (0, 0),
    ),
    # B; in precision X and Z.
    ("size:2", "recall"): {
        "mentions": (2, 2),
        "linked": (0, 1),
        "muc": (0, 1),
        "bcub": (2 * F(1, 2), 2),
        "ceafm": (1, 2),
        "ceafe": (F(1, 2), 1),
        "blanc.coreference": (0, 2),
        "blanc.noncoreference": (2 + 5, 2 * 6),
        "lea": (0, 2),
    },
    ("size:2", "precision"): {
        "mentions": (3, 4),
        "linked": (1, 1),  # 12 is not found
        "muc": (1, 2),
        "bcub": (1 + 1 + F(1, 2), 4),
        "ceafm": (1, 4),
        "ceafe": (F(1, 2), 2),
        "blanc.coreference": (2, 4),
        "blanc.noncoreference": (2 * 2 + 5, 4 * 6),
        "lea": (2, 4),
    },
    # C, which is not found.
    ("singletons", "recall"): {
        "mentions": (0, 1),
        "linked": (0, 0),
        "muc": (0, 0),
        "bcub": (0, 1),
        "ceafm": (0, 1),
        "ceafe": (0, 1),
        "blanc.coreference": (0, 0),
        "blanc.noncoreference": (0, 7),
        "lea": (0, 1),
    },
    # Y.
    ("size:3-", "precision"): {
        "mentions": (4, 4),
        "linked": (2, 3),
        "muc": (2, 3),
        "bcub": (3 * F(3, 4) + F(1, 4), 4),
        "ceafm": (3, 4),
        "ceafe": (F(2, 3), 1),
        "blanc.coreference": (3 * 2, 4 * 3),
        "blanc.noncoreference": (3 * 1 + 2, 4 * 4),
        "lea": (3 * F(2, 3), 4),
    },
    # 2, 9 and 10 stand 1 to 4 tokens behind the mention before them in their entity, 7 as well.
    ("distance:0-4", "recall"): {"mentions": (5, 5), "muc": (3, 5), "bcub": (F(2, 5) + 3 * F(3, 5) + F(1, 2), 5)},
    ("distance:first", "precision"): {"mentions": (3, 3), "muc": (0, 0), "bcub": (1 + F(1, 4) + F(1, 2), 3)},
    ("distance:5-", "precision"): {"mentions": (0, 1), "muc": (0, 1), "bcub": (0, 1)},
}


@pytest.mark.parametrize(("kind", "side"), BY_HAND)
def test_terms_added_up_by_hand(kind: str, side: str) -> None:
    result = score([KEY], [RESPONSE], "every", of=kind)
    for measure, expected in BY_HAND[kind, side].items():
        found = getattr(result[measure], f"{side}_counts")
        assert tuple(found) == pytest.approx(tuple(map(float, expected)), abs=1e-12), measure
        assert getattr(result[measure], side) == pytest.approx(float(F(expected[0]) / (expected[1] or 1)), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "recall", "precision"),
    [
        # She, it, It, her; She is linked to Bo.
        (
            "pronouns",
            {"mentions": (4, 4), "muc": (3, 4), "bcub": (1 + 1 + F(1, 3) + F(2, 3), 4)},
            {"mentions": (4, 4), "muc": (3, 4), "bcub": (1 + 1 + F(1, 2) + 1, 4)},
        ),
        # Ann and Bo, Ann, Bo; the first is not found.
        (
            "names",
            {"mentions": (2, 3), "muc": (0, 0), "bcub": (F(2, 3) + 1, 3)},
            {"mentions": (2, 2), "muc": (0, 0), "bcub": (1 + F(1, 2), 2)},
        ),
        ("nominals", {"mentions": (1, 1), "bcub": (1, 1)}, {"mentions": (1, 1), "bcub": (1, 1)}),
        # Ann and her, but no other pronoun: the list has one word.
        ("pronouns:words:{words}", {"mentions": (1, 1), "muc": (1, 1)}, {"mentions": (1, 1), "muc": (1, 1)}),
        ("pronouns:tags:PRP,DT", {"mentions": (4, 4)}, {"mentions": (4, 4)}),
        ("pronouns:tags:DT, PRP", {"mentions": (4, 4)}, {"mentions": (4, 4)}),
    ],
)
def test_mentions_by_their_heads(kind: str, recall: Any, precision: Any, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("\ufeffher\n")
    result = score(*DEMO, ["muc", "bcub"], of=kind.format(words=words))
    for side, expected in (("recall", recall), ("precision", precision)):
        for measure, counts in expected.items():
            assert tuple(getattr(result[measure], f"{side}_counts")) == pytest.approx(tuple(map(float, counts)))


def test_a_list_that_finds_nothing_is_told_once() -> None:
    """Its tags have no notices of their own then."""
    codes = [its.code for its in analyse(*DEMO, pronouns="tags:PRPS").notices]
    assert "no-pronouns" in codes and "absent-pronoun" not in codes


def test_pronouns_that_cannot_be_found_are_told(tmp_path: Path) -> None:
    """Those of the list that are there were counted, and nothing said that the others are not."""
    words = tmp_path / "words.txt"
    words.write_text("her\nshe hers\n")
    for of, told in (
        (f"words:{words}", 'is "she hers"'),
        ("tags:PRP,PRPS", "has the part of speech PRPS"),
        ("tags:PRP", ""),
        ("tags:PRP,PRP$,WP", ""),  # those of the Penn Treebank
        ("tags:PRP*", ""),
        ("tags:PRP, NN*,X*", "has the part of speech X*"),
        ("tags:PRP,XX,YY", "has the part of speech XX, YY"),
        ("tags:DT,PRP$", ""),
    ):
        found = score(*DEMO, "muc", of=f"pronouns:{of}").notices
        assert [its.details["what"] for its in found if its.code == "absent-pronoun"] == [told] * bool(told)


DISTINCT = st.lists(st.lists(st.integers(0, 9).map(lambda at: (at, at)), min_size=1, max_size=5), max_size=5)


def summed(result: Result, metric: str) -> np.ndarray:
    """The counts of all kinds together."""
    return sum((its[metric] for its in result.kind_counts.values()), np.zeros(result.counts[metric].shape))


@settings(deadline=None)
@given(st.lists(st.tuples(DISTINCT, DISTINCT), min_size=1, max_size=3), st.sampled_from(["size", "distance"]))
def test_the_kinds_of_a_division_add_up_to_the_total(documents: list[tuple[Partition, Partition]], of: str) -> None:
    """Every mention is of one kind. A link has two ends, each of which BLANC counts."""
    key, response = ([sides[at] for sides in documents] for at in range(2))
    result = score(key, response, "every", of=of)
    for metric in result.counts:
        ends = 2 if metric == "blanc" else 1
        assert summed(result, metric) == pytest.approx(ends * result.counts[metric], abs=1e-9), metric


@settings(deadline=None)
@given(DISTINCT, DISTINCT, st.sampled_from([{}, {"singletons": "drop"}, {"mentions": "given"}, {"boundary": "both"}]))
def test_all_sizes_together_are_the_plain_score(key: Partition, response: Partition, how: dict[str, Any]) -> None:
    every = score([key], [response], "every,linked", of="size:1-", **how)
    plain = score([key], [response], "every,linked", repeated="first", **how)
    for measure in plain:
        assert every[measure][:3] == pytest.approx(plain[measure][:3], abs=1e-9), measure


@settings(deadline=None)
@given(DISTINCT, DISTINCT)
def test_linked_is_muc_of_given_mentions(key: Partition, response: Partition) -> None:
    given_mentions = score([key], [response], "muc", repeated="first", mentions="given")["muc"]
    assert score([key], [response], "linked", repeated="first")["linked"] == given_mentions


@pytest.mark.parametrize("of", ["kind", "size", "distance"])
@pytest.mark.parametrize("files", [FABLES, DEMO], ids=["fables", "demo"])
def test_kinds_in_files_add_up(of: str, files: tuple[Path, Path]) -> None:
    result = score(*files, "every", of=of)
    for metric in result.counts:
        ends = 2 if metric == "blanc" else 1
        assert summed(result, metric) == pytest.approx(ends * result.counts[metric], abs=1e-9), metric


@pytest.mark.parametrize("key", every_second(COREFUD[:: max(1, len(COREFUD) // 40)], lambda path: path.parent.name))
@pytest.mark.parametrize("singletons", ["drop", "keep"])
def test_kinds_of_aligned_mentions_add_up(key: Path, singletons: str) -> None:
    """Heads, zeros and gaps: what is aligned is found; the total is that of the alignment."""
    response = key.parent / "response.conllu"
    how = {"repeated": "first", "task": "aligned", "singletons": singletons}
    try:
        plain = score(key, response, "every", **how)  # type: ignore[arg-type]
    except (InputError, UsageError):
        return
    for of in ("size", "distance"):
        result = score(key, response, "every", of=of, singletons=singletons)
        assert dict(result) == {**dict(plain), "linked": result["linked"]}
        for metric in plain.counts:
            ends = 2 if metric == "blanc" else 1
            assert summed(result, metric) == pytest.approx(ends * plain.counts[metric], abs=1e-9), metric


def rows(out: bytes) -> list[Mapping[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode())))


def test_a_division_has_a_row_for_each_kind(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "muc,lea", *DEMO, "--of", "kind", "--format", "csv")
    assert done.status == 0
    found = {(row["scope"], row["measure"]): row for row in rows(done.stdout)}
    assert {scope for scope, _ in found} == {"pronouns", "names", "nominals", "total"}
    assert {measure for _, measure in found} == {"mentions", "linked", "muc", "lea"}
    assert [found["pronouns", "muc"][score] for score in ("recall", "precision", "f1")] == ["75.0"] * 3
    # No name has an antecedent, so that nothing can be linked.
    assert [found["names", "linked"][score] for score in ("recall", "precision", "f1")] == [""] * 3
    data = json.loads(call(capfdbinary, "muc,lea", *DEMO, "--of", "kind", "--format", "json").stdout)
    assert list(data["kinds"]) == ["pronouns", "names", "nominals"]
    assert data["options"]["of"] == "kind"
    mentions = [its["mentions"]["recall_denominator"] for its in data["kinds"].values()]
    assert (mentions, sum(mentions)) == ([4, 3, 1], data["total"]["mentions"]["recall_denominator"])


@pytest.mark.parametrize("layout", ["official", "table", "json", "csv", "tsv", "markdown", "latex"])
@pytest.mark.parametrize("metric", ["muc", "every", "conll"])
def test_every_layout_has_the_scores_of_one_kind(layout: str, metric: str, capfdbinary: Capture) -> None:
    done = call(capfdbinary, metric, *DEMO, "--of", "pronouns", "--format", layout)
    assert (done.status, done.stderr) == (0, b"")
    plain = call(capfdbinary, metric, *DEMO, "--format", layout)
    assert done.stdout != plain.stdout
    assert b"0.75" in done.stdout or b"75" in done.stdout
    if layout in ("table", "json", "markdown", "latex"):
        assert b"of=pronouns" in done.stdout


def test_the_official_layout_prints_the_counts_of_the_kind(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "muc", *DEMO, "none", "--of", "pronouns")
    assert b"Recall: (3 / 4) 75%\tPrecision: (3 / 4) 75%" in done.stdout


def test_the_official_layout_has_a_line_for_linking(capfdbinary: Capture) -> None:
    """After mention identification; it is a metric of its own only where it is asked for."""
    done = call(capfdbinary, "muc", *DEMO, "--of", "pronouns")
    labels = [line.split(b":")[0] for line in done.stdout.split(b"TOTALS")[1].splitlines() if b"Recall" in line]
    assert labels == [b"Identification of Mentions", b"Linking of found mentions", b"Coreference"]
    assert (
        b"Total key mentions: 4\nTotal response mentions: 4\nStrictly correct identified mentions: 4\n" in done.stdout
    )
    assert b"No identified: 0\nInvented: 0\n" in done.stdout
    both = call(capfdbinary, "linked,muc", *DEMO, "none", "--of", "pronouns").stdout
    assert both.count(b"METRIC ") == 2
    assert both.count(b"Linking of found mentions") == 1


def test_nothing_to_count_is_said(capfdbinary: Capture) -> None:
    done = call(capfdbinary, "muc,bcub", *DEMO, "--of", "singletons", "--format", "csv")
    assert (
        b"the key has nothing to count for linked, muc; the response has nothing to count for any measure"
        in done.stderr
    )
    assert {row["measure"]: (row["recall"], row["precision"]) for row in rows(done.stdout)} == {
        "mentions": ("50.0", ""),
        "linked": ("", ""),
        "muc": ("", ""),
        "bcub": ("50.0", ""),
    }
    assert call(capfdbinary, "muc", *DEMO, "--of", "pronouns").stderr == b""


def test_an_entity_count_in_precision_alone_leaves_blanc_empty(capfdbinary: Capture) -> None:
    """The links of the key decide what BLANC counts, and the key has no entity of two mentions."""
    done = call(capfdbinary, "conll,blanc", *DEMO, "--of", "size:2", "--format", "csv")
    found = {row["measure"]: (row["recall"], row["precision"], row["f1"]) for row in rows(done.stdout)}
    assert found["blanc.coreference"] == ("", "50.0", "")
    assert found["blanc"] == ("", "", "")
    assert found["conll"][0] == found["conll"][2] == ""
    assert float(found["conll"][1]) == pytest.approx((50 + 75 + 220 / 3) / 3)


def test_links_of_the_response_alone_are_counted_where_both_sides_decide() -> None:
    """The key links nothing, the response two pairs: with the boundary of both sides, precision is 0 of 2 links. Of
    links of different kinds on the two sides, those of the key alone leave no precision."""

    def shown(key: list[list[int]], response: list[list[int]], **how: Any) -> set[str]:
        result = score(key, response, "blanc", of="size:1-", **how)
        return {"recall", "precision", "f1"} - {
            name for measure, name in result.uncounted(result) if measure == "blanc"
        }

    assert shown([[1]], [[1, 2], [3, 4]], boundary="both") == {"precision"}
    assert shown([[1]], [[1, 2], [3, 4]]) == set()
    assert shown([[1, 2]], [[1], [2]]) == {"recall"}
    assert shown([[1, 2]], [[1], [2]], boundary="both") == {"recall", "precision"}
    assert shown([[1, 2], [3]], [[1, 2], [3]]) == {"recall", "precision", "f1"}


@pytest.mark.parametrize("option", ["--documents", "--by=(.*)", "--intervals"])
def test_every_row_of_a_table_is_empty_where_nothing_counts(option: str, capfdbinary: Capture) -> None:
    """No system file has a link of singletons; means are means of 0."""
    done = call(capfdbinary, "muc", *SYSTEM, "--of", "singletons", option, "--format", "csv")
    found = [row for row in rows(done.stdout) if row["measure"] == "muc"]
    assert {row["f1"] for row in found if row["scope"] != "mean of groups"} == {""}
    assert {row["f1"] for row in found if row["scope"] == "mean of groups"} <= {"0.0"}
    assert {row.get("f1_low", "") for row in found} == {""}


def test_systems_have_empty_cells_where_nothing_counts(capfdbinary: Capture) -> None:
    """They are neither tested nor marked as the best, and what is empty in all cannot rank."""
    runs = sorted((TESTDATA / "systems" / "runs").iterdir())
    how = ("--of", "singletons", "--measures", "muc,bcub", "--trials", "50", "--format")
    compared = rows(call(capfdbinary, "compare", SYSTEM[0], *runs[:2], *how, "csv").stdout)
    assert {row["measure"] for row in compared if row["table"] == "differences"} == {"bcub"}
    found = [(row["measure"], row["f1"], row["f1_high"]) for row in compared if row["table"] == "scores"]
    assert found == [("muc", "", "")] * 2 + [("bcub", "100.0", "")] * 2
    paper = call(capfdbinary, "compare", SYSTEM[0], *runs[:2], *how, "markdown").stdout.decode()
    assert re.search(r"(?m)^\| ash +\| +\| +\| +\| +\*\*100.00\*\* \|", paper)
    five = call(capfdbinary, "compare", SYSTEM[0], *runs, f"more={runs[0]}", *how, "table").stdout.decode()
    assert [line.split()[2:7] for line in five.splitlines() if line.startswith("1  ash.conll")] == [
        [*"...."],
        ["100.00", "100.00", "100.00", ".", "."],
    ]
    ranked = rows(call(capfdbinary, "rank", SYSTEM[0], *runs, *how, "csv", "--sort", "bcub").stdout)
    assert {(row["muc_f1"], row["bcub_f1"] == "") for row in ranked} == {("", False)}
    refused = call(capfdbinary, "rank", SYSTEM[0], *runs, *how, "csv", "--sort", "muc")
    assert (refused.status, refused.stdout) == (2, b"")
    assert b"--of size:1: there is nothing to count for muc.f1; use another score with --sort" in refused.stderr
    assert score(*SYSTEM, "muc", of="singletons")["muc"][:3] == (0, 0, 0)


def test_groups_and_notebooks_have_empty_cells_and_means_have_zeros() -> None:
    """The first group of documents has no entity of 6 mentions or more, and no document links singletons."""
    ranked = rank(SYSTEM[0], {"ash": SYSTEM[1]}, "bcub", sort="bcub", of="size:6-", by="^.(..)/0", trials=20)
    *_, bn, nw, rest, _ = ranked.tables[0].rows[0]
    assert bn is None
    assert ranked.tables[0].rows[0][6] == pytest.approx((0 + nw + rest) / 3)
    html = score(*SYSTEM, "muc,bcub", of="singletons")._repr_html_()
    assert "0.00" not in html.replace("100.00", "")
    assert "100.00" in html
    means = compare(SYSTEM[0], {"ash": SYSTEM[1]}, "muc", of="singletons", average="documents", trials=20)
    assert means.tables[0].rows[0][2] == 0


def test_errors_of_a_kind_are_refused_before_files_are_read(tmp_path: Path, capfdbinary: Capture) -> None:
    broken = tmp_path / "broken.conll"
    broken.write_text("#begin document (d); part 000\nd 0 0 a (1\n")
    for command in ("errors", "diff"):
        done = call(capfdbinary, command, broken, broken, "--of", "pronouns")
        assert done.status == 2
        assert done.stderr.startswith(b"corefscore: errors are found in all mentions; leave --of out")


def test_processes_count_the_same(capfdbinary: Capture) -> None:
    for of in ("kind", "size:2-3"):
        one = call(capfdbinary, "every", *FABLES, "--of", of, "--format", "csv")
        several = call(capfdbinary, "every", *FABLES, "--of", of, "--format", "csv", "--jobs", "2")
        assert several.stdout == one.stdout
        assert one.status == 0


def test_systems_are_compared_in_one_kind(capfdbinary: Capture) -> None:
    runs = sorted((TESTDATA / "systems" / "runs").iterdir())[:2]
    systems = {path.stem: path for path in runs}
    found = compare(SYSTEM[0], systems, "muc,linked", of="size:2-3", trials=50)
    for name, path in systems.items():
        alone = score(SYSTEM[0], path, "muc", of="size:2-3")
        assert found.results[name]["muc"] == alone["muc"]
        assert found.results[name]["linked"].f1 == alone["linked"].f1
    assert "of=size:2-3" in found.signature
    done = call(capfdbinary, "compare", SYSTEM[0], *runs, "--of", "size:2-3", "--measures", "muc", "--trials", "50")
    assert done.status == 0
    assert b"of=size:2-3" in done.stdout
    ranked = rank(SYSTEM[0], systems, "muc", sort="muc", of="distance:0-9", trials=50)
    assert "of=distance:0-9" in ranked.signature
    done = call(capfdbinary, "muc", *SYSTEM, "--of", "size:2-3", "--intervals", "--format", "csv")
    assert float(rows(done.stdout)[-1]["f1_low"]) < float(rows(done.stdout)[-1]["f1"])
    divided = call(capfdbinary, "muc", *SYSTEM, "--of", "size", "--intervals", "--format", "csv")
    assert divided.status == 0 and {"size:1", "size:2"} <= {row["scope"] for row in rows(divided.stdout)}


def test_windows_are_cut_after_mentions_are_told_apart() -> None:
    """Pronouns are the tokens 7, 9, 11 and 13, and found."""
    result = score(*DEMO, "muc", of="pronouns", window=4)
    assert [its["mentions"].recall_counts for its in result.documents.values()] == [(0, 0), (1, 1), (2, 2), (1, 1)]


def test_heads_of_spans_are_those_of_their_parses(tmp_path: Path) -> None:
    """The mayor of Prague is no name, and the head of Ann the cook is Ann's; without parses the last word decides."""
    lines = [
        ("The", "DT", "(S(NP(NP*", "(1"),
        ("mayor", "NN", "*)", "-"),
        ("of", "IN", "(PP*", "-"),
        ("Prague", "NNP", "(NP*)))", "1)|(2)"),
        ("met", "VBD", "(VP*", "-"),
        ("him", "PRP", "(NP*)))", "(1)"),
    ]
    for parses, expected in ((True, [1, 1, 1]), (False, [1, 2, 0])):
        path = tmp_path / "file.conll"
        path.write_text(
            "#begin document (d); part 000\n"
            + "".join(
                f"d 0 {at} {word} {tag} {parse if parses else '-'} - - - - - {cell}\n"
                for at, (word, tag, parse, cell) in enumerate(lines)
            )
            + "\n#end document\n"
        )
        kinds = score(path, path, "muc", of="kind").kinds
        assert [its["mentions"].recall_counts.denominator for its in kinds.values()] == expected


def test_a_scorer_adds_up_kinds() -> None:
    first, second = Scorer("muc", of="size"), Scorer("muc", of="size")
    first.add(KEY, RESPONSE)
    second.add(KEY, KEY)
    first.merge(pickle.loads(pickle.dumps(second)))
    assert first.result().kinds["size:3-5"]["muc"].recall_counts == (3 + 4, 4 + 4)
    assert dict(first.result().kinds["size:2"]) == dict(score([KEY, KEY], [RESPONSE, KEY], "muc", of="size:2"))


@pytest.mark.parametrize(("head", "expected"), [(1, [0, 1, 0]), (3, [0, 0, 1])])
def test_heads_of_aligned_mentions_are_their_own(head: int, expected: list[int], tmp_path: Path) -> None:
    path = tmp_path / "key.conllu"
    words = [("Ann", "PROPN", f"Entity=(e1--{head}-"), ("the", "DET", "_"), ("cook", "NOUN", "Entity=e1)")]
    path.write_text(
        "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = d-1\n"
        + "".join(
            f"{at}\t{word}\t_\t{tag}\t_\t_\t{at - 1}\tdep\t_\t{misc}\n" for at, (word, tag, misc) in enumerate(words, 1)
        )
        + "\n"
    )
    kinds = score(path, path, "muc", of="kind", singletons="keep").kinds
    assert [its["mentions"].recall_counts.denominator for its in kinds.values()] == expected


def test_only_the_first_copy_counts() -> None:
    """Of a span that is in two entities neither could say which of them its partner is in."""
    key = spans([0, 1], [2, 1])
    result = score([key], [key], "muc,bcub", of="size:2")
    assert result["bcub"].recall_counts == (2, 2)
    assert "repeated=first" in result.signature
    assert [notice.code for notice in result.notices if "repeat" in notice.code] == ["dropped-repeat"] * 2


CONLLU = """# newdoc id = {name}
# global.Entity = eid-etype-head-other
# sent_id = {name}-1
1	Ann	ann	PROPN	_	_	2	nsubj	_	Entity=({ann})
2	met	meet	VERB	_	_	0	root	_	_
3	Prague	prague	PROPN	_	_	2	obj	_	Entity=({prague})
4	she	she	PRON	_	_	2	obj	_	Entity=({she})
5	it	it	PRON	_	_	2	obj	_	Entity=({it})

"""


@pytest.mark.parametrize(
    ("marks", "of", "recall", "precision"),
    [
        # The response has types of its own: Prague and she are a place there.
        ("own", "type:person", (1, 2), (1, 1)),
        ("own", "type:place", (2, 2), (2, 3)),
        # It has none: its mentions have those of the key.
        ("none", "type:person", (1, 2), (1, 2)),
        ("none", "type:place", (2, 2), (2, 2)),
    ],
)
def test_entities_by_type(
    marks: str, of: str, recall: tuple[int, int], precision: tuple[int, int], tmp_path: Path
) -> None:
    """Ceaf-m counts mentions in the entity assigned to theirs; the response joins she to Prague and it."""
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(CONLLU.format(name="d", ann="e1-person-1-", she="e1--1-", prague="e2-place-1-", it="e2-place-1-"))
    place, person = ("place", "person") if marks == "own" else ("", "")
    response.write_text(
        CONLLU.format(name="d", ann=f"x-{person}-1-", prague=f"y-{place}-1-", she=f"y-{place}-1-", it=f"y-{place}-1-")
    )
    result = score(key, response, "ceafm", of=of, singletons="keep")
    assert result["ceafm"].recall_counts == recall
    assert result["ceafm"].precision_counts == precision
    division = score(key, response, "every", of="type", singletons="keep")
    assert [*division.kinds] == ["type:-", "type:person", "type:place"]
    for metric in division.counts:
        ends = 2 if metric == "blanc" else 1
        assert summed(division, metric) == pytest.approx(ends * division.counts[metric]), metric
    kinds = score(key, response, "muc", of="kind", singletons="keep").kinds
    assert [its["mentions"].recall_counts.denominator for its in kinds.values()] == [2, 2, 0]


Typed = list[list[tuple[int, int, str]]]


def drawn_types(numbers: Random) -> Typed:
    """Entities of 16 tokens, none of whose mentions cross, with a type for each mention."""
    every = [(token, token + size - 1) for size in (1, 2, 4) for token in range(0, 16, size)]
    entities: Typed = [[] for _ in range(numbers.randint(1, 5))]
    for start, end in sorted(numbers.sample(every, 14), key=lambda span: (span[0], -span[1])):
        numbers.choice(entities).append((start, end, numbers.choice(("person", "place"))))
    return sorted(filter(None, entities))


def marks_of(entities: Typed, typed: Callable[[int, str], str], name: Callable[[int, str], str]) -> list[str]:
    """Return what opens and closes at each token: ``typed`` writes the id where a mention begins, ``name`` where it
    ends."""
    cells = [""] * 16
    marks = sorted((start, -end, number, kind) for number, its in enumerate(entities) for start, end, kind in its)
    for start, end, number, kind in marks:
        cells[start] += f"({typed(number, kind)}" + ")" * (start == -end)
    for start, end, number, kind in sorted(marks, key=lambda mark: (-mark[1], -mark[0])):
        cells[-end] += f"{name(number, kind)})" * (start != -end)
    return cells


def as_typed(entities: Typed, form: str) -> str:
    """Return the same entities in a format that has types of mentions."""
    clusters = [[[start, end] for start, end, _ in its] for its in entities]
    fields: dict[str, Any] = {"doc_key": "d", "sentences": [["w"] * 16], "clusters": clusters}
    if form == "etype":
        marks = marks_of(entities, "e{}-{}-1-".format, lambda number, _: f"e{number}")
        lines = [
            f"{at}\tw\t_\tX\t_\t_\t0\troot\t_\t{'Entity=' * bool(it)}{it or '_'}" for at, it in enumerate(marks, 1)
        ]
        return "# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "\n".join(lines) + "\n\n"
    if form in ("ids", "names"):
        marks = marks_of(entities, "{1}-{0}".format, "{1}-{0}".format)
        if form == "names":
            cells = [it.replace("(|", "|(").strip("|") for it in marks_of(entities, "|{}".format, "|{}".format)]
            names = marks_of(entities, "{1}*".format, "*".format)
            marks = [f"{name or '*'}\t{cell or '-'}" for name, cell in zip(names, cells, strict=True)]
        return (
            "#begin document d\n"
            + "\n".join(f"{at}\tw\t{it or '_'}" for at, it in enumerate(marks))
            + "\n#end document\n"
        )
    if form == "clusters":
        fields["kind"] = [its[0][2] for its in entities]
    elif form == "mentions":
        fields["kind"] = [[kind for *_, kind in its] for its in entities]
    else:
        rows = [[start, end, kind] for its in entities for start, end, kind in its] + [[3, 14, "none"]]
        fields["kind"] = [rows[:4], rows[4:], []] if form == "by sentence" else rows
    return json.dumps(fields) + "\n"


@pytest.mark.parametrize("seed", range(20))
def test_types_give_the_same_counts_in_every_format(seed: int, tmp_path: Path) -> None:
    numbers = Random(seed)
    sides = {"key": drawn_types(numbers), "response": drawn_types(numbers)}
    kinds: list[dict[str, Mapping[str, Any]]] = []
    forms = {"etype": "type", "ids": "column:3", "names": "column:3"}
    forms |= dict.fromkeys(("clusters", "mentions", "offsets", "by sentence"), "field:kind")
    for form, of in forms.items():
        key, response = tmp_path / f"key.{form}", tmp_path / f"response.{form}"
        key.write_text(as_typed(sides["key"], form))
        response.write_text(as_typed(sides["response"], form))
        how: dict[str, Any] = {"singletons": "keep", "repeated": "first"}
        if form == "etype":
            how |= {"task": "none", "matching": "exact"}
        result = score(key, response, "muc,bcub,ceafe,lea", of=of, **how)
        for metric, counts in result.counts.items():
            assert summed(result, metric) == pytest.approx(counts), (form, metric)
        kinds.append({name.removeprefix(of): its for name, its in result.kinds.items()})
        (*_, last) = result.kinds
        assert score(key, response, "lea", of=last, **how)["lea"] == result.kinds[last]["lea"], form
    for form, found in zip(forms, kinds, strict=True):
        assert found.keys() == kinds[0].keys()
        for name, its in found.items():
            for measure, scores in its.items():
                assert scores.recall_counts == pytest.approx(kinds[0][name][measure].recall_counts), (form, measure)
                assert scores.precision_counts == pytest.approx(kinds[0][name][measure].precision_counts), (
                    form,
                    measure,
                )


CONLL_NAMES = """#begin document (d); part 000
d	0	0	Ann	(PERSON*	(1
d	0	1	Lee	*)	1)
d	0	2	saw	*	-
d	0	3	Rome	(GPE)	(2)
d	0	4	her	*	(1)
#end document
"""


@pytest.mark.parametrize(
    ("text", "of", "message"),
    [
        (CONLL_NAMES, "column:9", '--of column:9: the key has no types of entities; expected "(GPE)"'),
        (CONLL_NAMES, "column:6", "in the last column"),
        (CONLL_NAMES, "field:ner", "in this field of JSON"),
        (CONLL_NAMES, "type", "CorefUD contains them in the field etype"),
        (CONLL_NAMES, "column:0", "expected column:N, counted from 1"),
        (CONLL_NAMES, "column:5:", "with :NAME after it for one type"),
        (CONLL_NAMES, "field:", "expected column:N, counted from 1, or field:FIELD"),
        (
            CONLL_NAMES.replace("*)", "*"),
            "column:5",
            'has an unpaired "PERSON" at token 0; expected one "*)" for each',
        ),
        (
            CONLL_NAMES.replace("(PERSON", ""),
            "column:5",
            'has an unpaired ")" at token 1; expected one "*)" for each',
        ),
        ('{"clusters": [[[0, 1]]], "ner": [[0, "X"]]}', "field:ner", 'field "ner" has the wrong shape'),
        ('{"clusters": [[[0, 1]]], "ner": "X"}', "field:ner", "lists of [first token, last token] and a type"),
        ('{"clusters": [[[0, 1]]], "ner": [[0, 0, "X"]]}', "field:ner", "the key has no types of entities"),
        (
            '{"sentences": [["a"], ["b", "c"]], "clusters": [[[0, 0], [2, 2]]], "ner": [[[0, 0, "X"]], [[0, 1, "X"]]]}',
            "field:ner",
            'field "ner" has offsets within a sentence; those of clusters',
        ),
        (  # the token after the last
            '{"clusters": [[[0, 1], [4, 4]], [[6, 6]]], "ner": [[0, 2, "X"], [4, 5, "X"], [6, 7, "Y"], [1, 1, "Z"]]}',
            "field:ner",
            'field "ner" has 0 names with offsets of a mention, and 3 if ends were one less',
        ),
    ],
)
def test_types_that_are_not_there_are_refused(text: str, of: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(text)
    with pytest.raises((UsageError, InputError)) as caught:
        score(path, path, "muc", of=of)
    assert message in str(caught.value)


def test_names_within_mentions_are_no_sign_of_other_ends(tmp_path: Path) -> None:
    """Mentions that end a token earlier, too, as where a name is within another."""
    clusters = [[[n, n + 1] for n in (0, 4, 8)], [[n, n] for n in (0, 4, 8)]]
    path = tmp_path / "key.jsonl"
    path.write_text(json.dumps({"clusters": clusters, "ner": [[n, n + 1, "PER"] for n in (0, 4, 8)]}) + "\n")
    assert "field:ner:PER" in score(path, path, "bcub", of="field:ner").kinds


def test_names_by_sentence_may_begin_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    names = {"ner": [[[0, 0, "PER"]], [[1, 1, "ORG"]]]}
    path.write_text(json.dumps({"sentences": [["a"], ["b"]], "clusters": [[[0, 0]], [[1, 1]]], **names}))
    assert {"field:ner:PER", "field:ner:ORG"} <= score(path, path, "bcub", of="field:ner").kinds.keys()


@pytest.mark.parametrize("types", [["PERSON", "ORG"], [["PERSON", "", ""], ["ORG", "ORG"]]])
def test_types_by_cluster_are_those_of_the_key_in_one_file(types: object, tmp_path: Path) -> None:
    """The clusters of the response are in another order; its mentions have the types of the key."""
    key = {"doc_key": "x", "sentences": [list("abcdefghij")], "clusters": [[[0, 0], [4, 4], [8, 8]], [[2, 2], [6, 6]]]}
    response = [[[2, 2], [6, 6]], [[0, 0], [4, 4], [9, 9]]]
    both, alone, other = (tmp_path / name for name in ("both.jsonl", "key.jsonl", "response.jsonl"))
    both.write_text(json.dumps({**key, "types": types, "predicted_clusters": response}))
    alone.write_text(json.dumps({**key, "types": types}))
    other.write_text(json.dumps({**key, "clusters": response}))
    found, expected = (score(*sides, "lea", of="field:types").kinds for sides in ((both, both), (alone, other)))
    assert {kind: scores["lea"].f1 for kind, scores in found.items()} == {
        kind: scores["lea"].f1 for kind, scores in expected.items()
    }
    assert found["field:types:ORG"]["lea"].f1 == 1
    # So it is with other names of the fields, and in a response with a copy of the key.
    fields = {name: value for name, value in key.items() if name != "clusters"}
    both.write_text(json.dumps({**fields, "types": types, "gold": key["clusters"], "pred": response}))
    last = tmp_path / "last.jsonl"
    last.write_text(json.dumps({**fields, "types": types, "gold": key["clusters"], "clusters": response}))
    for sides, columns in (
        ((both, both), "key.clusters=gold,response.clusters=pred"),
        ((alone, both), "response.clusters=pred"),
        ((last, last), "key.clusters=gold,response.clusters=clusters"),
    ):
        kinds = score(*sides, "lea", of="field:types", columns=columns).kinds
        assert {kind: its["lea"].f1 for kind, its in kinds.items()} == {k: its["lea"].f1 for k, its in expected.items()}


TYPED = {"doc_key": "d", "ner": [[0, 0, "PER"], [2, 2, "PER"]]}
IN_TOKENS = {
    "sentences": [["Ann", "met", "Bo", ".", "She", "likes", "him"]],
    "clusters": [[[0, 0], [4, 4]], [[2, 2], [6, 6]]],
}
IN_CHARACTERS = {"text": "Ann met Bo. She likes him", "clusters": [[[0, 3], [12, 15]], [[8, 10], [22, 25]]]}
OF_CHARACTERS = [[0, 3, "PER"], [8, 10, "PER"]]


@pytest.mark.parametrize("end", [25, 24])
def test_a_key_on_other_tokens_has_the_words_of_the_response(end: int, tmp_path: Path) -> None:
    """Its mentions are on those tokens. If both sides count characters, they can be no tokens of either."""
    inside = {**IN_CHARACTERS, "clusters": [[[0, 3], [12, 15]], [[8, 10], [22, end]]]}
    for name, fields in (("key", IN_CHARACTERS), ("tokens", IN_TOKENS), ("characters", inside)):
        (tmp_path / name).write_text(json.dumps({"doc_key": "d", **fields}))
    found = score(tmp_path / "key", tmp_path / "tokens", "bcub", of="pronouns:english").kinds
    assert found == score(tmp_path / "tokens", tmp_path / "tokens", "bcub", of="pronouns:english").kinds
    if end < 25:
        with pytest.raises(UsageError, match="within tokens of the key; score with --align"):
            score(tmp_path / "key", tmp_path / "characters", "bcub", of="pronouns:english")
    else:
        assert found == score(tmp_path / "key", tmp_path / "characters", "bcub", of="pronouns:english").kinds


@pytest.mark.parametrize(
    "words",
    [
        "He saw Ann and he left .",
        "He |saw |Ann |and |he |left|.",
        "He|\u0120saw|\u0120Ann|\u0120and|\u0120he|\u0120left|.",
    ],
)
def test_blanks_are_no_part_of_pronouns(words: str, tmp_path: Path) -> None:
    """Words of spaCy may have a blank after them, and subtokens a sign for one before them."""
    tokens = words.split("|") if "|" in words else words.split()
    key = {"doc_key": "a", "sentences": [tokens], "clusters": [[[0, 0], [2, 2], [4, 4]]]}
    (tmp_path / "key").write_text(json.dumps(key) + "\n")
    (tmp_path / "response").write_text(json.dumps({"doc_key": "a", "clusters": [[[0, 0], [4, 4]]]}) + "\n")
    result = score(tmp_path / "key", tmp_path / "response", "linked", of="pronouns:english")
    assert result["linked"].recall_counts == (1, 1)


@pytest.mark.parametrize(("tag", "words", "told"), [("XX", 10, True), ("lemma", 10, True), ("XX", 9, False)])
def test_documents_with_tags_of_no_set_are_told(tag: str, words: int, told: bool, tmp_path: Path) -> None:
    """Few words may all have rare tags."""
    path, tags = tmp_path / "key.conll", {"a": ["NNP", "VBD"], "b": [tag, tag]}
    rows = {
        name: "".join(f"x 0 0 w {of} (1)\nx 0 0 w {then} -\n" for _ in range(words))
        for name, (of, then) in tags.items()
    }
    path.write_text("".join(f"#begin document ({name})\n{its}\n#end document\n" for name, its in rows.items()))
    found = [
        notice.found for notice in score(path, path, "bcub", of="kind").notices if notice.code == "partial-annotation"
    ]
    assert found == ['no parts of speech of the set penn in 1 of 2 documents, such as "(b)"'] * told


def test_documents_with_tags_of_another_set_are_told(tmp_path: Path) -> None:
    texts = {
        "en": "Ann/NNP/(1) saw/VBD/- her/PRP/(1) she/PRP/(1)",
        "zh": "Ann/NR/(1) saw/VV/- her/PN/(1) she/PN/(1)",
    }
    lines = {name: "\n".join(word.replace("/", " ") for word in text.split()) for name, text in texts.items()}
    path = tmp_path / "key.conll"
    documents = [("a", "en"), ("b", "en"), ("c", "zh"), ("d", "zh"), ("e", "en")]
    rows = {name: "".join(f"x 0 0 {line}\n" for line in text.splitlines()) for name, text in lines.items()}
    path.write_text("".join(f"#begin document ({at})\n{rows[text]}\n#end document\n" for at, text in documents))
    found = score(path, path, "bcub", of="kind").notices
    assert [notice.found for notice in found if notice.code == "partial-annotation"] == [
        'no parts of speech of the set penn in 2 of 5 documents, such as "(c)"'
    ]


@pytest.mark.parametrize("names", ["NNP NNPS", "NP NPS"])
def test_names_have_the_tags_of_treetagger_too(names: str, tmp_path: Path) -> None:
    """They counted as nominals."""
    one, several = names.split()
    tagged = [("Ann", one, "(1)"), ("saw", "VBD", "-"), ("the", "DT", "(2"), ("Lees", several, "2)"), ("in", "IN", "-")]
    rows = "\n".join(f"x 0 0 {word} {tag} {cell}" for word, tag, cell in [*tagged, ("cars", "NNS", "(3)")])
    (tmp_path / "key.conll").write_text(f"#begin document (a)\n{rows}\n\n#end document\n")
    found = score(tmp_path / "key.conll", tmp_path / "key.conll", "bcub", of="kind").kinds
    assert [found[kind]["mentions"].recall_counts for kind in ("names", "nominals")] == [(2, 2), (1, 1)]


def test_tags_of_which_few_belong_to_a_set_are_of_none(tmp_path: Path) -> None:
    """Of the Swedish tags of SUC, only VB is in the Penn Treebank."""
    path = tmp_path / "key.conll"
    tagged = [("Hon", "PN", "(1)"), ("ser", "VB", "-"), ("en", "DT", "(2"), ("bil", "NN", "2)"), (".", "MAD", "-")]
    tagged += [("som", "HP", "-"), ("Bo", "PM", "(3)"), ("i", "PP", "-")]
    rows = "\n".join(f"x 0 0 {word} {tag} {cell}" for word, tag, cell in tagged)
    path.write_text(f"#begin document (a)\n{rows}\n\n#end document\n")
    with pytest.raises(UsageError, match="do not belong to a known tag set"):
        score(path, path, "bcub", of="kind")


def test_the_type_of_entities_without_one_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    clusters = [[[0, 0], [1, 1]], [[2, 2], [3, 3]], [[4, 4]]]
    path.write_text(
        json.dumps({"doc_key": "x", "sentences": [list("abcde")], "clusters": clusters, "types": ["-", "PER", ""]})
    )
    kinds = score(path, path, "bcub", of="field:types").kinds
    assert {name: its["mentions"].recall_counts[1] for name, its in kinds.items()} == {
        "field:types:-": 3,
        "field:types:PER": 2,
    }


def test_units_of_a_key_on_other_tokens_are_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(json.dumps({"doc_key": "d", "topic": list("aaaabbb"), **IN_CHARACTERS}))
    (tmp_path / "response").write_text(json.dumps({"doc_key": "d", **IN_TOKENS}))
    with pytest.raises(UsageError, match="--unit field:topic needs a key that counts tokens"):
        compare(tmp_path / "key", {"a": tmp_path / "response"}, "bcub", unit="field:topic")


@pytest.mark.parametrize("align", [None, True])
@pytest.mark.parametrize("key", [IN_TOKENS, {**IN_CHARACTERS, "ner": OF_CHARACTERS}], ids=["tokens", "characters"])
@pytest.mark.parametrize("response", [IN_TOKENS, {**IN_CHARACTERS, "ner": OF_CHARACTERS}], ids=["tokens", "characters"])
def test_a_response_on_other_tokens_keeps_its_types(
    key: dict[str, Any], response: dict[str, Any], align: bool | None, tmp_path: Path
) -> None:
    answer = {**TYPED, **response}
    answer["ner"] = [answer["ner"][0], [*answer["ner"][1][:2], "ORG"]]
    (tmp_path / "key").write_text(json.dumps({**TYPED, **key}))
    (tmp_path / "response").write_text(json.dumps(answer))
    kinds = score(tmp_path / "key", tmp_path / "response", "bcub", of="field:ner", align=align).kinds
    counts = {
        name: (its["mentions"].recall_counts[1], its["mentions"].precision_counts[1]) for name, its in kinds.items()
    }
    assert counts == {"field:ner:-": (0, 0), "field:ner:ORG": (0, 2), "field:ner:PER": (4, 2)}


def test_a_mention_in_two_entities_has_the_type_of_the_one_in_which_it_counts(tmp_path: Path) -> None:
    """Counted by hand: only the first copy of token 1 counts, as a second mention of the first entity."""
    path = tmp_path / "key.jsonl"
    clusters = [[[0, 0], [1, 1]], [[1, 1], [3, 3]]]
    path.write_text(
        json.dumps({"doc_key": "x", "sentences": [list("abcde")], "clusters": clusters, "types": ["A", "B"]})
    )
    kinds = score(path, path, "bcub", of="field:types").kinds
    assert [kinds[f"field:types:{name}"]["bcub"].recall_counts for name in "AB"] == [(2, 2), (1, 1)]


PARTLY = {
    # The value of --of, the column that says nothing in the second document, the notice, and what follows from it.
    "tags": ("kind", 5, "no parts of speech", "no mention counts as a pronoun or name by its part of speech"),
    "tags of pronouns": ("pronouns:tags:PRP", 5, "no parts of speech", "no mention counts as a pronoun"),
    "tags of names beside words of pronouns": ("kind:words:WORDS", 5, "no parts of speech", "no mention counts as a"),
    "parses": ("names", 6, "no parses", "the head of each mention is its last word"),
    "parses without nodes": ("names", 6, "no parses", "the head of each mention is its last word"),
    "types": ("column:7", 7, "no types of entities", 'the type of entities is "-"'),
}


@pytest.mark.parametrize("case", PARTLY)
def test_what_only_some_documents_have_is_told(case: str, tmp_path: Path) -> None:
    of, column, what, effect = PARTLY[case]
    lines = "x 0 0 Ann NNP (NP* (PER (1\nx 0 1 Lee NNP *) PER) 1)\nx 0 2 she PRP (NP*) (PER) (1)"
    lines += "\nx 0 3 her PRP (NP*) (PER) (1)"
    full, empty = [line.split() for line in lines.splitlines()], [line.split() for line in lines.splitlines()]
    for row in empty:
        row[column - 1] = "(TOP*)" if "without nodes" in case else "-"
    (tmp_path / "words").write_text("she")
    of = of.replace("WORDS", str(tmp_path / "words"))

    def path(name: str, *documents: list[list[str]]) -> str:
        texts = (
            f"#begin document ({number})\n" + "\n".join(map(" ".join, rows)) + "\n\n#end document\n"
            for number, rows in enumerate(documents)
        )
        (tmp_path / name).write_text("".join(texts))
        return str(tmp_path / name)

    few = path("few.conll", full, empty[:3], full)  # two mentions
    assert not [its for its in score(few, few, "muc", of=of).notices if its.code == "partial-annotation"]
    response = path("response.conll", full, full, full)
    notice, *others = score(path("key.conll", full, empty, full), response, "muc", of=of).notices
    assert {other.code for other in others} <= {"nothing-of-kind"}
    assert (notice.code, notice.line) == ("partial-annotation", 8)
    assert notice.found == f'{what} in 1 of 3 documents, such as "(1)"'
    assert notice.advice.startswith(f"there, {effect}")
    assert {other.code for other in score(response, response, "muc", of=of).notices} <= {"nothing-of-kind"}


def test_a_response_without_the_column_has_the_types_of_the_key(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conll", tmp_path / "response.json"
    key.write_text(CONLL_NAMES)
    response.write_text('{"doc_key": "d", "clusters": [[[0, 1], [4, 4]], [[3, 3]], [[2, 2]]]}')
    kinds = score(key, response, "bcub", of="column:5").kinds
    assert {name: its["mentions"].precision_counts for name, its in kinds.items()} == {
        "column:5:-": (0, 1),
        "column:5:GPE": (1, 1),
        "column:5:PERSON": (2, 2),
    }


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ("pronoun", "did you mean pronouns?"),
        ("size:0", "entities have at least one mention"),
        ("size:3-2", "begins with its smaller number"),
        ("size:", "expected size, size:2-5"),
        ("size:two", "expected a number or a range: 4, 2-5 or 6-"),
        ("kind:none", "expected a way to recognise pronouns"),
        ("pronouns", "the key has no words; --of size and --of distance need no words"),
        ("pronouns:words:nowhere", "--of pronouns:words:nowhere: No such file"),
        ("kind:adjectives", '--of kind:"adjectives": expected auto'),
        ("type", "the key has no types of entities; CorefUD contains them"),
        (3, "of=3: expected text"),
    ],
)
def test_kinds_that_cannot_be_are_refused(of: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        score([KEY], [RESPONSE], "muc", of=of)
    assert message in str(caught.value)


def test_distances_need_places() -> None:
    with pytest.raises(UsageError, match="and the key has others"):
        score([["a", "b"]], [["a", "b"]], "muc", of="distance")
    assert score([["a", "b"]], [["a", "b"]], "muc", of="size:2")["muc"].f1 == 1


WITHOUT_TERMS = ["cone", "mor", "zero", "bcubs"]


@pytest.mark.parametrize("metric", WITHOUT_TERMS)
def test_metrics_without_terms_are_refused(metric: str, capfdbinary: Capture) -> None:
    done = call(capfdbinary, metric, *DEMO, "--of", "size:2", "--format", "table")
    assert (done.status, done.stdout) == (2, b"")
    assert f"--of cannot be used with {metric}; name".encode() in done.stderr


def test_every_other_metric_has_terms() -> None:
    assert {name for name in NAMES if find(name).terms is None} == {*WITHOUT_TERMS}


def test_a_division_is_for_scores_alone(capfdbinary: Capture) -> None:
    for call_ in (compare, rank):
        with pytest.raises(UsageError, match="compare systems on one: --of "):
            call_(SYSTEM[0], {"ash": SYSTEM[1]}, "muc", of="size")
    with pytest.raises(UsageError, match="compare systems on one: --of "):
        check(*DEMO, minimum={"muc": 0.5}, of="size")
    with pytest.raises(UsageError, match="leave --of out"):
        analyse(*DEMO, of="pronouns")
    done = call(capfdbinary, "muc", *DEMO, "--of", "size", "--format", "official")
    assert done.status == 2
    assert b"--of size needs a layout other than official" in done.stderr


def test_a_corpus_that_was_read_before_has_kinds() -> None:
    assert dict(score(read(DEMO[0]), read(DEMO[1]), "muc", of="names")) == dict(score(*DEMO, "muc", of="names"))


@pytest.mark.parametrize("tagged", [0, 1, 2])
def test_documents_without_tags_leave_the_tags_of_others_in_place(tagged: int) -> None:
    text = Text(Annotations(None, [["a", "b"]], ["X", "Y"] if at == tagged else []) for at in range(3))
    expected = [*["-"] * 2 * tagged, "X", "Y", *["-"] * 2 * (2 - tagged)]
    assert list(text.tags) == expected
    assert list(text.parse) == ["-"] * 6


def test_all_copies_of_mentions_do_not_go_with_a_kind() -> None:
    """No other copy than the first has a partner."""
    with pytest.raises(UsageError, match="--of cannot be used with --repeated official"):
        score(*DEMO, "muc", of="size", repeated="official")
    assert score(*DEMO, "muc", of="size").signature == score(*DEMO, "muc", of="size", repeated="first").signature


@pytest.mark.parametrize(
    ("tags", "known"),
    [
        (
            "NP00 CC NP00 VMIP Fp PP3F VMIP Fp DA0F NCFS VMIP SPS0 NCMS Fp NCMS VMIP Fp RG VMIP Fp NP00",
            False,
        ),  # Spanish
        ("NR CC NR VV PU PN DEG NN VA PU", True),  # Chinese, which shares CC
        ("NNP VBD PRP .", True),
        ("NN . NN . NN . NN PRP NN .", True),
        ("PRON VERB PUNCT", True),
    ],
)
def test_a_tag_set_is_that_of_more_than_a_few_tokens(tags: str, known: bool, tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    rows = (f"d\t0\t{n}\tw{n}\t{tag}\t*\t({n})" for n, tag in enumerate(tags.split()))
    path.write_text("\n".join(["#begin document (d); part 000", *rows, "#end document", ""]))
    if known:
        assert score(path, path, "bcub", of="kind").kinds
    else:
        with pytest.raises(UsageError, match="do not belong to a known tag set"):
            score(path, path, "bcub", of="kind")


def test_the_page_lists_the_tags_of_all_sets() -> None:
    page = (TESTDATA.parent / "docs" / "errors.md").read_text().partition("## Tags")[2]
    rows = [re.sub(r" \(not .*?\)", "", line).split("|")[2:4] for line in page.splitlines()[6:]]
    for tags, (pronouns, names) in zip(TAG_SETS.values(), rows, strict=True):
        assert [tag.removesuffix("*") for tag in tags.pronouns] == pronouns.split()
        of_names = {tag.partition("(")[0].partition("[")[0] for tag in tags.names}
        assert of_names == set(re.findall(r"\b[A-Z]+\b\$?", names))


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_the_order_of_documents_does_not_matter_for_types_of_texts(tmp_path: Path) -> None:
    """The same words come again in another document: she had the number of the first one (33.33 in one order)."""
    sides = {
        "key": ([["she", "Bo"]], [["it", "the firm"], ["Ann", "she"]]),
        "response": ([["she", "Bo"]], [["it", "she"], ["Ann", "the firm"]]),
    }
    of_types = [["PERSON"], ["ORG", "PERSON"]]
    for order in ((0, 1), (1, 0)):
        for side, clusters in sides.items():
            lines = [{"doc_key": f"d{at}", "clusters": clusters[at]} for at in order]
            lines = [
                {**line, "types": of_types[at]} for at, line in zip(order, lines, strict=True) if side == "key"
            ] or lines
            (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        found = score(tmp_path / "key.jsonl", tmp_path / "response.jsonl", "muc", of="field:types").kinds
        assert (found["field:types:PERSON"]["muc"].precision, found["field:types:ORG"]["muc"].precision) == (0.5, 0)


@pytest.mark.parametrize(("other", "told"), [("Person", True), ("PERSON ", True), ("PER", False), ("PERSON", False)])
def test_types_that_are_spelled_in_two_ways_are_told(other: str, told: bool, tmp_path: Path) -> None:
    """Each is a kind of its own."""
    clusters = [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    for side, types in (("key", ["PERSON", other]), ("response", None)):
        fields = {"doc_key": "d", "sentences": [["a"] * 4], "clusters": clusters, "types": types}
        (tmp_path / side).write_text(json.dumps({name: value for name, value in fields.items() if value}) + "\n")
    found = score(tmp_path / "key", tmp_path / "response", "bcub", of="field:types").notices
    named = [{its.details["first"], its.details["second"]} for its in found if its.code == "alike-ids"]
    assert named == [{"PERSON", other}] * told
