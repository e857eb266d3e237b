"""The layout of the official CorefUD scorer, to the byte; percentages are rounded, not cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefscore.core.errors import UsageError
from corefscore.matching.matched import SEARCHES
from corefscore.metrics import AVERAGE, GROUPS, MENTIONS
from corefscore.reports.layouts import Style
from corefscore.reports.score import Report
from corefscore.scoring.results import Score
from corefscore.scoring.settings import Rules

_MATCHING = {"partial": "partial-corefud"}
"""The names of matching rules in the output, where they differ from ours."""

_SINGLETONS = {"keep": ", singletons", "drop-response": ", singletons of the key"}

_OLD_SINGLETONS = {
    "keep": "including singletons",
    "drop-response": "including singletons of the key",
    "drop": "excluding singletons",
}
"""The same in versions 1.0 and 1.1."""

_ALIGNED = ("mor",)
"""Metrics that do not depend on coreference; if there are no others, the first line does not mention coreference."""


def render(report: Report, style: Style) -> Iterator[str]:
    """The output of a run. Raises `UsageError` for a result that is not of CorefUD."""
    result = report.result
    rules = result.settings.rules
    if rules.matching is None:
        raise UsageError(f"--format {style.layout} is for CorefUD; use another layout, such as official or table")
    metrics = [metric for metric in result.metrics if metric.name != MENTIONS]
    asked = [metric.name for metric in metrics] if report.asked is None else report.asked
    yield from _old_preamble(rules, asked) if rules.lookup in SEARCHES else _preamble(rules, asked)
    measures = {metric.name: [measure.name for measure in metric.measures] for metric in metrics}
    for name in asked:
        for measure in [name] if name in measures[name] else measures[name]:
            yield f"{measure}\n{_line(result[measure])}"
    averaged = [result[name].f1 for name in asked if name in GROUPS[AVERAGE]]
    if len(averaged) == len(GROUPS[AVERAGE]):
        yield f"CoNLL score: {sum(averaged) / len(averaged) * 100:.2f}\n"
    if report.fidelity is not None:
        yield f"{report.fidelity[0].upper()}{report.fidelity[1:]}\n"


def _preamble(rules: Rules, asked: Sequence[str]) -> Iterator[str]:
    """The first lines as version 1.2 prints them."""
    subject = _subject(rules) if set(asked) - set(_ALIGNED) else ""
    matching = _MATCHING.get(rules.matching or "", rules.matching)
    yield f"The scorer is evaluating {subject} using {matching} match evaluation setting.\n"
    yield f"The following metrics will be evaluated: {', '.join(asked)}\n\n"


def _old_preamble(rules: Rules, asked: Sequence[str]) -> Iterator[str]:
    """The first line as versions 1.0 and 1.1 print it."""
    yield (
        f"The scorer is evaluating coreference {_OLD_SINGLETONS[rules.singletons or '']}, with {rules.matching} "
        f"matching of mentions using the following metrics: {', '.join(asked)}.\n"
    )


def _subject(rules: Rules) -> str:
    """What the first line says is evaluated."""
    zeros = "" if rules.zeros == "drop" else f", zeros (using {rules.zeros} match method)"
    return f"coreferential mentions{_SINGLETONS.get(rules.singletons or '', '')}{zeros}"


def _line(score: Score) -> str:
    """The line of a score."""
    percent = {"Recall": score.recall, "Precision": score.precision, "F1": score.f1}
    return "  ".join(f"{name}: {value * 100:.2f}" for name, value in percent.items()) + "\n"
