"""Responses with names: what `compare` and `rank` share."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import click

from corefscore.checking.findings import Finding
from corefscore.cli import options
from corefscore.cli.messages import tell
from corefscore.cli.scoring import evaluated, named, of_both_sides, one_standard_input, read_key, workers
from corefscore.documents.model import RESPONSE
from corefscore.documents.sources import sources
from corefscore.errors import InputError, ScorerError, UsageError
from corefscore.formats import recognisable
from corefscore.formats.row import OneOrEach, of_side
from corefscore.metrics import NAMES as METRICS
from corefscore.metrics import find
from corefscore.metrics.measures import DEFAULT
from corefscore.metrics.row import Metric
from corefscore.python.systems import files_of, scored_each
from corefscore.results import DOCUMENT, Result, refuse_heads_of_spans
from corefscore.statistics.percent import from_fraction, from_percent
from corefscore.statistics.significance import CORRECTIONS, DOCUMENTS, TESTS, Method, both_levels


def scoring() -> list[click.Parameter]:
    """The options that can move a number, with those of every built-in metric."""
    return options.scoring([find(name) for name in METRICS])


def resampling() -> list[click.Parameter]:
    """Options of tests."""
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
            help="Number of trials. [default: 10000, or more if the correction for many systems needs them]",
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
            help="Holm's correction of p: for all pairs of systems within one score, for all tests, or none.",
        ),
    ]


def average() -> click.Parameter:
    """The option for means over documents."""
    return click.Option(
        ["--average"],
        type=options.Choice([DOCUMENTS]),
        help="Take means over documents, called macro, instead of totals.",
    )


def levels() -> list[click.Parameter]:
    """Options about how sure verdicts and intervals are."""
    return [
        click.Option(
            ["--confidence"],
            metavar="PERCENT",
            help="Confidence level of the intervals in percent. [default: 95, or what --alpha leaves]",
        ),
        click.Option(
            ["--alpha"],
            metavar="LEVEL",
            help="Significance level, from 0 to 1. [default: 0.05, or what --confidence leaves]",
        ),
    ]


def method(how: dict[str, Any], by: str | None = None) -> Method:
    """How systems are compared: the options of `resampling` and `levels`, taken out of ``how``; each of the two levels
    follows the other.

    Raises `UsageError` for a level that is none (`corefscore.statistics.percent`).
    """
    confidence, alpha = how.pop("confidence"), how.pop("alpha")
    sure = None if confidence is None else from_percent(confidence, "--confidence ", ends=False)
    level = None if alpha is None else from_fraction(alpha, "--alpha ")
    sure, level = both_levels(sure, level)
    given = {name: how.pop(name) for name in ("unit", "test", "trials", "seed", "correction", "average")}
    return Method(by=by, confidence=sure, alpha=level, **given)


def systems_folder() -> click.Parameter:
    """The option that names a folder of systems; see `given`."""
    return click.Option(
        ["--systems", "place"],
        type=options.File(),
        metavar="FOLDER",
        help="Folder of systems, one file or folder each.",
    )


def scored(
    key: str,
    systems: Mapping[str, str],
    metrics: Sequence[Metric],
    *,
    strict: bool,
    quiet: bool | None,
    jobs: int | None,
    scheduler: str | None,
    refused: Callable[[str, ScorerError], None] | None = None,
    unit: str = DOCUMENT,
    **how: Any,
) -> dict[str, Result]:
    """The results of systems by name. The key is read once, and each response after the other.

    A system that cannot be scored ends the command, or is handed to ``refused``; a key that cannot, always ends it.
    """
    one_standard_input(key, *systems.values())
    with workers(jobs, scheduler) as apply:
        corpus = read_key(key, metrics, apply=apply, **how)
        show = partial(tell, strict=strict, quiet=quiet)
        show(corpus.notices)
        corpus = replace(corpus, notices=())  # told once
        files = files_of(corpus)

        def one(path: str) -> Result:
            result = refuse_heads_of_spans(evaluated(corpus, path, metrics, apply=apply, unit=unit, **how))
            if strict and result.notices and refused:
                raise InputError(notice.as_error() for notice in result.notices)
            return result

        def give_up(name: str, error: ScorerError) -> None:
            _suggest_systems(systems[name], error)
            if refused is None:
                raise error
            refused(name, error)

        blamed = () if strict else files
        return scored_each(systems, one, lambda its, of: show(its, of=of), files, refused=give_up, blamed=blamed)


def _suggest_systems(path: str, error: ScorerError) -> None:
    """Raise `UsageError` where the files of a folder have documents of one name: each may be a system of its own."""
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
    **how: Any,
) -> dict[str, str]:
    """The paths of all systems by name: those given one by one, and those of a folder; see `named` and `folder`. JSON
    lines that have both sides are a system of their own if no other is given.

    Raises `UsageError` where there is none.
    """
    form = of_side(input_format, RESPONSE), how.get("clusters_field")
    found, skipped = folder(place, key, include, *form) if place is not None else ([], [])
    tell(skipped, strict=how["strict"], quiet=how["quiet"])
    if not systems and place is None:
        both, _ = of_both_sides(key, None, None, {"include": include, "input_format": input_format, **how})
        systems = [both] if both is not None else []
    if not systems and not found:
        raise UsageError(
            f"{click.get_current_context().command.name} needs systems: SYSTEM ..., or --systems FOLDER"
            if place is None
            else f"{place}: the folder has no system in it"
        )
    return named([*systems, *found])


def folder(path: str, key: str, include: str | None, *form: str | None) -> tuple[list[str], list[Finding]]:
    """The entries of a folder that are systems, in name order, and a notice for each that is none.

    ``form`` is the format and the field of clusters that are asked for, if any.

    Raises `UsageError` where it cannot be read.
    """
    try:
        entries = [os.path.join(path, name) for name in sorted(os.listdir(path))]
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    why = {entry: _no_system(entry, key, include, *form) for entry in entries}
    skipped = [Finding("not-a-system", entry, details={"what": what}) for entry, what in why.items() if what]
    return [entry for entry, what in why.items() if not what], skipped


def _no_system(entry: str, key: str, include: str | None, *form: str | None) -> str | None:
    """Why an entry of a folder of systems is none. One that cannot be read is one, which cannot be scored."""
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
