"""`corefscore METRIC KEY RESPONSE [NAME]`: the commands that score, for each metric and each list of metrics."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import click
from click.core import ParameterSource

from corefscore.cli import options
from corefscore.cli.messages import STDOUT, tell, write, write_long
from corefscore.cli.scoring import evaluated, missing_response, of_both_sides, read_key, spare_inputs, workers
from corefscore.core.documents import KEY
from corefscore.core.errors import InputError, UnknownDocumentError, UsageError
from corefscore.core.options import STATISTICS
from corefscore.core.sources import STDIN
from corefscore.metrics import GROUPS, names_in, select
from corefscore.metrics.base import NODES, Metric, names_asked, own_values, sees_names
from corefscore.reports.base import shortened
from corefscore.reports.layouts import COREFUD, DATA, OFFICIAL, RESULT, TABLE, TABLES, Style, fitting, rendered
from corefscore.reports.score import Intervals, Report
from corefscore.scoring.results import DOCUMENT, Result, compiled, refuse_heads_of_spans
from corefscore.scoring.settings import Grouping
from corefscore.scoring.sides import Corpus

SYMBOLS = (
    "This is recall; precision is the same with the two sides swapped. Key entity i has |k_i| mentions, response "
    "entity j has |r_j|, and the two share n_ij; a cell is a pair that shares any."
)
"""The symbols in the definitions of metrics."""

FEWER = "NAME none prints the totals only, --format table one table"
"""The hint after much output."""

AT_ALL = '\n\nNAME scores one document; "none" prints totals only.'


def command(words: str) -> click.Command:
    """The command that scores with the metrics that ``words`` names."""
    listed = names_in(words)
    metrics = select(words)
    headings, conll = len(listed) > 1 or listed[0] in GROUPS, "conll" in listed
    text, more = _help(metrics, conll=conll)
    command_made = options.Command(
        words,
        callback=partial(score, metrics=metrics, headings=headings, conll=conll),
        help=text,
        more=more,
        examples=[f"corefscore {words} {_sides(metrics)} {more}" for more in ("none", "--format table", "--documents")],
        params=_parameters(metrics),
    )
    _check_options(command_made, metrics)
    return command_made


def _sides(metrics: Sequence[Metric]) -> str:
    """The files of an example of help: CorefUD for metrics that need it."""
    ending = "conllu" if any(metric.view == NODES for metric in metrics) else "conll"
    return f"key.{ending} response.{ending}"


def _parameters(metrics: Sequence[Metric]) -> list[click.Parameter]:
    """The arguments and options of a command that scores with some metrics."""
    return [
        *options.sides(),
        click.Argument(["name"], required=False),
        options.layout(RESULT, TABLES, DATA),
        options.Parameter("--documents", is_flag=True, common=True, help="Add a row for each document."),
        *options.of_topic(Grouping, "by", "average"),
        options.Parameter(
            "--intervals",
            is_flag=True,
            heading=STATISTICS,
            common=True,
            help="Add 95% confidence intervals of the total.",
        ),
        *options.of_topic(Grouping, "unit"),
        *options.scoring(metrics),
        *(options.estimate() if sees_names(metrics) else ()),
        *options.look(),
        *options.running(),
    ]


def _check_options(command: click.Command, metrics: Sequence[Metric]) -> None:
    """Raise `UsageError` if an option of a metric has the name of another option."""
    names = [
        name for parameter in command.params for name in (parameter.name, *parameter.opts, *parameter.secondary_opts)
    ]
    for metric in metrics:
        for option in metric.every_option:
            if max(names.count(option.keyword), names.count(f"--{option.name}")) > 1:
                raise UsageError(
                    f"the option --{option.name} of metric {metric.name!r} has a name that is taken; rename it"
                )


def _help(metrics: Sequence[Metric], *, conll: bool) -> tuple[str, str]:
    """The help of a command that scores, and what only ``--help-all`` adds; with ``conll``, the average is printed."""
    if len(metrics) > 1:
        last = " Also prints the CoNLL average, the mean of the F1 of muc, bcub and ceafe." if conll else ""
        return "Score with several metrics: " + ", ".join(metric.name for metric in metrics) + "." + last + AT_ALL, ""
    (metric,) = metrics
    definition = " ".join(metric.definition)
    paragraphs = [f"{metric.title}. {metric.use}", definition, f"Paper: {metric.paper}"]
    symbols = SYMBOLS if "n_ij" in definition else ""
    return "\n\n".join(paragraphs) + AT_ALL, "\n\n".join(filter(None, [symbols, metric.note]))


def score(
    *,
    key: str,
    response: str | None,
    name: str | None,
    metrics: Sequence[Metric],
    headings: bool,
    conll: bool,
    look: Style,
    intervals: bool,
    unit: str,
    output: str,
    documents: bool,
    by: str | None,
    average: str | None,
    write_key: str | None = None,
    **arguments: Any,
) -> None:
    """Read both sides, score, and write the result; with ``write_key`` also the estimated key, or only that if there is
    no response. ``arguments`` are the options that can change a score."""
    if name is not None:
        # Document names are bytes of a file, which the locale must not change.
        name = os.fsencode(name).decode("utf-8", "surrogateescape")
    if response is not None or write_key is None:
        response, name = of_both_sides(key, response, name, arguments)
    others = {
        "--by": by is not None,
        "--documents": documents,
        "--average": average is not None,
        "--intervals": intervals,
        f"--of {arguments['of']}": divides(arguments["of"]),
    }
    _check_files(key, response, output, write_key, for_scores=any(others.values()), **arguments)
    look = _with_table(look, by, unit, others)
    document, listed = (None, False) if name == "none" else (name, look.layout in fitting(RESULT))
    with workers() as apply:
        # A key that is to be written is read once, since standard input cannot be read again.
        corpus = None if write_key is None else read_key(key, metrics, **arguments)
        if response is None:
            _write_alone(corpus, write_key, metrics, arguments)
            return
        try:
            result = evaluated(
                corpus or key,
                response,
                metrics,
                apply=apply,
                document=document,
                keep_pairs=listed,
                unit=unit,
                **arguments,
            )
        except UnknownDocumentError as error:
            if name is not None and os.path.isfile(name):
                raise UsageError(f"{error}; for a second response, use corefscore compare KEY A B") from error
            raise
    refuse_heads_of_spans(result)
    estimate = None if corpus is None else _estimate(corpus, metrics, arguments)
    tell(result.notices)
    ends = _intervals(result, unit) if intervals else None
    report = Report(
        result, documents or listed, by, document, headings, conll, average is not None, _name(response), ends
    )
    _write_scores(report, look, output, estimate, write_key)


def _write_scores(
    report: Report, look: Style, output: str, estimate: Iterable[str] | None, write_key: str | None
) -> None:
    """Write the scores, and the estimated key if there is one: both or neither."""
    if report.result.settings.rules.matching and _by_default("layout") and look.layout == OFFICIAL:
        look = look._replace(layout=COREFUD)
    scores = partial(write, rendered(report, look), output)
    if _by_default("layout") and look.layout in fitting(RESULT) and report.name is None:
        scores = partial(write_long, rendered(report, look), output, FEWER)
    if estimate is None or write_key is None:
        scores()
    else:
        write(estimate, write_key, then=scores)


def divides(of: str | None) -> bool:
    """Whether a value of ``--of`` divides mentions into kinds. Raises `UsageError` for an invalid value."""
    if of is None:
        return False
    from corefscore.scoring.kinds.options import of as parsed

    return parsed(of).division


def _by_default(option: str) -> bool:
    """Whether an option of the command has its default."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.DEFAULT


