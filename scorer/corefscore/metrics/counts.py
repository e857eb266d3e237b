"""Counts and the three measures. Counts are summed first and divided last, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.documents.arrays import Floats

SCORES = ("recall", "precision", "f1")
"""The scores of a measure, in the order in which they stand in arrays and tables."""


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, and 0 where the denominator is 0 (recorded cases empty-key, empty-response)."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """2 P R / (P + R), 0 where both are 0; multiplied in this order, as the official scorer does."""
    return quotient(2 * precision * recall, precision + recall)


class Ratios(NamedTuple):
    """Numerators and denominators: one of each, or one for each document, group or trial."""

    numerator: Floats
    denominator: Floats

    @property
    def value(self) -> Floats:
        return quotient(self.numerator, self.denominator)


class Counts(NamedTuple):
    """What one measure counts: recall and precision, not yet divided."""

    recall: Ratios
    precision: Ratios


@dataclass(frozen=True, eq=False)
class Values:
    """What a measure comes to, from 0 to 1: a number each, or one for each document, group or trial.

    The ratios keep the counts that recall and precision came from.
    """

    recall_counts: Ratios
    precision_counts: Ratios
    f1: Floats

    @cached_property
    def recall(self) -> Floats:
        return self.recall_counts.value

    @cached_property
    def precision(self) -> Floats:
        return self.precision_counts.value


def divided(counts: Counts) -> Values:
    """Recall, precision and F1 of counts."""
    return Values(counts.recall, counts.precision, f1(counts.recall.value, counts.precision.value))


def packed(counted: Sequence[Counts]) -> Floats:
    """Counts of a batch as one array of the shape documents x measures x 4.

    The four are the numerator and denominator of recall, then of precision.
    """
    return np.stack([np.stack([*each.recall, *each.precision], axis=-1) for each in counted], axis=-2)


def unpacked(array: Floats) -> list[Counts]:
    """The counts in an array of the shape ... x measures x 4."""
    return [
        Counts(Ratios(array[..., at, 0], array[..., at, 1]), Ratios(array[..., at, 2], array[..., at, 3]))
        for at in range(array.shape[-2])
    ]


def summed(array: Floats) -> Floats:
    """The sum over documents (the first axis), added from left to right.

    `numpy.cumsum` adds in order; `numpy.sum` adds pairwise, which moves the last bit.
    """
    if not len(array):
        return np.zeros(array.shape[1:])
    total: Floats = np.cumsum(array, axis=0)[-1]
    return total
