"""The entry of the command: little enough that an interrupt during start-up is quiet, too."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable


def _run() -> Callable[[list[str], str], int]:
    """The command, imported without the collector of cycles: what start-up makes lives to the end, and looking
    through it time and again takes a quarter of a short run."""
    gc.disable()
    from scorer.cli import run

    gc.freeze()
    gc.enable()
    return run


def main() -> None:
    """Run the command and exit with its status; signals end it as they end any other program."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        run = _run()
        status = run(sys.argv[1:], os.path.basename(sys.argv[0]))
        gc.freeze()  # nor is it worth a look at the end
        sys.exit(status)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
