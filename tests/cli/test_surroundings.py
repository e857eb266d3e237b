"""What surrounds the command: streams, terminals, pipes, signals, owners, the working folder."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import termios
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from corefscore.core.sources import STDIN, Source
from support import ROOT, TESTDATA, call, command, forked, within

PROGRAM = str(Path(sys.executable).with_name("corefscore"))
KEY, RESPONSE = (str(TESTDATA / "demo" / name) for name in ("key.conll", "response.conll"))
UNBUFFERED = {**os.environ, "PYTHONUNBUFFERED": "1"}
LINE = "(bn/x)\t0\t0\tw\t(1)\n"


@pytest.fixture
def large(tmp_path: Path) -> str:
    """A file whose official output is larger than a pipe, and than any limit here."""
    path = tmp_path / "large.conll"
    documents = (f"#begin document ({n}); part 000\n{LINE * 3}#end document\n" for n in range(2000))
    path.write_text("".join(documents))
    return str(path)


def run(*arguments: str, buffered: bool = False, **how: Any) -> subprocess.CompletedProcess[bytes]:
    """The command with unbuffered streams, as containers have them."""
    environment = dict(os.environ if buffered else UNBUFFERED)
    how.setdefault("stderr", subprocess.PIPE)
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a limit on files would cut compiled modules, too
    return subprocess.run([PROGRAM, *arguments], env=environment, check=False, timeout=60, **how)


def outside(*rows: tuple[Any, ...]) -> list[Any]:
    """Rows that start processes and hardly differ from the others."""
    return [pytest.param(*row, marks=pytest.mark.outside) for row in rows]


TABLE = "muc KEY KEY --format csv --documents"


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


# Every write is complete or an error


@pytest.mark.parametrize(
    ("arguments", "buffered"),
    [
        ("scores", False),
        ("--help", True),
        *outside(("scores", True), ("--help", False), ("lea --help", False), ("lea --help", True)),
        *outside((TABLE, False), (TABLE, True)),
    ],
)
def test_a_file_that_may_not_grow_is_told(arguments: str, buffered: bool, large: str, tmp_path: Path) -> None:
    words = ["muc", large, large] if arguments == "scores" else arguments.replace("KEY", large).split()
    with (tmp_path / "out").open("wb") as out:
        done = run(*words, buffered=buffered, stdout=out, preexec_fn=limited)
    assert (done.returncode, done.stderr) == (2, b"corefscore: standard output: File too large\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("line", [f"muc {KEY} {RESPONSE}", *outside(("--help",), ("--version",), ("lea --help",))])
def test_a_full_disk_is_told_where_nothing_is_buffered(line: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*line.split(), stdout=full)
    assert (done.returncode, done.stderr) == (2, b"corefscore: standard output: No space left on device\n")


def unblocked(*arguments: str, stream: str) -> bytes:
    """What comes out of a pipe that does not block, and whose reader is slow."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    with subprocess.Popen([PROGRAM, *arguments], env=UNBUFFERED, **{stream: write}) as process:  # type: ignore[call-overload]
        os.close(write)
        with os.fdopen(read, "rb", buffering=0) as pipe:
            found = b"".join(iter(lambda: pipe.read(512), b""))
        assert process.wait(60) in (0, 1)
    return found


@pytest.mark.outside
@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size here")
def test_a_pipe_that_does_not_block_gets_all(large: str, tmp_path: Path) -> None:
    assert unblocked("muc", large, large, stream="stdout") == command("muc", large, large).stdout
    bad = tmp_path / "bad.conll"
    bad.write_text(Path(large).read_text().replace("(1)", "(1"))
    assert unblocked("muc", large, str(bad), stream="stderr") == command("muc", large, str(bad)).stderr


