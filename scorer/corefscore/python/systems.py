"""Comparing systems from Python: `compare`, `rank` and `check`, which return the reports of these commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from corefscore.checking.baselines import Baseline, baseline_of, read_baseline
from corefscore.core.documents import KEY
from corefscore.core.errors import UsageError
from corefscore.core.records import declared
from corefscore.formats.memory import as_collections
from corefscore.metrics import DEFAULT, ranked_by, scores_in, single, wanted
from corefscore.metrics.base import Metric
from corefscore.python.api import DEFAULTS, Options, P, R, names_of, result, run_of, warn_of, with_keywords
from corefscore.reports import check as checks
from corefscore.reports.check import Asked, Check
from corefscore.reports.compare import Comparison
from corefscore.reports.compare import compare as compared
from corefscore.reports.rank import Ranking
from corefscore.reports.rank import rank as ranked
from corefscore.reports.score import Report
from corefscore.reports.systems import Systems
from corefscore.scoring.results import Result
from corefscore.scoring.run import Given, corpus, is_in_memory, paths_of, with_heads
from corefscore.scoring.systems import Runs, files_of, scored_each, separated
from corefscore.statistics.significance import Method

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack


_METHOD = {option.name: option.default for option in declared(Method)} | {"margin": None}
"""The keywords of `Method` with their defaults."""


class _Resampling(TypedDict, total=False):
    """Options of comparing systems (`corefscore.statistics.significance.Method`)."""

    by: str | None
    confidence: float
    unit: str
    trials: int
    seed: int
    correction: str
    average: str | None
    baseline: str | None
    margin: float | None


class Comparing(_Resampling, Options, total=False):
    """All options of a comparison."""


def _comparing(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that compares systems with its arguments `with_keywords`."""
    return with_keywords(function, {**DEFAULTS, **_METHOD})


@_comparing
def compare(
    key: Given,
    systems: Mapping[str, Given | Runs],
    measures: str | Sequence[str] = DEFAULT,
    **arguments: Unpack[Comparing],
) -> Comparison:
    """Compare systems, given as responses by name: scores, differences, confidence intervals of both, and tests.

    The key and each response is anything that `score` accepts; the key is read once. Several runs of a system, such as
    with different seeds, are ``Runs([response, response])``. ``measures`` are names such as
    ``muc,blanc.coreference,conll,lea.f1``, as a list or joined by commas. ``confidence``, the confidence level of
    intervals, is between 0 and 1; 0.95 also means tests at the level 0.05. ``by`` is a regular expression for groups of
    documents, or `file`: systems are also compared on each group, and scores are unweighted means over groups.
    ``unit``, ``trials``, ``seed``, ``baseline`` (a name), ``correction`` and ``average`` ("documents" for means over
    documents) are the options of ``corefscore compare`` (docs/compare.md), the others those of `score`.

    The report prints as the table of the command; ``to_dict()`` is its JSON, ``to_table(layout)`` its other layouts,
    ``to_frame()`` a data frame, ``results`` the `Result` of each system. A single system gets intervals only.

        >>> key = {name: [[(0, 0), (3, 3)], [(5, 5), (8, 8)]] for name in "abcdef"}
        >>> report = compare(key, {"one": key, "none": dict.fromkeys(key, [])}, "muc.f1")
        >>> report.to_dict()["pairs"][0]["measures"]["muc"]["f1"]["p"]
        0.03125

    Notices give a warning as in `score`. Raises `InputError` for input that is rejected and for a key with only one
    unit, `UsageError` for unknown names, for levels that are out of range, and if there is no system.
    """
    chosen = wanted(names_of(measures, "measures"))
    found, method = _scored(key, systems, chosen.metrics, arguments)
    return compared(found, chosen.measures, method)


@_comparing
def rank(
    key: Given,
    systems: Mapping[str, Given | Runs],
    measures: str | Sequence[str] = DEFAULT,
    *,
    sort: str | None = None,
    agreement: bool = False,
    **arguments: Unpack[Comparing],
) -> Ranking:
    """Rank systems, given as responses by name, each with the range of ranks that tests allow.

    ``sort`` is the measure to rank by: its F1, or a score such as ``lea.recall``. By default, it is the CoNLL average
    if ``measures`` has it, or the first of these. ``by`` is a regular expression for groups of documents; systems are
    then ranked by the unweighted mean over groups. With ``agreement``, the report also has Kendall's tau between the
    measures, and the pairs on which their verdicts differ. The other arguments and the methods of the report are those
    of `compare`. Every system must be one that can be scored.

    Raises the same errors as `compare`.
    """
    names = names_of(measures, "measures")
    chosen = wanted(names)
    score = ranked_by(chosen.measures, sort)
    found, method = _scored(key, systems, wanted(f"{names},{score[0]}").metrics, arguments)
    return ranked(found, chosen.measures, score, method, agreement=agreement)


