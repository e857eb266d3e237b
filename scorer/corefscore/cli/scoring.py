"""What every command that scores does: read both sides, score, show the notices."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click
from click.core import ParameterSource

from corefscore.cli.progress import progress
from corefscore.documents.model import KEY
from corefscore.documents.sources import STDIN, only_once, sources
from corefscore.errors import InputError, UsageError
from corefscore.formats import has_both_sides
from corefscore.formats.row import Reading
from corefscore.metrics.row import Metric, names_asked, options_of, own_values
from corefscore.python.api import Corpus, scored, settings_of
from corefscore.python.api import corpus as read
from corefscore.python.arguments import apart
from corefscore.results import DOCUMENT, Result
from corefscore.settings import Rules
from corefscore.work.workers import Map

Key = str | Corpus
"""The path of a key, or the key as it was read before."""


def workers(jobs: int | None, scheduler: str | None) -> AbstractContextManager[Map | None]:
    """Who does the work, as `options.workers` have it; None for this process. Raises as `cluster` does."""
    if scheduler is not None:
        import logging

        from corefscore.work.distributed import cluster

        logging.disable()  # up to the end of this process, where Dask may still have something to say
        return cluster(scheduler, jobs)
    if jobs is None or jobs == 1:
        return nullcontext()
    from corefscore.work.workers import processes

    return processes(jobs)


def read_key(key: str, metrics: Sequence[Metric], *, apply: Map | None = None, **how: Any) -> Corpus:
    """The key of several responses, read once; ``how`` are the options of `options.scoring`.

    Raises `InputError` for one that cannot be scored at all.
    """
    reading, _, own = _taken_apart(metrics, how)
    names = names_asked(metrics, own_values(metrics, own))
    with progress([key], reading.include) as watch:
        corpus = read(key, reading, KEY, names, watch=watch, workers=apply)
    for fault in corpus.documents.faults.values():
        raise InputError([fault()])
    return corpus


def evaluated(
    key: Key,
    response: str,
    metrics: Sequence[Metric],
    *,
    apply: Map | None = None,
    document: str | None = None,
    keep_pairs: bool = False,
    texts: bool = False,
    unit: str = DOCUMENT,
    **how: Any,
) -> Result:
    """Score a response; ``apply`` are the `workers`, ``texts`` tells that words of the key are shown, ``unit`` is that
    of resampling, ``how`` are the options of `options.scoring`.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
    """
    reading, rules, own = _taken_apart(metrics, how)
    settings = settings_of(metrics, rules, document, own, unit)
    with progress([path for path in (key, response) if isinstance(path, str)], reading.include) as watch:
        return scored(
            *(key, response, metrics, settings, reading),
            keep_pairs=keep_pairs,
            texts=texts,
            watch=watch,
            workers=apply,
        )


def of_both_sides(
    key: str, response: str | None, name: str | None, how: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """RESPONSE and NAME. JSON lines that have both sides need no RESPONSE, so what stands there may be the NAME."""
    instead = name is None and response not in (None, STDIN) and not os.path.exists(response or "")
    if (response is None or instead) and os.path.exists(key):
        reading = Reading(*(how.get(option) for option in Reading._fields))
        if has_both_sides(key, reading):
            return key, response
    return response, name


def complete(key: str, response: str | None, name: str | None, how: Mapping[str, Any]) -> tuple[str, str | None]:
    """The same where there has to be a RESPONSE. Raises `click.UsageError` if there is none."""
    response, name = of_both_sides(key, response, name, how)
    if response is None:
        raise click.UsageError("Missing argument 'RESPONSE'.", click.get_current_context())
    return response, name


def _taken_apart(metrics: Sequence[Metric], how: Mapping[str, Any]) -> tuple[Reading, Rules, dict[str, Any]]:
    """The options of `options.scoring`: how files are read, which mentions count, and what metrics bring along."""
    reading, rules, own = apart(how)
    _refuse_unread(metrics, own)
    known = {option.keyword for option in options_of(metrics)}
    return reading, rules, {name: value for name, value in own.items() if name in known}


def _refuse_unread(metrics: Sequence[Metric], own: Mapping[str, Any]) -> None:
    """Raise `UsageError` for an option of a metric that is not scored: it would be passed over in silence."""
    read = {option.keyword for option in options_of(metrics)}
    context = click.get_current_context()
    for keyword in own.keys() - read:
        if context.get_parameter_source(keyword) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{keyword.replace('_', '-')} is an option of a metric that is not scored here")


def spare_inputs(outputs: Mapping[str, str | None], inputs: Iterable[str], include: str | None = None) -> None:
    """Raise `UsageError` where a file that is to be written, given by its option, is one that is read.

    The same file may go by several names: links, hard links, a folder that it lies in, standard input.
    """
    there = [(option, path) for option, path in outputs.items() if path is not None and _is_file_or_pipe(path)]
    if not there:
        return
    for path in inputs:
        try:
            read = [source.path for source in sources(path, include)]
        except UsageError:  # what cannot be read, reading tells
            continue
        for option, output in there:
            for its in read:
                place = "/dev/stdin" if its == STDIN else its
                if _is_file_or_pipe(place) and os.path.samefile(place, output):
                    raise UsageError(f"{option} {output} would overwrite {its}, which is read; name another file")


def _is_file_or_pipe(path: str) -> bool:
    """Whether there is something of which reading and writing get into each other's way."""
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(kind) or stat.S_ISFIFO(kind)


def one_standard_input(*paths: str | None) -> None:
    """Raise `UsageError` where more than one of the paths is standard input, or one pipe: they can be read once."""
    if paths.count(STDIN) > 1:
        raise UsageError(
            f"standard input ({STDIN}) can be read once only, and it is asked for {paths.count(STDIN)} times"
        )
    seen: dict[object, str] = {}
    for path in filter(None, paths):
        its = only_once(path)
        if its is not None and its in seen:
            raise UsageError(
                f"{path} can be read once only, and {seen[its]} is the same pipe or terminal; save it to a file first"
            )
        seen[its] = path


def named(systems: Sequence[str]) -> dict[str, str]:
    """The paths of responses by name: ``NAME=PATH``, or a path alone, whose base name is the name.

    A path that is there is a path, whatever it has in it. Raises `UsageError` for a name that comes twice.
    """
    found: dict[str, str] = {}
    for words in systems:
        name, separator, path = words.partition("=")
        if not separator or os.path.exists(words):
            name, path = os.path.basename(os.path.normpath(words)), words
        if not name or not path:
            raise UsageError(f'"{words}" is no system; expected a path, or NAME=PATH')
        if name in found:
            raise UsageError(
                f'two systems of the name "{name}": {found[name]} and {path}; give one another name, as NAME=PATH'
            )
        found[name] = path
    return found
