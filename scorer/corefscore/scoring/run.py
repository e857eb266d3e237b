"""One run: from options to settings, and from key and response to the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corefscore.core.documents import is_within
from corefscore.core.errors import InputError, UsageError
from corefscore.core.options import check_all
from corefscore.core.workers import Map, NotSplittable
from corefscore.formats.base import Reading
from corefscore.metrics.base import Metric, own_values
from corefscore.scoring.evaluate import count_batches, result_of
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.settings import Rules, Settings
from corefscore.scoring.sides import batches_of

if TYPE_CHECKING:
    from corefscore.scoring.sides import Given


def apart(arguments: Mapping[str, Any]) -> tuple[Reading, Rules, dict[str, Any]]:
    """Divide options by keyword into those of reading files, the rules by which mentions count, and all others."""
    reading, rules = (
        {name: arguments[name] for name in vars(group()) if name in arguments} for group in (Reading, Rules)
    )
    others = {name: value for name, value in arguments.items() if name not in {**reading, **rules}}
    return Reading(**reading), Rules(**rules), others


def scored(
    key: Given,
    response: Given,
    metrics: Sequence[Metric],
    settings: Settings,
    reading: Reading,
    *,
    keep_pairs: bool = False,
    texts: bool = False,
    watch: Callable[[int], None] | None = None,
    workers: Map | None = None,
    tell: Callable[[str], None] = lambda why: None,
) -> Result:
    """Score a response against a key: read both, count, and join the counts to one result.

    ``keep_pairs`` keeps the documents, which the official layout needs, ``texts`` the words of the key for reports that
    show them; ``watch`` is called with the number of bytes read. ``workers`` score slices of files; ``tell`` is called
    with a message if large files cannot be divided. Raises `UsageError` if workers cannot read what this process can.
    """
    refused: UsageError | None = None
    if workers is not None and not keep_pairs and not texts:
        from corefscore.scoring.divided import score_by_workers

        try:
            return score_by_workers(key, response, metrics, settings, reading, apply=workers, watch=watch)
        except NotSplittable as error:
            if str(error):
                tell(f"one process is used: {error}")
        except InputError:
            pass  # this process reports it, so that errors do not depend on the workers
        except UsageError as error:
            refused = error
    sides, notices, settings = batches_of(key, response, metrics, settings, reading, texts=texts, watch=watch)
    batches = count_batches(*sides, metrics, settings, notices, keep_pairs=keep_pairs, reading=reading)
    result = result_of(batches, metrics, settings, notices)
    if refused is not None:
        raise UsageError(
            f"the workers cannot do what this process can: {refused}; they need the same files under the same paths"
        ) from refused
    return result


def settings_of(
    metrics: Sequence[Metric],
    rules: Rules,
    document: str | None,
    own: Mapping[str, Any],
    unit: str = DOCUMENT,
) -> Settings:
    """Return the settings of a score, except those of reading; ``unit`` is the unit of resampling.

    Raises `UsageError` for options that are unknown or have invalid values.
    """
    check_all(rules)
    if rules.of is not None:
        from corefscore.scoring.kinds.options import of

        rules = replace(rules, of=of(rules.of).value)
    names = tuple(metric.name for metric in metrics)
    return Settings(names, rules, document, own_values(metrics, own), unit=unit if is_within(unit) else None)
