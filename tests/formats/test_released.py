"""Corpora as they are released: documents without names, ids with types, and names without a part number.

The files below have the form of OntoGUM and GUM (`coref/*/conll` there); expected values are read off them by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from corefscore import InputError, read, score
from corefscore.formats.conll.cells import plain
from support import call

ANN = "# begin document \n0\tAnn\t(1)\n1\tsaw\t_\n2\ther\t(2(1)\n3\tcat\t2)\n# end document\n"
BO = "# begin document \n0\tBo\t(1)\n1\tsaw\t_\n2\thim\t(1)\n# end document\n"

TYPED = """\
# begin document GUM_x_y
0\tLord\t(person-3-Lord_Byron
1\tByron\tperson-3-Lord_Byron)
2\tsaw\t_
3\this\t(abstract-1(person-3-Lord_Byron)
4\tearly\t_
5\tlove\tabstract-1)(time-7)
6\tthere\t(time-7-1804-05(place-10-St._Mary-le-Bow)
7\t,\ttime-7-1804-05)
8\tCOVID-19\t_
# end document
"""


def folder(path: Path, **files: str) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / f"{name}.conll").write_text(text)
    return path


def test_documents_without_names_are_called_like_their_files(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key = folder(tmp_path / "key", ann=ANN, bo=BO)
    response = folder(tmp_path / "response", bo=BO, ann=ANN.replace("(2(1)", "(2(3)"))
    found = score(key, response, "bcub")
    assert {name: scores["bcub"].recall for name, scores in found.documents.items()} == {"ann": 2 / 3, "bo": 1.0}
    named = [notice.details for notice in found.notices if notice.code == "named-by-file"]
    assert named == [{"document": "ann"}, {"document": "ann"}]
    alone, together = (call(capfdbinary, "lea", key, response, *jobs) for jobs in ((), ("--jobs", "2")))
    assert alone == together
    checked = call(capfdbinary, "validate", response, "--key", key)
    assert b"2 documents" in checked.stdout and b"missing-document" not in checked.stdout
    assert call(capfdbinary, "convert", key, tmp_path / "out.jsonl").status == 0
    assert [json.loads(line)["doc_key"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == ["ann", "bo"]


def test_a_single_file_keeps_the_empty_name(tmp_path: Path) -> None:
    """As the official scorer has it."""
    (tmp_path / "a.conll").write_text(ANN)
    (tmp_path / "b.conll").write_text(ANN)
    found = score(tmp_path / "a.conll", tmp_path / "b.conll", "lea")
    assert ([*found.documents], found["lea"].f1) == ([""], 1.0)


def test_two_documents_without_names_in_a_file_are_refused(tmp_path: Path) -> None:
    key = folder(tmp_path / "key", ann=ANN + BO, bo=BO)
    with pytest.raises(InputError, match='two documents are named "ann"'):
        score(key, key, "lea")


def test_ids_with_types_are_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text(TYPED)
    found = read(path)
    assert found.clusters()["GUM_x_y"] == {
        "3": [(0, 1, "Lord Byron"), (3, 3, "his")],
        "1": [(3, 5, "his early love")],
        "7": [(5, 5, "love"), (6, 7, "there ,")],
        "10": [(6, 6, "there")],
    }
    (notice,) = found.notices
    assert (notice.code, notice.details["read"]) == ("odd-cell", "(3")


OTHERS = {
    b"(abc-1) word": b"1)",
    b"x-(1)": b"(1)",
    b"(-1)": b"1)",
    b"(1-2)": b"(1|2)",
    b"((a-1)": b"1)",
    b"(a-b)": b"",
    b"a-1": b"",
    b"(a-1)|(b-2)": b"1)|2)",
}
"""Cells that are not of ids with types alone, as rule 5 of the official scorer reads them."""


@pytest.mark.parametrize("cell", OTHERS)
def test_other_cells_with_dashes_are_read_as_before(cell: bytes) -> None:
    assert plain(cell) == OTHERS[cell]


def test_a_document_of_one_part_needs_no_part_number(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    names = ("a); part 000", "b); part 000", "b); part 001", "c); part 000", "d); part 002")
    key.write_text(
        "".join(f"#begin document ({name}\nx\t0\t0\tw\t(1)\nx\t0\t1\tw\t(1)\n#end document\n" for name in names)
    )
    response = tmp_path / "response.jsonl"

    def paired(*documents: str) -> set[str]:
        lines = (json.dumps({"doc_key": name, "clusters": [[[0, 0], [1, 1]]]}) for name in documents)
        response.write_text("\n".join(lines))
        found = score(key, response, "lea")
        back = score(response, key, "lea")
        assert sum(scores["lea"].f1 for scores in back.documents.values()) == sum(
            scores["lea"].f1 for scores in found.documents.values()
        )
        return {name for name, scores in found.documents.items() if scores["lea"].f1 == 1}

    assert paired("a", "b", "c_0", "d") == {"(a); part 000", "(c); part 000"}
    assert paired("a_0", "a", "b_1", "c") == {"(a); part 000", "(b); part 001", "(c); part 000"}
    assert paired("d_2", "b_0") == {"(d); part 002", "(b); part 000"}
