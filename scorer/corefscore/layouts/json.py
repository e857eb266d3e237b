"""The JSON layout: counts and values in full, see ``docs/json.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from corefscore.layouts import Style
from corefscore.reports.row import AsData


def render(report: AsData, style: Style) -> Iterator[str]:
    """`to_dict` as text, names that are not UTF-8 with their odd bytes escaped."""
    yield json.dumps(report.to_dict(), indent=1) + "\n"
