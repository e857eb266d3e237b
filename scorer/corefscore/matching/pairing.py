"""Which response document belongs to which key document: the one with the same name.

Between CoNLL and another format, names can also have two forms (`in_other_form`): ``X_0``, as models name the documents
of JSON lines, is ``(X); part 000``, if no other document of either side can be meant. The number of zeros does not
matter. Between two CoNLL files names must be equal, as for the official scorer (other-name-0001).

Both sides are read batch by batch. If both have their documents in the same order, only the current batches are in
memory; a response document that comes early waits until the key gets there. If names of the two forms have to be
paired, both sides are read to the end first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, islice
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools
from corefscore.core.documents import Documents, Place, joined, part_of
from corefscore.core.errors import InputError, UnknownDocumentError, nearest, suggested
from corefscore.core.findings import NO_CHARACTERS, SHOWN, Finding
from corefscore.matching.offsets import InTokens, named_by_position


class Pairs(NamedTuple):
    """A batch of pairs; document d of ``key`` and of ``response`` belong together.

    If the response has no such document, its side is empty and ``present`` is false.
    """

    key: Documents
    response: Documents
    present: Bools


class Names:
    """The names seen on one side; no name may come twice."""

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self.exact = True
        """Whether all of them are CoNLL names."""

    def add(self, documents: Documents) -> None:
        """Add the names of a batch. Raises `InputError` for a name that was already added."""
        self.exact = self.exact and documents.exact_names
        for document, name in enumerate(documents.names):
            place = documents.place_of(document)
            first = self.places.setdefault(name, place)
            if first is not place:
                details = {"document": name, "first": str(first)}
                raise InputError([Finding("repeated-name", place.source.name, place.line, details=details)])


def in_other_form(key: Collection[str], response: Collection[str]) -> dict[str, str]:
    """The response name by key name, for pairs of documents whose names have the two forms."""
    found = {}
    for part, name in _parts(key).items():
        if name in response and name not in key and part not in response:
            found[part] = name
    for part, name in _parts(response).items():
        if name in key and name not in response and part not in key:
            found[name] = part
    return found


def _parts(names: Iterable[str]) -> dict[str, str]:
    """The names ``(X); part 000`` by their other form ``X_0``, if this can mean only one of them."""
    meant_by: dict[str, list[str]] = defaultdict(list)
    for name in names:
        if part := part_of(name):
            document, number = part
            meant_by[f"{document}_{number.lstrip('0') or '0'}"].append(name)
    return {names[0]: name for name, names in meant_by.items() if len(names) == 1}


def _refused(finding: Finding) -> None:
    raise InputError([finding])


def pair(
    key: Iterator[Documents],
    response: Iterator[Documents],
    notices: list[Finding],
    only: str | None = None,
    refuse: Callable[[Finding], None] = _refused,
) -> Iterator[Pairs]:
    """Pairs for all documents of the key, or for the one named ``only``.

    A response without a document of the key counts as one without mentions there; a document that only
    the response has is not scored (recorded cases missing-document, extra-document). Both give a notice, and
    so do different numbers of tokens, and faults in documents that are not scored. ``refuse`` is called with each error
    that only the comparison with the other side shows; it raises the error, or collects it and returns.

    Raises `InputError` for two documents of one name on a side and for a fault in a document that is
    scored; `UsageError` if the key has no document named ``only``.
    """
    return _Pairing(key, response, notices, only, refuse).run()


class _Pairing:
    def __init__(
        self,
        key: Iterator[Documents],
        response: Iterator[Documents],
        notices: list[Finding],
        only: str | None,
        refuse: Callable[[Finding], None],
    ) -> None:
        self.key, self.response = named_by_position(key, response)
        self.notices, self.only, self.refuse = notices, only, refuse
        self.in_tokens = InTokens(notices)
        self.key_names, self.response_names = Names(), Names()
        self.other_form: dict[str, str] = {}
        self.waiting: dict[str, tuple[Documents, int]] = {}
        self.unscored = 0

    def run(self) -> Iterator[Pairs]:
        while (batch := next(self.key, None)) is not None:
            self.key_names.add(batch)
            wanted = np.array([self.only in (None, name) for name in batch.names], dtype=np.bool_)
            self._unscored(batch, [d for d in batch.faults if not wanted[d]])
            if not wanted.any():
                continue
            yield self._pairs(batch.take(np.flatnonzero(wanted)))
        if self.only is not None and self.only not in self.key_names.places:
            asked, *known = (f'"{name}"' for name in (self.only, *self.key_names.places))
            raise UnknownDocumentError(f"the key has no document named {asked}; {suggested(asked, known)}")
        while self._read_response():
            pass
        self._finish()

    def _pairs(self, key: Documents) -> Pairs:
        while not all(name in self.waiting for name in key.names) and self._read_response():
            pass
        missing = {name for name in key.names if name not in self.waiting}
        two_forms = not (self.key_names.exact and self.response_names.exact)
        if missing and two_forms and not self.other_form and in_other_form(missing, self.response_names.places):
            rest = list(self.key)  # they stay in memory until they are scored
            for batch in rest:
                self.key_names.add(batch)
            self.key = iter(rest)
            self.other_form = in_other_form(self.key_names.places, self.response_names.places)
        found = [self.waiting.pop(self.other_form.get(name, name), None) for name in key.names]
        parts = {id(there[0]): there[0] for there in found if there is not None}
        # The documents in the parts before each.
        before = dict(zip(parts, accumulate(map(len, parts.values()), initial=0), strict=False))
        places = [-1 if there is None else before[id(there[0])] + there[1] for there in found]
        chosen = np.array(places, dtype=np.int64)
        response = joined(list(parts.values())).take(chosen)
        present = chosen >= 0
        if self.other_form:
            response = replace(response, names=[name if p else "" for name, p in zip(key.names, present, strict=True)])
        key, response = self.in_tokens.pair(key, response)
        self._check(key, response, present)
        return Pairs(key, response, present)

    def _read_response(self) -> bool:
        batch = next(self.response, None)
        if batch is None:
            return False
        self.response_names.add(batch)
        self.waiting.update((name, (batch, d)) for d, name in enumerate(batch.names))
        return True

    def _check(self, key: Documents, response: Documents, present: Bools) -> None:
        if faults := {**response.faults, **key.faults}:
            raise InputError([faults[min(faults)]()])
        for side, other in ((key, response), (response, key)):
            for finding in _beyond(side, other, present):
                self.refuse(finding)
        known = present & (key.tokens >= 0) & (response.tokens >= 0)
        differ = known & (key.tokens != response.tokens)
        none = 0, 0
        # By document, so that the order does not depend on how documents are cut into batches.
        for d in sorted({*np.flatnonzero(differ).tolist(), *key.comments, *response.comments}):
            if differ[d]:
                self._differ("token-count", response, d, key=int(key.tokens[d]), response=int(response.tokens[d]))
            counts = key.comments.get(d, none), response.comments.get(d, none)
            if present[d] and key.exact_names and response.exact_names and counts[0] != counts[1]:
                self._differ("other-comments", response, d, key=counts[0][0], response=counts[1][0])

    def _differ(self, code: str, documents: Documents, d: int, **numbers: int) -> None:
        place, details = documents.place_of(d), {"document": documents.names[d], **numbers}
        self.notices.append(Finding(code, place.source.name, place.line, details=details))

    def _unscored(self, batch: Documents, documents: list[int]) -> None:
        for d in documents:
            self.unscored += 1
            if self.unscored > SHOWN:
                # This one is only counted, since the file would have to be read again to say what is wrong.
                details = {"fault": f'in document "{batch.names[d]}"'}
                self.notices.append(Finding("unscored-fault", batch.place_of(d).source.name, details=details))
            else:
                fault = batch.faults[d]()
                self.notices.append(fault._replace(code="unscored-fault", details={"fault": fault.found}))

    def _finish(self) -> None:
        """Add notices about documents without a partner, once both sides are read to the end."""
        for batch, d in self.waiting.values():
            if d in batch.faults:
                self._unscored(batch, [d])
        key, response = self.key_names.places, self.response_names.places
        paired = (key.keys() & response.keys()).union(*self.other_form.items())
        missing = {name: place for name, place in key.items() if self.only in (None, name) and name not in paired}
        extra = {name: place for name, place in response.items() if name not in paired}
        self.notices += unpaired(missing, extra, len(key), alone=self.only is not None)


def unpaired(
    missing: Mapping[str, Place], extra: Mapping[str, Place], count: int, *, alone: bool = False
) -> Iterator[Finding]:
    """Report the documents that one side lacks; the key has ``count``. With ``alone`` only those of the response."""
    if extra and missing and len(missing) == count:
        other, place = next(iter(extra.items()))
        details = {"key": next(iter(missing)), "response": other}
        yield Finding("no-common-document", place.source.name, place.line, details=details)
    yield from _alone("missing-document", missing, extra)
    yield from _alone("extra-document", {} if alone else extra, missing)


def _alone(code: str, documents: Mapping[str, Place], others: Mapping[str, Place]) -> Iterator[Finding]:
    near = list(islice(others, 1000))
    for number, (name, place) in enumerate(documents.items()):
        # Only so many are shown, and finding similar names takes time.
        like = nearest(name, near, count=1) if number < SHOWN else []
        hint = f'; the nearest name without a partner is "{like[0]}"' if like else ""
        yield Finding(code, place.source.name, place.line, details={"document": name, "nearest": hint})


def _beyond(side: Documents, other: Documents, present: Bools) -> Iterator[Finding]:
    """The mentions beyond the last token of their document, whose number of tokens only the other side has."""
    unknown = present & (side.tokens < 0) & (other.tokens >= 0)
    if not unknown.any():
        return
    document = side.mention_document()
    for mention in np.flatnonzero(unknown[document] & (side.end >= other.tokens[document])).tolist():
        d = int(document[mention])
        details = {
            "document": side.names[d],
            "place": "a mention",
            "what": f"[{side.start[mention]}, {side.end[mention]}]",
            "expected": f"offsets below {other.tokens[d]}, the number of tokens on the other side{NO_CHARACTERS}",
        }
        place = side.place_of(d)
        yield Finding("bad-mention", place.source.name, place.line, details=details)
