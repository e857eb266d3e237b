"""Scoring on more than one machine, by Dask (extra ``dask``): files are read and documents counted by its workers.

What comes back are counts per document, which are summed here, once and in order. Dask does again what a lost worker
did. Scheduler and workers need this package, and workers the same files under the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from pydoc import locate
from time import monotonic
from typing import TYPE_CHECKING, Any

from corefscore import __version__
from corefscore.documents.model import KEY, RESPONSE
from corefscore.errors import ScorerError, UsageError
from corefscore.python.api import score as score_with
from corefscore.results import Result
from corefscore.work.workers import Map, capped, in_order, result_of

if TYPE_CHECKING:
    from concurrent.futures import Future

THREADS, PROCESSES = "threads", "processes"
"""Schedulers that Dask starts on this machine."""

SECONDS = 10
"""How long a scheduler has to answer, to have a worker, and its workers to answer, before work begins."""

BEAT = 2
"""Seconds between two looks at a cluster whose results are waited for."""

LOST = 30
"""Seconds after which a scheduler that does not answer is lost, and so is one without any worker."""

SILENT = 300
"""Seconds after which workers that the scheduler does not hear of are lost: one long computation may keep them silent.

With one of several workers Dask has the same patience (``distributed.scheduler.worker-ttl``), and then has others do
its work.
"""

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
    `ScorerError` where its scheduler or all its workers are lost: within `LOST` seconds where they are gone, within
    `SILENT` where they are stopped.
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
        try:
            with _lost(scheduler):
                _check(client, scheduler)
                ahead = 2 * sum(client.nthreads().values())
                # Threads are here: they cannot be lost alone.
                wait = (
                    result_of
                    if scheduler == THREADS
                    else _Pulse(scheduler, str(client.scheduler_info()["address"])).result
                )
                yield partial(in_order, client.get_executor(pure=False).submit, ahead, wait=wait)
        finally:
            with suppress(Exception):  # what is lost cannot be left in good order
                _in_time(client.close)


class _Pulse:
    """Whether a cluster is alive, looked at while a result is waited for: a lost scheduler, and workers that are
    stopped or gone, would keep it waiting for ever."""

    def __init__(self, scheduler: str, address: str) -> None:
        self._scheduler, self._address = scheduler, address
        self._answered = self._heard = monotonic()
        self._seen: dict[str, float] = {}

    def result(self, future: Future[Any]) -> Any:
        """The result of a future. Raises `ScorerError` where the cluster is lost."""
        from concurrent.futures import wait

        self._answered = self._heard = monotonic()
        while not wait([future], BEAT).done:
            self._look()
        return future.result()

    def _look(self) -> None:
        """Raise `ScorerError` for a scheduler or workers that have been silent for too long."""
        try:
            workers = _identity(self._address, BEAT)["workers"]
        except Exception as error:  # whatever is there may send anything
            if monotonic() - self._answered >= LOST:
                raise ScorerError(
                    f"the scheduler at {self._scheduler} has not answered for {LOST} seconds; it has ended, is stopped "
                    "or cannot be reached: see its log, start it again, and run this again"
                ) from error
            return
        self._answered = monotonic()
        # Times of the scheduler, whose clock may be another: only that they change says anything.
        seen = {worker: its["last_seen"] for worker, its in workers.items()}
        if any(self._seen.get(worker) != its for worker, its in seen.items()):
            self._heard = monotonic()
        self._seen = seen
        patience = SILENT if seen else LOST
        if monotonic() - self._heard >= patience:
            what = "has heard of none of its workers" if seen else "has had no worker"
            raise ScorerError(
                f"the scheduler at {self._scheduler} {what} for {patience} seconds; "
                "see their logs, start them again, and run this again"
            )


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

    # Those after the first have levels of their own, or speak for it.
    names = ("distributed", "distributed.client", "distributed.nanny", "tornado", "tornado.application", "asyncio")
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
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
    found = _identity(address, SECONDS)["type"]
    if found != "Scheduler":
        raise ValueError(f"a {found} is there")


def _identity(address: str, seconds: float) -> dict[str, Any]:
    """What is at an address, in its own words. Raises an error of any kind where it does not say so in time."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> Any:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as remote:
            return await remote.identity()

    async def ask_in_time() -> Any:
        return await asyncio.wait_for(ask(), seconds)

    with ThreadPoolExecutor(1) as thread:  # there may be a loop in this one
        return dict(thread.submit(asyncio.run, ask_in_time()).result())


def _in_time(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns. Raises `TimeoutError` where that takes more than `SECONDS`."""
    from concurrent.futures import Future, wait
    from threading import Thread

    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()  # which the end of this process does not wait for
    if not wait([future], SECONDS).done:
        raise TimeoutError(f"no answer within {SECONDS} seconds")
    return future.result()


def _check(client: Any, scheduler: str) -> None:
    """Raise `UsageError` where there are no workers, or anything there has another version of this package or none."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError as error:
        raise UsageError(f"the scheduler at {scheduler} has no worker; start some: dask worker {scheduler}") from error
    needed = f"expected corefscore {__version__} {EVERYWHERE}"
    # By a function that is there even where this package is not; it gives None for what it does not find.
    ask = locate, "corefscore.__version__"
    try:
        found = {"scheduler": {_in_time(client.run_on_scheduler, *ask)}}
        found["workers"] = set(_in_time(client.run, *ask).values())
    except TimeoutError as error:
        raise UsageError(
            f"a worker of {scheduler} does not answer within {SECONDS} seconds; end it, or start it anew"
        ) from error
    except Exception as error:  # importing may raise anything
        raise UsageError(f"corefscore cannot be imported at {scheduler} ({error}); {needed}") from error
    for whose, versions in found.items():
        if versions != {__version__}:
            its = ", ".join(sorted(version or "none" for version in versions))
            raise UsageError(f"the version of corefscore of the {whose} at {scheduler} is {its}; {needed}")
