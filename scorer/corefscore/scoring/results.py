"""Results: the scores of documents, of groups of documents and of all together, from counts per document."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import numpy as np

from corefscore.core import __version__
from corefscore.core.arrays import Floats, Ints, sums
from corefscore.core.errors import UsageError, listed, suggested
from corefscore.core.findings import Finding, plural
from corefscore.core.percent import percent
from corefscore.core.records import NamedTuple, dataclass, field
from corefscore.matching.pairing import Pairs
from corefscore.matching.text.fidelity import Fidelity
from corefscore.metrics import AVERAGE, GROUPS, MENTIONS, NAMES, blaming, named
from corefscore.metrics.base import SCORES, Metric, Ratios, Values, combined, divided, summed, unpacked
from corefscore.scoring.settings import Settings

SCHEMA = 3
"""The version of the JSON layout, which rises with every incompatible change."""

SAME_SCORES = (1, 2, SCHEMA)
"""The versions with the same scores in the same fields; ``docs/json.md`` has what changed."""

DOCUMENT, KIND, TOTAL = "document", "kind", "total"
"""The names of scopes in data: a document, a kind of mentions in all documents, and all documents together."""

REST = "(no match)"
"""The group of documents whose names a grouping pattern does not match."""


def values(metrics: Sequence[Metric], counts: Mapping[str, Floats]) -> dict[str, Values]:
    """Return the values of every measure, and of the CoNLL average if its three metrics are given.

    ``counts`` are by metric, each of the shape ... x measures that are not combined x 4. The leading axes are also
    those of the values: none for a total, one for documents or trials of a test. Raises `UsageError` for a metric of
    another package that cannot combine its counts.
    """
    found: dict[str, Values] = {}
    for metric in metrics:
        rest = iter(parts := unpacked(counts[metric.name]))
        with nullcontext() if metric.name in (*NAMES, MENTIONS) else blaming(metric):
            for measure in metric.measures:
                found[measure.name] = its = measure.combine(parts) if measure.combine else divided(next(rest))
                if its.f1.shape != (shape := parts[0].recall.numerator.shape):
                    raise ValueError(f"{measure.name} has values of the shape {its.f1.shape}; expected {shape}")
    if all(name in found for name in GROUPS[AVERAGE]):
        found[AVERAGE] = average([found[name] for name in GROUPS[AVERAGE]])
    return found


def average(measures: Sequence[Values]) -> Values:
    """Return the CoNLL average: the mean of the F1 of MUC, B-cubed and CEAF-e, and the means of their recall and
    precision.

    Source: the CoNLL-2011 shared task, which defines the F1 alone; training logs print the means of recall and
    precision beside it, so this F1 is not that of this recall and precision. Added from left to right, since the
    official layout truncates the F1.
    """
    return combined(*(sum(getattr(values, score) for values in measures) / len(measures) for score in SCORES))


class Ratio(NamedTuple):
    """The counts of a recall or precision."""

    numerator: float
    denominator: float


class Score(NamedTuple):
    """One measure of one document, group or total: recall, precision and F1, from 0 to 1. These are the first three
    values: ``recall, precision, f1 = result["lea"][:3]``.

    ``recall_counts`` and ``precision_counts`` are their numerators and denominators; for a measure that combines others
    (BLANC, the CoNLL average) the value itself over 1.
    """

    recall: float
    precision: float
    f1: float
    recall_counts: Ratio
    precision_counts: Ratio

    def to_dict(self) -> dict[str, float | int]:
        """Return the measure as the JSON layout has it; see ``docs/json.md``."""
        found = dict(zip(SCORES, self[:3], strict=True))
        for side, counts in (("recall", self.recall_counts), ("precision", self.precision_counts)):
            for part, number in counts._asdict().items():
                found[f"{side}_{part}"] = int(number) if number.is_integer() else number
        return {name: number for name, number in found.items() if not math.isnan(number)}


class Scores(Mapping[str, Score]):
    """The scores of one document, one group of documents, or all: a mapping from measure to `Score`.

    Mention identification is the measure ``mentions``, the CoNLL average ``conll``. Other names
    (`corefscore.metrics.OTHER_NAMES`) are accepted. ``found`` are the values of every measure, ``row`` is the index of
    their row, () if they are single numbers. Raises `KeyError` for a measure that was not scored.
    """

    _row: int | tuple[()] = ()

    def __init__(self, found: Mapping[str, Values], row: int | tuple[()] = ()) -> None:
        self._found, self._row = found, row

    @property
    def found(self) -> Mapping[str, Values]:
        """The values of every measure."""
        return self._found

    def __getitem__(self, measure: str) -> Score:
        values = self.found.get(named(measure)) if isinstance(measure, str) else None
        if values is None:
            raise KeyError(f'there is no measure "{measure}"; {suggested(str(measure), self.found)}')
        numbers = [float(array[self._row]) for array in (*values[:3], *values.recall_counts, *values.precision_counts)]
        # Always the same NaN, so that equal scores compare equal.
        recall, precision, f1, *counts = (math.nan if math.isnan(number) else number for number in numbers)
        return Score(recall, precision, f1, Ratio(*counts[:2]), Ratio(*counts[2:]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        return f"<F1: {', '.join(f'{name} {score.f1:.4f}' for name, score in self.items())}>"

    @property
    def mentions(self) -> Score:
        """The score of mention identification."""
        return self[MENTIONS]

    @property
    def conll(self) -> float:
        """The F1 of the CoNLL average. Raises `KeyError` if MUC, B-cubed or CEAF-e was not scored."""
        if AVERAGE not in self:
            raise KeyError("the CoNLL average needs the metrics " + ", ".join(GROUPS[AVERAGE]))
        return self[AVERAGE].f1

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as the JSON layout has them; see ``docs/json.md``."""
        return {name: score.to_dict() for name, score in self.items()}


