"""One run: from options to settings, and from key and response to the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corefscore.core.documents import KEY, RESPONSE, is_within
from corefscore.core.errors import InputError, UsageError, suggested
from corefscore.core.options import check
from corefscore.core.workers import Map, NotSplittable
from corefscore.formats.base import Reading
from corefscore.metrics.base import Metric, options_of, own_values
from corefscore.scoring.batches import result_of
from corefscore.scoring.evaluate import count_batches
from corefscore.scoring.results import DOCUMENT, Result
from corefscore.scoring.settings import Rules, Settings
from corefscore.scoring.sides import Corpus, batches_of, paths_for_workers

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
) -> Result:
    """Score a response against a key: read both, count, and join the counts to one result.

    ``keep_pairs`` keeps the documents, which the official layout needs, ``texts`` the words of the key for reports that
    show them; ``watch`` is called with the number of bytes read. ``workers`` score slices of files, if these can be
    divided. Raises `UsageError` if they cannot read what this process can.
    """

    def whole() -> Result:
        sides, notices, settled = batches_of(key, response, metrics, settings, reading, texts=texts, watch=watch)
        batches = count_batches(*sides, metrics, settled, notices, keep_pairs=keep_pairs, reading=reading)
        return result_of(batches, metrics, settled, notices)

    paths = paths_for_workers(KEY, key), paths_for_workers(RESPONSE, response)
    if workers is None or keep_pairs or texts or paths[0] is None or paths[1] is None:
        return whole()
    from corefscore.scoring.divided import score_by_workers

    notices = [*key.notices] if isinstance(key, Corpus) else None
    try:
        return score_by_workers((paths[0], paths[1]), notices, metrics, settings, reading, apply=workers, watch=watch)
    except (NotSplittable, InputError):
        return whole()  # so that errors do not depend on the workers
    except UsageError as error:
        whole()
        raise UsageError(
            f"the workers cannot do what this process can: {error}; they need the same files under the same paths"
        ) from error


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
    check(rules)
    known = [option.keyword for option in options_of(metrics)]
    if unknown := sorted(own.keys() - known):
        hint = suggested(unknown[0], known) if known else "they have no options"
        raise UsageError(f"unknown option {', '.join(unknown)} of these metrics; {hint}")
    if rules.of is not None:
        from corefscore.scoring.kinds.options import of

        rules = replace(rules, of=of(rules.of).value)
    names = tuple(metric.name for metric in metrics)
    return Settings(names, rules, document, own_values(metrics, own), unit=unit if is_within(unit) else None)
