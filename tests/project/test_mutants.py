"""`scripts/mutants.py`: what is changed, which tests are run on it, and what counts as noticed."""

from __future__ import annotations

from pathlib import Path

import mutants
import pytest
from mutants import GROUPS, LIMIT, PACKAGE, ROOT, Reached, forked, outcome, paths_of, reaching


@pytest.mark.parametrize(
    ("status", "expected"),
    [(0, "survived"), (1, "noticed"), (2, "noticed"), (5, "not reached"), (-9, "noticed"), (None, "hung")],
)
def test_only_what_a_test_noticed_is_noticed(status: int | None, expected: str) -> None:
    assert outcome(status) == expected


def test_the_modules_and_tests_of_every_group_are_there() -> None:
    for name, group in GROUPS.items():
        assert paths_of(group.modules), name
        files = [
            *(ROOT / path for path in paths_of(group.modules)),
            *(ROOT / it for it in mutants.files_of(group.tests)),
        ]
        assert all(file.is_file() for file in files), name


def test_what_is_run_is_the_copy(tmp_path: Path) -> None:
    """Without it, the installed package would be tested, and every mutant would survive."""
    package = tmp_path / PACKAGE
    package.mkdir(parents=True)
    (package / "only_in_the_copy.py").write_text("status = 3")
    (package / "__init__.py").write_text("")

    def work() -> int:
        import subprocess
        import sys

        for name in [name for name in sys.modules if name.partition(".")[0] == "corefscore"]:
            del sys.modules[name]
        from importlib import import_module

        here: int = import_module("corefscore.only_in_the_copy").status
        call = "import sys, corefscore.only_in_the_copy as copy; sys.exit(copy.status)"
        return here + subprocess.run([sys.executable, "-c", call], check=False).returncode

    assert forked(tmp_path, work) == 6
    assert forked(tmp_path, lambda: __import__("time").sleep(60) or 0, limit=0.1) is None
    assert LIMIT > 0


def test_the_tests_of_a_line_are_those_that_call_its_function(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("LIMIT = 1\n\n\n@cache\ndef first():\n    return LIMIT\n\n\ndef second():\n    return 2\n")
    known = {
        "test_first": Reached({("module", 4)}, 1.0),
        "test_second": Reached({("module", 9)}, 1.0),
        "test_other": Reached({("other", 4)}, 1.0),
    }
    assert reaching(known, "module", path, 1) == ["test_first", "test_second"]
    assert reaching(known, "module", path, 6) == ["test_first"]
    assert reaching(known, "module", path, 10) == ["test_second"]
