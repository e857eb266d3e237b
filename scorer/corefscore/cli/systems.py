"""`corefscore compare KEY SYSTEM...`: do systems differ? `corefscore rank KEY SYSTEM...`: which is the best?"""

from __future__ import annotations

import filecmp
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import click

from corefscore.cli import options
from corefscore.cli.output import complain, resampling, strict, tell, to_file, write
from corefscore.cli.scoring import evaluated, of_both_sides, paths_by_name, read_key, spare_inputs, workers
from corefscore.core.errors import InputError, ScorerError, UsageError
from corefscore.core.findings import VISIBLE, Finding, Noticed
from corefscore.core.percent import from_percent
from corefscore.core.records import INPUT, SCORING, STATISTICS, Option, declared
from corefscore.metrics import DEFAULT, ranked_by, wanted
from corefscore.metrics.base import Metric
from corefscore.reports.compare import compare as compared
from corefscore.reports.layouts import DATA, TABLES, Style, rendered
from corefscore.reports.rank import drawn, plot_format
from corefscore.reports.rank import rank as ranked
from corefscore.reports.systems import Systems
from corefscore.scoring.results import Result, compiled
from corefscore.scoring.run import MAY_BE_KEY, OF_KEY
from corefscore.scoring.systems import Runs, files_of, scored_each, separated
from corefscore.statistics.significance import Method


def _comparing(*own: click.Parameter) -> list[click.Parameter]:
    """Return the parameters that `compare` and `rank` share, with those that only one of them has (``own``)."""
    return [
        click.Argument(["key"], type=options.FILE),
        click.Argument(["systems"], type=options.FILE, metavar="SYSTEM ...", nargs=-1),
        options.Parameter(
            "--systems",
            "place",
            type=options.FILE,
            metavar="FOLDER",
            heading=INPUT,
            help="Folder that contains a file or folder for each system.",
        ),
        options.Parameter(
            "--measures",
            metavar="LIST",
            default=DEFAULT,
            show_default=True,
            heading=SCORING,
            help="Measures joined by commas, such as muc, blanc.coreference, conll, lea.f1.",
        ),
        *own,
        *options.made(map(_in_percent, declared(Method))),
        *options.scoring(),
        options.layout(TABLES, DATA),
        options.DIGITS,
        *options.RUNNING,
    ]


def _in_percent(option: Option) -> Option:
    """Return the option of the level with a percentage as its value; other options unchanged."""
    return option._replace(default=None, kind=str) if option.name == "confidence" else option


def _method(arguments: dict[str, Any]) -> Method:
    """Return the method of comparison: its options, which are removed from ``arguments``.

    Raises `UsageError` for an invalid level (`corefscore.core.percent`) or pattern of groups.
    """
    if (own := {option.name: arguments.pop(option.name) for option in declared(Method)})["by"] is not None:
        compiled("--by", own["by"])
    percent, margin = own.pop("confidence"), arguments.pop("margin", None)
    if percent is not None:
        own["confidence"] = from_percent(percent, "--confidence ", ends=False)
    return Method(**own, margin=None if margin is None else from_percent(margin, "--margin ", ends=False))


def _scored(
    metrics: Sequence[Metric],
    *,
    key: str,
    systems: Sequence[str],
    place: str | None,
    unit: str,
    lenient: bool,
    **arguments: Any,
) -> Systems:
    """Find systems (`_given`) and score them. The key is read once, responses one after another.

    The error of a system that cannot be scored is raised; if this is ``lenient`` and there are other systems, the
    system has no score instead. Errors of the key are always raised.
    """
    paths, runs, notices = _given(key, systems, place, arguments)
    system_of = {run: name for name, its in (runs or {}).items() for run in its}
    unscored: dict[str, str] = {}

    def refused(name: str, error: ScorerError) -> None:
        if (system := system_of.get(name, name)) not in unscored:
            complain(f"corefscore: {system} is not ranked: {_reason(error)}")
            unscored[system] = _reason(error)

    with workers() as apply:
        corpus = read_key(key, metrics, **arguments)
        tell(corpus.notices)
        notices += [("", notice) for notice in corpus.notices]
        corpus = replace(corpus, notices=())  # printed only once
        files = files_of(corpus)

        def score_one(path: str) -> Result:
            result = evaluated(corpus, path, metrics, apply=apply, unit=unit, **arguments)
            if strict() and result.notices and lenient:
                raise InputError(notice.as_error() for notice in result.notices)
            return result

        given_up = refused if lenient and len(paths) > 1 else None
        blamed = () if strict() else files
        results, of_systems = scored_each(paths, score_one, files, runs, tell=tell, refused=given_up, blamed=blamed)
    # A mean over the other runs would not be that of the system.
    results = {name: result for name, result in results.items() if system_of.get(name) not in unscored}
    runs = runs and {name: its for name, its in runs.items() if name not in unscored}
    return Systems(results, notices + of_systems, runs, unscored)


