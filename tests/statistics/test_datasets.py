"""Systems on several data sets: each tested as if it were alone, and how many they differ on."""

from __future__ import annotations

import json
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.statistics.datasets import _partial_conjunction
from corefscore.statistics.significance import holm
from scipy.special import chdtrc
from support import within

DOCUMENTS = 9


def conll(name: str, *cells: str) -> str:
    words = "".join(f"{name}\t0\t{at}\tw\t{cell}\n" for at, cell in enumerate(cells))
    return f"#begin document ({name}); part 000\n{words}#end document\n"


RIGHT, WRONG, HALF = ("(0)", "(0)", "(1)", "(1)"), ("(0)", "(1)", "(0)", "(1)"), ("(0)", "(0)", "(1)", "(2)")


def three(folder: Path, documents: int) -> Path:
    """Three data sets: the first system is better on the first, the second one on the second, none on the third."""
    answers = {"a": (RIGHT, WRONG), "b": (WRONG, HALF), "c": (HALF, HALF)}
    for side, at in (("key", None), ("one", 0), ("two", 1)):
        (folder / side).mkdir()
        for data_set, both in answers.items():
            cells = RIGHT if at is None else both[at]
            text = "".join(conll(f"{data_set}{number}", *cells) for number in range(documents))
            (folder / side / f"{data_set}.conll").write_text(text)
    return folder


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    return three(tmp_path, DOCUMENTS)


def test_one_line_a_data_set_and_an_answer_over_all(corpora: Path) -> None:
    sides = [corpora / name for name in ("key", "one", "two")]
    done = within("compare", *sides, "--by", "file", "--measures", "lea.f1", "--quiet")
    text = done.stdout.decode()
    assert done.status == 0, done.stderr
    verdicts = [line.split()[0] + line.split("  ")[-1] for line in text.splitlines() if line[1:7] == ".conll"]
    assert verdicts == ["a.conlldiffer", "b.conlldiffer", "c.conllnot shown"]
    assert "scores are means over 3 groups by file" in text
    found = json.loads(within("compare", *sides, "--by", "file", "--measures", "lea.f1", "--format", "json").stdout)
    (over,) = found["over_groups"]
    several = json.loads(within("compare", *sides, "--by", "file", "--measures", "muc,lea", "--format", "json").stdout)
    order = [(each["measure"], each["score"]) for each in several["over_groups"]]
    assert order == [(measure, score) for measure in ("muc", "lea") for score in ("recall", "precision", "f1")]
    # All 9 documents of two data sets differ one way: p = 2 / 2^9 each, 1 on the third.
    assert {name: over[name] for name in ("groups", "differ", "better", "worse", "no_verdict", "if_independent")} == {
        "groups": 3, "differ": 2, "better": 1, "worse": 1, "no_verdict": 0, "if_independent": 2,
    }  # fmt: skip
    assert [each["p"] for each in found["groups"]] == [2 / 2**9, 2 / 2**9, 1]
    assert [each["p_corrected"] for each in found["groups"]] == [6 / 2**9, 6 / 2**9, 1]
    assert found["options"]["by"] == "file"


@pytest.mark.parametrize("layout", ["csv", "tsv", "json", "markdown", "latex", "table"])
def test_every_layout_has_it(corpora: Path, layout: str) -> None:
    sides = [corpora / name for name in ("key", "one", "two")]
    done = within("compare", *sides, "--by", "file", "--measures", "lea,conll", "--format", layout, "--quiet")
    assert done.status == 0, done.stderr
    assert b"b.conll" in done.stdout
    assert done.stdout.count(b"differ on: number") == (layout not in ("csv", "tsv"))


def test_each_data_set_is_tested_as_if_it_were_alone(corpora: Path) -> None:
    whole = corefscore.compare(
        corpora / "key", {name: corpora / name for name in ("one", "two")}, "lea", by="file", trials=99, seed=3
    ).to_dict()
    for file in ("a.conll", "b.conll", "c.conll"):
        systems = {name: corpora / name / file for name in ("one", "two")}
        alone = corefscore.compare(corpora / "key" / file, systems, "lea", trials=99, seed=3).to_dict()
        for each in whole["groups"]:
            if each["group"] == file:
                its = alone["pairs"][0]["measures"]["lea"][each["score"]]
                assert (each["p"], each["difference"]) == (its["p"], its["difference"])
    mean = np.mean([each["difference"] for each in whole["groups"] if each["score"] == "f1"])
    assert whole["pairs"][0]["measures"]["lea"]["f1"]["difference"] == pytest.approx(mean)


def test_one_document_gives_no_verdict(corpora: Path) -> None:
    systems = {name: corpora / name for name in ("one", "two")}
    (over,) = corefscore.compare(corpora / "key", systems, "lea.f1", by=r"\w\d").to_dict()["over_groups"]
    assert (over["differ"], over["if_independent"], over["no_verdict"]) == (0, 0, 2 * DOCUMENTS)


@pytest.mark.parametrize("systems", [1, 2, 5])
@pytest.mark.parametrize("layout", ["json", "csv", "markdown", "latex", "table"])
def test_groups_of_one_unit_have_no_intervals(tmp_path: Path, layout: str, systems: int) -> None:
    """All resamples are the same: the ends of intervals are NaN, which no layout prints."""
    corpora = three(tmp_path, documents=2)
    sides: list[str | Path] = [
        corpora / "key",
        *(f"s{number}={corpora / name}" for number, name in enumerate(["one", "two"] * 3)),
    ]
    done = within("compare", *sides[: systems + 1], "--by", r"\w\d", "--trials", "20", "--format", layout, "--quiet")
    assert done.status == 0, done.stderr
    assert b"nan" not in done.stdout.lower().replace(b"nance", b"")
    if layout != "csv":
        assert b"every group has only one unit" in done.stdout
        assert b"low, high:" not in done.stdout


