"""From batches of documents of both sides to counts per document: the stages of scoring in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.documents import KEY, RESPONSE, Documents, joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.names import NameOptions
from corefscore.formats import BY_CONTENT
from corefscore.formats.base import Reading
from corefscore.matching.common import common
from corefscore.matching.matched import Matched, exact, of_both, without_singletons
from corefscore.matching.pairing import Pairs, pair
from corefscore.matching.repeats import treat
from corefscore.metrics import MENTIONS, NAMES, described
from corefscore.metrics.base import NAMED, NODES, WHOLE, Metric, names_asked, packed
from corefscore.metrics.overlap import Overlap, by_units, overlap
from corefscore.scoring.batches import BatchCounts, BatchNotes, Counted, counted_metrics
from corefscore.scoring.settings import Settings

if TYPE_CHECKING:
    from corefscore.matching.mentions import Alignment
    from corefscore.matching.named import SideNames
    from corefscore.matching.text.projection import Projection
    from corefscore.matching.units import Units
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
) -> list[Counted]:
    """Count two sides, given as batches of documents; `corefscore.scoring.batches.result_of` makes a result of them.

    ``settings`` say what to score and how. Oddities are added to ``notices``. ``keep_pairs`` keeps the documents, for
    layouts that list mentions. ``reading`` says whether and how words of the response are found in the key.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    _, key = _begun(key)
    key, response, text = on_key(key, response, reading, notices)
    names = names_asked(metrics, settings.own)
    if names is not None and names.estimate_key:
        from corefscore.matching.named import estimated

        key = (estimated(batch, names) for batch in key)
    of = kinds_asked(metrics, settings)
    if of is not None and of.needs_files:  # files are read again for each batch
        key, response = _in_one_batch(key), _in_one_batch(response)
    kinds: set[bool] = set()

    def counted() -> Iterator[Counted]:
        for pairs in pair(_seen(key, kinds), _seen(response, kinds), notices, settings.document):
            if len(kinds) > 1:
                raise UsageError(
                    "one side is CorefUD and the other is not, and mentions with heads cannot be compared with spans; "
                    "bring both into one format with corefscore convert, or score with --align, which finds words and "
                    "heads in the key"
                )
            notes, mention_sets = _matched(_with_kinds(pairs, of, reading), names, settings, keep_pairs=keep_pairs)
            yield notes, _batch_counts(mention_sets, metrics, settings)

    batches = list(counted())
    if text is not None:
        batches = [(notes._replace(fidelity=text.fidelity.take(notes.names)), counts) for notes, counts in batches]
    return batches


def kinds_asked(metrics: Sequence[Metric], settings: Settings) -> Of | None:
    """The kinds of mentions to score, if any. Raises `UsageError` for a metric that cannot be restricted to kinds."""
    if settings.rules.of is None:
        return None
    from corefscore.scoring.kinds.labels import refuse_without_terms
    from corefscore.scoring.kinds.options import of

    refuse_without_terms(metrics)
    return of(settings.rules.of)


def _with_kinds(pairs: Pairs, of: Of | None, reading: Reading) -> Pairs:
    """The same pairs, with the kinds of their mentions if these are scored."""
    if of is None:
        return pairs
    from corefscore.scoring.kinds.labels import with_kinds

    return with_kinds(pairs, of, reading)


def _in_one_batch(batches: Iterator[Documents]) -> Iterator[Documents]:
    """All batches as one, or none if there are none."""
    every = list(batches)
    return iter([joined(every)] if every else ())


def on_key(
    key: Iterator[Documents], response: Iterator[Documents], reading: Reading, notices: list[Finding]
) -> tuple[Iterator[Documents], Iterator[Documents], Projection | None]:
    """Both sides; if words of the response have to be found in the key, its documents on the tokens of the key, and
    how they were found. Raises as `corefscore.matching.text.projection.placed` does."""
    first, response = _begun(response)
    if first is None or not (reading.align or first.own_text):
        return key, response, None
    from corefscore.matching.text.projection import placed

    # The tokens of the key are used even if they are pieces of a text.
    key_batches = [replace(batch, characters=None) for batch in key]
    found = placed(key_batches, list(response), reading, notices)
    return iter(key_batches), iter([found.response]), found


