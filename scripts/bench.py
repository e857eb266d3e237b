"""Whole-process measurements: `python scripts/bench.py [--only tiny,corpus] [--peer 'NAME=COMMAND'] [--page]`.

Generates each input once, then runs `corefscore all KEY RESPONSE none` and the floors, one after the other, round
by round, so that whatever else the machine does falls on all of them alike. Prints a table of medians; every ratio
is one of medians over the same rounds. Peers are any command that takes a key and a response. ``--page`` puts the
table, what follows from it and the plot into docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from itertools import compress
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import NamedTuple

from generate import SHAPES

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
OURS = "corefscore"
PLAIN = "the same text as CoNLL-2012"
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


class Asked(NamedTuple):
    """What is run: the words before the files and those after them."""

    command: str
    words: Sequence[str]


TOTALS = Asked("all", ["none"])

SYSTEM = "system"
"""The beginning of the names of the systems of a ranking, all of which are the response."""

VARIANTS: Mapping[str, tuple[str, Asked]] = {
    "corpus-verbose": ("corpus", Asked("all", [])),
    "corpus-errors": ("corpus", Asked("errors", ["--quiet"])),
    "book-errors": ("book", Asked("errors", ["--quiet"])),
    "many-validate": ("many", Asked("validate", [])),
    "many-errors": ("many", Asked("errors", ["--quiet"])),
    "many-diff": ("many", Asked("diff", ["--quiet"])),
    "corpus-rank": ("corpus", Asked("rank", [f"{SYSTEM}{number}={{response}}" for number in range(2, 61)])),
    "many-jobs": ("many", Asked("all", ["none", "--jobs", "2"])),
    "three-jobs": ("three", Asked("all", ["none", "--jobs", "2"])),
    "huge-jobs": ("huge", Asked("all", ["none", "--jobs", "2"])),
}
"""Rows with an input of another row, and what is run instead of `TOTALS`."""

DIALECTS = ("e2e", "maverick", "crac-2026", "wl-coref", "preco", "fastcoref", "coref-data")
"""Rows with the input of `corpus` in a dialect of JSON; none may take more than twice the time of the first."""

AT_MOST: Mapping[str, float] = {"tiny": 1.5, "corpus": 2.2, "corpus-verbose": 4, "book": 2.6, "many": 3.6}
"""The targets, as ratios to `IMPORT`."""

WITHIN: Mapping[str, float] = {"corpus-errors": 1.0, "book-errors": 3.0}
"""Targets in seconds."""

TWINS: Mapping[str, str] = {"corefud": "corpus"}
"""Rows whose input is that of another row in another format, which is measured beside it as `PLAIN`. The target is 1.5
times its time."""

SERIES = ("tiny", "corpus", "many", "huge-half", "huge")
"""The inputs of the plot: ever longer, and otherwise alike."""

ON_PAGE: Mapping[str, str] = {
    "tiny": "one sentence",
    "corpus": "348 documents",
    "corefud": "the same as CorefUD",
    "corpus-random": "random entities",
    "book": "one document",
    "many": "5,000 documents",
    "huge": "100,000 documents",
    "huge-jobs": "the same, `--jobs 2`",
}
"""The rows that the page has, and what they are."""

RUNS, RUNS_OF_TARGETS = 5, 11
SKIPPED = "-"

LOADED = 1.0
"""Work for each processor, this script's own included, from which on a machine is not idle."""


class Run(NamedTuple):
    """One command: wall and processor time in seconds, and the peak of memory in MB, that of its largest process."""

    wall: float
    cpu: float
    memory: float


class Row(NamedTuple):
    """One input: its size in tokens, and what each command came to in its median run."""

    name: str
    tokens: int
    runs: Mapping[str, Run]

    def ratio(self, command: str, floor: str, unit: str = "wall") -> float | None:
        if command not in self.runs or floor not in self.runs:
            return None
        return float(getattr(self.runs[command], unit) / getattr(self.runs[floor], unit))


