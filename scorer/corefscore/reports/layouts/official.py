"""The layouts of the official scorer and of the official CorefUD scorer, byte for byte.

Recorded cases decide every detail; a comment names the case where a detail is unusual.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import SupportsFloat

import numpy as np

from corefscore.core import __version__
from corefscore.core.documents import Documents
from corefscore.core.errors import UsageError
from corefscore.matching.matched import SEARCHES
from corefscore.metrics import AVERAGE, GROUPS, LINKED, MENTIONS, find
from corefscore.metrics.base import NODES, Metric
from corefscore.reports.layouts import Style
from corefscore.reports.score import Report, fidelity_of
from corefscore.scoring.results import Result, Score
from corefscore.scoring.settings import Rules


def _number(value: SupportsFloat) -> str:
    """Return 15 significant digits without padding; whole numbers in full."""
    value = float(value)
    return str(int(value)) if value.is_integer() else f"{value:.15g}"


def _percent(value: SupportsFloat) -> str:
    """Return a value from 0 to 1 in percent, truncated (not rounded) after two digits: `74.99%`, `27.2%`, `100%`."""
    return f"{int(float(value) * 10000) / 100:.15g}%"


def _result_line(label: str, score: Score) -> str:
    """Return ``LABEL: Recall: (a / b) x%  Precision: (c / d) y%  F1: z%`` and the rule under it."""
    sides = (("Recall", *score.recall_counts, score.recall), ("Precision", *score.precision_counts, score.precision))
    shown = [f"{name}: ({_number(part)} / {_number(whole)}) {_percent(value)}" for name, part, whole, value in sides]
    return "\t".join([f"{label}: " * bool(label) + shown[0], shown[1], f"F1: {_percent(score.f1)}\n{'-' * 74}\n"])


def official(report: Report, style: Style) -> Iterator[str]:
    """Yield the output of a run, piece by piece; without documents, only totals and the messages about repeated
    mentions.

    Raises `UsageError` for metrics of nodes, whose matches are no lists of spans.
    """
    result, documents = report.result, report.documents
    if of_nodes := [metric.name for metric in result.metrics if metric.view == NODES]:
        raise UsageError(f"--format official cannot show {' and '.join(of_nodes)}; use --format corefud or table")
    yield f"version: 8.01 corefscore {__version__}\n"
    metrics = [metric for metric in result.metrics if metric.name in result.settings.metrics]
    headings = len(report.listed) > 1 or report.listed[0] in GROUPS
    # Listings are made once for all metrics of a view.
    listings = {
        view: [
            key + response
            for pairs in result.listed[view].pairs
            for key, response in zip(_side(pairs.key), _side(pairs.response), strict=True)
        ]
        for view in {metric.view for metric in metrics if documents}
    }
    for metric in metrics:
        if headings:
            yield f"\nMETRIC {metric.name}:\n"
        if not documents:
            yield from (f"{line}\n" for lines in result.listed[metric.view].messages.values() for line in lines)
        for document, listing in enumerate(listings.get(metric.view, ())):
            yield from _document(result, metric, document, listing)
        yield from _totals(result, metric)
    if AVERAGE in report.listed:
        yield f"CoNLL average: F1: {_percent(result.conll)}\n"
    if result.fidelity is not None:
        yield f"Fidelity of the text: {fidelity_of(result.fidelity)}\n"


def _side(documents: Documents) -> Iterator[str]:
    """Yield the listing of one side of each document, with ``Entity N: (S,E) (S,E)`` for each entity. A document that
    the response lacks has no name (recorded case missing-document).
    """
    spans: list[list[str]] = [[] for _ in documents.document]
    of_items = np.flatnonzero(documents.start < 0).tolist()
    items = iter(documents.words_of(of_items) if of_items else ())
    rows = zip(documents.entity.tolist(), documents.start.tolist(), documents.end.tolist(), strict=True)
    for entity, start, end in rows:
        spans[entity].append(f"({start},{end})" if start >= 0 else f"({next(items)})")
    lines: list[list[str]] = [[] for _ in documents.names]
    for document, mentions in zip(documents.document.tolist(), spans, strict=True):
        entities = lines[document]
        entities.append(f"Entity {len(entities)}: {' '.join(mentions)}\n")
    for document, (name, entities) in enumerate(zip(documents.names, lines, strict=True)):
        discarded = (f"Discarded {piece}\n" for piece in documents.discarded.get(document, ()))
        yield "".join([f"====> {name}:\n", *discarded, f"File {name}:\n", *entities])


def _document(result: Result, metric: Metric, document: int, listing: str) -> Iterator[str]:
    """Yield the output for a document.

    The name of a document comes first if the user asked for it by name. Otherwise it comes between the listing and the
    counts, and is omitted if the metric has no result line for documents (recorded cases: blanc.txt).
    """
    name = result.names[document]
    scores = result.documents[name]
    view = result.listed[metric.view]
    if result.settings.document is not None:
        yield f"{name}:\n{listing}"
    else:
        yield f"{listing}{name if metric.per_document else ''}:\n"
    yield from (f"{line}\n" for line in view.messages.get(document, ()))
    mentions = scores[metric.identification]
    common, key = mentions.recall_counts
    # Another number than ``common`` where precision counts other mentions, such as those of a kind.
    correct, response = mentions.precision_counts
    yield (
        f"Total key mentions: {_number(key)}\n"
        f"Total response mentions: {_number(response)}\n"
        f"Strictly correct identified mentions: {_number(common)}\n"
        f"Partially correct identified mentions: 0\n"
        f"No identified: {_number(key - common)}\n"
        f"Invented: {_number(view.key_copies[document] + (response - correct) - key)}\n"
    )
    if metric.per_document:
        several = len(metric.measures) > 1
        for measure in metric.measures:
            if measure.name != metric.identification:
                yield _result_line(measure.label if several else "", scores[measure.name])


def _totals(result: Result, metric: Metric) -> Iterator[str]:
    """Yield the totals of a metric."""
    yield "\n====== TOTALS =======\n"
    labels = {measure.name: measure.label for measure in (*find(MENTIONS).measures, *metric.measures)}
    yield _result_line(labels[metric.identification], result[metric.identification])
    if result.settings.rules.of is not None and LINKED not in result.settings.metrics:
        yield _result_line(find(LINKED).measures[0].label, result[LINKED])
    yield metric.heading
    for measure in metric.measures:
        if measure.name != metric.identification:
            yield _result_line(measure.label, result[measure.name])


# --- CorefUD ---

_SINGLETONS = {"keep": ", singletons", "drop-response": ", singletons of the key"}

_OLD_SINGLETONS = {
    "keep": "including singletons",
    "drop-response": "including singletons of the key",
    "drop": "excluding singletons",
}
"""The same in versions 1.0 and 1.1."""


def corefud(report: Report, style: Style) -> Iterator[str]:
    """Write the output of the CorefUD scorer; percentages are rounded, not cut off.

    Raises `UsageError` for a result that is not of CorefUD.
    """
    result = report.result
    rules = result.settings.rules
    if rules.matching is None:
        raise UsageError(f"--format {style.layout} is for CorefUD; use another layout, such as official or table")
    metrics = [metric for metric in result.metrics if metric.name != MENTIONS]
    asked = [metric.name for metric in metrics] if report.asked is None else report.asked
    yield _preamble(rules, asked)
    measures = {metric.name: [measure.name for measure in metric.measures] for metric in metrics}
    for name in asked:
        for measure in [name] if name in measures[name] else measures[name]:
            recall, precision, f1 = (f"{value * 100:.2f}" for value in result[measure][:3])
            yield f"{measure}\nRecall: {recall}  Precision: {precision}  F1: {f1}\n"
    averaged = [result[name].f1 for name in asked if name in GROUPS[AVERAGE]]
    if len(averaged) == len(GROUPS[AVERAGE]):
        yield f"CoNLL score: {sum(averaged) / len(averaged) * 100:.2f}\n"
    if result.fidelity is not None:
        yield f"Fidelity of the text: {fidelity_of(result.fidelity)}\n"


def _preamble(rules: Rules, asked: Sequence[str]) -> str:
    """Describe what is evaluated, as version 1.2 does; as 1.0 and 1.1 do if their matching was asked for."""
    if rules.lookup in SEARCHES:
        return (
            f"The scorer is evaluating coreference {_OLD_SINGLETONS[rules.singletons or '']}, with {rules.matching} "
            f"matching of mentions using the following metrics: {', '.join(asked)}.\n"
        )
    matching = "partial-corefud" if rules.matching == "partial" else rules.matching
    zeros = "" if rules.zeros == "drop" else f", zeros (using {rules.zeros} match method)"
    singletons = _SINGLETONS.get(rules.singletons or "", "")
    # mor does not depend on coreference.
    subject = f"coreferential mentions{singletons}{zeros}" if set(asked) - {"mor"} else ""
    return (
        f"The scorer is evaluating {subject} using {matching} match evaluation setting.\n"
        f"The following metrics will be evaluated: {', '.join(asked)}\n\n"
    )
