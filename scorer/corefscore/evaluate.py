"""From batches of documents of both sides to counts per document: the stages one after another."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from corefscore.alignment.common import SHARED, Common, common, nothing_in_common, other_columns
from corefscore.alignment.matching import Matched, exact, of_both, without_singletons
from corefscore.alignment.pairing import Pairs, pair
from corefscore.alignment.repeats import Repeat, describe, once, refuse_too_many, treat
from corefscore.checking.findings import Finding
from corefscore.documents.arrays import Floats, in_a_row
from corefscore.documents.model import KEY, RESPONSE, Documents
from corefscore.documents.model import joined as joined_documents
from corefscore.errors import UsageError
from corefscore.formats import BY_CONTENT
from corefscore.formats.row import Reading
from corefscore.metrics import LINKED, MENTIONS, NAMES, described, find, select
from corefscore.metrics.counts import packed
from corefscore.metrics.overlap import Overlap, by_units, overlap
from corefscore.metrics.row import NAMED, NODES, WHOLE, Metric, names_asked
from corefscore.names.options import NameOptions
from corefscore.results import Result, Shown, UnitCounts
from corefscore.settings import Settings
from corefscore.work.workers import Map, beside

if TYPE_CHECKING:
    from corefscore.alignment.mentions import Alignment
    from corefscore.alignment.nodes import About
    from corefscore.alignment.text.fidelity import Fidelity
    from corefscore.alignment.text.placing import Placed
    from corefscore.alignment.units import Units
    from corefscore.alignment.windows import Windows
    from corefscore.kinds.options import Of
    from corefscore.names.mentions import Held


def evaluate(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    settings: Settings,
    notices: list[Finding],
    *,
    keep_pairs: bool = False,
    apply: Map = map,
    reading: Reading = BY_CONTENT,
) -> Result:
    """Score two sides, given as batches of documents.

    ``settings`` say what to score and how; what is odd is added to ``notices``, which are part of the result.
    ``keep_pairs`` keeps the documents themselves, for layouts that list mentions. ``apply`` is who counts
    (`corefscore.work.workers`). ``reading`` tells whether and how words of the response are found in the key.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    batches = count_batches(
        key, response, metrics, settings, notices, keep_pairs=keep_pairs, apply=apply, reading=reading
    )
    return joined(batches, metrics, settings, notices)


def count_batches(
    key: Iterator[Documents],
    response: Iterator[Documents],
    metrics: Sequence[Metric],
    settings: Settings,
    notices: list[Finding],
    *,
    keep_pairs: bool = False,
    apply: Map = map,
    reading: Reading = BY_CONTENT,
) -> list[tuple[Part, BatchCounts]]:
    """`evaluate` up to the counts of its batches, for `joined`."""
    (_, key), (_, response) = map(_begun, (key, response))
    key, response, text = on_key(key, response, reading, notices)
    fidelity = None if text is None else text.fidelity
    how = names_asked(metrics, settings.own)
    if how is not None and how.estimate:
        from corefscore.names.estimate import estimated

        key = (estimated(batch, how) for batch in key)
    of = kinds_asked(metrics, settings)
    if of is not None and of.needs_files:  # which are read once more, for each batch
        key, response = _in_one_batch(key), _in_one_batch(response)
    kinds: set[bool] = set()

    def matched() -> Iterator[tuple[Part, Views]]:
        for pairs in pair(_seen(key, kinds), _seen(response, kinds), notices, settings.document):
            _refuse_two_kinds(kinds)
            yield _matched(_with_kinds(pairs, of, reading), how, settings, keep_pairs=keep_pairs)

    # All that crosses to other processes are columns and names.
    batches = list(beside(apply, partial(_counts_by_name, settings=settings), matched()))
    if fidelity is not None:
        batches = [(part._replace(fidelity=fidelity.take(part.names)), counts) for part, counts in batches]
    return batches


def kinds_asked(metrics: Sequence[Metric], settings: Settings) -> Of | None:
    """What is asked of kinds of mentions. Raises `UsageError` for a metric that has none."""
    if settings.rules.of is None:
        return None
    from corefscore.kinds.counts import refuse_without_terms
    from corefscore.kinds.options import of

    refuse_without_terms(metrics)
    return of(settings.rules.of)


