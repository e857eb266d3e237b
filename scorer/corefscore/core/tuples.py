"""`typing.NamedTuple` without its check of every annotation, which would take a tenth of a short run."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:

    class _Fields(type):
        """Makes a named tuple of each class with fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, namespace)
            fields = namespace.get("__annotations__", {})
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            made = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])
            for attribute, value in namespace.items():
                setattr(made, attribute, value)
            return made

    class NamedTuple(metaclass=_Fields):
        """The base of classes whose annotations are the fields of a tuple."""
