"""Which words of a key the words of a text are, and where its mentions come to."""

from __future__ import annotations

import json
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path
from time import process_time
from types import SimpleNamespace
from typing import Any

import corefscore
import numpy as np
import pytest
from answers import Mentions, as_characters, marked, words_and_mentions
from corefscore.core.documents import KEY as KEY_SIDE
from corefscore.core.documents import RESPONSE, Documents
from corefscore.formats import Reading
from corefscore.formats.tagged.notations import find, untagged
from corefscore.matching.text import alignment
from corefscore.matching.text.alignment import ABSENT, EQUAL, MOVED, Key, align, diagonals, grams
from corefscore.matching.text.characters import characters
from corefscore.matching.text.fidelity import FIELDS, ratio
from corefscore.matching.text.projection import Projection, other_names, placed
from corefscore.matching.text.zeros import with_zeros
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read
from support import CORPORA, EXCERPTS, TESTDATA, WHOLE_CORPORA


def test_the_words_of_a_mention_decide_what_it_is(tmp_path: Path) -> None:
    """Changed, inserted, deleted, moved: one key of 24 words, and where each mention of an answer comes to stand."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    key = [*words, *(f"{word}teenth" for word in words)]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [key], "clusters": []}) + "\n")
    rows = [
        ("[one](#1) two three", [(0, 0)], "faithful"),
        ("[ONE two](#1) three", [(0, 1)], "case"),
        ("[on e tw](#1)o three", [(0, 1)], "other tokens"),
        ("[won](#1) two three", [(0, 0)], "replaced"),
        ("[the one](#1) two three", [(0, 0)], "begins with an inserted word"),
        ("[the](#1) one two three", [(24, 24)], "inserted"),
        ("one [three four](#1) five", [(2, 3)], "behind a deleted word"),
        ("one [two four](#1) five", [(1, 3)], "around a deleted word"),
        ("[one two](#1) [the one two](#2) three four five six", [(0, 1), (24, 25)], "the same words twice"),
        (" ".join(key[12:]) + " [one two](#1) " + " ".join(key[2:12]), [(0, 1)], "moved"),
    ]
    for text, expected, what in rows:
        (tmp_path / "x.txt").write_text(text)
        response = placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")
        assert sorted(response.elements()) == expected, what


def placed_spans(key: Path, response: Path) -> Counter[tuple[int, int]]:
    """The spans of a response on the tokens of the key."""
    return spans_of(placed_on(key, response).response)


def placed_on(key: Path, response: Path, pieces: str | None = None) -> Projection:
    """A response on the tokens of the key."""
    reading = Reading(input_format="tagged", pieces=pieces)
    of_key, of_response = (
        list(read(str(path), [], reading, side=side)) for path, side in ((key, KEY_SIDE), (response, RESPONSE))
    )
    return placed(of_key, of_response, reading, [])


def spans_of(documents: Documents) -> Counter[tuple[int, int]]:
    return Counter(zip(documents.start.tolist(), documents.end.tolist(), strict=True))


def test_a_piece_that_begins_and_ends_like_the_whole_text_stays_where_it_is(tmp_path: Path) -> None:
    """Both begin with "The" and end with a full stop, as the document does."""
    sentences = [["The", name, "met", "somebody", f"in{name}", "."] for name in ("Ann", "Bob", "Cleo", "Dora")]
    key = {"doc_key": "x", "sentences": sentences, "clusters": []}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    (tmp_path / "x.txt").write_text("[The Bob](#1) met somebody [inBob.](#2) [The Cleo](#1) met somebody [inCleo.](#2)")
    assert sorted(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(6, 7), (10, 11), (12, 13), (16, 17)]


def test_nearly_all_of_shuffled_sentences_is_found(tmp_path: Path) -> None:
    """Sentences with words in common, of which short pieces are in order by chance: those give way."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(1, 8))) for _ in range(200)]
    sentences = [
        [*(words[int(200 * chance.random() ** 3)] for _ in range(chance.randint(10, 20))), "."] for _ in "x" * 80
    ]
    key = {"doc_key": "x", "sentences": sentences, "clusters": []}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    first = [0, *accumulate(map(len, sentences))]
    order = chance.sample(range(80), 80)
    text = (f"[{' '.join(sentences[at][:3])}](#{at}) {' '.join(sentences[at][3:])}" for at in order)
    (tmp_path / "x.txt").write_text("\n".join(text))
    response, fidelity, _ = placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt")
    assert (spans_of(response) & Counter((at, at + 2) for at in first[:-1])).total() >= 76
    assert fidelity.total["kept"] + fidelity.total["moved"] >= 0.98 * first[-1]
    assert fidelity.total["replaced"] == 0, "moved text begins and ends where words do"
    shuffled = [word for at in order for word in sentences[at]]
    alignment = align(Key(characters([*chain(*sentences)])), characters(shuffled))
    of_key = alignment.key[alignment.state != ABSENT].tolist()
    assert len(set(of_key)) == len(of_key), "no character of the key is aligned twice"


@pytest.mark.parametrize(
    ("key", "answer", "expected"),
    [
        ("ab cd", "cd ab", {"kept": 1, "deleted": 1, "inserted": 1}),  # two replacements cost three edits, this two
        ("ab cd", "ef gh", {"replaced": 2}),
        ("ab cd", "ef", {"replaced": 1, "deleted": 1}),
        ("abc xy", "abd", {"replaced": 1, "deleted": 1}),
        ("a" * 24, "a" * 24, {"kept": 1}),
        ("ab .", "ab!", {"kept": 1, "replaced": 1}),  # punctuation is not of the word that it is attached to
        ("ab $", "ab+", {"kept": 1, "replaced": 1}),
        ('ab . "', 'ab!"', {"kept": 2, "replaced": 1}),
        ("( ab", "-ab", {"kept": 0, "replaced": 1, "deleted": 1}),  # signs of other kinds
        ("ab! cd", "ab . ef", {"replaced": 2}),
        ("ab 's", "cd's", {"kept": 1, "replaced": 1}),
        ("l' abd", "l'acd", {"kept": 1, "replaced": 1}),
        ("- ab 's cd", "-ef's cd", {"kept": 3, "replaced": 1}),
        ("ab's cd", "ef 's cd", {"kept": 1, "replaced": 1}),
        (". Mr. Ab", "Dr. Ab", {"kept": 1, "replaced": 1, "deleted": 1}),  # the full stop of Dr. is not the one before
        ("ab .", "ab" + "!?" * 624 + "!", {"replaced": 2}),
        ("ab .", "ab" + "!?" * 625, {"replaced": 1, "deleted": 1}),  # more than 2500 pairs of parts
        (" ".join(f"b{at:02}" for at in range(50)), " ".join(f"c{at:02}" for at in range(50)), {"replaced": 50}),
        (
            " ".join(f"b{at:02}" for at in range(51)),
            " ".join(f"c{at:02}" for at in range(50)),
            {"deleted": 51, "inserted": 50},
        ),
    ],
)
def test_words_in_a_gap(key: str, answer: str, expected: dict[str, int], tmp_path: Path) -> None:
    """Between two equal parts, of 9 words: the fewest edits, and none if there are over 2500 pairs of words."""
    before, behind = "Nobody understood this sentence at", "all until somebody else"
    words = f"{before} {key} {behind}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}) + "\n")
    (tmp_path / "x.txt").write_text(f"[{before}](#1) {answer} {behind}")
    total = placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt").fidelity.total
    expected = {"kept": 0, **expected}
    assert {name: total[name] for name in FIELDS[1:6] if total[name]} == {**expected, "kept": 9 + expected["kept"]}


@pytest.mark.parametrize(
    ("key", "answer", "spans"),
    [
        ("He left . Ann wept", "He [Ann](#1)... wept", [(3, 3)]),  # an equal word counts more than an equal sign
        ("the garden . He was", "the garden [He](#1) \u2026 was", [(3, 3)]),
        ("It is Ann 's . She came", "It is Ann's [She](#1)... came", [(5, 5)]),
        ("Then , Ann left", "Then [Ann](#1), left", [(2, 2)]),
        ("he said : Ann came", "he said [Ann](#1), came", [(3, 3)]),
        (
            "He left and Ann 's son wept",
            "He left [*[Ann](#1)'s son*](#2) wept",
            [(3, 3), (3, 5)],
        ),  # markup takes no word
        ("the son of Ann yesterday .", "[*the son of Ann*](#1) .", [(0, 3)]),
    ],
)
def test_a_mention_keeps_its_words_beside_changed_signs(
    key: str, answer: str, spans: list[tuple[int, int]], tmp_path: Path
) -> None:
    before, behind = "Nobody understood this sentence at", "all until somebody else"
    words = f"{before} {key} {behind}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}) + "\n")
    (tmp_path / "x.txt").write_text(f"{before} {answer} {behind}")
    placed = placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")
    assert sorted((start - 5, end - 5) for start, end in placed) == spans


@pytest.mark.parametrize(
    ("mentions", "answer", "spans"),
    [
        ([[3, 3]], "[*Titanic*](#1)", [(3, 3)]),
        ([[2, 4]], "[*Titanic*](#1)", [(2, 4)]),
        ([[2, 4]], "*[Titanic](#1)*", [(2, 4)]),
        ([[2, 4], [3, 3]], "[*[Titanic](#1)*](#2)", [(2, 4), (3, 3)]),
        ([[2, 4]], "[Titanic](#1)", [(3, 3)]),  # nothing in place of the quotes
        ([[0, 0]], "[*Titanic*](#1)", [(2, 4)]),
    ],
)
def test_markup_in_place_of_quotes_can_be_part_of_a_mention(
    mentions: list[list[int]], answer: str, spans: list[tuple[int, int]], tmp_path: Path
) -> None:
    words = ["He", "saw", '"', "Titanic", '"', "last", "week"]
    clusters = [[mention] for mention in mentions]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": clusters}))
    (tmp_path / "x.txt").write_text(f"He saw {answer} last week")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == spans


