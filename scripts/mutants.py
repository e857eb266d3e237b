"""Mutation testing: `python scripts/mutants.py [COUNT]`. Which small changes of the code does no test notice?

A mutant is the package with one operator, number or condition changed. Each is tried with the tests that know the
numbers, in a copy of the project; a mutant that passes them all survives and is listed, to be killed by a new test or
explained in docs/trust.md. COUNT takes a random sample, the same every time; without it every mutant is
tried, which takes hours.

Own code, because the usual programs run the tests on a package of another name or place, which the tests of imports
and of the installed command do not survive.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
MUTATED = ("scorer/metrics", "scorer/formats", "scorer/official.py", "scorer/overlap.py")
TESTS = ("test_reading", "test_papers", "test_twins", "test_properties", "test_recorded", "test_validate")
"""Fast and telling first: the first test that fails ends the run."""

LONGEST = 240
"""Seconds after which a mutant counts as noticed: it hangs."""

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Mutant(NamedTuple):
    """One changed file: where, what was changed, and the new text."""

    path: Path
    line: int
    what: str
    text: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse((ROOT / path).read_text())
    for at, node in enumerate(ast.walk(tree)):
        for what in changes(node):
            changed = copy.deepcopy(tree)
            target = next(each for number, each in enumerate(ast.walk(changed)) if number == at)
            before = ast.unparse(target)
            apply(target, what)
            yield Mutant(path, getattr(node, "lineno", 0), f"{before}  ->  {ast.unparse(target)}", ast.unparse(changed))


def changes(node: ast.AST) -> list[str]:
    """The names of the attributes of a node that can be changed."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPPED:
        return ["op"]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        return ["ops"]
    if isinstance(node, ast.Constant) and type(node.value) in (int, bool):
        return ["value"]
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return ["test"]
    return []


def apply(node: ast.AST, what: str) -> None:
    """Change a node in place."""
    old = getattr(node, what)
    if what == "op":
        setattr(node, what, SWAPPED[type(old)]())
    elif what == "ops":
        setattr(node, what, [SWAPPED[type(old[0])](), *old[1:]])
    elif what == "value":
        setattr(node, what, not old if isinstance(old, bool) else old + 1)
    else:
        setattr(node, what, ast.UnaryOp(ast.Not(), old))


def survives(mutant: Mutant, folder: Path) -> bool:
    """Whether all tests pass on the copy in ``folder`` with this file changed."""
    (folder / mutant.path).write_text(mutant.text)
    environment = dict(os.environ, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
    tests = [f"tests/{name}.py" for name in TESTS]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=LONGEST, check=False)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        shutil.copy(ROOT / mutant.path, folder / mutant.path)


def main() -> int:
    """Try the mutants; the exit status is 0 whatever survives."""
    files = [
        path for place in MUTATED for path in ([ROOT / place] if place.endswith(".py") else (ROOT / place).glob("*.py"))
    ]
    every = [mutant for path in sorted(files) for mutant in mutants(path.relative_to(ROOT))]
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else len(every)
    tried = random.Random(0).sample(every, min(wanted, len(every)))
    survived = 0
    with TemporaryDirectory() as name:
        folder = Path(name) / "copy"
        ignored = shutil.ignore_patterns(".git", ".venv", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, folder, ignore=ignored)
        for mutant in tried:
            if survives(mutant, folder):
                survived += 1
                say(f"{mutant.path}:{mutant.line}: {mutant.what}")
    say(f"{len(every)} mutants, {len(tried)} tried, {len(tried) - survived} noticed, {survived} survived")
    return 0


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
