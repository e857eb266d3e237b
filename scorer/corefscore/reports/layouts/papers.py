"""Tables for papers, in LaTeX and Markdown: one row per system, the best scores in bold, names escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from corefscore.core.findings import VISIBLE
from corefscore.reports.base import BEST, LEFT, SHOWN, Column, Reported, Table
from corefscore.reports.layouts import Style
from corefscore.reports.layouts.cells import arranged, cell, laid_out, spans


def render(report: Reported, style: Style) -> Iterator[str]:
    """The tables that have rows, each with its notes; then the notes of the report, and its signature."""
    yield from (_latex if style.layout == "latex" else _markdown)(report, style)


def _marked(table: Table, style: Style, text_of: Callable[[str, Column, str], str]) -> Iterator[list[str]]:
    """The rows as text. A score that is printed with the same digits as the best one is marked as the best, too."""
    columns = arranged(table, style)
    rows = [[cell(row[number], column, style.digits) for number, column in columns] for row in table.rows]
    marks = [[table.marks.get((row, number), "") for number, _ in columns] for row in range(len(rows))]
    best = [
        {texts[index] for texts, of_row in zip(rows, marks, strict=True) if BEST in of_row[index]}
        for index in range(len(columns))
    ]
    for texts, of_row in zip(rows, marks, strict=True):
        cells = zip(texts, columns, of_row, best, strict=True)
        yield [text_of(text, column, mark + BEST * (text in top)) for text, (_, column), mark, top in cells]


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

_DASHES = re.compile("-(?=-)")


def _latex(report: Reported, style: Style) -> Iterator[str]:
    """The report in LaTeX; notes are comments."""
    tables = [table for table in report.paper if table.rows]
    yield from _comments(_packages(tables), report.signature)
    for table in tables:
        columns = [column for _, column in arranged(table, style)]
        yield f"% {_one_line(table.title)}\n" if table.title else ""
        yield f"\\begin{{tabular}}{{{''.join('l' if column.kind in LEFT else 'r' for column in columns)}}}\n\\toprule\n"
        yield from _latex_groups(columns)
        headings = ["F$_1$" if column.score == "f1" else _latex_text(column.heading) for column in columns]
        rows = laid_out([headings, *_marked(table, style, _latex_cell)], columns, " & ", lambda _, __: r"\midrule")
        yield from (f"{row}\n" if row == r"\midrule" else f"{row} \\\\\n" for row in rows)
        yield "\\bottomrule\n\\end{tabular}\n"
        yield from _comments(*table.notes)
    yield from _comments(*report.notes)


def _latex_groups(columns: list[Column]) -> Iterator[str]:
    """The headings that span several columns, each with a rule below it."""
    if any(column.over for column in columns):
        cells, rules = [], []
        for over, under in spans(columns):
            size = under.stop - under.start
            cells.append(f"\\multicolumn{{{size}}}{{c}}{{{_latex_text(over)}}}" if over else " & " * (size - 1))
            rules += [f"\\cmidrule(lr){{{under.start + 1}-{under.stop}}}"] if over else []
        yield f"{' & '.join(cells)} \\\\\n{' '.join(rules)}\n"


def _latex_text(text: str) -> str:
    """Text escaped for LaTeX; two hyphens do not become a dash."""
    return _DASHES.sub("-{}", text.translate(_LATEX))


def _latex_cell(text: str, column: Column, mark: str) -> str:
    """A cell in LaTeX."""
    if column.kind in LEFT:
        return _latex_text(text)
    if text.startswith("["):
        return f"{{\\scriptsize {text}}}"
    bold = f"\\textbf{{{text}}}" if BEST in mark else text
    return bold + "\\rlap{$^\\dagger$}" * (SHOWN in mark)


def _packages(tables: Sequence[Table]) -> str:
    """The packages that a document needs for the tables."""
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
    """Lines as LaTeX comments."""
    return (f"% {_one_line(line)}\n" for line in lines)


def _one_line(text: str) -> str:
    """Text with line ends and other control characters replaced, since a comment ends with its line."""
    return text.translate(VISIBLE)


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


def _markdown(report: Reported, style: Style) -> Iterator[str]:
    """The report in Markdown."""
    between = ""
    for table in report.paper:
        if not table.rows:
            continue
        columns = [column for _, column in arranged(table, style)]
        rows = list(_marked(table, style, _markdown_cell))
        headings = [column.heading.translate(_MARKDOWN) for column in columns]
        if any(column.over for column in columns):
            # Markdown has no cells that span columns, so the first column of a group has the heading of the group.
            over = {under.start: heading.translate(_MARKDOWN) for heading, under in spans(columns)}
            headed = list(zip(columns, headings, strict=True))
            rows.insert(0, ["" if column.kind in LEFT else heading for column, heading in headed])
            headings = [heading if of.kind in LEFT else over.get(at, "") for at, (of, heading) in enumerate(headed)]
        title = f"**{table.title.translate(_MARKDOWN)}**\n\n" if table.title else ""
        yield between + title
        yield from (f"{line}\n" for line in laid_out([headings, *rows], columns, " | ", _rule, "| "))
        yield from _paragraph([note.translate(_MARKDOWN) for note in table.notes])
        between = "\n"
    yield from _paragraph([*(note.translate(_MARKDOWN) for note in report.notes), _code(report.signature)])


def _code(text: str) -> str:
    """Text as a code span, between more backquotes than it has in a row."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{ticks}{_one_line(text)}{ticks}"


def _markdown_cell(text: str, column: Column, mark: str) -> str:
    """A cell in Markdown."""
    if column.kind in LEFT:
        return text.translate(_MARKDOWN)
    return (f"**{text}**" if BEST in mark else text) + "†" * (SHOWN in mark)


def _rule(widths: Sequence[int], sides: Sequence[str]) -> str:
    """The line below the headings, which also says how columns are aligned."""
    dashes = ("-" * (width - 1) + (":" if side == "right" else "-") for width, side in zip(widths, sides, strict=True))
    return f"| {' | '.join(dashes)} |"


def _paragraph(lines: Sequence[str]) -> Iterator[str]:
    """Lines of a paragraph; in Markdown, a backslash is a line break."""
    if lines:
        yield "\n" + "\\\n".join(lines) + "\n"
