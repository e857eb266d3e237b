"""Luo, Pradhan, Recasens and Hovy 2014, An extension of BLANC to system mentions."""

from __future__ import annotations

import re
from pathlib import Path

from papers.page import Drawing, Printed, by_both_sides, comparison, filled
from papers.printed import LUO, printed

RECORDED = Path(__file__).parent.parent.parent / "testdata" / "recorded"


def page() -> str:
    """Sections 4.1 and 4.2."""
    boundaries = printed(LUO, "case", "equation")
    examples = printed(LUO, "example")
    return filled(
        "luo_2014.md",
        examples=comparison(examples),
        boundaries=comparison(boundaries, {"`--boundary both`": by_both_sides, "official scorer": _official}),
    )


def drawings() -> list[Drawing]:
    """None: the paper's figure is of the systems of the shared tasks."""
    return []


def _official(row: Printed) -> str:
    """F1 of BLANC in what the official scorer printed, and where that is recorded."""
    if not row.recorded:
        return ""
    found = re.search(r"^BLANC: .*F1: (\S+)$", (RECORDED / row.recorded / "blanc.txt").read_text(), re.MULTILINE)
    assert found is not None
    return f"{found[1]}, `{row.recorded}`"
