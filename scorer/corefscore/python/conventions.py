"""Conventions from Python: one pair of files scored by the conventions in use (`explain`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from corefscore.documents.model import KEY, RESPONSE
from corefscore.formats.row import Reading
from corefscore.metrics import AVERAGE, select
from corefscore.python.api import complete, corpus, paths_of, scored, settings_of, warn_of
from corefscore.python.arguments import Files, apart, spelled
from corefscore.reports.explain import Explanation, expected, explained
from corefscore.results import Result
from corefscore.settings import Rules

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.python.api import Given


@spelled
def explain(
    key: Given, response: Given | None = None, *, expect: float | str | None = None, **arguments: Unpack[Files]
) -> Explanation:
    """Score one pair by the conventions in use, to find which of them gives the number of a paper.

    Each side is anything that `corefscore.score` accepts. ``expect`` is the number of the paper in percent; rows with
    this score, compared to as many decimal places as it has, are marked. The report prints as the table of
    ``corefscore explain``; each of its ``rows`` has a convention with its options, the scores, and the command of an
    ordinary run.

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


def explanation(
    key: Given, response: Given, reading: Reading, expect: str | None = None, files: str = "KEY RESPONSE"
) -> Explanation:
    """`explain` for commands; ``files`` are both sides as a command line names them. Each side is read once."""
    sides: dict[str, Any] = {KEY: key, RESPONSE: response}
    for name, side in sides.items():
        if isinstance(path := paths_of(name, side), str):
            sides[name] = corpus(path, reading, name, None)
    metrics = select(AVERAGE)

    def score(options: Mapping[str, Any]) -> Result:
        settings = settings_of(metrics, Rules(**options), None, {})
        return scored(sides[KEY], sides[RESPONSE], metrics, settings, reading)

    return explained(score, files, expect)
