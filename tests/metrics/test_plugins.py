"""A package from outside adds a metric: `tests/plugin` is one, as pip would have installed it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from corefscore.metrics import find
from support import ROOT, TESTDATA, command

PLUGIN = ROOT / "tests" / "plugin"
PAIR = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")


def test_a_metric_from_outside_is_scored_like_any_other() -> None:
    """In the demo pair three mentions of eight (key) and seven (response) lie in whole entities."""
    done = command("whole", *PAIR, "none", path=[PLUGIN])
    assert b"\nCoreference: Recall: (3 / 8) 37.5%\tPrecision: (3 / 7) 42.85%\tF1: 39.99%\n" in done.body


def test_it_can_stand_in_a_list() -> None:
    done = command("whole,lea", *PAIR, "none", path=[PLUGIN])
    assert [line for line in done.body.splitlines() if line.startswith(b"METRIC")] == [b"METRIC whole:", b"METRIC lea:"]


def test_its_own_option_reaches_it() -> None:
    done = command("whole", *PAIR, "none", "--smallest", "4", path=[PLUGIN])
    assert b"\nCoreference: Recall: (0 / 8) 0%" in done.body


def test_one_that_reads_names_counts_named_mentions_and_takes_the_options_about_names(tmp_path: Path) -> None:
    """In `testdata/names` Bush and IBM are whole; with --named head there are three Bushes, and IBM alone is."""
    plugin = changed(tmp_path, "    about=", '    view="named",\n    about=')
    pair = [TESTDATA / "names" / name for name in ("key.conll", "response.conll")]
    done = command("whole,cone", *pair, "none", path=[plugin])
    assert b"\nCoreference: Recall: (4 / 6) 66.66%\tPrecision: (4 / 5) 80%" in done.body
    done = command("whole,cone", *pair, "none", "--named", "head", path=[plugin])
    assert b"\nCoreference: Recall: (2 / 7) 28.57%\tPrecision: (2 / 6) 33.33%" in done.body


def test_a_description_may_lack_its_last_paragraphs() -> None:
    metric = replace(find("lea"), about="Whole. Use it.\n  \nA definition\nof it.")
    assert metric.described() == ["Whole. Use it.", "A definition of it.", "", ""]
    assert replace(metric, about=None).described() == [""] * 4
    long = replace(metric, about="Whole. Use it.\n\nIt is.\n\nPaper: none\n\nA note.\n\nAnother.")
    assert long.described() == ["Whole. Use it.", "It is.", "Paper: none", "A note. Another."]


def test_help_lists_it_and_its_option() -> None:
    assert b"\n  whole  " in command("--help", path=[PLUGIN]).stdout
    assert b"--smallest INTEGER" in command("whole", "--help", path=[PLUGIN]).stdout


def test_without_the_package_its_name_is_unknown() -> None:
    done = command("whole", *PAIR)
    assert (done.status, done.stdout) == (2, b"")


@pytest.mark.parametrize("name", ["none", "all", "conll", "compare", "convert", "validate", "mentions", "muc", "Every"])
def test_a_reserved_name_is_an_error_that_names_the_package(name: str, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    entry = f"[corefscore.metrics]\n{name} = example_metric:METRIC\n"
    (plugin / "example_metric-1.0.dist-info" / "entry_points.txt").write_text(entry)
    done = command("whole", *PAIR, path=[plugin])
    assert (done.status, done.stdout) == (2, b"")
    said = f"package example-metric adds a metric with the reserved name '{name}'; rename or remove it\n"
    assert done.stderr.decode() == f"corefscore: {said}"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("example_metric:count", "example_metric:count is function, expected corefscore.metrics.base.Metric"),
        ("example_metric:NOTHING", "metric 'whole' cannot be loaded: "),
        ("no_such_module:METRIC", "metric 'whole' cannot be loaded: No module named 'no_such_module'"),
        (
            "corefscore.metrics.lea:METRIC",
            "the metric of the entry point 'whole' has the name 'lea'; give both the same name",
        ),
    ],
)
def test_a_broken_package_is_named(target: str, message: str, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    entry = f"[corefscore.metrics]\nwhole = {target}\n"
    (plugin / "example_metric-1.0.dist-info" / "entry_points.txt").write_text(entry)
    done = command("whole", *PAIR, path=[plugin])
    assert (done.status, done.stdout) == (2, b"")
    assert f"corefscore: package example-metric: {message}".encode() in done.stderr


def changed(folder: Path, old: str, new: str) -> Path:
    """The example package with one thing changed."""
    plugin = folder / "plugin"
    shutil.copytree(PLUGIN, plugin)
    source = (plugin / "example_metric.py").read_text()
    assert old in source
    (plugin / "example_metric.py").write_text(source.replace(old, new))
    return plugin


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param('Option("smallest"', 'Option("strict"', "the option --strict of metric", id="taken option"),
        pytest.param('Measure("whole"', 'Measure("mentions"', 'both have a measure "mentions"', id="taken measure"),
        pytest.param("    about=", '    view="lemma",\n    about=', "has the unknown view 'lemma'; known:", id="view"),
        pytest.param("cells, key, response =", "0 / 0; cells, key, response =", "ZeroDivisionError", id="failure"),
        pytest.param(
            ", smallest: int = 1",
            "",
            "of package example-metric failed: TypeError",
            id="keyword not taken",
        ),
    ],
)
def test_a_metric_that_cannot_work_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    done = command("whole", *PAIR, path=[changed(tmp_path, old, new)])
    assert (done.status, done.stdout) == (2, b"")
    assert message in done.stderr.decode()


RETURN = "    return (Counts(Ratios(shared, key.total(key.size)), Ratios(shared, response.total(response.size))),)"


@pytest.mark.parametrize(
    ("new", "message"),
    [
        pytest.param(
            "return (Counts(Ratios(shared * float('nan'), shared), Ratios(shared, shared)),)", "expected finite numbers"
        ),
        pytest.param(
            "return (Counts(Ratios(shared, shared + float('inf')), Ratios(shared, shared)),)", "expected finite numbers"
        ),
        (
            "return (Counts(Ratios(shared + 1e308, shared + 1), Ratios(shared, shared)),)",
            "expected finite numbers",
        ),
        ("return (Counts(Ratios(shared * 1j, shared), Ratios(shared, shared)),)", "returned complex128"),
        ("return (Counts(*[Ratios(shared.astype(str), shared.astype(str))] * 2),)", "returned <U32"),
        ("return (Counts(Ratios(shared, shared), Ratios(shared, shared)),) * 2", "of the shape (1, 2, 4)"),
        ("return ()", "failed: ValueError"),
        ("return None", "failed: TypeError"),
        ("return (Counts(*[Ratios(shared.repeat(2), shared.repeat(2))] * 2),)", "of the shape (2, 1, 4)"),
        ("return (Counts(*[Ratios(1.0, 2.0)] * 2),)", "of the shape (1, 4)"),
    ],
)
def test_counts_that_are_none_name_the_package(new: str, message: str, tmp_path: Path) -> None:
    done = command("lea,whole", *PAIR, path=[changed(tmp_path, RETURN, f"    {new}")])
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"corefscore: the metric 'whole' of package example-metric ")
    assert message in done.stderr.decode()


@pytest.mark.parametrize("combine", ["None[0]", "parts", "1 / 0"])
def test_counts_that_cannot_be_combined_name_the_package(combine: str, tmp_path: Path) -> None:
    measures = f'(Measure("whole", "Coreference"), Measure("sum", "Sum", lambda parts: {combine}))'
    plugin = changed(tmp_path, '(Measure("whole", "Coreference"),)', measures)
    done = command("whole", *PAIR, path=[plugin])
    assert (done.status, done.stdout) == (2, b"")
    assert b"the metric 'whole' of package example-metric failed: " in done.stderr


@pytest.mark.parametrize("name", ["small est", "Smallest", "", "--smallest", "smallest="])
def test_an_option_of_another_form_is_told(name: str, tmp_path: Path) -> None:
    done = command("whole", *PAIR, path=[changed(tmp_path, 'Option("smallest"', f'Option("{name}"')])
    assert (done.status, done.stdout) == (2, b"")
    said = f"package example-metric: metric 'whole' has the option '{name}'; expected"
    assert said in done.stderr.decode()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("broken = no_such_module:METRIC", "package example-metric: metric 'broken' cannot be loaded"),
        ("none = example_metric:METRIC", "adds a metric with the reserved name 'none'"),
        ("broken = example_metric:count", "example_metric:count is function"),
    ],
)
def test_one_broken_metric_takes_nothing_else_with_it(entry: str, said: str, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    entries = plugin / "example_metric-1.0.dist-info" / "entry_points.txt"
    entries.write_text(f"{entries.read_text()}{entry}\n")
    done = command("--help", path=[plugin])
    assert (done.status, done.stderr) == (0, b"")
    assert said in " ".join(done.stdout.decode().split())
    assert b"\n  whole  " in done.stdout
    assert command("whole", *PAIR, path=[plugin]).status == 0
    done = command("rank", PAIR[0], *PAIR, "--measures", "whole", "--trials", "10", path=[plugin])
    assert b"Traceback" not in done.stderr


def test_broken_metadata_of_any_package_takes_nothing_else_with_it(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    (plugin / "example_metric-1.0.dist-info" / "entry_points.txt").write_text("[corefscore.metrics]\nno value\n")
    assert command("lea", *PAIR, path=[plugin]).status == 0
    assert command("--help", path=[plugin]).status == 0
    assert b"Traceback" not in command("whole", *PAIR, path=[plugin]).stderr


def test_two_packages_with_one_name_are_both_named(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(PLUGIN, other)
    (other / "example_metric-1.0.dist-info" / "METADATA").write_text("Name: another-metric\nVersion: 1\n")
    (other / "example_metric-1.0.dist-info").rename(other / "another_metric-1.0.dist-info")
    done = command("whole", *PAIR, path=[PLUGIN, other])
    assert (done.status, done.stdout) == (2, b"")
    assert b"example-metric and another-metric both add a metric with the name 'whole'" in done.stderr
