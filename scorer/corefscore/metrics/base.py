"""A metric as a row of the table of metrics: what it counts, its measures, its options and its description.

Counts are summed first and divided last, and only here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.errors import UsageError, suggested
from corefscore.core.names import NameOptions, name_options
from corefscore.core.records import NamedTuple, check_options, dataclass, declared, replace
from corefscore.core.records import Option as Option  # noqa: PLC0414 - metrics of other packages import it from here

SCORES = ("recall", "precision", "f1")
"""The scores of a measure, in the order that they have in arrays and tables."""


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Divide: numerator / denominator, and 0 if the denominator is 0 (recorded cases empty-key, empty-response)."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    if denominator.all():  # much faster than with a mask
        return np.divide(numerator, denominator, out=np.empty(numerator.shape))
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """Return 2 P R / (P + R), 0 if both are 0; multiplied in this order, like in the official scorer."""
    return quotient(2 * precision * recall, precision + recall)


class Ratios(NamedTuple):
    """Numerators and denominators: one number each, or one for each document, group or trial."""

    numerator: Floats
    denominator: Floats


class Counts(NamedTuple):
    """The counts of one measure: recall and precision before division."""

    recall: Ratios
    precision: Ratios


def shares(common: Floats, key: Floats, response: Floats) -> Counts:
    """Return the counts of a measure whose recall is common / key, and its precision common / response."""
    return Counts(Ratios(common, key), Ratios(common, response))


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The scores of a measure, from 0 to 1: one number each, or one for each document, group or trial.

    The ratios contain the counts of recall and precision.
    """

    recall_counts: Ratios
    precision_counts: Ratios
    f1: Floats

    @cached_property
    def recall(self) -> Floats:
        return quotient(*self.recall_counts)

    @cached_property
    def precision(self) -> Floats:
        return quotient(*self.precision_counts)


def divided(counts: Counts) -> Values:
    """Recall, precision and F1 of counts."""
    recall, precision = quotient(*counts.recall), quotient(*counts.precision)
    found = Values(*counts, f1(recall, precision))
    vars(found).update(recall=recall, precision=precision)  # these need not be divided again
    return found


def combined(recall: Floats, precision: Floats, f1: Floats) -> Values:
    """Return the values of a measure that combines others, whose counts are the scores over 1."""
    ones = np.ones(recall.shape)
    found = Values(Ratios(recall, ones), Ratios(precision, ones), f1)
    vars(found).update(recall=recall, precision=precision)
    return found


def packed(measures: Sequence[Counts]) -> Floats:
    """Return the counts of measures as one array of the shape documents x measures x 4.

    The four are the numerator and denominator of recall, then of precision.
    """
    return np.stack([np.stack([*counts.recall, *counts.precision], axis=-1) for counts in measures], axis=-2)


def unpacked(array: Floats) -> list[Counts]:
    """Return the counts in an array of the shape ... x measures x 4."""
    return [
        Counts(Ratios(array[..., row, 0], array[..., row, 1]), Ratios(array[..., row, 2], array[..., row, 3]))
        for row in range(array.shape[-2])
    ]


def summed(array: Floats) -> Floats:
    """Return the sum over documents (the first axis), added from left to right.

    `numpy.cumsum` adds in order; `numpy.sum` adds pairwise, which changes the last bit.
    """
    if not len(array):
        return np.zeros(array.shape[1:])
    total: Floats = np.cumsum(array, axis=0)[-1].copy()  # without the sums before it
    return total


class Measure(NamedTuple):
    """A named score of a metric, and its label in the official layout. ``title`` is its name in papers, if it has
    another one there.

    ``combine`` computes it from all counts of the metric, and takes the metric's options by keyword. Without it, the
    measure is the quotient of its own counts, in the order in which `Metric.count` returns them.
    """

    name: str
    label: str
    combine: Callable[..., Values] | None = None
    title: str = ""


WHOLE, NAMED, NODES = "whole", "named", "nodes"

