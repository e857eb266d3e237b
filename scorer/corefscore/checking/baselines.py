"""Baselines of regression checks: the scores of an earlier run of corefscore or of the official scorer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source, as_text
from corefscore.metrics import AVERAGE, GROUPS, MENTIONS, find, named, select
from corefscore.metrics.base import Metric
from corefscore.metrics.counts import SCORES
from corefscore.scoring.results import SAME_SCORES, SCHEMA, Scores, values

Numbers = Mapping[str, Mapping[str, float]]
"""Scores from 0 to 1 by measure and score, as in `Scores.to_dict`."""

SCORES_CHANGED = ("0.1.0",)
"""The versions whose section of CHANGELOG.md has a part *Scores*; scores of older versions may be different."""


def changed_between(version: str, other: str) -> list[str]:
    """The versions of `SCORES_CHANGED` after the older of two versions, up to and including the newer one."""
    old, new = sorted((_release(version), _release(other)))
    return [changed for changed in SCORES_CHANGED if old < _release(changed) <= new]


def _release(version: str) -> tuple[int, ...]:
    """The numbers of a version, by which versions are compared; empty if it is not a version."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


@dataclass(frozen=True)
class Baseline:
    """The scores of an earlier run.

    - ``metrics``: the metrics that have to be counted again.
    - ``total``, ``documents``: the scores of all documents together, and of each document if they are known.
    - ``document``: the one document that was scored, if only one was.
    - ``version``, ``signature``, ``options``: those of the run; the official scorer has none.
    - ``printed_macro``: the means over documents, if they were printed.
    - ``fidelity``: how much of the text of the response was that of the key, from 0 to 1, if it was measured.
    - ``by``, ``groups``, ``mean``: the pattern of groups of documents, their scores, and the unweighted mean over
      groups, if there were groups.
    """

    metrics: Sequence[Metric]
    total: Numbers
    documents: Mapping[str, Numbers] = field(default_factory=dict)
    document: str | None = None
    version: str | None = None
    signature: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    printed_macro: Numbers = field(default_factory=dict)
    fidelity: float | None = None
    by: str | None = None
    groups: Mapping[str, Numbers] = field(default_factory=dict)
    mean: Numbers = field(default_factory=dict)

    @property
    def macro(self) -> Numbers:
        """The means over documents: as printed, or computed from the documents; empty if neither is known."""
        every = list(self.documents.values())
        if self.printed_macro or not every:
            return self.printed_macro
        return {
            measure: {score: sum(numbers[measure][score] for numbers in every) / len(every) for score in scores}
            for measure, scores in every[0].items()
        }


def read_baseline(path: str, metric: str | None = None) -> Baseline:
    """A baseline from a file: JSON of corefscore, or the output of the official scorer.

    ``metric`` names the metric of the output if the file does not. Raises `InputError` for any other file, `UsageError`
    for a file that cannot be read.
    """
    source = Source(path)
    text = as_text(source.read())
    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _refused(source.name, f"this is not JSON: {error}") from error
        return baseline_of(data, source.name)
    return _complete(_from_official(text, source.name, metric), source.name)


def _refused(path: str, what: str, line: int | None = None) -> InputError:
    return InputError([Finding("not-a-baseline", path, line, details={"what": what})])


def baseline_of(data: Mapping[str, Any], path: str) -> Baseline:
    """A baseline from the data of a result (`Result.to_dict`), which was read from ``path``.

    Raises `InputError` for any other data.
    """
    if "command" in data or not {"schema", "version", "signature", "options", "total"} <= data.keys():
        raise _refused(path, "this JSON is not that of a scored response")
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
                raise TypeError(f"the {what} is {name!r}")
        fidelity = float(data["fidelity"]["fidelity"]) if "fidelity" in data else None
        made = str(data["version"]), str(data["signature"]), dict(data["options"])
        total, macro, mean = map(numbers_in, (data["total"], data.get("macro", {}), data.get("mean", {})))
        baseline = Baseline(metrics, total, documents, document, *made, macro, fidelity, by, groups, mean)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _refused(path, f"this JSON is not that of a scored response: {error}") from error
    return _complete(baseline, path)


def _metrics(words: str, path: str, line: int | None = None) -> tuple[Metric, ...]:
    """The metrics that a baseline names."""
    try:
        return select(words)
    except UsageError as error:
        raise _refused(path, str(error), line) from error


