"""A domain's context, read from its folder: glossary, examples and descriptions of tables."""

import json
from pathlib import Path
from typing import Any

from grammar.errors import TezError

GLOSSARY, EXAMPLES, TABLES = "glossary.json", "examples.json", "tables.json"
_SHORT = 80


class ContextError(TezError):
    """A file of a domain cannot be read or does not have its form: names the file, what was found and is allowed."""


def domain_files(folder: Path) -> tuple[str, ...]:
    """Return the names of the files in a folder that hold the words of a domain; none where they are no such words."""
    if not (folder / GLOSSARY).exists() and not (folder / EXAMPLES).exists():
        return ()
    try:
        load_context(folder)
    except ContextError:
        return ()
    return GLOSSARY, EXAMPLES, TABLES


def load_context(path: str | Path) -> dict[str, Any]:
    """Return `{"glossary": {phrases: meaning}, "examples": [{"request", "answer"}], "tables": {name: description}}`.

    A file that the folder does not have is empty. ContextError if there is no such folder or a file is broken.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise ContextError("no_folder", path=str(folder))
    return {
        "glossary": _texts(folder / GLOSSARY),
        "examples": _examples(folder / EXAMPLES),
        "tables": _texts(folder / TABLES),
    }


def _content(file: Path) -> Any:
    """Return the JSON of the file, None if there is no such file; a key may stand in an object only once."""
    if not file.exists():
        return None

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        for key in keys:
            if keys.count(key) > 1:
                raise ContextError("twice", path=str(file), found=key)
        return dict(pairs)

    try:
        return json.loads(file.read_bytes().decode("utf-8-sig"), object_pairs_hook=unique)
    except OSError as error:
        raise ContextError("unreadable", path=str(file), found=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise ContextError("not_utf8", path=str(file), found=error.object[error.start], place=error.start) from error
    except json.JSONDecodeError as error:
        raise ContextError("not_json", path=str(file), line=error.lineno, place=error.colno, found=error.msg) from error
    except RecursionError as error:
        raise ContextError("not_json", path=str(file), line=1, place=1, found="too deeply nested") from error


def _texts(file: Path) -> dict[str, str]:
    content = _content(file)
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ContextError("not_an_object", path=str(file), found=_short(content))
    for key, text in content.items():
        if not key.strip() or not isinstance(text, str) or not text.strip():
            raise ContextError("not_a_text", path=str(file), key=key, found=_short(text))
    return content


def _examples(file: Path) -> list[dict[str, Any]]:
    content = _content(file)
    if content is None:
        return []
    if not isinstance(content, list):
        raise ContextError("not_a_list", path=str(file), found=_short(content))
    for number, example in enumerate(content, 1):
        if not _is_example(example):
            raise ContextError("not_an_example", path=str(file), number=number, found=_short(example))
    return content


def _is_example(example: Any) -> bool:
    if not isinstance(example, dict) or set(example) != {"request", "answer"}:
        return False
    request, answer = example["request"], example["answer"]
    if not isinstance(request, str) or not request.strip() or not isinstance(answer, dict):
        return False
    if set(answer) == {"question"}:
        question = answer["question"]
        return isinstance(question, dict) and set(question) == {"kind", "options"}
    steps = answer.get("steps")
    return (
        set(answer) <= {"on", "table", "steps"}
        and isinstance(steps, list)
        and bool(steps)
        and all(isinstance(step, dict) and set(step) == {"tool", "args"} for step in steps)
    )


def _short(value: Any) -> str:
    """Return the beginning of the JSON of a value, for a message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else text[:_SHORT] + "..."