@pytest.mark.parametrize("answer", ["[``The Cat''](#1)", '["The Cat"](#1)', "[\u201cThe Cat\u201d](#1)"])
def test_a_mention_has_all_tokens_of_divided_quotes(answer: str, tmp_path: Path) -> None:
    """As a tokenizer divides them that makes a token of each sign."""
    words = ["Ann", "read", "`", "`", "The", "Cat", "'", "'", "and", "liked", "it"]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": [[[2, 7]]]}))
    (tmp_path / "x.txt").write_text(f"Ann read {answer} and liked it")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(2, 7)]
    assert placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt").fidelity.total["kept"] == len(words)


def test_a_mention_of_one_of_two_dashes_is_found(tmp_path: Path) -> None:
    """If both sides have the same signs, none was divided."""
    key = {"doc_key": "x", "sentences": [["I", "saw", "-", "-", "she"]], "clusters": [[[3, 3]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    (tmp_path / "x.txt").write_text("I saw - [-](#1) she")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(3, 3)]


_COMMENT = "He did not want to comment on Friday ."
_STORM = "The big storm at the old harbour town"
_LEAD = "The mayor of Springfield signs the contract"
_LONG = (
    "The two of them went home by the night train after that , and slept until long after noon , as they had planned ."
)
_SIGNED = "It was signed in the old town hall before noon ."
_OTHER = f"{_SIGNED} {_LONG}".replace("night", "last").replace("noon", "lunch")
_REST = f"{_SIGNED} Nobody else had been asked about it ."


@pytest.mark.parametrize(
    ("key", "answers", "spans"),
    [
        # A piece ends, or begins, as the document does, and a word is changed.
        (
            f"Green bought it . Ann had tried to keep it . {_COMMENT} Now Green was asked again . {_COMMENT}",
            [f"Green bought it. Ann tried to keep it. [He](#1){_COMMENT[2:]}"],
            [(11, 11)],
        ),
        (
            f"{_COMMENT} Now Green was asked again . {_COMMENT} Ann had tried to keep it . Green bought it .",
            [f"[He](#1){_COMMENT[2:]} Ann tried to keep it. Green bought it ."],
            [(15, 15)],
        ),
        # The headline, which begins as the text, is left out, and a word.
        (
            f"{_LEAD} {_LEAD} on Friday . {_REST}",
            [f"[The mayor](#1){_LEAD[9:]} on Friday. {_REST.replace('else', '')}"],
            [(7, 8)],
        ),
        (f"{_LEAD} . {_LEAD} on Friday . {_REST}", [f"[The mayor](#1){_LEAD[9:]} on Friday. {_REST} Done!"], [(8, 9)]),
        # Each piece begins with the title.
        (
            f"{_STORM} He bought it . Ann saw the mayor . He had signed it . He went home . Rain fell .",
            [
                f"{_STORM}\n\nHe bought it. Ann saw the mayor.",
                f"{_STORM}\n\nHe had signed it.",
                f"{_STORM}\n\n[He](#1) went home. Rain fell.",
            ],
            [(22, 22)],
        ),
        # A piece that the key has twice, and the piece before it ends so.
        (
            f"She wept . {_COMMENT} {_SIGNED} He laughed . {_LEAD} . {_COMMENT} She wept . He laughed . {_LEAD} .",
            [
                f"She wept. {_COMMENT} {_SIGNED} He laughed.",
                f"He laughed. {_LEAD}. {_COMMENT} She wept. He laughed.",
                f"He laughed. [The mayor](#1){_LEAD[9:]}.",
            ],
            [(49, 50)],
        ),
        # A sentence comes again, without tags: that is no draft.
        (f"{_SIGNED} {_LONG}", [f"[It](#1){_SIGNED[2:]} {_SIGNED} {_LONG.replace('planned', 'hoped')}"], [(0, 0)]),
        # A draft comes first, with the same other words.
        (
            f"Ann had tried it . {_SIGNED} {_LONG}",
            [f"Ann had tried it. {_OTHER} [Ann](#1) had tried it. {_OTHER}"],
            [(0, 0)],
        ),
        # A draft comes first, with another word.
        (f"Ann had tried it . {_LONG}", [f"Ann tried it. {_LONG} [Ann](#1) had tried it. {_LONG}"], [(0, 0)]),
    ],
)
def test_text_that_repeats_itself_is_found_at_its_own_place(
    key: str, answers: list[str], spans: list[tuple[int, int]], tmp_path: Path
) -> None:
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [key.split()], "clusters": []}))
    pieces = "".join(json.dumps({"doc_key": "x", "answer": answer}) + "\n" for answer in answers)
    (tmp_path / "x.jsonl").write_text(pieces)
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.jsonl")) == spans


@pytest.mark.parametrize(("title", "other"), [("Mr.", "Dr."), ("Mr", "Dr"), ("U.K.", "U.S.")])
def test_the_sign_of_a_changed_word_is_not_the_one_before_it(title: str, other: str, tmp_path: Path) -> None:
    words = f"Ann said yes . {title} Smith left and Ann smiled at him".split()
    key = {"doc_key": "x", "sentences": [words], "clusters": [[[0, 0], [4, 5]], [[8, 8], [11, 11]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    answer = f"[Ann](#1) said yes [{other} Smith](#1) left and [Ann](#2) smiled at [him](#2)"
    (tmp_path / "x.txt").write_text(answer)
    assert corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.txt", "lea")["lea"].f1 == 1


@pytest.mark.parametrize(("size", "moved"), [(23, 0), (24, 2)])
def test_text_counts_as_moved_from_24_characters(size: int, moved: int, tmp_path: Path) -> None:
    part = "q" * 12 + " " + "z" * (size - 12)
    first, second = "Nobody understood this sentence at all .", "Everybody liked the other one better ."
    words = f"{part} {first} {second}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}) + "\n")
    (tmp_path / "x.txt").write_text(f"[{first}](#1) {part} {second}")
    assert placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt").fidelity.total["moved"] == moved


CHANCE = random.Random(0)


MANY, X, Y, Z, OTHER, NEW = (
    ["".join(CHANCE.choices("abcdefghijklm", k=5)) for _ in range(words)] for words in (100, 24, 12, 1, 3, 3)
)


SHORT = [*Y[:4], "nopq"]
"""24 characters."""


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        pytest.param(
            [*X, *Y[:8], *MANY],
            [*MANY, *Y[:8], *NEW, *X, *Y[:2]],
            [(510, 130, 30), (555, 0, 130)],
            id="the longer one has what two would have",
        ),
        pytest.param([*X, *Y, *Z, *MANY], [*MANY, *Y, *Z, *NEW, *X, *Y], [(580, 0, 180)], id="the key has it once"),
        pytest.param(
            [*MANY, *Y, *Z, *OTHER, *X, *Y], [*X, *Y, *Z, *MANY], [(0, 580, 180)], id="the response has it once"
        ),
        pytest.param(
            [*NEW[:1], *SHORT, *NEW[1:], *MANY, *SHORT, *X],
            [*OTHER[:1], *SHORT, *OTHER[1:], *MANY, *X, *SHORT],
            [(659, 539, 24)],
            id="of two copies one is in its place",
        ),
    ],
)
def test_what_is_moved_to_where(key: list[str], response: list[str], expected: list[tuple[int, int, int]]) -> None:
    """Words of five characters: where moved stretches begin in the response and in the key, and their sizes."""
    found = align(Key(characters(key)), characters(response))
    moved = np.flatnonzero(found.state == MOVED)
    assert [(at, to, size) for to, at, size in diagonals((found.key[moved], moved), 1)] == expected


def test_a_word_in_front_stays_with_what_follows_it() -> None:
    """The key has its first five words again, so that no anchor begins at the first one."""
    found = align(Key(characters([*Y[:5], *MANY, *Y[:5], *Z])), characters([*Y[:1], *NEW, *Y[:5], *MANY]))
    assert found.key[20:].tolist() == list(range(525))
    assert found.state[:5].tolist() == [ABSENT] * 5


def test_text_in_its_place_is_not_moved_even_if_its_words_are_short_of_24_characters(tmp_path: Path) -> None:
    """24 characters are equal, the last of which belongs to a word that is not."""
    words = "Nobody understood this sentence . Ann qqqqqqqqqqqq zzzzzzzzzzz yes Everybody liked the other one better ."
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [words.split()], "clusters": []}) + "\n"
    )
    (tmp_path / "x.txt").write_text(
        "[Nobody](#1)" + words.removeprefix("Nobody").replace("Ann", "Bo").replace("yes", "you")
    )
    total = placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt").fidelity.total
    assert (total["kept"], total["replaced"], total["moved"]) == (len(words.split()) - 2, 2, 0)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("do n't", "don't"),
        ("`` Yes '' , he said -- twice .", '"Yes", he said — twice.'),
        ("“ Yes ” , he `` said '' it is", "\u2018Yes\u2019, he 'said' it is"),
        ("“ \u2018 Yes \u2019 ”", "'\"Yes\"'"),
        ("-LRB- ok -RRB- /.", "(ok)."),
        ("ﬁne straße cœur", "FINE STRASSE coeur"),
        ("é", "é"),
        ("a b", "a\u00ad\u200b b\ufeff"),
        ("a b", "a\0 \x08b\x7f"),
        ("N.Y. 1 2", "N.Y. 12"),
        ("` ` The Cat ' ' b", "`` The Cat '' b"),  # tokens of single signs
        ("a \u2014 \u2014 b - - - c", "a\u2014\u2014b---c"),
    ],
)
def test_what_does_not_count(one: str, other: str) -> None:
    codes = [characters(text.split(), divided=True).code.tolist() for text in (one, other)]
    assert codes[0] == codes[1]


