"""A loaded model with one sequence of evaluated tokens. Every NULL and every return code becomes a ModelError."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import llama_cpp
import numpy as np

from engine import machine
from engine.decoder import Cancelled, Progress, never, silent
from engine.draft import Logits
from engine.gguf import Header, check_model, file_identity, read_header
from engine.interrupt import HeldInterrupt
from engine.model_error import ModelError
from engine.model_key import model_key
from engine.prefix_store import PrefixStore, state_key
from engine.settings import ModelSettings
from engine.vocabulary import Vocabulary

from .batch import Batch
from .ends import batch_ends, kept
from .log import LOG
from .many import ManySequences
from .tokens import Tokeniser


class LlamaModel:
    """A loaded model with one sequence of evaluated tokens, of which the common beginning is kept between prompts.

    `name` is the model's own name, `identity` tells files apart (name, bytes, time of change; the adapter's too),
    `key` tells models apart wherever their files lie, `context` is in tokens. Use it as a context manager, or call
    `close`.
    """

    def __init__(
        self,
        path: Path,
        settings: ModelSettings,
        adapter: Path | None = None,
        *,
        store: PrefixStore | None = None,
        progress: Progress = silent,
        cancelled: Cancelled = never,
    ) -> None:
        """Load the model, and the LoRA adapter where one is given; `store` keeps beginnings of prompts on disk.

        Raises ModelError: whatever `gguf.read_header` and `gguf.check_model` raise, `no_memory` before anything is
        loaded, `model_not_loaded`, `adapter_not_loaded`, `context_not_made`, `template_broken`, `cancelled`.
        """
        self._model: Any = None
        self._context: Any = None
        self._adapter: Any = None
        self._batch: Batch | None = None
        self._held: list[int] = []
        self._ends: list[int] = []
        self._states: dict[int, bytes] = {}
        self._whole_from = 0
        self._fresh = False
        self._store = store
        self.path = path
        self.key = model_key(path, adapter)
        self._header = header = read_header(path)
        check_model(header)
        self._settings = settings
        self.context = min(settings.context, header.number("context_length", settings.context))
        _check_memory(header, self.context, settings.memory_share)
        self._window = header.number("attention.sliding_window", 0)
        self.name = str(header.values.get("general.name") or path.stem)
        self.identity = "+".join(file_identity(file) for file in (path, adapter) if file is not None)
        LOG.install()
        llama_cpp.llama_backend_init()
        try:
            self._load(header, progress, cancelled)
            self._tokeniser = Tokeniser(self._model, path, header.values.get("tokenizer.chat_template"))
            self._adapter_path = adapter
            self._adapter = self._load_adapter(header, adapter)
            self._make_context()
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
            batch.free()
        if context is not None:
            llama_cpp.llama_free(context)
        if model is not None:
            llama_cpp.llama_model_free(model)

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens as bytes."""
        return self._tokeniser.vocabulary

    @property
    def pieces(self) -> Sequence[bytes]:
        """The bytes of every token, by its id; empty for control tokens."""
        return self.vocabulary.pieces

    @property
    def usable(self) -> Sequence[int]:
        """The ids of the tokens that an answer may be made of."""
        return self.vocabulary.usable

    def tokenise(self, text: str, special: bool = False) -> list[int]:
        """Return the tokens of a text; see `Tokeniser.tokenise`."""
        return self._tokeniser.tokenise(text, special)

    def chat_tokens(self, content: str) -> list[int]:
        """Return the whole prompt as tokens; see `Tokeniser.chat_tokens`."""
        return self._tokeniser.chat_tokens(content)

    def shared_tokens(self, content: str, beginnings: Sequence[int]) -> list[int]:
        """Return how many tokens of a prompt lie in its beginnings; see `Tokeniser.shared_tokens`."""
        return self._tokeniser.shared_tokens(content, beginnings)

    def read(
        self,
        tokens: Sequence[int],
        progress: Progress = silent,
        cancelled: Cancelled = never,
        *,
        shared: Sequence[int] = (),
        answer: int = 0,
    ) -> int:
        """Evaluate a prompt so that the logits of its last token are ready; return the number of tokens reused.

        The same prompt with the same `shared` beginnings gives the same logits, bit by bit, whatever was read before:
        see `ends.py`. Those beginnings, in tokens, are taken from the store where it has them, and kept there. The
        last `answer` tokens begin an answer: what was written of it after this prompt is kept as it was evaluated
        then. `cancelled` is asked between batches. Raises ModelError: `cancelled`, `context_full`, `decode_failed`.
        """
        if not tokens:
            raise ModelError("empty_prompt")
        size, prompt = self._settings.batch, len(tokens) - answer
        ends = batch_ends(prompt, shared, size)
        done = kept(self._ends, ends, _common(self._held, tokens))
        if done == len(tokens) and not (self._fresh and done == len(self._held)):
            done = kept(self._ends, ends, done - 1)
        done = self._go_back(done)
        worth_keeping = [end for end in ends if end in shared and done < end < prompt]
        found = next((end for end in reversed(worth_keeping) if self._restore(tokens[:end], ends)), done)
        done = reused = min(found, len(self._held))
        start = max(done, prompt)
        following = [*ends, *range(start + size, len(tokens), size), *([len(tokens)] if start < len(tokens) else [])]
        progress("read", done, len(tokens))
        for end in (each for each in following if each > reused):
            if cancelled():
                raise ModelError("cancelled")
            self._evaluate(tokens[done:end], end == len(tokens))
            done = end
            if end in worth_keeping:
                self._keep()
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
            raise ModelError("decode_failed", path=str(self.path), detail=LOG.last())
        return np.ctypeslib.as_array(found, shape=(len(self.pieces),))

    def many(self, count: int, room: int) -> ManySequences:
        """Return `count` sequences beside the model's own, that may hold `room` tokens together.

        Raises ModelError: `no_memory`, `context_not_made`.
        """
        _check_memory(self._header, room, self._settings.memory_share, loaded=True)
        context = self._new_context(room, count + 1)
        return ManySequences(context, self._settings.batch, len(self.pieces), room)

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
            raise ModelError("model_not_loaded", path=str(header.path), detail=LOG.last())
        if llama_cpp.llama_model_has_encoder(self._model) or not llama_cpp.llama_model_has_decoder(self._model):
            raise ModelError("model_kind", path=str(header.path), found=header.architecture, allowed="decoder")

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
            raise ModelError("adapter_not_loaded", path=str(path), model=self.name, detail=LOG.last())
        return loaded

    def _make_context(self) -> None:
        self._context = self._new_context(self.context, 1)
        self._batch = Batch(self._settings.batch)

    def _new_context(self, tokens: int, sequences: int) -> Any:
        """Return a context that holds so many tokens, with the adapter set."""
        settings = self._settings
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = tokens
        params.n_batch = params.n_ubatch = settings.batch
        params.n_threads = params.n_threads_batch = settings.threads or machine.cores()
        params.n_outputs_max = params.n_seq_max = sequences
        # Sequences share a beginning, which one cache for all holds only once.
        params.kv_unified = True
        # Without the full cache a model with a sliding window cannot go back to a common beginning.
        params.swa_full = True
        with HeldInterrupt():
            context = llama_cpp.llama_init_from_model(self._model, params)
        if not context:
            raise ModelError("context_not_made", context=tokens, path=str(self.path), detail=LOG.last())
        if self._adapter is not None:
            adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(self._adapter)
            if llama_cpp.llama_set_adapters_lora(context, adapters, 1, (ctypes.c_float * 1)(1.0)):
                llama_cpp.llama_free(context)
                raise ModelError("adapter_not_loaded", path=str(self._adapter_path), model=self.name, detail=LOG.last())
        return context

    def _go_back(self, count: int) -> int:
        """Drop what was evaluated after the first `count` tokens; return how many are left, fewer where need be."""
        if count < self._whole_from:
            count = max((end for end in self._states if end <= count), default=0)
            tokens, ends = self._held[:count], [end for end in self._ends if end <= count]
            if count and not self._put(self._states[count], tokens, ends):
                count = 0
        if not self._forget(count):
            count = 0
        self._states = {end: state for end, state in self._states.items() if end <= count}
        return count

    def _forget(self, count: int) -> bool:
        """Drop what was evaluated after the first `count` tokens; False where all of it had to go."""
        memory = llama_cpp.llama_get_memory(self._context)
        self._fresh = self._fresh and count == len(self._held)
        if llama_cpp.llama_memory_seq_rm(memory, 0, count, -1):
            del self._held[count:]
            self._ends = [end for end in self._ends if end <= count]
            self._whole_from = min(self._whole_from, count)
            return True
        llama_cpp.llama_memory_clear(memory, True)
        self._held.clear()
        self._ends.clear()
        self._fresh = False
        self._whole_from = 0
        return False

    def state_key(self, tokens: Sequence[int], ends: Sequence[int]) -> str:
        """Return what the state after these tokens, read in these batches, is stored under.

        With them go weights, context and library.
        """
        system = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
        return state_key([self.identity, self.context, llama_cpp.__version__, system, list(ends)], tokens)

    def _restore(self, tokens: Sequence[int], ends: Sequence[int]) -> bool:
        """Put the stored state after these tokens in the place of what is held; say whether there was one."""
        ends = [end for end in ends if end <= len(tokens)]
        state = None if self._store is None else self._store.load(self.state_key(tokens, ends))
        return self._put(state, tokens, ends) if state else False

    def _put(self, state: bytes, tokens: Sequence[int], ends: Sequence[int]) -> bool:
        """Put this state after these tokens in the place of what is held; say whether llama.cpp took it.

        The state of a model with a sliding window lacks what is outside the window, and what is left lies closer
        together, so that attention rounds otherwise: one cannot go back to before it.
        """
        self._forget(0)
        source = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if llama_cpp.llama_state_seq_set_data(self._context, source, len(state), 0) != len(state):
            self._forget(0)
            return False
        self._held, self._ends = list(tokens), list(ends)
        self._whole_from = len(tokens) if self._window else 0
        return True

    def _keep(self) -> None:
        """Store the state after what is held; where it would not be the same once put back, go on with that."""
        if self._store is None and not self._window:
            return
        size = llama_cpp.llama_state_seq_get_size(self._context, 0)
        state = (ctypes.c_uint8 * size)()
        written = llama_cpp.llama_state_seq_get_data(self._context, state, size, 0)
        kept_state = bytes(memoryview(state)[:written])
        if self._store is not None and kept_state:
            self._store.save(self.state_key(self._held, self._ends), kept_state)
        if self._window:
            self._states[len(self._held)] = kept_state
            if not self._put(kept_state, list(self._held), list(self._ends)):
                raise ModelError("decode_failed", path=str(self.path), detail=LOG.last())

    def _evaluate(self, tokens: Sequence[int], wanted: bool) -> None:
        """Evaluate one batch after what is held; its last token's logits are computed where they are wanted."""
        count, start = len(tokens), len(self._held)
        if start + count > self.context:
            raise ModelError("context_full", found=start + count, allowed=self.context)
        assert self._batch is not None
        last = [*[False] * (count - 1), wanted]
        self._batch.fill(tokens, range(start, start + count), last, [0] * count)
        # An interruption in between leaves tokens in the cache that are not held: `_forget` drops them.
        self._fresh = False
        code = llama_cpp.llama_decode(self._context, self._batch.raw)
        if code:
            raise ModelError("decode_failed", path=str(self.path), code=code, detail=LOG.last())
        self._held.extend(tokens)
        self._ends.append(len(self._held))
        self._fresh = wanted


def _check_memory(header: Header, context: int, share: float, *, loaded: bool = False) -> None:
    """Refuse what does not fit: the cache, and the weights unless they are loaded.

    Raises ModelError `no_memory`, sizes in megabytes.
    """
    weights, cache = 0 if loaded else header.size, header.cache_bytes(context)
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


def _megabytes(count: int) -> int:
    return -(-count // 1_000_000)


def _common(held: Sequence[int], tokens: Sequence[int]) -> int:
    """Return the length of the common beginning of two lists."""
    length = min(len(held), len(tokens))
    return next((place for place in range(length) if held[place] != tokens[place]), length)
