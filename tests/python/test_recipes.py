"""The examples of the pages about Python run, and each recipe, with its library where that is installed."""

from __future__ import annotations

import asyncio
import doctest
import re
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corefscore import from_clusters, score, write
from support import ROOT

RECIPES, HARNESSES = ((ROOT / "docs" / page).read_text() for page in ("recipes.md", "harnesses.md"))
KEY = [[(0, 0), (2, 2)], [(2, 3), (5, 5)]]
RESPONSE = [[(0, 0), (2, 2), (5, 5)]]
EXPECTED = score(KEY, RESPONSE, "conll")


def code_of(page: str, title: str, language: str = "python") -> str:
    """The code under a heading."""
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0]
    code = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert code is not None
    return code[1]


def recipe(title: str, page: str = RECIPES, **given: Any) -> dict[str, Any]:
    """The names that the code under a heading defines."""
    names = {"__name__": "recipe", **given}
    exec(code_of(page, title), names)
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
    assert metric(KEY, KEY)["muc_f1"] == 1
    assert metric(RESPONSE, KEY)["conll_f1"] == EXPECTED.conll
    assert metric.compute()["conll_f1"] == score([KEY] * 2, [KEY, RESPONSE], "conll").conll


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


# Harnesses: the score of the corpus, from answers that are text

TEXTS = {"a": "Ann fed her cat . It purred .", "b": "Bo left . He ran .", "c": "Eve sat ."}
ENTITIES: dict[str, Any] = {"a": [[(0, 0), (2, 2)], [(2, 3), (5, 5)]], "b": [[(0, 0), (3, 3)]], "c": []}
ANSWERS = {
    "a": "[Ann](#1) fed [her cat](#1) . [It](#2) purred .",
    "b": "[Bo](#1) left . [He](#1) ran .",
    "c": "Eve sat .",
}


@pytest.fixture
def of_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """The score to expect in a folder with the files that recipes for harnesses need; it is no mean."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    key = from_clusters(ENTITIES, {name: text.split() for name, text in TEXTS.items()})
    write(key, "key.conll", "conll")
    write(key, "documents.jsonl", "tagged")
    expected = score("key.conll", ANSWERS, "conll")
    assert expected.conll != pytest.approx(expected.mean.conll)
    return expected.conll


def answer(prompt: str) -> str:
    """What a model answers that has seen the documents before."""
    return next(ANSWERS[name] for name, text in TEXTS.items() if prompt.endswith(text))


without_tags = pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
"""One answer has none, since there is nothing to mark."""


def test_recipes_for_harnesses_are_short() -> None:
    codes = re.findall(r"```(?:python|yaml)\n(.*?)```", HARNESSES, re.DOTALL)
    assert len(codes) == 4
    assert max(code.count("\n") for code in codes) <= 30


@without_tags
def test_functions_for_inspect(of_corpus: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With stand-ins for the decorators, which register the functions and return them."""
    modules: dict[str, dict[str, Any]] = {
        "inspect_ai": {"Task": SimpleNamespace, "task": lambda function: function},
        "inspect_ai.dataset": {"FieldSpec": SimpleNamespace, "json_dataset": list},
        "inspect_ai.scorer": {
            "metric": lambda function: function,
            "scorer": lambda metrics: lambda function: function,
            "Score": SimpleNamespace,
            "SampleScore": SimpleNamespace,
        },
        "inspect_ai.solver": {"generate": list, "prompt_template": str},
    }
    for name, its in modules.items():
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**its))
    names = recipe("Inspect", HARNESSES)
    scores = []
    for name, text in ANSWERS.items():
        state = SimpleNamespace(output=SimpleNamespace(completion=text))
        scores.append(SimpleNamespace(sample_id=name, score=asyncio.run(names["coreference"]()(state, None))))
    assert names["conll_f1"]()(scores) == of_corpus


@without_tags
def test_inspect(of_corpus: float) -> None:
    inspect = pytest.importorskip("inspect_ai")
    model = import_module("inspect_ai.model")

    def reply(messages: Any, *_: Any) -> Any:
        found = model.ModelOutput.from_content("mockllm/model", answer(messages[-1].text))
        found.usage = model.ModelUsage()  # otherwise it counts tokens with a vocabulary that it would download
        return found

    Path("coreference.py").write_text(code_of(HARNESSES, "Inspect"))
    mock = model.get_model("mockllm/model", custom_outputs=reply)
    (log,) = inspect.eval("coreference.py", model=mock, display="none", log_dir="logs")
    (found,) = log.results.scores
    assert found.metrics["conll_f1"].value == of_corpus


@without_tags
def test_functions_for_lm_eval(of_corpus: float) -> None:
    names = recipe("lm-evaluation-harness", HARNESSES)
    items = [names["process_results"]({"doc_key": name}, [text])["conll_f1"] for name, text in ANSWERS.items()]
    assert names["conll_f1"](items) == of_corpus


@without_tags
def test_lm_eval(of_corpus: float) -> None:
    harness = pytest.importorskip("lm_eval")

    class Model(import_module("lm_eval.api.model").LM):  # type: ignore[misc]
        loglikelihood = loglikelihood_rolling = None

        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            return [answer(request.arguments[0]) for request in requests]

    Path("utils.py").write_text(code_of(HARNESSES, "lm-evaluation-harness"))
    Path("coreference.yaml").write_text(code_of(HARNESSES, "lm-evaluation-harness", "yaml"))
    tasks = import_module("lm_eval.tasks").TaskManager(include_path=".", include_defaults=False)
    found = harness.simple_evaluate(Model(), tasks=["coreference"], task_manager=tasks)
    assert found["results"]["coreference"]["conll_f1,none"] == of_corpus


@without_tags
def test_evaluate_of_answers(of_corpus: float) -> None:
    evaluate = pytest.importorskip("evaluate")
    Path("answers.py").write_text(code_of(HARNESSES, "Hugging Face evaluate"))
    how = {"key": "key.conll", "tags": "markdown"}
    metric = evaluate.load("answers.py")
    given = {"predictions": list(ANSWERS.values()), "references": list(ANSWERS)}
    assert metric.compute(**given, **how)["conll"] == of_corpus
    for name, text in ANSWERS.items():
        metric.add(prediction=text, reference=name)
    assert metric.compute(**how)["conll"] == of_corpus
