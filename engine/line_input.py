"""Lines that a person types: with a history, completion and keys in a terminal, plain ones from anywhere else.

The only importer of prompt_toolkit.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from grammar import same_name

Candidates = Callable[[], Iterable[str]]
COMMAND_SIGN = "/"
_WORDS = 4


class LineInput:
    """Reads lines. `candidates` are the texts that can be completed, `keys` maps keys to the lines that they type.

    Ctrl-C drops the line, Ctrl-D on an empty line ends the input. Without a terminal lines come as they are.
    """

    def __init__(self, candidates: Candidates, keys: dict[str, str], typed: Sequence[str], most: int) -> None:
        self._session: PromptSession[str] | None = None
        self._left = ""
        if sys.stdin is not None and sys.stdin.isatty():
            bindings = KeyBindings()
            for key, line in keys.items():
                bindings.add(key)(self._typing(line))
            history = InMemoryHistory(list(typed))
            completer = NameCompleter(candidates, most)
            self._session = PromptSession(history=history, completer=completer, key_bindings=bindings)

    @property
    def attended(self) -> bool:
        """Return whether a person types at a terminal."""
        return self._session is not None

    def read(self, prompt: str, given: str = "") -> str | None:
        """Return the next line, None at the end of the input; `given` stands in it already and can be changed."""
        if self._session is None:
            line = sys.stdin.readline() if sys.stdin is not None else ""
            return line.rstrip("\r\n") if line else None
        given, self._left = given or self._left, ""
        while True:
            try:
                return self._session.prompt(prompt, default=given)
            except KeyboardInterrupt:
                given = ""
            except EOFError:
                return None

    def _typing(self, line: str) -> Callable[[KeyPressEvent], None]:
        """Return what a key does that types a line: what stood there already stands in the next line again."""

        def type_it(event: KeyPressEvent) -> None:
            self._left = event.app.current_buffer.text
            event.app.exit(result=line)

        return type_it


class NameCompleter(Completer):
    """Completes what stands before the cursor to names that begin like it, whatever their case and apostrophes.

    A name may have several words: the longest end of the line that begins a name is completed. A command is completed
    only as the first word.
    """

    def __init__(self, candidates: Candidates, most: int) -> None:
        self._candidates = candidates
        self._most = most

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yield the completions of what stands before the cursor."""
        before = document.text_before_cursor
        for text, typed in completions(before, self._candidates(), self._most):
            yield Completion(text, start_position=-len(typed))


def completions(before: str, candidates: Iterable[str], most: int) -> list[tuple[str, str]]:
    """Return at most `most` texts with the end of the line that each of them completes."""
    commands = before.startswith(COMMAND_SIGN) and " " not in before
    known = [each for each in dict.fromkeys(candidates) if each.startswith(COMMAND_SIGN) == commands]
    words = before.split(" ")
    for count in range(min(_WORDS, len(words)), 0, -1):
        typed = " ".join(words[-count:])
        start = same_name(typed)
        if start and not typed.startswith(" "):
            found = [(each, typed) for each in known if same_name(each).startswith(start) and each != typed]
            if found:
                return found[:most]
    return []