def test_several_systems_share_the_level(corpora: Path) -> None:
    """Three pairs on three data sets are a family of nine tests."""
    systems = {"one": corpora / "one", "two": corpora / "two", "key": corpora / "key"}
    for correction in ("holm", "none"):
        found = corefscore.compare(corpora / "key", systems, "lea.f1", by="file", correction=correction).to_dict()
        p = np.array([each["p"] for each in found["groups"]])
        expected = holm(p) if correction == "holm" else p
        assert [each["p_corrected"] for each in found["groups"]] == pytest.approx(expected)
        # Fisher's p of the two largest, 2 / 2^9 and 1, is 0.0255: below 0.05, but not below a third of it.
        counted = {(each["system"], each["against"]): each["if_independent"] for each in found["over_groups"]}
        assert counted["one", "two"] == (1 if correction == "holm" else 2)


def test_the_verdict_on_a_data_set_is_that_of_the_corrected_p(tmp_path: Path) -> None:
    """8 of 9 documents differ one way, and one as much the other way: p = 2 (1 + 9) / 2^9, twice that for two sets."""
    for side, many, one in (("key", RIGHT, RIGHT), ("one", RIGHT, WRONG), ("two", WRONG, RIGHT)):
        (tmp_path / side).mkdir()
        for data_set in "ab":
            cells = [many] * (DOCUMENTS - 1) + [one]
            text = "".join(conll(f"{data_set}{number}", *cells[number]) for number in range(DOCUMENTS))
            (tmp_path / side / f"{data_set}.conll").write_text(text)
    systems = {name: tmp_path / name for name in ("one", "two")}
    for correction, tests, differ in (("holm", 2, False), ("none", 1, True)):
        found = corefscore.compare(tmp_path / "key", systems, "lea.f1", by="file", correction=correction).to_dict()
        tested = [(each["p"], each["p_corrected"], each["differ"]) for each in found["groups"]]
        assert tested == [(20 / 2**9, tests * 20 / 2**9, differ)] * 2


def test_rank_prints_all_data_sets_however_many_there_are(tmp_path: Path) -> None:
    """A line for each, in a table of 80 columns: they were columns that the ranking had no room for."""
    data_sets = [f"{language}-a-long-name" for language in ("ca", "cs", "de", "en", "es", "fr", "hu", "lt", "no", "pl")]
    for side, cells in (("key", RIGHT), ("one", WRONG), ("two", HALF)):
        (tmp_path / side).mkdir()
        for data_set in data_sets:
            (tmp_path / side / f"{data_set}.conll").write_text(conll(data_set, *cells))
    done = within("rank", *(tmp_path / side for side in ("key", "one", "two")), "--by", "file", "--quiet")
    assert done.status == 0, done.stderr
    lines = done.stdout.decode().splitlines()
    table = lines[lines.index("conll.f1 by group") + 2 :]
    assert [line.split()[0] for line in table[2 : table.index("")]] == [f"{data_set}.conll" for data_set in data_sets]
    ranked = [line.split()[1] for line in lines[5:7]]
    assert table[0].split() == ["group", *ranked]
    assert max(map(len, lines[: lines.index("conll.f1 by group") + 14])) <= 80


@pytest.mark.parametrize("correction", ["holm", "none"])
def test_the_heading_of_p_names_its_correction(correction: str, corpora: Path) -> None:
    sides = [corpora / name for name in ("key", "one", "two")]
    done = within("compare", *sides, "--by", "file", "--measures", "lea.f1", "--quiet", "--correction", correction)
    assert done.status == 0, done.stderr
    assert (b"p (Holm)" in done.stdout) == (correction == "holm")


def test_one_system_and_no_groups_have_no_such_tables(corpora: Path) -> None:
    alone = corefscore.compare(corpora / "key", {"one": corpora / "one"}, "lea", by="file")
    assert "over_groups" not in alone.to_dict()
    assert "by group" not in str(alone)


def test_partial_conjunction_is_fishers_combination_of_the_largest() -> None:
    """By the chi-square distribution (Dror et al. 2017), on p-values in any order."""
    p = np.random.default_rng(0).random(8) ** 3
    rising = np.sort(p)
    expected = [chdtrc(2 * (len(p) - u + 1), -2 * np.log(rising[u - 1 :]).sum()) for u in range(1, len(p) + 1)]
    assert _partial_conjunction(p) == pytest.approx(expected)
    assert _partial_conjunction(np.ones(3)) == pytest.approx([1, 1, 1])


def test_holm_counts_what_the_partial_conjunction_of_bonferroni_counts() -> None:
    """The largest u with (n - j + 1) p_(j) <= alpha for all j up to u (Dror et al. 2017)."""
    for seed in range(50):
        p = np.random.default_rng(seed).random(10) ** 4
        rising, count = np.sort(p), 0
        while count < len(p) and (len(p) - count) * rising[count] <= 0.05:
            count += 1
        assert (holm(p) <= 0.05).sum() == count