def _name(response: str) -> str:
    """The name of a response in tables: the base name of its file without its ending."""
    return "response" if response == STDIN else shortened([os.path.basename(os.path.normpath(response))])[0]


def _intervals(result: Result, unit: str) -> Intervals:
    """The intervals of a result; statistics are imported only here, since importing them takes time."""
    from corefscore.reports.compare import intervals
    from corefscore.statistics.significance import Method

    return intervals(result, Method(unit=unit))


def _check_files(
    key: str, response: str | None, output: str, write_key: str | None, *, for_scores: bool, **arguments: Any
) -> None:
    """Raise `UsageError` for files that would be used twice, and for a missing response; ``for_scores`` says whether
    there are options that need one."""
    if response is None:
        _check_alone(write_key, for_scores=for_scores or output != STDOUT)
    if write_key is not None:
        _check_write_key(write_key, output=None if response is None else output, **arguments)
    spare_inputs({"--output": output, "--write-key": write_key}, (key, response))


def _with_table(look: Style, by: str | None, unit: str, others: Mapping[str, bool]) -> Style:
    """The style, with a table instead of the default if one of the options ``others`` is given, which official layouts
    do not have. Raises `UsageError` for such a layout if it was asked for, for an invalid pattern, and for a unit of
    resampling without intervals."""
    option = next((option for option, given in others.items() if given), None)
    if look.layout in fitting(RESULT) and option:
        if not _by_default("layout"):
            raise UsageError(f"{option} needs a layout other than {look.layout}; leave --format out for a table")
        params = click.get_current_context().params
        look = options.style(TABLE, params["digits"])
    if by is not None:
        compiled(by)
    if unit != DOCUMENT and not others["--intervals"]:
        raise UsageError("--unit is the unit of resampling for intervals; it needs --intervals")
    return look


def _check_alone(write_key: str | None, *, for_scores: bool) -> None:
    """Raise `UsageError` for a call without RESPONSE, unless it writes the estimated key and nothing else."""
    if write_key is None:
        raise missing_response()
    if for_scores:
        raise UsageError("without RESPONSE there are no scores: leave --output and options of their layout out")


def _check_write_key(path: str, *, output: str | None, estimate_key: bool, **_: Any) -> None:
    """Raise `UsageError` for writing a key that is not estimated, or to the file of the scores."""
    if not estimate_key:
        raise UsageError("--write-key saves the estimated key; it needs --estimate-key")
    if output is not None and os.path.realpath(path) == os.path.realpath(output):
        raise UsageError("--write-key and --output name the same file; give each its own")


def _write_alone(
    corpus: Corpus | None,
    path: str | None,
    metrics: Sequence[Metric],
    arguments: Mapping[str, Any],
) -> None:
    """Write the estimated key without scoring, and print its notices."""
    from corefscore.matching.named import about_names, names_of_side

    names = names_asked(metrics, own_values(metrics, arguments))
    assert corpus is not None and path is not None and names is not None, "checked before"
    about = about_names([[names_of_side(corpus.documents, names, KEY)]], names)
    pieces = list(_estimate(corpus, metrics, arguments))
    tell([*corpus.notices, *about])
    write(pieces, path)


def _estimate(corpus: Corpus, metrics: Sequence[Metric], arguments: Mapping[str, Any]) -> Iterator[str]:
    """The estimated key as CoNLL. Raises `InputError` for a file without the column of names, since its last column,
    where the estimate is written, may contain anything."""
    from corefscore.formats.conll.writer import rewritten
    from corefscore.matching.named import estimated, names_of, without_column

    names = names_asked(metrics, own_values(metrics, arguments))
    assert names is not None, "only metrics that see names have an estimated key"
    if lacking := without_column(names_of(corpus.documents, names).columns):
        raise InputError(notice.as_error() for notice in lacking)
    return rewritten([estimated(corpus.documents, names)], names.ne_column)
