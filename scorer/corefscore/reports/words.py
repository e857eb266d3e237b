"""The words of error reports for the two sides and their differences: key and response, or two annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from corefscore.analysis import types


class Words(NamedTuple):
    """The words of a report.

    ``key`` and ``response`` name the sides, ``missing`` and ``extra`` what only one of them has, ``error`` any
    difference. ``title`` is the title of the report, ``titles`` are the names of the types of errors, and ``short`` is
    the heading above their columns and the heading of each, where space is limited. ``conclusion`` begins the sentence
    that says which type costs most, and ``means`` continues it for each type. ``command`` is the command that shows
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
    titles: Mapping[str, str]
    short: Mapping[str, tuple[str, str]]
    conclusion: str
    means: Mapping[str, str]
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
    titles={
        types.SPAN: "span error",
        types.CONFLATED: "conflated entities",
        types.EXTRA_MENTION: "extra mention",
        types.EXTRA_ENTITY: "extra entity",
        types.DIVIDED: "divided entity",
        types.MISSING_MENTION: "missing mention",
        types.MISSING_ENTITY: "missing entity",
        types.EXTRA_SINGLETON: "extra singleton",
        types.MISSING_SINGLETON: "missing singleton",
    },
    short={
        types.SPAN: ("", "span"),
        types.CONFLATED: ("", "confl"),
        types.DIVIDED: ("", "div"),
        types.EXTRA_MENTION: ("extra", "men"),
        types.EXTRA_ENTITY: ("extra", "ent"),
        types.EXTRA_SINGLETON: ("extra", "one"),
        types.MISSING_MENTION: ("missing", "men"),
        types.MISSING_ENTITY: ("missing", "ent"),
        types.MISSING_SINGLETON: ("missing", "one"),
    },
    conclusion="most is lost because",
    means={
        types.SPAN: "mentions have other ends than in the key",
        types.CONFLATED: "response entities contain mentions of several key entities",
        types.EXTRA_MENTION: "response entities contain mentions that the key lacks",
        types.EXTRA_ENTITY: "the response has entities that the key lacks",
        types.DIVIDED: "key entities are spread over several response entities",
        types.MISSING_MENTION: "entities that are found lack mentions",
        types.MISSING_ENTITY: "whole entities of the key are missing",
        types.EXTRA_SINGLETON: "the response has entities of one mention that the key lacks",
        types.MISSING_SINGLETON: "entities of one mention are missing",
    },
    command="corefscore diff KEY RESPONSE",
    confused="who is taken for whom",
    put_into="put into",
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
    titles={
        types.SPAN: "another span",
        types.CONFLATED: "joined only in second",
        types.EXTRA_MENTION: "mention only in second",
        types.EXTRA_ENTITY: "entity only in second",
        types.DIVIDED: "joined only in first",
        types.MISSING_MENTION: "mention only in first",
        types.MISSING_ENTITY: "entity only in first",
        types.EXTRA_SINGLETON: "singleton only in second",
        types.MISSING_SINGLETON: "singleton only in first",
    },
    short={
        types.SPAN: ("", "span"),
        types.CONFLATED: ("only second", "join"),
        types.EXTRA_MENTION: ("only second", "men"),
        types.EXTRA_ENTITY: ("only second", "ent"),
        types.EXTRA_SINGLETON: ("only second", "one"),
        types.DIVIDED: ("only first", "join"),
        types.MISSING_MENTION: ("only first", "men"),
        types.MISSING_ENTITY: ("only first", "ent"),
        types.MISSING_SINGLETON: ("only first", "one"),
    },
    conclusion="they differ most because",
    means={
        types.SPAN: "mentions have other ends",
        types.CONFLATED: "second joins entities that first keeps apart",
        types.EXTRA_MENTION: "second has more mentions in entities of both",
        types.EXTRA_ENTITY: "second has entities that first lacks",
        types.DIVIDED: "first joins entities that second keeps apart",
        types.MISSING_MENTION: "first has more mentions in entities of both",
        types.MISSING_ENTITY: "first has entities that second lacks",
        types.EXTRA_SINGLETON: "second has entities of one mention that first lacks",
        types.MISSING_SINGLETON: "first has entities of one mention that second lacks",
    },
    command="corefscore diff --symmetric FIRST SECOND",
    confused="entities of first that second joins",
    put_into="joined with",
    notes=(
        "in turn: F1 gained if second is made like first in this type, after the types above; the column adds up to "
        "the difference from 100",
        "alone: F1 gained if second is made like first in this type only (and in spans); F1 is the same in both "
        "directions, but the gain of a step is not",
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
