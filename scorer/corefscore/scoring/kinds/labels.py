"""The kind of each mention: from the text of the key, the types of entities, or the positions of mentions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.documents import KEY, RESPONSE, Documents, Kinds, Place
from corefscore.core.errors import UsageError
from corefscore.formats import form_of
from corefscore.formats.base import AUTO, Reading
from corefscore.matching.pairing import Pairs
from corefscore.scoring.kinds.options import DISTANCE, KIND, KINDS, NAMES, NOMINALS, PRONOUNS, SIZE, TYPE, UNTYPED, Of
from corefscore.scoring.kinds.pronouns import Fits, Pronouns, are_pronouns, fitting, pronouns_of, unknown
from corefscore.scoring.kinds.texts import TAG_SETS, Projection, Text, text_of

UNKNOWN = -1
"""The number of a mention whose side does not say its kind."""


def with_kinds(pairs: Pairs, of: Of, reading: Reading) -> Pairs:
    """The same documents with the `Kinds` of their mentions; ``reading`` is how their files were read.

    A division by size gets none, since the size of an entity depends on which mentions count. Raises `UsageError` if
    the kinds of mentions cannot be found.
    """
    if of.by == SIZE:
        return pairs
    if of.by == DISTANCE:
        for name, side in ((KEY, pairs.key), (RESPONSE, pairs.response)):
            if int(side.start.min(initial=0)) < 0:
                raise UsageError(
                    f"--of distance needs mentions that are (start, end), and the {name} has others; leave --of out"
                )
        key, response = Kinds(pairs.key.start), Kinds(pairs.response.start)
    else:
        key, response = _by_head(pairs, of) if of.by == KIND else _by_type(pairs, of, reading)
    return pairs._replace(key=replace(pairs.key, kinds=key), response=replace(pairs.response, kinds=response))


def _by_head(pairs: Pairs, of: Of) -> tuple[Kinds, Kinds]:
    """Mentions as pronouns, names and nominals, by the text of the key."""
    text = text_of([pairs])
    option = f"--of {of.value.partition(':')[0]}:"
    pronouns = pronouns_of(of.pronouns, text, option)
    why = unknown(of.pronouns, pronouns, text, "")
    if why is None and text.tag_set is None and of.kinds != (PRONOUNS,):
        why = "the key has no parts of speech from which names can be recognised"
    if why is not None and len(pairs.key.start):
        raise UsageError(f"--of {of.value}: {why}; {_remedy(of, text)}")
    names = fitting(Pronouns(NAMES, TAG_SETS[text.tag_set].names if text.tag_set else ()))
    heads = text.heads(AUTO)
    found = []
    for side in (pairs.key, pairs.response):
        document, placed = side.mention_document(), text.placed(side)
        number = np.full(len(side.start), KINDS.index(NOMINALS))
        number[_named(document, placed, text, names, heads)] = KINDS.index(NAMES)
        number[are_pronouns(document, placed[:3], text, pronouns)] = KINDS.index(PRONOUNS)
        found.append(Kinds(number, KINDS))
    return found[0], found[1]


def _remedy(of: Of, text: Text) -> str:
    """What to do if kinds cannot be recognised in the key."""
    if not text.words:
        return "--of size and --of distance need no words"
    if of.kinds == (PRONOUNS,) and of.pronouns != "auto":
        return "give other tags or words"
    return "only pronouns can be recognised by words, such as --of pronouns:english or --of pronouns:words:FILE"


def _named(document: Ints, placed: Projection, text: Text, names: Fits, heads: str) -> Ints:
    """The mentions whose head is a name."""
    which = np.flatnonzero(placed.inside)
    tokens = text.heads_of(placed, which, document[which], heads)
    is_name = [names(text.tags[token], text.words[token]) for token in tokens.tolist()]
    return which[np.array(is_name, dtype=np.bool_)]


def _by_type(pairs: Pairs, of: Of, reading: Reading) -> tuple[Kinds, Kinds]:
    """Mentions by the types of their entities. In a response without types they are unknown, so those of the matching
    key mentions count."""
    key, response = (_types(name, side, reading) for name, side in ((KEY, pairs.key), (RESPONSE, pairs.response)))
    if not any(key) and len(pairs.key.start):
        raise UsageError(f"--of {of.value}: the key has no types of entities; CorefUD has them in the field etype")
    names = (UNTYPED, *sorted({*key, *response} - {""}))
    number_of = {name: number for number, name in enumerate(names)} | {"": 0}
    found = []
    for side, types in ((pairs.key, key), (pairs.response, response)):
        of_entity = np.array([number_of[name] for name in types], dtype=np.int64)
        if side is pairs.response and not any(types):
            of_entity[:] = UNKNOWN
        found.append(Kinds(of_entity[side.entity], tuple(f"{TYPE}:{name}" for name in names)))
    return found[0], found[1]


def _types(name: str, side: Documents, reading: Reading) -> list[str]:
    """The type of each entity of a side, empty if it has none."""
    by_place: dict[Place | None, Mapping[str, str]] = {}
    for source in dict.fromkeys(place.source for place in side.places if place is not None and place.line is not None):
        types = form_of([source], reading, name).types
        by_place |= {Place(source, line): of_ids for line, of_ids in (types(source) if types else ())}
    of_document = [by_place.get(place, {}) for place in side.places]
    ids = side.names_of(range(len(side.document)))
    return [of_document[document].get(name, "") for document, name in zip(side.document.tolist(), ids, strict=True)]
