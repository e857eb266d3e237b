"""Print how large and how entangled the package is: `python scripts/figures.py`.

- Folders: in an order in which each imports only those before it. Folders of one cycle are joined by ``=``.
- Three calls: how many functions of the package they pass, in how many modules. Comprehensions and the bodies of
  classes and modules are left out, with what these call while modules are imported.
- Size: modules, lines of code (without docstrings, comments and blank lines), lengths of functions, public names,
  options, and lines of the longest help.
"""

from __future__ import annotations

import ast
import inspect
import io
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "scorer" / "corefscore"
PAIR = [str(ROOT / "testdata" / "demo" / name) for name in ("key.conll", "response.conll")]

PYTHON = "score"
CALLS = {
    "lea": "corefscore lea KEY RESPONSE",
    PYTHON: "score(KEY, RESPONSE) from Python",
    "errors": "corefscore errors KEY RESPONSE",
}

FUNCTION = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
"""Flags of the code of functions, which bodies of classes and modules lack."""

Tree = ast.Module


def trees() -> dict[str, Tree]:
    """Parse every module, by its name without that of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text())
    return found


def imported(tree: Tree, modules: Mapping[str, Tree]) -> set[str]:
    """List the modules of the package that a module imports, anywhere in it; "" is the package itself."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".", maxsplit=1)[0] == PACKAGE.name:
            for alias in node.names:
                longer = f"{node.module}.{alias.name}".partition(".")[2]
                found.add(longer if longer in modules else str(node.module).partition(".")[2])
        elif isinstance(node, ast.Import):
            found |= {name.partition(".")[2] for alias in node.names if (name := alias.name).startswith(PACKAGE.name)}
    return found


def folder(module: str) -> str:
    """Name the folder of a module at the top of the package; the module itself if it is not in one."""
    return module.split(".", maxsplit=1)[0]


def arrows(modules: Mapping[str, Tree]) -> dict[str, set[str]]:
    """List the folders that each folder imports. The entries of the package stand on all others and are left out."""
    found: dict[str, set[str]] = {folder(name): set() for name in modules if name not in ("", "__main__")}
    for name, tree in modules.items():
        if folder(name) in found:
            found[folder(name)] |= {folder(other) for other in imported(tree, modules)} - {folder(name)}
    return found


def layers(graph: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Yield the folders in order, each after all that it imports; those of a cycle together."""
    left = {name: set(others) & graph.keys() for name, others in graph.items()}
    while left:
        reached = {name: _reachable(name, left) for name in left}
        first = min(left, key=lambda name: (len({name} | reached[name]), name))
        cycle = sorted({first} | {other for other in reached[first] if first in reached[other]})
        yield cycle
        left = {name: others - {*cycle} for name, others in left.items() if name not in cycle}


def _reachable(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    new = set(graph[name])
    while new:
        found |= new
        new = {far for near in new for far in graph[near]} - found
    return found


def passed(call: str) -> tuple[int, int]:
    """Count the functions of the package that one of `CALLS` passes in a process of its own, and their modules."""
    done = subprocess.run(
        [sys.executable, __file__, call], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True
    )
    functions, modules = done.stderr.splitlines()[-1].split()
    return int(functions), int(modules)


def watch(call: str) -> tuple[int, int]:
    """`passed`, within this process."""
    from corefscore import score
    from corefscore.cli import run

    seen: set[CodeType] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and not _of_import(frame):
            seen.add(frame.f_code)

    sys.setprofile(look)
    if call == PYTHON:
        score(*PAIR)
    else:
        run([call, *PAIR], "corefscore")
    sys.setprofile(None)
    own = {
        (code.co_filename, code.co_firstlineno, code.co_name)
        for code in seen
        if code.co_filename.startswith(str(PACKAGE)) and (code.co_name[0] != "<" or code.co_name == "<lambda>")
    }
    return len(own), len({file for file, _, _ in own})


def _of_import(frame: FrameType | None) -> bool:
    """Return whether a call comes from the body of a class or module of the package, or is such a body."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(str(PACKAGE)) and code.co_flags & FUNCTION != FUNCTION:
            return True
        frame = frame.f_back
    return False


def code_lines(text: str, tree: Tree) -> set[int]:
    """Number the lines that hold code: neither docstrings nor comments nor blanks."""
    layout = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in layout:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            held.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return held


def public(tree: Tree) -> set[str]:
    """List the functions, classes and assignments of a module whose names do not begin with an underscore."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return {name for name in found if name[0] != "_"}


def helps() -> tuple[int, int]:
    """Count the options of all commands, without those for help, and the lines of the longest help."""
    import click
    from corefscore.cli import commands
    from corefscore.cli.options import Parameter

    group = commands()
    context = click.Context(group, info_name="corefscore", terminal_width=80)
    made = {name: group.get_command(context, name) for name in group.list_commands(context)}
    options, longest = set(), len(group.get_help(context).splitlines())
    for name, command in made.items():
        assert command is not None
        options |= {option.opts[0] for option in command.params if isinstance(option, Parameter)}
        inner = click.Context(command, info_name=name, parent=context, terminal_width=80)
        longest = max(longest, len(command.get_help(inner).splitlines()))
    return len(options), longest


def say(text: str) -> None:
    """Print a line."""
    print(text)  # noqa: T201


def main() -> None:
    """Print all figures."""
    modules = trees()
    graph = arrows(modules)
    say("folders: " + " < ".join(" = ".join(cycle) for cycle in layers(graph)))
    say(f"arrows between folders: {sum(map(len, graph.values()))}")
    for call, shown in CALLS.items():
        functions, files = passed(call)
        say(f"{shown}: {functions} functions in {files} modules")
    lengths: list[tuple[int, str]] = []
    names: dict[str, list[str]] = defaultdict(list)
    total = 0
    for module, tree in modules.items():
        path = PACKAGE.joinpath(*module.split("."))
        text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        held = code_lines(text, tree)
        total += len(held)
        for name in public(tree):
            names[name].append(module)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                lines = held.intersection(range(node.lineno, (node.end_lineno or node.lineno) + 1))
                lengths.append((len(lines), f"{module}.{node.name}"))
    say(f"modules: {len(modules)}")
    say(f"lines of code: {total}")
    say(f"functions: {len(lengths)}, longest {max(lengths)}, median {median(length for length, _ in lengths):g}")
    say(f"public names: {sum(map(len, names.values()))}, different ones: {len(names)}")
    options, longest = helps()
    say(f"options: {options}, longest help: {longest} lines")
    shared = sorted(((len(its), name) for name, its in names.items() if len(its) > 2), reverse=True)
    say("names of three or more modules: " + ", ".join(f"{name} ({count})" for count, name in shared))


if __name__ == "__main__":
    if sys.argv[1:]:
        print(*watch(sys.argv[1]), file=sys.stderr)  # noqa: T201 - standard output is that of the call
    else:
        main()
