"""Repeat the experiments of the papers and write `docs/papers.md`, with its figures beside it: `make papers`.

The figures need matplotlib, the extra ``plots``; `--text` writes the page alone.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from papers import PAPERS
from papers.drawing import drawn
from papers.page import filled

DOCS = Path(__file__).parent.parent / "docs"
PAGE, FIGURES = DOCS / "papers.md", DOCS / "papers"


def text() -> str:
    """The page."""
    parts = [filled("head.md"), *(paper.page() for paper in PAPERS)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def main() -> None:
    """Write the page, and the figures unless they are not wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", action="store_true", help="write the page alone")
    if not parser.parse_args().text:
        if find_spec("matplotlib") is None:
            raise SystemExit(
                "the figures need matplotlib, the extra plots: pip install '.[plots]'; --text goes without"
            )
        FIGURES.mkdir(exist_ok=True)
        for paper in PAPERS:
            for drawing in paper.drawings():
                (FIGURES / f"{drawing.name}.svg").write_bytes(drawn(drawing))
    PAGE.write_text(text())


if __name__ == "__main__":
    main()
