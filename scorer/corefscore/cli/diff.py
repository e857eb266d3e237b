"""`corefscore diff KEY RESPONSE [NAME]`: where do key and response differ?"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from corefscore.analysis.types import TYPES
from corefscore.cli import options
from corefscore.cli.analysing import analysed, analysing, page_of, refuse_beside_page, sides
from corefscore.cli.output import STDOUT, terminal_size, write
from corefscore.cli.scoring import complete, named, spare_inputs
from corefscore.core.errors import UsageError
from corefscore.reports.diff import Diff
from corefscore.reports.layouts.marked import Shown, render

LINE = 100
"""The width of lines without a terminal."""


@click.command(
    "diff",
    cls=options.Command,
    short_help="Show in the text where key and response differ.",
    help="Show in the text where key and response differ: every mention is in brackets, with a sign for its "
    "error.\n\n"
    "NAME shows one document only; the path of a second response puts both on the page of --html.",
    more=f"The types of errors for --only: {', '.join(TYPES)}.",
    examples=(
        "corefscore diff key.conll response.conll",
        "corefscore diff key.conll response.conll --only divided --around 1",
        "corefscore diff key.conll response.conll --html page.html",
    ),
    params=[
        *options.sides(),
        click.Argument(["name"], required=False, metavar="[NAME|OTHER]"),
        options.Parameter(
            "--only",
            metavar="TYPE|ID",
            multiple=True,
            help="Show only errors of this type, or mentions of the entity with this id.",
        ),
        options.Parameter(
            "--around",
            metavar="N|all",
            default="0",
            help="Number of sentences to show before and after each one with errors; all: every sentence.",
        ),
        *analysing(),
        *options.running(),
    ],
)
def command(
    *,
    key: str,
    response: str | None,
    name: str | None,
    only: tuple[str, ...],
    around: str,
    html: str | None,
    symmetric: bool,
    output: str,
    **arguments: Any,
) -> None:
    """Analyse the response, and write the marked text or the page."""
    response, name = complete(key, response, name, arguments)
    other, name = (name, None) if name is not None and os.path.isfile(name) else (None, name)
    words = sides(symmetric=symmetric, several=other is not None, arguments=arguments)
    if other is not None and html is None:
        raise UsageError(f"{other} is a file, so a second response, which only a page shows: add --html FILE")
    if html is not None:
        refuse_beside_page("only", "around")
    reach = _sentences(around)
    paths = named([response] if other is None else [response, other])
    spare_inputs({"--output": output, "--html": html}, (key, *paths.values()))
    if name is not None:
        name = os.fsencode(name).decode("utf-8", "surrogateescape")
    analyses = analysed(key, paths, document=name, **arguments)
    if any(analysis.pairs.key.items for analysis in analyses.values()):
        raise UsageError("diff marks words, and items have none; corefscore errors lists which entities are confused")
    if html is not None:
        write(page_of(analyses, words), html)
        return
    (analysis,) = analyses.values()
    diff = Diff(analysis, words)
    kinds, entities = ([word for word in only if (word in TYPES) is is_type] for is_type in (True, False))
    if unknown := sorted({*entities} - diff.entities):
        raise UsageError(
            f"--only {', '.join(unknown)}: neither a type of error ({', '.join(TYPES)}) nor the id of an entity that "
            "has a mention"
        )
    terminal = output == STDOUT and sys.stdout is not None and sys.stdout.isatty()
    coloured = terminal and not os.environ.get("NO_COLOR")
    width = terminal_size(LINE).columns if terminal else LINE
    write(render(diff, Shown(kinds, entities, reach, width, coloured)), output)


def _sentences(around: str) -> int | None:
    """The number of sentences around errors; None for all. Raises `UsageError` for any other value."""
    if around == "all":
        return None
    if not around.isdecimal():
        raise UsageError(f"--around {around}: expected a number of sentences, or all")
    return int(around)
