"""From Python: why a score is low (`analyse`), what each entity adds to it (`entities`), and one pair of files by the
conventions in use (`explain`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corefscore.analysis.costs import measured
from corefscore.analysis.response import Asked, analysable, analysed, refuse_parts
from corefscore.formats.base import AUTO
from corefscore.formats.memory import as_collections
from corefscore.metrics import select
from corefscore.python.api import Files, Options, complete, names_of, result, run_of, warn_of, with_keywords
from corefscore.reports.entities import Entities
from corefscore.reports.entities import entities as report_of
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.explain import Explanation, expected, explanation
from corefscore.scoring.kinds.texts import text_of
from corefscore.scoring.run import Given, is_in_memory, options_by_topic

if TYPE_CHECKING:
    from typing_extensions import Unpack


@with_keywords
def analyse(
    key: Given,
    response: Given | None = None,
    measures: str = "conll",
    *,
    pronouns: str = AUTO,
    **arguments: Unpack[Options],
) -> ErrorReport:
    """Analyse the errors of a response: the number of each type, and what each type costs in the F1 of a measure
    (``measures``).

    Each side is anything that `corefscore.score` accepts. Mentions that are not spans have no words, and their order is
    that in which they first occur, key before response. ``heads`` and ``pronouns`` are the options of
    ``corefscore errors`` (docs/errors.md), the others those of `corefscore.score`.

        >>> report = analyse([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], pronouns="none")
        >>> {name: count for name, count in report.analysis.counts.items() if count}
        {'conflated': 1}

    ``to_dict()`` of the report is the output of ``corefscore errors --format json``; F1 is from 0 to 1. Notices
    give a warning as in `corefscore.score`. Raises `InputError` for input that is rejected, `UsageError` for an unknown
    measure or option.
    """
    wanted = measured(measures)
    run = run_of(wanted.metrics, arguments)
    refuse_parts(run.settings.rules.of, run.settings.rules.window)
    given = analysable(result(run, key, response, keep_pairs=True, texts=True))
    report = ErrorReport(analysed(given, text_of([given.pairs]), Asked(run.reading.heads or AUTO, pronouns), wanted))
    warn_of(report.notices)
    return report


@with_keywords
def entities(
    key: Given, response: Given | None = None, metrics: str | Sequence[str] = "conll", **arguments: Unpack[Options]
) -> Entities:
    """Return what each entity of one document adds to the scores of metrics, as ``--entities`` prints it.

    Arguments are those of `corefscore.score`; ``document`` is needed if there are several documents. The report has
    ``shares``, each with its measure, score, entity, mentions, numerator and denominator.

        >>> report = entities([["a", "b"], ["c"]], [["a", "b", "c"]], metrics="bcub")
        >>> [(share.score, share.mentions, share.numerator) for share in report.shares if share.score == "precision"]
        [('precision', ['a', 'b', 'c'], 1.6666666666666665)]

    Raises `UsageError` for a metric that is not a sum over entities, and for several documents.
    """
    report = report_of(result(run_of(select(names_of(metrics, "metrics")), arguments), key, response, keep_pairs=True))
    warn_of(report.result.notices)
    return report


@with_keywords
def explain(
    key: Given, response: Given | None = None, *, expect: float | str | None = None, **arguments: Unpack[Files]
) -> Explanation:
    """Score one pair by the conventions in use, to find which of them gives the number of a paper.

    Each side is anything that `corefscore.score` accepts. ``expect`` is the number of the paper in percent; rows with
    this score, compared to as many decimal places as it has, are marked. The report prints as the table of
    ``corefscore explain``; each of its ``rows`` has a convention with its options, the scores, and the ``command`` that
    prints them.

        >>> report = explain([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4)]], expect=100)
        >>> [row.convention.name for row in report.rows if "conll" in row.matches]
        ['without-singletons', 'e2e-evaluator', 'mean-of-documents-without-singletons', 'given-mentions']

    Raises `InputError` for input that is rejected, `UsageError` for an unknown argument.
    """
    reading, _, _ = options_by_topic(arguments)
    number = expected(None if expect is None else str(expect), "expect=")
    # Both sides are read again for each convention, which iterators do not allow.
    key = as_collections(key) if is_in_memory(key) else key
    response = as_collections(response) if is_in_memory(response) else response
    report = explanation(key, complete(key, response, reading), reading, number)
    warn_of(report.official.notices)
    return report
