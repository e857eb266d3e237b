"""Repeat the experiments of the papers and write `docs/papers.md`, with its figures beside it: `make papers`.

The figures need matplotlib, the extra ``plots``; `--text` writes the page alone. `--corpora FOLDER` scores the free
corpora of section 2 of the LEA paper anew.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from warnings import simplefilter

from corefscore import ScorerWarning
from papers import PAPERS, free_corpora
from papers.drawing import drawn
from papers.page import as_csv, figures, filled, table

DOCS = Path(__file__).parent.parent / "docs"
PAGE, FIGURES = DOCS / "papers.md", DOCS / "papers"


def text() -> str:
    """The page."""
    rows = []
    for paper in PAPERS:
        agree = [claim.holds for claim in paper.claims()]
        rows.append([paper.PAPER, str(len(agree)), str(len(agree) - sum(agree))])
    head = filled("head.md", summary=table(["paper", "checks", "that differ"], rows))
    return "\n\n".join(part.strip() for part in (head, *(paper.page() for paper in PAPERS))) + "\n"


def data() -> dict[str, str]:
    """The files beside the page, by name: all checks, the numbers of the figures, scores of the free corpora."""
    checks = [
        [paper.PAPER, claim.place, claim.text, claim.found, "yes" if claim.holds else "no", claim.decides]
        for paper in PAPERS
        for claim in paper.claims()
    ]
    return {
        "checks.csv": as_csv(["paper", "where", "the paper says", "we find", "agrees", "why not"], checks),
        "figures.csv": figures(drawing for paper in PAPERS for drawing in paper.drawings()),
        "free-corpora.csv": free_corpora.scores(),
    }


def main() -> None:
    """Write the page and its data, and the figures unless they are not wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", action="store_true", help="write the page alone")
    parser.add_argument("--corpora", type=Path, metavar="FOLDER", help="score the free corpora in this folder anew")
    asked = parser.parse_args()
    simplefilter("ignore", ScorerWarning)  # most responses here are odd on purpose
    if asked.corpora:
        free_corpora.record(asked.corpora)
    if not asked.text:
        if find_spec("matplotlib") is None:
            raise SystemExit(
                "the figures need matplotlib, the extra plots: pip install '.[plots]'; --text goes without"
            )
        FIGURES.mkdir(exist_ok=True)
        for paper in PAPERS:
            for drawing in paper.drawings():
                (FIGURES / f"{drawing.name}.svg").write_bytes(drawn(drawing))
    PAGE.write_text(text())
    for name, content in data().items():
        (FIGURES / name).write_text(content)


if __name__ == "__main__":
    main()
