"""Readable tables: for a terminal, for papers in Markdown and LaTeX, and for notebooks. Percentages are rounded."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, groupby, pairwise
from typing import Any

from corefscore.core.findings import VISIBLE
from corefscore.core.percent import percent
from corefscore.reports.base import BEST, LEFT, SHOWN, VERBATIM, Column, Interval, Reported, Table
from corefscore.reports.layouts import NAMES, Style

_Columns = list[tuple[Column, list[str]]]
"""The visible columns of a table, each with its cells as text."""


def _cell(value: Any, column: Column, digits: int) -> str:
    """Print a cell; empty for None. A bar has an eighth of a character for each half percent; a p-value has four digits
    after the point, or two significant digits if it is below 0.0001."""
    if value is None:
        text = ""
    elif isinstance(value, Interval):
        text = f"[{percent(value.low, digits)}, {percent(value.high, digits)}]"
    elif column.kind == "percent":
        text = percent(value, digits)
    elif column.kind == "gain":
        text = f"{float(percent(value, digits)):+.{digits}f}"
    elif column.kind == "ratio":
        text = f"{value:.2f}"
    elif column.kind == "chance":
        text = f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"
    elif column.kind == "bar":
        whole, eighths = divmod(round(value * 400 / 2), 8)
        text = "█" * whole + ("", *"▏▎▍▌▋▊▉")[eighths]
    else:
        text = str(value).translate(VISIBLE)
    return text


def _filled(report: Reported, tables: Sequence[Table]) -> Iterator[Table]:
    """Yield the tables of a report that have rows, with short names of systems."""
    for table in tables:
        rows = table.rows
        if names := {number for number, column in enumerate(table.columns) if column.kind == "name"}:
            short = report.short
            rows = [[short.get(cell, cell) if at in names else cell for at, cell in enumerate(row)] for row in rows]
        if rows:
            yield table._replace(rows=rows)


def _arranged(table: Table, style: Style, marked: Callable[[str, Column, str], str] | None = None) -> _Columns:
    """Arrange the visible columns of a table: the scores of a measure are in the order of the layout.

    ``marked`` returns a cell from its text, its column and its mark. A score that is printed with the same digits as
    the best one is marked as the best, too.
    """
    order = *NAMES[style.layout].order, ""
    drawn = style.layout != "latex"  # hardly any LaTeX font has the characters of bars
    shown = [at for at, column in enumerate(table.columns) if column.shown and (drawn or column.kind != "bar")]
    headings = [(column.over, bool(column.score)) for column in table.columns]
    places = [order.index(column.score) for column in table.columns]
    in_order = (sorted(group, key=places.__getitem__) for _, group in groupby(shown, headings.__getitem__))
    columns: _Columns = []
    for number in chain.from_iterable(in_order):
        column = table.columns[number]
        texts = [_cell(row[number], column, style.digits) for row in table.rows]
        if marked:
            marks = [table.marks.get((row, number), "") for row in range(len(table.rows))]
            best = {text for text, mark in zip(texts, marks, strict=True) if BEST in mark}
            pairs = zip(texts, marks, strict=True)
            texts = [marked(text, column, mark + BEST * (text in best)) for text, mark in pairs]
        columns.append((column._replace(heading=column.heading.translate(VISIBLE)), texts))
    return columns


def _spans(columns: _Columns) -> list[tuple[str, slice]]:
    """List the heading above each group of columns, and the columns that it spans."""
    overs = [column.over for column, _ in columns]
    starts = [at for at, over in enumerate(overs) if not at or over != overs[at - 1]]
    return [(overs[start], slice(start, stop)) for start, stop in pairwise([*starts, len(overs)])]


_FILLER = "\ue000"
"""The character of which `_laid_out` makes stand-ins for texts."""


def _laid_out(columns: _Columns, row: tuple[str, str, str], rule: Any) -> list[str]:
    """Lay out columns with tabulate; returns the lines.

    ``row`` is the text before the first cell of a row, between two cells, and after the last one. ``rule`` is the line
    below the headings: what begins it, fills it, is between two columns and ends it; or a function that returns it from
    the widths of the columns and their sides, ``left`` or ``right``.
    Tabulate counts characters and strips blanks, so each text is laid out as a stand-in as long as the text is wide.
    """
    from tabulate import SEPARATING_LINE, DataRow, TableFormat, tabulate  # takes as long to import as a small score

    rows = list(zip(*([column.heading, *texts] for column, texts in columns), strict=True))
    stand_ins = [[_FILLER * (width_of(text) or len(text)) for text in row] for row in rows]
    stand_ins.insert(1, [SEPARATING_LINE] * len(columns))
    form = TableFormat(None, rule, None, None, DataRow(*row), DataRow(*row), 0, None)
    sides = ["left" if column.kind in LEFT else "right" for column, _ in columns]
    between = re.split(f"{_FILLER}+", tabulate(stand_ins, tablefmt=form, colalign=sides, disable_numparse=True))
    texts = [text for row in rows for text in row if text]
    return "".join(chain(*zip(between, [*texts, ""], strict=True))).split("\n")


def width_of(text: str) -> int:
    """Count the terminal columns that a text takes: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