def test_a_double_quote_beside_a_single_one_is_two_characters() -> None:
    sizes = [len(characters([word]).code) for word in ("“\u2018", "'\"", "'''", "''", "``", "'")]
    assert sizes == [2, 2, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("answer", "span"),
    [
        ("[the old inn of the \u2018Rose\u2019](#1) and the lake.", (3, 10)),  # lost: the key has it to the quote
        ("the old inn of the “Rose” and [the lake!](#1)", (12, 14)),  # as if it was the sign of the key
        ("the old inn of the “Rose” and [the lake.](#1)", (12, 14)),
        ("the old inn of the “Rose” and the [“lake”](#1) at last", (13, 13)),
    ],
)
def test_a_mention_with_other_quotes_or_punctuation_keeps_its_words(
    answer: str, span: tuple[int, int], tmp_path: Path
) -> None:
    begin, end = "Nobody understood why", "Everybody liked the other one better ."
    words = f"{begin} the old inn of the “ Rose ” and the lake . {end}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}))
    (tmp_path / "x.txt").write_text(f"{begin} {answer} {end}")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [span]


MORE = " Nobody has learnt why they came ." * 4


@pytest.mark.parametrize(
    ("key", "answer", "span"),
    [
        # A sentence is left out, and beside it the same words stand, so that its words could be others as well.
        ("He laughed . He wept . Nobody has learnt why .", "[He](#1) wept. Nobody has learnt why.", 21),
        ("He laughed . He wept . Nobody has learnt why .", "[He](#1) laughed. Nobody has learnt why.", 18),
        ("She turned toward him . Nobody ever helped him .", "She turned towards [him](#1).", 21),
        ("She turned toward him . Nobody ever helped him .", "She turned [him](#1).", 21),
        ("She turned toward him . Nobody ever helped him . Bo slept .", "She turned to [him](#1). Bo slept.", 21),
        ("She turned toward him ! Nobody ever helped him . Bo slept .", "She turned [him](#1)! Bo slept.", 21),
        ("他来了 。 她笑 了 。 她哭 了 。 没有 人 知道 为什么 。", "他来了。[她哭](#1)了。没有人知道为什么。", 23),
        ("him . him . . She ! wept Nobody has learnt why .", "[him](#1) . . She Nobody has learnt why.", 18),
        (". He He He .He Nobody has learnt why .", ".He [He](#1) .He Nobody has learnt why.", 20),
        ("! . He wept . wept Nobody has learnt why they came .", "x [.](#1) Nobody has learnt why they came.", 19),
        ("He .He .He Nobody has learnt why .", "[He](#1) Nobody has learnt why.", 18),
        ('He wept . He wept . He wept . "', "He wept [He](#1) wept .", 21),
        ("वह आया । वह गया । वह सोया । सब ने उसे देखा ।", "वह आया । [वह](#1) सोया । सब ने उसे देखा ।", 24),
        # A clause is left out, with its comma.
        ("Then the boy ran , the dog slept , and the cat ate .", "Then [the](#1) dog slept , and the cat ate.", 23),
        ("A red house , a small house fell ." + MORE, "A red [house](#1) fell ." + MORE, 20),
        # The answer has a sentence or a clause of its own, or one twice, beside the same words.
        ("He laughed . Bo wept .", "He laughed. Bo ate all the soup. [Bo](#1) wept.", 21),
        ("She saw him . Bo slept .", "She saw [him](#1). Oh, she saw him. Bo slept.", 20),
        ("He laughed . He wept .", "[He](#1) laughed. He laughed. He wept.", 18),
        ("He laughed . He wept .", "He laughed. He laughed. [He](#1) wept.", 21),
        ("Then the boy ran , the dog slept .", "Then the boy ran, the cow ate, [the](#1) dog slept.", 23),
        ('Bo came . " Ann wept .', 'Bo came. "["Ann"](#1) wept.', 22),  # the quote is not before that of the key
        (". c c c c , Nobody has learnt why .", ". c [c](#1) ! , Nobody has learnt why.", 20),  # beside a replaced one
        # The text goes on, and the changed words are near the end of the answer.
        ("She turned toward him . " + "It rained . " * 900 + "Nobody saw him .", "She turned towards [him](#1).", 21),
    ],
)
def test_words_beside_those_of_one_side_are_of_their_own_sentence(
    key: str, answer: str, span: int, tmp_path: Path
) -> None:
    begin = "Everybody in the old town knew that the two of them lived beside the lake . "
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [f"{begin}Thus . {key}".split()], "clusters": []})
    )
    (tmp_path / "x.txt").write_text(f"{begin}Thus. {answer}")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(span, span)]


def test_words_before_the_first_anchor_are_of_their_own_sentence(tmp_path: Path) -> None:
    """An answer that begins within the text, with a changed word."""
    end = "home from the mill in the evening , wet and hungry ."
    words = f"He slept . It rained . {'He sang . ' * 900}He walked {end}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}))
    (tmp_path / "x.txt").write_text(f"[He](#1) came {end}")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(2706, 2706)]


@pytest.mark.parametrize(
    ("key", "answer", "label"),
    [
        ("王芳 住 在 北京 。 她 30 岁 。", "<m>王芳</m>#1住在北京。<m>她</m>#130岁。", "130"),
        ("王芳 住 在 北京 。 她 30 岁 。", "<m>王芳</m>#1住在北京。<m>她</m>#1 30岁。", None),
        ("王芳 住 在 北京 。 她 30 岁 。", "<m>王芳</m>#130住在北京。<m>她</m>#130 30岁。", None),
        ("王芳 住 在 北京 。 她 30 岁 。", "<m>王芳</m>#1住在北京。<m>她</m>#30岁。", None),
        ("They praised her . 3 The report ended .", "They praised <m>her</m>#2.3 The report ended .", "2.3"),
        ("这 是 他们 每年 都 要 参加 的 中国 G20 峰会 。", "这是他们每年都要参加的<m>中国</m>#1G20峰会。", "1G"),
        ("社長 3 月 に 来た 。", "<m>社長</m>#1\uff13月に来た。", None),
        ("Ann read chapter 3 today .", "Ann read [chapter](#e3) today .", None),
        ("[1](#n) said 30 men .", "<m>[1](#n)</m>#130 men .", None),
    ],
)
def test_an_id_that_ends_with_what_the_key_has_after_it_is_told(
    key: str, answer: str, label: str | None, tmp_path: Path
) -> None:
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [key.split()], "clusters": [[[0, 0]]]})
    )
    (tmp_path / "x.txt").write_text(answer)
    notices = corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.txt", "bcub").notices
    assert [notice.details["label"] for notice in notices if notice.code == "odd-label"] == ([label] if label else [])


def test_tags_in_the_key_are_told_once(tmp_path: Path) -> None:
    """Not for each piece; ids are not compared with the text then."""
    words = ["Ann", "said", "[1](#n)", "30", "times", "so", "."]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}))
    answers = ["[Ann](#1) said", "[[1](#n)](#130) times"]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps({"doc_key": "x", "answer": its}) + "\n" for its in answers))
    notices = corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.jsonl", "bcub").notices
    told = [its.details.get("id") for its in notices if its.code in ("tags-in-key", "odd-label")]
    assert told == ["n"]


@pytest.mark.parametrize("answer", ["[\u200b](#1)", "[\u200b](#1) b", "b [\u200b](#1)"])
def test_a_mention_without_characters_has_no_text_after_it(answer: str, tmp_path: Path) -> None:
    (tmp_path / "key.jsonl").write_text(
        '{"doc_key": "x", "sentences": [["a", "\u200b", "\u200b", "b"]], "clusters": []}'
    )
    (tmp_path / "x.txt").write_text(answer)
    assert corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.txt", "bcub")["bcub"].precision == 0


@pytest.mark.parametrize(
    ("ids", "told"),
    [
        ("1.1 2.1 2.2 1.2", True),
        ("1-NAM 2-NAM 1-PRO 2-PRO", True),
        ("m1:e1 m2:e2 m3:e1 m4:e2", True),
        ("PER-1 PER-2 LOC-1 LOC-2", False),
        ("3-NAME 3 4-NAME 4", True),
        ("3a 3b 4a 4b", True),
        ("3 3a 3b 4", False),
        ("d1.1 d1.2 d1.3 d1.1", False),
        ("new-york new-jersey old-town old-york", False),
        ("1 2 2 1", False),
    ],
)
def test_ids_with_more_than_the_entity_are_told(ids: str, told: bool, tmp_path: Path) -> None:
    """With the number of the mention in them no entity had two: 30.30 for 93.02."""
    words = [f"w{at}" for at in range(4)]
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [words], "clusters": [[[0, 0], [1, 1]]]})
    )
    (tmp_path / "x.txt").write_text(" ".join(f"[{word}](#{its})" for word, its in zip(words, ids.split(), strict=True)))
    notices = corefscore.score(tmp_path / "key.jsonl", tmp_path / "x.txt", "bcub").notices
    assert ["odd-label"] * told == [notice.code for notice in notices if notice.code == "odd-label"]


