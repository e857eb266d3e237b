"""What tests about names share: documents with a column of named entities, as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from corefscore.core.documents import Place
from corefscore.core.sources import Source
from corefscore.formats.base import FullDocument
from corefscore.formats.conll.writer import cells

Mention = tuple[int, int]
Partition = Sequence[Sequence[Mention]]

NOWHERE = Place(Source("nowhere"), None)


def tagged(
    words: str | Sequence[str],
    partition: Partition | None,
    names: Mapping[Mention, str],
    *,
    document: str = "(d); part 000",
    column: int = 11,
) -> str:
    """A document in CoNLL with names in a column (from 1) and, unless it is None, a partition behind it."""
    its_words = words.split() if isinstance(words, str) else words
    named = {}
    for (start, end), kind in names.items():
        named.update({start: f"({kind})"} if start == end else {start: f"({kind}*", end: "*)"})
    entities = {str(number): entity for number, entity in enumerate(partition or ())}
    its_cells = cells(FullDocument(document, NOWHERE, None, entities))
    lines = [f"#begin document {document}"]
    for token, word in enumerate(its_words):
        columns = ["d", "0", str(token), word] + ["-"] * (column - 5) + [named.get(token, "*")]
        lines.append("\t".join(columns + ([its_cells.get(token, "-")] if partition is not None else [])))
    return "\n".join([*lines, "#end document", ""])


def written(folder: Path, **files: str) -> list[Path]:
    """Files of these names and texts."""
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]
