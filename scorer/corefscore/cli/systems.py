"""Options and reading of named responses, for `compare` and `rank`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from corefscore.cli import options
from corefscore.cli.output import strict, tell
from corefscore.cli.scoring import evaluated, named, of_both_sides, read_key, workers
from corefscore.core.errors import InputError, ScorerError, UsageError
from corefscore.core.findings import VISIBLE, Finding, Noticed
from corefscore.core.options import INPUT, SCORING, Option, declared
from corefscore.core.percent import from_percent
from corefscore.metrics import DEFAULT, find
from corefscore.metrics import NAMES as METRICS
from corefscore.metrics.base import Metric
from corefscore.reports.layouts import DATA, TABLES
from corefscore.scoring.results import Result, refuse_heads_of_spans
from corefscore.scoring.systems import Runs, files_of, scored_each, separated
from corefscore.statistics.significance import Method


def scoring() -> list[click.Parameter]:
    """The options that can change a score, including those of every built-in metric."""
    return options.scoring([find(name) for name in METRICS])


def comparing(*own: click.Parameter) -> list[click.Parameter]:
    """The parameters that `compare` and `rank` share, with those that only one of them has (``own``)."""
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
        *map(options.made, map(_in_percent, declared(Method))),
        *scoring(),
        options.layout(TABLES, DATA),
        options.DIGITS,
        *options.RUNNING,
    ]


def _in_percent(option: Option) -> Option:
    """The option of the level with a percentage as its value; other options unchanged."""
    return option._replace(default=None, kind=str) if option.keyword == "confidence" else option


def method(arguments: dict[str, Any]) -> Method:
    """The method of comparison: its options, which are removed from ``arguments``.

    Raises `UsageError` for an invalid level (`corefscore.core.percent`).
    """
    own = {option.keyword: arguments.pop(option.keyword) for option in declared(Method)}
    percent, margin = own.pop("confidence"), arguments.pop("margin", None)
    if percent is not None:
        own["confidence"] = from_percent(percent, "--confidence ", ends=False)
    return Method(**own, margin=None if margin is None else margin / 100)


def scored(
    key: str,
    systems: Mapping[str, str],
    metrics: Sequence[Metric],
    *,
    unit: str,
    refused: Callable[[str, ScorerError], None] | None = None,
    **arguments: Any,
) -> tuple[dict[str, Result], list[Noticed]]:
    """Score systems; returns their results by name, and all notices. The key is read once, responses one after another.

    The error of a system that cannot be scored is raised, or passed to ``refused`` if there are other systems; errors
    of the key are always raised.
    """
    with workers() as apply:
        corpus = read_key(key, metrics, **arguments)
        tell(corpus.notices)
        notices = [("", notice) for notice in corpus.notices]
        corpus = replace(corpus, notices=())  # printed only once
        files = files_of(corpus)

        def score_one(path: str) -> Result:
            result = refuse_heads_of_spans(evaluated(corpus, path, metrics, apply=apply, unit=unit, **arguments))
            if strict() and result.notices and refused:
                raise InputError(notice.as_error() for notice in result.notices)
            return result

        def give_up(name: str, error: ScorerError) -> None:
            if refused is None or len(systems) == 1:
                raise error
            refused(name, error)

        blamed = () if strict() else files
        results, of_systems = scored_each(systems, score_one, files, tell=tell, refused=give_up, blamed=blamed)
        return results, notices + of_systems


def given(
    key: str,
    systems: Sequence[str],
    place: str | None,
    **arguments: Any,
) -> tuple[dict[str, str], dict[str, list[str]] | None, list[Noticed]]:
    """Find the systems: the arguments and those of a folder; see `named` and `folder`. If there are none, the key is
    the system, provided that it is JSON lines with both sides. Returns their paths by name, the names of their runs
    (`separated`), and the notices.

    Raises `UsageError` if there is no system, or only one without a name: then KEY may have been left out.
    """
    in_folder, skipped = folder(place, key) if place is not None else ([], [])
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
    by_name = {name: _runs(path) for name, path in named([*systems, *in_folder]).items()}
    if place is None and len(systems) == 1 and [*by_name.values()] == [*systems] != [key]:
        _refuse_alone(key, systems[0])
    return *separated(by_name), [("", notice) for notice in skipped]


def _runs(path: str) -> str | Runs:
    """The runs ``PATH,PATH,...``; any other path, and one that exists, unchanged. Raises `UsageError` for a run without
    a path, or given twice."""
    runs = Runs(path.split(","))
    if len(runs) == 1 or os.path.exists(path):
        return path
    if "" in runs or len({*runs}) < len(runs):
        raise UsageError(f"{path}: expected RUN,RUN,... with another path for each run")
    return runs


def _refuse_alone(key: str, system: str) -> None:
    """Raise `UsageError` for one system without a name, since the first of two systems may be taken for KEY."""
    verb = f"corefscore {click.get_current_context().command.name}"
    several = (
        f"\n  if each file of the folder is a system: {verb} {key} --systems {system}" if os.path.isdir(system) else ""
    )
    raise UsageError(
        f"nothing to compare: {key} is taken for KEY, and {system} is the only system\n"
        f"  to compare the two, type: {verb} KEY {key} {system}\n"
        f"  to have intervals for one system, name it: {verb} {key} NAME={system}{several}"
    )


def folder(path: str, key: str) -> tuple[list[str], list[Finding]]:
    """List the entries of a folder that are systems, sorted by name, and a notice for every other entry.

    Raises `UsageError` for a folder that cannot be read.
    """
    try:
        entries = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    except NotADirectoryError as error:
        raise UsageError(f"--systems {path}: expected a folder; give a single file as a SYSTEM") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    why = {entry: _no_system(entry, key) for entry in entries}
    skipped = [Finding("not-a-system", entry, details={"what": what}) for entry, what in why.items() if what]
    return [entry for entry, what in why.items() if not what], skipped


ABOUT = re.compile(r"(README|LICEN[CS]E|NOTICE|COPYING|CHANGELOG|Makefile)\b", re.IGNORECASE)
"""The names of files that are about a folder, whatever their ending."""


def _no_system(entry: str, key: str) -> str | None:
    """Say why an entry of a folder is not a system; None if it is. What cannot be read is a system that fails."""
    name = os.path.basename(entry)
    if name.startswith("."):
        return "its name begins with a dot"
    if ABOUT.match(name):
        return "its name is that of a file about the folder"
    if os.path.exists(key) and os.path.samefile(key, entry):
        return "it is the key"
    if not os.path.isdir(entry) and not os.path.isfile(entry) and os.path.exists(entry):
        return "it is neither a file nor a folder"
    return None


def reason(error: ScorerError) -> str:
    """Say why a system cannot be scored, in one line without control characters."""
    text = str(error)
    if isinstance(error, InputError):
        first = error.findings[0]
        text = f"{first.place}: {first.found}"
    return text.split("\n", maxsplit=1)[0].translate(VISIBLE)
