"""Where the mentions of unfaithful answers come to stand, as recorded in ``testdata/tagged/recorded.json``.

Answers are made of committed texts: words are left out, put in, changed, split, joined, moved and repeated. Each is
recorded with its fidelity and its notices, and with the tokens of all mentions in the key. Of the same kinds of changes
`test_text` knows the truth, and checks that nearly all mentions are at what is left of them; what is recorded here
notices any other change. A faithful answer has the spans of its key. To record again (then read `git diff`):

    PYTHONPATH=tests python tests/formats/test_tagged_recorded.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from answers import marked, words_and_mentions
from support import EXCERPTS, TESTDATA, every_second, within

RECORDED = TESTDATA / "tagged" / "recorded.json"

text_of = cache(words_and_mentions)
recorded = cache(lambda: json.loads(RECORDED.read_text()))

Words = list[tuple[str, int]]
"""Words of an answer, each with its place in the key, or -1."""


def some(words: Words, rate: float, change: Callable[[Random, str, int], Words]) -> Words:
    """A change of some words at random, the same ones every time."""
    random = Random(len(words))
    changed = [change(random, *its) if random.random() < rate else [its] for its in words]
    return [word for its in changed for word in its]


def sentences(words: Words) -> list[Words]:
    """The words up to each full stop."""
    found: list[Words] = [[]]
    for its in words:
        found[-1].append(its)
        if its[0] in {".", "!", "?", ";"}:
            found.append([])
    return found


def shuffled(words: Words) -> Words:
    """The sentences in another order."""
    parts = sentences(words)
    Random(1).shuffle(parts)
    return [word for part in parts for word in part]


def without_every_third(words: Words) -> Words:
    """Two of three sentences."""
    return [word for at, part in enumerate(sentences(words)) if at % 3 for word in part]


def joined(words: Words) -> Words:
    """Two short words without the blank between them, again and again."""
    found: Words = []
    for word, at in words:
        if found and len(found[-1][0]) + len(word) < 8 and at % 3:
            found[-1] = found[-1][0] + word, found[-1][1]
        else:
            found.append((word, at))
    return found


CHANGES: dict[str, Callable[[Words], Words]] = {
    "faithful": lambda words: words,
    "a tenth is left out": lambda words: some(words, 0.1, lambda *_: []),
    "half is left out": lambda words: some(words, 0.5, lambda *_: []),
    "a tenth is another word": lambda words: some(words, 0.1, lambda random, word, at: [(words[at // 2][0], at)]),
    "a fifth has words before it": lambda words: some(
        words, 0.2, lambda _, word, at: [("so", -1), ("on", -1), (word, at)]
    ),
    "a fifth comes twice": lambda words: some(words, 0.2, lambda _, word, at: [(word, -1), (word, at)]),
    "a third is misspelt": lambda words: some(words, 0.3, lambda _, word, at: [(word[:1] + "x" + word[2:], at)]),
    "some have a letter before": lambda words: some(words, 0.3, lambda _, word, at: [(f"x{word}", at)]),
    "some have a letter after": lambda words: some(words, 0.3, lambda _, word, at: [(f"{word}x", at)]),
    "some have a letter within": lambda words: some(words, 0.3, lambda _, word, at: [(f"{word[:2]}q{word[2:]}", at)]),
    "the last has a letter after": lambda words: [*words[:-1], (f"{words[-1][0]}x", words[-1][1])],
    "a third is in capitals": lambda words: some(words, 0.3, lambda _, word, at: [(word.upper(), at)]),
    "long words are in two": lambda words: some(
        words, 0.5, lambda _, word, at: [(word[:3], at), (word[3:], -1)] if len(word) > 5 else [(word, at)]
    ),
    "short words are in one": joined,
    "neighbours are swapped": lambda words: [its for at in range(0, len(words), 2) for its in words[at : at + 2][::-1]],
    "sentences are shuffled": shuffled,
    "sentences are left out": without_every_third,
    "halves are swapped": lambda words: words[len(words) // 2 :] + words[: len(words) // 2],
    "the end comes first, again": lambda words: [*((word, -1) for word, _ in words[-60:]), *words],
    "all of it twice": lambda words: [*words, *((word, -1) for word, _ in words)],
    "words around it": lambda words: [
        ("Here", -1),
        ("is", -1),
        ("it:", -1),
        *words,
        ("Hope", -1),
        ("it", -1),
        ("helps", -1),
    ],
    "without punctuation": lambda words: [its for its in words if its[0].isalnum()],
}

TEXTS = {"litbank": EXCERPTS / "litbank", "gerdracor": EXCERPTS / "gerdracor", "fables": TESTDATA / "fables"}

WINDOWS = ("overlap", "apart", "same")

ZEROS = sorted(path.parent.name for path in (TESTDATA / "corefud" / "scoring").glob("zero-*/key.conllu"))

CASES = [
    *(f"{text}: {change}" for text in TEXTS for change in CHANGES),
    *(f"{text}: pieces {way}" for text in TEXTS for way in WINDOWS),
    *(f"zeros: {name}" for name in ZEROS),
    "zeros: text2text",
]

LENGTH = 700
"""How many words of a document are in an answer."""


def answers(key: Path, change: Callable[[Words], Words]) -> Iterator[tuple[str, str]]:
    """The name of each document, and its answer."""
    documents, words, its = text_of(key)
    for name, mine, mentions in zip(documents.names, words, its, strict=True):
        clean = [("".join(word.split()).replace("|", "/").replace("##", "//"), at) for at, word in enumerate(mine)]
        yield name, marked(change(clean[:LENGTH]), [each for each in mentions if each[2] < LENGTH])[0]


def pieces(key: Path) -> Iterator[tuple[str, str]]:
    """The same in pieces of 90 words that overlap by 30, some words left out."""
    documents, words, its = text_of(key)
    for name, mine, mentions in zip(documents.names, words, its, strict=True):
        clean = [("".join(word.split()).replace("|", "/").replace("##", "//"), at) for at, word in enumerate(mine)]
        for begin in range(0, min(len(clean), 300), 60):
            window = some(clean[begin : begin + 90], 0.05, lambda *_: [])
            yield name, marked(window, [each for each in mentions if begin <= each[1] and each[2] < begin + 90])[0]


def lacking(text: str) -> str:
    """A text with every fifth word without a tag left out, and every seventh twice."""
    words = text.split(" ")
    plain = [at for at, word in enumerate(words) if "|" not in word and "#" not in word and "\n" not in word]
    gone, twice = set(plain[::5]), set(plain[::7])
    return " ".join(f"{word} {word}" if at in twice else word for at, word in enumerate(words) if at not in gone)


def made(case: str, folder: Path) -> tuple[Path, Path, Sequence[str]]:
    """The key, the answer and the options of a case."""
    of, _, how = case.partition(": ")
    answer = folder / "answer.jsonl"
    if of == "zeros":
        if how == "text2text":
            return TESTDATA / "tagged" / how / "key.conllu", TESTDATA / "tagged" / how / "answer.txt", []
        key = TESTDATA / "corefud" / "scoring" / how / "key.conllu"
        within("convert", key, folder / "tagged", "--format", "tagged", "--tags", "words", "--quiet")
        (folder / "answer.txt").write_text(lacking((folder / "tagged").read_text()))
        return key, folder / "answer.txt", ["--tags", "words"]
    key = TEXTS[of] / "key.conll"
    way = how.removeprefix("pieces ")
    texts = answers(key, CHANGES[how]) if how in CHANGES else pieces(key)
    answer.write_text("".join(json.dumps({"doc_key": name, "answer": text}) + "\n" for name, text in texts))
    return key, answer, ["--tags", "words", *([] if how in CHANGES else ["--pieces", way])]


def shown(case: str) -> dict[str, Any]:
    """The fidelity, the notices without paths, and the first and last tokens of each entity of each document."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        key, answer, options = made(case, folder)
        scored = within("lea", key, answer, *options, "--format", "json", "--quiet")
        assert scored.status == 0, scored.stderr
        data = json.loads(scored.stdout)
        placed = within("convert", answer, folder / "placed.jsonl", "--key", key, *options, "--quiet")
        assert placed.status == 0, placed.stderr
        checked = within("validate", answer, "--key", key, *options, "--format", "json").stdout.decode()
        files = json.loads(checked.replace(str(folder), ""))["files"]
        entities = [json.loads(line)["clusters"] for line in (folder / "placed.jsonl").read_text().splitlines()]
    return {
        "fidelity": {name: value for name, value in data["fidelity"].items() if value},
        "notices": [[notice["code"], notice["line"], notice.get("details")] for notice in data["notices"]],
        "findings": [
            [found["code"], found["line"], found["column"], *map(found["details"].get, ("what", "word", "key_word"))]
            for its in files
            for found in its["findings"]
            if found["code"] != "singletons"
        ],
        "spans": ["|".join(" ".join(f"{start}-{end}" for start, end in its) for its in each) for each in entities],
    }


@pytest.mark.parametrize("case", every_second(sorted(CASES, key=lambda case: case.partition(": ")[2]), str))
def test_what_is_recorded(case: str) -> None:
    """In the order of changes: every second row still has each change, of one text or of two."""
    assert json.loads(json.dumps(shown(case))) == recorded()[case]


@pytest.mark.parametrize("text", TEXTS)
def test_a_faithful_answer_has_the_spans_of_its_key(text: str) -> None:
    """As far as the answer goes."""
    _, _, of_key = text_of(TEXTS[text] / "key.conll")
    found = recorded()[f"{text}: faithful"]["spans"]
    for entities, mentions in zip(found, of_key, strict=True):
        spans = [tuple(map(int, span.split("-"))) for span in entities.replace("|", " ").split()]
        assert sorted(spans) == sorted({(first, last) for _, first, last in mentions if last < LENGTH})


if __name__ == "__main__":
    lines = (f"{json.dumps(case)}:{json.dumps(shown(case), ensure_ascii=False)}" for case in CASES)
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n")
