"""Every place of the code that makes a finding gives the details that the texts of its code ask for.

The places are found in the syntax tree of the package: calls of `Finding` and of the functions below that pass details
on. Each is written as a message once, with a stand-in for every detail.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
from corefscore.core.findings import Finding, Kind, kinds
from corefscore.formats.corefud.guidelines import RULES
from support import ROOT

T = TypeVar("T")

PACKAGE = ROOT / "scorer" / "corefscore"

PASSING: Mapping[str, frozenset[str]] = {
    "Finding": frozenset(),
    "note": frozenset(),
    "_notice": frozenset({"document"}),
    "about": frozenset({"piece"}),
    "_about": frozenset({"piece"}),
    "_about_attribute": frozenset({"piece"}),
    "found_at": frozenset(),
    "refused": frozenset(),
    "add_notice": frozenset({"document"}),
}
"""`Finding`, and functions that take a code and details, with the details that they add themselves."""

ARGUMENTS = {"start", "column", "excerpt", "strict"}
"""Their named arguments that are no details."""

TAGS = ("unclosed-tags", "unopened-tags", "unreadable-tags", "unknown-tags")
ELSEWHERE: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "matching/pairing.py _alone": (("missing-document", "extra-document"), ()),
    "matching/pairing.py _tell": (("within-token", "blank-token"), ("document", "count", "words")),
    "matching/pairing.py _differ": (("token-count", "other-comments"), ("document", "key", "response")),
    "matching/common.py _different": (("different-word", "different-sentence", "other-tokens"), ()),
    "matching/matched.py _described": (("repeated-mention", "dropped-repeat"), ()),
    "matching/text/projection.py _note": (TAGS, ()),
    "checking/convert.py _note_lost": (("dropped-zeros", "filled-gaps", "changed-mentions", "other-heads"), ()),
    "formats/conll/reader.py describe": (
        ("unclosed-mention", "unopened-mention"),
        ("document", "begin", "where", "piece", "label"),
    ),
    "formats/corefud/guidelines.py _tell": (tuple(dict.fromkeys(code for code, _ in RULES.values())), ()),
    "formats/corefud/reader.py _note_brackets": (
        ("dropped-mention", "stretched-mention", "unfinished-mention", "misnumbered-parts"),
        (),
    ),
    "formats/corefud/reader.py _fault": (
        ("mention-across-sentences", "part-of-nothing", "odd-id", "odd-head"),
        ("document", "begin", "label", "piece", "line"),
    ),
    "formats/tagged/texts.py _look": ((*TAGS, "crossing-tags"), ()),
    "reports/check.py _comparable": (("other-documents",), ("count", "first", "which")),
}
"""The codes, and the details if these too come from elsewhere, of the functions in which they are not written."""


class Made(NamedTuple):
    """A call that makes a finding: where, its possible codes, and the details that it can have; None if unknown."""

    place: str
    codes: Sequence[str] | None
    details: Sequence[frozenset[str]] | None


def texts_in(node: ast.expr, line: int, scope: ast.AST) -> list[str] | None:
    """The texts that an expression can be: a literal, either of two, or what is assigned to a name; None if unknown."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return any_of([texts_in(each, at, scope) for at, each in others_for(node, line, scope)])


def keys_in(node: ast.expr, line: int, scope: ast.AST) -> list[frozenset[str]] | None:
    """The sets of keys that a dictionary can have; None if they are not written there."""
    if isinstance(node, ast.Dict):
        found = [frozenset[str]()]
        for key, value in zip(node.keys, node.values, strict=True):
            its_texts = texts_in(key, line, scope) if key else None
            more = [frozenset(its_texts)] if its_texts else keys_in(value, line, scope)
            if more is None:
                return None
            found = [one | other for one in found for other in more]
        return found
    return any_of([keys_in(each, at, scope) for at, each in others_for(node, line, scope)])


def any_of(several: Sequence[list[T] | None]) -> list[T] | None:
    """All of several lists, or None if there is none, or one is unknown."""
    known = [its for its in several if its is not None]
    return [each for its in known for each in its] if known and len(known) == len(several) else None


def others_for(node: ast.expr, line: int, scope: ast.AST) -> list[tuple[int, ast.expr]]:
    """What an expression can be instead: either part of a condition, or what was last assigned to a name before a line,
    in one branch or another; each with its own line."""
    if isinstance(node, ast.IfExp):
        return [(line, node.body), (line, node.orelse)]
    if not isinstance(node, ast.Name):
        return []
    before = [(at, value) for at, value in assigned(node.id, scope) if at < line]
    if not before:
        return []
    last = max(at for at, _ in before)
    branches = [
        each
        for each in ast.walk(scope)
        if isinstance(each, ast.If) and each.lineno <= last <= (each.end_lineno or 0) < line
    ]
    begin = min([last, *(each.lineno for each in branches)])
    return [(at, value) for at, value in before if at >= begin]


