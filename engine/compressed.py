"""Compressed files and standard input: unpacked to a temporary file, never beyond a bound of bytes."""

import codecs
import gzip
import lzma
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from .paths import FileError

# What Python's zipfile raises where the table of contents is not what it should be.
_DAMAGED = (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RuntimeError, EOFError)
_READ_SIZE = 1 << 20
_ENCRYPTED = 1
_MAC_FOLDER = "__MACOSX/"


class ByteStream(Protocol):
    """What bytes are read from, a block at a time."""

    def read(self, size: int, /) -> bytes:
        """Return at most so many bytes, none at the end."""


@contextmanager
def gzip_content(path: Path, suffixes: Collection[str], bound: int) -> Iterator[Path]:
    """Give the unpacked file of a .gz; its own suffix is the one before `.gz`, which has to be one of `suffixes`.

    Raises FileError `gzip_no_table`, and what `unpacked` raises.
    """
    inner = Path(path.stem).suffix.lower()
    if inner not in suffixes:
        raise FileError("gzip_no_table", path=str(path), allowed=", ".join(f"{each}.gz" for each in suffixes))
    with gzip.open(path, "rb") as packed, unpacked(packed, path, inner, bound) as file:
        yield file


@contextmanager
def zip_content(path: Path, suffixes: Collection[str], bound: int) -> Iterator[Path]:
    """Give the unpacked table of a .zip that holds exactly one file with one of these suffixes.

    Raises FileError `zip_no_table`, `zip_several`, `zip_encrypted`, `damaged`, and what `unpacked` raises.
    """
    with _whole(path):
        archive = zipfile.ZipFile(path)
    with archive:
        entry = _only_table(path, archive, suffixes)
        with _whole(path):
            packed = archive.open(entry)
        with packed, unpacked(packed, path, _suffix(entry), bound) as file:
            yield file


@contextmanager
def unpacked(packed: ByteStream, path: Path, suffix: str, bound: int) -> Iterator[Path]:
    """Give a temporary file with all bytes of a stream; it is gone afterwards.

    `path` is what errors name. Raises FileError `damaged`, `too_large`, `not_unpacked`, `empty_file`.
    """
    with tempfile.TemporaryDirectory(prefix="tez-") as folder:
        copy = Path(folder) / f"table{suffix}"
        try:
            size = _copied(packed, copy, path, bound)
        except (
            EOFError,
            zlib.error,
            gzip.BadGzipFile,
            zipfile.BadZipFile,
            lzma.LZMAError,
            NotImplementedError,
        ) as error:
            raise FileError("damaged", path=str(path), detail=str(error)) from error
        except OSError as error:
            raise FileError("not_unpacked", path=str(path), detail=error.strerror) from error
        if not size:
            raise FileError("empty_file", path=str(path))
        yield copy


@contextmanager
def standard_input(path: Path, bound: int) -> Iterator[Path]:
    """Give a temporary file with all of standard input: JSON if it begins as JSON does, else CSV.

    `path` is what errors name. Raises what `unpacked` raises.
    """
    with unpacked(sys.stdin.buffer, path, "", bound) as copy:
        with copy.open("rb") as file:
            beginning = file.read(_READ_SIZE).removeprefix(codecs.BOM_UTF8).lstrip()
        named = copy.with_suffix(".json" if beginning.startswith((b"{", b"[")) else ".csv")
        yield copy.rename(named)


def zip_size(path: Path) -> int:
    """Return the bytes that all files of a zip say they unpack to; FileError `damaged` if it is none."""
    with _whole(path), zipfile.ZipFile(path) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def zip_names(path: Path) -> list[str]:
    """Return the names of the files in a zip, none if it is damaged."""
    try:
        with _whole(path), zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except FileError:
        return []


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Turn what zipfile raises for a damaged archive into FileError `damaged`."""
    try:
        yield
    except _DAMAGED as error:
        raise FileError("damaged", path=str(path), detail=str(error)) from error


def _only_table(path: Path, archive: zipfile.ZipFile, suffixes: Collection[str]) -> zipfile.ZipInfo:
    entries = [each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith(_MAC_FOLDER)]
    tables = [each for each in entries if _suffix(each) in suffixes]
    if not tables:
        found = [each.filename for each in entries]
        raise FileError("zip_no_table", path=str(path), found=found, allowed=", ".join(suffixes))
    if len(tables) > 1:
        raise FileError("zip_several", path=str(path), found=[each.filename for each in tables])
    if tables[0].flag_bits & _ENCRYPTED:
        raise FileError("zip_encrypted", path=str(path), found=tables[0].filename)
    return tables[0]


def _suffix(entry: zipfile.ZipInfo) -> str:
    return Path(entry.filename).suffix.lower()


def _copied(packed: ByteStream, copy: Path, path: Path, bound: int) -> int:
    size = 0
    with copy.open("wb") as file:
        while block := packed.read(_READ_SIZE):
            size += len(block)
            if size > bound:
                raise FileError("too_large", path=str(path), allowed=bound)
            file.write(block)
    return size
