"""CorefUD with a closer look: every error of a file, where scoring refuses at the first one, and what its official
validator reports and a score ignores.

The reader is that of scoring, so both mean the same by a line, a bracket or a mention. This one reads on without what
is faulty.

The validator is `udvalidate --level 2 --coref` of the package udtools; `RULES` has its names. What it never reports is
left out: where a bridge stands and whether it is given twice (its pattern for one bridge matches nothing). Its warnings
are left out, too.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np

from corefscore.core.documents import Documents
from corefscore.core.findings import Finding, Found, shortened, texts_in
from corefscore.core.records import dataclass, field, replace
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import Request
from corefscore.formats.corefud.lines import Lines
from corefscore.formats.corefud.reader import File, batches
from corefscore.formats.words import not_utf_8, undecodable

_TEXTS = texts_in(__package__, "guidelines.ini")

RULES = {rule: (code, what) for code, rules in _TEXTS.items() for rule, what in rules.items()}
"""For each rule of the validator the code of the finding, and what was found."""

_FIRST_FIELDS = ("eid", "etype", "head", "other")

_TYPES = re.compile("person|place|organization|animal|plant|object|substance|time|number|abstract|event|other")

_NAMES = {"Entity": "entity", "Bridge": "bridge", "SplitAnte": "splitante"}
"""The attributes, by their names in MISC."""

_ATTRIBUTES = tuple(f"{name}=" for name in _NAMES)

_MARKS = re.compile(b"Entity|Bridge=|SplitAnte=")
"""What columns contain that are looked at."""

_GLOBAL, _NEWDOC = re.compile(r"#\s*global\.Entity\s*=\s*(.+)"), re.compile(r"#\s*newdoc(?:\s+\S+)?")

_PLAIN_HEADER = re.compile(r"[a-z]+(?:-[a-z]+)*")

_BRACKET = re.compile(r"(\(?)([^( )]+)(\)?)")

_ONE, _CLOSES, _OPENS = r"(?:\([^( )]+\))", r"(?:[^( )]+\))", r"(?:\([^( )]+(?=\(|\Z))"

_BRACKETS = re.compile(f"(?:{_ONE}|{_CLOSES}|{_OPENS})+")

_ORDER = re.compile(f"{_ONE}*(?:{_CLOSES}+(?:{_OPENS}+{_ONE}*)?)?|{_OPENS}+{_ONE}*")
"""The brackets of a word in their order."""

_PART = re.compile(r"(.+)\[([1-9][0-9]{0,8})/([1-9][0-9]{0,8})\]")

_END, _TYPED = re.compile("[^:]+(?::[a-z]+)?"), re.compile("[^:]+:[a-z]+,[^:]+")
"""What follows the last `<` of several relations, and what is between two, if the first one has a type."""

_HEAD = re.compile("[1-9][0-9]*")

_Span = tuple[tuple[int, int], ...]
"""The words of a mention: the first and the last of each stretch, by their places in the file."""


def _check(lines: Lines, report: Callable[[Finding], None]) -> None:
    """Report where a file breaks a rule."""
    checker = _Checker(lines.source.name, report)
    words = np.zeros(len(lines.tokens), dtype=np.bool_)
    words[lines.words.row] = True
    tokens = zip(words.tolist(), np.cumsum(words).tolist(), strict=True)
    last = 0  # the last token of the sentence
    for number, line in enumerate(BytesIO(lines.text.data), start=1):
        if line.startswith(b"#"):
            checker.comment(as_text(line[:-1]), number)
        elif line != b"\n":
            is_word, word = next(tokens)
            last = number
            if _MARKS.search(misc := line[:-1].rpartition(b"\t")[2]):
                checker.word(as_text(misc), number, word, is_word=is_word)
        else:
            checker.end(last)
    checker.end(last)


_Open = tuple[int, int, int]
"""A mention that is open: its line, its first word, and the number of its head, 0 if it has none."""


@dataclass()
class _Partial:
    """A discontinuous mention: the number of its last part, the line and the other fields of its first one, and the
    words of those that are closed."""

    number: int
    line: int
    fields: Sequence[str]
    span: list[tuple[int, int]] = field(default_factory=list)


class _Bracket(NamedTuple):
    """A bracket at a word: its text and fields, its id, and the entity, the part and the number of parts in the id."""

    line: int
    word: int
    text: str
    fields: Sequence[str]
    id: str
    entity: str
    part: int
    parts: int


class _Checker:
    """Checks the lines of one file in their order, as the validator does."""

    def __init__(self, path: str, report: Callable[[Finding], None]) -> None:
        self.path, self.report = path, report
        self.told: tuple[str, int, str] | None = None
        self.header: tuple[str, int] | None = None
        self.fields = 0
        self.field_at: dict[str, int] = {}
        self.wanted: Sequence[int] = ()
        self.of_document: dict[str, int] = {}
        self.of_earlier: dict[str, int] = {}
        self.first_mention: dict[str, tuple[str, str, int]] = {}
        self.with_antecedents: dict[str, int] = {}
        # Of the sentence:
        self.opened: dict[str, list[_Open]] = defaultdict(list)
        self.partial: dict[tuple[str, int], list[_Partial]] = defaultdict(list)
        self.ended: dict[str, list[_Span]] = {}
        self.words: dict[str, dict[int, set[frozenset[int]]]] = defaultdict(dict)

    def comment(self, text: str, line: int) -> None:
        """Check a header, or begin a document."""
        if _NEWDOC.fullmatch(text):
            self.of_earlier |= self.of_document
            self.of_document = {}
        elif (found := _GLOBAL.fullmatch(text)) and self.header:
            if found[1] != self.header[0]:
                self._tell("global-entity-mismatch", line, text, self.header[1])
        elif found:
            self.header = found[1], line
            names, plain = found[1].split("-"), _PLAIN_HEADER.fullmatch(found[1])
            first = _FIRST_FIELDS[: 4 if "other" in names else 3]
            if not plain or tuple(names[: len(first)]) != first or len({*names}) < len(names):
                self._tell("spurious-global-entity", line, text)
            if plain:
                self.field_at = {name: names.index(name) for name in names}
                self.fields = len(names)
                self.wanted = [self.field_at.get(name, sys.maxsize) for name in ("etype", "identity", "head")]

    def word(self, misc: str, line: int, word: int, *, is_word: bool) -> None:
        """Check the attributes of a word, or of a range of words."""
        found = [attribute.partition("=") for attribute in misc.split("|") if attribute.startswith(_ATTRIBUTES)]
        if len(found) == 1 and found[0][0] == "Entity" and is_word and self.header:  # nearly always
            self._entity(found[0][2], line, word, {})
            return
        values = {kind: [value for name, _, value in found if name == full] for full, kind in _NAMES.items()}
        if rule := self._misplaced(values, is_word=is_word):
            self._tell(rule, line, misc)
        elif values["entity"]:
            self._entity(values["entity"][0], line, word, values)

    def end(self, line: int) -> None:
        """End a sentence, with its last line."""
        if left := [entity for entity, mentions in (*self.opened.items(), *self.partial.items()) if mentions]:
            self._tell("cross-sentence-mention", line, str(left[0] if isinstance(left[0], str) else left[0][0]))
        self.opened.clear()
        self.partial.clear()
        self.ended.clear()
        self.words.clear()

    def _tell(self, rule: str, line: int, piece: str, other: int | None = None) -> None:
        if self.told == (rule, line, piece):
            return
        self.told = rule, line, piece
        code, what = RULES[rule]
        details = {"what": what.format(line=other), "piece": shortened(piece), "rule": rule}
        self.report(Finding(code, self.path, line, details=details))

    def _misplaced(self, values: dict[str, list[str]], *, is_word: bool) -> str | None:
        """Return the rule that makes the validator skip a line."""
        if not is_word:
            return "entity-mwt" if any(values.values()) else None
        for name, of_name in values.items():
            if len(of_name) > 1:
                return f"multiple-{name}-statements"
        for name, of_name in values.items():
            if of_name and not values["entity"]:
                return f"{name}-without-entity"
        return "entity-without-global-entity" if values["entity"] and not self.header else None

    def _entity(self, value: str, line: int, word: int, values: dict[str, list[str]]) -> None:
        """Check the attributes of a word that has the attribute Entity."""
        begin: set[str] = set()
        if not _BRACKETS.fullmatch(value):
            self._tell("spurious-entity-statement", line, value)
        elif "eid" not in self.field_at:
            return
        else:
            begin = self._brackets(line, word, value)
        for bridges in values.get("bridge", ()):
            if not _related(bridges, typed=True):
                self._tell("spurious-bridge-statement", line, bridges)
        for antecedents in values.get("splitante", ()):
            self._antecedents(antecedents, line, begin)

    def _brackets(self, line: int, word: int, value: str) -> set[str]:
        """Check the brackets of a word; returns the entities of which a mention begins."""
        begin: set[str] = set()
        ended: set[tuple[int, _Span]] = set()
        if not _ORDER.fullmatch(value):
            self._tell("spurious-entity-statement", line, value)
        for opens, inside, closes in _BRACKET.findall(value):
            text, fields = opens + inside + closes, inside.split("-")
            if len(fields) > (self.fields if opens else 1):
                self._tell("too-many-entity-attributes", line, text)
            name = (*fields, "")[min(self.field_at["eid"], len(fields))] if opens else fields[0]
            entity, part, parts = name, 1, 1
            if found := _PART.fullmatch(name) if name.endswith("]") else None:
                entity, part, parts = found[1], int(found[2]), int(found[3])
            if part > parts or (found and parts == 1) or (not found and name.startswith(("[", "]"))):
                self._tell("spurious-entity-id", line, text)
            bracket = _Bracket(line, word, text, fields, name, entity, part, parts)
            if opens:
                self._opens(bracket)
                if part == 1:
                    begin.add(entity)
            if closes:
                self._closes(bracket, ended)
        return begin

    def _opens(self, bracket: _Bracket) -> None:
        line, text, entity = bracket.line, bracket.text, bracket.entity
        if bracket.parts > 1:
            self._begin_part(bracket)
        if entity in self.of_earlier:
            self._tell("entity-across-newdoc", line, text, self.of_earlier[entity])
        else:
            self.of_document.setdefault(entity, line)
        values = bracket.fields
        etype, identity, head = (values[at] if at < len(values) else "" for at in self.wanted)
        if etype and not _TYPES.fullmatch(etype):
            self._tell("spurious-entity-type", line, text)
        good_head = _HEAD.fullmatch(head)
        if not good_head and self.wanted[2] < len(values):
            self._tell("spurious-mention-head", line, text)
        first = self.first_mention.setdefault(entity, (etype, identity, line))
        if etype != first[0]:
            self._tell("entity-type-mismatch", line, text, first[2])
        if identity != first[1]:
            self._tell("entity-identity-mismatch", line, text, first[2])
        self.opened[bracket.id].append((line, bracket.word, int(head[:10]) if good_head else 0))

    def _begin_part(self, bracket: _Bracket) -> None:
        rest = [value for at, value in enumerate(bracket.fields) if at != self.field_at["eid"]]
        partial = self.partial[bracket.entity, bracket.parts]
        if partial and bracket.part == partial[-1].number + 1:
            if rest != partial[-1].fields:
                self._tell("mention-attribute-mismatch", bracket.line, bracket.text, partial[-1].line)
            return
        if bracket.part > 1:
            self._tell("misplaced-mention-part", bracket.line, bracket.text)
        if bracket.part == 1 or not partial:
            partial.append(_Partial(bracket.part, bracket.line, rest))

    def _closes(self, bracket: _Bracket, ended: set[tuple[int, _Span]]) -> None:
        if not self.opened[bracket.id]:
            self._tell("ill-nested-entities", bracket.line, bracket.text)
            return
        line, first, head = self.opened[bracket.id].pop()
        stretches = [(first, bracket.word)]
        partial = self.partial[bracket.entity, bracket.parts] if bracket.parts > 1 else None
        if partial is not None:
            if not partial:
                self._tell("misplaced-mention-part", bracket.line, bracket.text)
                partial.append(_Partial(bracket.part, line, ()))
            whole = partial[-1]
            whole.number = bracket.part
            whole.span += stretches
            stretches = whole.span
        if bracket.part != bracket.parts:
            return
        span = tuple(stretches)
        if partial:
            partial.pop()
        if sum(last - first + 1 for first, last in span) < head:
            self._tell("mention-head-out-of-range", bracket.line, bracket.text)
        if (line, span) in ended:
            self._tell("same-span-entity-mentions", bracket.line, bracket.text)
        ended.add((line, span))
        if self._crosses(bracket.entity, span):
            self._tell("crossing-mentions-same-entity", bracket.line, bracket.text)

    def _crosses(self, entity: str, span: _Span) -> bool:
        """Return whether a mention crosses one of its entity in this sentence that ended before."""
        ended = self.ended.setdefault(entity, [])
        ended.append(span)
        if len(ended) == 1:  # nearly always
            return False
        crosses, of_word = False, self.words[entity]
        for each in ended if len(ended) == 2 else ended[-1:]:
            words = frozenset(word for first, last in each for word in range(first, last + 1))
            others = {other for word in words & of_word.keys() for other in of_word[word]}
            crosses = any(not words <= other and not other <= words for other in others)
            for word in words:
                of_word.setdefault(word, set()).add(words)
        return crosses

    def _antecedents(self, value: str, line: int, begin: set[str]) -> None:
        if not _related(value, typed=False):
            self._tell("spurious-splitante-statement", line, value)
            return
        of: dict[str, list[str]] = defaultdict(list)
        for relation in value.split(","):
            antecedent, _, entity = relation.partition("<")
            if not (antecedent and entity) or "<" in entity:
                continue
            if antecedent == entity:
                self._tell("spurious-splitante-relation", line, relation)
            elif entity not in begin:
                self._tell("misplaced-splitante-statement", line, relation)
            of[entity].append(antecedent)
        for entity, antecedents in of.items():
            if len({*antecedents}) < len(antecedents):
                self._tell("repeated-splitante-relation", line, value)
            if len(antecedents) == 1:
                self._tell("only-one-split-antecedent", line, value)
            if entity in self.with_antecedents:
                self._tell("split-antecedent-mismatch", line, value, self.with_antecedents[entity])
            self.with_antecedents.setdefault(entity, line)


def _related(value: str, *, typed: bool) -> bool:
    """Return whether a value is relations such as `e1<e2`, or `e1<e2:type` if they can be ``typed``, with commas
    between.
    """
    begin, *between = value.split("<")
    if {*value} & {*"( >)"} or not between or not begin or ":" in (begin if typed else value):
        return False
    return _END.fullmatch(between.pop()) is not None and all(
        _TYPED.fullmatch(piece) if ":" in piece else "," in piece[1:-1] for piece in between
    )


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Return the documents of all files as one corpus, each file as a batch, with their mentions that have no faults;
    all that is wrong or odd is added to ``found``. Raises `UsageError` for a file that cannot be read.
    """
    read = (_Examined(source, found, request) for source in files)
    return (batch for batch in batches(read, found.add) if len(batch))


class _Examined(File):
    """A file that is read to its end."""

    def __init__(self, source: Source, found: Found, request: Request) -> None:
        super().__init__(source, found.add, request)
        self.found = found
        self._faults: dict[int, Callable[[], Finding]] = {}

    def refuse(self, finding: Finding) -> None:
        self.found.add(finding)
        row = int(np.searchsorted(self.lines.tokens, (finding.line or 1) - 1))
        document = int(self.document_of_sentence[self.lines.sentence[row]]) if len(self.lines.tokens) else 0
        self._faults.setdefault(document, lambda: finding)

    def take(self, code: str, faulty: Sequence[int]) -> Sequence[int]:
        return self.found.take(code, faulty)

    def documents(self) -> Documents:
        if odd := undecodable(self.lines.text.tobytes()):
            self.keep(not_utf_8(self.source.name, odd[0], len(odd)))
        found = replace(super().documents(), faults=self._faults)
        _check(self.lines, self.found.add)
        return found
