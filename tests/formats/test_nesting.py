"""What nested sequences from memory are taken for, on either side, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from corefscore import InputError, Scorer, read, score
from support import TESTDATA

FIRST = [[(0, 1), (4, 4)], [(2, 2)]]
SECOND = [[(0, 0), (3, 3)]]
JOINED = [[(0, 1), (4, 4), (2, 2)]]

Form = Callable[[Any], Any]

FORMS: dict[str, Form] = {
    "tuples": lambda document: document,
    "lists, as JSON has them": lambda document: [[list(mention) for mention in entity] for entity in document],
    "text": lambda document: [[str(mention) for mention in entity] for entity in document],
    "tuples of tuples": lambda document: tuple(map(tuple, document)),
    "sets": lambda document: {frozenset(entity) for entity in document},
    "arrays": lambda document: [np.array(entity) for entity in document],
    "arrays of text": lambda document: [np.array([("x", str(mention)) for mention in entity]) for entity in document],
    "arrays of objects": lambda document: [np.array([("x", str(m)) for m in entity], object) for entity in document],
    "numpy integers": lambda document: [[tuple(np.array(mention)) for mention in entity] for entity in document],
    "iterators": lambda document: (iter(entity) for entity in document),
    "other tuples": lambda document: [[("x", *mention) for mention in entity] for entity in document],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_lists_of_documents_are_documents(form: Form) -> None:
    """LEA recall by hand: 2 of 3 + 0 of 1 links in the first, all in the second; (3 x 1/3 + 2) / 3 precision."""
    result = score([form(FIRST), form(SECOND)], [form(JOINED), form(SECOND)], "lea")
    by_name = score({"0": form(FIRST), "1": form(SECOND)}, {"0": form(JOINED), "1": form(SECOND)}, "lea")
    assert list(result.documents) == ["0", "1"]
    assert result["lea"] == by_name["lea"]
    assert result["lea"].recall_counts == (4, 5)
    assert result["lea"].precision_counts == (3, 5)


def test_documents_can_have_one_pair_of_texts_each() -> None:
    """As pronouns and their names; what comes again is no name of a document."""
    pairs = [[["she", "Ann"]], [["he", "Bo"]], [["she", "Cy"]], [["he", "Di"]]]
    assert len(score(pairs, pairs, "lea").documents) == 4


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_document_is_a_document(form: Form) -> None:
    result = score(form(FIRST), form(JOINED), "lea")
    assert list(result.documents) == ["document"]
    assert (result["lea"].recall_counts, result["lea"].precision_counts) == ((2, 3), (1, 3))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_scorer_takes_both(form: Form) -> None:
    scorer, one_by_one = Scorer("lea"), Scorer("lea")
    scorer.add([form(FIRST), form(SECOND)], [form(JOINED), form(SECOND)])
    scorer.add(form(FIRST), form(JOINED), name="x")
    for key, response, name in ((FIRST, JOINED, None), (SECOND, SECOND, None), (FIRST, JOINED, "x")):
        one_by_one.add(form(key), form(response), name=name)
    assert list(scorer.result().documents) == ["0", "1", "x"]
    assert dict(scorer.result()) == dict(one_by_one.result())


def test_numpy_integers_are_tokens_of_a_file() -> None:
    """As in the README: LEA recall 4/8."""
    response = [
        [(0, 1), (9, 9), (11, 11)],
        [(3, 3), (13, 13)],
        [(5, 5), (7, 7)],
    ]
    name = "(demo/cats); part 000"
    found = score(TESTDATA / "demo" / "key.conll", {name: FORMS["numpy integers"](response)}, "lea")
    assert found["lea"].recall_counts == (4, 8)


@pytest.mark.parametrize(
    ("key", "response", "names"),
    [
        pytest.param([], [], ["document"], id="nothing on both sides"),
        pytest.param(FIRST, [], ["document"], id="a document and nothing"),
        pytest.param([[]], [], ["document"], id="an entity without mentions, and nothing"),
        pytest.param([[]], FIRST, ["document"], id="an entity without mentions, and a document"),
        pytest.param([FIRST[0], []], FIRST, ["document"], id="an entity without mentions among others"),
        pytest.param([[], []], [[], []], ["0", "1"], id="documents without entities on both sides"),
        pytest.param([[], []], [FIRST, []], ["0", "1"], id="documents without entities on one side"),
        pytest.param([[[]]], [[]], ["0"], id="a document of an entity without mentions"),
        pytest.param([[["a"]], []], [[["a"]], [["b"]]], ["0", "1"], id="text, and a document without entities"),
        pytest.param([["a", (0, 1)]], [[(0, 1), "a"]], ["document"], id="text and tuples as mentions"),
        pytest.param([[["a", "b"]]], [[["a", "b"]]], ["0"], id="a list of text is an entity"),
        pytest.param([[("a", "b")]], [[("a", "b")]], ["document"], id="a tuple of text is a mention"),
        pytest.param([("a", "b"), ("c",)], [["a"]], ["document"], id="but not where mentions are text"),
        pytest.param([[7, 8], [9]], [{7, 8, 9}], ["document"], id="numbers as mentions"),
        pytest.param([[{7, 8}, {9}]], [[{7, 8, 9}]], ["0"], id="sets of numbers are entities"),
        pytest.param([[[0, 1], [2, 3]]], [[[0, 1], [2, 3]]], ["document"], id="pairs of numbers are mentions"),
        pytest.param([[[Decimal(0), Decimal(1)]]], [[[Decimal(0), 1]]], ["document"], id="numbers of any type"),
    ],
)
def test_what_could_be_either_is_decided_by_the_rule(key: Any, response: Any, names: list[str]) -> None:
    assert list(score(key, response, "lea").documents) == names


class Tensor:
    """Equal only to itself, as tensors are."""


class Hashed(Tensor):
    """With a hash of its own that is its identity."""

    def __hash__(self) -> int:
        return id(self)


class Span:
    """A mention that can be gone through, as those of some libraries, and equals others."""

    def __iter__(self) -> Iterator[int]:
        return iter((1, 2))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Span)

    def __hash__(self) -> int:
        return 1


class Model:
    """As those of pydantic: going through one gives its fields, and it has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return iter([("start", 1), ("end", 2)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model)


def test_sets_of_iterators_are_collections() -> None:
    assert score({iter("ab")}, [["a", "b"]], "lea")["lea"].f1 == 1


def test_objects_that_equal_others_are_mentions() -> None:
    assert score([[Span(), "b"]], [[Span(), "b"]], "lea")["lea"].f1 == 1


def test_documents_that_only_one_side_makes_clear_are_scored() -> None:
    """The entities of one side happen to look like spans in digits."""
    key, response = [[["1", "2", "3"], ["4", "5"]], [["6", "7"]]], [[["1", "2"], ["4", "5"]], [["6", "7"]]]
    assert score(key, response, "muc")["muc"].f1 == pytest.approx(6 / 7)
    with pytest.raises(InputError, match="some of these could be one mention or several"):
        score(response, response, "muc")


SHAPES = [
    pytest.param(7, "int", id="a number"),
    pytest.param(["a", "b"], "list[str]", id="one entity"),
    pytest.param([(0, 1), (4, 4)], "list[tuple[int, int]]", id="one entity of tuples"),
    pytest.param([[FIRST]], "list[list[list[list[tuple[int, int]]]]]", id="too deep"),
    pytest.param([[[[["a"]]]]], "list[list[list[list[list[str]]]]]", id="much too deep"),
    pytest.param([[[[]]]], "list[list[list[list[]]]]", id="too deep and empty"),
    pytest.param([[[["a", "b"]]]], "list[list[list[list[str]]]]", id="mentions that are lists of text"),
    pytest.param([[[[[0, 1], [3, 4]], [[5, 6]]]]], "list[list[list[list[list[int]]]]]", id="lists of sequences"),
    pytest.param([[[7, 8, 9], [1]]], "list[list[list[int]]]", id="entities or mentions of numbers"),
    pytest.param([[[7], [1]]], "list[list[list[int]]]", id="numbers alone in lists"),
    pytest.param(
        [[("a", "b", "c"), ("d",)]], "list[list[tuple[str, str, str] | tuple[str]]]", id="tuples of any length"
    ),
    pytest.param([[(0, 1), ["a"]]], "list[list[tuple[int, int] | list[str]]]", id="a mention beside an entity"),
    pytest.param([((0, 1), 2)], "list[tuple[tuple[int, int], int]]", id="a mention within a mention, in one entity"),
    pytest.param([[((0, 1), 2)]], "list[list[tuple[tuple[int, int], int]]]", id="a mention within a mention"),
    pytest.param([[("x", (3, 4))]], "list[list[tuple[str, tuple[int, int]]]]", id="a label and a span"),
    pytest.param(
        [[((0, 1), (2, 3)), (4, 5)]],
        "list[list[tuple[tuple[int, int], tuple[int, int]] | tuple[int, int]]]",
        id="a mention of two parts beside one of numbers",
    ),
    pytest.param([[[[0, 1], 2]]], "list[list[list[list[int] | int]]]", id="a number beside a list of numbers"),
    pytest.param(
        [[[[0, 1], "Ann"], [[2, 2], "Bo"]]], "list[list[list[list[int] | str]]]", id="spans beside their text"
    ),
    pytest.param([[["3", "5"], ["7", "7"]]], "list[list[list[str]]]", id="spans in digits"),
    pytest.param(
        [[["A", "17"], ["B", "93"], ["A", "2"], ["B", "9"]]], "list[list[list[str]]]", id="names beside numbers"
    ),
    pytest.param(
        [[["d1", "m1"], ["d2", "m2"]], [["d1", "m3"], ["d3", "m4"]]],
        "list[list[list[str]]]",
        id="mentions beside the names of their documents",
    ),
    pytest.param([[frozenset({3, 4}), frozenset({7})]], "list[list[frozenset[int]]]", id="frozen sets of tokens"),
    pytest.param([["a", [["b"]]]], "list[list[list[list[str]] | str]]", id="a mention beside entities"),
    pytest.param([[{"start": 1}]], "list[list[dict]]", id="objects of JSON"),
    pytest.param([[Model(), Model()]], "list[list[Model]]", id="objects with fields"),
    pytest.param([list(np.rec.fromarrays([[0], [1]]))], "list[list[record]]", id="records of an array"),
    pytest.param([[Tensor(), Tensor()]], "list[list[Tensor]]", id="identity"),
    pytest.param([[None, "a"]], "list[list[NoneType | str]]", id="None for a mention"),
    pytest.param([[(0, None), (4, 4)]], "list[list[tuple[int, NoneType] | tuple[int, int]]]", id="None in a mention"),
    pytest.param([[(0, 1)], None], "list[list[tuple[int, int]] | NoneType]", id="None for an entity"),
    pytest.param([[(Hashed(), Hashed())]], "list[list[tuple[Hashed, Hashed]]]", id="hashed by identity, in tuples"),
]


@pytest.mark.parametrize(("clusters", "shape"), SHAPES)
@pytest.mark.parametrize("side", ["key", "response"])
def test_what_fits_no_shape_is_refused_with_the_shape(clusters: Any, shape: str, side: str) -> None:
    scorer = Scorer("lea")
    pair = (clusters, []) if side == "key" else ([], clusters)
    with pytest.raises(InputError) as caught:
        score(*pair, "lea")
    assert str(caught.value).startswith(f"{side}: error[not-clusters] the clusters are {shape}\n")
    with pytest.raises(InputError) as caught:
        scorer.add(*pair)
    assert f"the clusters are {shape}\n" in str(caught.value)
    scorer.add([], [])
    assert list(scorer.result().documents) == ["0"]


@pytest.mark.parametrize(
    ("key", "response", "message"),
    [
        pytest.param([FIRST, SECOND], [FIRST], "a list of 1 document, and the other side has 2", id="lengths"),
        pytest.param([FIRST, SECOND], [], "a list of 0 documents, and the other side has 2", id="nothing"),
        pytest.param(FIRST, [FIRST], "a list of documents; those of the other side are", id="a document and a list"),
        pytest.param(
            [FIRST], FIRST, "list[list[list[tuple[int, int]]]], a list of documents\n", id="a list and a document"
        ),
        pytest.param([["a"]], [[["a"]]], "list[list[list[str]]], a list of documents;", id="text at two depths"),
        pytest.param({"a": FIRST}, [FIRST], "a list of documents without names", id="names on one side"),
        pytest.param(
            [FIRST, SECOND],
            TESTDATA / "demo" / "key.conll",
            "key: error[not-clusters] the clusters are a list of 2 documents, and the other side has 1\n",
            id="a file",
        ),
        pytest.param(
            read(TESTDATA / "systems" / "key.conll"),
            FIRST,
            "response: error[not-clusters] the clusters are 1 document, and the other side has 24\n",
            id="a corpus",
        ),
        pytest.param(
            TESTDATA / "systems" / "key.conll", [], "a list of 0 documents, and the other side has 24", id="none"
        ),
        pytest.param({"a": [FIRST]}, {"a": FIRST}, 'in document "a": the clusters are list[list', id="a named list"),
    ],
)
def test_both_sides_are_of_one_level_and_one_length(key: Any, response: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        score(key, response, "lea")
    assert message in str(caught.value)


def test_a_name_is_of_one_document() -> None:
    scorer = Scorer("lea")
    with pytest.raises(InputError, match="expected a document, not a list of documents"):
        scorer.add([FIRST], [FIRST], name="x")
    scorer.add([[(1,), (2, 3, 4)]], [[(1,), (2, 3, 4)]], name="x")  # a name says that these are mentions
    assert scorer.result()["lea"].f1 == 1
