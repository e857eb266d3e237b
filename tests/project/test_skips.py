"""A test may be skipped only for the reasons that `conftest` lists."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import ABSENT, ROOT

FILE = f"""
import pytest
@pytest.mark.parametrize("row", [])
def test_no_rows(row): pass
@pytest.mark.skipif(True, reason={ABSENT!r})
def test_excerpts(): pass
@pytest.mark.skipif(True, reason="it is Monday")
def test_marked(): pass
def test_perl(): pytest.skip("there is no perl")
def test_called(): pytest.skip("it is Monday")
"""


@pytest.mark.outside
def test_a_skip_for_another_reason_fails(tmp_path: Path) -> None:
    (tmp_path / "test_file.py").write_text(FILE)
    (tmp_path / "test_library.py").write_text("import pytest\npytest.importorskip('no_such_library')")
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")
    options = ("-q", "-rA", "-p", "no:cacheprovider", "-c", "/dev/null", "--continue-on-collection-errors")
    words = (sys.executable, "-m", "pytest", *options, "--override-ini", f"pythonpath={ROOT / 'tests'}", ".")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    failed = set(re.findall(r"^(?:FAILED|ERROR) test_\w+\.py(?:::(\w+))?", done.stdout, re.MULTILINE))
    assert (done.returncode, failed) == (1, {"", "test_no_rows", "test_marked", "test_called"}), done.stdout
    assert "2 skipped" in done.stdout
    assert "is not in EXPECTED_SKIPS of conftest.py: it is Monday" in done.stdout
