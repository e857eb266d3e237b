"""Several systems scored against one key: their results, and what is said about the key only once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any

from corefscore.core.documents import KEY
from corefscore.core.errors import InputError, ScorerError, UsageError
from corefscore.core.findings import Finding, Noticed
from corefscore.scoring.results import Result
from corefscore.scoring.run import Corpus, Given


class Runs(tuple[Any, ...]):
    """The responses of several runs of one system, for example with different random seeds."""


def separated(systems: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]] | None]:
    """Give each run a name of its own, such as ``a 2``: the responses by name, and the names of the runs of each
    system, None if no system has `Runs`. Raises `UsageError` for a name of a run that a system has, and for no runs."""
    if not any(isinstance(system, Runs) for system in systems.values()):
        return dict(systems), None
    of_systems = {
        name: {f"{name} {number}": run for number, run in enumerate(system, start=1)}
        if isinstance(system, Runs)
        else {name: system}
        for name, system in systems.items()
    }
    each = {run: response for runs in of_systems.values() for run, response in runs.items()}
    if len(each) < sum(map(len, of_systems.values())) or not all(of_systems.values()):
        raise UsageError(
            'each system needs at least one run, and each run a unique name: the second run of "a" is called "a 2"'
        )
    return each, {name: list(runs) for name, runs in of_systems.items()}


def files_of(key: Given) -> set[str]:
    """Return the paths that notices about a key have: those of its files, or the name of the side for clusters in
    memory.
    """
    if not isinstance(key, Corpus):
        return {KEY}
    return {place.source.name for place in key.documents.places if place is not None}


def scored_each(
    systems: Mapping[str, Any],
    score_one: Callable[[Any], Result],
    files: Collection[str],
    runs: Mapping[str, Sequence[str]] | None,
    *,
    tell: Callable[[Sequence[Finding], str], None] = lambda found, name: None,
    refused: Callable[[str, ScorerError], None] | None = None,
    blamed: Collection[str] = (),
) -> tuple[dict[str, Result], list[Noticed]]:
    """Score systems with ``score_one``, which takes a value of ``systems``; returns results by name, and all notices.
    ``runs`` are the names of the runs of each system, if some have several.

    ``tell`` is called with the notices of each system and its name; notices about the key alone, which is known by its
    ``files``, are passed only once, with an empty name. The error of a system that cannot be scored is raised, or
    passed to ``refused`` unless it is about a file in ``blamed``. Runs that are the same are passed last.
    """
    results = {}
    notices: list[Noticed] = []
    known: set[Hashable] = set()
    for name, system in systems.items():
        try:
            result = score_one(system)
        except (InputError, UsageError) as error:
            paths = [finding.path for finding in error.findings] if isinstance(error, InputError) else []
            if refused is None or any(path in blamed for path in paths):
                raise
            refused(name, error)
            continue
        results[name] = result
        of_key = {_identity(notice): notice for notice in result.notices if _is_of_key(notice, files)}
        once = [of_key[new] for new in of_key if new not in known]
        own = [notice for notice in result.notices if not _is_of_key(notice, files)]
        for found, of in ((once, ""), (own, name)):
            tell(found, of)
            notices += [(of, notice) for notice in found]
        known.update(of_key)
    if same := list(_same(results, runs or {})):
        tell(same, "")
        notices += [(notice.path, notice) for notice in same]
    return results, notices


def _same(results: Mapping[str, Result], runs: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Yield a notice for each run with the same counts as an earlier run of its system: a copy, by all appearances."""
    for system, its in runs.items():
        known: dict[Hashable, str] = {}
        for run in filter(results.__contains__, its):
            first = known.setdefault(tuple(counts.tobytes() for counts in results[run].counts.values()), run)
            if first != run:
                yield Finding("same-runs", system, details={"first": first, "second": run})


def _is_of_key(notice: Finding, files: Collection[str]) -> bool:
    """Return whether a notice is about the key alone, so that every system repeats it."""
    return notice.path in files and notice.code != "missing-document"


def _identity(notice: Finding) -> Hashable:
    """Return a value that is the same for equal notices."""
    return notice[:4], tuple(notice.details.items())
