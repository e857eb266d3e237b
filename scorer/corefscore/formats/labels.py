"""Labels: tables (CSV, TSV) with a row an item, as record linkage and clustering have them.

    item,entity
    paper 17,Ann Lee
    paper 18,

The header names the columns: `COLUMN_NAMES` are known for items, entities and documents, ``--columns`` names
others. Without one of these names, the first column that is left has the items, and the
next one the entities. Without a column of documents, a file is one document; the files of a folder are called like the
files without their endings. Cells are compared as they are, blanks included. An item without a label is in no entity.

JSON with an object for each mention, as programs for cross-document coreference write ECB+ and WEC-Eng, is such a
table, too:

    {"doc_id": "36_1.xml", "tokens_ids": [3, 4], "cluster_id": 17, "topic": "36"}

The item of such a record is the text ``36_1.xml 3,4``, or ``36_1.xml 2:3,4`` if tokens are numbered within sentence 2;
its entity is the cluster, in whichever texts that has mentions.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, groupby, islice, pairwise, repeat
from operator import contains
from string import ascii_letters

import numpy as np

from corefscore.core.arrays import NONE, Ints, lists_by_key, ranked
from corefscore.core.documents import KEY, RESPONSE, Documents, Place, Unread, by_appearance, joined
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural, shortened
from corefscore.core.items import LONGEST, Items, ItemWords, Numbers, Values, text_of
from corefscore.core.records import NamedTuple, replace
from corefscore.core.sources import MARK, Source, as_text, is_utf_16
from corefscore.formats.base import (
    BATCH,
    DOCUMENT,
    ENTITY,
    ITEM,
    USUAL,
    Format,
    FullDocument,
    Request,
    found_at,
    is_json,
    refused,
    shares_spans,
)
from corefscore.formats.ids import linked_items, merged_cells
from corefscore.formats.jsonlines.objects import (
    IN_SENTENCE,
    IN_TEXT,
    TEXT_OF_MENTION,
    Fields,
    bad_field,
    clean,
    is_record,
    missing_field,
    objects,
    shown,
)
from corefscore.formats.numbering import begins_again, divides, documents_in, in_runs, numbered_from_start, restarts
from corefscore.formats.sides import (
    OF_PLACES,
    OF_WORDS,
    leave,
    names_documents,
    names_entities,
    refuse_other_side,
    side_in,
)
from corefscore.formats.written import Fit, add_notice, fitted

COLUMN_NAMES: Mapping[str, Sequence[str]] = {
    ITEM: ("item", "mention", "id", "record", "unique"),
    ENTITY: ("entity", "cluster", "label"),
    DOCUMENT: ("document", "doc"),
}
"""The names of columns that are recognised, in any case; ``_id`` or `` id`` may follow."""

UNNAMED = "document"
"""The name of the only document, if no column has names."""

_SOME = 1000
"""The number of records after which only fields whose values repeat are kept."""

_FORMS = str, str.title, str.upper, str.lower, " {}".format, (as_text(MARK) + "{}").format
"""The forms that a heading may have in a second header."""

_OVERLAP = 0.1
"""The share of the items of a table up to which it may be a part of the table before it."""

_AT_ONCE, _ROW = 1 << 18, 16
"""The number of bytes that are read at once, and about how many a row has."""

_EXPECTED = "a table with a header and at least two columns, for example item,entity"


def documents(
    names: Sequence[str],
    places: Sequence[Place],
    columns: tuple[Ints, Ints, Ints, Ints],
    values: Values,
    others: Mapping[tuple[str, float], Ints] = {},
) -> Documents:
    """Return documents of items, with the ``others`` of `Items`. ``columns`` have one value a row: its document, its
    item as a number of ``values``, its entity (-1 for none), and its line; ``label`` of the documents are these numbers
    of entities.
    """
    labelled = columns[2] >= 0
    document, number, entity, line = (column[labelled] for column in columns)
    first, rank = ranked(document, entity)
    start = number - LONGEST
    in_order = document[first], entity[first], rank, start, start, line
    items = Items(values, columns[0][~labelled], columns[1][~labelled], others=others)
    tokens = np.full(len(names), -1)
    return by_appearance(Documents(names, places, tokens, *in_order, words=ItemWords(values), items=items))


def recognises(head: bytes) -> bool:
    """Return whether a file that begins so has a header that names a column of items and one of entities, or records
    of mentions."""
    first, delimiter = _first_line(head)
    names = {_plain(cell) for cell in next(csv.reader([first], delimiter=delimiter), [])}
    return all(not names.isdisjoint(COLUMN_NAMES[content]) for content in (ITEM, ENTITY)) or is_record(head)


def _first_line(head: bytes) -> tuple[str, str]:
    """Return the first line of a file that begins so, and the delimiter: a tab if it has one, or else a comma or
    semicolon.
    """
    line = as_text(re.split(rb"[\r\n]", head.removeprefix(MARK).lstrip(b"\r\n"), maxsplit=1)[0])
    return line, next((each for each in "\t,;" if each in line), ",")


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """Yield the documents of all files as one corpus, in batches of whole files.

    Raises `InputError` for a header or a row that is not as described above, `UsageError` for a file that cannot be
    read.
    """
    side = _Side(Numbers(), Numbers(""), request, notices, {}, {}, files)
    batch: list[Documents] = []
    for source in files:
        batch.append(side.documents(source, UNNAMED if len(files) == 1 else None))
        if source is files[-1] or sum(len(documents.start) for documents in batch) * _ROW > BATCH:
            notices += merged_cells(found := joined(batch))
            yield found
            batch = []


_Pair = tuple[str, str]
_WithLabels = tuple[Sequence[str], Sequence[str]]
"""The cells of a column, and the labels of their rows."""


class _Sample:
    """The cells of a table that show what its columns are: all of the first rows and some of the others, and of columns
    in which equal cells follow each other, as names of documents do, all pairs of a cell and its label."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.cells: list[list[str]] = [[] for _ in columns]
        # By column, until equal cells come again after others.
        self.pairs: dict[int, Counter[_Pair]] = {}
        self.runs: dict[int, dict[str, None]] = {}
        self.rows = 0

    def add(self, cells: Sequence[Sequence[str]], labels: Sequence[str]) -> None:
        """Add rows, given as columns."""
        if not self.rows:
            calm = [n for n, its in enumerate(cells) if in_runs(its) and 2 * len({*its}) <= len(its)]
            self.pairs, self.runs = {n: Counter() for n in calm}, {n: {} for n in calm}
        for some, its in zip(self.cells, cells, strict=True):
            some.extend(its[: _SOME if self.rows else None])
        self.rows += len(labels)
        for n, runs in list(self.runs.items()):
            new = [cell for cell, _ in groupby(cells[n])]
            if next(reversed(runs), None) == new[0]:  # the last run goes on
                del new[0]
            if len({*new}) < len(new) or not runs.keys().isdisjoint(new):
                del self.pairs[n], self.runs[n]
            else:
                runs.update(dict.fromkeys(new))
                self.pairs[n].update(zip(cells[n], labels, strict=True))

    def with_labels(self, labels: Sequence[str], *, whole: bool) -> Iterator[_WithLabels]:
        """Yield each column with the labels of its rows, which are those of the sample, or if it is not ``whole``, of
        all rows where they are known: a pair once, or twice if several rows have it."""
        for n, cells in enumerate(self.cells):
            pairs = self.pairs.get(n, Counter()) if self.rows > len(labels) and not whole else Counter[_Pair]()
            some = [pair for pair, count in pairs.items() for _ in range(min(count, 2))]
            yield ([cell for cell, _ in some], [label for _, label in some]) if some else (cells, labels)


