"""`corefscore explain KEY RESPONSE`: which convention gives which number?"""

from __future__ import annotations

from typing import Any

import click

from corefscore.cli import options
from corefscore.cli.output import tell, write
from corefscore.cli.scoring import given_sides, spare_inputs
from corefscore.formats import Reading
from corefscore.reports.layouts import DATA, TABLES, Style, rendered


@click.command(
    "explain",
    cls=options.Command,
    params=[
        *options.SIDES,
        click.Argument(["score"], required=False),
        *options.made(Reading),
        options.layout(TABLES, DATA),
        options.DIGITS,
        options.WRITING,
        *options.NOTICES,
    ],
)
def command(*, key: str, response: str | None, score: str | None, look: Style, output: str, **arguments: Any) -> None:
    """Score a response as other programs do. This shows why two reported scores differ. Rows are variants: with or
    without singletons, means over documents, only common mentions, only first copies.

    Rows whose F1 is SCORE, in percent, are marked. The command, or line of Python, that reproduces each row is printed
    below the table.

    Examples:
      corefscore explain key.conll response.conll
      corefscore explain key.conll response.conll 63.8
    """
    from corefscore.reports.explain import expected, explanation

    response, score = given_sides(key, response, score, arguments)
    spare_inputs({"--output": output}, (key, response))
    report = explanation(key, response, Reading(**arguments), expected(score, ""))
    tell(report.official.notices)
    write(rendered(report, look), output)
