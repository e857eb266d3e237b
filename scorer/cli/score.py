"""`corefscore METRIC KEY RESPONSE [NAME]`: the commands that score, one for each metric and list of metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from scorer.cli import options
from scorer.cli.messages import show, write
from scorer.errors import InputError, UsageError
from scorer.evaluate import evaluate
from scorer.findings import Finding
from scorer.formats import read
from scorer.layouts import NAMES, OFFICIAL, find, official
from scorer.metrics import GROUPS, select
from scorer.metrics.row import Metric
from scorer.results import Report, Result, Settings, compiled
from scorer.sources import STDIN


def command(words: str) -> click.Command:
    """The command that scores with the metrics that ``words`` stand for."""
    metrics = select(words)
    words = words.lower()

    def callback(key: str, response: str, name: str | None, **given: Any) -> None:
        headings = "," in words or words in GROUPS
        score(key, response, metrics, name, headings=headings, average="conll" in words.split(","), **given)

    return click.Command(
        words,
        callback=callback,
        help=_help(metrics),
        params=[
            click.Argument(["key"]),
            click.Argument(["response"]),
            click.Argument(["name"], required=False),
            *options.scoring(metrics),
            *options.layout(OFFICIAL, tuple(NAMES)),
            click.Option(["--documents"], is_flag=True, help="Rows for every document (not --format official)."),
            click.Option(
                ["--by"],
                metavar="REGEX",
                help="Totals for groups of documents and their mean: the group is the match, or first bracket, in "
                "the name of the document (not --format official).",
            ),
            *options.notices(),
        ],
    )


def _help(metrics: Sequence[Metric]) -> str:
    if len(metrics) > 1:
        return "Score with several metrics: " + ", ".join(metric.name for metric in metrics) + "."
    (metric,) = metrics
    paragraphs = [f"{metric.title}. {metric.use}", "\b\n" + "\n".join(metric.definition), metric.note]
    return "\n\n".join(filter(None, [*paragraphs, f"\b\nPaper: {metric.paper}"]))


def score(
    key: str,
    response: str,
    metrics: Sequence[Metric],
    name: str | None,
    *,
    headings: bool,
    average: bool,
    repeated: str,
    singletons: str,
    include: str | None,
    max_unpacked: int | None,
    layout: str,
    output: str,
    documents: bool,
    by: str | None,
    strict: bool,
    quiet: bool | None,
    **own: Any,
) -> None:
    """Read both sides, score, and write the result."""
    if key == response == STDIN:
        raise UsageError("KEY and RESPONSE cannot both be standard input (-)")
    if layout == OFFICIAL and (documents or by is not None):
        asked = "--documents" if documents else "--by"
        raise UsageError(f"{asked} needs a layout other than official, such as --format table")
    if by is not None:
        compiled(by)
    listed = layout == OFFICIAL and name != "none"
    only = None if name == "none" else name
    notices: list[Finding] = []
    result = evaluate(
        read(key, notices, include, max_unpacked=max_unpacked),
        read(response, notices, include, max_unpacked=max_unpacked),
        metrics,
        Settings(tuple(metric.name for metric in metrics), repeated, singletons, only, own),
        notices,
        keep_pairs=listed,
    )
    tell(result, strict=strict, quiet=quiet)
    if layout == OFFICIAL:
        pieces = official.render(result, name=only, documents=listed, headings=headings, average=average)
    else:
        pieces = find(layout)(Report(result, documents, by), layout)
    write(pieces, output)


def tell(result: Result, *, strict: bool, quiet: bool | None) -> None:
    """Show the notices of a result; where they count as errors, end the command."""
    context = click.get_current_context()
    if strict and result.notices:
        show(notice.as_error() for notice in result.notices)
        context.exit(InputError.status)
    if not (context.find_root().obj == options.OFFICIAL_NAME if quiet is None else quiet):
        show(result.notices)