@pytest.mark.outside
def test_what_is_no_regular_file_gets_all(large: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([PROGRAM, "muc", large, large, "--output", str(pipe)], env=UNBUFFERED) as process:
        assert pipe.read_bytes() == command("muc", large, large).stdout
        assert process.wait(60) == 0


# Pipes


def test_a_pipe_in_a_folder_is_skipped_with_a_notice(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "key.conll").write_bytes(Path(KEY).read_bytes())
    os.mkfifo(folder / "pipe.conll")
    said = f"{folder}/pipe.conll: notice[not-a-file] this is not a regular file, but a pipe".encode()
    reading: list[list[str | Path]] = [
        ["muc", folder, KEY, "none"],
        ["muc", KEY, folder, "none"],
        ["convert", folder, tmp_path / "out"],
    ]
    for words in reading:
        done = within(*words)
        assert done.status == 0
        assert said in done.stderr
    checking: list[list[str | Path]] = [["validate", folder], ["validate", KEY, "--key", folder]]
    for words in checking:
        done = within(*words)
        assert done.status == 0
        assert said in done.stdout
    assert within("muc", folder, KEY, "none", "--strict").status == 1
    (folder / "key.conll").unlink()
    done = within("muc", folder, KEY)
    assert (done.status, done.stderr) == (2, f"corefscore: {folder}: the folder contains no regular file\n".encode())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("muc PIPE PIPE", "PIPE can be read only once, and PIPE is the same; save it to a file first"),
        ("validate PIPE --key ./PIPE", "./PIPE can be read only once, and PIPE is the same"),
        ("check PIPE KEY PIPE", "PIPE can be read only once"),
        ("compare KEY PIPE RESPONSE B=PIPE", "PIPE can be read only once"),
        ("validate PIPE --fix PIPE", "PIPE: --fix reads OUT again once it is written; give a regular file"),
        ("validate KEY --fix PIPE", "PIPE: --fix reads OUT again once it is written; give a regular file"),
        ("muc PIPE KEY --output PIPE", "--output PIPE would overwrite PIPE, which is read; name another file"),
    ],
)
def test_one_pipe_is_not_read_twice(line: str, said: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "PIPE")
    done = within(*line.replace("KEY", KEY).replace("RESPONSE", RESPONSE).split(), cwd=tmp_path)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(f"corefscore: {said}".encode())


def test_a_check_does_not_replace_its_baseline(tmp_path: Path) -> None:
    """With the name of the metric before it, too."""
    baseline = tmp_path / "old.txt"
    baseline.write_bytes(within("muc", KEY, RESPONSE, "none", "--quiet").stdout)
    before = baseline.read_bytes()
    for given in (str(baseline), f"muc={baseline}"):
        done = within("check", given, KEY, RESPONSE, "--output", baseline)
        assert done.status == 2 and b"would overwrite" in done.stderr
        assert baseline.read_bytes() == before
    baseline.write_bytes(within("all", KEY, RESPONSE, "none").stdout * 2)
    assert b"the file has two totals of muc" in within("check", baseline, KEY, RESPONSE).stderr


def test_what_was_read_from_a_pipe_is_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    size = 10**7
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"w" * size)))
    source = Source(STDIN)
    source.head(1)
    tracemalloc.start()
    assert len(source.read()) == size
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * size


def test_standard_input_under_two_names_is_not_read_twice() -> None:
    done = run("muc", "-", "/dev/stdin", input=Path(KEY).read_bytes(), stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"/dev/stdin can be read only once, and - is the same" in done.stderr


@pytest.mark.outside
def test_two_pipes_are_two(tmp_path: Path) -> None:
    line = f"{PROGRAM} muc <(cat {KEY}) <(cat {RESPONSE}) none"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, command("muc", KEY, RESPONSE, "none").stdout)


# Signals

ENDING = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE

RAISING = """
import json, os, signal, sys
from corefscore.cli import output
real = os.replace
def raising(out, number, when):
    # Whatever the tests themselves run under, such as nohup.
    signal.signal(number, signal.SIG_IGN if when == "ignored" else signal.SIG_DFL)
    def kill(): os.kill(os.getpid(), number)
    def pieces():
        yield from ["new"] * 5000
        if when in ("within", "ignored"): kill()
        if when == "twice":
            try: kill()
            finally: kill(); kill()
        yield "more"
    def replace(*names):
        real(*names)
        kill()
    if when == "after": os.replace = replace
    try: output.write(pieces(), out)
    finally: print("more was done", flush=True)
ends = []
for folder, number, when in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        os.dup2(os.open(folder + ".said", os.O_CREAT | os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.exit(raising(folder + "/out", number, when))
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""


def test_a_signal_leaves_the_old_file_or_the_new_one_and_ends(tmp_path: Path) -> None:
    """Right after the file was moved into its place, too. As under nohup, an ignored signal stays ignored."""
    rows = [(number, when) for number in ENDING for when in ("within", "twice", "after", "ignored")]
    folders = [tmp_path / f"{number.name} {when}" for number, when in rows]
    for folder in folders:
        folder.mkdir()
        (folder / "out").write_text("old")
    asked = json.dumps([(str(folder), int(number), when) for folder, (number, when) in zip(folders, rows, strict=True)])
    done = subprocess.run([sys.executable, "-c", RAISING, asked], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    new = "new" * 5000 + "more"
    for folder, (number, when), end in zip(folders, rows, json.loads(done.stdout), strict=True):
        ignored = when == "ignored"
        said = folder.with_name(f"{folder.name}.said").read_text()
        assert (end, said) == ((0, "more was done\n") if ignored else (-number, "")), folder.name
        assert [path.name for path in folder.iterdir()] == ["out"], folder.name
        assert (folder / "out").read_text() == (new if when in ("after", "ignored") else "old"), folder.name


EVERYWHERE = """
import os, signal, sys
from corefscore.cli import output
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGPIPE")]
for number in ENDING: signal.signal(number, signal.SIG_DFL)
out, fails, again = sys.argv[1], *map(int, sys.argv[2:])
def content(terminal):
    yield b"new"
    if fails: raise OSError
