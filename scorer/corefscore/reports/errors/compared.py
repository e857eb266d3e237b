"""The report of the errors of two responses to one key: what each loses, and what only one of them gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from corefscore.analysis.response import RIGHT, STATUS, Analysis
from corefscore.core.findings import plural
from corefscore.core.percent import percent
from corefscore.core.records import dataclass
from corefscore.reports.base import DOCUMENT, Column, Reported, Table, head, shortened
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.errors.tables import LOOKUP, NOTHING, REPEATS, TOP
from corefscore.reports.words import KEY_AND_RESPONSE

_IN_HEAD = ("schema", "version", "command", "options", "notices")
"""The fields of the data of a response that the data of the comparison has once."""


@dataclass(frozen=True, eq=False)
class ErrorComparison(Reported):
    """The report of `errors` for two responses, by the name of the system."""

    reports: Mapping[str, ErrorReport]

    @property
    def names(self) -> list[str]:
        return shortened(list(self.reports))

    @property
    def analyses(self) -> list[Analysis]:
        return [report.analysis for report in self.reports.values()]

    @property
    def _first(self) -> ErrorReport:
        """The report of the first response."""
        return next(iter(self.reports.values()))

    @property
    def signature(self) -> str:
        return self._first.signature

    @cached_property
    def tables(self) -> Sequence[Table]:
        return [self.cost_table, self.status_table, *(self._only_right(system) for system in (0, 1))]

    @property
    def title(self) -> str:
        """Both scores and their difference, in points."""
        first, second = self.analyses
        named = zip(self.names, self.analyses, strict=True)
        scores = ", ".join(f"{name} {percent(analysis.score)}" for name, analysis in named)
        return f"{self._first.measure_title}: {scores}, difference {(first.score - second.score) * 100:+.2f}"

    @property
    def cost_table(self) -> Table:
        """One row per type: the errors and costs of both responses."""
        name_a, name_b = self.names
        columns = (
            Column("type", "error"),
            Column("count_a", name_a, "count", over="errors", cut="middle"),
            Column("count_b", name_b, "count", over="errors", cut="middle"),
            Column("more", "more", "count", over="errors"),
            Column("cost_a", name_a, "percent", over="costs", cut="middle"),
            Column("cost_b", name_b, "percent", over="costs", cut="middle"),
            Column("gain", "better by", "gain", over="costs"),
        )
        rows: list[list[Any]] = []
        copies, moved = zip(*((its.copies, its.start - its.score) for its in self.analyses), strict=True)
        if any(copies) or (self._first.analysis.pairs.key.nodes is not None and max(map(abs, moved)) > NOTHING):
            counts = [REPEATS, *copies, copies[0] - copies[1]] if any(copies) else [LOOKUP, None, None, None]
            rows.append([*counts, *moved, moved[1] - moved[0]])
        for first, second in zip(*(analysis.costs for analysis in self.analyses), strict=True):
            errors = first.errors, second.errors, first.errors - second.errors
            costs = first.in_turn, second.in_turn, second.in_turn - first.in_turn
            rows.append([KEY_AND_RESPONSE.types[first.type].title, *errors, *costs])
        gains = {row[0]: row[-1] for row in rows}
        in_the_text = "to see them in the text: corefscore errors KEY RESPONSE OTHER --html page.html"
        notes = [*self._most_lost(rows), *self._conclusion(gains), in_the_text]
        rows.append(["total", *(sum(row[number] or 0 for row in rows) for number in range(1, 7))])
        return Table(self.title, columns, rows, notes=notes)

    def _most_lost(self, rows: Sequence[Sequence[Any]]) -> list[str]:
        """Return, for each response that loses anything, a note on the type of error that costs it most."""
        most = [(max(rows, key=lambda row: row[at]), at) for at in (4, 5)]
        return [
            f"{name} loses most to {row[0]} ({percent(row[at])})"
            for name, (row, at) in zip(self.names, most, strict=True)
            if row[at] > NOTHING
        ]

    def _conclusion(self, gains: Mapping[str, float]) -> list[str]:
        """Return a note on the type of error in which the better response gains most, and where it is worse; none if
        both have the same score.
        """
        first, second = (analysis.score for analysis in self.analyses)
        if abs(first - second) < NOTHING:
            return []
        better, worse = self.names if first > second else self.names[::-1]
        by = gains if first > second else {name: -gain for name, gain in gains.items()}
        most, least = max(by, key=lambda name: by[name]), min(by, key=lambda name: by[name])
        loses = f"; worse in {least} ({by[least] * 100:+.2f})" if by[least] < -NOTHING else ""
        return [f"{better} is better than {worse} mostly in {most} ({by[most] * 100:+.2f}){loses}"]

    @property
    def status_table(self) -> Table:
        """The number of key mentions by their status in the first response (rows) and in the second (columns)."""
        name_a, name_b = self.names
        first, second = (analysis.status for analysis in self.analyses)
        cells = np.zeros((len(STATUS), len(STATUS)), dtype=np.int64)
        np.add.at(cells, (first, second), 1)
        counts = (Column(name.replace(" ", "_"), name, "count") for name in (*STATUS, "all"))
        rows = [[name, *row.tolist(), int(row.sum())] for name, row in zip(STATUS, cells, strict=True)]
        rows.append(["all", *cells.sum(axis=0).tolist(), int(cells.sum())])
        return Table(f"key mentions by status: rows {name_a}, columns {name_b}", [Column("status", ""), *counts], rows)

    def _only_right(self, index: int) -> Table:
        """Return the entities with most mentions that one response, 0 or 1, gets right and the other gets wrong."""
        name, other = self.names[index], self.names[1 - index]
        analysis, of_other = self.analyses[index], self.analyses[1 - index]
        right = STATUS.index(RIGHT)
        mentions = analysis.of_key[(analysis.status == right) & (of_other.status != right)]
        columns = Column("mentions", "mentions", "count"), Column("entity", "entity", cut="middle"), DOCUMENT
        most = Counter(analysis.both.key[mentions].tolist()).most_common(TOP)
        documents = analysis.both.document[analysis.errors.key.main]
        rows = [[size, analysis.key.name(of), analysis.result.names[int(documents[of])]] for of, size in most]
        kinds = ", ".join(f"{kind} {size}" for kind, size in analysis.kinds_of(mentions).items())
        often = analysis.most_often(mentions.tolist(), 8, least=2)
        title = f"right in {name}, wrong in {other}: {plural(len(mentions), 'mention')} ({kinds})"
        return Table(f"{title}; most often: {often}" if often else title, columns, rows)

    @cached_property
    def extra(self) -> tuple[int, int, int]:
        """The number of extra mentions in both responses, only in the first, and only in the second."""
        first, second = (Counter(_places(analysis)) for analysis in self.analyses)
        return (first & second).total(), (first - second).total(), (second - first).total()

    @property
    def notes(self) -> Sequence[str]:
        name_a, name_b = self.names
        both, first, second = self.extra
        return [
            f"extra mentions: {both} in both, {first} only in {name_a}, {second} only in {name_b}",
            "each type is repaired after those above it (in turn), so more errors of a type can cost less",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/errors.md``."""
        both, first, second = self.extra
        data = {name: report.to_dict() for name, report in self.reports.items()}
        notices = [(name, notice) for name, its in self.reports.items() for notice in its.analysis.result.notices]
        notices += [("", notice) for notice in self._first.analysis.notices]
        return {
            **head("errors", self.signature, next(iter(data.values()))["options"], notices),
            "measure": self._first.analysis.measure.name,
            "systems": {name: {of: its[of] for of in its if of not in _IN_HEAD} for name, its in data.items()},
            "key_mentions": {row[0]: dict(zip(STATUS, row[1:], strict=False)) for row in self.status_table.rows[:-1]},
            "extra_mentions": {"both": both, "only": dict(zip(data, (first, second), strict=True))},
        }


def _places(analysis: Analysis) -> Iterator[tuple[Any, ...]]:
    """Yield what is the same for each extra mention in another response: its tokens, or in CorefUD its head or words,
    by which mentions match; the words, and if known the place, of those that the key does not have, such as items and
    invented words: their numbers mean nothing in another response."""
    rows, response = np.flatnonzero(analysis.both.extra), analysis.pairs.response
    by_words, nodes = analysis.result.settings.rules.matching == "exact", response.nodes
    columns = [column[rows].tolist() for column in (*analysis.both[1:5], analysis.both.response_row)]
    for row, document, start, end, inside, its in zip(rows.tolist(), *columns, strict=True):
        if not inside and (nodes is None or response.stands is not None):
            yield document, None if response.stands is None else int(response.stands[its]), analysis.words(row)
        elif nodes is None:
            yield document, start, end
        else:
            own = nodes.word[nodes.first[its] :][: nodes.size[its]] if by_words else nodes.head[[its]]
            yield document, *own.tolist()
