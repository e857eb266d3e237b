"""The command line as people use it: every argument and option, in processes of its own."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from corefscore import __version__
from corefscore.cli import COMMANDS, COMPLETE, commands, run, synonyms
from corefscore.core.errors import InputError, suggested
from corefscore.core.findings import Finding
from corefscore.metrics import GROUPS, NAMES, RESERVED, find
from support import RECORDED, ROOT, TESTDATA, call, within

CASE = RECORDED / "documents-0051"
KEY, RESPONSE = CASE / "key.conll", CASE / "response.conll"
BAD = TESTDATA / "bad"
PROGRAM = Path(sys.executable).with_name("corefscore")


def test_help_lists_every_metric_and_group() -> None:
    done = within("--help")
    assert done.status == 0
    for name in (*NAMES, *GROUPS):
        assert f"\n  {name} ".encode() in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_metric_gives_its_definition_and_paper(name: str) -> None:
    text = "".join(within(name, "--help").stdout.decode().split())
    _, definition, paper, _ = find(name).described()
    assert paper.startswith("Paper: ")
    for paragraph in (definition, paper):
        assert "".join(paragraph.split()) in text


@pytest.mark.parametrize("words", [[], *([name] for name in (*NAMES, *GROUPS, *COMMANDS))], ids=" ".join)
def test_help_fits_a_terminal(words: list[str]) -> None:
    """80 columns; the short form shows the same."""
    done = within(*words, "-h")
    assert (done.status, done.stderr) == (0, b"")
    assert done.stdout == within(*words, "--help").stdout
    assert max(map(len, done.stdout.decode().splitlines())) <= 80


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(option: str) -> None:
    assert within(option) == (0, f"corefscore {__version__}\n".encode(), b"")


def test_no_arguments_show_the_help_and_are_wrong_usage() -> None:
    done = within()
    assert (done.status, done.stdout) == (2, b"")
    assert b"corefscore [OPTIONS] METRIC KEY RESPONSE [NAME]" in done.stderr


def test_the_first_line_tells_both_versions() -> None:
    first = within("muc", KEY, RESPONSE, "none").stdout.splitlines()[0]
    assert first == f"version: 8.01 corefscore {__version__}".encode()


def test_metric_names_are_read_in_any_letter_case() -> None:
    assert within("LeA", KEY, RESPONSE).body == (CASE / "lea.txt").read_bytes()


def test_all_stands_for_the_official_five_byte_for_byte() -> None:
    assert within("all", KEY, RESPONSE, "none").body == (CASE / "all-none.txt").read_bytes()


def test_every_adds_lea_to_the_official_five() -> None:
    lea = b"\nMETRIC lea:\n" + (CASE / "lea-none.txt").read_bytes()
    assert within("every", KEY, RESPONSE, "none").body == (CASE / "all-none.txt").read_bytes() + lea


def test_a_list_of_metrics_comes_in_its_own_order_each_under_its_heading() -> None:
    expected = b"".join(
        b"\nMETRIC %s:\n" % name + (CASE / f"{name.decode()}.txt").read_bytes() for name in (b"lea", b"muc")
    )
    assert within("lea,muc", KEY, RESPONSE).body == expected


def test_conll_ends_in_the_average_of_the_three_uncut_f1() -> None:
    """MUC 80 / 97 + 80 / 94, B-cubed and CEAF-e as recorded: the mean of the uncut values, then cut off."""
    lines = within("conll", KEY, RESPONSE, "none").stdout.decode().splitlines()
    official = [line for line in lines if line.startswith("Coreference: ")]
    mean = 0.0
    for line in official:
        (a, b), (c, d) = [[float(number) for number in part.split(")")[0].split(" / ")] for part in line.split("(")[1:]]
        mean += 2 * (c / d) * (a / b) / (c / d + a / b) / 3
    assert len(official) == 3
    assert lines[-1] == f"CoNLL average: F1: {int(mean * 10000) / 100:.15g}%"


def test_no_other_group_prints_anything_after_the_last_official_line() -> None:
    for words in ("all", "every", "muc,bcub,ceafe"):
        assert within(words, KEY, RESPONSE, "none").stdout.endswith(b"%\n" + b"-" * 74 + b"\n")


def test_a_name_scores_that_document_only() -> None:
    name = "(bc/cctv/01/cctv_"
    name = next(line[16:-1] for line in KEY.open(newline="") if line.startswith(f"#begin document {name}"))
    assert within("muc", KEY, RESPONSE, name).body == (CASE / "muc-name.txt").read_bytes()


@pytest.mark.parametrize("side", [0, 1])
def test_one_side_can_be_standard_input(side: int) -> None:
    paths: list[str | Path] = [KEY, RESPONSE]
    given = Path(paths[side]).read_bytes()
    paths[side] = "-"
    assert within("muc", *paths, stdin=given).body == (CASE / "muc.txt").read_bytes()


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), ("", gzip.compress)],
)
def test_compressed_files_are_read_whatever_their_name(
    suffix: str, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    packed = tmp_path / f"key.conll{suffix}"
    packed.write_bytes(compress(KEY.read_bytes()))
    assert within("muc", packed, RESPONSE).body == (CASE / "muc.txt").read_bytes()


def test_a_pipe_can_be_either_side_and_its_lines_are_still_shown(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    folder = BAD / "unclosed"
    with subprocess.Popen([PROGRAM, "lea", folder / "key.conll", pipe], stderr=subprocess.PIPE) as process:
        pipe.write_bytes((folder / "response.conll").read_bytes())
        _, errors = process.communicate()
    assert b"    (1)|(2\n        ^^\n" in errors


def split(source: Path, folder: Path) -> None:
    """Each document of a file as a file of its own, in folders below ``folder``, in name order."""
    documents = source.read_text().split("#begin document ")[1:]
    for number, document in enumerate(documents):
        (folder / f"part{number // 2}").mkdir(parents=True, exist_ok=True)
        (folder / f"part{number // 2}" / f"{number}.conll").write_text(f"#begin document {document}")


def test_a_folder_is_one_corpus_in_name_order(tmp_path: Path) -> None:
    split(KEY, tmp_path)
    assert within("muc", tmp_path, RESPONSE).body == (CASE / "muc.txt").read_bytes()


def test_files_of_a_folder_whose_names_begin_with_a_dot_are_passed_over(tmp_path: Path) -> None:
    split(KEY, tmp_path)
    (tmp_path / ".hidden").write_text("not CoNLL\n")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("not CoNLL\n")
    assert within("muc", tmp_path, RESPONSE).body == (CASE / "muc.txt").read_bytes()


def test_a_pattern_chooses_among_the_files_of_a_folder(tmp_path: Path) -> None:
    split(KEY, tmp_path)
    (tmp_path / "README.md").write_text("not CoNLL\n")
    assert within("muc", tmp_path, RESPONSE).status == 1
    assert within("muc", tmp_path / "*.conll", RESPONSE).body == (CASE / "muc.txt").read_bytes()


def test_a_pattern_that_matches_nothing_is_wrong_usage(tmp_path: Path) -> None:
    split(KEY, tmp_path)
    done = within("muc", tmp_path / "*.txt", RESPONSE)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr == f"corefscore: {tmp_path}: the folder contains no file that matches *.txt\n".encode()


def test_clean_input_writes_nothing_to_standard_error() -> None:
    assert within("every", KEY, RESPONSE).stderr == b""


def test_quiet_drops_notices_and_leaves_the_output_as_it_is() -> None:
    folder = BAD / "missing-document"
    loud = within("lea", "key.conll", "response.conll", cwd=folder)
    quiet = within("lea", "key.conll", "response.conll", "--quiet", cwd=folder)
    assert loud.stderr
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, b"")


@pytest.mark.parametrize("spans", [11, 40])
def test_errors_are_capped_and_their_cause_comes_last(spans: int, tmp_path: Path) -> None:
    """Every span is marked twice in the response, which is refused from the eleventh on."""
    rows = "".join(f"d\t0\t{n}\tw{n}\t(1)\n" for n in range(spans))
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(f"#begin document d\n{rows}#end document\n")
    response.write_text(key.read_text().replace("(1)", "(1)|(2)"))
    done = within("muc", key, response)
    lines = done.stderr.decode().splitlines()
    (cause,) = (line for line in lines if "error[too-many-repeated]" in line)
    assert (done.status, lines[-2]) == (1, cause)
    assert "score with --repeated first" in lines[-1]
    assert sum("error[repeated-mention]" in line for line in lines) == 5
    assert lines[-3] == f"... and {spans - 5} more errors [repeated-mention]"
    quiet = within("muc", key, response, "--quiet")
    assert (quiet.status, quiet.stderr.decode().splitlines()) == (1, [*lines[-2:], f"... and {spans} more errors"])


def test_errors_of_one_kind_are_capped() -> None:
    """As Python sees them, too; none of them is the cause of the others."""
    findings = [Finding("no-document", "file", line, details={"what": "w", "expected": "e"}) for line in range(1, 8)]
    lines = str(InputError(findings)).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "... and 2 more errors [no-document]"
    assert InputError(findings).brief.splitlines()[-1] == "... and 6 more errors"
    assert len(InputError(findings).findings) == 7


def test_quiet_keeps_the_official_messages() -> None:
    folder = RECORDED / "repeat-both-0013"
    done = within("muc", folder / "key.conll", folder / "response.conll", "--quiet")
    assert b"Repeated mention in the key: 25, 25 1214\n" in done.stdout


def test_repeated_first_counts_the_first_copy_on_either_side() -> None:
    """Document 4 of the case marks (2,4) and (14,14) twice in the key, (14,14) twice in the response."""
    folder = RECORDED / "repeat-both-0013"
    name = "(bc/cctv/04/cctv_1667); part 004"
    done = within("ceafe", folder / "key.conll", folder / "response.conll", name, "--repeated", "first")
    assert b"Coreference: Recall: (1 / 1) 100%\tPrecision: (1 / 1) 100%\tF1: 100%\n" in done.stdout
    assert b"Repeated mention" not in done.stdout


def test_repeated_first_never_refuses() -> None:
    """The first copies put four tokens into one entity, of which the key makes two of two."""
    folder = BAD / "too-many-repeats"
    done = within("muc", folder / "key.conll", folder / "response.conll", "none", "--repeated", "first")
    assert done.status == 0
    assert b"\nCoreference: Recall: (2 / 2) 100%\tPrecision: (2 / 3) 66.66%\tF1: 80%\n" in done.stdout


def test_repeats_are_counted_afresh_for_each_metric_of_a_list(tmp_path: Path) -> None:
    """Six repeats in the response, two metrics: twelve, were they added up."""
    rows = "".join(f"d\t0\t{n}\tw\t(1)\n" for n in range(6))
    key = tmp_path / "key.conll"
    key.write_text(f"#begin document d\n{rows}#end document\n")
    response = tmp_path / "response.conll"
    response.write_text(key.read_text().replace("(1)", "(1)|(2)"))
    done = within("muc,bcub", key, response, "none")
    assert done.status == 0
    assert done.stdout.count(b"Repeated mention in the response") == 12


@pytest.mark.parametrize("start", [[], ["perl"]], ids=["itself", "under perl"])
def test_under_the_name_of_the_official_scorer_there_are_no_notices(start: list[str], tmp_path: Path) -> None:
    if start and not shutil.which("perl"):
        pytest.skip("there is no perl")
    link = tmp_path / "scorer.pl"
    link.symlink_to(PROGRAM)
    folder = BAD / "missing-document"
    call = [*start, str(link), "muc", "key.conll", "response.conll"]
    done = subprocess.run(call, cwd=folder, capture_output=True, check=True)
    assert done.stdout == within("muc", "key.conll", "response.conll", cwd=folder).stdout
    assert not done.stderr


def test_the_module_can_be_run() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "corefscore", "muc", KEY, RESPONSE], capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout.endswith((CASE / "muc.txt").read_bytes())


def long_pair(folder: Path) -> Path:
    """A file whose verbose output does not fit into any pipe buffer."""
    path = folder / "long.conll"
    path.write_text("#begin document d\n" + "d\t0\t0\tw\t(1)\n" * 50_000 + "#end document\n")
    return path


def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    path = long_pair(tmp_path)
    with subprocess.Popen([PROGRAM, "muc", path, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.wait() == -signal.SIGPIPE
        assert process.stderr.read() == b""


def test_an_interrupt_ends_the_command_quietly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Whoever runs the tests may ignore the signal, which a process passes on to its children.
    restore = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    )
    call = [sys.executable, "-c", restore, *map(str, (PROGRAM, "muc", pipe, KEY))]
    with subprocess.Popen(call, stderr=subprocess.PIPE) as process:
        assert process.stderr
        with pipe.open("wb"):  # opens once the command waits for the pipe
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == -signal.SIGINT
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told_and_not_taken_for_success(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([PROGRAM, "muc", KEY, RESPONSE], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"corefscore: standard output: No space left on device\n")


@pytest.mark.parametrize("words", ["ALL", "muc, bcub,CEAFM ,ceafe,blanc", "muc,muc,bcub,ceafm,ceafe,blanc"])
def test_lists_and_groups_are_read_in_any_case_with_blanks_and_without_doubles(words: str) -> None:
    assert within(words, KEY, RESPONSE, "none").body == (CASE / "all-none.txt").read_bytes()


def test_conll_can_stand_in_a_list_and_its_average_stays_last() -> None:
    alone = within("conll", KEY, RESPONSE, "none").stdout.splitlines()[-1]
    lines = within("Conll, lea", KEY, RESPONSE, "none").stdout.splitlines()
    assert lines[-1] == alone
    assert [line for line in lines if line.startswith(b"METRIC")][-1] == b"METRIC lea:"


def test_strict_is_strict_without_a_word_too() -> None:
    done = within("lea", "key.conll", "response.conll", "--strict", "--quiet", cwd=BAD / "missing-document")
    assert (done.status, done.stdout) == (1, b"")


def shell(line: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of shell in which $C is the command, $K and $R the pair."""
    names = {"C": str(PROGRAM), "K": str(KEY), "R": str(RESPONSE)}
    return subprocess.run(line, shell=True, capture_output=True, env={**os.environ, **names}, check=False)


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        pytest.param(
            "$C muc - $R <&-",
            2,
            b"corefscore: standard input is closed; give a file, or pipe input into the command\n",
            id="closed input",
        ),
        pytest.param("$C muc $K $R >&-", 2, b"corefscore: standard output is closed\n", id="closed output"),
        pytest.param("$C muc $K $R 2>&- >/dev/null", 0, b"", id="closed errors", marks=pytest.mark.outside),
        pytest.param("$C muc $K no-such-file 2>&-", 2, b"", id="an untold error", marks=pytest.mark.outside),
        pytest.param(
            "$C muc '' $R",
            2,
            b"corefscore: the path of a file is empty; give the path of a file or folder\n",
            id="an empty name",
        ),
    ],
)
def test_closed_streams_and_empty_names(line: str, status: int, message: bytes) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr) == (status, message)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "line",
    ["$C --help", *(pytest.param(f"$C {its}", marks=pytest.mark.outside) for its in ("--version", "lea --help"))],
)
def test_help_and_version_on_a_full_disk(line: str) -> None:
    done = shell(f"{line} >/dev/full")
    assert (done.returncode, done.stderr) == (2, b"corefscore: standard output: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_error_keeps_its_status_where_it_cannot_be_told() -> None:
    assert shell("$C muc $K no-such-file 2>/dev/full").returncode == 2


def test_a_folder_that_is_a_link_is_followed_and_a_circle_is_not(tmp_path: Path) -> None:
    split(KEY, tmp_path / "real")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "part0" / "up").symlink_to(tmp_path / "real")
    assert within("muc", tmp_path / "corpus", RESPONSE).body == (CASE / "muc.txt").read_bytes()


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
def test_a_folder_that_cannot_be_read_is_not_left_out_in_silence(tmp_path: Path) -> None:
    split(KEY, tmp_path)
    (tmp_path / "part0").chmod(0)
    done = within("muc", tmp_path, RESPONSE)
    (tmp_path / "part0").chmod(0o700)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr == f"corefscore: {tmp_path}/part0: Permission denied\n".encode()


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    done = within("muc", tmp_path, RESPONSE)
    assert (done.status, done.stderr) == (2, f"corefscore: {tmp_path}: the folder contains no visible file\n".encode())