def _with_kinds(pairs: Pairs, of: Of | None, reading: Reading) -> Pairs:
    """The same pairs, with the kinds of their mentions where these are asked for."""
    if of is None:
        return pairs
    from corefscore.kinds.labels import with_kinds

    return with_kinds(pairs, of, reading)


def _in_one_batch(batches: Iterator[Documents]) -> Iterator[Documents]:
    held = list(batches)
    return iter([joined_documents(held)] if held else ())


def on_key(
    key: Iterator[Documents], response: Iterator[Documents], reading: Reading, notices: list[Finding]
) -> tuple[Iterator[Documents], Iterator[Documents], Placed | None]:
    """Both sides, and where words of the response have to be found in the key, what came of that: its documents then
    are on the tokens of the key. Raises as `corefscore.alignment.text.placing.placed` does."""
    first, response = _begun(response)
    if first is None or not (reading.align or first.own_text):
        return key, response, None
    from corefscore.alignment.text.placing import placed

    # The response comes onto the tokens that the key has, even if these are pieces of a text.
    held = [replace(batch, characters=None) for batch in key]
    found = placed(held, list(response), reading, notices)
    return iter(held), iter([found.response]), found


def _begun(batches: Iterator[Documents]) -> tuple[Documents | None, Iterator[Documents]]:
    """The first batch, if there is one, and all of them."""
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)


def _seen(batches: Iterator[Documents], kinds: set[bool]) -> Iterator[Documents]:
    """The same batches; whether mentions are more than spans there is added to ``kinds``."""
    for batch in batches:
        kinds.add(batch.nodes is not None)
        yield batch


def _refuse_two_kinds(kinds: Collection[bool]) -> None:
    """Raise `UsageError` where mentions are more than spans on one side only."""
    if len(kinds) > 1:
        raise UsageError(
            "one side is CorefUD and the other is not; mentions with heads cannot be compared with spans; give both in "
            "one format, or with --align find the words of the response in the key and its heads in the tree of the key"
        )


Views = Mapping[str, "Matched | Alignment"]
"""The mentions of a batch that count, by view (`corefscore.metrics.row.VIEWS`)."""


class Part(NamedTuple):
    """What there is to tell of one batch of pairs besides its counts: by view the messages about repeats, and the pairs
    where they are kept; the spans of which copies were dropped, and all that have copies; what both sides have in
    common; where names were read, what each side holds; where mentions are more than spans, what is odd in them; and
    where words of the response had to be found in the key, how far its text is that of the key."""

    names: Sequence[str]
    files: Sequence[str]
    messages: Mapping[str, Mapping[int, Sequence[str]]]
    pairs: Mapping[str, Pairs]
    dropped: Sequence[Repeat]
    repeats: Sequence[Repeat]
    common: Common
    held: Sequence[Held]
    nodes: About | None = None
    fidelity: Fidelity | None = None
    windows: Windows | None = None
    units: Units | None = None

    @property
    def counted_names(self) -> Sequence[str]:
        """The names of what was counted: documents, or their windows."""
        return self.names if self.windows is None else self.windows.named(self.names)


class BatchCounts(NamedTuple):
    """What is counted in one batch of pairs: counts by metric, each with one row a document, by view the key mentions
    of each document with copies, and the counts of the kinds of a division; and counts with one row a unit, where these
    are asked for."""

    counts: Mapping[str, Floats]
    key_copies: Mapping[str, Floats]
    kinds: Mapping[str, Mapping[str, Floats]] = {}
    by_unit: Mapping[str, Floats] = {}


def count(
    pairs: Pairs, metrics: Sequence[Metric], settings: Settings, *, keep_pairs: bool = False
) -> tuple[Part, BatchCounts]:
    """Count a batch of pairs: match mentions, treat repeats, lay out the overlap, ask every metric."""
    of = kinds_asked(metrics, settings)
    pairs = _with_kinds(pairs, of, BY_CONTENT)
    part, views = _matched(pairs, names_asked(metrics, settings.own), settings, keep_pairs=keep_pairs)
    return part, _batch_counts(views, metrics, settings)


