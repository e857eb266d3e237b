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
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from bench import measure
from corefscore import UsageError, formats, score
from corefscore.core import workers
from corefscore.core.sources import Source
from corefscore.core.workers import Map, NotSplittable
from corefscore.scoring import divided
from corefscore.scoring import divided as slices
from generate import Shape, write
from names import tagged
from support import RECORDED, Run, call, within

DOCUMENTS = 40

Pair = tuple[Path, Path]


@cache
def written() -> dict[str, bytes]:
    """The names and contents of two files of forty documents."""
    with TemporaryDirectory() as folder:
        return {path.name: path.read_bytes() for path in write(Shape(DOCUMENTS, 60, 12), Path(folder))}


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Two files of forty documents, which make many slices."""
    monkeypatch.setattr(slices, "SIZE", 5_000)
    key, response = (tmp_path / name for name in written())
    for path in (key, response):
        path.write_bytes(written()[path.name])
    return key, response


REAL = workers.processes


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of processes, a `Map` in which everything goes the way to another process and back."""

    def sent(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            there, its = pickle.loads(pickle.dumps((function, item)))
            yield pickle.loads(pickle.dumps(there(its)))

    @contextmanager
    def processes(jobs: int) -> Iterator[Map]:
        yield sent

    monkeypatch.setattr(workers, "processes", processes)


@pytest.fixture
def real(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes are started after all."""
    monkeypatch.setattr(workers, "processes", REAL)


@pytest.fixture
def by_workers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether workers scored the input at each attempt, instead of one process."""
    done: list[bool] = []
    real = divided.score_by_workers

    def watched(*arguments: Any, **how: Any) -> Any:
        done.append(False)
        result = real(*arguments, **how)
        done[-1] = True
        return result

    monkeypatch.setattr(divided, "score_by_workers", watched)
    return done


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
    for line in call(capture, "convert", path, "-", "--format", "jsonlines").stdout.decode().splitlines():
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
    """What comes out with one process, which has to be what comes out with several, but for the line that says why one
    is used."""
    one = call(capture, *arguments)
    several = call(capture, *arguments, *by)
    assert several._replace(stderr=re.sub(ONE_PROCESS, b"", several.stderr)) == one
    return one


ONE_PROCESS = rb"corefscore: one process is used: .*\n"


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
        ["none", "--input-format", "conll", "--columns", "clusters=any"],
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
def test_workers_score_every_form_of_input_but_two(
    form: str, pair: Pair, by_workers: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = FORMS[form](*pair, capfdbinary)
    assert not same(capfdbinary, "every", key, response, "none").stderr
    assert by_workers == [form not in ("another order", "compressed")]


@pytest.mark.parametrize(
    ("form", "options", "why"),
    [
        ("files", [], None),
        ("compressed", [], "key.gz is compressed or not a plain file"),
        ("another order", [], "different orders"),
        ("files", ["--align"], "--align needs all documents"),
        ("files", ["--of", "kind"], "--of kind needs all documents"),
        ("compressed", ["--quiet"], None),
    ],
)
def test_why_one_process_is_used_is_told_once(
    form: str, options: list[str], why: str | None, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = FORMS[form](*pair, capfdbinary)
    systems = [f"a={response}", f"b={response}"]
    calls: list[list[str | Path]] = [
        ["muc", key, response, "none"],
        ["compare", key, *systems, "--trials", "50", "--measures", "muc"],
    ]
    for words in calls:
        done = call(capfdbinary, *words, *options, "--jobs", "2")
        said = re.findall(ONE_PROCESS, done.stderr)
        assert len(said) == (why is not None), done
        assert why is None or all(why in line.decode() for line in said)


def test_nothing_is_told_about_small_input(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(
        capfdbinary, "muc", *(RECORDED / "plain-0000" / f"{side}.conll" for side in ("key", "response")), "none"
    )
    assert (
        call(
            capfdbinary,
            "muc",
            *(RECORDED / "plain-0000" / f"{side}.conll" for side in ("key", "response")),
            "none",
            "--jobs",
            "2",
        )
        == done
    )


def test_documents_without_partners_are_told_in_the_same_way(
    pair: Pair, by_workers: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = map(documents_of, pair)
    other(pair[0], "".join(key[:30] + key[31:]))
    other(pair[1], "".join(response[:21] + response[29:]))
    said = same(capfdbinary, "every", *pair, "none").stderr
    assert b"missing-document" in said
    assert b"extra-document" in said
    assert by_workers == [True]


@pytest.mark.parametrize(
    ("move", "alone"),
    [
        pytest.param(lambda texts: [*texts[1:], texts[0]], False, id="the first comes last"),
        pytest.param(lambda texts: [*texts[:20], texts[21], texts[20], *texts[22:]], True, id="two neighbours"),
        pytest.param(lambda texts: [*texts, texts[0]], False, id="one comes again"),
        pytest.param(lambda texts: texts[20:] + texts[:20], False, id="halves"),
    ],
)
def test_documents_in_other_places(
    move: Callable[[list[str]], list[str]],
    alone: bool,
    pair: Pair,
    by_workers: list[bool],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    for path in pair:
        whole = path.read_text()
        by_workers.clear()
        other(path, "".join(move(documents_of(path))))
        same(capfdbinary, "every", *pair, "none")
        assert alone or by_workers == [False]
        other(path, whole)


def test_names_that_are_ambiguous_only_in_the_whole_corpus(
    pair: Pair, by_workers: list[bool], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The last document of the key has a name that means the same as that of the first in the other form."""
    response = json_lines(pair[1], capfdbinary)
    text = pair[0].read_text()
    other(pair[0], text.replace("gen_000039); part 000", "gen_000000); part 0"))
    assert b"missing-document" in same(capfdbinary, "muc", pair[0], response, "none").stderr
    assert by_workers == [False]


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
    side: int,
    change: tuple[str, str, bytes],
    pair: Pair,
    by_workers: list[bool],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    old, new, code = change
    text = pair[side].read_text()
    half = text.index(old, text.index("gen_000030"))
    other(pair[side], text[:half] + text[half:].replace(old, new, 1))
    assert code in same(capfdbinary, "every", *pair, "none").stderr
    assert by_workers == [False]


@pytest.mark.parametrize("side", [0, 1], ids=["key", "response"])
def test_odd_ids_keep_their_names_in_pieces(side: int, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Each process has a list of its own of ids that are not plain numbers."""
    text = pair[side].read_text()
    for at in ("gen_000003", "gen_000030"):
        half = text.index(at)
        text = text[:half] + text[half:].replace("\t-\n", "\t(007)|(007)\n", 1)
    other(pair[side], text)
    assert b"in entities 007, 007" in same(capfdbinary, "every", *pair, "none").stderr


@pytest.mark.parametrize(
    ("line", "options", "code"),
    [
        pytest.param("{", [], "bad-json", id="no JSON"),
        pytest.param('{"doc_key": "x"}', [], "missing-field", id="no clusters"),
        pytest.param('\n{"doc_key": "x", "clusters": 7}', [], "bad-field", id="no list"),
        pytest.param("", ["--columns", "response.clusters=b"], "missing-field", id="another field"),
        pytest.param("", ["--columns", "clusters="], "--columns clusters=", id="no name of a field"),
    ],
)
def test_faults_of_json_lines_are_told_by_one_process(
    line: str, options: list[str], code: str, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    response = json_lines(pair[1], capfdbinary)
    other(response, response.read_text() + line + "\n")
    assert code in same(capfdbinary, "muc", pair[0], response, "none", *options).stderr.decode()


@pytest.mark.parametrize("document", [5, 30])
def test_a_column_that_is_not_read_is_told_at_its_line(
    document: int, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Its line was that in the piece; here from one document on the column before the last has mentions."""
    key, response = pair
    told, lines = None, []
    for number, line in enumerate(key.read_text().splitlines(), start=1):
        if line.startswith("#begin"):
            document -= 1
        cell = "(3)" if document < 0 and line.endswith("\t-") else "-"
        told = number if told is None and cell == "(3)" else told
        lines.append(re.sub(r"\t([^\t]*)$", rf"\t{cell}\t\1", line))
    response.write_text("\n".join(lines) + "\n")
    said = same(capfdbinary, "lea", key, response, "none").stderr
    assert f":{told}: notice[same-as-key]".encode() in said


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
    ],
    ids=" ".join,
)
def test_names_are_read_in_pieces(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Forty documents; `LOC` is in the last one only, so no piece alone can say that a type is there."""
    monkeypatch.setattr(slices, "SIZE", 5_000)
    texts = []
    for number in range(DOCUMENTS):
        names = {(0, 1): "PER", (3, 3): "LOC" if number == DOCUMENTS - 1 else "PER", (number % 4 + 5, 10): "ORG"}
        words = ["Ann", "Bo", "met", "Bo", "in", *(f"w{number}{token}" for token in range(20))]
        entities: list[list[tuple[int, int]]] = [[(0, 1), (2, 3)], [(3, 3), (5, 10)]]
        texts.append([tagged(words, entities[:sides], names, document=f"(d{number}); part 000") for sides in (2, 1)])
    key, response = (other(tmp_path / str(side), "".join(its)) for side, its in enumerate(zip(*texts, strict=True)))
    same(capfdbinary, "cone,lea", key, response, *options)


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
    assert many._replace(stderr=b"") == one
    assert many.stderr == b"corefscore: one process is used: - can be read only once\n"


def cut(pair: Pair) -> list[slices.Slice]:
    key, response = (formats.opened(str(path), [], formats.BY_CONTENT, side=None, names=None) for path in pair)
    return list(slices.slices(key, response))


@pytest.mark.parametrize("window", [1, 100, 1 << 16])
def test_slices_have_whole_documents_of_both_sides(window: int, pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Together they are the files; the response has longer lines, so its documents are elsewhere."""
    other(pair[1], pair[1].read_text().replace("\tspeaker", "\tanother speaker"))
    monkeypatch.setattr(slices, "_WINDOWS", (window, 20_000))
    found = cut(pair)
    assert len(found) > 5
    for path, sides in zip(pair, zip(*found, strict=True), strict=True):
        parts = [source for side in sides for source in side.files]
        texts = [path.read_bytes()[part.start : part.stop] for part in parts]
        assert b"".join(texts) == path.read_bytes()
        assert [part.read() for part in parts] == texts
        assert all(text.startswith(b"#begin document ") for text in texts)
    names = [[re.findall(rb"#begin.*", side.files[0].read()) for side in sides] for sides in found]
    assert all(key == response for key, response in names)


def test_little_is_read_here_and_sent_back(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mentions are never sent: documents that are twice as long cost the same."""
    sent: list[int] = []
    read: list[int] = []
    really = slices._read

    def reading(source: Source, start: int, size: int) -> bytes:
        found = really(source, start, size)
        read.append(len(found))
        return found

    def apply(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            found = function(item)
            sent.append(len(pickle.dumps(found)))
            yield found

    monkeypatch.setattr(slices, "_read", reading)
    monkeypatch.setattr(slices, "_LINE", 100)
    monkeypatch.setattr(slices, "_WINDOWS", (10_000, 20_000))
    monkeypatch.setattr(slices, "SIZE", 200_000)
    for tokens in (60, 120):
        pair = write(Shape(600, tokens, tokens // 5), pair[0].parent)
        sent.clear()
        read.clear()
        score(*pair, "every", workers=apply)
        assert len(sent) > 10
        assert sum(sent) < 400 * 600
        assert sum(read) < sum(path.stat().st_size for path in pair) / 5


def test_small_files_and_one_document_are_not_cut(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, size in (("".join(documents_of(pair[0])[:1]) * 1, 100), (pair[0].read_text(), 1 << 20)):
        monkeypatch.setattr(slices, "SIZE", size)
        path = other(pair[0].with_name("other"), text)
        with pytest.raises(NotSplittable):
            cut((path, path))


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


def dying(item: int) -> int:
    """The square of an odd number; an even one kills the process, if it is none of pytest's own."""
    from multiprocessing import parent_process

    if item % 2 == 0 and parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


@pytest.mark.usefixtures("real")
@pytest.mark.parametrize("items", [range(9), range(1, 9), [1, 3, 2], range(0, 8, 2), [7, 9], [0]], ids=str)
def test_the_work_of_killed_processes_is_done(items: Iterable[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_processors", lambda: 3)
    with workers.processes(3) as apply:
        assert list(apply(dying, items)) == [item * item for item in items]


def test_what_only_workers_cannot_do_is_told(pair: Pair) -> None:
    def lost(function: object, items: object) -> Iterator[Any]:
        raise UsageError("key: No such file or directory")
        yield

    with pytest.raises(UsageError, match="the workers failed \\(key: No such"):
        score(*pair, workers=lost)


Change = Callable[[Path], object]

CHANGES: dict[str, tuple[Change, str]] = {
    "another size": (
        lambda path: path.write_bytes(path.read_bytes() + b"\n"),
        "the file at /.* differs on a worker, or is missing there; copy files with their",
    ),
    "another time": (
        lambda path: os.utime(path, ns=(0, 7)),
        "the file at /.* differs on a worker, or is missing there; copy files with their",
    ),
    "no file": (
        lambda path: path.rename(path.with_name("elsewhere")),
        "the file at /.* differs on a worker, or is missing there; .*; workers need the same files",
    ),
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
    message = rf"^the workers failed \({pair[1].name}: .*{said}"
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


def tear(item: object) -> None:
    """Kill the process in the middle of sending a result."""
    from multiprocessing.connection import Connection

    def send(self: Connection, message: bytes, write: object = None) -> None:
        os.write(self.fileno(), bytes(message[: len(message) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)

    Connection._send = send  # type: ignore[attr-defined] # there is no public place to break a send


KILLED = """
import os, signal, sys
from multiprocessing import parent_process
from corefscore import __main__
from corefscore.core import workers
from corefscore.scoring import divided as slices
from corefscore.scoring import divided
sys.path[:0] = {path!r}
from test_jobs import kill, tear
def dying(sides, **how):
    if parent_process() is not None and sides[0].files[0].start > 20_000:
        {how}(sides)
    return divided.REAL(sides, **how)
divided.REAL, divided._count, slices.SIZE, workers._processors = divided._count, dying, 5_000, lambda: {count}
__main__.main()
"""


def kill(item: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("how", "count"),
    [
        ("tear", 2),
        *(pytest.param(*row, marks=pytest.mark.outside) for row in (("kill", 1), ("kill", 2), ("tear", 1))),
    ],
)
def test_killed_processes_change_no_byte(
    how: str, count: int, pair: Pair, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Also in the middle of a result, while another process is alive; and if none is left."""
    program = KILLED.format(how=how, count=count, path=sys.path)
    done = subprocess.run(
        [sys.executable, "-c", program, "muc", *pair, "none", "--jobs", "2"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == call(capfdbinary, "muc", *pair, "none").stdout


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
def work(item):
    print("at work", flush=True)
    time.sleep(600)
def run(arguments, program):
    with processes(2) as apply:
        list(apply(work, range(4)))
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


def test_exchanged_sides_are_told_with_workers(pair: Pair) -> None:
    """Workers look at slices, not at paths."""
    gold, model = pair[0].rename(pair[0].with_name("gold.conll")), pair[1].rename(pair[1].with_name("model.conll"))
    for key, response, told in ((gold, model, False), (model, gold, True)):
        found = score(key, response, "lea", workers=map).notices
        assert ("perhaps-exchanged" in {its.code for its in found}) == told
