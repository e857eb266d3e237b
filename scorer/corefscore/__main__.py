"""The entry of the command: before anything else it settles what signals do, so that one during start-up is quiet."""

try:
    import gc
    import os
    import signal
    import sys
except KeyboardInterrupt:  # these imports take half the time until signals are settled
    raise SystemExit(130) from None


def command() -> int:
    """Run the command in this process, its own; signals end it as they end any other program. Returns its status."""
    # The error that Python raises by itself prints a traceback where a library takes it for one of its own.
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # What start-up makes lives to the end: to look through it for cycles takes a quarter of a short run.
    gc.disable()
    # Linear algebra is the one thing that numpy has threads for, and to start them takes another fifth.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from corefscore.core.workers import keep_memory

    keep_memory()
    from corefscore.cli import run
    from corefscore.cli.output import whole_streams
    from corefscore.cli.signals import as_first_process

    as_first_process()
    whole_streams()
    gc.freeze()
    # What a run makes, it keeps, without cycles: a megabyte of faults takes a third less time.
    gc.set_threshold(100_000)
    gc.enable()
    return run(sys.argv[1:], os.path.basename(sys.argv[0]))


def main() -> None:
    """Run the command and exit with its status."""
    _exit(command())


def _exit(status: int) -> None:
    """End the process without freeing what it holds, object by object, which takes a tenth of a short run.

    Threads, profilers and interactive sessions have work left at the end, so beside them it exits as usual.
    """
    import atexit
    import threading

    watched = sys.gettrace() or sys.getprofile() or sys.flags.inspect or sys.flags.interactive
    if watched or threading.active_count() > 1:
        sys.exit(status)
    atexit._run_exitfuncs()
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os._exit(status)


def _leave_working_folder_out() -> None:
    """Keep Python from importing files of the working folder, where `python -m` looks for modules first."""
    try:
        working = os.path.realpath(os.getcwd())
    except OSError:  # it was deleted, and nothing is found there
        return
    if os.path.realpath(sys.path[0]) == working != os.path.dirname(os.path.dirname(os.path.realpath(__file__))):
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder_out()
    main()
