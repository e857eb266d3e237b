"""What fields of JSON and columns of tables seem to have, by their names: the entities of a side, or none.

Files with the answer of a system often contain a copy of the key as well. Readers tell the two apart by these names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

from corefscore.core.documents import KEY, RESPONSE, Place, Unread
from corefscore.core.errors import UsageError
from corefscore.formats.base import Request

_OF_SIDE = {
    KEY: r"gold|truth|(?:^|_)(?:true|references?)(?:_|$)|(?:^|(?<!doc)_)key(?:_|$)",
    RESPONSE: r"(?:^|[^a-z])(?:pred(?:s|ict(?:s|ed|ion|ions)?)?|hyp[a-z]*|infer[a-z]*|answers?|results?|outputs?|guess"
    r"|completions?|generated|sys|system|resp|responses?|model_(?:clust|coref|chain|entit)[a-z]*)(?![a-z])",
}
_NO_ENTITIES = (
    r"(?:^|[^a-z])(?:mention|sent|span|token|offset|ner|bridg|pair|struct|relation|point|pos|type|name|score|date|time"
    "|version|text|count|size|len|num|freq|rank|method|n_|is_|has_|prob|logit|conf)"
)
"""Names that say a side, and names of something else than entities, in lower case."""

OF_ENTITIES = r"(?i)^(?!.*char\w*_offsets?$).*(?:clust|chain|coref|entit)"
"""Names that say that there are entities; those of Maverick in characters are a copy of those in tokens."""

_OF_IDS = (
    "^(?:e|ent|entity|group|grp|set|kb|q|person|event|wikidata|identity|referent|antecedent)[-_ ]?(?:id|no|nr)?$"
    "|^(?:mention|item)_(?:cluster|entity)$|(?:cluster|entity)_num(?:ber)?$|^label_?2$|^y_?hat$"
    "|^(?:h?dbscan|kmeans)(?:_?label)?$|^(?:new|final)_?label$|^modularity_class$|^(?:refers|same)_(?:to|as)$|^canonical$"
)
"""Other names of columns that may have the entities of items."""

_OF_DOCUMENTS = (
    "(?i)(?:doc|document|file|text|article|story)[-_ ]?(?:id|key|name|title|no|nr|num(?:ber)?)"
    "|doc|document|file|(?:file_?)?path"
)
"""Names of what may have the name of the document, if no known field or column has it."""

OF_TEXTS = (
    "(?i)(?:topic|book|novel|story|play|poem|thread|dialogue|tweet|article|passage|conversation|interview|letter|email"
    "|abstract|report|transcript|review|paper|post|meeting|video|movie|docno)s?(?:[-_ ]?(?:id|name|title|number))?"
)
"""Names of what has the name of a document if each has its own entities."""

_UNIT = "(?:token|tok|word|char|byte|mention|span|global|doc|offset|idx|index|pos|position|id)?s?[-_ ]?"
OF_STARTS = f"{_UNIT}(?:start|begin|first|from|onset)s?[-_ ]?{_UNIT}{_UNIT}"
OF_PLACES = f"{OF_STARTS}|{_UNIT}(?:end|position|offset)s?[-_ ]?{_UNIT}{_UNIT}|(?:token|word)[-_ ]?ids?"
OF_WORDS = "(?:(?:mention|item|span|entity|char|token)[-_ ]?)?(?:text|string|words?|span|surface(?:[-_ ]form)?|tokens?)"
"""Names of columns that say where an item begins, or where it is, and of those with its words, in lower case."""

_IDS = (
    "(?:^|[-_])(?i:id|idx|uid|uuid|guid|index|hash|url|uri|key|ref|no)$|(?<=[a-z])(?:Id|ID|Idx|Key)$|^[a-z]{1,4}id$"
    "|^(?i:source|paper|article|story|case|instance|example|sample|item|record|page|chapter|scene|episode|headline)$"
)
"""Names of fields with ids or numbers of documents."""

_KEYS = "_*(?:(?:sample|example|instance|item|record|row)_)?key_*"
"""Names of fields with names of documents, although they also name a side."""

ABOUT_TEXT = {"", "Unnamed: 0", "index", "speaker", "speakers", "genre", "text", "tokens", "ner", "pos"}
ABOUT_TEXT |= {"constituents", "sentence_map"}
COPIES = {"clusters_char_offsets", "clusters_char_text", "clusters_token_text", "clusters_text_mentions"}
COPIES |= {"clusters_strings", "word_clusters"}
METADATA = {*ABOUT_TEXT, *COPIES, "cat", "prop", "usage", "meta", "metadata"}
"""Fields of dialects, and columns of exports, that are known to have no entities of their own: they are about the text,
or have those of other fields in another form."""


@cache
def side_in(name: str) -> str:
    """Return the side whose entities something with this name seems to have; "" if it says no side, or both."""
    plain = _plain(name)
    sides = [side for side, names in _OF_SIDE.items() if re.search(names, plain)]
    return sides[0] if len(sides) == 1 and not re.search(_NO_ENTITIES, plain) else ""


def of_key(name: str) -> bool:
    """Return whether something with this name seems to be of the key, whatever else the name says."""
    return re.search(_OF_SIDE[KEY], _plain(name)) is not None


def _plain(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def names_entities(name: str, side: str) -> bool:
    """Return whether a column with this name seems to have the entities of a side, or of none in particular ("")."""
    if of := side_in(name):
        return of == side
    of_entities = re.search(OF_ENTITIES, name) is not None and not re.search(_NO_ENTITIES, name)
    return of_entities or re.search(_OF_IDS, name) is not None


def names_documents(name: str) -> bool:
    """Return whether something with this name seems to have the names of documents."""
    return re.fullmatch(_OF_DOCUMENTS, name.strip()) is not None


def naming_fields(values: Mapping[str, Sequence[str | int]], count: int) -> list[str]:
    """Return the fields that seem to have the names of ``count`` documents by their own names, and since each document
    has another value; ``values`` are in the order of the documents."""
    return [name for name, of_field in values.items() if len({*of_field}) == count and _look_like_names(name, of_field)]


_WORD = re.compile("(?a)[\\w./:-]*[A-Za-z]{2}[\\w./:-]*")
"""Text that may be a name, but not a number or a time."""


def _look_like_names(name: str, values: Sequence[str | int]) -> bool:
    known = re.search(_IDS, name) or names_documents(name) or re.fullmatch(f"{OF_TEXTS}|(?i:title|name|path)", name)
    is_id = len(values) > 1 and bool(re.fullmatch(_KEYS, name) or (known and not side_in(name)))
    numbers = [value for value in values if isinstance(value, int)]
    if numbers:  # those in order from 0 or 1 say no more than lines do
        return is_id and numbers not in ([*range(len(numbers))], [*range(1, len(numbers) + 1)])
    title = re.search("(?i)(?:name|title)$", name) is not None
    # Other words, with numbers or not, are probably names, too, if there is one for each of several documents.
    other = len(values) > 4 and all(map(_WORD.fullmatch, map(str, values))) and not side_in(name)
    other = other and not re.search(_NO_ENTITIES, _plain(name))
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
        of, others = RESPONSE, [its for its in others if re.sub(_OF_SIDE[KEY], "", _plain(its)).strip("_-. ") == plain]
    if request.side and content in request.both and others and of != request.side:
        raise UsageError(
            f"{place}: --columns {content}={name} applies to both sides, but the {request.side} has {others[0]}; name "
            f"both, such as {of}.{content}={name},{request.side}.{content}={others[0]}"
        )
