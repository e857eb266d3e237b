"""The shape of the package: imports point one way, and only the command line prints or exits."""

from __future__ import annotations

import ast
import re
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import corefscore
from corefscore import formats
from support import ROOT, loaded, together

PACKAGE = Path(corefscore.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

ORDER = (
    "documents",
    "checking",
    "alignment",
    "statistics",
    "work",
    "python",
    "formats.memory",
    "checking.findings",
    "errors",
    "version",
    "statistics.percent",
    "python.libraries",
    "python.frames",
    "python.notebooks",
    "work.workers",
    "work.machines",
    "documents.arrays",
    "documents.sources",
    "documents.folders",
    "documents.model",
    "names",
    "names.options",
    "kinds",
    "kinds.options",
    "formats.memory.nesting",
    "formats.memory.clusters",
    "formats.words",
    "formats.characters",
    "formats.row",
    "formats.written",
    "formats.conll",
    "formats.tagged.nearby",
    "formats.tagged",
    "formats.corefud",
    "formats.conll.brackets",
    "formats.conll.cells",
    "formats.conll.lines",
    "formats.conll.columns",
    "formats.conll.reader",
    "formats.conll.writer",
    "formats.conll.names",
    "formats.conll.layers",
    "formats.jsonlines.dialects",
    "formats.jsonlines.records",
    "formats.jsonlines.words",
    "formats.jsonlines.offsets",
    "formats.jsonlines.objects",
    "formats.jsonlines.reader",
    "formats.jsonlines.writer",
    "formats.jsonlines.layers",
    "formats.jsonlines",
    "formats.tagged.limit",
    "formats.tagged.notations",
    "formats.tagged.reader",
    "formats.tagged.writer",
    "formats.tagged.layers",
    "formats.corefud.lines",
    "formats.corefud.chunks",
    "formats.corefud.links",
    "formats.corefud.mentions",
    "formats.corefud.trees",
    "formats.corefud.reader",
    "formats.corefud.layers",
    "formats.corefud.clusters",
    "formats.corefud.types",
    "formats.corefud.writer",
    "formats.pieces",
    "formats.conll.examiner",
    "formats.jsonlines.examiner",
    "formats.tagged.examiner",
    "formats.corefud.examiner",
    "formats",
    "alignment.text",
    "alignment.text.characters",
    "alignment.offsets",
    "alignment.pairing",
    "alignment.partings",
    "alignment.text.stretches",
    "alignment.text.zeros",
    "alignment.text.fidelity",
    "metrics.assignment",
    "alignment.text.placing",
    "names.mentions",
    "names.estimate",
    "alignment.windows",
    "alignment.matching",
    "alignment.units",
    "alignment.common",
    "alignment.repeats",
    "metrics.tangles",
    "metrics.distinct",
    "metrics.overlap",
    "metrics.munkres",
    "alignment.ties",
    "alignment.mentions",
    "alignment.searches",
    "alignment.lookups",
    "metrics.tables",
    "metrics.counts",
    "metrics.members",
    "metrics.row",
    "metrics.mentions",
    "metrics.muc",
    "metrics.bcub",
    "metrics.ceafm",
    "metrics.ceafe",
    "metrics.blanc",
    "metrics.lea",
    "metrics.linked",
    "metrics.cone",
    "metrics.mor",
    "metrics.zero",
    "metrics",
    "metrics.citations",
    "metrics.measures",
    "settings",
    "results",
    "python.arguments",
    "alignment.nodes",
    "analysis",
    "analysis.heads",
    "analysis.texts",
    "analysis.pronouns",
    "kinds.labels",
    "kinds.counts",
    "batches",
    "evaluate",
    "sides",
    "run",
    "systems",
    "analysis.partitions",
    "analysis.spans",
    "analysis.types",
    "analysis.costs",
    "analysis.response",
    "python.api",
    "python.evaluator",
    "python.distributed",
    "statistics.intervals",
    "statistics.significance",
    "statistics.datasets",
    "statistics.units",
    "checking.baselines",
    "reports",
    "reports.row",
    "layouts",
    "layouts.cells",
    "reports.presented",
    "reports.paper",
    "reports.score",
    "reports.views",
    "reports.datasets",
    "reports.compare",
    "reports.rank",
    "reports.check",
    "reports.words",
    "reports.errors",
    "reports.errors.single",
    "reports.errors.names",
    "reports.errors.tables",
    "reports.errors.groups",
    "reports.errors.report",
    "reports.errors.listing",
    "reports.errors.compared",
    "reports.diff",
    "python.systems",
    "python.analysing",
    "reports.explain",
    "python.conventions",
    "reports.plots",
    "convert",
    "analysis.repaired",
    "checking.validation",
    "checking.repair",
    "checking.repair_corefud",
    "reports.validate",
    "layouts.official",
    "layouts.corefud",
    "layouts.github",
    "layouts.text",
    "layouts.tables",
    "layouts.papers",
    "layouts.separated",
    "layouts.json",
    "layouts.marked",
    "layouts.page",
    "cli.options",
    "cli.signals",
    "cli.output",
    "cli.synonyms",
    "cli.messages",
    "cli.progress",
    "cli.scoring",
    "cli.score",
    "cli.corefud",
    "cli.systems",
    "cli.compare",
    "cli.rank",
    "cli.check",
    "cli.analysing",
    "cli.errors",
    "cli.diff",
    "cli.explain",
    "cli.validate",
    "cli.convert",
    "cli.cite",
    "cli",
    "__main__",
)
"""From the modules that know nothing to the one that knows all; each imports only what stands before it."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    """What each module is, by name."""
    return {name_of(path): ast.parse(path.read_text()) for path in MODULES}


def imported(tree: ast.Module) -> set[str]:
    """The modules of the package that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "corefscore":
            for alias in node.names:
                longer = f"{node.module}.{alias.name}".partition(".")[2]
                found.add(longer if longer in ORDER else node.module.partition(".")[2])
    return found - {""}


def test_every_module_has_its_place() -> None:
    there = set(filter(None, map(name_of, MODULES)))
    new, gone = sorted(there - {*ORDER}), sorted({*ORDER} - there)
    assert not new, "give each a place in ORDER of this file, after every module that it imports"
    assert not gone, "no such module; remove it from ORDER of this file"
    assert len(ORDER) == len(there), "ORDER has a module twice"


def test_functions_of_formats_are_where_their_rows_say() -> None:
    for row in map(formats.find, formats.EVERY_NAME):
        named = [function.args for function in row if isinstance(function, partial) and function.args]
        assert named
        for module, name in named:
            assert callable(getattr(import_module(f"corefscore.formats.{module}"), name))


def test_imports_point_one_way() -> None:
    place = {name: at for at, name in enumerate([*ORDER, ""])}
    wrong = [
        f"{name or 'corefscore'} imports {other}, which has a later place in ORDER"
        for name, tree in trees().items()
        for other in sorted(imported(tree))
        if name in place and place[other] >= place[name]
    ]
    assert not wrong, "move the module in ORDER, or what it needs into a module that comes earlier"


def test_only_the_command_line_prints_or_exits() -> None:
    found = {}
    for name, tree in trees().items():
        if name.split(".")[0] not in ("__main__", "cli"):
            calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
            names = {call.id for call in calls if isinstance(call, ast.Name)}
            attributes = [call for call in calls if isinstance(call, ast.Attribute)]
            names |= {f"{call.value.id}.{call.attr}" for call in attributes if isinstance(call.value, ast.Name)}
            found[name] = names & {"print", "exit", "quit", "sys.exit", "os._exit", "click.echo"}
    wrong = {name: its for name, its in found.items() if its}
    assert not wrong, "raise a ScorerError, or add a notice: only corefscore/cli prints or exits"


def test_every_module_and_public_name_says_what_it_is() -> None:
    silent = [name for name, tree in trees().items() if tree.body and not ast.get_docstring(tree)]
    for module, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_" and not ast.get_docstring(node):
                silent.append(f"{module}.{node.name}")
    assert not silent, "these have no docstring"


def test_a_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    """Start-up is part of every run: scipy, statistics, masked arrays and the lookup of plugins wait until they are
    needed, in documents that are read in several blocks, too."""
    pair = [str(ROOT / "testdata" / "demo" / name) for name in ("key.conll", "response.conll")]
    long = tmp_path / "long.conll"
    long.write_text(
        "#begin document (long); part 000\nlong 0 0 word (0)\n" + "long 0 0 word -\n" * 250_000 + "\n#end document\n"
    )
    late = ["scipy", "numpy.ma", "gzip", "concurrent.futures", "multiprocessing"]
    without_tables = ["importlib.metadata", "tabulate"]
    rooms = ("statistics.significance", "statistics.units", "reports.compare", "reports.views")
    calls: list[list[str | Path]] = [
        ["all", *pair, "none"],
        ["muc", long, long, "none"],
        ["all", *pair, "--format", "csv"],
    ]
    for case in ("zero-collision-chain-101", "head-other-span-101"):
        folder = ROOT / "testdata" / "corefud" / "scoring" / case
        calls.append(["corefud", folder / "key.conllu", folder / "response.conllu"])
    late += (f"corefscore.{name}" for name in rooms)
    assert loaded([*late, *without_tables], *calls) == []
    assert loaded(late, ["all", *pair, "--format", "table"]) == []


def test_an_analysis_imports_only_what_it_needs() -> None:
    """No statistics, no reports of other commands, and not the masked arrays that some functions of numpy import."""
    pair = [str(ROOT / "testdata" / "demo" / name) for name in ("key.conll", "response.conll")]
    late = ["scipy", "numpy.ma", "corefscore.statistics.significance"]
    reports = (f"corefscore.reports.{name}" for name in ("compare", "rank", "check", "score"))
    assert loaded([*late, *reports], ["errors", *pair]) == []


def test_the_page_tells_where_everything_is() -> None:
    """Every module and folder of the package has its place in docs/architecture.md, and nothing else has."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.split("| place | holds |\n")[1].split("\n\n")[0]
    told = {name for line in table.splitlines() for name in re.findall(r"`([a-z]+(?:\.py|/))`", line.split("|")[1])}
    there = {path.name + "/" * path.is_dir() for path in PACKAGE.iterdir() if path.name[0] not in "_."}
    there -= {"py.typed"}
    assert told == there, "the first column of the table in docs/architecture.md names exactly these"


@together("path", [*MODULES, *sorted((ROOT / "tests").glob("*.py"))])
def test_what_docstrings_name_is_there(path: Path) -> None:
    """Modules, and names in them, between backquotes."""
    found: Any
    for words in re.findall(r"`(corefscore(?:\.\w+)+)`", path.read_text()):
        name, found = "corefscore", corefscore
        for part in words.split(".")[1:]:
            name += f".{part}"
            if name.partition(".")[2] in ORDER:
                found = import_module(name)
            else:
                assert hasattr(found, part) or part in getattr(found, "__annotations__", {}), words
                found = getattr(found, part, None)
