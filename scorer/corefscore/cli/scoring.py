"""What all commands that score share: checks of files, reading both sides, and scoring."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from corefscore.cli.output import STDOUT, complain, progress, silent
from corefscore.core.documents import KEY
from corefscore.core.errors import InputError, UnknownDocumentError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import STDIN, listed, only_once, place_and_pattern
from corefscore.core.workers import Map, processes
from corefscore.formats import Reading, has_both_sides
from corefscore.metrics.base import Metric, options_of, own_values
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.run import Corpus, options_by_topic, scored, settings_of
from corefscore.scoring.run import corpus as read
from corefscore.scoring.settings import Rules, Run


def given(name: str) -> bool:
    """Return whether the option of this name is in the call."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def workers() -> AbstractContextManager[Map | None]:
    """Return the workers of the option ``--jobs``; None for this process. Raises the errors of `cluster`."""
    if isinstance(jobs := click.get_current_context().params["jobs"], str):
        import logging

        from corefscore.core.machines import cluster

        logging.disable()  # until the end of this process, since Dask may log even then
        return cluster(jobs)
    return nullcontext() if jobs in (None, 1) else processes(jobs)


def read_key(key: str, metrics: Sequence[Metric], **arguments: Any) -> Corpus:
    """Return the key of several responses, read once; ``arguments`` are the options of `options.scoring`.

    Raises `InputError` for a key that cannot be scored.
    """
    reading, _, own = _options_by_topic(metrics, arguments)
    _, names = own_values(metrics, own)
    with progress([key]) as watch:
        corpus = replace(read(key, reading, KEY, names, watch=watch), paths=key)
    for fault in corpus.documents.faults.values():
        raise InputError([fault()])
    return corpus


def evaluated(
    key: str | Corpus,
    response: str,
    metrics: Sequence[Metric],
    *,
    apply: Map | None = None,
    document: str | None = None,
    keep_pairs: bool = False,
    texts: bool = False,
    unit: str = DOCUMENT,
    **arguments: Any,
) -> Result:
    """Score a response against a key, given by its path or read before. ``apply`` are the `workers`, ``texts`` keeps
    the words of the key, ``unit`` is the unit of resampling, and ``arguments`` are the options of `options.scoring`.

    Raises `InputError` for input that is rejected, `UsageError` for a file that cannot be read, for a folder whose
    files seem to be systems, and for a name of a document that is a second response.
    """
    reading, rules, own = _options_by_topic(metrics, arguments)
    run = Run(metrics, settings_of(metrics, rules, document, own, unit), reading, apply)
    with progress([path for path in (key, response) if isinstance(path, str)]) as watch:
        try:
            result = scored(key, response, run, keep_pairs=keep_pairs, texts=texts, watch=watch, tell=_tell_once)
        except InputError as error:
            _refuse_systems(response, error)
            raise
        except UnknownDocumentError as error:
            if document is not None and os.path.isfile(document):
                raise UsageError(f"{error}; for a second response, use corefscore compare KEY A B") from error
            raise
    if (expected := click.get_current_context().params.get("expect_key")) is not None:
        _refuse_other_key(result, expected)
    return result


def _refuse_other_key(result: Result, expected: str) -> None:
    """Raise `InputError` if the key has another fingerprint than the ``expected`` one, which ``--expect-key`` gives,
    and `UsageError` if that is no fingerprint.
    """
    if not re.fullmatch("(key=)?[0-9a-fA-F]{6}", expected):
        raise UsageError(f"--expect-key {expected!r}: expected a fingerprint such as 7cf4af, from the end of a table")
    if expected.removeprefix("key=").lower() != result.key:
        file = next(iter(result.files), KEY)
        raise InputError([Finding("unexpected-key", file, details={"found": result.key, "expected": expected})])


def _tell_once(text: str) -> None:
    """Print a message about the way of scoring, once for all systems."""
    told = click.get_current_context().meta.setdefault(__name__, set())
    if text not in told and not silent():
        complain(f"corefscore: {text}")
    told.add(text)


def _refuse_systems(path: str, error: InputError) -> None:
    """Raise `UsageError` if files of a folder have the same document, since each file may be a system of its own."""
    for finding in error.findings if os.path.isdir(path) else ():
        if finding.code == "repeated-name" and not str(finding.details["first"]).startswith(f"{finding.path}:"):
            if os.path.relpath(str(finding.path), path).startswith(os.pardir):
                continue  # of the key
            raise UsageError(
                f"{path}: a folder is read as one system, and two of its files contain the same document: "
                f"{finding.place} and {finding.details['first']}\n  if each file is a system: corefscore rank KEY "
                f"--systems {path}"
            ) from error