LOOKED_AT = "cli/output.py", "cli/signals.py", "contextlib.py"
seen = last = 0
def count(frame, event, arg):
    global seen
    if not frame.f_code.co_filename.endswith(LOOKED_AT): return None
    frame.f_trace_opcodes = True
    seen += 1
    if seen == last: os.kill(os.getpid(), ENDING[last % 4])
    return count
remove = os.unlink
def unlink(name):
    global again
    if again and seen >= last:
        number, again = ENDING[(last + again) % 4], 0
        os.kill(os.getpid(), number)
    remove(name)
os.unlink = unlink
os.fsync = lambda descriptor: None  # it takes most of the time
def child(step):
    global last
    last = step
    sys.settrace(count)
    try: output.to_file(out, content)
    except output.UsageError: pass
    finally: sys.settrace(None)
    os._exit(0)
step = status = 1
while status:
    with open(out, "w") as file: file.write("old")
    pid = os.fork()
    if not pid: child(step)
    status = os.waitpid(pid, 0)[1]
    assert not status or os.WTERMSIG(status) in ENDING, (step, status)
    assert os.listdir(os.path.dirname(out)) == ["out"], (step, status)
    assert open(out).read() in ("old", "old" if fails else "new"), (step, status)
    step += 1
print(step)
"""


@pytest.mark.outside
@pytest.mark.parametrize(("fails", "again"), [(0, 0), (1, 0), (0, 1), (1, 2)])
def test_no_instruction_is_one_at_which_a_signal_leaves_half_a_file(fails: int, again: int, tmp_path: Path) -> None:
    """A signal at each instruction in turn, of this package and of the library; and another one while that is cleared
    away. No error gets past the end that a signal makes, so the loop ends at the first step that is none."""
    words: list[str] = [sys.executable, "-c", EVERYWHERE, str(tmp_path / "out"), str(fails), str(again)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout) > 100


def test_an_interrupt_during_start_up_is_quiet(tmp_path: Path) -> None:
    """Within the import of a library that takes it for an error of its own."""
    (tmp_path / "click.py").write_text(
        "import os, signal\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    [None for _ in range(100000)]\n"
        "except BaseException:\n    raise ImportError('cannot be imported')\n"
    )
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"sys.path.insert(0, {str(tmp_path)!r}); from corefscore.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program, "--help"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_an_interrupt_while_the_first_modules_are_imported_is_quiet(tmp_path: Path) -> None:
    (tmp_path / "signal.py").write_text("raise KeyboardInterrupt")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import corefscore.__main__"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_little_comes_before_the_command_settles_what_signals_do() -> None:
    """An interrupt before is one of Python's own start-up, with its traceback."""
    program = "import sys; before = {*sys.modules}; import corefscore; print(sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, cwd=ROOT / "scorer", check=True)
    assert done.stdout == b"['__future__', 'corefscore', 'corefscore.core']\n"


LITTLE_SPACE = """
import resource, sys
from pathlib import Path
import corefscore.cli, corefscore.__main__, corefscore.core.workers, corefscore.scoring.evaluate, numpy
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = used + corefscore.core.workers.KEPT // 2
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
sys.exit(corefscore.__main__.command())
"""


