"""The report of a validation: findings with their places, and what was repaired."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from corefscore.checking.repair import Fixes
from corefscore.checking.validation import Validated
from corefscore.core.findings import ERROR, NOTICE, Finding, kinds, plural
from corefscore.core.records import dataclass
from corefscore.reports.base import Annotation

_LEVELS = {ERROR: "error", NOTICE: "warning"}
"""The level of an annotation, by severity."""


@dataclass(frozen=True)
class Checked:
    """The report of `validate`: a row for each FILE, and the repairs with ``--fix``."""

    files: Sequence[Validated]
    fixes: Fixes | None = None

    @property
    def annotations(self) -> Iterator[Annotation]:
        """Every repair and every finding, and how many more findings of a kind there are."""
        for fix in self.fixes.listed if self.fixes else ():
            yield Annotation("notice", fix.code, fix.what, fix.path, fix.line)
        for file in self.files:
            for finding in file.findings:
                text = "\n".join([finding.found, *(finding.excerpt or ()), finding.advice])
                level = _LEVELS[finding.severity]
                yield Annotation(level, finding.code, text, finding.path, finding.line, finding.column)
            for code, count in file.unlisted.items():
                yield Annotation(_LEVELS[kinds()[code].severity], code, f"{file.path}: {_more(code, count)} [{code}]")

    @property
    def lines(self) -> Iterator[str]:
        """List what was repaired, then every file with its findings, and a summary of each."""
        if self.fixes is not None:
            yield from map(str, sorted(self.fixes.listed, key=lambda fix: fix.line))
            yield from (f"... and {count} more fixed[{code}]" for code, count in self.fixes.unlisted.items())
            if not self.fixes.listed:
                yield "nothing to repair"
        for file in self.files:
            yield from map(str, file.findings)
            yield from (f"... and {_more(code, count)} [{code}]" for code, count in file.unlisted.items())
            kinds = [plural(file.count(severity), severity) for severity in _LEVELS if file.count(severity)]
            size = ", ".join(map(plural, file.sizes.values(), ("document", "token", "mention", "entity")))
            yield f"{file.path}: {', '.join(kinds) or 'clean'} ({size})"

    def to_dict(self) -> dict[str, Any]:
        """Return ``files`` with their findings, and ``fixed`` with ``--fix``; see ``docs/reference/messages.md``."""
        files: list[dict[str, Any]] = []
        for file in self.files:
            counts = {**file.sizes, "errors": file.count(ERROR), "notices": file.count(NOTICE)}
            findings = list(map(_data, file.findings))
            files.append({"file": file.path, **counts, "findings": findings, "unlisted": dict(file.unlisted)})
        fixed = {} if self.fixes is None else {"fixed": [fix._asdict() for fix in self.fixes.listed]}
        return {"files": files, **fixed}


def _data(finding: Finding) -> dict[str, Any]:
    """Return a finding as data."""
    place = {"file": finding.path, "line": finding.line, "column": finding.column}
    said = {"found": finding.found, "advice": finding.advice, "details": dict(finding.details)}
    return {"code": finding.code, "severity": finding.severity, **place, **said}


def _more(code: str, count: int) -> str:
    """Return how many more findings of a kind there are: ``2 more errors``."""
    return plural(count, f"more {kinds()[code].severity}")
