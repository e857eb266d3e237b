"""From batches of documents of both sides to counts per document: the stages of scoring in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.documents import KEY, RESPONSE, Documents, joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.formats import BY_CONTENT
from corefscore.formats.base import Reading
from corefscore.matching.common import common
from corefscore.matching.matched import Matched, exact, of_both, without_singletons
from corefscore.matching.pairing import Pairs, begun, pair
from corefscore.matching.repeats import treat
from corefscore.metrics import MENTIONS, NAMES, described
from corefscore.metrics.base import NAMED, NODES, WHOLE, Metric, names_asked, packed
from corefscore.metrics.overlap import Overlap, by_units, overlap
from corefscore.scoring.batches import ScoredBatch, counted_metrics
from corefscore.scoring.results import Shown
from corefscore.scoring.settings import Settings

if TYPE_CHECKING:
    from corefscore.matching.mentions import Alignment
    from corefscore.matching.named import SideNames
    from corefscore.matching.text.projection import Projection
    from corefscore.matching.units import Units
    from corefscore.matching.windows import Windows
    from corefscore.scoring.kinds.options import Of


def count_batches(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    settings: Settings,
    notices: list[Finding],
    *,
    keep_pairs: bool = False,
    reading: Reading = BY_CONTENT,
) -> list[ScoredBatch]:
    """Count two sides, given as batches of documents; `corefscore.scoring.batches.result_of` makes a result of them.

    ``settings`` say what to score and how. Oddities are added to ``notices``. ``keep_pairs`` keeps the documents, for
    layouts that list mentions. ``reading`` says whether and how words of the response are found in the key.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    first_of_key, key = begun(key)
    key, response, text = on_key(key, response, reading, notices)
    first, response = begun(response)
    two_kinds = first_of_key and first and (first_of_key.nodes is None) != (first.nodes is None)
    del first_of_key, first
    if two_kinds:
        raise UsageError(
            "one side is CorefUD and the other is not, and mentions with heads cannot be compared with spans; bring "
            "both into one format with corefscore convert, or score with --align, which finds words and heads in the "
            "key"
        )
    batch_scorer = BatchScorer(metrics, settings, keep_pairs=keep_pairs)
    if (names := batch_scorer.names) is not None and names.estimate_key:
        from corefscore.matching.named import estimated

        key = (estimated(batch, names) for batch in key)
    if batch_scorer.of is not None and batch_scorer.of.needs_files:  # files are read again for each batch
        key, response = _in_one_batch(key), _in_one_batch(response)
    # By map, which holds no batch while it waits for the next.
    batches = list(map(batch_scorer.count, pair(key, response, notices, settings.document)))
    if text is not None:
        batches = [batch._replace(fidelity=text.fidelity.take(batch.names)) for batch in batches]
    return batches


def on_key(
    key: Iterator[Documents], response: Iterator[Documents], reading: Reading, notices: list[Finding]
) -> tuple[Iterator[Documents], Iterator[Documents], Projection | None]:
    """Return both sides; if words of the response have to be found in the key, its documents on the tokens of the key,
    and how they were found. Raises as `corefscore.matching.text.projection.placed` does."""
    first, response = begun(response)
    if first is None or not (reading.align or first.own_text):
        return key, response, None
    from corefscore.matching.text.projection import placed

    # The tokens of the key are used even if they are pieces of a text.
    key_batches = [replace(batch, characters=None) for batch in key]
    found = placed(key_batches, list(response), reading, notices)
    return iter(key_batches), iter([found.response]), found


def _in_one_batch(batches: Iterator[Documents]) -> Iterator[Documents]:
    """Join all batches to one, or none if there are none."""
    every = list(batches)
    return iter([joined(every)] if every else ())


