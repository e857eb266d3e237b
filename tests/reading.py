"""What tests of reading CoNLL share: a text as documents, a document as text, and all of a batch to compare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corefscore.core.documents import Documents, joined
from corefscore.core.findings import Finding
from corefscore.formats import opened


def read(path: str, notices: list[Finding], *how: Any, **more: Any) -> Iterator[Documents]:
    """The documents of a path, in batches; ``how`` and ``more`` are arguments of `opened`."""
    yield from opened(path, notices, *how, **more).documents(notices)


def read_text(text: str | bytes, folder: Path) -> tuple[Documents, list[Finding]]:
    """The documents of a text, as one batch, and what was noticed."""
    path = folder / "file.conll"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    notices: list[Finding] = []
    return joined(list(read(str(path), notices))), notices


def document(*lines: str, name: str = "d") -> str:
    """A document of these lines, as text."""
    return "\n".join((f"#begin document {name}", *lines, "#end document", ""))


def columns(documents: Documents) -> dict[str, object]:
    """Everything of a batch that can be compared."""
    arrays = ("tokens", "document", "label", "entity", "start", "end", "line")
    return {
        "names": list(documents.names),
        **{name: getattr(documents, name).tolist() for name in arrays},
        "discarded": dict(documents.discarded),
        "faults": {at: fault() for at, fault in documents.faults.items()},
    }
