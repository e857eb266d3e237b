"""The keyword arguments that the calls from Python share: spelt once, shown by every signature.

A function takes them as ``**how: Unpack[Options]``, which type checkers and editors spell out; `spelled` does so for
`help` and for prompts, and answers an unknown keyword with the nearest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple, ParamSpec, TypedDict, TypeVar

from corefscore.errors import UsageError, suggested
from corefscore.formats.row import Reading
from corefscore.settings import Rules
from corefscore.work.workers import Map


class Scoring(TypedDict, total=False):
    """How mentions count (`corefscore.settings.RULES`); the options of metrics of named mentions (``ne_from`` to
    ``match``) and of BLANC (``boundary``); and ``options``, those of metrics that other packages add, by keyword."""

    repeated: str
    singletons: str | None
    mentions: str | None
    matching: str | None
    zeros: str | None
    lookup: str | None
    definitions: str | None
    window: int | None
    of: str | None
    task: str | None
    ne_from: str | None
    ne_column: int | None
    named: str | None
    ne_types: str | Sequence[str] | None
    estimate_key: bool | None
    match: str | Sequence[str] | None
    boundary: str | None
    options: Mapping[str, Any] | None


class Files(TypedDict, total=False):
    """How files are read (`corefscore.formats.row.Reading`)."""

    include: str | None
    input_format: str | Mapping[str, str] | None
    clusters_field: str | None
    max_unpacked: int | None
    heads: str | None
    tags: str | None
    pieces: str | None
    align: bool | None
    fidelity: float | None
    word_column: int | Mapping[str, int] | None


class Work(TypedDict, total=False):
    """The one document that is scored; and who does the work (`corefscore.work.workers`)."""

    document: str | None
    workers: Map | None


class Options(Scoring, Files, Work, total=False):
    """All options of a score."""


class Resampling(TypedDict, total=False):
    """How systems are compared (`corefscore.statistics.significance.Method`)."""

    by: str | None
    confidence: float | None
    alpha: float | None
    unit: str
    test: str
    trials: int | None
    seed: int
    correction: str
    average: str | None


class Comparing(Resampling, Options, total=False):
    """Those of a score, and how systems are compared."""


class ScorerOptions(Scoring, Files, total=False):
    """Those of what takes one document after the other."""


DEFAULTS: Mapping[str, Any] = {**Reading()._asdict(), **Rules()._asdict()}
"""The defaults of those that have any but None."""

P = ParamSpec("P")
R = TypeVar("R")


def spelled(function: Callable[P, R], defaults: Mapping[str, Any] = DEFAULTS) -> Callable[P, R]:
    """The same function, with a signature that has every keyword, which says of an unknown one which may be meant.
    ``defaults`` are those of keywords that have any but None."""
    shown = _shown(function, defaults)
    known = list(shown.parameters)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                others = "" if "options" not in known else "; options of other packages' metrics go into options={...}"
                raise UsageError(f"unknown argument {name!r}; {suggested(name, known)}{others}")
        return function(*args, **kwargs)

    call.__signature__ = shown  # type: ignore[attr-defined]
    return call


def _shown(function: Callable[..., Any], defaults: Mapping[str, Any]) -> Signature:
    """The signature of a function, in which the keywords of a table of this module stand in the place of ``**``."""
    own = signature(function)
    found = []
    for parameter in own.parameters.values():
        if parameter.kind is not Parameter.VAR_KEYWORD:
            found.append(parameter)
            continue
        table = function.__globals__[parameter.annotation.removeprefix("Unpack[").removesuffix("]")]
        for name, kind in table.__annotations__.items():
            spelt = getattr(kind, "__forward_arg__", kind)
            found.append(Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=spelt))
    return own.replace(parameters=found)


class Apart(NamedTuple):
    """Options by what they are about: how files are read, which mentions count, and all others."""

    reading: Reading
    rules: Rules
    others: dict[str, Any]


def apart(how: Mapping[str, Any]) -> Apart:
    """Options, by keyword, taken apart."""
    reading, rules = ({name: how[name] for name in each._fields if name in how} for each in (Reading, Rules))
    others = {name: value for name, value in how.items() if name not in {**reading, **rules}}
    return Apart(Reading(**reading), Rules(**rules), others)