def _given(
    key: str, systems: Sequence[str], place: str | None, arguments: Mapping[str, Any]
) -> tuple[dict[str, str], dict[str, list[str]] | None, list[Noticed]]:
    """Find the systems: the arguments and those of a folder; see `paths_by_name` and `_folder`. If there are none, the
    key is the system, provided that it is JSON lines with both sides. Returns their paths by name, the names of their
    runs (`separated`), and the notices.

    Raises `UsageError` if there is no system, or only one without a name: then KEY may have been left out; and for an
    output that is one of the inputs.
    """
    in_folder, skipped = _folder(place, key) if place is not None else ([], [])
    tell(skipped)
    if not systems and place is None:
        both, _ = of_both_sides(key, None, None, arguments)
        systems = [both] if both is not None else []
    if not systems and not in_folder:
        raise UsageError(
            f"{click.get_current_context().command.name} needs systems: SYSTEM ..., or --systems FOLDER"
            if place is None
            else f"{place}: the folder contains no system"
        )
    by_name = {name: _runs(path) for name, path in paths_by_name([*systems, *in_folder]).items()}
    if place is None and len(systems) == 1 and [*by_name.values()] == [*systems] != [key]:
        _refuse_alone(key, systems[0])
    paths, runs = separated(by_name)
    spare_inputs({"--output": click.get_current_context().params["output"]}, (key, *paths.values()))
    keys = [path for path in (*systems, *in_folder) if _is_same(key, path)]
    own = bool(keys) and of_both_sides(key, None, None, arguments)[0] is None
    found = [Finding("key-as-system", path) for path in keys if own]
    of_key = [path for path in (*systems, *in_folder) if OF_KEY.search(path) and "=" not in path]  # has no own name
    found += [Finding("perhaps-exchanged", path, details={"key": key}) for path in of_key if not MAY_BE_KEY.search(key)]
    tell(found)
    return paths, runs, [("", notice) for notice in (*skipped, *found)]


def _is_same(key: str, path: str) -> bool:
    """Return whether two paths are the same file or folder, or regular files with the same content."""
    with suppress(OSError):  # a file that cannot be read is reported when it is scored
        return os.path.samefile(key, path) or filecmp.cmp(key, path, shallow=False)
    return False


def _runs(path: str) -> str | Runs:
    """Return the runs ``PATH,PATH,...``; any other path, and one that exists, unchanged. Raises `UsageError` for a run
    without a path, or given twice.
    """
    if len(runs := Runs(path.split(","))) == 1 or os.path.exists(path):
        return path
    if "" in runs or len({*runs}) < len(runs):
        raise UsageError(f"{path}: expected RUN,RUN,... with a different path for each run")
    return runs


def _refuse_alone(key: str, system: str) -> None:
    """Raise `UsageError` for one system without a name, since the first of two systems may be taken for KEY."""
    verb = f"corefscore {click.get_current_context().command.name}"
    several = f"\n  if each file in it is a system: {verb} {key} --systems {system}" if os.path.isdir(system) else ""
    raise UsageError(
        f"nothing to compare: {key} is read as KEY, and {system} is the only system\n"
        f"  to compare the two, type: {verb} KEY {key} {system}\n"
        f"  for intervals of one system, name it: {verb} {key} NAME={system}{several}"
    )


def _folder(path: str, key: str) -> tuple[list[str], list[Finding]]:
    """List the entries of a folder that are systems, sorted by name, and a notice for every other entry.

    Raises `UsageError` for a folder that cannot be read.
    """
    try:
        entries = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    except NotADirectoryError as error:
        raise UsageError(f"--systems {path}: expected a folder; unpack archives, or give files as SYSTEM") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    why = {entry: _no_system(entry, key) for entry in entries}
    skipped = [Finding("not-a-system", entry, details={"what": what}) for entry, what in why.items() if what]
    return [entry for entry, what in why.items() if not what], skipped


