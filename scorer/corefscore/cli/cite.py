"""`corefscore cite METRIC`: what to cite."""

from __future__ import annotations

import click

from corefscore.cli import options
from corefscore.cli.output import write
from corefscore.metrics import select
from corefscore.metrics.citations import bibtex


@click.command(
    "cite",
    cls=options.Command,
    short_help="Print BibTeX of this software and of the papers of metrics.",
    help="Print BibTeX of this software, of the official scorer, and of the papers of METRIC: one or more names of "
    "metrics, joined by commas (default: conll).",
    examples=("corefscore cite", "corefscore cite lea,blanc"),
    params=[click.Argument(["metrics"], metavar="[METRIC]", default="conll"), options.WRITING],
)
def command(metrics: str, output: str) -> None:
    """Write the citations."""
    write([bibtex(select(metrics))], output)
