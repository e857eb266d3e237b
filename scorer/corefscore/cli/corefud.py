"""The command under the name `corefud-scorer.py`: the arguments and the output of the official CorefUD scorer."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from typing import NoReturn

from corefscore.cli.output import write
from corefscore.cli.scoring import spare_inputs
from corefscore.core.errors import UsageError
from corefscore.formats import Reading
from corefscore.matching.matched import MATCHING
from corefscore.metrics import GROUPS, select
from corefscore.reports.layouts import COREFUD, Style, rendered
from corefscore.reports.score import Report
from corefscore.scoring.run import scored, settings_of
from corefscore.scoring.settings import Rules, Run

_ALL = "all"


class _Parser(ArgumentParser):
    """A parser that raises `UsageError` instead of exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


def _parser(program: str) -> ArgumentParser:
    """Return the parser of the arguments of the official CorefUD scorer."""
    parser = _Parser(program, description="Score CorefUD as the official scorer of the CRAC shared tasks does.")
    parser.add_argument("key", metavar="KEY", help="the key: a file, a folder, or - for standard input")
    parser.add_argument("response", metavar="RESPONSE", help="the response, likewise")
    names = [_ALL, *GROUPS["corefud"]]
    what = "metrics to print, in this order; put -m last, or end its values with --"
    parser.add_argument("-m", "--metrics", nargs="*", choices=names, default=[_ALL], help=what)
    parser.add_argument("-s", "--keep-singletons", action="store_true", help="keep singletons")
    parser.add_argument("-a", "--match", choices=MATCHING, default="head", help="which mentions match (default: head)")
    parser.add_argument("-x", "--exact-match", action="store_true", help="match exact spans (overrides -a)")
    zeros = "how zeros are aligned (default: dependent)"
    parser.add_argument("-z", "--zero-match-method", choices=["linear", "dependent"], default="dependent", help=zeros)
    return parser


def run(arguments: Sequence[str], program: str) -> int:
    """Score and print, without notices; returns the exit status. Raises the errors of scoring."""
    given = _parser(program).parse_args(arguments)
    names = GROUPS["corefud"] if _ALL in given.metrics else tuple(given.metrics)
    spare_inputs({}, (given.key, given.response))
    metrics = select(names)
    rules = Rules(
        singletons="keep" if given.keep_singletons else "drop",
        matching=MATCHING[0] if given.exact_match else given.match,
        zeros=given.zero_match_method,
    )
    how = Run(metrics, settings_of(metrics, rules, None, {}), Reading(input_format="corefud"))
    write(rendered(Report(scored(given.key, given.response, how), asked=names), Style(COREFUD)))
    return 0
