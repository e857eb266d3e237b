"""The report of `--entities`: what each entity of one document adds to the sums of recall and precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from corefscore.analysis.partitions import counted
from corefscore.core.arrays import NONE, Bools
from corefscore.core.documents import KEY, RESPONSE, Documents
from corefscore.core.errors import UsageError
from corefscore.core.percent import percent
from corefscore.core.records import dataclass
from corefscore.matching.matched import Side
from corefscore.metrics.base import SCORES, WHOLE, Metric, Overlap
from corefscore.metrics.ceafe import assigned
from corefscore.metrics.ceafm import taken
from corefscore.metrics.members import Both, members
from corefscore.reports.base import Column, Reported, Table, tabled
from corefscore.scoring.results import TOTAL, Ratio, Result
from corefscore.scoring.run import words_of

_ENDS = {"blanc": 2, "pairwise": 2}
"""How many terms of a metric stand for one that it counts, if not one: a link has two ends."""

_ASSIGNED: Mapping[str, Callable[[Overlap], Bools]] = {"ceafe": lambda table: assigned(table)[1], "ceafm": taken}
"""The functions that return whether the entities of each cell are assigned to each other, by metric."""

_SIDES = {"recall": (KEY, RESPONSE, "missing"), "precision": (RESPONSE, KEY, "extra")}
"""The side whose entities a score adds up, the other side, and the word for mentions that only the first one has."""


class _Entity(NamedTuple):
    """An entity: its id, the words of its mentions, and the number of them that each entity of the other side has."""

    name: str
    mentions: list[str]
    parts: Counter[str]


class Share(NamedTuple):
    """What an entity adds to the numerator and the denominator of a score; ``assigned`` is the id of the entity that
    CEAF assigns to it."""

    measure: str
    score: str
    entity: str
    mentions: Sequence[str]
    parts: Mapping[str, int]
    assigned: str | None
    numerator: float
    denominator: float

    @property
    def divided(self) -> str:
        """How the other side divides the entity."""
        parts = [f"{size} in entity {name}" for name, size in Counter(self.parts).most_common()]
        lacking = len(self.mentions) - sum(self.parts.values())
        return ", ".join(parts + [f"{lacking} {_SIDES[self.score][2]}"] * (lacking > 0))


@dataclass(frozen=True, eq=False, repr=False)
class Entities(Reported):
    """The shares of entities in the scores of a result, which has one document."""

    result: Result
    shares: Sequence[Share]

    @property
    def signature(self) -> str:
        return self.result.signature

    @property
    def tables(self) -> Sequence[Table]:
        found = groupby(self.shares, key=lambda share: share[:2])
        return [_table(list(its), getattr(self.result[name], f"{score}_counts")) for (name, score), its in found]

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints."""
        return {**self.result.to_dict(documents=False), "entities": [share._asdict() for share in self.shares]}


def _table(shares: Sequence[Share], total: Ratio) -> Table:
    """Return the table of one score: a row for each entity, and their sum."""
    measure, score = shares[0][:2]
    side, other, _ = _SIDES[score]
    scope = (Column(name, name, shown=False) for name in ("kind", "measure", "score"))
    mentions = Column("mentions", "mentions", cut="end"), Column("parts", f"in the {other}", cut="end")
    partner = Column("assigned", "assigned", shown=any(share.assigned for share in shares))
    sums = {"lost": "lost", "numerator": "adds", "denominator": "of"}
    ratios = (Column(name, heading, "ratio") for name, heading in sums.items())
    columns = *scope, Column("entity", "entity", cut="middle"), *mentions, partner, *ratios
    rows = [
        share._asdict() | {"kind": "entity", "mentions": " / ".join(share.mentions), "parts": share.divided}
        for share in shares
    ]
    rows.append({"kind": TOTAL, "measure": measure, "score": score, "entity": "sum", **total._asdict()})
    for row in rows:
        row["lost"] = round(row["denominator"] - row["numerator"], 12)
    quotient = percent(total.numerator / total.denominator if total.denominator else 0.0)
    note = f"{score} = {total.numerator:.2f} / {total.denominator:.2f} = {quotient} %"
    return tabled(f"{measure}, {score}: entities of the {side}", columns, rows, [note])


