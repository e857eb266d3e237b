"""What holds for any input at all, searched for counterexamples by hypothesis.

The quick profile runs with the other tests, always on the same examples; ``HYPOTHESIS_PROFILE=long``, which is that of
`make test-slow`, looks at many more, new ones every time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
import twins
from corefscore.checking.convert import convert
from corefscore.checking.repair import Fixes, repaired
from corefscore.cli import run
from corefscore.core.documents import joined
from corefscore.core.errors import InputError, ScorerError
from corefscore.core.findings import Found
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.conll.examiner import examine
from corefscore.formats.tagged.notations import NAMES
from corefscore.matching.matched import MATCHING, SEARCHES
from corefscore.metrics import select
from corefscore.reports.compare import compare
from corefscore.reports.systems import Systems
from corefscore.scoring.results import Result
from corefscore.scoring.settings import Settings
from corefscore.statistics.significance import Compared, Method
from hypothesis import assume, example, given
from hypothesis import strategies as st
from reading import read
from support import TESTDATA, within

NEAR = 1e-12
KEY = TESTDATA / "demo" / "key.conll"

SPANS = st.tuples(st.integers(0, 8), st.integers(0, 3)).map(lambda span: (span[0], span[0] + span[1]))
"""So few that both sides share many, and that copies, nested and crossing ones are common."""

PARTITIONS = st.lists(st.lists(SPANS, min_size=1, max_size=5), max_size=5)
PAIRS = st.tuples(PARTITIONS, PARTITIONS)

WRITABLE = st.lists(
    st.lists(SPANS, min_size=1, max_size=5).filter(
        lambda entity: not any(a < c <= b < d for a, b in entity for c, d in entity)
    ),
    max_size=5,
)
"""Partitions that CoNLL can hold: mentions of one entity do not cross."""

TEXTS = st.lists(
    st.sampled_from(
        [
            *(b"#begin document (a); part 000", b"#begin document b", b"#end document", b"# begin document", b"#"),
            *(b"\n", b"\n", b"\n", b"\r\n", b"\t", b"\t", b" ", b"|", b"-", b"w", b"(1)", b"(1", b"1)", b"(2", b"2)"),
            *(
                b"(1+2)",
                b"(0",
                b"00)",
                b"(",
                b")",
                b"9" * 30,
                b"\xef\xbb\xbf",
                b"\xff",
                b"\0",
                b"\v",
                b"\x1f\x8b",
                b"{",
            ),
        ]
    ),
    max_size=60,
).map(b"".join)
"""Texts of the pieces that the grammar is made of, and of some that it is not."""


COPIES = st.lists(WRITABLE, min_size=1, max_size=2).map(lambda partitions: twins.conll(partitions).encode())
"""Sound documents, most with copies."""

VALUES = st.recursive(
    st.integers(-1, 9) | st.sampled_from(["w", "##w", "\ud800", None, True, 1.5]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=12,
)
CLUSTERS = st.lists(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), max_size=3), max_size=3)
SENTENCES = st.lists(
    st.lists(st.sampled_from(["w", "##w", "[CLS]", "\ud800", "#end document"]), max_size=4), max_size=4
)

OBJECTS = st.fixed_dictionaries(
    {"doc_key": st.sampled_from(["(demo/cats); part 000", "demo/cats_0", "a\n", 3])},
    optional={
        "clusters": CLUSTERS | VALUES,
        "predicted_clusters": CLUSTERS | VALUES,
        "sentences": SENTENCES | VALUES,
        "subtoken_map": st.lists(st.integers(0, 9), max_size=9).map(sorted) | VALUES,
    },
)
"""Objects such as those of JSON lines, sound or nearly so."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hypothesis")


def scored(pairs: Sequence[twins.Pair]) -> Result:
    """The result, for pairs that are not refused."""
    try:
        return twins.score(pairs)
    except InputError as error:
        assume(error.findings[0].code != "too-many-repeated")
        raise


@given(PAIRS)
@example(([[(0, 0), (0, 0)]], [[(0, 0), (0, 0)]]))
@example(([[(0, 2), (1, 3)]], [[(0, 2)], [(1, 3)]]))
@pytest.mark.parametrize("metric", twins.TWINS)
def test_a_metric_is_its_twin(metric: str, pair: twins.Pair) -> None:
    found = scored([pair])
    expected = [[float(part) for share in counted for part in share] for counted in twins.counted(metric, *pair)]
    assert np.allclose(found.counts[metric][0], expected, rtol=NEAR, atol=0), metric


