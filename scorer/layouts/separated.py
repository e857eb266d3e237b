"""Tables to load: CSV and TSV, percentages in full precision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from scorer.results import Report

DELIMITERS = {"csv": ",", "tsv": "\t"}


def render(report: Report, layout: str) -> Iterator[str]:
    """One line a row; the scope is there in every report, so that the columns are always the same."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=DELIMITERS[layout], lineterminator="\n")
    writer.writerow(["scope", "measure", "recall", "precision", "f1"])
    for row in report.rows:
        numbers = ("" if value is None else repr(value * 100) for value in (row.recall, row.precision, row.f1))
        writer.writerow([row.scope, row.measure, *numbers])
        yield text.getvalue()
        text.seek(0)
        text.truncate()
