"""A class for training code, which calls it after each document: the usual methods, with the scores of this package.

Such classes were copied from project to project, and their scores no longer agree. This class has their methods only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from corefscore.core.documents import Clusters
from corefscore.core.errors import UsageError
from corefscore.formats.memory import as_tuple
from corefscore.metrics import single, wanted
from corefscore.python.api import Scorer
from corefscore.python.arguments import ScorerOptions, with_keywords
from corefscore.scoring.results import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Given = Mapping[Any, Any] | None
"""A mapping from mentions to their clusters, or None."""


class _Evaluator:
    """The scores of one measure, computed when they are asked for."""

    def __init__(self, result: Callable[[], Result], measure: str) -> None:
        self._result, self._measure = result, measure

    def result(self) -> Result:
        """Return the result of all documents so far."""
        return self._result()

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, from 0 to 1."""
        recall, precision, f1 = self.result()[self._measure][:3]
        return precision, recall, f1

    def get_precision(self) -> float:
        """Return the precision, from 0 to 1."""
        return self.get_prf()[0]

    def get_recall(self) -> float:
        """Return the recall, from 0 to 1."""
        return self.get_prf()[1]

    def get_f1(self) -> float:
        """Return the F1, from 0 to 1."""
        return self.get_prf()[2]


class CorefEvaluator(_Evaluator):
    """Scores documents one after another, with the methods of evaluators in training code.

        >>> evaluator = CorefEvaluator()
        >>> predicted, gold = [((0, 1), (4, 4), (2, 2))], [((0, 1), (4, 4)), ((2, 2),)]
        >>> evaluator.update(predicted, gold)
        >>> precision, recall, f1 = evaluator.get_prf()
        >>> round(precision, 4), round(recall, 4), round(f1, 4)
        (0.6185, 0.8333, 0.7048)

    The scores are those of ``measure``, by default the CoNLL average, whose precision and recall are the means of those
    of MUC, B-cubed and CEAF-e; ``evaluators`` has an object with the same methods for each of its metrics. Counts of
    all documents are summed before scores are computed, as in the official scorer. Singletons count on both sides;
    ``singletons="drop-response"`` drops those of ``predicted``, ``"drop"`` those of both sides. The other options are
    those of `corefscore.Scorer`. Asking for scores before the first document raises `UsageError`.
    """

    @with_keywords
    def __init__(self, measure: str = "conll", **arguments: Unpack[ScorerOptions]) -> None:
        name, _ = single(measure)
        self._metrics = [metric.name for metric in wanted(name).metrics]
        self._scorer = Scorer(self._metrics, **arguments)
        super().__init__(self._scorer.result, name)

    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: _Given = None,
        mention_to_gold: _Given = None,
    ) -> None:
        """Count one document: its ``predicted`` clusters, and the ``gold`` clusters of the key.

        Only the clusters are scored. The mappings from mentions to clusters are arguments of other evaluators, and can
        be left out. Raises `UsageError` if their mentions are not those of the clusters, and `InputError` for arguments
        that are not clusters.
        """
        # As lists, which can be read more than once.
        response, key = ([list(entity) for entity in side] for side in (predicted, gold))
        _agree("mention_to_predicted", mention_to_predicted, response)
        _agree("mention_to_gold", mention_to_gold, key)
        self._scorer.add_document(key, response)

    def reset(self) -> None:
        """Remove all documents."""
        self._scorer.reset()

    @property
    def evaluators(self) -> list[_Evaluator]:
        """An evaluator for each metric: for the CoNLL average MUC, B-cubed and CEAF-e, in this order."""
        return [_Evaluator(self._scorer.result, name) for name in self._metrics]


def _agree(name: str, mapping: _Given, clusters: Iterable[Iterable[Any]]) -> None:
    """Raise `UsageError` if the mentions of a mapping are not those of the clusters."""
    if mapping is None:
        return
    clustered = {as_tuple(mention) for cluster in clusters for mention in cluster}
    mapped = {as_tuple(mention) for mention in mapping}
    if clustered != mapped:
        mention = next(iter(mapped - clustered or clustered - mapped))
        found = "has a mention that the clusters lack" if mapped - clustered else "lacks a mention of the clusters"
        raise UsageError(f"{name} {found}: {mention!r}; only the clusters are scored, so leave {name} out")
