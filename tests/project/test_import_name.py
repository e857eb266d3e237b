"""The package is imported as `corefscore`; other packages and files named `scorer` are neither hidden nor used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

SOURCES = ("pyproject.toml", "README.md", "LICENSE", "man", "scorer")
OTHER = "VERSION = 'the other scorer'\n"
PAIR = tuple(str(ROOT / "testdata" / "demo" / name) for name in ("key.conll", "response.conll"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel of this project installed beside another package that is imported as `scorer`."""
    if not (ROOT / "scorer").is_dir():
        pytest.skip("needs the checkout to build the wheel")
    copy, site = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("site")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "wheel", *offline, "--wheel-dir", copy / "dist", copy], check=True, capture_output=True)
    (wheel,) = (copy / "dist").glob("*.whl")
    subprocess.run([*pip, "install", *offline, "--target", site, wheel], check=True, capture_output=True)
    (site / "scorer").mkdir()
    (site / "scorer" / "__init__.py").write_text(OTHER)
    return site


def python(site: Path, *words: str, cwd: Path) -> str:
    """What Python prints with a folder of packages first on its path."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.check_output([sys.executable, *words], cwd=cwd, env=environment, text=True)


def test_the_wheel_and_a_package_named_scorer_run_side_by_side(installed: Path, tmp_path: Path) -> None:
    program = "import corefscore, scorer; print(corefscore.__file__, scorer.VERSION)"
    assert python(installed, "-c", program, cwd=tmp_path).split(" ", 1) == [
        str(installed / "corefscore" / "__init__.py"),
        "the other scorer\n",
    ]
    script = next(path for path in (installed / "bin").iterdir() if path.name == "corefscore")
    assert "F1: 58.82%" in python(installed, str(script), "lea", *PAIR, "none", cwd=tmp_path)
    assert "F1: 58.82%" in python(installed, "-m", "corefscore", "lea", *PAIR, "none", cwd=tmp_path)


def test_the_wheel_holds_one_package(installed: Path) -> None:
    folders = {path.name for path in installed.iterdir() if path.is_dir() and not path.name.endswith(".dist-info")}
    assert folders - {"__pycache__"} == {"corefscore", "scorer", "bin", "share"}


@pytest.mark.parametrize("names", [["scorer.py", "numpy.py", "click.py"], ["scorer/__init__.py"]], ids=" ".join)
def test_a_file_of_the_working_folder_is_not_imported(names: list[str], tmp_path: Path) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"raise SystemExit('{name} is imported from the working folder')\n")
    words = [sys.executable, "-m", "corefscore", "lea", *PAIR, "none"]
    assert b"F1: 58.82%" in subprocess.run(words, cwd=tmp_path, capture_output=True, check=True).stdout


def test_the_checkout_hides_no_package_named_scorer(installed: Path) -> None:
    """The source root `scorer/` has no `__init__.py`: a real package of that name comes first, wherever it is."""
    assert python(installed, "-c", "import scorer; print(scorer.VERSION)", cwd=ROOT) == "the other scorer\n"
