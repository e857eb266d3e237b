"""Percent and fractions: what is taken, and what is refused with both readings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import corefscore
import pytest
from corefscore.core.errors import UsageError
from corefscore.core.percent import fraction, from_percent
from corefscore.reports.check import Asked, check
from corefscore.statistics.significance import Method
from support import TESTDATA, call

KEY = TESTDATA / "systems" / "key.conll"
RUNS = TESTDATA / "systems" / "runs"

Capture = pytest.CaptureFixture[bytes]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("95", 0.95),
        ("95%", 0.95),
        ("0.95%", 0.0095),
        ("1%", 0.01),
        ("1.5", 0.015),
        ("0", 0),
        ("100", 1),
        ("99.9", 0.999),
    ],
)
def test_a_percentage_becomes_a_fraction(text: str, share: float) -> None:
    assert from_percent(text, "--min lea=") == share


@pytest.mark.parametrize("text", ["-1", "100.5", "nan", "inf", "high", "", "%", "0.5", "1", "1e-9"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        from_percent(text, "--min lea=")


def test_both_ends_are_fractions_where_they_are_allowed() -> None:
    assert [fraction(number, "tolerance=") for number in (0, 0.5, 1)] == [0, 0.5, 1]
    for number in (0, 1):
        with pytest.raises(UsageError):
            fraction(number, "alpha=", ends=False)


def test_a_reading_that_is_refused_itself_is_not_advised() -> None:
    with pytest.raises(UsageError) as refused:
        from_percent("1", "--confidence ", ends=False)
    assert str(refused.value) == "--confidence 1 may be a percentage or a fraction; write --confidence 1% for 1 %"


def test_both_readings_are_named() -> None:
    with pytest.raises(UsageError) as refused:
        from_percent("0.95", "--confidence ", ends=False)
    assert str(refused.value) == (
        "--confidence 0.95 may be a percentage or a fraction; write --confidence 95 for 95 %, "
        "or --confidence 0.95% for 0.95 %"
    )
    with pytest.raises(UsageError) as refused:
        fraction(95, "confidence=", ends=False)
    assert str(refused.value) == "confidence=95 would be 9500 %; for 95 % write confidence=0.95"
    with pytest.raises(UsageError) as refused:
        fraction(1, "alpha=", ends=False)
    assert str(refused.value) == "alpha=1 would be 100 %; for 1 % write alpha=0.01"
    with pytest.raises(UsageError) as refused:
        fraction(100, "alpha=", ends=False)
    assert str(refused.value) == "alpha=100: expected a number between 0 and 1"


@pytest.mark.parametrize("given", [{"confidence": 95}, {"confidence": 0.0}, {"confidence": 1.0}])
def test_a_method_takes_fractions_alone(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"expected a number between 0 and 1|would be"):
        Method(**given)


def test_a_check_from_python_takes_fractions_alone() -> None:
    result = corefscore.score(KEY, RUNS / "ash.conll", "lea")
    assert check(result, None, Asked(floors={("lea", "f1"): 0.5})).passed
    with pytest.raises(UsageError, match=r"lea.f1=50 would be 5000 %; for 50 % write lea.f1=0.5"):
        check(result, None, Asked(floors={("lea", "f1"): 50}))
    with pytest.raises(UsageError, match=r"tolerance=5 would be 500 %; for 5 % write tolerance=0.05"):
        check(result, None, Asked(tolerance=5))


@pytest.mark.parametrize("name", ["compare", "rank"])
@pytest.mark.parametrize(
    ("options", "signed"),
    [
        ((), "confidence=95% | alpha=0.05"),
        (("--confidence", "99"), "confidence=99% | alpha=0.01"),
    ],
    ids=["usual", "confidence"],
)
def test_one_level_follows_the_other(name: str, options: tuple[str, ...], signed: str, capfdbinary: Capture) -> None:
    systems: list[Path] = [RUNS / "ash.conll", RUNS / "birch.conll"]
    done = call(capfdbinary, name, KEY, *systems, "--measures", "muc", "--trials", "5", *options)
    assert done.status == 0, done.stderr
    assert signed in done.stdout.decode()