class _Side(NamedTuple):
    """What the files of a side share: the numbers of items and of labels, and what was asked for."""

    items: Numbers
    labels: Numbers
    request: Request
    notices: list[Finding]
    unread: dict[Unread, Place]
    others: dict[tuple[str, float], list[Ints]]
    files: Sequence[Source]

    def documents(self, source: Source, name: str | None) -> Documents:
        """Return the documents of one file; without a column of documents it is one, called ``name`` or
        like the file.
        """
        names, blocks, known = Numbers(), [(NONE,) * 4], (len(self.items), len(self.labels))
        of_json = is_json(source.head(1 << 12), objects=True)
        for lines, columns in [self._of_records(source)] if of_json else self._rows(source):
            of = np.broadcast_to(names.of(columns.get(DOCUMENT) or [name or source.stem]), len(lines))
            blocks.append((of, self.items.of(columns[ITEM]), self.labels.of(columns[ENTITY]), lines))
        document, item, label, line = map(np.concatenate, zip(*blocks, strict=True))
        if not len(line):
            raise _without(source, "no row follows the header")
        place = Place(source, int(line[0]))
        if of_json or DOCUMENT not in self.request.columns:
            documents_of = np.bincount(label[ranked(label, document)[0]], minlength=known[1])
            # Of other items than those before, as in the parts of one table, which may overlap.
            if np.count_nonzero(item < known[0]) <= _OVERLAP * len(item):
                documents_of[: known[1]] += documents_of[: known[1]] > 0
            cut = int((documents_of[1:] > 1).sum())
            told = {notice.path for notice in self.notices if notice.code == "cut-clusters"}
            is_new = told.isdisjoint(its.name for its in self.files)
            if cut and is_new and (of_json or not self._restart(document, label)):
                self.notices.append(found_at(place, "cut-clusters", count=plural(cut, "label")))
        if DOCUMENT not in columns and not of_json:
            cells = ((self.items, item), (self.labels, label))
            if part := documents_in(*([texts[at] for at in its.tolist()] for texts, its in cells)):
                expected = f'all items are one document; move the names of documents to a column "{DOCUMENT}"'
                what = "the names of documents"
                self.notices.append(found_at(place, "unread-field", name=part, what=what, expected=expected))
        as_item = np.array([self.items.table.get(text, -1) for text in self.labels[1:]], np.int64)
        self.notices.extend(linked_items(place, self.labels[1:], as_item, item, label - 1))
        others = {name: np.concatenate(hashes) for name, hashes in self.others.items()}
        # Documents are numbered in the order of their first rows.
        first = np.searchsorted(np.maximum.accumulate(document), np.arange(len(names)))
        places_of = [Place(source, its) for its in line[first].tolist()]
        found = documents(names, places_of, (document, item, label - 1, line), self.items, others)
        unnamed = DOCUMENT not in columns and name is not None
        unread = {} if ENTITY in self.request.columns else self.unread
        return replace(found, label=-2 - found.label, odd_labels=self.labels, unnamed=unnamed, unread=unread)

    def _look_for_documents(
        self, place: Place, unread: Mapping[str, _WithLabels], columns: Mapping[str, Sequence[str]]
    ) -> None:
        """Add a notice for a column that seems to have the names of documents; beside a column of documents, for one
        that divides these."""
        if DOCUMENT in columns:
            expected = f'labels begin again in each; write both names in the column "{DOCUMENT}", such as "a/1"'
            for name, (its, _) in unread.items():
                parts = list(zip(columns[DOCUMENT], its, strict=True))
                if len({*parts}) > len({*columns[DOCUMENT]}) and restarts(parts, columns[ENTITY], sure=True):
                    what = "the parts of documents"
                    self.notices.append(found_at(place, "unread-field", name=name, what=what, expected=expected))
            return
        self._tell_documents(place, {name: its for name, its in unread.items() if divides(name, *its)})

    def _tell_documents(self, place: Place, columns: Mapping[str, _WithLabels]) -> None:
        """Add a notice for one of some columns that seem to have the names of documents and are not read: one in whose
        groups labels restart, if there is any, and of these one with most groups."""
        if columns:
            name = max(columns, key=lambda name: (restarts(*columns[name]), len({*columns[name][0]})))
            how = f'the name "{DOCUMENT}" for it' if name.startswith("column ") else f"--columns {DOCUMENT}={name}"
            if begins_again(name, *columns[name]):
                how = f'a column "{DOCUMENT}" with a name for each of the tables that were joined'
            expected = f"all items are one document; {how} divides them and their labels"
            what = "the names of documents"
            self.notices.append(found_at(place, "unread-field", name=name, what=what, expected=expected))

    def _restart(self, document: Ints, label: Ints) -> bool:
        """Return whether each document seems to number its labels itself."""
        first, _ = ranked(document, label)
        pairs = zip(document[first].tolist(), label[first].tolist(), strict=True)
        return all(map(numbered_from_start, lists_by_key((of, self.labels[at]) for of, at in pairs if at).values()))

    def _rows(self, source: Source) -> Iterator[tuple[Ints, Mapping[str, Sequence[str]]]]:
        """Yield the rows of a table, many at once: their lines, and their cells by the role of the column."""
        header = _header(source)
        places = _places(source, header, self.request, self.notices)
        named = [header.cells[place] for place in places.values()]
        headings = {role: {form(header.cells[place]) for form in _FORMS} for role, place in places.items()}
        digests = dict.fromkeys((name for name in header.cells if name and name not in named), 0)
        sample = _Sample(header.cells)
        for number, (lines, cells) in enumerate(_blocks(source, header, self.notices)):
            columns = {role: cells[place] for role, place in places.items()}
            sample.add(cells, columns[ENTITY])
            if number == 0:  # the first rows are enough
                self.others.clear()
                found = {name: _least_shared(name, cells[header.cells.index(name)], columns) for name in digests}
                if ITEM in self.request.columns:  # then only places show that items are others
                    found = {name: found[name] for name in found if re.fullmatch(OF_PLACES, name.lower())}
                self.others.update({its: [] for its in found.items() if its[1]})
            if self.others:
                of = columns.get(DOCUMENT) or repeat(source.stem if len(self.files) > 1 else UNNAMED)
                self.others.setdefault(("", 0), []).append(_hashes(zip(of, columns[ITEM], strict=False)))
            for name in digests:
                of_name = cells[header.cells.index(name)]
                digests[name] = (digests[name] + int(_hashes(of_name).sum())) % 2**64  # in any order and blocks
                if its := [its for its in self.others if its[0] == name]:
                    known = re.fullmatch(f"{OF_PLACES}|{OF_WORDS}", name.lower())
                    self.others[its[0]].append(_hashes(map(_plainly, of_name) if known else of_name))
            again = not headings[ENTITY].isdisjoint(columns[ENTITY])
            for line, *row in zip(lines, *columns.values(), strict=True) if again else ():
                if all(map(contains, headings.values(), row)):
                    expected = "one header; remove this line, or give several tables as the files of a folder"
                    raise _bad_row(source, int(line), "this line repeats the header", expected)
            for role in columns.keys() - {ENTITY}:
                if "" in columns[role]:
                    expected = "a name in this cell; only the entity cell may be empty, if the item is in no entity"
                    what = f'this row has an empty cell in the column "{header.cells[places[role]]}"'
                    raise _bad_row(source, int(lines[columns[role].index("")]), what, expected)
            yield lines, columns
        columns = {role: sample.cells[place] for role, place in places.items()}
        names = [name.strip() or f"column {number}" for number, name in enumerate(header.cells, 1)]
        with_labels = sample.with_labels(columns[ENTITY], whole=DOCUMENT in columns)
        left = (n not in places.values() for n in range(len(names)))
        unread = dict(compress(zip(names, with_labels, strict=True), left))
        self._look_for_documents(Place(source, header.line), unread, columns)
        of_pairs = [name for name in header.cells if _PAIRS.search(name)]
        both = len(of_pairs) > 1 or any(name[:-1].rstrip("_ ") == names[places[ITEM]] for name in of_pairs)
        if both and len({*columns[ENTITY]} - {""}) == 2:
            details = {"name": of_pairs[-1], "what": "one of a pair of records", "expected": _NO_PAIRS}
            self.notices.append(found_at(Place(source, header.line), "unread-field", **details))
        for name, digest in digests.items():
            leave(self.unread, Place(source, header.line), [name], cells=digest)

    def _of_records(self, source: Source) -> tuple[Ints, Mapping[str, Sequence[str]]]:
        """Return the lines of all records of a file, and their items, entities and, if these are asked for, documents.

        Raises `InputError` for the first record without one of these, `UsageError` for a file that cannot be read.
        """
        request = self.request
        found: list[tuple[int, str, str, str]] = []
        others: dict[str, list[str]] = {}
        names: Mapping[str, str] = {}
        for place, fields in objects(source):
            names = names or _names(place, fields, request, self.notices)
            chosen = ENTITY in request.columns or names[ENTITY] == _PREDICTED
            filled = [name for name in _clusters_in(fields, request) if fields[name] not in (None, "")]
            if more := [name for name in filled if name != names[ENTITY] and not chosen]:
                option = f"--columns {request.side or KEY}.{ENTITY}={more[0]}"
                expected = f"a cluster in the first record, too; {option} reads this field"
                raise bad_field(place, fields, more[0], "has a cluster here and none in the first record", expected)
            if missing := next((name for name in (TEXT_OF_MENTION, *names.values()) if name not in fields), None):
                others_of = f"--columns {ITEM}=NAME,{ENTITY}=NAME,{DOCUMENT}=NAME"
                expected = f"this field in every record; {others_of} chooses other fields"
                raise missing_field(place, fields, missing, expected)
            leave(self.unread, place, fields, {*names.values(), *_CLUSTERS, TEXT_OF_MENTION})
            if not found:
                others = {
                    name: []
                    for name, of in fields.items()
                    if not isinstance(of, bool | list | dict) and name != names[ENTITY]
                }
            elif len(found) == _SOME:
                others = {name: values for name, values in others.items() if 2 * len({*values}) < _SOME}
            for name, values in others.items():
                values.append(str(fields.get(name)))
            document = _text(place, fields, names[DOCUMENT]) if DOCUMENT in names else ""
            cluster = "" if fields[names[ENTITY]] in (None, "") else _text(place, fields, names[ENTITY])
            if isinstance(value := fields[names[ENTITY]], float) and abs(value) >= _INEXACT:
                cluster = str(value)
            found.append((place.line or 0, _item(place, fields, names), cluster, document))
        lines, items, clusters, documents = zip(*found, strict=True)
        place = Place(source, lines[0])
        if none := [cluster for cluster in clusters if cluster.lower() in _UNKNOWN]:
            self.notices.append(found_at(place, "unknown-cluster", label=none[0], count=plural(len(none), "record")))
        clusters = tuple("" if cluster.lower() in _UNKNOWN else cluster for cluster in clusters)
        # Entities of records go beyond documents, so the name of a field is not enough.
        divisions = {
            name: (values, clusters)
            for name, values in others.items()
            if restarts(values, clusters) or (not names_documents(name) and divides(name, values, clusters))
        }
        self._tell_documents(place, {} if DOCUMENT in names else divisions)
        return np.array(lines), {ITEM: items, ENTITY: clusters} | ({DOCUMENT: documents} if DOCUMENT in names else {})


