"""Every rule of the contract that this release serves is shown by a test, and `docs/contract.md` tells which."""

from pathlib import Path

from tests.contract_table import shown_rules, table

PAGE = Path(__file__).parents[2] / "docs" / "contract.md"

SERVED = [
    *[f"A{number}" for number in range(1, 8)],
    *[f"B{number}" for number in range(1, 4)],
    *[f"C{number}" for number in range(1, 20)],
    *[f"D{number}" for number in range(1, 9)],
    *[f"E{number}" for number in range(1, 5)],
    *[f"F{number}" for number in range(1, 8)],
    *["G1", "G2", "G3", "H1", "H2", "H3"],
]


def test_each_served_rule_has_a_test_that_names_it():
    shown = shown_rules()
    assert [rule for rule in SERVED if rule not in shown] == []


def test_the_page_tells_what_the_tests_tell():
    assert PAGE.read_text(encoding="utf-8") == table(), "run: make contract-table"