def test_files_of_a_folder_come_in_the_order_of_their_folders(tmp_path: Path) -> None:
    """`a/b` comes before `a.b`, where the plain order of the paths would turn them round."""
    for place, name in (("a.b", "second"), ("a/b", "first")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"#begin document {name}\nw\t(1)\n#end document\n")
    text = within("muc", tmp_path, tmp_path).stdout.decode()
    assert text.index("====> first:") < text.index("====> second:")


def test_a_name_is_compared_as_bytes_whatever_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_bytes("#begin document café\nw\t(1)\n#end document\n".encode())
    done = subprocess.run(
        [PROGRAM, "muc", path, path, "café".encode()],
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_ids_of_a_hundred_digits_are_ids(tmp_path: Path) -> None:
    one, other = "1" * 100, "1" * 99 + "2"
    path = tmp_path / "key.conll"
    path.write_text(f"#begin document d\nw\t({one})|({other})\nx\t({one}\ny\t{one})\n#end document\n")
    text = within("muc", path, path).stdout
    assert b"Entity 0: (0,0) (1,2)\nEntity 1: (0,0)\n" in text


def test_no_metric_may_have_the_name_of_a_command() -> None:
    assert set(COMMANDS) <= RESERVED, "reserve the name in metrics.RESERVED"


def test_the_manual_page_has_every_command_and_option() -> None:
    hint = "python scripts/update_man.py writes man/corefscore.1"
    page = (ROOT / "man" / "corefscore.1").read_text().replace("\\-", "-")
    context = click.Context(commands(), info_name="corefscore")
    for name in (*NAMES, *GROUPS, *COMMANDS):
        made = commands().get_command(context, name)
        assert made is not None
        assert f".SS corefscore {name} " in page, hint
        for parameter in made.params:
            assert all(option in page for option in parameter.opts if option.startswith("-")), (name, hint)
            if isinstance(parameter.type, click.Choice) and parameter.metavar is None:
                assert f"[{'|'.join(parameter.type.choices)}]" in page, (name, parameter.name, hint)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("corefscore bl", "plain,blanc"),
        ("corefscore rank --sys", "plain,--systems"),
        ("corefscore lea --format la", "plain,latex"),
        ("corefscore lea testd", "file,testd"),
    ],
)
def test_a_shell_can_complete(
    line: str, offered: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(COMPLETE, "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit, match="0"):
        run([], "corefscore")
    assert capfd.readouterr().out == f"{offered}\n"


@pytest.mark.parametrize("words", [("lea",), ()])
def test_help_is_a_word_as_well(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    """``corefscore help lea``, as for git."""
    assert run(["help", *words], "corefscore") == 0
    said = capfd.readouterr().out
    assert run([*words, "--help"], "corefscore") == 0
    assert capfd.readouterr().out == said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("tabel", "'; did you mean table?\n"),
        ("zzz", "'.\n"),
    ],
)
def test_a_wrong_choice_gets_the_nearest(word: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["lea", "KEY", "RESPONSE", "--format", word], "corefscore") == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "known", "said"),
    [
        ("lae", ["muc", "lea"], "did you mean lea?"),
        ("bcup", ["bcub", "bcub_m", "muc"], "did you mean bcub or bcub_m?"),
        ("ab1", ["ab2", "ab3", "ab4", "ab5", "ab6", "ab7"], "did you mean ab7, ab6, ab5, ab4 or ab3?"),
        ("zz", ["muc", "lea"], "known: muc, lea"),
        ("zz", ["a", "b", "c", "d", "e", "f", "g"], "known: a, b, c, d, e and 2 more"),
    ],
)
def test_an_unknown_name_is_answered_with_five_others_at_most(name: str, known: list[str], said: str) -> None:
    assert suggested(name, known) == said


