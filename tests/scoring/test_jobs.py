"""Several workers: the output is that of one process, whatever the input, the options and the workers."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bench import measure
from corefscore import ScorerError, UsageError, formats, score
from corefscore.core import workers
from corefscore.core.documents import joined
from corefscore.core.names import name_options
from corefscore.core.sources import Source
from corefscore.core.workers import Map
from corefscore.formats import pieces
from generate import Shape, write
from names import tagged
from support import RECORDED, Run, call, within

DOCUMENTS = 40

Pair = tuple[Path, Path]


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Two files of forty documents, which make many pieces."""
    monkeypatch.setattr(pieces, "SIZE", 5_000)
    return write(Shape(DOCUMENTS, 60, 12), tmp_path)


REAL = workers.processes


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Instead of processes, a `Map` in which everything goes the way to another process and back; and how many things
    went there at each use of it."""
    counts: list[int] = []

    def sent(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        at = len(counts)
        counts.append(0)
        for item in items:
            counts[at] += 1
            there, its = pickle.loads(pickle.dumps((function, item)))
            yield pickle.loads(pickle.dumps(there(its)))

    @contextmanager
    def processes(jobs: int) -> Iterator[Map]:
        yield sent

    monkeypatch.setattr(workers, "processes", processes)
    return counts


@pytest.fixture
def real(quick: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started after all."""
    monkeypatch.setattr(workers, "processes", REAL)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each look at the input was that of one process by itself."""
    looks: list[bool] = []
    read = formats.read

    def watched(*arguments: Any, apply: Map | None = None, **how: Any) -> Any:
        looks.append(apply is None)
        return read(*arguments, apply=apply, **how)

    monkeypatch.setattr("corefscore.formats.read", watched)
    return looks


def documents_of(path: Path) -> list[str]:
    return ["#begin" + text for text in path.read_text().split("#begin")[1:]]


def folder(path: Path) -> Path:
    """The documents of a file, one a file, in folders of ten."""
    place = path.with_suffix("")
    for number, text in enumerate(documents_of(path)):
        (place / f"{number // 10}").mkdir(parents=True, exist_ok=True)
        (place / f"{number // 10}" / f"{number:02}.conll").write_text(text)
    return place


def json_lines(path: Path, capture: pytest.CaptureFixture[bytes]) -> Path:
    """The file as JSON lines, its documents under the names that models give them."""
    out = path.with_suffix(".jsonl")
    lines = []
    for line in call(capture, "convert", path, "-", "--to", "jsonlines").stdout.decode().splitlines():
        fields = json.loads(line)
        name, part = fields["doc_key"][1:].split("); part ")
        lines.append(json.dumps(fields | {"doc_key": f"{name}_{int(part)}"}))
    out.write_text("\n".join(lines) + "\n")
    return out


def other(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def zipped(path: Path) -> Path:
    out = path.with_suffix(".gz")
    out.write_bytes(gzip.compress(path.read_bytes()))
    return out


def shuffled(path: Path) -> Path:
    texts = documents_of(path)
    random.Random(0).shuffle(texts)
    return other(path, "".join(texts))


def same(capture: pytest.CaptureFixture[bytes], *arguments: str | Path, by: tuple[str, ...] = ("--jobs", "2")) -> Run:
    """What comes out with one process, which has to be what comes out with several."""
    one = call(capture, *arguments)
    assert call(capture, *arguments, *by) == one
    return one


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["none"],
        ["(nw/gen/0000/gen_000031); part 000"],
        ["no such document"],
        ["none", "--repeated", "first"],
        ["none", "--repeated", "refuse"],
        ["none", "--singletons", "drop"],
        ["none", "--strict"],
        ["none", "--quiet"],
        ["none", "--input-format", "conll", "--clusters-field", "any"],
        ["none", "--input-format", "jsonlines"],
        ["--format", "json", "--documents"],
        ["--format", "markdown", "--by", "gen_0000(.)"],
    ],
    ids=" ".join,
)
def test_every_option_gives_the_same_bytes(
    options: list[str], pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """In the second half one document has a repeated mention on either side, another token, and no partner."""
    for path in pair:
        texts = documents_of(path)
        texts[30] = texts[30].replace("\t-\n", "\t(901)|(902)\n", 1)
        other(path, "".join(texts))
    texts = documents_of(pair[1])
    texts[33] = texts[33].replace("\t-\n", "\t-\nmore\t-\n", 1)
    other(pair[1], "".join(texts[:36] + texts[37:]))
    done = same(capfdbinary, "every", *pair, *options)
    assert done.stderr or "--quiet" in options or "gen_000031" in options[0]


@pytest.mark.parametrize("metric", ["muc", "all", "lea"])
def test_messages_about_repeats_come_by_document(
    metric: str, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """In the order of the documents, as the official scorer prints them, not one side after the other (recorded case
    order-of-repeats-0001)."""
    expected = []
    for which, documents in ((1, (3, 20)), (0, (5, 20, 38))):
        texts = documents_of(pair[which])
        for number in documents:
            texts[number] = repeated(documents_of(pair[0])[number])
            expected.append((number, which))
        other(pair[which], "".join(texts))
    done = same(capfdbinary, metric, *pair, "none")
    sides = re.findall(rb"Repeated mention in the (key|response)", done.stdout)
    per_metric = [(b"key", b"response")[which] for _, which in sorted(expected)]
    assert sides == per_metric * (5 if metric == "all" else 1)


def repeated(text: str) -> str:
    """A document whose first mention of one token stands there again, in an entity of its own."""
    return re.sub(r"\t(\(\d+\))\n", r"\t\1|(777)\n", text, count=1)


FORMS: dict[str, Callable[[Path, Path, pytest.CaptureFixture[bytes]], tuple[Path, Path]]] = {
    "files": lambda key, response, capture: (key, response),
    "folders": lambda key, response, capture: (folder(key), folder(response)),
    "a folder and a file": lambda key, response, capture: (folder(key), response),
    "another order": lambda key, response, capture: (key, shuffled(response)),
    "JSON lines": lambda key, response, capture: (json_lines(key, capture), json_lines(response, capture)),
    "names of two forms": lambda key, response, capture: (key, json_lines(response, capture)),
    "names of two forms, the other way": lambda key, response, capture: (json_lines(key, capture), response),
    "compressed": lambda key, response, capture: (zipped(key), response),
    "CRLF": lambda key, response, capture: (other(key, key.read_text().replace("\n", "\r\n")), response),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_input_is_read_in_pieces(
    form: str, quick: list[int], pair: Pair, alone: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = FORMS[form](*pair, capfdbinary)
    alone.clear()
    quick.clear()
    assert not same(capfdbinary, "every", key, response).stderr
    assert alone == [True, True, False, False]
    assert sorted(quick)[-2 if form != "compressed" else -1] > 3


def test_documents_without_partners_are_told_in_the_same_way(
    pair: Pair, alone: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = map(documents_of, pair)
    other(pair[0], "".join(key[:30] + key[31:]))
    other(pair[1], "".join(response[:21] + response[29:]))
    said = same(capfdbinary, "every", *pair, "none").stderr
    assert b"missing-document" in said
    assert b"extra-document" in said
    assert alone == [True, True, False, False]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("#end document", "#end document\nstray\t(1)", b"outside-document"), id="outside"),
        pytest.param(("#begin", "\ufeff#begin", b"byte-order-mark"), id="a mark before a document"),
        pytest.param(("#end document\n", "", b"nested-document"), id="no end"),
        pytest.param(("\n", "\n#begin document again\n", b"nested-document"), id="nested"),
        pytest.param(("\t-\n", "\t(7\n", b"unclosed-mention"), id="unclosed"),
        pytest.param(("gen_000030); part", "gen_000003); part", b"repeated-name"), id="a name twice"),
    ],
)
@pytest.mark.parametrize("side", [0, 1], ids=["key", "response"])
def test_what_is_odd_is_told_by_one_process(
    side: int, change: tuple[str, str, bytes], pair: Pair, alone: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    old, new, code = change
    text = pair[side].read_text()
    half = text.index(old, text.index("gen_000030"))
    other(pair[side], text[:half] + text[half:].replace(old, new, 1))
    assert code in same(capfdbinary, "every", *pair, "none").stderr
    assert alone[-2:] == [True, True]


@pytest.mark.parametrize("side", [0, 1], ids=["key", "response"])
def test_odd_ids_keep_their_names_in_pieces(side: int, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Each process has a list of its own of ids that are not plain numbers."""
    text = pair[side].read_text()
    for at in ("gen_000003", "gen_000030"):
        half = text.index(at)
        text = text[:half] + text[half:].replace("\t-\n", "\t(007)|(007)\n", 1)
    other(pair[side], text)
    assert b"as entities 007, 007" in same(capfdbinary, "every", *pair, "none").stderr