_ABOUT = re.compile(r"(README|LICEN[CS]E|NOTICE|COPYING|CHANGELOG|Makefile)\b", re.IGNORECASE)
"""The names of files that are about a folder, whatever their ending."""


def _no_system(entry: str, key: str) -> str | None:
    """Explain why an entry of a folder is not a system; None if it is. What cannot be read is a system that fails."""
    if (name := os.path.basename(entry)).startswith("."):
        return "its name begins with a dot"
    if _ABOUT.match(name):
        return "files named README, LICENSE and the like are not systems"
    if os.path.exists(key) and os.path.exists(entry) and os.path.samefile(key, entry):
        return "it is the key"
    if not os.path.isdir(entry) and not os.path.isfile(entry) and os.path.exists(entry):
        return "it is neither a file nor a folder"
    return None


def _reason(error: ScorerError) -> str:
    """Explain why a system cannot be scored, in one line without control characters."""
    text = str(error)
    if isinstance(error, InputError):
        first = error.findings[0]
        text = f"{first.place}: {first.found}"
    return text.split("\n", maxsplit=1)[0].translate(VISIBLE)


@click.command(
    "compare",
    cls=options.Command,
    params=_comparing(
        options.Parameter(
            "--margin",
            metavar="POINTS",
            heading=STATISTICS,
            common=False,
            help="Also test whether two systems are equivalent: less than POINTS apart.",
        )
    ),
)
def compare(*, measures: str, look: Style, output: str, **arguments: Any) -> None:
    """Compare systems: confidence intervals and significance tests. Scores and differences have intervals (jackknife),
    and each difference is tested (paired approximate randomization; with several runs of a system, Student's t). The
    null hypothesis is that the responses of the two systems are exchangeable in every document.

    A SYSTEM is the path of a response, or NAME=PATH to give it a name, or NAME=RUN,RUN,... for several runs of a
    system, whose mean is compared.

    Examples:
      corefscore compare key.conll a.conll b.conll
      corefscore compare key.conll --systems systems --measures conll,lea
      corefscore compare key.conll old=a.conll new=b.conll --format markdown

    Sources: Noreen 1989; Moosavi and Strube 2016; Westfall and Young 1993; Holm 1979; Dror et al. 2017.
    """
    chosen, way = wanted(measures), _method(arguments)
    found = _scored(chosen.metrics, unit=way.unit, lenient=False, **arguments)
    with resampling() as watch:
        report = compared(found, chosen.measures, way, watch)
    write(rendered(report, look), output)


@click.command(
    "rank",
    cls=options.Command,
    params=_comparing(
        options.Parameter(
            "--sort",
            metavar="MEASURE",
            heading=SCORING,
            help="Measure to rank by: its F1, or a score such as lea.recall. [default: conll if it is in "
            "--measures, otherwise the first measure]",
        ),
        options.Parameter(
            "--agreement",
            is_flag=True,
            heading=STATISTICS,
            common=False,
            help="Also report how far the measures agree: Kendall's tau, and the pairs of systems on which they "
            "differ.",
        ),
    ),
)
def rank(*, sort: str | None, agreement: bool, measures: str, look: Style, output: str, **arguments: Any) -> int:
    """Rank systems, with the range of possible ranks of each. A range of 2-4 among 5 systems means that one was shown
    to be better, and one to be worse. If two ranges do not overlap, a difference was shown.

    A SYSTEM is the path of a response, or NAME=PATH to give it a name, or NAME=RUN,RUN,... for several runs of a
    system, whose mean is ranked. A system that cannot be scored is listed last, with the reason, and the exit
    status is 1.

    Examples:
      corefscore rank key.conll --systems systems
      corefscore rank key.conll a.conll b.conll --sort lea --format markdown

    With --by, systems are ranked by the unweighted mean over groups of documents. If FILE of --output ends in .png,
    .svg or .pdf, the ranking is plotted; this needs matplotlib (pip install matplotlib).
    """
    chosen, way = wanted(measures), _method(arguments)
    by = ranked_by(chosen.measures, sort)
    form = plot_format(output)
    found = _scored(wanted(f"{measures},{by[0]}").metrics, unit=way.unit, lenient=True, **arguments)
    if not found.results:
        complain("corefscore: no system can be ranked")
        return InputError.status
    with resampling() as watch:
        ranking = ranked(found, chosen.measures, by, way, watch, agreement=agreement)
    if form:
        to_file(output, lambda terminal: [drawn(ranking, form)])
    else:
        write(rendered(ranking, look), output)
    return InputError.status if found.unscored else 0