def _matched(pairs: Pairs, how: NameOptions | None, settings: Settings, *, keep_pairs: bool) -> tuple[Part, Views]:
    """Match mentions and treat repeats, in every view that metrics ask for; of windows where there are any.

    In all of them, repeats are decided by the order of all mentions.
    """
    if settings.rules.window is not None:
        from corefscore.alignment.windows import cut

        whole_names = pairs.key.names
        pairs, windows = cut(pairs, settings.rules.window)
        settings = replace(settings, rules=settings.rules._replace(window=None))
        part, of_windows = _matched(pairs, how, settings, keep_pairs=keep_pairs)
        return part._replace(names=whole_names, windows=windows), of_windows
    units: Units | None = None
    if settings.unit is not None:
        from corefscore.alignment.units import units_of

        units = units_of(pairs, settings.unit)
    if pairs.key.nodes is not None or pairs.response.nodes is not None:
        return _aligned(pairs, how, settings, keep_pairs=keep_pairs)
    of_views = {WHOLE: pairs}
    held: Sequence[Held] = ()
    if how is not None:
        from corefscore.names.mentions import cut_down, held_by

        of_views[NAMED] = cut_down(pairs, how)
        held = [held_by(pairs.key, how, KEY), held_by(pairs.response, how, RESPONSE)]
    way = settings.rules.treated
    treated = {view: treat(_exact(its, units), its, way) for view, its in of_views.items()}
    messages = {view: its.messages for view, its in treated.items()}
    whole = treated[WHOLE]
    shared = common(pairs, [its.matched for its in treated.values()])
    kept = of_views if keep_pairs else {}
    part = Part(
        *(pairs.key.names, pairs.key.files, messages, kept, whole.dropped, whole.repeats, shared, held), units=units
    )
    views = {view: its.matched for view, its in treated.items()}
    if how is not None:
        # As if the mentions left were all that a file holds: sums are added in this order.
        views[NAMED] = views[NAMED].in_text_order()
    return part, views


def _exact(pairs: Pairs, units: Units | None) -> Matched:
    """Mentions of equal spans as numbers, with their units and kinds if these are asked for."""
    matched = exact(pairs.key, pairs.response)
    if units is not None:
        matched = units.rows(matched, pairs)
    if pairs.key.kinds is None or pairs.response.kinds is None:
        return matched
    from corefscore.kinds.counts import by_number

    sides = (pairs.key.kinds, matched.key.number), (pairs.response.kinds, matched.response.number)
    key, response = (by_number(kinds, number, np.arange(len(number)), len(matched.document)) for kinds, number in sides)
    return matched._replace(kinds=(key, response))


def _aligned(pairs: Pairs, how: NameOptions | None, settings: Settings, *, keep_pairs: bool) -> tuple[Part, Views]:
    """The same where mentions are more than spans."""
    from corefscore.alignment.nodes import matched as aligned

    if how is not None:
        from corefscore.names.mentions import names_of

        names_of(pairs.key, how)  # refuses what has none
    alignment, about = aligned(pairs, settings.rules.settled(nodes=True))
    if pairs.key.kinds is not None and pairs.response.kinds is not None:
        from corefscore.kinds.counts import by_number

        sides = (pairs.key.kinds, alignment.key), (pairs.response.kinds, alignment.response)
        key, response = (
            by_number(kinds, its.side.number, its.mention, len(alignment.document)) for kinds, its in sides
        )
        alignment = alignment._replace(kinds=(key, response))
    shared = SHARED if len(alignment.aligned[0]) else common(pairs, ())
    part = Part(
        pairs.key.names, pairs.key.files, {WHOLE: {}}, {WHOLE: pairs} if keep_pairs else {}, (), (), shared, (), about
    )
    return part, {WHOLE: alignment}


def _batch_counts(views: Views, metrics: Sequence[Metric], settings: Settings) -> BatchCounts:
    """Lay out the overlap, ask every metric about its view.

    Raises `UsageError` for a metric that counts words of mentions where these are spans.
    """
    whole = views[WHOLE]
    every = _every(metrics, settings)
    if not isinstance(whole, Matched):
        from corefscore.alignment.nodes import counts

        rules = settings.rules.settled(nodes=True)
        found, copies = counts(whole, every, rules, partial(_own, settings=settings))
        return _of_kinds(BatchCounts(found, {WHOLE: copies}), whole, metrics, settings)
    for metric in metrics:
        if metric.view == NODES:
            raise UsageError(f"the metric {metric.name} needs the words and heads of mentions, which only CorefUD has")
    rules = settings.rules.settled(nodes=False)
    matched = {
        view: without_singletons(of_both(its, rules.mentions), rules.singletons)
        for view, its in views.items()
        if isinstance(its, Matched)
    }
    overlaps = {view: overlap(its) for view, its in matched.items()}
    counted = BatchCounts(
        {metric.name: _counts(metric, overlaps[metric.view], settings) for metric in every},
        {view: its.key.total(its.key.size) for view, its in overlaps.items()},
        by_unit={} if settings.unit is None else _counts_by_unit(matched, overlaps, every, settings),
    )
    return _of_kinds(counted, matched[WHOLE], metrics, settings)


