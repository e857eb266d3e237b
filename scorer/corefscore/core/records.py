"""`typing.NamedTuple` and `dataclasses.dataclass` without the code that they compile or check for every class, which
would take a sixth of a short run; and what is used beside the latter."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple", "dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import NamedTuple
else:
    import dataclasses

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

    def dataclass(*, frozen: bool = False, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Any:
        """Return a decorator as that of `dataclasses`; all classes share the functions that are its methods."""
        methods = {"__setattr__": _refuse, "__delattr__": _refuse} if frozen else {}
        methods |= {"__eq__": _equals, "__hash__": _hash} if eq else {}
        methods |= {"__repr__": _show} if repr else {}

        def made(cls: type) -> type:
            own = methods.keys() - vars(cls)
            cls = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
            cls.__init__ = _init(cls.__name__, dataclasses.fields(cls), cls.__match_args__)
            for name in own:
                setattr(cls, name, methods[name])
            return cls

        return made

    def _init(of: str, fields: Sequence[dataclasses.Field], places: Sequence[str]) -> Callable[..., None]:
        names = {it.name for it in fields}
        constants = {it.name: it.default for it in fields if it.default is not dataclasses.MISSING}
        makers = [it for it in fields if it.default_factory is not dataclasses.MISSING]

        def initialize(self: Any, /, *args: Any, **kwargs: Any) -> None:
            values = self.__dict__
            values.update(constants)
            values.update(zip(places, args, strict=False))
            values.update(kwargs)
            for field in makers:
                if field.name not in values:
                    values[field.name] = field.default_factory()
            if values.keys() != names or len(args) > len(places):
                expected = ", ".join(it.name for it in fields)
                raise TypeError(
                    f"{of} has the fields {expected}, {len(places)} of them positional; got {args} {kwargs}"
                )
            if hasattr(self, "__post_init__"):
                self.__post_init__()

        return initialize

    def _refuse(self: Any, name: str, *value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"{type(self).__name__} cannot be changed: {name}")

    def _values(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def _equals(self: Any, other: object) -> Any:
        return _values(self) == _values(other) if type(self) is type(other) else NotImplemented

    def _hash(self: Any) -> int:
        return hash(_values(self))

    def _show(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__qualname__}({shown})"
