"""The ways that CONTRIBUTING.md describes, followed step by step in a copy of the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import corefscore
import pytest
from support import ROOT

GUIDE = (ROOT / "CONTRIBUTING.md").read_text()

WAYS = dict(re.findall(r"^## (A new .*?)\n(.*?)(?=^## |\Z)", GUIDE, re.DOTALL | re.MULTILINE))

STEP = re.compile(r"^(?:`([\w/.-]+)`\n\n)?(`{3,4})(\w+)\n(.*?)^\2$", re.DOTALL | re.MULTILINE)
"""A file under its name, or commands for a shell."""


def edited(text: str, difference: str) -> str:
    """A text with the lines marked ``-``, which are there once, replaced by those marked ``+``."""
    old, new = ("".join(line[1:] for line in difference.splitlines(keepends=True) if line[0] == sign) for sign in "-+")
    assert text.count(old) == 1, old
    return text.replace(old, new)


def take(step: re.Match[str], copy: Path) -> None:
    """Do what one step of the guide says."""
    name, _, kind, text = step.groups()
    if kind == "shell":
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        environment = {
            **os.environ,
            "PATH": path,
            "PYTHONPATH": str(copy / "scorer"),
            "PYTEST_ADDOPTS": "-p no:cacheprovider",
        }
        for command in text.splitlines():
            done = subprocess.run(
                command, shell=True, cwd=copy, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    elif kind == "diff":
        (copy / name).write_text(edited((copy / name).read_text(), text))
    else:
        assert not (copy / name).exists()
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text)


@pytest.mark.parametrize("line", sorted({*re.findall(r"^from corefscore\..*", GUIDE, re.MULTILINE)}))
def test_what_the_guide_imports_is_there(line: str) -> None:
    exec(line, {})


@pytest.mark.outside
@pytest.mark.parametrize("way", WAYS)
def test_the_guide_can_be_followed(way: str, tmp_path: Path) -> None:
    """Every file is written, every change is made, every command succeeds."""
    package = Path(corefscore.__file__).parent  # the installed one, where the tests run without the checkout
    folders = {tmp_path / "scorer" / "corefscore": package}
    folders.update({tmp_path / name: ROOT / name for name in ("tests", "scripts", "docs", "man", "testdata")})
    for copied, folder in folders.items():
        shutil.copytree(folder, copied, ignore=shutil.ignore_patterns("__pycache__", "bad"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    steps = list(STEP.finditer(WAYS[way]))
    assert steps
    for step in steps:
        take(step, tmp_path)