def _of_kinds(
    counted: BatchCounts, whole: Matched | Alignment, metrics: Sequence[Metric], settings: Settings
) -> BatchCounts:
    """The counts of the one kind of mentions that is asked for, or of all mentions with those of each kind; as they are
    where no kind is asked for."""
    of = kinds_asked(metrics, settings)
    if of is None:
        return counted
    if settings.unit is not None:
        raise UsageError(f"--unit {settings.unit}: scores of kinds (--of) have no units within documents")
    from corefscore.kinds.counts import counts_of_kinds

    kinds = counts_of_kinds(whole, _every(metrics, settings), of, partial(_own, settings=settings))
    if of.division:
        return counted._replace(kinds=kinds)
    (counts,) = kinds.values()
    return counted._replace(counts=counts, key_copies={WHOLE: counts[MENTIONS][:, 0, 1]})


def _counts_by_unit(
    matched: Mapping[str, Matched], overlaps: Mapping[str, Overlap], metrics: Sequence[Metric], settings: Settings
) -> dict[str, Floats]:
    """What additive metrics count in each unit (`corefscore.alignment.units`)."""
    tables = {view: by_units(its, overlaps[view]) for view, its in matched.items()}
    found = {}
    for metric in metrics:
        if metric.additive:
            recall, precision = (_counts(metric, table, settings) for table in tables[metric.view])
            found[metric.name] = np.concatenate([recall[..., :2], precision[..., 2:]], axis=-1)
    return found


def _counts_by_name(views: Views, settings: Settings) -> BatchCounts:
    """The same in any process, which has to find the metrics by itself."""
    return _batch_counts(views, select(",".join(settings.metrics)) if settings.metrics else (), settings)


def joined(
    batches: Sequence[tuple[Part, BatchCounts]], metrics: Sequence[Metric], settings: Settings, notices: list[Finding]
) -> Result:
    """All batches in their order as one result, summed once: sums of parts would move the last bit.

    Raises `InputError` where too many repeated mentions were dropped (`corefscore.alignment.repeats.refuse_too_many`),
    and where names are asked for and there are none (`corefscore.names.mentions.about_names`).
    """
    if not batches:
        raise UsageError("there is no document to score: the key is empty")
    parts = [part for part, _ in batches]
    dropped = [repeat for part in parts for repeat in part.dropped]
    nodes = [part.nodes for part in parts if part.nodes is not None]
    rules = settings.rules.settled(nodes=bool(nodes))
    settings = replace(settings, rules=rules)
    if nodes:
        from corefscore.alignment.nodes import notices as odd

        notices += odd(nodes)
    if rules.repeated == "official":
        refuse_too_many(dropped)
        notices += describe("repeated-mention", once([repeat for part in parts for repeat in part.repeats]))
    else:
        notices += describe("dropped-repeat", once(dropped))
    cuts = [part.windows for part in parts if part.windows is not None]
    if cuts:
        from corefscore.alignment.windows import told

        notices += told(cuts)
    notices += [notice for part in parts if part.units is not None for notice in part.units.crossing]
    alike = [part.common for part in parts]
    notices += [*nothing_in_common(alike), *(() if nodes else other_columns(alike))]
    views = {view: _shown(batches, view) for view in parts[0].messages}
    how = names_asked(metrics, settings.own)
    if how is not None:
        from corefscore.names.mentions import about_mentions, about_names

        held = [part.held for part in parts]
        notices += about_names(held, how)
        named = bool(views[NAMED].key_copies.any())
        notices += about_mentions(held, how, named=named, singletons=rules.singletons != "drop")
    every = tuple(metric.by(rules.definitions) for metric in _every(metrics, settings))
    counts = {metric.name: in_a_row([its.counts[metric.name] for _, its in batches]) for metric in every}
    if rules.of is not None and not any(its.kinds for _, its in batches):
        from corefscore.kinds.counts import nothing_to_count

        notices += nothing_to_count(rules.of, every, counts, parts[0].files)
    return Result(
        [metric.given(settings.own) for metric in every],
        [name for part in parts for name in part.counted_names],
        counts,
        settings,
        tuple(notices),
        views,
        [name for part in parts for name in part.files],
        _fidelity(parts),
        _kinds(batches, list(counts)),
        _by_unit(batches),
    )


