"""From Python: `score` for files and clusters, `Scorer` for one document after the other, `read` for documents."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from corefscore import formats
from corefscore.alignment.pairing import Pairs
from corefscore.batches import Counted, joined
from corefscore.checking.findings import Finding, plural, shortened
from corefscore.documents.model import KEY, RESPONSE, Documents, is_within
from corefscore.documents.model import joined as joined_documents
from corefscore.errors import InputError, ScorerWarning, UsageError, suggested
from corefscore.evaluate import count, count_batches, evaluate
from corefscore.formats.row import Reading
from corefscore.metrics import select
from corefscore.metrics.row import Metric, names_asked, options_of, own_values
from corefscore.names.options import COLUMN, EITHER, NameOptions, name_options
from corefscore.python.arguments import Options, ScorerOptions, apart, spelled
from corefscore.results import DOCUMENT, Result, refuse_heads_of_spans
from corefscore.settings import RULES, Rules, Settings
from corefscore.work.workers import Map, by_many_or_one

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.formats.memory.clusters import Clusters


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """The documents of one side, as `read` returns them. ``notices`` are what was odd in them, ``reading`` the options
    they were read with. Both become part of the result of a score."""

    documents: Documents
    notices: Sequence[Finding]
    reading: Mapping[str, str]

    def __repr__(self) -> str:
        return f"<Corpus of {plural(len(self.names), 'document')}>"

    @property
    def names(self) -> Sequence[str]:
        """The names of the documents, in order."""
        return self.documents.names


if TYPE_CHECKING:
    File = str | os.PathLike[str]
    Given = File | Sequence[os.PathLike[str]] | Corpus | Mapping[str, Clusters] | Clusters | Iterable[Clusters]
    """A key or a response: a path; `pathlib.Path` objects, whose files are one corpus; a corpus read earlier; clusters
    by document name; the clusters of one document; or a list of these."""

LONGEST_NAME = 255
"""No name of a file is longer on the usual file systems; a path can be."""

ONLY_DOCUMENT = "document"
"""The name of a document that was given without one."""


@spelled
def read(
    path: str | os.PathLike[str],
    *,
    side: str | None = None,
    include: str | None = None,
    input_format: str | None = None,
    clusters_field: str | None = None,
    max_unpacked: int | None = None,
    heads: str | None = None,
    tags: str | None = None,
    word_column: int | None = None,
    ne_column: int | None = None,
    estimate_key: bool = False,
) -> Corpus:
    """The documents of a file, or of a folder as one corpus, to be scored more than once.

    The content tells the format unless ``input_format`` does (`conll` or `jsonlines`). JSON lines have their clusters
    in the field `clusters` for a ``side`` of `key`; for one of `response`, in `predicted_clusters` where it is there;
    without a side in the one of them that is there; or in ``clusters_field``. A compressed file may unpack to
    ``max_unpacked`` MB (by default 4, or 100 times its size). ``tags`` is the notation of text with tags, by its name
    or as a pattern (by default the content tells). ``word_column`` is the column of words of CoNLL (from 1; by default
    the fourth, or that before the last of fewer than five). ``ne_column`` reads named entities as well, from that
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
        _path("path", path),
        Reading(include, input_format, clusters_field, max_unpacked, heads, tags, word_column=word_column),
        side,
        names,
        texts=True,
    )


