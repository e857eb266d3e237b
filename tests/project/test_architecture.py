"""The shape of the package: folders are layers, and only the command line prints or exits."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache, partial
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path
from typing import Any

import corefscore
from corefscore import formats, metrics
from corefscore.cli import COMMANDS
from corefscore.formats import base
from corefscore.reports import layouts
from figures import public
from support import ROOT, loaded, together

PACKAGE = Path(corefscore.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

FOLDERS = (
    "core",
    "formats",
    "matching",
    "metrics",
    "scoring",
    "statistics",
    "analysis",
    "checking",
    "reports",
    "python",
    "cli",
)
"""The folders of the package; each imports only those before it."""

APART = {("cli", "python")}
"""Folders of which the first does not import the second either: the command line does not stand on the Python API."""

ONE_MEANING = {
    "METRIC": "the metric of a module",
    "count": "the counts of a metric for each document",
    "terms": "the share of each mention or entity in the counts of a metric",
    "FORMAT": "the format of a folder",
    "read": "read files, in a format or in any",
    "write": "write documents or other text",
    "examine": "read files and report what is wrong",
    "recognises": "whether a text has a format",
    "command": "the entry of a command",
    "compare": "what corefscore compare does, for the command line, for Python and as a report",
    "rank": "what corefscore rank does, likewise",
    "documents": "make documents of what Python holds, or of a table",
    "find": "what has a name",
    "NAMES": "all names that `find` knows",
}
"""The public names of three or more modules, each with what it means in all of them."""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def trees() -> dict[str, ast.Module]:
    """What each module is, by name."""
    return {name_of(path): ast.parse(path.read_text()) for path in MODULES}


def imported(name: str, tree: ast.Module, *, strings: bool = False) -> dict[str, int]:
    """The modules of the package that a module imports, anywhere in it, with the first line of each; "" is the package
    itself. With ``strings`` also those whose full names are in strings, which `import_module` imports."""
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        words = []
        if isinstance(node, ast.ImportFrom):
            above = ["corefscore", *name.split(".")][: -node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            words = [longer if is_module(longer := f"{module}.{alias.name}") else module for alias in node.names]
        elif isinstance(node, ast.Import):
            words = [alias.name for alias in node.names]
        elif strings and isinstance(node, ast.Constant) and isinstance(node.value, str) and is_module(node.value):
            words = [node.value]
        for word in words:
            package, _, rest = word.partition(".")
            if package == "corefscore":
                found.setdefault(rest, getattr(node, "lineno", 0))
    return found


def is_module(words: str) -> bool:
    """Whether this is the full name of a module or folder of the package."""
    package, dot, rest = words.partition(".")
    return package == "corefscore" and bool(dot) and rest in trees()


def folder_of(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def test_every_module_is_in_a_folder() -> None:
    there = {path.name for path in PACKAGE.iterdir() if path.is_file() or any(path.rglob("*.py"))}
    assert there == {*FOLDERS, "__init__.py", "__main__.py", "py.typed"}, "the place of a module is one of FOLDERS"


def test_folders_import_only_those_before_them() -> None:
    place = {name: at for at, name in enumerate(["", *FOLDERS])} | {"": len(FOLDERS)}
    wrong = []
    for name, tree in trees().items():
        here = folder_of(name)
        for other, line in imported(name, tree, strings=True).items() if here in FOLDERS else ():
            there = folder_of(other)
            if place[there] > place[here] or (here, there) in APART:
                wrong.append(f"{name}:{line} imports {other or 'corefscore'}, but {here} comes before {there or 'all'}")
    assert not wrong, "a folder imports only folders before it in FOLDERS: move the module, or what it needs"


def test_no_module_imports_itself_round_a_circle() -> None:
    graph = {name: imported(name, tree).keys() - {name, ""} for name, tree in trees().items() if name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError("these import each other: " + " <- ".join(error.args[1])) from error


def test_functions_of_formats_are_where_their_rows_say() -> None:
    rows = map(formats.find, base.EVERY_NAME)
    named = {its.args for row in rows for its in row if isinstance(its, partial) and its.args}
    assert len(named) > 10
    for module, name in named:
        assert callable(getattr(import_module(f"corefscore.formats.{module}"), name))


def test_what_a_file_declares_has_its_row() -> None:
    """A metric, a format, a command or a layout without a row in the table of its folder is never used."""
    declared = {name: public(tree) for name, tree in trees().items()}
    metrics_here = {name.removeprefix("metrics.") for name, its in declared.items() if "METRIC" in its}
    assert metrics_here == {*metrics.NAMES, metrics.MENTIONS}, "the table is metrics.NAMES"
    formats_here = {name.removeprefix("formats.") for name, its in declared.items() if "FORMAT" in its}
    assert formats_here == {*base.NAMES}, "the table is formats.base.NAMES"
    calls = [node for name, tree in trees().items() if name.startswith("cli.") for node in ast.walk(tree)]
    named = [ast.unparse(call.args[0]) for call in calls if isinstance(call, ast.Call) and call.args]
    functions = [ast.unparse(call.func) for call in calls if isinstance(call, ast.Call) and call.args]
    made = {ast.literal_eval(name) for name, of in zip(named, functions, strict=True) if of == "click.command"}
    assert made == COMMANDS.keys(), "the table is cli.COMMANDS"
    rows = {(f"reports.layouts.{layout.module}", layout.function) for layout in layouts.NAMES.values()}
    here = {
        (name, node.name)
        for name, tree in trees().items()
        for node in tree.body
        if name.startswith("reports.layouts.") and isinstance(node, ast.FunctionDef)
        if node.name[0] != "_" and node.args.args[-1].arg == "style"
    }
    assert here == rows, "the table is reports.layouts.NAMES"


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


def test_a_name_of_three_modules_has_one_meaning() -> None:
    """Another name for another thing: else readers, and searches for the name, take one for the other."""
    times = Counter(name for tree in trees().values() for name in public(tree))
    assert {name for name, modules in times.items() if modules > 2} == ONE_MEANING.keys()


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
    rooms = ("statistics.significance", "statistics.units", "reports.compare", "reports.systems")
    calls: list[list[str | Path]] = [
        ["all", *pair, "none"],
        ["muc", long, long, "none"],
        ["all", *pair, "--format", "csv"],
    ]
    folder = ROOT / "testdata" / "corefud" / "scoring" / "head-other-span-101"  # where no mentions compete
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


def test_the_page_shows_the_folders_in_order() -> None:
    """The table in docs/architecture.md has the folders in order, each with the sentence that its docstring begins
    with, and names modules that are there."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = page.split("| folder | purpose |")[1].split("\n\n")[0].splitlines()[2:]
    told, said = zip(*(row.strip("| ").split(" | ")[:2] for row in rows), strict=True)
    assert told == tuple(f"`{name}/`" for name in FOLDERS)
    sentences = [(ast.get_docstring(trees()[name]) or "").partition("\n\n")[0] for name in FOLDERS]
    assert list(said) == sentences
    for name, row in zip(FOLDERS, rows, strict=True):
        for path in re.findall(r"`([a-z_/]+(?:\.py|/))`", row.split(" | ", 2)[2]):
            assert (PACKAGE / name / path).exists(), f"{name}/{path}"


def test_each_folder_has_its_folder_of_tests() -> None:
    tests = ROOT / "tests"
    assert {path.parent.name for path in tests.rglob("test_*.py")} <= {*FOLDERS, "project"}
    names = [path.name for path in tests.rglob("*.py")]
    assert len(names) == len({*names}), "the names of files in tests differ, since pytest imports them by name alone"


@together("path", [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))])
def test_what_docstrings_name_is_there(path: Path) -> None:
    """Modules, and names in them, between backquotes."""
    found: Any
    for words in re.findall(r"`(corefscore(?:\.\w+)+)`", path.read_text()):
        name, found = "corefscore", corefscore
        for part in words.split(".")[1:]:
            name += f".{part}"
            if is_module(name):
                found = import_module(name)
            else:
                assert hasattr(found, part) or part in getattr(found, "__annotations__", {}), words
                found = getattr(found, part, None)
