"""The account dimension, as the rest of the service knows it."""

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from dimensions_site.elements.dimension import Dimension

ACCOUNT = Dimension(
    "account",
    Account,
    ACCOUNT_WIRE,
    summary="Accounts with their nature, conversion, restrictions, rules and consolidation data.",
)
