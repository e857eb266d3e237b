"""Build wheel and source archive, check them, and test the wheel as users get it: `python scripts/dist.py [FOLDER]`.

The tests come from the source archive and run outside the checkout, without its package, against the installed wheel:
once with the oldest versions of the dependencies that the wheel allows, once with the newest. The oldest need a Python
that they were made for (3.10 or 3.11); on a newer one only the newest are tested, and it is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
OLDEST_RUNS_UP_TO = (3, 11)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def run(*words: str | Path, cwd: Path) -> None:
    """Run a program; an error ends everything. It sees nothing of the checkout but what is in ``cwd``."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    tell("$ " + " ".join(map(str, words)))
    subprocess.run(list(map(str, words)), cwd=cwd, env=environment, check=True)


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the source archive, new in a folder, checked as an index checks them."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", folder, cwd=ROOT)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, archive, cwd=ROOT)
    run(sys.executable, "-m", "check_wheel_contents", wheel, cwd=ROOT)
    return wheel, archive


def oldest(wheel: Path) -> list[str]:
    """The oldest version that the wheel allows of each dependency, as pip takes it: ``numpy==1.24``."""
    with ZipFile(wheel) as opened:
        (metadata,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        headers = Parser().parsestr(opened.read(metadata).decode())
    found = []
    for requirement in map(Requirement, headers.get_all("Requires-Dist", [])):
        lowest = [each.version for each in requirement.specifier if each.operator == ">="]
        if requirement.marker is None and lowest:
            found.append(f"{requirement.name}=={lowest[0]}")
    return found


def test(wheel: Path, archive: Path, versions: Sequence[str]) -> None:
    """Run the tests of the archive against the wheel in an environment of its own with those versions."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "environment", with_pip=True)
        python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
        run(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]", *versions, cwd=folder)
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
        tests = folder / archive.name.removesuffix(".tar.gz")
        shutil.rmtree(tests / "scorer")
        run(python.with_name("pytest"), "-n", "auto", "-m", "not slow", cwd=tests)


def main() -> None:
    wheel, archive = build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").absolute())
    test(wheel, archive, [])
    if sys.version_info[:2] <= OLDEST_RUNS_UP_TO:
        test(wheel, archive, oldest(wheel))
    else:
        version = ".".join(map(str, OLDEST_RUNS_UP_TO))
        tell(f"not tested with {' '.join(oldest(wheel))}: they need Python {version} or older (make dist PYTHON=...)")


if __name__ == "__main__":
    main()
