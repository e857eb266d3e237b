"""Options that several commands share; those that can move a number are the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from click.types import StringParamType

from corefscore.documents.model import KEY, RESPONSE
from corefscore.documents.sources import RATIO, UNPACKED
from corefscore.errors import UsageError, nearest
from corefscore.layouts import NAMES, ORDERS, Style, fitting
from corefscore.metrics.row import NAMED, VIEWS, Metric, Option, options_of

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OFFICIAL_NAME = "scorer.pl"
"""Called by this name, the command keeps quiet on standard error: programs that run the official scorer
may take any byte there for a failure."""

COREFUD_NAME = "corefud-scorer.py"
"""Called by this name, the command takes the arguments of the official CorefUD scorer (`corefscore.cli.corefud`)."""


HEADINGS: Mapping[str, Sequence[str]] = {
    "What to score": (
        *("--measures", "--boundary", "--sort", "--by", "--repeated", "--singletons", "--mentions"),
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
    "Statistics": ("--intervals", "--confidence", "--alpha", "--test", "--correction", "--trials", "--seed", "--unit"),
    "Names": tuple(f"--{option.name}" for option in VIEWS[NAMED]),
    "Work": ("--jobs", "--scheduler"),
    "Help": ("--help", "--version"),
}
"""Where help lists an option, in this order. What has no row, such as an option of another package's metric, says what
to score."""


CALLED = "corefscore.called"
"""Where the context of the program has that of the command that is carried out."""


def grouped(parameters: Iterable[click.Parameter]) -> dict[str, list[click.Parameter]]:
    """The options among some parameters under their headings, in the order of `HEADINGS`."""
    rows = {name: (heading, at) for heading, names in HEADINGS.items() for at, name in enumerate(names)}
    first = next(iter(HEADINGS))
    found: dict[str, list[tuple[int, click.Parameter]]] = {heading: [] for heading in HEADINGS}
    for parameter in parameters:
        if isinstance(parameter, click.Option):
            heading, at = next((rows[name] for name in parameter.opts if name in rows), (first, len(rows)))
            found[heading].append((at, parameter))
    in_order = {heading: sorted(its, key=lambda each: each[0]) for heading, its in found.items()}
    return {heading: [parameter for _, parameter in its] for heading, its in in_order.items() if its}


def terminal_width(default: int = 80) -> int:
    """How many columns the terminal has, or ``COLUMNS``; ``default`` where there is neither."""
    from shutil import get_terminal_size  # brings the archive formats along, which start-up need not wait for

    return get_terminal_size((default, 24)).columns


class Command(click.Command):
    """A command whose help lists options under the headings of `HEADINGS`."""

    def invoke(self, ctx: click.Context) -> Any:
        ctx.meta[CALLED] = ctx
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, parameters in grouped(self.get_params(ctx)).items():
            with formatter.section(heading):
                formatter.write_dl(list(filter(None, (parameter.get_help_record(ctx) for parameter in parameters))))


class File(StringParamType):
    """A path, which a shell can complete. It is looked at, and complained about, where it is read."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type=self.name)]


class Choice(click.Choice[str]):
    """One of some words; a wrong one gets those most like it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            like = nearest(str(value), self.choices)
            self.fail(error.message.rstrip(".") + (f"; did you mean {' or '.join(like)}?" if like else "."), param, ctx)


class OneOrEach(StringParamType):
    """A value for both sides, or one for each: ``key=VALUE,response=VALUE``, or only one of the two."""

    def __init__(self, each: Any) -> None:
        self.each = each

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or "=" not in value:
            return self.each.convert(value, param, ctx)
        found: dict[str, Any] = {}
        for piece in value.split(","):
            side, _, its = piece.partition("=")
            if side not in (KEY, RESPONSE) or side in found:
                self.fail(f"{value!r}: expected {KEY}=VALUE, {RESPONSE}=VALUE, or both with a comma.", param, ctx)
            found[side] = self.each.convert(its, param, ctx)
        return found

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found: list[CompletionItem] = self.each.shell_complete(ctx, param, incomplete)
        return found


class Finite(click.FloatRange):
    """A number within a range, and no NaN, which is neither below nor above anything."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def scoring(metrics: Sequence[Metric]) -> list[click.Parameter]:
    """Options that can move a number: how files are read and mentions counted, and the metrics' own."""
    from corefscore.settings import RULES

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
"""What help calls the values of options without a default, by their type."""


def _type(option: Option) -> Any:
    """What an option takes."""
    if option.choices:
        return Choice(option.choices)
    return click.IntRange(min=1) if option.kind is int else option.kind or type(option.default)


