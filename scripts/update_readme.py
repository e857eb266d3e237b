"""Write tables into pages: metrics, from the rows of the code; and evaluators that disagree, from real output."""

from __future__ import annotations

import warnings
from pathlib import Path

from corefscore import ScorerWarning, explain
from corefscore.core.percent import percent
from corefscore.metrics import AVERAGE, NAMES, find

ROOT = Path(__file__).parent.parent
METRICS, EVALUATED = ROOT / "docs" / "start" / "which-metric.md", ROOT / "README.md"
OUTPUT = ROOT / "testdata" / "corpora" / "ecbplus-withindoc"

EVALUATORS = {
    "official": "the official scorer, corefscore; Maverick, fast-coref, incremental-coref, TANL (micro)",
    "mean-of-recall-and-precision": "Stanza: the F1 of the mean recall and precision of documents",
    "mean-of-documents": "TANL, Seq2seqCoref (macro): the mean over documents",
    "e2e-evaluator": "fastcoref, s2e: singletons dropped by some metrics, kept by others",
}
"""The programs that have each convention, by its name."""


def metrics_table() -> str:
    """One row a metric, in Markdown."""
    rows = (f"| `{name}` | {find(name).use.replace('|', chr(92) + '|')} |" for name in NAMES)
    return "\n".join(["| metric | |", "|---|---|", *rows]) + "\n"


def evaluators_table() -> str:
    """One row an evaluator, with the number that it prints for one real output."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorerWarning)
        found = explain(OUTPUT / "key.conll", OUTPUT / "lemma-baselines-lemma-wd.conll")
    scores = {row.convention.name: row.scores[AVERAGE][2] for row in found.rows if row.scores and AVERAGE in row.scores}
    rows = (f"| {who} | {percent(scores[name])} |" for name, who in EVALUATORS.items())
    return "\n".join(["| evaluator | CoNLL F1 |", "|---|---|", *rows]) + "\n"


def main() -> None:
    """Write both tables between their marks."""
    _put(METRICS, "metrics", metrics_table())
    _put(EVALUATED, "evaluators", evaluators_table())


def _put(page: Path, name: str, table: str) -> None:
    before, begin, rest = page.read_text().partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    page.write_text(before + begin + table + end + after)


if __name__ == "__main__":
    main()
