"""One pair under the conventions that are in use: what each does, the score it gives, and the run that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corefscore.documents.arrays import Floats
from corefscore.errors import InputError, UsageError
from corefscore.metrics import AVERAGE, GROUPS
from corefscore.metrics.counts import SCORES, f1, summed
from corefscore.reports.presented import Presented
from corefscore.reports.row import PERCENT, Column, Table, head
from corefscore.results import Result, Score

MEASURES = (*GROUPS[AVERAGE], AVERAGE)
"""The measures of a row: the three of the CoNLL average, and that."""

TOTAL, DOCUMENTS, ENDS = "total", "documents", "ends"
"""How documents come together: by their counts; as the mean of their scores; or as the mean of their recall and that of
their precision, of which F1 is then made."""

SPANS, NODES = "spans", "nodes"
"""What mentions are, where a convention is for one kind alone."""

Options = Mapping[str, Any]

NO_OPTIONS: Mapping[str, Any] = {}


class Convention(NamedTuple):
    """One row: its name, what it does in a line, and the options of the metrics; ``others`` are those of single metrics
    where they differ. ``way`` is how documents come together, ``only`` what mentions have to be."""

    name: str
    does: str
    options: Options = NO_OPTIONS
    others: Mapping[str, Options] = NO_OPTIONS
    way: str = TOTAL
    only: str | None = None

    def options_of(self, metric: str) -> Options:
        """The options of one metric."""
        return self.others.get(metric, self.options)


WINDOW = 1500
"""The tokens of a window of BookCoref (Martinelli et al. 2025)."""

DROP, DROP_RESPONSE = {"singletons": "drop"}, {"singletons": "drop-response"}

CONVENTIONS = (
    Convention("official", "The official scorer: counts of all documents, every entity."),
    Convention("without-singletons", "Entities of one mention are dropped on both sides.", DROP, only=SPANS),
    Convention("with-singletons", "Entities of one mention count.", {"singletons": "keep"}, only=NODES),
    Convention("response-without-singletons", "They are dropped in the response, not in the key.", DROP_RESPONSE),
    Convention(
        "e2e-evaluator",
        "The evaluator of e2e-coref and its copies (fastcoref, s2e): B-cubed passes them over on both sides, CEAF-e "
        "drops them in the response.",
        others={"bcub": DROP, "ceafe": DROP_RESPONSE},
        only=SPANS,
    ),
    Convention(
        "mean-of-documents", "The mean of the scores of documents (TANL and Seq2seqCoref, macro).", way=DOCUMENTS
    ),
    Convention(
        "mean-of-documents-without-singletons",
        "The same with entities of one mention dropped on both sides.",
        DROP,
        way=DOCUMENTS,
        only=SPANS,
    ),
    Convention(
        "mean-of-recall-and-precision",
        "The F1 of the mean recall and the mean precision of documents (Stanza).",
        way=ENDS,
    ),
    Convention(
        "given-mentions",
        "Mentions that only one side has are left out: linking alone.",
        {"mentions": "given"},
        only=SPANS,
    ),
    Convention(
        "first-copies", "Of spans that are marked again the first copy counts.", {"repeated": "first"}, only=SPANS
    ),
    Convention(
        "windows",
        f"Stretches of {WINDOW} tokens are documents of their own (BookCoref).",
        {"window": WINDOW},
        only=SPANS,
    ),
    Convention("exact-matching", "Mentions match if they have the same words.", {"matching": "exact"}, only=NODES),
    Convention("partial-matching", "Mentions match by words with their head.", {"matching": "partial"}, only=NODES),
)
"""Every convention. Sources: numbers that others recorded when they ran the programs that are named on one real output;
what e2e-evaluator drops is inferred from its number there (docs/explain.md)."""


class Scored(NamedTuple):
    """A convention and its scores by measure, None where the input is refused under it; ``matches`` are the measures
    whose F1 is the number that is looked for."""

    convention: Convention
    scores: Mapping[str, tuple[float, float, float]] | None
    command: str
    matches: Sequence[str] = ()


@dataclass(frozen=True)
class Explanation(Presented):
    """One pair under the conventions that are in use. ``expect`` is the number that is looked for, as it was given."""

    rows: Sequence[Scored]
    official: Result
    expect: str | None = None

    @property
    def signature(self) -> str:
        return self.official.signature

    @property
    def tables(self) -> Sequence[Table]:
        columns = (
            Column("convention", "convention"),
            *(Column(f"{name}_f1", name, PERCENT, over="F1") for name in MEASURES),
            Column("recall", "R", PERCENT, over=AVERAGE, shown=False),
            Column("precision", "P", PERCENT, over=AVERAGE, shown=False),
            Column("matches", f"= {self.expect}", shown=self.expect is not None),
            Column("does", "what it does", shown=False),
            Column("command", "command", shown=False),
        )
        return [Table("conventions", columns, list(map(_cells, self.rows)))]

    @property
    def notes(self) -> Sequence[str]:
        found = [f"{row.convention.name}: {row.convention.does} {row.command}" for row in self.rows]
        if self.expect is not None and not any(row.matches for row in self.rows):
            found.append(f"No convention gives {self.expect}.")
        return found

    def to_dict(self) -> dict[str, Any]:
        """What ``corefscore explain --format json`` prints; scores are from 0 to 1."""
        rows = [
            {
                "name": row.convention.name,
                "does": row.convention.does,
                "command": row.command,
                "matches": list(row.matches),
                "scores": {name: dict(zip(SCORES, its, strict=True)) for name, its in (row.scores or {}).items()},
            }
            for row in self.rows
        ]
        options = {} if self.expect is None else {"expect": self.expect}
        return {**head("explain", self.signature, options), "conventions": rows}


def _cells(row: Scored) -> list[Any]:
    scores = row.scores or {}
    measures = [scores[name][2] if name in scores else None for name in MEASURES]
    ends = scores[AVERAGE][:2] if scores else (None, None)
    return [row.convention.name, *measures, *ends, ", ".join(row.matches), row.convention.does, row.command]


def explained(score: Callable[[Options], Result], files: str, expect: str | None = None) -> Explanation:
    """The rows of a pair. ``score`` scores it with `GROUPS` of the CoNLL average under some options; ``files`` is how a
    command names it.

    Raises `InputError` for input that is refused under every convention, `UsageError` for an expectation that is no
    number.
    """
    if expect is not None and not _is_number(expect):
        raise UsageError(f"expect={expect!r}: expected a score in percent, such as 71.35")
    results: dict[tuple[tuple[str, Any], ...], Result | InputError | UsageError] = {}

    def result(options: Options) -> Result:
        key = tuple(sorted(options.items()))
        if key not in results:
            try:
                results[key] = score(options)
            except (InputError, UsageError) as error:
                results[key] = error
        found = results[key]
        if not isinstance(found, Result):
            raise found
        return found

    try:
        first = result({})
    except InputError:
        first = result({"repeated": "first"})  # too many copies are refused, unless the first one counts
    kind = NODES if first.settings.rules.matching else SPANS
    rows = [
        Scored(its, scores, _command(its, files), _matches(scores, expect))
        for its in CONVENTIONS
        if its.only in (None, kind)
        for scores in [_scores(its, result)]
    ]
    return Explanation(rows, first, expect)


def _scores(
    convention: Convention, result: Callable[[Options], Result]
) -> Mapping[str, tuple[float, float, float]] | None:
    """The scores of a row, None where the input is refused."""
    found: dict[str, tuple[float, float, float]] = {}
    try:
        for metric in GROUPS[AVERAGE]:
            found[metric] = _together(result(convention.options_of(metric)), metric, convention.way)
    except (InputError, UsageError):  # such as windows of mentions that are no spans of tokens
        return None
    three = [found[name] for name in GROUPS[AVERAGE]]
    found[AVERAGE] = (
        _mean([its[0] for its in three]),
        _mean([its[1] for its in three]),
        _mean([its[2] for its in three]),
    )
    return found


def _together(result: Result, measure: str, way: str) -> tuple[float, float, float]:
    """The recall, precision and F1 of one measure."""
    if way == TOTAL:
        return result[measure].recall, result[measure].precision, result[measure].f1
    documents: list[Score] = [scores[measure] for scores in result.documents.values()]
    recall, precision, of_each = (_mean([its[at] for its in documents]) for at in range(3))
    return recall, precision, float(f1(np.array(recall), np.array(precision))) if way == ENDS else of_each


def _mean(numbers: Sequence[Any]) -> float:
    array: Floats = np.array(numbers, dtype=np.float64)
    return float(summed(array)) / len(array)


def _command(convention: Convention, files: str) -> str:
    """The run that gives a row; one for each group of metrics that have the same options."""
    groups: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    for metric in GROUPS[AVERAGE]:
        groups.setdefault(tuple(convention.options_of(metric).items()), []).append(metric)
    return "; ".join(_run(metrics, dict(options), files, convention.way) for options, metrics in groups.items())


def _run(metrics: Sequence[str], options: Options, files: str, way: str) -> str:
    name = AVERAGE if len(metrics) == len(GROUPS[AVERAGE]) else ",".join(metrics)
    words = [word for option, value in options.items() for word in (f"--{option}", str(value))]
    means = "" if way == TOTAL else " --average documents --format table"
    return f"corefscore {name} {files}{''.join(f' {shlex.quote(word)}' for word in words)}{means}"


def _matches(scores: Mapping[str, tuple[float, float, float]] | None, expect: str | None) -> Sequence[str]:
    """The measures whose F1 in percent is the expected number, rounded or cut off to as many places."""
    if scores is None or expect is None:
        return ()
    places = len(expect.partition(".")[2])
    wanted = round(float(expect) * 10**places)
    found = []
    for name, its in scores.items():
        points = its[2] * 100 * 10**places
        if wanted in (round(points), int(points + 1e-9)):
            found.append(name)
    return found


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text)).item() and set(text) <= set("0123456789.")
    except ValueError:
        return False