DEMO = TESTDATA / "demo"
FIRST_CALLS = [
    pytest.param(["conll", "{key}", "{response}", "--json"], "did you mean --format json?", id="a value as an option"),
    pytest.param(
        ["compare", "{key}", "a={response}", "--bootstrap"],
        "corefscore compare KEY A B always prints intervals\n",
        id="test",
    ),
    pytest.param(
        ["conll", "{key}", "{response}", "--metrics", "lea"],
        "give a metric as the first word: corefscore lea KEY",
        id="metric",
    ),
    pytest.param(["rank", "{key}", "{response}", "--metrics", "lea"], "use --measures LIST", id="measures"),
    pytest.param(["errors", "{key}", "{response}", "--metrics", "lea"], "use --measures LIST", id="measure"),
    pytest.param(
        ["validate", "{key}", "--metrics", "lea"], "; give a metric as the first word: corefscore lea", id="none"
    ),
    pytest.param(["comapre", "{key}", "{response}"], 'metric or command "comapre"; did you mean compare?', id="typo"),
    pytest.param(["--quiet", "conll", "{key}", "{response}"], "come after its name", id="option first"),
    pytest.param(["score", "{key}", "{response}"], "use a metric, such as: corefscore conll KEY", id="score"),
    pytest.param(["conll", "{key}", "{response}", "{key}"], "use corefscore compare KEY A B", id="two responses"),
    pytest.param(["rank", "{key}", "--systems", "{response}"], "expected a folder; unpack", id="folder"),
    pytest.param(["conll", "{key}", "{response}", "-o", "x"], "unknown option -o; use --output FILE\n", id="-o"),
    pytest.param(["conll", "--key", "{key}", "{response}"], "; give the key without an option, before", id="--key"),
    pytest.param(["conll", "{key}", "{response}", "--macro"], "use --average documents\n", id="--macro"),
    pytest.param(["conll", "{key}", "{response}", "--html"], "errors KEY RESPONSE --html FILE\n", id="--html"),
    pytest.param(
        ["conll", "{key}", "{response}", "--significance"], "corefscore compare KEY A B always tests\n", id="tests"
    ),
    pytest.param(["kappa", "{key}", "{response}"], "corefscore errors A B --symmetric", id="kappa"),
    pytest.param(["conll", "{key}", "{response}", "--kappa"], "use corefscore errors A B --symm", id="--kappa"),
    pytest.param(["significance", "{key}", "{response}"], "use corefscore compare KEY A B\n", id="significance"),
    pytest.param(["conll", "{key}", "{response}", "--zzzzz"], "option --zzzzz\nTry", id="nothing like it"),
    pytest.param(["conll", "{key}", "{response}", "--formt", "x"], "did you mean --format?\n", id="something like it"),
    pytest.param(["conll", "{key}", str(TESTDATA / "systems" / "runs")], "corefscore rank KEY --systems", id="runs"),
    pytest.param(["muc", "{key}", "{response}", "--format"], "Try 'corefscore muc --help'.\n", id="no argument"),
    pytest.param(["muc", "{key}", "{response}", "--digits", "2,5"], "'2,5' is not a whole number", id="number"),
]
"""Calls that somebody types who has not read the pages, and what the answer names."""


