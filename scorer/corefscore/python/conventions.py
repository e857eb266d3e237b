"""Conventions from Python: one pair of files scored by the conventions in use (`explain`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corefscore.python.api import complete, warn_of
from corefscore.python.arguments import Files, spelled
from corefscore.reports.explain import Explanation, expected, explanation
from corefscore.scoring.run import apart

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.scoring.sides import Given


@spelled
def explain(
    key: Given, response: Given | None = None, *, expect: float | str | None = None, **arguments: Unpack[Files]
) -> Explanation:
    """Score one pair by the conventions in use, to find which of them gives the number of a paper.

    Each side is anything that `corefscore.score` accepts. ``expect`` is the number of the paper in percent; rows with
    this score, compared to as many decimal places as it has, are marked. The report prints as the table of
    ``corefscore explain``; each of its ``rows`` has a convention with its options, the scores, and the ``command`` that
    prints them.

        >>> report = explain([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4)]], expect=100)
        >>> [row.convention.name for row in report.rows if "conll" in row.matches]
        ['without-singletons', 'e2e-evaluator', 'mean-of-documents-without-singletons', 'given-mentions']

    Raises `InputError` for input that is rejected, `UsageError` for an unknown argument.
    """
    reading, _, _ = apart(arguments)
    number = expected(None if expect is None else str(expect), "expect=")
    report = explanation(key, complete(key, response, reading), reading, number)
    warn_of(report.official.notices)
    return report