@pytest.mark.outside
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="nothing tells the size of the address space")
def test_a_small_address_space_costs_time_only() -> None:
    """One that has no room for the blocks which make memory usable again, but for a small run."""
    program = [sys.executable, "-c", LITTLE_SPACE, "muc", KEY, RESPONSE]
    done = subprocess.run(program, capture_output=True, check=False)
    expected = run("muc", KEY, RESPONSE, stdout=subprocess.PIPE).stdout
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


FORKING = """
import os, signal
from corefscore.cli.signals import clearing
signal.signal(signal.SIGTERM, signal.SIG_DFL)
with clearing(lambda: os.write(1, b"cleared")):
    child = os.fork()
    if not child: os.kill(os.getpid(), signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
    os.write(1, b"the child has ended, ")
"""


def test_a_child_does_not_clear_away_what_its_parent_began() -> None:
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"the child has ended, cleared", b"")


FIRST_PROCESS = """
import os, signal, sys
from corefscore.cli import signals
def ended(number):
    own = os.getpid()
    signal.signal(number, signal.SIG_DFL)
    os.getpid = lambda: 1
    signals.as_first_process()
    os.kill(own, number)
for number in map(int, sys.argv[1:]):
    child = os.fork()
    if not child: ended(number)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_the_first_process_of_a_container_ends_by_a_signal_with_its_status() -> None:
    """The kernel gives the first process no signal that it has no handler for, not even one that it sends itself."""
    words = [sys.executable, "-c", FIRST_PROCESS, *(str(int(number)) for number in ENDING)]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [int(status) for status in done.stdout.split()] == [128 + number for number in ENDING]


ENDED = """
import atexit, multiprocessing, time
from corefscore.__main__ import _exit
def child(pipe):
    time.sleep(0.1)
    pipe.send("sent by a child")
here, there = multiprocessing.Pipe(duplex=False)
atexit.register(lambda: print("called at the end,", here.recv()))
multiprocessing.get_context("fork").Process(target=child, args=[there]).start()
print("printed, not flushed")
_exit(3)
"""


def test_the_quick_end_waits_for_threads() -> None:
    program = """
import threading, time
from corefscore.__main__ import _exit
threading.Thread(target=lambda: (time.sleep(0.2), print("printed by a thread"))).start()
_exit(3)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (3, b"printed by a thread\n")


def test_the_quick_end_loses_no_output_and_no_status() -> None:
    done = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (3, b"")
    assert done.stdout == b"printed, not flushed\ncalled at the end, sent by a child\n"


# What a new file keeps of the old one


def test_owner_and_mode_are_kept_and_lost_links_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    out.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(out, 1234, 5678)
    before = out.stat()
    done = command("muc", KEY, RESPONSE, "--output", out)
    assert (done.status, done.stderr) == (0, b"")
    after = out.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    other = tmp_path / "other"
    other.hardlink_to(out)
    done = command("lea", KEY, RESPONSE, "--output", out)
    assert done.status == 0
    assert done.stderr.startswith(
        f"{out}: notice[replaced-file] the file that this one replaces has 1 other hard link".encode()
    )
    assert b"LEA" not in other.read_bytes()
    out.unlink()
    out.hardlink_to(other)
    assert command("lea", KEY, RESPONSE, "--output", out, "--quiet").stderr == b""