def measure(command: Sequence[str], seconds: float | None = None) -> Run | None:
    """Run a command once, its output thrown away; None where it takes longer than ``seconds``.

    Raises `SystemExit` where it fails.
    """
    # Sources are compiled before, as they are for a user.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with TemporaryFile() as said:  # a pipe that nobody reads would be full at some time
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=environment)
        while seconds is not None and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.perf_counter() - begin > seconds:
                process.kill()
                process.wait()
                return None
            time.sleep(0.001)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            words = said.read().decode(errors="replace")
            raise SystemExit(f"{shlex.join(command)} ended with {process.returncode}:\n{words}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def rounds(commands: Mapping[str, Sequence[str]], target: bool, patient: float) -> dict[str, Run]:
    """The median run of every command, all of them interleaved; those that are not ours within ``patient``
    seconds are left out."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(RUNS_OF_TARGETS + 1 if target else RUNS + 1):
        for name, command in commands.items():
            if name not in found or (number > RUNS and name not in (OURS, PLAIN, IMPORT)):
                continue
            run = measure(command, None if name in (OURS, PLAIN) else patient)
            if run is None:
                del found[name]
            elif number:  # the first round fills caches
                found[name].append(run)
    return {name: Run(*map(median, zip(*runs, strict=True))) for name, runs in found.items()}


def row(name: str, folder: Path, peers: Mapping[str, str], extra: Sequence[str], patient: float) -> Row:
    """Make the input, where it is not there yet, and measure it."""
    shape, asked = ("corpus", TOTALS) if name in DIALECTS else VARIANTS.get(name, (name, TOTALS))
    files = _generated(shape, folder)
    program = str(Path(sys.executable).with_name(OURS))
    if name in DIALECTS:
        files = [_converted(file, folder / name, name, program) for file in files]
    key, response = map(str, files)
    commands: dict[str, Sequence[str]] = {
        IMPORT: [sys.executable, "-c", "import numpy"],
        OURS: [
            program,
            asked.command,
            key,
            response,
            *(word.format(response=response) for word in asked.words),
            *extra,
        ],
        LINES: ["wc", "-l", key, response],
        PASS: [sys.executable, "-c", SCAN, key, response],
    }
    if name in TWINS:
        commands[PLAIN] = [program, "all", *map(str, _generated(TWINS[name], folder)), "none", *extra]
    for peer, command in peers.items() if name not in (*VARIANTS, *DIALECTS, *TWINS) else ():
        commands[peer] = [part.format(key=key, response=response) for part in shlex.split(command)]
    target = name in AT_MOST or name in WITHIN or name in TWINS
    return Row(name, SHAPES[shape].documents * SHAPES[shape].tokens, rounds(commands, target, patient))


def _generated(shape: str, folder: Path) -> list[Path]:
    """Key and response of a shape, made where they are not there yet."""
    files = [folder / shape / f"{side}.{SHAPES[shape].suffix}" for side in ("key", "response")]
    if not all(file.exists() for file in files):
        # In a process of its own: the memory of this one would count for its children.
        subprocess.run([sys.executable, HERE / "generate.py", shape, folder / shape], check=True)
    return files


def _converted(file: Path, folder: Path, dialect: str, program: str) -> Path:
    """The file in a dialect of JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{file.stem}.json"
    if not target.exists():
        subprocess.run([program, "convert", file, target, "--format", dialect, "--quiet"], check=True)
    return target


def table(rows: Sequence[Row], peers: Sequence[str], *, brief: bool = False) -> str:
    """The measurements in Markdown; ``brief`` leaves out what only those want who work on speed."""
    if brief:
        rows = [each._replace(name=f"{each.name}: {ON_PAGE[each.name]}") for each in rows if each.name in ON_PAGE]
    heads = ["input", "tokens", "wall s", "cpu s", "peak MB"]
    heads += [f"/ {IMPORT}", "at most", "the same in cpu", f"/ {LINES}", f"/ {PASS}"]
    heads += [f"{peer} {unit}" for peer in peers for unit in ("s", "MB", "/ ours")]
    hidden = {"cpu s", "at most", "the same in cpu", f"/ {LINES}", f"/ {PASS}", *(f"{peer} MB" for peer in peers)}
    shown = [not brief or head not in hidden for head in heads]
    heads = list(compress(heads, shown))
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    for each in rows:
        ours = each.runs[OURS]
        cells = [each.name, f"{each.tokens:,}", f"{ours.wall:.2f}", f"{ours.cpu:.2f}", f"{ours.memory:.0f}"]
        cells += [
            number(each.ratio(OURS, IMPORT)),
            f"{WITHIN[each.name]} s" if each.name in WITHIN else str(AT_MOST.get(each.name, SKIPPED)),
        ]
        cells.append(number(each.ratio(OURS, IMPORT, "cpu")))
        cells += [number(each.ratio(OURS, LINES)), number(each.ratio(OURS, PASS))]
        for peer in peers:
            its = each.runs.get(peer)
            cells += [f"{its.wall:.2f}", f"{its.memory:.0f}"] if its else [SKIPPED, SKIPPED]
            cells.append(number(each.ratio(peer, OURS)))
        lines.append("| " + " | ".join(compress(cells, shown)) + " |")
    return "\n".join(lines) + "\n"


def conclusions(rows: Sequence[Row], *, brief: bool = False) -> str:
    """What follows from the table: the machine, whether time grows with length (not if ``brief``), and what two jobs
    save."""
    by_name = {each.name: each for each in rows}
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    load = "**not idle**: absolute times are too long, ratios less so" if busy > LOADED else "idle but for this"
    versions = f"Python {platform.python_version()}, numpy {version('numpy')}, scipy {version('scipy')}"
    lines = [f"{os.cpu_count()} processors ({platform.machine()}), {platform.system()}, {versions}. It was {load}."]
    if {"huge", "huge-half"} <= by_name.keys() and not brief:
        beyond = {
            name: [getattr(each.runs[OURS], unit) - getattr(each.runs[IMPORT], unit) for unit in ("wall", "cpu")]
            for name, each in by_name.items()
        }
        wall, cpu = (
            beyond["huge"][at] / by_name["huge"].tokens * by_name["huge-half"].tokens / beyond["huge-half"][at]
            for at in (0, 1)
        )
        lines.append(f"A token of huge costs {wall:.2f} times what one of huge-half costs (processor time: {cpu:.2f}).")
    if "e2e" in by_name and (others := [dialect for dialect in DIALECTS[1:] if dialect in by_name]):
        costs = {each: by_name[each].ratio(OURS, IMPORT, "cpu") or 0 for each in ("e2e", *others)}
        times = {name: costs[name] / costs["e2e"] for name in others}
        slowest = max(times, key=lambda name: times[name])
        lines.append(
            f"Of the dialects of JSON {slowest} takes longest, {times[slowest]:.2f} times the processor time of e2e."
        )
    for name in TWINS.keys() & by_name.keys():
        wall, cpu = (by_name[name].ratio(OURS, PLAIN, unit) for unit in ("wall", "cpu"))
        lines.append(f"{name} takes {number(wall)} times the time of {PLAIN} (processor time: {number(cpu)}).")
    for name in ("huge",) if brief else ("many", "three", "huge"):
        if {name, f"{name}-jobs"} <= by_name.keys():
            one, two = by_name[name].runs[OURS], by_name[f"{name}-jobs"].runs[OURS]
            taken = f"{two.wall / one.wall:.2f} times the time and {two.cpu / one.cpu:.2f} times the processor time"
            lines.append(f"With two jobs, {name} takes {taken} of one job.")
    return " ".join(lines) + "\n"


def write_page(text: str) -> None:
    """Put what was measured into the page, between its marks."""
    before, begin, rest = PAGE.read_text().partition("<!-- bench -->\n")
    _, end, after = rest.partition("<!-- /bench -->\n")
    if not begin or not end:
        raise SystemExit(f"{PAGE} has no <!-- bench --> and <!-- /bench -->, each on a line of its own")
    PAGE.write_text(f"{before}{begin}{text}{end}{after}")


def number(ratio: float | None) -> str:
    """A ratio to two significant digits, as far as there is one."""
    if ratio is None:
        return SKIPPED
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def plot(rows: Sequence[Row], path: Path) -> None:
    """Wall time of the `SERIES` against size in tokens, on logarithmic axes, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": OURS, "font.size": 10})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    rows = [each for each in rows if each.name in SERIES]
    names = dict.fromkeys(name for each in rows for name in each.runs)
    for name in names:
        line = sorted((each.tokens, each.runs[name].wall) for each in rows if name in each.runs)
        style = {"linewidth": 2} if name == OURS else {"linewidth": 1, "linestyle": "--"}
        axes.plot(*zip(*line, strict=True), marker="o", label=name, markersize=4, **style)
    axes.set(xscale="log", yscale="log", xlabel="tokens", ylabel="wall time in seconds")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    """The command line of the script."""
    known = [*SHAPES, *VARIANTS, *DIALECTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help=f"measure these inputs, joined by commas: {', '.join(known)}")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME=COMMAND", help="a command with {key} and {response}"
    )
    parser.add_argument(
        "--patient", type=float, default=120, metavar="S", help="how long a peer may take (%(default)s)"
    )
    parser.add_argument("--options", default="", metavar="WORDS", help=f"more arguments for {OURS}")
    parser.add_argument("--inputs", type=Path, default=Path("build/bench"), metavar="FOLDER", help="(%(default)s)")
    parser.add_argument("--plot", type=Path, metavar="SVG", help="also plot time against size (extra: plots)")
    parser.add_argument("--page", action="store_true", help=f"put table and plot into {PAGE}")
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
        print(f"{name}: {rows[-1].runs[OURS].wall:.2f} s", file=sys.stderr)  # noqa: T201 - what it found is what it prints
    text = f"{table(rows, list(peers), brief=arguments.page)}\n{conclusions(rows, brief=arguments.page)}"
    print(text, end="")  # noqa: T201 - what it found is what it prints
    if arguments.plot:
        plot(rows, arguments.plot)
    if arguments.page:
        write_page(text)
        plot(rows, PAGE.with_suffix(".svg"))


if __name__ == "__main__":
    main()
