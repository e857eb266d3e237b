"""Ids of entities that may mean something else: no entity, several entities, or that of another spelling; and items
that may be lists of items."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence, Set
from itertools import chain
from unicodedata import normalize

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints, lists_by_key, ranked
from corefscore.core.documents import Documents, Place
from corefscore.core.findings import Finding, plural, shortened, texts_in
from corefscore.core.items import Numbers, Values, text_of
from corefscore.core.sources import Source
from corefscore.formats.base import found_at

_AROUND = r"[\s\"'=\u2018\u2019\u201c\u201d]"
_SPELLING = (
    (r"\n(?<=[^\0\s]\n)(?=\s*[^\0\s])", ";"),
    (r"[\xad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]", ""),
    (r"%20|&nbsp;", " "),
    (r"&amp;|%26", "&"),
    (r"&(?:apos|quot|#39|#x27);|%2[27]", "'"),
    (r"\0(?:https?://(?:www\.)?|np\.[a-z]+\d*\(|b(?='))", "\0"),
    (r"/(?=\0)", ""),
    (rf"\0{_AROUND}+", "\0"),
    (rf"{_AROUND}(?<!{_AROUND}{_AROUND}){_AROUND}*\0", "\0"),
    # Not before the first of a list, such as ['e1', 'e2'].
    (r"\0[#*(\[{<+_'\u201c\u201d]+(?=[a-z]*\d(?!\w*(?:['\"][,:]? |, )))", "\0"),
    (r"[.:;!?,)\]}>*'\u201c\u201d-](?<=\d.)[.:;!?,)\]}>*'\u201c\u201d-]*\0", "\0"),
    (r"\.0+\0", "\0"),
    (r"0(?<![\d.]0)0*(?=\d)", ""),
    (r"\s+", " "),
    (r"_(?<=[^\W_]_)(?=[^\W_])", " "),
    (r"[\u2018\u2019]", "'"),
    (r"[\u2010-\u2015\u2212]", "-"),
    (r"-(?<=[^\W\d_]{2}-)(?=[^\W\d_])", " "),
)
"""What makes two ids of one, and what to put in its place: line ends within them, which are between several; invisible
characters; how HTML, URLs, numpy and bytes spell them; white space and quotes around it; signs around a number; zeros
after its point, and those before it; white space within it, quotes and dashes. Each pattern begins with a character,
which is found fast, and looks at each run only once."""

_UTF_8 = r"[\xc2\xc3][\x80-\xbf]"
"""The two bytes of a letter in UTF-8, read as Latin-1."""

_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}
"""The character of Latin-1 that a byte means if it is not UTF-8."""

_WORD = r"\0([^\W\d_]{2,}|[ecm])[ _:=-]?(\d+)(?=\0)"
_WORDS = {"entity", "cluster", "coref", "chain", "id", "ref", "mention", "e", "c", "m"}
"""An id that is a number after a word; and words for entities."""

_OF_TOKENS = "[bilues]-"
"""What is before the id in labels of tokens, where B-1 begins a mention and I-1 continues it."""

_UNSIGNED = [str(2**bits - 1) for bits in (8, 16, 32, 64)]
"""What -1 is as a number without a sign; the first two may also be one of many numbers."""

_SCORED, _NOTHING, _TYPED = (its.replace("\n", "") for its in texts_in(__package__, "ids.ini")["labels"].values())
_MISSING = "nan", "NaN", "None", "<NA>", "NaT", "null", "-1", -1
_NUMBERED = re.compile(r"(?s)\A(?!-)((?:(?!\d, ).)*?)(?<![.\d])([0-9]{1,18})\)?\Z")
_BETWEEN = r"'?\s?[,;+&|/]\s?(?:and |or )?'?"
_SEVERAL = rf"|[\[({{]*\d+(?:{_BETWEEN}\d+)+"
_JOINED = rf"{_BETWEEN}|(?<=\d) (?:and |or )?(?=[a-z]*\d)"
_LIST = r"\0([\[{](['\"])[^\0]*\2,? \2[^\0]*)"
_PARTS = re.compile(r"\W*(\w*?\d)(?:[^\w\s]+|[ _])(\w+)|(\d+)([a-z])")
"""What programs write with a probability; for a value that is missing, or spreadsheets for one that they do not show
whole; before a type of entities; all in lower case; for an item that is missing; an item that ends with a whole number;
what is between several values; several numbers; what is between several labels; a list as text; and an id with another
number, or with a type, after it."""

_ENOUGH = 10_000
"""The number of items that show whether labels are lists of items."""

_RARE = 0.001
"""The chance below which documents are unlike the others, and links to items without a label."""

_ODD_ORDER = 0.01
"""The chance below which equal labels are apart."""

_ALONE = "has one item only, "


def merged_cells(documents: Documents) -> Iterator[Finding]:
    """Yield a notice if several rows have no label, and every entity of documents with such rows has one item only, or
    none two in a row; or if every entity has one item only, and most items seem to be lists of items."""
    without = documents.items.document if documents.items else NONE
    several = np.bincount(documents.entity, minlength=len(documents.document)) > 1
    partly = (np.bincount(without, minlength=len(documents)) > 0)[documents.document]
    rest, every, unlabelled = several[~partly], len(several), f"and {len(without)} rows have no label"
    # How likely such documents are if their entities are like those of the rest.
    chance = (1 - rest.sum() / (len(rest) + 1)) ** partly.sum()
    if 1 < partly.sum() <= len(without) and not several[partly].any() and chance < _RARE:
        among = f"{partly.sum()} entities in {len(np.unique(without))} of {plural(len(documents), 'document')}"
        yield found_at(documents.place_of(int(without[0])), "merged-cells", among=among, what=_ALONE + unlabelled)
    elif len(without) > 1 and several.any() and _apart(documents, partly):
        among = f"{partly.sum()} entities in documents with such rows"
        what = f"never has two items one after the other, {unlabelled}"
        yield found_at(documents.place_of(int(without[0])), "merged-cells", among=among, what=what)
    if every > 1 and not several.any():
        names = documents.words_of(range(min(every, 1000)))
        # Signs of lists, a comma with less weight, since names have some. All ids have the same number.
        signs = [3 * len(re.findall("[;|]", name)) + name.count(",") for name in names]
        what = unlabelled * (len(without) > 1)
        if max(signs) > 2 and len({*signs}) > 1 and 2 * sum(map(bool, signs)) > len(signs):
            what = f'such as "{shortened(names[signs.index(max(signs))])}"'
        if what:
            yield found_at(documents.place_of(0), "merged-cells", among=f"{every} entities", what=_ALONE + what)


def _apart(documents: Documents, partly: Bools) -> bool:
    """Return whether no two items with the same label follow each other, rows without a label left out, in documents
    that have such rows, although chance would rarely part all of them. ``partly`` says which entities these have."""
    rows = np.flatnonzero(partly[documents.entity])
    of = documents.document[documents.entity[rows]]
    order = np.lexsort((documents.start[rows], of))  # items have numbers in the order of rows
    entity, of = documents.entity[rows[order]], of[order]
    same_document = of[1:] == of[:-1]
    size, every = np.bincount(entity, minlength=len(documents.document)), np.bincount(of)
    chance = np.prod(1 - ((size[entity] - 1) / np.maximum(every[of] - 1, 1))[1:][same_document])
    return bool(chance < _ODD_ORDER and not (entity[1:] == entity[:-1])[same_document].any())


_DIGITS, _FEW, _SOME, _LATE = 19, 7, 3, 0.7
"""Numbers of so many digits are no links. Fewer labels than `_FEW` may be numbered in any order by chance; fewer than
`_SOME` may be items by chance. Links beside a label for none go beyond the share `_LATE` of the items."""


def linked_items(place: Place, labels: Sequence[str], as_item: Ints, item: Ints, label: Ints) -> Iterator[Finding]:
    """Yield a notice about a label that is an item with another label, or none, if most labels are items, as where a
    label is a link to another item. ``as_item`` is the number of the item that each label is, -1 for none; ``item`` and
    ``label`` are those of each row, -1 for no label. Numbers are links only if `_are_links`."""
    own = np.full(max(as_item.max(initial=0), item.max(initial=0)) + 1, -2)
    own[item] = label
    if not _are_links(labels, as_item, item, label, own):
        as_item = np.where([text.removesuffix(".0").isdecimal() for text in labels], -1, as_item)
    linked = np.flatnonzero((as_item >= 0) & (own[as_item] > -2) & (own[as_item] != np.arange(len(labels))))
    if 2 * np.count_nonzero(as_item >= 0) >= len(labels):
        yield from (found_at(place, "linked-items", label=labels[at]) for at in linked[:1])


def _are_links(labels: Sequence[str], as_item: Ints, item: Ints, label: Ints, own: Ints) -> bool:
    """Return whether numbers seem to be links to items, since each is an earlier item than that of its row, or a later
    one, and they do not number the labels. ``own`` is the label of each item, -1 for none.

    New numbers of labels often rise, so links have to fall somewhere, unless each is to a later item by one other, or
    they are all to items without a label, and more than chance explains. Numbers that leave none out are links only if
    they are many."""
    is_link = np.append(as_item, -1)[label] >= 0
    marker = {*label[~is_link & (label >= 0)].tolist()}  # for no antecedent, such as 0
    its, steps = label[is_link], item[is_link] - as_item[label[is_link]]
    late = max(as_item.max(initial=0), 0) > _LATE * item.max(initial=0)  # labels of entities seldom rise so far
    if not len(its) or len(marker) > late or not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    new = [labels[its[at]].removesuffix(".0") for at in np.sort(np.unique(its, return_index=True)[1]).tolist()]
    numbers = [int(text) for text in new if text.isdecimal() and len(text) < _DIGITS]
    to_none = bool((own[as_item[its]] == -1).all()) and (label < 0).mean() ** len(new) < _RARE
    falls = numbers != sorted(numbers) or bool((steps <= 0).all() and np.bincount(its[steps < 0]).max(initial=0) < 2)
    whole = max(numbers, default=0) - len(numbers) < min(numbers, default=0) < 2
    return len(new) >= _SOME and (to_none or (falls and not (whole and (marker or len(new) < _FEW))))


def shifted_items(
    key: Set[tuple[Hashable, str]], response: Set[tuple[Hashable, str]], path: str, line: int | None = None
) -> Iterator[Finding]:
    """Yield a notice if the items of both sides, each beside its document, are or end with numbers, those of the
    response are those of the key and 1 more or less, and hardly any is missing."""
    every = chain(key, response)
    if 10 * len(response) < 9 * max(len(key), _SOME) or not all(_NUMBERED.match(text) for _, text in every):
        return
    found = ([(of, *_NUMBERED.findall(text)[0]) for of, text in side] for side in (key, response))
    ours, theirs = ({(of, rest, int(number)) for of, rest, number in its} for its in found)
    for by, shift in ((1, "higher"), (-1, "lower")):
        if not theirs <= ours and theirs <= {(of, rest, number + by) for of, rest, number in ours}:
            yield Finding("shifted-items", path, line, details={"shift": shift})
            return


def missing_item(values: Values, place: Place | None) -> Iterator[Finding]:
    """Yield a notice about an item that is what programs write for a missing one, or for a list of several."""
    known = {*(() if isinstance(values, range) else values.tolist() if isinstance(values, np.ndarray) else values)}
    lists = re.findall(_LIST, "\0".join(["", *(its for its in known if type(its) is str), ""]))
    if found := [*(item for item in _MISSING if item in known), *sorted(its for its, _ in lists)]:
        yield found_at(Place(place.source if place else Source("clusters"), None), "odd-item", item=found[0])


def odd_ids(documents: Documents) -> Iterator[Finding]:
    """Yield a notice about an id that elsewhere means none or several, such as None or 1,2, and one about two entities
    of a document whose ids seem to be spellings of one; and the same about the names of documents of items."""
    if documents.items:
        yield from odd_names(documents)
    if not (documents.label < 0).any():  # all are whole numbers
        return
    labels, entities, label = np.unique(documents.label, return_index=True, return_inverse=True)
    several, sizes = "" if documents.items else _SEVERAL, np.bincount(label[documents.entity], minlength=len(labels))
    plain, rounded, odd = without_spelling(documents.names_of(entities.tolist()), f"|{_SCORED}{several}")
    scored = [at for at in odd if re.fullmatch(_SCORED, plain[at])]
    if 2 * (sizes[scored] == 1).sum() < len(scored) or 2 * len(scored) < len(plain):
        odd = sorted({*odd} - {*scored})  # names: scores differ from item to item, and all labels have one
    if documents.items or documents.own_text:
        odd += _joined_ids(documents, plain)
        if {*_UNSIGNED[:2]}.intersection(plain) and len({*plain}) > 1 and all(map(str.isdecimal, plain)):
            largest = max(plain, key=lambda its: (len(its), its))
            odd += [plain.index(largest)] if largest in _UNSIGNED and str(int(largest) - 1) not in plain else []
    # One without a number, where all others are numbers in the same form.
    forms = re.sub(r"\d+", "0", "\0".join(plain)).split("\0")
    (_, most), *rare = Counter(forms).most_common()
    lone = [forms.index(its) for its, _ in rare if len(forms) - 1 == most >= _FEW - 1 and "0" not in its]
    odd += [at for at in lone if sizes[at] > 1]
    of_document = zip(documents.document[entities].tolist(), range(len(plain)), strict=True)
    for its in lists_by_key(of_document if documents.own_text or documents.items else ()).values():
        odd += _with_more(plain, its, numbers=documents.own_text or bool((sizes[its] == 1).all()))
    # CorefUD has errors of its own for its ids.
    for at in () if documents.nodes else rounded + sorted(odd, key=lambda at: plain[at])[:1]:
        entity, count = int(entities[at]), plural(int(sizes[at]), "mention" if documents.items is None else "item")
        yield found_at(_place_of(documents, entity), "odd-label", label=documents.name_of(entity), count=count)
    if len({*(plain := _bare(plain, odd))}) < len(labels):
        first, rank = ranked(documents.document, Numbers().of(plain)[np.searchsorted(labels, documents.label)])
        for entity in np.flatnonzero(first[rank] != np.arange(len(rank)))[:1].tolist():
            what = f'entities of document "{documents.names[documents.document[entity]]}" have nearly the same id'
            one, other = documents.names_of([int(first[rank[entity]]), entity])
            yield found_at(_place_of(documents, entity), "alike-ids", what=what, first=one, second=other)


def _joined_ids(documents: Documents, plain: Sequence[str]) -> list[int]:
    """Return which ids seem to be several. Names can have such signs, too, so each part has to be an id or an item, or
    a number if most ids are numbers; items that are numbers count only if most ids have such signs."""
    signs, known = "[,;|/]" if documents.own_text else _JOINED, {*plain}  # a group may be called ann+bob
    # Numbers between brackets are a document and an entity.
    joined = [at for at, its in enumerate(plain) if re.search(signs, its) and not re.match(r"\(\d+, \d", its)]
    parts = [re.split(_JOINED, plain[at].strip("[](){}'")) for at in joined]
    if 2 * sum(map(str.isdecimal, plain)) > len(plain):
        known |= {*chain(*(re.findall(r"\d+", plain[at]) for at in joined if re.search(_BETWEEN, plain[at])))}
    if documents.items and joined and not known.issuperset(parts[0]):
        values, mostly = documents.items.values, 2 * len(joined) > len(plain)
        items = (text_of(values[at]) for at in range(min(len(values), _ENOUGH)))
        known.update(its.casefold().replace("_", " ") for its in items if mostly or not its.isdecimal())
    return [at for at, its in zip(joined, parts, strict=True) if known.issuperset(its)]


def _with_more(ids: Sequence[str], which: Sequence[int], *, numbers: bool) -> list[int]:
    """Return one of the ids ``which`` of a document, if these seem to have more than an id in them, such as the number
    or the type of a mention: two numbers and more are followed by several others, which may have ``numbers``."""
    parts = {at: match for at in which if (match := _PARTS.fullmatch(ids[at])) and (numbers or ids[at][-1].isalpha())}
    halves = zip(*(filter(None, its.groups()) for its in parts.values()), strict=True)
    counts = [Counter([*half, *{*half}.intersection(map(ids.__getitem__, which))]) for half in halves]
    return [*parts][-1:] if any(sum(count > 1 for count in each.values()) > 1 for each in counts) else []


def odd_names(documents: Documents) -> Iterator[Finding]:
    """Yield a notice about the name of a document of items that means none or was rounded, and one about two names that
    seem to be spellings of one."""
    plain, rounded, odd = without_spelling(documents.names)
    for at in (rounded + odd)[:1]:
        yield found_at(documents.place_of(at), "odd-name", name=documents.names[at])
    plain = _bare(plain, odd)
    first_of = dict(zip(reversed(plain), reversed(documents.names), strict=True))
    for at in [at for at, name in enumerate(documents.names) if first_of[plain[at]] != name][:1]:
        what, name = "documents have nearly the same name", first_of[plain[at]]
        yield found_at(documents.place_of(at), "alike-ids", what=what, first=name, second=documents.names[at])


def without_spelling(names: Sequence[str], several: str = "") -> tuple[Sequence[str], list[int], list[int]]:
    """Return names as they are compared, the place of one of several that seem to be rounded, and the places of those
    that elsewhere mean none or ``several``."""
    texts = "\0".join(["", *(name.replace("\0", " ") for name in names), ""])
    name = _rounded(names) if len(texts) > 8 * len(names) else None
    rounded = [names.index(name)] if name is not None else []
    digits, different = texts.replace("\0", ""), len({*names}) == len(names)
    if different and digits.isascii() and digits.isdecimal() and not re.search("\0" + "0[0-9]", texts):
        return names, rounded, [names.index(its) for its in _UNSIGNED[2:] if its in names]
    texts = re.sub(_UTF_8, lambda its: its[0].encode("latin-1").decode(), texts.translate(_LATIN_1))
    texts = re.sub(r"(?![0-9])\d", lambda its: str(int(its[0])), normalize("NFKC", texts).casefold())
    for pattern, left in _SPELLING:
        texts = re.sub(pattern, left, texts)
    if "\0b-" in texts and re.search("\0[il]-", texts) and not re.search(rf"\0(?!{_OF_TOKENS}|o\0)[^\0]", texts):
        texts = re.sub(rf"\0{_OF_TOKENS}", "\0", texts)
    # After the same name that others have before a number: `c_nan` beside `c_1`.
    before = {*re.findall(r"\0([^\0]*[^\0\d])\d+(?=\0)", texts)}
    ends = re.findall(r"\0(([^\0]+?)(?:-1|nan|none|null|<na>))(?=\0)", texts)
    plain = texts.split("\0")[1:-1]
    outside = "" if re.search(r"\0[a-np-z](?=\0)", texts) else "|o"  # unless single letters are labels
    none = {*re.findall(rf"\0({_NOTHING}{outside}{several})(?=\0)", texts)}
    none |= {text for text, name in ends if name.replace("_", " ") in before}
    return plain, rounded, [at for at, text in enumerate(plain) if text in none]


def _bare(plain: Sequence[str], odd: Sequence[int]) -> list[str]:
    """Return ids, but for ``odd`` ones, with one sign between a word and a number, if several have this word, and
    without the word, or a type, if another id is the rest alone."""
    texts, known = "\0".join(["", *plain, ""]), {*plain}
    counts = Counter(word for word, _ in re.findall(_WORD, texts))
    few = {word for word in counts if counts[word] == 1} - _WORDS
    texts = re.sub(
        _WORD, lambda its: its[0] if its[1] in few else "\0" + its[1] * (its[2] not in known) + its[2], texts
    )
    texts = re.sub(rf"\0{_TYPED}(?=\0)", lambda its: "\0" + its[1] if its[1] in known else its[0], texts)
    return [its if at not in odd else plain[at] for at, its in enumerate(texts.split("\0")[1:-1])]


def _rounded(names: Sequence[str]) -> str | None:
    """Return one of several long numbers that seem rounded, since all are floats of 64 or 32 bits, or have at most
    15 digits before zeros, as spreadsheets write them. Chance makes that of one in a thousand sets of numbers."""
    numbers = [name for name in names if 8 <= len(name) <= 20 and name.isascii() and name.isdecimal()]
    long = [name for name in numbers if len(name) > 15]
    zeros = sum(len(name) - 15 for name in long) > 3 and all(not name[15:].strip("0") for name in long)
    return min(long or numbers) if zeros or _are_floats(long, 53) or _are_floats(numbers, 24) else None


def _are_floats(numbers: Sequence[str], digits: int) -> bool:
    """Return whether so many binary digits are enough for all of these numbers, and hardly for others like them."""
    lost = [max(int(number).bit_length() - digits, 0) for number in numbers]
    needed = sum(lost) - sum(len(number) - len(number.rstrip("0")) for number in numbers)
    # Multiples of a larger number, such as seconds of days, are no sign of it.
    some = needed > 10 and math.gcd(*map(int, numbers)) == 2 ** min(lost)
    return some and all(int(number) % 2**bits == 0 for number, bits in zip(numbers, lost, strict=True))


def _place_of(documents: Documents, entity: int) -> Place:
    """Return the place of the first mention of an entity."""
    mention = documents.mention(int(np.searchsorted(documents.entity, entity)))
    return mention.place._replace(line=mention.line)
