"""Units of resampling: documents with all their parts, parts, or groups of documents by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from corefscore.core.arrays import Floats, Ints, lists_by_key
from corefscore.core.documents import UNIT_SOURCES, part_of
from corefscore.core.errors import UsageError, listed
from corefscore.core.findings import plural
from corefscore.core.items import Numbers
from corefscore.matching.units import whole
from corefscore.metrics import metrics_of
from corefscore.metrics.base import SCORES, Metric, summed
from corefscore.scoring.results import REST, Result, UnitCounts, by_group, compiled, group_of, values
from corefscore.statistics.significance import Sample, over_runs, statistics

DOCUMENT, PART, JOINED = UNITS = "document", "part", "parts-joined"
"""Documents with all their parts, since the parts of a document are similar; each part by itself, like the documents of
the official scorer; and an older name for the first."""

_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]*)", re.DOTALL)
"""The names that models give to parts of documents in JSON lines."""


def _unit_names(documents: Sequence[str], unit: str) -> list[str]:
    """Return the unit of each document; ``unit`` is one of `UNITS`, or a regular expression as for ``--by``.

    Raises `UsageError` for documents that the expression does not match, and for an invalid expression.
    """
    if unit == PART:
        return list(documents)
    if unit in (DOCUMENT, JOINED):
        return _joined_parts(documents)
    form = compiled("--unit", unit)
    groups = [group_of(form, name) for name in documents]
    if unmatched := [name for name, group in zip(documents, groups, strict=True) if group is None]:
        nothing = f"--unit {unit!r} matches nothing in the name of {plural(len(unmatched), 'document')}"
        raise UsageError(f"{nothing}; every document has to belong to a unit:{listed(unmatched)}")
    return [group for group in groups if group is not None]


def _joined_parts(names: Sequence[str]) -> list[str]:
    """Return the document of each part: ``(X)`` for ``(X); part 003``, and X for ``X_3``; any other name is a document.

    ``X_3`` can also be a document of its own. It is treated as a part only if all names have this form, there are
    several X, and the numbers of each X run from 0 without a gap.
    """
    if not any(part_of(name) for name in names):
        return _numbered_parts(names) or list(names)
    return [f"({part[0]})" if (part := part_of(name)) else name for name in names]


def _numbered_parts(names: Sequence[str]) -> list[str]:
    """Return the X of each ``X_3``; an empty list if the names may not be those of parts."""
    matches = [match for match in map(_NUMBERED.fullmatch, names) if match]
    numbers = lists_by_key((match[1], int(match[2])) for match in matches)
    certain = len(numbers) > 1 and all({*parts} == {*range(len({*parts}))} for parts in numbers.values())
    return [match[1] for match in matches] if certain and len(matches) == len(names) else []


def sample(
    results: Sequence[Result],
    measures: Collection[str],
    unit: str = DOCUMENT,
    by: str | None = None,
    *,
    averaged: bool = False,
    runs: Sequence[int] | None = None,
) -> Sample:
    """Return the counts of several systems, summed by unit; all results have the same key.

    If the results are those of runs, ``runs`` has the number of the system of each, rising.

    ``by`` divides documents into groups like `Result.by`, and scores are then means over groups; ``averaged`` scores
    are means over documents (`Result.mean`).

    Raises `UsageError` for a pattern that matches no name, for a unit with documents of several groups, and for results
    with different documents.
    """
    first = results[0]
    needed = {name for measure in measures for name in metrics_of(measure, first.metrics)}
    metrics = [metric for metric in first.metrics if metric.name in needed]
    if averaged and unit.startswith(UNIT_SOURCES):
        raise UsageError(
            f"--unit {unit}: units within documents cannot be combined with means over documents; leave --average out"
        )
    rows = [_rows(result, metrics, unit) for result in results]
    if len({(result.key, *result.names) for result in results}) > 1:
        raise UsageError(
            "windows and distances are in the tokens of the responses, and these have different tokens or lengths; "
            "give a key with words, use --align, or leave --window and --of distance out"
        )
    groups = [REST] * len(first.names) if by is None else first.groups(by)
    order, of_ordered, stratum, strata = _units(rows[0], groups, first.names)
    numbers = {group: number for number, group in enumerate(strata)}
    of_document = np.array([numbers.get(group, -1) for group in groups])
    of_row = None if runs is None else np.array(runs, dtype=np.int64)
    counts, observed = [], []
    for result, of_result in zip(results, rows, strict=True):
        of_documents = _scores(result, measures) if averaged else _columns(result.counts, metrics)
        counts.append(by_group(of_ordered, (of_documents if averaged else _columns(of_result.counts, metrics))[order]))
        sums = np.stack([summed(of_documents[of_document == number]) for number in range(len(numbers))])
        observed.append(statistics(metrics, measures, sums, averaged=averaged))
    are_joined = unit in (DOCUMENT, JOINED) and len(stratum) < len(order)
    return Sample(
        metrics,
        measures,
        np.stack(counts),
        stratum,
        over_runs(np.stack(observed), of_row),
        parts="joined" if are_joined else None,
        groups=strata,
        averaged=averaged,
        # In means over documents, a score that has nothing to count is 0.
        uncounted=None if averaged else over_runs(_uncounted(results, measures), of_row) == 1,
        runs=of_row,
    )


def _uncounted(results: Sequence[Result], measures: Collection[str]) -> Floats:
    """Return 1 for each score that has nothing to count, else 0: results x measures x scores."""
    of_results = [result.uncounted(result) for result in results]
    rows = [[[(name, score) in empty for score in SCORES] for name in measures] for empty in of_results]
    return np.array(rows, dtype=np.float64)


def _rows(result: Result, metrics: Sequence[Metric], unit: str) -> UnitCounts:
    """Return the rows of counts that are summed by unit: the documents of a result, or the units within documents.

    Raises `UsageError` for a metric whose counts do not add up over the units within documents, and for a result
    without such units.
    """
    if not unit.startswith(UNIT_SOURCES):
        documents = result.names
        if unit in (DOCUMENT, JOINED) and result.settings.rules.window is not None:
            # The windows of a document are similar, like its parts.
            documents = [whole(name) for name in documents]
        return UnitCounts(_unit_names(documents, unit), np.arange(len(result.names)), result.counts)
    if result.units is None:
        raise UsageError(f"--unit {unit}: this result has no units within documents; score again with this unit")
    for metric in metrics:
        counts = result.units.counts.get(metric.name)
        of_documents = summed(result.counts[metric.name])
        if counts is None or not np.allclose(summed(counts), of_documents, rtol=1e-9, atol=1e-9):
            raise UsageError(
                f"--unit {unit}: the counts of {metric.name} do not add up over units within documents, since they "
                "include pairs of mentions of different units; leave it out of --measures, or make each unit a document"
            )
    return result.units


def _scores(result: Result, measures: Collection[str]) -> Floats:
    """Return the scores of each document, documents x (measures x scores), and a last column of ones to count
    documents.
    """
    scores = values(result.metrics, result.counts)
    columns = [getattr(scores[measure], score) for measure in measures for score in SCORES]
    return np.stack([*columns, np.ones(len(result.names))], axis=1)


def _columns(counts: Mapping[str, Floats], metrics: Sequence[Metric]) -> Floats:
    """Return the counts of some metrics, rows x columns."""
    of_metrics = [counts[metric.name] for metric in metrics]
    return np.concatenate([array.reshape(len(array), -1) for array in of_metrics], axis=1)


def _units(rows: UnitCounts, groups: Sequence[str], documents: Sequence[str]) -> tuple[Ints, Ints, Ints, Sequence[str]]:
    """Sort rows into units; ``groups`` and ``documents`` are the groups and the names of the documents.

    Units are by group, then by name, so that neither the order of documents nor names of groups decide what is drawn.
    Returns the numbers of the rows by unit and document, the unit of each of them, the number of the group of each
    unit, which never falls, and the names of groups.

    Raises `UsageError` for a unit with documents of several groups.
    """
    of = [groups[document] for document in rows.document.tolist()]
    names = [(unit, documents[document]) for unit, document in zip(rows.names, rows.document.tolist(), strict=True)]
    by_name = sorted(range(len(names)), key=names.__getitem__)
    number = {group: at for at, group in enumerate(dict.fromkeys(of[row] for row in by_name))}
    order = sorted(by_name, key=lambda row: number[of[row]])
    units = [(rows.names[row], of[row]) for row in order]
    groups_of = lists_by_key(dict.fromkeys(units))
    if divided := [unit for unit, its in groups_of.items() if len(its) > 1]:
        raise UsageError(
            f'the unit "{min(divided)}" has documents of several groups: {", ".join(groups_of[min(divided)])}; '
            "a unit is resampled as a whole; choose a --unit within one group, or leave --by out"
        )
    stratum = np.array([number[its[0]] for its in groups_of.values()], dtype=np.int64)
    return np.array(order, dtype=np.int64), Numbers().of([unit for unit, _ in units]), stratum, list(number)
