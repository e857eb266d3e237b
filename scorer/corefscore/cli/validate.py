"""`corefscore validate FILE...`: everything that is wrong or odd, and repairing what needs no guess."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import click

from corefscore.checking.repair import Fixes
from corefscore.checking.validation import Validated, unreadable, validate
from corefscore.cli import options
from corefscore.cli.output import STDOUT, complain, progress, strict, write
from corefscore.cli.scoring import spare_inputs
from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import InputError, UsageError, suggested
from corefscore.core.findings import ERROR, NOTICE, Finding, kinds
from corefscore.core.records import INPUT
from corefscore.core.sources import Source, sources
from corefscore.formats import Reading, form_of
from corefscore.reports.layouts import ANNOTATIONS, DATA, FINDINGS, Style, fitting, rendered
from corefscore.reports.validate import Checked

_Repair = Callable[..., Iterator[str]]
"""A function that returns the repaired text of a file, such as `corefscore.checking.repair.repaired`."""

_REPAIRS = {"conll": "corefscore.checking.repair", "corefud": "corefscore.checking.repair_corefud"}
"""The module whose `repaired` repairs the files of a format."""


@click.command(
    "validate",
    cls=options.Command,
    params=[
        click.Argument(["files"], type=options.FILE, nargs=-1, required=True, metavar="FILE..."),
        options.Parameter("--key", metavar="KEY", heading=INPUT, help="Also report how files differ from this key."),
        options.Parameter("--strict", is_flag=True, help="Exit with 1 for notices, too."),
        options.Parameter(
            "--ignore",
            metavar="CODE,...",
            default="",
            help="Codes of notices to leave out; errors are always reported.",
        ),
        options.layout(FINDINGS, DATA, ANNOTATIONS),
        options.Parameter(
            "--fix",
            metavar="OUT",
            help="Write FILE to OUT with all safe repairs, and report what was repaired and what is left.",
        ),
        options.Parameter(
            "--repeated",
            type=options.Choice(["first"]),
            help="With --fix: keep the first copy of a span in several entities (CoNLL only).",
        ),
        *options.made(Reading),
    ],
)
def command(
    files: Sequence[str],
    *,
    key: str | None,
    ignore: str,
    look: Style,
    fix: str | None,
    repeated: str | None,
    **arguments: Any,
) -> int:
    """Report every error and notice in files. They can have any format. Each finding says where it is, and what to do.

    With --key, this also reports problems that are visible only against the key: missing or extra documents, different
    tokens, no mention in common, more repeated mentions than the official scorer accepts. The findings of the key come
    last.

    Exit status: 0 no errors; 1 errors, or notices with --strict; 2 wrong usage or a file that cannot be read.

    Examples:
      corefscore validate response.conll
      corefscore validate response.conll --key key.conll
      corefscore validate response.conll --fix repaired.conll
    """
    ignored = _codes(ignore)
    if repeated and not fix:
        raise UsageError("--repeated sets which copies --fix keeps; add --fix OUT, or leave --repeated out")
    spare_inputs({}, (*files, key))
    reading = Reading(**arguments)
    reading.of(None if key is None else RESPONSE)
    fixes: Fixes | None = None
    names = files if fix is None else [fix]
    if fix is not None:
        source, repaired = _one(files, fix, reading)
        spare_inputs({"--fix": fix}, [key])
    rows: list[Validated] = []
    with progress([*names, *([] if key is None else [key] * (len(names) + 1))]) as watch:
        read = partial(_validated, reading=reading, watch=watch, printed=look.layout in fitting(FINDINGS))
        of_key, beside = ([], None) if key is None else read(key, KEY)  # the same sources, since - is read once
        broken = key is not None and beside is None
        if fix is not None and broken:
            names = []
        elif fix is not None:
            fixes = Fixes()
            write(repaired(source, fixes, first_copy=repeated == "first"), fix)
        for path in names:
            found, sources_found = read(path, RESPONSE, beside)
            rows += found
            broken |= sources_found is None
    rows = [row.without(ignored) for row in (*rows, *of_key)]
    write(rendered(Checked(rows, fixes), look))
    if broken:
        return UsageError.status
    bad = [ERROR, NOTICE] if strict() else [ERROR]
    return InputError.status if any(file.count(severity) for file in rows for severity in bad) else 0


def _validated(
    path: str, side: str, beside: list[Source] | None = None, *, reading: Reading, watch: Any, printed: bool
) -> tuple[list[Validated], list[Source] | None]:
    """Return the row of a file, validated ``beside`` a key, and its sources.

    A file that cannot be read has no sources. It is reported on standard error, and has a row unless findings are
    ``printed`` as text.
    """
    notices: list[Finding] = []
    try:
        files = sources(path, notices)
        for source in files:
            source.watch = watch
        return [validate(path, files, beside, reading, side, notices=notices)], files
    except UsageError as error:
        complain(f"corefscore: {error}")
        return [] if printed else [unreadable(path, error)], None


def _codes(words: str) -> set[str]:
    """Return the codes of notices that ``--ignore`` names. Raises `UsageError` for an unknown code, and for that of an
    error.
    """
    codes = {word.strip() for word in words.split(",")} - {""}
    for code in sorted(codes):
        if code not in kinds():
            known = [name for name, kind in kinds().items() if kind.severity == NOTICE]
            raise UsageError(f'no notice has the code "{code}"; {suggested(code, known)}')
        if kinds()[code].severity == ERROR:
            raise UsageError(f'--ignore: "{code}" is the code of an error, and errors are always reported')
    return codes


def _one(files: Sequence[str], out: str, reading: Reading) -> tuple[Source, _Repair]:
    """Return the one file that is to be repaired, and the function for its format. Raises `UsageError` for anything
    else.
    """
    if len(files) != 1:
        raise UsageError("--fix repairs one FILE at a time")
    if out in (STDOUT, "/dev/stdout"):
        raise UsageError("--fix cannot write to standard output, which contains the report; name a file")
    if os.path.exists(out) and not os.path.isfile(out) and not os.path.isdir(out):
        raise UsageError(f"{out}: --fix reads OUT again once it is written; give a regular file, not a pipe or device")
    if len(files_found := sources(files[0], [])) != 1 or files_found[0].path != files[0]:
        raise UsageError(f"{files[0]}: --fix repairs a file, not a folder or an archive")
    if (form := form_of(files_found, reading, RESPONSE)).name not in _REPAIRS:
        raise UsageError(
            f"{files[0]}: --fix repairs CoNLL and CorefUD files, and this one is read as {form.title}; "
            "run validate without --fix to see what to change, or convert it to CoNLL with corefscore convert"
        )
    return files_found[0], import_module(_REPAIRS[form.name]).repaired
