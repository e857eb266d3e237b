"""Compute metrics from what both sides have in common; one file is one metric.

Another package adds a metric through the entry-point group `corefscore.metrics`: the name of the entry point is the
name of the metric, its value a `corefscore.metrics.base.Metric`. They are looked up only for a name that is not
built in, since the look-up takes half as long as importing numpy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from corefscore.core.errors import UsageError, suggested
from corefscore.core.records import NamedTuple
from corefscore.metrics.base import SCORES, VIEWS, Metric, Option

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


_OFFICIAL = ("muc", "bcub", "ceafm", "ceafe", "blanc")
"""The metrics of the official scorer."""

NAMES = (*_OFFICIAL, "lea", "linked", "cone", "mor", "zero", "pairwise", "cluster", "bcubs")
"""Every built-in metric; each is the `METRIC` of the module of this name."""

GROUPS = {
    "all": _OFFICIAL,
    "every": (*_OFFICIAL, "lea"),
    "conll": ("muc", "bcub", "ceafe"),
    "corefud": ("muc", "bcub", "ceafe", "ceafm", "blanc", "lea", "mor", "zero"),
}
"""Names of several metrics: the five of the official scorer; these and LEA; those whose mean is the CoNLL average;
those of the official CorefUD scorer, in its order."""

OTHER_NAMES = {
    **dict.fromkeys(("b3", "b_3", "b^3", "b³", "bcubed", "b_cubed", "b_cub"), "bcub"),
    **dict.fromkeys(("ceaf_m", "mention_ceaf", "ceaf_phi3"), "ceafm"),
    **dict.fromkeys(("ceaf_e", "entity_ceaf", "ceaf_phi4"), "ceafe"),
    **dict.fromkeys(("conll_f1", "conll_average", "conll_avg"), "conll"),
    **dict.fromkeys(("mention", "mention_identification", "mention_detection"), "mentions"),
}
"""Other common names of metrics, groups and measures, in lower case with underscores; see `named`."""

MENTIONS = "mentions"
"""Mention identification, which is counted in every run. It is a row of the table, but not a METRIC of the command."""

LINKED = "linked"
"""The metric that is also counted in every run for kinds of mentions."""

AVERAGE = "conll"
"""The measure that is not of one metric: the mean of the metrics of the group with this name."""

_COMMANDS = ("compare", "rank", "check", "errors", "diff", "explain", "validate", "convert", "cite")

RESERVED = {*GROUPS, *OTHER_NAMES, "none", *_COMMANDS, MENTIONS}
"""Names that no metric may have: groups, other names, values of the NAME argument, commands, and `MENTIONS`."""


def named(name: str) -> str:
    """Return the canonical name of a metric, group or measure: in lower case, and not one of `OTHER_NAMES`."""
    name = name.strip().lower()
    return OTHER_NAMES.get(name.replace("-", "_"), name)


def find(name: str) -> Metric:
    """Return the metric with this name (`named`). Raises `UsageError` for an unknown name."""
    if (name := named(name)) in (*NAMES, MENTIONS):
        metric: Metric = import_module(f"corefscore.metrics.{name}").METRIC
        return metric
    if name in (outside := _entry_points()):
        return _load(outside[name])
    for entry in outside.values():
        if isinstance(entry, UsageError):  # this may be the reason why the name is unknown
            raise entry
    raise UsageError(f'unknown metric "{name}"; {suggested(name, [*NAMES, *GROUPS, *outside])}')


def select(words: str | Iterable[str]) -> tuple[Metric, ...]:
    """Return the metrics of a METRIC argument: names and groups, joined by commas or as a list, which may be empty.

    Raises `UsageError` for an unknown or empty name, and for metrics that have a measure of the same name.
    """
    listed = [named(word) for word in (words.split(",") if isinstance(words, str) else words)]
    if not all(listed):
        raise UsageError(f'"{words}": the list contains an empty name; expected names separated by commas')
    names = [name for word in listed for name in GROUPS.get(word, (word,))]
    if MENTIONS in names:
        raise UsageError(f'"{MENTIONS}" is part of every run and cannot be given as a metric; leave it out')
    metrics = tuple(find(name) for name in dict.fromkeys(names))
    owners: dict[str, str] = {MENTIONS: MENTIONS, AVERAGE: AVERAGE}
    for metric in metrics:
        for measure in metric.measures:
            if owners.setdefault(measure.name, metric.name) != metric.name:
                both = f'the metrics "{owners[measure.name]}" and "{metric.name}" both have a measure'
                raise UsageError(f'{both} "{measure.name}"; score them in two runs')
    return metrics


def outside() -> tuple[list[Metric], list[UsageError]]:
    """Return the metrics of other packages, and the errors of those that cannot be used."""
    metrics, broken = [], []
    for entry in _entry_points().values():
        try:
            metrics.append(_load(entry))
        except UsageError as error:
            broken.append(error)
    return metrics, broken


@contextmanager
def blaming(metric: Metric) -> Iterator[None]:
    """Turn the errors of a metric of another package into `UsageError` with the names of both."""
    try:
        yield
    except Exception as error:
        entry = _entry_points().get(metric.name)
        package = f" of package {_package(entry)}" if entry is not None and not isinstance(entry, UsageError) else ""
        raise UsageError(f"the metric {metric.name!r}{package} failed: {type(error).__name__}: {error}") from error


@cache
def _entry_points() -> Mapping[str, EntryPoint | UsageError]:
    """Return the entry points by name, looked up once in a process; an error in place of each that cannot be used, so
    that one broken package does not affect other metrics.
    """
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint | UsageError] = {}
    try:
        entries = list(entry_points(group="corefscore.metrics"))
    except Exception as error:  # any installed package may have broken metadata
        return {"": UsageError(f"the metrics of other packages cannot be looked up: {type(error).__name__}: {error}")}
    for entry in entries:
        name = entry.name.lower()
        other = found.setdefault(name, entry)
        if name in RESERVED or name in NAMES:
            found[name] = UsageError(
                f"package {_package(entry)} adds a metric with the reserved name {entry.name!r}; rename or remove it"
            )
        elif other is not entry and not isinstance(other, UsageError):
            both = f"packages {_package(other)} and {_package(entry)} both add"
            found[name] = UsageError(f"{both} a metric with the name {entry.name!r}; remove one of them")
    return found


def _load(entry: EntryPoint | UsageError) -> Metric:
    """Return the metric of an entry point. Raises `UsageError` for one that cannot be used."""
    if isinstance(entry, UsageError):
        raise entry
    try:
        metric: Metric = entry.load()
    except (Exception, SystemExit) as error:
        raise UsageError(f"package {_package(entry)}: metric {entry.name!r} cannot be loaded: {error}") from error
    if fault := _fault(entry, metric):
        raise UsageError(f"package {_package(entry)}: {fault}")
    return metric


def _fault(entry: EntryPoint, metric: object) -> str | None:
    """Return why the value of an entry point cannot be used as a metric; None if it can."""
    if not isinstance(metric, Metric):
        return f"{entry.value} is {type(metric).__name__}, expected corefscore.metrics.base.Metric"
    if metric.name != entry.name.lower():
        return f"the metric of the entry point {entry.name!r} has the name {metric.name!r}; give both the same name"
    if metric.view not in VIEWS:
        return f"metric {entry.name!r} has the unknown view {metric.view!r}; known: {', '.join(VIEWS)}"
    for option in metric.options:
        if not isinstance(option, Option) or not re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", str(option.name)):
            return (
                f"metric {entry.name!r} has the option {getattr(option, 'name', option)!r}; expected a "
                "corefscore.metrics.base.Option with a name of lower-case letters, digits and underscores"
            )
    return None


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


HEADINGS = {"recall": "R", "precision": "P", "f1": "F1"}
"""The headings of scores in tables."""

DEFAULT = "all,lea,conll"
"""The default measures of tables of systems."""


class _Wanted(NamedTuple):
    """Measures with the requested scores of each, and the metrics that have to be counted for them besides mention
    identification."""

    measures: Mapping[str, Sequence[str]]
    metrics: Sequence[Metric]


def wanted(words: str) -> _Wanted:
    """Return the measures that ``words`` name, joined by commas: ``muc,blanc.coreference,mentions,conll,lea.f1``.

    The name of a metric means all its measures, unless a measure has this name; ``all`` and ``every`` mean the measures
    of their metrics. With a score after it, a name means this score alone. Raises `UsageError` for an unknown name.
    """
    measures: dict[str, list[str]] = {}
    metrics: list[str] = []
    for word in words.split(","):
        stem, score = _parted(word)
        for name in (stem,) if stem == AVERAGE else GROUPS.get(stem, (stem,)):
            of_name, names = _of(name)
            metrics += names
            for measure in of_name:
                measures.setdefault(measure, []).extend(scores_of(measure) if score is None else (score,))
    chosen = [name for name in dict.fromkeys(metrics) if name != MENTIONS]
    in_order = [name for name in NAMES if name in chosen] + [name for name in chosen if name not in NAMES]
    of_measures = {measure: [score for score in SCORES if score in scores] for measure, scores in measures.items()}
    return _Wanted(of_measures, select(in_order))


def scores_of(measure: str) -> Sequence[str]:
    """Return the scores that the name of a measure means: for the CoNLL average the F1 alone, as in papers."""
    return ("f1",) if measure == AVERAGE else SCORES


def asked(measures: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Measures with the requested scores of each (`_Wanted.measures`), given these or names, which mean all scores."""
    return measures if isinstance(measures, Mapping) else {measure: scores_of(measure) for measure in measures}


