"""Measures by name: the metrics that have to be counted for them, and single scores such as ``lea.f1``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from corefscore.core.errors import UsageError, suggested
from corefscore.metrics import AVERAGE, GROUPS, MENTIONS, NAMES, find, named, outside, select
from corefscore.metrics.base import Metric
from corefscore.metrics.counts import SCORES

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
    """The measures that ``words`` name, joined by commas: ``muc,blanc.coreference,mentions,conll,lea.f1``.

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
    return _Wanted(
        {measure: [score for score in SCORES if score in scores] for measure, scores in measures.items()},
        select(",".join(in_order)) if in_order else (),
    )


def scores_of(measure: str) -> Sequence[str]:
    """The scores that the name of a measure means: for the CoNLL average the F1 alone, as in papers."""
    return ("f1",) if measure == AVERAGE else SCORES


def asked(measures: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Measures with the requested scores of each (`_Wanted.measures`), given these or names, which mean all scores."""
    return measures if isinstance(measures, Mapping) else {measure: scores_of(measure) for measure in measures}


def deciding(scores: Sequence[str]) -> str:
    """The score of a measure that decides between systems: its F1, or the first of the scores asked for."""
    return "f1" if "f1" in scores else scores[0]


def _parted(word: str) -> tuple[str, str | None]:
    """The name of a measure or group, and the score after it, if there is one: ``b3.F1`` is ``bcub`` and ``f1``."""
    stem, _, score = word.strip().rpartition(".")
    return (named(stem), score.lower()) if score.lower() in SCORES else (named(word), None)


def single(words: str) -> tuple[str, str]:
    """One measure and its score: ``lea.recall``; ``lea`` means its F1.

    Raises `UsageError` for an unknown name, and for the name of several measures.
    """
    found = wanted(words).measures
    if len(found) != 1:
        raise UsageError(f'"{words}" means several measures; name one of {", ".join(found)}')
    (measure,) = found
    return measure, _parted(words)[1] or "f1"


def ranked_by(measures: Mapping[str, Sequence[str]], words: str | None) -> tuple[str, str]:
    """The measure and score that rank systems: those that ``words`` name (`single`), or by default the CoNLL average if
    it is among the measures, or the first of these."""
    if words is not None:
        return single(words)
    measure = AVERAGE if AVERAGE in measures else next(iter(measures))
    return measure, deciding(measures[measure])


def scores_in(words: str) -> list[tuple[str, str]]:
    """The scores that ``words`` name, joined by commas: ``lea.recall``; other names mean the F1 of their measures.

    Raises `UsageError` as `wanted` does.
    """
    found = [(measure, _parted(word)[1] or "f1") for word in words.split(",") for measure in wanted(word).measures]
    return list(dict.fromkeys(found))


def titles(metrics: Sequence[Metric]) -> dict[str, str]:
    """The titles in papers of the measures of metrics, of mention identification, and of the CoNLL average."""
    every = (measure for metric in (find(MENTIONS), *metrics) for measure in metric.measures)
    return {**{measure.name: measure.title or measure.name for measure in every}, AVERAGE: "CoNLL"}


def metrics_of(measure: str, metrics: Sequence[Metric]) -> list[str]:
    """The names of those of the metrics from whose counts a measure is computed."""
    if measure == AVERAGE:
        return list(GROUPS[AVERAGE])
    return [metric.name for metric in metrics if measure in (row.name for row in metric.measures)]


def _of(name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The measures that a name means, and their metrics."""
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
    """The names of metrics, each followed by those of its measures."""
    return [name for metric in metrics for name in (metric.name, *(measure.name for measure in metric.measures))]
