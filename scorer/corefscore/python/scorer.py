"""Scoring one document after another: `Scorer`, and `CorefEvaluator` with the usual methods of training code.

Classes like the latter were copied from project to project, and their scores no longer agree. This one has their
methods only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from corefscore.core.documents import KEY, RESPONSE, Clusters, fingerprint
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.formats import Reading
from corefscore.formats.memory import Mentions, are_spans, as_tuple, documents, nested, odd_mentions, together
from corefscore.matching.pairing import Pairs
from corefscore.metrics import select, single, wanted
from corefscore.python.api import ScorerOptions, complete, names_of, refuse_reading, run_of, warn_of, with_keywords
from corefscore.scoring.evaluate import BatchScorer, ScoredBatch, count_batches, result_of
from corefscore.scoring.results import Result
from corefscore.scoring.run import NO_HEADS, Given, batches_of, is_in_memory, is_text

if TYPE_CHECKING:
    from typing_extensions import Unpack


_BLOCK = 1 << 14
"""The number of mentions, or documents, that a `Scorer` counts at once, which is faster than one after another."""


class Scorer:
    """Scores one document after another, or files and corpora, for training loops and for several processes. Its
    options are those of `score`.

        >>> scorer = Scorer(["muc", "bcub", "ceafe"])
        >>> scorer.add([["a", "b"], ["c"]], [["a", "b", "c"]])
        >>> round(scorer.result().conll, 4)
        0.6381

    Documents in memory are checked and copied when they are added, and counted in blocks; `result` raises errors of
    metrics of other packages. Counts are kept by document and summed once, in order, when the result is asked for,
    since the last digits of the official scorer depend on this order. Threads can share a scorer.
    """

    @with_keywords
    def __init__(self, metrics: str | Sequence[str] = "every", **arguments: Unpack[ScorerOptions]) -> None:
        run = run_of(select(names_of(metrics, "metrics")), arguments)
        self._run = run._replace(settings=replace(run.settings, reading=run.reading.settings))
        self._batch_scorer = BatchScorer(run.metrics, run.settings)
        self._for_files = run.reading != Reading()
        self._lock = RLock()  # threads may share a scorer
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            self._count()  # mentions that wait can be anything, which may not be copied or pickled
            own = {name: value for name, value in vars(self).items() if name != "_lock"}
            return {name: value.copy() if isinstance(value, list | set) else value for name, value in own.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock())

    def reset(self) -> None:
        """Remove all documents, to begin again with the same metrics and options."""
        with self._lock:
            self._batches: list[ScoredBatch] = []
            self._waiting: list[tuple[str, list[Any], list[Any]]] = []
            self._waiting_mentions = 0
            self._names: list[str | None] = []
            self._known: set[str] = set()
            self._notices: list[Finding] = []
            self._origins: set[bytes] = set()  # drawn with the first document; those of a copy are the same

    @with_keywords
    def add(self, key: Given, response: Given | None = None, *, name: str | None = None) -> None:
        """Count one document, or several: lists of documents, or anything else that `score` accepts, in the order of
        the key. A document in memory without a name is named by its number in the result, from 0.

        Raises `InputError` for a name that was added before, for arguments that are not clusters, and for lists of
        documents of different lengths or with a name; then nothing is added. Raises `UsageError` for a name together
        with files or with documents that have names.
        """
        if are_spans(key) and are_spans(response):
            self._add_one(key, response, name)  # as nearly all documents are: nothing else is looked at
            return
        if response is None or is_text(response):
            response = complete(key, response, self._run.reading)
        named = isinstance(key, Mapping) or isinstance(response, Mapping)
        if not named and is_in_memory(key) and is_in_memory(response):
            both = nested(key, KEY, name), nested(response, RESPONSE, name)
            several = together(*both)
            of_both = [[side.value] for side in both] if several is None else [list(side.values()) for side in several]
            for ours, theirs in zip(*of_both, strict=True):
                self._add_one(_copied(ours), _copied(theirs), name)
            return
        if name is not None:
            raise UsageError(f"name={name!r} is only for a document without a name; files and mappings have names")
        sides, notices, run = batches_of(key, response, self._run)
        batches = count_batches(*sides, run, notices)
        self._append(batches, [document for batch in batches for document in batch.names], notices)
        read = {**self._run.settings.reading, **run.settings.reading}
        self._run = self._run._replace(settings=replace(self._run.settings, reading=read))

    def add_document(self, key: Clusters, response: Clusters) -> None:
        """Count one document; its clusters are never read as a list of documents.

        Raises `InputError` for arguments that are not clusters.
        """
        number = str(len(self._names))
        self._add_one(_copied(nested(key, KEY, number).value), _copied(nested(response, RESPONSE, number).value), None)

    def _add_one(self, key: Clusters, response: Clusters, name: str | None) -> None:
        """Copy one document whose nesting was checked before; several are counted at once."""
        if self._for_files:
            refuse_reading(self._run.reading)
        with self._lock:
            if name is not None:
                name = str(name)  # if documents are numbered
                self._refuse_known([name])
            self._refuse_mixed(corefud=False)
            self._origins = self._origins or {os.urandom(16)}
            ours, theirs = list(map(list, key)), list(map(list, response))
            self._waiting.append((name if name is not None else str(len(self._names)), ours, theirs))
            self._waiting_mentions += sum(map(len, ours)) + sum(map(len, theirs))
            if self._waiting_mentions > _BLOCK or len(self._waiting) > _BLOCK or self._run.settings.names is not None:
                self._count()  # clusters in memory have no names of their own, which is an error of this call
            self._names.append(name)
            if name is not None:
                self._known.add(name)

    def _count(self) -> None:
        """Count the documents that wait."""
        if not self._waiting:
            return
        names, ours, theirs = zip(*self._waiting, strict=True)
        mentions = Mentions()
        key, response = documents(names, ours, mentions, KEY), documents(names, theirs, mentions, RESPONSE)
        pairs = Pairs(key, response, np.ones(len(names), dtype=np.bool_), fingerprint(key))
        told = {notice.code for notice in self._notices}
        self._notices += (notice for notice in odd_mentions(mentions, key, response) if notice.code not in told)
        self._batches.append(self._batch_scorer.count(pairs))
        self._waiting, self._waiting_mentions = [], 0

    def _refuse_mixed(self, *, corefud: bool) -> None:
        """Raise `UsageError` if only some of all documents are CorefUD."""
        if self._names and corefud != bool(self._batches and self._batches[0].nodes is not None):
            raise UsageError("some documents are CorefUD and others are not; score each kind with a Scorer of its own")

    def _append(self, batches: Sequence[ScoredBatch], names: Sequence[str | None], notices: Sequence[Finding]) -> None:
        """Add the counts of documents. Raises `InputError` for a name that was added before."""
        with self._lock:
            self._refuse_known(names)
            self._count()
            for batch in batches:
                self._refuse_mixed(corefud=batch.nodes is not None)
            self._origins = self._origins or {os.urandom(16)}
            self._batches += batches
            self._notices += notices
            self._names += names
            self._known.update(name for name in names if name is not None)

    def merge(self, other: Scorer) -> None:
        """Append the documents of another scorer, which does not change.

        Raises `UsageError` if it is this scorer, a copy or one that was merged before, and if its metrics or options
        differ, `InputError` for a document name that both have.
        """
        other = copy(other)  # to which no thread adds
        with self._lock:
            if self._origins & other._origins:
                raise UsageError("this scorer has these documents already; merge each scorer once, into a new one")
            if self._run.settings != other._run.settings:
                both = f"{self._run.settings.signature}, and {other._run.settings.signature}"
                raise UsageError(f"scorers that count in different ways cannot be merged: {both}")
            self._append(other._batches, other._names, other._notices)
            self._origins |= other._origins

    def result(self) -> Result:
        """Return the result of all documents so far; notices give a warning as in `score`.

        Raises `UsageError` if there are no documents, `InputError` for too many repeated mentions.
        """
        with self._lock:
            self._count()
            batches, notices, known = list(self._batches), list(self._notices), list(self._names)
        if not batches:
            raise UsageError("no document was added to the scorer")
        names = [name if name is not None else str(number) for number, name in enumerate(known)]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise _repeated(repeated, "another call of add (documents without names are numbered)")
        rest = iter(names)
        batches = [batch._replace(names=list(islice(rest, len(batch.names)))) for batch in batches]
        result = result_of(batches, self._run, notices)
        if result.settings.rules.matching is None and any("heads" in its for its in result.settings.reading):
            raise UsageError(NO_HEADS)
        warn_of(result.notices)
        return result

    def _refuse_known(self, names: Iterable[str | None]) -> None:
        """Raise `InputError` for a document name that was added before."""
        if known := sorted(self._known.intersection(names)):
            raise _repeated(known[0], "an earlier call of add")


def _repeated(name: str, first: str) -> InputError:
    """Return the error for a name that two documents have."""
    return InputError([Finding("repeated-name", "key", details={"document": name, "first": first})])


def _copied(document: Clusters) -> Clusters:
    """Return a document whose mentions do not change when the given ones do."""
    return [[tuple(mention) if type(mention) is list else mention for mention in entity] for entity in document]


class _Evaluator:
    """The scores of one measure, computed when they are asked for."""

    def __init__(self, result: Callable[[], Result], measure: str) -> None:
        self._result, self._measure = result, measure

    def result(self) -> Result:
        """Return the result of all documents so far."""
        return self._result()

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, from 0 to 1."""
        recall, precision, f1 = self.result()[self._measure][:3]
        return precision, recall, f1

    def get_precision(self) -> float:
        """Return the precision, from 0 to 1."""
        return self.get_prf()[0]

    def get_recall(self) -> float:
        """Return the recall, from 0 to 1."""
        return self.get_prf()[1]

    def get_f1(self) -> float:
        """Return the F1, from 0 to 1."""
        return self.get_prf()[2]


