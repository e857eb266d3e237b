"""The report of an error analysis: what a score loses, by type of error, and where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.costs import Cost
from corefscore.analysis.found import Analysis
from corefscore.analysis.partitions import ABSENT, BY_TRIMMING
from corefscore.checking.findings import counted
from corefscore.documents.arrays import Ints, tally
from corefscore.documents.model import Documents
from corefscore.metrics import AVERAGE
from corefscore.reports.presented import Presented
from corefscore.reports.row import BAR, COUNT, END, GAIN, MIDDLE, PERCENT, Annotation, Column, Reported, Table, head
from corefscore.reports.words import FIRST_AND_SECOND, KEY_AND_RESPONSE, Words
from corefscore.statistics.percent import percent

MISSING, EXTRA = "missing", "extra"
"""The words of `Words` that stand over columns."""

SHORT: Mapping[str, tuple[str, str]] = {
    types.SPAN: ("", "span"),
    types.CONFLATED: ("", "confl"),
    types.DIVIDED: ("", "div"),
    types.EXTRA_MENTION: (EXTRA, "men"),
    types.EXTRA_ENTITY: (EXTRA, "ent"),
    types.EXTRA_SINGLETON: (EXTRA, "one"),
    types.MISSING_MENTION: (MISSING, "men"),
    types.MISSING_ENTITY: (MISSING, "ent"),
    types.MISSING_SINGLETON: (MISSING, "one"),
}
"""What types are called where there is little room: what spans their columns, and the heading of each."""

OF_SINGLETONS = (types.EXTRA_SINGLETON, types.MISSING_SINGLETON)
"""The types that most corpora do not have."""

REPEATS = "repeated mention"
LOOKUP = "official look-up"
"""The row before the types of what is gained without later copies of repeated mentions, and if entities are found by
the alignment of mentions (`corefscore.alignment.lookups`)."""

NOTHING = 1e-9
"""Scores that differ by less are the same but for rounding."""

KINDS = ("pronouns", "one word", "longer")
"""What kinds of mentions are called, see `Analysis.kinds`."""

ROWS, COLUMNS = 8, 4
"""How many rows and columns of entities the table of a group has at most."""

SHOWN_WORDS = 28
"""How many characters of the words of a mention stand in a table."""


class Listed(NamedTuple):
    """One error: its type, its document, the mentions concerned, as places among those of the analysis; the key and
    response entity that show it, and the key entity that those mentions were put into, `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int = ABSENT
    response: int = ABSENT
    into: int = ABSENT


def listed(analysis: Analysis) -> Iterator[Listed]:
    """All errors but those of spans, by type, in the order of the text."""
    both, pieces, errors = analysis.both, analysis.errors.pieces, analysis.errors
    members = _members(pieces.of, len(pieces.key))
    main_key = both.key[errors.response.main]
    for p in np.flatnonzero(errors.response.apart).tolist():
        key, response = int(pieces.key[p]), int(pieces.response[p])
        into = int(main_key[response])
        yield Listed(types.CONFLATED, int(pieces.document[p]), members[p], key, response, into)
    for p in np.flatnonzero(errors.key.apart).tolist():
        key, response = int(pieces.key[p]), int(pieces.response[p])
        yield Listed(types.DIVIDED, int(pieces.document[p]), members[p], key, response)
    for side, names, entities in (
        (errors.response, types.OF_RESPONSE, both.response),
        (errors.key, types.OF_KEY, both.key),
    ):
        _, mention, entity, singleton = names
        for name, mask in ((mention, side.alone), (singleton, side.single)):
            for at in np.flatnonzero(mask).tolist():
                yield Listed(name, int(both.document[at]), [at], int(both.key[at]), int(both.response[at]))
        members = _members(entities, len(side.main))
        for lone in np.flatnonzero(tally(entities[side.whole], len(side.main))).tolist():
            its = members[lone]
            lone_ones = [member for member in its if side.whole[member]]
            at = lone_ones[0]
            # The pronouns that an extra entity has besides are conflated; a missing one has to be made of all.
            shown = lone_ones if side is errors.response else its
            yield Listed(entity, int(both.document[at]), shown, int(both.key[at]), int(both.response[at]))


def _members(group: Ints, count: int) -> list[list[int]]:
    """The members of each group, in order; `ABSENT` is none."""
    found: list[list[int]] = [[] for _ in range(count)]
    for member, its in enumerate(group.tolist()):
        if its != ABSENT:
            found[its].append(member)
    return found


@dataclass(frozen=True, eq=False, repr=False)
class ErrorReport(Presented):
    """The report of `errors` for one response. ``top`` bounds how many documents, groups and confusions are shown."""

    analysis: Analysis
    top: int = 5
    with_list: bool = False
    words: Words = KEY_AND_RESPONSE

    def __repr__(self) -> str:
        return f"<ErrorReport: {self.title}>"

    @cached_property
    def errors(self) -> list[Listed]:
        order = {name: place for place, name in enumerate(types.TYPES)}
        return sorted(listed(self.analysis), key=lambda error: order[error.type])

    @property
    def title(self) -> str:
        """What the score is and what it loses, in a sentence."""
        analysis = self.analysis
        mentions, lost = analysis.result["mentions"], 1 - analysis.score
        documents = counted(len(analysis.result.names), "document")
        key = counted(int(mentions.recall_counts.denominator), f"{self.words.key} mention")
        response = counted(int(mentions.precision_counts.denominator), f"{self.words.response} mention")
        return (
            f"{self.words.title}: {self.measure_title} {percent(analysis.score)}, {percent(lost)} below 100, in "
            f"{documents} ({key}, {response})"
        )

    @property
    def measure_title(self) -> str:
        name = self.analysis.measure.name
        return "CoNLL average" if name == AVERAGE else f"{name} F1"

    @cached_property
    def tables(self) -> Sequence[Table]:
        groups = self.group_tables
        symmetric = self.words is FIRST_AND_SECOND
        return [
            self.cost_table,
            *([self.agreement_table] if symmetric else []),
            self.mention_table,
            self.confusion_table,
            *([self.document_table] if len(self.analysis.result.names) > 1 else []),
            *groups,
        ]

    @property
    def cost_table(self) -> Table:
        """One row a type: how many errors, what they cost."""
        columns = (
            Column("type", self.words.error),
            Column("count", "count", COUNT),
            Column("alone", "alone", GAIN),
            Column("in_turn", "in turn", GAIN),
            Column("then", "then", PERCENT),
            Column("bar", "", BAR, shown=True),
        )
        rows: list[Sequence[Any]] = []
        analysis = self.analysis
        moved = analysis.start - analysis.score
        if analysis.copies or abs(moved) > NOTHING:
            name, count = (REPEATS, analysis.copies) if analysis.copies else (LOOKUP, None)
            rows.append([name, count, None, moved, analysis.start, None])
        rows += [
            [self.words.titles[its.type], its.errors, its.alone, its.in_turn, its.then, max(its.in_turn, 0.0)]
            for its in analysis.costs
        ]
        return Table(self.title, columns, rows)

    @property
    def agreement_table(self) -> Table:
        """The F1 of every measure that was scored: the same whichever side is the key."""
        columns = Column("measure", "measure"), Column("f1", "F1", PERCENT)
        return Table("agreement", columns, [[name, score.f1] for name, score in self.analysis.result.items()])

    @property
    def mention_table(self) -> Table:
        """One row a type: the kinds of mentions in its errors, and the most frequent words."""
        kinds = self.analysis.kinds
        of_type: dict[str, list[int]] = {name: [] for name in types.TYPES}
        for error in self.errors:
            of_type[error.type] += error.mentions
        columns = (
            Column("type", self.words.error),
            *(Column(kind.replace(" ", "_"), kind, COUNT) for kind in KINDS),
            Column("most_often", "most often", cut=END),
        )
        rows = []
        for name, its in of_type.items():
            if its:
                sizes = np.bincount(kinds[its], minlength=len(KINDS)).tolist()
                rows.append([self.words.titles[name], *sizes, self._most_often(its)])
        return Table(f"mentions in these {self.words.error}s", columns, rows)

    @property
    def confusion_table(self) -> Table:
        """Which key entity is put into which other one: conflated pieces whose response entity stands for another."""
        found: dict[tuple[int, int], list[int]] = {}
        document: dict[tuple[int, int], int] = {}
        for error in self.errors:
            if error.type == types.CONFLATED and error.into != ABSENT:
                found.setdefault((error.key, error.into), []).extend(error.mentions)
                document[error.key, error.into] = error.document
        columns = (
            Column("mentions", "mentions", COUNT),
            Column("of", "of", cut=MIDDLE),
            Column("put_into", self.words.put_into, cut=MIDDLE),
            Column("most_often", "most often", cut=END),
            Column("document", "document", cut=MIDDLE, shown=len(self.analysis.result.names) > 1),
        )
        most = sorted(found, key=lambda pair: -len(found[pair]))[: self.top]
        rows = [
            [
                len(found[pair]),
                self.name_of(pair[0]),
                self.name_of(pair[1]),
                self._most_often(found[pair], 3),
                self.shown_name(document[pair]),
            ]
            for pair in most
        ]
        return Table(self.words.confused, columns, rows)

    @property
    def document_table(self) -> Table:
        """The documents that cost most, with their errors by type."""
        analysis = self.analysis
        cost = analysis.document_costs
        columns = (
            Column("document", "document", cut=MIDDLE),
            Column("f1", "F1", PERCENT),
            Column("cost", "costs", GAIN),
            *(
                Column(
                    name,
                    heading,
                    COUNT,
                    over=over and getattr(self.words, over),
                    shown=bool(analysis.counts[name]) or name not in OF_SINGLETONS,
                )
                for name, (over, heading) in SHORT.items()
            ),
        )
        rows = [
            [
                self.shown_name(d),
                float(analysis.document_scores[d]),
                float(cost[d]),
                *(int(analysis.by_document[name][d]) for name in SHORT),
            ]
            for d in np.argsort(-cost, kind="stable")[: self.top].tolist()
            if cost[d] > 0
        ]
        return Table("documents that cost most (points of the total F1)", columns, rows)

    @property
    def group_tables(self) -> list[Table]:
        """The groups of entities that cost most, each as its overlap table."""
        groups = self.analysis.groups
        if not self.analysis.measure.additive:
            return []
        order = np.argsort(-groups.cost, kind="stable")
        most = [g for g in order.tolist() if not groups.perfect[g]][: min(self.top, 3)]
        return [self._group(g) for g in most]

    def _group(self, group: int) -> Table:
        """One group: rows are key entities, columns response entities, the largest of each."""
        analysis = self.analysis
        both, errors = analysis.both, analysis.errors
        members = np.flatnonzero(analysis.groups.of == group)
        key, response = both.key[members], both.response[members]
        key_sizes, response_sizes = (Counter(side[side != ABSENT].tolist()) for side in (key, response))
        cells = Counter(zip(key.tolist(), response.tolist(), strict=True))
        rows_of = [its for its, _ in key_sizes.most_common()]
        columns_of = [its for its, _ in response_sizes.most_common()]
        shown = columns_of[:COLUMNS]
        rest = len(columns_of) - len(shown)
        columns = [
            Column("key_entity", f"{self.words.key} entity", cut=MIDDLE),
            Column("size", "size", COUNT),
            *(Column(f"response_{its}", self.response_name(its), cut=MIDDLE) for its in shown),
            *([Column("others", f"{rest} more")] if rest else []),
            Column("missing", self.words.missing),
        ]

        def cells_of(rows: Sequence[int], sizes: int | None) -> list[Any]:
            found: list[str] = []
            for column in [*([its] for its in shown), *([columns_of[COLUMNS:]] if rest else []), [ABSENT]]:
                n = sum(cells[row, its] for row in rows for its in column)
                stars = any(both.response[errors.key.main[row]] in column for row in rows if row != ABSENT)
                mark = "*" if n and len(rows) == 1 and rows[0] != ABSENT and stars and column != [ABSENT] else ""
                found.append(f"{n}{mark}" if n else ".")
            return [sizes, *found]

        rows: list[list[Any]] = [[self.name_of(its), *cells_of([its], key_sizes[its])] for its in rows_of[:ROWS]]
        if others := rows_of[ROWS:]:
            rows.append([f"{len(others)} more", *cells_of(others, sum(key_sizes[its] for its in others))])
        if any(its == ABSENT for its in key.tolist()):
            rows.append([self.words.extra, *cells_of([ABSENT], None)])
        document = self.shown_name(int(analysis.groups.document[group]))
        title = (
            f"{document}, group {group + 1}: {len(rows_of)} {self.words.key} and {len(columns_of)} "
            f"{self.words.response} entities; "
            f"costs {analysis.groups.cost[group] * 100:.2f}"
        )
        return Table(title, columns, rows)

    @property
    def notes(self) -> Sequence[str]:
        perfect = self.analysis.groups.perfect
        groups = f"{int((~perfect).sum())} of {counted(len(perfect), 'group')} of entities differ"
        notes = [*self.words.notes, f"{groups}; *: {self.words.star}"]
        if not self.analysis.text.words:
            notes.append("the key has no words: mentions are shown by their tokens, and no spans are repaired")
        return notes

    @property
    def signature(self) -> str:
        its = self.analysis
        reading = {name: value for name, value in its.result.settings.reading.items() if name != "heads"}
        symmetric = " | symmetric" if self.words is FIRST_AND_SECOND else ""
        return (
            f"{replace(its.result.settings, reading=reading).signature} | errors={its.measure.name} | "
            f"spans={its.spans} | heads={its.heads} | pronouns={its.pronouns.name}{symmetric}"
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/errors.md``."""
        its, groups = self.analysis, self.analysis.groups
        options = {**its.result.settings.to_dict(), "spans": its.spans, "heads": its.heads}
        options["symmetric"] = self.words is FIRST_AND_SECOND
        found = {
            **head("errors", self.signature, {**options, "pronouns": its.pronouns.name}),
            "score": {name: score.f1 for name, score in its.result.items() if name != "mentions"},
            "repeated_mentions": {"count": its.copies, "cost": its.start - its.score},
            "types": [{"type": c.type, "count": c.errors, **_gains(c)} for c in its.costs],
            "operations": its.errors.operations(len(its.repaired)),
            "documents": [
                {
                    "name": name,
                    its.measure.name: float(its.document_scores[d]),
                    "cost": float(its.document_costs[d]),
                    "types": {each: int(counts[d]) for each, counts in its.by_document.items()},
                }
                for d, name in enumerate(its.result.names)
            ],
            "groups": [self._group_data(g) for g in np.flatnonzero(~groups.perfect).tolist()],
        }
        return {**found, "errors": list(self._listed_data())} if self.with_list else found

    def _group_data(self, group: int) -> dict[str, Any]:
        its = self.analysis
        members = np.flatnonzero(its.groups.of == group)
        key, response = its.both.key[members], its.both.response[members]
        keys, responses = (list(dict.fromkeys(side[side != ABSENT].tolist())) for side in (key, response))
        cells = Counter(zip(key.tolist(), response.tolist(), strict=True))
        return {
            "document": int(its.groups.document[group]),
            "cost": _known(its.groups.cost[group]),
            "key": keys,
            "response": responses,
            "overlap": [[keys.index(k), responses.index(r), n] for (k, r), n in cells.items() if ABSENT not in (k, r)],
        }

    def _listed_data(self) -> Iterator[dict[str, Any]]:
        its = self.analysis
        for mention in its.repaired.tolist():
            document, *key = its.span(mention)
            by = "trim" if its.both.repair[mention] == BY_TRIMMING else "head"
            response = list(its.in_response(mention))
            yield {"type": types.SPAN, "document": document, "response": response, "key": key, "by": by}
        names = {"key_entity": "key", "response_entity": "response", "into_key_entity": "into"}
        for error in self.errors:
            spans = [list(span) if (span := its.span(m)[1:])[0] >= 0 else its.words(m) for m in error.mentions]
            group = int(its.groups.of[error.mentions[0]])
            entities = {name: getattr(error, field) for name, field in names.items() if getattr(error, field) != ABSENT}
            yield {"type": error.type, "document": error.document, "group": group, "mentions": spans, **entities}

    def name_of(self, key: int) -> str:
        """What a key entity is called: words of it, and the id that the file gives it."""
        its = self.analysis
        words = its.label(self._key_members[key])
        return f"{shortened(words)} ({self.key_id(key)})"

    def response_name(self, response: int) -> str:
        """What a response entity is called."""
        its = self.analysis
        words = its.label(self._response_members[response])
        return f"{shortened(words, 14)} ({self.response_id(response)})"

    @cached_property
    def _key_members(self) -> list[Ints]:
        both = self.analysis.both
        return [np.array(its) for its in _members(both.key, len(self.analysis.errors.key.main))]

    @cached_property
    def _response_members(self) -> list[Ints]:
        both = self.analysis.both
        return [np.array(its) for its in _members(both.response, len(self.analysis.errors.response.main))]

    def key_id(self, entity: int) -> str | None:
        """The id of a key entity in its file."""
        return None if entity == ABSENT else self._id(self.analysis.pairs.key, self._key_members[entity], "key_row")

    def response_id(self, entity: int) -> str | None:
        """The id of a response entity in its file."""
        side = self.analysis.pairs.response
        return None if entity == ABSENT else self._id(side, self._response_members[entity], "response_row")

    def _id(self, side: Documents, members: Ints, rows: str) -> str:
        row = int(getattr(self.analysis.both, rows)[members[0]])
        return side.name_of(int(side.entity[row]))

    def place(self, mention: int) -> tuple[str, int | None]:
        """The file and line of a mention: of the response if it is there, else of the key."""
        its = self.analysis.mention(mention)
        return its.place.source.name, its.line

    def shown_name(self, document: int) -> str:
        return self.analysis.result.names[document]

    def _most_often(self, mentions: Iterable[int], most: int = 5) -> str:
        words = Counter(self.analysis.words(mention).lower() for mention in mentions)
        return ", ".join(f"{shortened(its)} {count}" for its, count in words.most_common(most))


@dataclass(frozen=True, eq=False)
class ErrorList(Reported):
    """The report of `errors --list`: one row an error, with its place in the file of the side that has its mentions."""

    report: ErrorReport

    @property
    def signature(self) -> str:
        return self.report.signature

    @property
    def notes(self) -> Sequence[str]:
        return ()

    @property
    def tables(self) -> Sequence[Table]:
        columns = (
            Column("type", self.report.words.error),
            Column("document", "document", spare=1, cut=MIDDLE),
            Column("file", "file", cut=MIDDLE),
            Column("line", "line", COUNT),
            Column("mentions", "tokens", spare=2, cut=END),
            Column("words", "words", cut=MIDDLE),
            Column("key_entity", self.report.words.key, over="entity", cut=MIDDLE),
            Column("response_entity", self.report.words.response, over="entity", cut=MIDDLE),
            Column("into_key_entity", "into", over="entity", spare=1, cut=MIDDLE),
        )
        return [Table("", columns, [*self._spans(), *map(self._row, self.report.errors)])]

    @property
    def annotations(self) -> Iterator[Annotation]:
        for kind, document, path, line, _, words, *_ in self.tables[0].rows:
            yield Annotation("warning", kind, f'"{words}" in document {document}', path, line)

    def to_dict(self) -> dict[str, Any]:
        return replace(self.report, with_list=True).to_dict()

    def _row(self, error: Listed) -> list[Any]:
        its, report = self.report.analysis, self.report
        both = its.both
        spans = [f"{both.start[m]}-{both.end[m]}" for m in error.mentions]
        return [
            report.words.titles[error.type],
            report.shown_name(error.document),
            *report.place(error.mentions[0]),
            " ".join(spans),
            ", ".join(map(its.words, error.mentions)),
            report.key_id(error.key),
            report.response_id(error.response),
            report.key_id(error.into),
        ]

    def _spans(self) -> Iterator[list[Any]]:
        """The span errors: the tokens of the response, an arrow, those of the key."""
        its, report = self.report.analysis, self.report
        for at in its.repaired.tolist():
            response = its.in_response(at)
            document, *key = its.span(at)
            yield [
                report.words.titles[types.SPAN],
                report.shown_name(document),
                *report.place(at),
                f"{response[0]}-{response[1]} -> {key[0]}-{key[1]}",
                f"{its.text.between(document, *response)} -> {its.text.between(document, *key)}",
                report.key_id(int(its.both.key[at])),
                report.response_id(int(its.both.response[at])),
                None,
            ]


def _gains(cost: Cost) -> dict[str, float]:
    return {name: getattr(cost, name) for name in ("alone", "in_turn", "then")}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def shortened(words: str, size: int = SHOWN_WORDS) -> str:
    """Words cut to so many characters."""
    return words if len(words) <= size else f"{words[: size - 1]}…"
