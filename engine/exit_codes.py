"""The exit codes of `tez`, and which error has which."""

from grammar import ContractError, TezError, ToolError
from prompt.build import ContextError

from .database import DatabaseError
from .domain import DomainError
from .model_error import ModelError
from .paths import FileError
from .settings import SettingsError

ANSWERED = 0
BUG = 1
USAGE = 2
QUESTION = 3
DATA = 4
PLAN = 5
MODEL = 6
SETTINGS = 7
INTERRUPTED = 130

MEANINGS = {
    ANSWERED: "answered",
    BUG: "a fault of Tez itself",
    USAGE: "the command line is wrong",
    QUESTION: "the answer is a question",
    DATA: "the data cannot be opened or read",
    PLAN: "the plan cannot run",
    MODEL: "the model cannot be loaded or did not finish",
    SETTINGS: "the settings, the contracts or the domain are wrong",
    INTERRUPTED: "interrupted with Ctrl-C",
}

_CODES: tuple[tuple[type[TezError], int], ...] = (
    (FileError, DATA),
    (DatabaseError, DATA),
    (ToolError, PLAN),
    (ModelError, MODEL),
    (SettingsError, SETTINGS),
    (ContractError, SETTINGS),
    (ContextError, SETTINGS),
    (DomainError, SETTINGS),
)


def exit_code(error: TezError) -> int:
    """Return the exit code of an error."""
    return next((code for family, code in _CODES if isinstance(error, family)), BUG)
