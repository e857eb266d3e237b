"""The words of error reports for the two sides and their differences: key and response, or two annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corefscore.analysis import types


class _TypeWords(NamedTuple):
    """The words of a type of errors: its name, its heading in tables with little space and the one above it and its
    neighbours, and why such errors cost something."""

    title: str
    over: str
    heading: str
    means: str


class Words(NamedTuple):
    """The words of a report.

    ``key`` and ``response`` name the sides, ``missing`` and ``extra`` what only one of them has, ``error`` any
    difference. ``title`` is the title of the report, ``types`` has the words of each type of errors in the order of
    columns. ``conclusion`` begins the sentence that says which type costs most. ``command`` is the command that shows
    documents in the text. ``confused`` is the title of the table of confused entities, ``put_into`` the heading of the
    second entity. ``notes`` explain the tables, ``star`` the stars in the tables of groups, ``legend`` the signs in
    marked text, and ``said`` describes each state of a mention (`corefscore.reports.diff.STATES`).
    """

    key: str
    response: str
    missing: str
    extra: str
    error: str
    title: str
    types: Mapping[str, _TypeWords]
    conclusion: str
    command: str
    confused: str
    put_into: str
    notes: Sequence[str]
    star: str
    legend: Sequence[str]
    said: Sequence[str]


KEY_AND_RESPONSE = Words(
    key="key",
    response="response",
    missing="missing",
    extra="extra",
    error="error",
    title="what the score loses",
    types={
        types.SPAN: _TypeWords("span error", "", "span", "mentions have other ends than in the key"),
        types.CONFLATED: _TypeWords(
            "conflated entities", "", "confl", "response entities contain mentions of several key entities"
        ),
        types.DIVIDED: _TypeWords(
            "divided entity", "", "div", "key entities are spread over several response entities"
        ),
        types.EXTRA_MENTION: _TypeWords(
            "extra mention", "extra", "men", "response entities contain mentions that the key lacks"
        ),
        types.EXTRA_ENTITY: _TypeWords("extra entity", "extra", "ent", "the response has entities that the key lacks"),
        types.EXTRA_SINGLETON: _TypeWords(
            "extra singleton", "extra", "one", "the response has entities of one mention that the key lacks"
        ),
        types.MISSING_MENTION: _TypeWords("missing mention", "missing", "men", "entities that are found lack mentions"),
        types.MISSING_ENTITY: _TypeWords("missing entity", "missing", "ent", "whole entities of the key are missing"),
        types.MISSING_SINGLETON: _TypeWords(
            "missing singleton", "missing", "one", "entities of one mention are missing"
        ),
    },
    conclusion="largest loss:",
    command="corefscore diff KEY RESPONSE",
    confused="confused entities",
    put_into="merged into",
    notes=(
        "in turn: F1 gained by repairing all errors of this type after those of the types above; the column adds up to "
        "what is lost",
        "alone: F1 gained by repairing only this type (and spans); it can be negative, since joining the parts of a "
        "divided entity also joins what they are conflated with",
    ),
    star="the response entity with the main mention of the key entity, which its other mentions should join",
    legend=(
        "[x]3 right   -[x]7 missing   +[x]16 extra   ~[x]2 other span",
        "[x]5>4  belongs to key entity 5, but is with key entity 4 in the response",
        "[x]5>r2 belongs to key entity 5, but is in entity r2 of the response, which",
        "        corresponds to no key entity",
    ),
    said=("right", "found, with another span", "found, in another entity", "missing in the response", "not in the key"),
)

FIRST_AND_SECOND = Words(
    key="first",
    response="second",
    missing="only first",
    extra="only second",
    error="difference",
    title="how far both agree",
    types={
        types.SPAN: _TypeWords("another span", "", "span", "mentions have other ends"),
        types.CONFLATED: _TypeWords(
            "joined only in second", "only second", "join", "second joins entities that first keeps apart"
        ),
        types.EXTRA_MENTION: _TypeWords(
            "mention only in second", "only second", "men", "second has more mentions in entities of both"
        ),
        types.EXTRA_ENTITY: _TypeWords(
            "entity only in second", "only second", "ent", "second has entities that first lacks"
        ),
        types.EXTRA_SINGLETON: _TypeWords(
            "singleton only in second", "only second", "one", "second has entities of one mention that first lacks"
        ),
        types.DIVIDED: _TypeWords(
            "joined only in first", "only first", "join", "first joins entities that second keeps apart"
        ),
        types.MISSING_MENTION: _TypeWords(
            "mention only in first", "only first", "men", "first has more mentions in entities of both"
        ),
        types.MISSING_ENTITY: _TypeWords(
            "entity only in first", "only first", "ent", "first has entities that second lacks"
        ),
        types.MISSING_SINGLETON: _TypeWords(
            "singleton only in first", "only first", "one", "first has entities of one mention that second lacks"
        ),
    },
    conclusion="largest difference:",
    command="corefscore diff --symmetric FIRST SECOND",
    confused="entities of first that second joins",
    put_into="joined with",
    notes=(
        "in turn: F1 gained if second is made like first in this type, after the types above; the column adds up to "
        "the difference from 100",
        "alone: F1 gained if second is made like first in this type only (and in spans); gains depend on which side is "
        "first, F1 does not if both have the same tokens",
    ),
    star="the main mention of the entity of first is here",
    legend=(
        "[x]3 both agree   -[x]7 only in first   +[x]16 only in second   ~[x]2 another span",
        "[x]5>4  is in entity 5 of first, but in second it is with entity 4 of first",
        "[x]5>r2 is in entity 5 of first, but in second in entity r2, which corresponds to",
        "        no entity of first",
    ),
    said=(
        "both agree",
        "in both, with different spans",
        "in both, in different entities",
        "only in first",
        "only in second",
    ),
)
