"""Test the wheel as users get it, with the oldest versions of the dependencies that it allows and with the newest.

`python scripts/dist.py` builds wheel and source archive in dist, checks them, and runs tests of the archive outside the
checkout, those of `OF_ARCHIVE`. `python scripts/dist.py --main-calls` only runs the tests of `MAIN_CALLS`, in the
checkout.

The oldest versions need a Python that they have wheels for, such as the oldest that the package allows. On another one
their installation fails, unless ``--newest`` (``make test-versions NEWEST=1``) leaves them out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from email.parser import Parser
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
MAIN_CALLS = [
    "tests/cli/test_calls.py",
    "tests/project/test_readme.py",
    "tests/formats/test_bad_input.py",
    "tests/scoring/test_recorded.py",
]
"""Every command in every layout, the examples of the pages, messages, and what the official scorer printed."""

OF_ARCHIVE = [*MAIN_CALLS, *(f"tests/{name}" for name in ("analysis", "checking", "matching", "metrics", "statistics"))]
"""The tests that need neither the checkout nor libraries of an extra."""

PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def tell(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(*words: str | Path, cwd: Path) -> None:
    """Run a program and print its output once it ends; an error ends everything.

    Of the checkout, the program sees only what is in ``cwd``.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    called, line = list(map(str, words)), " ".join(map(str, words))
    done = subprocess.run(
        called, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    tell(f"$ {line}\n{done.stdout}".rstrip())
    if done.returncode:
        raise SystemExit(f"exit status {done.returncode}: {line}")


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the source archive, new in a folder, checked as an index checks them."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, cwd=ROOT)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, archive, cwd=ROOT)
    run(sys.executable, "-m", "check_wheel_contents", wheel, cwd=ROOT)
    return wheel, archive


def build_wheel(folder: Path) -> Path:
    """The wheel of a copy of the sources: a build in the checkout keeps modules that were removed there."""
    copy = folder / "copy"
    for name in ("scorer", "man"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    run(sys.executable, *PIP, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, copy, cwd=folder)
    return next(folder.glob("*.whl"))


def oldest(wheel: Path) -> list[str]:
    """The oldest version that the wheel allows of each dependency, as pip takes it: ``numpy==1.24``."""
    with ZipFile(wheel) as opened:
        (metadata,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        headers = Parser().parsestr(opened.read(metadata).decode())
    needed = [each for each in map(Requirement, headers.get_all("Requires-Dist", [])) if each.marker is None]
    lowest = [[each.version for each in requirement.specifier if each.operator == ">="] for requirement in needed]
    return [f"{requirement.name}=={version}" for requirement, (version,) in zip(needed, lowest, strict=True)]


def main_calls(python: Path, folder: Path) -> None:
    """Run the tests of the main calls."""
    run(python.with_name("pytest"), "-p", "no:cacheprovider", "-m", "not slow and not outside", *MAIN_CALLS, cwd=ROOT)


def of_archive(archive: Path, python: Path, folder: Path) -> None:
    """Run tests of the archive, without its package."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    tests = folder / archive.name.removesuffix(".tar.gz")
    shutil.rmtree(tests / "scorer")
    run(python.with_name("pytest"), "-n", "auto", "-m", "not slow and not outside", *OF_ARCHIVE, cwd=tests)


def test(wheel: Path, tests: Callable[[Path, Path], None], versions: Sequence[str]) -> None:
    """Run tests against the wheel in an environment of its own with those versions."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
        binary = [f"--only-binary={version.partition('=')[0]}" for version in versions]
        run(python, *PIP, "install", *binary, f"{wheel}[test]", *versions, cwd=folder)
        run(python, "-m", "pip", "freeze", cwd=folder)
        tests(python, folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist", help="where wheel and archive are built")
    parser.add_argument("--main-calls", action="store_true", help="only a wheel, and only the tests of the main calls")
    parser.add_argument("--newest", action="store_true", help="leave out the oldest versions of the dependencies")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        if asked.main_calls:
            wheel, tests = build_wheel(Path(folder)), main_calls
        else:
            wheel, archive = build(asked.folder.absolute())
            tests = partial(of_archive, archive)
        sets = [[]] if asked.newest else [oldest(wheel), []]
        list(pool.map(partial(test, wheel, tests), sets))


if __name__ == "__main__":
    main()
