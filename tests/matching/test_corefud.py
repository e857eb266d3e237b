"""CorefUD: what the official scorer printed, byte for byte, and what is scored or refused where it fails.

The recorded pairs are those of ``testdata/corefud`` and, where it is there, of ``../shared/corefud/cases``: a folder
each with key, response, the output of every run, and its arguments (``testdata/README.md``).
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import corefscore
import numpy as np
import pytest
from corefscore.checking.validation import validate
from corefscore.core.documents import Span
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import MOST, Finding, Found
from corefscore.core.sources import Source
from corefscore.formats import Reading, opened, words
from corefscore.formats.corefud import guidelines, reader
from corefscore.formats.corefud.lines import Lines, number_of
from corefscore.formats.corefud.reader import words_at
from corefscore.matching import assignment
from reading import read
from support import ROOT, TESTDATA, Run, call, together, within

SHARED = ROOT.parent / "shared" / "corefud" / "cases"
OWN = TESTDATA / "corefud"

EMPTY = ("file-empty-both", "file-empty-key")
"""Keys without a word: the official scorer prints zeros, ours says that there is nothing to score."""

SET_ORDER = ("spans-101-04",)
"""Two mentions of the same words with different heads compete for one of the other side and are equally good. The
official scorer takes the one that Python's set gives first, ours another one."""


OLD_SET_ORDER = ("links-101-01-v11-partial", "same-101-02-v11-partial")
"""Two mentions of the key have the same words and different heads, and partial matching, which looks at no head of the
response, finds both equally good. Ours takes the one whose entity comes first. The official scorer takes the one that
Python's set gives first: in these two runs the last one, in seven others the first."""


class Recorded(NamedTuple):
    """One run: its case, label, arguments and exit status."""

    case: Path
    label: str
    arguments: list[str]
    status: int

    @property
    def output(self) -> bytes:
        return (self.case / f"{self.label}.txt").read_bytes()

    @property
    def quirk(self) -> str:
        """The name of the case without the seed."""
        return self.case.name.rsplit("-", 1)[0]


def recorded(folder: Path, *, old: bool = False) -> list[Recorded]:
    """The runs of version 1.2, or those of versions 1.0 and 1.1."""
    return [
        Recorded(path.parent, label, run["argv"], run["exit"])
        for path in sorted(folder.glob("*/*/status.json"))
        for label, run in json.loads(path.read_text()).items()
        if label.startswith("v1") == old
    ]


def named(run: Recorded) -> str:
    return f"{run.case.name}-{run.label}"


def runs(status: int, *, old: bool = False) -> list[object]:
    """The runs of each case with an exit status, without the exceptions above. Those that are not among our own data
    take over a minute together."""
    cases: dict[str, list[Recorded]] = {}
    odd = EMPTY, OLD_SET_ORDER, () if old else SET_ORDER
    for run in {named(run): run for run in (*recorded(SHARED, old=old), *recorded(OWN, old=old))}.values():
        names = run.quirk, named(run), run.case.name
        if run.status == status and not any(name in its for name, its in zip(names, odd, strict=True)):
            cases.setdefault(run.case.name, []).append(run)
    own = {path.name for path in OWN.glob("*/*")}
    return [pytest.param(its, id=name, marks=() if name in own else pytest.mark.slow) for name, its in cases.items()]


def as_corefud_scorer(capture: pytest.CaptureFixture[bytes], *arguments: str | Path) -> Run:
    """Run the command under the name of the official scorer, within this process."""
    from corefscore.cli import run

    status = run([str(argument) for argument in arguments], "corefud-scorer.py")
    return Run(status, *capture.readouterr())


def pair_of(case: Path) -> tuple[Path, Path]:
    return case / "key.conllu", case / "response.conllu"


# What the official scorer printed


def test_there_are_runs_to_compare() -> None:
    assert len(recorded(OWN)) >= 200


