"""The words of JSON by sentence, those that mean zeros, and the units of tokens. JSON has no parts of speech and no
parses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from corefscore.core.documents import OF_FIELD, Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import plural
from corefscore.core.sources import Source
from corefscore.formats.base import Annotations, Request, Sentences, refused, zeros_in
from corefscore.formats.jsonlines.objects import bad_field, objects
from corefscore.formats.jsonlines.reader import clusters_of, words_of
from corefscore.formats.jsonlines.records import Fields
from corefscore.formats.jsonlines.words import are

_NAMES = (str, int)
"""The types of the names of units."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    for place, fields in objects(source, request.lines):
        words = words_of(place, fields, request) or ()
        units = () if request.unit is None else _units(place, fields, words, request.unit)
        types = _types(place, fields, request) if request.types and request.types.startswith(OF_FIELD) else {}
        yield Annotations(place.line, words, units=units, types=types, zeros=zeros_in(chain(*words)))


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


def _types(place: Place, fields: Fields, request: Request) -> Mapping[str, str]:
    """Return the types of entities by id, from a field with a type for each cluster or for each mention, or with lists
    of the offsets and the type of a name, by sentence or not; a mention has the type of the name with its offsets.

    Raises `InputError` for a field with another shape; without the field there are no types.
    """
    field = (request.types or "").removeprefix(OF_FIELD)
    dialect, clusters = clusters_of(place, fields, request)
    value = fields.get(field)
    if value is None:
        return {}
    rows = value if isinstance(value, list) else [None]
    sizes = list(map(len, clusters))
    if are(str, rows) and len(rows) == len(sizes):
        return {str(number): kind for number, kind in enumerate(rows)}
    if are(list, rows) and are(str, chain(*rows)) and list(map(len, rows)) == sizes:
        return {str(number): next(filter(None, kinds), "") for number, kinds in enumerate(rows)}
    width = 3 if dialect.by_sentence else 2
    names = list(chain(*rows)) if are(list, rows) and are(list, chain(*rows)) else rows
    if not all(isinstance(name, list) and [*map(type, name[: width + 1])] == [int] * width + [str] for name in names):
        expected = f"a type for each cluster or each mention, or lists of {dialect.mention} and a type"
        raise bad_field(place, fields, field, "has another shape", expected)
    type_of = {tuple(name[:width]): name[width] for name in reversed(names)}
    # The first mention of a cluster is the last one to set its type.
    pairs = ((number, tuple(mention)) for number, cluster in enumerate(clusters) for mention in reversed(cluster))
    return {str(number): type_of[mention] for number, mention in pairs if type_of.get(mention)}
