"""Elements put into a repository at once, by the way in which everything is saved."""

from typing import Any

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from currency.models import Currency
from currency.serializers import CURRENCY_WIRE
from dimensions_site.elements.actors import Actor
from dimensions_site.elements.editing import Editor
from dimensions_site.elements.models import Element, Origin
from dimensions_site.elements.wire import Wire
from dimensions_site.repositories.models import Repository


def store_currencies(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(Currency, CURRENCY_WIRE, repository, bodies)


def store_accounts(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(Account, ACCOUNT_WIRE, repository, bodies)


def _store(model: type[Element], wire: Wire, repository: Repository, bodies: tuple[Any, ...]) -> None:
    editor = Editor(model, wire, repository, Actor(None, Origin.IMPORT), allow=lambda _text: None)
    for body in bodies:
        editor.create(body)
