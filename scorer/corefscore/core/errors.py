"""The exceptions of the package. Only the command line turns them into text and an exit status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from corefscore.core.findings import SHOWN, Finding, in_words, plural, some_of


class ScorerError(Exception):
    """The base class of all errors; ``status`` is the exit status of the command."""

    status = 1


class UsageError(ScorerError):
    """A call that cannot be carried out: an unknown name, a file that cannot be read."""

    status = 2


class ScorerWarning(UserWarning):
    """A notice about a score, as a warning for Python code that does not read the notices of the result."""


class UnknownDocumentError(UsageError):
    """The one document that is to be scored is not in the key."""


class InputError(ScorerError):
    """Input that is refused; ``findings`` say where, what was found and what was expected.

    The text contains a few findings of each kind (`corefscore.core.findings.in_words`). If the first finding
    summarizes the others, it comes last, where it is seen.
    """

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings: Sequence[Finding] = tuple(findings)
        super().__init__(self.findings)

    def __str__(self) -> str:
        first, *others = self.findings
        summarizes = len(others) > 1 and first.code not in {others[0].code} == {other.code for other in others}
        return "\n".join(in_words([*others, first] if summarizes else self.findings))

    @property
    def brief(self) -> str:
        """The first finding as text, and the number of further ones."""
        more = len(self.findings) - 1
        return str(self.findings[0]) + (f"\n... and {plural(more, 'more error')}" if more else "")


def refuse(finding: Finding) -> None:
    """Raise a finding as an error."""
    raise InputError([finding])


def suggested(name: str, known: Iterable[str]) -> str:
    """Return the advice after an unknown name: the most similar known names, or if there are none, the first known
    ones.
    """
    if like := nearest(name, known := list(dict.fromkeys(known))):
        return f"did you mean {' or '.join(filter(None, (', '.join(like[:-1]), like[-1])))}?"
    return f"known: {some_of(known)}"


NAMES_SHOWN = 10
"""The number of names that a message about documents lists."""


def listed(names: Sequence[str]) -> str:
    """Return the first of several names, one a line, and how many more there are."""
    more = f"\n  and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "".join(f'\n  "{name}"' for name in names[:NAMES_SHOWN]) + more


_LONG_NAME = 200
"""The length of names beyond which they are not compared, since the time for it grows with its square."""

_COMPARED = 10_000
"""The largest number of known names that are compared with an unknown one."""


def nearest(name: str, known: Iterable[str], count: int = SHOWN) -> list[str]:
    """Return the known names most similar to ``name``, the nearest first. Long names are left out (`_LONG_NAME`), and
    only the first `_COMPARED` of the others are compared. A word of five letters has to be more similar than a shorter
    one.
    """
    from difflib import get_close_matches  # imported late: only errors need it

    if len(name) > _LONG_NAME:
        return []
    short = (other for other in known if len(other) <= _LONG_NAME)
    return get_close_matches(name, list(islice(short, _COMPARED)), n=count, cutoff=0.6 if len(name) < 5 else 0.7)
