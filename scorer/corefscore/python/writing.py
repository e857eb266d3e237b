"""Write a corpus in another format: the bytes of ``corefscore convert``."""

from __future__ import annotations

import os

from corefscore.checking.convert import convert
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.python.api import warn_of
from corefscore.scoring.sides import Corpus


def write(corpus: Corpus, path: str | os.PathLike[str], format: str) -> None:
    """Write the documents of a corpus to one file, in ``format``, such as `conll`, `corefud` or `jsonlines`.

    The corpus is one of `read`, `from_clusters` or `from_text`. The bytes are those of ``corefscore convert IN OUT
    --format FORMAT``, which reads the files again. The file is written once all documents are converted. What the
    format cannot contain gives a warning.

        write(read("key.conll"), "key.jsonl", "jsonlines")

    Raises `UsageError` for another corpus, for a format that cannot be written, and for a file that cannot be;
    `InputError` for documents that cannot be converted.
    """
    if not isinstance(corpus, Corpus) or corpus.origin is None:
        expected = "a corpus of read(path) or from_clusters(clusters, words)"
        raise UsageError(f"the words of this corpus are not known; expected {expected}")
    source, reading = corpus.origin
    target = os.fspath(path)
    if isinstance(source, str) and all(map(os.path.exists, (source, target))) and os.path.samefile(source, target):
        raise UsageError(f"{target} is the file that the corpus was read from; write another one")
    notices: list[Finding] = []
    text = "".join(convert(source, notices, format, reading))
    try:
        with open(target, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UsageError(f"{target}: {error.strerror}") from error
    warn_of(notices)
