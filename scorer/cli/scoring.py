"""What every command that scores does: read both sides, score, show the notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

Key = str | Sequence[Documents]
"""The path of a key, or the key as it was read before."""


def read_key(
    key: str,
    metrics: Sequence[Metric],
    notices: list[Finding],
    *,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    **how: Any,
) -> list[Documents]:
    """The key of several responses, read once. Raises `InputError` for one that cannot be scored at all."""
    asked = names_asked(metrics, own_values(metrics, how))
    batches = list(read(key, notices, include, input_format=input_format, clusters_field=clusters_field, names=asked))
    faults = [fault for batch in batches for fault in batch.faults.values()]
    if faults:
        raise InputError([faults[0]()])
    return batches


def evaluated(
    key: Key,
    response: str,
    metrics: Sequence[Metric],
    notices: list[Finding],
    *,
    document: str | None = None,
    keep_pairs: bool = False,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    repeated: str,
    singletons: str,
    **own: Any,
) -> Result:
    """Score a response; the keywords after ``keep_pairs`` are the options of `options.scoring`.

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
    with progress(paths, include) as watch:

        def side(path: str, name: str) -> Iterator[Documents]:
            return read(
                path,
                notices,
                include,
                input_format=input_format,
                clusters_field=clusters_field,
                side=name,
                watch=watch,
                names=names_asked(metrics, settings.own),
            )

        batches = side(key, KEY) if isinstance(key, str) else iter(key)
        return evaluate(batches, side(response, RESPONSE), metrics, settings, notices, keep_pairs=keep_pairs)


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
