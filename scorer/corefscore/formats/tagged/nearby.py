"""Notations that resemble those of the table. Text in them is refused with the pattern that reads it."""

from __future__ import annotations

import re

_ID = r"#?[A-Za-z_]{0,20}\d{1,9}\b"
"""What an id can be in such a notation."""


def _behind(before: str, after: str) -> tuple[str, str]:
    """Return the sign and the pattern of a notation with the id between these, after a mention in brackets."""
    close = rf"\]{before}#?(?P<id>\w+?){after}"
    return rf"\[[^\[\]\n]{{1,99}}\]{before}{_ID}{after}", rf"(?P<open>\[)|(?P<close>{close})|(?P<plain_close>\])"


def _in_front(opening: str, closing: str, before: str = "#?", after: str = "[:|]") -> tuple[str, str]:
    """Return the sign and the pattern of a notation with the id between these, in brackets before the mention."""
    pattern = rf"(?P<open>{opening}{before}(?P<id>\w+){after})|(?P<close>{closing})|(?P<plain_open>{opening})"
    return rf"{opening}(?={before}\w){_ID}{after}[^{opening}{closing}\n]{{0,99}}{closing}?", pattern


def _elements(attribute: str) -> tuple[str, str]:
    """Return the sign and the pattern of elements with the id in an attribute. Elements that refer to others (``ref``)
    have an id for each mention, not for each entity."""
    sign = (
        r"<(?P<name>[A-Za-z]\w{0,30})\s(?![^<>]{0,99}\b[rR][eE][fF]\s{0,9}=)(?:[^<>]{0,99}\s)?"
        rf"(?P<attribute>{attribute})\s{{0,9}}=\s{{0,9}}[\"']?{_ID}[^<>]{{0,99}}>"
    )
    return sign, r"<(?P<open>NAME)\b[^<>]*?\bATTRIBUTE\s*=\W*(?P<id>\w+)[^<>]*>|</(?P<close>NAME)>"


_NEARBY = tuple(
    (re.compile(sign), pattern)
    for sign, pattern in (
        _behind(r"\(", r"\)"),
        _behind(r"\{", r"\}"),
        _behind(r"\[", r"\]"),
        _behind(r"[_^]\{?", r"\b\}?"),
        _in_front(r"\[", r"\]"),
        _in_front(r"\{", r"\}"),
        _in_front(r"\[", r"\]", "#", r"\s"),
        _in_front(r"\{", r"\}", "#", r"\s"),
        _elements("(?i:entity|cluster|chain|coref|set)(?:_?(?i:id))?"),
        _elements("(?i:id)"),
    )
)
"""Each notation: what its text contains, and the pattern (``--tags``) that reads it."""


def nearby(text: str) -> tuple[re.Match[str], str] | None:
    """Find the most frequent of these notations in a text: its first tag and its pattern; None if there is none."""
    counts = [sum(1 for _ in sign.finditer(text)) for sign, _ in _NEARBY]
    if not any(counts):
        return None
    sign, pattern = _NEARBY[counts.index(max(counts))]
    first = sign.search(text)
    assert first is not None, "it was counted"
    for name, value in first.groupdict().items():
        pattern = pattern.replace(name.upper(), value)
    return first, pattern