def assigned(name: str, scope: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """The lines where a name is assigned in a function, and what it is then."""
    for node in ast.walk(scope):
        targets: Sequence[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        for target in targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield target.lineno, value
            elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=True)
                yield from ((target.lineno, its) for part, its in pairs if name_of(part) == name)


def made(path: Path) -> Iterator[Made]:
    """The calls of a file that make findings, without those within the functions that pass details on."""
    tree = ast.parse(path.read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        around = [of for of in functions if of.lineno <= call.lineno <= (of.end_lineno or 0)]
        scope: ast.AST = max(around, key=lambda of: of.lineno, default=tree)
        within = getattr(scope, "name", "")
        name, arguments = name_of(call.func), call.args
        if name == "partial" and arguments:
            name, arguments = name_of(arguments[0]), arguments[1:]
        if name in PASSING and within not in PASSING:
            possible = [texts_in(each, call.lineno, scope) for each in arguments]
            codes = next((its for its in possible if its and kinds().keys() >= set(its)), None)
            if codes or name == "Finding" or any(name_of(each) == "code" for each in arguments):
                yield Made(f"{path.relative_to(PACKAGE)} {within}", codes, details_of(name, call, arguments, scope))


def name_of(node: ast.expr) -> str:
    """The last part of a name with dots."""
    return str(getattr(node, "id", getattr(node, "attr", "")))


def details_of(
    name: str, call: ast.Call, arguments: Sequence[ast.expr], scope: ast.AST
) -> Sequence[frozenset[str]] | None:
    """The details of a call: those that it names, or those of a dictionary."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == (None if name != "Finding" else "details")]
    if name == "Finding":
        given += arguments[4:5]
        named = frozenset[str]()
    else:
        named = frozenset(keyword.arg for keyword in call.keywords if keyword.arg) - ARGUMENTS
    found = [PASSING[name] | named]
    for each in given:
        more = keys_in(each, call.lineno, scope)
        if more is None:
            return None
        added = frozenset(key for part in ast.walk(scope) for key in keys_added(part, each, call, scope))
        found = [one | other | added for one in found for other in more]
    return found


def keys_added(node: ast.AST, to: ast.expr, call: ast.Call, scope: ast.AST) -> Iterator[str]:
    """The keys that a statement before a call adds to a dictionary."""
    if isinstance(node, ast.AugAssign) and name_of(node.target) == name_of(to) != "" and node.lineno < call.lineno:
        yield from (key for keys in keys_in(node.value, call.lineno, scope) or () for key in keys)
    for target in node.targets if isinstance(node, ast.Assign) and node.lineno < call.lineno else ():
        if isinstance(target, ast.Subscript) and name_of(target.value) == name_of(to) != "":
            yield from texts_in(target.slice, call.lineno, scope) or ()


@cache
def of_files() -> list[Made]:
    """Those of all files."""
    return [each for path in sorted(PACKAGE.rglob("*.py")) for each in made(path)]


@cache
def all_made() -> list[Made]:
    """The same with what comes from elsewhere."""
    found = []
    for each in of_files():
        if each.codes and each.details:
            found.append(each)
        else:
            codes, details = ELSEWHERE.get(each.place, (None, ()))
            found.append(
                Made(each.place, each.codes or codes, each.details or ([frozenset(details)] if details else None))
            )
    return found


def asked_for(kind: Kind) -> frozenset[str]:
    """The names in braces in the texts of a code."""
    names = (name for text in (kind.found, kind.advice) for _, name, _, _ in string.Formatter().parse(text))
    return frozenset(name for name in names if name)


@pytest.mark.parametrize("code", kinds())
def test_every_finding_can_be_written_with_the_details_that_its_place_gives(code: str) -> None:
    places = [each for each in all_made() if code in (each.codes or ())]
    assert places, "no place in the code makes such a finding"
    for place, _, several in places:
        for details in several or ():
            missing = asked_for(kinds()[code]) - details
            assert not missing, f"{place} gives no {', '.join(sorted(missing))}"
            text = str(Finding(code, "file", 3, 4, {name: f"<{name}>" for name in details}))
            assert all(f"<{name}>" in text for name in asked_for(kinds()[code])), place


def test_every_code_has_its_texts() -> None:
    unknown = {code for each in of_files() for code in each.codes or ()} - {*kinds()}
    assert not unknown, f"add the texts of {', '.join(sorted(unknown))} to core/messages.ini"


def test_the_code_and_the_details_of_every_place_are_known() -> None:
    """A new place whose code or details are not written there gets a row in `ELSEWHERE`; an old one loses it."""
    assert [each.place for each in all_made() if not (each.codes and each.details)] == []
    unknown = {each.place for each in of_files() if not (each.codes and each.details)}
    assert unknown == set(ELSEWHERE)
    assert len(all_made()) > 130
