"""The report of an error analysis of two responses to one key: what each loses, and what only one gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corefscore.analysis.response import RIGHT, STATUS, Analysis
from corefscore.checking.findings import plural
from corefscore.documents.arrays import Ints
from corefscore.reports.errors.names import KINDS
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.errors.tables import NOTHING
from corefscore.reports.row import COUNT, GAIN, MIDDLE, PERCENT, Column, Reported, Table, head, shortened
from corefscore.reports.words import KEY_AND_RESPONSE
from corefscore.statistics.percent import percent

Span = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class ErrorComparison(Reported):
    """The report of `errors` for two responses, by the names of the systems."""

    reports: Mapping[str, ErrorReport]

    @property
    def names(self) -> tuple[str, str]:
        first, second = shortened(list(self.reports))
        return first, second

    @property
    def analyses(self) -> tuple[Analysis, Analysis]:
        first, second = self.reports.values()
        return first.analysis, second.analysis

    @property
    def signature(self) -> str:
        return next(iter(self.reports.values())).signature

    @cached_property
    def tables(self) -> Sequence[Table]:
        return [self.cost_table, self.status_table, *(self._only_right(one) for one in (0, 1))]

    @property
    def title(self) -> str:
        """Both scores, and their difference."""
        first, second = self.analyses
        measure = next(iter(self.reports.values())).measure_title
        scores = ", ".join(f"{name} {percent(its.score)}" for name, its in zip(self.names, self.analyses, strict=True))
        return f"{measure}: {scores}, difference {(first.score - second.score) * 100:+.2f}"

    @property
    def cost_table(self) -> Table:
        """One row a type: errors and costs of both."""
        a, b = self.names
        columns = (
            Column("type", "error"),
            Column("count_a", a, COUNT, over="errors", cut=MIDDLE),
            Column("count_b", b, COUNT, over="errors", cut=MIDDLE),
            Column("more", "more", COUNT, over="errors"),
            Column("cost_a", a, PERCENT, over="costs", cut=MIDDLE),
            Column("cost_b", b, PERCENT, over="costs", cut=MIDDLE),
            Column("gain", "better by", GAIN, over="costs"),
        )
        rows: list[list[Any]] = [
            [
                KEY_AND_RESPONSE.titles[x.type],
                x.errors,
                y.errors,
                x.errors - y.errors,
                x.in_turn,
                y.in_turn,
                y.in_turn - x.in_turn,
            ]
            for x, y in zip(*(its.costs for its in self.analyses), strict=True)
        ]
        gains = {row[0]: row[-1] for row in rows}
        in_the_text = f"in the text: {KEY_AND_RESPONSE.command} --other OTHER --html page.html"
        notes = [*self._most_lost(), *self._conclusion(gains), in_the_text]
        rows.append(["total", *(sum(row[place] for row in rows) for place in range(1, 7))])
        return Table(self.title, columns, rows, notes=notes)

    def _most_lost(self) -> list[str]:
        """The type of error that costs each response most; nothing for one that loses nothing."""
        most = [max(its.costs, key=lambda cost: cost.in_turn) for its in self.analyses]
        return [
            f"{name} loses most to {KEY_AND_RESPONSE.titles[cost.type]} ({percent(cost.in_turn)})"
            for name, cost in zip(self.names, most, strict=True)
            if cost.in_turn > NOTHING
        ]

    def _conclusion(self, gains: Mapping[str, float]) -> list[str]:
        """In which type of error the better one is better above all, and where it is worse; nothing for equals."""
        first, second = (its.score for its in self.analyses)
        if abs(first - second) < NOTHING:
            return []
        better, worse = self.names if first > second else self.names[::-1]
        by = gains if first > second else {name: -gain for name, gain in gains.items()}
        most, least = max(by, key=lambda name: by[name]), min(by, key=lambda name: by[name])
        loses = f"; worse in {least} ({by[least] * 100:+.2f})" if by[least] < -NOTHING else ""
        return [f"{better} is better than {worse} above all in {most} ({by[most] * 100:+.2f}){loses}"]

    @property
    def status_table(self) -> Table:
        """What became of the mentions of the key: the first response down, the second across."""
        a, b = self.names
        first, second = (its.status for its in self.analyses)
        cells = np.zeros((len(STATUS), len(STATUS)), dtype=np.int64)
        np.add.at(cells, (first, second), 1)
        columns = (
            Column("status", ""),
            *(Column(name.replace(" ", "_"), name, COUNT) for name in STATUS),
            Column("all", "all", COUNT),
        )
        rows = [[name, *row.tolist(), int(row.sum())] for name, row in zip(STATUS, cells, strict=True)]
        rows.append(["all", *cells.sum(axis=0).tolist(), int(cells.sum())])
        return Table(f"key mentions: {a} down, {b} across", columns, rows)

    def _only_right(self, one: int) -> Table:
        """The entities whose mentions one of both gets right and the other does not."""
        name, other = self.names[one], self.names[1 - one]
        its = self.analyses[one]
        mentions = self._right(one)
        of_entity: dict[int, int] = Counter(its.both.key[mentions].tolist())
        report = list(self.reports.values())[one]
        named = report.named
        most = sorted(of_entity, key=lambda entity: -of_entity[entity])[: report.top]
        document = {entity: int(its.both.document[its.errors.key.main[entity]]) for entity in most}
        columns = (
            Column("mentions", "mentions", COUNT),
            Column("entity", "entity", cut=MIDDLE),
            Column("document", "document", cut=MIDDLE),
        )
        rows = [[of_entity[each], named.key(each), named.document(document[each])] for each in most]
        sizes = np.bincount(its.kinds[mentions], minlength=len(KINDS)).tolist()
        kinds = ", ".join(f"{kind} {size}" for kind, size in zip(KINDS, sizes, strict=True))
        often = named.most_often(mentions.tolist(), 8, least=2)
        title = f"right in {name}, wrong in {other}: {plural(len(mentions), 'mention')} ({kinds})"
        return Table(f"{title}; most often: {often}" if often else title, columns, rows)

    def _right(self, one: int) -> Ints:
        """The mentions that are right in one of both alone, as places in its analysis."""
        right = [its.status == STATUS.index(RIGHT) for its in self.analyses]
        found: Ints = self.analyses[one].of_key[right[one] & ~right[1 - one]]
        return found

    @cached_property
    def extra(self) -> tuple[int, int, int]:
        """How many extra mentions both have, only the first, only the second."""
        first, second = (
            set(zip(*(column[its.both.extra].tolist() for column in its.both[1:4]), strict=True))
            for its in self.analyses
        )
        return len(first & second), len(first - second), len(second - first)

    @property
    def notes(self) -> Sequence[str]:
        a, b = self.names
        both, first, second = self.extra
        return [
            f"extra mentions: {both} in both, {first} only in {a}, {second} only in {b}",
            "costs are in turn: they depend on what is repaired before, so more errors of a type can cost less",
        ]

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/errors.md``."""
        both, first, second = self.extra
        report = next(iter(self.reports.values()))
        data = {name: its.to_dict() for name, its in self.reports.items()}
        rows = self.status_table.rows[:-1]
        return {
            **head("errors", self.signature, next(iter(data.values()))["options"]),
            "measure": report.analysis.measure.name,
            "systems": {
                name: {field: its[field] for field in its if field not in ("schema", "version", "command", "options")}
                for name, its in data.items()
            },
            "key_mentions": {row[0]: dict(zip(STATUS, row[1:], strict=False)) for row in rows},
            "extra_mentions": {"both": both, "only": dict(zip(data, (first, second), strict=True))},
        }