@pytest.mark.parametrize(
    ("line", "options", "code"),
    [
        pytest.param("{", [], "bad-json", id="no JSON"),
        pytest.param('{"doc_key": "x"}', [], "missing-field", id="no clusters"),
        pytest.param('\n{"doc_key": "x", "clusters": 7}', [], "bad-field", id="no list"),
        pytest.param("", ["--clusters-field", "a,b"], "missing-field", id="another field"),
        pytest.param("", ["--clusters-field", ""], "clusters field", id="no name of a field"),
    ],
)
def test_faults_of_json_lines_are_told_by_one_process(
    line: str, options: list[str], code: str, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    response = json_lines(pair[1], capfdbinary)
    other(response, response.read_text() + line + "\n")
    assert code in same(capfdbinary, "muc", pair[0], response, "none", *options).stderr.decode()


@pytest.mark.parametrize("first", [True, False], ids=["the first object", "a later object"])
def test_the_first_object_tells_the_field_of_all_pieces(
    first: bool, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    response = json_lines(pair[1], capfdbinary)
    objects = [json.loads(line) for line in response.read_text().splitlines()]
    for fields in objects[0 if first else 20 :]:
        fields["predicted_clusters"] = []
    other(response, "".join(json.dumps(fields) + "\n" for fields in objects))
    done = same(capfdbinary, "muc", pair[0], response, "none")
    assert (b"(0 / 0) 0%" in done.stdout) == first


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["none", "--named", "contains"],
        ["--format", "json", "--documents", "--singletons", "drop"],
        ["--estimate-key", "--quiet"],
        ["--estimate-key", "--strict"],
        ["--ne-from", "own", "--ne-types", "PER,LOC"],
        ["--ne-types", "GPE"],
        ["--estimate-key", "--write-key", "-", "--output", os.devnull],
    ],
    ids=" ".join,
)
def test_names_are_read_in_pieces(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Forty documents; `LOC` is in the last one only, so no piece alone can say that a type is there."""
    monkeypatch.setattr(pieces, "SIZE", 5_000)
    texts = []
    for number in range(DOCUMENTS):
        names = {(0, 1): "PER", (3, 3): "LOC" if number == DOCUMENTS - 1 else "PER", (number % 4 + 5, 10): "ORG"}
        words = ["Ann", "Bo", "met", "Bo", "in", *(f"w{number}{token}" for token in range(20))]
        entities: list[list[tuple[int, int]]] = [[(0, 1), (2, 3)], [(3, 3), (5, 10)]]
        texts.append([tagged(words, entities[:sides], names, document=f"(d{number}); part 000") for sides in (2, 1)])
    key, response = (other(tmp_path / str(side), "".join(its)) for side, its in enumerate(zip(*texts, strict=True)))
    assert len(list(pieces._pieces([Source(str(key))], b"#"))) > 3
    same(capfdbinary, "cone,lea", key, response, *options)


def test_names_and_words_of_pieces_have_the_lines_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "SIZE", 1_000)
    texts = [tagged(["Ann", "met", "Bo"] * 9, [], {(0, 0): "PER"}, document=f"d{number}") for number in range(20)]
    path = str(other(tmp_path / "key", "".join(texts)))
    names = name_options({})
    whole, cut = (joined(list(formats.read(path, [], names=names, apply=apply))) for apply in (None, map))
    assert len(list(pieces._pieces([Source(path)], b"#"))) > 3
    for one, two in ((whole.texts, cut.texts), (whole.named_entities, cut.named_entities)):
        assert one is not None
        assert two is not None
        assert one.line.tolist() == two.line.tolist()
    assert [place.line for place in cut.places if place] == [place.line for place in whole.places if place]


@pytest.mark.parametrize("command", [["compare"], ["rank", "--sort", "muc"], ["check", "--min", "muc.f1=99"]])
def test_every_command_that_scores_has_jobs(
    command: list[str], pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = pair
    systems = [f"a={response}"] if command[0] == "check" else [f"a={response}", f"b={key}", f"c={key.parent}/no"]
    if command[0] == "check":
        done = same(capfdbinary, *command, key, response)
    else:
        done = same(capfdbinary, *command, "--measures", "muc", "--trials", "50", key, *systems)
    assert done.stdout or b"No such file" in done.stderr


def test_standard_input_is_read_by_one_process(pair: Pair) -> None:
    words = "muc", "-", pair[1], "none"
    one, many = (within(*words, *jobs, stdin=pair[0].read_bytes()) for jobs in ([], ["--jobs", "2"]))
    assert one.status == 0
    assert many == one


def test_large_files_are_cut_where_documents_begin(pair: Pair) -> None:
    key = pair[0]
    found = list(pieces._pieces([Source(str(key))], b"#begin document "))
    assert len(found) > 5
    texts = [key.read_bytes()[stretch.start : stretch.stop] for piece in found for stretch in piece]
    assert b"".join(texts) == key.read_bytes()
    assert all(text.startswith(b"#begin document ") for text in texts)


def test_where_files_are_cut_does_not_depend_on_the_blocks_that_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "key").write_text("".join(f"#begin {d}\n{'w -' * d}\n" for d in range(40)))
    monkeypatch.setattr(pieces, "SIZE", 50)
    whole = list(pieces._cuts(str(path), b"#begin"))
    assert len(whole) > 20
    for block in range(1, 9):
        monkeypatch.setattr(pieces, "BLOCK", block)
        assert list(pieces._cuts(str(path), b"#begin")) == whole


# From here on with processes that are really there.


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("case", ["plain-0036", "documents-0015", "missing-document-0000"])
def test_processes_give_what_was_recorded(case: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    place = RECORDED / case if (RECORDED / case).exists() else next(RECORDED.glob(f"{case[:-5]}*"))
    done = call(capfdbinary, "all", place / "key.conll", place / "response.conll", "none", "--jobs", "2")
    assert done.body == (place / "all-none.txt").read_bytes()


@pytest.mark.usefixtures("real")
def test_processes_give_the_same_bytes(pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for form in ("folders", "names of two forms"):
        same(capfdbinary, "every", *FORMS[form](*pair, capfdbinary), "none", by=("--jobs", "3"))


@pytest.mark.parametrize("number", ["0", "-1", "many"])
def test_a_number_of_jobs_is_one_or_more(number: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "muc", "key", "response", "--jobs", number)
    assert done.status == 2
    assert b"--jobs" in done.stderr


def kill(item: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.usefixtures("real")
def test_a_killed_process_ends_the_run() -> None:
    with pytest.raises(ScorerError, match="was killed, most likely for lack of memory"), workers.processes(2) as apply:
        list(apply(kill, range(4)))


def test_what_only_workers_cannot_do_is_told(pair: Pair) -> None:
    def lost(function: object, items: object) -> Iterator[Any]:
        raise UsageError("key: No such file or directory")
        yield

    with pytest.raises(UsageError, match="the workers cannot do what this process can: key: No such"):
        score(*pair, workers=lost)


Change = Callable[[Path], object]

CHANGES: dict[str, tuple[Change, str]] = {
    "another size": (lambda path: path.write_bytes(path.read_bytes() + b"\n"), r"found another file at /.*; expected"),
    "another time": (lambda path: os.utime(path, ns=(0, 7)), r"bytes of 1970-01-01 00:00:00\.000000007 UTC; expected"),
    "no file": (lambda path: path.rename(path.with_name("elsewhere")), "No such file or directory; they need the same"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_workers_with_other_files_are_refused(
    change: str, pair: Pair, quick: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response is another one wherever a worker looks at it."""
    by, said = CHANGES[change]
    kept = pair[1].read_bytes(), pair[1].stat()

    def elsewhere(function: Any, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            by(pair[1])
            found = pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(item)))))
            pair[1].write_bytes(kept[0])
            os.utime(pair[1], ns=(kept[1].st_atime_ns, kept[1].st_mtime_ns))
            yield found

    monkeypatch.chdir(pair[1].parent)
    message = rf"^the workers cannot do what this process can: {pair[1].name}: .*{said}"
    with pytest.raises(UsageError, match=message):
        score(pair[0].name, pair[1].name, workers=elsewhere)