def _begun(batches: Iterator[Documents]) -> tuple[Documents | None, Iterator[Documents]]:
    """The first batch, if there is one, and all batches."""
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)


def _seen(batches: Iterator[Documents], kinds: set[bool]) -> Iterator[Documents]:
    """The same batches; whether their mentions are more than spans is added to ``kinds``."""
    for batch in batches:
        kinds.add(batch.nodes is not None)
        yield batch


_Views = Mapping[str, "Matched | Alignment"]
"""The mentions of a batch that count, by view (`corefscore.metrics.base.VIEWS`)."""


def count(pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False) -> Counted:
    """A batch of pairs after counting: match mentions, treat repeats, make the overlap table, count every metric."""
    pairs = _with_kinds(pairs, kinds_asked(metrics, settings), BY_CONTENT)
    notes, mention_sets = _matched(pairs, names_asked(metrics, settings.own), settings, keep_pairs=keep_pairs)
    return notes, _batch_counts(mention_sets, metrics, settings)


def _matched(
    pairs: Pairs, names: NameOptions | None, settings: Settings, *, keep_pairs: bool
) -> tuple[BatchNotes, _Views]:
    """Match mentions and treat repeats in every view of the metrics, of windows if there are any.

    In every view the order of all mentions decides how repeats are treated.
    """
    if settings.rules.window is not None:
        from corefscore.matching.windows import cut

        whole_names = pairs.key.names
        pairs, windows = cut(pairs, settings.rules.window)
        settings = replace(settings, rules=replace(settings.rules, window=None))
        notes, mention_sets = _matched(pairs, names, settings, keep_pairs=keep_pairs)
        return notes._replace(names=whole_names, windows=windows), mention_sets
    units: Units | None = None
    if settings.unit is not None:
        from corefscore.matching.units import units_of

        units = units_of(pairs, settings.unit)
    if pairs.key.nodes is not None or pairs.response.nodes is not None:
        return _aligned(pairs, names, settings, keep_pairs=keep_pairs)
    of_views = {WHOLE: pairs}
    named: Sequence[SideNames] = ()
    if names is not None:
        from corefscore.matching.named import names_of_side, reduced

        of_views[NAMED] = reduced(pairs, names)
        named = [names_of_side(pairs.key, names, KEY), names_of_side(pairs.response, names, RESPONSE)]
    treated = {
        view: treat(_exact(of_view, units), of_view, settings.rules.treated) for view, of_view in of_views.items()
    }
    matched = {view: of_view.matched for view, of_view in treated.items()}
    whole = treated[WHOLE]
    notes = BatchNotes(
        pairs.key.names,
        pairs.key.files,
        {view: of_view.messages for view, of_view in treated.items()},
        of_views if keep_pairs else {},
        whole.dropped,
        whole.repeats,
        common(pairs, list(matched.values())),
        named,
        units=units,
    )
    if names is not None:
        # As if the file had no other mentions, since sums are added in this order.
        matched[NAMED] = matched[NAMED].in_text_order()
    return notes, matched


def _exact(pairs: Pairs, units: Units | None) -> Matched:
    """Mentions of equal spans as numbers, with their units and kinds, if there are any."""
    matched = exact(pairs.key, pairs.response)
    if units is not None:
        matched = units.rows(matched, pairs)
    if pairs.key.kinds is None:
        return matched
    from corefscore.scoring.kinds.labels import with_numbers

    return with_numbers(matched, pairs)


