"""The examples of the pages about Python run, and each recipe, with its library where that is installed."""

from __future__ import annotations

import doctest
import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corefscore import score
from support import ROOT

RECIPES = (ROOT / "docs" / "recipes.md").read_text()
KEY = [[(0, 0), (2, 2)], [(2, 3), (5, 5)]]
RESPONSE = [[(0, 0), (2, 2), (5, 5)]]
EXPECTED = score(KEY, RESPONSE, "conll")


def recipe(title: str, **given: Any) -> dict[str, Any]:
    """The names that the code under a heading defines."""
    section = RECIPES.split(f"## {title}\n")[1].split("\n## ")[0]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert code is not None
    names = {"__name__": "recipe", **given}
    exec(code[1], names)
    return names


@pytest.mark.parametrize(
    ("page", "least"), [("python.md", 16), ("migration.md", 16), ("corefud.md", 4), ("clusterings.md", 3)]
)
def test_the_examples_of_a_page_print_what_it_shows(page: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(ROOT / "docs" / page), module_relative=False)
    assert found.attempted >= least
    assert not found.failed


def test_every_library_has_a_recipe_and_a_test() -> None:
    titles = re.findall(r"^## (.*)$", RECIPES, re.MULTILINE)
    assert titles == [
        *("torchmetrics", "PyTorch Lightning", "Hugging Face evaluate", "lighteval"),
        *("spaCy", "Stanza", "fastcoref", "Maverick"),
    ]
    tests = Path(__file__).read_text()
    assert all(f'recipe("{title}"' in tests for title in titles)


def test_torchmetrics() -> None:
    pytest.importorskip("torchmetrics")
    metric = recipe("torchmetrics")["Coreference"](metrics="conll")
    metric.update(RESPONSE, KEY)
    assert metric.compute()["conll_f1"] == EXPECTED.conll
    metric.reset()
    metric.update(KEY, KEY)
    assert metric.compute()["muc_f1"] == 1


def test_lightning() -> None:
    pytest.importorskip("lightning")
    model = recipe("PyTorch Lightning")["Model"]()
    logged: dict[str, float] = {}
    model.log = logged.__setitem__
    model.forward = lambda document: document["predicted"]
    model.on_validation_epoch_start()
    model.validation_step([{"clusters": KEY, "predicted": RESPONSE}], 0)
    model.on_validation_epoch_end()
    assert logged == {f"conll_{name}": getattr(EXPECTED["conll"], name) for name in ("precision", "recall", "f1")}


def test_evaluate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("evaluate")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    metric = recipe("Hugging Face evaluate")["Coreference"](cache_dir=str(tmp_path))
    lists = ([[[list(mention) for mention in its] for its in side]] for side in (RESPONSE, KEY))
    predictions, references = lists
    found = metric.compute(predictions=predictions, references=references)
    assert found["conll"] == EXPECTED.conll
    assert found["muc"] == EXPECTED["muc"].f1


def test_lighteval() -> None:
    try:
        import_module("lighteval.metrics.utils.metric_utils")
    except ImportError as error:
        pytest.skip(f"could not import lighteval: {error}")
    names = recipe("lighteval", parsed=eval)
    metric = names["metric"]
    sample = {
        "doc": SimpleNamespace(specific={"clusters": KEY}),
        "model_response": SimpleNamespace(final_text=[repr(RESPONSE)]),
    }
    item = metric.compute_sample(**sample)["conll_f1"]
    assert metric.corpus_level_fn([item, item]) == score([KEY] * 2, [RESPONSE] * 2, "conll").conll


def test_spacy() -> None:
    pytest.importorskip("spacy")
    result = recipe("spaCy")["result"]
    assert result["lea"].recall_counts == (0, 2)
    assert result.mentions.recall_counts == (1, 2)


def test_stanza() -> None:
    """Chains as Stanza has them; its models cannot be had everywhere."""
    try:
        chain = import_module("stanza.models.coref.coref_chain")
        CorefChain, CorefMention = chain.CorefChain, chain.CorefMention  # noqa: N806
    except ImportError:

        def CorefMention(sentence: int, start: int, end: int) -> Any:  # noqa: N802 - as it is called there
            return SimpleNamespace(sentence=sentence, start_word=start, end_word=end)

        def CorefChain(index: int, mentions: Any, text: str, representative: int) -> Any:  # noqa: N802
            return SimpleNamespace(mentions=mentions)

    sentences = [SimpleNamespace(words=["w"] * size) for size in (3, 4)]
    chains = [
        CorefChain(0, [CorefMention(0, 0, 1), CorefMention(0, 2, 3)], "w", 0),
        CorefChain(1, [CorefMention(0, 2, 3), CorefMention(1, 1, 4)], "w", 0),
    ]
    found = recipe("Stanza")["from_stanza"](SimpleNamespace(sentences=sentences, coref=chains))
    assert found == [[(0, 0), (2, 2)], [(2, 2), (4, 6)]]


class Prediction:
    """What a prediction of fastcoref is to us, where that is not there."""

    def __init__(self, **its: Any) -> None:
        self.clusters, self.char_map = its["clusters"], its["char_map"]

    def get_clusters(self, as_strings: bool = True) -> list[list[Any]]:
        assert not as_strings
        return [[self.char_map[mention][1] for mention in cluster] for cluster in self.clusters]


def test_fastcoref() -> None:
    """A prediction as fastcoref makes them; its weights cannot be had everywhere."""
    text, clusters = "Ann saw her .", [[(0, 1), (2, 3)], [(1, 1)]]
    char_map = {(0, 1): (0, (0, 3)), (2, 3): (1, (8, 11)), (1, 1): (None, None)}
    CorefResult: Any = Prediction  # noqa: N806 - as it is called there
    with suppress(ImportError):
        CorefResult = import_module("fastcoref.modeling").CorefResult  # noqa: N806
    made = {"text": text, "clusters": clusters, "char_map": char_map, "reverse_char_map": {}, "coref_logit": None}
    result = recipe("fastcoref")["scored"]([CorefResult(**made, text_idx=0)], [[[(0, 3), (8, 11)]]])
    assert result["muc"].f1 == 1
    assert result.mentions[:3] == (1, 1, 1)


def test_maverick() -> None:
    """A model as Maverick's; its weights cannot be had everywhere."""
    model = SimpleNamespace(predict=lambda sentences: {"clusters_token_offsets": [tuple(its) for its in RESPONSE]})
    documents = [{"doc_id": "a", "sentences": [["w"] * 6], "clusters": KEY}]
    result = recipe("Maverick")["scored"](model, documents)
    assert (result.names, dict(result)) == (("a",), dict(EXPECTED))
