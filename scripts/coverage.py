"""How often do intervals contain the truth, and how often do tests find what is not there?

    python scripts/coverage.py [CORPORA] [--draws 2000] [--page]

A population of documents with several systems is taken for all there are, so that the truth is known: the scores of all
of them. From it samples of a few units are drawn with replacement, and each is compared as `corefscore compare` does.
Everything is drawn from seeds. Populations are

- even, skewed: 400 documents of about 60 mentions each, or whose logarithms of sizes scatter by 1;
- dominant: 40 documents, one of which has as many mentions as all others together;
- near-perfect, near-zero: nearly all documents are without errors, or have nearly nothing right; sizes are skewed;
- all-or-nothing: every document is entirely right, or entirely wrong; sizes are skewed;
- with the folder CORPORA also ecbplus (206 small documents and real systems), litbank (100 novels, systems with seeded
  errors) and koconovel (50 novels of 809 parts; the first system is a human reader).

Intervals are compared with the plain jackknife: score +- Student's t with n - 1 degrees of freedom x standard error,
cut to the scale. Tests are made of two systems that are equally good (their responses are exchanged at random), of
eight such systems, of two of different quality, of differences of mean 0 whose distribution is skewed, of differences
that are as large as a report says that they must be, and of systems with several runs.
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
from corefscore.core.arrays import Floats, Ints
from corefscore.metrics import find, wanted
from corefscore.metrics.base import summed
from corefscore.scoring.run import Corpus
from corefscore.statistics.intervals import quantile
from corefscore.statistics.significance import Compared, Method, Sample, Tests, compared, statistics
from corefscore.statistics.significance import over_runs as averages
from corefscore.statistics.units import sample

PAGE = Path(__file__).parent.parent / "docs" / "background" / "statistics.md"
ROWS = PAGE.with_name("coverage.csv")
MEASURES = wanted("bcub.f1,blanc.f1,conll.f1").measures
UNITS = (5, 10, 20, 50)
SHOWN = ("conll", "blanc", "conll difference")
SAME = 1e-12

Clusters = Mapping[str, Sequence[Sequence[tuple[int, int]]]]


def key_of(sizes: Floats, seed: int) -> Clusters:
    """A key: documents with so many mentions, in entities most of which are small."""
    numbers = random.Random(seed)
    found = {}
    for number, size in enumerate(sizes.astype(int).tolist()):
        entities: list[list[tuple[int, int]]] = []
        placed = 0
        while placed < size:
            mentions = min(size - placed, 60, int(numbers.paretovariate(1.1)) + 1)
            entities.append([(place, place) for place in range(placed, placed + mentions)])
            placed += mentions
        found[f"{number:03}"] = entities
    return found


def erring(key: Clusters, seed: int, rates: Sequence[float]) -> Clusters:
    """The key with errors: mentions lost or put elsewhere and entities merged, at another rate in each document."""
    numbers = random.Random(seed)
    found = {}
    for (name, entities), rate in zip(key.items(), rates, strict=True):
        response: list[list[tuple[int, int]]] = [[] for _ in entities]
        for place, entity in enumerate(entities):
            for mention in entity:
                luck = numbers.random()
                if luck >= rate / 2:
                    response[place if luck >= rate else numbers.randrange(len(response))].append(mention)
        if len(response) > 1 and numbers.random() < rate:
            response[0] += response.pop()
        found[name] = [entity for entity in response if entity]
    return found


def varied(rate: float, seed: int, count: int) -> list[float]:
    """Error rates that vary around one."""
    return [float(each) for each in np.random.default_rng(seed).beta(2, 2 / rate - 2, count)]


def rare(share: float, rate: float, seed: int, count: int) -> Floats:
    """An error rate in a share of the documents, and 0 in the others."""
    return np.where(np.random.default_rng(seed).random(count) < share, rate, 0.0)


def populations() -> Iterator[tuple[str, Sample]]:
    """Each made-up population as a sample of all its units."""
    numbers, count = np.random.default_rng(1), 400
    even, skewed = numbers.normal(60, 8, count), np.maximum(4, np.exp(numbers.normal(3.6, 1, count)))
    dominant = numbers.normal(40, 8, 40)
    dominant[7] += dominant.sum()
    rates: dict[str, tuple[Floats, Sequence[Sequence[float]]]] = {
        "even": (even, [varied(0.35, 2, count), varied(0.30, 3, count)]),
        "skewed": (skewed, [varied(0.35, 2, count), varied(0.30, 3, count)]),
        "dominant": (dominant, [varied(0.35, 2, 40), varied(0.30, 3, 40)]),
        "near-perfect": (skewed, [rare(0.15, 0.2, 5, count).tolist(), rare(0.25, 0.15, 6, count).tolist()]),
        "near-zero": (skewed, [(1 - rare(0.15, 0.2, 5, count)).tolist(), (1 - rare(0.25, 0.15, 7, count)).tolist()]),
        "all-or-nothing": (skewed, [rare(0.4, 1, 8, count).tolist(), rare(0.3, 1, 9, count).tolist()]),
    }
    for name, (sizes, of_systems) in rates.items():
        key = key_of(sizes, 1)
        yield name, _sample(key, *(erring(key, seed + 1, each) for seed, each in enumerate(of_systems)))


def corpora(folder: Path) -> Iterator[tuple[str, Sample]]:
    """Each corpus as a sample of all its units."""
    ecbplus = folder / "ecbplus-withindoc"
    names = ("evaluate-clustering-0", "lemma-baselines-lemma-wd")
    yield (
        "ecbplus",
        _sample(corefscore.read(ecbplus / "key.conll"), *(str(ecbplus / f"{name}.conll") for name in names)),
    )
    key = clusters(corefscore.read(folder / "litbank" / "key.conll"))
    yield "litbank", _sample(key, *_systems(key))
    key, human = (
        clusters(corefscore.read(folder / "koconovel" / f"{name}.conll")) for name in ("key", "human-reader-separate")
    )
    yield "koconovel", _sample(key, human, *_systems(key)[:1])


def _systems(key: Clusters) -> list[Clusters]:
    """Two made-up systems; parts of a document have the same error rate."""
    documents = {name.split(";")[0]: number for number, name in enumerate(key)}
    of_documents = [varied(rate, seed, len(key)) for rate, seed in ((0.35, 2), (0.30, 3))]
    rates = [[each[documents[name.split(";")[0]]] for name in key] for each in of_documents]
    return [erring(key, seed, each) for seed, each in enumerate(rates, start=1)]


def clusters(corpus: Corpus) -> Clusters:
    """The entities of each document, as spans."""
    documents = corpus.documents
    found: dict[str, dict[int, list[tuple[int, int]]]] = {name: {} for name in documents.names}
    columns = (documents.document[documents.entity], documents.entity, documents.start, documents.end)
    for document, entity, start, end in zip(*(column.tolist() for column in columns), strict=True):
        found[documents.names[document]].setdefault(entity, []).append((start, end))
    return {name: list(entities.values()) for name, entities in found.items()}


def _sample(key: Corpus | Clusters, *systems: str | Clusters) -> Sample:
    return sample([corefscore.score(key, system, "conll,blanc") for system in systems], MEASURES)


def drawn(of: Sample, units: Ints) -> Sample:
    """Some units as a sample of their own."""
    return scored(replace(of, counts=of.counts[:, units], stratum=np.zeros(len(units), dtype=np.int64)))


def scored(of: Sample) -> Sample:
    """A sample with the scores of its counts."""
    observed = [statistics(of.metrics, of.measures, summed(counts)[None]) for counts in of.counts]
    return replace(of, observed=np.stack(observed), uncounted=None)


def plain(found: Compared) -> tuple[Floats, Floats]:
    """The ends of plain jackknife intervals: of the first system and of the first difference, by measure."""
    units = found.sample.units
    reach = quantile(0.95, np.array(units - 1.0))
    left_out, observed = found.left_out[..., 2], found.sample.observed[..., 2]
    cases = ((observed[0], left_out[:, 0], 0), (observed[0] - observed[1], left_out[:, 0] - left_out[:, 1], -1))
    ends = []
    for value, without, least in cases:
        error = np.sqrt((units - 1) / units * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
        ends.append(np.clip(np.stack([value - reach * error, value + reach * error], axis=-1), least, 1))
    return ends[0], ends[1]


def intervals(of: Sample, units: int, draws: int) -> Iterator[list[str]]:
    """How often intervals contain the truth, and how wide they are, for the first system and the first difference of
    each measure: cells under `HEADS` but the first."""
    numbers = np.random.default_rng(units)
    truths = of.observed[0, :, 2], of.observed[0, :, 2] - of.observed[1, :, 2]
    ours: list[list[Floats]] = [[], []]
    theirs: list[list[Floats]] = [[], []]
    shares = []
    for _ in range(draws):
        found = untested(drawn(of, numbers.integers(0, of.units, units)))
        for place, ends in enumerate((found.ends[0, :, 2], found.difference_ends[0, :, 2])):
            ours[place].append(ends)
        for place, ends in enumerate(plain(found)):
            theirs[place].append(ends)
        shares.append(found.sample.shares[0].max(axis=0))
    for place, kind in enumerate(("", " difference")):
        for m, measure in enumerate(MEASURES):
            both = [np.stack(each[place])[:, m] for each in (ours, theirs)]
            known = ~np.isnan(both[0][:, 0])
            cells = [cell for ends in both for cell in _rates(ends[known], truths[place][m])]
            rest = [f"{1 - known.mean():.2f}", f"{np.mean(shares, axis=0)[m]:.2f}"]
            yield [str(units), f"{measure}{kind}", *cells, *rest]


def untested(of: Sample) -> Compared:
    """The intervals of two systems, without tests."""
    unknown = np.full((1, *of.observed.shape[1:]), np.nan)
    tests = Tests(unknown, unknown, np.zeros(unknown.shape, dtype=np.int64), unknown > 0, unknown)
    return Compared(of, Method(), unknown[0] > 0, tests, unknown, unknown)


def _rates(ends: Floats, truth: float) -> tuple[str, str]:
    """How many intervals contain the truth, and their mean width in points."""
    if not len(ends):
        return "", ""
    held = (ends[:, 0] <= truth + SAME) & (truth - SAME <= ends[:, 1])
    return f"{held.mean():.2f}", f"{100 * (ends[:, 1] - ends[:, 0]).mean():.1f}"


def tests(of: Sample, units: int, draws: int) -> list[str]:
    """How often a test at 0.05 finds a difference of the CoNLL average: of equal systems, and of different ones."""
    numbers, conll = np.random.default_rng(units), list(of.measures).index("conll")
    equal: list[bool] = []
    different: list[bool] = []
    for seed in range(draws):
        few = drawn(of, numbers.integers(0, of.units, units))
        swap = (numbers.random(units) < 0.5)[:, None]
        mixed = np.stack([np.where(swap, few.counts[1], few.counts[0]), np.where(swap, few.counts[0], few.counts[1])])
        for found, counts in ((equal, mixed), (different, few.counts[:2])):
            test = compared(scored(replace(few, counts=counts)), Method(trials=1000, seed=seed), "f1")
            found.append(bool(test.corrected[0, conll, 2] <= 0.05))
    return [f"{np.mean(found):.2f}" for found in (equal, different)]


def simulated(hits: Floats) -> Sample:
    """Systems that have so many of 100 links right in each unit, systems x units."""
    whole = np.full(hits.shape, 100.0)
    counts = np.stack([hits, whole, hits, whole], axis=-1)
    return scored(Sample([find("muc")], ["muc"], counts, np.zeros(hits.shape[1], dtype=np.int64), np.zeros((1, 1, 3))))


def several(units: int, draws: int) -> list[str]:
    """How often any difference is shown: of 8 equal systems, with each correction; and a difference of mean 0 whose
    distribution is skewed (exponential, with its mean subtracted)."""
    numbers = np.random.default_rng(units)
    rates: list[list[bool]] = []
    for seed in range(draws):
        hits = numbers.binomial(100, np.clip(numbers.beta(6, 3, units) + numbers.normal(0, 0.05, (8, units)), 0, 1))
        found = []
        for how in ("largest", "holm", "none"):
            test = compared(simulated(hits.astype(float)), Method(trials=1000, seed=seed, correction=how), "f1")
            found.append(bool(np.any(test.corrected[:, 0, 2] <= 0.05)))
        gain = numbers.exponential(10, units) - 10
        one = compared(simulated(np.stack([50 + gain, np.full(units, 50.0)])), Method(trials=1000, seed=seed), "f1")
        rates.append([*found, bool(one.tests.p[0, 0, 2] <= 0.05)])
    return [f"{rate:.2f}" for rate in np.mean(rates, axis=0)]


def together(units: int, draws: int) -> list[str]:
    """How often all 28 intervals of differences of 8 systems contain the truth at once, and those of one difference:
    systems that are equal, 4 points apart, or 10 points apart, whose scores in a document differ by what is common to
    all and by what is their own."""
    numbers, rates = np.random.default_rng(units), []
    for apart in (0, 4, 10):
        means = 50 + apart * (np.arange(8) - 3.5)[:, None]
        every = numbers.normal(means, 8, (8, 2000)) + numbers.normal(0, 8, 2000)
        of = simulated(np.clip(np.round(every), 0, 100))
        first, second = of.sides
        truth = of.observed[first, 0, 2] - of.observed[second, 0, 2]
        held = []
        for seed in range(draws):
            few = drawn(of, numbers.integers(0, of.units, units))
            found = replace(untested(few), method=Method(seed=seed), tested=np.array([[False, False, True]]))
            ends = found.difference_ends[:, 0, 2]
            held.append(np.all((ends[:, 0] <= truth + SAME) & (truth - SAME <= ends[:, 1])))
        rates.append(np.mean(held))
    return [f"{rate:.2f}" for rate in rates]


SPREADS = {"normal": (0, 5), "exponential": (5,)}
"""The distributions of what is a system's own in a document, with their arguments."""


