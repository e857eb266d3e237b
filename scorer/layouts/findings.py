"""Findings as text, as JSON, and as annotations of GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.findings import ERROR, KINDS, NOTICE, Finding, counted
from scorer.layouts.github import escaped
from scorer.repair import Fix, Fixes
from scorer.validation import Validated


class Checked(NamedTuple):
    """What validating came to: a row for each FILE, and what was mended, if that was asked for."""

    files: Sequence[Validated]
    fixes: Fixes | None = None


def text(checked: Checked) -> Iterator[str]:
    """A finding as in ``FILE:LINE:COLUMN: severity[code] message``, and a last line for each file."""
    if checked.fixes is not None:
        yield from (f"{fix}\n" for fix in sorted(checked.fixes.listed, key=lambda fix: fix.line))
        for code, count in checked.fixes.unlisted().items():
            yield f"... and {count} more fixed[{code}]\n"
        if not checked.fixes.listed:
            yield "nothing to mend without guessing\n"
    for file in checked.files:
        yield from (f"{finding}\n" for finding in file.findings)
        for code, count in file.unlisted.items():
            yield f"... and {counted(count, 'more ' + KINDS[code].severity)} [{code}]\n"
        yield f"{file.path}: {_verdict(file)}\n"


def _verdict(file: Validated) -> str:
    kinds = [counted(file.count(severity), severity) for severity in (ERROR, NOTICE) if file.count(severity)]
    size = (
        f"{counted(file.documents, 'document')}, {counted(file.tokens, 'token')}, "
        f"{counted(file.mentions, 'mention')}, {counted(file.entities, 'entity')}"
    )
    return f"{', '.join(kinds) or 'clean'} ({size})"


def json(checked: Checked) -> Iterator[str]:
    """One object: ``files`` with their findings, and ``fixed`` where that was asked for."""
    from json import dumps

    files = [
        {
            "file": file.path,
            "documents": file.documents,
            "tokens": file.tokens,
            "mentions": file.mentions,
            "entities": file.entities,
            "errors": file.count(ERROR),
            "notices": file.count(NOTICE),
            "findings": [_object(finding) for finding in file.findings],
            "unlisted": dict(file.unlisted),
        }
        for file in checked.files
    ]
    whole: dict[str, object] = {"files": files}
    if checked.fixes is not None:
        whole["fixed"] = [fix._asdict() for fix in checked.fixes.listed]
    yield dumps(whole, indent=2) + "\n"


def _object(finding: Finding) -> Mapping[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "file": finding.path,
        "line": finding.line,
        "column": finding.column,
        "found": finding.found,
        "advice": finding.advice,
        "details": dict(finding.details),
    }


def github(checked: Checked) -> Iterator[str]:
    """Workflow commands that show each finding at its line of a pull request."""
    levels = {ERROR: "error", NOTICE: "warning"}
    for fix in checked.fixes.listed if checked.fixes else ():
        yield _annotation("notice", fix)
    for file in checked.files:
        for finding in file.findings:
            yield _annotation(levels[finding.severity], finding)
        for code, count in file.unlisted.items():
            message = escaped(f"{file.path}: {counted(count, 'more ' + KINDS[code].severity)} [{code}]")
            yield f"::{levels[KINDS[code].severity]} title={code}::{message}\n"


def _annotation(level: str, what: Finding | Fix) -> str:
    properties: dict[str, object | None] = {"file": what.path, "line": what.line, "title": what.code}
    if isinstance(what, Finding):
        properties["col"] = what.column
        message = "\n".join([what.found, *(what.excerpt or ()), what.advice])
    else:
        message = what.what
    told = ",".join(
        f"{name}={escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
        if value is not None
    )
    return f"::{level} {told}::{escaped(message)}\n"


LAYOUTS: Mapping[str, Callable[[Checked], Iterator[str]]] = {"text": text, "json": json, "github": github}
