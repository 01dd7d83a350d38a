"""Writers of all kinds, which write the same accounts at the same time."""

from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

from tests.dimensions_site.administration.site.forms import filled_form
from tests.load.follower.copies import ACCOUNTS
from tests.services.bulk_state import marked, rows
from tests.services.clerk import errand
from tests.services.service import PROJECT, Answer, Service

# How many of a hundred writes are of each kind.
SHARES = {
    "put": 30, "patch": 22, "bulk": 20, "large bulk": 4, "deletion": 8, "import": 4, "form": 6, "restore": 6,
    "plan": 6,
}  # fmt: skip
# What may be answered: it was saved, it is not there, another was quicker, the database was busy, nobody answers.
EXPECTED = {0, 200, 201, 202, 302, 404, 409, 412, 503}
_ADMIN = "/admin/account/account"
_TOKEN = "x" * 32
_HEADINGS = "id,descriptions.en,nature,type,conversion.conversionType\n"
_SESSION = """
from django.contrib.auth.models import User
from django.test import Client
browser = Client()
browser.force_login(User.objects.get(username="alice"))
print(browser.cookies["sessionid"].value)
"""
_IMPORT = """
from django.core.management import CommandError, call_command
try:
    call_command("import_accounts", "northwind", {file!r}, verbosity=0)
except CommandError as error:
    print("refused", error)
"""


@dataclass(frozen=True)
class Scene:
    """What they write to: the service, the database behind it, a session of the admin, and a folder for files.

    Commands run in the folder of the `release`.
    """

    service: Service
    url: str
    session: str
    folder: Path
    # How many accounts there are at most, and in one large bulk save.
    accounts: int
    largest: int
    release: Path = PROJECT


def session(url: str, release: Path = PROJECT) -> str:
    """A session of the superuser in the admin."""
    return errand(url, _SESSION, release).strip()


class Writer:
    """One writer, who writes at random."""

    def __init__(self, scene: Scene, name: str) -> None:
        self._scene = scene
        self._random = Random(name)
        self._name = name
        self._count = 0

    def write(self) -> tuple[str, int]:
        """Write once; return the kind, and the status: 0 without an answer."""
        self._count += 1
        kinds: dict[str, Callable[[], int]] = {
            "put": self._put, "patch": self._patch, "bulk": self._bulk, "large bulk": self._large_bulk,
            "deletion": self._delete, "import": self._import, "form": self._form, "restore": self._restore,
            "plan": self._plan,
        }  # fmt: skip
        kind = self._random.choices(tuple(SHARES), tuple(SHARES.values()))[0]
        try:
            return kind, kinds[kind]()
        except (OSError, HTTPException):
            return kind, 0

    @property
    def _mark(self) -> str:
        return f"{self._name}:{self._count}"

    def _ids(self, count: int) -> list[str]:
        return [f"{number:05}" for number in self._random.sample(range(self._scene.accounts), count)]

    def _send(self, method: str, rest: str, body: Any) -> int:
        return self._scene.service.send(method, f"{ACCOUNTS}{rest}", body).status

    def _put(self) -> int:
        (id,) = self._ids(1)
        return self._send("PUT", f"/{id}", marked(id, self._mark))

    def _patch(self) -> int:
        (id,) = self._ids(1)
        return self._send("PATCH", f"/{id}", {"documentationLink": self._mark})

    def _bulk(self) -> int:
        return self._save(self._random.randint(1, 50))

    def _large_bulk(self) -> int:
        return self._save(self._random.randint(self._scene.largest // 10, self._scene.largest))

    def _save(self, count: int) -> int:
        return self._send("POST", "-bulk", {"put": [marked(id, self._mark) for id in self._ids(count)]})

    def _delete(self) -> int:
        ids = self._ids(self._random.randint(1, self._scene.accounts // 5))
        return self._send("POST", "-bulk-delete-async", [{"id": id} for id in ids])

    def _import(self) -> int:
        """By the command, which writes to the database itself."""
        file = self._scene.folder / f"{self._name}.csv"
        lines = [f"{id},{self._mark},BALANCE_SHEET,NORMAL,FINAL\n" for id in self._ids(20)]
        file.write_text(_HEADINGS + "".join(lines))
        return 409 if "refused" in errand(self._scene.url, _IMPORT.format(file=str(file)), self._scene.release) else 200

    def _plan(self) -> int:
        """Have a plan made, and apply it."""
        elements = [marked(id, self._mark) for id in self._ids(3)]
        made = self._scene.service.send("POST", f"{ACCOUNTS}-plans", {"bulk": {"put": elements}})
        if made.status != 201:
            return made.status
        address = f"{ACCOUNTS}-plans/{made.json()['planId']}"
        read = self._scene.service.send("GET", address)
        if read.status != 200:
            return read.status
        return self._scene.service.send("POST", f"{address}/apply", If_Match=read.headers["ETag"]).status

    def _form(self) -> int:
        """Open the form of an account, and save it with another description."""
        (id,) = self._ids(1)
        found = rows(self._scene.url, "SELECT id FROM account_account WHERE element_id = %s", id)
        return self._change(f"{found[0][0]}") if found else 404

    def _change(self, key: str) -> int:
        page = self._browse("GET", f"/{key}/change/")
        if page.status != 200:
            return page.status
        sent = filled_form(page.body.decode())
        status = self._browse("POST", f"/{key}/change/", {**sent, "documentationLink": self._mark}).status
        return 409 if status == 200 else status  # the form again: another was quicker

    def _restore(self) -> int:
        """Restore the first version of an account."""
        (id,) = self._ids(1)
        sql = "SELECT min(number) FROM account_accountversion WHERE element_id = %s AND change <> '-'"
        ((version,),) = rows(self._scene.url, sql, id)
        if version is None:
            return 404
        is_stored = rows(self._scene.url, "SELECT id FROM account_account WHERE element_id = %s", id)
        return int(
            self._browse("POST", f"/versions/{version}/restore/", {} if is_stored else {"is_deleted": "yes"}).status
        )

    def _browse(self, method: str, path: str, form: dict[str, str] | None = None) -> Answer:
        body = urlencode({**(form or {}), "csrfmiddlewaretoken": _TOKEN}).encode() if method == "POST" else None
        return self._scene.service.send(
            method,
            f"{_ADMIN}{path}",
            body,
            X_API_Key="",
            Content_Type="application/x-www-form-urlencoded",
            Cookie=f"sessionid={self._scene.session}; csrftoken={_TOKEN}",
        )
