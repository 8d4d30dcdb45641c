"""The committed tables of the domains are what their generators write, byte for byte."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import accuracy.synthetic

DOMAINS = Path(__file__).resolve().parents[2] / "domains"
MODULES = {
    found.name: import_module(f"accuracy.synthetic.{found.name}") for found in iter_modules(accuracy.synthetic.__path__)
}
GENERATORS = {name: module for name, module in MODULES.items() if hasattr(module, "main")}


def test_every_table_of_a_domain_has_a_generator() -> None:
    assert sorted({table.parent.name for table in DOMAINS.glob("*/*.csv")}) == sorted(GENERATORS)


@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_the_generator_writes_the_committed_bytes(name: str, tmp_path: Path) -> None:
    committed = sorted((DOMAINS / name).glob("*.csv"))
    GENERATORS[name].main([str(tmp_path if len(committed) > 1 else tmp_path / committed[0].name)])
    assert sorted(each.name for each in tmp_path.iterdir()) == [each.name for each in committed]
    for each in committed:
        assert (tmp_path / each.name).read_bytes() == each.read_bytes()
