"""Percentages and fractions from users: numbers are written as they are printed.

On the command line, scores and confidence are in percent, and p-values and their level from 0 to 1. In Python, all
numbers are from 0 to 1. A number that was probably meant the other way is rejected, and the error shows how to write
both readings. On the command line, the sign ``%`` always means percent.
"""

from __future__ import annotations

import math
from numbers import Real
from operator import index
from typing import Any

from corefscore.core.errors import UsageError


def percent(value: float, digits: int = 2) -> str:
    """Return a value from 0 to 1 in percent, rounded from the exact value of the float, half to even."""
    from fractions import Fraction

    return f"{float(round(Fraction(value) * 100, digits)):.{digits}f}"


def from_percent(text: str, call: str, ends: bool = True) -> float:
    """Return a percentage as a fraction: 0.95 for ``95`` and ``95%``.

    ``call`` is what the user typed before the text, such as ``--min lea=``, for messages; ``ends`` says whether 0 and
    100 are allowed. Raises `UsageError` for a number above 0 and up to 1 without the sign, which was probably meant as
    a fraction, and for text that is not a percentage.
    """
    try:
        number = float(text.removesuffix("%"))
    except ValueError as error:
        raise UsageError(f"{call}{text}: expected a number") from error
    if not math.isfinite(number):
        raise UsageError(f"{call}{text}: expected a finite number")
    if 0 < number <= 1 and not text.endswith("%"):
        whole, own = _digits(number * 100), _digits(number)
        other = f"{call}{whole}{'%' * (number <= 0.01)} for {whole} %, or " if ends or number < 1 else ""
        raise UsageError(f"{call}{text} may be a percentage or a fraction; write {other}{call}{own}% for {own} %")
    if not (0 < number < 100 or (ends and number in (0, 100))):
        raise UsageError(f"{call}{text}: expected a percentage {'from 0 to' if ends else 'between 0 and'} 100")
    return round(number / 100, 12)


def fraction(number: float, call: str, ends: bool = True) -> float:
    """Return the number itself, which the user typed after ``call``, such as ``alpha=``.

    Raises `UsageError` unless it is from 0 to 1; ``ends`` says whether 0 and 1 are allowed. For a number that was
    probably meant as a percentage, the message says how to write it.
    """
    if not isinstance(number, Real):
        raise UsageError(f"{call}{number!r}: expected a number {'from 0 to' if ends else 'between 0 and'} 1")
    if 0 < number < 1 or (ends and number in (0, 1)):
        return number
    if 1 <= number < 100:
        meant = f"for {_digits(number)} % write {call}{_digits(number / 100)}"
        raise UsageError(f"{call}{_digits(number)} would be {_digits(number * 100)} %; {meant}")
    raise UsageError(f"{call}{_digits(number)}: expected a number {'from 0 to' if ends else 'between 0 and'} 1")


def whole(number: Any, call: str, least: int) -> int:
    """Return a whole number of any type, such as that of numpy, which the user typed after ``call``.

    Raises `UsageError` for anything else, and for a number below ``least``.
    """
    if isinstance(number, bool) or not hasattr(number, "__index__") or index(number) < least:
        raise UsageError(f"{call}{number!r}: expected a whole number, {least} or more")
    return index(number)


def _digits(number: float) -> str:
    """Return a number in 12 digits, without the rounding errors of a product."""
    return f"{number:.12g}"
