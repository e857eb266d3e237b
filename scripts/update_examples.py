"""Write into pages what their examples print: `python scripts/update_examples.py PAGE...`.

An example is a ``console`` block: calls behind ``$``, each with what it prints. They see testdata in their folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent


def updated(page: str) -> str:
    """The page with what its examples print now."""
    return re.sub(r"(?<=```console\n).*?(?=```)", lambda block: _run(block[0]), page, flags=re.DOTALL)


def _run(block: str) -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    printed = []
    with TemporaryDirectory() as folder:
        (Path(folder) / "testdata").symlink_to(ROOT / "testdata")
        for call in re.findall(r"^\$ (.*\n(?:> .*\n)*)", block, re.MULTILINE):
            done = subprocess.run(
                call.replace("\n> ", "\n"),
                shell=True,
                cwd=folder,
                env={**os.environ, "PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            printed.append(f"$ {call}{done.stdout.decode()}")
    return "".join(printed)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(updated(Path(name).read_text()))
