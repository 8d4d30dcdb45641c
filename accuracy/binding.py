"""What is measured against: llama-cpp-python's own way of writing, in a process of its own.

The process reads jobs, one JSON object a line, and prints what each took. A grammar that llama.cpp cannot read ends it
in native code; whoever asked then reads the end of its output instead of dying with it.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from engine import machine, render

machine.prepare_native_code()

import llama_cpp  # noqa: E402
import llama_cpp.llama_cpp as native  # noqa: E402
from llama_cpp.llama_grammar import LlamaGrammar  # noqa: E402


def answers(path: Path, context: int, batch: int, threads: int, jobs: Iterator[str]) -> Iterator[Mapping[str, Any]]:
    """Yield what each job took: its `seconds`, the `text` and the number of `tokens`.

    A job has the tokens of a `prompt`, how many of them the model may know from before (`shared`), the most tokens to
    write, and a `grammar` in GBNF; without one as many tokens are written as may be, whatever they are.
    """
    _keep_weights_plain()
    model = llama_cpp.Llama(
        str(path),
        n_ctx=context,
        n_batch=batch,
        n_ubatch=batch,
        n_threads=threads,
        n_threads_batch=threads,
        verbose=False,
    )
    for line in jobs:
        job = json.loads(line)
        prompt, most = job["prompt"], job["most"]
        model.n_tokens = min(model.n_tokens, job["shared"])
        started = time.perf_counter()
        if job["grammar"] is None:
            written = list(islice(model.generate(prompt, temp=0.0, top_k=1), most))
            yield {"seconds": time.perf_counter() - started, "tokens": len(written), "text": None}
            continue
        grammar = LlamaGrammar.from_string(job["grammar"], verbose=False)
        made: Any = model.create_completion(prompt, max_tokens=most, temperature=0.0, grammar=grammar)
        seconds = time.perf_counter() - started
        yield {"seconds": seconds, "tokens": made["usage"]["completion_tokens"], "text": made["choices"][0]["text"]}


def _keep_weights_plain() -> None:
    """Let the binding load weights as we do: repacked ones end the process where the processor has AMX.

    See `engine/model/llama.py`; the binding's interface has no parameter for it.
    """
    made = native.llama_model_default_params

    def plain() -> Any:
        params = made()
        params.use_extra_bufts = False
        return params

    native.llama_model_default_params = plain


def main(arguments: list[str]) -> int:
    """Answer the jobs on standard input: model, context, batch and threads are given."""
    path, context, batch, threads = arguments
    for answer in answers(Path(path), int(context), int(batch), int(threads), iter(sys.stdin.readline, "")):
        render.print_json(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