# --- A terminal ---

_GAP = "  "
"""The text between two columns."""

_WELL, _LEAST = 20, 7
"""The width to which words are cut before columns are left out, and after all columns that can be are left out."""


def table(report: Reported, style: Style) -> Iterator[str]:
    """Write the tables that have rows, each with its title and notes; then the notes of the report and its signature.

    A table has as many columns as fit the width.
    """
    between = ""
    for table in _filled(report, report.readable):
        columns, left_out = _fitted(_arranged(table, style), style.width)
        yield between + (f"{_wrapped([table.title], style.width)}\n" if table.title else "")
        yield from (f"{line.rstrip()}\n" for line in _lines(columns))
        notes = [*table.notes]
        if left_out:
            fit = f"columns left out to fit a width of {style.width} (COLUMNS=N changes it)"
            notes.append(f"{fit}: {_in_words(left_out, columns)}; --format csv has all columns")
        if notes:
            yield "\n" + _wrapped(notes, style.width)
        between = "\n"
    if notes := [*report.legend, *report.notes]:
        yield between + _wrapped(notes, style.width)
    yield f"\n{report.signature}\n"


def _fitted(columns: _Columns, width: int) -> tuple[_Columns, _Columns]:
    """Choose the columns that fit the width, and cut words in them if they must be; returns them and the others. Those
    with the highest ``spare`` are left out first, unless cutting words is enough."""
    kept = columns
    while _room(_widths(kept)) > width:
        most = max(column.spare for column, _ in kept)
        if not most or _room(_widths(_cut(kept, width, _WELL))) <= width:
            kept = _cut(kept, width, _LEAST)
            break
        kept = [each for each in kept if each[0].spare < most]
    most = max(column.spare for column, _ in kept)
    return kept, [each for each in columns if each[0].spare > most]


def _cut(columns: _Columns, width: int, least: int) -> _Columns:
    """Cut words to fit the width: in the widest column first, and in none below ``least``."""
    widths = _widths(columns)
    can = {
        index: max([least, *(map(width_of, texts) if column.kind not in LEFT else ())])
        for index, (column, texts) in enumerate(columns)
        if column.cut
    }
    while _room(widths) > width and (wide := [index for index in can if widths[index] > can[index]]):
        widths[max(wide, key=widths.__getitem__)] -= 1
    kept = list(columns)
    for index in can:
        column, texts = columns[index]
        (heading,) = _cut_texts([column.heading], widths[index], column.cut)
        kept[index] = column._replace(heading=heading), _cut_texts(texts, widths[index], column.cut)
    return kept


