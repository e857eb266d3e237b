"""The report of a score: rows for documents, groups of documents, the mean over groups, and the total."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from corefscore.core.percent import percent
from corefscore.core.records import dataclass
from corefscore.matching.text.fidelity import Fidelity, described, ratio
from corefscore.metrics import AVERAGE, HEADINGS, MENTIONS
from corefscore.metrics.base import SCORES, Metric, summed
from corefscore.reports.base import MEASURE, Column, Interval, Reported, Streamed, Table, known, paper
from corefscore.scoring.results import DOCUMENT, KIND, TOTAL, Result, Score, Scores

if TYPE_CHECKING:
    from corefscore.reports.compare import Comparison

GROUP, MEAN, MACRO = "group", "mean of groups", "macro"
"""Kinds of scopes in addition to those of `corefscore.scoring.results`: a group of documents, the unweighted mean over
groups, and the unweighted mean over documents."""


_Values = Mapping[str, Mapping[str, float]]
"""Scores from 0 to 1 by measure and score, without those that have nothing to count."""


@dataclass(frozen=True, eq=False, repr=False)
class Report(Reported):
    """The report of a result: the total, with ``intervals`` if they are given; every document if ``documents`` is set;
    the mean over documents if ``macro`` is set; and if ``by`` is a pattern, its groups (see `Result.by`) and the
    unweighted mean over them. ``system`` is the name of the response in tables for papers.

    The other fields are for the official layout, which lists the mentions of documents and needs the pairs of the
    result: ``listed`` are the metrics and groups of metrics as the user listed them, since several have headings, and
    the CoNLL average is printed only if it is listed. ``asked`` are the metrics in the order of the layout corefud, if
    that is not the order of the result; a metric may occur several times.
    """

    result: Result
    documents: bool = False
    by: str | None = None
    listed: Sequence[str] = ()
    macro: bool = False
    system: str = "response"
    intervals: Comparison | None = None
    asked: Sequence[str] | None = None

    @property
    def scoped(self) -> bool:
        """Whether there are other rows than those of the total."""
        return self.documents or self.macro or self.by is not None or bool(self.result.kind_counts)

    @cached_property
    def groups(self) -> dict[str, Scores]:
        """The scores of each group of documents."""
        return {} if self.by is None else self.result.by(self.by)

    @property
    def scopes(self) -> Iterator[tuple[str, str, _Values]]:
        """The scores of documents, groups, their mean, the mean over documents, kinds of mentions, and the total, each
        with its kind and name. A mean and the total have the name of their kind."""
        yield from self._of_result(DOCUMENT, self.result.documents if self.documents else {})
        yield from self._of_result(GROUP, self.groups)
        if self.groups:
            yield MEAN, MEAN, self.mean_values
        if self.macro:
            yield MACRO, MACRO, _values(self.result.mean)
        yield from self._of_result(KIND, self.result.kinds)
        yield from self._of_result(TOTAL, {TOTAL: self.result})

    def _of_result(self, kind: str, scopes: Mapping[str, Mapping[str, Score]]) -> Iterator[tuple[str, str, _Values]]:
        """Yield the scopes of a kind by name, with those of their scores empty that have nothing to count."""
        for name, scores in scopes.items():
            yield kind, name, _values(scores, self.result.uncounted(scores))

    @property
    def tables(self) -> list[Table]:
        """A row for each measure of each scope, and the fidelity of the text."""
        columns = [Column("kind", "kind", shown=False), Column("scope", "scope", shown=self.scoped), MEASURE]
        for score, heading in HEADINGS.items():
            columns.append(Column(score, heading, "percent", score=score))
            if self.intervals:
                ends = (Column(f"{score}_{end}", end, "percent", score=score) for end in Interval._fields)
                columns += [column._replace(spare=score != "f1") for column in ends]
        rows = [
            [kind, scope, measure, *self._cells(kind, measure, numbers)]
            for kind, scope, values in self.scopes
            for measure, numbers in values.items()
        ]
        return [Table("", columns, rows), *self._fidelity(every=True)]

    def _cells(self, kind: str, measure: str, numbers: Mapping[str, float]) -> Iterator[float | None]:
        """Yield the cells of scores, each with its interval if there are any, which only the total has."""
        for score in SCORES:
            yield numbers.get(score)
            if self.intervals:
                yield from (kind == TOTAL and self.intervals.ends.get(measure, {}).get(score)) or (None, None)

    @property
    def readable(self) -> list[Table]:
        return [self.tables[0], *self._fidelity(every=False)]

    def _fidelity(self, *, every: bool) -> list[Table]:
        """Return the fidelity of the text of the response as a table, if it is known; with ``every``, counts of 0
        included.
        """
        fidelity = self.result.fidelity
        if fidelity is None:
            return []
        scopes = [(TOTAL, TOTAL, fidelity.total)]
        if self.documents:
            scopes = [*((DOCUMENT, name, fidelity.of(number)) for number, name in enumerate(fidelity.names)), *scopes]
        rows: list[tuple[str, str, str, int | None, float | None]] = []
        for kind, scope, counts in scopes:
            rows.append((kind, scope, "fidelity", None, ratio(counts)))
            rows += [(kind, scope, name, count, None) for name, count in counts.items() if every or count]
        of_scope = Column("kind", "kind", shown=False), Column("scope", "scope", shown=self.documents)
        columns = *of_scope, Column("text", "text"), Column("count", "count", "count"), Column("share", "%", "percent")
        return [Table("fidelity of the text", columns, rows)]

    @property
    def paper(self) -> list[Table]:
        """One row for the response, or one for each scope; intervals are in a row below their scores."""
        rows: list[tuple[list[str], Mapping[str, Mapping[str, Any]]]] = []
        for kind, scope, values in self.scopes:
            rows.append(([scope if self.scoped else self.system], values))
            if kind == TOTAL and self.intervals:
                rows.append(([""], self.intervals.ends))
        measures = _main_measures(self.result.metrics, self.result)
        if self.result.settings.rules.of is not None:
            measures = [MENTIONS, *measures]
        first = Column("scope", "scope" if self.scoped else "system")
        text = self.result.fidelity
        notes = [] if text is None else [f"fidelity of the text: {fidelity_of(text)}"]
        return [paper(self.result.metrics, measures, before=[first], rows=rows, notes=notes)]

    @property
    def notes(self) -> Sequence[str]:
        if self.intervals is None:
            return ()
        scope = ["the intervals are those of the total"] if self.scoped else []
        return [*self.intervals.legend, *self.intervals.notes, *scope]

    @property
    def signature(self) -> str:
        signature = self.result.signature if self.intervals is None else self.intervals.signature
        return f"{signature} | average=documents" if self.macro else signature

    @property
    def mean_values(self) -> _Values:
        """The unweighted mean over groups."""
        groups = [_values(scores) for scores in self.groups.values()]
        return {
            measure: {
                score: float(summed(np.array([values[measure][score] for values in groups]))) / len(groups)
                for score in scores
            }
            for measure, scores in (groups[0] if groups else {}).items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints."""
        data = {**self.result.to_dict(documents=False), "signature": self.signature}
        if self.documents:
            if self.result.fidelity is not None:
                data["fidelity"] = self.result.fidelity.to_dict(documents=True)
            data["documents"] = Streamed(self.result.documents)
        if self.macro:
            data["macro"] = self.result.mean.to_dict()
        if self.intervals is not None:
            data["intervals"] = self.intervals.of_total
        if self.by is not None:
            data["by"] = self.by
            data["groups"] = Streamed(self.groups)
            data["mean"] = self.mean_values
        return data


def fidelity_of(text: Fidelity) -> str:
    """Return the fidelity of the text of a response in words."""
    what = described(text.total)
    return f"{percent(ratio(text.total))} %" + (f" ({what})" if what else "")


def _main_measures(metrics: Sequence[Metric], found: Collection[str]) -> list[str]:
    """List the measures that papers print: not the two parts of BLANC, and not mention identification unless it is the
    only one. ``found`` are the measures of the result, which may include the CoNLL average."""
    measures = []
    for metric in metrics:
        names = [measure.name for measure in metric.measures]
        measures += [metric.name] if metric.name in names else [name for name in names if name != metric.identification]
    return [*([name for name in measures if name != "mentions"] or measures), *([AVERAGE] if AVERAGE in found else [])]


def _values(scores: Mapping[str, Score], empty: Collection[tuple[str, str]] = ()) -> _Values:
    """Return scores by measure and score, without those of measures that lack them, and without the ``empty`` ones."""
    return {
        measure: {
            name: value
            for name in SCORES
            if (measure, name) not in empty and (value := known(getattr(score, name))) is not None
        }
        for measure, score in scores.items()
    }
