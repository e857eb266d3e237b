"""What every command that scores does: read both sides, score, show the notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scorer.cli.progress import progress
from scorer.errors import InputError, UsageError
from scorer.evaluate import evaluate
from scorer.findings import Finding
from scorer.formats import read
from scorer.formats.row import KEY, RESPONSE
from scorer.metrics.row import Metric
from scorer.model import Documents
from scorer.results import Result, Settings, reading_settings
from scorer.sources import STDIN

Key = str | Sequence[Documents]
"""The path of a key, or the key as it was read before."""


def read_key(
    key: str,
    notices: list[Finding],
    *,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    **_: Any,
) -> list[Documents]:
    """The key of several responses, read once. Raises `InputError` for one that cannot be scored at all."""
    batches = list(
        read(
            key,
            notices,
            include,
            input_format=input_format,
            clusters_field=clusters_field,
            max_unpacked=max_unpacked,
        )
    )
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
    max_unpacked: int | None = None,
    repeated: str,
    singletons: str,
    **own: Any,
) -> Result:
    """Score a response; the keywords after ``keep_pairs`` are the options of `options.scoring`.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
    """
    settings = Settings(
        tuple(metric.name for metric in metrics),
        repeated,
        singletons,
        document,
        {each.keyword: own.get(each.keyword, each.default) for metric in metrics for each in metric.options},
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
                max_unpacked=max_unpacked,
                watch=watch,
            )

        batches = side(key, KEY) if isinstance(key, str) else iter(key)
        return evaluate(batches, side(response, RESPONSE), metrics, settings, notices, keep_pairs=keep_pairs)


def one_standard_input(*paths: str) -> None:
    """Raise `UsageError` where more than one of the paths is standard input."""
    if paths.count(STDIN) > 1:
        raise UsageError(f"only one of these can be standard input ({STDIN}): " + ", ".join(paths))
