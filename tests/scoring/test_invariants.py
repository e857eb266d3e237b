"""What must not change a total: documents without mentions or links, the order and names of documents, entities and
files, and, but for recall and precision that trade places, the sides. For every metric under every option."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import corefscore
import pytest
import twins
from corefscore.scoring.results import Result
from support import TESTDATA

LAST_BITS = 1e-12
"""Scores closer than this differ in the order of a sum."""

SPANS = "every,conll,linked"
NODES = "corefud,linked"
LINKS = ("muc", "linked", "blanc.coreference", "blanc.noncoreference", "blanc")


class Options(NamedTuple):
    """Options of a score. ``one_sided`` are the measures in which the sides do not mean the same, ``tied`` those that
    depend on which of several best assignments is taken."""

    how: Mapping[str, Any]
    one_sided: Sequence[str] = ()
    tied: Sequence[str] = ()

    @property
    def name(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.how.items()) or "plain"


CEAF = ("ceafm", "ceafe", "conll")
"""In kinds of mentions they depend on the assignment (docs/kinds.md)."""

OF_SPANS = [
    Options({}, ["blanc"]),
    Options({"boundary": "both"}),
    Options({"singletons": "drop", "boundary": "both"}),
    Options({"singletons": "drop-response", "boundary": "both"}, [*LINKS, *CEAF, "mentions", "bcub", "lea"]),
    Options({"mentions": "given", "boundary": "both"}),
    Options({"repeated": "first", "boundary": "both"}),
    Options({"window": 7, "boundary": "both"}),
    Options({"window": 1}, ["blanc"]),
    Options({"of": "size", "boundary": "both"}, tied=CEAF),
    Options({"of": "size:2-3"}, ["blanc"], CEAF),
    Options({"of": "distance", "mentions": "given", "boundary": "both"}, tied=CEAF),
    Options({"of": "singletons", "window": 9, "boundary": "both"}, tied=CEAF),
]

DIVISIONS = ("size", "distance")

EACH = pytest.mark.parametrize("row", OF_SPANS, ids=lambda row: row.name)

Corpus = dict[str, twins.Pair]

NO_MENTIONS: twins.Pair = ([], [])
NO_LINKS: Sequence[twins.Pair] = [
    ([[(0, 0)]], [[(0, 0)]]),
    ([[(0, 0)]], [[(1, 1)]]),
    ([[(0, 0)]], []),
    ([], [[(0, 0)]]),
]


@cache
def corpora(repeated: bool = False) -> list[Corpus]:
    """Random documents of all kinds, some of them without any link, or with links of one kind."""
    random = Random(0)
    kinds = {**twins.PLAIN, **twins.AT_THE_BOUNDARY, **(twins.REPEATED if repeated else {})}
    pairs = [pair for kind in kinds for pair in twins.drawn(kind, 4)]
    found = [{f"d{at}": pair for at, pair in enumerate(random.sample(pairs, size))} for size in (1, 2, 3, 4)]
    few = [[(0, 0)], [(1, 1)], [(2, 2)]], [[(0, 0), (1, 1)], [(2, 2)]], [[(0, 0), (1, 1), (2, 2)]]
    return [*found, *({"d": (list(key), list(response))} for key in few for response in few)]


def totals(corpus: Corpus, row: Options) -> dict[str, tuple[float, float, float]]:
    """Recall, precision and F1 of every measure, also of every kind of a division."""
    key, response = ({name: pair[side] for name, pair in corpus.items()} for side in (0, 1))
    return of_result(corefscore.score(key, response, SPANS, **row.how))


@cache
def unchanged(name: str, repeated: bool = False) -> list[tuple[Corpus, dict[str, tuple[float, float, float]]]]:
    """Each corpus as it is and the same of it, by the name of a row of `OF_SPANS`."""
    (row,) = (row for row in OF_SPANS if row.name == name)
    return [(corpus, totals(corpus, row)) for corpus in corpora(repeated)]


def of_result(result: Result) -> dict[str, tuple[float, float, float]]:
    scopes = {"": result.total, **{f"{kind} ": scores for kind, scores in result.kinds.items()}}
    return {f"{kind}{name}": score[:3] for kind, scores in scopes.items() for name, score in scores.items()}


def close(found: Mapping[str, Any], expected: Mapping[str, Any], but: Sequence[str] = ()) -> None:
    for name, scores in expected.items():
        if name.split()[-1] not in but:
            assert found[name] == pytest.approx(scores, rel=0, abs=LAST_BITS), name


QUIET = pytest.mark.filterwarnings("ignore::corefscore.core.errors.ScorerWarning")


@QUIET
@EACH
def test_a_document_without_mentions_changes_no_total(row: Options) -> None:
    for corpus, before in unchanged(row.name, repeated=True):
        assert totals({"first": NO_MENTIONS, **corpus, "last": NO_MENTIONS}, row) == before, corpus


@QUIET
@EACH
def test_a_document_without_links_changes_no_total_of_links(row: Options) -> None:
    """Of links there are some, else the mentions decide BLANC (boundary case 1 of Luo et al. 2014)."""
    if "of" in row.how:
        row = row._replace(how={**row.how, "of": "size:1-"})
    tried = 0
    for corpus in corpora(repeated=True):
        before = totals(corpus, row)
        if not any(before["blanc.coreference"] + before["blanc.noncoreference"]):
            continue
        for lone in NO_LINKS:
            after = totals({**corpus, "lone": lone}, row)
            assert {name: after[name] for name in LINKS} == {name: before[name] for name in LINKS}, (corpus, lone)
            tried += 1
    assert tried > 20 or "window" in row.how


def test_documents_without_links_decide_blanc_only_where_no_document_has_any() -> None:
    """By their mentions: two of three of the key are found, and two of two of the response are right."""
    same, _, missed, _ = NO_LINKS
    corpus: Corpus = {"a": same, "b": missed, "c": same, "d": NO_MENTIONS}
    row = Options({"boundary": "both"})
    assert totals(corpus, row)["blanc"] == pytest.approx((2 / 3, 1, 4 / 5))
    assert totals({"d": NO_MENTIONS}, row)["blanc"] == (1, 1, 1)
    linked: twins.Pair = ([[(0, 0), (1, 1)]], [[(0, 0)], [(1, 1)]])
    assert totals({**corpus, "e": linked}, row)["blanc"] == totals({"e": linked}, row)["blanc"] == (0, 0, 0)


@QUIET
@EACH
def test_the_order_of_documents_and_their_names_change_no_total(row: Options) -> None:
    random = Random(1)
    for corpus, before in unchanged(row.name, repeated=True):
        names = random.sample(list(corpus), len(corpus))
        close(totals({name: corpus[name] for name in names}, row), before)
        assert totals({f"{random.random()}": pair for pair in corpus.values()}, row) == before


@QUIET
@EACH
def test_the_order_of_entities_changes_no_total(row: Options) -> None:
    random = Random(2)

    def shuffled(partition: twins.Partition) -> twins.Partition:
        return random.sample([random.sample(entity, len(entity)) for entity in partition], len(partition))

    for corpus, before in unchanged(row.name):
        moved = {name: (shuffled(key), shuffled(response)) for name, (key, response) in corpus.items()}
        close(totals(moved, row), before, row.tied)


@QUIET
@EACH
def test_swapped_sides_swap_recall_and_precision(row: Options) -> None:
    for corpus, before in unchanged(row.name):
        swapped = totals({name: pair[::-1] for name, pair in corpus.items()}, row)
        expected = {name: (p, r, f1) for name, (r, p, f1) in before.items()}
        close(swapped, expected, [*row.tied, *row.one_sided])


@QUIET
@EACH
def test_the_response_changes_no_denominator_of_recall(row: Options) -> None:
    """So a check of a response against the scores of any other is not refused as one of another key."""
    if row.how.get("of") in DIVISIONS:
        row = row._replace(how={**row.how, "of": "size:1-"})
    for corpus in corpora(repeated=True):
        key, response = ({name: pair[side] for name, pair in corpus.items()} for side in (0, 1))
        spans = {
            name: sorted({span for its in pair for entity in its for span in entity}) for name, pair in corpus.items()
        }
        for other in (
            {name: [its] for name, its in spans.items()},
            {name: [[each] for each in its] for name, its in spans.items()},
        ):
            # Without the fingerprint of the key, a check compares denominators.
            baseline = {**corefscore.score(key, other, SPANS, **row.how).to_dict(), "key": None}
            corefscore.check(key, response, baseline, **row.how)


# In files, for metrics that need more than spans

HEADER = "# global.Entity = eid-etype-head-other\n"
EMPTY_NODES = f"# newdoc id = {{0}}\n{HEADER}# sent_id = {{0}}-1\n# text = w\n1\tw\tw\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
EMPTY_NAMES = "#begin document ({0}); part 000\n{0}\t0\t0\tw\t-\t-\t-\t-\t-\t-\t*\t-\n\n#end document\n"

SCORED = TESTDATA / "corefud"
PAIRS = [
    *(SCORED / name for name in ("random/links-101-04", "random/spans-101-03")),
    *(SCORED / "scoring" / name for name in ("mor-overlap-101", "zero-collision-101", "zero-parent-breaks-tie-101")),
]

OF_NODES = [
    {},
    {"singletons": "keep"},
    {"matching": "exact", "zeros": "linear"},
    {"matching": "partial", "singletons": "keep", "boundary": "both", "task": "none"},
    {"zeros": "drop", "task": "none"},
    {"task": "aligned", "repeated": "first"},
    {"task": "crac22"},
    {"task": "crac23", "singletons": "keep"},
]


class Files(NamedTuple):
    """Documents of both sides as text, and how they are scored."""

    key: list[str]
    response: list[str]
    empty: str
    ending: str
    metrics: str

    def score(self, folder: Path, how: Mapping[str, Any], *, apart: bool = False) -> dict[str, Any]:
        """The totals of one file a side, or of one a document."""
        for side, texts in (("key", self.key), ("response", self.response)):
            path = folder / side
            path.mkdir(exist_ok=True)
            for old in path.iterdir():
                old.unlink()
            for at, text in enumerate(texts if apart else ["".join(texts)]):
                (path / f"{at}.{self.ending}").write_text(text)
        return of_result(corefscore.score(folder / "key", folder / "response", self.metrics, **how))

    def unchanged(self, folder: Path, how: Mapping[str, Any]) -> None:
        """Assert that nothing of what may not change a total changes one."""
        before = self.score(folder, how)
        empty = self.empty.format("empty")
        more = self._replace(key=[empty, *self.key], response=[*self.response, empty])
        assert more.score(folder, how) == before
        missing = self._replace(key=[*self.key, empty])
        assert missing.score(folder, how) == before
        turned = self._replace(key=self.key[::-1], response=self.response[::-1])
        close(turned.score(folder, how), before)
        assert self.score(folder, how, apart=True) == before
        key, response = folder / "key", folder / "response"
        if how.get("of") not in DIVISIONS:
            baseline = {**corefscore.score(key, key, self.metrics, **how).to_dict(), "key": None}
            corefscore.check(key, response, baseline, **how)


def divided(text: str, mark: str) -> list[str]:
    return re.split(f"(?m)^(?={mark})", text)[1:]


def of_nodes(pair: Path) -> list[list[str]]:
    """The documents of both sides, each with a header of its own."""
    texts = [(pair / f"{side}.conllu").read_text().replace(HEADER, "") for side in ("key", "response")]
    return [[text.replace("\n", f"\n{HEADER}", 1) for text in divided(text, "# newdoc")] for text in texts]


@QUIET
@pytest.mark.parametrize("how", OF_NODES, ids=lambda how: Options(how).name)
def test_corefud_in_files(how: Mapping[str, Any], tmp_path: Path) -> None:
    for pair in PAIRS:
        key, response = of_nodes(pair)
        Files(key, response, EMPTY_NODES, "conllu", NODES).unchanged(tmp_path, how)


@QUIET
@pytest.mark.parametrize("how", [{}, {"named": "contains"}, {"ne_from": "own"}, {"estimate_key": True}], ids=str)
def test_names_in_files(how: Mapping[str, Any], tmp_path: Path) -> None:
    one, other = ((TESTDATA / "names" / f"{side}.conll").read_text() for side in ("key", "response"))
    again = [text.replace("nw/demo", "nw/again") for text in (other, one)]
    files = Files([one, again[0]], [other, again[1]], EMPTY_NAMES, "conll", "cone")
    files.unchanged(tmp_path, how)


@QUIET
@EACH
def test_spans_in_files(row: Options, tmp_path: Path) -> None:
    if row.how.get("of") == "distance":
        row = row._replace(how={**row.how, "window": 9})
    for corpus in corpora()[:4]:
        sides = ([twins.conll([pair[side]]) for pair in corpus.values()] for side in (0, 1))
        key, response = ([text.replace("(twins)", f"({at})") for at, text in enumerate(texts)] for texts in sides)
        Files(key, response, EMPTY_NAMES, "conll", SPANS).unchanged(tmp_path, row.how)