@pytest.mark.parametrize(
    ("before", "after"), [("", "[Everybody liked](#1) the end of all this ."), ("Nobody knew why .", "")]
)
def test_a_repeated_sentence_without_tags_does_not_take_the_place_of_the_tagged_one(
    before: str, after: str, tmp_path: Path
) -> None:
    """A model repeats its last sentence, or the text begins with one that the answer has twice."""
    text = "Nobody knew why . Ann saw a dog in the park and Bo ran away . Everybody liked the end of all this ."
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [text.split()], "clusters": []}))
    tagged = text.replace("Ann", "[Ann](#1)").replace("Everybody liked", "[Everybody liked](#1)")
    plain = after.replace("[", "").replace("](#1)", "")
    (tmp_path / "x.txt").write_text(f"{before} {tagged} {plain}")
    assert list(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt")) == [(4, 4), (16, 17)]


@pytest.mark.parametrize(
    ("key", "answer", "span"),
    [
        ('" Hamlet "', '["*Hamlet*"](#1)', (0, 2)),  # markup beside the signs of the mention
        ("AMALIA .", "[**AMALIA**.](#1)", (0, 1)),
        ("Jean - Luc", "[**Jean**-Luc](#1)", (0, 2)),
        ("Ann 's", "[**Ann's**](#1)", (0, 1)),
        ("FRANZ .", "[FRANZ:](#1)", (0, 1)),  # a sign for another one, a word, or a part of a word
        ("5 percent", "[5%](#1)", (0, 1)),
        ("James 's", "[James'](#1)", (0, 1)),
        ('" The Black Cat "', "[*The Black Cat*](#1)", (0, 4)),
        ("al Qaeda", "[al-Qaeda](#1)", (0, 1)),  # words joined by a sign
        ("a mother in law", "[a mother\u2013in/law](#1)", (0, 3)),
        ("Ann went", "[Ann!](#1)", (0, 0)),  # a sign for a word
        ("Sie , Herr ! Komm", "Sie; [**Herr**](#1)! Komm", (2, 2)),  # markup for other signs
        ("Sie , Herr ! Komm", "Sie, [**Herr**](#1) Komm", (2, 2)),
        ("in . My life", "in; [_My_](#1) life", (2, 2)),
        ("Mein Fehler , Ihre", "[Mein's](#1) [Ihre](#2)", (0, 0)),  # a part of a word for another word
        ("Ann .", "[Ann-like](#1).", (0, 0)),  # parts that the key does not have
        ("Ann Ghandi", "[Ann's](#1) [Kay](#2)", (0, 0)),
    ],
)
def test_words_are_divided_at_their_signs(key: str, answer: str, span: tuple[int, int], tmp_path: Path) -> None:
    """Each lost its sign, or a word: 82.99 for 100 on the first, 64.59 for 69.02 on GerDraCor with bold names."""
    begin, end = "Nobody in the old town has ever seen", "so often as on that day ."
    words = f"{begin} {key} {end}".split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}))
    (tmp_path / "x.txt").write_text(f"{begin} {answer} {end}")
    first = len(begin.split())
    assert next(iter(placed_spans(tmp_path / "key.jsonl", tmp_path / "x.txt"))) == (first + span[0], first + span[1])


@pytest.mark.parametrize("pieces", ["same", "overlap"])
@pytest.mark.parametrize(
    ("shared", "mentions"),
    [
        ("[She](#1) is a [[3](#9)-year-old](#8) girl.", 5),  # parts of one token of the key
        ("[She](#1) is [surely](#7) a 3-year-old girl.", 4),  # a word that the key does not have
        ("[She](#1) is a [very](#7) [very](#8) 3-year-old girl.", 5),
        ("[She](#1) is a [[very](#7) very](#8) 3-year-old girl.", 5),
        ("She is [surely](#1) a 3-year-old girl.", 3),  # the only mention that both have
        ("She is a 3-year-old girl. [Indeed](#1)", 3),  # the first answer ends with it
        ("[Indeed](#1) she is a 3-year-old girl.", 3),  # the second answer begins with it
    ],
)
def test_what_two_pieces_have_and_the_key_has_not_counts_once(
    pieces: str, shared: str, mentions: int, tmp_path: Path
) -> None:
    """It counted twice, and joined no entities: MUC 0 for 50 on the last."""
    text = "Ann came home . She is a 3-year-old girl . Nobody saw her ."
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [text.split()], "clusters": [[[0, 0], [4, 4], [12, 12]]]})
    )
    found = []
    for answers in (
        [f"[Ann](#1) came home.\n{shared}\nNobody saw [her](#1)."],
        [f"[Ann](#1) came home.\n{shared}", f"{shared}\nNobody saw [her](#1)."],
    ):
        lines = "".join(json.dumps({"doc_key": "x", "answer": answer}) + "\n" for answer in answers)
        (tmp_path / "answers.jsonl").write_text(lines)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc,bcub", pieces=pieces)
        found.append(result.to_dict()["total"])
    assert found[0] == found[1]
    assert found[0]["mentions"]["precision_denominator"] == mentions


@pytest.mark.parametrize("words", [("[very](#7) very", "very [very](#8)"), ("[sorry](#7)", "[sad](#8)")])
def test_other_words_in_two_pieces_are_two_mentions(words: tuple[str, str], tmp_path: Path) -> None:
    """The same word twice, or two that begin alike."""
    text, other = "Ann came home . She is a 3-year-old girl .", "Nobody saw her ."
    key = {"doc_key": "x", "sentences": [f"{text} {other}".split()], "clusters": [[[0, 0], [4, 4]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    answers = (
        f"Ann came home. She is a {words[0]} 3-year-old girl.",
        f"She is a {words[1]} 3-year-old girl. {other}",
    )
    lines = "".join(json.dumps({"doc_key": "x", "answer": answer}) + "\n" for answer in answers)
    (tmp_path / "answers.jsonl").write_text(lines)
    response = placed_on(tmp_path / "key.jsonl", tmp_path / "answers.jsonl").response
    assert (len(response.document), len({*response.start.tolist()})) == (2, 2)


def test_a_mention_without_words_in_the_key_stands_where_it_is_in_the_answer(tmp_path: Path) -> None:
    """It stood after the end: MUC by windows 100 for 53. MUC of distances took another mention for the first. Scores by
    windows, of kinds and by units are those against a key that has its words, without annotation. Words are added in
    the last window only, so that borders stay.
    """
    rng, size, half = random.Random(1), 17, 10
    result: dict[str, Any] = {}
    documents: dict[str, list[dict[str, Any]]] = {name: [] for name in ("key", "answer", "whole", "spans")}
    for number in range(20):
        words = [f"w{word}" for word in range(size)]
        added = {word: f"x{word}" * rng.randrange(1, 3) for word in rng.sample(range(half, size), 3)}
        place = {word: word + sum(other < word for other in added) for word in range(size)}
        entity = {word: rng.randrange(3) for word in rng.sample(range(size), 12)}
        clusters: list[list[list[list[int]]]] = [[[], [], [], []] for _ in range(3)]
        for word, its in entity.items():
            clusters[0][its].append([word, word])
            clusters[1][its].append([place[word], place[word]])
            clusters[2][rng.randrange(3 + (word >= half))].append([place[word], place[word]])
        for word in added:
            clusters[2][rng.randrange(4)].append([place[word] + 1, place[word] + 1])
        clusters = [list(filter(None, entities)) for entities in clusters]
        every = list(chain(*([word, added[at]] if at in added else [word] for at, word in enumerate(words))))
        response = {start: its for its, spans in enumerate(clusters[2]) for start, _ in spans}
        answer = (f"[{word}](#{response[at]})" if at in response else word for at, word in enumerate(every))
        name: dict[str, Any] = {"doc_key": f"d{number}"}
        parts = {"topic": ["one", "two"]}
        documents["key"].append(name | parts | {"sentences": [words[:half], words[half:]], "clusters": clusters[0]})
        documents["whole"].append(name | parts | {"sentences": [every[:half], every[half:]], "clusters": clusters[1]})
        documents["spans"].append(name | {"sentences": [every[:half], every[half:]], "clusters": clusters[2]})
        documents["answer"].append(name | {"answer": " ".join(answer)})
    for side, of_file in documents.items():
        (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(document) + "\n" for document in of_file))
    for key, answered in (("key", "answer"), ("whole", "spans")):
        paths = tmp_path / f"{key}.jsonl", tmp_path / f"{answered}.jsonl"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = [corefscore.score(*paths, window=half), corefscore.score(*paths, of="distance")]
            both = corefscore.compare(paths[0], {"a": paths[1], "b": paths[0]}, "muc,bcub", unit="field:topic")
        dicts = [*(its.to_dict() for its in scores), both.to_dict()]
        fields = ("total", "documents", "kinds", "tests", "systems", "pairs")
        found = [{field: its[field] for field in fields if field in its} for its in dicts]
        text = json.dumps(found)
        result[key] = json.loads(text, parse_float=lambda number: round(float(number), 9))
    for ours, theirs in zip(*result.values(), strict=True):
        assert ours == theirs


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_an_invented_mention_crosses_no_border(tmp_path: Path) -> None:
    """Neither of windows nor of units, though it has tokens after the end."""
    key = {"doc_key": "x", "sentences": [["Ann", "saw", "Bob"], ["she", "left", "him"]], "topic": ["one", "two"]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key | {"clusters": [[[0, 0], [2, 2]], [[3, 3], [5, 5]]]}))
    (tmp_path / "x.txt").write_text("[Oh](#1) [Ann](#1) [just now then](#1) saw [Bob](#1) [she](#2) left him")
    paths = tmp_path / "key.jsonl", tmp_path / "x.txt"
    scored = corefscore.score(*paths, "muc", window=3).to_dict()
    compared = corefscore.compare(paths[0], {"a": paths[1], "b": paths[0]}, "muc", unit="field:topic").to_dict()
    codes = {notice["code"] for notice in (*scored["notices"], *compared["notices"])}
    assert "low-fidelity" in codes
    assert codes.isdisjoint(("crosses-window", "crosses-unit"))
    assert scored["documents"]["x [0, 3)"]["mentions"]["precision_denominator"] == 4


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize(
    ("key", "answer", "spans"),
    [
        (
            "\u4ed6 \u4f4f \u5728 \u7f8e\u4e3d \u7684 \u5317\u4eac \u3002",
            "\u4ed6 \u4f4f \u5728 [\u5317\u4eac](#2) \u3002",
            [(5, 5)],
        ),
        ("\u4e2d\u56fd 3 \u6708 \u4e3e\u529e \u4f1a\u8bae", "[\u4e2d\u56fd](#1) \u6708 \u4e3e\u529e", [(0, 0)]),
    ],
)
def test_words_of_several_characters_without_white_space_are_left_out(
    key: str, answer: str, spans: Sequence[tuple[int, int]], blank: str, tmp_path: Path
) -> None:
    """The mention beside them took in a word of the key (CoNLL 70.56 for 100)."""
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [key.split()], "clusters": []}))
    (tmp_path / "x.txt").write_text(answer.replace(" ", blank), encoding="utf-8")
    response = placed_on(tmp_path / "key.jsonl", tmp_path / "x.txt").response
    assert sorted(spans_of(response).elements()) == spans


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_words_of_tokens_replace_whole_words(tmp_path: Path) -> None:
    """Not character by character, as text does that has no words: 3 to 4 times as many mentions were lost."""
    for name, word in (("key", "\u60f3\u52a8"), ("response", "\u52a8\u751f")):
        words = ["\u7406\u5927", "\u7406\u60f3", word, "\u52a8\u7406"]
        text = json.dumps({"doc_key": "x", "sentences": [words], "clusters": [[[1, 1]]]})
        (tmp_path / f"{name}.jsonl").write_text(text)
    result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "response.jsonl", "bcub", align=True)
    assert result["bcub"].f1 == 1