VIEWS: Mapping[str, tuple[Option, ...]] = {WHOLE: (), NAMED: declared(NameOptions), NODES: ()}
"""The views of documents that a metric can count, with the options of each: all mentions, named mentions only
(`corefscore.matching.named`), or mentions with their words (`corefscore.matching.mentions.Alignment`)."""


def _none(**_: Any) -> int:
    """Count nothing more."""
    return 0


@dataclass(frozen=True, eq=False, repr=False)
class Metric:
    """One row of the table of metrics.

    What it counts:

    - ``count``: from an `Overlap` (for the view `NODES` an `Alignment`) to one `Counts`, each part with one value a
      document, for each measure that is not combined, and then as many as ``more`` says that only combined measures
      read.
    - ``terms``: the same with one value a mention (`corefscore.metrics.members`), for metrics that can be restricted to
      kinds of mentions.
    - ``view``: the view of documents that it counts, one of `VIEWS`.
    - ``corefud``: its measures by the definitions of the official CorefUD scorer, if these are different.
    - ``additive``: whether the counts of parts of a document that share no entity add up to those of the document.

    The official layout:

    - ``heading``: the text before its totals.
    - ``per_document``: whether it has a result line under each document.
    - ``identification``: the measure of mention identification that is printed first; a measure of its own if it does
      not count all mentions.

    ``cite`` are the keys of its papers in ``papers.bib``.
    """

    name: str
    title: str
    definition: tuple[str, str]
    paper: str
    use: str
    measures: tuple[Measure, ...]
    count: Callable[..., Sequence[Counts]]
    terms: Callable[..., Sequence[Counts]] | None = None
    note: str = ""
    view: str = WHOLE
    options: tuple[Option, ...] = ()
    heading: str = ""
    per_document: bool = True
    identification: str = "mentions"
    additive: bool = True
    more: Callable[..., int] = _none
    corefud: tuple[Measure, ...] | None = None
    cite: tuple[str, ...] = ()

    def given(self, own: Mapping[str, Any], definitions: str | None = None) -> Metric:
        """Pass the values of its options, by keyword, to its functions and those of its measures, which are those of an
        official scorer: conll or corefud."""
        measures = self.corefud if definitions == "corefud" and self.corefud else self.measures
        values = {option.name: own[option.name] for option in self.options if option.name in own}
        if not values:
            return self if measures is self.measures else replace(self, measures=measures)
        bound = [its._replace(combine=its.combine and partial(its.combine, **values)) for its in measures]
        return replace(
            self,
            count=partial(self.count, **values),
            terms=self.terms and partial(self.terms, **values),
            more=partial(self.more, **values),
            measures=tuple(bound),
        )

    @property
    def width(self) -> int:
        """Count what ``count`` returns for a document."""
        return sum(measure.combine is None for measure in self.measures) + self.more()


def options_of(metrics: Sequence[Metric]) -> list[Option]:
    """List the options of several metrics without duplicates."""
    return list(dict.fromkeys(option for metric in metrics for option in (*metric.options, *VIEWS[metric.view])))


def own_values(metrics: Sequence[Metric], given: Mapping[str, Any]) -> tuple[dict[str, Any], NameOptions | None]:
    """Find the values of the options of some metrics by keyword, from ``given`` or the defaults; and the options about
    named entities among them, None if no metric counts named mentions.

    Implied options are left out if they have their default. Raises `UsageError` for an unknown option and for an
    invalid value.
    """
    options = options_of(metrics)
    known = [option.name for option in options]
    if unknown := sorted(given.keys() - known):
        hint = suggested(unknown[0], known) if known else "they have no options"
        raise UsageError(f"unknown option {', '.join(unknown)} of these metrics; {hint}")
    names = name_options(given) if any(metric.view == NAMED for metric in metrics) else None
    if names is not None:
        given = {**given, **vars(names)}
    values = {option.name: given.get(option.name, option.default) for option in options}
    check_options(options, values)
    implied = {option.name for option in options if option.implied and values[option.name] == option.default}
    return {name: value for name, value in values.items() if name not in implied}, names
