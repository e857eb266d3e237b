"""One pair of files scored by the conventions in use: what each does, its scores, and the call that repeats it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pkgutil import get_data
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import InputError, UsageError
from corefscore.core.percent import from_percent
from corefscore.core.records import dataclass
from corefscore.formats import Reading
from corefscore.metrics import AVERAGE, GROUPS, select
from corefscore.metrics.base import SCORES, f1, summed
from corefscore.reports.base import VERBATIM, Column, Reported, Table, head
from corefscore.scoring.results import Result
from corefscore.scoring.run import Given, corpus, paths_of, scored, settings_of, with_heads
from corefscore.scoring.settings import Rules, Run

_MEASURES = (*GROUPS[AVERAGE], AVERAGE)
"""The measures of a row: the three of the CoNLL average, and the average itself."""

_TOTAL, _DOCUMENTS, _ENDS = "total", "documents", "ends"
"""How documents are combined: by summed counts; by the mean of their scores; or by the means of their recall and their
precision, from which F1 is computed."""

_BCUBS = "bcubs"
"""The metric that has B-cubed as other packages define it."""

Options = Mapping[str, Any]

_Triple = Sequence[float]
"""Recall, precision and F1, from 0 to 1."""


class _Convention(NamedTuple):
    """One row: its name, what it does in one line, and the options of the metrics; ``others`` are the options of single
    metrics that differ. ``way`` is how documents are combined. If the row is for one kind of mentions only, ``only`` is
    ``spans``, or ``nodes`` for those of CorefUD."""

    name: str
    does: str
    options: Mapping[str, Any] = {}
    others: Mapping[str, Options] = {}
    way: str = _TOTAL
    only: str | None = None
    bcub: str | None = None

    def options_of(self, metric: str) -> Options:
        """Return the options of one metric."""
        return self.others.get(metric, self.options)


CONVENTIONS = tuple(_Convention(**row) for row in json.loads(get_data(__package__, "conventions.json") or b""))
"""Every convention, from ``conventions.json``. Sources: published numbers of the named programs on one real output
(docs/explain.md), and for e2e-evaluator the code of fastcoref and s2e, whose evaluators are one file. Windows have the
1,500 tokens of BookCoref (Martinelli et al. 2025)."""


class _Scored(NamedTuple):
    """A convention and its scores by measure, None if it rejects the input; ``matches`` are the measures whose F1 is
    the expected number."""

    convention: _Convention
    scores: Mapping[str, _Triple] | None
    command: str
    matches: Sequence[str]


@dataclass(frozen=True)
class Explanation(Reported):
    """The report of `explain`. ``expect`` is the expected number as the user typed it."""

    rows: Sequence[_Scored]
    official: Result
    expect: str | None

    @property
    def signature(self) -> str:
        return self.official.signature

    @property
    def tables(self) -> Sequence[Table]:
        columns = (
            Column("convention", "convention"),
            *(Column(f"{name}_f1", name, "percent", over="F1") for name in _MEASURES),
            Column("recall", "R", "percent", over=AVERAGE, shown=False),
            Column("precision", "P", "percent", over=AVERAGE, shown=False),
            Column("matches", f"= {self.expect}", shown=self.expect is not None),
            Column("does", "what it does", shown=False),
            Column("command", "command", shown=False),
        )
        title = "one response scored by the conventions of other programs"
        return [Table(title, columns, list(map(_cells, self.rows)))]

    @property
    def notes(self) -> Sequence[str]:
        rows = ((f"{row.convention.name}: {row.convention.does}", VERBATIM + row.command) for row in self.rows)
        notes = [note for row in rows for note in row]
        if self.expect is not None and not any(row.matches for row in self.rows):
            notes.append(f"No convention gives {self.expect}.")
        return notes

    def to_dict(self) -> dict[str, Any]:
        """Return what ``corefscore explain --format json`` prints; scores are from 0 to 1."""
        rows: list[dict[str, Any]] = []
        for row in self.rows:
            data = {"name": row.convention.name, "does": row.convention.does, "command": row.command}
            scores = {name: dict(zip(SCORES, values, strict=True)) for name, values in (row.scores or {}).items()}
            rows.append({**data, "matches": list(row.matches), "scores": scores})
        options = {} if self.expect is None else {"expect": self.expect}
        return {**head("explain", self.signature, options, self.official.notices), "conventions": rows}


def _cells(row: _Scored) -> list[Any]:
    """Return the cells of a row."""
    scores = row.scores or {}
    measures = [scores[name][2] if name in scores else None for name in _MEASURES]
    ends = scores[AVERAGE][:2] if AVERAGE in scores else (None, None)
    return [row.convention.name, *measures, *ends, ", ".join(row.matches), row.convention.does, row.command]


def expected(text: str | None, call: str) -> str | None:
    """Return the expected score in percent, as the user typed it after ``call``, without the sign.

    Raises `UsageError` for anything else, and for a number up to 1, which was probably meant as a fraction.
    """
    if text is None:
        return None
    if not text or not set(text) <= set("0123456789.%"):
        raise UsageError(f"{call}{text or repr(text)}: expected a score in percent, such as 71.35")
    from_percent(text, call)
    return text.removesuffix("%")


def explanation(key: Given, response: Given, reading: Reading, expect: str | None) -> Explanation:
    """Score one pair by every convention, reading each side once; ``expect`` is a result of `expected`.

    Raises `InputError` for input that every convention rejects.
    """
    sides: dict[str, Any] = {KEY: key, RESPONSE: response}
    files = {name: path if isinstance(path := paths_of(name, side), str) else None for name, side in sides.items()}
    reading = with_heads(reading, sides.values())
    for name, path in files.items():
        if path is not None:
            sides[name] = corpus(path, reading, name, None)

    @cache
    def result(words: str, *options: tuple[str, Any]) -> Result:
        metrics = select(words)
        settings = settings_of(metrics, Rules(**dict(options)), None, {})
        return scored(sides[KEY], sides[RESPONSE], Run(metrics, settings, reading))

    try:
        first = result(AVERAGE)
    except InputError:
        first = result(AVERAGE, ("repeated", "first"))  # with which too many repeated mentions are accepted
    kind = "nodes" if first.settings.rules.matching else "spans"
    rows = []
    for convention in CONVENTIONS:
        if convention.only in (None, kind):
            with suppress(UsageError):  # for example windows, for mentions that are not spans of tokens
                scores = _scores(convention, result)
                rows.append(_Scored(convention, scores, _command(convention, files, reading), _matches(scores, expect)))
    return Explanation(rows, first, expect)


def _scores(convention: _Convention, result: Callable[..., Result]) -> Mapping[str, _Triple] | None:
    """Return the scores of a row, None if the input is rejected. Raises `UsageError` for a row that has no meaning."""
    scores: dict[str, _Triple] = {}
    try:
        if convention.bcub is not None:
            return {"bcub": result(_BCUBS, *convention.options.items())[convention.bcub][:3]}
        for metric in GROUPS[AVERAGE]:
            scores[metric] = _together(result(AVERAGE, *convention.options_of(metric).items()), metric, convention.way)
    except InputError:
        return None
    scores[AVERAGE] = [float(summed(np.array(its))) / len(its) for its in zip(*scores.values(), strict=True)]
    return scores


def _together(result: Result, measure: str, way: str) -> _Triple:
    """Return the recall, precision and F1 of a measure, from 0 to 1."""
    if way == _TOTAL:
        return result[measure][:3]
    recall, precision, mean_f1 = result.mean[measure][:3]
    return recall, precision, float(f1(np.array(recall), np.array(precision))) if way == _ENDS else mean_f1


def _command(convention: _Convention, files: Mapping[str, str | None], reading: Reading) -> str:
    """Return the call that prints the F1 of a row, as a shell takes it: one run, or a line of Python if no run scores
    so.
    """
    given = {name: value for name, value in vars(reading).items() if value is not None}
    paths = [path or name.upper() for name, path in files.items()]
    if convention.others or convention.way == _ENDS:
        return _line(convention, paths, given)
    words = ["corefscore", AVERAGE if convention.bcub is None else _BCUBS, *paths]
    for name, value in {**given, **convention.options}.items():
        text = ",".join(f"{side}={its}" for side, its in value.items()) if isinstance(value, Mapping) else str(value)
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [text])]
    means = ["--average", "documents"] if convention.way == _DOCUMENTS else []
    return shlex.join([*words, *means, "--format", "table"])


def _line(convention: _Convention, paths: Sequence[str], given: Options) -> str:
    """Return the line of Python that prints the F1 of each metric from its recall and precision, and their mean."""
    of_metrics = [(metric, {**given, **convention.options_of(metric)}) for metric in GROUPS[AVERAGE]]
    sides, scope = ", ".join(map(repr, paths)), "mean" if convention.way == _ENDS else "total"
    program = (
        f"from corefscore import score; f = [200 * r * p / (r + p or 1) for m, o in {of_metrics} "
        f"for r, p in [score({sides}, m, **o).{scope}[m][:2]]]; print(*map('{{:.2f}}'.format, [*f, sum(f) / 3]))"
    )
    plain = not set(program) & set('"$`\\!')  # as it is between double quotes
    return "python -c " + (f'"{program}"' if plain else shlex.quote(program))


def _matches(scores: Mapping[str, _Triple] | None, expect: str | None) -> Sequence[str]:
    """Return the measures whose F1 in percent, rounded or truncated to as many digits, is the expected number."""
    if scores is None or expect is None:
        return ()
    scale = 10 ** len(expect.partition(".")[2])
    wanted = round(float(expect) * scale)
    points = {name: f1 * 100 * scale for name, (_, _, f1) in scores.items()}
    return [name for name, value in points.items() if wanted in (round(value), int(value + 1e-9))]
