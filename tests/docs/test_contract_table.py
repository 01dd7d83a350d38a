"""Every rule of the contract has tests, or is marked as planned; `docs/contract/tests.md` lists the test files."""

from tests.contract_table import CONTRACT, planned_rules, rule_pages, shown_rules, table


def test_the_rules_without_tests_are_those_that_are_planned():
    assert rule_pages().keys() - shown_rules().keys() == planned_rules()


def test_every_marker_names_a_rule_of_the_contract():
    assert shown_rules().keys() <= rule_pages().keys()


def test_the_index_lists_the_test_files_of_each_rule():
    assert (CONTRACT / "tests.md").read_text(encoding="utf-8") == table(), "run: make contract-table"