def test_a_link_stays_a_link_and_its_file_is_replaced_from_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Only within one folder is a move sure to be one step: another may be on another disk."""
    moved: list[tuple[str, str]] = []
    replace = os.replace

    def noted(old: str, new: str) -> None:
        moved.append((old, new))
        replace(old, new)

    monkeypatch.setattr(os, "replace", noted)
    (tmp_path / "folder").mkdir()
    out, link = tmp_path / "folder" / "out", tmp_path / "link"
    out.write_text("old")
    link.symlink_to(out)
    mask = os.umask(0o27)
    try:
        assert call(capfdbinary, "muc", KEY, RESPONSE, "--output", link).status == 0
        assert call(capfdbinary, "muc", KEY, RESPONSE, "--output", tmp_path / "new").status == 0
    finally:
        after = os.umask(mask)
    assert (link.is_symlink(), out.read_bytes()) == (True, (tmp_path / "new").read_bytes())
    folders = [tuple(Path(name).parent for name in names) for names in moved]
    assert folders == [(out.parent, out.parent), (tmp_path, tmp_path)]
    assert (after, (tmp_path / "new").stat().st_mode & 0o777) == (0o27, 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_owner_that_cannot_be_kept_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """An owner may be refused alone, since a user may give a file to a group that is his own."""
    fchown = os.fchown

    def refused(descriptor: int, owner: int, group: int) -> None:
        if owner != -1 or group not in may:
            raise PermissionError
        fchown(descriptor, owner, group)

    monkeypatch.setattr(os, "fchown", refused)
    out = tmp_path / "out"
    may: list[int] = []
    for group in (os.getegid(), 5678):
        out.write_text("old")
        os.chown(out, 1234, 5678)
        out.chmod(0o4755)
        done = call(capfdbinary, "muc", KEY, RESPONSE, "--output", out)
        told = f"belonged to user 1234 and group 5678, but this one belongs to user 0 and group {group}\n"
        assert told.encode() in done.stderr
        assert (done.status, out.stat().st_mode & 0o7777, out.stat().st_gid) == (0, 0o755, group)
        may = [5678]


# Terminals


def on_a_terminal(*arguments: str) -> bytes:
    """What the command prints on a terminal; less than one holds that nobody reads yet."""
    ours, its = pty.openpty()
    attributes = termios.tcgetattr(its)
    attributes[1] &= ~termios.OPOST  # line ends stay as they are
    termios.tcsetattr(its, termios.TCSANOW, attributes)
    with open(os.devnull, "r+b") as nothing:
        status, _ = forked(*arguments, streams=[nothing.fileno(), its, nothing.fileno()])
    os.close(its)
    found = b""
    try:
        while got := os.read(ours, 1 << 16):
            found += got
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert status == 0
    return found


@pytest.mark.parametrize(
    "options", [[], ["--format", "csv", "--documents"], ["--format", "tsv", "--documents"]], ids=str
)
def test_control_characters_are_pictures_on_a_terminal_and_bytes_elsewhere(options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "odd.conll"
    path.write_bytes(b"#begin document a\x1b[2Jb\x9b\xc2\x9bc\n" + LINE.encode() + b"#end document\n")
    piped = command("muc", path, path, *options).stdout
    assert b"a\x1b[2Jb\x9b\xc2\x9bc" in piped
    shown = on_a_terminal("muc", str(path), str(path), *options)
    assert "a\u241b[2Jb".encode() in shown
    assert not {0x1B, 0x9B} & set(shown.decode("utf-8").encode("latin-1", "replace"))
    assert shown.count(b"\n") == piped.count(b"\n")
    command("muc", path, path, *options, "--output", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == piped


def test_markdown_shows_a_name_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "odd.conll"
    path.write_text(f"#begin document <img src=x onerror=y> &lt; |\n{LINE}#end document\n")
    shown = command("muc", path, path, "--format", "markdown", "--documents").stdout.decode()
    assert "&lt;img src=x onerror=y&gt; &amp;lt; \\|" in shown


# The environment


@pytest.mark.parametrize("line", ["lea KEY RESPONSE", *outside(("validate KEY",), ("errors KEY RESPONSE",))])
def test_an_empty_environment_changes_nothing(line: str) -> None:
    """Neither HOME nor PATH nor a locale, as some schedulers start programs."""
    words = [KEY if word == "KEY" else word.replace("RESPONSE", RESPONSE) for word in line.split()]
    done = subprocess.run([PROGRAM, *words], env={}, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == command(*words)
    assert done.stdout


# The working folder


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("$P -m corefscore muc $K $R none", 0, b""),
        ("$C muc $K $R none --output out", 2, b"corefscore: out: No such file or directory\n"),
        *outside(
            ("$C muc $K $R none --jobs 2", 0, b""),
            ("$C muc key response none --jobs 2", 2, b"corefscore: key: No such file or directory\n"),
            ("$C convert $K out --quiet", 2, b"corefscore: out: No such file or directory\n"),
        ),
    ],
)
def test_a_working_folder_that_is_gone_is_not_blamed_on_others(
    line: str, status: int, said: bytes, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    names = {"C": PROGRAM, "P": sys.executable, "K": KEY, "R": RESPONSE, **os.environ}
    done = subprocess.run(
        f"cd {folder} && rmdir {folder} && {line}", shell=True, capture_output=True, env=names, check=False
    )
    assert done.returncode == status
    assert done.stderr.startswith(said)
    assert b"Traceback" not in done.stderr
    assert b"standard output" not in done.stderr