class UnitCounts(NamedTuple):
    """The counts of units within documents (`corefscore.matching.units`), with one row for each unit of each document:
    its name, the number of its document, and the counts of additive metrics by name. Rows with the same name are one
    unit."""

    names: Sequence[str]
    document: Ints
    counts: Mapping[str, Floats]


class Listed(NamedTuple):
    """What layouts and reports list of documents besides scores, in one view: ``key_copies``, the number of key
    mentions of each document, copies included; ``messages``, the lines about repeats by document; and the ``pairs`` of
    documents, if they were kept."""

    key_copies: Floats
    messages: Mapping[int, Sequence[str]]
    pairs: Sequence[Pairs]


@dataclass(frozen=True, eq=False, repr=False)
class Result(Scores):
    """The result of scoring: the scores of the total, as a mapping from measure to `Score`, and of every document.

    - ``names``, ``files``: the names of the documents and their files in the key, in the order of the key.
    - ``counts``: by metric, an array of documents x measures that are not combined x 4
      (`corefscore.metrics.base.packed`).
    - ``settings``: everything that can change a score except the files.
    - ``notices``: what was odd.
    - ``listed``: the data of the official layout, by view (`corefscore.metrics.base.VIEWS`).
    - ``fidelity``: how much of the text of the response is that of the key, if its words had to be found there.
    - ``kind_counts``: the counts of the kinds of a division, by name.
    - ``units``: the counts of units within documents, if these were requested.
    """

    metrics: Sequence[Metric]
    names: Sequence[str]
    counts: Mapping[str, Floats]
    settings: Settings
    notices: Sequence[Finding] = ()
    listed: Mapping[str, Listed] = field(default_factory=dict)
    files: Sequence[str] = ()
    fidelity: Fidelity | None = None
    kind_counts: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    units: UnitCounts | None = None

    def __repr__(self) -> str:
        return f"<Result of {plural(len(self.names), 'document')}, {repr(self.total)[1:]}"

    @cached_property
    def found(self) -> Mapping[str, Values]:
        """The values of every measure for all documents together."""
        return self._together(self.counts)

    def _together(self, counts: Mapping[str, Floats]) -> dict[str, Values]:
        """Return the values of every measure for the sums of counts."""
        return values(self.metrics, {name: summed(array) for name, array in counts.items()})

    @property
    def total(self) -> Scores:
        """The scores of all documents together."""
        return Scores(self.found)

    @cached_property
    def documents(self) -> Mapping[str, Scores]:
        """The scores of each document, by name, in the order of the key."""
        found = values(self.metrics, self.counts)  # divided all at once: one by one would take longer than scoring
        return {name: Scores(found, row) for row, name in enumerate(self.names)}

    @cached_property
    def kinds(self) -> Mapping[str, Scores]:
        """The scores of each kind of a division (``of="size"``) for all documents together, by name."""
        return {kind: Scores(self._together(counts)) for kind, counts in self.kind_counts.items()}

    @cached_property
    def mean(self) -> Scores:
        """The mean over documents (macro): the unweighted mean of each score over all documents. The score of a
        document with nothing to count is 0. The mean F1 is not the F1 of the mean recall and precision.

        Counts are the sum over documents and the number of documents.
        """
        size = np.array(float(len(self.names)))
        found: dict[str, Values] = {}
        for name, of_documents in values(self.metrics, self.counts).items():
            recall, precision, f1 = map(summed, of_documents[:3])
            counts = Ratios(recall, size), Ratios(precision, size)
            found[name] = Values(recall / size, precision / size, f1 / size, *counts)
        return Scores(found)

    def uncounted(self, scores: Mapping[str, Score]) -> set[tuple[str, str]]:
        """Return the (measure, score) pairs of kinds of mentions that have nothing to count, which tables leave empty.

        ``scores`` are scores of this result. Without kinds of mentions the set is empty, and such scores are 0.

        A score has nothing to count if it is the same whether nothing is found or everything, such as a quotient whose
        denominator is 0. The CoNLL average has nothing if one of its three metrics has nothing.
        """
        if self.settings.rules.of is None:
            return set()
        sizes = {metric.name: _denominators(metric, scores) for metric in self.metrics}
        none, every = (
            values(self.metrics, {name: size * (share, 1, share, 1) for name, size in sizes.items()})
            for share in (0, 1)
        )
        empty = {
            measure: {score for score in SCORES if getattr(none[measure], score) == getattr(every[measure], score)}
            for measure in none
        }
        if AVERAGE in empty:
            empty[AVERAGE] = set().union(*(empty[metric] for metric in GROUPS[AVERAGE]))
        return {(measure, score) for measure, of_measure in empty.items() for score in of_measure}

    def groups(self, pattern: str) -> list[str]:
        """Return the name of the group of each document, see `by`. Raises as `by` does."""
        if pattern == _BY_FILE:
            if not self.files:
                raise UsageError(f"--by {_BY_FILE}: the documents are not in files; give a pattern for their names")
            folder = os.path.commonpath([os.path.dirname(path) for path in self.files])
            return [os.path.relpath(path, folder or ".") for path in self.files]
        form = compiled("--by", pattern)
        groups = [group_of(form, name) or REST for name in self.names]
        if set(groups) == {REST}:
            nothing = f"--by {pattern!r} matches none of the names of {plural(len(groups), 'document')}"
            raise UsageError(f"{nothing}, so there are no groups; the names:{listed(self.names)}")
        return groups

    def by(self, pattern: str) -> dict[str, Scores]:
        """Return the scores of each group of documents. The group of a document is the match of the pattern in its
        name, or the first bracket of the pattern; documents without a match are in the group `REST`. With `_BY_FILE` it
        is the file of the key that contains the document.

        Raises `UsageError` for a pattern that is not a regular expression, or that matches no name.
        """
        groups: dict[str, int] = {}
        number = np.array([groups.setdefault(group, len(groups)) for group in self.groups(pattern)], dtype=int)
        # All groups are in the same arrays, since there may be as many as documents.
        found = values(self.metrics, {name: by_group(number, array) for name, array in self.counts.items()})
        return {group: Scores(found, row) for group, row in groups.items()}

    @property
    def key(self) -> str | None:
        """The fingerprint of the key (`corefscore.core.documents`)."""
        return self.settings.key

    @property
    def signature(self) -> str:
        """The signature of the settings (`corefscore.scoring.settings.Settings.signature`)."""
        return self.settings.signature

    def to_frame(self, documents: bool = True) -> Any:
        """Return the scores as a data frame of pandas or polars, with a row for each measure of each document (unless
        ``documents`` is false), of each kind of a division, and of the total. The column ``kind`` says which of these
        it is. Values are from 0 to 1.

        Raises `UsageError` if neither library is installed (`corefscore.core.frames`).
        """
        from corefscore.core.frames import frame

        groups = {DOCUMENT: self.documents if documents else {}, KIND: self.kinds, TOTAL: {TOTAL: self.total}}
        rows = [
            (kind, scope, measure, *score[:3])
            for kind, scopes in groups.items()
            for scope, scores in scopes.items()
            for measure, score in scores.items()
        ]
        return frame(("kind", "scope", "measure", *SCORES), rows)

    def _repr_html_(self) -> str:
        from corefscore.core.frames import signed, table

        empty = self.uncounted(self.total)

        def cell(measure: str, score: str) -> str:
            value = getattr(self[measure], score)
            return "" if math.isnan(value) or (measure, score) in empty else percent(value)

        rows = [(measure, *(cell(measure, score) for score in SCORES)) for measure in self]
        return signed([table(("measure", "R", "P", "F1"), rows, [True, False, False, False])], (), self.signature)

    def to_dict(self, documents: bool = True) -> dict[str, Any]:
        """Return the result as the JSON layout has it; see ``docs/json.md``."""
        found = {
            "schema": SCHEMA,
            "version": __version__,
            "signature": self.signature,
            "key": self.key,
            "options": self.settings.to_dict(),
            "notices": [notice.to_dict() for notice in self.notices],
            "total": self.total.to_dict(),
        }
        if self.fidelity is not None:
            found["fidelity"] = self.fidelity.to_dict(documents=documents)
        if self.kind_counts:
            found["kinds"] = {name: scores.to_dict() for name, scores in self.kinds.items()}
        if documents:
            found["documents"] = {name: scores.to_dict() for name, scores in self.documents.items()}
        return found


