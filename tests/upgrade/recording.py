"""Record the database of a release and its answers, for the tests of updates from it.

    DATABASE_URL=postgresql://… manage.py shell -c 'from tests.upgrade.recording import main; main("1.0.0")'

runs the release that is checked out, fills an empty database over REST and by commands, and writes the database as SQL
and the answers as JSON into a folder beside this file, named by the kind of database, and the digests of the release's
migrations. Run it once for each release and kind of database; never change what it wrote.
"""

import hashlib
import json
import os
import re
import sqlite3
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from tests.random_elements import RandomElements
from tests.services.clerk import errand, prepare
from tests.services.database import empty_database
from tests.services.own_postgresql import server_programs
from tests.services.service import PROJECT, Service, serving
from tests.upgrade.released import kind_of

# The digests of a release's migrations, as `sha256sum` writes them.
MIGRATIONS = "migrations.sha256"
# Keys that give access only to the recorded data; that of ed has expired, and ina has no access any more.
KEYS = {name: f"{name:0>8}.{'opensTheRecordedDataAlone':0<32}" for name in ("mia", "rita", "bob", "ed", "ina")}
_PEOPLE = f"""
from datetime import datetime, timezone
from django.contrib.auth.models import Group, User
from dimensions_site.repositories.secret_keys import hash_of
from dimensions_site.repositories.models import AccessGrant, ApiKey, Repository, Role
northwind = Repository.objects.get(db_id="northwind")
contoso = Repository.objects.create(db_id="contoso", name="Contoso holding", default_language="de")
fabrikam = Repository.objects.create(db_id="fabrikam", name="Fabrikam", api_enabled=False)
auditors = Group.objects.create(name="auditors")
users = {{name: User.objects.create_user(name, password=f"{{name}}-password") for name in {list(KEYS)}}}
users["rita"].groups.add(auditors)
User.objects.filter(username="ina").update(is_active=False)
for repository in (northwind, contoso, fabrikam):
    AccessGrant.objects.create(group=auditors, repository=repository, role=Role.READER)
AccessGrant.objects.create(user=users["mia"], repository=northwind, role=Role.MANAGER)
AccessGrant.objects.create(user=users["mia"], repository=contoso, role=Role.EDITOR, dimension="account")
AccessGrant.objects.create(user=users["bob"], repository=contoso, role=Role.MANAGER)
AccessGrant.objects.create(user=users["ed"], repository=northwind, role=Role.EDITOR)
AccessGrant.objects.create(user=users["ina"], repository=northwind, role=Role.MANAGER)
for name, key in {KEYS}.items():
    prefix, hashed = key.partition(".")[0], hash_of(key)
    expiry = datetime(2020, 1, 1, tzinfo=timezone.utc) if name == "ed" else None
    ApiKey.objects.create(
        id=f"{{prefix}}.{{hashed}}", prefix=prefix, hashed_key=hashed, user=users[name], name=name, expiry_date=expiry
    )
"""
_CURRENCY = "/api/aih/dimensions/v1/{}/currency"
_ACCOUNT = "/dimensions/v1/{}/account"
_COMMANDS = "from django.core.management import call_command"
_IMPORTED = "id,descriptions.en,nature,type,conversion.conversionType\n004000,Revenue,PROFIT_AND_LOSS,NORMAL,AVERAGE\n"
_READ = (
    *(("mia", f"{_ACCOUNT}/elements{rest}") for rest in ("", "/0001", "/none", "?take=2&skip=1&sort=-id", "-count")),
    ("rita", f"{_ACCOUNT}/elements?filter=nature==BALANCE_SHEET;id!=0001"),
    ("rita", f"{_ACCOUNT}/elements-fetch?properties=id,description,updateInfo.user"),
    ("mia", f"{_CURRENCY}/elements"),
    ("rita", f"{_CURRENCY}/elements/0002"),
    ("bob", f"{_CURRENCY}/elements?sort=percentageDifference:desc"),
    *((name, f"{_ACCOUNT}/elements-count") for name in ("bob", "ed", "ina", "alice")),
)


