"""How a signal ends the command: at once, or after what was begun is cleared away; never by a traceback."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE") if hasattr(signal, name))
"""The signals that ask a program to end, and the one that ends it when nobody reads what it writes."""

_begun: list[Callable[[], None]] = []
"""What clears away each thing that was begun, the last one last."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begun.clear)  # it is the parent's


def as_first_process() -> None:
    """Have `_ENDING` end the first process of a container, too: it gets only those signals that it has handlers for."""
    if os.getpid() == 1:
        _handle()


@contextmanager
def clearing(clear: Callable[[], None]) -> Iterator[None]:
    """Call ``clear`` at the end of the block, however that is left; a signal that ends this process waits for it.

    The handler of the signal itself calls ``clear`` and ends the process: no error has to find its way out through
    code that may catch it, and no moment is between two steps. So ``clear`` may be called twice, in the middle of
    anything. It makes system calls only, whose `OSError` does not matter. Signals that are ignored or have a handler of
    another kind are left alone, and so is everything outside the main thread.
    """
    _begun.append(clear)
    handled = _handle()
    try:
        yield
    finally:
        with suppress(OSError):
            clear()
        _begun.remove(clear)
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _handle() -> list[int]:
    """Have `_end` end this process by those of `_ENDING` that would end it anyway; returns these."""
    if threading.current_thread() is not threading.main_thread():
        return []
    handled = [number for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _end)
    return handled


def _end(number: int, frame: FrameType | None) -> None:
    """Clear away what was begun, then end by the signal."""
    for clear in reversed(_begun):
        with suppress(OSError):
            clear()
    if os.getpid() == 1:
        os._exit(128 + number)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
