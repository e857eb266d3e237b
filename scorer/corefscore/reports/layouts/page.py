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
from corefscore.reports.diff import STATES, Diff


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
        "types": [{"type": name, "title": first.words.types[name].title} for name in TYPES],
        "systems": [
            {
                "name": name,
                "headline": f"{diff.report.measure_title} {percent(diff.analysis.score)}",
                "title": f"{name}: {diff.report.title}",
                "signature": diff.report.signature,
                "types": [{"count": cost.errors, "cost": cost.in_turn} for cost in diff.analysis.costs],
            }
            for name, diff in diffs.items()
        ],
    }
    yield f'{_escaped(head)[:-1]},"documents":['
    for document in range(len(first.analysis.result.names)):
        yield "," * (document > 0) + _escaped(_document(diffs, document))
    yield "]}"


def _document(diffs: Mapping[str, Diff], document: int) -> dict[str, Any]:
    """Return the data of a document: its words by sentence, and the marks of each system, with entities as indices of a
    list of names.
    """
    first = next(iter(diffs.values()))
    names: dict[str, int] = {}
    marks, shown = [], [list(diff.sentences(document)) for diff in diffs.values()]
    for sentences in shown:
        marks_of_system = []
        for sentence in sentences:
            for mark in sorted(sentence.marks, key=lambda mark: (mark.start, -mark.end)):
                entities = (
                    -1 if name is None else names.setdefault(name, len(names)) for name in (mark.key, mark.response)
                )
                parts = [mark.parts] if len(mark.parts) > 1 else []
                marks_of_system.append([mark.start, mark.end, STATES.index(mark.state), *entities, mark.types, *parts])
        marks.append(marks_of_system)
    return {
        "name": first.analysis.result.names[document],
        "sentences": [sentence.words for sentence in shown[0]],
        "marks": marks,
        "names": list(names),
        "costs": [float(diff.analysis.document_costs[document]) for diff in diffs.values()],
        "scores": [diff.score_of(document) for diff in diffs.values()],
        "counts": [diff.counts_of(document) for diff in diffs.values()],
    }
