"""Data classes and tuples with names are those of the standard library but for what all of them share."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, fields, replace

import pytest
from corefscore.core.records import NamedTuple, dataclass
from corefscore.scoring.settings import Rules, Settings


@dataclass()
class Point:
    x: int
    y: int = 2


def test_it_is_a_data_class_for_others() -> None:
    settings = Settings(("lea",), document="a")
    changed = replace(settings, metrics=("muc",))
    assert (changed.metrics, changed.document, changed.own) == (("muc",), "a", {})
    assert [field.name for field in fields(Point)] == ["x", "y"]
    assert asdict(Point(1)) == {"x": 1, "y": 2}
    assert pickle.loads(pickle.dumps(Rules(window=3))) == Rules(window=3)


def test_equal_fields_are_equal_objects() -> None:
    assert Rules() == Rules(repeated=None) != Rules(window=1)
    assert len({Rules(), Rules(), Rules(window=1)}) == 2
    assert (Point(1), repr(Point(1, 3))) == (Point(1, 2), "Point(x=1, y=3)")


@pytest.mark.parametrize("change", [lambda it: setattr(it, "window", 1), lambda it: delattr(it, "window")])
def test_a_frozen_one_cannot_be_changed(change: Callable[[Rules], None]) -> None:
    with pytest.raises(FrozenInstanceError, match="Rules cannot be changed: window"):
        change(Rules(window=3))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((), {"y": 1}), ((), {"z": 1}), ((), {"x": 1, "z": 1})],
)
def test_fields_that_are_missing_or_unknown_are_refused(args: tuple[int, ...], kwargs: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"Point has the fields x, y, 2 of them positional; got"):
        Point(*args, **kwargs)


class Pair(NamedTuple):
    """A tuple as those of the package."""

    x: int
    y: int = 2


def test_tuples_with_names_are_like_those_of_the_standard_library() -> None:
    point = Pair(1)
    assert (point, point.x, point.y, repr(point)) == ((1, 2), 1, 2, "Pair(x=1, y=2)")
    assert point._replace(y=3) == Pair(y=3, x=1) == (1, 3)
    assert point._asdict() == {"x": 1, "y": 2}
    assert pickle.loads(pickle.dumps(point)) == point
    assert type(pickle.loads(pickle.dumps(point))) is Pair
    for wrong in ({}, {"x": 1, "z": 2}):
        with pytest.raises(TypeError, match=r"Pair\.__new__\(\)"):
            Pair(**wrong)
    with pytest.raises(TypeError):
        point._replace(z=1)  # type: ignore[call-arg] # what must not be done
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc] # what must not be done
