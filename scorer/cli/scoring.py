"""What every command that scores does: read both sides, score, show the notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click
from click.core import ParameterSource

from scorer.cli.progress import progress
from scorer.errors import InputError, UsageError
from scorer.evaluate import evaluate
from scorer.findings import Finding
from scorer.formats import read
from scorer.formats.row import KEY, RESPONSE
from scorer.metrics.row import Metric, names_asked, options_of, own_values
from scorer.model import Documents
from scorer.results import Result, Settings, reading_settings
from scorer.sources import STDIN
from scorer.workers import Map, by_many_or_one

Key = str | Sequence[Documents]
"""The path of a key, or the key as it was read before."""


def workers(jobs: int | None, scheduler: str | None) -> AbstractContextManager[Map | None]:
    """Who does the work, as `options.workers` have it; None for this process. Raises as `cluster` does."""
    if scheduler is not None:
        from scorer.distributed import cluster

        return cluster(scheduler, jobs)
    if jobs is None or jobs == 1:
        return nullcontext()
    from scorer.workers import processes

    return processes(jobs)


def read_key(
    key: str,
    metrics: Sequence[Metric],
    *,
    apply: Map | None = None,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    **how: Any,
) -> tuple[list[Documents], list[Finding]]:
    """The key of several responses, read once, and what is odd in it.

    Raises `InputError` for one that cannot be scored at all.
    """

    names = names_asked(metrics, own_values(metrics, how))

    def run(apply: Map | None) -> tuple[list[Documents], list[Finding]]:
        notices: list[Finding] = []
        with progress([key], include) as watch:
            batches = read(
                key,
                notices,
                include,
                input_format=input_format,
                clusters_field=clusters_field,
                max_unpacked=max_unpacked,
                watch=watch,
                apply=apply,
                names=names,
            )
            return list(batches), notices

    batches, notices = by_many_or_one(run, apply)
    faults = [fault for batch in batches for fault in batch.faults.values()]
    if faults:
        raise InputError([faults[0]()])
    return batches, notices


def evaluated(
    key: Key,
    response: str,
    metrics: Sequence[Metric],
    *,
    apply: Map | None = None,
    document: str | None = None,
    keep_pairs: bool = False,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    repeated: str,
    singletons: str,
    **own: Any,
) -> Result:
    """Score a response; ``apply`` are the `workers`, what follows ``keep_pairs`` the options of `options.scoring`.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
    """
    _refuse_unread(metrics, own)
    settings = Settings(
        tuple(metric.name for metric in metrics),
        repeated,
        singletons,
        document,
        own_values(metrics, own),
        reading_settings(include, input_format, clusters_field),
    )
    paths = [path for path in (key, response) if isinstance(path, str)]

    def run(apply: Map | None) -> Result:
        notices: list[Finding] = []
        with progress(paths, include) as watch:

            def side(path: str, name: str) -> Iterator[Documents]:
                return read(
                    path,
                    notices,
                    include,
                    input_format=input_format,
                    clusters_field=clusters_field,
                    side=name,
                    max_unpacked=max_unpacked,
                    watch=watch,
                    apply=apply,
                    names=names_asked(metrics, settings.own),
                )

            return evaluate(
                side(key, KEY) if isinstance(key, str) else iter(key),
                side(response, RESPONSE),
                metrics,
                settings,
                notices,
                keep_pairs=keep_pairs,
                apply=apply or map,
            )

    return by_many_or_one(run, apply)


def _refuse_unread(metrics: Sequence[Metric], own: Mapping[str, Any]) -> None:
    """Raise `UsageError` for an option of a metric that is not scored: it would be passed over in silence."""
    read = {option.keyword for option in options_of(metrics)}
    context = click.get_current_context()
    for keyword in own.keys() - read:
        if context.get_parameter_source(keyword) is ParameterSource.COMMANDLINE:
            raise UsageError(f"--{keyword.replace('_', '-')} is an option of a metric that is not scored here")


def one_standard_input(*paths: str) -> None:
    """Raise `UsageError` where more than one of the paths is standard input."""
    if paths.count(STDIN) > 1:
        raise UsageError(f"only one of these can be standard input ({STDIN}): " + ", ".join(paths))
