"""Write into pages what their examples print: `python scripts/update_examples.py PAGE... [--under HEADING]`.

An example is a ``console`` block: calls behind ``$``, each with what it prints. They see testdata in their folder.
``--under`` leaves out all but those below headings that contain a text, such as the code of a message.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent


def updated(page: str, wanted: str = "") -> str:
    """The page with what its examples print now, below headings that contain ``wanted``."""
    heading = wanted

    def now(found: re.Match[str]) -> str:
        nonlocal heading
        if found[0].startswith("##"):
            heading = found[0]
            return heading
        return _run(found[0]) if wanted in heading else found[0]

    return re.sub(r"^##+ [^\n]*|(?<=```console\n).*?(?=```)", now, page, flags=re.DOTALL | re.MULTILINE)


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
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    parser.add_argument("--under", default="", metavar="HEADING", help="only examples below headings that contain this")
    asked = parser.parse_args()
    for page in asked.pages:
        page.write_text(updated(page.read_text(), asked.under))
