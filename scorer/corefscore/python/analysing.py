"""Error analysis from Python: why a score is low (`analyse`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corefscore.analysis.costs import measured
from corefscore.analysis.response import Asked, analysed, pairs_of, refuse_parts
from corefscore.analysis.spans import REPAIRS
from corefscore.core.errors import UsageError
from corefscore.formats.base import AUTO
from corefscore.python.api import complete, run_of, warn_of
from corefscore.python.arguments import Options, spelled
from corefscore.reports.errors.report import ErrorReport
from corefscore.scoring.kinds.texts import text_of
from corefscore.scoring.run import scored

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.scoring.sides import Given


@spelled
def analyse(
    key: Given,
    response: Given | None = None,
    measure: str = "conll",
    *,
    spans: str = AUTO,
    pronouns: str = AUTO,
    **arguments: Unpack[Options],
) -> ErrorReport:
    """Analyse the errors of a response: the number of each type, and what each type costs in the F1 of a measure.

    Each side is anything that `corefscore.score` accepts. Mentions that are not spans have no words, and their order is
    that in which they first occur, key before response. ``spans``, ``heads`` and ``pronouns`` are the options of
    ``corefscore errors`` (docs/errors.md), the others those of `corefscore.score`.

        >>> report = analyse([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], pronouns="none")
        >>> {name: count for name, count in report.analysis.counts.items() if count}
        {'conflated': 1}

    ``to_dict()`` of the report is the output of ``corefscore errors --format json --list``; F1 is from 0 to 1. Notices
    give a warning as in `corefscore.score`. Raises `InputError` for input that is rejected, `UsageError` for an unknown
    measure or option.
    """
    if spans not in REPAIRS:
        raise UsageError(f"spans={spans!r} is not one of {', '.join(REPAIRS)}")
    wanted = measured(measure)
    metrics, settings, reading, workers = run_of(wanted.metrics, arguments)
    refuse_parts(settings.rules.of, settings.rules.window)
    response = complete(key, response, reading)
    result = scored(key, response, metrics, settings, reading, keep_pairs=True, texts=True, workers=workers)
    pairs = pairs_of(result)
    analysis = analysed(result, pairs, text_of([pairs]), Asked(reading.heads or AUTO, pronouns, spans), wanted)
    report = ErrorReport(analysis, with_list=True)
    warn_of(report.notices)
    return report
