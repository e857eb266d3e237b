"""Archives: a tar or a zip is a folder of files, whatever its name; what cannot be read is refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random

import corefscore
import pytest
from corefscore.core.errors import ScorerError
from corefscore.core.sources import Source, unpacked
from support import RECORDED, together, within

CASE = RECORDED / "documents-0015"

SCORES = within("lea", CASE / "key.conll", CASE / "response.conll", "none").body

BEGIN = b"#begin document "


def documents_of(path: Path) -> dict[str, bytes]:
    """A file for each document, some in a folder, beside files that are no part of a corpus."""
    pieces = path.read_bytes().split(BEGIN)[1:]
    files = {f"{'ab'[number > 2]}/{number}.conll": BEGIN + piece for number, piece in enumerate(pieces)}
    assert len(files) > 2
    return files


HIDDEN = {".DS_Store": b"\0\1", "__MACOSX/a/._0.conll": b"\0\5\26\7", "a/.hidden/x.conll": b"x"}


def tar(files: Mapping[str, bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    with tarfile.open(fileobj=(out := io.BytesIO()), mode="w", format=form) as archive:
        folder = tarfile.TarInfo("./")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, data in files.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def v7(files: Mapping[str, bytes]) -> bytes:
    """A tar as before 1988, which has no magic number."""
    blocks = bytearray(tar(files))
    at = 0
    while blocks[at]:
        size = int(blocks[at + 124 : at + 135], 8)
        blocks[at + 257 : at + 265] = bytes(8)
        blocks[at + 148 : at + 156] = b" " * 8
        blocks[at + 148 : at + 156] = b"%06o\0 " % sum(blocks[at : at + 512])
        at += 512 + (size + 511) // 512 * 512
    return bytes(blocks)


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    with zipfile.ZipFile(out := io.BytesIO(), "w", method) as archive:
        archive.writestr("a/", b"")
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


PACKED: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "t.tar": tar,
    "gnu.tar": lambda files: tar(files, tarfile.GNU_FORMAT),
    "pax.tar": lambda files: tar(files, tarfile.PAX_FORMAT),
    "v7.tar": v7,
    "named.conll.gz": tar,
    "t.tgz": lambda files: gzip.compress(tar(files)),
    "t.tar.bz2": lambda files: bz2.compress(tar(files)),
    "no-suffix": lambda files: lzma.compress(tar(files)),
    "deflated.zip": zipped,
    "stored.zip": lambda files: zipped(files, zipfile.ZIP_STORED),
    "bzip2.zip": lambda files: zipped(files, zipfile.ZIP_BZIP2),
    "lzma.zip": lambda files: zipped(files, zipfile.ZIP_LZMA),
    "zip.gz": lambda files: gzip.compress(zipped(files)),
    "of-compressed.zip": lambda files: zipped(
        {name: gzip.compress(data) if name.endswith(".conll") else data for name, data in files.items()}
    ),
}


def both_sides(folder: Path, name: str = "t.tar") -> tuple[Path, Path]:
    """Key and response of several documents in archives of this name."""
    found = []
    for side in ("key", "response"):
        (folder / side).mkdir(exist_ok=True)
        path = folder / side / name
        path.write_bytes(PACKED[name]({**documents_of(CASE / f"{side}.conll"), **HIDDEN}))
        found.append(path)
    return found[0], found[1]


@together("name", list(PACKED))
def test_an_archive_is_scored_like_the_file_that_it_contains(name: str, tmp_path: Path) -> None:
    key, response = both_sides(tmp_path, name)
    for arguments, stdin in (
        ([key, response], b""),
        ([CASE / "key.conll", response], b""),
        (["-", CASE / "response.conll"], key.read_bytes()),
        ([key, "-", "none"], response.read_bytes()),
        ([key, response, "none", "--jobs", "2"], b""),
    ):
        run = within("lea", *arguments, *["none"] * ("none" not in arguments), stdin=stdin)
        assert (run.status, run.body) == (0, SCORES), run


def test_every_command_reads_archives(tmp_path: Path) -> None:
    key, response = both_sides(tmp_path)
    plain = [CASE / "key.conll", CASE / "response.conll"]
    (tmp_path / "systems").mkdir()
    for name in ("t.tgz", "stored.zip"):
        (tmp_path / "systems" / name).write_bytes(PACKED[name](documents_of(CASE / "response.conll")))
    for words in (
        ["compare", "KEY", "one=RESPONSE", "two=KEY", "--trials", "9", "--format", "csv"],
        ["errors", "KEY", "RESPONSE"],
        ["convert", "RESPONSE", "-"],
        ["check", "KEY", "RESPONSE", "--min", "lea.f1=1"],
    ):
        packed, flat = (
            within(*(word.replace("KEY", str(pair[0])).replace("RESPONSE", str(pair[1])) for word in words))
            for pair in ((key, response), plain)
        )
        assert packed.stdout.replace(b"t.tar", b"response.conll") == flat.stdout, words
        assert packed.status == flat.status
    ranked = within("rank", key, "--systems", tmp_path / "systems", "--trials", "9")
    assert ranked.status == 0
    assert ranked.stdout.count(b"t.tgz") == ranked.stdout.count(b"stored.zip") > 0
    assert b"not-a-system" not in ranked.stderr
    assert within("diff", key, response).status == 0
    assert within("validate", key, "--strict").stderr == b""
    assert corefscore.score(key, [response], "lea")["lea"] == corefscore.score(plain[0], plain[1], "lea")["lea"]


def test_messages_name_the_file_in_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped({"../up/a.conll": b"#begin document a\nw\t(1\n#end document\n"}))
    for words in (["validate"], ["lea", str(path)]):
        run = within(*words, path)
        assert run.status == 1
        assert f"{path}/up/a.conll:2:3: error[unclosed-mention]".encode() in run.stdout + run.stderr


def test_json_of_both_sides_may_be_in_an_archive(tmp_path: Path) -> None:
    line = b'{"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[0, 0], [1, 1]]]}\n'
    (tmp_path / "t.zip").write_bytes(zipped({"t.jsonl": line}))
    assert b"F1: 100%" in within("muc", tmp_path / "t.zip", "none").stdout


def test_archives_in_a_folder_and_an_option_for_names(tmp_path: Path) -> None:
    key, response = both_sides(tmp_path)
    run = within("lea", key.parent, response.parent, "none")
    assert run.body == SCORES
    (tmp_path / "t.zip").write_bytes(zipped({"README": b"Read me.", "key.conll": (CASE / "key.conll").read_bytes()}))
    assert b"t.zip/README:1: error[no-document]" in within("lea", tmp_path / "t.zip", response, "none").stderr
    run = within("lea", tmp_path / "t.zip" / "*.conll", response, "none")
    assert run.body == SCORES


def test_what_is_no_file_is_skipped_and_said(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        archive.add(CASE / "key.conll", "key.conll")
        for name, kind in (("link.conll", tarfile.SYMTYPE), ("hard.conll", tarfile.LNKTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "key.conll"
            archive.addfile(info)
    run = within("validate", tmp_path / "t.tar")
    for name in ("link.conll", "hard.conll"):
        assert f"t.tar/{name}: notice[not-a-file]".encode() in run.stdout


KEY = (CASE / "key.conll").read_bytes()


def encrypted() -> bytes:
    data = bytearray(zipped({"key.conll": KEY}, zipfile.ZIP_STORED))
    data[data.rindex(b"key.conll") - 38] |= 1
    return bytes(data)


def with_method(number: int) -> bytes:
    data = bytearray(zipped({"key.conll": KEY}))
    for at in (data.index(b"key.conll") - 22, data.rindex(b"key.conll") - 36):
        data[at] = number
    return bytes(data)


def twice(name: str) -> bytes:
    with tarfile.open(fileobj=(out := io.BytesIO()), mode="w") as archive:
        for _ in range(2):
            archive.addfile(tarfile.TarInfo(name))
    return out.getvalue()


def linked(name: str) -> bytes:
    with tarfile.open(fileobj=(out := io.BytesIO()), mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = tarfile.SYMTYPE, "elsewhere"
        archive.addfile(info)
    return out.getvalue()


REFUSED: dict[str, tuple[bytes, bytes]] = {
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4" + bytes(600), b"x: this is a 7z archive, which cannot be read"),
    "rar": (b"Rar!\x1a\7\1\0" + bytes(600), b"x: this is a rar archive, which cannot be read"),
    "compress": (b"\x1f\x9d\x90" + KEY, b"x: this is a file compressed by compress (.Z)"),
    "lz4": (b"\4\x22\x4d\x18" + KEY, b"x: this is a file compressed by lz4"),
    "encrypted": (encrypted(), b"x/key.conll: this file is encrypted"),
    "zstd in a zip": (
        with_method(93),
        b"x: this file cannot be read to its end: That compression method is not supported",
    ),
    "zip in a zip": (zipped({"a.zip": zipped({"key.conll": KEY})}), b"x/a.zip: this is an archive or a compressed"),
    "tar in a tar": (tar({"a.tar": tar({"key.conll": KEY})}), b"x/a.tar: this is an archive or a compressed file"),
    "tgz in a zip": (zipped({"a.tgz": gzip.compress(tar({"k": KEY}))}), b"x/a.tgz: this is an archive or a"),
    "gzip in gzip": (gzip.compress(gzip.compress(KEY)), b"x: this is an archive or a compressed file inside another"),
    "empty tar": (tar({}), b"x: the archive contains no visible file"),
    "tar of zeros": (bytes(10240), b"x: the archive contains no visible file; pack the files again"),
    "script before a zip": (b"#!/bin/sh\nexec unzip $0\n" + zipped({"a": KEY}), b"x: this is a program, perhaps"),
    "program before a zip": (
        b"MZ\x90" + bytes(900) + zipped({"a": KEY}),
        b"x: this is a program, perhaps a self-extracting archive",
    ),
    "links alone": (linked("key.conll"), b"x: the archive contains links or devices only; pack the files themselves"),
    "empty zip": (zipped({}), b"x: the archive contains no visible file"),
    "hidden files alone": (zipped(HIDDEN), b"x: the archive contains no visible file"),
    "cut off tar": (tar({"key.conll": KEY})[:-9999], b"x: this file cannot be decompressed: unexpected end of data"),
    "tar without end": (tar({"k": b""})[:1024], b"x: this tar archive is damaged or incomplete: its end is missing"),
    "bad header": (
        tar({"k": KEY})[:100] + b"x" + tar({"k": KEY})[101:],
        b"x: this file cannot be decompressed: bad checksum",
    ),
    "two tars": (tar({"a": KEY}) + tar({"b": KEY}), b"x: this tar archive is damaged or incomplete: something follows"),
    "two zips": (zipped({"a": KEY}) + zipped({"b": KEY}), b"x: this zip archive has data before its first file"),
    "cut off zip": (zipped({"a": KEY})[:-30], b"x: this file cannot be decompressed: File is not a zip file"),
    "the same name twice": (twice("a"), b"x/a: the archive contains two files of this name"),
    "bomb in a zip": (zipped({"a": bytes(5 << 20)}), b"x: this file unpacks to over 4 MB"),
    "many small ones": (zipped({f"{n}": bytes(1 << 20) for n in range(5)}), b"x: this file unpacks to over 4 MB"),
    "bomb in a tar": (gzip.compress(tar({"a": bytes(5 << 20)})), b"x: this file unpacks to over 4 MB"),
    "bombs in a tar": (
        lzma.compress(tar({f"{n}": gzip.compress(bytes(1 << 20)) for n in range(5)})),
        b"over 4 MB",
    ),
}


PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
AFTER: dict[str, Callable[[bytes], bytes]] = {
    "text": lambda _: KEY,
    "zeros and text": lambda _: bytes(1 << 17) + KEY,
    "a damaged stream": lambda packed: packed[:40] + bytes(4) + packed[44:],
    "half a stream": lambda packed: packed[: len(packed) // 2],
    "a damaged start": lambda packed: b"x" + packed[1:],
}
LATER = {
    f"{name}, {what}": pack(KEY) + make(pack(KEY)) for name, pack in PACKERS.items() for what, make in AFTER.items()
}
REFUSED |= {name: (data, b"x: this file cannot be ") for name, data in LATER.items()}


@pytest.mark.parametrize("pack", PACKERS.values())
def test_all_streams_of_a_file_are_read(pack: Callable[[bytes], bytes]) -> None:
    """Also an empty one, and zeros between them and at the end, as tapes and block devices leave them."""
    half = len(KEY) // 2
    parts = [pack(KEY[:half]), bytes(1 << 17), pack(b""), pack(KEY[half:]), bytes(512)]
    assert Source("x", b"".join(parts)).read() == KEY


@together("what", list(REFUSED))
def test_what_cannot_be_read_is_refused_by_name(what: str, tmp_path: Path) -> None:
    data, message = REFUSED[what]
    (tmp_path / "x").write_bytes(data)
    for words in (["muc", "x", CASE / "key.conll"], ["validate", "x"], ["convert", "x", "out"]):
        run = within(*words, cwd=tmp_path)
        assert (run.status, run.stdout if words[0] == "muc" else b"") == (2, b"")
        assert message in run.stderr, run
        assert run.stderr.count(b"\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("module", ["bz2", "lzma", "compression.zstd"])
def test_a_python_without_a_module_says_so(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from corefscore.core import sources

    magic = next(magic for magic, its in sources.COMPRESSED.items() if its == module)
    monkeypatch.setitem(__import__("sys").modules, module, None)
    (tmp_path / "x").write_bytes(magic + bytes(600))
    run = within("validate", tmp_path / "x")
    assert run.status == 2
    assert f"x: this file is compressed, and this Python lacks the module {module}".encode() in run.stderr


def test_fix_repairs_no_archive(tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_bytes(zipped({"key.conll": KEY}))
    run = within("validate", tmp_path / "t.zip", "--fix", tmp_path / "out")
    assert run.status == 2
    assert b"not a folder or an archive" in run.stderr


def damaged(data: bytes) -> Iterable[bytes]:
    """An archive cut off at every place of some, and with bytes changed."""
    random = Random(0)
    for _ in range(300):
        at, size = random.randrange(len(data)), random.choice([1, 1, 100])
        yield data[:at]
        if b"PK\1\2" not in data:
            yield data[:at] + random.randbytes(size) + data[at + size :]


@together("name", list(PACKED))
def test_a_damaged_archive_is_never_a_smaller_one(name: str) -> None:
    """Every change is noticed, but for the names and kinds of files in a zip, which nothing protects."""
    files = documents_of(CASE / "key.conll")
    whole = PACKED[name](files)
    assert len(unpacked([Source("x", whole)], [])) == len(files)
    for data in damaged(whole):
        try:
            found = unpacked([Source("x", data)], [])
        except ScorerError:
            continue
        assert len(found) == len(files) or found[0].name == "x"
