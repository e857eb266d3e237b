"""The report of `errors` in layouts with a line for each error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corefscore.analysis import types
from corefscore.reports.base import COUNT, DOCUMENT, END, MIDDLE, Annotation, Column, Reported, Table
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.errors.single import Listed


@dataclass(frozen=True, eq=False)
class ErrorList(Reported):
    """One row per error, with its place in the file of the side that has its mentions."""

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
            DOCUMENT._replace(spare=1),
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
        return self.report.to_dict()

    def _row(self, error: Listed) -> list[Any]:
        """The row of an error that is not a span error."""
        analysis, named = self.report.analysis, self.report.named
        both = analysis.both
        spans = [f"{both.start[mention]}-{both.end[mention]}" for mention in error.mentions]
        return [
            self.report.words.types[error.type].title,
            named.document(error.document),
            *named.place(error.mentions[0]),
            " ".join(spans),
            ", ".join(map(analysis.words, error.mentions)),
            named.key_id(error.key),
            named.response_id(error.response),
            named.key_id(error.into),
        ]

    def _spans(self) -> Iterator[list[Any]]:
        """The rows of span errors: the tokens of the response, an arrow, and the tokens of the key."""
        analysis, named = self.report.analysis, self.report.named
        for mention in analysis.repaired.tolist():
            response = analysis.in_response(mention)
            document, *key = analysis.span(mention)
            yield [
                self.report.words.types[types.SPAN].title,
                named.document(document),
                *named.place(mention),
                f"{response[0]}-{response[1]} -> {key[0]}-{key[1]}",
                f"{analysis.text.between(document, *response)} -> {analysis.text.between(document, *key)}",
                named.key_id(int(analysis.both.key[mention])),
                named.response_id(int(analysis.both.response[mention])),
                None,
            ]
