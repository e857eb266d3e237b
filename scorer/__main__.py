"""The entry of the command: little enough that an interrupt during start-up is quiet, too."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Run the command and exit with its status; signals end it as they end any other program."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        from scorer.cli import run

        sys.exit(run(sys.argv[1:], os.path.basename(sys.argv[0])))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    main()
