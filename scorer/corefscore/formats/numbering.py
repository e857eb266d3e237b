"""Which column, field or part of an item seems to have the names of documents, since each of them numbers its labels
itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from itertools import accumulate, chain, groupby, product

from corefscore.core.arrays import lists_by_key
from corefscore.formats.base import ITEM
from corefscore.formats.sides import METADATA, OF_TEXTS, names_documents, side_in

_NUMBER = re.compile(r"[^\d-]*([0-9]{1,9})(?:[.,]0+)?[\])>]?")
"""A label that is a number, perhaps after a letter or word, or as a float, or between brackets."""

_UNLIKELY = 12
"""The number of labels from which it is unlikely that each group has all of the first ones, but for the last few."""

_LOOKED_AT = 20_000
"""The number of items that show whether a part of them can be the name of a document."""

_FIRST = re.compile(r"[\[(<]?[A-Za-z]*[-_ ]?0*[01](?:[.,]0+)?[\])>]?")
"""The first label of a document that numbers its labels."""


def divides(name: str, cells: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether a column seems to have the names of documents, which would divide the rows: by its name, by its
    name and since it divides most labels, or since labels restart."""
    if name.strip().lower() in METADATA or name.startswith(("column ", "Unnamed: ")):  # perhaps a speaker
        return restarts(cells, labels, sure=True) or begins_again(name, cells, labels)
    if len({*cells}) == len(cells) or names_documents(name):
        return len({*cells}) < len(cells)
    of_text = re.fullmatch(OF_TEXTS, name.strip())
    counts = Counter(label for label, _ in {*zip(labels, cells, strict=True)} if label).values() if of_text else ()
    return not side_in(name) and (2 * sum(count > 1 for count in counts) > len(counts) or restarts(cells, labels))


def begins_again(name: str, cells: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether a column is an index of rows that begins again with the labels, as where tables were joined."""
    if not re.match("(?i)column |unnamed: |index$", name.strip()) or not all(map(str.isdecimal, cells)):
        return False
    return restarts(list(accumulate(cell == cells[0] for cell in cells)), labels, sure=True)


def restarts(groups: Sequence[Hashable], labels: Sequence[str], *, sure: bool = False) -> bool:
    """Return whether labels seem to restart in each group of rows: labels occur in several groups, each group is one
    run of rows, and the first label of each is 0 or 1, perhaps after letters, or each has a number of labels of its
    own; to be ``sure``, all of this, with the same first label. In any order of rows, numbers of labels are enough if
    they are four, or many and quite different."""
    if not 1 < len({*groups}) <= len(groups) // 2:
        return False
    labelled = lists_by_key((group, label) for group, label in zip(groups, labels, strict=True) if label).values()
    different, first = {*chain(*labelled)}, {its[0] for its in labelled}
    sizes = {numbered_from_start({*its}) for its in labelled}
    many = len(sizes) > 3 and len(different) > 5
    if 0 not in sizes and (many or max(sizes, default=0) > min(sizes, default=0) + 3 > _UNLIKELY):
        return True
    restart = all(map(_FIRST.fullmatch, first)) or (len(sizes) > 1 and 0 not in sizes)
    if sure:
        restart = len(first) == 1 and 0 not in sizes and len(different) > 2
    return restart and in_runs(groups) and sum(len({*its}) for its in labelled) > len(different)


def in_runs(groups: Sequence[Hashable]) -> bool:
    """Return whether equal values follow each other."""
    return sum(1 for _ in groupby(groups)) == len({*groups})


def documents_in(items: Sequence[Hashable], labels: Sequence[str]) -> str | None:
    """Find the part of the items that seems to be the name of a document, since labels restart in each: the first of
    several values, or what is before the last of some sign, or the last but one."""
    if len(pairs := [item for item in items if isinstance(item, tuple) and item]) == len(items):
        return "items[0][0]" if restarts([repr(item[0]) for item in pairs], labels) else None
    texts = [item for item in items if isinstance(item, str)]
    signs = dict.fromkeys(re.findall("[:/|#_. -]", texts[0])) if len(texts) == len(items) else ()
    for sign, parts in product(signs, (1, 2)):  # after the name, a number of the item, or its first and last token
        if 2 * len({text.rsplit(sign, parts)[0] for text in texts[:_LOOKED_AT]}) > len(texts[:_LOOKED_AT]):
            continue
        names = [item.rsplit(sign, parts)[0] for item in texts]
        numbers = (item.removeprefix(name) for item, name in zip(texts, names, strict=True))
        # Words and the names of two lists of items have such signs, too.
        rare = sign in ":/|#"
        likely = rare or (len({*names}) > 2 and all(re.search("[0-9]", number) for number in numbers))
        if likely and restarts(names, labels, sure=not rare):
            return f"{ITEM} before {'a blank' if sign == ' ' else sign}"
    return None


def numbered_from_start(labels: Collection[str]) -> int:
    """Count different labels if they are all the numbers from 0 or 1 on, after a letter or word or alone; 0 if not."""
    numbers = {int(number[1]) for number in map(_NUMBER.fullmatch, labels) if number}
    least = 1 - (0 in numbers)
    return len(labels) if numbers == {*range(least, least + len(labels))} else 0
