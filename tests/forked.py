"""The command in a process of its own, without the start-up: a process that has imported everything forks for each run.

`support.command` starts one such process and talks to it in lines of JSON; a run is the arguments, the folder and the
environment, and the files that its standard streams read and write. What a test sees is the same but for the time of
the interpreter's start and of imports, which are most of a run of a small file.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


def serve() -> None:
    """Run what each line of standard input asks for, and answer with the exit status, as `subprocess` has it."""
    # What a run would import at first use; a run in which the others do not exist has a test with a process of its own.
    import corefscore.__main__
    import corefscore.cli
    import corefscore.cli.score
    import corefscore.python.api  # noqa: F401

    for line in sys.stdin:
        child = os.fork()
        if not child:
            run(json.loads(line))
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def run(asked: dict[str, Any]) -> None:
    """Become the command."""
    streams = [os.open(asked["stdin"], os.O_RDONLY)]
    streams += [os.open(asked[name], os.O_WRONLY) for name in ("stdout", "stderr")]
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    standard: list[TextIO] = [open(0), open(1, "w"), open(2, "w", errors="backslashreplace")]  # noqa: SIM115
    sys.stdin, sys.stdout, sys.stderr = standard
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["arguments"]
    status = 1
    try:
        from corefscore.__main__ import main

        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        # Python's own, too, which must not be closed before.
        for stream in (*standard[1:], sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
