"""Findings as text: ``FILE:LINE:COLUMN: severity[code] message``, and a summary line for each file."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.checking.validation import Validated
from corefscore.core.findings import ERROR, KINDS, NOTICE, plural
from corefscore.reports.layouts import Style
from corefscore.reports.validate import Checked


def render(report: Checked, style: Style) -> Iterator[str]:
    """What was repaired, then every file with its findings."""
    if report.fixes is not None:
        yield from (f"{fix}\n" for fix in sorted(report.fixes.listed, key=lambda fix: fix.line))
        for code, count in report.fixes.unlisted.items():
            yield f"... and {count} more fixed[{code}]\n"
        if not report.fixes.listed:
            yield "nothing to repair without guessing\n"
    for file in report.files:
        yield from (f"{finding}\n" for finding in file.findings)
        for code, count in file.unlisted.items():
            yield f"... and {plural(count, 'more ' + KINDS[code].severity)} [{code}]\n"
        yield f"{file.path}: {_verdict(file)}\n"


def _verdict(file: Validated) -> str:
    """The number of errors and notices of a file, and its size."""
    kinds = [plural(file.count(severity), severity) for severity in (ERROR, NOTICE) if file.count(severity)]
    sizes = {"document": file.documents, "token": file.tokens, "mention": file.mentions, "entity": file.entities}
    size = ", ".join(plural(count, noun) for noun, count in sizes.items())
    return f"{', '.join(kinds) or 'clean'} ({size})"
