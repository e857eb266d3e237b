"""What stands around the package: citations, the action, the recipe, the matrix of CI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

import pytest
from corefscore import __version__
from corefscore.cli.cite import _ENTRIES, _SOFTWARE, bibtex
from corefscore.metrics import NAMES, find, select
from dist import oldest
from support import ROOT, TESTDATA, call, server

DEMO = (str(TESTDATA / "demo" / "key.conll"), str(TESTDATA / "demo" / "response.conll"))


def fields_of(key: str) -> dict[str, str]:
    """The fields of an entry, each of which has a line of its own."""
    first, *lines, last = _ENTRIES[key].splitlines()
    assert re.fullmatch(r"@(software|inproceedings|article)\{" + key + ",", first) and last == "}"
    found = [re.fullmatch(r"  (\w+) = \{(.+)\},", line) for line in lines]
    assert all(found)
    return {field[1]: field[2] for field in found if field}


def test_every_metric_has_papers_to_cite() -> None:
    cited = {key for name in NAMES for key in find(name).cite}
    assert cited <= set(_ENTRIES)
    assert set(_ENTRIES) - cited == {"corefscore", "pradhan-etal-2011-conll", "pradhan-etal-2014-scoring"}
    for name in NAMES:
        metric = find(name)
        for key in metric.cite:
            fields = fields_of(key)
            assert {"title", "author", "year"} <= set(fields)
            author = fields["author"].split(",")[0].replace("{\\v{Z}}abokrtsk{\\'y}", "Žabokrtský")
            assert author in metric.described()[2]
            assert fields["year"] in key


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (
            "conll",
            "pradhan-etal-2014-scoring vilain-etal-1995-model bagga-baldwin-1998-algorithms luo-2005-coreference "
            "pradhan-etal-2011-conll",
        ),
        ("LEA,lea", "pradhan-etal-2014-scoring moosavi-strube-2016-coreference"),
        ("ceafm,ceafe", "pradhan-etal-2014-scoring luo-2005-coreference"),
    ],
)
def test_cite_prints_the_papers_of_metrics_once(
    words: str, keys: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = call(capfdbinary, "cite", words)
    text = done.stdout.decode()
    assert done.status == 0
    assert re.findall(r"^@\w+\{(.*),$", text, re.MULTILINE) == ["corefscore", *keys.split()]
    assert text.count("{") == text.count("}")
    assert f"  version = {{{__version__}}},\n" in text
    assert text == bibtex(select(words))


def test_cite_takes_conll_by_default_and_knows_no_other_names(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert call(capfdbinary, "cite") == call(capfdbinary, "cite", "conll")
    done = call(capfdbinary, "cite", "lae")
    assert (done.status, done.stdout) == (2, b"")
    assert b'unknown metric "lae"; did you mean lea' in done.stderr


def test_a_metric_of_another_package_is_cited_by_its_paper() -> None:
    from dataclasses import replace

    metric = replace(find("lea"), name="other", about="Other.\n\nIt counts.\n\nPaper: Somebody 2026", cite=())
    assert bibtex([metric]).endswith("\n% other: Somebody 2026\n")


def test_the_citation_file_says_the_same() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    software = fields_of(_SOFTWARE)
    assert f"version: {software['version']}" in text
    assert software["author"].strip("{}") in text
    title = software["title"].replace("{", "").replace("}", "").lower()
    assert title in text.lower()


def script_of_action() -> str:
    """The commands of the action that check."""
    text = (ROOT / "action.yml").read_text()
    return dedent(text.split("      run: |\n")[1])


@pytest.mark.parametrize(
    ("given", "status"),
    [
        pytest.param({"MINIMUM": "lea.f1=50\nconll=60\n"}, 0, marks=pytest.mark.outside),
        ({"MINIMUM": "lea.f1=59"}, 3),
        pytest.param({"BASELINE": "baseline.json"}, 0, marks=pytest.mark.outside),
        ({"BASELINE": "baseline.json", "OPTIONS": "--both-ways --tolerance 0"}, 0),
        ({}, 2),
    ],
)
def test_the_action_checks(
    given: dict[str, str], status: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (tmp_path / "baseline.json").write_bytes(call(capfdbinary, "lea", *DEMO, "--format", "json").stdout)
    path = os.pathsep.join((str(server().parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    inputs = {"KEY": DEMO[0], "RESPONSE": DEMO[1], "BASELINE": "", "MINIMUM": "", "OPTIONS": "", **given}
    environment = {
        **os.environ,
        **inputs,
        "PATH": path,
        "FORKED": str(server()),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    command = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script_of_action()]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    assert (tmp_path / "output").read_text() == f"passed={'true' if status == 0 else 'false'}\n"
    assert status == 2 or done.stdout.startswith(b"::notice" if status == 0 else b"::error")


def test_the_recipe_needs_what_the_package_needs() -> None:
    recipe, project = (ROOT / "recipe" / "meta.yaml").read_text(), (ROOT / "pyproject.toml").read_text()
    needed = re.findall(r'"([a-z]+)(>=[\d.]+)"', project.split("dependencies = [")[1].split("]")[0])
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    assert re.findall(r"- (\w+) (>=[\d.]+)", run) == [("python", ">=3.10"), *needed]
    assert 'requires-python = ">=3.10"' in project
    assert "corefscore = corefscore.__main__:main" in recipe
    assert re.search(r'__version__ = "(.*)"', (ROOT / "scorer" / "corefscore" / "core" / "__init__.py").read_text())


def test_ci_tests_the_oldest_and_the_newest_dependencies_on_every_run() -> None:
    """On the oldest Python and on the newest; `scripts/dist.py` takes the oldest versions from the wheel."""
    assert "\nmake test-versions\n" in (ROOT / ".ci" / "run").read_text()
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    pythons = re.findall(r'"(3\.\d+)"', workflow.split("python: [")[1].split("]")[0])
    job = workflow.split("  versions:\n")[1].split("  windows:\n")[0]
    assert re.findall(r'- python: "(.*)"\n(?: +options: (.*)\n)?', job) == [(pythons[0], ""), (pythons[-1], "NEWEST=1")]
    assert f'requires-python = ">={pythons[0]}"' in (ROOT / "pyproject.toml").read_text()
    assert "- run: make test-versions ${{ matrix.options }}\n" in job


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        (["click>=8.1", "numpy>=1.24,<3", 'pytest>=8; extra == "test"'], ["click==8.1", "numpy==1.24"]),
        (["click>=8.1", "numpy<3"], None),
    ],
)
def test_the_oldest_versions_are_those_that_the_wheel_declares(
    needed: list[str], expected: list[str] | None, tmp_path: Path
) -> None:
    """A dependency without an oldest version cannot be tested with it, so it is an error."""
    wheel = tmp_path / "x.whl"
    with ZipFile(wheel, "w") as written:
        written.writestr("x-1.dist-info/METADATA", "".join(f"Requires-Dist: {each}\n" for each in needed))
    if expected is None:
        with pytest.raises(ValueError, match="unpack"):
            oldest(wheel)
    else:
        assert oldest(wheel) == expected


def test_ci_runs_on_windows_with_the_bytes_of_the_repository() -> None:
    assert "windows-latest" in (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert "* -text" in (ROOT / ".gitattributes").read_text().splitlines()


def test_the_project_says_where_it_is() -> None:
    urls = (ROOT / "pyproject.toml").read_text().split("[project.urls]\n")[1].split("\n\n")[0]
    assert [line.split(" = ")[0] for line in urls.splitlines()] == [
        "Repository",
        "Documentation",
        "Changelog",
        "Issues",
    ]
    repository = re.search(r'REPOSITORY = "(.*)/blob', (ROOT / "docs" / "conf.py").read_text())
    assert repository is not None
    assert all(repository[1] in line for line in urls.splitlines())


def test_messages_and_citations_are_found_in_a_zip_archive(tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", ROOT / "scorer", "corefscore")
    for words, expected in (("lea nowhere.conll nowhere.conll", "nowhere.conll"), ("cite lea", "moosavi-strube")):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from corefscore.__main__ import command; sys.exit(command())",
                *words.split(),
            ],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": archive},
            check=False,
            cwd=tmp_path,
            text=True,
        )
        assert expected in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