def test_workers_in_another_folder_read_the_same_files(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = pair[0].parent, tmp_path / "there"
    there.mkdir()
    for path in pair:
        (there / path.name).write_bytes(pair[0].read_bytes())
    monkeypatch.chdir(here)
    key, response = (path.name for path in pair)

    def elsewhere(function: Any, items: Iterable[Any]) -> Iterator[Any]:
        for item in list(items):
            os.chdir(there)
            found = function(item)
            os.chdir(here)
            yield found

    assert score(key, response, workers=elsewhere).to_dict() == score(key, response).to_dict()


def tear(item: object) -> bytes:
    """Megabytes, of which half are sent before the process is killed."""
    from multiprocessing.connection import Connection

    def send(self: Connection, message: bytes, write: object = None) -> None:
        os.write(self.fileno(), bytes(message[: len(message) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send  # type: ignore[attr-defined] # there is no public place to break a send
    return bytes(5_000_000)


KILLED = """
import sys
from corefscore import __main__
from corefscore.core import workers
from corefscore.formats import pieces
sys.path[:0] = {path!r}
from test_jobs import {how}
read = pieces._read
def dying(piece, read, request):
    return {how}(piece) if piece[0].start else pieces.REAL(piece, read, request)
pieces.REAL, pieces._read, pieces.SIZE, workers._processors = pieces._read, dying, 5_000, lambda: {count}
__main__.main()
"""


@pytest.mark.parametrize(
    ("how", "count"),
    [
        ("tear", 2),
        *(pytest.param(*row, marks=pytest.mark.outside) for row in (("kill", 1), ("kill", 2), ("tear", 1))),
    ],
)
def test_a_killed_process_ends_the_command(how: str, count: int, pair: Pair) -> None:
    """Also in the middle of a result, while another process is alive; and where the next item finds nobody."""
    program = KILLED.format(how=how, count=count, path=sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program, "muc", *pair, "none", "--jobs", "2"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"one of {count} processes was killed".encode() in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_closed_pipe_ends_the_command_quietly(pair: Pair) -> None:
    """As without jobs."""
    program = [str(Path(sys.executable).with_name("corefscore")), "muc", *map(str, pair), "--jobs", "2"]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(program, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")


@pytest.mark.usefixtures("real")
def test_errors_of_a_process_arrive_as_they_were_raised() -> None:
    with pytest.raises(ZeroDivisionError) as raised, workers.processes(2) as apply:
        list(apply((1).__truediv__, [1, 0, 1]))
    assert "in another process" in str(raised.value.__cause__)


@pytest.mark.usefixtures("real")
def test_jobs_are_one_or_more_from_python_too() -> None:
    with pytest.raises(UsageError, match="jobs=0: expected 1 or more"), workers.processes(0):
        pass


WAITING = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a job in the background would not have
from corefscore import __main__, cli
from corefscore.core.workers import processes
def run(arguments, program):
    with processes(2) as apply:
        list(apply(len, ["", ""]))
        print("at work", flush=True)
        list(apply(time.sleep, [600] * 4))
cli.run = run
__main__.main()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes as Linux has them")
@pytest.mark.parametrize(
    "end",
    [
        pytest.param(signal.SIGINT, id="SIGINT"),
        pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.outside),
        pytest.param(signal.SIGKILL, id="SIGKILL", marks=pytest.mark.outside),
    ],
)
def test_no_process_outlives_the_command(end: signal.Signals) -> None:
    program = [sys.executable, "-c", WAITING]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if end == signal.SIGINT:  # which a terminal sends to all of them
            os.killpg(process.pid, end)
        else:
            process.send_signal(end)
        try:
            # The pipe is at its end when all who could write to it are gone.
            _, said = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # or leaving this context would wait for ever
            raise
    assert (process.returncode, said) == (-end, b"")


@pytest.mark.parametrize("seconds", [None, 600])
def test_a_measured_command_may_say_more_than_a_pipe_holds(seconds: float | None) -> None:
    program = [sys.executable, "-c", "import sys; sys.stderr.write('said ' * 100_000); sys.exit({})"]
    run = measure([*program[:2], program[2].format(0)], seconds)
    assert run is not None
    assert run.wall > 0
    with pytest.raises(SystemExit, match=r"ended with 3:\n(said ){100000}$"):
        measure([*program[:2], program[2].format(3)], seconds)
