"""Options that several commands share; those that can change a score are the same for all commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import cleandoc
from typing import Any

import click
from click.core import augment_usage_errors
from click.types import StringParamType

from corefscore.cli.output import OFFICIAL_NAME, refuse, terminal_size
from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import InputError, UsageError, nearest
from corefscore.core.records import ABOUT_NAMES, HEADINGS, INPUT, OUTPUT, SCORING, STATISTICS, WORK, Option, declared
from corefscore.metrics import NAMES as METRICS
from corefscore.metrics import find
from corefscore.metrics.base import Metric, options_of
from corefscore.reports.layouts import NAMES as LAYOUTS
from corefscore.reports.layouts import OFFICIAL, TABLES, Style, fitting

COREFUD_NAME = "corefud-scorer.py"
"""Under this name, the program has the arguments of the official CorefUD scorer (`corefscore.cli.corefud`)."""


_OTHERS = {
    SCORING: "CorefUD, which mentions count",
    INPUT: "tagged text, columns",
    OUTPUT: "output",
    STATISTICS: "resampling",
    ABOUT_NAMES: "names",
    WORK: "clusters of machines",
}
"""What the options of each heading are about, for those that only ``--help-all`` shows."""

_AMBIENT = ("strict", "quiet", "jobs", "expect_key")
"""Options that commands do not pass on: what needs them reads them from the context."""

_ALL = "corefscore.all"
"""The key in ``meta`` for whether help lists all options."""


class Parameter(click.Option):
    """An option under one of `HEADINGS`; a ``common`` one is listed by ``--help``, too, with the first sentence of its
    help."""

    def __init__(self, *names: str, heading: str = OUTPUT, common: bool = True, **others: Any) -> None:
        super().__init__(names, **others)
        self.heading, self.common = heading, common

    def row(self, context: click.Context, *, short: bool = False) -> tuple[str, str]:
        """Return the option in help, and what it does; if ``short``, only the first sentence of that."""
        term, text = self.get_help_record(context) or ("", "")
        return term, text.split(". ", maxsplit=1)[0].rstrip(".") if short else text


def grouped(parameters: Iterable[click.Parameter]) -> dict[str, list[Parameter]]:
    """Return the options among some parameters by heading, in the order of `HEADINGS`."""
    options = [parameter for parameter in parameters if isinstance(parameter, Parameter)]
    listed = {heading: [option for option in options if option.heading == heading] for heading in HEADINGS}
    return {heading: found for heading, found in listed.items() if found}


class Command(click.Command):
    """A command whose help lists the common options; ``--help-all`` lists all. Its ``help``, the docstring of its
    callback, has examples, and may end with a paragraph that only ``--help-all`` shows.

    Its callback gets the options of `layout` and `DIGITS` as a `Style` named ``look``, and none of `_AMBIENT`; it may
    return the exit status.
    """

    def __init__(self, name: str, *, params: Sequence[click.Parameter], help: str | None = None, **others: Any) -> None:
        help_all = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=self._show_all, hidden=True
        )
        text, _, ending = cleandoc(help or "").partition("\n\nExamples:\n")
        super().__init__(name, params=[*params, help_all], help=text, **others)
        self.examples, _, self.more = ending.partition("\n\n")

    def _show_all(self, context: click.Context, parameter: click.Parameter, value: bool) -> None:
        """Print the help with all options, and exit."""
        if value:
            context.meta[_ALL] = True
            click.echo(self.get_help(context))
            context.exit()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        with augment_usage_errors(ctx):  # so that an option without its argument names the command, too
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if "layout" in (given := {name: value for name, value in ctx.params.items() if name not in _AMBIENT}):
            layout, digits = given.pop("layout"), given.pop("digits", None)
            readable = [name for name in fitting(TABLES) if LAYOUTS[name].order]
            if digits is not None and layout not in readable:
                raise UsageError(
                    f"--digits needs --format {', '.join(readable[:-1])} or {readable[-1]}; this is --format {layout}"
                )
            width = terminal_size().columns if layout in readable else 80
            given["look"] = Style(layout, 2 if digits is None else digits, width)
        assert self.callback is not None
        try:
            return ctx.invoke(self.callback, **given)
        except InputError as error:
            refuse(error)
            return error.status

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        if ctx.meta.get(_ALL) and self.more:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(self.more)
        if self.examples:  # without docstrings (python -OO) there is no help
            with formatter.section("Examples"):
                formatter.write(f"{self.examples}\n")

    def get_short_help_str(self, limit: int = 200) -> str:
        return super().get_short_help_str(limit)  # shells show the whole sentence

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        by_heading = grouped(self.params)
        common = [option for option in self.params if isinstance(option, Parameter) and option.common]
        whole = ctx.meta.get(_ALL, False)
        for heading, options in by_heading.items() if whole else (("Options", common),):
            with formatter.section(heading):
                formatter.write_dl([option.row(ctx, short=not whole) for option in options])
        hidden = [_OTHERS[heading] for heading, options in by_heading.items() if not {*options} <= {*common}]
        if hidden and not whole:
            formatter.write_paragraph()
            formatter.write_text(f"--help-all shows more options: {', '.join(hidden)}.")


FILE = click.Path(readable=False)
"""A path that a shell can complete; it is checked only when it is read."""


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only since click 8.2
    """A choice of words; an unknown word is an error that suggests similar ones."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            like = nearest(str(value), self.choices)
            self.fail(error.message.rstrip(".") + (f"; did you mean {' or '.join(like)}?" if like else "."), param, ctx)


