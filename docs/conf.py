"""The site: Sphinx reads this file. ``make docs`` builds it in build/site."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import click  # noqa: E402
import corefscore  # noqa: E402
from corefscore.cli import COMMANDS, commands  # noqa: E402
from corefscore.metrics import GROUPS, NAMES  # noqa: E402
from update_man import Call, call_of  # noqa: E402

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

project = "corefscore"
version = release = corefscore.__version__
html_title = f"corefscore {version}"
html_theme = "furo"
html_static_path, html_css_files = ["_static"], ["site.css"]
html_copy_source = False
html_show_sphinx = html_show_copyright = False
smartquotes = False
default_role = "py:obj"
html_math_renderer = "mathml"
suppress_warnings = ["misc.highlighting_failure"]  # an example prints LaTeX under a prompt
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
exclude_patterns = ["papers/*.md"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
python_use_unqualified_type_names = True
copybutton_only_copy_prompt_lines = True
copybutton_prompt_text = r"\$ |> |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

REPOSITORY = "https://github.com/corefscore/corefscore/blob/main/"
OUTSIDE = re.compile(r"\]\((?:\.\./)+(?=README|CONTRIBUTING|CHANGELOG|testdata/|tests/|scripts/|benchmarks/)")
"""What begins a link from a page to a file that is not part of the site."""


class Commands(SphinxDirective):
    """Every metric and command: how it is called, its help, its options."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes("\n".join(_commands()), allow_section_headings=True)


def _commands() -> list[str]:
    """Return the pages of help in Markdown; the options that all metrics have are listed once."""
    context = click.Context(commands(), info_name="corefscore")
    metrics = {name: call_of(context, name) for name in NAMES}
    shared = set.intersection(*(set(_rows(call)) for call in metrics.values()))
    every = metrics[NAMES[0]]
    lines = ["## Metrics\n"]
    for name, call in metrics.items():
        lines += _help(name, call, without=shared)
    lines += ["### Options of every metric\n", *_options(every, {row for row in _rows(every) if row not in shared})]
    lines.append("## Groups of metrics\n")
    for name in GROUPS:
        lines += _help(name, call_of(context, name), without={row for call in metrics.values() for row in _rows(call)})
    lines.append("## Commands\n")
    for name in COMMANDS:
        lines += _help(name, call_of(context, name))
    return lines


def _rows(call: Call) -> list[tuple[str, str]]:
    return [row for rows in call.options.values() for row in rows]


def _help(name: str, call: Call, without: Collection[tuple[str, str]] = ()) -> Iterator[str]:
    yield from (f"### {name}\n", f"```text\n{call.usage}\n```\n")
    yield from (_plain(" ".join(part.split())) + "\n" for part in call.help.replace("\b", "").split("\n\n"))
    yield from _options(call, without)


def _options(call: Call, without: Collection[tuple[str, str]]) -> Iterator[str]:
    for heading, rows in call.options.items():
        if its := [row for row in rows if row not in without]:
            yield from (f"**{heading}**\n", "| option | what it does |", "|---|---|")
            yield from (f"| `{term.replace('|', chr(92) + '|')}` | {_plain(text)} |" for term, text in its)
            yield ""


def _plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]<>|#$])", r"\\\1", text)


def _mathml(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Formulas as MathML, which browsers set without a script."""
    block = isinstance(node, nodes.math_block)
    formula = convert(node.astext(), display="block" if block else "inline")
    translator.body.append(formula.replace("<mo>&#x0007C;</mo>", '<mo lspace="0" rspace="0" stretchy="false">|</mo>'))
    raise nodes.SkipNode


def _outside(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = OUTSIDE.sub(f"]({REPOSITORY}", source[0])


def setup(app: Sphinx) -> None:
    app.add_directive("commands", Commands)
    app.add_html_math_renderer("mathml", (_mathml, None), (_mathml, None))
    app.connect("source-read", _outside)
