"""Which exit code an error has."""

from grammar import ContractError, TezError, ToolError
from prompt.build import ContextError

from . import exit_codes
from .accepted import AcceptedError
from .conversation import ConversationError
from .database import DatabaseError
from .dialect_error import DialectError
from .domain import DomainError
from .library_error import LibraryError
from .model_error import ModelError
from .new_file import ExportError, PictureError
from .paths import FileError
from .render import OutputError
from .served import RepairError
from .session import RequestError
from .settings import SettingsError

_CODES: tuple[tuple[type[TezError], int], ...] = (
    (FileError, exit_codes.DATA),
    (DatabaseError, exit_codes.DATA),
    (OutputError, exit_codes.DATA),
    (ExportError, exit_codes.DATA),
    (PictureError, exit_codes.DATA),
    (DialectError, exit_codes.USAGE),
    (RequestError, exit_codes.USAGE),
    (ToolError, exit_codes.PLAN),
    (RepairError, exit_codes.PLAN),
    (AcceptedError, exit_codes.DATA),
    (ConversationError, exit_codes.USAGE),
    (LibraryError, exit_codes.USAGE),
    (ModelError, exit_codes.MODEL),
    (SettingsError, exit_codes.SETTINGS),
    (ContractError, exit_codes.SETTINGS),
    (ContextError, exit_codes.SETTINGS),
    (DomainError, exit_codes.SETTINGS),
)


def exit_code(error: TezError) -> int:
    """Return the exit code of an error."""
    return next((code for family, code in _CODES if isinstance(error, family)), exit_codes.BUG)
