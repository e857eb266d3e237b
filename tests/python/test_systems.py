"""`compare`, `rank` and `check` from Python: the reports of the commands, as objects, tables, HTML and data frames."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from corefscore import (
    InputError,
    Scorer,
    ScorerWarning,
    UsageError,
    analyse,
    check,
    compare,
    entities,
    explain,
    rank,
    read,
    score,
)
from corefscore.core.frames import frame
from corefscore.core.records import declared
from corefscore.statistics.significance import Method
from support import TESTDATA, call
from test_api import in_memory

KEY = TESTDATA / "systems" / "key.conll"
SYSTEMS = {name: TESTDATA / "systems" / "runs" / f"{name}.conll" for name in ("ash", "birch", "cedar")}
NAMED = [f"{name}={path}" for name, path in SYSTEMS.items()]
MEASURES = ("--measures", "muc,lea,conll")
DEMO = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")


def test_compare_is_the_report_of_the_command(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    printed = call(capfdbinary, "compare", KEY, *NAMED, *MEASURES, "--seed", "3", "--format", "json")
    found = compare(KEY, SYSTEMS, ["muc", "lea", "conll"], seed=3)
    assert json.loads(printed.stdout) == json.loads(json.dumps(found.to_dict()))
    assert repr(found) == "<Comparison of ash, birch, cedar in muc, lea, conll>"


def test_functions_that_compare_share_their_keywords() -> None:
    """The defaults are those of `Method`."""
    own = {option.name: option.default for option in declared(Method)}
    for function in (compare, rank):
        shown = signature(function).parameters
        missing = own.keys() - shown.keys()
        assert not missing, f"add the types of {', '.join(missing)} to python/systems.py"
        assert {name: shown[name].default for name in own} == own
    assert rank(KEY, SYSTEMS, "muc", seed=3, confidence=0.9, trials=99).found.method == Method(
        seed=3, trials=99, confidence=0.9
    )


@pytest.mark.parametrize("layout", ["table", "markdown", "latex", "csv"])
def test_a_report_prints_as_the_command_does(layout: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    calls: dict[str, Any] = {"compare": compare, "rank": rank}
    for name, function in calls.items():
        printed = call(capfdbinary, name, KEY, *NAMED, *MEASURES, "--format", layout).stdout.decode()
        found = function(KEY, SYSTEMS, "muc,lea,conll")
        assert found.to_table(layout) == printed
        assert layout != "table" or str(found) == printed


def test_rank_is_the_report_of_the_command(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    options = ("--sort", "lea.recall", "--confidence", "90", "--unit", "part", "--correction", "none")
    printed = call(capfdbinary, "rank", KEY, *NAMED, *MEASURES, *options, "--format", "json")
    how: dict[str, Any] = {"confidence": 0.9, "unit": "part", "correction": "none"}
    found = rank(KEY, SYSTEMS, "muc,lea,conll", sort="lea.recall", **how)
    assert json.loads(printed.stdout) == json.loads(json.dumps(found.to_dict()))
    assert repr(found).startswith("<Ranking by lea.recall: 1-2 ash, ")


def test_clusters_in_memory_give_the_same_report() -> None:
    expected = compare(KEY, SYSTEMS, "lea", trials=100).to_dict()
    key, systems = in_memory(KEY), {name: in_memory(path) for name, path in SYSTEMS.items()}
    for its in (read(KEY), [KEY]):
        assert compare(its, systems, "lea", trials=100).to_dict() == expected
    lists = {name: list(documents.values()) for name, documents in systems.items()}
    assert compare(KEY, lists, "lea", trials=100).to_dict() == expected
    found = compare(key, systems, "lea", trials=100).to_dict()
    # The fingerprint of this key is another one, since it has no number of tokens.
    for report in (expected, found):
        report["signature"] = re.sub("key=[0-9a-f]{6}", "key=", report["signature"])
    assert found == expected
    assert [found.names for found in rank(KEY, lists, "lea", sort="lea").results.values()] == [tuple(key)] * 3


def test_check_is_the_report_of_the_command(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    baseline = tmp_path / "baseline.json"
    pair = KEY, SYSTEMS["ash"]
    baseline.write_bytes(call(capfdbinary, "conll", KEY, SYSTEMS["birch"], "--format", "json").stdout)
    options = ("--min", "lea.f1=99", "--tolerance", "muc.recall=50", "--tolerance", "0.1")
    printed = call(capfdbinary, "check", baseline, *pair, *options, "--format", "json")
    found = check(*pair, baseline, minimum={"lea.f1": 0.99}, tolerance=0.001, tolerances={"muc.recall": 0.5})
    assert json.loads(printed.stdout) == json.loads(json.dumps(found.to_dict()))
    assert not found.passed
    assert {floor.met for floor in found.floors} == {False}
    assert [(each.measure, each.score) for each in found.failures][-1] == ("lea", "f1")
    assert check(*pair, minimum={"lea": 0.99}).failures[0].measure == "lea"
    assert "failed" in repr(found)


def test_a_baseline_is_a_result_or_its_data() -> None:
    before = score(KEY, SYSTEMS["birch"], "muc,lea")
    for baseline in (before, before.to_dict()):
        found = check(KEY, SYSTEMS["ash"], baseline)
        assert [(each.measure, each.score) for each in found.failures] == [("mentions", "f1"), ("lea", "f1")]
        assert check(KEY, SYSTEMS["birch"], baseline, both_ways=True).passed
    assert check(*DEMO, score(*DEMO, "lea", document="(demo/cats); part 000")).passed
    with pytest.raises(InputError, match="other-signature"):
        check(KEY, SYSTEMS["ash"], before, singletons="drop")
    with pytest.raises(InputError, match="not-a-baseline"):
        check(KEY, SYSTEMS["ash"], {"total": {}})


def test_one_system_gets_intervals_alone() -> None:
    found = compare(KEY, {"ash": SYSTEMS["ash"]}, "conll", confidence=0.9)
    interval = found.to_dict()["systems"]["ash"]["conll"]["f1"]
    assert interval["low"] < interval["value"] < interval["high"]
    assert "confidence=90% | interval=jackknife-t" in found.signature


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(lambda: compare(KEY, {}), "systems: none is given", id="no system"),
        pytest.param(lambda: compare(KEY, list(SYSTEMS.values())), "the value has the type list", id="no names"),  # type: ignore[arg-type]
        pytest.param(lambda: compare(KEY, SYSTEMS, "lae"), 'unknown measure "lae"', id="measure"),
        pytest.param(lambda: compare(KEY, SYSTEMS, 7), "measures=7: expected names", id="no names of measures"),  # type: ignore[arg-type]
        pytest.param(lambda: compare(KEY, SYSTEMS, confidence=5), "confidence=5 would be 500 %", id="level"),
        pytest.param(lambda: rank(KEY, SYSTEMS, sort="muc,lea"), "means several measures", id="sort"),
        pytest.param(lambda: rank(KEY, SYSTEMS, sorted="lea"), "did you mean sort?", id="keyword"),  # type: ignore[call-arg]
        pytest.param(lambda: check(*DEMO), "check needs a baseline, or a minimum", id="nothing to check"),
        pytest.param(
            lambda: check(*DEMO, minimum={"lea": 0.1}, both_ways=True), "need a baseline", id="options of a baseline"
        ),
        pytest.param(lambda: score(*DEMO, heads="tree"), "changes scores of CorefUD only", id="heads of spans"),
        pytest.param(lambda: entities(*DEMO, heads="tree"), "changes scores of CorefUD only", id="heads of entities"),
        pytest.param(
            lambda: check(*DEMO, minimum={"lea": 0.5, "lea.f1": 0.1}), "expected scores by name, each once", id="twice"
        ),
        pytest.param(lambda: check(*DEMO, minimum="lea=50"), "minimum='lea=50': expected scores by name", id="text"),  # type: ignore[arg-type]
        pytest.param(lambda: check(*DEMO, minimum={"lea": 58}), "lea.f1=58 would be 5800 %", id="percent"),
        pytest.param(lambda: compare(KEY, SYSTEMS, unit="(x"), "not a regular expression", id="unit"),
        pytest.param(lambda: compare(KEY, SYSTEMS).to_table("json"), "layout='json' is not one of", id="layout"),
        pytest.param(lambda: compare(KEY, SYSTEMS, "lea").to_frame("x"), "no table 'x'; the report has", id="table"),
    ],
)
def test_a_wrong_call_is_a_usage_error(wrong: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        wrong()
    assert message in str(caught.value)


def test_one_unit_is_no_sample() -> None:
    with pytest.raises(InputError, match="one-unit"):
        compare(DEMO[0], {"a": DEMO[1], "b": DEMO[0]})


def test_iterators_of_the_key_serve_all_systems() -> None:
    """The first system used them up, and the second was compared with nothing."""
    entities = [[(0, 0), (3, 3)], [(5, 5), (8, 8)]]
    for key in (iter([entities] * 6), {name: iter(entities) for name in "abcdef"}):
        systems: Any = [entities] * 6 if not isinstance(key, dict) else dict.fromkeys("abcdef", entities)
        report = compare(key, {"one": systems, "two": systems}, "lea.f1", trials=10)
        assert [result["lea"].f1 for result in report.results.values()] == [1, 1]


def test_iterators_serve_all_conventions() -> None:
    """The first convention used them up, and the others scored nothing."""
    key, response = [[[(0, 1), (4, 5)], [(7, 8)]]], [[[(0, 1), (4, 5), (7, 8)]]]
    expected = [row.scores for row in explain(key, response).rows]
    assert [row.scores for row in explain(key, iter(response)).rows] == expected
    assert [row.scores for row in explain(iter(key), response).rows] == expected


def test_what_is_odd_is_warned_of_once_for_all_systems() -> None:
    key = {"a": [[1, 2]], "b": [[3, 4, 4]]}
    with pytest.warns(ScorerWarning) as caught:
        compare(key, {"one": {"a": [[1, 2]]}, "two": {"a": [[1, 2]]}}, "muc", trials=10)
    (warning,) = caught
    assert warning.filename == __file__
    assert "missing-document" in str(warning.message)
    assert str(warning.message).count("repeated-mention") == 1


class Tags(HTMLParser):
    """What is open, and the cells of each row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_a_result_is_a_small_table_in_a_notebook() -> None:
    result = score({"<a>&": [[1, 2]]}, {"<a>&": [[1, 2]]}, "conll", document="<a>&")
    html = result._repr_html_()
    tags = Tags(html)
    assert not tags.open
    assert tags.rows[0] == ["measure", "R", "P", "F1"]
    assert tags.rows[2] == ["muc", "100.00", "100.00", "100.00"]
    assert html.endswith("| document=&lt;a&gt;&amp; | key=0652c9</small></p>")
    assert "<style" not in html and "class=" not in html