@pytest.mark.parametrize(
    ("answers", "apart"),
    [(("[a](#1) b", "[c](#01) d"), 0), (("[a](#1) [b](#01)", "[c](#2) d"), 1)],  # in two pieces, and in one
)
def test_ids_of_several_pieces_are_compared(answers: Sequence[str], apart: int, tmp_path: Path) -> None:
    """With `--pieces same`, the ids `01` and `1` of two pieces are two entities. One notice says so."""
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [["a", "b", "c", "d"]], "clusters": []})
    )
    lines = (json.dumps({"doc_key": "x", "answer": answer}) + "\n" for answer in answers)
    (tmp_path / "answers.jsonl").write_text("".join(lines))
    found = {}
    for pieces in ("same", "apart"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces=pieces)
        found[pieces] = [notice["text"] for notice in result.to_dict()["notices"] if notice["code"] == "alike-ids"]
    assert (len(found["same"]), len(found["apart"])) == (1, apart)


_MOVED = "then the old captain walked slowly along the harbour wall"


@pytest.mark.parametrize(
    ("key", "answers", "stands"),
    [
        ("Ann saw Bob", ["[Oh](#1) Ann saw Bob"], [-1]),
        ("Ann saw Bob", ["Ann [just](#1) saw Bob"], [1]),
        ("Ann saw Bob", ["Ann saw Bob [Bye](#1)"], [5]),
        ("Ann saw Bob", ["[[Ann](#1) Wow](#1) saw Bob"], [0, 0]),  # it begins with the word of the other
        ("Ann saw Bob", ["Ann saw Bob", "[Totally](#1) [different](#2)"], [5, 5]),  # after the piece before it
        ("Ann saw Bob", ["Ann [just](#1) saw", "[just](#1) saw Bob"], [1]),
        (f"Ann saw Bob . {_MOVED}", [f"{_MOVED.replace('walked', 'walked [just](#1)')} Ann saw Bob ."], [17]),
        ("", ["[Oh](#1) [no](#2)"], [-1, -1]),
    ],
)
def test_where_a_mention_stands_that_the_key_does_not_have(
    key: str, answers: Sequence[str], stands: Sequence[int], tmp_path: Path
) -> None:
    """In half tokens of the key."""
    documents = [{"doc_key": "x", "sentences": [key.split()], "clusters": []}]
    documents.append({"doc_key": "y", "sentences": [["Ann"]], "clusters": []})
    (tmp_path / "key.jsonl").write_text("".join(json.dumps(document) + "\n" for document in documents))
    lines = "".join(json.dumps({"doc_key": "x", "answer": answer}) + "\n" for answer in answers)
    (tmp_path / "answers.jsonl").write_text(lines)
    response = placed_on(tmp_path / "key.jsonl", tmp_path / "answers.jsonl").response
    assert response.stands is not None
    assert response.stands.tolist() == list(stands)


def test_a_piece_whose_words_are_apart_is_aligned_alone(tmp_path: Path) -> None:
    """All its characters are equal where the pieces are aligned as one text, too, but with more gaps."""
    said = {
        "a": "and went man .",
        "b": "saw the home .",
        "c": "dog old went .",
        "d": "home he he .",
        "e": "and old again dog man .",
    }
    words = " ".join(map(said.__getitem__, "abcdadbebaadae")).split()
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": []}))
    pieces = (" ".join(f"[{words[at]}](#{at})" for at in range(*window)) for window in ((0, 14), (22, 60)))
    lines = "".join(json.dumps({"doc_key": "x", "answer": piece}) + "\n" for piece in pieces)
    (tmp_path / "answers.jsonl").write_text(lines)
    response = placed_on(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", pieces="same").response
    names = response.names_of(response.entity.tolist())
    assert sum(int(name) == start for name, start in zip(names, response.start.tolist(), strict=True)) == 52


def test_a_sign_that_replaces_the_word_of_another_piece_is_inserted(tmp_path: Path) -> None:
    key, answers = (
        ", ? ? ? the the . Ann .",
        ["[the.](#1) ? z ? Ann", ", ? ? ? the the . Ann ."],
    )
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [key.split()], "clusters": []}))
    (tmp_path / "x.jsonl").write_text("".join(json.dumps({"doc_key": "x", "answer": its}) + "\n" for its in answers))
    assert placed_on(tmp_path / "key.jsonl", tmp_path / "x.jsonl").fidelity.total["inserted"] == 2


def test_words_keep_their_characters() -> None:
    found = characters(["Ann", "", "a\nb", "''"], unseen=False)
    assert (bytes(found.code.tolist()), found.token.tolist()) == (b'annab"', [0, 0, 0, 2, 2, 3])
    assert found.first.tolist() == [0, 3, 3, 5, 6]


LETTERS = st.lists(st.sampled_from("abc"), max_size=40).map("".join)


@given(LETTERS, LETTERS, st.integers(1, 30))
def test_grams_are_equal_where_text_is(one: str, other: str, size: int) -> None:
    texts = [characters(list(text)).code for text in (one, other)]
    if min(map(len, texts)) < size:
        return
    numbers = [grams(text, size).tolist() for text in texts]
    for at, number in enumerate(numbers[0]):
        for there, its in enumerate(numbers[1]):
            assert (number == its) == (one[at : at + size] == other[there : there + size])


@given(LETTERS, LETTERS, st.integers(1, 6), st.data())
def test_where_a_text_has_stretches(one: str, other: str, size: int, data: st.DataObject) -> None:
    """Looked up in all of it, and between two places."""
    if min(len(one), len(other)) < size:
        return
    code, values = characters(list(one)).code, np.unique(grams(characters(list(other)).code, size))
    start = data.draw(st.integers(0, len(one) - size))
    stop = data.draw(st.integers(start, len(one) - size + 1))
    numbers = grams(code, size).tolist()
    which, places = alignment._Grams(code, size).occurrences(values, start, stop)
    expected = [
        (index, at) for index, value in enumerate(values.tolist()) for at in range(start, stop) if numbers[at] == value
    ]
    assert list(zip(which.tolist(), places.tolist(), strict=True)) == expected


@given(LETTERS, LETTERS)
def test_a_common_beginning(one: str, other: str) -> None:
    expected = next((at for at, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]), None)
    texts = [characters(list(text)).code for text in (one, other)]
    assert alignment._common_prefix(*texts) == (min(len(one), len(other)) if expected is None else expected)


WORDS = st.lists(st.text("abcdefgh .[](){}|#1éß中", max_size=6), max_size=60)


@given(WORDS, WORDS)
@settings(max_examples=200)
def test_what_is_equal_is_equal_and_stands_in_order(key: list[str], response: list[str]) -> None:
    of_key, of_response = characters(key), characters(response)
    found = align(Key(of_key), of_response)
    equal = found.state == EQUAL
    places = found.key[equal]
    assert (of_key.code[places] == of_response.code[equal]).all()
    assert (places[1:] > places[:-1]).all()
    assert found.key.max(initial=-1) < len(of_key.code)
    if of_key.code.tolist() == of_response.code.tolist():
        assert equal.all()