def _aligned(
    pairs: Pairs, names: NameOptions | None, settings: Settings, *, keep_pairs: bool
) -> tuple[BatchNotes, _Views]:
    """`_matched` for mentions that are more than spans."""
    from corefscore.scoring.corefud import matched as aligned

    if names is not None:
        from corefscore.matching.named import names_of

        names_of(pairs.key, names)  # raises an error, since the format has none
    alignment, about = aligned(pairs, settings.rules.settled(nodes=True))
    if pairs.key.kinds is not None:
        from corefscore.scoring.kinds.labels import with_numbers

        alignment = with_numbers(alignment, pairs)
    notes = BatchNotes(
        pairs.key.names,
        pairs.key.files,
        {WHOLE: {}},
        {WHOLE: pairs} if keep_pairs else {},
        (),
        (),
        None if len(alignment.aligned[0]) else common(pairs, ()),
        nodes=about,
    )
    return notes, {WHOLE: alignment}


def _batch_counts(mention_sets: _Views, metrics: Sequence[Metric], settings: Settings) -> BatchCounts:
    """Make the overlap tables and count every metric in its view.

    Raises `UsageError` for a metric that counts words of mentions if these are spans.
    """
    whole = mention_sets[WHOLE]
    every = counted_metrics(metrics, settings)
    if not isinstance(whole, Matched):
        from corefscore.scoring.corefud import counts

        rules = settings.rules.settled(nodes=True)
        found, copies = counts(whole, every, rules)
        return _of_kinds(BatchCounts(found, {WHOLE: copies}), whole, metrics, settings)
    for metric in metrics:
        if metric.view == NODES:
            raise UsageError(
                f"the metric {metric.name} is for CorefUD, and these files are not CorefUD; name other metrics, "
                "such as every instead of corefud"
            )
    rules = settings.rules.settled(nodes=False)
    matched = {
        view: without_singletons(of_both(mentions, rules.mentions), rules.singletons)
        for view, mentions in mention_sets.items()
        if isinstance(mentions, Matched)
    }
    overlaps = {view: overlap(mentions) for view, mentions in matched.items()}
    batch = BatchCounts(
        {metric.name: _counts(metric, overlaps[metric.view]) for metric in every},
        {view: table.key.total(table.key.size) for view, table in overlaps.items()},
        by_unit={} if settings.unit is None else _counts_by_unit(matched, overlaps, every),
    )
    return _of_kinds(batch, matched[WHOLE], metrics, settings)


def _of_kinds(
    batch: BatchCounts, whole: Matched | Alignment, metrics: Sequence[Metric], settings: Settings
) -> BatchCounts:
    """The counts of the one kind of mentions that is scored, or of all mentions and of each kind of a division; the
    same counts if no kinds are scored."""
    of = kinds_asked(metrics, settings)
    if of is None:
        return batch
    if settings.unit is not None:
        raise UsageError(f"--unit {settings.unit}: scores of kinds (--of) have no units within documents")
    from corefscore.scoring.kinds.labels import counts_of_kinds

    kinds = counts_of_kinds(whole, counted_metrics(metrics, settings), of)
    if of.division:
        return batch._replace(kinds=kinds)
    (counts,) = kinds.values()
    return batch._replace(counts=counts, key_copies={WHOLE: counts[MENTIONS][:, 0, 1]})


def _counts_by_unit(
    matched: Mapping[str, Matched], overlaps: Mapping[str, Overlap], metrics: Sequence[Metric]
) -> dict[str, Floats]:
    """The counts of additive metrics in each unit (`corefscore.matching.units`)."""
    tables = {view: by_units(mentions, overlaps[view]) for view, mentions in matched.items()}
    found = {}
    for metric in metrics:
        if metric.additive:
            recall, precision = (_counts(metric, table) for table in tables[metric.view])
            found[metric.name] = np.concatenate([recall[..., :2], precision[..., 2:]], axis=-1)
    return found


_LARGEST = 2**53
"""The limit of counts: larger floats do not represent every whole number, and much larger ones have no percentage."""


def _counts(metric: Metric, table: Overlap) -> Floats:
    """The counts of a metric. Raises `UsageError` with its name if a metric of another package fails or does not return
    finite numbers."""
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
