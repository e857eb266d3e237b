"""How hypothesis looks for counterexamples in all tests (``HYPOTHESIS_PROFILE=long`` looks longer), which tests need
what is outside of this process, which may be skipped, and the end of all of them."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Generator, Iterator, Sequence
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from support import ABSENT, ENDED

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

SLOW = (HealthCheck.too_slow,)
"""No test fails because the machine is busy."""

settings.register_profile(
    "quick", max_examples=15, derandomize=True, deadline=None, database=None, suppress_health_check=SLOW
)
settings.register_profile("long", max_examples=1000, deadline=None, suppress_health_check=SLOW)
# For mutants: that something is wrong is enough, and looking for the smallest example takes minutes.
settings.register_profile("first", settings.get_profile("quick"), phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

OUTSIDE = {"address", "browser", "installed"}
"""Fixtures that take seconds to start: workers of Dask, a browser, a wheel that pip built and installed."""


EXPECTED_SKIPS = (
    re.escape(ABSENT),
    # what the machine lacks
    "there is no (perl|pdflatex|bash|make, or no virtual environment)",
    "needs (chromium and chromedriver|the checkout to build the wheel)",
    # libraries that use this one or are compared with it, and are in none of its extras
    "could not import '?(torchmetrics|lightning|evaluate|lighteval|inspect_ai|lm_eval|spacy|udtools)",
    "(er-evaluation|recordlinkage|bcubed) is not here; ",
    # systems other than Linux, and who runs the tests
    "there is no (/dev/full|such timer)|there are no names for what is open|pipes have one size here",
    "memory is measured by /proc|looks for processes as Linux has them|nothing tells the size of the address space",
    "root can read everything|only root can give files away",
    # the tests that run on Windows do so without the extra `dev`
    *(["could not import '(pandas|polars)'"] if sys.platform == "win32" else []),
)
"""Why a test may be skipped. Any other reason is a failure: a test that nobody runs holds nothing."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Function]) -> None:
    """Whatever takes such a fixture is left to `make test-outside`."""
    for item in items:
        if not OUTSIDE.isdisjoint(item.fixturenames):
            item.add_marker("outside")


def expected(report: Report) -> Report:
    """Make a failure of a skip for a reason that is not expected."""
    if report.skipped and isinstance(report.longrepr, tuple):
        path, line, message = report.longrepr
        reason = message.removeprefix("Skipped: ")
        if not any(re.match(form, reason) for form in EXPECTED_SKIPS):
            report.outcome = "failed"
            report.longrepr = (
                f"{path}:{line}: skipped for a reason that is not in EXPECTED_SKIPS of conftest.py: {reason}"
            )
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Look at why tests are skipped,"""
    return expected((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """and whole files of tests."""
    return expected((yield))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for cycles neither among thousands of tests while they are collected, nor often while they run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(100_000)
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def no_translations() -> Iterator[None]:
    """Messages of click are those of its source; it looked for translations of each, on the disk, in every run."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LANGUAGE", "C")
        yield


@pytest.fixture(autouse=True, scope="session")
def no_wait_for_the_disk() -> Iterator[None]:
    """A new file is as whole without `os.fsync` unless the power fails; it takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        yield


def pytest_unconfigure() -> None:
    """End what was started for all tests."""
    ENDED.close()
