"""`corefscore METRIC KEY RESPONSE [NAME]`: the commands that score, for each metric and each list of metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from corefscore.cli import options
from corefscore.cli.output import tell, terminal_size, write
from corefscore.cli.scoring import evaluated, given, missing_response, of_both_sides, read_key, spare_inputs, workers
from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import InputError, UsageError
from corefscore.core.names import name_options
from corefscore.core.records import STATISTICS
from corefscore.core.sources import STDIN
from corefscore.metrics import AVERAGE, NAMES, named, select
from corefscore.metrics.base import NODES, Metric, options_of
from corefscore.reports.base import shortened
from corefscore.reports.layouts import COREFUD, DATA, RESULT, TABLE, TABLES, Style, fitting, rendered
from corefscore.reports.score import Report
from corefscore.scoring.results import DOCUMENT, Result, compiled
from corefscore.scoring.settings import Grouping

if TYPE_CHECKING:
    from corefscore.reports.compare import Comparison

_FEWER = 'for totals only, add the word "none" or --format table'
"""The hint after much output."""

_HELP = """{about}

With NAME, only this document is scored; "none" prints only totals.

Examples:
  {call} none
  {call} --format table
  {call} --documents

{note}"""


def metric_command(words: str) -> click.Command:
    """Return the command that scores with the metrics that ``words`` names."""
    metrics = select(words)
    listed = [named(word) for word in words.split(",")]
    command_made = options.Command(
        words,
        callback=partial(score, metrics=metrics, listed=listed),
        help=_help(words, metrics, conll=AVERAGE in listed),
        params=[
            *options.SIDES,
            click.Argument(["name"], required=False),
            options.layout(RESULT, TABLES, DATA),
            options.Parameter("--documents", is_flag=True, help="Add a row for each document."),
            options.Parameter("--entities", is_flag=True, help="Show what entities of document NAME add to a score."),
            *options.made(Grouping, "by", "average"),
            options.Parameter(
                "--intervals", is_flag=True, heading=STATISTICS, help="Add 95% confidence intervals of the total."
            ),
            *options.made(Grouping, "unit"),
            *options.scoring(metrics),
            options.DIGITS,
            *options.RUNNING,
        ],
    )
    if any(metric.name not in NAMES for metric in metrics):
        _check_options(command_made, metrics)
    return command_made


def _check_options(command: click.Command, metrics: Sequence[Metric]) -> None:
    """Raise `UsageError` if an option of a metric has the name of another option."""
    names = [name for each in command.params for name in (each.name, *each.opts, *each.secondary_opts)]
    for metric in metrics:
        for option in options_of([metric]):
            if max(names.count(option.name), names.count(spelled := f"--{option.name.replace('_', '-')}")) > 1:
                raise UsageError(f"the option {spelled} of metric {metric.name!r} has a name already taken; rename it")


def _help(words: str, metrics: Sequence[Metric], *, conll: bool) -> str:
    """Return the help of a command that scores; with ``conll``, the average is printed."""
    paragraphs, note = [f"Score with several metrics: {', '.join(metric.name for metric in metrics)}."], ""
    if len(metrics) == 1:
        *paragraphs, note = metrics[0].described()
    elif conll:
        paragraphs[0] += " This also prints the CoNLL average, the mean of the F1 of muc, bcub and ceafe."
    ending = "conllu" if any(metric.view == NODES for metric in metrics) else "conll"
    call = f"corefscore {words} key.{ending} response.{ending}"
    return _HELP.format(about="\n\n".join(paragraphs), call=call, note=note)


def score(
    *,
    key: str,
    response: str | None,
    name: str | None,
    metrics: Sequence[Metric],
    listed: Sequence[str],
    look: Style,
    intervals: bool,
    unit: str,
    output: str,
    documents: bool,
    entities: bool,
    by: str | None,
    average: str | None,
    **arguments: Any,
) -> None:
    """Read both sides, score, and write the result; without a response, write the estimated key. ``arguments`` are the
    options that can change a score."""
    response, name = of_both_sides(key, response, name, arguments)
    others = {
        "--by": by is not None,
        "--documents": documents,
        "--entities": entities,
        "--average": average is not None,
        "--intervals": intervals,
        f"--of {arguments['of']}": arguments["of"] is not None and _divides(arguments["of"]),
    }
    spare_inputs({"--output": output}, (key, response))
    if any(others.values()) or unit != DOCUMENT:
        look = _with_table(look, by, unit, others)
    if response is None:
        _write_key(key, output, metrics, arguments, any(others.values()))
        return
    official = look.layout in fitting(RESULT)
    document, in_full = (None, False) if name == "none" else (name, official)
    arguments |= {"document": document, "keep_pairs": in_full or entities, "unit": unit}
    with workers() as apply:
        result = evaluated(key, response, metrics, apply=apply, **arguments)
    tell(result.notices)
    if entities:
        from corefscore.reports.entities import entities as of_entities

        write(rendered(of_entities(result), look), output)
        return
    system = RESPONSE if response == STDIN else shortened([os.path.basename(os.path.normpath(response))])[0]
    ends = _intervals(result, unit) if intervals else None
    report = Report(result, documents or in_full, by, listed, average is not None, system, ends)
    if official and result.settings.rules.matching and not given("layout"):
        look = look._replace(layout=COREFUD)
    write(rendered(report, look), output, _FEWER if official and document is None and not given("layout") else "")


def _divides(of: str) -> bool:
    """Return whether a value of ``--of`` divides mentions into kinds. Raises `UsageError` for an invalid value."""
    from corefscore.scoring.kinds.divisions import of as parsed

    return parsed(of).division


def _intervals(result: Result, unit: str) -> Comparison:
    """Return the intervals of a result with this ``unit`` of resampling."""
    from corefscore.reports.compare import intervals  # to import statistics takes time
    from corefscore.statistics.significance import Method

    return intervals(result, Method(unit=unit))


def _with_table(look: Style, by: str | None, unit: str, others: Mapping[str, bool]) -> Style:
    """Return the style, with a table instead of the default if one of the options ``others`` is given, which official
    layouts do not have. Raises `UsageError` for such a layout if it was asked for, for options beside ``--entities``
    whose scores are not those of the entities of one document, for an invalid pattern, and for a unit of resampling
    without intervals.
    """
    option = next((option for option, is_given in others.items() if is_given), None)
    if option and look.layout in fitting(RESULT):
        if given("layout"):
            raise UsageError(f"{option} needs a layout other than {look.layout}; leave --format out for a table")
        look = Style(TABLE, width=terminal_size().columns)
    for option, is_given in others.items() if others["--entities"] else ():
        if is_given and option != "--entities":
            raise UsageError(f"--entities shows what entities add to the score of one document; leave {option} out")
    if by is not None:
        compiled("--by", by)
    if unit != DOCUMENT and not others["--intervals"]:
        raise UsageError("--unit is the unit of resampling for intervals; it needs --intervals")
    return look


def _write_key(key: str, output: str, metrics: Sequence[Metric], arguments: Mapping[str, Any], of_scores: bool) -> None:
    """Write the estimated key as CoNLL, and print its notices.

    Raises `click.UsageError` for a call that does not ask for it, `UsageError` if options ``of_scores`` are given, and
    `InputError` for a file without the column of names, since its last column, where the estimate is written, may
    contain anything.
    """
    if not arguments.get("estimate_key"):
        raise missing_response(key)
    if of_scores or given("layout") or given("expect_key"):
        raise UsageError("without RESPONSE, only the key is written; leave out options about scores, such as --format")
    from corefscore.formats.conll.writer import rewritten
    from corefscore.matching.named import about_names, estimated, names_of, names_of_side, without_column

    corpus = read_key(key, metrics, **arguments)
    names = name_options(arguments)
    about = list(about_names([[names_of_side(corpus.documents, names, KEY)]], names))
    if lacking := without_column(columns := names_of(corpus.documents).columns):
        raise InputError(notice.as_error() for notice in lacking)
    pieces = list(rewritten([estimated(corpus.documents, names)], columns[0].number))
    tell([*corpus.notices, *about])
    write(pieces, output)