@pytest.mark.parametrize(("call_of", "answer"), FIRST_CALLS)
def test_a_first_call_that_is_wrong_names_the_right_one(
    call_of: list[str], answer: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    paths = {"key": DEMO / "key.conll", "response": DEMO / "response.conll"}
    done = call(capfdbinary, *(word.format(**paths) for word in call_of))
    assert (done.status, done.stdout) == (2, b"")
    assert answer in done.stderr.decode()


def test_synonyms_name_what_there_is() -> None:
    """No word is listed that exists itself where its row is used, and every call and option that is named exists."""
    context = click.Context(commands(), info_name="corefscore")
    options = {name: _options(context, name) for name in commands().list_commands(context)}
    every = set().union(*options.values())
    rows = [*synonyms("options").items(), *synonyms("commands").items()]
    words = [word for words, _ in rows for word in words.split()]
    assert len(set(words)) == len(words)
    assert not {word for row in synonyms("commands") for word in row.split()} & {*options, "help"}
    for meant in [line for _, lines in rows for line in lines.splitlines()]:
        assert set(re.findall(r"(?<![\w-])--[a-z-]+", meant)) <= every, meant
        for name, rest in re.findall(r"corefscore (\w+)([^,;]*)", meant):
            wanted = set(re.findall(r"(?<![\w-])--[a-z-]+", rest))
            assert wanted <= options["conll" if name == "METRIC" else name], meant


def _options(context: click.Context, name: str) -> set[str]:
    made = commands().get_command(context, name)
    assert made is not None
    return {option for parameter in made.params for option in (*parameter.opts, *parameter.secondary_opts)}
