"""`corefscore convert IN OUT`: between CoNLL-2012, CorefUD and dialects of JSON."""

from __future__ import annotations

import os
from typing import Any

import click

from corefscore.checking.convert import convert
from corefscore.cli import options
from corefscore.cli.output import COMPRESSORS, progress, tell, write
from corefscore.cli.scoring import spare_inputs
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.records import INPUT
from corefscore.formats import Reading
from corefscore.formats.base import EVERY_NAME

_BY_ENDING = {"conll": "conll", "conllu": "corefud", "jsonl": "jsonlines", "csv": "labels"}
"""The formats by the ending of OUT, which may have something before it, as in ``.auto_conll``."""

_IN_MEMORY = 16 << 20
"""The largest output in bytes that is kept in memory until it is complete; more is kept in a temporary file."""


@click.command(
    "convert",
    cls=options.Command,
    params=[
        click.Argument(["source"], type=options.FILE, metavar="IN"),
        click.Argument(["target"], type=options.FILE, metavar="OUT"),
        options.Parameter(
            "--format",
            "to",
            type=options.Choice(EVERY_NAME),
            metavar="FORMAT",
            help="Format of OUT: conll, corefud, tagged, labels, jsonlines or another dialect of JSON. By default "
            "the ending of OUT decides (.conll, .conllu, .jsonl or .csv); without an ending, CoNLL and tables become "
            "jsonlines, and all else conll.",
        ),
        options.Parameter(
            "--key",
            type=options.FILE,
            metavar="KEY",
            heading=INPUT,
            help="Write the documents of KEY with the entities of IN.",
        ),
        *options.made(Reading),
        *options.NOTICES,
    ],
)
def command(source: str, target: str, *, to: str | None, key: str | None, **arguments: Any) -> None:
    """Convert between CoNLL, CorefUD, JSON, tables and tagged text. CoNLL is CoNLL-2011/2012; JSON is JSON lines or
    another dialect.

    IN is a file, a folder (its files become one corpus), or - for standard input; its format is recognised by content.
    OUT is a file, or - for standard output; rejected input leaves OUT unchanged. OUT is compressed if its name ends
    with .gz, .bz2 or .xz.

    Document names, sentences, words and ids of entities are kept if the format of OUT can contain them; notices report
    what it cannot represent. CoNLL is written with five columns: document, part, number of the token in its sentence,
    word, coreference.

    Examples:
      corefscore convert response.conll response.jsonl
      corefscore convert key.conll - --format tagged
      corefscore convert response.txt response.conll --key key.conll
    """
    from tempfile import SpooledTemporaryFile

    spare_inputs({"OUT": target}, (source, key))
    to = to or _format_of(target)
    notices: list[Finding] = []
    reading = Reading(**arguments)
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", errors="surrogateescape", newline="") as kept:
        # All output is made before anything is written, since errors can come until the end.
        with progress([source] * 2) as watch:  # read once for the mentions and once for the words
            try:
                for piece in convert(source, notices, to, reading, watch, key=key):
                    kept.write(piece)
            except OSError as error:
                raise UsageError(f"a temporary file cannot be written: {error.strerror}") from error
        tell(notices)
        kept.seek(0)
        write(iter(lambda: kept.read(1 << 12), ""), target)


def _format_of(target: str) -> str | None:
    """Return the format for the ending of OUT; None without an ending. Raises `UsageError` for any other ending."""
    name, ending = os.path.splitext(os.path.basename(target))
    if ending in COMPRESSORS:
        ending = os.path.splitext(name)[1]
    if not ending:
        return None
    for known, form in _BY_ENDING.items():
        if ending.endswith(known):
            return form
    which = " (jsonlines: one object per line; crac-2026: one array)" if ending == ".json" else ""
    raise UsageError(
        f"{target}: the ending {ending} does not say which format to write; add --format FORMAT{which}, or end the "
        "name with one of " + ", ".join(f".{known}" for known in _BY_ENDING)
    )