def headers(name: str) -> dict[str, str]:
    """How that person authenticates: alice by her password, the others by their keys."""
    if name == "alice":
        return {"Authorization": f"Basic {b64encode(b'alice:alice-password').decode()}", "X-API-Key": ""}
    return {"X-API-Key": KEYS[name]}


def ask(service: Service, name: str, address: str) -> dict[str, object]:
    """The response to a GET of that person: the status, the entity tag, and the body or the code of the error."""
    answer = service.send("GET", address, **headers(name))
    content = answer.json()
    body = content if answer.status == 200 else content["code"]
    return {"name": name, "address": address, "status": answer.status, "etag": answer.headers.get("ETag"), "body": body}


def _fill(service: Service, url: str, folder: Path) -> None:
    """Elements with every kind of field in two repositories, of which some have several versions."""
    for db_id, writer, seed in (("northwind", "mia", 1), ("contoso", "bob", 2)):
        for wire, path in ((ACCOUNT_WIRE, _ACCOUNT), (CURRENCY_WIRE, _CURRENCY)):
            source = RandomElements(wire, seed)
            address = f"{path.format(db_id)}/elements"
            for element in source.many(4):
                _write(service, "POST", address, element, writer)
            _write(service, "PUT", f"{address}/0001", source.many(2)[1], writer)
            _write(service, "PATCH", f"{address}/0002", source.changes(), writer)
    _write(service, "PATCH", f"{_ACCOUNT.format('contoso')}/elements/0003", {"descriptions": {"fr": "Caisse"}}, "mia")
    file = folder / "accounts.csv"
    for text in ("Revenue", "Revenue, third parties"):
        file.write_text(_IMPORTED.replace("Revenue", f'"{text}"'))
        errand(url, f"{_COMMANDS}; call_command('import_accounts', 'northwind', {str(file)!r})")


def _write(service: Service, method: str, address: str, body: object, name: str) -> None:
    answer = service.send(method, address, body, **headers(name))
    assert answer.status in (200, 201), (address, body, answer)


def _dumped(url: str) -> Iterator[str]:
    """The database as SQL that any program can run."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as file:
            yield from file.iterdump()
        return
    command = [str(server_programs() / "pg_dump"), "--inserts", "--no-owner", "--no-privileges", "--dbname", url]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    # Without what is for psql only, and the settings of a session.
    yield re.sub(r"^(\\.*|--.*|SET .*|SELECT pg_catalog\.set_config.*|)\n", "", text, flags=re.MULTILINE).rstrip()


def main(release: str) -> None:
    """Record the release that is checked out, with the kind of database that DATABASE_URL names."""
    record(Path(__file__).with_name(release), os.environ.get("DATABASE_URL", ""))


def record(target: Path, server_url: str) -> None:
    """Fill an empty database of that kind, and write all files into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as name,
        empty_database(Path(name), server_url) as url,
        serving(url, prepare(url), Path(name)) as service,
    ):
        errand(url, _PEOPLE)
        _fill(service, url, Path(name))
        asked = [ask(service, user, path.format(db_id)) for user, path in _READ for db_id in ("northwind", "contoso")]
        asked.append(ask(service, "rita", f"{_ACCOUNT.format('fabrikam')}/elements"))
        kind = kind_of(url)
        lines = ",\n".join(json.dumps(answer, ensure_ascii=False) for answer in asked)
        (target / f"{kind}.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        (target / f"{kind}.sql").write_text("\n".join([*_dumped(url), ""]), encoding="utf-8")
    migrations = sorted(PROJECT.glob("[a-z]*/**/migrations/0*.py"))
    digests = [f"{digest(file)}  {file.relative_to(PROJECT)}\n" for file in migrations]
    (target / MIGRATIONS).write_text("".join(digests), encoding="utf-8")


def digest(file: Path) -> str:
    """Return the SHA-256 of the file's content in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
