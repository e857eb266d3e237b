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
    from corefscore.cli import run

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
    # `python -m` looks for modules in the working folder first, where a file of any name may be.
    working, package = os.path.realpath(sys.path[0]), os.path.dirname(os.path.realpath(__file__))
    if working == os.path.realpath(os.getcwd()) != os.path.dirname(package):
        del sys.path[0]
    main()