def _complete(baseline: Baseline, path: str) -> Baseline:
    """The baseline. Raises `InputError` for one against which a check could not fail: without the totals of its
    metrics, with groups that lack a measure, with scores of another measure, or with values that are not scores. With
    repeated mentions a value can be a little above 1."""
    measures = [metric.identification for metric in baseline.metrics] or [MENTIONS]
    measures += [measure.name for metric in baseline.metrics for measure in metric.measures]
    for name in dict.fromkeys(measures):
        if not baseline.total.get(name, {}).keys() >= set(SCORES):
            raise _refused(path, f"there are no totals of {name} in this file")
    grouped = [*baseline.groups.values(), baseline.mean] if baseline.groups else []
    for name, of_total in baseline.total.items():
        if not all(numbers.get(name, {}).keys() >= of_total.keys() for numbers in grouped):
            raise _refused(path, f"a group, or the mean of groups, has no scores of {name}")
    known = {*measures, MENTIONS}
    if known >= set(GROUPS[AVERAGE]):
        known.add(AVERAGE)
    for scores in (baseline.total, baseline.printed_macro, *baseline.documents.values(), *grouped):
        for measure_name, of_measure in scores.items():
            if measure_name not in known:
                raise _refused(path, f"this file has scores of {measure_name}, which is no measure of its metrics")
            if not all(0 <= value <= 10 for value in of_measure.values()):
                raise _refused(path, f"{measure_name} has values that are not between 0 and 1: {of_measure}")
    return baseline


def numbers_in(scores: Mapping[str, Mapping[str, Any]]) -> Numbers:
    """The scores in the data of `Scores.to_dict`, without counts."""
    return {
        measure: {score: float(of_measure[score]) for score in SCORES if score in of_measure}
        for measure, of_measure in scores.items()
    }


LINES = {
    "heading": re.compile(r"METRIC (\S+):"),
    "document": re.compile(r"====> (.+):"),
    "totals": re.compile(r"====== TOTALS ======="),
    "mentions": re.compile(
        r"(?:Total key mentions|Total response mentions|Strictly correct identified mentions): (\d+)"
    ),
    "result": re.compile(r"(?:(.+?): )?Recall: \((\S+) / (\S+)\) \S+\s+Precision: \((\S+) / (\S+)\) \S+\s+F1: \S+"),
}
"""The lines of the official scorer that are read, by the name of the method of `_Printed` that reads them."""


class _Printed:
    """The output of the official scorer, read line by line. Scores are recomputed from its fractions."""

    def __init__(self, path: str, name: str | None) -> None:
        if name is not None and named(name) in GROUPS:
            raise UsageError(f'--metric names the one metric that was scored, and "{name}" is several')
        self.path = path
        self.metrics = [] if name is None else [find(name)]
        self.counts: dict[str | None, dict[str, Floats]] = {}
        self._mentions = find(MENTIONS)
        self._metric = self.metrics[0] if self.metrics else None
        self._document: str | None = None
        self._sizes: list[float] = []

    def line(self, number: int, line: str) -> None:
        """Read a line."""
        self._number = number
        for name, form in LINES.items():
            if found := form.fullmatch(line):
                getattr(self, name)(*found.groups())

    def heading(self, metric: str) -> None:
        """The following lines are of this metric."""
        self._metric = _metrics(metric, self.path, self._number)[0]
        self.metrics += [self._metric] * (self._metric not in self.metrics)

    def document(self, name: str) -> None:
        """The following lines are of this document."""
        self._document, self._sizes = name, []

    def totals(self) -> None:
        """The following lines are of all documents together."""
        self._document = None

    def mentions(self, count: str) -> None:
        """One of three lines: mentions of the key, of the response, of both."""
        self._sizes.append(float(count))
        if len(self._sizes) == 3:
            key, response, common = self._sizes
            metric = self._metric or self._mentions
            metric = self._mentions if metric.identification == MENTIONS else metric
            label = next(measure.label for measure in metric.measures if measure.name == metric.identification)
            self._add(metric, label, [common, key, common, response])
            self._sizes = []

    def result(self, label: str | None, *fractions: str) -> None:
        """Numerators and denominators of recall and precision."""
        if self._metric is None:
            raise _refused(self.path, "the file does not name its metric: name it with --metric", self._number)
        try:
            four = list(map(float, fractions))
        except ValueError as error:
            raise _refused(
                self.path, f"this line contains something other than a number: {error}", self._number
            ) from error
        self._add(self._mentions if label == self._mentions.measures[0].label else self._metric, label or "", four)

    def _add(self, metric: Metric, label: str, four: Sequence[float]) -> None:
        """Keep the counts of a measure, which is the only one of its metric if it has no label."""
        counted = [measure for measure in metric.measures if measure.combine is None]
        labels = [measure.label if label else "" for measure in counted]
        if label in labels:
            scope = self.counts.setdefault(self._document, {})
            scope.setdefault(metric.name, np.zeros((len(counted), 4)))[labels.index(label)] = four

    def scores(self, document: str | None) -> Numbers:
        """The scores of a document, or of all documents together (None)."""
        found = self.counts[document]
        metrics = [metric for metric in (self._mentions, *self.metrics) if metric.name in found]
        return numbers_in(Scores(values(metrics, found)).to_dict())


def _from_official(text: str, path: str, name: str | None) -> Baseline:
    """A baseline from the output of the official scorer."""
    printed = _Printed(path, name)
    # Not `splitlines`: a name may contain characters that are line ends in Unicode.
    for number, line in enumerate(text.split("\n"), start=1):
        printed.line(number, line.removesuffix("\r"))
    if None not in printed.counts:
        raise _refused(path, "there are no totals in this file")
    documents = {document: printed.scores(document) for document in printed.counts if document is not None}
    return Baseline(printed.metrics, printed.scores(None), documents)
