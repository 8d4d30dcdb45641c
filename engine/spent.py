"""What a request took: tokens, and seconds of each part."""

import time

from .decoder import Decoded


def tokens(decoded: Decoded) -> dict[str, int]:
    """Return the tokens of prompt and answer, and how many of them cost the model nothing."""
    return {
        "prompt": decoded.prompt_tokens,
        "reused": decoded.reused_tokens,
        "answer": decoded.answer_tokens,
        "forced": decoded.forced_tokens,
    }


def seconds(started: float, prepared: float, decoded: Decoded, decided: float, looked: float) -> dict[str, float]:
    """Return the seconds of the parts of a request that ends now.

    Given are the moments at which it was started, prepared, its answer checked, and other readings looked for.
    """
    now = time.monotonic()
    return {
        "prepare": prepared - started,
        "read": decoded.read_seconds,
        "write": decoded.write_seconds,
        "others": looked - decided,
        "run": now - looked,
        "total": now - started,
    }
