"""What every command that scores does: read both sides, score, show the notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from scorer.cli import options
from scorer.cli.messages import show
from scorer.errors import InputError, UsageError
from scorer.evaluate import evaluate
from scorer.findings import Finding
from scorer.formats import read
from scorer.metrics.row import Metric
from scorer.model import Documents
from scorer.results import Result, Settings
from scorer.sources import STDIN

Key = str | Sequence[Documents]
"""The path of a key, or the key as it was read before."""


def read_key(key: str, notices: list[Finding], *, include: str | None = None, **_: Any) -> list[Documents]:
    """The key of several responses, read once. Raises `InputError` for one that cannot be scored at all."""
    batches = list(read(key, notices, include))
    faults = [fault for batch in batches for fault in batch.faults.values()]
    if faults:
        raise InputError(faults[:1])
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
    repeated: str,
    singletons: str,
    **own: Any,
) -> Result:
    """Score a response; the keywords after ``keep_pairs`` are the options of `options.scoring`.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
    """
    names = {option.keyword for metric in metrics for option in metric.options}
    settings = Settings(
        tuple(metric.name for metric in metrics),
        repeated,
        singletons,
        document,
        {name: value for name, value in own.items() if name in names},
    )
    batches: Iterator[Documents] = read(key, notices, include) if isinstance(key, str) else iter(key)
    return evaluate(batches, read(response, notices, include), metrics, settings, notices, keep_pairs=keep_pairs)


def one_standard_input(*paths: str) -> None:
    """Raise `UsageError` where more than one of the paths is standard input."""
    if paths.count(STDIN) > 1:
        raise UsageError(f"only one of these can be standard input ({STDIN}): " + ", ".join(paths))


def tell(notices: Sequence[Finding], *, strict: bool, quiet: bool | None, of: str = "") -> None:
    """Show notices, under the name of the response that they are ``of``, where there are several; where they count
    as errors, end the command."""
    context = click.get_current_context()
    if strict and notices:
        show((notice.as_error() for notice in notices), of)
        context.exit(InputError.status)
    if not (context.find_root().obj == options.OFFICIAL_NAME if quiet is None else quiet):
        show(notices, of)
