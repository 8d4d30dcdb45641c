"""What a contract file must be, and what is said of one that is not."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from strategies import CONTRACTS

from grammar import ContractError, check_contracts, load_contracts

TOY: dict[str, Any] = {
    "name": "toy",
    "description": "A toy",
    "args": {"column": {"ref": "column"}, "n": {"type": "integer", "minimum": 1, "optional": True}},
    "effects": {"changes_values": ["column"]},
    "explain": {"uz": "{column}", "ru": "{column}", "en": "{column}[ {n}]"},
}


def changed(**parts: Any) -> list[dict[str, Any]]:
    return [{**copy.deepcopy(TOY), **parts}]


def test_the_contracts_are_right() -> None:
    names = [contract["name"] for contract in CONTRACTS]
    assert len(names) == len(set(names))
    check_contracts(CONTRACTS)


@pytest.mark.parametrize(
    ("contracts", "reason", "where"),
    [
        ([], "not_a_contract", ""),
        ({"tools": []}, "not_a_contract", ""),
        (changed(name="No Spaces"), "not_a_contract", "No Spaces"),
        (changed(surprise=1), "not_a_contract", "toy"),
        (changed(args={"column": {"ref": "colum"}}), "not_a_contract", "toy"),
        (changed(args={"column": {}}), "not_a_contract", "toy"),
        (changed(explain={"uz": "a", "ru": "b"}), "not_a_contract", "toy"),
        (changed(explain={"uz": "{column}", "ru": "{colum}", "en": "x"}), "unknown_argument_name", "explain.ru: colum"),
        (changed(variants=[{"m": None}]), "unknown_argument_name", "variants: m"),
        (changed(effects={"makes_numbers": ["m"]}), "unknown_argument_name", "effects: m"),
        (changed(effects={"columns": [{"of": "group.columns"}]}), "unknown_argument_name", "effects: group.columns"),
        (changed() + changed(), "duplicate_tool", "toy"),
    ],
)
def test_a_wrong_contract_is_named(contracts: Any, reason: str, where: str) -> None:
    with pytest.raises(ContractError) as caught:
        check_contracts(contracts)
    assert caught.value.reason == reason
    assert where in str(caught.value)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    with pytest.raises(ContractError, match="file unreadable"):
        load_contracts(path)
    path.write_text("[{")
    with pytest.raises(ContractError, match="line 1"):
        load_contracts(path)
    path.write_text(json.dumps([TOY]))
    assert load_contracts(path) == [TOY]
