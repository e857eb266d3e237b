"""The command in a process of its own, without the start-up: a process that has imported everything forks for each run.

`python forked.py SOCKET` is that process; `ask` has it run the command with the caller's standard streams, or others.
This file is also a `corefscore` for a shell: called by that name, it asks the process that ``FORKED`` names. What a
test sees is the same but for the time of the interpreter's start and of imports, which are most of a short run.
"""

from __future__ import annotations

import json
import os
import socket
import sys

TYPE_CHECKING = False  # whoever asks starts in twenty milliseconds, of which the real one would be a part
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

STREAMS = (0, 1, 2)

KILLED = -1
"""The status of a run that a signal ended."""


def ask(
    server: str, arguments: Sequence[str], folder: str, environment: Mapping[str, str], streams: Sequence[int] = STREAMS
) -> tuple[int, float]:
    """Run the command: its exit status, and the seconds of processor time that it took, the kernel's left out."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(server)
        asked = {"arguments": list(arguments), "folder": folder, "environment": dict(environment)}
        socket.send_fds(connection, [b"\n"], list(streams))
        connection.sendall(json.dumps(asked).encode() + b"\n")
        with connection.makefile() as answer:
            status, seconds = (answer.read() or f"{KILLED} 0").split()
    return int(status), float(seconds)


def serve(path: str) -> None:
    """Run what each connection asks for, many at a time, until standard input ends."""
    import gc
    import select

    import_all()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(16)
        os.write(1, b"ready\n")
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            with connection:
                if not os.fork():
                    listener.close()
                    run(connection)
            try:  # a run answers by itself; here those that ended are cleared away
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                pass


def import_all() -> None:
    """What a run imports at first use, too; a run in which the others do not exist has a test with its own process."""
    from importlib import import_module
    from pkgutil import walk_packages

    import corefscore
    import scipy.optimize  # noqa: F401

    for module in walk_packages(corefscore.__path__, "corefscore."):
        import_module(module.name)


def run(connection: socket.socket) -> None:
    """Become the command, and answer when it ends."""
    import resource

    _, streams, _, _ = socket.recv_fds(connection, 1, len(STREAMS))
    with connection.makefile() as lines:
        asked = json.loads(lines.readline())
    for number, descriptor in zip(STREAMS, streams, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    standard = sys.stdin, sys.stdout, sys.stderr = open_streams()
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.argv = asked["arguments"]
    sys.path[:1] = [os.path.dirname(sys.argv[0]), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    status = 1
    try:
        from corefscore.__main__ import command

        status = command()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        # Python's own, too, which must not be closed before.
        for stream in (*standard[1:], sys.stdout, sys.stderr):
            stream.flush()
        connection.sendall(f"{status} {resource.getrusage(resource.RUSAGE_SELF).ru_utime}".encode())
        os._exit(status)


def open_streams() -> tuple[TextIO, TextIO, TextIO]:
    """The standard streams as Python opens them when it starts. They leave their descriptors open."""
    return (
        open(0, closefd=False),
        open(1, "w", closefd=False),
        open(2, "w", errors="backslashreplace", closefd=False),
    )


if __name__ == "__main__":
    if os.path.basename(sys.argv[0]) == "forked.py":
        serve(sys.argv[1])
    else:
        sys.exit(ask(os.environ["FORKED"], sys.argv, os.getcwd(), os.environ)[0] % 256)
