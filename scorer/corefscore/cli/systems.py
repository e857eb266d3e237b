"""Options and reading of named responses, for `compare` and `rank`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from corefscore.checking.findings import Finding
from corefscore.cli import options
from corefscore.cli.messages import strict, tell
from corefscore.cli.scoring import evaluated, named, of_both_sides, read_key, workers
from corefscore.documents.folders import sources
from corefscore.documents.model import RESPONSE
from corefscore.errors import InputError, ScorerError, UsageError
from corefscore.formats import recognisable
from corefscore.formats.row import OneOrEach, of_side
from corefscore.layouts import DATA, TABLES
from corefscore.metrics import NAMES as METRICS
from corefscore.metrics import find
from corefscore.metrics.measures import DEFAULT
from corefscore.metrics.row import Metric
from corefscore.results import Result, refuse_heads_of_spans
from corefscore.statistics.percent import from_fraction, from_percent
from corefscore.statistics.significance import CORRECTIONS, DOCUMENTS, TESTS, Method, both_levels
from corefscore.systems import files_of, scored_each


def scoring() -> list[click.Parameter]:
    """The options that can change a score, including those of every built-in metric."""
    return options.scoring([find(name) for name in METRICS])


def comparing(*own: click.Parameter) -> list[click.Parameter]:
    """The parameters that `compare` and `rank` share, with those that only one of them has (``own``)."""
    return [
        click.Argument(["key"], type=options.File()),
        click.Argument(["systems"], type=options.File(), metavar="SYSTEM ...", nargs=-1),
        click.Option(
            ["--systems", "place"],
            type=options.File(),
            metavar="FOLDER",
            help="Folder that contains a file or folder for each system.",
        ),
        *own,
        *_resampling(),
        *scoring(),
        options.layout(TABLES, DATA),
        *options.look(),
        *options.running(),
    ]


def _resampling() -> list[click.Parameter]:
    """Options of intervals and tests."""
    return [
        click.Option(
            ["--measures"],
            metavar="LIST",
            default=DEFAULT,
            show_default=True,
            help="Measures joined by commas, such as muc, blanc.coreference, conll, lea.f1.",
        ),
        click.Option(
            ["--trials"],
            type=click.IntRange(min=1),
            metavar="N",
            help="Number of random trials of each test, and of resamples for intervals (10000 at most). [default: "
            "10000, or more if the correction for many systems needs them]",
        ),
        click.Option(
            ["--seed"],
            type=click.IntRange(min=0),
            metavar="N",
            default=0,
            show_default=True,
            help="Random seed; the same seed gives identical results.",
        ),
        options.unit(),
        average(),
        click.Option(
            ["--test"],
            type=options.Choice(TESTS),
            default=TESTS[0],
            show_default=True,
            help="Paired approximate randomization (Noreen 1989), or paired bootstrap, which finds too many "
            "differences with few units.",
        ),
        click.Option(
            ["--correction"],
            type=options.Choice(CORRECTIONS),
            default=CORRECTIONS[0],
            show_default=True,
            help="Correct p by Holm's method for all pairs of systems within one score (holm), for all tests "
            "(holm-all), or not at all.",
        ),
        click.Option(
            ["--confidence"],
            metavar="PERCENT",
            help="Confidence level of the intervals in percent. [default: 95, or what --alpha implies]",
        ),
        click.Option(
            ["--alpha"],
            metavar="LEVEL",
            help="Significance level, from 0 to 1. [default: 0.05, or what --confidence implies]",
        ),
    ]


def average() -> click.Parameter:
    """The option for means over documents."""
    return click.Option(
        ["--average"],
        type=options.Choice([DOCUMENTS]),
        help="Take means over documents, called macro, instead of totals.",
    )


def method(arguments: dict[str, Any], by: str | None) -> Method:
    """The method of comparison: its options, which are removed from ``arguments``.

    Raises `UsageError` for an invalid level (`corefscore.statistics.percent`).
    """
    confidence, alpha = arguments.pop("confidence"), arguments.pop("alpha")
    confidence, alpha = both_levels(
        None if confidence is None else from_percent(confidence, "--confidence ", ends=False),
        None if alpha is None else from_fraction(alpha, "--alpha "),
    )
    others = {name: arguments.pop(name) for name in ("unit", "test", "trials", "seed", "correction", "average")}
    return Method(by=by, confidence=confidence, alpha=alpha, **others)


def scored(
    key: str,
    systems: Mapping[str, str],
    metrics: Sequence[Metric],
    *,
    unit: str,
    refused: Callable[[str, ScorerError], None] | None = None,
    **arguments: Any,
) -> dict[str, Result]:
    """The results of systems by name. The key is read once; responses are read one after another.

    The error of a system that cannot be scored is raised, or passed to ``refused``; errors of the key are always
    raised.
    """
    with workers() as apply:
        corpus = read_key(key, metrics, apply=apply, **arguments)
        tell(corpus.notices)
        corpus = replace(corpus, notices=())  # printed only once
        files = files_of(corpus)

        def score_one(path: str) -> Result:
            result = refuse_heads_of_spans(evaluated(corpus, path, metrics, apply=apply, unit=unit, **arguments))
            if strict() and result.notices and refused:
                raise InputError(notice.as_error() for notice in result.notices)
            return result

        def give_up(name: str, error: ScorerError) -> None:
            _suggest_systems(systems[name], error)
            if refused is None:
                raise error
            refused(name, error)

        blamed = () if strict() else files
        return scored_each(systems, score_one, tell, files, refused=give_up, blamed=blamed)


def _suggest_systems(path: str, error: ScorerError) -> None:
    """Raise `UsageError` if files of a folder have the same document, since each file may be a system of its own."""
    findings = error.findings if isinstance(error, InputError) and os.path.isdir(path) else ()
    for finding in findings:
        if finding.code == "repeated-name" and not str(finding.details["first"]).startswith(f"{finding.path}:"):
            raise UsageError(
                f"{path}: a folder is read as one system, and two of its files have the same document: {finding.place} "
                f"and {finding.details['first']}; if each file is a system, use --systems {path}"
            )


def given(
    key: str,
    systems: Sequence[str],
    place: str | None,
    *,
    include: str | None,
    input_format: OneOrEach[str],
    **arguments: Any,
) -> dict[str, str]:
    """The paths of all systems by name: the arguments and those of a folder; see `named` and `folder`. If there are
    none, the key is the system, provided that it is JSON lines with both sides.

    Raises `UsageError` if there is no system.
    """
    form = of_side(input_format, RESPONSE), arguments.get("clusters_field")
    in_folder, skipped = folder(place, key, include, *form) if place is not None else ([], [])
    tell(skipped)
    if not systems and place is None:
        both, _ = of_both_sides(key, None, None, {"include": include, "input_format": input_format, **arguments})
        systems = [both] if both is not None else []
    if not systems and not in_folder:
        raise UsageError(
            f"{click.get_current_context().command.name} needs systems: SYSTEM ..., or --systems FOLDER"
            if place is None
            else f"{place}: the folder contains no system"
        )
    return named([*systems, *in_folder])


def folder(path: str, key: str, include: str | None, *form: str | None) -> tuple[list[str], list[Finding]]:
    """The entries of a folder that are systems, sorted by name, and a notice for every other entry.

    ``form`` is the format and the field of clusters from the options, if any. Raises `UsageError` for a folder that
    cannot be read.
    """
    try:
        entries = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    except NotADirectoryError as error:
        raise UsageError(f"--systems {path}: expected a folder; give a single file as a SYSTEM") from error
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    why = {entry: _no_system(entry, key, include, *form) for entry in entries}
    skipped = [Finding("not-a-system", entry, details={"what": what}) for entry, what in why.items() if what]
    return [entry for entry, what in why.items() if not what], skipped


def _no_system(entry: str, key: str, include: str | None, *form: str | None) -> str | None:
    """Why an entry of a folder is not a system; None if it is. A file that cannot be read is a system, whose scoring
    fails."""
    if os.path.basename(entry).startswith("."):
        return "its name begins with a dot"
    if os.path.exists(key) and os.path.samefile(key, entry):
        return "it is the key"
    if not os.path.isdir(entry) and not os.path.isfile(entry) and os.path.exists(entry):
        return "it is neither a file nor a folder"
    try:
        if any(recognisable(source, *form) for source in sources(entry, include)):
            return None
    except UsageError:
        return None
    return "its content is of no format that can be scored"


def reason(error: ScorerError) -> str:
    """Why a system cannot be scored, in one line."""
    if isinstance(error, InputError):
        first = error.findings[0]
        return f"{first.place}: {first.found}"
    return str(error).split("\n", maxsplit=1)[0]
