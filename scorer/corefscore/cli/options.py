"""Options that several commands share; those that can change a score are the same for all commands."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.types import StringParamType

from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import UsageError, nearest
from corefscore.core.sources import RATIO, UNPACKED
from corefscore.metrics.base import NAMED, VIEWS, Metric, Option, options_of
from corefscore.reports.layouts import NAMES, ORDERS, Style, fitting

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OFFICIAL_NAME = "scorer.pl"
"""Under this name, the program prints no notices, since programs that run the official scorer may treat any output on
standard error as a failure."""

COREFUD_NAME = "corefud-scorer.py"
"""Under this name, the program has the arguments of the official CorefUD scorer (`corefscore.cli.corefud`)."""


HEADINGS: Mapping[str, Sequence[str]] = {
    "What to score": (
        *("--measures", "--boundary", "--sort", "--agreement", "--by", "--repeated", "--singletons", "--mentions"),
        *("--matching", "--zeros", "--lookup", "--definitions", "--window", "--of", "--task"),
        *("--expect", "--metric", "--min", "--tolerance", "--both-ways"),
        *("--measure", "--spans", "--heads", "--pronouns", "--symmetric"),
    ),
    "Input": (
        *("--systems", "--key", "--include", "--input-format", "--word-column", "--clusters-field", "--max-unpacked"),
        *("--tags", "--align", "--pieces", "--fidelity"),
    ),
    "Output": (
        *(
            "--to",
            "--fix",
            "--ignore",
            "--format",
            "--digits",
            "--order",
            "--documents",
            "--average",
            "--top",
            "--list",
            "--repaired",
            "--type",
            "--entity",
            "--around",
            "--all",
            "--color",
            "--html",
            "--other",
            "--output",
            "--plot",
            "--strict",
            "--quiet",
        ),
        "--write-key",
    ),
    "Statistics": (
        "--intervals",
        "--confidence",
        "--alpha",
        "--baseline",
        "--margin",
        "--correction",
        "--trials",
        "--seed",
        "--unit",
    ),
    "Names": tuple(f"--{option.name}" for option in VIEWS[NAMED]),
    "Work": ("--jobs", "--scheduler"),
    "Help": ("--help", "--version"),
}
"""The headings of help, with their options in order. An option without a row, such as that of a metric of another
package, is listed under the first heading."""


AMBIENT = ("strict", "quiet", "jobs", "scheduler")
"""Options that commands do not pass on: `messages` and `workers` read them from the context."""

CALLED = "corefscore.called"
"""The key in ``meta`` of the program's context for the context of the running command."""


def grouped(parameters: Iterable[click.Parameter]) -> dict[str, list[click.Parameter]]:
    """The options among some parameters by heading, in the order of `HEADINGS`."""
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    listed: dict[str, list[click.Parameter]] = {
        heading: [option for name in names for option in options if name in option.opts]
        for heading, names in HEADINGS.items()
    }
    rest = set(options).difference(*listed.values())
    listed[next(iter(HEADINGS))] += [option for option in options if option in rest]
    return {heading: found for heading, found in listed.items() if found}


def terminal_width(default: int = 80) -> int:
    """The number of columns of the terminal, or ``COLUMNS``; ``default`` if neither is known."""
    from shutil import get_terminal_size  # imports archive formats, which would slow down the start of every command

    return get_terminal_size((default, 24)).columns


class Command(click.Command):
    """A command whose help lists options under the headings of `HEADINGS`. Its callback gets the options of `layout`
    and `look` as a `style` named ``look``, and none of `AMBIENT`."""

    def invoke(self, ctx: click.Context) -> Any:
        ctx.meta[CALLED] = ctx
        given = {name: value for name, value in ctx.params.items() if name not in AMBIENT}
        if "layout" in given:
            given["look"] = style(*(given.pop(name, None) for name in ("layout", "digits", "order")))
        assert self.callback is not None
        return ctx.invoke(self.callback, **given)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, parameters in grouped(self.get_params(ctx)).items():
            with formatter.section(heading):
                formatter.write_dl(list(filter(None, (parameter.get_help_record(ctx) for parameter in parameters))))


