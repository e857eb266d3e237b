"""Mutation testing with cosmic-ray: `python scripts/mutants.py [COUNT] [GROUP...]`.

Which small changes of the code does no test notice? A mutant is the package with one operator, number or condition
changed; the tests of its group are run on it, and a mutant that passes them all survives and is listed, to be killed by
a new test or explained in docs/maintaining.md. COUNT takes so many of each group at random, the same ones every time;
without it every mutant is tried, which takes hours.

Needs the extra `mutants`. The code is changed in a copy of the project, never in place.
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

ROOT = Path(__file__).parent.parent


class Group(NamedTuple):
    """Modules, and the tests that know what is right there; the fast and telling ones first."""

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
            "metrics/overlap",
        ),
        ("papers", "properties", "twins", "hypothesis", "recorded"),
    ),
    "assignment": Group(("metrics/assignment",), ("papers", "twins", "hypothesis", "recorded")),
    "repeats": Group(
        ("alignment/repeats", "alignment/matching"), ("twins", "api", "recorded", "validate", "bad_input")
    ),
    "reader": Group(
        ("formats/conll/brackets", "formats/conll/cells", "formats/conll/reader", "formats/conll/lines"),
        ("reading", "recorded", "hypothesis", "convert", "validate", "bad_input"),
    ),
    "statistics": Group(("statistics/significance",), ("significance", "compare", "rank")),
}

TIMEOUT = 200
"""Seconds after which a mutant is taken to hang."""

OUTCOMES = ("noticed", "hung", "survived", "incompetent", "without result")
"""What can come of a mutant, as `outcome` tells; only the first is sure to be due to a test."""


def tried(name: str, count: int | None, folder: Path) -> str:
    """Try the mutants of a group on the copy in ``folder``; a line that sums up, behind the survivors."""
    group = GROUPS[name]
    tests = " ".join(f"tests/test_{test}.py" for test in group.tests)
    modules = [f"scorer/corefscore/{module}.py" for module in group.modules]
    config = folder / f"{name}.toml"
    config.write_text(
        f"[cosmic-ray]\nmodule-path = {modules}\ntimeout = {TIMEOUT}\nexcluded-modules = []\n"
        f"test-command = \"{sys.executable} -m pytest -x -q -p no:cacheprovider -m 'not slow' {tests}\"\n"
        '[cosmic-ray.distributor]\nname = "local"\n'
    )
    session = folder / f"{name}.sqlite"
    ray(folder, "init", str(config), str(session))
    ray(folder, "--verbosity=ERROR", "baseline", str(config))
    with use_db(str(session)) as work:
        items = [item for item in work.work_items if meant(item)]
        chosen = {item.job_id for item in (items if count is None else sample(items, count))}
        for item in work.work_items:
            if item.job_id not in chosen:
                work.set_result(item.job_id, WorkResult(worker_outcome=WorkerOutcome.SKIPPED))
    ray(folder, "exec", str(config), str(session))
    outcomes: Counter[str] = Counter()
    with use_db(str(session)) as work:
        for job, result in work.results:
            if job in chosen:
                outcomes[outcome(result)] += 1
                if result.test_outcome and result.test_outcome.value == "survived":
                    say(result.diff.rstrip())
    outcomes["without result"] += len(chosen) - outcomes.total()
    counts = ", ".join(f"{outcomes[each]} {each}" for each in OUTCOMES)
    return f"{name}: {len(items)} mutants, {len(chosen)} tried, {counts}"


def outcome(result: WorkResult) -> str:
    """What came of a mutant. One that ran out of time counts as killed for cosmic-ray, and is told apart here."""
    if result.test_outcome is None:
        return "without result"
    if result.test_outcome == TestOutcome.KILLED:
        return "hung" if result.output == "timeout" else "noticed"
    return str(result.test_outcome.value)


def sample(items: Sequence[Any], count: int) -> list[Any]:
    """So many items at random, the same ones every time, at most one of a place."""
    places: dict[tuple[object, ...], Any] = {}
    shuffled = random.Random(0).sample(items, len(items))
    for item in shuffled:
        mutation = item.mutations[0]
        places.setdefault((mutation.module_path, mutation.start_pos), item)
    return list(places.values())[:count]


def meant(item: Any) -> bool:
    """Whether a mutant changes what is run: annotations are not, nor is a decorator a number, an operator or a
    condition."""
    mutation = item.mutations[0]
    if "RemoveDecorator" in mutation.operator_name:
        return False
    return mutation.start_pos not in annotated(mutation.module_path)


def annotated(
    path: Path,
    known: dict[Path, set[tuple[int, int]]] = {},  # noqa: B006 - shared by all calls
) -> set[tuple[int, int]]:
    """The places within the annotations of a file."""
    if path not in known:
        found: Iterable[ast.AST | None] = (
            getattr(node, field, None)
            for node in ast.walk(ast.parse((ROOT / path).read_text()))
            for field in ("annotation", "returns")
        )
        known[path] = {
            (line, column)
            for node in found
            if isinstance(node, ast.expr) and node.end_col_offset is not None
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
            for column in range(node.col_offset, node.end_col_offset)
        }
    return known[path]


def ray(folder: Path, *arguments: str) -> None:
    """Run cosmic-ray in the copy, which is also where Python looks for the package first."""
    environment = dict(os.environ, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1", HYPOTHESIS_PROFILE="first")
    program = str(Path(sys.executable).with_name("cosmic-ray"))
    subprocess.run([program, *arguments], cwd=folder, env=environment, check=True)


def main(arguments: Sequence[str]) -> int:
    """Try the mutants; the exit status is 0 whatever survives."""
    count = int(arguments[0]) if arguments and arguments[0].isdigit() else None
    names = list(arguments[count is not None :]) or list(GROUPS)
    ignored = shutil.ignore_patterns(".git", ".venv", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")
    for name in names:
        with TemporaryDirectory() as place:
            folder = Path(place) / "copy"
            shutil.copytree(ROOT, folder, ignore=ignored)
            say(tried(name, count, folder))
    return 0


def say(text: str) -> None:
    """A line on standard output."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