def power(kind: str, units: int, draws: int) -> list[str]:
    """What `detectable` says in the mean, in points, how often a difference of this size is shown, and the
    `units needed` of it in a large sample; and how often systems are equivalent that are 3 points apart, with a margin
    of 3 points."""
    numbers = np.random.default_rng(units)

    def tested(apart: float, count: int, seed: int) -> Compared:
        hits = numbers.normal(60, 10, count) + getattr(numbers, kind)(*SPREADS[kind], (2, count))
        hits[0] += apart
        return compared(simulated(np.clip(hits, 0, 100)), Method(trials=1000, seed=seed, margin=0.03), "f1")

    at_margin = [tested(3, units, seed) for seed in range(draws)]
    least = 100 * np.mean([found.shown_from[0, 0, 2] for found in at_margin])
    equivalent = np.mean([found.p_equivalent[0, 0, 2] <= 0.05 for found in at_margin])
    cells = ["", "", ""]
    if not np.isnan(least):
        shown = np.mean([tested(least, units, seed).corrected[0, 0, 2] <= 0.05 for seed in range(draws)])
        needed = tested(least, 4000, 0).units_needed[0, 0, 2]
        cells = [f"{least:.1f}", f"{shown:.2f}", f"{needed:.0f}"]
    return [kind, str(units), *cells, f"{equivalent:.2f}"]