def _cut_texts(texts: Sequence[str], width: int, where: str) -> list[str]:
    """Cut texts to a width, with an ellipsis in place of their ``middle`` or their end.

    Names that would become equal are cut elsewhere if that keeps them apart.
    """
    ways = []
    for tail in ((width - 1) // 2, 0, width - 1) if where == "middle" else (0,):
        cut = (f"{_first(text, width - 1 - tail)}…{_first(text[::-1], tail)[::-1]}" for text in texts)
        ways.append([text if width_of(text) <= width else short for text, short in zip(texts, cut, strict=True)])
    return next((way for way in ways if len(set(way)) == len(set(texts))), ways[0])


def _first(text: str, width: int) -> str:
    """Return the longest beginning of a text that fits a width."""
    return text[: bisect_right([*accumulate(map(width_of, text))], width)]


def _room(widths: Sequence[int]) -> int:
    """Add up the widths of neighbouring columns and of the gaps between them."""
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _widths(columns: _Columns) -> list[int]:
    """Return the width of each column: that of its widest cell. The first under a common heading makes room for it."""
    widths = [max(map(width_of, (column.heading, *texts))) for column, texts in columns]
    for over, under in _spans(columns):
        widths[under.start] += max(0, width_of(over) - _room(widths[under]))
    return widths


def _lines(columns: _Columns) -> list[str]:
    """Return the lines of a table: headings over several columns, if any, headings, a rule, and the rows."""
    row, rule = ("", _GAP, ""), ("", "-", _GAP, "")
    if not any(column.over for column, _ in columns):
        return _laid_out(columns, row, rule)
    # A cell of the width of each column, which is not printed, gives it the room that the heading over it needs.
    widths = _widths(columns)
    groups: _Columns = []
    for over, under in _spans(columns):
        room = _room(widths[under])
        spanned = over and under.stop - under.start > 1
        heading = f" {over} ".center(room, "-") if spanned else over
        groups.append((columns[under.start][0]._replace(heading=heading), ["-" * room]))
    wide = [(column, [*texts, "-" * width]) for (column, texts), width in zip(columns, widths, strict=True)]
    return [_laid_out(groups, row, rule)[0], *_laid_out(wide, row, rule)[:-1]]


def _in_words(columns: _Columns, others: _Columns) -> str:
    """Name columns by their headings, those under a common heading after it; by their names if another column has the
    same heading."""
    words, headings = [], [column.heading for column, _ in (*columns, *others)]
    for over, under in _spans(columns):
        names = [
            column.heading if over or headings.count(column.heading) == 1 else column.name.replace("_", " ")
            for column, _ in columns[under]
        ]
        words += [" ".join((over, *names))] if over else names
    return ", ".join(words)


def _wrapped(notes: Sequence[str], width: int) -> str:
    """Wrap notes in lines that fit the width, but for those that are `VERBATIM`; words are not cut, and control
    characters are replaced."""
    lines = []
    for note in notes:
        text = note.translate(VISIBLE)
        if not note.startswith(VERBATIM):
            text = textwrap.fill(text, width, subsequent_indent=_GAP, break_long_words=False, break_on_hyphens=False)
        lines.append(f"{text}\n")
    return "".join(lines)


# --- LaTeX ---

_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        # At the beginning of a row, the end of the previous row would read these as an argument.
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
        "³": "$^3$",
        "ₑ": "$_e$",
        "ₘ": "$_m$",
    }
)
"""Escapes of the special characters of LaTeX, and of the subscripts in the names of measures."""


def latex(report: Reported, style: Style) -> Iterator[str]:
    """Write the tables that have rows in LaTeX; notes are comments."""
    tables = [*_filled(report, report.paper)]
    yield from _comments(_packages(tables), report.signature)
    for table in tables:
        columns = [
            (column._replace(heading="F$_1$" if column.score == "f1" else _latex_text(column.heading)), texts)
            for column, texts in _arranged(table, style, _latex_cell)
        ]
        yield from _comments(*filter(None, [table.title]))
        sides = "".join("l" if column.kind in LEFT else "r" for column, _ in columns)
        yield f"\\begin{{tabular}}{{{sides}}}\n\\toprule\n"
        yield from _latex_groups(columns)
        rows = _laid_out(columns, ("", " & ", ""), (r"\midrule", "", "", ""))
        yield from (f"{row}\n" if row == r"\midrule" else f"{row} \\\\\n" for row in rows)
        yield "\\bottomrule\n\\end{tabular}\n"
        yield from _comments(*table.notes)
    yield from _comments(*report.notes)


def _latex_groups(columns: _Columns) -> Iterator[str]:
    """Write the headings that span several columns, each with a rule below it."""
    if any(column.over for column, _ in columns):
        cells, rules = [], []
        for over, under in _spans(columns):
            size = under.stop - under.start
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_latex_text(over)}}}" if over else " & " * (size - 1))
            rules += [f"\\cmidrule(lr){{{under.start + 1}-{under.stop}}}"] if over else []
        yield f"{' & '.join(cells)} \\\\\n{' '.join(rules)}\n"


def _latex_text(text: str) -> str:
    """Escape text for LaTeX; two hyphens do not become a dash."""
    return re.sub("-(?=-)", "-{}", text.translate(_LATEX))


