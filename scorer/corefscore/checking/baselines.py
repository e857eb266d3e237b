"""Baselines of regression checks: the scores of an earlier run of corefscore or of the official scorer."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.records import dataclass, field, replace
from corefscore.core.sources import Source, as_text
from corefscore.metrics import AVERAGE, GROUPS, LINKED, MENTIONS, find, named, select
from corefscore.metrics.base import SCORES, Metric
from corefscore.scoring.results import SAME_SCORES, SCHEMA, Scores, values

Numbers = Mapping[str, Mapping[str, float]]
"""Scores from 0 to 1 by measure and score, as in `Scores.to_dict`."""

SCORES_CHANGED = ("0.1.0",)
"""The versions whose section of CHANGELOG.md has a part *Scores*; scores of older versions may be different."""


def changed_between(version: str, other: str) -> list[str]:
    """Return the versions of `SCORES_CHANGED` after the older of two versions, up to and including the newer one."""
    old, new = sorted((_release(version), _release(other)))
    return [changed for changed in SCORES_CHANGED if old < _release(changed) <= new]


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are compared; empty if it is not a version."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


@dataclass(frozen=True)
class Baseline:
    """The scores of an earlier run.

    - ``metrics``: the metrics that have to be counted again.
    - ``total``, ``documents``: the scores of all documents together, and of each document if they are known.
    - ``document``: the one document that was scored, if only one was.
    - ``version``, ``options``: those of the run; the official scorer has none.
    - ``macro``: the means over documents: as printed, or computed from the documents; empty if neither is known.
    - ``fidelity``: how much of the text of the response was that of the key, from 0 to 1, if it was measured.
    - ``by``, ``groups``, ``mean``: the pattern of groups of documents, their scores, and the unweighted mean over
      groups, if there were groups.
    - ``sizes``: the denominators of recall, which are counts of the key, in the total (None) and in documents.
    - ``key``: the fingerprint of the key, if it is known.
    - ``path``: its name in messages, as the user typed it.
    """

    metrics: Sequence[Metric]
    total: Numbers
    documents: Mapping[str, Numbers] = field(default_factory=dict)
    document: str | None = None
    version: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    macro: Numbers = field(default_factory=dict)
    fidelity: float | None = None
    by: str | None = None
    groups: Mapping[str, Numbers] = field(default_factory=dict)
    mean: Numbers = field(default_factory=dict)
    sizes: Mapping[str | None, Mapping[str, float]] = field(default_factory=dict)
    key: str | None = None
    path: str = "baseline"


def read_baseline(path: str, own: Mapping[str, Any] | None = None) -> Baseline:
    """Return a baseline from a file: JSON of corefscore, or the output of the official scorer.

    METRIC=PATH names the metric of the output if the file does not; ``own`` are the options of metrics of this run,
    with which its scores are recomputed. Raises `InputError` for any other file, `UsageError` for a file that cannot be
    read.
    """
    metric, typed = None, path
    if "=" in path and not os.path.lexists(path):
        metric, path = path.split("=", maxsplit=1)
    source = Source(path)
    if (text := as_text(source.read())).lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _refused(source.name, f"this is not JSON: {error}") from error
        return replace(baseline_of(data, source.name), path=typed)
    return replace(_from_official(text, source.name, metric, own or {}), path=typed)


def _refused(path: str, what: str, line: int | None = None) -> InputError:
    return InputError([Finding("not-a-baseline", path, line, details={"what": what})])


def baseline_of(data: Mapping[str, Any], path: str) -> Baseline:
    """Return a baseline from the data of a result (`Result.to_dict`), which was read from ``path``.

    Raises `InputError` for any other data.
    """
    if "command" in data or not {"schema", "version", "signature", "options", "total"} <= data.keys():
        raise _refused(path, "this JSON was not written by corefscore METRIC KEY RESPONSE --format json")
    if data["schema"] not in SAME_SCORES:
        raise _refused(path, f"this JSON has schema {data['schema']}, but this version reads schema {SCHEMA}")
    try:
        documents, groups = (
            {name: numbers_in(scores) for name, scores in data.get(scopes, {}).items()}
            for scopes in ("documents", "groups")
        )
        metrics = _metrics(",".join(data["options"]["metrics"]), path)
        document, by = data["options"]["document"], data.get("by")
        for what, name in (("document", document), ("pattern of groups", by)):
            if not isinstance(name, str | None):
                raise TypeError(f"the {what} is {name!r}, not text")
        fidelity = float(data["fidelity"]["fidelity"]) if "fidelity" in data else None
        key = data.get("key")
        made = str(data["version"]), dict(data["options"])
        total, macro, mean = map(numbers_in, (data["total"], data.get("macro", {}), data.get("mean", {})))
        sizes = _sizes(data["total"], data.get("documents", {}))
        baseline = Baseline(metrics, total, documents, document, *made, macro, fidelity, by, groups, mean, sizes, key)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _refused(path, f"this JSON does not contain the scores of a response: {error!r}") from error
    return _complete(baseline, path)


def _metrics(words: str, path: str, line: int | None = None) -> tuple[Metric, ...]:
    """Return the metrics that a baseline names."""
    try:
        return select(words)
    except UsageError as error:
        raise _refused(path, str(error), line) from error


def _complete(baseline: Baseline, path: str) -> Baseline:
    """Return the baseline. Raises `InputError` for one against which a check could not fail: without the totals of its
    metrics, with groups that lack a measure, with scores of another measure, or with values that are not scores. With
    repeated mentions a value can be a little above 1.
    """
    measures = [metric.identification for metric in baseline.metrics] or [MENTIONS]
    measures += [measure.name for metric in baseline.metrics for measure in metric.measures]
    for name in dict.fromkeys(measures):
        if not baseline.total.get(name, {}).keys() >= set(SCORES):
            raise _refused(path, f"there are no totals of {name} in this file")
    grouped = [*baseline.groups.values(), baseline.mean] if baseline.groups else []
    for name, of_total in baseline.total.items():
        if not all(numbers.get(name, {}).keys() >= of_total.keys() for numbers in grouped):
            raise _refused(path, f"a group, or the mean of groups, has no scores of {name}")
    known = {*measures, MENTIONS, LINKED}  # the last is added by --of
    if known >= set(GROUPS[AVERAGE]):
        known.add(AVERAGE)
    for scores in (baseline.total, baseline.macro, *baseline.documents.values(), *grouped):
        for measure_name, of_measure in scores.items():
            if measure_name not in known:
                raise _refused(path, f"this file has scores of {measure_name}, which is not a measure of its metrics")
            if not all(0 <= value <= 10 for value in of_measure.values()):
                raise _refused(path, f"{measure_name} has values that are not between 0 and 1: {of_measure}")
    if baseline.macro or not (every := list(baseline.documents.values())):
        return baseline
    means = {
        measure: {score: sum(numbers[measure][score] for numbers in every) / len(every) for score in scores}
        for measure, scores in every[0].items()
        if all(numbers.get(measure, {}).keys() >= scores.keys() for numbers in every)
    }
    return replace(baseline, macro=means)


def numbers_in(scores: Mapping[str, Mapping[str, Any]]) -> Numbers:
    """Return the scores in the data of `Scores.to_dict`, without counts."""
    return {
        measure: {score: float(of_measure[score]) for score in SCORES if score in of_measure}
        for measure, of_measure in scores.items()
    }


def _sizes(total: Mapping[str, Any], documents: Mapping[str, Any]) -> dict[str | None, dict[str, float]]:
    """Return the denominators of recall in the data of `Scores.to_dict`, of the total (None) and of documents."""
    name = "recall_denominator"
    return {
        scope: {measure: float(of_measure[name]) for measure, of_measure in scores.items() if name in of_measure}
        for scope, scores in [(None, total), *documents.items()]
    }


_LINE = re.compile(
    r"^(?:METRIC (?P<metric>\S+):|====> (?P<document>.+):|(?P<totals>====== TOTALS =======)"
    r"|Total key mentions: (?P<key>\d+)\r?\nTotal response mentions: (?P<response>\d+)\r?\n"
    r"Strictly correct identified mentions: (?P<common>\d+)\r?\nPartially correct identified mentions: \d+\r?\n"
    r"No identified: \d+\r?\nInvented: (?P<invented>\d+)"
    r"|(?:(?P<label>.+?): )?Recall: \((\S+) / (\S+)\) \S+[ \t]+Precision: \((\S+) / (\S+)\) \S+[ \t]+F1: \S+)\r?$",
    re.MULTILINE,
)
"""What is read of the official scorer: headings, mentions of documents, and fractions. Only LF ends a line."""


def _from_official(text: str, path: str, name: str | None, own: Mapping[str, Any]) -> Baseline:
    """Return a baseline from the output of the official scorer. Scores are recomputed from its fractions, with the
    options ``own`` of metrics.
    """
    if name is not None and named(name) in GROUPS:
        raise UsageError(
            f'"{name}" is a group; name the metric of this file, as in muc={path}, or leave out "{name}=" if the file '
            "names its metrics"
        )
    metrics, scope = [] if name is None else [find(name)], None
    printed: dict[str | None, dict[str, Sequence[float]]] = {}
    for found in _LINE.finditer(text):
        if found["metric"]:
            metrics.append(_metrics(found["metric"], path, _line(found))[0])
        elif found["document"] or found["totals"]:
            scope = found["document"]
        else:
            metric = metrics[-1] if metrics else None
            if metric is None and not found["common"]:
                raise _refused(path, f"the file does not name its metric: write METRIC={path}", _line(found))
            measure, fractions = _fractions(found, metric or find(MENTIONS), path)
            if scope is None and measure in printed.get(None, {}) and measure != find(MENTIONS).identification:
                raise _refused(path, f"the file has two totals of {measure}; keep one", _line(found))
            printed.setdefault(scope, {})[measure] = fractions
    if None not in printed:
        raise _refused(path, "there are no totals in this file")
    mentions = find(MENTIONS).identification
    counts = {of: its[mentions] for of, its in printed.items() if mentions in its}
    # Those that match are the same, and copies count as invented, unless precision has other mentions (--of).
    if all(right == common or (of and right < common) for of, (common, _, right, _) in counts.items()):
        for of, (common, key, _, response) in counts.items():
            printed[of][mentions] = common, key, common, response
    metrics = [metric.given(own) for metric in dict.fromkeys(metrics)]
    total = _scores(metrics, printed[None])
    scores = {name: _scores(metrics, fractions) for name, fractions in printed.items() if name is not None}
    for measure in total.keys() & printed[None].keys():
        if not np.allclose(list(total[measure].values())[len(SCORES) :], printed[None][measure]):
            what = f"the scores of {measure} do not follow from its counts"
            raise _refused(path, f"{what}, so the file was not made with the official options")
    documents = {name: numbers_in(of_document) for name, of_document in scores.items()}
    return _complete(Baseline(metrics, numbers_in(total), documents, sizes=_sizes(total, scores)), path)


def _line(found: re.Match[str]) -> int:
    """Return the number of the line of a match."""
    return found.string.count("\n", 0, found.start()) + 1


def _fractions(found: re.Match[str], metric: Metric, path: str) -> tuple[str, Sequence[float]]:
    """Return a measure of a metric, and its fractions. It has no label under a document if it is the only measure."""
    if found["common"]:
        common, key, response, invented = (float(found[name]) for name in ("common", "key", "response", "invented"))
        return metric.identification, (common, key, response - invented, response)
    try:
        fractions = [float(number) for number in found.groups()[-4:]]
    except ValueError as error:
        message = f"this line contains something other than a number: {error}"
        raise _refused(path, message, _line(found)) from error
    labels = {measure.label: measure.name for measure in (*find(MENTIONS).measures, *metric.measures)}
    return labels.get(found["label"], found["label"]) or metric.measures[0].name, fractions


def _scores(metrics: Sequence[Metric], printed: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the scores of the metrics whose fractions were printed, as in `Scores.to_dict`. The mentions of documents
    without links, which only combined measures read, are all mentions wherever they matter.
    """
    counts = {}
    for metric in (find(MENTIONS), *metrics):
        parts = metric.uncombined + [MENTIONS] * metric.more()
        if printed.keys() >= set(parts):
            counts[metric.name] = np.array([printed[part] for part in parts])
    return Scores(values([metric for metric in (find(MENTIONS), *metrics) if metric.name in counts], counts)).to_dict()
