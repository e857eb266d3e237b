"""From Python: `score` for files and clusters, `Scorer` for one document after the other, `read` for documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from corefscore import clusters, formats
from corefscore.clusters import Clusters, Mentions
from corefscore.errors import InputError, UsageError
from corefscore.evaluate import Counted, Part, count, evaluate, joined
from corefscore.findings import Finding
from corefscore.formats.row import Reading
from corefscore.metrics import select
from corefscore.metrics.row import Metric, names_asked, options_of, own_values
from corefscore.model import KEY, RESPONSE, Documents
from corefscore.model import joined as joined_documents
from corefscore.names.options import COLUMN, EITHER, NameOptions, name_options
from corefscore.pairing import Pairs
from corefscore.results import COUNTING, Counting, Result, Settings
from corefscore.workers import Map, by_many_or_one


@dataclass(frozen=True, eq=False)
class Corpus:
    """The documents of one side as `read` gives them; ``notices`` tell what was odd in them, ``reading`` how they were
    read. Both become part of the result of a score."""

    documents: Documents
    notices: Sequence[Finding]
    reading: Mapping[str, str]

    @property
    def names(self) -> Sequence[str]:
        """The names of the documents, in order."""
        return self.documents.names


Given = str | os.PathLike[str] | Sequence[os.PathLike[str]] | Corpus | Mapping[str, Clusters] | Clusters
"""A key or a response: a path; `pathlib.Path` objects, whose files are one corpus; a corpus read earlier; clusters by
document name; or one document's clusters."""

ONLY_DOCUMENT = "document"
"""The name of a document that was given without one."""


def read(
    path: str | os.PathLike[str],
    *,
    side: str | None = None,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    ne_column: int | None = None,
    estimate_key: bool = False,
) -> Corpus:
    """The documents of a file, or of a folder as one corpus, to be scored more than once.

    The content tells the format unless ``input_format`` does (`conll` or `jsonlines`). JSON lines have their clusters
    in the field `clusters` for a ``side`` of `key`; for one of `response`, in `predicted_clusters` where it is there;
    without a side in the one of them that is there; or in ``clusters_field``. A compressed file may unpack to
    ``max_unpacked`` MB (by default 256, or 100 times its size). ``ne_column`` reads named entities as well, from that
    column (from 1), for metrics that count named mentions. ``estimate_key`` reads a key without its coreference, which
    need not be there, to be scored with this option.

    Raises `InputError` for input that is refused, `UsageError` for a file that cannot be read.
    """
    names = None
    if ne_column is not None or estimate_key:
        column = COLUMN if ne_column is None else ne_column
        names = name_options({"ne_column": column, "estimate_key": estimate_key})._replace(source=EITHER)
    if estimate_key and side != KEY:
        raise UsageError(f'estimate_key needs side="{KEY}"')
    if side not in (None, KEY, RESPONSE):
        raise UsageError(f"side={side!r} is not one of {KEY}, {RESPONSE}")
    return corpus(
        os.fspath(path), Reading(include, input_format, clusters_field, max_unpacked), side, names, texts=True
    )


def corpus(
    path: str,
    reading: Reading,
    side: str | None,
    names: NameOptions | None,
    *,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    workers: Map | None = None,
) -> Corpus:
    """`read` with all that a command has to say; the arguments are those of `corefscore.formats.read`."""

    def run(workers: Map | None) -> Corpus:
        notices: list[Finding] = []
        batches = formats.read(path, notices, reading, side=side, names=names, texts=texts, watch=watch, apply=workers)
        return Corpus(joined_documents(list(batches)), tuple(notices), reading.settings)

    return by_many_or_one(run, workers)


def score(
    key: Given,
    response: Given,
    metrics: str | Sequence[str] = "every",
    *,
    repeated: str = "official",
    singletons: str = "keep",
    document: str | None = None,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    workers: Map | None = None,
    **own: Any,
) -> Result:
    """Score a response against a key.

    Each side is a path, a list of `pathlib.Path` whose files are one corpus, a corpus that was read earlier, clusters
    by document name, or the clusters of one document, as any nested sequence of mentions: `(start, end)`, or anything
    else that is hashable.
    ``metrics`` are names as on the command line; ``own`` are the metrics' own options. The other
    options are those of the command line; ``workers`` (of `corefscore.workers` or `corefscore.distributed`) do the
    work.

        >>> score([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], metrics="lea")["lea"].f1
        0.4444444444444444

    Values are from 0 to 1. Raises `InputError` for input that is refused (more than ten repeated mentions in
    the response, say), `UsageError` for an unknown name.
    """
    reading = Reading(include, input_format, clusters_field, max_unpacked)
    if _paths(key) is None and _paths(response) is None and reading != Reading():
        given = ", ".join(name for name, value in reading._asdict().items() if value is not None)
        raise UsageError(f"{given}: there is no file to read, neither as key nor as response")
    chosen = select(metrics if isinstance(metrics, str) else ",".join(metrics))
    settings = settings_of(chosen, Counting(repeated, singletons), document, own)
    return scored(key, response, chosen, settings, reading, workers=workers)