def _latex_cell(text: str, column: Column, mark: str) -> str:
    """Write a cell in LaTeX."""
    if column.kind in LEFT:
        return _latex_text(text)
    if text.startswith("["):
        return f"{{\\scriptsize {text}}}"
    bold = f"\\textbf{{{text}}}" if BEST in mark else text
    return bold + "\\rlap{$^\\dagger$}" * (SHOWN in mark)


def _packages(tables: Sequence[Table]) -> str:
    """Name the packages that a document needs for the tables."""
    cells = [str(cell) for table in tables for row in table.rows for cell in row]
    headings = [column.over + column.heading for table in tables for column in table.columns if column.shown]
    text = "".join((*cells, *headings)).translate(dict.fromkeys(_LATEX, ""))
    needs = r"needs \usepackage{booktabs}"
    if '"' in "".join(cells):
        needs += r" and \usepackage[T1]{fontenc}"
    if not text.isascii():
        needs += ", and XeLaTeX or LuaLaTeX with a font that has the characters of all names"
    return needs


def _comments(*lines: str) -> Iterator[str]:
    """Write lines as LaTeX comments."""
    return (f"% {line.translate(VISIBLE)}\n" for line in lines)  # a comment ends with its line


# --- Markdown ---

_MARKDOWN = str.maketrans(
    {
        **{character: f"\\{character}" for character in "\\`*_{}[]|~#$"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "ₑ": "<sub>e</sub>",
        "ₘ": "<sub>m</sub>",
        **{chr(code): chr(shown) for code, shown in VISIBLE.items()},
    }
)
"""Escapes of the special characters of Markdown, and of the subscripts in the names of measures."""


def markdown(report: Reported, style: Style) -> Iterator[str]:
    """Write the tables that have rows in Markdown, each with its notes; then the notes of the report and its signature.

    Markdown has no cells that span columns, so the first column of a group has the heading of the group.
    """
    between = ""
    for table in _filled(report, report.paper):
        columns = _arranged(table, style, _markdown_cell)
        if any(column.over for column, _ in columns):
            over = {under.start: heading for heading, under in _spans(columns)}
            columns = [
                (column, ["", *texts])
                if column.kind in LEFT
                else (column._replace(heading=over.get(at, "")), [column.heading.translate(_MARKDOWN), *texts])
                for at, (column, texts) in enumerate(columns)
            ]
        columns = [(column._replace(heading=column.heading.translate(_MARKDOWN)), texts) for column, texts in columns]
        yield between + (f"**{table.title.translate(_MARKDOWN)}**\n\n" if table.title else "")
        yield from (f"{line}\n" for line in _laid_out(columns, ("| ", " | ", " |"), _rule))
        yield from _paragraph([note.translate(_MARKDOWN) for note in table.notes])
        between = "\n"
    yield from _paragraph([*(note.translate(_MARKDOWN) for note in report.notes), _code(report.signature)])


def _code(text: str) -> str:
    """Write text as a code span, between more backquotes than it has in a row."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks}{text.translate(VISIBLE)}{ticks}"


def _markdown_cell(text: str, column: Column, mark: str) -> str:
    """Write a cell in Markdown."""
    if column.kind in LEFT:
        return text.translate(_MARKDOWN)
    return (f"**{text}**" if BEST in mark else text) + "†" * (SHOWN in mark)


def _rule(widths: Sequence[int], sides: Sequence[str]) -> str:
    """Draw the line below the headings, which also says how columns are aligned."""
    dashes = ("-" * (width - 1) + (":" if side == "right" else "-") for width, side in zip(widths, sides, strict=True))
    return f"| {' | '.join(dashes)} |"


def _paragraph(lines: Sequence[str]) -> Iterator[str]:
    """Write lines of a paragraph; in Markdown, a backslash is a line break."""
    if lines:
        yield "\n" + "\\\n".join(lines) + "\n"


# --- Notebooks ---


def notebook(report: Reported, style: Style) -> Iterator[str]:
    """Write the tables that have rows in HTML, with the columns of a terminal of any width."""
    from corefscore.core.frames import signed
    from corefscore.core.frames import table as as_html

    tables = []
    for table in _filled(report, report.readable):
        columns = _arranged(table, style)
        headings = [f"{column.over} {column.heading}".strip() for column, _ in columns]
        rows = zip(*(texts for _, texts in columns), strict=True)
        tables.append(as_html(headings, rows, [column.kind in LEFT for column, _ in columns], table.title))
    yield signed(tables, report.notes, report.signature)
