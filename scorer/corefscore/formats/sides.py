"""What fields of JSON and columns of tables seem to have, by their names: the entities of a side, or none.

Files with the answer of a system often contain a copy of the key as well. Readers tell the two apart by these names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from corefscore.core.documents import KEY, RESPONSE, Place, Unread
from corefscore.core.errors import UsageError
from corefscore.core.findings import texts_in
from corefscore.formats.base import Request

_TEXTS = texts_in(__package__, "sides.ini")
_NAMES = {what: names.replace("\n", "") for what, names in _TEXTS["patterns"].items()}
OF_ENTITIES, OF_TEXTS = _NAMES["entities"], _NAMES["texts"]
"""Patterns for names that say that there are entities, and for the names of documents with their own entities."""

_UNIT = "(?:token|tok|word|char|byte|mention|span|global|doc|offset|idx|index|pos|position|id)?s?[-_ ]?"
OF_STARTS = f"{_UNIT}(?:start|begin|first|from|onset)s?[-_ ]?{_UNIT}{_UNIT}"
OF_PLACES = f"{OF_STARTS}|{_UNIT}(?:end|position|offset)s?[-_ ]?{_UNIT}{_UNIT}|(?:token|word)[-_ ]?ids?"
OF_WORDS = "(?:(?:mention|item|span|entity|char|token)[-_ ]?)?(?:text|string|words?|span|surface(?:[-_ ]form)?|tokens?)"
"""Names of columns that say where an item begins, or where it is, and of those with its words, in lower case."""

ABOUT_TEXT, _OTHERS = ({"", *re.split(",\\s", names)} for names in _TEXTS["names"].values())
METADATA = ABOUT_TEXT | _OTHERS
"""Fields of dialects, and columns of exports, that are known to have no entities of their own: they are about the text,
the object or the row, or have those of other fields in another form."""


@cache
def side_in(name: str) -> str:
    """Return the side whose entities something with this name seems to have; "" if it says no side, or both."""
    plain = _plain(name)
    sides = [side for side in (KEY, RESPONSE) if re.search(_NAMES[side], plain)]
    return sides[0] if len(sides) == 1 and not re.search(_NAMES["others"], plain) else ""


def of_key(name: str) -> bool:
    """Return whether something with this name seems to be of the key, whatever else the name says."""
    return re.search(_NAMES[KEY], _plain(name)) is not None


def _plain(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def names_entities(name: str, side: str) -> bool:
    """Return whether a column with this name seems to have the entities of a side, or of none in particular ("")."""
    if of := side_in(name):
        return of == side
    of_entities = re.search(OF_ENTITIES, name) is not None and not re.search(_NAMES["others"], _plain(name))
    return of_entities or re.search(_NAMES["labels"], name) is not None


def names_documents(name: str) -> bool:
    """Return whether something with this name seems to have the names of documents."""
    return re.fullmatch(_NAMES["documents"], name.strip()) is not None


def naming_fields(values: Mapping[str, Sequence[str | int]], count: int) -> list[str]:
    """Return the fields that seem to have the names of ``count`` documents by their own names, and since each document
    has another value; ``values`` are in the order of the documents."""
    return [name for name, of_field in values.items() if len({*of_field}) == count and _look_like_names(name, of_field)]


_WORD = re.compile("(?a)[\\w./:-]*[A-Za-z]{2}[\\w./:-]*")
"""Text that may be a name, but not a number or a time."""


def _look_like_names(name: str, values: Sequence[str | int]) -> bool:
    known = (
        re.search(_NAMES["ids"], name)
        or names_documents(name)
        or re.fullmatch(f"{OF_TEXTS}|(?i:title|name|path)", name)
    )
    is_id = len(values) > 1 and bool(re.fullmatch(_NAMES["keys"], name) or (known and not side_in(name)))
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:  # those in order from 0 or 1 say no more than lines do
        return is_id and numbers not in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    title = re.search("(?i)(?:name|title)$", name) is not None
    # Other words, with numbers or not, are probably names, too, if there is one for each of several documents.
    other = len(values) > 4 and all(map(_WORD.fullmatch, map(str, values))) and not side_in(name)
    other = other and not re.search(_NAMES["others"], _plain(name))
    likely = title or is_id or other or names_documents(name)
    return likely and all(value and (title or " " not in str(value)) for value in values)


def leave(
    unread: dict[Unread, Place], place: Place, names: Iterable[str], read: Collection[str] = (), cells: int = 0
) -> None:
    """Add those of the ``names`` at a place that are not ``read`` to those of a side."""
    for name in names:
        if name not in read:
            unread.setdefault(Unread(name, cells), place)


def refuse_other_side(request: Request, place: Place, content: str, names: Iterable[str]) -> None:
    """Raise `UsageError` if ``--columns`` names for both sides what seems to be the other side's, and this side has one
    of these ``names`` for it, too; or ``coref`` beside ``gold_coref``, say, in the key.
    """
    name = str(request.columns.get(content))
    of, others = side_in(name), [own for own in names if own != name]
    if not of:
        plain = _plain(name)
        of, others = RESPONSE, [its for its in others if re.sub(_NAMES[KEY], "", _plain(its)).strip("_-. ") == plain]
    if request.side and content in request.both and others and of != request.side:
        raise UsageError(
            f"{place}: --columns {content}={name} applies to both sides, but the {request.side} has {others[0]}; name "
            f"both, such as {of}.{content}={name},{request.side}.{content}={others[0]}"
        )