@given(WORDS, st.lists(st.text("abcdefgh", min_size=3, max_size=6), min_size=20, max_size=60), st.integers(0, 60))
@settings(max_examples=100)
def test_one_key_aligns_each_response_as_if_it_were_the_first(other: list[str], key: list[str], at: int) -> None:
    """A response that moves a long stretch marks it in the key until its own search ends."""
    of_key, moved = characters(key), characters([*key[at:], *other, *key[:at]])
    once = Key(of_key)
    for response in (moved, characters(other), moved):
        again, fresh = align(once, response), align(Key(of_key), response)
        assert (again.key == fresh.key).all()
        assert (again.state == fresh.state).all()


def garbled(
    words: Sequence[str], its: Mentions, rate: float, chance: random.Random, others: Sequence[str]
) -> tuple[str, Counter[tuple[int, int]]]:
    """A document with words deleted, replaced and inserted, in the notation `words`; and where its mentions belong: to
    what is left of them."""
    out: list[tuple[str, int]] = []
    for at, word in enumerate(words):
        what = chance.random() * 3 / rate
        if what < 1:
            continue
        if what < 3:
            out.append((chance.choice(others), at if what < 2 else -1))
        if what >= 2:
            out.append((word, at))
    return marked(out, its)


def scored_against_truth(path: Path, rate: float, folder: Path) -> tuple[int, int, int]:
    """How many mentions came to the right place, how many there are, and how many were made of them."""
    key, words, its = words_and_mentions(path)
    words = [["".join(word.split()).replace("|", "/").replace("##", "//") for word in each] for each in words]
    others = list(chain(*words[:5]))
    chance = random.Random(3)
    lines, truth = zip(*(garbled(*each, rate, chance, others) for each in zip(words, its, strict=True)), strict=True)
    (folder / "answer.txt").write_text("\n".join(lines) + "\n")
    reading = Reading(input_format="tagged", tags="words")
    response = placed([key], list(read(str(folder / "answer.txt"), [], reading, side=None)), reading, []).response
    found: list[Counter[tuple[int, int]]] = [Counter() for _ in key.names]
    of = response.document[response.entity].tolist()
    for document, start, end in zip(of, response.start.tolist(), response.end.tolist(), strict=True):
        found[document][start, end] += 1
    right = sum((ours & theirs).total() for ours, theirs in zip(found, truth, strict=True))
    return right, sum(each.total() for each in truth), sum(each.total() for each in found)


@pytest.mark.parametrize(("rate", "least"), [(0.02, 0.98), (0.05, 0.98), (0.3, 0.9)])
def test_mentions_of_an_unfaithful_answer_come_to_what_is_left_of_them(
    rate: float, least: float, tmp_path: Path
) -> None:
    right, there, made = scored_against_truth(TESTDATA / "systems" / "key.conll", rate, tmp_path)
    assert made == there, "an alignment invents no mention and loses none"
    assert right >= least * there


REAL = [EXCERPTS, pytest.param(CORPORA, marks=(pytest.mark.slow, WHOLE_CORPORA))]


@pytest.mark.parametrize("corpora", REAL)
@pytest.mark.parametrize(("corpus", "least"), [("litbank", 0.998), ("openboek", 0.998), ("gerdracor", 0.998)])
def test_the_same_of_real_texts(corpora: Path, corpus: str, least: float, tmp_path: Path) -> None:
    right, there, made = scored_against_truth(corpora / corpus / "key.conll", 0.05, tmp_path)
    assert made == there
    assert there - right <= max((1 - least) * there, 2), "two of an excerpt are more than two in a thousand"


def test_names_that_files_have() -> None:
    names = ["(bn/a); part 000", "(bn/b); part 000", "(bn/b); part 001", "(nw/b); part 000", "x y"]
    found = other_names(names)
    assert {name: found[name] for name in ("bn_a_0", "a_0", "a", "bn_a", "bn_b_001", "nw_b", "x_y")} == {
        "bn_a_0": 0,
        "a_0": 0,
        "a": 0,
        "bn_a": 0,
        "bn_b_001": 2,
        "nw_b": 3,
        "x_y": 4,
    }
    assert not {"b", "bn_b", "b_0"} & found.keys()


@pytest.mark.parametrize(
    ("way", "f1", "entities"),
    # The first piece says that She is Ann, the second that she is her. An id that is there twice gets a number.
    [
        ("overlap", 1, {"1": [0, 4, 10], "2": [2], "1.2": [6, 8]}),
        ("apart", 0.8, {"1": [0, 4], "2": [2], "1.2": [6, 8], "2.2": [10]}),
        ("same", 4 / 7, {"1": [0, 4, 6, 8], "2": [2, 10]}),
    ],
)
def test_ids_of_pieces(way: str, f1: float, entities: dict[str, list[int]], tmp_path: Path) -> None:
    key: dict[str, object] = {
        "doc_key": "x",
        "sentences": [["Ann", "saw", "Bo", ".", "She", "fed", "it", ".", "It", "liked", "her", "."]],
    }
    key["clusters"] = [[[0, 0], [4, 4], [10, 10]], [[2, 2]], [[6, 6], [8, 8]]]
    (tmp_path / "key.jsonl").write_text(json.dumps(key) + "\n")
    pieces = ["[Ann](#1) saw [Bo](#2). [She](#1) fed", "[She](#2) fed [it](#1). [It](#1) liked [her](#2)."]
    lines = [json.dumps({"doc_key": "x", "answer": piece}) for piece in pieces]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    with pytest.warns(corefscore.ScorerWarning, match="joined-pieces"):
        result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces=way)
    assert result.fidelity is not None
    assert ratio(result.fidelity.total) == 1
    assert result.mentions.f1 == 1
    assert result["muc"].f1 == pytest.approx(f1)
    response = placed_on(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", pieces=way).response
    found: dict[str, list[int]] = defaultdict(list)
    for name, start in zip(response.names_of(response.entity.tolist()), response.start.tolist(), strict=True):
        found[name].append(start)
    assert found == entities, "what two pieces have is there once"


@pytest.mark.parametrize(
    ("pieces", "inserted", "changed"),
    [
        (["[Ann](#1) saw the old house .", "[She](#1) left it ."], 0, 0),
        (["[Ann](#1) saw the old house . So far : [Ann](#1)", "[She](#1) left it ."], 4, 0),
        (["[Ann](#1) saw the old house .", "This goes on : [She](#1) left it ."], 4, 0),
        (["[Ann](#1) saw the old house .", "So [Bo](#1) left it ."], 1, 0),  # So stands for She
        (["[Ann](#1) saw the old house .", "[Bo](#1) left it ."], 0, 1),  # where no piece has She
    ],
)
def test_words_that_stand_where_another_piece_has_those_of_the_key_are_inserted(
    pieces: list[str], inserted: int, changed: int, tmp_path: Path
) -> None:
    """They replaced words that were kept elsewhere, and so counted nowhere."""
    words = ["Ann", "saw", "the", "old", "house", ".", "She", "left", "it", "."]
    documents = ({"doc_key": name, "sentences": [words], "clusters": [[[0, 0], [6, 6]], [[2, 4]]]} for name in "xy")
    (tmp_path / "key.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    answers = "\n".join(json.dumps({"doc_key": "x", "answer": piece}) for piece in pieces)
    (tmp_path / "answers.jsonl").write_text(answers)
    with pytest.warns(corefscore.ScorerWarning):
        fidelity = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces="same").fidelity
    assert fidelity is not None
    found = fidelity.of(0)
    assert (found["inserted"], found["mentions_changed"], found["mentions_deleted"]) == (inserted, changed, 0)
    lost = fidelity.of(1)
    assert (lost["deleted"], lost["mentions_deleted"]) == (10, 3), "it has no answer"


def test_pieces_of_lists_have_no_ids_to_be_joined_by(tmp_path: Path) -> None:
    """Entities at the same place of two lists were joined. CoNLL has ids, even if they are places."""
    lists = '{"doc_key": "x", "sentences": [["Ann", "saw", "Bo"]], "clusters": [[[0, 0]], [[2, 2]]]}\n'
    (tmp_path / "key").write_text(lists)
    (tmp_path / "lists").write_text(lists + lists)
    with pytest.raises(corefscore.UsageError, match="have no ids"):
        corefscore.score(tmp_path / "key", tmp_path / "lists", "muc", align=True, pieces="same")
    text = "#begin document x\nx 0 0 Ann NN (0)\nx 0 1 saw NN -\nx 0 2 Bo NN (1)\n\n#end document\n"
    (tmp_path / "ids").write_text(text + text)
    with pytest.warns(corefscore.ScorerWarning, match="joined-pieces"):
        corefscore.score(tmp_path / "key", tmp_path / "ids", "muc", align=True, pieces="same")


@pytest.mark.parametrize("rate", [1e-9, 0.05, 0.4])
def test_mentions_that_count_characters_are_found_as_those_of_tagged_text(rate: float, tmp_path: Path) -> None:
    """One garbled text in both forms: the same scores, the same fidelity."""
    path, chance = TESTDATA / "recorded" / "documents-0051" / "key.conll", random.Random(5)
    key, words, its = words_and_mentions(path)
    tagged, characters_ = [], []
    for name, mine, mentions_of_it in zip(key.names, words, its, strict=True):
        answer, _ = garbled(mine, mentions_of_it, rate, chance, list(chain(*words)))
        its_words, its_mentions, *_ = untagged(answer, find("words"))
        tagged.append(json.dumps({"doc_key": name, "answer": answer}) + "\n")
        characters_.append(as_characters(name, its_words, [(*mention,) for mention in its_mentions]))
    (tmp_path / "tagged").write_text("".join(tagged))
    (tmp_path / "characters").write_text("".join(characters_))
    one = corefscore.score(path, tmp_path / "tagged", "conll", tags="words")
    other = corefscore.score(path, tmp_path / "characters", "conll", align=True)
    assert one.fidelity is not None
    assert other.fidelity is not None
    for column in FIELDS:
        if column != "tags_crossing":
            assert other.fidelity.total[column] == one.fidelity.total[column], column
    assert other.conll == one.conll
    assert one.conll > 0
    assert (ratio(one.fidelity.total) == 1) == (rate < 1e-3)


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [
        (("a1b", "read", True), ("a2b", "read", True), 3 * 10**9 - 999 - 1000),
        (("abcdefgh", "read", True), ("abcdefghijkl", "read", True), 3 * 10**9 - 399 - 200 - 1000),
        (("went", "read", True), ("s", "read", False), 3 * 10**9 - 75 + 500),  # more than to leave out both
        (("percent", "read", True), ("%", "read", False), 3 * 10**9 - 42),
        ((".", "between", True), (":", "between", False), 3 * 10**9 - 300),
        ((",", "between", True), ("*", "around", False), 6 * 10**9),
        (("went", "read", True), ("!", "between", True), 6 * 10**9),
        (("!", "between", True), ("went", "read", True), 3 * 10**9 - 75 - 1000),
        (("*", "around", True), ("*", "around", False), -500),
        (("went", "read", True), ("went", "read", True), -(10**6)),  # more than all that likeness can be
    ],
)
def test_what_it_costs_to_pair_parts_of_words(
    one: tuple[str, str, bool], other: tuple[str, str, bool], cost: int
) -> None:
    """By their kinds, their first and last characters, and their lengths."""
    assert [alignment._kind(text) for text, *_ in (one, other)] == [one[1], other[1]]
    assert alignment._pairing(one, other) == cost


