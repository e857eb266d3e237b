"""Write the manual page, man/corefscore.1, from the commands as click knows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
from corefscore import __version__
from corefscore.cli import COMPLETE, commands
from corefscore.cli.options import grouped

PAGE = Path(__file__).parent.parent / "man" / "corefscore.1"


def roff(text: str) -> str:
    """Text that roff shows as it is."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """Help as click writes it: paragraphs, of which those behind \\b keep their lines."""
    for paragraph in text.strip().split("\n\n"):
        if paragraph.startswith("\b"):
            yield f".nf\n{roff(paragraph.removeprefix(chr(8)).strip(chr(10)))}\n.fi"
        else:
            yield roff(" ".join(paragraph.split()))
        yield ".PP"


def listed(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Options or the like, each with its help."""
    for term, text in rows:
        yield f".TP\n\\fB{roff(term)}\\fR\n{roff(text)}"


class Call(NamedTuple):
    """One command: how it is called, its help, and under headings its options with theirs."""

    usage: str
    help: str
    options: Mapping[str, Sequence[tuple[str, str]]]


def call_of(context: click.Context, name: str) -> Call:
    """What click knows of a command."""
    group = context.command
    assert isinstance(group, click.Group)
    made = group.get_command(context, name)
    assert made is not None
    inner = click.Context(made, info_name=name, parent=context)
    options = {
        heading: [record for parameter in its if (record := parameter.get_help_record(inner)) and record[1]]
        for heading, its in grouped(made.get_params(inner)).items()
    }
    usage = " ".join(["corefscore", name, *made.collect_usage_pieces(inner)[1:]])
    return Call(usage, made.help or "", options)


def page() -> str:
    """The whole page."""
    group = commands()
    context = click.Context(group, info_name="corefscore", **group.context_settings)
    shared = call_of(context, "all").options
    lines = [
        f'.TH COREFSCORE 1 "" "corefscore {__version__}"',
        ".SH NAME\ncorefscore \\- scores coreference exactly as the official scorer does",
        ".SH SYNOPSIS\n.B corefscore\nMETRIC KEY RESPONSE [NAME] [OPTIONS]",
        ".SH DESCRIPTION",
        *paragraphs(group.help or ""),
        ".SH OPTIONS",
        roff(
            "Every command that scores has these; the sections below list the others. --help-all prints them, --help "
            "only those that most people use."
        ),
        *(line for heading, its in shared.items() for line in (f".SS {heading}", *listed(its))),
        ".SH COMMANDS",
    ]
    for name in group.list_commands(context):
        call = call_of(context, name)
        lines += [f".SS {roff(call.usage)}", *paragraphs(call.help)]
        common = [option for its in shared.values() for option in its]
        lines += listed(option for its in call.options.values() for option in its if option not in common)
    lines.append(f".SH ENVIRONMENT\n.TP\n{COMPLETE}\nThe shell that asks for completion.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page())
