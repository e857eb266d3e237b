"""An option, declared once: help, man page, Python arguments, checks and the signature follow from the declaration.

The options of a topic are the fields of a dataclass, each made by `option`; `declared` lists them. The options of a
metric are a tuple of `Option`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, field, fields
from functools import cache
from typing import Any

from corefscore.core.errors import UsageError, suggested
from corefscore.core.records import NamedTuple

SCORING, INPUT, OUTPUT, STATISTICS, ABOUT_NAMES, WORK = HEADINGS = (
    *("What to score", "Input", "Output", "Statistics", "Names", "Work"),
)
"""The headings of options in help, in their order."""


class Option(NamedTuple):
    """An option: its name on the command line, its default, and its help.

    The first sentence of ``help`` is the short help. ``kind`` is the type of an option whose default is None; an int is
    ``least`` or more. ``metavar`` is the name of the value in help. With ``by_side``, each side can have a value of its
    own. A ``common`` option is in the short help of commands, too. The default of an ``implied`` option is left out of
    signatures.

    The value of an option of a metric is passed to `Metric.count` as a keyword argument, with underscores instead of
    dashes.
    """

    name: str
    default: Any
    help: str
    choices: Sequence[str] | None = None
    implied: bool = False
    kind: type | None = None
    heading: str = SCORING
    metavar: str | None = None
    by_side: bool = False
    common: bool = False
    least: int = 1

    @property
    def keyword(self) -> str:
        return self.name.replace("-", "_")

    def check(self, value: Any) -> None:
        """Raise `UsageError` for an invalid value."""
        kind = self.kind or type(self.default)
        if value is None:
            return
        if self.by_side and isinstance(value, Mapping):
            for of_one_side in value.values():
                self.check(of_one_side)
        elif kind is int and (type(value) is not int or value < self.least):
            raise UsageError(f"{self.keyword}={value!r}: expected a whole number, {self.least} or more")
        elif kind is bool and type(value) is not bool:
            raise UsageError(f"{self.keyword}={value!r}: expected True or False")
        elif self.kind is str and not isinstance(value, str):
            raise UsageError(f"{self.keyword}={value!r}: expected a word")
        elif self.choices is not None and value not in self.choices:
            hint = f"; {suggested(value, self.choices)}" if isinstance(value, str) else ""
            raise UsageError(f"{self.keyword}={value!r} is not one of {', '.join(self.choices)}{hint}")


def option(default: Any, help: str, choices: Sequence[str] | None = None, **others: Any) -> Any:
    """Declare a field of a dataclass as an option; ``others`` are further fields of `Option`."""
    return field(default=default, metadata={"help": help, "choices": choices, **others})


@cache
def declared(topic: type) -> tuple[Option, ...]:
    """List the options that are the fields of a class."""
    of_class: Sequence[Field[Any]] = fields(topic)
    return tuple(
        Option(each.name.replace("_", "-"), each.default, **each.metadata) for each in of_class if each.metadata
    )


def check_all(topic: Any) -> None:
    """Check the values of all options of an object. Raises `UsageError` for an invalid one."""
    of: type = type(topic)
    for each in declared(of):
        each.check(getattr(topic, each.keyword))