def over_runs(units: int, draws: int) -> list[str]:
    """How often a difference is shown of two systems with three runs each, whose runs differ by 0 or by 3 points: if
    the systems are equal, by the test of runs and by that of the first run of each; and if one is 4 points better."""
    numbers, runs, rates = np.random.default_rng(units), np.repeat([0, 1], 3), []
    for _ in range(draws):
        hits = numbers.normal(60, 15, units) + numbers.normal(0, 5, (2, units)).repeat(3, axis=0)
        found = []
        for spread in (0, 3):
            each = hits + numbers.normal(0, 4, hits.shape) + numbers.normal(0, spread, (6, 1))
            for better, rows in ((0, slice(None)), (0, slice(0, None, 3)), (4, slice(None))):
                of = simulated(np.clip(np.round(each + better * runs[:, None]), 0, 100)[rows])
                if rows.step is None:
                    of = replace(of, observed=averages(of.observed, runs), runs=runs)
                test = compared(of, Method(trials=1000), "f1")
                found.append(bool(test.corrected[0, 0, 2] <= 0.05))
        rates.append(found)
    return [f"{rate:.2f}" for rate in np.mean(rates, axis=0)]


HEADS = (
    "population",
    "units",
    "statistic",
    "coverage",
    "width",
    "coverage (plain)",
    "width (plain)",
    "no interval",
    "largest unit",
)
TEST_HEADS = ("population", "units", "equal systems", "different systems")
RUNS_HEADS = (
    "units",
    *("equal systems", "the same, one run each", "one is 4 points better"),
    *("runs differ by 3 points: equal systems", "the same, one run each", "one is 4 points better"),
)
TOGETHER_HEADS = ("units", "8 equal systems", "4 points apart", "10 points apart")
POWER_HEADS = ("differences", "units", "detectable", "shown", "units needed", "equivalent at the margin")
SEVERAL_HEADS = ("units", "8 equal systems", "the same, Holm", "the same, uncorrected", "skewed differences of mean 0")


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows in Markdown."""
    first, *others = (f"| {' | '.join(line)} |" for line in (heads, *rows))
    return "\n".join([first, "|" + "---|" * len(heads), *others])


def on_page(rows: Sequence[Sequence[str]]) -> str:
    """The intervals that the page has: of some statistics, with 10 and 20 units."""
    return table(HEADS, [row for row in rows if row[1] in {"10", "20"} and row[2] in SHOWN])


def main() -> None:
    """Run the simulations, and print or write their tables."""
    parser = argparse.ArgumentParser(
        description="How often intervals hold the truth, and tests find what is not there."
    )
    parser.add_argument("corpora", type=Path, nargs="?")
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--page", action="store_true", help="write the tables into docs/background/statistics.md")
    given = parser.parse_args()
    rows, of_tests = [], []
    for name, of in [*populations(), *(corpora(given.corpora) if given.corpora else ())]:
        for units in UNITS:
            rows += [[name, *cells] for cells in intervals(of, units, given.draws)]
            of_tests.append([name, str(units), *tests(of, units, given.draws)])
            sys.stderr.write(f"{' | '.join(of_tests[-1])}\n")
    of_several = [[str(units), *several(units, given.draws)] for units in UNITS]
    of_all = [[str(units), *together(units, given.draws)] for units in UNITS]
    of_power = [power(kind, units, given.draws) for kind in SPREADS for units in UNITS]
    of_runs = [[str(units), *over_runs(units, given.draws)] for units in UNITS]
    parts = {
        "measured": on_page(rows) if given.page else table(HEADS, rows),
        "tests": table(TEST_HEADS, of_tests),
        "several": table(SEVERAL_HEADS, of_several),
        "together": table(TOGETHER_HEADS, of_all),
        "power": table(POWER_HEADS, of_power),
        "runs": table(RUNS_HEADS, of_runs),
    }
    if not given.page:
        sys.stdout.write("\n\n".join(parts.values()) + "\n")
        return
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADS, *rows])
    page = PAGE.read_text()
    for name, text in parts.items():
        marked = rf"(?<=<!-- {name} -->\n\n).*?(?=<!-- end -->)"
        page = re.sub(marked, lambda _, text=text: f"{text}\n\n", page, flags=re.DOTALL)  # type: ignore[misc]
    PAGE.write_text(page)


if __name__ == "__main__":
    main()
