"""Store elements in a repository at once, through the code that saves everything."""

from typing import Any

from account.dimension import ACCOUNT
from currency.dimension import CURRENCY
from dimensions_site.changes.models import Channel
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.actors import SYSTEM, Actor
from dimensions_site.elements.writing.editing import Editor
from dimensions_site.repositories.models import Repository


def store_currencies(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(CURRENCY, repository, bodies)


def store_accounts(repository: Repository, *bodies: dict[str, Any]) -> None:
    _store(ACCOUNT, repository, bodies)


def _store(dimension: Dimension, repository: Repository, bodies: tuple[Any, ...]) -> None:
    editor = Editor(dimension, repository, Actor(SYSTEM, Channel.IMPORT), allow=lambda _text: None)
    for body in bodies:
        editor.create(body)
