"""Score files by processes of this machine, or by several machines with Dask (extra ``dask``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corefscore.core.documents import KEY, RESPONSE
from corefscore.core.errors import UsageError
from corefscore.core.machines import PROCESSES, cluster
from corefscore.python import api
from corefscore.scoring.results import Result

_Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One side: a file, a folder, or a list of files that make one corpus."""


def score(
    key: _Files,
    response: _Files,
    metrics: str | Sequence[str] = "every",
    *,
    scheduler: str = PROCESSES,
    jobs: int | None = None,
    **options: Any,
) -> Result:
    """`corefscore.score` for files, by the workers of a scheduler; the options are those of `corefscore.score`.

    The workers count documents; their counts are summed here, once and in order. The result has the counts of every
    document (``counts``), in the order of the key. Raises the errors of `corefscore.score` and of
    `corefscore.core.machines.cluster`, which describes ``scheduler`` and ``jobs``.
    """
    sides = _side(KEY, key), _side(RESPONSE, response)
    with cluster(scheduler, jobs) as workers:
        return api.score(*sides, metrics, workers=workers, **options)


def _side(name: str, files: _Files) -> str | os.PathLike[str] | Sequence[os.PathLike[str]]:
    """Return the files as `corefscore.score` accepts them. Raises `UsageError` for an empty list."""
    if isinstance(files, str | os.PathLike):
        return files
    if not files:
        raise UsageError(f"the list of files of the {name} is empty")
    return [Path(file) for file in files]
