"""The report of an error analysis: what a score loses, by type of error, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from corefscore.analysis import types
from corefscore.analysis.costs import Cost
from corefscore.analysis.partitions import ABSENT, BY_TRIMMING
from corefscore.analysis.response import Analysis
from corefscore.checking.findings import plural
from corefscore.metrics import AVERAGE
from corefscore.reports.errors import tables
from corefscore.reports.errors.groups import group_data, group_tables
from corefscore.reports.errors.names import Named
from corefscore.reports.errors.single import Listed, listed
from corefscore.reports.presented import Presented
from corefscore.reports.row import Table, head
from corefscore.reports.words import FIRST_AND_SECOND, KEY_AND_RESPONSE, Words
from corefscore.statistics.percent import percent


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
    def named(self) -> Named:
        """What is shown, by names."""
        return Named(self.analysis)

    @cached_property
    def errors(self) -> list[Listed]:
        """All errors but those of spans."""
        return listed(self.analysis)

    @property
    def symmetric(self) -> bool:
        """Whether no side is the key."""
        return self.words is FIRST_AND_SECOND

    @property
    def title(self) -> str:
        """What the score is and what it loses, in a sentence."""
        analysis = self.analysis
        mentions, lost = analysis.result["mentions"], 1 - analysis.score
        documents = plural(len(analysis.result.names), "document")
        key = f"{plural(int(mentions.recall_counts.denominator), 'mention')} in {self.words.key}"
        response = f"{int(mentions.precision_counts.denominator)} in {self.words.response}"
        return (
            f"{self.words.title}: {self.measure_title} {percent(analysis.score)}, {percent(lost)} below 100, in "
            f"{documents} ({key}, {response})"
        )

    @property
    def measure_title(self) -> str:
        """The measure in which costs are counted."""
        name = self.analysis.measure.name
        return "CoNLL average" if name == AVERAGE else f"{name} F1"

    @cached_property
    def tables(self) -> Sequence[Table]:
        analysis, words, named = self.analysis, self.words, self.named
        return [
            tables.cost_table(analysis, words, self.title),
            *([tables.agreement_table(analysis)] if self.symmetric else []),
            tables.mention_table(named, self.errors, words),
            tables.confusion_table(named, self.errors, words, self.top),
            *([tables.document_table(named, words, self.top)] if len(analysis.result.names) > 1 else []),
            *group_tables(named, words, self.top),
        ]

    @property
    def notes(self) -> Sequence[str]:
        perfect = self.analysis.groups.perfect
        groups = f"{int((~perfect).sum())} of {plural(len(perfect), 'group')} of entities differ"
        notes = [*self.words.notes, f"{groups}; *: {self.words.star}"]
        if not self.analysis.text.words:
            notes.append("the key has no words: mentions are shown by their tokens, and no spans are repaired")
        return notes

    @property
    def signature(self) -> str:
        its = self.analysis
        reading = {name: value for name, value in its.result.settings.reading.items() if name != "heads"}
        return (
            f"{replace(its.result.settings, reading=reading).signature} | errors={its.measure.name} | "
            f"spans={its.spans} | heads={its.heads} | pronouns={its.pronouns.name}{' | symmetric' * self.symmetric}"
        )

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints; see ``docs/errors.md``."""
        its = self.analysis
        options = {**its.result.settings.to_dict(), "spans": its.spans, "heads": its.heads}
        options["symmetric"] = self.symmetric
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
            "groups": group_data(its),
        }
        return {**found, "errors": list(self._listed_data())} if self.with_list else found

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


def _gains(cost: Cost) -> dict[str, float]:
    return {name: getattr(cost, name) for name in ("alone", "in_turn", "then")}
