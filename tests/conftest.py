"""How hypothesis looks for counterexamples in all tests (``HYPOTHESIS_PROFILE=long`` looks longer), which tests need
what is outside of this process, and the end of all of them."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, Phase, settings
from support import ENDED

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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Function]) -> None:
    """Whatever takes such a fixture is left to `make test-outside`."""
    for item in items:
        if not OUTSIDE.isdisjoint(item.fixturenames):
            item.add_marker("outside")


def pytest_collection_finish() -> None:
    """Thousands of tests need no look at each collection of cycles."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """End what was started for all tests."""
    ENDED.close()
