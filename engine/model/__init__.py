"""A GGUF model behind llama.cpp's low-level interface: tokens in, logits out.

The only package that imports llama_cpp. The file is checked before llama.cpp sees it.
"""

from engine import machine

machine.prepare_native_code()

from .llama import LlamaModel  # noqa: E402

__all__ = ["LlamaModel"]