@with_keywords
def check(
    key: Given,
    response: Given | None = None,
    baseline: str | os.PathLike[str] | Mapping[str, Any] | Result | None = None,
    *,
    measures: str | Sequence[str] | None = None,
    minimum: Mapping[str, float] | None = None,
    tolerance: float = Asked().tolerance,
    tolerances: Mapping[str, float] | None = None,
    both_ways: bool = False,
    by: str | None = None,
    average: str | None = None,
    **arguments: Unpack[Options],
) -> Check:
    """Check whether a score fell below an earlier one or below a minimum: see the report's ``passed`` and ``failures``.

    ``baseline`` is a `Result`, its ``to_dict()``, or the path of its JSON or of the output of the official scorer
    (``METRIC=PATH`` if the file does not name its metric). ``minimum`` has minimum scores, such as
    ``{"lea.f1": 0.5, "conll": 0.6}``. ``measures`` are the scores that decide, by default every F1. ``tolerance`` is
    how far a score may fall, ``tolerances`` the same for single scores; with ``both_ways``, any change of any score of
    any document fails the check. All these numbers are from 0 to 1. With ``average="documents"``, means over documents
    are checked instead of totals. ``by`` is a regular expression for groups of documents, or `file`: each group and
    the unweighted mean over groups are checked, and ``minimum`` is for the mean. The other options are those of
    `score`.

        >>> check([["a", "b", "c"]], [["a", "b"], ["c"]], minimum={"muc": 0.5}).passed
        True

    Raises `UsageError` if there is neither a baseline nor a minimum, and for unknown names; `InputError` for a baseline
    with other options, documents, groups or key, and for input that is rejected.
    """
    for argument, numbers in (("minimum", minimum), ("tolerances", tolerances)):
        if not isinstance(numbers, Mapping | None) or len({*map(single, numbers or ())}) < len(numbers or ()):
            raise UsageError(f"{argument}={numbers!r}: expected scores by name, each once, such as {{'lea.f1': 0.5}}")
    deciding = scores_in(names_of(measures, "measures")) if measures is not None else ()
    floors, limits = ({single(name): number for name, number in (its or {}).items()} for its in (minimum, tolerances))
    asked = Asked(deciding, tolerance, limits, both_ways, by, average, floors)
    before = _baseline(baseline, by, arguments)
    metrics = checks.needed(before, asked)
    document = {} if before is None or before.document is None else {"document": before.document}
    found = result(run_of(metrics, {**arguments, **document}), key, response)
    report = checks.check(found, before, asked)
    warn_of([*found.notices, *report.notices])
    return report


def _baseline(given: Any, by: str | None, own: Mapping[str, Any]) -> Baseline | None:
    """Return the baseline. The baseline from a result has the groups of the pattern ``by``; official output is
    recomputed with the options ``own``.
    """
    if given is None:
        return None
    if isinstance(given, Result):
        given = Report(given, documents=True, by=by).to_dict()
    if isinstance(given, Mapping):
        return baseline_of(given, "baseline")
    paths = paths_of("baseline", given)
    if not isinstance(paths, str):
        raise UsageError(f"the baseline is of type {type(given).__name__}; expected a path, a Result or its to_dict()")
    return read_baseline(paths, own)


def _scored(
    key: Given, systems: Mapping[str, Any], metrics: Sequence[Metric], arguments: Mapping[str, Any]
) -> tuple[Systems, Method]:
    """Score systems, and give one warning for all notices; returns what was found, and the method of comparison.

    Raises `UsageError` for anything but systems by name.
    """
    method = Method(**{name: arguments[name] for name in _METHOD if name in arguments})
    if not isinstance(systems, Mapping) or not systems:
        found = "none is given" if isinstance(systems, Mapping) else f"the value has the type {type(systems).__name__}"
        raise UsageError(f"systems: {found}; expected responses by name, such as {{'a': response}}")
    each, runs = separated({str(name): system for name, system in systems.items()})
    others = {name: value for name, value in arguments.items() if name not in _METHOD}
    run = run_of(metrics, others, method.unit)
    if (paths := paths_of(KEY, key)) is not None:
        key = replace(corpus(paths, with_heads(run.reading, each.values()), KEY, run.settings.names), paths=paths)
    elif is_in_memory(key):  # iterators end with the first system
        key = as_collections(key)
    results, notices = scored_each(each, partial(result, run, key), files_of(key), runs)
    warn_of([notice for _, notice in notices])
    return Systems(results, notices, runs), method
