"""Counts, and recall, precision and F1. Counts are summed first and divided last, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Floats

SCORES = ("recall", "precision", "f1")
"""The scores of a measure, in the order that they have in arrays and tables."""


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """numerator / denominator, and 0 if the denominator is 0 (recorded cases empty-key, empty-response)."""
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    if denominator.all():  # much faster than with a mask
        return np.divide(numerator, denominator, out=np.empty(numerator.shape))
    return np.divide(numerator, denominator, out=np.zeros(numerator.shape), where=denominator != 0)


def f1(recall: Floats, precision: Floats) -> Floats:
    """2 P R / (P + R), 0 if both are 0; multiplied in this order, like in the official scorer."""
    return quotient(2 * precision * recall, precision + recall)


class Ratios(NamedTuple):
    """Numerators and denominators: one number each, or one for each document, group or trial."""

    numerator: Floats
    denominator: Floats

    @property
    def value(self) -> Floats:
        return quotient(self.numerator, self.denominator)


class Counts(NamedTuple):
    """The counts of one measure: recall and precision before division."""

    recall: Ratios
    precision: Ratios


def shares(common: Floats, key: Floats, response: Floats) -> Counts:
    """The counts of a measure whose recall is common / key, and its precision common / response."""
    return Counts(Ratios(common, key), Ratios(common, response))


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The scores of a measure, from 0 to 1: one number each, or one for each document, group or trial.

    The ratios contain the counts of recall and precision.
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
    recall, precision = counts.recall.value, counts.precision.value
    found = Values(*counts, f1(recall, precision))
    vars(found).update(recall=recall, precision=precision)  # these need not be divided again
    return found


def packed(measures: Sequence[Counts]) -> Floats:
    """The counts of measures as one array of the shape documents x measures x 4.

    The four are the numerator and denominator of recall, then of precision.
    """
    return np.stack([np.stack([*counts.recall, *counts.precision], axis=-1) for counts in measures], axis=-2)


def unpacked(array: Floats) -> list[Counts]:
    """The counts in an array of the shape ... x measures x 4."""
    return [
        Counts(Ratios(array[..., row, 0], array[..., row, 1]), Ratios(array[..., row, 2], array[..., row, 3]))
        for row in range(array.shape[-2])
    ]


def summed(array: Floats) -> Floats:
    """The sum over documents (the first axis), added from left to right.

    `numpy.cumsum` adds in order; `numpy.sum` adds pairwise, which changes the last bit.
    """
    if not len(array):
        return np.zeros(array.shape[1:])
    total: Floats = np.cumsum(array, axis=0)[-1]
    return total