def deciding(scores: Sequence[str]) -> str:
    """Return the score of a measure that decides between systems: its F1, or the first of the scores asked for."""
    return "f1" if "f1" in scores else scores[0]


def _parted(word: str) -> tuple[str, str | None]:
    """Return the name of a measure or group, and the score after it, if there is one: ``b3.F1`` is ``bcub`` and
    ``f1``.
    """
    stem, _, score = word.strip().rpartition(".")
    return (named(stem), score.lower()) if score.lower() in SCORES else (named(word), None)


def single(words: str) -> tuple[str, str]:
    """Return one measure and its score: ``lea.recall``; ``lea`` means its F1.

    Raises `UsageError` for an unknown name, and for the name of several measures.
    """
    if not isinstance(words, str):
        raise UsageError(f"{words!r}: expected the name of a measure, such as 'lea'")
    if len(found := wanted(words).measures) != 1:
        raise UsageError(f'"{words}" means several measures; name one of {", ".join(found)}')
    (measure,) = found
    return measure, _parted(words)[1] or "f1"


def ranked_by(measures: Mapping[str, Sequence[str]], words: str | None) -> tuple[str, str]:
    """Return the measure and score that rank systems: those that ``words`` name (`single`), or by default the CoNLL
    average if it is among the measures, or the first of these.
    """
    if words is not None:
        return single(words)
    measure = AVERAGE if AVERAGE in measures else next(iter(measures))
    return measure, deciding(measures[measure])


