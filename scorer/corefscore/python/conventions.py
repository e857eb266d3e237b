"""From Python: one pair under the conventions that are in use (`explain`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from corefscore.documents.model import KEY, RESPONSE
from corefscore.formats.row import Reading
from corefscore.metrics import AVERAGE, select
from corefscore.python.api import complete, corpus, paths_of, scored, settings_of, warn_of
from corefscore.python.arguments import Files, apart, spelled
from corefscore.reports.explain import Explanation, explained
from corefscore.results import Result
from corefscore.settings import Rules

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.python.api import Given


@spelled
def explain(
    key: Given, response: Given | None = None, *, expect: float | str | None = None, **how: Unpack[Files]
) -> Explanation:
    """One pair under the conventions that are in use, side by side: which of them gives the number of a paper?

    Each side is one of those of `corefscore.score`. ``expect`` is that number in percent; rows that give it are marked,
    to as many decimal places as it has. What is returned prints as the table of ``corefscore explain``; each row of its
    ``rows`` has a convention with its options, the scores and the command of an ordinary run.

        >>> found = explain([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4)]], expect=100)
        >>> [row.convention.name for row in found.rows if "conll" in row.matches]
        ['without-singletons', 'e2e-evaluator', 'mean-of-documents-without-singletons', 'given-mentions']

    Raises `InputError` for input that is refused, `UsageError` for an unknown argument.
    """
    reading, _, _ = apart(how)
    found = explanation(key, complete(key, response, reading), reading, None if expect is None else str(expect))
    warn_of(found.official.notices)
    return found


def explanation(
    key: Given, response: Given, reading: Reading, expect: str | None = None, files: str = "KEY RESPONSE"
) -> Explanation:
    """`explain` with all that a command has to say: ``files`` is how it names both sides. Each is read once."""
    sides: dict[str, Any] = {KEY: key, RESPONSE: response}
    for side, its in sides.items():
        if isinstance(path := paths_of(side, its), str):
            sides[side] = corpus(path, reading, side, None)
    metrics = select(AVERAGE)

    def score(options: Mapping[str, Any]) -> Result:
        settings = settings_of(metrics, Rules(**options), None, {})
        return scored(sides[KEY], sides[RESPONSE], metrics, settings, reading)

    return explained(score, files, expect)
