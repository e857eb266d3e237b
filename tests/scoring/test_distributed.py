"""Scoring on Dask, with a scheduler and workers that are really there."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corefscore import ScorerError, UsageError, __version__, score
from corefscore.core import machines, workers
from corefscore.core.sources import Source
from corefscore.scoring import divided
from corefscore.scoring.divided import Slice, _Found
from corefscore.scoring.results import Result
from support import TESTDATA, call
from test_jobs import FORMS, Pair, folder, pair, same

pytest.importorskip("distributed", reason="the extra dask is not installed")

__all__ = ["pair"]

FLAG = "COREFSCORE_TEST_KILLED"
"""The environment variable with the file that tells whether a worker was killed."""


def cluster_of(workers: int) -> Any:
    from distributed import LocalCluster

    how = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "silence_logs": 50}
    return LocalCluster(n_workers=workers, **how)


def score_by(scheduler: str, key: Any, response: Any, *metrics: str) -> Result:
    """Score by the workers of a cluster."""
    with machines.cluster(scheduler) as apply:
        return score(key, response, *metrics, workers=apply)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A scheduler with two workers, each a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FLAG, str(tmp_path_factory.mktemp("cluster") / "killed"))
        with cluster_of(2) as cluster:
            yield cluster.scheduler_address


@pytest.mark.parametrize("form", ["folders", "names of two forms"])
@pytest.mark.parametrize("options", [[], ["none"], ["none", "--format", "json", "--documents"]], ids=" ".join)
def test_a_cluster_gives_the_same_bytes(
    form: str, options: list[str], address: str, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    sides = FORMS[form](*pair, capfdbinary)
    assert same(capfdbinary, "every", *sides, *options, by=("--jobs", address)).status == 0


def test_what_is_wrong_is_told_as_by_one_process(
    address: str, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = pair[1].read_text()
    half = text.index("\t-\n", text.index("gen_000030"))
    pair[1].write_text(text[:half] + "\t(7" + text[half + 2 :])
    assert b"unclosed-mention" in same(capfdbinary, "every", *pair, "none", by=("--jobs", address)).stderr


def killed_once(sides: Slice, **how: Any) -> _Found | UsageError | None:
    """Count a slice; the worker of the first one that begins within a file dies of it."""
    flag = Path(os.environ[FLAG])
    if sides[0].files[0].start and not flag.exists():
        flag.write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)
    return COUNT(sides, **how)


COUNT = divided._count


def test_a_worker_killed_in_the_middle_changes_no_byte(
    address: str, pair: Pair, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`kill -9` of one of two workers, at work on a piece, while others are done and others wait."""
    one = call(capfdbinary, "every", *pair, "none")
    monkeypatch.setattr(divided, "_count", killed_once)
    assert call(capfdbinary, "every", *pair, "none", "--jobs", address) == one
    assert int(Path(os.environ[FLAG]).read_text()) != os.getpid()