def test_zeros_in_the_next_gap_are_at_the_edge_of_a_mention() -> None:
    """Word 4 is a zero before word 5; of the mentions that end at words 2 and 3, only the second one reaches it."""
    key: Any = SimpleNamespace(overt_before=np.array([0, 1, 2, 3, 4, 4]))
    placed = np.array([2, 3]), np.array([2, 3]), np.array([0, 0])
    with_zeros((np.array([0, 0]), np.array([9, 9])), placed, {5: 4}, key)
    assert [column.tolist() for column in placed[:2]] == [[2, 3], [2, 4]]


@pytest.mark.parametrize("changed", [1, 7, 40])
def test_a_long_text_is_found_in_time_that_grows_with_its_length(changed: int) -> None:
    """Every so many words one is another; 100,000 words, all text of one sort."""
    chance = random.Random(1)
    words = [
        f"{chance.choice('bcdfgklmnprst')}{chance.choice('aeiou')}{chance.choice('lmnrst')}" for _ in range(20_000)
    ]
    other = [word if at % changed else chance.choice(words) for at, word in enumerate(words)]
    key, response = characters(words), characters(other)
    before = process_time()
    align(Key(key), response)
    assert process_time() - before < 20


def test_pieces_tell_by_their_order_which_of_equal_sentences_they_have(tmp_path: Path) -> None:
    """Each was aligned alone, so both were the second one (CoNLL 88 for 100 on a text of ten sentences)."""
    said, answers, clusters, at = [], [], [], 0
    for number in range(30):
        sentences = ["He smiled .", f"Then number{number} and number{number + 1} laughed ."]
        said += [sentence.split() for sentence in sentences]
        answers += [
            f"[He](#{number % 3}) smiled .",
            f"Then [number{number}](#{number % 3}) and number{number + 1} laughed .",
        ]
        clusters.append([[at, at], [at + 4, at + 4]])
        at += 9
    clusters = [list(chain(*clusters[first::3])) for first in range(3)]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": said, "clusters": clusters}))
    lines = "\n".join(json.dumps({"doc_key": "x", "answer": answer}) for answer in answers)
    (tmp_path / "answers.jsonl").write_text(lines)
    (tmp_path / "folder").mkdir()
    for at, answer in enumerate(answers):  # by their first numbers, whatever the last ones
        (tmp_path / "folder" / f"x.{at}-{9 - at % 9}.txt").write_text(answer)
    for response in ("answers.jsonl", "folder"):
        with pytest.warns(corefscore.ScorerWarning):
            result = corefscore.score(tmp_path / "key.jsonl", tmp_path / response, "conll", pieces="same")
        assert result.conll == 1, response


@pytest.mark.parametrize(
    ("answers", "f1"),
    [
        (["[Ann](#1) met [Bo](#2) and thanked [him](#2) .", "[They](#3) went home ."], 0.8),  # the second is missing
        (["[Ann](#1) met [Bo](#2) and thanked [him](#2) .", "I am sorry .", "[They](#3) went home ."], 0.8),
        (
            [
                "[Ann](#1)",
                "met",
                "[Bo](#2)",
                "and thanked",
                "[him](#2)",
                ". Then Cy greeted [him](#4) .",
                "[They](#3) went",
            ],
            1,
        ),
        (["[They](#3) went home .", "[Ann](#1) met [Bo](#2) and thanked [him](#2) ."], 0.8),  # in another order
        (["[Ann](#1) met [Bo](#2)", "and thanked [him](#2) . Then Cy greeted", "Then Cy greeted [him](#4) ."], 0.8),
        (["Then Cy greeted [him](#4) . [They](#3) went home .", "[They](#3) went home ."], 0.4),  # they overlap
    ],
)
def test_a_piece_that_fits_better_alone_is_aligned_alone(answers: list[str], f1: float, tmp_path: Path) -> None:
    """If a window lacked, the end of the one before it was moved to its end, since both end alike."""
    words = [
        "Ann",
        "met",
        "Bo",
        "and",
        "thanked",
        "him",
        ".",
        "Then",
        "Cy",
        "greeted",
        "him",
        ".",
        "They",
        "went",
        "home",
        ".",
    ]
    clusters = [[[0, 0]], [[2, 2], [5, 5]], [[10, 10]], [[12, 12]]]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": clusters}))
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"doc_key": "x", "answer": its}) for its in answers))
    result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces="same")
    assert result["mentions"].recall == pytest.approx(f1)
    assert result["mentions"].precision == 1
    assert result["muc"].precision_counts.numerator == result["muc"].precision_counts.denominator


@pytest.mark.parametrize(
    ("words", "clusters", "response", "f1"),
    [
        # Both sides have words without characters, so these are compared.
        (["Ann", "", "saw", "her", "."], [[[0, 1], [3, 3]]], [[[0, 1], [3, 3]]], 1),
        (["Ann", "", "saw", "her", "."], [[[0, 0], [3, 3]]], [[[0, 1], [3, 3]]], 0.5),
        # Only the key has them.
        (["Ann", "", "saw", "her", "."], [[[0, 1], [3, 3]]], "[Ann](#1) saw [her](#1) .", 1),
        (["", "Ann", "\u200b", "saw", "her", "."], [[[0, 2], [4, 4]]], "[Ann](#1) saw [her](#1) .", 1),
        (["Ann", "", "saw", "her", "."], [[[0, 0], [0, 1], [3, 3]]], "[Ann](#1) saw [her](#1) .", 0.8),
        (["Ann", "", "saw", "her", "."], [[[0, 3], [3, 3]]], "[Ann](#1) saw [her](#1) .", 0.5),
        (["Ann", "saw", "her", ""], [[[0, 0], [3, 3]]], "[Ann](#1) saw [her](#1)", 0.5),
        # A few of the answer are no sign that it has them all.
        (["Ann", "", "saw", "", "her", ""], [[[0, 1], [4, 5]]], "[Ann](#1) saw [her](#1) \u200b", 1),
        (["Ann", "saw", "her"], [[[0, 0], [2, 2]]], "[Ann](#1) \u200b saw [her](#1)", 1),
        (["Ann", "", "saw", "her", ""], [[[0, 1], [3, 4]]], "[Ann \u200b](#1) saw [her](#1)", 0.5),  # half of them
    ],
)
def test_words_without_characters(
    words: list[str], clusters: list[Any], response: str | list[Any], f1: float, tmp_path: Path
) -> None:
    """A mention that such a word begins or ends was lost: a file scored 54 against itself."""
    given = {"sentences": [words], "clusters": response} if isinstance(response, list) else {"answer": response}
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": clusters}))
    (tmp_path / "response.jsonl").write_text(json.dumps({"doc_key": "x", **given}))
    result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "response.jsonl", "lea", align=True)
    assert result["mentions"].f1 == pytest.approx(f1)


def test_words_without_characters_are_added_only_where_no_mention_is(tmp_path: Path) -> None:
    """The key has both Ann and Ann with such a word, in different entities."""
    words, clusters = ["Ann", "", "saw", "her", "."], [[[0, 0], [3, 3]], [[0, 1]]]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": [words], "clusters": clusters}))
    (tmp_path / "answer.jsonl").write_text(json.dumps({"doc_key": "x", "answer": "[Ann](#1) saw [her](#1) ."}))
    assert corefscore.score(tmp_path / "key.jsonl", tmp_path / "answer.jsonl", "muc")["muc"].f1 == 1


