"""corefscore: scores coreference in CoNLL format exactly as the official scorer does.

from corefscore import score
result = score("key.conll", "response.conll", metrics=["muc", "bcub", "ceafe", "lea"])
result.conll, result["lea"].f1
"""

from __future__ import annotations

from corefscore.core import __version__ as __version__

TYPE_CHECKING = False  # `typing` takes longer than all else before the command settles what signals do

if TYPE_CHECKING:
    from corefscore.core.errors import InputError as InputError
    from corefscore.core.errors import ScorerError as ScorerError
    from corefscore.core.errors import ScorerWarning as ScorerWarning
    from corefscore.core.errors import UsageError as UsageError
    from corefscore.python.analysing import analyse as analyse
    from corefscore.python.analysing import entities as entities
    from corefscore.python.analysing import explain as explain
    from corefscore.python.api import read as read
    from corefscore.python.api import score as score
    from corefscore.python.api import write as write
    from corefscore.python.corpora import from_clusters as from_clusters
    from corefscore.python.corpora import from_labels as from_labels
    from corefscore.python.corpora import from_spacy as from_spacy
    from corefscore.python.corpora import from_text as from_text
    from corefscore.python.scorer import CorefEvaluator as CorefEvaluator
    from corefscore.python.scorer import Scorer as Scorer
    from corefscore.python.systems import check as check
    from corefscore.python.systems import compare as compare
    from corefscore.python.systems import rank as rank
    from corefscore.scoring.results import Result as Result
    from corefscore.scoring.results import Score as Score
    from corefscore.scoring.results import Scores as Scores
    from corefscore.scoring.run import Corpus as Corpus
    from corefscore.scoring.systems import Runs as Runs

_HOMES = {
    "python.analysing": ("analyse", "entities", "explain"),
    "python.scorer": ("Scorer", "CorefEvaluator"),
    "python.corpora": ("from_clusters", "from_labels", "from_spacy", "from_text"),
    "python.systems": ("compare", "rank", "check"),
    "python.api": ("score", "read", "write"),
    "scoring.run": ("Corpus",),
    "scoring.systems": ("Runs",),
    "scoring.results": ("Result", "Scores", "Score"),
    "core.errors": ("ScorerError", "ScorerWarning", "InputError", "UsageError"),
}

__all__ = [name for names in _HOMES.values() for name in names]


def __getattr__(name: str) -> object:
    """Return the public names, imported when they are asked for: the command starts faster without them."""
    if (home := next((module for module, names in _HOMES.items() if name in names), None)) is None:
        raise AttributeError(f"module 'corefscore' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"corefscore.{home}"), name)


def __dir__() -> list[str]:
    """Return the public names too, which completion at a prompt lists, before they are imported."""
    return sorted({*globals(), *__all__})
