"""`scripts/cross_check.py`, against a small stand-in for the official scorer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cross_check
import pytest
from cross_check import reordered
from support import RECORDED, ROOT, server

FAKE = r"""
my $out = `$ENV{CORE} @ARGV[0..2]`;
my ($head, @blocks) = split /^(?=====> )/m, $out;
my $totals = ""; $blocks[-1] =~ s/(\n?====== TOTALS =======.*)//s and $totals = $1;
my @documents; push @documents, $blocks[$_] . $blocks[$_ + 1] for grep { $_ % 2 == 0 } 0..$#blocks;
$totals =~ s/Recall/Rappel/ if $ENV{WRONG};
print $head, reverse(@documents), $totals;
exit($? >> 8);
"""
"""Ours with the documents in another order, and with another word in the totals if asked."""


Check = Callable[..., tuple[int, list[str]]]

CASES = ("documents-0015", "missing-document-0016", "unclosed-0031")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scorer.pl").write_text(FAKE)
    for case in CASES:
        shutil.copytree(RECORDED / case, tmp_path / case)
    return tmp_path


@pytest.fixture
def check(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Check:
    """Run the script on the folder in this environment: its exit status, and the lines that it prints."""

    def checked(**environment: str) -> tuple[int, list[str]]:
        program = str(server().with_name("corefscore"))
        monkeypatch.setattr(cross_check, "OURS", (program,))
        for name, value in {"CORE": program, "FORKED": str(server()), **environment}.items():
            monkeypatch.setenv(name, value)
        status = cross_check.main([str(folder / "scorer.pl"), str(folder), "muc", "blanc"])
        return status, capfd.readouterr().out.splitlines()

    return checked


@pytest.mark.outside
@pytest.mark.skipif(not shutil.which("perl"), reason="there is no perl")
def test_documents_in_another_order_are_the_same(check: Check) -> None:
    assert check(PATH="/usr/bin:/bin") == (0, ["3 pairs, 6 runs, 0 differ"])


@pytest.mark.skipif(not shutil.which("perl"), reason="there is no perl")
def test_differing_bytes_are_reported(check: Check) -> None:
    status, lines = check(PATH="/usr/bin:/bin", WRONG="1")
    assert (status, lines[-1]) == (1, "3 pairs, 6 runs, 4 differ")
    assert any("Rappel" in line for line in lines)


@pytest.mark.parametrize(
    ("perl", "scorer"),
    [
        pytest.param("/usr/bin:/bin", "exit(1);", id="a scorer that always fails"),
        pytest.param("/usr/bin:/bin", "exit(0);", id="one that prints nothing"),
        pytest.param("/nowhere", FAKE, id="no perl"),
    ],
)
def test_what_scores_nothing_is_not_compared_with(folder: Path, check: Check, perl: str, scorer: str) -> None:
    """Both refusing is the same only where the other one can do anything else."""
    (folder / "scorer.pl").write_text(scorer)
    status, lines = check(PATH=perl)
    assert (status, len(lines)) == (2, 1)
    assert " does not score " in lines[0]


def test_documents_that_are_not_the_same_stay_where_they_are() -> None:
    one = b"====> a:\nFile a:\n====> a:\nFile a:\n"
    other = one.replace(b"a", b"b")
    assert reordered(one + other, other) == one + other
    assert reordered(one + other, other + one) == other + one


def test_what_is_expected_is_told(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "cross_check.py", "nowhere", tmp_path], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout[:9]) == (2, b"expected:")
