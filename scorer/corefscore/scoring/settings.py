"""The settings of a score: everything that can change it except the files, and its signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corefscore.core import __version__
from corefscore.core.names import NameOptions
from corefscore.core.records import OUTPUT, STATISTICS, NamedTuple, dataclass, field, option, replace
from corefscore.core.workers import Map
from corefscore.formats import Reading
from corefscore.matching.matched import MATCHING, REPEATED, SINGLETONS, ZEROS
from corefscore.matching.matched import MENTIONS as COUNTED_MENTIONS
from corefscore.metrics.base import Metric

DOCUMENTS = "documents"
"""The value of ``--average``."""

TASKS: Mapping[str, Mapping[str, str]] = {
    "crac22": {"matching": "partial", "zeros": "linear", "lookup": "crac22"},
    "crac23": {"matching": "head", "zeros": "linear", "lookup": "crac23"},
    "crac24": {},
    "crac25": {},
    "crac26": {},
    "aligned": {"lookup": "alignment"},
    "none": {"lookup": "alignment", "definitions": "conll"},
}
"""The shared tasks on CorefUD, and the rules in which they differ from the defaults. The defaults are those of version
1.2 of the official scorer; 2022 and 2023 used versions 1.0 and 1.1. The last two do without what only these scorers do:
``aligned`` takes the entities of aligned mentions, and ``none`` also defines metrics as for CoNLL."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Rules:
    """Which mentions count, and how; None is the default of the format.

    A ``task`` sets the defaults for CorefUD, which other options override; `with_defaults` of `scoring.evaluate`
    replaces it by their values. Only a task sets ``lookup``, how to find the entity of a mention, and
    ``definitions``, the official scorer that defines a metric where the two differ (`corefscore.matching.matched`).
    """

    repeated: str | None = option(
        None,
        "How to treat spans annotated more than once: as the official scorer does, keep the first, or reject the file "
        "(refuse). (default: official; with --of: first)",
        REPEATED,
        common=True,
    )
    singletons: str | None = option(
        None,
        "Entities with one mention: keep them, or drop them from the response or both sides. (default: keep; for "
        "CorefUD: drop)",
        SINGLETONS,
        common=True,
    )
    mentions: str | None = option(
        None,
        "Which mentions count: all, or only those that both sides have (given), so that only links are scored. "
        "(default: all)",
        COUNTED_MENTIONS,
    )
    matching: str | None = option(
        None,
        "CorefUD: which mentions match: equal spans (exact), also a part of the key mention that contains its head "
        "(partial), or the same head (head). (default: head)",
        MATCHING,
    )
    zeros: str | None = option(
        None,
        "CorefUD: align zeros by the words that they depend on, align them by position (linear), or drop them. "
        "(default: dependent)",
        ZEROS,
    )
    window: int | None = option(
        None, "Cut documents into windows of N tokens, and score each as a document.", kind=int, metavar="N"
    )
    of: str | None = option(
        None,
        "Score one kind of mention, such as pronouns, names, size:2-5 (of the entity), singletons or type:person; or "
        "all mentions, divided by size, kind, distance, type, column:N or field:NAME.",
        kind=str,
        metavar="KIND",
    )
    task: str | None = option(
        None,
        "CorefUD: use the matching rules of this shared task. aligned: like crac26, but without the wrong "
        "alignments of the official scorer; none: like aligned, but metrics as for CoNLL files. (default: crac26)",
        tuple(TASKS),
    )
    lookup: str | None = None
    definitions: str | None = None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Grouping:
    """What scores are computed for besides the total, and what is resampled."""

    unit: str = option(
        "document",
        "Unit of resampling: document (all its parts together), part, a regular expression (documents with the same "
        "match in their names are a unit), or column:N of CoNLL or field:NAME of JSON for units within documents.",
        kind=str,
        heading=STATISTICS,
        metavar="UNIT",
    )
    by: str | None = option(
        None,
        "Score groups of documents, and their mean. Documents are in one group if REGEX (or its first parenthesis) "
        "matches the same text in their names; --by file groups documents by file of KEY.",
        kind=str,
        metavar="REGEX",
        common=True,
    )
    average: str | None = option(
        None, "Average over documents (macro average).", (DOCUMENTS,), heading=OUTPUT, metavar=DOCUMENTS, common=True
    )


SPANS = Rules(repeated="official", singletons="keep", matching="exact", definitions="conll")
_HEADS = Rules(matching="head", zeros="dependent", lookup="official", definitions="corefud")
COREFUD = replace(_HEADS, repeated="official", singletons="drop")
"""The defaults for mentions that are spans and for those of CorefUD: the rules of the official scorers of both."""


@dataclass(frozen=True, repr=False)
class Settings:
    """Everything that can change a score except the files.

    - ``metrics``: the names of the metrics; ``own``: the values of their options, by keyword.
    - ``rules``: which mentions count, and how.
    - ``document``: the one document that is scored, None for all.
    - ``reading``: the options about reading that can change a score.
    - ``names``: the options about named entities, None if no metric counts named mentions.
    - ``unit``: the units within documents whose counts are wanted as well, which does not change a score.
    - ``key``: the fingerprint of the key (`corefscore.core.documents`), once it is known.
    """

    metrics: tuple[str, ...]
    rules: Rules = field(default_factory=Rules)
    document: str | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    names: NameOptions | None = None
    unit: str | None = None
    key: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as the JSON layout has them; see ``docs/json.md``."""
        return {
            "metrics": list(self.metrics),
            **{name: value for name, value in vars(self.rules).items() if value is not None},
            "document": self.document,
            **self.own,
            **self.reading,
        }

    @property
    def signature(self) -> str:
        """One line with the version and all settings, from which a published score can be reproduced."""
        _, *others = self.to_dict().items()
        values = (f"{name}={value}" for name, value in [*others, ("key", self.key)] if value is not None)
        return " | ".join([f"corefscore {__version__}", ",".join(self.metrics), *values])


class Run(NamedTuple):
    """How to score a response: by which ``metrics`` and ``settings``, how files are read, and the ``workers``, if
    others than this process do the work."""

    metrics: Sequence[Metric]
    settings: Settings
    reading: Reading = Reading()
    workers: Map | None = None