_Mapped = Mapping[Any, Any] | None
"""A mapping from mentions to their clusters, or None."""


class CorefEvaluator(_Evaluator):
    """Scores documents one after another, with the methods of evaluators in training code.

        >>> evaluator = CorefEvaluator()
        >>> predicted, gold = [((0, 1), (4, 4), (2, 2))], [((0, 1), (4, 4)), ((2, 2),)]
        >>> evaluator.update(predicted, gold)
        >>> precision, recall, f1 = evaluator.get_prf()
        >>> round(precision, 4), round(recall, 4), round(f1, 4)
        (0.6185, 0.8333, 0.7048)

    The scores are those of ``measure``, by default the CoNLL average, whose precision and recall are the means of those
    of MUC, B-cubed and CEAF-e; ``evaluators`` has an object with the same methods for each of its metrics. Counts of
    all documents are summed before scores are computed, as in the official scorer. Singletons count on both sides;
    ``singletons="drop-response"`` drops those of ``predicted``, ``"drop"`` those of both sides. The other options are
    those of `corefscore.Scorer`. Asking for scores before the first document raises `UsageError`.
    """

    @with_keywords
    def __init__(self, measure: str = "conll", **arguments: Unpack[ScorerOptions]) -> None:
        name, _ = single(measure)
        self._metrics = [metric.name for metric in wanted(name).metrics]
        self._scorer = Scorer(self._metrics, **arguments)
        super().__init__(self._scorer.result, name)

    def update(
        self, predicted: Clusters, gold: Clusters, mention_to_predicted: _Mapped = None, mention_to_gold: _Mapped = None
    ) -> None:
        """Count one document: its ``predicted`` clusters, and the ``gold`` clusters of the key.

        Only the clusters are scored. The mappings from mentions to clusters are arguments of other evaluators, and can
        be left out. Raises `UsageError` if their mentions are not those of the clusters, and `InputError` for arguments
        that are not clusters.
        """
        # Checked, and such that they can be read more than once.
        number = str(len(self._scorer._names))
        key, response = nested(gold, KEY, number).value, nested(predicted, RESPONSE, number).value
        _agree("mention_to_predicted", mention_to_predicted, response)
        _agree("mention_to_gold", mention_to_gold, key)
        self._scorer.add_document(key, response)

    def reset(self) -> None:
        """Remove all documents."""
        self._scorer.reset()

    @property
    def evaluators(self) -> list[_Evaluator]:
        """An evaluator for each metric: for the CoNLL average MUC, B-cubed and CEAF-e, in this order."""
        return [_Evaluator(self._scorer.result, name) for name in self._metrics]


def _agree(name: str, mapping: _Mapped, clusters: Iterable[Iterable[Any]]) -> None:
    """Raise `UsageError` if the mentions of a mapping are not those of the clusters."""
    if mapping is None:
        return
    clustered = {as_tuple(mention) for cluster in clusters for mention in cluster}
    mapped = {as_tuple(mention) for mention in mapping}
    if clustered != mapped:
        mention = next(iter(mapped - clustered or clustered - mapped))
        found = "has a mention that the clusters lack" if mapped - clustered else "lacks a mention of the clusters"
        raise UsageError(f"{name} {found}: {mention!r}; only the clusters are scored, so leave {name} out")