def test_reports_are_tables_in_a_notebook() -> None:
    odd = "<b>\udce9\x1b"
    found = compare(KEY, {odd: SYSTEMS["ash"], "birch": SYSTEMS["birch"]}, "lea", trials=50)
    for report in (found, rank(KEY, SYSTEMS, "lea", sort="lea"), check(*DEMO, minimum={"lea": 0.5}), analyse(*DEMO)):
        html = report._repr_html_()
        html.encode()
        assert not Tags(html).open
        assert re.sub("<[^>]*>", "", html).endswith(report.signature.replace(">", "&gt;"))
    assert "&lt;b&gt;?␛" in found._repr_html_() and "<b>" not in found._repr_html_()
    rows = Tags(found._repr_html_()).rows
    assert ["lea", "birch"] in [row[:2] for row in rows]
    assert rows[0][-3:] == ["F1", "low", "high"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_have_the_rows_of_csv(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip(library)
    for other in {"pandas", "polars"} - {library}:
        monkeypatch.setitem(sys.modules, other, None)
    result = score(*DEMO, "lea").to_frame()
    assert isinstance(result, module.DataFrame)
    assert list(result.columns) == ["kind", "scope", "measure", "recall", "precision", "f1"]
    assert list(result["kind"]) == ["document"] * 2 + ["total"] * 2
    assert list(result["recall"]) == [7 / 8, 4 / 8] * 2
    assert list(score(*DEMO, "lea").to_frame(documents=False)["scope"]) == ["total"] * 2
    division = score(*DEMO, "lea", of="size")
    assert list(dict.fromkeys(division.to_frame(documents=False)["scope"])) == [*division.kinds, "total"]
    found = compare(KEY, SYSTEMS, "lea", trials=50)
    assert list(found.to_frame()["system"]) == list(SYSTEMS)
    differences = found.to_frame("differences")
    assert list(differences["against"])[:3] == ["birch", "cedar", "cedar"]
    assert {"p", "difference_low", "verdict"} <= set(differences.columns)
    assert list(rank(KEY, SYSTEMS, "lea", sort="lea").to_frame()["best"]) == [1, 1, 3]


def test_without_a_library_there_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=r"needs pandas or polars: pip install pandas, or pip install polars"):
        frame(["a"], [[1]])


def test_measures_are_names_in_anything_that_can_be_listed() -> None:
    names = ["lea", "muc"]
    assert check(*DEMO, score(*DEMO), measures=iter(names)).asked.measures == [("lea", "f1"), ("muc", "f1")]  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="expected names such as"):
        check(*DEMO, score(*DEMO), measures=[])


def test_numbers_are_names() -> None:
    """Of documents as `enumerate` gives them, and of systems; they failed only once a pattern met them."""
    scorer: Any = Scorer("lea")
    for number in range(2):
        scorer.add([["a", "b"]], [["a", "b"]], name=number)
    assert next(iter(scorer.result().by(".").values()))["lea"].f1 == 1
    systems: Any = {1: KEY, Path("b"): KEY}
    assert "1" in str(compare(KEY, systems, trials=10))