def estimate() -> list[click.Parameter]:
    """What can be done with an estimated key besides scoring."""
    return [
        click.Option(
            ["--write-key"],
            metavar="FILE",
            help="Save the estimated key as CoNLL; RESPONSE can then be left out.",
        )
    ]


def files() -> list[click.Parameter]:
    """Options about which files are read, and how much of them."""
    return [
        click.Option(["--include"], metavar="GLOB", help="Read only the files of a folder whose names match."),
        click.Option(
            ["--max-unpacked"],
            type=click.IntRange(min=1),
            metavar="MB",
            help=f"Size limit of an unpacked file; default {UNPACKED >> 20} MB, or {RATIO} times the packed size "
            "if that is more.",
        ),
    ]


def reading() -> list[click.Parameter]:
    """Options about which files are read, and how."""
    from corefscore.formats import DIALECTS, EVERY_NAME
    from corefscore.formats.row import HEADS

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
            help="Column of the words of CoNLL, counted from 1; two as key=N,response=N. Default: the fourth, or the "
            "one before the last of fewer than five.",
        ),
        click.Option(
            ["--heads"],
            type=Choice(HEADS),
            help="Heads of mentions: named by the file or highest in its tree (CorefUD), by its parses (CoNLL, for "
            "errors and diff), or the last word. (default: auto, the first that there is)",
        ),
        click.Option(
            ["--clusters-field"],
            metavar="NAME",
            help="Field of JSON lines that contains the clusters, or two as KEY,RESPONSE. Default: clusters, and "
            "predicted_clusters in a response that has it.",
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
    """Options about a response whose words have to be found in the key."""
    from corefscore.formats.row import PIECES

    return [
        click.Option(
            ["--align"],
            is_flag=True,
            default=None,
            help="Find the words of the response in the key, for other tokens or text. Tagged text always is.",
        ),
        click.Option(
            ["--pieces"],
            type=click.Choice(PIECES),
            help="Entities of several answers for a document: joined where the answers overlap, never, or by their "
            f"ids (default: {PIECES[0]}).",
        ),
        click.Option(
            ["--fidelity"],
            type=Finite(0, 100),
            metavar="PERCENT",
            help="Give a notice about a text that is less than so much that of the key (default 95).",
        ),
    ]


def notices() -> list[click.Parameter]:
    """Options about what is odd in the input."""
    return [
        click.Option(["--strict"], is_flag=True, help="Treat every notice as an error."),
        click.Option(
            ["--quiet/--notices"],
            default=None,
            help="Hide or show notices and the details of errors. Default: show them, except under the name "
            f"{OFFICIAL_NAME}.",
        ),
    ]


def workers() -> list[click.Parameter]:
    """Options about who does the work; they move no number."""
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
            help="Dask cluster to work on (tcp://HOST:PORT), or threads or processes to start N of them here; needs "
            "the extra dask.",
        ),
    ]


def unit() -> click.Parameter:
    """What intervals and tests resample."""
    from corefscore.results import DOCUMENT

    return click.Option(
        ["--unit"],
        metavar="UNIT",
        default=DOCUMENT,
        show_default=True,
        help="What is resampled: document (with all its parts), part (each by itself), a regular expression that "
        "matches the unit in the name of a document, or units within documents, by column:N of CoNLL or field:NAME of "
        "JSON.",
    )


def layout(*takes: str) -> click.Parameter:
    """How a report is written that has all this (`corefscore.layouts.fitting`)."""
    names = fitting(*takes)
    return click.Option(
        ["--format", "layout"],
        type=Choice(names),
        default=names[0],
        show_default=True,
        help="Layout of the output.",
    )


def look() -> list[click.Parameter]:
    """How tables to read look; see `style`."""
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


def style(layout: str, digits: int | None = None, order: str | None = None) -> Style:
    """How a report is to look here. Raises `UsageError` for a look that the layout cannot have."""
    for option, value in (("--digits", digits), ("--order", order)):
        if value is not None and NAMES[layout].order is None:
            readable = ", ".join(name for name, row in NAMES.items() if row.order)
            raise UsageError(f"{option} is for tables to read: --format {readable}; {layout} has none of it")
    width = 80 if NAMES[layout].order is None else terminal_width()
    return Style(layout, 2 if digits is None else digits, order, width)


def styled(run: Callable[..., None]) -> Callable[..., None]:
    """``run`` for a command with the options of `layout` and `look`: it is given their `style` as ``look``."""

    def callback(*, layout: str, digits: int | None, order: str | None, **given: Any) -> None:
        run(look=style(layout, digits, order), **given)

    return callback


def output() -> click.Parameter:
    """Where a report is written."""
    return click.Option(
        ["--output"], type=File(), metavar="FILE", default="-", help="Write to FILE, whole or not at all."
    )