def scored(
    key: Given,
    response: Given,
    metrics: Sequence[Metric],
    settings: Settings,
    reading: Reading,
    *,
    keep_pairs: bool = False,
    watch: Callable[[int], None] | None = None,
    workers: Map | None = None,
) -> Result:
    """`score` with all that a command has to say: what is scored, how, and how files are read.

    ``keep_pairs`` is for the official layout (`corefscore.evaluate.evaluate`), ``watch`` is called with the number of
    bytes read.
    """
    known: list[Finding] = []
    mentions = Mentions()
    asked: dict[str, Mapping[str, str]] = {}
    paths: dict[str, str | list[str]] = {}
    documents: dict[str, Documents] = {}
    for name, side in ((KEY, key), (RESPONSE, response)):
        if (its := _paths(side)) is not None:
            asked[name] = reading.settings
            paths[name] = its
        elif isinstance(side, Corpus):
            asked[name] = side.reading
            known += side.notices
            documents[name] = side.documents
        else:
            named = side if isinstance(side, Mapping) else {ONLY_DOCUMENT: cast(Clusters, side)}
            documents[name] = clusters.documents(named, mentions, name)
    settings = replace(settings, reading=_reading(asked))
    names = names_asked(metrics, settings.own)

    def run(workers: Map | None) -> Result:
        notices = [*known]
        batches = {name: iter([its]) for name, its in documents.items()}
        for name, its in paths.items():
            batches[name] = formats.read(its, notices, reading, side=name, names=names, watch=watch, apply=workers)
        sides = batches[KEY], batches[RESPONSE]
        return evaluate(*sides, metrics, settings, notices, keep_pairs=keep_pairs, apply=workers or map)

    return by_many_or_one(run, workers)


class Scorer:
    """Scores one document after the other: for a training loop, and for many processes.

        >>> scorer = Scorer(["muc", "bcub", "ceafe"])
        >>> scorer.add([["a", "b"], ["c"]], [["a", "b", "c"]])
        >>> round(scorer.result().conll, 4)
        0.6381

    Counts are kept by document and summed once, in order, when the result is asked for: the digits of the
    official scorer hang on that order, so no partial sum is ever added.
    """

    def __init__(
        self,
        metrics: str | Sequence[str] = "every",
        *,
        repeated: str = "official",
        singletons: str = "keep",
        **own: Any,
    ) -> None:
        self._metrics = select(metrics if isinstance(metrics, str) else ",".join(metrics))
        self._settings = settings_of(self._metrics, Counting(repeated, singletons), None, own)
        self._batches: list[tuple[Part, Counted]] = []
        self._names: list[str | None] = []
        self._known: set[str] = set()

    def add(self, key: Clusters, response: Clusters, *, name: str | None = None) -> None:
        """Count one document. Without a name it gets its number, from 0 in the order of the result.

        Raises `InputError` for a name that is there already, or for what are no clusters.
        """
        named = [] if name is None else [name]
        self._refuse_known(named)
        mentions = Mentions()
        called = name if name is not None else str(len(self._names))
        pairs = Pairs(
            clusters.documents({called: key}, mentions, "key"),
            clusters.documents({called: response}, mentions, "response"),
            np.ones(1, dtype=np.bool_),
        )
        self._batches.append(count(pairs, self._metrics, self._settings))
        self._names.append(name)
        self._known.update(named)

    def merge(self, other: Scorer) -> None:
        """Append the documents of another scorer, which stays as it is.

        Raises `UsageError` where it scores in another way, `InputError` for a name that both have.
        """
        if self._settings != other._settings:
            raise UsageError(
                f"scorers that count in different ways cannot be merged: "
                f"{self._settings.signature}, and {other._settings.signature}"
            )
        self._refuse_known(other._known)
        self._known |= other._known
        self._batches += other._batches
        self._names += other._names

    def result(self) -> Result:
        """The result so far. Raises `UsageError` where nothing was added, `InputError` for too many repeats."""
        if not self._batches:
            raise UsageError("no document was added to the scorer")
        names = [name if name is not None else str(place) for place, name in enumerate(self._names)]
        if len(set(names)) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            details = {"document": double, "first": "another document of the scorer, named or numbered"}
            raise InputError([Finding("repeated-name", "key", details=details)])
        batches = [(part._replace(names=[name]), its) for (part, its), name in zip(self._batches, names, strict=True)]
        return joined(batches, self._metrics, self._settings, [])

    def _refuse_known(self, names: Iterable[str]) -> None:
        if known := sorted(self._known.intersection(names)):
            details = {"document": known[0], "first": "an earlier document of the scorer"}
            raise InputError([Finding("repeated-name", "key", details=details)])


def settings_of(
    metrics: Sequence[Metric], counting: Counting, document: str | None, own: Mapping[str, Any]
) -> Settings:
    """The settings of a score, all but how files are read. Raises `UsageError` for what they cannot be."""
    for option, value in zip(COUNTING, counting, strict=True):
        option.check(value)
    if unknown := sorted(own.keys() - {option.keyword for option in options_of(metrics)}):
        raise UsageError(f"no metric asked for has an option {', '.join(unknown)}")
    names = tuple(metric.name for metric in metrics)
    return Settings(names, counting, document, own_values(metrics, own))


def _paths(side: Given) -> str | list[str] | None:
    """The path or paths that a side is given by; None for anything else."""
    if isinstance(side, str | os.PathLike):
        return os.fspath(side)
    if isinstance(side, Sequence) and side and all(isinstance(path, os.PathLike) for path in side):
        return [os.fspath(path) for path in side]
    return None


def _reading(asked: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """What was asked of the reader, by side, as one; with the side before it where the sides differ."""
    first, *others = asked.values() or [{}]
    if all(first == other for other in others):
        return first
    return {f"{side}_{name}": value for side, its in asked.items() for name, value in its.items()}
