"""`corefscore diff KEY RESPONSE [NAME]`: where do key and response differ?"""

from __future__ import annotations

import os
import sys
from typing import Any

import click
from click.core import ParameterSource

from corefscore.analysis.types import TYPES
from corefscore.cli import options
from corefscore.cli.analysing import analysed, analysing, sides
from corefscore.cli.messages import STDOUT, write
from corefscore.cli.scoring import complete, named, spare_inputs
from corefscore.core.errors import UsageError
from corefscore.reports.diff import Diff
from corefscore.reports.layouts import page
from corefscore.reports.layouts.marked import Shown, render

LINE = 100
"""The width of lines without a terminal."""


def command(name: str) -> click.Command:
    """The command."""
    return options.Command(
        name,
        callback=run,
        short_help="Show in the text where key and response differ.",
        help="Show in the text where key and response differ: every mention is in brackets, with a sign for its "
        "error.\n\n"
        "NAME shows one document only.",
        params=[
            *options.sides(),
            click.Argument(["name"], required=False),
            click.Option(
                ["--type", "kinds"],
                type=options.Choice(TYPES),
                metavar="TYPE",
                multiple=True,
                help=f"Show errors of this type: {', '.join(TYPES)}.",
            ),
            click.Option(
                ["--entity", "entities"],
                metavar="ID",
                multiple=True,
                help="Show sentences with mentions of this entity.",
            ),
            click.Option(
                ["--around"],
                type=click.IntRange(min=0),
                metavar="N",
                default=0,
                help="Number of sentences to show before and after each one with errors.",
            ),
            click.Option(["--all", "every"], is_flag=True, help="Show sentences without errors, too."),
            click.Option(
                ["--color"],
                type=options.Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                help="Use colours; auto: on a terminal, unless NO_COLOR is set.",
            ),
            click.Option(
                ["--html"], type=options.File(), metavar="FILE", help="Write an HTML page, to open in a browser."
            ),
            click.Option(["--other"], type=options.File(), metavar="FILE", help="With --html: a second response."),
            *analysing(),
            *options.running(),
        ],
    )


def run(
    *,
    key: str,
    response: str | None,
    name: str | None,
    kinds: tuple[str, ...],
    entities: tuple[str, ...],
    around: int,
    every: bool,
    color: str,
    html: str | None,
    other: str | None,
    symmetric: bool,
    output: str,
    **arguments: Any,
) -> None:
    """Analyse the response, and write the marked text or the page."""
    words = sides(symmetric=symmetric, several=other is not None, arguments=arguments)
    response, name = complete(key, response, name, arguments)
    if other is not None and html is None:
        raise UsageError("--other FILE is for the page; it needs --html FILE")
    if name is not None and other is None and os.path.isfile(name):
        raise UsageError(
            f"{name} is a file, and the third argument is the name of a document; two responses are compared on a "
            f"page: --other {name} --html FILE"
        )
    if html is not None:
        _refuse_beside_page()
    paths = named([response] if other is None else [response, other])
    spare_inputs({"--output": output, "--html": html}, (key, *paths.values()), arguments["include"])
    if name is not None:
        name = os.fsencode(name).decode("utf-8", "surrogateescape")
    analyses = analysed(key, paths, document=name, **arguments)
    diffs = {system: Diff(analysis, words) for system, analysis in analyses.items()}
    if html is not None:
        write(page.render(diffs), html)
        return
    (diff,) = diffs.values()
    if unknown := sorted({*entities} - diff.entities):
        raise UsageError(f"no mention has the entity {', '.join(unknown)}; ids are those of the files")
    terminal = output == STDOUT and sys.stdout is not None and sys.stdout.isatty()
    coloured = color == "always" or (color == "auto" and terminal and not os.environ.get("NO_COLOR"))
    width = options.terminal_width(LINE) if terminal else LINE
    shown = Shown(kinds, entities, around, every, width, coloured)
    write(render(diff, shown), output)


def _refuse_beside_page() -> None:
    """Raise `UsageError` for an option of the marked text, since the page shows everything and has its own filters."""
    context = click.get_current_context()
    for option in ("kinds", "entities", "around", "every", "color", "output"):
        if context.get_parameter_source(option) is ParameterSource.COMMANDLINE:
            name = next(parameter.opts[0] for parameter in context.command.params if parameter.name == option)
            raise UsageError(
                f"{name} is not for the page that --html writes: it shows everything and has its own filters"
            )
