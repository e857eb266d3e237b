"""Annotations for a workflow of GitHub: one error for each failure of a check, or a notice that it has passed.

Source: docs.github.com, Workflow commands for GitHub Actions.
"""

from __future__ import annotations

from collections.abc import Iterator

from scorer.reports.check import Check


def render(report: Check) -> Iterator[str]:
    """A line for each failure."""
    if report.passed:
        yield f"::notice title=corefscore check::{escaped('; '.join(report.notes))}\n"
    for sentence in report.failed():
        yield f"::error title=corefscore check::{escaped(sentence)}\n"


def escaped(text: str) -> str:
    """Text as the value of a workflow command, which ends at its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
