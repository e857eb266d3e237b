"""Sections 2 and 3.1 of Moosavi and Strube 2016 on free corpora: responses made worse, or better, on purpose.

`python scripts/update_papers.py --corpora FOLDER` scores them and writes `free_corpora.json`, which the page shows: the
corpora are not part of this package. Singletons are left out on both sides, since the data of the paper have none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import combinations, zip_longest
from pathlib import Path

from corefscore import read, score

from papers.page import METRICS, Claim, as_csv, merged, table

Mention = tuple[int, int]
Partition = list[list[Mention]]
Numbers = Mapping[str, Mapping[str, Mapping[str, list[float]]]]
"""Recall, precision and F1 in percent, by corpus, response and measure."""

FILE = Path(__file__).with_name("free_corpora.json")

RESPONSES = {"ecbplus-withindoc": "lemma-baselines-lemma-wd", "gerdracor": "human-second-annotator"}
"""Corpora with a response, by the name of its file."""

MEASURES = ("mentions", *METRICS)

BASE, LESS_PRECISE, ONE_ENTITY = "base", "less precise, large entities", "one entity"
ON_PAGE = (BASE, LESS_PRECISE, ONE_ENTITY)


def partitions(path: Path, side: str) -> dict[str, Partition]:
    """The entities of each document, those of one mention left out."""
    batch = read(path, side=side).documents
    found: dict[str, dict[int, list[Mention]]] = {name: {} for name in batch.names}
    columns = (batch.document[batch.entity], batch.entity, batch.start, batch.end)
    for document, entity, start, end in zip(*(column.tolist() for column in columns), strict=True):
        found[batch.names[document]].setdefault(entity, []).append((start, end))
    return {name: [entity for entity in its.values() if len(entity) > 1] for name, its in found.items()}


def entity_of(partition: Partition) -> dict[Mention, int]:
    """The number of the entity of each mention."""
    return {mention: number for number, entity in enumerate(partition) for mention in entity}


def more_precise(key: Partition, response: Partition) -> Partition:
    """Without mentions of the key of which no link is correct; what is left alone is left out."""
    where = entity_of(key)
    kept = []
    for entity in response:
        right = {m for pair in combinations(entity, 2) if len({where.get(m, m) for m in pair}) == 1 for m in pair}
        kept.append([mention for mention in entity if mention in right or mention not in where])
    return [entity for entity in kept if len(entity) > 1]


def missing(key: Partition, response: Partition) -> Partition:
    """The mentions of each key entity that the response lacks, the largest entity first."""
    found = entity_of(response)
    left = [[mention for mention in entity if mention not in found] for entity in key]
    return sorted(left, key=len, reverse=True)


def pairs_of(left: Partition) -> Iterator[list[Mention]]:
    """Two mentions of two entities each, as long as there are two entities."""
    rest = [list(entity) for entity in left if entity]
    while len(rest) > 1:
        rest.sort(key=len, reverse=True)
        yield [rest[0].pop(), rest[1].pop()]
        rest = [entity for entity in rest if entity]


def less_precise_a(key: Partition, response: Partition) -> Partition:
    """With entities of two mentions that the response lacked, and that are not coreferent."""
    return [*response, *pairs_of(missing(key, response))]


def less_precise_b(key: Partition, response: Partition) -> Partition:
    """The same with as large entities as there can be: one mention of each key entity."""
    columns = zip_longest(*missing(key, response))
    new = [[mention for mention in column if mention is not None] for column in columns]
    return [*response, *(entity for entity in new if len(entity) > 1)]


def one_entity(key: Partition, response: Partition) -> Partition:
    """All mentions of the key in one entity."""
    return [[mention for entity in key for mention in entity]] if key else []


WAYS: Mapping[str, Callable[[Partition, Partition], Partition]] = {
    BASE: lambda key, response: response,
    "more precise": more_precise,
    "less precise, pairs": less_precise_a,
    LESS_PRECISE: less_precise_b,
    ONE_ENTITY: one_entity,
}


def numbers(corpora: Path, names: Collection[str] = RESPONSES.keys()) -> Numbers:
    """What the scorer gives for each of these corpora."""
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for corpus in names:
        key, response = (
            partitions(corpora / corpus / file, side)
            for file, side in (("key.conll", "key"), (f"{RESPONSES[corpus]}.conll", "response"))
        )
        for way, make in WAYS.items():
            made = {document: make(its, response.get(document, [])) for document, its in key.items()}
            result = score(key, made, repeated="first")
            found.setdefault(corpus, {})[way] = {
                measure: [round(100 * value, 2) for value in result[measure][:3]] for measure in MEASURES
            }
    return found


def record(corpora: Path) -> None:
    """Score all of them anew."""
    FILE.write_text(json.dumps(numbers(corpora), indent=1) + "\n")


def recorded() -> Numbers:
    """What was found when this was last run."""
    found: Numbers = json.loads(FILE.read_text())
    return found


def on_the_page() -> str:
    """Sections 2 and 3.1: F1 of worse and worse responses."""
    rows = [
        [corpus, way, *(f"{its[way][measure][2]:.1f}" for measure in METRICS)]
        for corpus, its in recorded().items()
        for way in WAYS
        if way in ON_PAGE
    ]
    return table(["corpus", "response", *METRICS.values()], merged(rows, 1))


def scores() -> str:
    """All of them as CSV."""
    rows = [
        [corpus, way, measure, *(f"{value:.2f}" for value in values)]
        for corpus, its in recorded().items()
        for way, measured in its.items()
        for measure, values in measured.items()
    ]
    return as_csv(["corpus", "response", "measure", "recall", "precision", "f1"], rows)


def claims() -> list[Claim]:
    """What section 2 says of its table 1, for each corpus."""
    found = []
    for corpus, its in recorded().items():
        base, precise, *worse = (its[way] for way in WAYS if way != ONE_ENTITY)
        moved = [
            METRICS[name] for name in METRICS if any(other[name][0] != base[name][0] for other in (precise, *worse))
        ]
        risen = [METRICS[name] for name in METRICS if all(other[name][2] > base[name][2] for other in worse)]
        found += [
            Claim(
                "2",
                "recall changes for all metrics but MUC (and LEA)",
                f"{corpus}: {', '.join(moved)}",
                moved == [METRICS[name] for name in METRICS if name not in ("muc", "lea")],
            ),
            Claim(
                "2",
                "B-cubed, CEAF and BLANC improve when the output is worse",
                f"on {corpus} these improve: {', '.join(risen) or 'none'}",
                risen == [METRICS[name] for name in ("bcub", "ceafm", "ceafe", "blanc")],
            ),
        ]
    return found
