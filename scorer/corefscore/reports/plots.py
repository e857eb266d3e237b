"""The plot of a ranking; needs matplotlib, the extra ``plots``."""

from __future__ import annotations

import io
import os
from importlib.util import find_spec

import numpy as np

from corefscore.core.errors import UsageError
from corefscore.reports.rank import Ranking


def form_of(path: str) -> str:
    """Return the format of a plot by the ending of its file name: png, svg or pdf; empty for any other ending.

    Raises `UsageError` if matplotlib is not installed.
    """
    form = os.path.splitext(path)[1].removeprefix(".").lower()
    if form not in ("png", "svg", "pdf"):
        return ""
    if find_spec("matplotlib") is None:
        raise UsageError("a plot needs matplotlib: pip install matplotlib")
    return form


def drawn(ranking: Ranking, form: str) -> bytes:
    """Return a plot of the systems, best first, each with its score and interval in percent; ``form`` is png, svg or
    pdf.
    """
    from matplotlib.figure import Figure

    scores = [100 * float(ranking.found.sample.observed[system, 0, ranking.column]) for system in ranking.order]
    rows = list(range(len(scores)))
    figure = Figure(figsize=(7, 1.2 + 0.35 * len(scores)), layout="constrained")
    axes = figure.add_subplot()
    ends = [ranking.interval_of(system, 0, ranking.column) or (np.nan, np.nan) for system in ranking.order]
    low, high = 100 * np.transpose(ends)
    # An interval need not contain the score, but the length of a bar cannot be negative.
    bars = np.fmax(0, [scores - low, high - scores])  # 0 for NaN, too
    axes.errorbar(scores, rows, xerr=bars, fmt="o", capsize=3)
    names = [f"{ranking.rank(system)}  {ranking.names[system]}" for system in ranking.order]
    axes.set_yticks(rows, names)
    axes.invert_yaxis()
    axes.set_xlabel(f"{ranking.sorted_by} (%)")
    axes.grid(axis="x", alpha=0.3)
    stream = io.BytesIO()
    figure.savefig(stream, format=form, dpi=150)
    return stream.getvalue()