@pytest.mark.parametrize("case", runs(0))
def test_output_is_that_of_the_official_scorer(case: list[Recorded], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = {run.label: as_corefud_scorer(capfdbinary, *pair_of(run.case), *run.arguments) for run in case}
    assert done == {run.label: (0, run.output, b"") for run in case}


@pytest.mark.parametrize("case", runs(2))
def test_wrong_usage_is_wrong_usage(case: list[Recorded], capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for run in case:
        done = as_corefud_scorer(capfdbinary, *pair_of(run.case), *run.arguments)
        assert (done.status, done.stdout) == (2, b""), run.label
        assert b"usage: corefud-scorer.py" in done.stderr


@pytest.mark.parametrize("case", runs(1))
def test_where_it_fails_ours_scores_or_says_where_and_why(
    case: list[Recorded], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """`docs/corefud.md` lists what is scored. Never a traceback."""
    for run in case:
        done = as_corefud_scorer(capfdbinary, *pair_of(run.case), *run.arguments)
        if done.status:
            assert (done.status, done.stdout) == (1, b""), run.label
            assert b"error[" in done.stderr
        else:
            assert done.stdout.startswith(b"The scorer is evaluating "), run.label


OLD = {"v10": ("crac22", ""), "v11": ("crac23", ",mor,zero")}
"""The task of each older version, and the metrics that only version 1.1 has."""

OLD_OPTIONS = {
    "-s": ["--singletons", "keep"],
    "-x": ["--matching", "exact"],
    "partial": ["--matching", "partial"],
    "exact": ["--matching", "exact"],
}
"""Our options for arguments of the older versions."""


@pytest.mark.parametrize("case", runs(0, old=True))
def test_older_tasks_print_what_their_scorers_printed(
    case: list[Recorded], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = {}
    for run in case:
        task, more = OLD[run.label[:3]]
        options = [word for argument in run.arguments for word in OLD_OPTIONS.get(argument, [])]
        metrics = f"lea,muc,bcub,ceafe,ceafm,blanc{more}"
        done[run.label] = call(capfdbinary, metrics, *pair_of(run.case), "--task", task, *options, "--quiet")
    assert done == {run.label: (0, run.output, b"") for run in case}


@pytest.mark.parametrize("run", [run for run in recorded(OWN) if run.label == "head-dep"], ids=named)
def test_the_other_commands_print_the_same(run: Recorded, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The defaults are those of the task, and so is the layout of CorefUD."""
    if run.status == 0:
        assert call(capfdbinary, "corefud", *pair_of(run.case)).stdout == run.output


SAME = [
    # Attributes of Entity, numbers of words, and what the official scorer (1.2) prints of muc, bcub, ceafe against KEY.
    (["(e1--1)", "(e2--1)|x=y|Entity=(e1--1)", "(e1--1)", "(e2--1)"], "1234", ["50.00", "58.82", "53.33"]),
    (["(e2--1)|Entity=(e1--1)", "(e2--1)", "(e1--1)", "(e2--1)"], "1234", ["100.00", "100.00", "100.00"]),
    (["(e1--1)", "(e2--1)", "(e1--1)", "(e2--1)"], "1224", ["50.00", "68.18", "75.00"]),
    (["(e1--1)", "_", "(e1--1)", "_"], "1224", ["0.00", "33.33", "33.33"]),
    (["(e1--1", "_", "e1)", "(e1--1)"], "1224", ["0.00", "33.33", "33.33"]),
]


@pytest.mark.parametrize(("entities", "numbers", "expected"), SAME)
def test_what_is_noticed_scores_as_in_the_official_scorer(
    entities: list[str], numbers: str, expected: list[str], tmp_path: Path
) -> None:
    """Attributes and numbers that occur twice; the values are F1 that the official scorer printed for these files."""
    (tmp_path / "key").write_text(conllu("(e1--1)", "(e2--1)", "(e1--1)", "(e2--1)"))
    text = conllu(*entities)
    for at, number in enumerate(numbers, start=1):
        text = text.replace(f"\n{at}\tw", f"\n{number}\tw") if at != int(number) else text
    (tmp_path / "response").write_text(text)
    done = within("muc,bcub,ceafe", tmp_path / "key", tmp_path / "response", "--quiet")
    assert re.findall(rb"F1: ([\d.]+)", done.stdout) == [value.encode() for value in expected]


def test_the_name_of_the_program_decides(tmp_path: Path) -> None:
    """Through a link, as scripts call it, in a process of its own."""
    link = tmp_path / "corefud-scorer.py"
    link.symlink_to(Path(sys.executable).with_name("corefscore"))
    case = OWN / "scoring" / "zero-collision-chain-101"
    done = subprocess.run([link, *pair_of(case), "-x", "-s"], capture_output=True, check=True)
    assert done.stdout == (case / "exact-dep-s.txt").read_bytes()


# Ways in and out


CASE = OWN / "scoring" / "zero-collision-chain-101"


@pytest.mark.parametrize("command", ["every", "errors", "diff", "explain"])
def test_a_file_of_the_key_may_have_no_document_of_the_response(command: str, tmp_path: Path) -> None:
    """Its three mentions are missing ones: two links of four are found."""
    words_ = "".join(f"{n}\tw\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1-1-)\n" for n in (1, 2, 3))
    (tmp_path / "key").mkdir()
    for name in "ab":
        text = f"# newdoc id = {name}\n# global.Entity = eid-head-other\n# sent_id = {name}\n{words_}\n"
        (tmp_path / "key" / f"{name}.conllu").write_text(text)
    response = tmp_path / "key" / "a.conllu"
    done = within(command, tmp_path / "key", response, *(["--format", "json"] if command == "every" else []))
    assert done.status == 0, done.stderr
    assert b"missing-document" in done.stderr
    if command == "every":
        muc = json.loads(done.stdout)["total"]["muc"]
        assert (muc["recall_numerator"], muc["recall_denominator"]) == (2, 4)


def test_compressed_folders_standard_input_and_processes_give_the_same(tmp_path: Path) -> None:
    key, response = pair_of(CASE)
    expected = within("corefud", key, response).stdout
    packed = tmp_path / "key.conllu.gz"
    packed.write_bytes(gzip.compress(key.read_bytes()))
    assert within("corefud", packed, response).stdout == expected
    assert within("corefud", "-", response, stdin=key.read_bytes()).stdout == expected
    for side, path in (("keys", key), ("responses", response)):
        (tmp_path / side).mkdir()
        text = path.read_text()
        for name in ("a", "b"):
            (tmp_path / side / f"{name}.conllu").write_text(text.replace("# newdoc id = ", f"# newdoc id = {name}"))
    sides = tmp_path / "keys", tmp_path / "responses"
    whole = within("corefud", *sides).stdout
    assert whole == expected, "twice the same documents score the same"
    assert within("corefud", *sides, "--jobs", "2").stdout == whole
    assert b"head" in within("muc", *sides, "--format", "json", "--jobs", "2").stdout


def test_the_signature_names_what_can_move_a_number() -> None:
    result = corefscore.score(*pair_of(CASE), "muc")
    expected = "matching=head | zeros=dependent | lookup=official | definitions=corefud"
    assert f"repeated=official | singletons=drop | {expected}" in result.signature
    assert "heads=tree" in corefscore.score(*pair_of(CASE), "muc", heads="tree").signature


def test_plain_input_keeps_its_signature() -> None:
    key, response = (TESTDATA / "demo" / name for name in ("key.conll", "response.conll"))
    ways: list[dict[str, Any]] = [{}, {"mentions": "all"}, {"matching": "exact"}]
    for how in ways:
        signature = corefscore.score(key, response, "muc", **how).signature
        assert signature.rpartition(" | key=")[0].endswith("| muc | repeated=official | singletons=keep"), how


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["muc", "--matching", "head"], b"--matching is for CorefUD", id="heads of spans"),
        pytest.param(["muc", "--zeros", "drop"], b"--zeros is for CorefUD", id="zeros of spans"),
        pytest.param(["mor"], b"metric mor is for CorefUD", id="words of spans"),
        pytest.param(["muc", "--task", "crac24"], b"is for CorefUD", id="tasks of spans"),
        pytest.param(["muc", "--format", "corefud"], b"is for CorefUD", id="layout of spans"),
    ],
)
def test_what_only_corefud_has_is_refused_elsewhere(arguments: list[str], message: bytes) -> None:
    metric, *options = arguments
    demo = [TESTDATA / "demo" / name for name in ("key.conll", "response.conll")]
    done = within(metric, *demo, *options)
    assert (done.status, done.stdout) == (2, b"")
    assert message in done.stderr


def test_a_side_of_spans_is_refused() -> None:
    with pytest.raises(UsageError, match="one side is CorefUD and the other is not"):
        corefscore.score(CASE / "key.conllu", TESTDATA / "demo" / "response.conll", "muc")


def test_conll_definitions_of_blanc_look_at_the_key_alone() -> None:
    """One entity in the key, two in the response: the official CorefUD scorer sees links of both kinds."""
    case = OWN / "scoring" / "blanc-one-entity-split-101"
    conll, corefud = (corefscore.score(*pair_of(case), "blanc", task=way)["blanc"] for way in ("none", "aligned"))
    assert conll.f1 > corefud.f1


def test_blanc_by_both_sides_is_there_for_spans_too() -> None:
    """{abc} against {ab}{c}: 1/2 by the links of the key, 1/4 by those of both sides (Luo et al. 2014, section 4.1)."""
    key, response = [["a", "b", "c"]], [["a", "b"], ["c"]]
    assert corefscore.score(key, response, "blanc")["blanc"].f1 == 1 / 2
    assert corefscore.score(key, response, "blanc", boundary="both")["blanc"].f1 == 1 / 4


# Many data sets, tasks


def test_an_id_of_several_documents_orders_entities_by_its_first_mention_in_the_file(tmp_path: Path) -> None:
    """The third word of the second document is in both entities. The official scorer (`-a exact -s`) prints these
    numbers; with other ids in the second document, it prints 40 for the recall of MUC."""
    for name, rows in (("key", "e1 e1 e2 e2 | e3 e3 e4 e4 e4"), ("response", "e1 e3 e1 e2 | e2 e2 e2)(e1 e2 e2")):
        header, lines = "# global.Entity = eid-etype-head-other\n", ""
        for number, ids in enumerate(rows.split(" | ")):
            lines += f"# newdoc id = d{number}\n{header * (number == 0)}"
            cells = (its.replace(")", "--1-)") + "--1-" for its in ids.split())
            lines += "".join(
                f"{at}\tw\t_\t_\t_\t_\t{at - 1}\t_\t_\tEntity=({cell})\n" for at, cell in enumerate(cells, start=1)
            )
            lines += "\n"
        (tmp_path / name).write_text(lines)
    found = corefscore.score(tmp_path / "key", tmp_path / "response", "muc,bcub", matching="exact", singletons="keep")
    assert found["muc"].recall_counts == (3, 5)
    assert [round(100 * its, 2) for its in (found["bcub"].recall, found["bcub"].precision)] == [77.78, 66.0]


def data_sets(folder: Path) -> tuple[Path, Path]:
    """Two recorded pairs as the files of a folder for each side; their documents have the same name."""
    cases = OWN / "scoring" / "zero-collision-chain-101", OWN / "scoring" / "head-oversized-preferred-101"
    for side, at in (("key", 0), ("response", 1)):
        (folder / side).mkdir()
        for case in cases:
            text = re.sub(r"(?m)^# newdoc id.*$", "# newdoc id = d", pair_of(case)[at].read_text())
            (folder / side / f"{case.name}.conllu").write_text(text)
    return folder / "key", folder / "response"


@pytest.mark.parametrize("options", [(), ("--jobs", "2"), ("--task", "crac25")], ids=["plain", "jobs", "task"])
def test_by_file_gives_what_each_file_gives_and_the_mean(options: tuple[str, ...], tmp_path: Path) -> None:
    sides = data_sets(tmp_path)
    done = within("conll", *sides, "--by", "file", "--format", "json", "--quiet", *options)
    found = json.loads(done.stdout)
    alone = {path.name: corefscore.score(path, sides[1] / path.name, "conll").conll for path in sides[0].iterdir()}
    assert {name: its["conll"]["f1"] for name, its in found["groups"].items()} == alone
    assert found["mean"]["conll"]["f1"] == pytest.approx(sum(alone.values()) / 2)
    assert len(set(alone.values())) == 2


def test_systems_are_ranked_by_the_mean_over_files(tmp_path: Path) -> None:
    """A response equal to its key is 100 in every file."""
    key, response = data_sets(tmp_path)
    done = within("rank", key, f"a={response}", f"b={key}", *("--by", "file", "--trials", "50"), "--format", "json")
    first, second = json.loads(done.stdout)["ranking"]
    assert (first["system"], second["system"]) == ("b", "a")
    assert set(first["groups"]) == {path.name for path in key.iterdir()}
    assert {its["conll"]["f1"] for its in first["groups"].values()} == {1}


def test_documents_in_memory_are_in_no_file() -> None:
    with pytest.raises(UsageError, match="the documents are not in files"):
        corefscore.score([["a", "b"]], [["a", "b"]], "muc").by("file")


def test_a_task_is_what_it_stands_for() -> None:
    plain = corefscore.score(*pair_of(CASE), "conll")
    for task in ("crac24", "crac25", "crac26"):
        result = corefscore.score(*pair_of(CASE), "conll", task=task)
        assert (result.conll, result.signature) == (plain.conll, plain.signature)
    assert "matching=exact" in corefscore.score(*pair_of(CASE), "conll", task="crac24", matching="exact").signature
    assert corefscore.score(*pair_of(CASE), "conll", mentions="all").signature == plain.signature


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("crac22", "matching=partial | zeros=linear | lookup=crac22 | definitions=corefud"),
        ("crac23", "matching=head | zeros=linear | lookup=crac23 | definitions=corefud"),
    ],
)
def test_older_tasks_stand_for_rules(task: str, expected: str) -> None:
    """The same from the command line in two processes, and with the options that the task sets."""
    found = corefscore.score(*pair_of(CASE), "corefud", task=task)
    assert found.signature.rpartition(" | key=")[0].endswith(expected)
    options: dict[str, Any] = dict(each.split("=") for each in expected.split(" | "))
    asked = ["--task", task]
    spelt = [word for name in ("matching", "zeros") for word in (f"--{name}", options[name])]
    one, two = (within("corefud", *pair_of(CASE), *asked, *its) for its in (["--jobs", "2"], spelt))
    assert one == two and one.status == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--task crac22 --zeros dependent", "--zeros dependent and --task crac22 exclude each other"),
        ("--mentions given", "--mentions given cannot be used with CorefUD"),
        ("--mentions given --of pronouns", "--mentions given cannot be used with CorefUD"),
        ("--task crac23 --of pronouns", "--of cannot be used with --task crac22 or crac23"),
    ],
)
def test_rules_that_contradict_each_other_are_refused(options: str, said: str) -> None:
    done = within("conll", *pair_of(CASE), *options.split())
    assert (done.status, done.stdout) == (2, b"")
    assert said.encode() in done.stderr


def test_one_mention_serves_many_in_older_tasks() -> None:
    """Two mentions of the key that contain one of the response: only one is aligned to it, and both find it."""
    case = OWN / "scoring" / "head-tie-three-keys-two-responses-101"
    new, old = (corefscore.score(*pair_of(case), "bcub", task=task)["bcub"] for task in ("crac24", "crac23"))
    assert old.recall > new.recall


def test_errors_of_older_tasks_are_those_of_an_alignment() -> None:
    """The score is that of the task, and what the look-up is worth has a row of its own."""
    case = OWN / "scoring" / "head-tie-three-keys-two-responses-101"
    done = within("errors", *pair_of(case), "--task", "crac23", "--quiet")
    assert done.status == 0 and b"lookup=crac23" in done.stdout
    assert b"official look-up" in done.stdout


# Look-ups, ties


def test_the_alignment_itself_is_another_look_up() -> None:
    """A zero of the response that has the place of another zero of the key."""
    official, alignment_ = (corefscore.score(*pair_of(CASE), "conll", task=way).conll for way in ("crac26", "aligned"))
    assert official != alignment_


@pytest.mark.parametrize("task", ["aligned", "none"])
@pytest.mark.parametrize(
    ("case", "official", "alignment_"),
    [
        # Both zeros have the right antecedents; the dictionary has lost the partner of one.
        ("zero-collision-chain-101", 0.5, 1.0),
        ("zero-renumbered-101", 0.0, 1.0),
        # The zero that depends as the key's does is in the other entity; the official scorer takes the equal span.
        ("zero-deprel-before-position-101", 1.0, 0.0),
    ],
)
def test_zeros_are_looked_up_by_the_alignment_too(case: str, official: float, alignment_: float, task: str) -> None:
    files = pair_of(OWN / "scoring" / case)
    assert corefscore.score(*files, "zero")["zero"].recall == official
    assert corefscore.score(*files, "zero", task=task)["zero"].recall == alignment_


@together("seed", range(300))
def test_ties_are_those_of_one_matrix(seed: int) -> None:
    """Mentions that compete are solved by themselves, and all give what one matrix a document gives."""
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    sizes = random.integers(1, 9, (2, 3))
    documents = [np.repeat(np.arange(3), its) for its in sizes]
    scores = random.choice([0, 0, 0, 1, 1 / 2, 1 / 3, 2 / 3], (sizes[0].sum(), sizes[1].sum()))
    scores[documents[0][:, None] != documents[1][None, :]] = 0
    key, response = np.nonzero(scores)
    taken = assignment.assigned(documents[0], documents[1], key, response, scores[key, response])
    expected = []
    for document in range(3):
        rows, columns = (np.flatnonzero(its == document) for its in documents)
        matrix = -scores[np.ix_(rows, columns)]
        for row, column in zip(*linear_sum_assignment(matrix), strict=True):
            if matrix[row, column]:
                expected.append((rows[row], columns[column]))
    assert sorted(zip(key[taken], response[taken], strict=True)) == sorted(expected)


@together("seed", range(200))
def test_one_matrix_gives_what_scipy_gives(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell by cell, whatever ties there are, whether rows or columns are more; a matrix too large for memory, which is
    solved by its cells, has the same sum."""
    from scipy.optimize import linear_sum_assignment

    random = np.random.default_rng(seed)
    shape = tuple(random.integers(1, 16, 2).tolist())
    values = [1, 1 / 2, 1 / 3, 2 / 3, 1 / 7, 11, 10 * 2 / 3 + 1][: random.integers(1, 8)]
    matrix = random.choice(values, shape) * (random.random(shape) < random.choice([0.1, 0.3, 0.6, 1]))
    rows, columns = np.nonzero(matrix)
    expected = np.zeros(shape, dtype=bool)
    expected[linear_sum_assignment(-matrix)] = True
    scores = matrix[rows, columns]
    taken = assignment._by_matrix(rows, columns, scores, shape)
    assert taken.tolist() == expected[rows, columns].tolist()
    if len(rows):
        with monkeypatch.context() as patched:
            patched.setattr(assignment, "_LARGEST", 0)
            by_cells = assignment._by_matrix(rows, columns, scores, shape)
        assert scores[by_cells].sum() == pytest.approx(scores[taken].sum())


# The reader


@pytest.mark.parametrize(
    "piece",
    [
        "7",
        "007",
        "123456",
        "3.1",
        "3.10",
        "3.0",
        "0.25",
        "12.1234",
        "12.12340",
        "3.12345",
        "1234567",
        "1-2",
        "3-10",
        "12-1234567",
        "1.",
        ".1",
        "1.-2",
        "-",
        "a",
        "1a",
    ],
)
def test_numbers_of_words_are_read_alike_one_by_one_and_together(piece: str, tmp_path: Path) -> None:
    """`number_of` says what each is; the reader has them all at once."""
    path = tmp_path / "file.conllu"
    path.write_text(f"{piece}\tw" + "\t_" * 8 + "\n\n")
    expected = number_of(piece.encode())
    if expected is None and not re.fullmatch(r"\d+-\d+", piece):
        with pytest.raises(InputError, match="bad-id"):
            assert not Lines(Source(str(path))).words
        return
    its = Lines(Source(str(path))).words
    assert its.number.tolist() == ([] if expected is None else [expected])
    assert its.overt.tolist() == ([] if expected is None else ["." not in piece])


def test_messages_have_the_words_of_mentions_wherever_they_are(tmp_path: Path) -> None:
    """Only the sentences that are spoken of are read again: also those that a mention goes on in."""
    words_ = [[f"w{sentence}-{n}" for n in range(1, 6)] for sentence in range(30)]
    path = tmp_path / "file.conllu"
    path.write_text(
        "\n".join("".join(f"{n}\t{word}\n" for n, word in enumerate(sentence, start=1)) for sentence in words_) + "\n"
    )
    flat = [word for sentence in words_ for word in sentence]
    spans = [
        Span(0, 6 * sentence + 3, 5 * sentence + 2, 5 * sentence + 1 + size)
        for sentence, size in ((0, 1), (7, 5), (28, 8))
    ]
    assert list(words_at(Source(str(path)), spans)) == [" ".join(flat[span.start : span.end + 1]) for span in spans]


HEAD = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def words_of(text: str, folder: Path, heads: str | None = None) -> list[tuple[str, list[float], float]]:
    """Every mention of a file: the entity, the numbers of its words and of its head (sentence 0 only)."""
    path = folder / "file.conllu"
    path.write_text(text)
    (documents,) = read(str(path), [], Reading(heads=heads))
    nodes = documents.nodes
    assert nodes is not None
    found = []
    for mention, (first, size) in enumerate(zip(nodes.first.tolist(), nodes.size.tolist(), strict=True)):
        words = (nodes.word[first : first + size] / 10_000).tolist()
        found.append((documents.name_of(int(documents.entity[mention])), words, float(nodes.head[mention]) / 10_000))
    return found


def lines(*cells: str, heads: str = "") -> str:
    """One sentence with these attributes; ``heads`` are the columns HEAD, a digit each."""
    return (
        HEAD
        + "".join(
            f"{n}\tw\t_\t_\t_\t_\t{heads[n - 1] if heads else 0}\t_\t_\t{'Entity=' + cell if cell else '_'}\n"
            for n, cell in enumerate(cells, start=1)
        )
        + "\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(lines("(e1-x-2-", "e1)"), [("e1", [1, 2], 2)], id="the head is a number within the mention"),
        pytest.param(lines("(e1", "e1)"), [("e1", [1, 2], 1)], id="without one it is the first word"),
        pytest.param(lines("(e1[1/2]-x-9-)", "", "(e1[2/2]-x-2-)"), [("e1", [1, 3], 3)], id="a gap"),
        pytest.param(lines("(e1-x-1-(e1-x-1-)", "e1)"), [("e1", [1, 2], 1), ("e1", [1], 1)], id="longer ones first"),
        pytest.param(lines("(e1--1-(e2--1-)e1)", ""), [("e1", [1, 2], 1), ("e2", [1], 1)], id="to the end"),
        pytest.param(
            HEAD + "1\tw" + "\t_" * 7 + "\tEntity=(e1--2-\n1.1\t_" + "\t_" * 7 + "\tx=y|Entity=e1)|z\n\n",
            [("e1", [1, 1.1], 1.1)],
            id="an empty node is a word",
        ),
        pytest.param(
            HEAD + "2\tw" + "\t_" * 7 + "\tEntity=e1)\n1\tw" + "\t_" * 7 + "\tEntity=(e1--1-\n\n",
            [("e1", [1, 2], 1)],
            id="words stand in the order of their numbers",
        ),
        pytest.param(HEAD + "1\tw\n1-2\tw" + "\t_" * 7 + "\tEntity=(e1)\n\n", [], id="ranges, and lines cut short"),
        pytest.param((lines("(e1)") + lines("(e2)")).replace("\n", "\r\n"), [("e1", [1], 1)], id="other line ends"),
    ],
)  # fmt: skip
def test_mentions_are_read(text: str, expected: list[tuple[str, list[float], float]], tmp_path: Path) -> None:
    assert words_of(text, tmp_path)[: len(expected) or None] == expected


def test_mentions_that_differ_inside_a_gap_alone_are_different_ones(tmp_path: Path) -> None:
    """Both have three words from 1 to 4 and one head, but 2 is only in the key, and 3 only in the response."""
    (tmp_path / "key").write_text(lines("(e1[1/2]-x-1-", "e1[1/2])", "", "(e1[2/2]-x-1-)"))
    (tmp_path / "response").write_text(lines("(e1[1/2]-x-1-)", "", "(e1[2/2]-x-1-", "e1[2/2])"))
    for response, expected in (("key", 1), ("response", 0)):
        result = corefscore.score(tmp_path / "key", tmp_path / response, "bcub", singletons="keep", matching="exact")
        assert result["bcub"].f1 == expected


@pytest.mark.parametrize(
    ("cells", "heads", "expected"),
    [
        pytest.param(("(e1--1-", "", "e1)"), "230", 3, id="the one nearest to the root"),
        pytest.param(("(e1--1-", "", "e1)", ""), "4440", 1, id="the first of several"),
        pytest.param(("(e1--1-", "", "e1)", ""), "2104", 3, id="what goes round in a circle is farthest"),
        pytest.param(("(e1--9-", "", "e1)"), "020", 1, id="the number in the file does not matter"),
    ],
)
def test_heads_of_the_tree(cells: tuple[str, ...], heads: str, expected: float, tmp_path: Path) -> None:
    ((_, _, head),) = words_of(lines(*cells, heads=heads), tmp_path, heads="tree")
    assert head == expected


@pytest.mark.parametrize(
    ("head", "end", "told"), [("0", "e1)", True), ("1", "e1)", False), ("0", "(e1[2/2]-person-0-)", False)]
)
def test_a_head_of_0_is_told_where_the_first_word_is_taken(head: str, end: str, told: bool, tmp_path: Path) -> None:
    """A part that opens and closes in one bracket at the end makes it the last word (`mentions.heads`)."""
    part = "[1/2]" if "[" in end else ""
    rows = [f"(e1{part}-person-{head}-" + ")" * bool(part), "_", end]
    cells = [
        f"{n}\tw\t_\tNOUN\t_\t_\t0\troot\t_\t{'_' if c == '_' else 'Entity=' + c}\n" for n, c in enumerate(rows, 1)
    ]
    path = tmp_path / "file.conllu"
    path.write_text("# newdoc id = d\n# global.Entity = eid-etype-head-other\n" + "".join(cells) + "\n")
    found = [(notice.code, notice.line) for notice in corefscore.read(path).notices if notice.code == "no-head"]
    assert found == [("no-head", 3)] * told


@pytest.mark.parametrize(("mentions", "other", "told"), [(21, "1", 1), (20, "1", 0), (21, "2", 0)])
def test_heads_that_are_all_1_are_told(mentions: int, other: str, told: int, tmp_path: Path) -> None:
    """Systems that know no heads write 1; one other head shows that heads are known, one of one word does not."""
    marks = [(f"(e{n}-1-", f"e{n})") for n in range(mentions - 1)] + [(f"(x-{other}-", "x)"), ("(y-1-)", "_")]
    cells = [
        f"{n}\tw\t_\tNOUN\t_\t_\t0\troot\t_\t{'_' if mark == '_' else 'Entity=' + mark}\n"
        for n, mark in enumerate((mark for pair in marks for mark in pair), 1)
    ]
    path = tmp_path / "file.conllu"
    path.write_text("# newdoc id = d\n# global.Entity = eid-head-other\n" + "".join(cells) + "\n")
    found = [notice.details["count"] for notice in corefscore.read(path).notices if notice.code == "no-head"]
    assert found == [f"{mentions} mentions"] * told


@pytest.mark.parametrize(("mentions", "twos", "told"), [(21, 30, 21), (21, 15, 21), (21, 14, 0), (20, 30, 0)])
def test_heads_that_are_all_1_in_a_document_are_told(mentions: int, twos: int, told: int, tmp_path: Path) -> None:
    """As if the output of two systems was joined. Chance explains heads 1 in the first document if more than half of
    the 30 in the second are 1, too: 0.5 ** 21 is below, and (16 / 30) ** 21 above one in a million."""
    text = "# global.Entity = eid-head-other\n"
    for name, heads in (("a", [1] * mentions), ("b", [2] * twos + [1] * (30 - twos))):
        marks = [mark for n, head in enumerate(heads) for mark in (f"({name}{n}-{head}-", f"{name}{n})")]
        cells = (f"{n}\tw\t_\tX\t_\t_\t0\troot\t_\tEntity={mark}\n" for n, mark in enumerate(marks, 1))
        text += f"# newdoc id = {name}\n" + "".join(cells) + "\n"
    path = tmp_path / "file.conllu"
    path.write_text(text)
    found = [notice.details["count"] for notice in corefscore.read(path).notices if notice.code == "no-head"]
    assert found == [f"{told} mentions"] * bool(told)


def test_a_key_without_heads_scores_itself_whatever_they_are() -> None:
    """GUM's own header names no head; the first word is taken on both sides, and a notice says so."""
    path = TESTDATA / "bad" / "corefud-no-head" / "response.conllu"
    for heads in (None, "tree"):
        result = corefscore.score(str(path), str(path), "conll", heads=heads, singletons="keep")
        assert result.conll == 1
        assert [finding.code for finding in result.notices] == (["no-head"] * 2 if heads is None else [])


@pytest.mark.parametrize(
    ("deps", "expected"),
    [
        ("3:nsubj", [(3, "nsubj")]),
        ("0:root", [(0, "root")]),
        ("3:nsubj|5:conj:and", [(3, "nsubj"), (5, "conj:and")]),
        ("3.1:nsubj|12.25:x", [(3.1, "nsubj"), (12.25, "x")]),
        ("3.10:nsubj", [(3.1, "nsubj")]),
        ("3:", [(3, "")]),
        ("_", []),
        ("", []),
        ("3", None),
        ("nsubj", None),
        ("3:a|", None),
        ("|3:a", None),
        (":a", None),
        ("3.:a", None),
        ("1234567:a", None),
    ],
)
def test_dependencies_of_zeros_are_read(deps: str, expected: list[tuple[float, str]] | None, tmp_path: Path) -> None:
    """Beside a zero in front of it and one behind it; what is none is refused with the piece."""
    path = tmp_path / "file.conllu"
    zeros = "".join(
        f"{at}.1\t_\t_\t_\t_\t_\t_\t_\t{its}\tEntity=(e1--1)\n" for at, its in ((1, "1:b"), (2, deps), (3, "2:c"))
    )
    path.write_text(f"{HEAD}{zeros}\n")
    if expected is None:
        with pytest.raises(InputError, match="odd-dependency"):
            list(read(str(path), [], Reading()))
        return
    (documents,) = read(str(path), [], Reading())
    nodes = documents.nodes
    assert nodes is not None
    assert nodes.links.tolist() == [1, len(expected), 1]
    all_of = [(1, "b"), *expected, (2, "c")]
    assert (nodes.parent / 10_000).tolist() == [parent for parent, _ in all_of]
    assert nodes.relation.tolist() == words.numbers_of([relation.encode() for _, relation in all_of]).tolist()


def test_the_text_of_a_file_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for ids nor in a circle of objects, so that the other side is read into the same memory."""
    held = []

    class Seen(Lines):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            held.append(weakref.ref(self))

    monkeypatch.setattr(reader, "Lines", Seen)
    for documents in read(str(pair_of(CASE)[0]), [], Reading()):
        assert len(documents) and [each() for each in held] == [None]


# Validating


def conllu(*entities: str, header: str = "# global.Entity = eid-etype-head-other") -> str:
    """A document of one sentence, given the values of Entity of its words."""
    lines = [f"{at}\tw\t_\t_\t_\t_\t_\t_\t_\tEntity={entity}\n" for at, entity in enumerate(entities, start=1)]
    return f"# newdoc id = d\n{header}\n{''.join(lines)}\n"


ODD = [
    (["(e1)", "(e1)"], []),
    # Every error is told, each at its own place; what is left is read on.
    (["e1)", "e2)e1)"], [("unopened-mention", 3, 26), ("unopened-mention", 4, 26), ("unopened-mention", 4, 29)]),
    (["(e1", "e1)e1)", "e1)(e1)"], [("unopened-mention", 4, 29), ("unopened-mention", 5, 26)]),
    (["(e1--9)", "(e1--9", "e1)", "(e2--x)"], [("odd-head", 4, 26), ("odd-head", 6, 26)]),
    (["(e1[2/2]", "e1)", "(e1[1/2])", "(e1[2/2]--1)"], [("part-of-nothing", 3, 26)]),
    (["e1[2/2])", "(e1[1/1])"], [("unopened-mention", 3, 26)]),
    (["(e1[1])", "(-x)", "(e1)"], [("odd-id", 3, 26), ("odd-id", 4, 26)]),
    # Brackets that are read otherwise than they were meant, perhaps.
    (["(e1(e1", "(e2", "e1)"], [("dropped-mention", 3, 26), ("dropped-mention", 4, 26)]),
    (["(e1(e2)e1)", "(e2)"], [("stretched-mention", 3, 26)]),
    (["(e1[1/2]--1)", "(e2)", "(e1[2/3]--1)"], [("unfinished-mention", 3, 26)]),
    (["(e1[1/2]--1)", "(e2)", "(e1[2/2]--1)"], []),
    (["(e1[1/3]--1)", "(e1[2/3]--1", "(e2)"], [("dropped-mention", 4, 26)]),
    (["(e1)x"], [("odd-entity", 3, 26)]),
    # Spans in two entities, or with two heads; copies within one.
    (["(e1)(e2)"], [("repeated-mention", 3, None)]),
    (["(e1--1(e2--1", "e1)e2)"], [("repeated-mention", 3, None)]),
    (["(e1--1(e2--2", "e1)e2)"], []),
    (["(e1--1(e1--1", "e1)e1)"], [("dropped-repeat", 3, None)]),
    # Mentions of one entity that may be nested or cross, and such as pass each other in a gap.
    (["(e1--1", "(e1--1", "e1)", "e1)"], [("overlapping-mentions", 4, None)]),
    (["(e1--1", "(e1)", "e1)"], []),
    (["(e1--1", "(e2--1", "e1)", "e2)"], []),
    (["(e1[1/2]--1)", "(e1--1", "e1)", "(e1[2/2]--1)"], []),
    (["(e1[1/2]--1", "e1[1/2])", "(e1--1", "(e1[2/2]--1)", "e1)"], [("overlapping-mentions", 5, None)]),
]  # fmt: skip


def test_all_spans_in_two_entities_are_counted(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "file").write_text(conllu(*["(e1--1)(e2--1)"] * 1200))
    done = call(capfdbinary, "lea", tmp_path / "file", tmp_path / "file", "none")
    assert b"... and 1195 more notices [repeated-mention]" in done.stderr


def test_a_copy_of_a_mention_without_an_id_is_told_as_such(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "file").write_text(conllu("(-x)(-x)"))
    done = call(capfdbinary, "validate", tmp_path / "file")
    assert b"(token 0) is annotated 2 times, in entities (without id), (without id)" in done.stdout


def test_mentions_inside_each_other_are_refused_before_their_words_take_all_memory(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Of 350 mentions the outermost has 700 words, the next one 698, and so on: 350 * 351."""
    for depth, status in ((300, 0), (350, 2)):
        path = tmp_path / str(depth)
        path.write_text(conllu(*["(e1"] * depth, *["e1)"] * depth))
        done = call(capfdbinary, "lea", path, path, "none")
        assert done.status == status
    size = path.stat().st_size
    assert done.stderr.decode() == (
        f"corefscore: {path}: mentions are nested too deeply: 350 mentions contain 122850 words in total; "
        f"expected at most {100_000 + size} for a file of {size} bytes; check where mentions are closed\n"
    )


@pytest.mark.parametrize("options", [(), ("--task", "crac22"), ("--task", "crac23")], ids=["now", "2022", "2023"])
def test_a_span_in_too_many_entities_is_refused_before_its_pairs_take_all_memory(
    options: tuple[str, ...], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each of 1500 mentions counts for 1500 entities, twice: 4.5 million pairs. One copy of each can be scored."""
    everywhere = "".join(f"(e{at}--1)" for at in range(1500))
    path = tmp_path / "file"
    path.write_text(conllu(everywhere, everywhere))
    done = call(capfdbinary, "corefud", path, path, *options)
    assert (done.status, done.stdout) == (2, b"")
    assert b"matching pairs; expected at most" in done.stderr and b"--repeated first" in done.stderr
    assert call(capfdbinary, "corefud", path, path, *options, "--repeated", "first").status == 0


def test_lines_without_a_number_are_counted_beyond_those_that_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def about(self: Lines, code: str, *given: Any, **details: Any) -> Finding:
        told.append(code)
        return own(self, code, *given, **details)

    own = Lines.about
    monkeypatch.setattr(Lines, "about", about)
    (tmp_path / "file").write_text(conllu("_").rstrip("\n") + "\n" + "w\n" * (MOST + 4) + "1-x\n\n")
    found = validate("file", [Source(str(tmp_path / "file"))])
    assert found.unlisted == {"bad-id": 5}
    assert told.count("bad-id") == MOST


NO_TREE = TESTDATA / "odd" / "other-heads"


@pytest.mark.parametrize(
    ("change", "heads", "told"),
    [
        (("", ""), None, True),
        (("", ""), "last", False),
        (("1\tThe\t_\t_\t_\t_\t_", "1\tThe\t_\t_\t_\t_\t2"), None, True),
        (("1\tThe\t_\t_\t_\t_\t_", "1\tThe\t_\t_\t_\t_\t2"), "tree", False),
        (("e1--2", "e1--1"), None, True),
        (("--2", "--1", "--3", "--1"), None, False),
    ],
    ids=[
        "no tree",
        "heads by the last word",
        "another tree",
        "heads by the tree",
        "one head is not the first word",
        "all heads are",
    ],
)
def test_heads_without_a_tree_are_told_if_the_key_has_others(
    change: tuple[str, ...], heads: str | None, told: bool, tmp_path: Path
) -> None:
    text = (NO_TREE / "key.conllu").read_text()
    for old, new in zip(change[::2], change[1::2], strict=True):
        text = text.replace(old, new)
    (tmp_path / "key.conllu").write_text(text)
    clusters = {"d": [[(0, 1), (7, 7)], [(3, 5), (10, 10)]]}
    for response in (NO_TREE / "response.txt", clusters):
        result = corefscore.score(tmp_path / "key.conllu", response, "lea", heads=heads)
        assert [notice.code for notice in result.notices if notice.code != "parting-text"] == ["other-heads"] * told


def test_a_tree_is_missed_only_where_a_head_is_another_and_must_be_chosen(tmp_path: Path) -> None:
    """Not in the second document, where all heads are first words, nor in the third, where mentions have one word."""
    text = (NO_TREE / "key.conllu").read_text()
    others = [text.replace("--2", "--1").replace("--3", "--1"), text]
    texts = [text, *(of.replace("newdoc id = d", f"newdoc id = {name}") for name, of in zip("ef", others, strict=True))]
    (tmp_path / "key.conllu").write_text("".join(texts))
    answer = (NO_TREE / "response.txt").read_text()
    short = re.sub(r"\[(\w+ )+(\w+)\]", r"\1[\2]", answer)
    found = corefscore.score(tmp_path / "key.conllu", {"d": answer, "e": answer, "f": short}, "lea").notices
    assert [notice.details["document"] for notice in found if notice.code == "other-heads"] == ["d"]
    clusters: list[list[tuple[int, int]]] = [[(0, 1), (7, 7)], [(3, 5), (10, 10)]]
    alone = [[(end, end) for _, end in entity] for entity in clusters]
    found = corefscore.score(tmp_path / "key.conllu", {"d": clusters, "e": clusters, "f": alone}, "lea").notices
    found = [notice for notice in found if notice.code == "other-heads"]
    assert [(its.details["document"], its.details["count"]) for its in found] == [("d", "2 mentions")]


def test_a_head_by_the_tree_is_no_word_of_a_gap(tmp_path: Path) -> None:
    """The word "came", in the gap of "A man .. who sang", is above all of its words."""
    words = ["A", "man", "came", "who", "sang", ".", "He"]
    mentions = ["(e1[1/2]-x-2-", "e1[1/2])", "", "(e1[2/2]-x-2-", "e1[2/2])", "", "(e1-x-1-)"]
    rows = [
        f"{number}\t{word}\t_\tX\t_\t_\t{above}\tdep\t_\t{f'Entity={its}' if its else '_'}"
        for number, word, above, its in zip(range(1, 8), words, [2, 3, 0, 5, 2, 3, 3], mentions, strict=True)
    ]
    (path := tmp_path / "file.conllu").write_text(
        "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n" + "\n".join(rows) + "\n\n"
    )
    for options in ({}, {"align": True}, {"align": True, "singletons": "keep"}):
        found = corefscore.score(path, path, "conll", heads="tree", **options)
        assert (found["mentions"].f1, found.conll) == (1, 1), options


IGNORED = {"singletons", "no-head", *(code for code, _ in guidelines.RULES.values())}
"""The codes of findings that other tests check: those of the guidelines have a file each in `testdata/guidelines`."""


@pytest.mark.parametrize(("entities", "expected"), ODD, ids=["|".join(entities) for entities, _ in ODD])
def test_what_is_told_of_mentions(
    entities: list[str], expected: list[tuple[str, int, int | None]], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text(conllu(*entities))
    found = validate("file", [Source(str(tmp_path / "file"))])
    assert [(f.code, f.line, f.column) for f in found.findings if f.code not in IGNORED] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(conllu("(e1)") * 3, [("repeated-newdoc", 5), ("repeated-newdoc", 9)], id="ids used again"),
        *(
            pytest.param(conllu("(e1)") + odd + conllu("(e2)").replace("# newdoc", "#"), [("odd-newdoc", 5)], id=odd)
            for odd in ("#newdoc\n", "# newDoc id=f\n", "# Newdoc\n", "#NEWDOC\n", "#  newdoc\n", "# newdoc: f\n")
        ),
        pytest.param(conllu("(e1)").replace("# newdoc", "#  newdoc\n#newdoc\n# newdoc"), [("odd-newdoc", 1)], id="two"),
        pytest.param("# new docks\n# newpar\n" + conllu("(e1)"), [], id="other comments with new"),
        pytest.param(
            "".join(conllu(f"({d}--1)", header=f"# global.Entity = eid-{its}-head").replace("= d", f"= {d}")
                for d, its in enumerate(("a", "b", "c", "b", "b"))),
            [("several-headers", 2)], id="other headers"),
        pytest.param(conllu("(e1)") + conllu("(e1)").replace("= d", "= f"), [("split-entity", 7)], id="ids go on"),
        pytest.param((conllu("(e1)") + conllu("(e1)").replace("= d", "= f")).replace("eid", "GRP"), [], id="groups"),
        pytest.param(conllu("(e2)|Entity=(e1)", "(e1)"), [("repeated-attribute", 3)], id="an attribute twice"),
        pytest.param(conllu("(e1)|entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a small letter"),
        pytest.param(conllu("(e1)|(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a bar, as in CoNLL"),
        pytest.param(conllu("(e1)|Enity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a lost letter"),
        pytest.param(conllu("(e1)|Coref=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="another name"),
        pytest.param(conllu("(e1)|Entity[2]=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a layer"),
        pytest.param(conllu("(e1)|Entity =(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a blank before the sign"),
        pytest.param(conllu("(e1)| Entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a blank after the bar"),
        pytest.param(conllu("(e1)|ENTITY=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="capitals"),
        pytest.param(conllu("(e1)|X=Y Entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a blank for the bar"),
        pytest.param(conllu("(e1)|Entitiy=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="another letter"),
        pytest.param(conllu("(e1)|Entry=bank(1)|Entropy=(0.5)|EntityType=P(x)|EnType=(a)", "(e1)"), [], id="others"),
        pytest.param(conllu("(e1)|X=Y;Entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a semicolon"),
        pytest.param(conllu("(e1)|X=Y,Entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a comma"),
        pytest.param(conllu('(e1)|"Entity=(e2)"', "(e1)"), [("misspelled-attribute", 3)], id="quotes"),
        pytest.param(conllu("(e1)|\u00a0Entity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a no-break space"),
        pytest.param(conllu("(e1)|CorefEntity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a longer name"),
        pytest.param(conllu("(e1)|PredEntity=(e2)", "(e1)"), [("misspelled-attribute", 3)], id="that of a system"),
        pytest.param(conllu("(e1)|Identity=(e2)", "(e1)"), [], id="another name"),
        pytest.param(conllu("(e1)|Entity:(e2)", "(e1)"), [("misspelled-attribute", 3)], id="a colon"),
        pytest.param(conllu("_|ClusterId=1").replace("Entity=_|", ""),
            [("no-mentions", 1), ("misspelled-attribute", 3)], id="CorefUD 0.2"),
        pytest.param(conllu("(e1)|Coref=Gen", "(e1)"), [], id="an older name beside the new one"),
        pytest.param("# a = b|Coref=c\n" + conllu("_").replace("Entity=_", "_"), [("no-mentions", 2)], id="a comment"),
        pytest.param(conllu("(e1)", "(e1)").replace("\t_\tEntity", "\tEntity", 1).replace("(e1)\n", "(e1)\t_\n", 1),
            [("misspelled-attribute", 3)], id="the column before"),
        pytest.param(conllu("(e1)", "(e1)").replace("\n2\t", "\n2-3\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2)\n2\t"),
            [("misspelled-attribute", 4)], id="a range of words"),
        pytest.param(conllu("(e1)|Identity=(e2)|X=entity", "(e1)"), [], id="entity as a part of other attributes"),
        pytest.param(conllu("(e1)", "", "(e1)").replace("\n3\t", "\n2\t"),
            [("repeated-number", 5)], id="a number twice"),
        pytest.param(conllu("(e1)", "", "(e1)").replace("\n2\t", "\n1.1\t").replace("\n3\t", "\n1.10\t"),
            [("repeated-number", 5), ("zero-without-dependency", 5)], id="a fraction twice"),
        pytest.param(conllu("(e1)", header="#"), [("no-entity-header", 3)], id="no header"),
        pytest.param(conllu("").replace("Entity=", "_"), [("no-mentions", 1)], id="no mention found"),
        pytest.param(conllu("", header="#").replace("Entity=", "_"),
            [("no-entity-attribute", None), ("no-mentions", 1)], id="no coreference"),
        pytest.param(conllu("(e1)", header="# global.Entity = etype-eid"), [("odd-id", 3)], id="no field of the id"),
        pytest.param(conllu("(e1)")[:-1], [("no-empty-line", 3)], id="no empty line at the end"),
        pytest.param(conllu("(e1)", "_").replace("\t_\t_\tEntity=_", ""), [("not-ten-columns", 4)], id="few columns"),
        pytest.param(conllu("(e1)\t\t", "(e1)"), [("not-ten-columns", 3)], id="many columns"),
        pytest.param("#\ta tab\n" + conllu("(e1)"), [], id="a tab in a comment"),
        pytest.param(conllu("(e1)", "(e1)").replace("2\tw", "x\tw"), [("bad-id", 4)], id="no number"),
        pytest.param(conllu("(e1)").replace("1\tw", "x\tw"), [("bad-id", 3)], id="no word at all"),
        pytest.param(conllu("(e1", "") + conllu("e1)").replace("# newdoc id = d\n", ""),
            [("mention-across-sentences", 7)], id="another sentence"),
        pytest.param(conllu("(e1)").replace("\tw", "\t\udce9"), [("not-utf-8", 3)], id="no text"),
        pytest.param("# newdoc id = d\n", [("no-document", None)], id="no word"),
    ],
)  # fmt: skip
def test_what_is_told_of_files(text: str, expected: list[tuple[str, int | None]], tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text.encode(errors="surrogateescape"))
    found = validate("file", [Source(str(tmp_path / "file"))])
    assert [(f.code, f.line) for f in found.findings if f.code not in IGNORED] == expected


def test_errors_stay_with_their_documents(tmp_path: Path) -> None:
    """Every error is told, and what is sound in a document with errors is counted."""
    faulty, sound = conllu("e1)", "(e1--1)"), conllu("(e1--1)").replace("id = d", "id = b")
    (tmp_path / "file").write_text(sound + faulty)
    (batch,) = opened([str(tmp_path / "file")], [], Reading()).examined(Found())
    assert list(batch.faults) == [1]
    assert batch.faults[1]().code == "unopened-mention"
    assert len(batch.start) == 2


def test_beside_a_key_of_spans(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The key may be of another format, whose mentions have no heads."""
    (tmp_path / "key").write_text("#begin document d\nw\t(1)\nw\t(1)\n#end document\n")
    (tmp_path / "response").write_text(conllu("(e1--1)", "(e1--1)"))
    done = call(capfdbinary, "validate", tmp_path / "response", "--key", tmp_path / "key")
    assert (done.status, done.stderr, done.stdout.count(b": clean")) == (0, b"", 2)


def test_of_each_kind_so_many_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(conllu("e1)" * (MOST + 5), "(e2--1" * (MOST + 7)))
    found = validate("file", [Source(str(tmp_path / "file"))])
    assert sum(f.code not in IGNORED for f in found.findings) == 2 * MOST
    assert {code: count for code, count in found.unlisted.items() if code not in IGNORED} == {
        "unopened-mention": 5,
        "dropped-mention": 7,
    }


def test_validate_says_that_singletons_do_not_count() -> None:
    """They are left out by default, unlike those of other formats, for which an option does so."""
    corefud = within("validate", OWN / "scoring" / "singletons-only-101" / "key.conllu")
    assert b"CorefUD scores leave such entities out; --singletons keep counts them" in corefud.stdout
    other = within("validate", TESTDATA / "odd" / "singletons" / "file.conll")
    assert b"--singletons drop leaves them out of the score" in other.stdout


def test_messages_say_where_zeros_are(tmp_path: Path) -> None:
    """A zero has no tokens: it is named by the token after it."""
    head = "# newdoc id = d\n# global.Entity = eid\n"
    rows = ["1\tAnn\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1)", "1.1\tshe\t_\t_\t_\t_\t_\t_\t1:x\tEntity=(e1)(e2)"]
    rows.append("2\tsat\t_\t_\t_\t_\t0\t_\t_\tEntity=(e2)")
    path = tmp_path / "x.conllu"
    path.write_text(head + "\n".join(rows) + "\n\n")
    done = within("validate", path)
    assert b'"she" (empty node before token 1) is annotated 2 times, in entities e1, e2' in done.stderr + done.stdout


def test_entities_that_go_on_in_other_documents_are_counted_once(tmp_path: Path) -> None:
    texts = [conllu("(e1)", "(e2)" if name == "f" else "_").replace("= d", f"= {name}") for name in "def"]
    (tmp_path / "file").write_text("".join(texts))
    (notice,) = (its for its in corefscore.read(tmp_path / "file").notices if its.code == "split-entity")
    assert (notice.details["entity"], notice.details["more"]) == ("e1", "")