class File(StringParamType):
    """A path that a shell can complete; it is checked only when it is read."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type=self.name)]


class Choice(click.Choice):  # type: ignore[type-arg]  # generic only since click 8.2
    """A choice of words; an unknown word is an error that suggests similar ones."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            like = nearest(str(value), self.choices)
            self.fail(error.message.rstrip(".") + (f"; did you mean {' or '.join(like)}?" if like else "."), param, ctx)


class OneOrEach(StringParamType):
    """A value for both sides, or a value for each or one of them: ``key=VALUE,response=VALUE``."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or "=" not in value:
            return self.kind.convert(value, param, ctx)
        by_side: dict[str, Any] = {}
        for piece in value.split(","):
            side, _, text = piece.partition("=")
            if side not in (KEY, RESPONSE) or side in by_side:
                self.fail(f"{value!r}: expected {KEY}=VALUE, {RESPONSE}=VALUE, or both with a comma.", param, ctx)
            by_side[side] = self.kind.convert(text, param, ctx)
        return by_side

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items: list[CompletionItem] = self.kind.shell_complete(ctx, param, incomplete)
        return items


class Finite(click.FloatRange):
    """A finite number within a range; a plain range accepts NaN."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def scoring(metrics: Sequence[Metric]) -> list[click.Parameter]:
    """Options that can change a score: how files are read, how mentions count, and the options of metrics."""
    from corefscore.scoring.settings import RULES

    return [
        *(
            click.Option(
                [f"--{option.name}", option.keyword],
                default=option.default,
                show_default=True,
                help=option.help,
                type=_type(option),
                metavar=METAVARS.get(option.kind),
                is_flag=isinstance(option.default, bool),
            )
            for option in (*RULES, *options_of(metrics))
        ),
        *reading(),
    ]


METAVARS: Mapping[type | None, str] = {int: "N", str: "KIND"}
"""The names of values in help, for options without a default, by their type."""


def _type(option: Option) -> Any:
    """The type of the values of an option."""
    if option.choices:
        return Choice(option.choices)
    return click.IntRange(min=1) if option.kind is int else option.kind or type(option.default)


def estimate() -> list[click.Parameter]:
    """The option that writes an estimated key."""
    return [
        click.Option(
            ["--write-key"],
            metavar="FILE",
            help="Save the estimated key as CoNLL; RESPONSE can then be left out.",
        )
    ]


def files() -> list[click.Parameter]:
    """Options about which files are read, and their size."""
    return [
        click.Option(["--include"], metavar="GLOB", help="Read only the files of a folder whose names match."),
        click.Option(
            ["--max-unpacked"],
            type=click.IntRange(min=1),
            metavar="MB",
            help=f"Size limit of an unpacked file; default {UNPACKED >> 20} MB, or {RATIO} times the compressed size "
            "if that is more.",
        ),
    ]


def reading() -> list[click.Parameter]:
    """Options about which files are read, and how."""
    from corefscore.formats import DIALECTS, EVERY_NAME
    from corefscore.formats.base import HEADS

    return [
        *files(),
        click.Option(
            ["--input-format"],
            type=OneOrEach(Choice(EVERY_NAME)),
            metavar="FORMAT",
            help="Format of the input (default: recognised by content): conll, corefud, tagged, jsonlines, or a "
            f"dialect of JSON ({', '.join(DIALECTS)}). Two as key=FORMAT,response=FORMAT.",
        ),
        click.Option(
            ["--word-column"],
            type=OneOrEach(click.IntRange(min=1)),
            metavar="N",
            help="Column of the words in CoNLL, counted from 1; two as key=N,response=N. Default: the fourth; with "
            "fewer than five columns, the one before the last.",
        ),
        click.Option(
            ["--heads"],
            type=Choice(HEADS),
            help="Which word is the head of a mention: the one that the file gives or the highest in the tree (both "
            "CorefUD only), the one by the parse (CoNLL, in errors and diff only), or the last word. (default: auto, "
            "the first of these that is possible)",
        ),
        click.Option(
            ["--clusters-field"],
            metavar="NAME",
            help="Field of JSON lines that contains the clusters; two as KEY,RESPONSE. Default: clusters, or in a "
            "response predicted_clusters if there is such a field.",
        ),
        click.Option(
            ["--tags"],
            metavar="NAME|REGEX",
            help="Notation of tagged text: markdown, xml, words, braces, or a pattern with the groups open, close "
            "and id (default: recognised by content).",
        ),
        *texts(),
    ]


