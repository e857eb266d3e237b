"""`corefscore METRIC KEY RESPONSE [NAME]`: the commands that score, one for each metric and list of metrics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from scorer.cli import options
from scorer.cli.messages import tell, write
from scorer.cli.scoring import evaluated, workers
from scorer.errors import UsageError
from scorer.layouts import NAMES, OFFICIAL, find, official
from scorer.metrics import GROUPS, names_in, select
from scorer.metrics.row import Metric
from scorer.results import Report, compiled
from scorer.sources import STDIN


def command(words: str) -> click.Command:
    """The command that scores with the metrics that ``words`` stand for."""
    listed = names_in(words)
    metrics = select(words)
    headings, average = len(listed) > 1 or listed[0] in GROUPS, "conll" in listed

    def callback(key: str, response: str, name: str | None, **given: Any) -> None:
        if name is not None:
            # Names of documents are bytes of a file, whatever the locale takes the argument for.
            name = os.fsencode(name).decode("utf-8", "surrogateescape")
        score(key, response, metrics, name, headings=headings, average=average, **given)

    made = click.Command(
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
            *options.workers(),
        ],
    )
    _check_options(made, metrics)
    return made


def _check_options(made: click.Command, metrics: Sequence[Metric]) -> None:
    """Raise `UsageError` where an option that a metric brings along has a name that is taken."""
    names = [name for parameter in made.params for name in (parameter.name, *parameter.opts, *parameter.secondary_opts)]
    for metric in metrics:
        for option in metric.options:
            if max(names.count(option.keyword), names.count(f"--{option.name}")) > 1:
                raise UsageError(
                    f"the option --{option.name} of metric {metric.name!r} has a name that is taken; rename it"
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
    layout: str,
    output: str,
    documents: bool,
    by: str | None,
    strict: bool,
    quiet: bool | None,
    jobs: int | None,
    scheduler: str | None,
    **how: Any,
) -> None:
    """Read both sides, score, and write the result; ``how`` are the options that can move a number."""
    if key == response == STDIN:
        raise UsageError("KEY and RESPONSE cannot both be standard input (-)")
    if layout == OFFICIAL and (documents or by is not None):
        asked = "--documents" if documents else "--by"
        raise UsageError(f"{asked} needs a layout other than official, such as --format table")
    if by is not None:
        compiled(by)
    listed = layout == OFFICIAL and name != "none"
    only = None if name == "none" else name
    with workers(jobs, scheduler) as apply:
        result = evaluated(key, response, metrics, apply=apply, document=only, keep_pairs=listed, **how)
    tell(result.notices, strict=strict, quiet=quiet)
    if layout == OFFICIAL:
        pieces = official.render(result, name=only, documents=listed, headings=headings, average=average)
    else:
        pieces = find(layout)(Report(result, documents, by), layout)
    write(pieces, output)
