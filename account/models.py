"""The account element (specification, "Account element"), and the calculation logic generated from it."""

from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.db import connection, models
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from account.serializers import ACCOUNT_WIRE
from dimensions_site.db.among import Among
from dimensions_site.db.shards import ForeignKeyInShard
from dimensions_site.elements.declaration.indexes import reference_indexes
from dimensions_site.elements.declaration.wire import declared_columns
from dimensions_site.elements.dimension import Dimension, register_dimension
from dimensions_site.elements.models import Element, Version
from dimensions_site.repositories.models import Repository

_CATEGORIES = ("nature", "type", "conversion_type", "account_class")


@declared_columns(ACCOUNT_WIRE)
class AccountVersion(Version):
    class Meta(Version.Meta):
        pass


@declared_columns(ACCOUNT_WIRE)
class Account(Element):
    """An account of a chart."""

    version_model: ClassVar[type[Version]] = AccountVersion
    generating: ClassVar[frozenset[str]] = frozenset({"gross_amount_equal_ic_sum"})

    class Meta(Element.Meta):
        verbose_name = _("account")
        verbose_name_plural = _("accounts")
        indexes = [
            # For the filters of the admin list and for counts, which read the index alone: the accounts are
            # fifty times as large.
            models.Index(
                fields=["repository", *_CATEGORIES],
                name="account_categories",
                # Only for queries with one of these conditions: without statistics PostgreSQL would also use it to
                # find ids, and read the whole repository for each (design/bulk.md).
                condition=reduce(or_, (models.Q((f"{category}__isnull", False)) for category in _CATEGORIES)),
            ),
            *reference_indexes("account", ACCOUNT_WIRE),
        ]

    @classmethod
    def after_save(cls, rows: QuerySet[Any], repository: int) -> None:
        """Generate and remove the logic according to `rules.grossAmountEqualICSum` (contract C17)."""
        CalculationLogic.synchronise(rows, repository)

    @classmethod
    def before_delete(cls, rows: QuerySet[Any], repository: int) -> None:
        """Remove the logic generated for the accounts (contract C17)."""
        CalculationLogic.generated_for(rows, repository).delete()


class CalculationLogic(models.Model):
    """A calculation that the system has generated for an account (contract C17)."""

    IC_ON_GROSS_AMOUNT = "IC on Gross amount"

    account = ForeignKeyInShard(Account, on_delete=models.CASCADE, related_name="calculation_logics")
    # That of the account, whose constraint is enough.
    repository = models.ForeignKey(
        Repository, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    name = models.CharField(max_length=128)
    computes = models.CharField(max_length=128, help_text="The amount that the calculation fills.")
    formula = models.CharField(max_length=1000)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "name", "repository"], name="one_logic_of_a_name_per_account")
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.computes} = {self.formula}"

    @classmethod
    def generated_for(cls, accounts: QuerySet[Account], repository: int) -> QuerySet["CalculationLogic"]:
        # The accounts are found once. In a join, PostgreSQL without statistics would find them for each logic again.
        return cls.objects.filter(Among("account_id", accounts.order_by().values("pk")), repository=repository)

    @classmethod
    def synchronise(cls, accounts: QuerySet[Account], repository: int) -> None:
        """Give each of the `accounts` exactly the logic that its fields require, in two statements.

        All of them are in the `repository` (a primary key).
        """
        cls.generated_for(accounts.exclude(gross_amount_equal_ic_sum=True), repository).delete()
        requiring = accounts.filter(gross_amount_equal_ic_sum=True)
        quote = connection.ops.quote_name
        chosen, parameters = requiring.order_by().values("id").query.sql_with_params()
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {quote(cls._meta.db_table)} (account_id, repository_id, name, computes, formula) "
                f"SELECT id, %s, %s, %s, %s FROM ({chosen}) AS requiring WHERE true "
                "ON CONFLICT DO NOTHING",
                [repository, cls.IC_ON_GROSS_AMOUNT, "grossAmount", "SUM(icDeclaration)", *parameters],
            )


ACCOUNT = Dimension(
    "account",
    Account,
    ACCOUNT_WIRE,
    summary="Accounts with their nature, conversion, restrictions, rules and consolidation data.",
)
register_dimension(ACCOUNT)
