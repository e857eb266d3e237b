"""Options that several commands share; those that can move a number are the same everywhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.types import StringParamType

from corefscore.layouts import fitting
from corefscore.metrics.row import Metric, options_of
from corefscore.sources import RATIO, UNPACKED

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OFFICIAL_NAME = "scorer.pl"
"""Called by this name, the command keeps quiet on standard error: programs that run the official scorer
may take any byte there for a failure."""


class File(StringParamType):
    """A path, which a shell can complete. It is looked at, and complained about, where it is read."""

    name = "file"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type=self.name)]


class Finite(click.FloatRange):
    """A number within a range, and no NaN, which is neither below nor above anything."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def scoring(metrics: Sequence[Metric]) -> list[click.Parameter]:
    """Options that can move a number: how files are read and mentions counted, and the metrics' own."""
    from corefscore.results import COUNTING

    return [
        *(
            click.Option(
                [f"--{option.name}", option.keyword],
                default=option.default,
                show_default=True,
                help=option.help,
                type=click.Choice(option.choices) if option.choices else type(option.default),
                is_flag=isinstance(option.default, bool),
            )
            for option in (*COUNTING, *options_of(metrics))
        ),
        *reading(),
    ]


def estimate() -> list[click.Parameter]:
    """What can be done with an estimated key besides scoring."""
    return [
        click.Option(
            ["--write-key"],
            metavar="FILE",
            help="Save the estimated key as CoNLL, whole or not at all; then RESPONSE can be left out.",
        )
    ]


def files() -> list[click.Parameter]:
    """Options about which files are read, and how much of them."""
    return [
        click.Option(["--include"], metavar="GLOB", help="Which files of a folder count, by name."),
        click.Option(
            ["--max-unpacked"],
            type=click.IntRange(min=1),
            metavar="MB",
            help=f"What a compressed file may unpack to; the default is {UNPACKED >> 20} MB, or {RATIO} times its size "
            "if that is more.",
        ),
    ]


def reading() -> list[click.Parameter]:
    """Options about which files are read, and how."""
    from corefscore.formats import NAMES

    return [
        *files(),
        click.Option(
            ["--input-format"], type=click.Choice(NAMES), help="The format of the input; by default, its content tells."
        ),
        click.Option(
            ["--clusters-field"],
            metavar="NAME",
            help="The field of JSON lines that has the clusters, or two as KEY,RESPONSE; by default clusters, and in "
            "the response predicted_clusters where it is there.",
        ),
    ]


def notices() -> list[click.Parameter]:
    """Options about what is odd in the input."""
    return [
        click.Option(["--strict"], is_flag=True, help="Every notice is an error."),
        click.Option(
            ["--quiet/--notices"],
            default=None,
            help=f"Notices on standard error; the default is --notices, and --quiet under the name {OFFICIAL_NAME}.",
        ),
    ]


def workers() -> list[click.Parameter]:
    """Options about who does the work; they move no number."""
    return [
        click.Option(
            ["--jobs"],
            type=click.IntRange(min=1),
            metavar="N",
            help="Work with N processes, for large files or many: the same bytes come out.",
        ),
        click.Option(
            ["--scheduler"],
            metavar="ADDRESS",
            help="Work on the Dask cluster of this address (tcp://HOST:PORT), or on threads or processes that Dask "
            "starts here, N of them; needs the extra dask.",
        ),
    ]


def layout(*takes: str) -> click.Parameter:
    """How a report is written that has all this (`corefscore.layouts.fitting`)."""
    names = fitting(*takes)
    return click.Option(
        ["--format", "layout"], type=click.Choice(names), default=names[0], show_default=True, help="The layout."
    )


def output() -> click.Parameter:
    """Where a report is written."""
    return click.Option(
        ["--output"], type=File(), metavar="FILE", default="-", help="Write to a file, whole or not at all."
    )
