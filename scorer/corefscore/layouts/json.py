"""The JSON layout: counts and values in full, see ``docs/json.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from corefscore.reports.row import AsData


def render(report: AsData, layout: str) -> Iterator[str]:
    """`to_dict` as text, names that are not UTF-8 with their odd bytes escaped."""
    yield json.dumps(report.to_dict(), indent=1) + "\n"
