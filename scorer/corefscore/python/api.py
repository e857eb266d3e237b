"""Scoring from Python: `score` for files and clusters, `Scorer` for document after document, `read` for documents."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from corefscore import formats
from corefscore.core.documents import KEY, RESPONSE, Clusters, fingerprint
from corefscore.core.errors import InputError, ScorerWarning, UsageError
from corefscore.core.findings import Finding, in_words
from corefscore.core.options import EITHER, name_options
from corefscore.formats.base import NE, Reading, columns_of
from corefscore.formats.memory import Mentions, are_spans, documents, nested, odd_mentions, together
from corefscore.matching.pairing import Pairs
from corefscore.metrics import select
from corefscore.metrics.base import Metric
from corefscore.python.arguments import Options, ScorerOptions, with_keywords
from corefscore.scoring.evaluate import BatchScorer, ScoredBatch, count_batches, result_of
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.run import (
    Corpus,
    Given,
    batches_of,
    corpus,
    is_in_memory,
    is_path,
    is_text,
    options_by_topic,
    paths_of,
    scored,
    settings_of,
)
from corefscore.scoring.settings import Run

if TYPE_CHECKING:
    from typing_extensions import Unpack


_BLOCK = 1 << 14
"""The number of mentions, or documents, that a `Scorer` counts at once, which is faster than one after another."""


@with_keywords
def read(
    path: str | os.PathLike[str],
    *,
    side: str | None = None,
    input_format: str | None = None,
    heads: str | None = None,
    tags: str | None = None,
    columns: str | None = None,
    estimate_key: bool = False,
) -> Corpus:
    """Read the documents of a file, or of a folder as one corpus, to score them more than once.

    ``input_format`` is the format, such as `conll` or `jsonlines`; by default it is recognised by content.
    The clusters of JSON lines are in `clusters` if ``side`` is `key`, in `predicted_clusters` or else `clusters` if it
    is `response`, and in the only one of the two without a side. ``tags`` is the notation of tagged text, as a name
    or a pattern (by default recognised by content). ``columns`` are columns by what they contain, such as "word=6"
    (docs/reference/formats.md); "ne=11" also reads named entities, for metrics of named mentions. ``estimate_key``
    reads a key without its coreference, which may be missing, for scoring with this option.

    Raises `InputError` for input that is rejected, `UsageError` for a file that cannot be read.
    """
    if estimate_key and side != KEY:
        raise UsageError(f'estimate_key needs side="{KEY}"')
    if side not in (None, KEY, RESPONSE):
        raise UsageError(f"side={side!r} is not one of {KEY}, {RESPONSE}")
    paths = paths_of("path", path)
    if paths is None:
        raise UsageError(f"path={path!r:.60}: expected the path of a file or folder")
    reading = Reading(input_format=input_format, heads=heads, tags=tags, columns=columns)
    names = None
    if estimate_key or NE in columns_of(reading, side):
        names = replace(name_options({"estimate_key": estimate_key}), ne_from=EITHER)
    found = corpus(paths, reading, side, names, texts=True)
    return replace(found, origin=(paths, reading.of(side), side or KEY)) if isinstance(paths, str) else found


@with_keywords
def score(
    key: Given,
    response: Given | None = None,
    metrics: str | Sequence[str] = "every",
    **arguments: Unpack[Options],
) -> Result:
    """Score a response against a key.

    Each side is one of these:

    - a path; a list of `pathlib.Path`, whose files are one corpus; a corpus that was read earlier (`read`);
    - a document, as a list of entities, each a list of mentions. A mention is text, a number, ``(start, end)`` or
      any other flat tuple, or another hashable object; a list of numbers, such as ``[0, 1]`` from JSON, is read as a
      tuple. Any collection can be used for a list, except that a tuple of numbers is always a mention;
    - a mapping from document name to document;
    - for the response, tagged text as language models write it: texts by document name, or a list of texts in the
      order of the documents of the key (`corefscore.from_text`);
    - a list of documents. Two lists must have the same length; their documents are paired by position and named "0",
      "1" and so on. A list and files are paired by position, too, and a single document is paired with a file of one
      document. An empty list has the level of the other side; other nesting is an error
      (`corefscore.formats.memory`).

    If one side is CorefUD, the mentions of clusters on the other side refer to its words: ``(start, end)`` in tokens
    from 0, ``(sentence, "5.1")`` for a word or an empty node by its ID, or single words, such as ``{3, 4, 7}``
    (`corefscore.formats.corefud.clusters`, docs/corefud.md).

    ``response`` can be omitted only for JSON lines with both `clusters` and `predicted_clusters`.

    ``metrics`` are names as on the command line. ``arguments`` are the options of the command line by keyword
    (`corefscore.python.arguments.Options`): ``ne_from`` to ``match`` are options of metrics of named mentions
    (docs/cone.md), ``boundary`` is an option of BLANC, and ``options`` has the options of metrics of other packages.
    ``workers`` (from `corefscore.core.workers` or `corefscore.core.machines`) divide the work.

        >>> score([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], metrics="lea")["lea"].f1
        0.4444444444444444

    Scores are from 0 to 1. Unusual input that can be scored gives ``notices`` in the result, and one `ScorerWarning`
    per call. Raises `InputError` for input that is rejected (such as more than ten repeated mentions in the response),
    `UsageError` for an unknown name or argument.
    """
    found = result(run_of(select(names_of(metrics, "metrics")), arguments), key, response)
    warn_of(found.notices)
    return found


def write(corpus: Corpus, path: str | os.PathLike[str], format: str) -> None:
    """Write the documents of a corpus to one file, in ``format``, such as `conll`, `corefud` or `jsonlines`.

    The corpus is one of `read`, `from_clusters` or `from_text`. The bytes are those of ``corefscore convert IN OUT
    --format FORMAT``, which reads the files again. The file is written once all documents are converted. What the
    format cannot contain gives a warning.

        write(read("key.conll"), "key.jsonl", "jsonlines")

    Raises `UsageError` for another corpus, for one of its files that has changed or would be overwritten, and for a
    format or a file that cannot be written; `InputError` for documents that cannot be converted.
    """
    from corefscore.checking.convert import convert

    if not isinstance(corpus, Corpus) or corpus.origin is None:
        expected = "a corpus of read(path) or from_clusters(clusters, words)"
        raise UsageError(f"the words of this corpus are not known; expected {expected}")
    source, reading, side = corpus.origin
    target = os.fspath(path)
    for file in dict.fromkeys(place.source for place in corpus.documents.places if place):
        both_exist = isinstance(source, str) and os.path.exists(file.path) and os.path.exists(target)
        if both_exist and os.path.samefile(file.path, target):
            raise UsageError(f"{target} is a file that the corpus was read from; write another one")
        with file.reading():
            pass  # raises an error for a file that has changed
    notices: list[Finding] = []
    text = "".join(convert(source, notices, format, reading, side=side))
    try:
        with open(target, "wb") as written:
            written.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from error
    warn_of(notices)


def result(run: Run, key: Given, response: Given | None, *, keep_pairs: bool = False, texts: bool = False) -> Result:
    """Return the result of a response that may be text or left out; for reports, ``keep_pairs`` and ``texts`` are those
    of `scored`."""
    response = complete(key, response, run.reading)
    return scored(key, response, run, keep_pairs=keep_pairs, texts=texts, tell=_warn)


def run_of(metrics: Sequence[Metric], arguments: Mapping[str, Any], unit: str = DOCUMENT) -> Run:
    """Return the run of a call with these ``arguments``; ``unit`` is the unit of resampling. Raises `UsageError` as
    `settings_of` does, and for an option that is given twice.
    """
    reading, rules, others = options_by_topic(arguments)
    document, workers = others.pop("document", None), others.pop("workers", None)
    document = None if document is None else str(document)  # documents without names have numbers
    more = others.pop("options", None) or {}
    if not isinstance(more, Mapping):
        raise UsageError(f"options={more!r}: expected a mapping, such as options={{'smallest': 2}}")
    own = {name: value for name, value in others.items() if value is not None}
    if twice := sorted(own.keys() & more.keys()):
        raise UsageError(f"{twice[0]} is given twice: as an argument, and in options")
    return Run(metrics, settings_of(metrics, rules, document, {**own, **more}, unit), reading, workers)


def complete(key: Given, response: Given | None, reading: Reading) -> Given:
    """Return the response, as a corpus if it is text; if it is None, the file of the key, which must contain both
    sides.

    Raises `UsageError` if it does not, and for options of reading files if there is no file.
    """
    if response is not None and is_path(response):
        return response
    if is_text(response) and not is_in_memory(key):
        from corefscore.python.corpora import answered

        return answered(response, reading)
    if reading != Reading() and not is_path(key):
        _refuse(reading)
    if response is not None:
        return response
    paths = paths_of(KEY, key)
    if paths is None or not formats.has_both_sides(paths, reading):
        needed = "it can be left out only for JSON lines with clusters and predicted_clusters"
        raise UsageError(f"there is no {RESPONSE}; {needed}")
    return key


def _refuse(reading: Reading) -> None:
    """Raise `UsageError` for options of reading files without a file."""
    given = ", ".join(name for name, value in vars(reading).items() if value is not None)
    raise UsageError(f"{given}: only for files, and neither key nor response is one; leave it out")


def names_of(given: str | Sequence[str], argument: str) -> str:
    """Return names joined by commas, as on the command line. Raises `UsageError` for anything but names."""
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise UsageError(f"{argument}={given!r}: expected names such as 'lea', as a list or joined by commas")
    return ",".join(names)


def warn_of(notices: Sequence[Finding]) -> None:
    """Give one warning for all notices: the first of each kind, and how many more there are."""
    if notices:
        _warn("\n".join(in_words(notices, 1, ", see the notices of the result")))


def _warn(text: str) -> None:
    """Give a warning that points to the caller of this package."""
    levels, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "corefscore":
        levels, frame = levels + 1, frame.f_back
    warnings.warn(text, ScorerWarning, stacklevel=levels)


class Scorer:
    """Scores one document after another, or files and corpora, for training loops and for several processes. Its
    options are those of `score`.

        >>> scorer = Scorer(["muc", "bcub", "ceafe"])
        >>> scorer.add([["a", "b"], ["c"]], [["a", "b", "c"]])
        >>> round(scorer.result().conll, 4)
        0.6381

    Documents in memory are checked and copied when they are added, and counted in blocks; `result` raises errors of
    metrics of other packages. Counts are kept by document and summed once, in order, when the result is asked for,
    since the last digits of the official scorer depend on this order.
    """

    @with_keywords
    def __init__(
        self,
        metrics: str | Sequence[str] = "every",
        **arguments: Unpack[ScorerOptions],
    ) -> None:
        run = run_of(select(names_of(metrics, "metrics")), arguments)
        self._run = run._replace(settings=replace(run.settings, reading=run.reading.settings))
        self._batch_scorer = BatchScorer(run.metrics, run.settings)
        self._for_files = run.reading != Reading()
        self.reset()

    def reset(self) -> None:
        """Remove all documents, to begin again with the same metrics and options."""
        self._batches: list[ScoredBatch] = []
        self._waiting: list[tuple[str, list[Any], list[Any]]] = []
        self._waiting_mentions = 0
        self._names: list[str | None] = []
        self._known: set[str] = set()
        self._notices: list[Finding] = []

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
            raise UsageError(f"name={name!r} is for a document without one; files and mappings have names")
        sides, notices, run = batches_of(key, response, self._run)
        batches = count_batches(*sides, run, notices)
        names = [document for batch in batches for document in batch.names]
        self._append(batches, names, notices)
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
            _refuse(self._run.reading)
        if name is not None:
            name = str(name)  # if documents are numbered
            self._refuse_known([name])
        self._refuse_mixed(corefud=False)
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
        self._refuse_known(names)
        self._count()
        for batch in batches:
            self._refuse_mixed(corefud=batch.nodes is not None)
        self._batches += batches
        self._notices += notices
        self._names += names
        self._known.update(name for name in names if name is not None)

    def merge(self, other: Scorer) -> None:
        """Append the documents of another scorer, which does not change.

        Raises `UsageError` if it is this scorer or if its metrics or options differ, `InputError` for a document name
        that both have.
        """
        if other is self:
            raise UsageError("a scorer cannot be merged with itself: each document would count twice")
        if self._run.settings != other._run.settings:
            both = f"{self._run.settings.signature}, and {other._run.settings.signature}"
            raise UsageError(f"scorers that count in different ways cannot be merged: {both}")
        other._count()
        self._append(other._batches, other._names, other._notices)

    def result(self) -> Result:
        """Return the result of all documents so far; notices give a warning as in `score`.

        Raises `UsageError` if there are no documents, `InputError` for too many repeated mentions.
        """
        self._count()
        if not self._batches:
            raise UsageError("no document was added to the scorer")
        names = [name if name is not None else str(number) for number, name in enumerate(self._names)]
        if len(set(names)) < len(names):
            repeated = next(name for name in names if names.count(name) > 1)
            raise _repeated(repeated, "another document of the scorer, named or numbered")
        rest = iter(names)
        batches = [batch._replace(names=list(islice(rest, len(batch.names)))) for batch in self._batches]
        result = result_of(batches, self._run, [*self._notices])
        warn_of(result.notices)
        return result

    def _refuse_known(self, names: Iterable[str | None]) -> None:
        """Raise `InputError` for a document name that was added before."""
        if known := sorted(self._known.intersection(names)):
            raise _repeated(known[0], "an earlier document of the scorer")


def _repeated(name: str, first: str) -> InputError:
    """Return the error for a name that two documents have."""
    return InputError([Finding("repeated-name", "key", details={"document": name, "first": first})])


def _copied(document: Clusters) -> Clusters:
    """Return a document whose mentions do not change when the given ones do."""
    return [[tuple(mention) if type(mention) is list else mention for mention in entity] for entity in document]
