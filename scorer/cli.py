"""The command line: arguments, messages on standard error, exit statuses. Nothing else prints or exits."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import click

from scorer import __version__
from scorer.errors import InputError, ScorerError, UsageError, nearest_first
from scorer.findings import SHOWN, Finding, counted

OFFICIAL_NAME = "scorer.pl"
"""Called by this name, the command keeps quiet on standard error: programs that run the official scorer
may take any byte there for a failure."""

HELP = f"""Score coreference in CoNLL-2011/2012 format, exactly as the official scorer does.

\b
corefscore METRIC KEY RESPONSE [NAME]
  METRIC    a metric, or several joined by commas
  KEY       the key: a file (.gz, .bz2 and .xz too), a folder, or - for standard input
  RESPONSE  the response, likewise
  NAME      score this document only; "none": print totals only

Exit status: 0 scored, 1 input refused, 2 wrong usage or a file that cannot be read.

Version {__version__}."""

GROUP_HELP = {
    "all": "the five metrics of the official scorer, byte for byte: {names}",
    "every": "{names}",
    "conll": "{names}, and the CoNLL average, the mean of their F1",
}


class Commands(click.Group):
    """Every metric is a command, read from the table of metrics; so is a list of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from scorer.metrics import GROUPS, NAMES, outside_names

        return [*NAMES, *outside_names(), *GROUPS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        return metric_command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        return args[0], self.get_command(ctx, args[0]), args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from scorer.metrics import GROUPS, NAMES, find, outside_names

        metrics = [find(name) for name in (*NAMES, *outside_names())]
        with formatter.section("Metrics (corefscore METRIC --help tells more)"):
            formatter.write_dl([(metric.name, f"{metric.title}. {metric.use}") for metric in metrics])
        with formatter.section("Groups of metrics"):
            formatter.write_dl([(name, GROUP_HELP[name].format(names=", ".join(its))) for name, its in GROUPS.items()])


def metric_command(words: str) -> click.Command:
    """The command that scores with the metrics that ``words`` stand for."""
    from scorer.metrics import GROUPS, select
    from scorer.official import WAYS

    metrics = select(words)
    if len(metrics) == 1:
        metric = metrics[0]
        help_text = f"{metric.title}. {metric.use}\n\n\b\n{metric.definition[0]}\n{metric.definition[1]}\n\n"
        help_text += f"{metric.note}\n\n" if metric.note else ""
        help_text += f"\b\nPaper: {metric.paper}"
    else:
        help_text = "Score with several metrics: " + ", ".join(metric.name for metric in metrics) + "."

    own = [option for metric in metrics for option in metric.options]
    own_parameters = [
        click.Option(
            [f"--{option.name}", option.keyword],
            default=option.default,
            show_default=True,
            help=option.help,
            type=click.Choice(option.choices) if option.choices else type(option.default),
        )
        for option in own
    ]
    words = words.lower()

    def callback(key: str, response: str, name: str | None, **options: Any) -> None:
        values = {option.keyword: options.pop(option.keyword) for option in own}
        score(
            key,
            response,
            metrics,
            name=name,
            headings="," in words or words in GROUPS,
            average="conll" in words.split(","),
            metric_options=values,
            **options,
        )

    return click.Command(
        words,
        callback=callback,
        help=help_text,
        params=[
            click.Argument(["key"]),
            click.Argument(["response"]),
            click.Argument(["name"], required=False),
            click.Option(
                ["--repeated"],
                type=click.Choice(WAYS),
                default="official",
                show_default=True,
                help="What a span that is marked again means: as the official scorer has it; only the first copy "
                "counts, on either side; or the file is refused.",
            ),
            *own_parameters,
            click.Option(["--include"], metavar="GLOB", help="Which files of a folder count, by name."),
            click.Option(["--strict"], is_flag=True, help="Every notice is an error."),
            click.Option(
                ["--quiet/--notices"],
                default=None,
                help=f"Notices on standard error; the default is --notices, and --quiet under the name "
                f"{OFFICIAL_NAME}.",
            ),
        ],
    )


def score(
    key: str,
    response: str,
    metrics: Sequence[Any],
    *,
    name: str | None,
    headings: bool,
    average: bool,
    metric_options: dict[str, Any],
    repeated: str,
    include: str | None,
    strict: bool,
    quiet: bool | None,
) -> None:
    """Read both sides, score, and print the result in the official layout."""
    from scorer.evaluate import evaluate
    from scorer.formats import read
    from scorer.layouts.official import render
    from scorer.results import Settings
    from scorer.sources import STDIN

    if key == response == STDIN:
        raise UsageError("KEY and RESPONSE cannot both be standard input (-)")
    totals_only = name == "none"
    only = None if totals_only else name
    notices: list[Finding] = []
    result = evaluate(
        read(key, notices, include),
        read(response, notices, include),
        metrics,
        Settings(tuple(metric.name for metric in metrics), repeated, document=only, own=metric_options),
        notices,
        keep_pairs=not totals_only,
    )
    if strict and notices:
        show(notice.as_error() for notice in notices)
        click.get_current_context().exit(InputError.status)
    if not (click.get_current_context().find_root().obj == OFFICIAL_NAME if quiet is None else quiet):
        show(notices)
    write(render(result, name=only, documents=not totals_only, headings=headings, average=average))


def write(pieces: Iterable[str]) -> None:
    """Write text to standard output, its odd bytes as they were read."""
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    try:
        gathered: list[str] = []
        for piece in pieces:
            gathered.append(piece)
            if len(gathered) >= 1000:
                sys.stdout.buffer.write("".join(gathered).encode("utf-8", "surrogateescape"))
                gathered.clear()
        sys.stdout.buffer.write("".join(gathered).encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except OSError as error:
        raise UsageError(f"standard output: {error.strerror}") from error


def show(findings: Iterable[Finding]) -> None:
    """Findings on standard error, at most `SHOWN` of a kind, then how many more there are."""
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    for code, its in by_code.items():
        for finding in its[:SHOWN]:
            complain(str(finding))
        if len(its) > SHOWN:
            complain(f"... and {counted(len(its) - SHOWN, 'more ' + its[0].severity)} [{code}]")


def complain(text: str) -> None:
    """One message on standard error."""
    if sys.stderr is not None:
        sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
        sys.stderr.buffer.flush()


def run(arguments: list[str], program: str) -> int:
    """Carry out a call under the name ``program``; the exit status."""
    command = Commands(
        "corefscore",
        help=HELP,
        params=[
            click.Option(
                ["--version"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_version,
                help="Show the version and exit.",
            )
        ],
        subcommand_metavar="METRIC KEY RESPONSE [NAME]",
    )
    try:
        with command.make_context("corefscore", arguments, obj=program) as context:
            command.invoke(context)
        return 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except InputError as error:
        complain(str(error))
        return error.status
    except ScorerError as error:
        complain(f"corefscore: {error}")
        return error.status
    except click.ClickException as error:
        complain(_usage(error))
        return UsageError.status
    except MemoryError:
        complain("corefscore: not enough memory for this input")
        return InputError.status


def _usage(error: click.ClickException) -> str:
    """What is wrong with a call, in words."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return message
    if isinstance(error, click.NoSuchOption) and context:
        names = [name for each in context.command.get_params(context) for name in (*each.opts, *each.secondary_opts)]
        known = nearest_first(error.option_name, [name for name in names if name.startswith("-")])
        message = f"unknown option {error.option_name}; known, the nearest first: {', '.join(known)}"
    return f"corefscore: {message}\nTry '{context.command_path if context else 'corefscore'} --help'."


def _version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"corefscore {__version__}")
        ctx.exit()
