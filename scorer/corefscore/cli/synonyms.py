"""What to type instead of words for an option or a command that has another name; imported only to say so."""

from __future__ import annotations

from collections.abc import Collection
from configparser import RawConfigParser
from pkgutil import get_data

_TEXTS = RawConfigParser(delimiters="=")
_TEXTS.read_string((get_data(__package__, "synonyms.ini") or b"").decode("utf-8"))  # also from a zip archive

REMOVED, OPTIONS, COMMANDS = (dict(_TEXTS[section]) for section in ("removed", "options", "commands"))
"""What each section of ``synonyms.ini`` says, by the words that are typed."""


def of_option(word: str, known: Collection[str]) -> str | None:
    """Return what to type instead of an option in a command with the ``known`` options; None if that is not listed."""
    for words, meant in OPTIONS.items():
        if word in words.split():
            possible = (each for each in meant.splitlines() if each[0] != "-" or each.split(",")[0].split()[0] in known)
            return next((f"expected {each}" for each in possible), None)
    return None


def of_command(word: str) -> str | None:
    """Return what to type instead of a command; None if that is not listed."""
    return next((meant for words, meant in COMMANDS.items() if word in words.split()), None)
