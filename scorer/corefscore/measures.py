"""Measures by name: which metrics have to be counted for them, and single scores such as ``lea.f1``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corefscore.counts import SCORES
from corefscore.errors import UsageError, suggested
from corefscore.metrics import AVERAGE, GROUPS, MENTIONS, NAMES, find, outside_names, select
from corefscore.metrics.row import Metric

HEADINGS = {"recall": "R", "precision": "P", "f1": "F1"}
"""What stands over them in tables."""

DEFAULT = "all,lea,conll"
"""The measures of every table of systems, unless others are named."""


class Wanted(NamedTuple):
    """Measures, and the metrics that have to be counted for them (mention identification always is)."""

    measures: Sequence[str]
    metrics: Sequence[Metric]


def wanted(words: str) -> Wanted:
    """The measures that ``words`` name, joined by commas: ``muc,blanc.coreference,mentions,conll``.

    The name of a metric that has no measure of this name stands for all its measures, ``all`` and ``every`` for
    those of their metrics. Raises `UsageError` for an unknown name.
    """
    measures: list[str] = []
    metrics: list[str] = []
    for word in (word.strip() for word in words.lower().split(",")):
        for name in (word,) if word == AVERAGE else GROUPS.get(word, (word,)):
            its, names = _of(name)
            measures += its
            metrics += names
    chosen = [name for name in dict.fromkeys(metrics) if name != MENTIONS]
    in_order = [name for name in NAMES if name in chosen] + [name for name in chosen if name not in NAMES]
    return Wanted(tuple(dict.fromkeys(measures)), select(",".join(in_order)) if in_order else ())


def single(words: str) -> tuple[str, str]:
    """A measure and a score of it: ``lea.recall``, and ``lea`` for its F1.

    Raises `UsageError` for an unknown name, and for a recall or precision of the CoNLL average.
    """
    words = words.lower()
    measure, _, score = words.rpartition(".")
    if not measure or score not in SCORES:
        measure, score = words, "f1"
    found = wanted(measure).measures
    if len(found) != 1:
        raise UsageError(f'"{measure}" stands for several measures; name one of {", ".join(found)}')
    if measure == AVERAGE and score != "f1":
        raise UsageError(f"the CoNLL average is a mean of F1; it has no {score}")
    return found[0], score


def scores_in(words: str) -> list[tuple[str, str]]:
    """The scores that ``words`` name, joined by commas: ``lea.recall``, and the F1 of every measure of other names.

    Raises `UsageError` as `single` and `wanted` do.
    """
    found: list[tuple[str, str]] = []
    for word in words.split(","):
        _, _, score = word.strip().lower().rpartition(".")
        found += [single(word.strip())] if score in SCORES else [(measure, "f1") for measure in wanted(word).measures]
    return list(dict.fromkeys(found))


def metrics_of(measure: str, metrics: Sequence[Metric]) -> list[str]:
    """The names of the metrics, among some, whose counts decide a measure."""
    if measure == AVERAGE:
        return list(GROUPS[AVERAGE])
    return [metric.name for metric in metrics if measure in (each.name for each in metric.measures)]


def _of(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The measures that a name stands for, and their metrics."""
    if name == AVERAGE:
        return (AVERAGE,), GROUPS[AVERAGE]
    table = {metric: [measure.name for measure in find(metric).measures] for metric in (MENTIONS, *NAMES)}
    if not _known(name, table):
        table.update({metric: [measure.name for measure in find(metric).measures] for metric in outside_names()})
    for metric, measures in table.items():
        if name in measures:
            return (name,), (metric,)
    if name in table:
        return table[name], (name,)
    names = [AVERAGE, *dict.fromkeys(each for metric, its in table.items() for each in (metric, *its))]
    raise UsageError(f'unknown measure "{name}"; {suggested(name, names)}')


def _known(name: str, table: dict[str, list[str]]) -> bool:
    return name in table or any(name in measures for measures in table.values())
