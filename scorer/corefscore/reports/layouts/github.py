"""Annotations for GitHub workflows, which show them at their lines in pull requests.

Source: docs.github.com, Workflow commands for GitHub Actions.
"""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.reports.base import Annotated
from corefscore.reports.layouts import Style


def render(report: Annotated, style: Style) -> Iterator[str]:
    """A workflow command for each annotation."""
    for level, title, text, path, line, column in report.annotations:
        properties = {"file": path, "line": line, "title": title, "col": column}
        fields = ",".join(
            f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
            if value is not None
        )
        yield f"::{level} {fields}::{_escaped(text)}\n"


def _escaped(text: str) -> str:
    """Text escaped for a workflow command, which ends at the end of its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