class _OneOrEach(Choice):
    """A choice for both sides, or one for each or one of them: ``key=VALUE,response=VALUE``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "=" not in str(value):
            return super().convert(value, param, ctx)
        by_side: dict[str, Any] = {}
        for piece in value.split(","):
            side, _, text = piece.partition("=")
            if side not in (KEY, RESPONSE) or side in by_side:
                self.fail(f"{value!r}: expected {KEY}=VALUE, {RESPONSE}=VALUE, or both with a comma.", param, ctx)
            by_side[side] = super().convert(text, param, ctx)
        return by_side


class _Jobs(StringParamType):
    """A number of processes, or the address of a cluster."""

    name = "jobs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in str(value):
            return value
        try:
            return click.IntRange(1).convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is neither a number of processes (from 1) nor an address such as tcp://HOST:PORT.")


def made(topic: type | Iterable[Option], *names: str) -> Iterator[click.Parameter]:
    """Yield the options of the command line that a class declares, or from their declarations; only those with these
    names, if there are any."""
    for option in declared(topic) if isinstance(topic, type) else topic:
        if names and option.name not in names:
            continue
        kind = option.kind or type(option.default)
        type_of: Any = click.IntRange(option.least) if kind is int else kind
        if option.choices:
            type_of = _OneOrEach(option.choices) if option.by_side else Choice(option.choices)
        yield Parameter(
            f"--{option.name.replace('_', '-')}",
            option.name,
            default=option.default,
            show_default=option.default is not False,
            help=option.help,
            type=type_of,
            metavar=option.metavar,
            is_flag=kind is bool,
            heading=option.heading,
            common=option.common,
        )


def scoring(metrics: Sequence[Metric] | None = None) -> list[click.Parameter]:
    """List the options that can change a score: how mentions count, options of metrics (by default of every built-in
    one), and how files are read."""
    from corefscore.formats import Reading
    from corefscore.scoring.settings import Rules

    every = [find(name) for name in METRICS] if metrics is None else metrics
    own = {option for metric in every if len(every) == 1 for option in metric.options}
    of_metrics = [option._replace(common=option in own) for option in options_of(every)]
    return [*made(Rules), *made(of_metrics), *made(Reading)]


SIDES = (click.Argument(["key"], type=FILE), click.Argument(["response"], type=FILE, required=False))
"""The arguments KEY and RESPONSE."""

NOTICES = (
    Parameter("--strict", is_flag=True, help="Treat every notice as an error."),
    Parameter(
        "--quiet",
        is_flag=True,
        help="Hide notices and all but the first error. Always on if the program is run "
        f"under the name {OFFICIAL_NAME}.",
    ),
)
"""Options about notices."""

WRITING = Parameter(
    "--output", type=FILE, metavar="FILE", default="-", help="Write to FILE; rejected input leaves FILE unchanged."
)
"""The option for the file of a report."""

RUNNING = (
    WRITING,
    *NOTICES,
    Parameter(
        "--expect-key",
        metavar="FINGERPRINT",
        heading=INPUT,
        common=False,
        help="Reject the key unless it has this fingerprint. The last line of a table contains it: key=7cf4af.",
    ),
    Parameter(
        "--jobs",
        type=_Jobs(),
        metavar="N|ADDRESS",
        heading=WORK,
        help="Number of processes, or the Dask cluster to work on, such as tcp://HOST:PORT. A cluster needs Dask (pip "
        "install 'dask[distributed]'). The output does not change.",
    ),
)
"""The options of commands that score: those of the report, about notices, and about processes and clusters."""

DIGITS = Parameter(
    "--digits",
    type=click.IntRange(0, 10),
    metavar="N",
    common=False,
    help="Decimal places of percentages in tables (default 2).",
)
"""The option about readable tables."""


def layout(*takes: str) -> click.Parameter:
    """Return the option for the layout of a report that has all of ``takes`` (`corefscore.reports.layouts.fitting`)."""
    names = fitting(*takes)
    return Parameter(
        "--format",
        "layout",
        type=Choice(names),
        default=names[0],
        show_default=names[0] != OFFICIAL,
        metavar="LAYOUT",
        help=f"Layout of the output: {', '.join(names)}."
        + " (default: official; for CorefUD, corefud; if options add rows or columns, table)" * (names[0] == OFFICIAL),
    )
