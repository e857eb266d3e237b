"""One run: key and response, each a path, documents read earlier or clusters in memory, become batches of documents,
and these the result, by settings that are made from options."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from corefscore import formats
from corefscore.core.documents import KEY, RESPONSE, UNIT_SOURCES, Clusters, Documents, MentionText, joined
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding, plural, shortened
from corefscore.core.names import NameOptions
from corefscore.core.records import check_options, dataclass, declared, replace
from corefscore.core.sources import Source
from corefscore.core.workers import NotSplittable
from corefscore.formats import Reading
from corefscore.formats.base import CLUSTERS, ENTITY
from corefscore.metrics.base import Metric, own_values
from corefscore.scoring.evaluate import count_batches, result_of
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.settings import Rules, Run, Settings

LONGEST_NAME = 255
"""The longest file name on common file systems; a path can be longer."""

ONLY_DOCUMENT = "document"
"""The name of a document that was given without one."""


def words_of(documents: Documents) -> list[str]:
    """Return the words of all mentions."""
    layers = list(documents.layers()) if documents.items is None else []
    on_key = documents.nodes is not None and not any(layers)  # the file has other words
    if documents.items is not None or on_key or not len(documents.start):
        return documents.words_of(range(len(documents.start)))
    words = [list(chain(*layer.words)) if layer else [] for layer in layers]
    columns = documents.document[documents.entity].tolist(), documents.start.tolist(), documents.end.tolist()
    if documents.nodes is None:
        return [" ".join(words[document][start : end + 1]) for document, start, end in zip(*columns, strict=True)]
    nodes = documents.nodes
    found = []
    for document, numbers in zip(columns[0], np.split(nodes.word, np.cumsum(nodes.size)[:-1]), strict=True):
        layer = layers[document]
        assert layer is not None, "mentions with heads are in files"
        at = np.searchsorted(layer.numbers, numbers)
        found.append(" ".join(words[document][word] for word in at.tolist()))
    return found


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """The documents of one side, as `read` returns them. ``notices`` are the notices of reading them, ``reading`` the
    options they were read with. Both become part of the result of a score. ``paths`` are its files, if workers may read
    them again with the options of the score; ``origin`` is what was read, how, and as which side."""

    documents: Documents
    notices: Sequence[Finding]
    reading: Mapping[str, str]
    paths: str | Sequence[str] | None = None
    origin: tuple[str | Source, Reading, str] | None = None

    def __repr__(self) -> str:
        return f"<Corpus of {plural(len(self.names), 'document')}>"

    @property
    def names(self) -> Sequence[str]:
        """The names of the documents, in order."""
        return self.documents.names

    def clusters(self) -> dict[str, dict[str, list[MentionText]]]:
        """Return the mentions of each entity, by the name of the document and the id of the entity. Raises `InputError`
        for a document that cannot be read."""
        documents = self.documents
        for fault in documents.faults.values():
            raise InputError([fault()])
        found: dict[str, dict[str, list[MentionText]]] = {name: {} for name in documents.names}
        ids = documents.names_of(range(len(documents.document)))
        entities = zip(documents.document.tolist(), ids, strict=True)
        of_entity = [found[documents.names[document]].setdefault(name, []) for document, name in entities]
        words = words_of(documents)
        spans = zip(documents.entity.tolist(), documents.start.tolist(), documents.end.tolist(), words, strict=True)
        for entity, start, end, text in spans:
            of_entity[entity].append(MentionText(max(start, -1), max(end, -1), text))
        return found


_File = str | os.PathLike[str]
Given = _File | Sequence[os.PathLike[str]] | Corpus | Mapping[str, Clusters] | Clusters | Iterable[Clusters]
"""A key or a response: a path; `pathlib.Path` objects, whose files are one corpus; a corpus read earlier; clusters by
document name; the clusters of one document; or a list of these."""


def corpus(
    path: str | Sequence[str],
    reading: Reading,
    side: str | None,
    names: NameOptions | None,
    *,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Corpus:
    """Read a side as a corpus; the arguments are those of `corefscore.formats.opened`, and ``watch`` of its
    documents."""
    notices: list[Finding] = []
    files = formats.opened(path, notices, reading, side=side, names=names, texts=texts)
    return Corpus(joined(list(files.documents(notices, watch))), tuple(notices), reading.settings)


_Batches = Iterator[Documents]

OF_KEY = re.compile(
    r"(?i)\A(?!.*(?<![a-z])(?:pred[a-z]*|resp[a-z]*|sys(?:tem)?s?|out(?:put)?s?|hyp[a-z]*|auto|model|trained)(?![a-z])).*"
    r"(?<![^\W_])(?:key|gold)(?![^\W_]|[-_. ]*(?:boundar|conll[-_. ]|(?:ner|md|(?:tree|span|mention|cluster)s?)\b))"
)
"""The path of a key, and not that of a response or of one with the mentions or trees of the key."""

MAY_BE_KEY = re.compile("(?i)key|gold|^-$")
"""A path that may be that of a key, as one that says nothing, standard input, may be."""

NO_HEADS = "--heads changes scores of CorefUD only, and these files are not CorefUD; leave it out"
"""What is said of the option where nothing has heads."""

Texts: TypeAlias = Mapping[str, str] | Sequence[str]
"""Texts by the names of their documents, or in the order of the documents of the other side."""


def batches_of(
    key: Given, response: Given, run: Run, *, texts: bool = False, watch: Callable[[int], None] | None = None
) -> tuple[tuple[_Batches, _Batches], list[Finding], Run]:
    """Return both sides as batches of documents, the notices of reading, and the run with the settings of reading,
    whose names begin with their side if the sides differ. Reading the batches adds more notices to the list. Raises
    `UsageError` for tags of a response that was read without them."""
    notices: list[Finding] = []
    asked: dict[str, Mapping[str, str]] = {}
    batches: dict[str, _Batches] = {}
    reading, names = run.reading, run.settings.names
    sides = {KEY: key, RESPONSE: response}
    if isinstance(key, Corpus) or isinstance(response, Corpus):
        reading = with_heads(reading, sides.values())
    paths = {name: paths_of(name, side) for name, side in sides.items()}
    if in_memory := [name for name, side in sides.items() if paths[name] is None and not isinstance(side, Corpus)]:
        if len(in_memory) == 1:
            sides = _from_files(sides, in_memory[0], reading, names)
        batches = {name: iter([documents]) for name, documents in _in_memory(sides, notices).items()}
    elif isinstance(path := paths[KEY], str) and path == paths[RESPONSE]:
        notices += _one_field(reading, path)
    origin = (of.origin[0] if isinstance(of, Corpus) and of.origin else paths[side] for side, of in sides.items())
    first, other = (its[0] if isinstance(its, list) else its for its in origin)
    if isinstance(first, str) and isinstance(other, str) and OF_KEY.search(other) and not MAY_BE_KEY.search(first):
        notices.append(Finding("perhaps-exchanged", other, details={"key": first}))
    for name, side in sides.items():
        if paths[name] is None:
            _refuse_late(reading, name, side)
        if isinstance(side, Corpus):
            if name == RESPONSE and reading.tags not in (None, side.reading.get("tags")):
                raise UsageError("tags: the response was read without this argument; pass it to from_text() or read()")
            asked[name] = side.reading
            notices += side.notices
            batches[name] = iter([side.documents])
        elif (of_side := paths[name]) is not None:
            asked[name] = reading.settings
            files = formats.opened(of_side, notices, reading, side=name, names=names, texts=texts and name == KEY)
            batches[name] = files.documents(notices, watch)
    read: Mapping[str, str] = next(iter(asked.values()), {})
    if any(read != other for other in asked.values()):
        read = {f"{side}_{name}": value for side, options in asked.items() for name, value in options.items()}
    return (batches[KEY], batches[RESPONSE]), notices, run._replace(settings=replace(run.settings, reading=read))


def _one_field(reading: Reading, path: str) -> Iterator[Finding]:
    """Yield a notice for a field or column of entities that is read for both sides, if these are one file."""
    from corefscore.formats.jsonlines.dialects import PREDICTED

    named = dict(piece.split("=", 1) for piece in (reading.columns or "").split(",") if "=" in piece)
    for content, usual in ((CLUSTERS, PREDICTED), (ENTITY, "")):
        of_key, of_response = (named.get(f"{side}.{content}", named.get(content)) for side in (KEY, RESPONSE))
        if (of_key or content) == (of_response or usual):
            how, fields = f"name it: --columns {RESPONSE}.{content}=NAME", f"all but {of_key or content}"
            details = {"where": "", "fields": fields, "how": how, "side": "RESPONSE", "whose": "system"}
            yield Finding("same-as-key", path, details=details)


def with_heads(reading: Reading, sides: Iterable[Any]) -> Reading:
    """Return the options of reading with the heads with which one of the sides was read, which files need, too.

    Raises `UsageError` for corpora of CorefUD with different heads.
    """
    corpora = [side for side in sides if isinstance(side, Corpus) and side.documents.nodes is not None]
    heads = list(dict.fromkeys(side.reading.get("heads") for side in corpora))
    if len({each or "file" for each in heads}) > 1:
        first, second = (f"heads={each!r}" for each in heads[:2])
        raise UsageError(f"one side was read with {first}, another with {second}; pass the same to both read()")
    return reading if reading.heads or len(heads) != 1 else replace(reading, heads=heads[0])


def _refuse_late(reading: Reading, name: str, side: Given) -> None:
    """Raise `UsageError` for options of reading that are about a side in memory, or one that was read without them."""
    before = side.reading if isinstance(side, Corpus) else {}
    columns = "" if reading.columns in (None, before.get("columns")) else str(reading.columns)
    late = [piece for piece in columns.split(",") if piece.startswith(f"{name}.")]
    other_heads = reading.heads not in (None, before.get("heads"))
    if other_heads and isinstance(side, Corpus) and side.documents.nodes is not None:
        late.append(f"heads={reading.heads}")
    if late:
        raise UsageError(f"{late[0]}: the {name} is not read from files here; omit this argument, or pass it to read()")


def _from_files(sides: dict[str, Any], name: str, reading: Reading, names: NameOptions | None) -> dict[str, Any]:
    """Complete the side ``name``, which is clusters in memory, from the files of the other side.

    Documents without names get the names of those in the files, by position, and mentions beside CorefUD their words
    (`corefscore.formats.corefud.clusters`). Raises `InputError` if the number of documents differs, and for mentions
    whose words the files lack.
    """
    (other,) = sides.keys() - {name}
    given, side = sides[name], sides[other]
    if (paths := paths_of(other, side)) is not None:
        side = corpus(paths, reading, other, names)
    from corefscore.formats import memory
    from corefscore.formats.corefud import clusters

    on_words = side.documents.nodes is not None
    if not isinstance(given, Mapping):
        nested = clusters.nested if on_words else memory.nested
        given = memory.by_position(nested(given, name), name, side.names)
    if on_words:
        if name == KEY:
            clusters.refuse_unknown(given, name, side.documents)
        notices: list[Finding] = []
        documents = clusters.documents(given, name, side.documents, side.reading.get("heads"), notices)
        given = Corpus(documents, notices, side.reading)
    return {**sides, name: given, other: side}


def _in_memory(sides: Mapping[str, Any], notices: list[Finding]) -> dict[str, Documents]:
    """Make documents of the sides that are clusters in memory."""
    from corefscore.formats import memory

    mentions = memory.Mentions()
    in_memory = {name: side for name, side in sides.items() if is_in_memory(side)}
    by_name = {name: memory.nested_by_name(side, name) for name, side in in_memory.items() if isinstance(side, Mapping)}
    if by_name and all(map(memory.seem_entities, by_name.values())):
        name, documents = next(iter(by_name.items()))
        first, entities = next((of, its) for of, its in documents.items() if its)
        notices.append(Finding("perhaps-spans", name, details={"document": first, "pair": min(map(repr, entities))}))
    unnamed = {name: memory.nested(side, name) for name, side in in_memory.items() if name not in by_name}
    if len(unnamed) == 2 and (several := memory.together(unnamed[KEY], unnamed[RESPONSE])):
        by_name[KEY], by_name[RESPONSE] = several
        unnamed = {}
    for name, side in unnamed.items():
        if side.level == memory.DOCUMENTS:
            expected = "documents by name, as the other side has them: dict(zip(names, documents))"
            raise memory.refusal(name, f"{memory.shape(side.value)}, a list of documents without names", expected)
        by_name[name] = {ONLY_DOCUMENT: side.value}
    made = {name: memory.documents(list(by_name[name]), by_name[name].values(), mentions, name) for name in in_memory}
    notices += memory.odd_mentions(mentions, *made.values())
    return made


def is_in_memory(side: object) -> bool:
    """Return whether a side is clusters in memory."""
    return not is_path(side) and not isinstance(side, Corpus)


def is_path(side: object) -> bool:
    """Return whether a side is a path or a list of paths."""
    if isinstance(side, str | os.PathLike):
        return True
    return isinstance(side, Sequence) and bool(side) and all(isinstance(path, os.PathLike) for path in side)


def is_text(side: Any) -> TypeGuard[Texts]:
    """Return whether a side is tagged text in memory."""
    texts = side.values() if isinstance(side, Mapping) else side if isinstance(side, list | tuple) else ()
    return bool(texts) and all(isinstance(text, str) for text in texts)


def paths_of(name: str, side: Any) -> str | list[str] | None:
    """Find the path or paths of a side; None if it is not given by paths.

    Raises `UsageError` for text that is the content of a file rather than its name.
    """
    if not isinstance(side, str | os.PathLike):
        return [os.fspath(path) for path in side] if is_path(side) else None
    text = os.fspath(side)
    is_text = len(text) > LONGEST_NAME or any(part in text for part in ("\n", "\0", "](#", "</"))
    if is_text and not os.path.exists(text):
        begin = shortened(text.strip().partition("\n")[0])
        raise UsageError(
            f"{name}: no file has this name of {len(text)} characters, which begins {begin!r}; expected a path: "
            "give tagged text as a list, [text], other text as a file, and clusters as lists"
        )
    return text


def options_by_topic(arguments: Mapping[str, Any]) -> tuple[Reading, Rules, dict[str, Any]]:
    """Divide options by keyword into those of reading files, the rules by which mentions count, and all others. Whole
    numbers of numpy become numbers of Python, which JSON can have.
    """
    arguments = {name: value.item() if isinstance(value, np.integer) else value for name, value in arguments.items()}
    reading, rules = ({name: arguments[name] for name in vars(of()) if name in arguments} for of in (Reading, Rules))
    others = {name: value for name, value in arguments.items() if name not in {**reading, **rules}}
    return Reading(**reading), Rules(**rules), others


def scored(
    key: Given,
    response: Given,
    run: Run,
    *,
    keep_pairs: bool = False,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    tell: Callable[[str], None] = lambda why: None,
) -> Result:
    """Score a response against a key: read both, count, and join the counts to one result.

    ``keep_pairs`` keeps the documents, which the official layout needs, ``texts`` the words of the key for reports that
    show them; ``watch`` is called with the number of bytes read. Workers score slices of files; ``tell`` is called with
    a message if large files cannot be divided. Raises `UsageError` if workers cannot read what this process can,
    and for the option about heads beside mentions that are spans, for which only such reports use heads.
    """
    result: Result | None = None
    refused: UsageError | None = None
    if run.workers is not None and not keep_pairs and not texts:
        from corefscore.scoring.divided import score_by_workers

        try:
            ours, theirs = (
                side.paths if isinstance(side, Corpus) else paths_of(name, side)
                for name, side in ((KEY, key), (RESPONSE, response))
            )
            if OF_KEY.search(str(theirs)) and not MAY_BE_KEY.search(str(ours)):
                raise NotSplittable  # this process reports that these are perhaps exchanged
            result = score_by_workers(ours, theirs, run, watch, key.notices if isinstance(key, Corpus) else None)
        except NotSplittable as error:
            if str(error):
                tell(f"one process is used: {error}")
        except InputError:
            pass  # this process reports it, so that errors do not depend on the workers
        except UsageError as error:
            refused = error
    if result is None:
        sides, notices, run = batches_of(key, response, run, texts=texts, watch=watch)
        result = result_of(count_batches(*sides, run, notices, keep_pairs), run, notices)
    if refused is not None:
        raise UsageError(
            f"the workers failed ({refused}), but this process did not; workers need the same files at the same paths"
        ) from refused
    if not texts and result.settings.rules.matching is None and any("heads" in its for its in result.settings.reading):
        raise UsageError(NO_HEADS)
    return result


def settings_of(
    metrics: Sequence[Metric], rules: Rules, document: str | None, own: Mapping[str, Any], unit: str = DOCUMENT
) -> Settings:
    """Return the settings of a score, except those of reading; ``unit`` is the unit of resampling.

    Raises `UsageError` for options that are unknown or have invalid values.
    """
    check_options(declared(Rules), vars(rules))
    if rules.of is not None:
        from corefscore.scoring.kinds.divisions import of

        rules = replace(rules, of=of(rules.of).value)
    names = tuple(metric.name for metric in metrics)
    within = unit if unit.startswith(UNIT_SOURCES) else None
    values, of_names = own_values(metrics, own)
    return Settings(names, rules, document, values, names=of_names, unit=within)
