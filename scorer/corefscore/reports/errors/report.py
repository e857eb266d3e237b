"""The report of an error analysis: what a score loses by type of error, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from corefscore.analysis import types
from corefscore.analysis.partitions import BY_TRIMMING
from corefscore.analysis.response import Analysis
from corefscore.core.findings import Finding, plural
from corefscore.core.percent import percent
from corefscore.core.records import dataclass, replace
from corefscore.metrics import AVERAGE
from corefscore.reports.base import Annotation, Reported, Table, head
from corefscore.reports.errors import tables
from corefscore.reports.words import KEY_AND_RESPONSE, ReportWords

_COSTS = ("type", "count", "alone", "in_turn", "then")
"""The names in data of the fields of a `Cost`."""

_COUNT_0 = (
    "a type with count 0 can still gain F1: a mention that only one side has is repaired with this type if it is the "
    "main mention of its entity, but counted under another type"
)
"""The note on such a type."""


@dataclass(frozen=True, eq=False, repr=False)
class ErrorReport(Reported):
    """The report of `errors` for one response; ``words`` are the words for key and response. With ``listing``, its only
    table has a row for each error."""

    analysis: Analysis
    words: ReportWords = KEY_AND_RESPONSE
    listing: bool = False

    def __repr__(self) -> str:
        return f"<ErrorReport: {self.title}>"

    @property
    def title(self) -> str:
        """The score and the number of mentions, in one line."""
        analysis = self.analysis
        mentions, lost = analysis.result["mentions"], 1 - analysis.score
        documents = plural(len(analysis.result.names), "document")
        key = f"{plural(int(mentions.recall_counts.denominator), 'mention')} in the {self.words.key}"
        response = f"{int(mentions.precision_counts.denominator)} in the {self.words.response}"
        return (
            f"{self.words.title}: {self.measure_title} {percent(analysis.score)}, {percent(lost)} below 100, in "
            f"{documents} ({key}, {response})"
        )

    @property
    def measure_title(self) -> str:
        """The name of the score in which costs are measured."""
        name = self.analysis.measure.name
        return "CoNLL average" if name == AVERAGE else f"{name} F1"

    @cached_property
    def tables(self) -> Sequence[Table]:
        analysis, words = self.analysis, self.words
        if self.listing:
            return [tables.list_table(analysis, words)]
        return [
            tables.cost_table(analysis, words, self.title),
            *([tables.agreement_table(analysis)] if self.words.symmetric else []),
            tables.mention_table(analysis, words),
            tables.confusion_table(analysis, words),
            *([tables.document_table(analysis, words)] if len(analysis.result.names) > 1 else []),
            *tables.group_tables(analysis, words),
        ]

    @property
    def notes(self) -> Sequence[str]:
        perfect = self.analysis.groups.perfect
        groups = f"groups of entities that share mentions: {int((~perfect).sum())} of {len(perfect)} differ"
        counted = all(cost.errors or cost.in_turn < 5e-5 for cost in self.analysis.costs)
        notes = [*self.words.notes, f"{groups}; *: {self.words.star}", *[_COUNT_0] * (not counted)]
        if not self.analysis.text.words:
            shown = "token numbers" if self.analysis.pairs.key.items is None else "they are given"
            within = "mentions begin or end within words (--align finds the words in the text)"
            why = within if self.analysis.pairs.of_characters else "the key has no words"
            notes.append(f"{why}: mentions are shown as {shown}, and no spans are repaired")
        return notes

    @property
    def annotations(self) -> Iterator[Annotation]:
        """An annotation for each error."""
        for kind, document, path, line, _, words, *_ in tables.list_table(self.analysis, self.words).rows:
            yield Annotation("warning", kind, f'"{words}" in document {document}', path, line)

    @property
    def notices(self) -> Sequence[Finding]:
        """The notices of scoring and of the analysis."""
        return [*self.analysis.result.notices, *self.analysis.notices]

    @property
    def signature(self) -> str:
        analysis = self.analysis
        reading = {name: value for name, value in analysis.result.settings.reading.items() if name != "heads"}
        return (
            f"{replace(analysis.result.settings, reading=reading).signature} | errors={analysis.measure.name} | "
            f"spans={analysis.spans} | heads={analysis.heads} | pronouns={analysis.pronouns.name}"
            f"{' | symmetric' * self.words.symmetric}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON layout prints; see ``docs/errors.md``."""
        analysis = self.analysis
        own = {"spans": analysis.spans, "heads": analysis.heads, "symmetric": self.words.symmetric}
        options = {**analysis.result.settings.to_dict(), **own, "pronouns": analysis.pronouns.name}
        return {
            **head("errors", self.signature, options, self.notices),
            "score": {name: score.f1 for name, score in analysis.result.items() if name != "mentions"},
            "repeated_mentions": {"count": analysis.copies, "cost": analysis.start - analysis.score},
            "types": [dict(zip(_COSTS, cost, strict=True)) for cost in analysis.costs],
            "operations": analysis.errors.operations(),
            "documents": [
                {
                    "name": name,
                    analysis.measure.name: float(analysis.document_scores[document]),
                    "cost": float(analysis.document_costs[document]),
                    "types": {error: int(counts[document]) for error, counts in analysis.errors.by_document.items()},
                }
                for document, name in enumerate(analysis.result.names)
            ],
            "groups": list(tables.group_data(analysis)),
            "errors": list(self._listed_data()),
        }

    def _listed_data(self) -> Iterator[dict[str, Any]]:
        """Yield every error as data, by type."""
        analysis = self.analysis
        group = (~analysis.groups.perfect).cumsum() - 1  # among those with errors
        for error in analysis.errors.each():
            data: dict[str, Any] = {"type": error.type, "document": analysis.result.names[error.document]}
            first, spans = error.mentions[0], [self._span_data(mention) for mention in error.mentions]
            if error.type == types.SPAN:
                by = "trim" if analysis.both.repair[first] == BY_TRIMMING else "head"
                yield {**data, "response": list(analysis.in_response(first)), "key": spans[0], "by": by}
                continue
            ids = analysis.key.id(error.key), analysis.response.id(error.response), analysis.key.id(error.into)
            entities = zip(("key_entity", "response_entity", "into_key_entity"), ids, strict=True)
            data |= {"group": int(group[analysis.groups.of[first]]), "mentions": spans}
            yield data | {name: entity for name, entity in entities if entity is not None}

    def _span_data(self, mention: int) -> list[int] | str:
        """Return the first and last token of a mention, or its words if the text of the key lacks them."""
        _, start, end = self.analysis.span(mention)
        return [start, end] if start >= 0 else self.analysis.words(mention)
