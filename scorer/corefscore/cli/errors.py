"""`corefscore errors KEY RESPONSE [OTHER]`: why is a score low? `corefscore diff KEY RESPONSE [NAME]`: where is it?"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from corefscore.analysis.costs import measured
from corefscore.analysis.response import Analysable, Analysis, Asked, analysable, refuse_parts
from corefscore.analysis.response import analysed as analysed_result
from corefscore.analysis.types import TYPES
from corefscore.cli import options
from corefscore.cli.output import STDOUT, tell, terminal_size, write
from corefscore.cli.scoring import evaluated, given, given_sides, paths_by_name, spare_inputs, workers
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.records import SCORING
from corefscore.formats.base import AUTO
from corefscore.reports.base import Reported
from corefscore.reports.errors.compared import ErrorComparison
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.layouts import ANNOTATIONS, DATA, TABLES, Style, rendered
from corefscore.reports.words import FIRST_AND_SECOND, KEY_AND_RESPONSE, ReportWords
from corefscore.scoring.kinds.texts import text_of

_LINE = 100
"""The width of lines without a terminal."""


_REFUSED = "of", "window"
"""The options of scoring that an analysis refuses, with the reason (`refuse_parts`)."""

_ANALYSING: list[click.Parameter] = [
    options.Parameter(
        "--measures",
        "measure",
        metavar="MEASURE",
        default="conll",
        show_default=True,
        heading=SCORING,
        help="Measure to show: its F1, and what each type of error costs in it.",
    ),
    *options.made(Asked),
    options.Parameter(
        "--symmetric",
        is_flag=True,
        heading=SCORING,
        help="Compare two annotators: neither side is the key. F1 is the same in both directions if both have the "
        "same tokens.",
    ),
    options.Parameter(
        "--html",
        type=options.FILE,
        metavar="FILE",
        help="Write an HTML page with the text and all errors, to open in a browser.",
    ),
    *(option for option in options.scoring([]) if option.name not in _REFUSED),
    *(click.Option([f"--{name}"], hidden=True) for name in _REFUSED),
]
"""The options of an analysis and of scoring."""


_NOT_OF_PAGE = "output", "layout", "only", "around"
"""The options of commands that cannot be used for a page: it shows everything and has its own filters."""

_ALIKE = {"repeated": "first", "boundary": "both", "matching": "exact"}
"""What ``--symmetric`` sets so that no F1 depends on which side is first; each can be given another value that does not
either."""

_ONE_SIDED = {
    "repeated": ("official",),
    "matching": ("partial", "head"),
    "singletons": ("drop-response",),
    "task": ("crac22", "crac23"),
}
"""The values of options that treat the sides differently."""


def _both_alike(several: bool, arguments: dict[str, Any]) -> ReportWords:
    """Have the ``arguments`` treat both sides alike, as ``--symmetric`` asks for; returns the names of the sides.

    Raises `UsageError` for several responses, and for an option that treats the sides differently.
    """
    if several:
        raise UsageError("--symmetric is for two annotators: leave the third file out")
    for name, values in _ONE_SIDED.items():
        if arguments[name] in values and given(name):
            raise UsageError(f"--{name} {arguments[name]} and --symmetric exclude each other; leave one out")
    arguments.update({name: value for name, value in _ALIKE.items() if not given(name)})
    return FIRST_AND_SECOND


def _analysed(
    key: str,
    response: str,
    other: str | None,
    *,
    measure: str,
    pronouns: str,
    symmetric: bool,
    html: str | None,
    output: str,
    document: str | None = None,
    **arguments: Any,
) -> tuple[dict[str, Analysis], ReportWords]:
    """Return the analysis of each response by the name of the system, and the names of the sides; the page is written
    if ``html`` names its file. The text of the key is read once. Raises `UsageError` for `_NOT_OF_PAGE`."""
    for parameter in click.get_current_context().command.params if html is not None else ():
        if parameter.name in _NOT_OF_PAGE and given(parameter.name):
            raise UsageError(
                f"{parameter.opts[0]} cannot be used with --html, which writes only the page; leave one of them out"
            )
    systems = paths_by_name([response] if other is None else [response, other])
    words = _both_alike(other is not None, arguments) if symmetric else KEY_AND_RESPONSE
    spare_inputs({"--output": output, "--html": html}, (key, *systems.values()))
    refuse_parts(arguments["of"], arguments["window"])
    wanted = measured(measure)
    results: dict[str, Analysable] = {}
    with workers() as apply:
        for name, path in systems.items():
            result = evaluated(
                key, path, wanted.metrics, apply=apply, document=document, keep_pairs=True, texts=True, **arguments
            )
            tell(result.notices, "" if other is None else name)
            results[name] = analysable(result)
            del result  # before the next one is read
    every = [its.pairs for its in results.values()]
    text, asked = text_of(every), Asked(arguments["heads"] or AUTO, pronouns)
    # Empty nodes of one number can have other tags in each response.
    texts = [text, *(text if pairs.response.nodes is None else text_of([pairs, *every]) for pairs in every[1:])]
    found = (analysed_result(its, text, asked, wanted) for its, text in zip(results.values(), texts, strict=True))
    analyses = dict(zip(results, found, strict=True))
    tell(next(iter(analyses.values())).notices)  # the notices of an analysis are about the key
    if html is not None:
        from corefscore.reports.diff import Diff
        from corefscore.reports.layouts import page

        write(page.render({system: Diff(analysis, words) for system, analysis in analyses.items()}), html)
    return analyses, words


@click.command(
    "errors",
    cls=options.Command,
    params=[
        *options.SIDES,
        click.Argument(["other"], type=options.FILE, required=False),
        *_ANALYSING,
        options.Parameter(
            "--repaired",
            type=options.FILE,
            metavar="FOLDER",
            common=False,
            help="Repair the errors type by type, and write the response after each step to FOLDER as CoNLL.",
        ),
        options.layout(TABLES, DATA, ANNOTATIONS),
        *options.RUNNING,
    ],
)
def errors(
    *,
    key: str,
    response: str | None,
    other: str | None,
    repaired: str | None,
    html: str | None,
    look: Style,
    output: str,
    **arguments: Any,
) -> None:
    """Show why a score is low: errors by type, and what each costs. Tables also show which entities are confused.

    The column "in turn" is the gain in F1 if the types are repaired one after another; it adds up to all that can be
    gained. OTHER is a second response, shown beside the first. For one response, --format csv, tsv and github list
    every error, with its file and line; --html shows them in the text.

    Examples:
      corefscore errors key.conll response.conll
      corefscore errors key.conll response.conll --html page.html
      corefscore errors key.conll response.conll other.conll --measures lea

    Source: Kummerfeld and Klein 2013, Error-driven analysis of challenges in coreference resolution.
    """
    response, _ = given_sides(key, response, other or "", arguments)
    if other is not None and look.layout == "github":
        raise UsageError("--format github is for one response: leave the second response out, or use --format json")
    if other is not None and repaired is not None:
        raise UsageError("--repaired FOLDER is for one response: leave the second response out")
    if other is not None and html is None and arguments["mentions"] == "given":
        raise UsageError("--mentions given counts other key mentions for each response: leave the second response out")
    analyses, words = _analysed(key, response, other, html=html, output=output, **arguments)
    if repaired is not None:
        (analysis,) = analyses.values()
        _write_repaired(analysis, repaired, (key, *paths_by_name([response]).values()))
    if html is not None:
        return
    listing = look.layout in ("csv", "tsv") and other is None
    reports = {system: ErrorReport(analysis, words, listing) for system, analysis in analyses.items()}
    report: Reported = next(iter(reports.values())) if other is None else ErrorComparison(reports)
    write(rendered(report, look), output)


def _write_repaired(analysis: Analysis, folder: str, inputs: Sequence[str]) -> None:
    """Write the file of each step into a folder, which is created if necessary."""
    from corefscore.analysis.repaired import repaired_files

    notices: list[Finding] = []
    texts = {os.path.join(folder, name): pieces for name, pieces in repaired_files(analysis, notices)}
    for path in texts:
        spare_inputs({"--repaired": path}, inputs)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--repaired {folder}: {error.strerror}; expected a folder") from error
    for path, pieces in texts.items():
        write(pieces, path)
    tell(notices)


@click.command(
    "diff",
    cls=options.Command,
    params=[
        *options.SIDES,
        click.Argument(["name"], required=False, metavar="[NAME|OTHER]"),
        options.Parameter(
            "--only",
            metavar="TYPE|ID",
            multiple=True,
            help="Show only sentences with errors of this type, or with this entity. Types: "
            f"{', '.join(TYPES)}; or their titles in the output of errors.",
        ),
        options.Parameter(
            "--around",
            metavar="N|all",
            default="0",
            help="Number of sentences to show before and after each one with errors; all: every sentence.",
        ),
        *_ANALYSING,
        *options.RUNNING,
    ],
)
def diff(
    *,
    key: str,
    response: str | None,
    name: str | None,
    only: tuple[str, ...],
    around: str,
    html: str | None,
    output: str,
    **arguments: Any,
) -> None:
    """Show in the text where key and response differ. Sentences with differences are printed, with mentions in brackets
    and errors marked.

    With NAME, only this document is shown. OTHER is a second response, shown beside the first; this needs --html.

    Examples:
      corefscore diff key.conll response.conll
      corefscore diff key.conll response.conll --only divided --around 1
      corefscore diff key.conll response.conll --html page.html
    """
    from corefscore.reports.diff import Diff, Shown, marked

    response, name = given_sides(key, response, name, arguments)
    other, name = (name, None) if name is not None and os.path.isfile(name) else (None, name)
    if other is not None and html is None:
        raise UsageError(f"{other} is a second response, which only the page of --html can show; add --html FILE")
    if around != "all" and not around.isdecimal():
        raise UsageError(f"--around {around}: expected a number of sentences, or all")
    reach = None if around == "all" else int(around)
    analyses, words = _analysed(key, response, other, html=html, output=output, document=name, **arguments)
    if html is not None:
        return
    (analysis,) = analyses.values()
    report = Diff(analysis, words)
    by_title = {of.title: name for name, of in words.types.items()}
    only = tuple(by_title.get(word, word) for word in only)
    kinds, entities = ([word for word in only if (word in TYPES) is is_type] for is_type in (True, False))
    if entities and (unknown := sorted({*entities} - report.entities)):
        raise UsageError(f"--only {', '.join(unknown)}: expected a type ({', '.join(TYPES)}) or the id of an entity")
    terminal = output == STDOUT and sys.stdout is not None and sys.stdout.isatty()
    width = terminal_size(_LINE).columns if terminal else _LINE
    write(marked(report, Shown(kinds, entities, reach, width, terminal and not os.environ.get("NO_COLOR"))), output)