def scores_in(words: str) -> list[tuple[str, str]]:
    """Return the scores that ``words`` name, joined by commas: ``lea.recall``; other names mean the F1 of their
    measures.

    Raises `UsageError` as `wanted` does.
    """
    found = [(measure, _parted(word)[1] or "f1") for word in words.split(",") for measure in wanted(word).measures]
    return list(dict.fromkeys(found))


def titles(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the titles in papers of the measures of metrics, of mention identification, and of the CoNLL average."""
    every = (measure for metric in (find(MENTIONS), *metrics) for measure in metric.measures)
    return {**{measure.name: measure.title or measure.name for measure in every}, AVERAGE: "CoNLL"}


def metrics_of(measure: str, metrics: Sequence[Metric]) -> list[str]:
    """Return the names of those of the metrics from whose counts a measure is computed."""
    if measure == AVERAGE:
        return list(GROUPS[AVERAGE])
    return [metric.name for metric in metrics if measure in (row.name for row in metric.measures)]


def _of(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the measures that a name means, and their metrics."""
    if name == AVERAGE:
        return (AVERAGE,), GROUPS[AVERAGE]
    metrics = [find(metric) for metric in (MENTIONS, *NAMES)]
    if name not in _names(metrics):
        metrics += outside()[0]
    if owners := metrics_of(name, metrics):
        return (name,), owners[:1]
    for metric in metrics:
        if metric.name == name:
            return [measure.name for measure in metric.measures], (name,)
    raise UsageError(f'unknown measure "{name}"; {suggested(name, [AVERAGE, *_names(metrics)])}')


def _names(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of metrics, each followed by those of its measures."""
    return [name for metric in metrics for name in (metric.name, *(measure.name for measure in metric.measures))]
