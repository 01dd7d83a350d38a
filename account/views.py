"""The REST routes of the account dimension."""

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from dimensions_site.elements.views import ElementViewSet


class AccountViewSet(ElementViewSet):
    dimension = "account"
    model = Account
    wire = ACCOUNT_WIRE
