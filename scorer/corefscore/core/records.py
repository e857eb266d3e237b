"""`typing.NamedTuple` and `dataclasses.dataclass` without the code that they compile or check for every class, which
would take a sixth of a short run; and what is used beside the latter."""

from __future__ import annotations

from dataclasses import field, replace
from functools import partial
from operator import itemgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["NamedTuple", "dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
    from typing import NamedTuple
else:
    import dataclasses

    _MAKERS: dict[int, CodeType] = {}
    """The code that makes a tuple, by the number of arguments, which classes give the names of their fields."""

    class _Fields(type):
        """Makes a named tuple of each class with fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            fields = tuple(namespace.get("__annotations__", ()))
            if fields:
                defaults = tuple(namespace.pop(field) for field in fields if field in namespace)
                if len(fields) not in _MAKERS:
                    names = ", ".join(f"_{place}" for place in range(len(fields)))
                    _MAKERS[len(fields)] = eval(f"lambda cls, {names}: new(cls, ({names},))").__code__
                code = _MAKERS[len(fields)].replace(co_varnames=("cls", *fields))
                made = namespace["__new__"] = FunctionType(code, {"new": tuple.__new__}, "__new__", defaults)
                made.__qualname__ = f"{name}.__new__"  # for messages about arguments
                namespace |= {field: property(itemgetter(place)) for place, field in enumerate(fields)}
                namespace["_fields"] = namespace["__match_args__"] = fields
            return super().__new__(cls, name, bases, {"__slots__": (), **namespace})

    class NamedTuple(tuple, metaclass=_Fields):
        """The base of classes whose annotations are the fields of a tuple."""

        def _replace(self, **values: Any) -> Any:
            return type(self)(**{**dict(zip(self._fields, self, strict=True)), **values})

        def _asdict(self) -> dict[str, Any]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[Any, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    def dataclass(cls: Any = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True, **how: bool) -> Any:
        """Make a class one of `dataclasses`; all classes share the functions that are its methods."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, repr=repr, **how)
        methods = {"__init__": _initialize}
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse} if frozen else {}
        methods |= {"__eq__": _equals, "__hash__": _hash} if eq else {}
        methods |= {"__repr__": _show} if repr else {}
        for name in methods.keys() - vars(cls):
            setattr(cls, name, methods[name])
        return dataclasses.dataclass(init=False, repr=False, eq=False, **how)(cls)

    def _initialize(self: Any, /, *args: Any, **kwargs: Any) -> None:
        fields, places, values = self.__dataclass_fields__, self.__match_args__, self.__dict__
        values.update({name: it.default for name, it in fields.items() if it.default is not dataclasses.MISSING})
        values.update(zip(places, args, strict=False))
        values.update(kwargs)
        for name, it in fields.items():
            if name not in values and it.default_factory is not dataclasses.MISSING:
                values[name] = it.default_factory()
        if values.keys() != fields.keys() or len(args) > len(places):
            raise TypeError(
                f"{type(self).__name__} has the fields {', '.join(fields)}, {len(places)} of them positional; got "
                f"{args} {kwargs}"
            )
        if hasattr(self, "__post_init__"):
            self.__post_init__()

    def _refuse(self: Any, name: str, *value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"{type(self).__name__} cannot be changed: {name}")

    def _equals(self: Any, other: object) -> Any:
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def _hash(self: Any) -> int:
        return hash(tuple(getattr(self, name) for name in self.__dataclass_fields__))

    def _show(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__dataclass_fields__)
        return f"{type(self).__qualname__}({shown})"
