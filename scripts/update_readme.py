"""Write the table of metrics into README.md, from the rows of the code."""

from __future__ import annotations

import re
from pathlib import Path

from corefscore.metrics import NAMES, find

README = Path(__file__).parent.parent / "README.md"


def metrics_table() -> str:
    """One row a metric, in Markdown."""
    lines = ["| metric | | paper |", "|---|---|---|"]
    for name in NAMES:
        metric = find(name)
        cells = (f"`{name}`", metric.use, metric.paper)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    marked = f"<!-- metrics -->\n{metrics_table()}<!-- /metrics -->"
    text = README.read_text()
    README.write_text(re.sub(r"<!-- metrics -->\n.*?<!-- /metrics -->", lambda _: marked, text, flags=re.DOTALL))
