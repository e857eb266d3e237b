"""The keyword arguments that the functions for Python share: declared once, and shown in every signature.

A function accepts them as ``**arguments: Unpack[Options]``, which type checkers and editors expand. The decorator
`with_keywords` expands them for `help` and prompts, and suggests the nearest keyword for an unknown one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypedDict, TypeVar

from corefscore.core.errors import UsageError, suggested
from corefscore.core.options import declared
from corefscore.core.workers import Map
from corefscore.formats.base import Reading
from corefscore.scoring.settings import Rules


class _Scoring(TypedDict, total=False):
    """Options of scoring: how mentions count (`corefscore.scoring.settings.Rules`), the options of metrics of named
    mentions (``ne_from`` to ``match``) and of BLANC (``boundary``), and in ``options`` those of metrics of other
    packages."""

    repeated: str
    singletons: str | None
    mentions: str | None
    matching: str | None
    zeros: str | None
    window: int | None
    of: str | None
    task: str | None
    ne_from: str | None
    named: str | None
    ne_types: str | Sequence[str] | None
    estimate_key: bool | None
    match: str | Sequence[str] | None
    boundary: str | None
    options: Mapping[str, Any] | None


class Files(TypedDict, total=False):
    """Options of reading files (`corefscore.formats.base.Reading`)."""

    input_format: str | Mapping[str, str] | None
    heads: str | None
    tags: str | None
    pieces: str | None
    align: bool | None
    columns: str | None


class Options(_Scoring, Files, total=False):
    """All options of a score: also the only document to score, and the workers (`corefscore.core.workers`)."""

    document: str | None
    workers: Map | None


class _Resampling(TypedDict, total=False):
    """Options of comparing systems (`corefscore.statistics.significance.Method`)."""

    by: str | None
    confidence: float
    unit: str
    trials: int
    seed: int
    correction: str
    average: str | None
    baseline: str | None
    margin: float | None


class Comparing(_Resampling, Options, total=False):
    """All options of a comparison."""


class ScorerOptions(_Scoring, Files, total=False):
    """The options of classes that score one document after another."""


DEFAULTS: Mapping[str, Any] = {option.name: option.default for option in (*declared(Reading), *declared(Rules))}
"""The defaults of keywords; the default of any other keyword is None."""

P = ParamSpec("P")
R = TypeVar("R")


def with_keywords(function: Callable[P, R], defaults: Mapping[str, Any] = DEFAULTS) -> Callable[P, R]:
    """Return the function with a signature that lists every keyword, and an error that suggests a keyword for an
    unknown one.

    ``defaults`` are the defaults of keywords other than None.
    """
    expanded = _expanded(function, defaults)
    known = list(expanded.parameters)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                others = " (options of other packages' metrics go into options={...})" * ("options" in known)
                raise UsageError(f"unknown argument {name!r}; {suggested(name, known)}{others}")
        return function(*args, **kwargs)

    call.__signature__ = expanded  # type: ignore[attr-defined]
    return call


def _expanded(function: Callable[..., Any], defaults: Mapping[str, Any]) -> Signature:
    """Return the signature of a function, with ``**`` replaced by the keywords of its class in this module."""
    own = signature(function)
    *parameters, last = own.parameters.values()
    if last.kind is not Parameter.VAR_KEYWORD:
        return own
    table = function.__globals__[last.annotation.removeprefix("Unpack[").removesuffix("]")]
    for name, kind in table.__annotations__.items():
        annotation = getattr(kind, "__forward_arg__", kind)
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=annotation))
    return own.replace(parameters=parameters)
