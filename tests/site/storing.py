"""Elements put into a repository at once, by the way in which everything is saved."""

from typing import Any

from account.models import Account
from account.serializers import AccountSerializer
from currency.models import Currency
from currency.serializers import CurrencySerializer
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.models import Element, Origin
from dimensions_site.elements.saving import save
from dimensions_site.elements.serializers import ElementSerializer
from dimensions_site.repositories.models import Repository


def store_currencies(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(Currency, CurrencySerializer, repository, bodies)


def store_accounts(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(Account, AccountSerializer, repository, bodies)


def _store(
    model: type[Element], declaration: type[ElementSerializer], repository: Repository, bodies: tuple[Any, ...]
) -> None:
    validated = (declaration(context={"repository": repository}).run_validation(body) for body in bodies)
    save([model(repository=repository, **values) for values in validated], [], Actor(None, Origin.IMPORT))
