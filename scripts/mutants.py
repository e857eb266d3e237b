"""Mutation testing: `python scripts/mutants.py [COUNT] [GROUP...]`.

Which small changes of the code does no test notice? A mutant is the package with one operator, number or condition
changed (by the operators of cosmic-ray). The tests of its group that reach the changed function are run, the fastest
first; a mutant that passes them all survives and is listed, to be noticed by a new test or explained in
docs/maintaining.md. COUNT takes so many of each group at random, the same ones every time; without it every mutant is
tried, which takes hours.

Needs the extra `mutants`, and processes that fork. The code is changed in a copy of the project that has nothing
beside it, never in place.
"""

from __future__ import annotations

import ast
import os
import pickle
import random
import re
import resource
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import unified_diff
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = Path("scorer", "corefscore")


class Group(NamedTuple):
    """Modules and folders of modules, and the tests that know what is right there."""

    modules: Sequence[str]
    tests: Sequence[str]


GROUPS = {
    "metrics": Group(
        (
            "metrics/muc",
            "metrics/bcub",
            "metrics/ceafm",
            "metrics/ceafe",
            "metrics/blanc",
            "metrics/lea",
            "metrics/base",
        ),
        ("papers", "properties", "twins", "hypothesis", "recorded"),
    ),
    "assignment": Group(("matching/assignment",), ("papers", "twins", "hypothesis", "recorded")),
    "repeats": Group(("matching/matched",), ("twins", "api", "recorded", "validate", "bad_input")),
    "reader": Group(
        ("formats/conll/cells", "formats/conll/reader", "formats/conll/lines"),
        ("reading", "recorded", "hypothesis", "convert", "validate", "bad_input"),
    ),
    "statistics": Group(
        ("statistics/significance", "statistics/intervals", "statistics/datasets", "core/percent"),
        ("significance", "intervals", "percent", "compare", "rank", "datasets", "average", "units", "systems", "kinds"),
    ),
    "units": Group(
        ("matching/units", "statistics/units"),
        (
            *("units", "significance", "compare", "rank", "average", "clients", "kinds", "bad_input"),
            *("cone", "hypothesis", "systems", "api"),
        ),
    ),
    "text": Group(
        ("matching/text",), ("tagged_recorded", "tagged", "tagged_corefud", "told", "bad_input", "clients", "convert")
    ),
    "errors": Group(
        ("analysis",), ("error_twins", "errors_recorded", "errors", "hypothesis", "cone", "bad_input", "layouts")
    ),
}

LIMIT = 60
"""Seconds, beside five times what its tests take otherwise, after which a mutant is taken to hang."""

MEMORY = 8 << 30
"""Bytes of addresses that the process of a mutant may have: one that grows without end is noticed, and harms nobody."""

OUTCOMES = ("noticed", "hung", "survived", "not reached")
"""What can come of a mutant; only the first is sure to be due to a test."""

IDENTITY = re.compile(r"(Eq|Gt|GtE|Lt|LtE|NotEq)_Is(Not)?$")
"""The operators that put ``is`` for a comparison: which equal numbers and texts are one object depends on Python."""


class Reached(NamedTuple):
    """The functions of the package that a test calls, each a file and its first line, and how long the test takes."""

    functions: set[tuple[str, int]]
    seconds: float


