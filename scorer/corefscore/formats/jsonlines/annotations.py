"""The words of JSON by sentence, those that mean zeros, and the units of tokens. JSON has no parts of speech and no
parses."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from corefscore.core.documents import OF_FIELD, Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import plural
from corefscore.core.sources import Source
from corefscore.formats.base import Annotations, Request, Sentences, refused, zeros_in
from corefscore.formats.jsonlines.objects import objects
from corefscore.formats.jsonlines.reader import words_of
from corefscore.formats.jsonlines.records import Fields

_NAMES = (str, int)
"""The types of the names of units."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    for place, fields in objects(source, request.lines):
        words = words_of(place, fields, request) or ()
        units = () if request.unit is None else _units(place, fields, words, request.unit)
        yield Annotations(place.line, words, units=units, zeros=zeros_in(chain(*words)))


def _units(place: Place, fields: Fields, words: Sentences, unit: str) -> list[str]:
    """Return the unit of each token, from a field with one name for all tokens, or with one for each sentence or each
    token, in one list or by sentence.

    Raises `UsageError` if ``unit`` is not the name of a field, `InputError` for a field that is missing or has another
    shape.
    """
    field = unit.removeprefix(OF_FIELD)
    if field == unit or not field:
        raise UsageError(f"--unit {unit}: {place.source.name} is JSON; expected field:NAME")
    value = fields.get(field)
    tokens = sum(map(len, words))
    if type(value) in _NAMES:
        return [str(value)] * tokens
    if isinstance(value, list):
        flat = list(chain(*value)) if all(isinstance(item, list) for item in value) else value
        if all(type(name) in _NAMES for name in flat):
            if len(flat) == tokens:
                return list(map(str, flat))
            if len(flat) == len(words):
                return [str(name) for name, sentence in zip(flat, words, strict=True) for _ in sentence]
    fault = "is missing" if field not in fields else "has another shape"
    expected = f"a name, or a list of names for {plural(len(words), 'sentence')} or {plural(tokens, 'token')}"
    raise refused(place, "no-unit", what=f'the field "{field}" {fault}', expected=expected, unit=unit)
