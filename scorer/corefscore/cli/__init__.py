"""Run the commands: arguments, messages on standard error, exit status; nothing else prints or exits."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module

import click

from corefscore.cli.options import COREFUD_NAME, Choice
from corefscore.cli.output import complain, give_up
from corefscore.core import __version__
from corefscore.core.errors import InputError, ScorerError, UsageError, nearest, suggested
from corefscore.core.findings import texts_in
from corefscore.metrics import GROUPS, NAMES, find, named, outside
from corefscore.metrics.base import SCORES

_HELP = """Score coreference exactly as the official scorers do.

\b
METRIC    a metric, or several joined by commas
KEY       a file (also .gz, .bz2, .xz), a folder, or - for standard input
RESPONSE  likewise; not needed if KEY is JSON that contains both sides
NAME      score only this document; "none": print only totals

Exit status: 0 success, 1 input rejected, 2 usage or file error, 3 check failed."""

_GROUP_HELP = {
    "all": "the five official metrics: {names}",
    "every": "{names}",
    "conll": "{names}, and the CoNLL average, the mean of their F1",
    "corefud": "the metrics of the CorefUD scorer: {names}",
}


COMMANDS = {
    **dict.fromkeys(("compare", "rank"), "systems"),
    "check": "check",
    **dict.fromkeys(("errors", "diff"), "errors"),
    **{name: name for name in ("explain", "validate", "convert", "cite")},
}
"""The commands other than metrics, each with its module in this folder."""


class _Commands(click.Group):
    """All commands: every metric and every list of metrics is a command, and so are `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*NAMES, *(metric.name for metric in outside()[0]), *GROUPS, *COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if (name := cmd_name.lower()) in COMMANDS:
            found = vars(import_module(f"corefscore.cli.{COMMANDS[name]}")).values()
            return next(each for each in found if isinstance(each, click.Command) and each.name == name)
        from corefscore.cli.score import metric_command

        try:
            return metric_command(cmd_name)
        except UsageError as error:
            if _is_path(cmd_name):
                raise UsageError(_without_metric(ctx.obj[1:])) from error
            if meant := synonyms("commands").get(name):
                raise UsageError(f'"{cmd_name}" is not a command; use {meant}') from error
            if nearest(name, COMMANDS):
                known = suggested(name, self.list_commands(ctx))
                raise UsageError(f'unknown metric or command "{cmd_name}"; {known}') from error
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        others, broken = outside()
        metrics = [*map(find, NAMES), *others]
        with formatter.section("Metrics, and when to use them (details: corefscore METRIC --help)"):
            uses = {each.name: each.use.removeprefix("Use it ").partition(";")[0].rstrip(".") for each in metrics}
            formatter.write_dl(list(uses.items()))
        with formatter.section("Groups of metrics"):
            rows = [(name, _GROUP_HELP[name].format(names=", ".join(members))) for name, members in GROUPS.items()]
            formatter.write_dl(rows)
        with formatter.section("Commands (details: corefscore COMMAND --help)"):
            formatter.write_dl([(name, self.get_command(ctx, name).get_short_help_str()) for name in COMMANDS])
        if broken:
            with formatter.section("Metrics of other packages that cannot be used"):
                for error in broken:
                    formatter.write_text(str(error))


def _is_path(word: str) -> bool:
    """Return whether an unknown metric is meant as a file: it exists, or has a folder or an ending and is
    not a list.
    """
    if os.path.exists(word) or os.sep in word:
        return True
    stem, ending = os.path.splitext(word)
    of_metrics = "," in word or ending[1:].lower() in SCORES or named(stem) in (*NAMES, *GROUPS)
    return len(ending) > 1 and not of_metrics


def _without_metric(args: Sequence[str]) -> str:
    """Return the message for a call whose first argument is a file, with the call that was probably meant."""
    from shlex import join

    files = list(args)
    if (metric := next((word for word in args[1:] if named(word) in (*NAMES, *GROUPS)), None)) is not None:
        files.remove(metric)
    call = ["corefscore", metric or "conll", *files, *["RESPONSE"] * (len(files) < 2)]
    return f'"{args[0]}" is a path; a metric comes first. Did you mean: {join(call)}'


def commands() -> click.Group:
    """Return the program with all its commands."""
    group = _Commands(
        "corefscore",
        help=_HELP,
        context_settings={"help_option_names": ["-h", "--help"]},
        subcommand_metavar="METRIC KEY RESPONSE [NAME]",
    )
    return click.version_option(__version__, "-V", "--version", message="corefscore %(version)s")(group)


COMPLETE = "_COREFSCORE_COMPLETE"
"""The environment variable with which a shell asks for completion, such as ``bash_source`` or ``zsh_complete``."""


def run(arguments: list[str], program: str) -> int:
    """Run the program with the name ``program``; returns the exit status."""
    try:
        if program == COREFUD_NAME:
            from corefscore.cli import corefud

            return corefud.run(arguments, program)
        command = commands()
        if arguments[:1] == ["help"]:
            arguments = [*arguments[1:2], "--help"]
        if not arguments and COMPLETE not in os.environ:
            complain(command.get_help(click.Context(command, info_name="corefscore")))
            return UsageError.status
        called = {"windows_expand_args": False, "obj": [program, *arguments]}
        status = command.main(arguments, "corefscore", complete_var=COMPLETE, standalone_mode=False, **called)
    except ScorerError as error:
        text, status = f"corefscore: {error}", error.status
    except click.ClickException as error:
        text, status = _usage(error), UsageError.status
    except OSError as error:
        text, status = f"corefscore: {_culprit(error)}: {error.strerror}", UsageError.status
    except MemoryError:
        text, status = "corefscore: not enough memory for this input", InputError.status
    else:
        return int(status or 0)
    complain(text)
    return status


def _culprit(error: OSError) -> str:
    """Return the file of an unexpected error: its own, or else the working folder or standard output, where click
    prints.
    """
    if error.filename is not None:
        return str(error.filename)
    try:
        os.getcwd()
    except OSError:
        return "the working folder"
    give_up(sys.stdout)
    return "standard output"


def _usage(error: click.ClickException) -> str:
    """Return the message for wrong usage."""
    # Click names a type after its class.
    message = error.format_message().replace("valid integer range", "whole number")
    message = message.replace("valid float range", "number")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and context:
        parameters = context.command.get_params(context)
        names = [name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)]
        # The dashes would make any two options similar.
        like = nearest(error.option_name.lstrip("-"), [name.removeprefix("--") for name in names if name[:2] == "--"])
        known = (
            synonyms("removed").get(error.option_name)
            or _by_value(error.option_name, parameters)
            or _synonym(error.option_name, names)
            or (like and f"did you mean {' or '.join(f'--{name}' for name in like)}?")
        )
        message = f"unknown option {error.option_name}" + (f"; {known}" if known else "")
        if context.parent is None:
            message += "; options of a metric or command come after its name"
    return f"corefscore: {message}\nTry '{context.command_path if context else 'corefscore'} --help'."


@cache
def synonyms(section: str) -> dict[str, str]:
    """Read what a section of ``synonyms.ini`` says to type instead of a word, for an option or a command that has
    another name, by the word."""
    rows = texts_in(__package__, "synonyms.ini")[section].items()
    return {word: meant for words, meant in rows for word in words.split()}


def _synonym(word: str, known: Collection[str]) -> str | None:
    """Return what to type instead of an option in a command with the ``known`` options; None if that is not listed."""
    meant = synonyms("options").get(word, "").splitlines()
    possible = (each for each in meant if each[0] != "-" or each.split(",")[0].split()[0] in known)
    return next((f"use {each}" if each[0] == "-" else each for each in possible), None)


def _by_value(name: str, parameters: Sequence[click.Parameter]) -> str | None:
    """Return the advice for an unknown option that is a value of another, such as ``--json``; None if it is not."""
    value = name.lstrip("-")
    choices = {its.opts[0]: its.type.choices for its in parameters if type(its.type) is Choice}
    meant = [f"{option} {value}" for option, values in choices.items() if value in values]
    return f"did you mean {' or '.join(meant)}?" if meant else None