@pytest.mark.parametrize("pieces", ["overlap", "same"])
def test_a_window_that_ends_like_the_text_is_where_it_is(pieces: str, tmp_path: Path) -> None:
    """The first of three windows that overlap by two sentences ends with the last sentence of the document: 72 for 100.
    So does an answer that ends early."""
    sentences = [
        "Ann met Bob at the old station .",
        "Then they had lunch in town .",
        "Her brother paid for all of it .",
        "She thanked him for the lovely present .",
        "Carol saw Dave in the garden .",
        "It was raining the whole day .",
        "His sister sent them some roses .",
        "She thanked him for the lovely present .",
    ]
    tagged = [
        "[Ann](#1) met [Bob](#2) at the old station .",
        sentences[1],
        "[Her](#1) brother paid for all of it .",
        "[She](#1) thanked [him](#2) for the lovely present .",
        "[Carol](#3) saw [Dave](#4) in the garden .",
        sentences[5],
        "[His](#4) sister sent them some roses .",
        "[She](#3) thanked [him](#4) for the lovely present .",
    ]
    clusters = [[[0, 0], [15, 15], [23, 23]], [[2, 2], [25, 25]], [[31, 31], [52, 52]], [[33, 33], [45, 45], [54, 54]]]
    key = {"doc_key": "x", "sentences": [its.split() for its in sentences], "clusters": clusters}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    windows = [" ".join(tagged[first : first + 4]) for first in (0, 2, 4)]
    for answers, f1 in ((windows, 1), (windows[:1], 10 / 15)):
        lines = "\n".join(json.dumps({"doc_key": "x", "answer": answer}) for answer in answers)
        (tmp_path / "answers.jsonl").write_text(lines)
        result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "conll", pieces=pieces)
        assert result["mentions"].f1 == pytest.approx(f1)
        assert result["mentions"].precision == result["muc"].precision == 1


@pytest.mark.parametrize(
    ("text", "answer", "told"),
    [
        ("Ann likes Bo a lot .", "[Ann](#1) likes [Bo] a lot .", 1),
        ("Ann likes Bo a lot .", "[Ann](#1) likes [Bo]() a [lot] .", 2),
        ("Ann likes Bo a lot .", "<m>Ann</m>#1 likes [Bo](1) a lot .", 1),
        ("Ann likes Bo a lot .", "<m>Ann</m>#1 likes {2: Bo} a lot .", 1),
        ("Ann likes Bo [ a ] lot .", "[Ann](#1) likes [Bo](#2) [ a ] lot .", 0),
        ("Ann likes Bo [ a ] lot .", "[Ann](#1) likes [Bo [ a](#2) ] lot .", 1),  # paired with that of the text
        ("Ann likes Bo < a > lot .", "<m>Ann</m>#1 likes Bo < a > lot .", 0),
        ("Ann likes Bo a lot .", "<m>Ann</m>#1 likes <b>Bo</b> a lot .", 1),
        ("Ann likes Bo a lot .", "[Ann](#1) likes [[Bo]] a lot .", 1),
        ("Ann likes Bo a lot .", "[Ann](#1) [likes](1) [Bo] a lot .", 1),  # only what is nearly a tag
        ("Ann likes Bo a lot .", "<text> [Ann](#1) likes Bo a lot .", 0),  # before the text
        ("Ann likes Bo [ a ] lot .", "[Ann](#1) likes Jo.[a] lot .", 0),  # that of the text, beside another word
    ],
)
def test_tags_that_are_read_as_text_are_told(text: str, answer: str, told: int, tmp_path: Path) -> None:
    """Without an id, of another notation, or paired with a bracket of the text: nothing was said of a few."""
    more = "and so the story went on and on for many days ."
    key = {"doc_key": "x", "sentences": [text.split(), *[more.split()] * 9], "clusters": [[[0, 0]], [[2, 2]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    (tmp_path / "answer.jsonl").write_text(json.dumps({"doc_key": "x", "answer": " ".join([answer, *[more] * 9])}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answer.jsonl", "muc")
    assert result.fidelity is not None
    assert result.fidelity.of(0)["tags_unknown"] == told
    assert [notice.code for notice in result.notices] == ["unknown-tags"] * bool(told)


def test_a_bracket_in_a_later_piece_is_told(tmp_path: Path) -> None:
    key = {"doc_key": "x", "sentences": [["Ann", "likes", "Bo", "a", "lot", "."]] * 2, "clusters": [[[0, 0], [6, 6]]]}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    answers = ["[Ann](#1) likes Bo a lot .", "[Ann](#1) likes [Bo] a lot ."]
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"doc_key": "x", "answer": its}) for its in answers))
    with pytest.warns(corefscore.ScorerWarning, match="answers.jsonl:2: notice.unknown-tags"):
        corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc")


@pytest.mark.parametrize(
    ("key", "response", "start", "first"),
    [
        ("She smiled . Then he smiled .", "He smiled .", 0, 14),  # not within She
        ("Ann smiled . Bo and Ann smile", "Ann smile", 0, 15),  # not the beginning of smiled
        ("He left . Ann came . He left .", "He left .", 0, 0),
        ("He left . Ann came . He left .", "He left .", 3, 15),
        ("He left . Ann came . He left .", "He left .", 16, 0),  # none is after it
        ("Ann left .", ".", None, -1),  # no letter or digit
    ],
)
def test_a_text_that_the_key_has_as_a_whole_is_there(key: str, response: str, start: int | None, first: int) -> None:
    assert align(Key(characters(key.split())), characters(response.split()), start).key[0] == first


@pytest.mark.parametrize(
    ("answers", "f1", "inserted"),
    [
        # Windows that overlap: the second one is not at the beginning, before the first.
        (["[Ann](#1) left . [He](#1) smiled to her . Bo came .", "[He](#1) smiled to her ."], 1, 0),
        # One was changed, and the one after it is missing; both end alike.
        (["He smiled to her . [Ann](#1) departed .", "Bo came ."], 2 / 3, 0),
        (["He smiled to her . [Ann](#1) left .", "I am sorry .", "Bo came ."], 2 / 3, 4),
    ],
)
def test_pieces_beside_what_is_missing_or_repeated(
    answers: list[str], f1: float, inserted: int, tmp_path: Path
) -> None:
    words = [
        *["He", "smiled", "to", "her", ".", "Ann", "left", "."],
        *["He", "smiled", "to", "her", ".", "Bo", "came", "."],
    ]
    (tmp_path / "key.jsonl").write_text(
        json.dumps({"doc_key": "x", "sentences": [words], "clusters": [[[5, 5], [8, 8]]]})
    )
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"doc_key": "x", "answer": its}) for its in answers))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces="same")
    assert result.fidelity is not None
    assert result["mentions"].f1 == pytest.approx(f1)
    assert result.fidelity.of(0)["inserted"] == inserted


def test_a_piece_of_signs_alone_is_found(tmp_path: Path) -> None:
    key = {
        "doc_key": "x",
        "sentences": [[*["Ann", "left", "...", "!", "Bo", "came", "."]]],
        "clusters": [[[0, 0], [2, 2]]],
    }
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    answers = ["[Ann](#1) left", "[...](#1) !", "Bo came ."]
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"doc_key": "x", "answer": its}) for its in answers))
    assert corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "muc", pieces="same")["muc"].f1 == 1


@pytest.mark.parametrize("answer", ["{0} {1} {2} [END]", "{1} {0} {2}", "[Note] {0} {1} {2}"])
def test_brackets_around_the_text_and_in_moved_text_are_no_tags(answer: str, tmp_path: Path) -> None:
    sentences = [
        "This is how [ as they say ] it all begins .",
        "In it [ as nobody knows any more ] two children of the village lived .",
        "They went away one day and never came back to see it again .",
    ]
    words = [sentence.split() for sentence in sentences]
    (tmp_path / "key.jsonl").write_text(json.dumps({"doc_key": "x", "sentences": words, "clusters": []}))
    tagged = ["<m>This</m>#1" + sentences[0].removeprefix("This"), *sentences[1:]]
    (tmp_path / "answer.jsonl").write_text(json.dumps({"doc_key": "x", "answer": answer.format(*tagged)}))
    fidelity = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answer.jsonl", "muc").fidelity
    assert fidelity is not None
    assert fidelity.of(0)["tags_unknown"] == 0


def test_a_window_before_a_missing_one_that_ends_alike_keeps_its_words(tmp_path: Path) -> None:
    """Its last words were those of the missing window: as many are equal, with a gap (53 for 80)."""
    sentences = [
        "Ann met Bo and thanked him .",
        "Then Cy came in and Dee greeted him .",
        "They went home together at last and slept .",
    ]
    clusters = [[[2, 2], [5, 5]], [[8, 8], [14, 14]], [[0, 0], [16, 16]]]
    key = {"doc_key": "x", "sentences": [sentence.split() for sentence in sentences], "clusters": clusters}
    (tmp_path / "key.jsonl").write_text(json.dumps(key))
    answers = "[Ann](#1) met [Bo](#2) and thanked [him](#2) .", "[They](#1) went home together at last and slept ."
    (tmp_path / "answers.jsonl").write_text("\n".join(json.dumps({"doc_key": "x", "answer": its}) for its in answers))
    result = corefscore.score(tmp_path / "key.jsonl", tmp_path / "answers.jsonl", "conll", pieces="same")
    assert result.conll == pytest.approx(0.8)
