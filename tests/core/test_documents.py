"""Batches of documents: when they end, and what is kept of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from corefscore.core.documents import Documents, Place, Places
from corefscore.core.sources import Source
from corefscore.matching.pairing import Pairing
from reading import read


def batches(path: Path, names: list[str]) -> list[Documents]:
    """The batches of a file with a document of one token for each name."""
    path.write_text("".join(f"#begin document {name}\nw\t(1)\n#end document\n" for name in names))
    return list(read(str(path), []))


def test_many_short_documents_are_several_batches(tmp_path: Path) -> None:
    """Their bytes are few, and their memory is not."""
    names = [f"document {number:030}" for number in range(40_000)]
    found = batches(tmp_path / "file", names)
    assert len(found) > 1
    assert [name for batch in found for name in batch.names] == names


def test_places_in_columns_are_those_that_were_added() -> None:
    given = [Place(Source("a"), 3), None, Place(Source("b"), None)]
    assert list(Places(given[:1], given[1:])) == given


@pytest.mark.parametrize(
    ("name", "same"), [("(x); part 000", True), ("(x_0); part 000", False)], ids=["one name", "two forms"]
)
def test_pairs_that_are_kept_have_the_names_of_their_files(name: str, same: bool, tmp_path: Path) -> None:
    key = batches(tmp_path / "key", ["(x); part 000"])
    response = batches(tmp_path / "response", [name])
    (pairs,) = Pairing(iter(key), iter(response), [])
    kept = pairs.narrow()
    assert (list(kept.key.names), list(kept.response.names)) == (list(pairs.key.names), list(pairs.response.names))
    assert (kept.key.names is kept.response.names) == same


def test_a_file_is_called_without_the_ending_of_its_compression() -> None:
    for path, file, stem in (("x/a.conllu.gz", "a.conllu", "a"), ("a.conllu", "a.conllu", "a"), ("a.gz", "a", "a")):
        assert (Source(path).file, Source(path).stem) == (file, stem)
