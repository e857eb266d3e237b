"""How a signal ends the command: at once, or after what was begun is cleared away; never by a traceback."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any] | int | None

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a program to end."""


class _Ended(BaseException):
    """A signal has come. Nothing but `clearing` may stop this."""


def _exit(number: int, frame: FrameType | None) -> None:
    os._exit(128 + number)


def as_first_process() -> None:
    """Have `ENDING` end the first process of a container, too: it gets only those signals that it has handlers for."""
    if os.getpid() == 1:
        for number in ENDING:
            if signal.getsignal(number) == signal.SIG_DFL:
                signal.signal(number, _exit)


@contextmanager
def clearing(undo: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let a signal that would end this process raise an error instead; call ``undo``, then end by that signal.

    ``undo`` is called after any other error as well, and no further signal interrupts it. Signals that are ignored or
    have a handler of another kind are left alone, and so is everything outside the main thread.
    """
    caught: list[int] = []
    raising = True

    def end(number: int, frame: FrameType | None) -> None:
        caught.append(number)
        if raising and len(caught) == 1:
            raise _Ended

    taken: dict[int, Handler] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in ENDING}
        taken = {number: handler for number, handler in before.items() if handler in (signal.SIG_DFL, _exit)}
    try:
        try:
            for number in taken:
                signal.signal(number, end)
            yield
        finally:
            raising = False
    except BaseException as error:
        undo()
        _give_back(taken, caught)
        if not isinstance(error, _Ended):
            raise
    else:
        _give_back(taken, caught)


def _give_back(taken: dict[int, Handler], caught: list[int]) -> None:
    """Restore the handlers of signals; where one of them has come, end by it."""
    for number, handler in taken.items():
        signal.signal(number, handler)
    if caught:
        if taken[caught[0]] is _exit:
            _exit(caught[0], None)
        os.kill(os.getpid(), caught[0])
