"""The errors of the package. Only the command line turns them into text and an exit status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from corefscore.checking.findings import SHOWN, Finding, plural, told


class ScorerError(Exception):
    """Anything that the scorer refuses; ``status`` is the exit status of the command."""

    status = 1


class UsageError(ScorerError):
    """A call that cannot be carried out: an unknown name, a file that cannot be read."""

    status = 2


class ScorerWarning(UserWarning):
    """What was odd in a score, for callers from Python who do not look at the notices of the result."""


class InputError(ScorerError):
    """Input that is refused; ``findings`` say where, what was found and what was expected.

    In words there are a few of each kind (`corefscore.checking.findings.told`). A first one that sums up the others
    also comes last, where it is seen.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: Sequence[Finding] = tuple(findings)
        super().__init__(self.findings)

    def __str__(self) -> str:
        first, *others = self.findings
        again = len(others) > 1 and first.code not in {others[0].code} == {other.code for other in others}
        return "\n".join([*told(self.findings), *[str(first)] * again])

    @property
    def brief(self) -> str:
        """The first finding in words, and how many more there are."""
        more = len(self.findings) - 1
        return str(self.findings[0]) + (f"\n... and {plural(more, 'more error')}" if more else "")


def suggested(name: str, known: Iterable[str]) -> str:
    """What to say after an unknown name: those most like it, or where there are none, some that are known."""
    known = list(dict.fromkeys(known))
    if like := nearest(name, known):
        return f"did you mean {' or '.join(filter(None, (', '.join(like[:-1]), like[-1])))}?"
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"known: {', '.join(known[:SHOWN])}{more}"


LONG_NAME = 200
"""Characters beyond which no name is like another: comparing takes time that grows with the square of them."""

COMPARED = 10_000
"""How many names are compared with one."""


def nearest(name: str, known: Iterable[str], count: int = SHOWN) -> list[str]:
    """The known names most like ``name``, the nearest first, of the first `COMPARED` that are no `LONG_NAME`."""
    from difflib import get_close_matches  # costs start-up, and only errors need it

    if len(name) > LONG_NAME:
        return []
    short = (other for other in known if len(other) <= LONG_NAME)
    return get_close_matches(name, list(islice(short, COMPARED)), n=count, cutoff=0.6)
