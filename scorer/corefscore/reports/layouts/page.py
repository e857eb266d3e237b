"""An HTML page that shows the text with all mentions: a single file that makes no requests."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from pkgutil import get_data
from typing import Any

from corefscore.analysis.types import TYPES
from corefscore.core.percent import percent
from corefscore.reports.diff import STATES, Diff, Sentence
from corefscore.reports.errors.tables import LOOKUP, NOTHING, REPEATS


def render(diffs: Mapping[str, Diff]) -> Iterator[str]:
    """Yield the page of one or more responses to one key, by the name of the system.

    The content of files is data: one escaped block of JSON, which the page inserts as text nodes only. The content
    security policy of the page allows its own style and script by their hashes, and nothing else.
    """
    files = (get_data(__package__, f"page.{ending}") or b"" for ending in ("html", "css", "js"))
    page, style, script = (file.decode("utf-8") for file in files)
    hashes = {"style_hash": _hash(style), "script_hash": _hash(script)}
    for name, text in {"title": "key and response", **hashes, "style": style, "script": script}.items():
        page = page.replace(f"{{{name}}}", text)
    before, after = page.split("{data}")
    yield before
    yield from _data(diffs)
    yield after


def _hash(text: str) -> str:
    """Return the hash of a style or script, as a content security policy names it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _escaped(data: Mapping[str, Any]) -> str:
    """JSON that cannot end its script element; bytes that are not UTF-8 become U+FFFD."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = text.encode("utf-8", "replace").decode()
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _data(diffs: Mapping[str, Diff]) -> Iterator[str]:
    """Yield the data of the page, one document after another."""
    first = next(iter(diffs.values()))
    head = {
        "key": first.words.key,
        "response": first.words.response,
        "error": first.words.error,
        "said": first.words.said,
        "items": first.of_items,
        "types": [{"type": name, "title": first.words.types[name].title} for name in TYPES],
        "systems": [
            {
                "name": name,
                "headline": f"{diff.measure_title} {percent(diff.analysis.score)}",
                "title": f"{name}: {diff.title}"
                + f"; {percent(moved)} for {REPEATS + 's' if diff.analysis.copies else LOOKUP}"
                * (abs(moved) > NOTHING),
                "signature": diff.signature,
                "types": [{"count": cost.errors, "cost": cost.in_turn} for cost in diff.analysis.costs],
            }
            for name, diff in diffs.items()
            for moved in [diff.analysis.start - diff.analysis.score]
        ],
    }
    yield f'{_escaped(head)[:-1]},"documents":['
    for document in range(len(first.analysis.result.names)):
        yield "," * (document > 0) + _escaped(_document(diffs, document))
    yield "]}"


def _laid(sentence: Sentence, sentences: list[Sentence]) -> int:
    """Return how far a sentence of a system moves in the sentences of all systems, to which it is added unless it is
    there. They differ for tokens that only a response has, and for items.
    """
    at, size = sentence.number - 1, len(sentence.words)
    if at == len(sentences) - 1 and sentences[at].words == sentence.words[: len(sentences[at].words)]:
        sentences[at] = sentences[at]._replace(words=sentence.words)  # the last one can go on
    if at >= len(sentences) or sentences[at].words[:size] != sentence.words:
        at = len(sentences)
        first = sentences[-1].first + len(sentences[-1].words) if sentences else 0
        sentences.append(sentence._replace(first=first))
    return sentences[at].first - sentence.first


def _document(diffs: Mapping[str, Diff], document: int) -> dict[str, Any]:
    """Return the data of a document: its words by sentence, and the marks of each system, with entities as indices of a
    list of names.
    """
    first = next(iter(diffs.values()))
    names: dict[str, int] = {}
    sentences: list[Sentence] = []
    marks = []
    for diff in diffs.values():
        marks_of_system: list[Any] = []
        for sentence in diff.sentences(document):
            moved = _laid(sentence, sentences)
            for mark in sentence.marks:
                entities = (-1 if of is None else names.setdefault(of, len(names)) for of in (mark.key, mark.response))
                parts = [(start + moved, end + moved) for start, end in mark.parts]
                found = parts[0][0], parts[-1][1], STATES.index(mark.state), *entities, mark.types
                marks_of_system.append([*found, parts] if len(parts) > 1 else found)
        marks.append(sorted(marks_of_system, key=lambda mark: (mark[0], -mark[1])))
    return {
        "name": first.analysis.result.names[document],
        "sentences": [sentence.words for sentence in sentences],
        "marks": marks,
        "names": list(names),
        "costs": [float(diff.analysis.document_costs[document]) for diff in diffs.values()],
        "scores": [diff.score_of(document) for diff in diffs.values()],
        "counts": [diff.counts_of(document) for diff in diffs.values()],
    }
