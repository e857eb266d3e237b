"""Classes with fields, and the options that are such fields.

`NamedTuple` and `dataclass` are those of `typing` and `dataclasses` without the code that these compile or check for
every class, which would take a sixth of a short run.

An option is declared once: help, man page, Python arguments, checks and the signature follow from the declaration. The
options of a topic are the fields of a dataclass, each made by `option`; `declared` lists them. The options of a metric
are a tuple of `Option`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, fields
from dataclasses import field as field  # noqa: PLC0414 - imported from here beside `dataclass`
from dataclasses import replace as replace  # noqa: PLC0414 - likewise
from functools import cache, partial
from operator import itemgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from corefscore.core.errors import UsageError

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414
else:
    import dataclasses

    _MAKERS: dict[int, CodeType] = {}
    """The code that makes a tuple, by the number of arguments, which classes give the names of their fields."""

    class _Fields(type):
        """Makes a named tuple of each class with fields."""

        def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
            if fields := tuple(namespace.get("__annotations__", ())):
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


SCORING, INPUT, OUTPUT, STATISTICS, ABOUT_NAMES, WORK = HEADINGS = (
    *("What to score", "Input", "Output", "Statistics", "Names (measures of cone)", "Work"),
)
"""The headings of options in help, in their order."""


class Option(NamedTuple):
    """An option: its name in Python, its default, and its help. On the command line, its name has dashes for
    underscores.

    The first sentence of ``help`` is the short help. ``kind`` is the type of an option whose default is None; an int is
    ``least`` or more. ``metavar`` is the name of the value in help. With ``by_side``, each side can have a value of its
    own. A ``common`` option is in the short help of commands, too. The default of an ``implied`` option is left out of
    signatures.

    The value of an option of a metric is passed to `Metric.count` as a keyword argument.
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


def option(default: Any, help: str, choices: Sequence[str] | None = None, **others: Any) -> Any:
    """Declare a field of a dataclass as an option; ``others`` are further fields of `Option`."""
    return field(default=default, metadata={"help": help, "choices": choices, **others})


@cache
def declared(topic: type) -> tuple[Option, ...]:
    """List the options that are the fields of a class."""
    of_class: Sequence[Field[Any]] = fields(topic)
    return tuple(Option(each.name, each.default, **each.metadata) for each in of_class if each.metadata)


def check_options(options: Iterable[Option], values: Mapping[str, Any]) -> None:
    """Check the values of options by keyword. Raises `UsageError` for the first invalid one."""
    for option in options:
        kind, value = option.kind or type(option.default), values[option.name]
        for each in value.values() if option.by_side and isinstance(value, Mapping) else (value,):
            if each is None and option.default is None:
                continue
            if kind is int and (type(each) is not int or each < option.least):
                expected = f"a whole number, {option.least} or more"
            elif kind is bool and type(each) is not bool:
                expected = "True or False"
            elif option.kind is str and not isinstance(each, str):
                expected = "text"
            elif option.choices is not None and each not in option.choices:
                expected = f"one of {', '.join(option.choices)}"
            else:
                continue
            raise UsageError(f"{option.name}={each!r}: expected {expected}")