def corpus(
    path: str | Sequence[str],
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


@spelled
def score(
    key: Given,
    response: Given | None = None,
    metrics: str | Sequence[str] = "every",
    **how: Unpack[Options],
) -> Result:
    """Score a response against a key.

    Each side is one of these:

    - a path; a list of `pathlib.Path`, whose files are one corpus; a corpus that was read earlier (`read`);
    - a document, as a list of entities, each a list of mentions. A mention is text, a number, ``(start, end)`` or
      any other flat tuple, or anything else that is hashable; a list with a number in it, as JSON has ``[0, 1]``,
      stands for the tuple. Any collections will do for lists, but a tuple of numbers is always a mention;
    - a mapping from document name to document;
    - a list of documents. Against another list of the same length they are paired by position and named "0", "1" and
      so on; against files by position with the documents there, and one document with a file that has only one. What is
      empty takes the level of the other side, and what fits no level (`corefscore.formats.memory.nesting`) is refused.

    Beside a side of CorefUD the mentions of the other are on its words: ``(start, end)`` in tokens from 0,
    ``(sentence, "5.1")`` for a word or an empty node by its ID, or words one by one, such as ``{3, 4, 7}``
    (`corefscore.formats.corefud.clusters`, docs/corefud.md).

    Only JSON lines that have both `clusters` and `predicted_clusters` need no ``response``.

    ``metrics`` are names as on the command line. ``how`` are the options of the command line, each by its keyword
    (`corefscore.python.arguments.Options`): ``ne_from`` to ``match`` are those of metrics of named mentions
    (docs/cone.md), ``boundary`` is that of BLANC, ``options`` has those of metrics that other packages add.
    ``workers`` (of `corefscore.work.workers` or `corefscore.work.distributed`) do the work.

        >>> score([[(0, 1), (4, 4)], [(2, 2)]], [[(0, 1), (4, 4), (2, 2)]], metrics="lea")["lea"].f1
        0.4444444444444444

    Values are from 0 to 1. What is odd but scored is in the ``notices`` of the result, and warned of once a call by
    `ScorerWarning`. Raises `InputError` for input that is refused (more than ten repeated mentions in the response,
    say), `UsageError` for an unknown name or argument.
    """
    reading, rules, others = apart(how)
    response = complete(key, response, reading)
    chosen = selected(metrics)
    document, workers = others.pop("document", None), others.pop("workers", None)
    settings = settings_of(chosen, rules, document, own_options(others))
    return warned(refuse_heads_of_spans(scored(key, response, chosen, settings, reading, workers=workers)))


def complete(key: Given, response: Given | None, reading: Reading) -> Given:
    """The response, which is in the file of the key if none is given.

    Raises `UsageError` if it is not, and for options of files if there is no file.
    """
    if not _is_path(key) and not _is_path(response) and reading != Reading():
        given = ", ".join(name for name, value in reading._asdict().items() if value is not None)
        raise UsageError(f"{given}: there is no file to read, neither as key nor as response")
    if response is not None:
        return response
    paths = paths_of(KEY, key)
    if paths is None or not formats.has_both_sides(paths, reading):
        raise UsageError(f"there is no {RESPONSE}; only JSON lines with clusters and predicted_clusters have both")
    return key


def own_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """All options that metrics bring along, by keyword, from arguments of which ``options`` is one.

    Raises `UsageError` for one that is given twice.
    """
    built_in = {name: value for name, value in given.items() if value is not None and name != "options"}
    others = given.get("options") or {}
    if not isinstance(others, Mapping):
        raise UsageError(f"options={others!r}: expected a mapping, such as options={{'smallest': 2}}")
    if twice := sorted(built_in.keys() & others.keys()):
        raise UsageError(f"{twice[0]} is given twice: as an argument, and in options")
    return {**built_in, **others}


def selected(metrics: str | Sequence[str]) -> tuple[Metric, ...]:
    """The metrics of the argument ``metrics``. Raises `UsageError` for what are no names of metrics."""
    names = [metrics] if isinstance(metrics, str) else list(metrics) if isinstance(metrics, Iterable) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise UsageError(f"metrics={metrics!r}: expected names such as 'lea', as a list or joined by commas")
    return select(",".join(names))


def warned(result: Result) -> Result:
    """The result, of whose notices a warning was given (`warn_of`)."""
    warn_of(result.notices)
    return result


def warn_of(notices: Sequence[Finding]) -> None:
    """Give one warning for all notices: the first of each kind, and how many more there are."""
    if not notices:
        return
    from warnings import warn

    by_code: dict[str, list[Finding]] = {}
    for notice in notices:
        by_code.setdefault(notice.code, []).append(notice)
    lines = []
    for code, its in by_code.items():
        more = f"\n... and {plural(len(its) - 1, 'more notice')} [{code}], see the notices of the result"
        lines.append(f"{its[0]}{more if len(its) > 1 else ''}")
    warn("\n".join(lines), ScorerWarning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """Which call, counted from 1 for that of `warn_of`, comes from outside this package."""
    levels, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].partition(".")[0] == "corefscore":
        levels, frame = levels + 1, frame.f_back
    return levels


def scored(
    key: Given,
    response: Given,
    metrics: Sequence[Metric],
    settings: Settings,
    reading: Reading,
    *,
    keep_pairs: bool = False,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    workers: Map | None = None,
) -> Result:
    """`score` with all that a command has to say: what is scored, how, and how files are read.

    ``keep_pairs`` is for the official layout (`corefscore.evaluate.evaluate`), ``texts`` for what shows words of the
    key, ``watch`` is called with the number of bytes read.
    """

    def run(workers: Map | None) -> Result:
        sides, notices, settled = _sides(
            key, response, metrics, settings, reading, texts=texts, watch=watch, workers=workers
        )
        return evaluate(*sides, metrics, settled, notices, keep_pairs=keep_pairs, apply=workers or map, reading=reading)

    return by_many_or_one(run, workers)


Batches = Iterator[Documents]


def _sides(
    key: Given,
    response: Given,
    metrics: Sequence[Metric],
    settings: Settings,
    reading: Reading,
    *,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    workers: Map | None = None,
) -> tuple[tuple[Batches, Batches], list[Finding], Settings]:
    """Both sides as batches of documents; the notices of reading, to which more are added as the batches are read; and
    the settings with how files were read."""
    notices: list[Finding] = []
    asked: dict[str, Mapping[str, str]] = {}
    batches: dict[str, Batches] = {}
    names = names_asked(metrics, settings.own)
    sides = _beside_files({KEY: key, RESPONSE: response}, reading, names, workers)
    for name, documents in _in_memory(sides).items():
        batches[name] = iter([documents])
    for name, side in sides.items():
        if (paths := paths_of(name, side)) is not None:
            asked[name] = reading.settings
            shown = texts and name == KEY
            batches[name] = formats.read(
                paths, notices, reading, side=name, names=names, texts=shown, watch=watch, apply=workers
            )
        elif isinstance(side, Corpus):
            asked[name] = side.reading
            notices += side.notices
            batches[name] = iter([side.documents])
    return (batches[KEY], batches[RESPONSE]), notices, replace(settings, reading=_reading(asked))


def _beside_files(
    sides: dict[str, Any], reading: Reading, names: NameOptions | None, workers: Map | None
) -> dict[str, Any]:
    """Both sides, where clusters in memory beside files get what only these know: documents without names those of the
    files, by their position, and mentions that are more than spans their words (`corefscore.formats.corefud.clusters`).

    Raises `InputError` where there are more or fewer documents, and for mentions that the files have no words for.
    """
    held = [name for name, side in sides.items() if not _is_path(side) and not isinstance(side, Corpus)]
    if len(held) != 1:
        return sides
    (name,) = held
    (other,) = sides.keys() - held
    given, side = sides[name], sides[other]
    if (paths := paths_of(other, side)) is not None:
        side = corpus(paths, reading, other, names, workers=workers)
    if side.documents.nodes is not None:
        return {**sides, name: _on_words(given, name, side), other: side}
    if _is_nested(given):
        from corefscore.formats.memory.nesting import by_position, nested

        given = by_position(nested(given, name), name, side.names)
    return {**sides, name: given, other: side}


def _on_words(given: Any, name: str, other: Corpus) -> Corpus:
    """Clusters in memory on the words of the other side."""
    from corefscore.formats.corefud.clusters import documents, nested, refuse_unknown
    from corefscore.formats.memory.nesting import by_position

    if _is_nested(given):
        given = by_position(nested(given, name), name, other.names)
    if name == KEY:
        refuse_unknown(given, name, other.documents)
    notices: list[Finding] = []
    found = documents(given, name, other.documents, other.reading.get("heads"), notices)
    return Corpus(found, notices, other.reading)


class Scorer:
    """Scores one document after the other, or files and corpora: for a training loop, and for many processes. Its
    options are those of `score`.

        >>> scorer = Scorer(["muc", "bcub", "ceafe"])
        >>> scorer.add([["a", "b"], ["c"]], [["a", "b", "c"]])
        >>> round(scorer.result().conll, 4)
        0.6381

    Counts are kept by document and summed once, in order, when the result is asked for: the digits of the
    official scorer hang on that order, so no partial sum is ever added.
    """

    @spelled
    def __init__(
        self,
        metrics: str | Sequence[str] = "every",
        **how: Unpack[ScorerOptions],
    ) -> None:
        self._metrics = selected(metrics)
        self._reading, rules, others = apart(how)
        self._settings = settings_of(self._metrics, rules, None, own_options(others))
        self._settings = replace(self._settings, reading=self._reading.settings)
        self.reset()

    def reset(self) -> None:
        """Forget all documents, to begin again with the same metrics and options."""
        self._batches: list[Counted] = []
        self._names: list[str | None] = []
        self._known: set[str] = set()
        self._notices: list[Finding] = []

    @spelled
    def add(self, key: Given, response: Given | None = None, *, name: str | None = None) -> None:
        """Count one document, or each of several: of lists of documents, or of all else that `score` takes, in the
        order of the key. Without a name a document from memory gets its number, from 0 in the order of the result.

        Raises `InputError` for a name that is there already, for what are no clusters, and for lists of documents of
        different lengths or with a name; nothing is added then. Raises `UsageError` for a name beside files or
        documents that have names.
        """
        response = complete(key, response, self._reading) if response is None else response
        if _is_nested(key) and _is_nested(response):
            self._add_nested(key, response, name)
            return
        if name is not None:
            raise UsageError(f"name={name!r} is for a document without one; files and mappings have names")
        sides, notices, settings = _sides(key, response, self._metrics, self._settings, self._reading)
        batches = count_batches(*sides, self._metrics, settings, notices, reading=self._reading)
        names = [each for part, _ in batches for each in part.names]
        self._refuse_known(names)
        self._append(batches, names)
        self._notices += notices
        self._settings = replace(self._settings, reading={**self._settings.reading, **settings.reading})

    def add_document(self, key: Clusters, response: Clusters) -> None:
        """Count one document, which is never taken for a list of documents.

        Raises `InputError` for what are no clusters.
        """
        from corefscore.formats.memory.nesting import nested

        called = str(len(self._names))
        sides = nested(key, KEY, called).value, nested(response, RESPONSE, called).value
        self._append([self._count(*sides, None)], [None])

    def _add_nested(self, key: Any, response: Any, name: str | None) -> None:
        """Count clusters in memory that have no names."""
        from corefscore.formats.memory.nesting import nested, together

        self._refuse_known([] if name is None else [name])
        sides = nested(key, KEY, name), nested(response, RESPONSE, name)
        several = together(*sides)
        pairs = zip(*several, strict=True) if several else [(sides[0].value, sides[1].value)]
        for each in pairs:
            self._append([self._count(*each, name)], [name])

    def _count(self, key: Clusters, response: Clusters, name: str | None) -> Counted:
        """Count one document, the shape of which was looked at."""
        from corefscore.formats.memory.clusters import Mentions, documents

        mentions = Mentions()
        called = name if name is not None else str(len(self._names))
        pairs = Pairs(
            documents({called: key}, mentions, KEY, known=[called]),
            documents({called: response}, mentions, RESPONSE, known=[called]),
            np.ones(1, dtype=np.bool_),
        )
        return count(pairs, self._metrics, self._settings)

    def _append(self, batches: Sequence[Counted], names: Sequence[str | None]) -> None:
        """Keep what was counted. Raises `UsageError` where mentions are more than spans in some documents only."""
        if len({part.nodes is not None for part, _ in (*self._batches[:1], *batches)}) > 1:
            raise UsageError("some documents are CorefUD and others are not; score each kind with a Scorer of its own")
        self._batches += batches
        self._names += names
        self._known.update(name for name in names if name is not None)

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
        self._append(other._batches, other._names)
        self._notices += other._notices

    def result(self) -> Result:
        """The result so far; what was odd is warned of as by `score`.

        Raises `UsageError` where nothing was added, `InputError` for too many repeats.
        """
        if not self._batches:
            raise UsageError("no document was added to the scorer")
        names = [name if name is not None else str(place) for place, name in enumerate(self._names)]
        if len(set(names)) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            details = {"document": double, "first": "another document of the scorer, named or numbered"}
            raise InputError([Finding("repeated-name", "key", details=details)])
        left = iter(names)
        batches = [(part._replace(names=list(islice(left, len(part.names)))), its) for part, its in self._batches]
        return warned(joined(batches, self._metrics, self._settings, [*self._notices]))

    def _refuse_known(self, names: Iterable[str]) -> None:
        if known := sorted(self._known.intersection(names)):
            details = {"document": known[0], "first": "an earlier document of the scorer"}
            raise InputError([Finding("repeated-name", "key", details=details)])


def settings_of(
    metrics: Sequence[Metric],
    rules: Rules,
    document: str | None,
    own: Mapping[str, Any],
    unit: str = DOCUMENT,
) -> Settings:
    """The settings of a score, all but how files are read; ``unit`` is that of resampling, if there is any. Raises
    `UsageError` for what they cannot be."""
    for option, value in zip(RULES, rules, strict=True):
        option.check(value)
    if unknown := sorted(own.keys() - {option.keyword for option in options_of(metrics)}):
        known = [option.keyword for option in options_of(metrics)]
        hint = suggested(unknown[0], known) if known else "they have none"
        raise UsageError(f"no metric asked for has an option {', '.join(unknown)}; {hint}")
    if rules.of is not None:
        from corefscore.kinds.options import of

        rules = rules._replace(of=of(rules.of).value)
    names = tuple(metric.name for metric in metrics)
    return Settings(names, rules, document, own_values(metrics, own), unit=unit if is_within(unit) else None)


def _in_memory(sides: Mapping[str, Any]) -> dict[str, Documents]:
    """The documents of the sides that are in memory. Commands have none, and start faster without the modules."""
    held = {name: side for name, side in sides.items() if not _is_path(side) and not isinstance(side, Corpus)}
    if not held:
        return {}
    from corefscore.formats.memory.clusters import Mentions, documents
    from corefscore.formats.memory.nesting import DOCUMENTS, nested, refusal, together

    mentions = Mentions()
    found = {name: side for name, side in held.items() if isinstance(side, Mapping)}
    unnamed = {name: nested(side, name) for name, side in held.items() if name not in found}
    if len(unnamed) == 2:
        several = together(unnamed[KEY], unnamed[RESPONSE])
        for name, its in zip((KEY, RESPONSE), several or (), strict=False):
            found[name] = {str(place): each for place, each in enumerate(its)}
    for name, side in unnamed.items():
        if name not in found and side.level == DOCUMENTS:
            expected = "documents by name, as the other side has them: dict(zip(names, documents))"
            raise refusal(name, f"{side.shape}, a list of documents without names", expected)
    named = {name: found[name] if name in found else {ONLY_DOCUMENT: unnamed[name].value} for name in held}
    return {name: documents(its, mentions, name) for name, its in named.items()}


def _is_nested(side: object) -> bool:
    """Whether a side is clusters in memory without names."""
    return not _is_path(side) and not isinstance(side, Corpus | Mapping)


def _is_path(side: object) -> bool:
    """Whether a side is given by a path or several."""
    if isinstance(side, str | os.PathLike):
        return True
    return isinstance(side, Sequence) and bool(side) and all(isinstance(path, os.PathLike) for path in side)


def paths_of(name: str, side: Any) -> str | list[str] | None:
    """The path or paths that a side is given by; None for anything else."""
    if not _is_path(side):
        return None
    return _path(name, side) if isinstance(side, str | os.PathLike) else [os.fspath(path) for path in side]


def _path(name: str, path: str | os.PathLike[str]) -> str:
    """A path as text. Raises `UsageError` for text that is the content of a file rather than its name."""
    found = os.fspath(path)
    if (len(found) > LONGEST_NAME or "\n" in found or "\0" in found) and not os.path.exists(found):
        begin = shortened(found.strip().partition("\n")[0])
        raise UsageError(
            f"{name}: no file has this name of {len(found)} characters, which begins {begin!r}; expected a path: "
            "write text to a file first, and give clusters as lists"
        )
    return found


def _reading(asked: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """What was asked of the reader, by side, as one; with the side before it where the sides differ."""
    first, *others = asked.values() or [{}]
    if all(first == other for other in others):
        return first
    return {f"{side}_{name}": value for side, its in asked.items() for name, value in its.items()}