def entities(result: Result) -> Entities:
    """Return the report of a result of one document, whose pair was kept.

    Raises `UsageError` for a metric without terms, for parts of documents, for several documents, and if terms do not
    add up to the score.
    """
    metrics = [metric for metric in result.metrics if metric.name in result.settings.metrics]
    for metric in metrics:
        if metric.terms is None:
            raise UsageError(f"--entities: {metric.name} is not a sum over entities; name others, such as lea or conll")
    rules = result.settings.rules
    for option, given in {"--of": rules.of, "--window": rules.window}.items():
        if given is not None:
            raise UsageError(f"--entities shows a whole document with all mentions; leave {option} out")
    if len(result.names) != 1:
        raise UsageError(
            f"--entities shows one document, and there are {len(result.names)}; name one after RESPONSE (in Python: "
            f'document=), such as "{result.names[0]}"'
        )
    (pairs,) = (batch for batch in result.listed[WHOLE].pairs if len(batch.key))
    matched, dropped = counted(pairs, rules)
    if dropped and rules.repeated != "first":
        raise UsageError("--entities: mentions are repeated, and the sums count each only once; add --repeated first")
    key, response = matched.key, matched.response
    # The order of mentions decides which of them ends a link, not how many links an entity has.
    both = members(matched, (key.number, response.number))
    names = _names(key, pairs.key), _names(response, pairs.response)
    of_sides = _entities(key, pairs.key, *names), _entities(response, pairs.response, *names[::-1])
    return Entities(result, [share for metric in metrics for share in _shares(metric, both, of_sides, result)])


def _names(mentions: Side, documents: Documents) -> dict[int, str]:
    """Return the id of the entity of each mention, by its number."""
    names = documents.names_of(documents.entity[mentions.mention].tolist())
    return dict(zip(mentions.number.tolist(), names, strict=True))


def _entities(side: Side, documents: Documents, names: Mapping[int, str], others: Mapping[int, str]) -> list[_Entity]:
    """Return the entities of a side in order, given the `_names` of this side and of the other."""
    found: dict[int, _Entity] = {}
    words, rows = words_of(documents), side.mention.tolist()
    # Without words these are token numbers.
    columns = side.entity.tolist(), side.number.tolist(), rows, documents.words_of(rows)
    for entity, number, row, spare in zip(*columns, strict=True):
        its = found.setdefault(entity, _Entity(names[number], [], Counter()))
        its.mentions.append(words[row] or spare)
        its.parts.update([others[number]] if number in others else [])
    return list(found.values())


def _shares(
    metric: Metric, both: Both, entities: tuple[Sequence[_Entity], Sequence[_Entity]], result: Result
) -> Iterator[Share]:
    """Yield the shares of entities in the measures of a metric. Raises `UsageError` if they do not add up to these."""
    assert metric.terms is not None, "refused before"
    cells = np.flatnonzero(_ASSIGNED[metric.name](both.overlap)) if metric.name in _ASSIGNED else NONE
    # A metric can have more terms, which only its combined measures read.
    for measure, terms in zip(metric.uncombined, metric.terms(both), strict=False):
        totals = result[measure][3:]
        sides = zip(SCORES, (both.key, both.response), entities, entities[::-1], terms, totals, strict=False)
        for score, side, own, other, ratios, total in sides:
            ends, entity_of = _ENDS.get(metric.name, 1), side.side.entity
            numerator, denominator = (np.bincount(entity_of, part) / ends for part in ratios)
            if not np.allclose([numerator.sum(), denominator.sum()], total, rtol=1e-9):
                raise UsageError(f"--entities: they do not add up to {measure}; add --task aligned --repeated first")
            partner = dict(zip(side.of_cell[cells].tolist(), side.other_of_cell[cells].tolist(), strict=True))
            assigned_to = [other[partner[at]].name if at in partner else None for at in range(len(own))]
            # Denominators are whole numbers or halves, but six sixths add up to less.
            columns = assigned_to, numerator.tolist(), denominator.round(6).tolist()
            for entity, *its in zip(own, *columns, strict=True):
                yield Share(measure, score, *entity, *its)
