"""`scripts/mutants.py`: what counts as noticed."""

from __future__ import annotations

import pytest

pytest.importorskip("cosmic_ray", reason="the extra mutants is not installed")


@pytest.mark.parametrize(
    ("outcome", "output", "expected"),
    [
        ("killed", "1 failed", "noticed"),
        ("killed", "timeout", "hung"),
        ("survived", "", "survived"),
        ("incompetent", "Traceback", "incompetent"),
        (None, None, "without result"),
    ],
)
def test_only_what_a_test_noticed_is_noticed(outcome: str | None, output: str | None, expected: str) -> None:
    import mutants
    from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkResult

    test_outcome = None if outcome is None else TestOutcome(outcome)
    result = WorkResult(worker_outcome=WorkerOutcome.NORMAL, output=output, test_outcome=test_outcome)
    assert mutants.outcome(result) == expected
    assert expected in mutants.OUTCOMES
