"""A GGUF model behind llama.cpp's low-level interface: tokens in, logits out.

The only module that imports llama_cpp. The file is checked before llama.cpp sees it; every NULL and every
return code becomes a ModelError.
"""

import ctypes
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import jinja2
import numpy as np

from . import machine
from .decoder import Cancelled, Logits, Progress, never, silent
from .gguf import Header, check_model, file_identity, read_header
from .interrupt import HeldInterrupt
from .model_error import ModelError
from .settings import ModelSettings
from .vocabulary import Vocabulary

machine.prepare_native_code()

import llama_cpp  # noqa: E402
from llama_cpp.llama_chat_format import Jinja2ChatFormatter  # noqa: E402

NOT_TEXT: Final = (
    llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN | llama_cpp.LLAMA_TOKEN_ATTR_UNUSED
)
ERROR_LEVEL: Final = 4
SAME_MESSAGE: Final = 5
PLACEHOLDER: Final = "\u2402content\u2403"


class _NativeLog:
    """Takes llama.cpp's messages, so that none reaches the terminal, and keeps the last errors."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=4)
        self._level = 0
        # The native side keeps a bare pointer to this object: it must live as long as the process.
        self._callback = llama_cpp.llama_log_callback(self._take)

    def install(self) -> None:
        """Become the receiver of the messages and forget earlier ones."""
        self._lines.clear()
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))

    def last(self) -> str | None:
        """Return the last errors as one text; None without any."""
        return "; ".join(self._lines) or None

    def _take(self, level: int, text: bytes, _: object) -> None:
        if level != SAME_MESSAGE:
            self._level = level
        line = text.decode("utf-8", "replace").strip()
        if self._level == ERROR_LEVEL and line:
            self._lines.append(line)


# llama.cpp has one receiver of messages for the whole process.
_LOG: Final = _NativeLog()


class LlamaModel:
    """A loaded model with one sequence of evaluated tokens, of which the common beginning is kept between prompts.

    `name` is the model's own name, `identity` tells files apart (name, bytes, time of change; the adapter's too),
    `context` is in tokens. Use it as a context manager, or call `close`.
    """

    def __init__(
        self,
        path: Path,
        settings: ModelSettings,
        adapter: Path | None = None,
        *,
        progress: Progress = silent,
        cancelled: Cancelled = never,
    ) -> None:
        """Load the model, and the LoRA adapter where one is given.

        Raises ModelError: whatever `gguf.read_header` and `gguf.check_model` raise, `no_memory` before anything is
        loaded, `model_not_loaded`, `adapter_not_loaded`, `context_not_made`, `template_broken`, `cancelled`.
        """
        self._model: Any = None
        self._context: Any = None
        self._batch: Any = None
        self._held: list[int] = []
        self._fresh = False
        self.path = path
        header = read_header(path)
        check_model(header)
        self._settings = settings
        self.context = min(settings.context, header.number("context_length", settings.context))
        _check_memory(header, self.context, settings.memory_share)
        self.name = str(header.values.get("general.name") or path.stem)
        self.identity = "+".join(file_identity(file) for file in (path, adapter) if file is not None)
        _LOG.install()
        llama_cpp.llama_backend_init()
        try:
            self._load(header, progress, cancelled)
            self.vocabulary, self._names = self._read_vocabulary()
            loaded = self._load_adapter(header, adapter)
            self._make_context(loaded, adapter)
            self._head, self._tail = self._frame(header.values.get("tokenizer.chat_template"))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Free everything; the model cannot be used afterwards. An adapter is freed with its model."""
        batch, context, model = self._batch, self._context, self._model
        self._batch = self._context = self._model = None
        if batch is not None:
            llama_cpp.llama_batch_free(batch)
        if context is not None:
            llama_cpp.llama_free(context)
        if model is not None:
            llama_cpp.llama_model_free(model)

    @property
    def pieces(self) -> Sequence[bytes]:
        """The bytes of every token, by its id; empty for control tokens."""
        return self.vocabulary.pieces

    @property
    def usable(self) -> Sequence[int]:
        """The ids of the tokens that an answer may be made of."""
        return self.vocabulary.usable

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        """Return the tokens of a text, without a beginning-of-text token.

        Only with `special` do the names of control tokens in it (`<eos>`) stand for those tokens; otherwise
        they are plain text, also where the vocabulary would take a name for a token of its own.
        """
        tokens = self._tokens(text, special)
        names = [] if special else [self.pieces[token] for token in set(tokens) & self._names]
        if not names:
            return tokens
        at = min(place for name in names if (place := text.find(name.decode("utf-8", "replace"))) >= 0) + 1
        return self._tokens(text[:at], special) + self.tokenise(text[at:])

    def chat_tokens(self, content: str) -> list[int]:
        """Return the whole prompt: the frame of the model's chat template around the content, which stays plain text.

        A model without a template (a base model) gets the plain content, after the beginning-of-text token
        where its vocabulary wants one.
        """
        return self._head + self.tokenise(content) + self._tail

    def read(self, tokens: Sequence[int], progress: Progress = silent, cancelled: Cancelled = never) -> int:
        """Evaluate a prompt, reusing the longest common beginning with what was evaluated before.

        Afterwards the logits of its last token are ready. Returns the number of tokens reused. `cancelled` is asked
        between batches. Raises ModelError: `cancelled`, `context_full`, `decode_failed`.
        """
        if not tokens:
            raise ModelError("empty_prompt")
        reused = _common(self._held, tokens)
        if reused == len(tokens) and not (self._fresh and reused == len(self._held)):
            reused -= 1
        if not self._forget(reused):
            reused = 0
        done = reused
        progress("read", done, len(tokens))
        while done < len(tokens):
            if cancelled():
                raise ModelError("cancelled")
            step = tokens[done : done + self._settings.batch]
            self._evaluate(step, done + len(step) == len(tokens))
            done += len(step)
            progress("read", done, len(tokens))
        return reused

    def append(self, token: int) -> None:
        """Evaluate one more token, so that its logits are ready. Raises ModelError as `read` does."""
        self._evaluate([token], True)

    def append_many(self, tokens: Sequence[int]) -> None:
        """Evaluate more tokens in as few batches as possible, so that the logits of the last are ready."""
        for start in range(0, len(tokens), self._settings.batch):
            step = tokens[start : start + self._settings.batch]
            self._evaluate(step, start + len(step) == len(tokens))

    def logits(self) -> Logits:
        """Return a view of the logits after the last token evaluated, one float for every token of the vocabulary.

        Valid until the next evaluation, and never after `close`.
        """
        found = llama_cpp.llama_get_logits_ith(self._context, -1) if self._fresh else None
        if not found:
            raise ModelError("decode_failed", path=str(self.path), detail=_LOG.last())
        return np.ctypeslib.as_array(found, shape=(len(self.pieces),))

    def _load(self, header: Header, progress: Progress, cancelled: Cancelled) -> None:
        params = llama_cpp.llama_model_default_params()
        params.n_gpu_layers = 0
        # Repacked weights run through AMX where the processor has it, and that path kills the process:
        # https://github.com/ggml-org/llama.cpp/issues/20824
        params.use_extra_bufts = False
        with HeldInterrupt() as interrupt:

            def report(share: float, _: object) -> bool:
                progress("load", int(share * header.size), header.size)
                return not (interrupt.came or cancelled())

            callback = llama_cpp.llama_progress_callback(report)
            params.progress_callback = callback
            self._model = llama_cpp.llama_model_load_from_file(str(header.path).encode(), params)
        if cancelled():
            raise ModelError("cancelled")
        if not self._model:
            raise ModelError("model_not_loaded", path=str(header.path), detail=_LOG.last())
        if llama_cpp.llama_model_has_encoder(self._model) or not llama_cpp.llama_model_has_decoder(self._model):
            raise ModelError("model_kind", path=str(header.path), found=header.architecture, allowed="decoder")

    def _read_vocabulary(self) -> tuple[Vocabulary, frozenset[int]]:
        """Return the vocabulary, and the tokens outside it that are named by a word (`<table>`, `[control_8]`)."""
        self._vocab = llama_cpp.llama_model_get_vocab(self._model)
        count = llama_cpp.llama_vocab_n_tokens(self._vocab)
        pieces: list[bytes] = []
        usable: list[int] = []
        named_ids: list[int] = []
        room = 256
        buffer = ctypes.create_string_buffer(room)
        for token in range(count):
            length = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            if length < 0:
                room = -length
                buffer = ctypes.create_string_buffer(room)
                length = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            piece = buffer.raw[: max(length, 0)]
            pieces.append(piece)
            kind = llama_cpp.llama_vocab_get_attr(self._vocab, token)
            if not piece or kind & NOT_TEXT:
                continue
            named = kind & llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED and _has_letters(piece)
            (named_ids if named else usable).append(token)
        if not usable:
            raise ModelError("model_kind", path=str(self.path), found="-", allowed="vocabulary")
        return Vocabulary(pieces, usable), frozenset(named_ids)

    def _load_adapter(self, header: Header, path: Path | None) -> Any:
        """Load the adapter; it must stand before the context is made, or a long prompt ends the process."""
        if path is None:
            return None
        own = read_header(path)
        kinds = [own.values.get(key, "-") for key in ("general.type", "adapter.type", "general.architecture")]
        wanted = ["adapter", "lora", header.architecture]
        if kinds != wanted:
            found, allowed = (" ".join(map(str, words)) for words in (kinds, wanted))
            raise ModelError("adapter_kind", path=str(path), found=found, allowed=allowed)
        with HeldInterrupt():
            loaded = llama_cpp.llama_adapter_lora_init(self._model, str(path).encode())
        if not loaded:
            raise ModelError("adapter_not_loaded", path=str(path), model=self.name, detail=_LOG.last())
        return loaded

    def _make_context(self, loaded: Any, adapter: Path | None) -> None:
        settings = self._settings
        threads = settings.threads or machine.cores()
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = self.context
        params.n_batch = params.n_ubatch = settings.batch
        params.n_threads = params.n_threads_batch = threads
        params.n_outputs_max = 1
        # Without the full cache a model with a sliding window cannot go back to a common beginning.
        params.swa_full = True
        with HeldInterrupt():
            self._context = llama_cpp.llama_init_from_model(self._model, params)
        if not self._context:
            raise ModelError("context_not_made", context=self.context, path=str(self.path), detail=_LOG.last())
        if loaded is not None:
            adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(loaded)
            if llama_cpp.llama_set_adapters_lora(self._context, adapters, 1, (ctypes.c_float * 1)(1.0)):
                raise ModelError("adapter_not_loaded", path=str(adapter), model=self.name, detail=_LOG.last())
        size = settings.batch
        self._batch = llama_cpp.llama_batch_init(size, 0, 1)
        self._batch_tokens = np.ctypeslib.as_array(self._batch.token, shape=(size,))
        self._batch_places = np.ctypeslib.as_array(self._batch.pos, shape=(size,))
        self._batch_wanted = np.ctypeslib.as_array(self._batch.logits, shape=(size,))
        np.ctypeslib.as_array(self._batch.n_seq_id, shape=(size,))[:] = 1
        for place in range(size):
            self._batch.seq_id[place][0] = 0

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
            raise ModelError("template_broken", path=str(self.path), detail=str(error)) from None
        before, found, after = rendered.partition(PLACEHOLDER)
        if not found or PLACEHOLDER in after:
            raise ModelError("template_broken", path=str(self.path), detail=rendered[:200])
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
                raise ModelError("decode_failed", path=str(self.path), detail=_LOG.last())
            room = -count

    def _forget(self, kept: int) -> bool:
        """Drop what was evaluated after the first `kept` tokens; False where all of it had to go."""
        memory = llama_cpp.llama_get_memory(self._context)
        self._fresh = self._fresh and kept == len(self._held)
        if llama_cpp.llama_memory_seq_rm(memory, 0, kept, -1):
            del self._held[kept:]
            return True
        llama_cpp.llama_memory_clear(memory, True)
        self._held.clear()
        self._fresh = False
        return False

    def _evaluate(self, tokens: Sequence[int], wanted: bool) -> None:
        """Evaluate one batch after what is held; its last token's logits are computed where they are wanted."""
        count, start = len(tokens), len(self._held)
        if start + count > self.context:
            raise ModelError("context_full", found=start + count, allowed=self.context)
        self._batch.n_tokens = count
        self._batch_tokens[:count] = tokens
        self._batch_places[:count] = np.arange(start, start + count)
        self._batch_wanted[:count] = 0
        self._batch_wanted[count - 1] = wanted
        # An interruption in between leaves tokens in the cache that are not held: `_forget` drops them.
        self._fresh = False
        code = llama_cpp.llama_decode(self._context, self._batch)
        if code:
            raise ModelError("decode_failed", path=str(self.path), code=code, detail=_LOG.last())
        self._held.extend(tokens)
        self._fresh = wanted


def _check_memory(header: Header, context: int, share: float) -> None:
    """Refuse a model whose weights and cache do not fit. Raises ModelError `no_memory`, sizes in megabytes."""
    weights, cache = header.size, header.cache_bytes(context)
    allowed = int(machine.memory_available() * share)
    if weights + cache > allowed:
        raise ModelError(
            "no_memory",
            path=str(header.path),
            needed=_megabytes(weights + cache),
            allowed=allowed // 1_000_000,
            weights=_megabytes(weights),
            cache=_megabytes(cache),
            context=context,
        )


def _has_letters(piece: bytes) -> bool:
    return any(map(str.isalnum, piece.decode("utf-8", "ignore")))


def _megabytes(count: int) -> int:
    return -(-count // 1_000_000)


def _common(held: Sequence[int], tokens: Sequence[int]) -> int:
    """Return the length of the common beginning of two lists."""
    length = min(len(held), len(tokens))
    return next((place for place in range(length) if held[place] != tokens[place]), length)