class Recorder:
    """A plugin of pytest that writes down what each test reaches."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.reached: dict[str, Reached] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch the calls of one test."""
        functions: set[tuple[str, int]] = set()

        def called(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            if code.co_filename.startswith(self.package):
                functions.add((code.co_filename, code.co_firstlineno))

        begin = time.perf_counter()
        sys.settrace(called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            self.reached[item.nodeid] = Reached(functions, time.perf_counter() - begin)


class Chosen:
    """A plugin of pytest that runs only these tests, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out and sort."""
        items[:] = sorted((it for it in items if it.nodeid in self.order), key=lambda it: self.order[it.nodeid])


def forked(folder: Path, work: Callable[[], int], limit: float | None = None) -> int | None:
    """Run ``work`` in the copy, in a process of its own that has not imported the package; its exit status, or None
    if it took longer than ``limit`` seconds."""
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        os.chdir(folder)
        log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        package = str(folder / PACKAGE.parent)
        sys.path.insert(0, package)
        os.environ.update(PYTHONPATH=package, HYPOTHESIS_PROFILE="first")
        status = 70
        try:
            status = work()
        finally:
            os._exit(status)
    end = None if limit is None else time.monotonic() + limit
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.02)


def recorded(folder: Path, tests: Sequence[str]) -> dict[str, Reached]:
    """What each of these tests reaches; all have to pass without a mutant, with the package of the copy."""
    found = folder / "reached.pickle"

    def work() -> int:
        recorder = Recorder(str(folder / PACKAGE))
        status = ran(files_of(tests), recorder)
        found.write_bytes(pickle.dumps(recorder.reached))
        return status

    status = forked(folder, work)
    if status:
        raise SystemExit(f"the tests fail without a mutant, too:\n{(folder / 'log.txt').read_text()[-3000:]}")
    reached: dict[str, Reached] = pickle.loads(found.read_bytes())
    return reached


def ran(tests: Sequence[str], plugin: object) -> int:
    """Run tests until the first fails; the exit status of pytest."""
    options = ("-x", "-q", "-p", "no:cacheprovider", "-m", "not slow and not outside")
    return int(pytest.main([*options, *tests], plugins=[plugin]))


def files_of(tests: Sequence[str]) -> list[str]:
    """The files of tests by their short names."""
    return [next((ROOT / "tests").rglob(f"test_{test}.py")).relative_to(ROOT).as_posix() for test in tests]


def tried(name: str, count: int | None, folder: Path, reached: Mapping[str, Reached]) -> str:
    """Try the mutants of a group on the copy in ``folder``; a line that sums up, behind the survivors."""
    group = GROUPS[name]
    files = tuple(f"{file}::" for file in files_of(group.tests))
    known = {test: its for test, its in reached.items() if test.startswith(files)}
    items = [mutant for path in paths_of(group.modules) for mutant in mutants_of(path)]
    outcomes: Counter[str] = Counter()
    chosen = items if count is None else sample(items, count)
    for mutant in chosen:
        outcome, difference = outcome_of(mutant, folder, known)
        outcomes[outcome] += 1
        if outcome != "noticed":
            say(f"{outcome} ({outcomes.total()} of {len(chosen)}): {mutant.operator}\n{difference}")
    counts = ", ".join(f"{outcomes[each]} {each}" for each in OUTCOMES)
    return f"{name}: {len(items)} mutants, {len(chosen)} tried, {counts}"


class Mutant(NamedTuple):
    """One change: where, by which operator of cosmic-ray, and which of the places in the file that it can change."""

    path: Path
    operator: str
    occurrence: int
    place: tuple[int, int]


def outcome_of(mutant: Mutant, folder: Path, known: Mapping[str, Reached]) -> tuple[str, str]:
    """Change the code, run the tests that reach it, and change it back; what came of it, and the change."""
    import cosmic_ray.plugins
    from cosmic_ray.mutating import mutate_code

    path = folder / mutant.path
    tests = sorted(reaching(known, str(path), ROOT / mutant.path, mutant.place[0]), key=lambda it: known[it].seconds)
    code = path.read_text()
    changed = mutate_code(code, cosmic_ray.plugins.get_operator(mutant.operator)(), mutant.occurrence)
    difference = "\n".join(unified_diff(code.split("\n"), changed.split("\n"), str(mutant.path), n=1, lineterm=""))
    for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
        compiled.unlink()
    path.write_text(changed)
    try:
        limit = LIMIT + 5 * sum(known[test].seconds for test in tests)
        status = forked(folder, lambda: judged(tests), limit) if tests else pytest.ExitCode.NO_TESTS_COLLECTED
    finally:
        path.write_text(code)
    return outcome(status), difference


def judged(tests: Sequence[str]) -> int:
    """Run these tests on what is changed; compiled code of the change is not kept."""
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return ran(list(dict.fromkeys(test.split("::")[0] for test in tests)), Chosen(tests))


def outcome(status: int | None) -> str:
    """What came of a mutant, by how pytest ended."""
    if status is None:
        return "hung"
    return {int(pytest.ExitCode.OK): "survived", int(pytest.ExitCode.NO_TESTS_COLLECTED): "not reached"}.get(
        status, "noticed"
    )


def reaching(known: Mapping[str, Reached], name: str, path: Path, line: int) -> list[str]:
    """The tests that call the function around a line; of a line outside of functions, all that call any of its file."""
    around = [
        node
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    if not around:
        return [test for test, its in known.items() if any(file == name for file, _ in its.functions)]
    function = max(around, key=lambda node: node.lineno)
    first = min([function.lineno, *(it.lineno for it in function.decorator_list)])
    return [test for test, its in known.items() if (name, first) in its.functions]


def paths_of(modules: Sequence[str]) -> list[Path]:
    """The files of modules, and of all modules in folders, relative to the project."""
    found: list[Path] = []
    for module in modules:
        folder = ROOT / PACKAGE / module
        paths = sorted(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
        found += [path.relative_to(ROOT) for path in paths]
    return found


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a file that change what is run: annotations are not, nor is a decorator a number, an operator or
    a condition."""
    import cosmic_ray.plugins
    from cosmic_ray.ast import ast_nodes, get_ast

    tree = get_ast((ROOT / path).read_text())
    never = left_out(path)
    for name in cosmic_ray.plugins.operator_names():
        operator = cosmic_ray.plugins.get_operator(name)
        if operator.arguments() or "RemoveDecorator" in name or IDENTITY.search(name):
            continue
        places = (place for node in ast_nodes(tree) for place, _ in operator().mutation_positions(node))
        for occurrence, place in enumerate(places):
            if place not in never:
                yield Mutant(path, name, occurrence, place)


def sample(items: Sequence[Mutant], count: int) -> list[Mutant]:
    """So many mutants at random, the same ones every time, at most one of a place."""
    places: dict[tuple[object, ...], Mutant] = {}
    for item in random.Random(0).sample(items, len(items)):
        places.setdefault((item.path, item.place), item)
    return list(places.values())[:count]


def left_out(path: Path) -> set[tuple[int, int]]:
    """The places within the annotations of a file, and those of ``strict=True``, which only guards against our own
    mistakes."""
    found: Iterator[Any] = (
        node.value if isinstance(node, ast.keyword) else getattr(node, field, None)
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        for field in ("annotation", "returns")
        if not isinstance(node, ast.keyword) or node.arg == "strict"
    )
    return {
        (line, column)
        for node in found
        if isinstance(node, ast.expr) and node.end_col_offset is not None
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for column in range(node.col_offset, node.end_col_offset)
    }


def main(arguments: Sequence[str]) -> int:
    """Try the mutants; the exit status is 0 whatever survives."""
    count = int(arguments[0]) if arguments and arguments[0].isdigit() else None
    names = list(arguments[count is not None :]) or list(GROUPS)
    tests = dict.fromkeys(test for name in names for test in GROUPS[name].tests)
    ignored = shutil.ignore_patterns(".git", ".venv", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "build")
    with TemporaryDirectory() as place:
        folder = Path(place).resolve() / "copy"
        shutil.copytree(ROOT, folder, ignore=ignored)
        reached = recorded(folder, list(tests))
        for name in names:
            say(tried(name, count, folder, reached))
    return 0


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    for library in ("click", "hypothesis", "numpy", "scipy.optimize", "scipy.special"):
        import_module(library)  # which no process of a mutant has to do again
    sys.exit(main(sys.argv[1:]))
