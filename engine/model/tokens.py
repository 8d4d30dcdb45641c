"""A model's text: its vocabulary, the tokens of a text, and the frame of its chat template."""

import ctypes
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final

import jinja2
import llama_cpp
import numpy as np
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from engine.model_error import ModelError
from engine.vocabulary import Vocabulary

from .log import LOG

NOT_TEXT: Final = (
    llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN | llama_cpp.LLAMA_TOKEN_ATTR_UNUSED
)
SHORT: Final = 200
KEPT: Final = 8192
PLACEHOLDER: Final = "\u2402content\u2403"
# In the pieces of many vocabularies this letter stands for a space, and llama.cpp reads it as one in texts, too.
SPACE_MARK: Final = "\u2581"


class Tokeniser:
    """The vocabulary of a loaded model (a native pointer) and its chat template; valid as long as the model is."""

    def __init__(self, model: Any, path: Path, template: object) -> None:
        """Read vocabulary and template. Raises ModelError `model_kind`, `template_broken`."""
        self._path = path
        # Forced runs ask for the same short texts again and again, and each costs a look over all special tokens.
        self._short = lru_cache(KEPT)(lambda text: tuple(self._tokenised(text, False)))
        self._content = lru_cache(1)(lambda text: tuple(self._tokenised(text, False)))
        self._vocab = llama_cpp.llama_model_get_vocab(model)
        self.vocabulary, self._names = self._read_vocabulary()
        self._head, self._tail = self._frame(template)

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        """Return the tokens of a text, without a beginning-of-text token.

        Only with `special` do the names of control tokens in it (`<eos>`) stand for those tokens; otherwise
        they are plain text, also where the vocabulary would take a name for a token of its own.
        """
        return list(self._short(text)) if not special and len(text) <= SHORT else self._tokenised(text, special)

    def _tokenised(self, text: str, special: bool) -> list[int]:
        if SPACE_MARK in text and self._space_mark:
            parts = [self._tokenised(part, special) if part else [] for part in text.split(SPACE_MARK)]
            return [*chain(parts[0], *([*self._space_mark, *part] for part in parts[1:]))]
        tokens = self._tokens(text, special)
        names = [] if special else [self.vocabulary.pieces[token] for token in set(tokens) & self._names]
        if not names:
            return tokens
        at = min(place for name in names if (place := text.find(name.decode("utf-8", "replace"))) >= 0) + 1
        return self._tokens(text[:at], special) + self.tokenise(text[at:])

    def chat_tokens(self, content: str) -> list[int]:
        """Return the whole prompt: the frame of the model's chat template around the content, which stays plain text.

        A model without a template (a base model) gets the plain content, after the beginning-of-text token
        where its vocabulary wants one.
        """
        return [*self._head, *self._content(content), *self._tail]

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        """Return how many tokens of `chat_tokens(content)` lie in each of its beginnings, given in characters.

        The last one does not count: what follows may join it.
        """
        ends = np.cumsum([len(self.vocabulary.pieces[token]) for token in self._content(content)])
        sizes = [len(content[:length].encode("utf-8", "replace")) for length in beginnings]
        return [len(self._head) + max(int(np.searchsorted(ends, size, "right")) - 1, 0) for size in sizes]

    def _read_vocabulary(self) -> tuple[Vocabulary, frozenset[int]]:
        """Return the vocabulary, and the tokens outside it that are named by a word (`<table>`, `[control_8]`)."""
        count = llama_cpp.llama_vocab_n_tokens(self._vocab)
        pieces: list[bytes] = []
        usable: list[int] = []
        named_ids: list[int] = []
        room = 256
        buffer = ctypes.create_string_buffer(room)
        to_piece, attributes = _plainly(llama_cpp.llama_token_to_piece), _plainly(llama_cpp.llama_vocab_get_attr)
        vocab = ctypes.cast(self._vocab, ctypes.c_void_p)
        for token in range(count):
            length = to_piece(vocab, token, buffer, room, 0, False)
            if length < 0:
                room = -length
                buffer = ctypes.create_string_buffer(room)
                length = to_piece(vocab, token, buffer, room, 0, False)
            piece: bytes = buffer[: max(length, 0)]  # type: ignore[assignment]
            pieces.append(piece)
            kind = attributes(vocab, token)
            if not piece or kind & NOT_TEXT:
                continue
            named = kind & llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED and _has_letters(piece)
            (named_ids if named else usable).append(token)
        if not usable:
            raise ModelError("model_kind", path=str(self._path), found="-", allowed="vocabulary")
        return Vocabulary(pieces, usable), frozenset(named_ids)

    @cached_property
    def _space_mark(self) -> list[int]:
        """The tokens of the bytes of SPACE_MARK; none where it is spelled as it is, or there are no such tokens."""
        data, pieces = SPACE_MARK.encode(), self.vocabulary.pieces
        if b"".join(pieces[token] for token in self._tokens(SPACE_MARK, False)) == data:
            return []
        single = {pieces[token]: token for token in self.vocabulary.usable if len(pieces[token]) == 1}
        return [single[bytes((byte,))] for byte in data] if all(bytes((byte,)) in single for byte in data) else []

    def _frame(self, template: object) -> tuple[list[int], list[int]]:
        """Return the tokens before and after the content of a prompt."""
        begin = llama_cpp.llama_vocab_bos(self._vocab)
        wanted = [begin] if begin >= 0 and llama_cpp.llama_vocab_get_add_bos(self._vocab) else []
        if not isinstance(template, str) or not template.strip():
            return wanted, []
        try:
            formatter = Jinja2ChatFormatter(
                template, self._token_name(llama_cpp.llama_vocab_eos(self._vocab)), self._token_name(begin)
            )
            rendered = formatter(messages=[{"role": "user", "content": PLACEHOLDER}]).prompt
        except (jinja2.TemplateError, ValueError, TypeError, ArithmeticError, LookupError) as error:
            raise ModelError("template_broken", path=str(self._path), detail=str(error)) from None
        before, found, after = rendered.partition(PLACEHOLDER)
        if not found or PLACEHOLDER in after:
            raise ModelError("template_broken", path=str(self._path), detail=rendered[:200])
        head = self.tokenise(before, special=True)
        if head[:1] != [begin]:
            head = wanted + head
        return head, self.tokenise(after, special=True)

    def _token_name(self, token: int) -> str:
        found = llama_cpp.llama_vocab_get_text(self._vocab, token) if token >= 0 else b""
        return bytes(found or b"").decode("utf-8", "replace")

    def _tokens(self, text: str, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        room = len(data) + 2
        while True:
            buffer = (llama_cpp.llama_token * room)()
            count = llama_cpp.llama_tokenize(self._vocab, data, len(data), buffer, room, False, special)
            if count >= 0:
                return list(buffer[:count])
            if -count <= room:
                raise ModelError("decode_failed", path=str(self._path), detail=LOG.last())
            room = -count


def _plainly(function: Any) -> Any:
    """Return a native function of whole numbers and pointers whose arguments are not looked at: twice as fast."""
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(ctypes.c_int32)(address)


def _has_letters(piece: bytes) -> bool:
    return any(map(str.isalnum, piece.decode("utf-8", "ignore")))