@given(st.lists(WRITABLE, min_size=1, max_size=3))
def test_what_is_written_is_read(folder: Path, partitions: list[twins.Partition]) -> None:
    path = folder / "round-trip.conll"
    path.write_text(twins.conll(partitions))
    found = joined(list(read(str(path), [])))
    assert twins.partitions_of(found) == [twins.in_reading_order(partition) for partition in partitions]


@given(st.lists(PARTITIONS, min_size=1, max_size=3))
def test_what_is_written_as_json_lines_is_read(folder: Path, partitions: list[twins.Partition]) -> None:
    """Copies and crossing mentions as well, which CoNLL cannot all hold."""
    path = folder / "round-trip.jsonl"
    rows = [{"doc_key": str(at), "clusters": partition} for at, partition in enumerate(partitions)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = joined(list(read(str(path), [])))
    assert list(map(unordered, twins.partitions_of(found))) == list(map(unordered, partitions))


@given(st.lists(WRITABLE, min_size=1, max_size=3))
def test_what_is_converted_there_and_back_is_the_same(folder: Path, partitions: list[twins.Partition]) -> None:
    there, back = folder / "there", folder / "back"
    text = "".join(convert(written(folder, partitions), []))
    there.write_text(text)
    again = "".join(convert(str(there), []))
    back.write_text(again)
    before, after = (joined(list(read(path, []))) for path in (written(folder, partitions), str(back)))
    assert list(map(unordered, twins.partitions_of(after))) == list(map(unordered, twins.partitions_of(before)))
    assert (after.names, after.tokens.tolist()) == (before.names, before.tokens.tolist())
    assert "".join(convert(str(back), [])) == text


def unordered(partition: twins.Partition) -> list[list[twins.Mention]]:
    return sorted(map(sorted, partition))


def written(folder: Path, partitions: Sequence[twins.Partition]) -> str:
    path = folder / "from.conll"
    path.write_text(twins.conll(partitions))
    return str(path)


def ours_or_a_result(path: Path) -> None:
    """Every way to use a file ends in a result or an error of ours."""
    for arguments in (
        ["every", KEY, path],
        ["lea", path, path, "--repeated", "first", "--format", "json"],
        ["validate", path, "--key", KEY],
        ["validate", path, "--fix", path.with_suffix(".mended"), "--format", "github"],
        ["convert", path, path.with_suffix(".converted")],
    ):
        assert run([str(argument) for argument in arguments], "corefscore") in (0, 1, 2)


@given(TEXTS)
def test_any_text_gives_a_result_or_an_error_of_ours(folder: Path, text: bytes) -> None:
    path = folder / "any.conll"
    path.write_bytes(b"#begin document (demo/cats); part 000\n" + text)
    ours_or_a_result(path)


@given(st.lists(OBJECTS | VALUES, min_size=1, max_size=3))
@example([{"doc_key": "a", "clusters": [], "sentences": [["w"]], "subtoken_map": [0, 1, 1]}])
def test_any_json_gives_a_result_or_an_error_of_ours(folder: Path, objects: list[Any]) -> None:
    path = folder / "any.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    ours_or_a_result(path)


ENTITY = st.lists(
    st.sampled_from(
        ["(e1", "(e1--1", "(e1--2", "e1)", "(e1)", "(e1--1)", "(e2--1", "e2)", "(e2)", "(e1[1/2]", "(e1[2/2]--1",
         "(e1[1/2])", "(e1[2/2]--1)", "(e1[1/1])", "(e1[3/2])", "(", ")", "()", "x", "-", "(e1--x)", "(e1--)",
         "(e1[1])", "_", "|Entity="]
    ),
    max_size=5,
).map("".join)  # fmt: skip
LINES_OF_CORPORA = st.one_of(
    st.builds(
        "\t".join,
        st.tuples(
            st.sampled_from(["1", "2", "3", "4", "1", "2", "3", "2.1", "2.10", "0.1", "1-2", "x", "3.x", ""]),
            st.sampled_from(["w", "\udce9", "_\t_\t_\t_\t_\t_\t_\t_"]),
            st.just("_\t_\t_\t_"),
            st.sampled_from(["0", "1", "2", "_", "x"]),
            st.just("_"),
            st.sampled_from(["_", "1:a", "2.1:b|0:c", "x", "2:a|y", ":"]),
            ENTITY.map("Entity={}".format),
        ),
    ),
    st.sampled_from(
        ["", "", "", "# newdoc id = a", "# newdoc id = b", "# newdoc", "# global.Entity = eid-etype-head",
         "# global.Entity = x",
         "# global.Entity = GRP-etype", "#\t", "x", "1"]
    ),
)  # fmt: skip


RULES: list[dict[str, Any]] = [
    *({"matching": matching} for matching in MATCHING),
    *({"task": task, "matching": matching} for task in SEARCHES for matching in MATCHING),
]
"""Options for each rule by which mentions match."""


@pytest.mark.parametrize("how", RULES, ids=lambda how: "-".join(how.values()))
def test_the_command_matches_by_each_rule_as_python_does(how: dict[str, Any]) -> None:
    folder = TESTDATA / "corefud" / "scoring" / "zero-collision-101"
    sides = folder / "key.conllu", folder / "response.conllu"
    options = [word for name, value in how.items() for word in (f"--{name}", value)]
    done = within("corefud", *sides, *options, "--format", "json", "--quiet")
    assert done.status == 0, done.stderr
    assert json.loads(done.stdout)["total"] == corefscore.score(*sides, "corefud", **how).to_dict()["total"]


@given(
    st.lists(LINES_OF_CORPORA, max_size=12),
    st.sampled_from(["\n", "\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(MATCHING),
)
@example(["1\tw\t_\t_\t_\t_\t_\t_\tEntity=(e1[1/2])"], "\n", True, "head")
def test_any_corefud_gives_a_result_or_an_error_of_ours(
    folder: Path, lines: list[str], line_end: str, ended: bool, matching: str
) -> None:
    path = folder / "any.conllu"
    text = line_end.join(["# newdoc id = a", "# global.Entity = eid-etype-head", *lines, "" if ended else "1\tw"])
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    ours_or_a_result(path)
    assert run(["validate", str(path), "--key", str(path)], "corefscore") in (0, 1)
    out = path.with_suffix(".mended")
    assert run(["validate", str(path), "--fix", str(out)], "corefscore") in (0, 1)
    scores = corefud_scores(path, matching)
    assert out.read_bytes() == path.read_bytes() or corefud_scores(out, matching) == scores


def corefud_scores(path: Path, matching: str) -> list[object]:
    """What a file scores against itself by each rule with this matching, where it can be scored."""
    found: list[object] = []
    for how in (rule for rule in RULES if rule["matching"] == matching):
        try:
            scored = corefscore.score(path, path, "corefud", singletons="keep", **how)
            found.append(scored.to_dict()["total"])
        except ScorerError as error:
            found.append(type(error))
    return found


@given(st.binary(max_size=200))
@example(b"\x1f\x8b\0")
@example(b"\xfd7zXZ\0\0")
@example(b"BZh9")
def test_any_bytes_give_a_result_or_an_error_of_ours(folder: Path, text: bytes) -> None:
    path = folder / "bytes.conll"
    path.write_bytes(text)
    ours_or_a_result(path)


PIECES = (
    "The|cat|saw|Ann|and|Bo|.|She|fed|it|##|##she|\u5979|\ufb03|\0| | | |\n|[|](#1)|](#2)|](#)|<m>|<m id=1>|</m>#1|"
    "</m>|{1 |{|}|\udce9|\u2028|\r"
)
ANSWERS = st.lists(
    st.sampled_from([*PIECES.split("|"), "|[e1", "|e1]", "|[e1]", "|[e2,e1]", "|", "]"]), max_size=40
).map("".join)
"""Answers of pieces of words and tags, in all notations at once."""

KEY_WITH_ZEROS = TESTDATA / "corefud" / "scoring" / "zero-collision-101" / "key.conllu"


@given(ANSWERS, st.sampled_from([None, *NAMES]), st.booleans())
@example("", None, False)
@example("", "words", True)
@example(" \n", None, False)
def test_any_answer_gives_a_score_or_an_error_of_ours(folder: Path, text: str, tags: str | None, in_json: bool) -> None:
    path = folder / "any-answer"
    written = json.dumps({"answer": text}) + "\n" if in_json else text
    path.write_bytes(written.encode("utf-8", "surrogateescape"))
    asked = ["--input-format", "response=tagged", *(["--tags", tags] if tags else [])]
    for key in (KEY, KEY_WITH_ZEROS):
        for arguments in (
            ["lea", key, path, "none"],
            ["validate", path, "--key", key],
            ["convert", path, folder / "out", "--key", key],
        ):
            assert run([*map(str, arguments), *asked], "corefscore") in (0, 1)
        try:
            its_score = corefscore.score(key, path, "lea", input_format={"response": "tagged"}, tags=tags)
        except ScorerError:
            continue
        assert its_score.fidelity is not None
        its = its_score.fidelity.total
        assert its["words"] == its["kept"] + its["replaced"] + its["deleted"] + its["moved"]


def held(path: Path, *, first_copy: bool) -> list[tuple[str, int, bool, set[tuple[str, int, int]]]]:
    """What mending must keep of the documents of a file: name, tokens, whether there is a fault, and the mentions, each
    once; with ``first_copy`` only that of each span which is read first."""
    found = []
    for batch in examine([Source(str(path))], Found(), Request()):
        mentions: list[dict[tuple[str, int, int], tuple[str, int, int]]] = [{} for _ in batch.names]
        for entity, start, end in zip(batch.entity.tolist(), batch.start.tolist(), batch.end.tolist(), strict=True):
            mention = (batch.name_of(entity), start, end)
            its = mentions[batch.document[entity]]
            its.setdefault(("", start, end) if first_copy else mention, mention)
        rows = zip(batch.names, batch.tokens.tolist(), mentions, strict=True)
        found += [(name, size, d in batch.faults, set(its.values())) for d, (name, size, its) in enumerate(rows)]
    return found


@given(TEXTS.map(lambda text: b"#begin document d\n" + text) | COPIES)
@example(twins.conll([[[(0, 0), (0, 0)], [(0, 0)], [(0, 2), (0, 2), (0, 1)]]]).encode())
def test_what_was_mended_needs_no_mending_and_says_the_same(folder: Path, text: bytes) -> None:
    path = folder / "mended.conll"
    for first_copy in (True, False):
        path.write_bytes(text)
        before = held(path, first_copy=first_copy)
        try:
            once = "".join(repaired(Source(str(path)), Fixes(), first_copy=first_copy)).encode(
                "utf-8", "surrogateescape"
            )
        except ScorerError:
            return
        path.write_bytes(once)
        assert before == held(path, first_copy=first_copy)
        fixes = Fixes()
        again = "".join(repaired(Source(str(path)), fixes, first_copy=first_copy)).encode("utf-8", "surrogateescape")
        assert (again, fixes.listed) == (once, [])


ODD_CELLS = st.lists(
    st.sampled_from(
        ["(0)", "(1)", "(2)", "(0)|(1)", "(1|1)", "|", "|", "|", "-", "x", "((0)", "(1)2)", "(00)", "(1+2)"]
    ),
    min_size=1,
    max_size=6,
).map("".join)
AROUND = st.lists(st.sampled_from("012"), max_size=3)


@st.composite
def odd_documents(draw: st.DrawFn) -> tuple[str, ...]:
    """The cells of a document; some mentions reach from the first to the last of several."""
    around = draw(AROUND)
    opens, closes = (
        "|".join(f"({name}" for name in around),
        "|".join(f"{name})" for name in draw(st.permutations(around))),
    )
    return f"{draw(ODD_CELLS)}|{opens}", *draw(st.lists(ODD_CELLS, max_size=3)), f"{closes}|{draw(ODD_CELLS)}"


@given(odd_documents(), odd_documents())
@example(("(0)|(1)", "(2", "(0)|(1)", "x2)(2)(1)2)(2", "(0)x(2)|(1)"), ("x|(1)", "(0)||-|", "|||"))
@example(("|x-", "|", "((0)(00)(00)"), ("(12)|(2)", "(0(0)|(1)0)", "|((0)(1)2)(1)|((0)"))
@example(("(0)|(1)", "(1)|(2)|(0)", "(2)|(1)"), ("(2)|(1)|(2)", "(1|(2", "(0)|(2)", "2)|1)"))
def test_mending_never_moves_a_score(folder: Path, key: Sequence[str], response: Sequence[str]) -> None:
    """To the last bit, whatever copies had to stay, with ``--repeated first``."""
    files = [folder / name for name in ("odd-key", "odd-response")]
    for file, its in zip(files, (key, response), strict=True):
        file.write_text("#begin document d\n" + "".join(f"w\t{cell}\n" for cell in its) + "#end document\n")
        assume(not joined(list(read(str(file), []))).faults)
    before = twins.score_files(*files, repeated="first")
    for first_copy in (False, True):
        for file in files:
            file.write_text("".join(repaired(Source(str(file)), Fixes(), first_copy=first_copy)))
        after = twins.score_files(*files, repeated="first")
        assert all(np.array_equal(before.counts[name], after.counts[name]) for name in twins.TWINS)


@given(st.lists(PAIRS, min_size=1, max_size=5), st.data())
def test_counts_add_up_over_any_split_of_the_documents(pairs: list[twins.Pair], data: st.DataObject) -> None:
    whole = scored(pairs)
    first = data.draw(st.sets(st.integers(0, len(pairs) - 1)))
    parts = [sorted(first), sorted(set(range(len(pairs))) - first)]
    results = [scored([pairs[at] for at in part]) for part in parts if part]
    for metric in twins.TWINS:
        counts = np.concatenate([result.counts[metric] for result in results])
        assert np.array_equal(counts[np.argsort(parts[0] + parts[1])], whole.counts[metric])


@given(st.lists(st.tuples(WRITABLE, WRITABLE), min_size=1, max_size=4), st.data())
def test_ids_and_files_do_not_matter_and_the_order_only_in_the_last_bit(
    folder: Path, pairs: list[twins.Pair], data: st.DataObject
) -> None:
    ids = data.draw(st.permutations([*range(3, 9), *range(10**19, 10**19 + 4)]))
    order = data.draw(st.permutations(range(len(pairs))))

    def side(name: str, which: int, order: Sequence[int], ids: Sequence[int], files: int) -> Path:
        """A folder of so many files, without those of the last example; documents keep their names."""
        place = folder / name
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        texts = twins.conll([pair[which] for pair in pairs], ids).split("#begin document ")[1:]
        chosen = [f"#begin document {texts[at]}" for at in order]
        for number in range(files):
            (place / f"{number}").write_text("".join(chosen[number::files]) if files > 1 else "".join(chosen))
        return place

    def result(key: Path, response: Path) -> Result:
        names = ("muc", "bcub", "ceafm", "ceafe", "blanc", "lea")
        return twins.evaluate(read(str(key), []), read(str(response), []), select("every"), Settings(names))

    straight = range(len(pairs))
    try:
        before = result(side("key", 0, straight, range(20), 1), side("response", 1, straight, range(20), 1))
    except InputError as error:
        assume(error.findings[0].code != "too-many-repeated")
        raise
    key = side("other-key", 0, straight, ids, 1)
    response = side("other-response", 1, order, ids[::-1], len(pairs))
    after = result(key, response)
    assert all(np.array_equal(before.counts[name], after.counts[name]) for name in before.counts)
    shuffled = result(side("other-key", 0, order, ids, len(pairs)), response)
    for name, score in before.items():
        assert shuffled[name].f1 == pytest.approx(score.f1, rel=NEAR, abs=0)


@given(st.lists(st.tuples(PARTITIONS, PARTITIONS, PARTITIONS), min_size=2, max_size=6), st.data())
def test_a_comparison_does_not_look_at_names(
    triples: list[tuple[twins.Partition, twins.Partition, twins.Partition]], data: st.DataObject
) -> None:
    """Neither those of systems nor those of documents move a difference, an interval or a p, as long as documents sort
    in the same order."""
    names = sorted(data.draw(st.sets(st.text("az_0", min_size=1), min_size=len(triples), max_size=len(triples))))
    results = [scored([(triple[0], triple[system]) for triple in triples]) for system in (1, 2)]
    renamed = [replace(result, names=names) for result in results]

    def found(results: Sequence[Result], systems: str) -> Compared:
        given = Systems(dict(zip(systems, results, strict=True)))
        return compare(given, ["muc", "blanc", "lea"], Method(trials=50, unit="part")).found

    before, after = found(results, "ab"), found(renamed, "yx")
    assert np.array_equal(before.ends, after.ends, equal_nan=True)
    assert np.array_equal(before.difference_ends, after.difference_ends, equal_nan=True)
    assert np.array_equal(before.tests.p, after.tests.p, equal_nan=True)
