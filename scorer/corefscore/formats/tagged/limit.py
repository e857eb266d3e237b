"""A limit to the time that a regular expression of a user may take: ``(a+)+b`` doubles it with each ``a`` of a text.

Python cannot stop a search but by a signal, and signals belong to the program. So the limit applies only while
`patterns_limited`, which the command calls; a search that a program starts through the library is never stopped.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from corefscore.core.errors import UsageError

SECONDS, SECONDS_A_CHARACTER = 5.0, 1e-5
"""Processor time that the search for tags in a text may take."""


@contextmanager
def patterns_limited() -> Iterator[None]:
    """Apply the limit in this block, and in processes forked from it.

    It needs the signal ``SIGVTALRM``, whose handler is restored at the end. So there is no limit outside the main
    thread, nor on Windows.
    """
    if not _can_stop():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        yield
    finally:
        # A handler that was not set from Python is None, and cannot be restored.
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL if before is None else before)


@contextmanager
def in_time(characters: int) -> Iterator[None]:
    """Stop this block if it takes far too long for a text of so many characters and `patterns_limited` applies.

    Raises `UsageError` if it is stopped. A timer that was running goes on afterwards.
    """
    if not _can_stop() or signal.getsignal(signal.SIGVTALRM) is not _stop:
        yield
        return
    before = signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS + characters * SECONDS_A_CHARACTER)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, *before)


def _can_stop() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _stop(number: int, frame: FrameType | None) -> None:
    raise UsageError(
        "--tags: the pattern takes too long with this text; expected one without repeats in repeats, such as (a+)+, "
        r"and with a limit to each, such as \d{1,9} for \d+"
    )
