"""What is resampled: documents with all their parts, parts, or groups of documents by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.alignment.windows import whole
from corefscore.checking.findings import plural
from corefscore.documents.arrays import Bools, Floats, Ints
from corefscore.documents.model import is_within, part_of
from corefscore.errors import UsageError
from corefscore.metrics.counts import SCORES, summed
from corefscore.metrics.measures import metrics_of
from corefscore.metrics.row import Metric
from corefscore.results import REST, Result, compiled, group_of, values
from corefscore.statistics.significance import Sample, means, statistics

DOCUMENT, PART, JOINED = UNITS = "document", "part", "parts-joined"
"""Documents with all their parts, since parts of one document are alike; each part by itself, as the official scorer
counts; and an older word for the first."""

NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]*)", re.DOTALL)
"""How models name the part of a document in JSON lines."""

NAMES_SHOWN = 10
"""How many names a message about documents lists."""


def unit_names(documents: Sequence[str], unit: str) -> list[str]:
    """The unit of each document; ``unit`` is one of `UNITS`, or a regular expression as for ``--by``.

    Raises `UsageError` for documents that the expression does not match, and for what is no expression.
    """
    if unit == PART:
        return list(documents)
    if unit in (DOCUMENT, JOINED):
        return joined_parts(documents)
    form = compiled(unit)
    found = [(name, group_of(form, name)) for name in documents]
    unmatched = [name for name, group in found if group is None]
    if unmatched:
        raise UsageError(
            f"--unit {unit!r} matches nothing in the name of {plural(len(unmatched), 'document')}; "
            f"every document has to belong to a unit:{_some(unmatched)}"
        )
    return [group for _, group in found if group is not None]


def joined_parts(names: Sequence[str]) -> list[str]:
    """The document of each part: ``(X)`` of ``(X); part 003``, and X of ``X_3``; any other name is a document.

    ``X_3`` can as well be the fourth of many documents. It is a part only where all names have this form, there are
    several X, and the numbers of each run from 0 without a gap.
    """
    if not any(part_of(name) for name in names):
        return _numbered_parts(names) or list(names)
    return [f"({part[0]})" if (part := part_of(name)) else name for name in names]


def _numbered_parts(names: Sequence[str]) -> list[str]:
    """The X of each ``X_3``; nothing where these are not certain to be parts."""
    numbers: dict[str, set[int]] = {}
    found = []
    for name in names:
        match = NUMBERED.fullmatch(name)
        if match is None:
            return []
        found.append(match[1])
        numbers.setdefault(match[1], set()).add(int(match[2]))
    certain = len(numbers) > 1 and all(its == set(range(len(its))) for its in numbers.values())
    return found if certain else []


def _some(names: Sequence[str]) -> str:
    """The first names of several, a line each."""
    more = f"\n  and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return "".join(f'\n  "{name}"' for name in names[:NAMES_SHOWN]) + more


def sample(
    results: Sequence[Result],
    measures: Collection[str],
    unit: str = DOCUMENT,
    by: str | None = None,
    *,
    averaged: bool = False,
) -> Sample:
    """The counts of several systems, summed by unit; the results are those of one key.

    ``by`` makes groups of documents as `Result.by` does, over which scores are averaged; ``averaged`` scores are means
    over documents (`Result.mean`).

    Raises `UsageError` for a pattern that fits not, and for a unit that lies in more than one group.
    """
    first = results[0]
    needed = {name for measure in measures for name in metrics_of(measure, first.metrics)}
    metrics = [metric for metric in first.metrics if metric.name in needed]
    if averaged and is_within(unit):
        raise UsageError(f"--unit {unit}: means over documents have no units within documents; leave --average out")
    rows = [_rows(result, metrics, unit) for result in results]
    if len({len(result.names) for result in results}) > 1:
        raise UsageError(
            "the responses have other documents than each other, as windows of texts of different lengths are; give "
            "responses on the tokens of the key, or leave --window out"
        )
    names = rows[0].names
    groups = [REST] * len(first.names) if by is None else first.groups(by)
    if by is not None and set(groups) == {REST}:
        raise UsageError(
            f"--by {by!r} matches nothing in the name of {plural(len(groups), 'document')}, so that there are no "
            f"groups:{_some(first.names)}"
        )
    stratum_of_document = _numbered(groups)
    unit_of_row, of_row = _numbered(names), rows[0].document
    stratum = _stratum(names, [groups[document] for document in of_row], unit_of_row, stratum_of_document[of_row])
    order = np.argsort(stratum, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    counts, observed = [], []
    for result, its in zip(results, rows, strict=True):
        columns = _scores(result, measures) if averaged else _columns(result.counts, metrics)
        counts.append(_by_unit(columns if averaged else its.columns, place[unit_of_row], len(order)))
        sums = np.stack(
            [summed(columns[stratum_of_document == group]) for group in range(int(stratum_of_document.max()) + 1)]
        )
        observed.append(means(measures, sums) if averaged else statistics(metrics, measures, sums))
    parts = "joined" if unit in (DOCUMENT, JOINED) and len(order) < len(names) else None
    strata = list(dict.fromkeys(groups))
    # In means over documents what has nothing to count is 0.
    uncounted = None if averaged else np.stack([_uncounted(result, measures) for result in results])
    return Sample(
        *(metrics, measures, np.stack(counts), stratum[order], np.stack(observed), parts, strata, averaged, uncounted)
    )


def _uncounted(result: Result, measures: Collection[str]) -> Bools:
    """The scores of a result that have nothing to count: measures x scores."""
    empty = result.uncounted(result)
    return np.array([[(measure, score) in empty for score in SCORES] for measure in measures], dtype=np.bool_)


class _Rows(NamedTuple):
    """What is summed by unit: rows x columns, and the unit and the document of each row."""

    names: Sequence[str]
    document: Ints
    columns: Floats


def _rows(result: Result, metrics: Sequence[Metric], unit: str) -> _Rows:
    """The documents of a result, or the units within them.

    Raises `UsageError` for a metric whose counts do not add up over units within documents to those of documents.
    """
    columns = _columns(result.counts, metrics)
    if not is_within(unit):
        names = unit_names(_whole(result) if unit in (DOCUMENT, JOINED) else result.names, unit)
        return _Rows(names, np.arange(len(result.names)), columns)
    if result.units is None:
        raise UsageError(f"--unit {unit}: this result was made without units within documents; score with them")
    for metric in metrics:
        its = result.units.counts.get(metric.name)
        whole = summed(_columns(result.counts, [metric]))
        if its is None or not np.allclose(summed(_columns({metric.name: its}, [metric])), whole, rtol=1e-9, atol=1e-9):
            raise UsageError(
                f"--unit {unit}: the counts of {metric.name} do not add up over units within documents, since pairs of "
                "mentions of different units count, too; leave it out of --measures, or make each unit a document"
            )
    return _Rows(result.units.names, result.units.document, _columns(result.units.counts, metrics))


def _scores(result: Result, measures: Collection[str]) -> Floats:
    """The scores of each document, documents x (measures x scores), and 1 for its number."""
    found = values(result.metrics, result.counts)
    columns = [getattr(found[measure], score) for measure in measures for score in SCORES]
    return np.stack([*columns, np.ones(len(result.names))], axis=1)


def _columns(counts: Mapping[str, Floats], metrics: Sequence[Metric]) -> Floats:
    """The counts of some metrics, rows x columns."""
    return np.concatenate([counts[each.name].reshape(len(counts[each.name]), -1) for each in metrics], axis=1)


def _whole(result: Result) -> Sequence[str]:
    """The documents of a result; the windows of one are alike as its parts are, and bear its name."""
    return result.names if result.settings.rules.window is None else [whole(name) for name in result.names]


def _numbered(names: Sequence[str]) -> Ints:
    """The number of each name, counted from 0 in the order of first appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _stratum(names: Sequence[str], groups: Sequence[str], unit: Ints, stratum: Ints) -> Ints:
    """The group of each unit."""
    found: Ints = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    found[unit] = stratum
    astray = np.flatnonzero(found[unit] != stratum)
    if len(astray):
        name = names[astray[0]]
        its = dict.fromkeys(group for group, each in zip(groups, names, strict=True) if each == name)
        raise UsageError(
            f'the unit "{name}" has documents of several groups: {", ".join(its)}; '
            "a unit is resampled as a whole, so --by must not cut through it"
        )
    return found


def _by_unit(columns: Floats, unit: Ints, count: int) -> Floats:
    """The sums of documents x columns by unit."""
    found = np.zeros((count, columns.shape[1]))
    np.add.at(found, unit, columns)
    return found
