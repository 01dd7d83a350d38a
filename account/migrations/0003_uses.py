"""Indexes in which the elements that refer to an element are found (record 0056)."""

from django.db import migrations

from dimensions_site.elements.declaration.indexes import reference_steps

# The columns of the leaves that refer to an element, with their paths in JSON columns.
_LEAVES = (
    ("reference_account_for_initial_balance",),
    ("accrual", "debitAccrual", "id"),
    ("accrual", "creditAccrual", "id"),
    ("monthly_splitting_reference", "referenceAccount", "id"),
    ("cash_flow_planning", "variation", "debit", "id"),
    ("cash_flow_planning", "variation", "credit", "id"),
    ("cash_flow_planning", "receivablePayable", "debit", "id"),
    ("cash_flow_planning", "receivablePayable", "credit", "id"),
    ("cash_flow_planning", "liquidity", "debit", "id"),
    ("cash_flow_planning", "liquidity", "credit", "id"),
    ("cash_flow_planning", "other", "debit", "id"),
    ("cash_flow_planning", "other", "credit", "id"),
    ("cash_flow_planning", "other", "additionalCreditAccrualAccount", "id"),
    ("cash_flow_planning", "other", "additionalDebitAccrualAccount", "id"),
    ("cash_flow_planning", "revaluationDevaluation", "debit", "id"),
    ("cash_flow_planning", "revaluationDevaluation", "credit", "id"),
)


class Migration(migrations.Migration):
    dependencies = [("account", "0002_change_sets")]

    operations = reference_steps("account", *_LEAVES)
