"""Scoring on more than one machine, by Dask (extra ``dask``): files are read and documents counted by its workers.

What comes back are counts per document, which are summed here, once and in order. Dask does again what a lost worker
did. Scheduler and workers need this package, and workers the same files under the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from pydoc import locate
from typing import Any

from corefscore import __version__
from corefscore.api import score as score_with
from corefscore.errors import ScorerError, UsageError
from corefscore.model import KEY, RESPONSE
from corefscore.results import Result
from corefscore.workers import Map, capped, in_order

THREADS, PROCESSES = "threads", "processes"
"""Schedulers that Dask starts on this machine."""

SECONDS = 10
"""How long a scheduler has to answer, and to have a worker."""

EVERYWHERE = "here, on the scheduler and on its workers"

Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One side: a file, a folder, or a list of files, which are one corpus."""


def score(
    key: Files,
    response: Files,
    metrics: str | Sequence[str] = "every",
    *,
    scheduler: str = PROCESSES,
    jobs: int | None = None,
    **options: Any,
) -> Result:
    """`corefscore.score` for files, by the workers of a scheduler; the options are those of `corefscore.score`.

    ``scheduler`` is the address of a cluster, or `THREADS` or `PROCESSES`, of which there are ``jobs``, though no
    more than processors. The result has the counts of every document (``counts``), in the order of the key, whoever
    counted them.

    Raises what `corefscore.score` raises, `UsageError` where Dask is not there or the cluster cannot be reached, and
    `ScorerError` where all its workers are lost.
    """
    sides = _side(KEY, key), _side(RESPONSE, response)
    with cluster(scheduler, jobs) as workers:
        return score_with(*sides, metrics, workers=workers, **options)


def _side(name: str, files: Files) -> str | os.PathLike[str] | Sequence[os.PathLike[str]]:
    """The files as `corefscore.score` takes them, to which an empty list is one of clusters."""
    if isinstance(files, str | os.PathLike):
        return files
    if not files:
        raise UsageError(f"the list of files of the {name} is empty")
    return [Path(file) for file in files]


@contextmanager
def cluster(scheduler: str, jobs: int | None = None) -> Iterator[Map]:
    """The `Map` of the workers of a scheduler; see `score`, which raises the same."""
    local = scheduler in (THREADS, PROCESSES)
    if not local and "://" not in scheduler:
        known = f"the address of a scheduler, such as tcp://HOST:8786, {THREADS} or {PROCESSES}"
        raise UsageError(f'"{scheduler}" is no scheduler; expected {known}')
    if not local and jobs is not None:
        raise UsageError(f"the cluster at {scheduler} has its workers; leave out --jobs")
    if jobs is not None:
        jobs = capped(jobs)
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise UsageError("Dask is not installed, which a scheduler needs: pip install 'corefscore[dask]'") from error

    quiet = {"distributed.comm.timeouts.connect": SECONDS, "distributed.admin.large-graph-warning-threshold": "1 PB"}
    how: dict[str, Any] = {"address": scheduler, "timeout": SECONDS}
    if local:
        threads = scheduler == THREADS
        workers, each = (1, jobs) if threads else (jobs, 1)
        # On any port that is free.
        how = {"processes": not threads, "n_workers": workers, "threads_per_worker": each}
        how["dashboard_address"] = "127.0.0.1:0"
    with dask.config.set(quiet), _silence():
        try:
            if not local:
                _knock(scheduler)
            client = Client(**how)
        except Exception as error:  # whatever answers there may send anything
            found = f"no Dask scheduler answers at {scheduler} within {SECONDS} seconds"
            raise UsageError(
                f"{found} ({str(error) or 'it is silent'}); expected a running one: dask scheduler"
            ) from error
        with client, _lost(scheduler):
            _check(client, scheduler)
            yield partial(in_order, client.get_executor(pure=False).submit, 2 * sum(client.nthreads().values()))


@contextmanager
def _lost(scheduler: str) -> Iterator[None]:
    """Turn what goes wrong on the way to a cluster into `ScorerError`."""
    from concurrent.futures import CancelledError

    from distributed.scheduler import KilledWorker

    try:
        yield
    except (KilledWorker, CancelledError) as error:
        raise ScorerError(
            f"the cluster at {scheduler} lost its workers or its scheduler ({type(error).__name__}); "
            "see their logs, and give workers more memory"
        ) from error
    except RuntimeError as error:
        if "deserialization" not in str(error):
            raise
        raise ScorerError(
            f"the scheduler at {scheduler} cannot read what is sent to it ({error.__cause__ or error}); "
            f"have the same versions of Python, numpy, Dask and corefscore {EVERYWHERE}"
        ) from error


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask's own log to itself: what goes wrong is told by errors, what does not is nobody's concern."""
    import logging

    # The second has a level of its own.
    levels = {logger: logger.level for logger in map(logging.getLogger, ("distributed", "distributed.client"))}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _knock(address: str) -> None:
    """Raise an error of any kind unless a scheduler says in time that it is one: a `Client` would wait for ever for
    what listens and does not answer, or answers something else."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> str:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as remote:
            return str((await remote.identity())["type"])

    async def ask_in_time() -> str:
        return await asyncio.wait_for(ask(), SECONDS)

    with ThreadPoolExecutor(1) as thread:  # there may be a loop in this one
        found = thread.submit(asyncio.run, ask_in_time()).result()
    if found != "Scheduler":
        raise ValueError(f"a {found} is there")


def _check(client: Any, scheduler: str) -> None:
    """Raise `UsageError` where there are no workers, or anything there has another version of this package or none."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError as error:
        raise UsageError(f"the scheduler at {scheduler} has no worker; start some: dask worker {scheduler}") from error
    needed = f"expected corefscore {__version__} {EVERYWHERE}"
    # By a function that is there even where this package is not; it gives None for what it does not find.
    ask = locate, f"{__package__}.__version__"
    try:
        found = {"scheduler": {client.run_on_scheduler(*ask)}, "workers": set(client.run(*ask).values())}
    except Exception as error:  # importing may raise anything
        raise UsageError(f"corefscore cannot be imported at {scheduler} ({error}); {needed}") from error
    for whose, versions in found.items():
        if versions != {__version__}:
            its = ", ".join(sorted(version or "none" for version in versions))
            raise UsageError(f"the version of corefscore of the {whose} at {scheduler} is {its}; {needed}")
