"""Opens files one after the other, in a process of its own (`open_files.py FILE...`) and says how each ended.

A line of JSON has the file, its end (`table` or the reason of an error), seconds, and the most memory so far in bytes.
A file changed, or one written beside it, or any other exception than TezError ends the process with a traceback.
"""

import json
import resource
import sys
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from engine import database, sql
from engine.settings import load_settings
from engine.sources import open_sources
from grammar import TezError
from prompt.words import error_text

GIB = 1 << 30
SETTINGS = load_settings()
DATABASE = replace(SETTINGS.database, memory_limit="1GB", threads=2)
FILES = replace(SETTINGS.files, unpacked_bytes=GIB // 4, workbook_memory=4 * GIB, workbook_seconds=60)


def main(paths: list[Path]) -> None:
    """Open each file and say how that ended."""
    for path in paths:
        before = contents(path)
        start = time.monotonic()
        ending = outcome(path)
        seconds = time.monotonic() - start
        if contents(path) != before:
            raise AssertionError(f"{path} was changed, or something was written beside it")
        memory = 1024 * max(
            resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        sys.stdout.write(json.dumps({"file": path.name, "end": ending, "seconds": seconds, "memory": memory}) + "\n")
        sys.stdout.flush()


def contents(path: Path) -> tuple[str, list[str]]:
    """Return what must stay: the bytes of a file, and the names of what lies beside it."""
    return sha256(path.read_bytes()).hexdigest(), sorted(each.name for each in path.parent.iterdir())


def outcome(path: Path) -> str:
    """Open a file and read all of its tables; return `table` or the reason of the error."""
    con = database.connect(DATABASE)
    try:
        for table in open_sources(con, [path], FILES):
            rows = database.query(con, f"FROM {sql.name(table.name)}")
            report = table.report
            if not len(rows) == table.rows == report.rows == report.rows_in - sum(report.counts.values()):
                raise AssertionError(f"{path}: {len(rows)} rows, reported: {report}")
    except TezError as error:
        if len({error_text(error, language) for language in ("uz", "ru", "en")}) < 3:
            raise AssertionError(f"{path}: no sentence for it") from error
        return f"{type(error).__name__}.{error.reason}"
    finally:
        con.close()
    return "table"


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
