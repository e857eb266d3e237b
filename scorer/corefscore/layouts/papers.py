"""Tables as a paper prints them, in LaTeX and Markdown: a row a system, the best in bold, names escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from corefscore.checking.findings import VISIBLE
from corefscore.layouts import Style
from corefscore.layouts.cells import arranged, cell, spans
from corefscore.reports.row import BEST, LEFT, SAME, Column, Reported, Table


def render(report: Reported, style: Style) -> Iterator[str]:
    """The tables that have rows, each with its notes; what belongs to all of them, and the signature."""
    yield from (_latex if style.layout == "latex" else _markdown)(report, style)


def _marked(table: Table, style: Style, text_of: Callable[[str, Column, str], str]) -> Iterator[list[str]]:
    """The rows as text. What is printed with the digits of the best is printed as the best."""
    columns = arranged(table, style)
    rows = [[cell(row[at], column, style.digits) for at, column in columns] for row in table.rows]
    marks = [[table.marks.get((place, at), "") for at, _ in columns] for place in range(len(rows))]
    best = [{row[at] for row, mark in zip(rows, marks, strict=True) if mark[at] == BEST} for at in range(len(columns))]
    for row, mark in zip(rows, marks, strict=True):
        each = zip(row, columns, mark, best, strict=True)
        yield [text_of(text, column, BEST if text in top else its) for text, (_, column), its, top in each]


# --- LaTeX ---

LATEX: Mapping[str, str] = {
    **{each: f"\\{each}" for each in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    # A row must not begin with what its predecessor would take for an argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    "³": "$^3$",
    "ₑ": "$_e$",
    "ₘ": "$_m$",
}
"""What stands for a character that has a meaning in LaTeX, and for those in the names of measures."""

DASHES = re.compile("-(?=-)")


def _latex(report: Reported, style: Style) -> Iterator[str]:
    tables = [table for table in report.paper if table.rows]
    yield from _comments(_packages(tables), report.signature)
    for table in tables:
        columns = [column for _, column in arranged(table, style)]
        yield f"% {_one_line(table.title)}\n" if table.title else ""
        yield f"\\begin{{tabular}}{{{''.join('l' if column.kind in LEFT else 'r' for column in columns)}}}\n\\toprule\n"
        yield from _latex_heading(columns)
        yield "\\midrule\n"
        yield from (f"{' & '.join(row)} \\\\\n" for row in _marked(table, style, _latex_cell))
        yield "\\bottomrule\n\\end{tabular}\n"
        yield from _comments(*table.notes)
    yield from _comments(*report.notes)


def _latex_heading(columns: list[Column]) -> Iterator[str]:
    """What spans columns, with a rule under each of these, and their headings."""
    if any(column.over for column in columns):
        cells, rules, first = [], [], 1
        for over, size in spans(columns):
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_latex_text(over)}}}" if over else " & ".join([""] * size))
            rules += [f"\\cmidrule(lr){{{first}-{first + size - 1}}}"] if over else []
            first += size
        yield f"{' & '.join(cells)} \\\\\n{' '.join(rules)}\n"
    headings = ("F$_1$" if column.score == "f1" else _latex_text(column.heading) for column in columns)
    yield f"{' & '.join(headings)} \\\\\n"


def _latex_text(text: str) -> str:
    """Text that LaTeX prints as it stands: two hyphens are no dash."""
    return DASHES.sub("-{}", "".join(LATEX.get(each, each) for each in text))


def _latex_cell(text: str, column: Column, mark: str) -> str:
    if column.kind in LEFT:
        return _latex_text(text)
    if text.startswith("["):
        return f"{{\\scriptsize {text}}}"
    return f"\\textbf{{{text}}}" if mark == BEST else f"{text}\\rlap{{$^\\dagger$}}" if mark == SAME else text


def _packages(tables: Sequence[Table]) -> str:
    """What a document needs to print the tables."""
    cells = [str(cell) for table in tables for row in table.rows for cell in row]
    headings = [column.over + column.heading for table in tables for column in table.columns if column.shown]
    text = "".join((*cells, *headings)).translate({ord(each): "" for each in LATEX})
    needs = r"needs \usepackage{booktabs}"
    if '"' in "".join(cells):
        needs += r" and \usepackage[T1]{fontenc}"
    return (
        needs
        if text.isascii()
        else f"{needs}, and XeLaTeX or LuaLaTeX with a font that has the characters of all names"
    )


def _comments(*lines: str) -> Iterator[str]:
    return (f"% {_one_line(line)}\n" for line in lines)


def _one_line(text: str) -> str:
    """Text without line ends or other control characters: a comment ends at its line."""
    return text.translate(VISIBLE)


# --- Markdown ---

MARKDOWN = str.maketrans(
    {
        **{each: f"\\{each}" for each in "\\`*_{}[]|~#$"},
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        "ₑ": "<sub>e</sub>",
        "ₘ": "<sub>m</sub>",
        **{chr(code): chr(shown) for code, shown in VISIBLE.items()},
    }
)
"""What stands for a character that has a meaning in Markdown, and for those in the names of measures."""


def _markdown(report: Reported, style: Style) -> Iterator[str]:
    between = ""
    for table in report.paper:
        if not table.rows:
            continue
        columns = [column for _, column in arranged(table, style)]
        rows = list(_marked(table, style, _markdown_cell))
        headings = [column.heading.translate(MARKDOWN) for column in columns]
        if any(column.over for column in columns):
            # Markdown has no cells that span columns: the first of them has what stands over all.
            over = [over.translate(MARKDOWN) * (at == 0) for over, size in spans(columns) for at in range(size)]
            each = list(zip(columns, headings, over, strict=True))
            rows.insert(0, ["" if column.kind in LEFT else heading for column, heading, _ in each])
            headings = [heading if column.kind in LEFT else above for column, heading, above in each]
        title = f"**{table.title.translate(MARKDOWN)}**\n\n" if table.title else ""
        yield between + title + _aligned([headings, *rows], columns)
        yield from _paragraph([note.translate(MARKDOWN) for note in table.notes])
        between = "\n"
    yield from _paragraph([*(note.translate(MARKDOWN) for note in report.notes), _code(report.signature)])


def _code(text: str) -> str:
    """Text as it stands, between more backquotes than it has in a row."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks}{_one_line(text)}{ticks}"


def _markdown_cell(text: str, column: Column, mark: str) -> str:
    if column.kind in LEFT:
        return text.translate(MARKDOWN)
    return f"**{text}**" if mark == BEST else f"{text}†" if mark == SAME else text


def _aligned(rows: Sequence[Sequence[str]], columns: Sequence[Column]) -> str:
    """A table whose source can be read as well."""
    left = [column.kind in LEFT for column in columns]
    widths = [max(3, *map(len, its)) for its in zip(*rows, strict=True)]
    lines = [
        [
            text.ljust(width) if at_left else text.rjust(width)
            for text, width, at_left in zip(row, widths, left, strict=True)
        ]
        for row in rows
    ]
    rule = ["-" * width if at_left else "-" * (width - 1) + ":" for width, at_left in zip(widths, left, strict=True)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (lines[0], rule, *lines[1:]))


def _paragraph(lines: Sequence[str]) -> Iterator[str]:
    """Lines under each other; in Markdown a backslash ends a line."""
    if lines:
        yield "\n" + "\\\n".join(lines) + "\n"