class _Header(NamedTuple):
    """The header of a table: its cells, its line, the line after it, and the delimiter."""

    cells: Sequence[str]
    line: int
    after: int
    delimiter: str


def _header(source: Source) -> _Header:
    """Return the first row of a file that is not blank. Raises `InputError` for what is no table."""
    if is_utf_16(head := source.head(1 << 16).removeprefix(MARK)):
        raise _without(source, "the file is not UTF-8; it looks like UTF-16")
    _, delimiter = _first_line(head)
    with source.reading() as stream:
        found = next(_rows(source, stream, delimiter, 1), None)
    if found is None:
        raise _without(source, "the file contains nothing but white space" if head else "the file is empty")
    line, after, cells = found
    if len(cells) < 2:
        raise _without(source, f'the first line of the file is "{shortened(",".join(cells))}"')
    return _Header(cells, line, after, delimiter)


def _rows(source: Source, lines: Iterable[bytes], delimiter: str, line: int) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the rows of some lines that are not blank: the line of each, the line after it, and its cells. ``line`` is
    the number of the first line. Raises `InputError` for what is no row.
    """
    texts = (as_text(each.removeprefix(MARK) if line == 1 else each) for each in lines)
    rows = csv.reader(texts, delimiter=delimiter, strict=True)
    before = line - 1
    try:
        for row in rows:
            after = before + rows.line_num + 1
            if row:
                yield line, after, row
            line = after
    except csv.Error as error:
        expected = 'quotes (") around cells with a delimiter or a quote, inner quotes doubled (""), and no lone CR'
        raise _bad_row(source, line, f"this line is not a row of a table: {error}", expected) from None


def _blocks(source: Source, header: _Header, notices: list[Finding]) -> Iterator[tuple[Ints, Sequence[Sequence[str]]]]:
    """Yield the rows after the header, many at once: their lines, and their cells by column.

    Pieces without quotes are cut at every delimiter, which is several times faster than `csv`; from the first other
    piece on, `csv` reads the file. A notice is added for the first quoted cell that seems to contain rows. Raises
    `InputError` for a row with another number of cells than the header.
    """
    line, width = header.after, len(header.cells)
    with source.reading() as stream:
        for _ in range(line - 1):
            stream.readline()
        while piece := stream.read(_AT_ONCE) + stream.readline():
            if (cells := _plain_cells(as_text(piece), width, header.delimiter)) is None:
                break
            count = len(cells) // width
            yield np.arange(line, line + count), [cells[place::width] for place in range(width)]
            line += count
        rows = _rows(source, chain(io.BytesIO(piece), stream), header.delimiter, line)
        told = False
        while block := list(islice(rows, _AT_ONCE // _ROW)):
            for line, after, row in block:
                if after - line > 1 and not told and (count := _rows_within(row, header.delimiter)):
                    told = True
                    notices.append(found_at(Place(source, line), "quoted-rows", count=plural(count, "line")))
                if len(row) != width:
                    what = f"this row has {plural(len(row), 'cell')}: {shortened(header.delimiter.join(row))}"
                    expected = f"{width} cells, as in the header; put quotes around a cell with a delimiter in it"
                    raise _bad_row(source, line, what, expected)
            lines, _, found = zip(*block, strict=True)
            yield np.array(lines, dtype=np.int64), list(zip(*found, strict=True))


def _rows_within(row: Sequence[str], delimiter: str) -> int:
    """Count the lines in quoted cells that would be rows if the quotes were part of the text."""
    count = 0
    for place, cell in enumerate(row):
        first, *lines = cell.split("\n")
        # The last of these ends with the quote, within the row's column of this place; a line without a delimiter says
        # nothing, unless the first one is a whole row, with tabs or with several delimiters without a blank after them.
        of_rows = delimiter if len(row) > 2 and f"{delimiter} " not in first else "\t"
        expected = [len(row) - 1] * (len(lines) - 1) + [place or first.count(of_rows) + 1 - len(row)]
        count += sum(line.count(delimiter) == size for line, size in zip(lines, expected, strict=False))
    return count


def _plain_cells(text: str, width: int, delimiter: str) -> list[str] | None:
    """Return the cells of some lines, row after row; None if they have quotes, blank lines, or other numbers of
    cells."""
    text = text.replace("\r\n", "\n").removesuffix("\n")
    if '"' in text or "\r" in text or {line.count(delimiter) for line in text.split("\n")} != {width - 1}:
        return None
    return text.replace("\n", delimiter).split(delimiter)


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").removesuffix("_id")


def _places(source: Source, header: _Header, request: Request, notices: list[Finding]) -> dict[str, int]:
    """Return where the columns are, by role. Columns that are taken by their position, or instead of others, are added
    to the notices.

    Raises `InputError` for a header without a column that was asked for, and with a column twice.
    """
    cells, line, asked = header.cells, header.line, request.columns
    plain = [_plain(name) for name in cells]
    free = [name for name, cell in zip(plain, cells, strict=True) if cell not in asked.values()]
    found: dict[str, int] = {}
    for role, names in COLUMN_NAMES.items():
        known = [name for name in names if name in free]
        chosen = asked.get(role) or next(iter(known), None)
        fitting = [n for n, name in enumerate(cells if role in asked else plain) if name == chosen]
        if len(fitting) > 1 or (role in asked and not fitting):
            number = f"{len(fitting)} columns" if fitting else "no column"
            what = f'the header has {number} named "{chosen}"; its columns are {", ".join(cells)}'
            raise _bad_row(source, line, what, f"one column of this name; --columns {role}=NAME can name another one")
        if role == ENTITY:
            of_side = [name for name in cells if _plain(name) not in known and side_in(_plain(name)) == request.side]
            own = [name for name in cells if _plain(name) in known]
            refuse_other_side(request, Place(source, line), role, [*own, *of_side])
            side = request.side or RESPONSE
            known += [name for name in cells if known and name not in own and names_entities(_plain(name), side)]
        if len(known) > 1 and role not in asked:
            notices.append(found_at(Place(source, line), "chosen-column", taken=cells[fitting[0]], role=role))
        found.update(dict.fromkeys([role], *fitting) if fitting else {})
    guessed = [role for role in (ITEM, ENTITY) if role not in found]
    for role in guessed:
        left = [n for n in range(len(cells)) if n not in found.values()]
        first = [n for n in left if side_in(plain[n]) == (request.side if role == ENTITY else "")]
        found[role] = next(chain(first, left), found.get(ENTITY, 0))
    if guessed:
        taken = " and ".join(f'"{cells[found[role]]}" contains the {role}' for role in guessed)
        notices.append(found_at(Place(source, line), "guessed-columns", taken=taken))
    return found


_PLACE = re.compile(r" *(?:[0-9]+(?:(?:[-_:,] ?| |\.\.)[0-9]+|\.0)?|[\[(][0-9]+(?:, ?[0-9]+)*[\])]) *|")
"""A cell that says where an item is, such as `3`, `3-5` or `(3, 5)`, but not a time in seconds, or a date."""

_NUMBER = re.compile(r" *[0-9]+(?:\.0)? *|")
"""A cell that may also be the number of words of an item."""

_PAIRS = re.compile(
    "(?i)^(?!.*(?:context|ctx|word|token|pos|offset|lemma|snippet|window|box))(?:(?:left|right|[lr]table)[_ ].*|.*[_ ]"
    "(?:left|right)|source|target|(?:q?id|rec(?:ord)?(?:_id)?|sentence|question|text|name|title)[_ ]?[12ab]"
    "|(?:item|mention|event|entity|node|paper|product|author|user|unique_id|id)(?:[_ ]?[12]|[_ ][ablr]))$"
)
_NO_PAIRS = "a row is an item and its label a cluster; make clusters of pairs that match, and write a row an item"
"""Names of the columns of a table that says which records match, and what is said of it."""

_FIGURE = re.compile("(?:[A-Za-z]?(?=[^0-9]*[0-9])[-+.,:/ 0-9eETZ%]*)?")
"""A cell with nothing but a number, a time or a rank."""

_CODE = re.compile("[A-Za-z]?[0-9]{1,18}")
"""A whole number, or a letter and one."""

_LARGE = 1000
"""The least number that may be a code by itself; smaller ones are often scores."""

_LONG = 6
"""The number of characters from which figures may identify items, as an ISBN does."""

_SIGNS = re.compile(r"\.0+(?!\w)|[\W_]+")
"""What is no difference between the cells of two sides."""

_MOST, _OF_CODES = 0.6, 0.9
"""The least share of `Others` in columns of words or places, and of codes, which sides may give themselves."""


def _least_shared(name: str, cells: Sequence[str], columns: Mapping[str, Sequence[str]]) -> float:
    """Return the share of `Others` for a column, 0 if it does not seem to say which item a row has. It seems so if it
    has places, text that is in no other of the ``columns``, codes beside items that are numbers, or other figures that
    say more than the entity or the number of the row; since systems write figures, too, these count as a whole."""
    are_places = all(map(_PLACE.fullmatch, cells))
    if re.fullmatch(OF_PLACES, name.lower()):
        return _MOST * are_places
    if are_places and re.fullmatch(OF_WORDS, name.lower()) and not all(map(_NUMBER.fullmatch, cells)):
        return _MOST
    figures = all(map(_FIGURE.fullmatch, cells)) and (min(map(len, cells)) < _LONG or all("." in its for its in cells))
    if not figures or (all(map(_CODE.fullmatch, columns[ITEM])) and _are_codes(cells)):
        numbered = 2 * sum(cell[-1:].isdecimal() for cell in cells) > len(cells)
        return (_OF_CODES if numbered else _MOST) * (not {*cells} <= {"", *columns[ITEM], *columns[ENTITY]})
    cells = [cell.removesuffix(".0") for cell in cells]
    kinds, rows = {*cells}, {*zip(columns.get(DOCUMENT, repeat("")), cells, strict=False)}
    numbers = sorted(map(int, filter(re.compile("[0-9]{1,18}").fullmatch, kinds)))
    even = len(numbers) == len(kinds) and len({after - before for before, after in pairwise(numbers)}) < 2
    ranks = len(rows) == len(cells) and (even or kinds <= {*map(str, range(len(kinds) + 1))})
    of_entities = len({*zip(columns[ENTITY], cells, strict=True)}) == len({*columns[ENTITY]})
    # Numbers with a point are shares.
    return len(cells) > 4 and not (ranks or of_entities or kinds <= {*columns[ITEM]} or "." in "".join(kinds))


def _are_codes(cells: Sequence[str]) -> bool:
    """Return whether each cell has another whole number that is long or follows a letter, and these do not number the
    rows."""
    if len({*cells}) < len(cells) or not all(map(_CODE.fullmatch, cells)):
        return False
    numbers = [int(cell.lstrip(ascii_letters)) for cell in cells]
    least, spread = min(numbers), max(numbers) - min(numbers) >= len(numbers)
    return least >= _LARGE and spread if any(map(str.isdecimal, cells)) else least > 1 or spread


def _plainly(cell: str) -> str:
    """Return a cell with its words or numbers only, whatever their order, case and notation."""
    return " ".join(sorted(_SIGNS.sub(" ", cell).lower().split()))


def _hashes(cells: Iterable[Hashable]) -> Ints:
    return np.fromiter(map(hash, cells), np.int64)


def _bad_row(source: Source, line: int, what: str, expected: str) -> InputError:
    return refused(Place(source, line), "bad-row", what=what, expected=expected)


def _without(source: Source, what: str) -> InputError:
    return refused(Place(source, None), "no-document", what=what, expected=_EXPECTED)


_SENTENCE, _SENTENCES = "sentence", ("sent_id", "sentence_id")
_CLUSTERS, _PREDICTED = ("coref_chain", "cluster_id"), "predicted_coref_chain"

_OF_CLUSTERS = re.compile("(?:cluster|chain|entity|coref)(?:_?ids?)?(?:_pred|_gold)?$|^(?:pred[a-z]*(?:_id)?|gold)$")
"""Names of fields that contain clusters if they also name a side."""

_INEXACT = 2**53
"""Floats from this number on may be rounded."""

_UNKNOWN = {"-", "-1", "unk"}
"""What files have in place of a cluster that is not known, in lower case."""


def _clusters_in(fields: Fields, request: Request) -> list[str]:
    """Return the fields that can contain the cluster of a record, of those with a value; that for the cluster of a
    response, if it has one, is the only one of a response, and one of two if the side is not known."""
    given = [name for name, value in fields.items() if value not in (None, "") and not isinstance(value, bool)]
    others = [n for n in given if (of := side_in(n)) and request.side in (None, of) and _OF_CLUSTERS.search(n)]
    own = [name for name in _CLUSTERS if name in fields] + [name for name in others if name != _PREDICTED]
    if request.side != KEY and _PREDICTED in given and str(fields[_PREDICTED]).lower() not in _UNKNOWN:
        return [_PREDICTED, *(name for name in own if name in given and request.side is None)]
    return own


def _names(place: Place, fields: Fields, request: Request, notices: list[Finding]) -> dict[str, str]:
    """Return the fields to read by what they contain. Raises `InputError` for a record with two fields of clusters."""
    clusters = _clusters_in(fields, request) or [_CLUSTERS[1]]
    refuse_other_side(request, place, ENTITY, filter(fields.__contains__, clusters))
    values = ((name, value) for name, value in fields.items() if not isinstance(value, bool | float | list | tuple))
    if clusters[0] in (others := [name for name, value in values if side_in(name) == RESPONSE]):
        others = [name for name in others if name != clusters[0] and re.search("chain|cluster(?:_?ids?)?$", name)]
    if request.side == RESPONSE and others and ENTITY not in request.columns:
        notices.append(found_at(place, "chosen-column", taken=clusters[0], role=ENTITY))
    if len(clusters) > 1 and ENTITY not in request.columns:
        expected = f"one of them: --columns {ENTITY}=NAME, or {request.side or KEY}.{ENTITY}=NAME for one side"
        raise bad_field(place, fields, clusters[1], f"occurs together with {clusters[0]}", expected)
    names = {ITEM: next(filter(fields.__contains__, IN_TEXT + IN_SENTENCE), IN_TEXT[0]), ENTITY: clusters[0]}
    names |= {role: name for role, name in request.columns.items() if role in (ITEM, ENTITY, DOCUMENT)}
    if names[ITEM] in IN_SENTENCE:
        names[_SENTENCE] = next(filter(fields.__contains__, _SENTENCES), _SENTENCES[0])
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
    return f"{text} {_text(place, fields, names[_SENTENCE])}:{numbers}" if _SENTENCE in names else f"{text} {numbers}"


def _text(place: Place, fields: Fields, name: str) -> str:
    """Return a name or a number as text. Raises `InputError` for anything else."""
    value = fields[name]
    if value == "" or isinstance(value, bool) or not isinstance(value, str | int | float) or str(value) == "nan":
        expected = "a name or a number; only the field of the cluster can be null (no cluster)"
        raise bad_field(place, fields, name, f"is {shown(value)}", expected)
    return clean(text_of(value))


_FIT = Fit("a table of labels", names=r"\A\Z", bare=True, empty=True)


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL) -> Iterator[str]:
    """Yield documents as a table with a row for each mention: the item that it is, or its first and its last token.

    Rows are in the order of mentions, in which entities are read. Losses are added to the notices.
    """
    worded = False
    yield f"{DOCUMENT},{ITEM},{ENTITY}\n"
    for document in fitted(documents, notices, _FIT):
        if document.sentences and not worded:
            worded = True
            add_notice(document, notices, "dropped-words")
        if shares_spans(document):
            add_notice(document, notices, "changed-order")
        spans = [(span, name) for name, of_entity in document.entities.items() for span in of_entity]
        spans += [((place, place), "") for place in document.alone]
        if not spans:
            add_notice(document, notices, "dropped-document")
        for span, name in sorted(spans, key=lambda row: (row[0][0], row[0][0] < row[0][1], -row[0][1])):
            yield ",".join(map(_cell, (document.name, document.text(*span), name))) + "\n"


def _cell(text: str) -> str:
    """Return a cell, between quotes if it has a delimiter, a quote or the end of a line."""
    return '"' + text.replace('"', '""') + '"' if re.search('[",;\t\r\n]', text) else text


FORMAT = Format("labels", "a table of labels", recognises, read, write=write, columns=(ITEM, ENTITY, DOCUMENT))