def _denominators(metric: Metric, scores: Mapping[str, Score]) -> Floats:
    """Return the counts of a metric if everything is found; 0 where only combined measures read them."""
    counts = [scores[name][3:] for name in metric.uncombined]
    found = np.zeros((metric.width, 4))
    found[: len(counts)] = [np.repeat([side.denominator for side in sides], 2) for sides in counts]
    return found


_BY_FILE = "file"
"""The pattern that groups documents by file, such as the data sets of a shared task; ``(file)`` is a pattern for names.
"""


def by_group(groups: Ints, counts: Floats) -> Floats:
    """Return the counts of documents, or of parts of them, summed by group, added from left to right."""
    count = int(groups.max(initial=-1)) + 1
    columns = counts.reshape(len(counts), -1).T
    return np.stack([sums(groups, column, count) for column in columns], axis=-1).reshape(count, *counts.shape[1:])


def compiled(option: str, pattern: str) -> re.Pattern[str]:
    """Return the regular expression of the pattern of an option. Raises `UsageError` for an invalid pattern."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{option} {pattern!r} is not a regular expression: {error}") from error


def group_of(form: re.Pattern[str], name: str) -> str | None:
    """Return the group of a document: the match in its name, or the first bracket of the pattern that is not empty
    there; None if there is none.
    """
    match = form.search(name)
    if match is None:
        return None
    return next(filter(None, match.groups() if form.groups else (match[0],)), None)


def refuse_division(results: Iterable[Result]) -> None:
    """Raise `UsageError` if mentions were divided into kinds; systems can only be compared in one kind."""
    for result in results:
        if result.kind_counts:
            of = result.settings.rules.of
            raise UsageError(f"--of {of} has several kinds; compare systems on one: --of {next(iter(result.kinds))}")
