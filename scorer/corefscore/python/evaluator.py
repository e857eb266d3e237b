"""The class that training code calls after each document: the methods that many projects have, with the scores of here.

Such classes were copied from project to project, and no longer agree. This one is written from the calls alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from corefscore.errors import UsageError
from corefscore.metrics.measures import single, wanted
from corefscore.python.api import Scorer
from corefscore.python.arguments import ScorerOptions, spelled
from corefscore.results import Result, Score

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from corefscore.formats.memory.clusters import Clusters

Given = Mapping[Any, Any] | None
"""A mapping from mentions to their clusters, which may be left out."""


class CorefEvaluator:
    """Scores documents one after the other, called as evaluators in training code are.

        >>> evaluator = CorefEvaluator()
        >>> predicted, gold = [((0, 1), (4, 4), (2, 2))], [((0, 1), (4, 4)), ((2, 2),)]
        >>> evaluator.update(predicted, gold)
        >>> precision, recall, f1 = evaluator.get_prf()
        >>> round(precision, 4), round(recall, 4), round(f1, 4)
        (0.6185, 0.8333, 0.7048)

    The scores are those of ``measure``, by default the CoNLL average, whose precision and recall are the means of those
    of MUC, B-cubed and CEAF-e; ``evaluators`` has one object for each metric behind it, with the same methods. All
    documents are summed before anything is divided, as the official scorer does. Singletons count as they are given:
    ``singletons="drop-response"`` drops those of ``predicted``, ``"drop"`` those of both sides. The other options are
    those of `corefscore.Scorer`. Before the first document there are no scores: `UsageError`.
    """

    @spelled
    def __init__(self, measure: str = "conll", **how: Unpack[ScorerOptions]) -> None:
        self._measure, _ = single(measure)
        self._metrics = wanted(self._measure).metrics
        self._scorer = Scorer([metric.name for metric in self._metrics], **how)

    def update(
        self,
        predicted: Clusters,
        gold: Clusters,
        mention_to_predicted: Given = None,
        mention_to_gold: Given = None,
    ) -> None:
        """Count one document: its clusters, each of mentions, that were ``predicted``, and those of the key.

        The clusters decide. The mappings from mentions to clusters are those that other evaluators need; they can be
        left out, and have to have the mentions of the clusters. Raises `UsageError` where they do not, `InputError`
        for what are no clusters.
        """
        sides = {"predicted": _listed(predicted), "gold": _listed(gold)}
        _agree("mention_to_predicted", mention_to_predicted, sides["predicted"])
        _agree("mention_to_gold", mention_to_gold, sides["gold"])
        self._scorer.add_document(sides["gold"], sides["predicted"])

    def reset(self) -> None:
        """Forget all documents."""
        self._scorer.reset()

    @property
    def evaluators(self) -> list[_One]:
        """An evaluator of one metric each: for the CoNLL average MUC, B-cubed and CEAF-e, in this order."""
        return [_One(self, metric.name) for metric in self._metrics]

    def result(self) -> Result:
        """All that was scored so far."""
        return self._scorer.result()

    def get_prf(self) -> tuple[float, float, float]:
        """Precision, recall and F1, from 0 to 1."""
        return _One(self, self._measure).get_prf()

    def get_precision(self) -> float:
        """The precision, from 0 to 1."""
        return self.get_prf()[0]

    def get_recall(self) -> float:
        """The recall, from 0 to 1."""
        return self.get_prf()[1]

    def get_f1(self) -> float:
        """The F1, from 0 to 1."""
        return self.get_prf()[2]


class _One:
    """The scores of one measure, asked for when they are wanted."""

    def __init__(self, whole: CorefEvaluator, measure: str) -> None:
        self._whole, self._measure = whole, measure

    @property
    def _score(self) -> Score:
        return self._whole.result()[self._measure]

    def get_prf(self) -> tuple[float, float, float]:
        score = self._score
        return score.precision, score.recall, score.f1

    def get_precision(self) -> float:
        return self._score.precision

    def get_recall(self) -> float:
        return self._score.recall

    def get_f1(self) -> float:
        return self._score.f1


def _listed(clusters: Clusters) -> list[list[Any]]:
    """Clusters that can be looked at again."""
    return [list(cluster) for cluster in clusters]


def _agree(name: str, mapping: Given, clusters: Iterable[Iterable[Any]]) -> None:
    """Raise `UsageError` where a mapping has other mentions than the clusters."""
    if mapping is None:
        return
    ours, theirs = ({_hashable(mention) for mention in its} for its in ([m for c in clusters for m in c], mapping))
    if ours != theirs:
        odd = next(iter(theirs - ours or ours - theirs))
        which = "that the clusters lack" if theirs - ours else "less than the clusters"
        raise UsageError(f"{name} has a mention {which}: {odd!r}; the clusters are what is scored: leave {name} out")


def _hashable(mention: Any) -> Hashable:
    return tuple(map(_hashable, mention)) if isinstance(mention, list) else mention
