"""Scoring from Python: `read`, `score` and `write`, and what they share with the other functions.

The keyword arguments are declared once, and shown in every signature: a function accepts them as
``**arguments: Unpack[Options]``, which type checkers and editors expand. The decorator `with_keywords` expands them for
`help` and prompts, and suggests the nearest keyword for an unknown one.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

from corefscore import formats
from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import ScorerWarning, UsageError, suggested
from corefscore.core.findings import Finding, in_words
from corefscore.core.names import EITHER, name_options
from corefscore.core.records import declared
from corefscore.core.workers import Map
from corefscore.formats import Reading, columns_of
from corefscore.formats.base import NE
from corefscore.metrics import select
from corefscore.metrics.base import Metric
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.run import (
    Corpus,
    Given,
    corpus,
    is_in_memory,
    is_path,
    is_text,
    options_by_topic,
    paths_of,
    scored,
    settings_of,
)
from corefscore.scoring.settings import Rules, Run

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Scoring(TypedDict, total=False):
    """Options of scoring: how mentions count (`corefscore.scoring.settings.Rules`), the options of metrics of named
    mentions (``ne_from`` to ``match``) and of BLANC (``boundary``), and in ``options`` those of metrics of other
    packages."""

    repeated: str | None
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
    """Options of reading files (`corefscore.formats.Reading`)."""

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
    """Return the signature of a function, with ``**`` replaced by the keywords of its class, which is in its module."""
    own = signature(function)
    *parameters, last = own.parameters.values()
    if last.kind is not Parameter.VAR_KEYWORD:
        return own
    table = function.__globals__[last.annotation.removeprefix("Unpack[").removesuffix("]")]
    for name, kind in table.__annotations__.items():
        annotation = getattr(kind, "__forward_arg__", kind)
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=annotation))
    return own.replace(parameters=parameters)


@with_keywords
def read(
    path: str | os.PathLike[str],
    *,
    side: str | None = None,
    input_format: str | None = None,
    heads: str | None = None,
    tags: str | None = None,
    columns: str | None = None,
    estimate_key: bool = False,
) -> Corpus:
    """Read the documents of a file, or of a folder as one corpus, to score them more than once.

    ``input_format`` is the format, such as `conll` or `jsonlines`; by default it is recognised by content.
    The clusters of JSON lines are in `clusters` if ``side`` is `key`, in `predicted_clusters` or else `clusters` if it
    is `response`, and in the only one of the two without a side. ``tags`` is the notation of tagged text, as a name
    or a pattern (by default recognised by content). ``columns`` are columns by what they contain, such as "word=6"
    (docs/reference/formats.md); "ne=11" also reads named entities, for metrics of named mentions. ``estimate_key``
    reads a key without its coreference, which may be missing, for scoring with this option.

    Raises `InputError` for input that is rejected, `UsageError` for a file that cannot be read.
    """
    if estimate_key and side != KEY:
        raise UsageError(f'estimate_key needs side="{KEY}"')
    if side not in (None, KEY, RESPONSE):
        raise UsageError(f"side={side!r} is not one of {KEY}, {RESPONSE}")
    paths = paths_of("path", path)
    if paths is None:
        raise UsageError(f"path={path!r:.60}: expected the path of a file or folder")
    reading = Reading(input_format=input_format, heads=heads, tags=tags, columns=columns)
    names = None
    if estimate_key or NE in columns_of(reading, side):
        names = replace(name_options({"estimate_key": estimate_key}), ne_from=EITHER)
    found = corpus(paths, reading, side, names, texts=True)
    return replace(found, origin=(paths, reading.of(side), side or KEY)) if isinstance(paths, str) else found


@with_keywords
def score(
    key: Given, response: Given | None = None, metrics: str | Sequence[str] = "every", **arguments: Unpack[Options]
) -> Result:
    """Score a response against a key.

    Each side is one of these:

    - a path; a list of `pathlib.Path`, whose files are one corpus; a corpus that was read earlier (`read`);
    - a document, as a list of entities, each a list of mentions. A mention is text, a number, ``(start, end)`` or
      any other flat tuple, or another hashable object; a list of numbers, such as ``[0, 1]`` from JSON, is read as a
      tuple. Any collection can be used for a list, except that a tuple of numbers is always a mention;
    - a mapping from document name to document;
    - for the response, tagged text as language models write it: texts by document name, or a list of texts in the
      order of the documents of the key (`corefscore.from_text`);
    - a list of documents. Two lists must have the same length; their documents are paired by position and named "0",
      "1" and so on. A list and files are paired by position, too, and a single document is paired with a file of one
      document. An empty list has the level of the other side; other nesting is an error
      (`corefscore.formats.memory`).

    If one side is CorefUD, the mentions of clusters on the other side refer to its words: ``(start, end)`` in tokens
    from 0, ``(sentence, "5.1")`` for a word or an empty node by its ID, or single words, such as ``{3, 4, 7}``
    (`corefscore.formats.corefud.clusters`, docs/corefud.md).

    ``response`` can be omitted only for JSON lines with both `clusters` and `predicted_clusters`.

    ``metrics`` are names as on the command line. ``arguments`` are the options of the command line by keyword
    (`Options`): ``ne_from`` to ``match`` are options of metrics of named mentions
    (docs/cone.md), ``boundary`` is an option of BLANC, and ``options`` has the options of metrics of other packages.
    ``workers`` (from `corefscore.core.workers` or `corefscore.core.machines`) divide the work.

        >>> score([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], metrics="lea")["lea"].f1
        0.4444444444444444

    Scores are from 0 to 1. Unusual input that can be scored gives ``notices`` in the result, and one `ScorerWarning`
    per call. Raises `InputError` for input that is rejected (such as more than ten repeated mentions in the response),
    `UsageError` for an unknown name or argument.
    """
    run = run_of(select(names_of(metrics, "metrics")), arguments)
    found = scored(key, complete(key, response, run.reading), run, tell=_warn)
    warn_of(found.notices)
    return found


def write(corpus: Corpus, path: str | os.PathLike[str], format: str) -> None:
    """Write the documents of a corpus to one file, in ``format``, such as `conll`, `corefud` or `jsonlines`.

    The corpus is one of `read`, `from_clusters` or `from_text`. The bytes are those of ``corefscore convert IN OUT
    --format FORMAT``, which reads the files again. The file is written once all documents are converted. What the
    format cannot contain gives a warning.

        write(read("key.conll"), "key.jsonl", "jsonlines")

    Raises `UsageError` for another corpus, for one of its files that has changed or would be overwritten, and for a
    format or a file that cannot be written; `InputError` for documents that cannot be converted.
    """
    from corefscore.checking.convert import convert

    if not isinstance(corpus, Corpus) or corpus.origin is None:
        raise UsageError("this corpus has no words; expected one from read(path) or from_clusters(clusters, words)")
    source, reading, side = corpus.origin
    target = os.fspath(path)
    for file in dict.fromkeys(place.source for place in corpus.documents.places if place):
        both_exist = isinstance(source, str) and os.path.exists(file.path) and os.path.exists(target)
        if both_exist and os.path.samefile(file.path, target):
            raise UsageError(f"{target} is a file that the corpus was read from; write to another file")
        with file.reading():
            pass  # raises an error for a file that has changed
    notices: list[Finding] = []
    text = "".join(convert(source, notices, format, reading, side=side))
    try:
        with open(target, "wb") as written:
            written.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from error
    warn_of(notices)


def result(run: Run, key: Given, response: Given | None, *, keep_pairs: bool = False, texts: bool = False) -> Result:
    """Return the result of a response that may be text or left out; for reports, ``keep_pairs`` and ``texts`` are those
    of `scored`."""
    return scored(key, complete(key, response, run.reading), run, keep_pairs=keep_pairs, texts=texts, tell=_warn)


def run_of(metrics: Sequence[Metric], arguments: Mapping[str, Any], unit: str = DOCUMENT) -> Run:
    """Return the run of a call with these ``arguments``; ``unit`` is the unit of resampling. Raises `UsageError` as
    `settings_of` does, and for an option that is given twice.
    """
    reading, rules, others = options_by_topic(arguments)
    document, workers = others.pop("document", None), others.pop("workers", None)
    document = None if document is None else str(document)  # documents without names have numbers
    more = others.pop("options", None) or {}
    if not isinstance(more, Mapping):
        raise UsageError(f"options={more!r}: expected a mapping, such as options={{'smallest': 2}}")
    own = {name: value for name, value in others.items() if value is not None}
    if twice := sorted(own.keys() & more.keys()):
        raise UsageError(f"{twice[0]} is given twice: as an argument, and in options")
    return Run(metrics, settings_of(metrics, rules, document, {**own, **more}, unit), reading, workers)


def complete(key: Given, response: Given | None, reading: Reading) -> Given:
    """Return the response, as a corpus if it is text; if it is None, the file of the key, which must contain both
    sides.

    Raises `UsageError` if it does not, and for options of reading files if there is no file.
    """
    if response is not None and is_path(response):
        return response
    if is_text(response) and not is_in_memory(key):
        from corefscore.python.corpora import answered

        return answered(response, reading)
    if reading != Reading() and not is_path(key):
        refuse_reading(reading)
    if response is not None:
        return response
    if (paths := paths_of(KEY, key)) is None or not formats.has_both_sides(paths, reading):
        lines = "JSON lines that contain both sides (clusters and predicted_clusters, or the fields in columns=)"
        raise UsageError(f"there is no {RESPONSE}; it can be left out only for {lines}")
    return key


def refuse_reading(reading: Reading) -> None:
    """Raise `UsageError` for options of reading files without a file."""
    given = ", ".join(name for name, value in vars(reading).items() if value is not None)
    raise UsageError(f"{given} is for files, but neither key nor response is a file; leave it out")


def names_of(given: str | Sequence[str], argument: str) -> str:
    """Return names joined by commas, as on the command line. Raises `UsageError` for anything but names."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{argument}={given!r}: expected names such as 'lea', as a list or joined by commas")
    return ",".join(names)


def warn_of(notices: Sequence[Finding]) -> None:
    """Give one warning for all notices: the first of each kind, and how many more there are."""
    if notices:
        _warn("\n".join(in_words(notices, 1, "; see the notices of the result")))


def _warn(text: str) -> None:
    """Give a warning that points to the caller of this package."""
    levels, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "corefscore":
        levels, frame = levels + 1, frame.f_back
    warnings.warn(text, ScorerWarning, stacklevel=levels)
