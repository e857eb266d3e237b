"""How often do intervals contain the truth, and how often do tests find what is not there? On real documents.

    python scripts/coverage.py CORPORA [--draws 600] [--page]

The documents of a corpus are taken for all there are, so that the truth is known: the scores of all of them. From them
samples of a few units are drawn with replacement, and each is compared as `corefscore compare` does. Corpora are those
of the folder CORPORA:

- ecbplus: 206 small documents and three real systems; two of these differ in 14 documents only, the third from both in
  41 and 43.
- litbank: 100 novels with two made-up systems: the key with seeded errors, whose rate is another in each document.
- koconovel: 50 novels of 809 parts, a human reader as a system and two made-up ones; the novel is the unit.

The table has the share of 95 % intervals that contain the truth, over all measures and scores, for each system and each
pair, and how often tests at 0.05 tell equal systems apart: the counts of two systems are swapped by chance in each
unit, so that nothing is left to find.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import corefscore
import numpy as np
from corefscore.core.arrays import Bools, Floats, Ints
from corefscore.metrics.counts import summed
from corefscore.metrics.measures import wanted
from corefscore.scoring.sides import Corpus
from corefscore.statistics.significance import Method, Sample, compared, statistics
from corefscore.statistics.units import sample

PAGE = Path(__file__).parent.parent / "docs" / "background" / "statistics.md"
ROWS = PAGE.with_name("coverage.csv")
MEASURES = wanted("muc,bcub,ceafe,lea,blanc,conll").measures
UNITS = (3, 5, 10, 20, 40)
ON_PAGE = (5, 10, 20)
TRIALS = 1000
SAME = 1e-12

Clusters = Mapping[str, Sequence[Sequence[tuple[int, int]]]]


def clusters(corpus: Corpus) -> Clusters:
    """The entities of each document, as spans."""
    documents = corpus.documents
    found: dict[str, dict[int, list[tuple[int, int]]]] = {name: {} for name in documents.names}
    columns = (documents.mention_document(), documents.entity, documents.start, documents.end)
    for document, entity, start, end in zip(*(column.tolist() for column in columns), strict=True):
        found[documents.names[document]].setdefault(entity, []).append((start, end))
    return {name: list(entities.values()) for name, entities in found.items()}


def erring(key: Clusters, seed: int, rate: float) -> Clusters:
    """The key with errors: mentions lost or put elsewhere and entities merged, at another rate in each document."""
    numbers = random.Random(seed)
    rates: dict[str, float] = {}
    found = {}
    for name, entities in key.items():
        own = rates.setdefault(name.split(";")[0], numbers.betavariate(2, 2 / rate - 2))
        response: list[list[tuple[int, int]]] = [[] for _ in entities]
        for place, entity in enumerate(entities):
            for mention in entity:
                luck = numbers.random()
                if luck >= own / 2:
                    response[place if luck >= own else numbers.randrange(len(response))].append(mention)
        if len(response) > 1 and numbers.random() < own:
            response[0] += response.pop()
        found[name] = [entity for entity in response if entity]
    return found


def corpora(folder: Path) -> Iterator[tuple[str, Sample]]:
    """Each corpus as a sample of all its units."""
    key = corefscore.read(folder / "ecbplus-withindoc" / "key.conll")
    names = ("evaluate-clustering-0", "evaluate-clustering-with-gold-clustering-3", "lemma-baselines-lemma-wd")
    yield "ecbplus", _sample(key, *(str(folder / "ecbplus-withindoc" / f"{name}.conll") for name in names))
    key = corefscore.read(folder / "litbank" / "key.conll")
    yield "litbank", _sample(clusters(key), *(erring(clusters(key), *how) for how in ((1, 0.35), (2, 0.30))))
    key, human = (corefscore.read(folder / "koconovel" / f"{name}.conll") for name in ("key", "human-reader-separate"))
    systems = (erring(clusters(key), *how) for how in ((1, 0.35), (2, 0.30)))
    yield "koconovel", _sample(clusters(key), clusters(human), *systems)


def _sample(key: Corpus | Clusters, *systems: str | Clusters) -> Sample:
    return sample([corefscore.score(key, system, "all,lea") for system in systems], MEASURES)


def drawn(of: Sample, units: Ints) -> Sample:
    """Some units as a sample of their own."""
    return _scored(replace(of, counts=of.counts[:, units], stratum=np.zeros(len(units), dtype=np.int64)))


def _scored(of: Sample) -> Sample:
    observed = [statistics(of.metrics, of.measures, summed(counts)[None]) for counts in of.counts]
    return replace(of, observed=np.stack(observed), uncounted=None)


def held(ends: Floats, truth: Floats) -> Bools:
    """Whether intervals contain the truth."""
    # Intervals from 0 to 1 are left out (NaN), and contain every score.
    found: Bools = ~((truth < ends[..., 0] - SAME) | (ends[..., 1] + SAME < truth))
    return found


def coverage(of: Sample, units: int, draws: int) -> Floats:
    """The shares of intervals that contain the truth: of each system, then of each pair."""
    numbers = np.random.default_rng(units)
    truth = np.concatenate([of.observed, _differences(of, of.observed)])
    right = []
    for seed in range(draws):
        found = compared(drawn(of, numbers.integers(0, of.units, units)), Method(trials=TRIALS, seed=seed))
        right.append(held(np.concatenate([found.ends, found.difference_ends]), truth))
    shares: Floats = np.mean(right, axis=0)[:, ~np.isnan(truth[0])].mean(axis=1)
    return shares


def _differences(of: Sample, scores: Floats) -> Floats:
    return np.stack([scores[a] - scores[b] for a, b in of.pairs])


def false_alarms(of: Sample, units: int, draws: int) -> Floats:
    """How often a test of equal systems is at most 0.05: randomization, bootstrap; and somewhere in all scores: the
    randomization tests as they are, and corrected for all."""
    numbers = np.random.default_rng(units)
    found = []
    for seed in range(draws):
        few = drawn(of, numbers.integers(0, of.units, units))
        first, second = few.counts[0], few.counts[-1]
        swap = (numbers.random(units) < 0.5)[:, None]
        counts = np.stack([np.where(swap, second, first), np.where(swap, first, second)])
        equal = _scored(replace(few, counts=counts))
        run = [compared(equal, Method(test=test, trials=TRIALS, seed=seed)) for test in ("randomization", "bootstrap")]
        strict = compared(equal, Method(trials=TRIALS, seed=seed, correction="holm-all"))
        single = [np.mean(each.tests.p[0][each.tested] <= 0.05) for each in run]
        anywhere = [np.any(each.corrected[0][each.tested] <= 0.05) for each in (run[0], strict)]
        found.append([*single, *anywhere])
    rates: Floats = np.mean(found, axis=0)
    return rates


HEADS = (
    "corpus",
    "units",
    "intervals of scores",
    "of differences",
    "randomization",
    "bootstrap",
    "anywhere",
    "anywhere, `holm-all`",
)


def measured(folder: Path, draws: int) -> list[list[str]]:
    """A row for each corpus and number of units, under `HEADS`."""
    rows = []
    for name, of in corpora(folder):
        for units in UNITS:
            cells = [f"{share:.2f}" for share in coverage(of, units, draws)]
            scores, differences = (", ".join(its) for its in (cells[: of.systems], cells[of.systems :]))
            rates = [f"{rate:.2f}" for rate in false_alarms(of, units, draws)]
            rows.append([name, str(units), scores, differences, *rates])
            sys.stderr.write(f"{' | '.join(rows[-1])}\n")
    return rows


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows in Markdown, under as many of `HEADS` as they have cells."""
    heads = HEADS[: len(rows[0])]
    first, *others = (f"| {' | '.join(line)} |" for line in (heads, *rows))
    return "\n".join([first, "|" + "---|" * len(heads), *others])


def on_page(rows: Sequence[Sequence[str]]) -> str:
    """The part that the page has: without the rates of several tests."""
    return table([row[:6] for row in rows if int(row[1]) in ON_PAGE])


def main() -> None:
    parser = argparse.ArgumentParser(
        description="How often intervals hold the truth, and tests find what is not there."
    )
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument(
        "--page", action="store_true", help="write the table into docs/background/statistics.md, and coverage.csv there"
    )
    given = parser.parse_args()
    found = measured(given.corpora, given.draws)
    if not given.page:
        sys.stdout.write(f"{table(found)}\n")
    else:
        with ROWS.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([HEADS, *found])
        page = PAGE.read_text()
        marked = r"(?<=<!-- measured -->\n\n).*?(?=\n\n<!-- end -->)"
        PAGE.write_text(re.sub(marked, lambda _: on_page(found), page, flags=re.DOTALL))


if __name__ == "__main__":
    main()
