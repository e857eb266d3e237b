"""`corefscore convert IN OUT`: between CoNLL-2012 and JSON lines."""

from __future__ import annotations

from typing import Any

import click

from corefscore.cli import options
from corefscore.cli.messages import tell, write
from corefscore.cli.progress import progress
from corefscore.cli.scoring import spare_inputs
from corefscore.convert import convert
from corefscore.findings import Finding
from corefscore.formats import NAMES
from corefscore.formats.row import Reading

HELP = """Convert between CoNLL-2011/2012 and JSON lines.

IN is a file, a folder as one corpus, or - for standard input; its format is recognised by content. OUT is a file, or -
for standard output; it is written whole or not at all.

Documents with their names, sentences and words, entities and mentions are kept. Notices report what the other format
cannot represent. CoNLL is written with five columns: document, part, number of the token in its sentence, word,
coreference."""


def command(name: str) -> click.Command:
    """The command, under the name by which it is called."""
    return options.Command(
        name,
        callback=_convert,
        help=HELP,
        params=[
            click.Argument(["source"], type=options.File(), metavar="IN"),
            click.Argument(["target"], type=options.File(), metavar="OUT"),
            click.Option(
                ["--to"], type=click.Choice(NAMES), help="Format of OUT (default: the one that IN does not have)."
            ),
            *options.reading(),
            *options.notices(),
        ],
    )


def _convert(source: str, target: str, *, to: str | None, strict: bool, quiet: bool | None, **how: Any) -> None:
    spare_inputs({"OUT": target}, [source], how["include"])
    notices: list[Finding] = []
    # All of it, before anything is written: only then is it known that nothing is refused.
    reading = Reading(**how)
    with progress([source] * 2, reading.include) as watch:  # once for the mentions, once for the words
        pieces = list(convert(source, notices, to, reading, watch))
    tell(notices, strict=strict, quiet=quiet)
    write(pieces, target)
