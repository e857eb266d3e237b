"""`corefscore errors KEY RESPONSE [OTHER]`: why is a score low?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from corefscore.analysis.response import Analysis
from corefscore.cli import options
from corefscore.cli.analysing import analysed, analysing, page_of, refuse_beside_page, sides
from corefscore.cli.output import tell, write
from corefscore.cli.scoring import complete, named, spare_inputs
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.reports.base import Reported
from corefscore.reports.errors.compared import ErrorComparison
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.layouts import ANNOTATIONS, DATA, TABLES, Style, rendered

_LISTS = ("csv", "tsv")
"""Layouts of tables with one line per error."""


@click.command(
    "errors",
    cls=options.Command,
    short_help="Show why a score is low: errors by type, and what each costs.",
    help="Show why a score is low: errors by type, what each type costs, and which entities are confused.\n\n"
    "The costs in turn are those of repairing one type after the other, and add up to the difference from 100. "
    "OTHER is a second response, shown beside the first. --format csv, tsv and github list every error, with its "
    "file and line; --html shows them in the text.",
    more="Source: Kummerfeld and Klein 2013, Error-driven analysis of challenges in coreference resolution.",
    examples=(
        "corefscore errors key.conll response.conll",
        "corefscore errors key.conll response.conll --html page.html",
        "corefscore errors key.conll response.conll other.conll --measures lea",
    ),
    params=[
        *options.sides(),
        click.Argument(["other"], type=options.FILE, required=False),
        *analysing(),
        options.Parameter(
            "--repaired",
            type=options.FILE,
            metavar="FOLDER",
            common=False,
            help="Repair the errors type by type, and write the response after each step to FOLDER as CoNLL.",
        ),
        options.layout(TABLES, DATA, ANNOTATIONS),
        *options.running(),
    ],
)
def command(
    *,
    key: str,
    response: str | None,
    other: str | None,
    repaired: str | None,
    symmetric: bool,
    html: str | None,
    look: Style,
    output: str,
    **arguments: Any,
) -> None:
    """Analyse one or two responses, and write the report or the page."""
    response, _ = complete(key, response, other or "", arguments)
    words = sides(symmetric=symmetric, several=other is not None, arguments=arguments)
    if other is not None and look.layout == "github":
        raise UsageError("--format github is for one response: leave the second out, or use --format json")
    if other is not None and repaired is not None:
        raise UsageError("--repaired FOLDER is for one response: leave the second out")
    if html is not None:
        refuse_beside_page("layout")
    paths = named([response] if other is None else [response, other])
    spare_inputs({"--output": output, "--html": html}, (key, *paths.values()))
    analyses = analysed(key, paths, **arguments)
    if repaired is not None:
        (analysis,) = analyses.values()
        _write_repaired(analysis, repaired, (key, *paths.values()))
    if html is not None:
        write(page_of(analyses, words), html)
        return
    listing = look.layout in _LISTS and other is None
    reports = {system: ErrorReport(analysis, words, listing) for system, analysis in analyses.items()}
    report: Reported = next(iter(reports.values())) if other is None else ErrorComparison(reports)
    write(rendered(report, look), output)


def _write_repaired(analysis: Analysis, folder: str, inputs: Sequence[str]) -> None:
    """Write the file of each step into a folder, which is created if necessary."""
    from corefscore.analysis.repaired import repaired

    notices: list[Finding] = []
    texts = {os.path.join(folder, name): pieces for name, pieces in repaired(analysis, notices)}
    for path in texts:
        spare_inputs({"--repaired": path}, inputs)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--repaired {folder}: {error.strerror}; expected a folder") from error
    for path, pieces in texts.items():
        write(pieces, path)
    tell(notices)
