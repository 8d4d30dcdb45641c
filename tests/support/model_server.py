"""llama-cpp-python's own server as a process, with weights as Tez loads them: `python model_server.py PORT MODEL`.

Repacked weights end the process where the processor has AMX, so they are left plain.
"""

import sys
from typing import Any

import llama_cpp
from llama_cpp.server.__main__ import main

if __name__ == "__main__":
    default = llama_cpp.llama_cpp.llama_model_default_params

    def plain() -> Any:
        params = default()
        params.use_extra_bufts = False
        return params

    llama_cpp.llama_cpp.llama_model_default_params = plain
    port, model = sys.argv[1:]
    sys.argv[1:] = ["--model", model, "--host", "127.0.0.1", "--port", port, "--n_ctx", "8192", "--n_batch", "128"]
    sys.argv += ["--n_threads", "2", "--model_alias", "tez-test", "--verbose", "false"]
    main()
