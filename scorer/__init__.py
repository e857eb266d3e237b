"""corefscore: scores coreference in CoNLL format exactly as the official scorer does.

from scorer import score
result = score("key.conll", "response.conll", metrics=["muc", "bcub", "ceafe", "lea"])
result.conll, result["lea"].f1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scorer.api import Corpus as Corpus
    from scorer.api import Scorer as Scorer
    from scorer.api import read as read
    from scorer.api import score as score
    from scorer.errors import InputError as InputError
    from scorer.errors import ScorerError as ScorerError
    from scorer.errors import UsageError as UsageError
    from scorer.results import Result as Result
    from scorer.results import Score as Score
    from scorer.results import Scores as Scores

__version__ = "0.1.0"

_HOMES = {
    "api": ("score", "Scorer", "read", "Corpus"),
    "results": ("Result", "Scores", "Score"),
    "errors": ("ScorerError", "InputError", "UsageError"),
}

__all__ = ["Corpus", "InputError", "Result", "Score", "Scorer", "ScorerError", "Scores", "UsageError", "read", "score"]


def __getattr__(name: str) -> object:
    """The public names, imported when they are asked for: the command starts faster without them."""
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module 'scorer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"scorer.{home}"), name)