def texts() -> list[click.Parameter]:
    """Options about responses whose words have to be found in the key."""
    from corefscore.formats.base import PIECES

    return [
        click.Option(
            ["--align"],
            is_flag=True,
            default=None,
            help="Look up the words of the response in the key, for a response with other tokens or text than the "
            "key. Always on for tagged text.",
        ),
        click.Option(
            ["--pieces"],
            type=click.Choice(PIECES),
            help="If the response has several texts for a document: join entities that share a mention where the "
            f"texts overlap, none (apart), or those with the same id (default: {PIECES[0]}).",
        ),
        click.Option(
            ["--fidelity"],
            type=Finite(0, 100),
            metavar="PERCENT",
            help="Give a notice if less than this share of the text agrees with the key, for tagged text or with "
            "--align (default 95).",
        ),
    ]


def notices() -> list[click.Parameter]:
    """Options about notices."""
    return [
        click.Option(["--strict"], is_flag=True, help="Treat every notice as an error."),
        click.Option(
            ["--quiet/--notices"],
            default=None,
            help="Hide or show notices and the details of errors. Default: show them, unless the program is called "
            f"{OFFICIAL_NAME}.",
        ),
    ]


def workers() -> list[click.Parameter]:
    """Options about processes and clusters; they do not change the output."""
    return [
        click.Option(
            ["--jobs"],
            type=click.IntRange(min=1),
            metavar="N",
            help="Number of processes; the output does not change.",
        ),
        click.Option(
            ["--scheduler"],
            metavar="ADDRESS",
            help="Dask cluster to work on: tcp://HOST:PORT, or threads or processes to start --jobs of them on this "
            "machine. Needs Dask (pip install 'dask[distributed]').",
        ),
    ]


def by(meaning: str, also: str = "") -> click.Parameter:
    """The option for groups of documents; ``meaning`` says what is done with them, ``also`` ends the help."""
    return click.Option(
        ["--by"],
        metavar="REGEX",
        help=f"{meaning}. The group of a document is what REGEX, or its first (...), matches in the name; file makes "
        f"each file of KEY a group{also}.",
    )


def unit() -> click.Parameter:
    """The option for the unit of resampling."""
    from corefscore.scoring.results import DOCUMENT

    return click.Option(
        ["--unit"],
        metavar="UNIT",
        default=DOCUMENT,
        show_default=True,
        help="What is resampled: document (with all its parts), part (each by itself), a regular expression that "
        "matches the unit in the name of a document, or column:N of CoNLL or field:NAME of JSON for units within "
        "documents.",
    )


def layout(*takes: str) -> click.Parameter:
    """The option for the layout of a report that has all of ``takes`` (`corefscore.reports.layouts.fitting`)."""
    names = fitting(*takes)
    return click.Option(
        ["--format", "layout"],
        type=Choice(names),
        default=names[0],
        show_default=True,
        help="Layout of the output.",
    )


def look() -> list[click.Parameter]:
    """Options about readable tables; see `style`."""
    return [
        click.Option(
            ["--digits"], type=click.IntRange(0, 10), metavar="N", help="Decimal places of percentages (default 2)."
        ),
        click.Option(
            ["--order"],
            type=Choice(tuple(ORDERS)),
            help="Order of precision, recall and F1 (default prf in markdown and latex, rpf in table).",
        ),
    ]


def style(layout: Any, digits: int | None, order: str | None) -> Style:
    """The style of a report. Raises `UsageError` for options that the layout does not have."""
    for option, value in (("--digits", digits), ("--order", order)):
        if value is not None and NAMES[layout].order is None:
            readable = ", ".join(name for name, row in NAMES.items() if row.order)
            raise UsageError(f"{option} is for readable tables: --format {readable}; {layout} does not have it")
    width = 80 if NAMES[layout].order is None else terminal_width()
    return Style(layout, 2 if digits is None else digits, order, width)


def output() -> click.Parameter:
    """The option for the file of a report."""
    return click.Option(
        ["--output"], type=File(), metavar="FILE", default="-", help="Write to FILE, whole or not at all."
    )


def running() -> list[click.Parameter]:
    """The options `output`, `notices` and `workers`."""
    return [output(), *notices(), *workers()]


def sides() -> list[click.Parameter]:
    """The arguments KEY and RESPONSE."""
    return [click.Argument(["key"], type=File()), click.Argument(["response"], type=File(), required=False)]