def test_counts_of_lists_of_files_come_in_their_order(address: str, pair: Pair) -> None:
    lists = [sorted(folder(path).rglob("*.conll")) for path in pair]
    found = score_by(address, lists[0], lists[1], "every")
    alone = score(pair[0].with_suffix(""), pair[1].with_suffix(""), "every")
    assert found.names == alone.names
    assert all(np.array_equal(found.counts[name], counts) for name, counts in alone.counts.items())
    assert found.to_dict() == alone.to_dict()
    backwards = score_by(address, lists[0][::-1], lists[1], "every")
    assert backwards.names == alone.names[::-1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["here"], b"'here' is neither a number of processes (from 1) nor an address such as tcp://HOST:PORT"),
        (["tcp://127.0.0.1:9"], b"no Dask scheduler answers at tcp://127.0.0.1:9 within 0.5 seconds"),
        (["other://127.0.0.1:9"], b"unknown address scheme 'other'"),
    ],
)
def test_what_is_no_scheduler_is_told(
    options: list[str],
    said: bytes,
    pair: Pair,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.setattr(machines, "SECONDS", 0.5)
    done = call(capfdbinary, "muc", *pair, "--jobs", *options)
    assert (done.status, done.stdout) == (2, b"")
    assert said in done.stderr


@pytest.mark.outside
def test_a_scheduler_without_workers_is_told(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "SECONDS", 3)
    with cluster_of(0) as cluster, pytest.raises(UsageError, match="has no workers; start some: dask worker tcp://"):
        score_by(cluster.scheduler_address, *pair)


def test_workers_of_another_version_are_refused(address: str, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "__version__", "0.0.1")
    said = r"on the scheduler at .*: version 0\.1\.\d+; expected corefscore 0\.0\.1 here, on the scheduler"
    with pytest.raises(UsageError, match=said):
        score_by(address, *pair)


ABSENT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name == "corefscore":
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
"""

ELSEWHERE = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    how = dict(processes=False, threads_per_worker=1, dashboard_address="127.0.0.1:0", protocol="tcp://")
    with LocalCluster(n_workers=1, silence_logs=50, **how) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@contextmanager
def started(program: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program in a process of its own, and the first line that it prints; it ends with the context."""
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.outside
def test_a_scheduler_without_the_package_is_told(pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with started(ABSENT + ELSEWHERE) as (_, address):
        done = call(capfdbinary, "muc", *pair, "--jobs", address)
    assert (done.status, done.stdout) == (2, b"")
    said = f"corefscore on the scheduler at {address}: version none; expected corefscore {__version__} here"
    assert said.encode() in done.stderr
    assert done.stderr.count(b"\n") == 1


def unreadable() -> None:
    raise RuntimeError("not the same numpy")


class Unreadable:
    """What a scheduler cannot read."""

    def __call__(self, item: object) -> object:
        return item

    def __reduce__(self) -> tuple[Any, ...]:
        return unreadable, ()


def test_what_a_scheduler_cannot_read_is_told(address: str) -> None:
    said = f"the scheduler at {address} cannot read what is sent to it (.*); install the same versions of Python"
    with pytest.raises(ScorerError, match=said), machines.cluster(address) as apply:
        list(apply(Unreadable(), range(4)))


SILENT = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    print(server.getsockname()[1], flush=True)
    input()
"""
"""Listens, and does not answer."""

PAGES = """
from http.server import HTTPServer, BaseHTTPRequestHandler
server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@pytest.mark.parametrize("program", [SILENT, PAGES], ids=["silent", "pages"])
def test_what_listens_and_is_no_scheduler_is_told(
    program: str, pair: Pair, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machines, "SECONDS", 0.5)
    said = r"no Dask scheduler answers at tcp://127.0.0.1:\d+ within 0.5 seconds \(.+\); start one: dask"
    with started(program) as (_, port), pytest.raises(UsageError, match=said):
        score_by(f"tcp://127.0.0.1:{port}", *pair)


def test_a_worker_is_no_scheduler(address: str, pair: Pair) -> None:
    from distributed import Client

    with Client(address) as client:
        worker = next(iter(client.nthreads()))
    with pytest.raises(UsageError, match=r"no Dask scheduler answers .* \(this is the address of a Worker\)"):
        score_by(worker, *pair)


def test_jobs_are_no_more_than_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: 3)
    assert [workers.capped(jobs) for jobs in (2, 100, None)] == [2, 3, 3]


def test_a_cluster_with_other_files_is_refused(address: str, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut here as it was, changed when the workers come to it."""
    real = Source.part

    def part(self: Source, start: int, stop: int) -> Source:
        found = real(self, start, stop)
        found.state = found.state and (found.state[0], 7)
        return found

    monkeypatch.setattr(Source, "part", part)
    monkeypatch.chdir(pair[0].parent)
    said = "^the workers failed \\(key.conll: the file at /.*/key.conll differs on a worker"
    with pytest.raises(UsageError, match=said):
        score_by(address, "key.conll", "response.conll")


def test_relative_paths_are_those_of_this_folder(
    address: str, pair: Pair, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The workers were started in another one."""
    monkeypatch.chdir(pair[0].parent)
    assert not same(capfdbinary, "muc", "key.conll", "response.conll", "none", by=("--jobs", address)).stderr


def lose(item: int) -> None:
    os.kill(item, signal.SIGKILL)


@pytest.mark.outside
def test_a_lost_scheduler_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    """And nothing else; what is logged later is heard again."""
    levels = [logging.getLogger(name).level for name in ("distributed", "distributed.client")]
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{ELSEWHERE}"
    expected = pytest.raises(ScorerError, match="lost its workers or its scheduler")
    with started(program) as (process, address), expected, machines.cluster(address) as apply:
        list(apply(lose, [process.pid] * 4))
    assert capfd.readouterr() == ("", "")
    assert levels == [logging.getLogger(name).level for name in ("distributed", "distributed.client")]


def test_that_dask_is_missing_is_told(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'dask\[distributed\]'"):
        score_by("tcp://127.0.0.1:9", *pair)


def killed(sides: Slice, **how: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_that_all_workers_are_lost_is_told(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    monkeypatch.setattr(divided, "_count", killed)
    monkeypatch.setitem(dask.config.config["distributed"]["scheduler"], "allowed-failures", 0)
    expected = pytest.raises(ScorerError, match=r"lost its workers or its scheduler \(KilledWorker\)")
    with cluster_of(1) as cluster, expected:
        score_by(cluster.scheduler_address, *pair)


class Clock:
    """Seconds that pass by themselves, a second a look."""

    now = 0.0

    def __call__(self) -> float:
        Clock.now += 1
        return Clock.now


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([OSError("refused")], "has not answered for 30 seconds; it may have ended, be suspended or be unreachable"),
        ([{"workers": {}}], "has had no worker for 30 seconds; see the logs of the workers"),
        ([{"workers": {"one": {"last_seen": 7}}}], "has not heard from any of its workers for 300 seconds"),
        ([{"workers": {"one": {"last_seen": 7}}}, {"workers": {}}], "has had no worker for 30 seconds"),
        ([{"workers": {}}, OSError("refused")], "has not answered for 30 seconds"),
    ],
)
def test_a_silent_cluster_is_given_up(answers: list[Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last answer is given for ever."""
    rest = list(answers)

    def identity(address: str, seconds: float) -> Any:
        answer = rest.pop(0) if len(rest) > 1 else rest[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(machines, "BEAT", 0)
    monkeypatch.setattr(machines, "monotonic", Clock())
    monkeypatch.setattr(machines, "_identity", identity)
    with pytest.raises(ScorerError, match=f"^the scheduler at tcp://there {said}"):
        machines._result("tcp://there", Future())


def test_a_cluster_that_is_heard_of_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far beyond any patience, and through silences that are shorter than it."""
    future: Future[str] = Future()
    looks = 0

    def identity(address: str, seconds: float) -> Any:
        nonlocal looks
        looks += 1
        if looks == 5000:
            future.set_result("done")
        if looks % 5:
            raise OSError("busy")
        return {"workers": {"one": {"last_seen": looks // 50}}}

    monkeypatch.setattr(machines, "BEAT", 0)
    monkeypatch.setattr(machines, "monotonic", Clock())
    monkeypatch.setattr(machines, "_identity", identity)
    assert machines._result("tcp://there", future) == "done"


@contextmanager
def lone_worker(address: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own, which nobody starts again."""
    program = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads", "1"]
    with subprocess.Popen([*program, "--no-dashboard"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as worker:
        try:
            yield worker
        finally:
            worker.kill()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "has had no worker for"), (signal.SIGSTOP, "has not heard from any of its workers")],
)
def test_workers_that_are_gone_or_stopped_are_told(
    number: signal.Signals, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, seconds in (("BEAT", 0.2), ("LOST", 3), ("SILENT", 5)):
        monkeypatch.setattr(machines, name, seconds)
    with cluster_of(0) as cluster, lone_worker(cluster.scheduler_address):
        with pytest.raises(ScorerError, match=said), machines.cluster(cluster.scheduler_address) as apply:
            list(apply(signal.raise_signal, [number] * 4))
        assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_stopped_scheduler_is_told(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for name, seconds in (("BEAT", 0.2), ("LOST", 3)):
        monkeypatch.setattr(machines, name, seconds)
    expected = pytest.raises(ScorerError, match="has not answered for 3 seconds")
    with started(ELSEWHERE) as (_, address), expected, machines.cluster(address) as apply:
        list(apply(signal.raise_signal, [signal.SIGSTOP] * 4))
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_worker_that_is_stopped_before_work_begins_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines, "SECONDS", 5)
    with cluster_of(0) as cluster, lone_worker(cluster.scheduler_address) as worker:
        cluster.wait_for_workers(1, timeout=60)
        worker.send_signal(signal.SIGSTOP)
        with pytest.raises(UsageError, match="does not answer within 5 seconds"):
            score_by(cluster.scheduler_address, TESTDATA / "demo" / "key.conll", "nowhere")
