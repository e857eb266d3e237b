"""Whole-process measurements: `python scripts/bench.py [--only tiny,corpus] [--peer 'NAME=COMMAND']`.

Generates each input once, then runs `corefscore all KEY RESPONSE none` and the floors, one after the other, round
by round, so that whatever else the machine does falls on all of them alike. Prints a table of medians; every ratio
is one of medians over the same rounds. Peers are any command that takes a key and a response.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from generate import SHAPES

HERE = Path(__file__).parent
OURS = "corefscore"
IMPORT, LINES, PASS = "import numpy", "wc -l", "numpy pass"

SCAN = """
import sys, numpy
for path in sys.argv[1:]:
    buffer, lines = bytearray(1 << 20), 0
    with open(path, 'rb', buffering=0) as file:
        while size := file.readinto(buffer):
            lines += len(numpy.flatnonzero(numpy.frombuffer(buffer, numpy.uint8, size) == 10))
"""
"""The least that a reader in numpy can do: find the line ends."""

VERBOSE = "corpus-verbose"
"""The row that prints every document; its input is that of ``corpus``."""

AT_MOST: Mapping[str, float] = {"tiny": 1.5, "corpus": 2.2, VERBOSE: 4, "book": 2.6, "many": 3.6}
"""The targets, as ratios to `IMPORT`."""

RUNS, RUNS_OF_TARGETS = 5, 11
SKIPPED = "-"


class Run(NamedTuple):
    """One process: wall and processor time in seconds, the peak of its memory in MB."""

    wall: float
    cpu: float
    memory: float


class Row(NamedTuple):
    """One input: its size in tokens, and what each command came to in its median run."""

    name: str
    tokens: int
    runs: Mapping[str, Run]

    def ratio(self, command: str, floor: str) -> float | None:
        if command not in self.runs or floor not in self.runs:
            return None
        return self.runs[command].wall / self.runs[floor].wall


def measure(command: Sequence[str], seconds: float | None = None) -> Run | None:
    """Run a command once, its output thrown away; None where it takes longer than ``seconds``.

    Raises `SystemExit` where it fails.
    """
    # Sources are compiled before, as they are for a user.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    while seconds is not None and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.perf_counter() - begin > seconds:
            process.kill()
            process.communicate()
            return None
        time.sleep(0.001)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.stderr is not None
    with process.stderr as stream:
        said = stream.read()
    if process.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {process.returncode}:\n{said.decode(errors='replace')}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def rounds(commands: Mapping[str, Sequence[str]], target: bool, patient: float) -> dict[str, Run]:
    """The median run of every command, all of them interleaved; those that are not ours within ``patient``
    seconds are left out."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(RUNS_OF_TARGETS + 1 if target else RUNS + 1):
        for name, command in commands.items():
            if name not in found or (number > RUNS and name not in (OURS, IMPORT)):
                continue
            run = measure(command, None if name == OURS else patient)
            if run is None:
                del found[name]
            elif number:  # the first round fills caches
                found[name].append(run)
    return {name: Run(*map(median, zip(*runs, strict=True))) for name, runs in found.items()}


def row(name: str, folder: Path, peers: Mapping[str, str], extra: Sequence[str], patient: float) -> Row:
    """Make the input, where it is not there yet, and measure it."""
    shape = name.removesuffix("-verbose")
    files = [folder / shape / f"{side}.conll" for side in ("key", "response")]
    if not all(file.exists() for file in files):
        # In a process of its own: the memory of this one would count for its children.
        subprocess.run([sys.executable, HERE / "generate.py", shape, folder / shape], check=True)
    key, response = map(str, files)
    program = str(Path(sys.executable).with_name(OURS))
    commands: dict[str, Sequence[str]] = {
        IMPORT: [sys.executable, "-c", "import numpy"],
        OURS: [program, "all", key, response, *([] if name == VERBOSE else ["none"]), *extra],
        LINES: ["wc", "-l", key, response],
        PASS: [sys.executable, "-c", SCAN, key, response],
    }
    for peer, command in peers.items():
        commands[peer] = [part.format(key=key, response=response) for part in shlex.split(command)]
    return Row(name, SHAPES[shape].documents * SHAPES[shape].tokens, rounds(commands, name in AT_MOST, patient))


def table(rows: Sequence[Row], peers: Sequence[str]) -> str:
    """The measurements in Markdown."""
    heads = ["input", "tokens", "wall s", "cpu s", "peak MB", f"/ {IMPORT}", "at most", f"/ {LINES}", f"/ {PASS}"]
    heads += [f"{peer} {unit}" for peer in peers for unit in ("s", "MB", "/ ours")]
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for each in rows:
        ours = each.runs[OURS]
        cells = [each.name, f"{each.tokens:,}", f"{ours.wall:.2f}", f"{ours.cpu:.2f}", f"{ours.memory:.0f}"]
        cells += [number(each.ratio(OURS, IMPORT)), f"{AT_MOST.get(each.name, SKIPPED)}"]
        cells += [number(each.ratio(OURS, LINES)), number(each.ratio(OURS, PASS))]
        for peer in peers:
            its = each.runs.get(peer)
            cells += [f"{its.wall:.2f}", f"{its.memory:.0f}"] if its else [SKIPPED, SKIPPED]
            cells.append(number(each.ratio(peer, OURS)))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def number(ratio: float | None) -> str:
    """A ratio to two significant digits, as far as there is one."""
    if ratio is None:
        return SKIPPED
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def plot(rows: Sequence[Row], path: Path) -> None:
    """Wall time against size in tokens, on logarithmic axes, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": OURS, "font.size": 10})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    names = dict.fromkeys(name for each in rows for name in each.runs)
    for name in names:
        line = sorted((each.tokens, each.runs[name].wall) for each in rows if name in each.runs)
        style = {"linewidth": 2} if name == OURS else {"linewidth": 1, "linestyle": "--"}
        axes.plot(*zip(*line, strict=True), "o", label=name, markersize=4, **style)
    axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel="wall time in seconds")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    """The command line of the script."""
    known = [*SHAPES, VERBOSE]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help=f"measure these inputs, joined by commas: {', '.join(known)}")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME=COMMAND", help="a command with {key} and {response}"
    )
    parser.add_argument(
        "--patient", type=float, default=120, metavar="S", help="how long a peer may take (%(default)s)"
    )
    parser.add_argument("--options", default="", metavar="WORDS", help=f"more arguments for {OURS}, such as '--jobs 2'")
    parser.add_argument("--inputs", type=Path, default=Path("build/bench"), metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="also plot time against size (extra: plots)")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else known
    if unknown := [name for name in wanted if name not in known]:
        parser.error(f"unknown input {', '.join(unknown)}; known: {', '.join(known)}")
    if wrong := [peer for peer in arguments.peer if "=" not in peer]:
        parser.error(f"--peer {wrong[0]!r}: expected NAME=COMMAND")
    peers = dict(peer.split("=", 1) for peer in arguments.peer)
    rows = []
    for name in wanted:
        rows.append(row(name, arguments.inputs, peers, shlex.split(arguments.options), arguments.patient))
        print(f"{name}: {rows[-1].runs[OURS].wall:.2f} s", file=sys.stderr)  # noqa: T201
    print(table(rows, list(peers)), end="")  # noqa: T201
    if arguments.plot:
        plot(rows, arguments.plot)


if __name__ == "__main__":
    main()
