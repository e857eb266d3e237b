"""`corefscore validate FILE...`: everything that is wrong or odd, and mending what needs no guess."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from scorer.cli import options
from scorer.cli.messages import STDOUT, complain, write
from scorer.cli.progress import progress, watched
from scorer.errors import InputError, UsageError
from scorer.findings import ERROR, NOTICE
from scorer.formats import recognised
from scorer.formats.row import Reading
from scorer.layouts.findings import LAYOUTS, Checked
from scorer.repair import Fixes, mend
from scorer.sources import STDIN, Source, sources
from scorer.validation import validate

HELP = """Tell everything that is wrong or odd in files, CoNLL or JSON lines, where, and what to do.

With --key, the one thing more that only shows beside the key: documents missing or extra, other tokens, no mention
in common, more repeated mentions than the official scorer puts up with.

Exit status: 0 clean or odd, 1 faults (with --strict: or odd), 2 wrong usage or a file that cannot be read."""


def command(name: str) -> click.Command:
    """The command of that name."""
    return click.Command(
        name,
        callback=run,
        help=HELP,
        short_help="Tell everything that is wrong or odd in files.",
        params=[
            click.Argument(["files"], type=options.File(), nargs=-1, required=True, metavar="FILE..."),
            click.Option(["--key"], metavar="KEY", help="Compare with this key as well."),
            click.Option(["--strict"], is_flag=True, help="Exit with 1 for what is only odd, too."),
            click.Option(
                ["--ignore"], metavar="CODE,...", default="", help="Leave out these notices; faults are always told."
            ),
            click.Option(
                ["--format", "layout"],
                type=click.Choice(tuple(LAYOUTS)),
                default="text",
                show_default=True,
                help="The layout.",
            ),
            click.Option(
                ["--fix"],
                metavar="OUT",
                help="Write the one FILE to OUT with what can be mended without guessing, tell what was done, and "
                "what is left in OUT.",
            ),
            click.Option(
                ["--repeated"],
                type=click.Choice(["first"]),
                help="With --fix: of a span in several entities keep the first copy.",
            ),
            *options.reading(),
        ],
    )


def run(
    files: Sequence[str],
    *,
    key: str | None,
    strict: bool,
    ignore: str,
    layout: str,
    fix: str | None,
    repeated: str | None,
    **how: Any,
) -> None:
    """Validate files; the exit status tells the worst of them."""
    ignored = _codes(ignore)
    if repeated and not fix:
        raise UsageError("--repeated says what --fix may guess; it needs --fix OUT")
    if [*files, key].count(STDIN) > 1:
        raise UsageError("standard input (-) can be read once only")
    context = click.get_current_context()
    reading = Reading(**how)
    fixes = None
    if fix is not None:
        fixes = _mend(_one(files, fix, reading), fix, repeated)
        files = [fix]
    checked = []
    unreadable = False
    with progress([*files, *([] if key is None else [key] * len(files))], reading.include) as watch:
        key_files = None if key is None else watched(sources(key, reading.include, reading.max_unpacked), watch)
        for path in files:
            try:
                its = watched(sources(path, reading.include, reading.max_unpacked), watch)
                found = validate(path, its, key_files, reading)
                checked.append(found.without(ignored))
            except UsageError as error:
                complain(f"corefscore: {error}")
                unreadable = True
    write(LAYOUTS[layout](Checked(checked, fixes)))
    if unreadable:
        context.exit(UsageError.status)
    bad = [ERROR, NOTICE] if strict else [ERROR]
    if any(file.count(severity) for file in checked for severity in bad):
        context.exit(InputError.status)


def _codes(words: str) -> set[str]:
    """The notices that ``--ignore`` names. Raises `UsageError` for an unknown one, or a fault."""
    from scorer.errors import nearest_first
    from scorer.findings import KINDS

    codes = {word.strip() for word in words.split(",")} - {""}
    for code in sorted(codes):
        if code not in KINDS or KINDS[code].severity == ERROR:
            known = nearest_first(code, [name for name, kind in KINDS.items() if kind.severity == NOTICE])
            raise UsageError(f'no notice has the code "{code}"; known, the nearest first: {", ".join(known)}')
    return codes


def _one(files: Sequence[str], out: str, reading: Reading) -> Source:
    """The one file that is to be mended. Raises `UsageError` for anything else."""
    if len(files) != 1:
        raise UsageError("--fix mends one FILE at a time")
    if out in (STDOUT, "/dev/stdout"):
        raise UsageError("--fix writes to a file; standard output is for what was found")
    found = sources(files[0], None, reading.max_unpacked)
    if len(found) != 1 or found[0].path != files[0]:
        raise UsageError(f"{files[0]}: --fix mends a file, not a folder")
    its_format = recognised(found, reading.input_format)
    if its_format.name != "conll":
        raise UsageError(
            f"{files[0]}: --fix mends CoNLL files, and this one is read as {its_format.title}; "
            "corefscore convert makes CoNLL of it"
        )
    return found[0]


def _mend(source: Source, out: str, repeated: str | None) -> Fixes:
    fixes = Fixes()
    write(mend(source, fixes, first_copy=repeated == "first"), out)
    return fixes
