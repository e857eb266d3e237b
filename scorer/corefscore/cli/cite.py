"""`corefscore cite METRIC`: what to cite."""

from __future__ import annotations

from collections.abc import Sequence
from pkgutil import get_data

import click

from corefscore.cli import options
from corefscore.cli.output import write
from corefscore.core import __version__
from corefscore.metrics import AVERAGE, GROUPS, select
from corefscore.metrics.base import Metric

_BIBTEX = (get_data("corefscore.metrics", "papers.bib") or b"").decode("utf-8").replace("VERSION", __version__)

_ENTRIES = {entry.partition("{")[2].partition(",")[0]: entry for entry in _BIBTEX.strip().split("\n\n")}
"""The entries by key. Those of the papers of a metric are in `Metric.cite`."""

_SOFTWARE, _OFFICIAL, _AVERAGED = "corefscore", "pradhan-etal-2014-scoring", "pradhan-etal-2011-conll"


def bibtex(metrics: Sequence[Metric]) -> str:
    """Return the entries of this software, of the official scorer, whose numbers it reproduces, and of each metric; and
    of the CoNLL average if its three metrics are given. A metric without entries becomes a comment with its paper.
    """
    keys = dict.fromkeys([_SOFTWARE, _OFFICIAL, *(key for metric in metrics for key in metric.cite)])
    if {metric.name for metric in metrics} >= set(GROUPS[AVERAGE]):
        keys[_AVERAGED] = None
    others = [f"% {its.name}: {its.described()[2].removeprefix('Paper: ')}" for its in metrics if not its.cite]
    return "\n\n".join([*map(_ENTRIES.__getitem__, keys), *others]) + "\n"


@click.command(
    "cite",
    cls=options.Command,
    params=[click.Argument(["metrics"], metavar="[METRIC]", default="conll"), options.WRITING],
)
def command(metrics: str, output: str) -> None:
    """Print BibTeX of this software and of the papers of metrics. METRIC is one or more names of metrics, joined by
    commas (default: conll). The entries include that of the official scorer.

    Examples:
      corefscore cite
      corefscore cite lea,blanc
    """
    write([bibtex(select(metrics))], output)
