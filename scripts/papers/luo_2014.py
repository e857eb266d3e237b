"""Luo, Pradhan, Recasens and Hovy 2014, An extension of BLANC to system mentions."""

from __future__ import annotations

import re
from pathlib import Path

from papers.page import Claim, Drawing, Printed, filled, in_braces, merged, table
from papers.printed import LUO, printed

RECORDED = Path(__file__).parent.parent.parent / "testdata" / "recorded"


PAPER = LUO


def claims() -> list[Claim]:
    """Sections 4.1 and 4.2."""
    return [row.claim for row in printed(LUO)]


def page() -> str:
    """Section 4.1: ours by the default, which is that of the official scorer, beside the paper."""
    rows = []
    for row in printed(LUO, "case", "equation"):
        assert row.scored("both") == row.numbers
        ours = f"**{row.ours['f1']}**" if row.decides else row.ours["f1"]
        rows.append([in_braces(row.key), in_braces(row.response), row.f1, ours, _official(row)])
    heads = ["key", "response", "paper, `--boundary both`", "default", "official scorer"]
    return filled("luo_2014.md", boundaries=table(heads, merged(rows, 1)))


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