def _kinds(batches: Sequence[tuple[Part, BatchCounts]], metrics: Sequence[str]) -> dict[str, dict[str, Floats]]:
    """The counts of the kinds of a division, of all batches; a kind that a batch does not have counts nothing there."""
    nothing = [{metric: np.zeros_like(its.counts[metric]) for metric in metrics} for _, its in batches]
    return {
        kind: {
            metric: in_a_row(
                [its.kinds.get(kind, none)[metric] for (_, its), none in zip(batches, nothing, strict=True)]
            )
            for metric in metrics
        }
        for kind in dict.fromkeys(kind for _, its in batches for kind in its.kinds)
    }


def _by_unit(batches: Sequence[tuple[Part, BatchCounts]]) -> UnitCounts | None:
    """The counts of the units of all batches; None where they are not asked for."""
    if any(part.units is None for part, _ in batches):
        return None
    names: list[str] = []
    documents: list[int] = []
    before = 0
    for part, _ in batches:
        if part.units is not None:
            names += part.units.names
            documents += (before + part.units.document).tolist()
        before += len(part.counted_names)
    counts = {name: in_a_row([its.by_unit[name] for _, its in batches]) for name in batches[0][1].by_unit}
    return UnitCounts(names, np.array(documents, dtype=np.int64), counts)


def _fidelity(parts: Sequence[Part]) -> Fidelity | None:
    """The fidelity of all batches; None where no text had to be found in the key."""
    if all(part.fidelity is None for part in parts):
        return None
    from corefscore.alignment.text.fidelity import of_all

    return of_all([(part.names, part.fidelity) for part in parts])


def _shown(batches: Sequence[tuple[Part, BatchCounts]], view: str) -> Shown:
    """What the official layout tells of the documents of all batches, as one view has them."""
    messages = {}
    before = 0
    for part, _ in batches:
        messages.update({before + document: lines for document, lines in part.messages[view].items()})
        before += len(part.counted_names)
    copies = in_a_row([its.key_copies[view] for _, its in batches])
    return Shown(copies, messages, [part.pairs[view] for part, _ in batches if part.pairs])


def _every(metrics: Sequence[Metric], settings: Settings) -> tuple[Metric, ...]:
    """The metrics that are counted: mention identification, where kinds of mentions are asked for linking, and those
    that are asked for."""
    linked = (find(LINKED),) if settings.rules.of is not None else ()
    return tuple(dict.fromkeys((find(MENTIONS), *linked, *metrics)))


LARGEST = 2**53
"""Beyond this a float does not hold every whole number; much larger ones have no percentage."""


def _counts(metric: Metric, table: Overlap, settings: Settings) -> Floats:
    """What a metric counts. Raises `UsageError` that names it for one from outside that fails or counts no numbers."""
    if metric.name in (*NAMES, MENTIONS):
        return packed(metric.count(table, **_own(metric, settings)))
    try:
        counted = packed(metric.count(table, **_own(metric, settings)))
    except Exception as error:
        raise UsageError(f"{described(metric)} failed: {type(error).__name__}: {error}") from error
    shape = len(table.cells.distinct.spans), sum(measure.combine is None for measure in metric.measures), 4
    if counted.shape != shape:
        found = f"counts of the shape {counted.shape}"
    elif counted.dtype.kind not in "biuf":
        found = f"counts of the type {counted.dtype}"
    elif not np.isfinite(counted).all():
        found = "counts that are infinite or not a number"
    elif np.abs(counted).max(initial=0) > LARGEST:
        found = f"counts beyond {LARGEST}"
    else:
        return counted.astype(np.float64)
    raise UsageError(
        f"{described(metric)} returned {found}; expected finite numbers of the shape {shape}: documents, measures that "
        "are not combined, and numerator and denominator of recall and of precision"
    )


def _own(metric: Metric, settings: Settings) -> dict[str, Any]:
    """The values of a metric's own options."""
    keywords = (option.keyword for option in metric.options)
    return {keyword: settings.own[keyword] for keyword in keywords if keyword in settings.own}
