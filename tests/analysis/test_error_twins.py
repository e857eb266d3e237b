"""What `errors` counts and what it says that errors cost, beside a twin on lists and sets, for random documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import error_twins
import pytest
import twins
from corefscore import analyse
from corefscore.analysis import response as response_module
from corefscore.analysis.spans import _OFF
from support import together
from twins import Mention

OPTIONS: list[tuple[str, dict[str, str]]] = [
    ("conll", {}),
    ("conll", {"singletons": "drop-response", "repeated": "first"}),
    ("lea", {"singletons": "drop"}),
    ("ceafm", {"repeated": "first"}),
    ("conll", {"mentions": "given"}),
    ("lea", {"mentions": "given", "singletons": "drop", "repeated": "first"}),
    ("blanc", {}),
    ("blanc", {"boundary": "both", "repeated": "first"}),
    ("blanc", {"boundary": "both", "singletons": "drop"}),
]


def is_pronoun(mention: Mention) -> bool:
    """Every second mention of one token."""
    return mention[0] == mention[1] and mention[0] % 4 == 0


def written(path: Path, text: str) -> Path:
    """CoNLL with the word "he" at the tokens that can be pronouns."""
    lines, token = [], -1
    for line in text.splitlines():
        token = -1 if line.startswith("#") else token + 1
        lines.append(line if token < 0 or token % 4 else line.replace("word", "he", 1))
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.mark.parametrize(("measure", "options"), OPTIONS, ids=str)
@together("kind", list(twins.KINDS))
def test_costs_are_those_of_the_twin(
    kind: str, measure: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two documents of each kind of the twins of metrics, nested, crossing, repeated and empty ones, too."""
    pairs = twins.drawn(kind, 2)
    texts = (twins.conll([pair[at] for pair in pairs]) for at in range(2))
    key, response = (written(tmp_path / str(at), text) for at, text in enumerate(texts))
    (words := tmp_path / "words").write_text("he\n")
    monkeypatch.setattr(response_module, "way_of", lambda *_: _OFF)  # the twin repairs no spans
    report = analyse(str(key), str(response), measure, pronouns=f"words:{words}", **options)
    found = {cost.type: (cost.errors, cost.alone, cost.in_turn, cost.then) for cost in report.analysis.costs}
    prepared = [
        error_twins.prepared(pair, options.get("singletons", "keep"), options.get("mentions", "all")) for pair in pairs
    ]
    twin = error_twins.costs(prepared, measure, options.get("boundary", "key"), is_pronoun)
    for name, expected in twin.items():
        assert found[name] == pytest.approx(expected, abs=1e-9), name
