"""Records: JSON with an object for each mention, as programs for cross-document coreference write ECB+ and WEC-Eng.

    {"doc_id": "36_1.xml", "tokens_ids": [3, 4], "cluster_id": 17, "topic": "36"}

A record is a row of a table of labels (`corefscore.formats.labels`). Its item is the text ``36_1.xml 3,4``, or
``36_1.xml 2:3,4`` if tokens are numbered within sentence 2; its entity is the cluster, in whichever texts that has
mentions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.documents import KEY, Place
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source
from corefscore.formats.base import DOCUMENT, ENTITY, ITEM, Request, found_at
from corefscore.formats.jsonlines.objects import IN_SENTENCE, IN_TEXT, TEXT_OF_MENTION, bad_field, missing_field
from corefscore.formats.jsonlines.records import Fields, clean, records, shown

SENTENCE, SENTENCES = "sentence", ("sent_id", "sentence_id")
CLUSTERS, PREDICTED = ("coref_chain", "cluster_id"), "predicted_coref_chain"

UNKNOWN = {"-", "-1", "UNK"}
"""What files have in place of a cluster that is not known."""


def rows(source: Source, request: Request, notices: list[Finding]) -> tuple[Ints, Mapping[str, Sequence[str]]]:
    """Return the lines of all records of a file, and their items, entities and, if these are asked for, documents.

    Raises `InputError` for the first record without one of these, `UsageError` for a file that cannot be read.
    """
    found = []
    names: Mapping[str, str] = {}
    for place, _, parse in records(source):
        fields = parse()
        names = names or _names(place, fields, request)
        if missing := next((name for name in (TEXT_OF_MENTION, *names.values()) if name not in fields), None):
            expected = f"it in every record; --columns {ITEM}=NAME,{ENTITY}=NAME,{DOCUMENT}=NAME names other fields"
            raise missing_field(place, fields, missing, expected)
        document = _text(place, fields, names[DOCUMENT]) if DOCUMENT in names else ""
        cluster = "" if fields[names[ENTITY]] in (None, "") else _text(place, fields, names[ENTITY])
        found.append((place.line or 0, _item(place, fields, names), cluster, document))
    lines, items, clusters, documents = zip(*found, strict=True)
    place = Place(source, lines[0])
    if unknown := [cluster for cluster in clusters if cluster in UNKNOWN]:
        notices.append(found_at(place, "unknown-cluster", label=unknown[0], count=plural(len(unknown), "record")))
    clusters = tuple("" if cluster in UNKNOWN else cluster for cluster in clusters)
    pieces = Counter(cluster for cluster, _ in set(zip(clusters, documents, strict=True)) if cluster)
    if cut := sum(count > 1 for count in pieces.values()):
        notices.append(found_at(place, "cut-clusters", count=plural(cut, "cluster"), field=names[DOCUMENT]))
    return np.array(lines), {ITEM: items, ENTITY: clusters} | ({DOCUMENT: documents} if DOCUMENT in names else {})


def _names(place: Place, fields: Fields, request: Request) -> dict[str, str]:
    """Return the fields to read by what they contain. Raises `InputError` for a record with two fields of clusters."""
    clusters = [name for name in CLUSTERS if name in fields] or [CLUSTERS[1]]
    if request.side != KEY and fields.get(PREDICTED) not in (None, "", -1, *UNKNOWN):
        clusters = [PREDICTED]
    if len(clusters) > 1 and ENTITY not in request.columns:
        expected = f"one of them; --columns {ENTITY}={clusters[1]} says which"
        raise bad_field(place, fields, clusters[1], f"occurs together with {clusters[0]}", expected)
    names = {ITEM: next(filter(fields.__contains__, IN_TEXT + IN_SENTENCE), IN_TEXT[0]), ENTITY: clusters[0]}
    names |= {role: name for role, name in request.columns.items() if role in (ITEM, ENTITY, DOCUMENT)}
    if names[ITEM] in IN_SENTENCE:
        names[SENTENCE] = next(filter(fields.__contains__, SENTENCES), SENTENCES[0])
    return names


def _item(place: Place, fields: Fields, names: Mapping[str, str]) -> str:
    """Return the text that stands for the mention of a record."""
    text, value = _text(place, fields, TEXT_OF_MENTION), fields[names[ITEM]]
    if names[ITEM] not in IN_TEXT + IN_SENTENCE:
        return f"{text} {_text(place, fields, names[ITEM])}"
    parts = value if isinstance(value, list) else re.split("[ ,_]+", str(value))
    if not parts or not all(re.fullmatch("[0-9]{1,18}", str(part)) for part in parts):
        raise bad_field(place, fields, names[ITEM], f"is {shown(value)}", "numbers of tokens, such as [3, 4] or 3,4")
    numbers = ",".join(map(str, sorted({int(part) for part in parts})))
    return f"{text} {_text(place, fields, names[SENTENCE])}:{numbers}" if SENTENCE in names else f"{text} {numbers}"


def _text(place: Place, fields: Fields, name: str) -> str:
    """Return a name or a number as text. Raises `InputError` for anything else."""
    value = fields[name]
    if value == "" or isinstance(value, bool) or not isinstance(value, str | int | float) or str(value) == "nan":
        raise bad_field(place, fields, name, f"is {shown(value)}", "a name or a number; null is no cluster")
    return clean(str(value))
