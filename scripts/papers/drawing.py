"""Figures of the papers as SVG; needs matplotlib, the extra ``plots``."""

from __future__ import annotations

import io

from papers.page import LINKS, METRICS, NAMES, Drawing

MARKERS = dict(zip([*METRICS, LINKS], "osD^x+.", strict=True))


def drawn(drawing: Drawing) -> bytes:
    """The panels of a figure, two in a row, F1 in percent over their places."""
    import matplotlib
    from matplotlib.figure import Figure

    columns = min(len(drawing.panels), 2)
    rows = -(-len(drawing.panels) // columns)
    # Text stays text, and the same numbers give the same file.
    with matplotlib.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": drawing.name, "font.family": "DejaVu Sans", "font.size": 9}
    ):
        figure = Figure(figsize=(1.5 + 4.2 * columns, 3.4 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, sharey=True).flat
        for panel, each in zip(drawing.panels, axes, strict=True):
            places = range(len(panel.ticks))
            for measure in drawing.curves:
                number = list(MARKERS).index(measure)
                values = [100 * point[measure] for point in panel.points]
                each.plot(
                    places,
                    values,
                    marker=MARKERS[measure],
                    # Curves that coincide are told apart by their markers.
                    markersize=9 - number,
                    fillstyle="none",
                    linestyle="" if not drawing.ordered else ":" if measure == LINKS else "-",
                    linewidth=1,
                    color="gray" if measure == LINKS else f"C{number}",
                    label=NAMES[measure],
                )
            each.set_xticks(places, panel.ticks)
            each.set_title(panel.title.replace(", ", ",\n"), fontsize=9)
            each.set_xlabel(panel.axis)
            each.grid(visible=True, alpha=0.3)
        figure.supylabel("%" if LINKS in drawing.curves else "F1, %", fontsize=9)
        handles, labels = each.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper")
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()
