"""The settings of a score: everything that can change it except the files, and its signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from corefscore.core.errors import UsageError
from corefscore.core.version import __version__
from corefscore.matching.matched import DEFINITIONS, LOOKUPS, MATCHING, SEARCHES, SINGLETONS, ZEROS
from corefscore.matching.matched import MENTIONS as COUNTED_MENTIONS
from corefscore.matching.repeats import REPEATED
from corefscore.metrics.base import Option

TASKS: Mapping[str, Mapping[str, str]] = {
    "crac22": {"matching": "partial", "zeros": "linear", "lookup": "crac22"},
    "crac23": {"matching": "head", "zeros": "linear", "lookup": "crac23"},
    "crac24": {},
    "crac25": {},
    "crac26": {},
}
"""The shared tasks on CorefUD, and the rules in which they differ from the defaults. The defaults are those of version
1.2 of the official scorer; 2022 and 2023 used versions 1.0 and 1.1."""

RULES = (
    Option(
        "repeated",
        REPEATED[0],
        "How to treat spans that are annotated more than once: as the official scorer does, keep the first, or refuse "
        "the file.",
        REPEATED,
    ),
    Option(
        "singletons",
        None,
        "Entities of one mention: keep them, drop them from the response, or drop them from both sides. (default: "
        "keep; for CorefUD: drop)",
        SINGLETONS,
    ),
    Option(
        "mentions",
        None,
        "Which mentions count: all, or only those that both sides have (given), so that only links are scored. "
        "(default: all)",
        COUNTED_MENTIONS,
    ),
    Option(
        "matching",
        None,
        "Which mentions match: those with equal spans (exact), also parts of a key mention that contain its head "
        "(partial), or those with the same head. (default: exact; for CorefUD: head)",
        MATCHING,
    ),
    Option(
        "zeros",
        None,
        "CorefUD: align zeros by the words that they depend on, align them by position (linear), or drop them. "
        "(default: dependent)",
        ZEROS,
    ),
    Option(
        "lookup",
        None,
        "CorefUD: how to find the entity of a matched mention: as the official scorer does, by the alignment of "
        "mentions, or as the official scorers of 2022 or 2023 did, which let one mention match several. (default: "
        "official)",
        LOOKUPS,
    ),
    Option(
        "definitions",
        None,
        "Which official scorer to follow where the two define a metric differently. (default: that of the format)",
        DEFINITIONS,
    ),
    Option("window", None, "Cut documents into windows of N tokens, and score each as a document.", kind=int),
    Option(
        "of",
        None,
        "Score one kind of mention, such as pronouns, names, size:2-5, singletons or type:person; or divide all "
        "mentions by size, kind, distance or type, and score each part.",
        kind=str,
    ),
    Option(
        "task",
        None,
        "CorefUD: use the matching rules of this shared task. (default: crac26)",
        tuple(TASKS),
    ),
)
"""The options of `Rules`; None means the default of the format."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Which mentions count, and how: the values of `RULES`.

    A ``task`` sets the defaults for CorefUD, which other options override; `settled` replaces it by their values.
    """

    repeated: str = REPEATED[0]
    singletons: str | None = None
    mentions: str | None = None
    matching: str | None = None
    zeros: str | None = None
    lookup: str | None = None
    definitions: str | None = None
    window: int | None = None
    of: str | None = None
    task: str | None = None

    @property
    def treated(self) -> str:
        """The value of ``repeated`` that is used: for kinds of mentions only the first copy counts, since no other copy
        has a partner."""
        return "first" if self.of is not None and self.repeated == REPEATED[0] else self.repeated

    def settled(self, nodes: bool) -> Rules:
        """The rules with the defaults of a format; ``nodes`` says whether its mentions are more than spans.

        Raises `UsageError` for rules that need CorefUD, and for rules that contradict each other.
        """
        given = {name: value for name, value in vars(self).items() if value is not None}
        if self.task is not None:
            if not nodes:
                raise UsageError(f"--task {self.task} is for CorefUD, and these files are not CorefUD; leave it out")
            return Rules(**{**TASKS[self.task], **given, "task": None}).settled(nodes)
        chosen = replace(NODES if nodes else SPANS, **{**given, "repeated": self.treated})
        if nodes and self.of is not None:
            chosen = replace(chosen, lookup="alignment")
            if self.lookup not in (None, "alignment"):
                raise UsageError(
                    "--of needs the lookup by alignment; leave out --lookup, or --task crac22 and crac23, "
                    "which set another"
                )
        if nodes and chosen.mentions == "given":
            raise UsageError("mentions=given is for spans; in CorefUD mentions are aligned, so leave the option out")
        if nodes and chosen.zeros == "dependent" and chosen.lookup in SEARCHES:
            raise UsageError(
                f"lookup={chosen.lookup} compares zeros by position, so zeros=dependent cannot be combined with it; "
                f"give zeros=linear, or task={chosen.lookup}, which sets both"
            )
        if not nodes:
            if chosen.matching != MATCHING[0] or chosen.zeros or chosen.lookup:
                raise UsageError(
                    "--matching other than exact, --zeros and --lookup need CorefUD, and these files are not CorefUD; "
                    "leave them out"
                )
            # Defaults that concern CorefUD are left out of the signature.
            chosen = replace(chosen, matching=None)
            if chosen.definitions == SPANS.definitions:
                chosen = replace(chosen, definitions=None)
        return replace(chosen, mentions=None) if chosen.mentions == COUNTED_MENTIONS[0] else chosen


SPANS = Rules(singletons="keep", matching="exact", definitions="conll")
NODES = Rules(singletons="drop", matching="head", zeros="dependent", lookup="official", definitions="corefud")
"""The defaults for mentions that are spans and for those of CorefUD: the rules of the official scorers of both."""

DEFAULT_RULES = Rules()


@dataclass(frozen=True, repr=False)
class Settings:
    """Everything that can change a score except the files.

    - ``metrics``: the names of the metrics; ``own``: the values of their options, by keyword.
    - ``rules``: which mentions count, and how.
    - ``document``: the one document that is scored, None for all.
    - ``reading``: the options about reading that can change a score.
    - ``unit``: the units within documents whose counts are wanted as well, which does not change a score.
    """

    metrics: tuple[str, ...]
    rules: Rules = DEFAULT_RULES
    document: str | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The settings as the JSON layout has them; see ``docs/json.md``."""
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
        values = (f"{name}={value}" for name, value in others if value is not None)
        return " | ".join([f"corefscore {__version__}", ",".join(self.metrics), *values])