def of_both_sides(
    key: str, response: str | None, name: str | None, arguments: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """Return RESPONSE and NAME. JSON lines with both sides need no RESPONSE, so the second argument may be NAME."""
    is_name = name is None and response not in (None, STDIN) and not os.path.exists(response or "")
    if (response is None or is_name) and os.path.exists(place_and_pattern(key)[0]):
        reading, _, _ = options_by_topic(arguments)
        if has_both_sides(key, reading):
            response, name = key, response
    # Document names are bytes of a file, which the locale must not change.
    return response, name and os.fsencode(name).decode("utf-8", "surrogateescape")


def given_sides(key: str, response: str | None, name: str | None, options: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return RESPONSE and NAME as `of_both_sides` does. Raises `click.UsageError` if there is no RESPONSE."""
    response, name = of_both_sides(key, response, name, options)
    if response is None:
        raise missing_response(key)
    return response, name


def missing_response(key: str) -> click.UsageError:
    """Return the error of a call without RESPONSE."""
    return click.UsageError(
        "Missing argument 'RESPONSE'. It can be left out with cone --estimate-key, or if KEY is JSON with both sides, "
        "in clusters and predicted_clusters or in the fields of --columns key.clusters=NAME,response.clusters=NAME."
        + " Standard input is read once, so save it in a file first."
        * (key == STDIN),
        click.get_current_context(),
    )


def _options_by_topic(metrics: Sequence[Metric], arguments: Mapping[str, Any]) -> tuple[Reading, Rules, dict[str, Any]]:
    """Divide the options of `options.scoring` by topic: how files are read, how mentions count, and those of metrics.

    Raises `UsageError` for an option of a metric that is not scored, since it would have no effect.
    """
    reading, rules, own = options_by_topic(arguments)
    known = {option.name for option in options_of(metrics)}
    for keyword in own.keys() - known:
        if given(keyword):
            raise UsageError(f"--{keyword.replace('_', '-')} is for a metric that is not scored here; leave it out")
    return reading, rules, {name: value for name, value in own.items() if name in known}


_PACKED = (".zip", ".tar", ".tgz", ".7z", ".rar", ".zst", ".z", ".tar.gz", ".tar.bz2", ".tar.xz")
"""The endings of files that are not written."""


def spare_inputs(outputs: Mapping[str, str | None], inputs: Sequence[str | None]) -> None:
    """Raise `UsageError` if a file to be written, given by its option, is also one of those to be read or has the name
    of an archive, or if standard input, a pipe or a terminal, which can be read only once, is given twice.

    The same file can have several names: links, hard links, the folder that contains it, standard input.
    """
    if inputs.count(STDIN) > 1:
        raise UsageError(f"standard input ({STDIN}) is given {inputs.count(STDIN)} times, but can be read only once")
    seen: dict[object, str] = {}
    for path in filter(None, inputs):
        if (identity := only_once(path)) is not None and identity in seen:
            raise UsageError(f"{path} can be read only once, and {seen[identity]} is the same; save it to a file first")
        seen[identity] = path
    written = [(option, path) for option, path in outputs.items() if path not in (None, STDOUT)]
    for option, path in written:
        if path.lower().endswith(_PACKED):
            raise UsageError(
                f"{option} {path}: no archives are written, and files are compressed only as .gz, .bz2 or .xz; name "
                "another file"
            )
    existing = [(option, path) for option, path in written if _is_file_or_pipe(path)]
    for path in filter(None, inputs) if existing else ():
        try:
            read = [source.path for source in listed(path, [])]
        except UsageError:  # reading reports files that cannot be read
            continue
        for option, output in existing:
            for name in read:
                file = "/dev/stdin" if name == STDIN else name
                if _is_file_or_pipe(file) and os.path.samefile(file, output):
                    raise UsageError(f"{option} {output} would overwrite {name}, which is read; name another file")


def _is_file_or_pipe(path: str) -> bool:
    """Return whether a path is a file or a pipe, which cannot be read and written at the same time."""
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(kind) or stat.S_ISFIFO(kind)


def paths_by_name(systems: Sequence[str]) -> dict[str, str]:
    """Return the paths of responses by name: ``NAME=PATH``, or only a path, named by its base name, as are
    paths of runs, joined by commas.

    An existing path is always a path, even if it contains ``=``. Raises `UsageError` for a repeated name.
    """
    by_name: dict[str, str] = {}
    for words in systems:
        name, separator, path = words.partition("=")
        if not separator or os.path.exists(words):
            runs = [words] if os.path.exists(words) else words.split(",")
            *others, last = (os.path.basename(os.path.normpath(run)) for run in runs)
            name, path = ",".join([*(os.path.splitext(other)[0] for other in others), last]), words
        if not name or not path:
            raise UsageError(f'"{words}" is not a system; expected a path, or NAME=PATH')
        if name in by_name:
            raise UsageError(
                f'two systems are called "{name}": {by_name[name]} and {path}; give one of them another name: NAME=PATH'
            )
        by_name[name] = path
    return by_name
