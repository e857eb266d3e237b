"""Moosavi and Strube 2016, Which coreference evaluation metric do you trust? A proposal for a link-based entity aware
metric: section 5, tables 2 and 3, and sections 7.1 to 7.5 with figures 2 to 8."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from math import comb
from random import Random
from statistics import fmean

from corefscore import score

from papers import conll_2012, free_corpora
from papers.page import (
    LINKS,
    MENTIONS,
    METRICS,
    NAMES,
    Claim,
    Drawing,
    Panel,
    Partition,
    Point,
    differing,
    filled,
    listed,
    measured,
    percent,
)
from papers.printed import CR1, CR2, ENTITY_1, LEA, MISPRINT, printed

PAPER = LEA

# Section 7: the key, and what a response to it scores

SIZES = (20, 10, 10, 5, 5, 5, 4, *[2] * 10)
KEY = [list(range(end - size, end)) for size, end in zip(SIZES, accumulate(SIZES), strict=True)]
"""The key of all experiments; a mention is a number."""

MENTIONS_OF_KEY = [mention for entity in KEY for mention in entity]
ENTITY = {mention: number for number, entity in enumerate(KEY) for mention in entity}
LINKS_OF_KEY = sum(comb(size, 2) for size in SIZES)

RUNS = 100
"""Where responses are drawn at random, values are means over so many of them, seeded 0, 1, 2, ..."""

SHARES = range(0, 101, 20)
"""In percent; the paper speaks of a step from 0 % to 20 %."""

NEAR = 1e-9


def mean(responses: Sequence[Partition]) -> Point:
    """Means over responses: F1 of every metric, and the shares of key links and key mentions that they have."""
    names = [str(number) for number in range(len(responses))]
    result = score(dict.fromkeys(names, KEY), dict(zip(names, responses, strict=True)))
    documents = result.documents.values()
    found = {name: fmean(document[name].f1 for document in documents) for name in METRICS}
    found[LINKS] = fmean(document["blanc.coreference"].recall for document in documents)
    found[MENTIONS] = fmean(document.mentions.recall for document in documents)
    return found


# Sections 7.1 and 7.5: links resolved, links made up

LARGEST_FIRST, AT_RANDOM = "largest entities first", "mentions at random"
TO_ANY, AMONG_THEMSELVES = "others linked to any entity", "others linked among themselves"


def resolved(mentions: Iterable[int], share: int) -> list[list[int]]:
    """Mentions join those coreferent with them, one after the other, until this share of the key links, in percent, is
    resolved. Mentions that stay alone are left out."""
    together: dict[int, list[int]] = defaultdict(list)
    links = 0
    for mention in mentions:
        if 100 * links >= share * LINKS_OF_KEY:
            break
        links += len(together[ENTITY[mention]])
        together[ENTITY[mention]].append(mention)
    return [entity for entity in together.values() if len(entity) > 1]


def linked_wrongly(mentions: Sequence[int], entities: Partition, random: Random) -> list[list[int]]:
    """Every mention joins an entity drawn from those without a mention that is coreferent with it, one with a single
    mention before others; where there is none it begins one.

    Mentions of which there are many in one key entity come first, since each needs an entity of its own.
    """
    response = [list(entity) for entity in entities]
    many = Counter(ENTITY[mention] for mention in mentions)
    for mention in sorted(mentions, key=lambda mention: (-many[ENTITY[mention]], ENTITY[mention])):
        free = [entity for entity in response if all(ENTITY[other] != ENTITY[mention] for other in entity)]
        alone = [entity for entity in free if len(entity) == 1]
        if free:
            random.choice(alone or free).append(mention)
        else:
            response.append([mention])
    return response


def with_wrong_links(mentions: Sequence[int], entities: Partition, way: str, random: Random) -> Partition:
    """The entities, and these mentions, all linked to mentions that are not coreferent with them."""
    if way == TO_ANY:
        response = linked_wrongly(mentions, entities, random)
    else:
        response = [*map(list, entities), *linked_wrongly(mentions, [], random)]
    # What is still alone joins any entity.
    left = [entity[0] for entity in response if len(entity) == 1]
    response = linked_wrongly(left, [entity for entity in response if len(entity) > 1], random)
    assert all(len(entity) > 1 for entity in response)
    return response


def links_resolved(order: str, way: str | None, share: int, seed: int) -> Partition:
    """A response with this share of the key links, in percent; the other mentions are missing or wrongly linked."""
    random = Random(seed)
    mentions = list(MENTIONS_OF_KEY)
    if order == AT_RANDOM:
        random.shuffle(mentions)
    entities = resolved(mentions, share)
    if way is None:
        return entities
    right = {mention for entity in entities for mention in entity}
    others = [mention for mention in mentions if mention not in right]
    random.shuffle(others)
    return with_wrong_links(others, entities, way, random)


def links_panel(order: str, way: str | None) -> Panel:
    """One way to draw figure 2 (no wrong links) or figure 3."""
    points = [mean([links_resolved(order, way, share, seed) for seed in range(RUNS)]) for share in SHARES]
    return Panel(", ".join(filter(None, (order, way))), "links, %", [str(share) for share in SHARES], points)


@cache
def figure_2() -> Drawing:
    """Section 7.1 without wrong links."""
    panels = [links_panel(order, None) for order in (LARGEST_FIRST, AT_RANDOM)]
    return Drawing("figure-2", "Resolved coreference links without incorrect links", panels)


@cache
def figure_3() -> Drawing:
    """Section 7.1 with wrong links."""
    panels = [links_panel(order, way) for order in (LARGEST_FIRST, AT_RANDOM) for way in (TO_ANY, AMONG_THEMSELVES)]
    return Drawing("figure-3", "Resolved coreference links with incorrect links", panels)


def claims_of_links() -> list[Claim]:
    """Section 7.1."""
    nothing = figure_3().panels[0].points[0]
    found = [
        Claim(
            "7.1 (1)",
            "only MUC and LEA give zero to a response with no correct coreference relation",
            f"figure 3, at 0 %: {listed(nothing)}",
            [name for name in METRICS if nothing[name] == 0] == ["muc", "lea"],
        )
    ]
    for panel in figure_3().panels:
        before, after = (point["ceafe"] for point in panel.points[:2])
        found.append(
            Claim(
                "7.1 (2)",
                "in figure 3, CEAF-e drops between 0 and 20 % of the links",
                f"{panel.title}: from {percent(before)} to {percent(after)}",
                after < before,
            )
        )
    for panel in figure_2().panels:
        excess = max(map(above_both, panel.points))
        found.append(
            Claim(
                "7.1 (3)",
                "in figure 2, BLANC is at most B-cubed and LEA",
                f"{panel.title}: at most {percent(excess)} points above the lower of the two",
                excess < NEAR,
            )
        )
    for panel in figure_3().panels:
        leads = [
            point["blanc"] - max(point[name] for name in METRICS if name != "blanc") for point in panel.points[:-1]
        ]
        found.append(
            Claim(
                "7.1 (3)",
                "in figure 3, BLANC is at least 20 % higher than all others",
                f"{panel.title}: by {', '.join(map(percent, leads))} points",
                min(leads) >= 0.2,
            )
        )
    return found


def above_both(point: Point) -> float:
    """How far BLANC is above the lower one of B-cubed and LEA."""
    return point["blanc"] - min(point["bcub"], point["lea"])


@cache
def figure_8() -> Drawing:
    """Section 7.5: mentions are found and none of them is linked rightly."""
    points = []
    for share in SHARES:
        responses = []
        for seed in range(RUNS):
            random = Random(seed)
            found = random.sample(MENTIONS_OF_KEY, round(share * len(MENTIONS_OF_KEY) / 100))
            responses.append(with_wrong_links(found, [], AMONG_THEMSELVES, random))
        points.append(mean(responses))
    panel = Panel("no correct link", "mentions, %", [str(share) for share in SHARES], points)
    return Drawing("figure-8", "Mentions found, none of them resolved", [panel])


def claims_of_mentions() -> list[Claim]:
    """Section 7.5, and what section 3.4 says of BLANC."""
    points = figure_8().panels[0].points
    risen = [name for name in METRICS if all(before[name] < after[name] for before, after in pairwise(points))]
    return [
        Claim(
            "7.5",
            "F1 of B-cubed, CEAF and BLANC is not zero without a correct link",
            f"from {percent(points[1][MENTIONS], 0)} % of the mentions on, at least "
            + listed({name: min(point[name] for point in points[1:]) for name in METRICS}),
            all((point[name] == 0) == (name in ("muc", "lea")) for point in points[1:] for name in METRICS),
        ),
        Claim(
            "3.4",
            "BLANC rises with the key mentions found, resolved or not",
            "these rise at every step: " + ", ".join(METRICS[name] for name in risen),
            "blanc" in risen,
        ),
    ]


# Section 7.2: entities resolved


def entities_panel(title: str, entities: Partition) -> Panel:
    """F1 while entities are added to the response, one after the other."""
    numbers = range(len(entities) + 1)
    points = [mean([entities[:number]]) for number in numbers]
    return Panel(title, "entities", [str(number) for number in numbers], points)


@cache
def figures_4_and_5() -> Drawing:
    """Section 7.2: resolved entities."""
    panels = [
        entities_panel("figure 4, decreasing order", KEY),
        entities_panel("figure 5, increasing order", KEY[::-1]),
    ]
    return Drawing("figures-4-5", "Entities resolved, the largest or the smallest first", panels, [LINKS, *METRICS])


def claims_of_entities() -> list[Claim]:
    """Section 7.2."""
    decreasing, increasing = (panel.points for panel in figures_4_and_5().panels)
    apart = max(abs(one["ceafe"] - other["ceafe"]) for one, other in zip(decreasing, increasing, strict=True))
    spread = max(abs(point["bcub"] - point[name]) for point in (*decreasing, *increasing) for name in ("ceafm", "lea"))
    # The largest entity has as many mentions as the ten smallest.
    large, small = decreasing[1], increasing[10]
    return [
        Claim(
            "7.2 (1)",
            "CEAF-e does not depend on the sizes of the entities that are resolved",
            f"figures 4 and 5 differ by at most {percent(apart)} points at the same number of entities",
            apart < NEAR,
        ),
        Claim(
            "7.2 (2)",
            "B-cubed, CEAF-m and LEA are the same",
            f"they differ by at most {percent(spread)} points",
            spread < NEAR,
        ),
        Claim(
            "7.2 (3)",
            "BLANC is very sensitive to the number of links",
            f"{percent(large[MENTIONS])} % of the mentions, in the largest entity or in the ten smallest: "
            f"{percent(large[LINKS])} or {percent(small[LINKS])} % of the links, "
            f"LEA {percent(large['lea'])} or {percent(small['lea'])}, "
            f"BLANC {percent(large['blanc'])} or {percent(small['blanc'])}",
            abs(large["lea"] - small["lea"]) < NEAR and small["blanc"] < large["blanc"] / 2,
        ),
    ]


# Sections 7.3 and 7.4: entities split, mentions too many

SPLITS = ("2-2", "18-2", "16-4", "10-10", "5-3-2", "9-9-2", "9-5-6")
EXTRAS = ("1-2", "1-10", "2-0", "3-0", "3-10")


def split(error: str) -> Partition:
    """``18-2``: an entity of size 20 falls apart into entities of 18 and 2."""
    parts = [int(size) for size in error.split("-")]
    at = SIZES.index(sum(parts))
    ends = list(accumulate(parts))
    pieces = [KEY[at][end - size : end] for size, end in zip(parts, ends, strict=True)]
    return [*KEY[:at], *pieces, *KEY[at + 1 :]]


def extra(error: str) -> Partition:
    """``3-10``: 3 mentions that the key lacks join an entity of size 10; ``3-0``: they are an entity of their own."""
    count, size = (int(number) for number in error.split("-"))
    mentions = [len(MENTIONS_OF_KEY) + number for number in range(count)]
    if size == 0:
        return [*KEY, mentions]
    at = SIZES.index(size)
    return [*KEY[:at], KEY[at] + mentions, *KEY[at + 1 :]]


@cache
def figure_6() -> Drawing:
    """Section 7.3: one entity is split."""
    panel = Panel("one entity split", "error", SPLITS, [mean([split(error)]) for error in SPLITS])
    return Drawing("figure-6", "Splitting one entity", [panel], ordered=False)


@cache
def figure_7() -> Drawing:
    """Section 7.4: mentions that the key lacks."""
    panel = Panel("extra mentions", "error", EXTRAS, [mean([extra(error)]) for error in EXTRAS])
    return Drawing("figure-7", "Extra mentions", [panel], ordered=False)


def ranking(drawing: Drawing, metric: str, errors: Sequence[str]) -> str:
    """Errors from the least to the most harmful: ``18-2 > 5-3-2 > 16-4``; those that score alike in the order given."""
    (panel,) = drawing.panels
    f1 = {error: round(panel.points[panel.ticks.index(error)][metric], 9) for error in errors}
    ranked = sorted(errors, key=lambda error: -f1[error])
    signs = [" = " if f1[before] == f1[after] else " > " for before, after in pairwise(ranked)]
    return "".join(part for pair in zip(ranked, [*signs, ""], strict=True) for part in pair)


def rankings(found: Mapping[str, str]) -> str:
    """The rankings of several metrics, in words."""
    return "; ".join(f"{METRICS[metric]}: {order}" for metric, order in found.items())


def ranked_as(place: str, text: str, drawing: Drawing, said: Mapping[str, str]) -> Claim:
    """The claim that metrics rank errors in this way."""
    found = {metric: ranking(drawing, metric, re.split(" [>=] ", order)) for metric, order in said.items()}
    return Claim(place, text, rankings(found), found == said)


def roles_changed(place: str, text: str, drawing: Drawing, make: Callable[[str], Partition]) -> Claim:
    """The claim that an error with key and response swapped is like the error itself."""
    (panel,) = drawing.panels
    apart = max(
        abs(score(make(error), KEY)[name].f1 - point[name])
        for error, point in zip(panel.ticks, panel.points, strict=True)
        for name in METRICS
    )
    return Claim(place, text, f"F1 differs by at most {percent(apart)} points", apart < NEAR)


def claims_of_splits() -> list[Claim]:
    """Section 7.3."""
    return [
        roles_changed("7.3", "merging is similar to splitting with the roles swapped", figure_6(), split),
        ranked_as(
            "7.3 (1)",
            "MUC depends on the number of splits only",
            figure_6(),
            {"muc": "2-2 = 18-2 = 16-4 = 10-10 > 5-3-2 = 9-9-2 = 9-5-6"},
        ),
        ranked_as("7.3 (2)", "CEAF-e is the same for 2-2 and 10-10", figure_6(), {"ceafe": "2-2 = 10-10"}),
        ranked_as("7.3 (2)", "and for 9-9-2 and 9-5-6", figure_6(), {"ceafe": "9-9-2 = 9-5-6"}),
        ranked_as("7.3 (3)", "B-cubed: 18-2 > 5-3-2 > 16-4", figure_6(), {"bcub": "18-2 > 5-3-2 > 16-4"}),
        ranked_as("7.3 (3)", "BLANC: 5-3-2 > 18-2 > 16-4", figure_6(), {"blanc": "5-3-2 > 18-2 > 16-4"}),
        ranked_as(
            "7.3 (3)",
            "CEAF and LEA: 18-2 > 16-4 > 5-3-2",
            figure_6(),
            dict.fromkeys(("ceafm", "ceafe", "lea"), "18-2 > 16-4 > 5-3-2"),
        ),
    ]


def claims_of_extras() -> list[Claim]:
    """Section 7.4."""
    (panel,) = figure_7().panels
    f1 = {name: [round(point[name], 9) for point in panel.points] for name in METRICS}
    distinct = {name: len(set(values)) for name, values in f1.items()}
    last = {
        name: [error for error, value in zip(EXTRAS, values, strict=True) if value == min(values)]
        for name, values in f1.items()
    }
    orders = {name: ranking(figure_7(), name, ("2-0", "1-2", "1-10")) for name in METRICS}
    sizes = sorted(set(SIZES))
    counts = [score([[*range(size)]], [[*range(size + 1)]])["lea"].precision_counts for size in sizes]
    costs = [denominator - numerator for numerator, denominator in counts]
    return [
        roles_changed("7.4", "missing mentions are like extra ones with the roles swapped", figure_7(), extra),
        Claim(
            "7.4 (1)",
            "MUC and CEAF-m discriminate least",
            f"distinct F1 among these {len(EXTRAS)} errors: "
            + ", ".join(f"{METRICS[name]} {count}" for name, count in distinct.items()),
            [name for name in METRICS if distinct[name] == min(distinct.values())] == ["muc", "ceafm"],
        ),
        Claim(
            "7.4 (2)",
            "all but CEAF-e rank 3-10 last",
            "last: " + ", ".join(f"{METRICS[name]} {' = '.join(errors)}" for name, errors in last.items()),
            [name for name in METRICS if "3-10" not in last[name]] == ["ceafe"],
        ),
        Claim(
            "7.4 (3)",
            "CEAF-e ranks 2-0 and 3-0 last",
            f"last: {' = '.join(last['ceafe'])}",
            last["ceafe"] == ["2-0", "3-0"],
        ),
        Claim(
            "7.4 (4)",
            "only for LEA is 2-0 less harmful than 1-2 and 1-10",
            rankings(orders),
            [name for name, order in orders.items() if order.startswith("2-0 >")] == ["lea"],
        ),
        Claim(
            "7.4 (4)",
            "for LEA, error times importance of one extra mention is 2 in entities of all sizes",
            f"sizes {', '.join(map(str, sizes))}: {', '.join(f'{cost:.4g}' for cost in costs)}",
            all(abs(cost - 2) < NEAR for cost in costs),
        ),
    ]


# The page


def preference() -> Claim:
    """Section 3.3, on table 3."""
    f1 = {name: [measured(ENTITY_1, response, name).f1 for response in (CR1, CR2)] for name in METRICS}
    return Claim(
        "3.3",
        "CEAF prefers cr2, though cr1 makes more correct decisions",
        "F1 of cr1 and cr2: "
        + ", ".join(f"{NAMES[name]} {percent(one)} and {percent(two)}" for name, (one, two) in f1.items()),
        [name for name, (one, two) in f1.items() if one < two] == ["ceafm", "ceafe"],
    )


@cache
def claims() -> list[Claim]:
    """Sections 2, 3.1, 5, 3.3, table 5, and 7.1 to 7.5."""
    return [
        *free_corpora.claims(),
        conll_2012.section_3_1(),
        *(row.claim for row in printed(LEA)),
        *(preference(), conll_2012.section_3_3()),
        *conll_2012.table_5(),
        *claims_of_links(),
        *claims_of_entities(),
        *claims_of_splits(),
        *claims_of_extras(),
        *claims_of_mentions(),
    ]


def page() -> str:
    """What differs, and the figures."""
    return filled(
        "moosavi_strube_2016.md",
        runs=RUNS,
        differing=differing(claims()),
        misprint=MISPRINT,
        made_worse=free_corpora.on_the_page(),
        figure_2=figure_2().text,
        figure_3=figure_3().text,
        most=SHARES[-2],
        figures_4_and_5=figures_4_and_5().text,
        figure_6=figure_6().text,
        figure_7=figure_7().text,
        figure_8=figure_8().text,
    )


def drawings() -> list[Drawing]:
    """Figures 2 to 8."""
    return [figure_2(), figure_3(), figures_4_and_5(), figure_6(), figure_7(), figure_8()]