class BatchScorer:
    """Counts batches of pairs: matches mentions, treats repeats, makes the overlap table and counts every metric.

    What follows from the metrics and the settings alone is found once. Raises `UsageError` for a metric that cannot be
    restricted to kinds of mentions, if these are scored.
    """

    def __init__(self, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False) -> None:
        self.metrics, self.settings, self.keep_pairs = metrics, settings, keep_pairs
        self.every = counted_metrics(metrics, settings)
        self.names = names_asked(metrics, settings.own)
        self.of: Of | None = None
        if settings.rules.of is not None:
            from corefscore.scoring.kinds.labels import refuse_without_terms
            from corefscore.scoring.kinds.options import of

            refuse_without_terms(metrics)
            self.of = of(settings.rules.of)

    def count(self, pairs: Pairs) -> ScoredBatch:
        """Count a batch, or its windows if there are any."""
        names, rules, key = pairs.key.names, self.settings.rules, pairs.fingerprint
        if self.of is not None:
            from corefscore.scoring.kinds.labels import with_kinds

            pairs = with_kinds(pairs, self.of)
        windows: Windows | None = None
        if rules.window is not None:
            from corefscore.matching.windows import cut

            pairs, windows = cut(pairs, rules.window)
        units: Units | None = None
        if self.settings.unit is not None:
            from corefscore.matching.units import units_of

            units = units_of(pairs, self.settings.unit)
        of_nodes = pairs.key.nodes is not None or pairs.response.nodes is not None
        found, matched = self._of_nodes(pairs) if of_nodes else self._of_spans(pairs, units)
        if self.of is not None:
            found = self._of_kinds(found, matched, self.of)
        return found._replace(names=names, fingerprint=key, windows=windows)

    def _of_spans(self, pairs: Pairs, units: Units | None) -> tuple[ScoredBatch, Matched]:
        """Count mentions that are spans; also returns them all, numbered.

        In every view the order of all mentions decides how repeats are treated. Raises `UsageError` for a metric that
        counts words of mentions.
        """
        of_views = {WHOLE: pairs}
        named: Sequence[SideNames] = ()
        if self.names is not None:
            from corefscore.matching.named import names_of_side, reduced

            of_views[NAMED] = reduced(pairs, self.names)
            named = [names_of_side(pairs.key, self.names, KEY), names_of_side(pairs.response, self.names, RESPONSE)]
        rules = self.settings.rules
        treated = {view: treat(_numbered(of_view, units), of_view, rules.treated) for view, of_view in of_views.items()}
        matched = {view: of_view.matched for view, of_view in treated.items()}
        in_common = common(pairs, list(matched.values()))
        if self.names is not None:
            # As if the file had no other mentions, since sums are added in this order.
            matched[NAMED] = matched[NAMED].in_text_order()
        for metric in self.metrics:
            if metric.view == NODES:
                raise UsageError(
                    f"the metric {metric.name} is for CorefUD, and these files are not CorefUD; name other metrics, "
                    "such as every instead of corefud"
                )
        rules = rules.settled(nodes=False)
        matched = {
            view: without_singletons(of_both(mentions, rules.mentions), rules.singletons)
            for view, mentions in matched.items()
        }
        tables = {view: overlap(mentions) for view, mentions in matched.items()}
        found = ScoredBatch(
            pairs.key.names,
            pairs.key.files,
            {metric.name: _counts(metric, tables[metric.view]) for metric in self.every},
            {
                view: Shown(
                    table.key.total(table.key.size), treated[view].messages, [of_views[view]] if self.keep_pairs else []
                )
                for view, table in tables.items()
            },
            treated[WHOLE].dropped,
            treated[WHOLE].repeats,
            in_common,
            named,
            units=units,
            by_unit={} if units is None else _counts_by_unit(matched, tables, self.every),
        )
        return found, matched[WHOLE]

    def _of_nodes(self, pairs: Pairs) -> tuple[ScoredBatch, Alignment]:
        """Count mentions that are more than spans; also returns them all, aligned."""
        from corefscore.scoring.corefud import counts, matched

        if self.names is not None:
            from corefscore.matching.named import names_of

            names_of(pairs.key)  # raises an error, since the format has none
        rules = self.settings.rules.settled(nodes=True)
        alignment, about = matched(pairs, rules)
        if pairs.key.kinds is not None:
            from corefscore.scoring.kinds.labels import with_numbers

            alignment = with_numbers(alignment, pairs)
        of_metrics, copies = counts(alignment, self.every, rules)
        found = ScoredBatch(
            pairs.key.names,
            pairs.key.files,
            of_metrics,
            {WHOLE: Shown(copies, {}, [pairs] if self.keep_pairs else [])},
            common=None if len(alignment.aligned[0]) else common(pairs, ()),
            nodes=about,
        )
        return found, alignment

    def _of_kinds(self, found: ScoredBatch, matched: Matched | Alignment, of: Of) -> ScoredBatch:
        """Replace the counts by those of the one kind of mentions that is scored, or add those of each kind of a
        division."""
        if self.settings.unit is not None:
            raise UsageError(f"--unit {self.settings.unit}: scores of kinds (--of) have no units within documents")
        from corefscore.scoring.kinds.labels import counts_of_kinds

        kinds = counts_of_kinds(matched, self.every, of)
        if of.division:
            return found._replace(kinds=kinds)
        (counts,) = kinds.values()
        shown = found.mention_sets[WHOLE]._replace(key_copies=counts[MENTIONS][:, 0, 1])
        return found._replace(counts=counts, mention_sets={WHOLE: shown})


def _numbered(pairs: Pairs, units: Units | None) -> Matched:
    """Assign numbers to the mentions of equal spans, with their units and kinds, if there are any."""
    matched = exact(pairs.key, pairs.response)
    if units is not None:
        matched = units.rows(matched, pairs)
    if pairs.key.kinds is None:
        return matched
    from corefscore.scoring.kinds.labels import with_numbers

    return with_numbers(matched, pairs)


def _counts_by_unit(
    matched: Mapping[str, Matched], tables: Mapping[str, Overlap], metrics: Sequence[Metric]
) -> dict[str, Floats]:
    """Count additive metrics in each unit (`corefscore.matching.units`)."""
    of_units = {view: by_units(mentions, tables[view]) for view, mentions in matched.items()}
    found = {}
    for metric in metrics:
        if metric.additive:
            recall, precision = (_counts(metric, table) for table in of_units[metric.view])
            found[metric.name] = np.concatenate([recall[..., :2], precision[..., 2:]], axis=-1)
    return found


_LARGEST = 2**53
"""The limit of counts: larger floats do not represent every whole number, and much larger ones have no percentage."""


def _counts(metric: Metric, table: Overlap) -> Floats:
    """Return the counts of a metric. Raises `UsageError` with its name if a metric of another package fails or does not
    return finite numbers.
    """
    if metric.name in (*NAMES, MENTIONS):
        return packed(metric.count(table))
    try:
        counts = packed(metric.count(table))
    except Exception as error:
        raise UsageError(f"{described(metric)} failed: {type(error).__name__}: {error}") from error
    shape = len(table.cells.distinct.spans), metric.width, 4
    if counts.shape != shape:
        found = f"counts of the shape {counts.shape}"
    elif counts.dtype.kind not in "biuf":
        found = f"counts of the type {counts.dtype}"
    elif not np.isfinite(counts).all():
        found = "counts that are infinite or not a number"
    elif np.abs(counts).max(initial=0) > _LARGEST:
        found = f"counts beyond {_LARGEST}"
    else:
        return counts.astype(np.float64)
    raise UsageError(
        f"{described(metric)} returned {found}; expected finite numbers of the shape {shape}: documents, measures that "
        "are not combined, and numerator and denominator of recall and of precision"
    )
