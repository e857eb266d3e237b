"""Input made to take much time or memory, each of any size, and the calls that it is tried with."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

BEGIN, END = b"#begin document d\n", b"#end document\n"

Made = Callable[[int], bytes]
"""What makes input of about so many bytes."""


def lines(unit: bytes) -> Made:
    """One document of that line again and again."""
    return lambda size: BEGIN + unit * (size // len(unit)) + END


def cell(unit: bytes) -> Made:
    """One document of one token, whose cell is that piece again and again."""
    return lambda size: BEGIN + b"w\t" + unit * (size // len(unit)) + b"\n" + END


def numbers(line: bytes, size: int) -> bytes:
    """That line with a number of its own each time."""
    return b"".join(line % number for number in range(size // len(line % 0)))


def numbered(line: bytes) -> Made:
    """The same, as a document."""
    return lambda size: BEGIN + numbers(line, size) + END


def documents(text: bytes) -> Made:
    """Those lines with a number of their own each time."""
    return lambda size: numbers(text, size)


def clusters(before: bytes, unit: bytes, behind: bytes) -> Made:
    """One document of JSON lines, with that piece again and again in its clusters."""
    return lambda size: (
        b'{"doc_key": "d", "clusters": [' + before + b",".join([unit] * (size // len(unit))) + behind + b"]}\n"
    )


def fields(**its: object) -> bytes:
    """A document of JSON lines."""
    return json.dumps({"doc_key": "d", "clusters": [[[0, 0]]], **its}).encode() + b"\n"


def array(unit: bytes, behind: bytes = b"]") -> Made:
    """An array of those objects, each with a number of its own."""
    return lambda size: b"[" + b",".join(unit % number for number in range(size // len(unit % 0))) + behind


def in_some_of(entities: int, of: int) -> Made:
    """One document, each token of which is in so many entities of so many."""

    def made(size: int) -> bytes:
        random = Random(0)
        cells = ["|".join(f"({each})" for each in random.sample(range(of), entities)) for _ in range(size // 400)]
        random_cells = (cells[at % len(cells)] for at in range(size // (entities * 5 + 2)))
        return BEGIN + "".join(f"w\t{its}\n" for its in random_cells).encode() + END

    return made


def entities(size: int) -> bytes:
    """One document of entities of some five mentions, at random."""
    random = Random(0)
    many = size // 10
    return BEGIN + b"".join(b"w\t(%d)\n" % random.randrange(many // 5 + 1) for _ in range(many)) + END


CORPUS = b"# newdoc id = d\n# global.Entity = eid-etype-head\n"
"""How a file of CorefUD begins."""


def word(entity: bytes) -> bytes:
    """A line of CorefUD, with that value of Entity."""
    return b"1\tw" + b"\t_" * 7 + b"\tEntity=" + entity + b"\n"


def words(entity: bytes) -> Made:
    """One document of CorefUD, with a number of its own in the value of Entity of each word."""
    return lambda size: CORPUS + numbers(word(entity), size).replace(b"\n", b"\n\n")


def entity(unit: bytes) -> Made:
    """One document of CorefUD of one word, whose value of Entity is that piece again and again."""
    return lambda size: CORPUS + word(unit * (size // len(unit))) + b"\n"


def in_entities(entities: int) -> Made:
    """One document of CorefUD, each word of which is in so many entities."""
    sentence = word(b"".join(b"(e%d)" % each for each in range(entities))) + b"\n"
    return lambda size: CORPUS + sentence * (size // len(sentence))


def one_head(mentions: int) -> Made:
    """One document of CorefUD; in each sentence so many mentions begin with its first word, which is their head."""
    opened = b"".join(b"(e%d--1" % each for each in range(mentions - 1, 0, -1)) + b"(e0--1)"
    rows = [opened, *(b"e%d)" % each for each in range(1, mentions))]
    sentence = b"".join(word(its).replace(b"1", b"%d" % at, 1) for at, its in enumerate(rows, start=1)) + b"\n"
    return lambda size: CORPUS + sentence * (size // len(sentence))


HOSTILE: dict[str, Made] = {
    "many ids": numbered(b"w\t(%d)\n"),
    "ids of a hundred digits": numbered(b"w\t(%0100d)\n"),
    "deep nesting": lambda size: BEGIN + b"w\t(1\n" * (size // 10) + b"w\t1)\n" * (size // 10) + END,
    "deep nesting of many ids": lambda size: BEGIN + numbers(b"w\t(%d\n", size) + numbers(b"w\t%d)\n", size) + END,
    "deep nesting in one cell": lambda size: (
        BEGIN + b"w\t" + b"(1|" * (size // 5) + b"\nw\t" + b"1)|" * (size // 5) + b"\n" + END
    ),
    "a cell without bars": cell(b"(1)"),
    "a cell of open brackets": cell(b"(1"),
    "a cell of brackets alone": cell(b"("),
    "a cell of discarded marks": cell(b"(1+2)"),
    "a cell of digits": lambda size: BEGIN + b"w\t" + b"1" * size + b"|(2\n" + END,
    "open brackets": lines(b"w\t(1\n"),
    "a giant entity": lines(b"w\t(1)\n"),
    "entities at random": entities,
    "repeats": lines(b"w\t(1)|(2)\n"),
    "spans in 5 of 20 entities": in_some_of(5, 20),
    "spans in 10 of 20 entities": in_some_of(10, 20),
    "spans in 8 of 1000 entities": in_some_of(8, 1000),
    "cells that are not plain": lines(b"w\t(x\n"),
    "a long line": cell(b"w"),
    "columns": lines(b"w\t" * 1000 + b"(1)\n"),
    "short lines": lines(b"w\n"),
    "empty lines": lines(b"\n"),
    "comments": lines(b"#\n"),
    "hashes": cell(b"# "),
    "almost markers": lines(b"#begin documents\n"),
    "documents": documents(b"#begin document %d\n#end document\n"),
    "documents of one mention": documents(b"#begin document %d\nw\t(1)\n#end document\n"),
    "documents with faults": documents(b"#begin document %d\nw\t(1\n#end document\n"),
    "documents inside documents": documents(b"#begin document %d\n"),
    "long names": lambda size: b"".join(
        b"#begin document %d%s\n#end document\n" % (n, b"x" * (size // 20)) for n in range(20)
    ),
    "json of many mentions": clusters(b"[", b"[1, 2]", b"]"),
    "json of many clusters": clusters(b"", b"[[1, 2]]", b""),
    "json of clusters without mentions": clusters(b"", b"[]", b""),
    "json of mentions that are none": clusters(b"[", b"[2, 1]", b"]"),
    "json nested deeply": lambda size: b'{"doc_key": "d", "clusters": ' + b"[" * size + b"\n",
    "json of documents": documents(b'{"doc_key": "%d", "clusters": []}\n'),
    "json of documents with faults": documents(b'{"doc_key": "%d"}\n'),
    "json of lines that are none": lambda size: b"{}\n" + b"x\n" * (size // 2),
    "json of numbers on lines": lambda size: b"{}\n" + b"1\n" * (size // 2),
    "json of empty objects": lambda size: b"{}\n" * (size // 3),
    "json of many fields": lambda size: fields(**{f"f{n}": 0 for n in range(size // 14)}),
    "json of a field twice": lambda size: fields(**{f"f{n}": 0 for n in range(size // 14)}).replace(
        b"}", b', "f%d": 0}' % (size // 14 - 1)
    ),
    "json of a field of its own each": lambda size: b"".join(
        b'{"doc_key": "%d", "clusters": [], "f%d": 0}\n' % (n, n) for n in range(size // 50)
    ),
    "json of a word of many subtokens": lambda size: fields(
        sentences=[["x"]] * (size // 10), subtoken_map=[0] * (size // 10)
    ),
    "json of long subtokens": lambda size: fields(
        sentences=[["x" * 100] * (size // 100)], subtoken_map=[0] * (size // 100)
    ),
    "json of words without subtokens": lambda size: (
        b'{"doc_key": "%d", "clusters": [], "sentences": [["x"]], "subtoken_map": [109]}\n' * (size // 60)
    ),
    "json of a huge number": lambda size: fields(other=0).replace(b"0}", b"1" * size + b"}"),
    "json of a huge offset": lambda size: fields().replace(b"[0, 0]", b"[0, " + b"1" * size + b"]"),
    "json of a huge fraction": lambda size: fields(other=0).replace(b"0}", b"0." + b"1" * size + b"}"),
    "json of a long string": lambda size: fields(other="x" * size),
    "json of escapes": lambda size: fields(other=0).replace(b"0}", b'"' + b"\\ud800" * (size // 6) + b'"}'),
    "json of escapes in a name": lambda size: fields().replace(b'"d"', b'"' + b"\\ud800" * (size // 6) + b'"'),
    "json of blanks": lambda size: fields().replace(b"}", b" " * size + b"}"),
    "json of a long word": lambda size: fields(sentences=[["x" * size]]),
    "json of many sentences": lambda size: fields(sentences=[["x"]] * (size // 8)),
    "json in an array": array(b'{"doc_id": "%d", "clusters_token_offsets": []}'),
    "json in an array without end": array(b'{"doc_id": "%d", "clusters_token_offsets": []}', b""),
    "json in an array of numbers": array(b"%d"),
    "json in an array of empty objects": lambda size: b"[" + b",".join([b"{}"] * (size // 3)) + b"]",
    "json in an array of one object": lambda size: (
        b'[{"doc_id": "d", "clusters_token_offsets": [], "tokens": ["' + b'", "'.join([b"x"] * (size // 5)) + b'"]}]'
    ),
    "json in an array of a string without end": lambda size: b'[{"doc_id": "' + b"x" * size,
    "json in an array of deep brackets": lambda size: b"[" * size,
    "json in an array of lines": lambda size: b"[" + b"\n" * size + b"]",
    "json of a text": lambda size: fields(text="x " * (size // 2)),
    "json of a text of mentions": lambda size: fields(
        text="x " * (size // 16), clusters=[[[2 * at, 2 * at + 1] for at in range(size // 16)]]
    ),
    "json of words of mentions": lambda size: json.dumps(
        {
            "tokens": ["x"] * (size // 20),
            "clusters_token_offsets": [[[at, at] for at in range(size // 20)]],
            "clusters_text_mentions": [["x"] * (size // 20)],
        }
    ).encode(),
    "json of long words of mentions": lambda size: json.dumps(
        {
            "tokens": ["x"] * int((size // 9) ** 0.5),
            "clusters_token_offsets": [[[0, int((size // 9) ** 0.5) - 1]] * int((size // 9) ** 0.5)],
            "clusters_text_mentions": [["y"] * int((size // 9) ** 0.5)],
        }
    ).encode(),
    "json of sentences with mentions": lambda size: json.dumps(
        {"id": "d", "sentences": [["x"]] * (size // 20), "mention_clusters": [[[at, 0, 1] for at in range(size // 20)]]}
    ).encode(),
    "json of empty sentences": lambda size: fields(sentences=[["x"]] + [[]] * (size // 4)),
    "corefud of words alone": lambda size: CORPUS + b"w\n" * (size // 2),
    "corefud of numbers alone": lambda size: CORPUS + b"1\n" * (size // 2),
    "corefud of mentions inside each other": lambda size: (
        CORPUS + word(b"(e") * (size // 60) + word(b"e)") * (size // 60) + b"\n"
    ),
    "corefud of 150 mentions inside each other": lambda size: (
        CORPUS + (word(b"(e").replace(b"1", b"2") * 150 + word(b"e)") * 150 + b"\n") * (size // 9000)
    ),
    "corefud of 60 mentions with one head": one_head(60),
    "corefud of two words in many entities": lambda size: CORPUS + (word(numbers(b"(e%d)", size // 4)) + b"\n") * 2,
    "corefud of words in 6 entities": in_entities(6),
    "corefud of words in 20 entities": in_entities(20),
    "corefud of words in 40 entities": in_entities(40),
    "corefud of many ids": words(b"(e%d--1)"),
    "corefud of mentions in one word": entity(b"(e)"),
    "corefud of open brackets": entity(b"(e"),
    "corefud of brackets that close nothing": entity(b"e)"),
    "corefud of brackets around others": entity(b"(e(f)e)"),
    "corefud of mentions in parts": entity(b"(e[1/2])(e[2/2])"),
    "corefud of first parts alone": entity(b"(e[1/2])"),
    "corefud of last parts alone": entity(b"(e[2/2])"),
    "corefud of heads that are none": entity(b"(e--x)"),
    "corefud of ids that are none": entity(b"(e[)"),
    "corefud of documents": documents(b"# newdoc id = %d\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n"),
    "corefud of one document again": lambda size: b"# newdoc id = d\n1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n" * (size // 40),
    "corefud of lines without numbers": lambda size: CORPUS + b"x\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" * (size // 22) + b"\n",
    "corefud of two columns": lambda size: CORPUS + b"1\tw\n" * (size // 4) + b"\n",
    "corefud of tabs": lambda size: CORPUS + b"1" + b"\t" * size + b"\n\n",
    "corefud of dependencies that are none": lambda size: (
        CORPUS + b"1.1\tw" + b"\t_" * 6 + b"\t" + b"|".join([b"x"] * (size // 2)) + b"\tEntity=(e)\n\n"
    ),
}
"""Every input by name."""


def tags(unit: bytes) -> Made:
    """An answer of that piece again and again."""
    return lambda size: unit * (size // len(unit))


ANSWERS: dict[str, Made] = {
    "tags that open": tags(b"["),
    "tags that close": tags(b"](#1)"),
    "brackets that close": tags(b"]"),
    "tags in each other": lambda size: b"[" * (size // 6) + b"a" + b"](#1)" * (size // 6),
    "mentions of one entity": tags(b"[a](#1) "),
    "mentions of many entities": lambda size: numbers(b"[a](#%d) ", size),
    "crossing mentions": lambda size: numbers(b"a|[e%d ", size // 2) + numbers(b"a|e%d] ", size // 2),
    "tags behind one word": lambda size: b"a|" + b"[e]," * (size // 4) + b"[e]",
    "braces that open": tags(b"{1 "),
    "elements that open": tags(b"<m>"),
    "zeros": tags(b"##|[e] "),
    "words without tags": tags(b"a "),
    "one long word": tags(b"a"),
    "ligatures of 18 letters": tags("\ufdfa".encode()),
    "pieces of one document": tags(b'{"doc_key": "d", "answer": "[a](#1)"}\n'),
    "an answer in JSON": lambda size: b'{"doc_key": "d", "answer": "' + b"[a](#1) " * (size // 8) + b'"}\n',
}
"""Text with tags by name, each an answer for a document called ``d``."""
