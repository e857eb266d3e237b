"""From batches of documents of both sides to the result: the stages of scoring in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from corefscore.core.arrays import Floats, Ints
from corefscore.core.documents import KEY, RESPONSE, Documents, Place, Unread, digits_of, joined, worded
from corefscore.core.errors import UsageError
from corefscore.core.findings import MOST, SHOWN, Finding, plural
from corefscore.core.records import NamedTuple, replace
from corefscore.formats import Reading
from corefscore.matching.matched import (
    FEW,
    MATCHING,
    NO_PLACES,
    REPEATED,
    SEARCHES,
    SURE,
    Matched,
    Repeat,
    describe,
    distinct,
    match_spans,
    refusal,
    select_mentions,
    too_many,
    treat_repeats,
)
from corefscore.matching.matched import MENTIONS as COUNTED_MENTIONS
from corefscore.matching.pairing import Pairing, Pairs, peek
from corefscore.matching.text.fidelity import of_all
from corefscore.metrics import LINKED, MENTIONS, NAMES, blaming, find
from corefscore.metrics.base import NAMED, NODES, WHOLE, Metric, Overlap, by_units, overlap, packed
from corefscore.scoring.results import Listed, Result, UnitCounts
from corefscore.scoring.settings import COREFUD, SPANS, TASKS, Rules, Run, Settings

if TYPE_CHECKING:
    from corefscore.matching.common import Common
    from corefscore.matching.mentions import Alignment
    from corefscore.matching.named import SideNames
    from corefscore.matching.text.projection import Projection
    from corefscore.matching.units import Units, Windows
    from corefscore.scoring.corefud import About
    from corefscore.scoring.kinds.divisions import Of


class ScoredBatch(NamedTuple):
    """Everything about a scored batch of pairs.

    - ``names``, ``files``: of its documents in the key.
    - ``counts``: by metric, with one row a document.
    - ``mentions``: the counts of all mentions, with one row a document, whatever counts and however they are cut.
    - ``listed``: the data of the official layout, by view.
    - ``dropped``, ``repeats``: spans with dropped copies, and all spans with copies.
    - ``common``: what both sides have in common; None if they share a mention.
    - ``matches``: where mentions match, if at most half do (`corefscore.matching.common.places_of_matches`).
    - ``named``: the names of both sides, if a metric counts named mentions.
    - ``nodes``: oddities of mentions that are more than spans.
    - ``windows``, ``units``: windows of tokens and units within documents, if there are any.
    - ``by_unit``: the counts by metric, with one row a unit, if there are units.
    - ``kinds``: the counts by kind and metric, if a division is scored.
    - ``fidelity``: the counts of the fidelity of the text of the response, if its words had to be found in the key.
    - ``fingerprint``: of the documents of the key.
    - ``unread``: of either side, the fields or columns that are not read, with their places.
    - ``partial``: the notices about documents without the annotation by which kinds are known in the others.
    - ``same``, ``first``: the number of documents of at least `SURE` mentions that are scored as perfect, and the
      place, on either side, of the first of them; or of the first document, if there are none.
    """

    names: Sequence[str]
    files: Sequence[str]
    counts: Mapping[str, Floats]
    listed: Mapping[str, Listed]
    dropped: Sequence[Repeat] = ()
    repeats: Sequence[Repeat] = ()
    common: Common | None = None
    matches: Floats = NO_PLACES
    mentions: Floats = np.empty(0)
    named: Sequence[SideNames] = ()
    nodes: About | None = None
    windows: Windows | None = None
    units: Units | None = None
    by_unit: Mapping[str, Floats] = {}
    kinds: Mapping[str, Mapping[str, Floats]] = {}
    fidelity: Ints | None = None
    fingerprint: int = 0
    unread: tuple[Mapping[Unread, Place], Mapping[Unread, Place]] = ({}, {})
    partial: Sequence[Finding] = ()
    same: int = 0
    first: tuple[Place | None, Place | None] = (None, None)


def counted_metrics(metrics: Sequence[Metric], settings: Settings) -> tuple[Metric, ...]:
    """Return the metrics that are counted, with their options and definitions as in the settings: mention
    identification, for kinds of mentions also linking, and the given ones.
    """
    every = dict.fromkeys((find(MENTIONS), *([find(LINKED)] if settings.rules.of is not None else ()), *metrics))
    return tuple(metric.given(settings.own, settings.rules.definitions) for metric in every)


def count_batches(
    key: Iterator[Documents], response: Iterator[Documents], run: Run, notices: list[Finding], keep_pairs: bool = False
) -> list[ScoredBatch]:
    """Count two sides, given as batches of documents; `result_of` makes a result of them.

    Oddities are added to ``notices``. ``keep_pairs`` keeps the documents, for layouts that list mentions.

    Raises `InputError` for input that is refused, `UsageError` for an unknown document.
    """
    first_of_key, key = peek(key)
    key, response, text = on_key(key, response, run.reading, notices)
    first, response = peek(response)
    two_kinds = first_of_key and first and (first_of_key.nodes is None) != (first.nodes is None)
    del first_of_key, first
    if two_kinds:
        raise UsageError(
            "one side is CorefUD and the other is not, and mentions with heads cannot be compared with spans; bring "
            "both into one format with corefscore convert, or score with --align, which finds words and heads in the "
            "key"
        )
    batch_scorer = BatchScorer(run.metrics, run.settings, keep_pairs=keep_pairs)
    if (names := run.settings.names) is not None and names.estimate_key:
        from corefscore.matching.named import estimated

        key = (estimated(batch, names) for batch in key)
    if batch_scorer.of is not None and batch_scorer.of.needs_files:  # files are read again for each batch
        key, response = _in_one_batch(key), _in_one_batch(response)
    # By map, which holds no batch while it waits for the next.
    batches = list(map(batch_scorer.count, Pairing(key, response, notices, run.settings.document)))
    if text is not None:
        counts_of = dict(zip(text.fidelity.names, text.fidelity.counts, strict=True))
        batches = [batch._replace(fidelity=np.stack([counts_of[name] for name in batch.names])) for batch in batches]
    return batches


def on_key(
    key: Iterator[Documents], response: Iterator[Documents], reading: Reading, notices: list[Finding]
) -> tuple[Iterator[Documents], Iterator[Documents], Projection | None]:
    """Return both sides; if words of the response have to be found in the key, its documents on the tokens of the key,
    and how they were found. Raises as `corefscore.matching.text.projection.placed` does, and `UsageError` for an option
    about these words that changes nothing."""
    first, response = peek(response)
    if first is None or not (reading.align or first.own_text):
        if reading.pieces is not None:
            raise UsageError("--pieces is for tagged text, and for other responses with --align; leave it out")
        return key, response, None
    from corefscore.matching.text.projection import placed

    # The tokens of the key are used even if they are pieces of a text.
    key_batches = [replace(batch, characters=None) for batch in key]
    found = placed(key_batches, list(response), reading, notices)
    return iter(key_batches), iter([replace(found.response, unread=first.unread)]), found


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
        self.of: Of | None = None
        if settings.rules.of is not None:
            from corefscore.scoring.kinds.divisions import of

            for metric in metrics:
                if metric.terms is None:
                    raise UsageError(f"--of cannot be used with {metric.name}; name other metrics, such as lea")
            self.of = of(settings.rules.of)

    def count(self, pairs: Pairs) -> ScoredBatch:
        """Count a batch, or its windows if there are any."""
        names, rules = pairs.key.names, self.settings.rules
        counts_tokens = rules.window is not None or (rules.of or "").startswith("distance")
        key = pairs.fingerprint + pairs.cut * counts_tokens
        unread = pairs.key.unread, pairs.response.unread
        partial: list[Finding] = []
        if self.of is not None:
            from corefscore.scoring.kinds.divisions import with_kinds

            pairs, partial = with_kinds(pairs, self.of)
        windows: Windows | None = None
        if rules.window is not None:
            from corefscore.matching.units import cut

            pairs, windows = cut(pairs, rules.window)
        units: Units | None = None
        if self.settings.unit is not None:
            from corefscore.matching.units import units_of

            units = units_of(pairs, self.settings.unit)
        of_nodes = pairs.key.nodes is not None or pairs.response.nodes is not None
        found, matched = self._of_nodes(pairs) if of_nodes else self._of_spans(pairs, units)
        mentions = found.mentions if len(found.mentions) else found.counts[MENTIONS][:, 0]
        if not pairs.present.all():  # documents that are missing are reported by name
            mentions = mentions * pairs.present[:, None]
        if windows is not None:
            mentions = np.add.reduceat(mentions, np.flatnonzero(windows.begin == 0))
        if self.of is not None:
            found = self._of_kinds(found, pairs, matched, self.of)
        perfect = [(of[..., ::2] == of[..., 1::2]).all(axis=(1, 2)) for of in found.counts.values()]
        same = np.flatnonzero(np.logical_and.reduce([found.counts[MENTIONS][:, 0, 3] >= SURE, *perfect]))
        at = same[0] if len(same) else 0
        first = pairs.key.places[at], pairs.response.places[at]
        found = found._replace(names=names, mentions=mentions, same=len(same), first=first, partial=partial)
        return found._replace(fingerprint=key, windows=windows, unread=unread)

    def _of_spans(self, pairs: Pairs, units: Units | None) -> tuple[ScoredBatch, Matched]:
        """Count mentions that are spans; also returns them all, numbered.

        In every view the order of all mentions decides how repeats are treated. Raises `UsageError` for a metric that
        counts words of mentions.
        """
        of_views = {WHOLE: pairs}
        named: Sequence[SideNames] = ()
        if (names := self.settings.names) is not None:
            from corefscore.matching.named import names_of_side, reduced

            of_views[NAMED] = reduced(pairs, names)
            named = [names_of_side(pairs.key, names, KEY), names_of_side(pairs.response, names, RESPONSE)]
        rules = with_defaults(self.settings.rules, nodes=False)
        treated = {
            view: treat_repeats(match_spans(its.key, its.response), its, rules.repeated)
            for view, its in of_views.items()
        }
        matched = {view: of_view.matched for view, of_view in treated.items()}
        if names is not None:
            # As if the file had no other mentions, since sums are added in this order.
            matched[NAMED] = matched[NAMED].in_text_order()
        for metric in self.metrics:
            if metric.view == NODES:
                raise UsageError(f"the metric {metric.name} is for CorefUD only; choose others, such as lea or conll")
        every, mentions = list(matched.values()), np.empty(0)
        if (rules.mentions, rules.singletons) != (None, "keep"):
            from corefscore.matching.common import counts_of_mentions

            mentions = counts_of_mentions(matched[WHOLE], len(pairs.present))
            matched = {view: select_mentions(its, rules.mentions, rules.singletons) for view, its in matched.items()}
        tables = {view: overlap(mentions) for view, mentions in matched.items()}
        in_common, matches = None, NO_PLACES
        looked = every if rules.mentions == "given" else list(matched.values())  # all given mentions match
        sizes = [max(len(its.key.number), len(its.response.number)) for its in looked]
        few = (2 * len(of.cell_of) <= size for size, of in zip(sizes, tables.values(), strict=True))
        if all(few):
            from corefscore.matching.common import common, places_of_matches

            in_common, matches = common(pairs, looked, every), places_of_matches(looked[0], pairs.cut_from)
        kept = {view: [its.narrow()] if self.keep_pairs else [] for view, its in of_views.items()}
        found = ScoredBatch(
            pairs.key.names,
            pairs.key.files,
            {metric.name: _counts(metric, tables[metric.view]) for metric in self.every},
            {
                view: Listed(table.key.total(table.key.size), treated[view].messages, kept[view])
                for view, table in tables.items()
            },
            treated[WHOLE].dropped,
            treated[WHOLE].repeats,
            in_common,
            matches,
            mentions,
            named,
            units=units,
            by_unit={} if units is None else self._of_units(units, of_views, matched, tables),
        )
        return found, matched[WHOLE]

    def _of_units(
        self, units: Units, pairs: Mapping[str, Pairs], matched: Mapping[str, Matched], tables: Mapping[str, Overlap]
    ) -> dict[str, Floats]:
        """Count additive metrics in each unit (`corefscore.matching.units`); all but ``units`` are by view."""
        of_units = {
            view: by_units(its, tables[view], units.of_numbers(its, pairs[view]), len(units.names))
            for view, its in matched.items()
        }
        found = {}
        for metric in self.every:
            if metric.additive:
                recall, precision = (_counts(metric, table) for table in of_units[metric.view])
                found[metric.name] = np.concatenate([recall[..., :2], precision[..., 2:]], axis=-1)
        return found

    def _of_nodes(self, pairs: Pairs) -> tuple[ScoredBatch, Alignment]:
        """Count mentions that are more than spans; also returns them all, aligned."""
        from corefscore.scoring.corefud import counts, matched

        if self.settings.names is not None:
            from corefscore.matching.named import names_of

            names_of(pairs.key)  # raises an error, since the format has none
        rules = with_defaults(self.settings.rules, nodes=True)
        alignment, about = matched(pairs, rules)
        of_metrics, copies = counts(alignment, self.every, rules)
        found = ScoredBatch(
            pairs.key.names,
            pairs.key.files,
            of_metrics,
            {WHOLE: Listed(copies, {}, [pairs.narrow()] if self.keep_pairs else [])},
            common=about.common,
            nodes=about,
        )
        return found, alignment

    def _of_kinds(self, found: ScoredBatch, pairs: Pairs, matched: Matched | Alignment, of: Of) -> ScoredBatch:
        """Replace the counts by those of the one kind of mentions that is scored, or add those of each kind of a
        division."""
        if self.settings.unit is not None:
            raise UsageError(f"--unit {self.settings.unit} cannot be used with --of; leave one out")
        from corefscore.scoring.kinds.divisions import counts_of_kinds

        kinds = counts_of_kinds(pairs, matched, self.every, of)
        if of.division:
            return found._replace(kinds=kinds)
        (counts,) = kinds.values()
        shown = found.listed[WHOLE]._replace(key_copies=counts[MENTIONS][:, 0, 1])
        return found._replace(counts=counts, listed={WHOLE: shown})


def with_defaults(rules: Rules, nodes: bool) -> Rules:
    """Return the rules with the defaults of a format; ``nodes`` says whether its mentions are more than spans.

    Raises `UsageError` for rules that need CorefUD, and for rules that contradict each other.
    """
    if rules.task is not None and not nodes:
        raise UsageError(f"--task {rules.task} is for CorefUD, and these files are not CorefUD; leave it out")
    asked = {name: value for name, value in vars(rules).items() if value is not None}
    given: dict[str, Any] = {**TASKS.get(rules.task or "", {}), **asked}
    chosen = {**vars(COREFUD if nodes else SPANS), **given, "task": None}
    if rules.of is not None and chosen["repeated"] == REPEATED[0]:  # no other copy of a mention has a partner
        if rules.repeated is not None:
            raise UsageError("--of cannot be used with --repeated official; give --repeated first, or leave it out")
        chosen["repeated"] = "first"
    if nodes and rules.of is not None:
        chosen["lookup"] = "alignment"
        if given.get("lookup", "alignment") != "alignment":
            raise UsageError("--of cannot be used with --task crac22 or crac23; leave one out")
    if nodes and chosen["mentions"] == "given":
        raise UsageError("--mentions given cannot be used with CorefUD, whose mentions are aligned; leave it out")
    if nodes and chosen["zeros"] == "dependent" and chosen["lookup"] in SEARCHES:
        raise UsageError(f"--zeros dependent and --task {chosen['lookup']} exclude each other; leave one out")
    if not nodes:
        if chosen["matching"] != MATCHING[0] or chosen["zeros"]:
            raise UsageError(f"{'--zeros' if chosen['zeros'] else '--matching'} is for CorefUD only; leave it out")
        # Defaults that concern CorefUD are left out of the signature.
        chosen["matching"] = chosen["definitions"] = None
    if chosen["mentions"] == COUNTED_MENTIONS[0]:
        chosen["mentions"] = None
    return Rules(**chosen)


_LARGEST = 2**53
"""The limit of counts: larger floats do not represent every whole number, and much larger ones have no percentage."""


def _counts(metric: Metric, table: Overlap) -> Floats:
    """Return the counts of a metric. Raises `UsageError` with its name if a metric of another package fails or does not
    return finite numbers.
    """
    if metric.name in (*NAMES, MENTIONS):
        return packed(metric.count(table))
    with blaming(metric):
        counts = packed(metric.count(table))
        shape = len(table.cells.distinct.spans), metric.width, 4
        if counts.shape != shape or counts.dtype.kind not in "biuf" or not (np.abs(counts) <= _LARGEST).all():
            raise ValueError(
                f"it returned {counts.dtype} of the shape {counts.shape}; expected finite numbers up to {_LARGEST}, "
                f"of the shape {shape}: documents, measures that are not combined, numerator and denominator of each "
                "side"
            )
    return counts.astype(np.float64)


_NEARLY = 0.98
"""The precision, of every measure, from which a response may be the key after it lost entities in another format, or
those of one mention; no system comes near it."""


def result_of(batches: Sequence[ScoredBatch], run: Run, notices: list[Finding]) -> Result:
    """Join all batches in order to one result; notices about them are added to ``notices``.

    Counts are joined first and summed once, since sums of sums would change the last bit. Raises `InputError` if too
    many repeated mentions were dropped (`corefscore.matching.matched.too_many`), and if no named entity counts
    (`corefscore.matching.named.about_names`).
    """
    if not batches:
        raise UsageError("there is no document to score: the key is empty")
    rules = with_defaults(run.settings.rules, nodes=any(batch.nodes is not None for batch in batches))
    settings = replace(run.settings, rules=rules, key=digits_of(sum(batch.fingerprint for batch in batches)))
    names = [batch.names if batch.windows is None else batch.windows.named(batch.names) for batch in batches]
    listed = {view: _joined_listing(batches, names, view) for view in batches[0].listed}
    every = counted_metrics(run.metrics, settings)
    counts = {metric.name: np.concatenate([batch.counts[metric.name] for batch in batches]) for metric in every}
    notices.extend(_notices(batches, settings, listed))
    codes = {notice.code for notice in notices}
    of_mentions = counts[MENTIONS][:, 0]
    whole = np.concatenate([batch.mentions for batch in batches])
    if (whole[:, 0] <= FEW * whole[:, 3]).any():
        from corefscore.matching.common import unlike_documents

        names_of_all, files = [n for b in batches for n in b.names], [f for b in batches for f in b.files]
        notices += unlike_documents(names_of_all, files, whole)
    scored = of_mentions[:, 3] > 0
    sums = np.concatenate([of[scored].sum(axis=0) for of in counts.values()])
    equal, nearly = (sums[:, ::2] == sums[:, 1::2]).all(), scored.any() and (sums[:, 2] >= _NEARLY * sums[:, 3]).all()
    same = [batch for batch in batches if batch.same]
    if (nearly or same) and codes.isdisjoint({"earlier-column", "same-as-key"}):
        from corefscore.matching.common import copied_documents, unread_columns

        unread = [batch.unread for batch in batches if nearly]
        where = "" if nearly else f" in {plural(sum(batch.same for batch in same), 'document')}"
        other_entities = [*unread_columns(unread, *(same or batches)[0].first, where, equal=bool(equal))]
        notices += other_entities or copied_documents([name for of in names for name in of], counts, of_mentions)
    kinds = dict.fromkeys(kind for batch in batches for kind in batch.kinds)
    if rules.of is not None and not kinds:
        from corefscore.scoring.kinds.divisions import nothing_to_count

        notices += nothing_to_count(rules.of, every, counts, batches[0].files)
    texts = [(batch.names, batch.fidelity) for batch in batches]
    fidelity = of_all(texts) if any(counts_of is not None for _, counts_of in texts) else None
    of_kinds = {kind: _of_kind(batches, kind) for kind in kinds}
    copies = (view.key_copies for view in listed.values())
    for array in (*counts.values(), *copies, *(array for its in of_kinds.values() for array in its.values())):
        array.setflags(write=False)
    return Result(
        every,
        tuple(name for of_batch in names for name in of_batch),
        counts,
        settings,
        tuple(notices),
        listed,
        [name for batch in batches for name in batch.files],
        fidelity,
        of_kinds,
        _by_unit(batches, names) if batches[0].units is not None else None,
    )


def _notices(batches: Sequence[ScoredBatch], settings: Settings, listed: Mapping[str, Listed]) -> Iterator[Finding]:
    """Give the notices about all batches. Raises as `result_of` does."""
    nodes = [batch.nodes for batch in batches if batch.nodes is not None]
    if nodes:
        from corefscore.scoring.corefud import notices as about_nodes

        yield from about_nodes(nodes)
    if any(batch.repeats for batch in batches):
        dropped = [repeat for batch in batches for repeat in batch.dropped]
        if settings.rules.repeated == "official":
            if summary := too_many(dropped):
                raise refusal(dropped[:MOST], summary)
            repeats = [repeat for batch in batches for repeat in batch.repeats]
            yield from worded(describe("repeated-mention", distinct(repeats), SHOWN))
        else:
            yield from worded(describe("dropped-repeat", distinct(dropped), SHOWN))
    windows = [batch.windows for batch in batches if batch.windows is not None]
    if windows:
        from corefscore.matching.units import crossing_notices

        yield from crossing_notices(windows)
    for batch in batches:
        yield from batch.partial
        if batch.units is not None:
            yield from batch.units.crossing
    common, places = [batch.common for batch in batches], np.sum([batch.matches for batch in batches], axis=0)
    if None not in common or places.any():
        from corefscore.matching.common import about_matches

        yield from about_matches(common, places)
    if (options := settings.names) is not None:
        from corefscore.matching.named import about_mentions, about_names

        named = [batch.named for batch in batches]
        yield from about_names(named, options)
        any_named, singletons = bool(listed[NAMED].key_copies.any()), settings.rules.singletons != "drop"
        yield from about_mentions(named, options, named=any_named, singletons=singletons)


def _of_kind(batches: Sequence[ScoredBatch], kind: str) -> dict[str, Floats]:
    """Join the counts of a kind of mentions by metric; they are 0 in a batch that does not have the kind."""

    def of_batch(batch: ScoredBatch, metric: str) -> Floats:
        return batch.kinds[kind][metric] if kind in batch.kinds else np.zeros_like(batch.counts[metric])

    return {metric: np.concatenate([of_batch(batch, metric) for batch in batches]) for metric in batches[0].counts}


def _by_unit(batches: Sequence[ScoredBatch], names: Sequence[Sequence[str]]) -> UnitCounts:
    """Join the counts of units; ``names`` are those of what was counted in each batch."""
    first = np.cumsum([0, *map(len, names)])
    units = [batch.units for batch in batches if batch.units is not None]
    return UnitCounts(
        [name for of_batch in units for name in of_batch.names],
        np.concatenate([before + of_batch.document for before, of_batch in zip(first, units, strict=False)]),
        {name: np.concatenate([batch.by_unit[name] for batch in batches]) for name in batches[0].by_unit},
    )


def _joined_listing(batches: Sequence[ScoredBatch], names: Sequence[Sequence[str]], view: str) -> Listed:
    """Join the data of the official layout in one view; ``names`` are those of what was counted in each batch."""
    parts = [batch.listed[view] for batch in batches]
    before = np.cumsum([0, *map(len, names)]).tolist()
    messages = {
        first + document: lines
        for first, part in zip(before, parts, strict=False)
        for document, lines in part.messages.items()
    }
    copies = np.concatenate([part.key_copies for part in parts])
    return Listed(copies, messages, [pairs for part in parts for pairs in part.pairs])
