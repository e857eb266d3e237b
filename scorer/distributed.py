"""Scoring on more than one machine, by Dask (extra ``dask``): files are read and documents counted by its workers.

What comes back are counts per document, which are summed here, once and in order. Dask does again what a lost worker
did. Workers need this package, and the files under the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from scorer import __version__
from scorer.api import score as score_with
from scorer.errors import ScorerError, UsageError
from scorer.results import Result
from scorer.workers import Map, in_order

THREADS, PROCESSES = "threads", "processes"
"""Schedulers that Dask starts on this machine."""

SECONDS = 10
"""How long a scheduler has to answer, and to have a worker."""

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
    """`scorer.score` for files, by the workers of a scheduler; the options are those of `scorer.score`.

    ``scheduler`` is the address of a cluster, or `THREADS` or `PROCESSES`, of which there are ``jobs``. The result has
    the counts of every document (``counts``), in the order of the key, whoever counted them.

    Raises what `scorer.score` raises, `UsageError` where Dask is not there or the cluster cannot be reached, and
    `ScorerError` where all its workers are lost.
    """
    with cluster(scheduler, jobs) as workers:
        return score_with(_side(key), _side(response), metrics, workers=workers, **options)


def _side(files: Files) -> str | os.PathLike[str] | Sequence[os.PathLike[str]]:
    return files if isinstance(files, str | os.PathLike) else [Path(file) for file in files]


@contextmanager
def cluster(scheduler: str, jobs: int | None = None) -> Iterator[Map]:
    """The `Map` of the workers of a scheduler; see `score`, which raises the same."""
    local = scheduler in (THREADS, PROCESSES)
    if not local and "://" not in scheduler:
        known = f"the address of a scheduler, such as tcp://HOST:8786, {THREADS} or {PROCESSES}"
        raise UsageError(f'"{scheduler}" is no scheduler; expected {known}')
    if not local and jobs is not None:
        raise UsageError(f"the cluster at {scheduler} has its workers; leave out --jobs")
    try:
        import dask
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise UsageError("Dask is not installed, which a scheduler needs: pip install 'corefscore[dask]'") from error
    import logging
    from concurrent.futures import CancelledError

    # What goes wrong is told by errors, what does not is nobody's concern.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    quiet = {"distributed.comm.timeouts.connect": SECONDS, "distributed.admin.large-graph-warning-threshold": "1 PB"}
    how: dict[str, Any]
    with dask.config.set(quiet):
        if local:
            threads = scheduler == THREADS
            workers, each = (1, jobs) if threads else (jobs, 1)
            how = {"processes": not threads, "n_workers": workers, "threads_per_worker": each}
            how["dashboard_address"] = "127.0.0.1:0"  # any port that is free
        else:
            how = {"address": scheduler, "timeout": SECONDS}
        try:
            client = Client(**how)
        except Exception as error:  # whatever answers there may send anything
            found = f"no Dask scheduler answers at {scheduler} within {SECONDS} seconds"
            raise UsageError(f"{found} ({error}); expected a running one: dask scheduler") from error
        with client:
            _check(client, scheduler)
            try:
                yield partial(in_order, client.get_executor(pure=False), 2 * len(client.nthreads()))
            except (KilledWorker, CancelledError) as error:
                raise ScorerError(
                    f"the cluster at {scheduler} lost its workers or its scheduler ({type(error).__name__}); "
                    "see their logs, and give workers more memory"
                ) from error


def _check(client: Any, scheduler: str) -> None:
    """Raise `UsageError` where there are no workers, or they have another version of this package."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError as error:
        raise UsageError(f"the scheduler at {scheduler} has no worker; start some: dask worker {scheduler}") from error
    try:
        versions = set(client.run(_version).values())
    except ImportError as error:
        raise UsageError(f"the workers of {scheduler} need corefscore {__version__}: {error}") from error
    if versions != {__version__}:
        found = ", ".join(sorted(versions))
        raise UsageError(f"the workers of {scheduler} have corefscore {found}; expected {__version__}, as here")


def _version() -> str:
    return __version__
