"""The language of plans: contracts, table states, answers, JSON Schema, GBNF and matching.

Knows neither a database nor a language model. `json_schema` and `gbnf` describe the answers about a table state;
`AnswerMatcher` follows an answer while it is written; `validate_answer` checks one that is.
"""

from .canonical import canonical_text
from .check import check_known_tools, checked_step
from .contracts import (
    Contract,
    by_name,
    check_contracts,
    has_exclusions,
    load_contracts,
    must_be_last,
    pivoted_argument,
    table_argument,
)
from .effects import state_after
from .errors import ContractError, TezError, ToolError
from .matcher import AnswerMatcher, Matchers
from .names import clean_name, find_column, same_name, unique_name
from .nulls import without_nulls
from .one_step import StepMatcher
from .openai_function import openai_contract
from .openai_tools import openai_tools
from .slots import Role, Slot, first_part, slots
from .state import Column, DayOrder, DecimalMark, Kind, Limits, Scene, TableState
from .typed_names import meant_columns, meant_names
from .validate import gbnf, json_schema, validate_answer

__all__ = [
    "AnswerMatcher",
    "Column",
    "Contract",
    "ContractError",
    "DayOrder",
    "DecimalMark",
    "Kind",
    "Limits",
    "Matchers",
    "Role",
    "Scene",
    "Slot",
    "StepMatcher",
    "TableState",
    "TezError",
    "ToolError",
    "by_name",
    "canonical_text",
    "check_contracts",
    "check_known_tools",
    "checked_step",
    "clean_name",
    "find_column",
    "first_part",
    "gbnf",
    "has_exclusions",
    "json_schema",
    "load_contracts",
    "meant_columns",
    "meant_names",
    "must_be_last",
    "openai_contract",
    "openai_tools",
    "pivoted_argument",
    "same_name",
    "slots",
    "state_after",
    "table_argument",
    "unique_name",
    "validate_answer",
    "without_nulls",
]
