"""The whole service behind its proxy: what clients and browsers reach, as docs/deploy sets it up."""

import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

from django.contrib.auth.models import User
from django.core.management import call_command

from dimensions_site.repositories.models import ApiKey
from tests.services.clerk import errand
from tests.services.deployment import nginx, started, wait_for

SECRET_KEY = "this-key-signs-what-the-tests-of-the-deployment-see-and-nothing-else"
PASSWORD = "a-long-Word-42"
APPLICATION = "data-warehouse"


@dataclass(frozen=True)
class Front:
    """A running service: its https and http addresses with the prefix, its certificate, and an API key of demo's."""

    https: str
    http: str
    certificate: Path
    key: str

    @property
    def prefix(self) -> str:
        """The path under which it is shown."""
        return urlsplit(self.https).path

    def wait_until_ready(self) -> None:
        """Return as soon as database and worker are there, too."""
        for _ in range(300):
            with suppress(HTTPError), urlopen(f"{self.http}/health/ready"):
                return
            time.sleep(0.2)
        raise AssertionError("The service does not become ready.")


def fill() -> None:
    """Fill a new database with the repository `demo` of the documents and print an API key of its superuser.

    There is an application of the superuser's, too.
    """
    call_command("create_repository", "demo", name="Demo group", verbosity=0)
    call_command("fill_repository", "demo", verbosity=0)
    user = User.objects.create_superuser("demo", password=PASSWORD)
    known = {"client_id": APPLICATION, "client_secret": PASSWORD, "name": "Data warehouse", "user": str(user.pk)}
    call_command("createapplication", "confidential", "client-credentials", **known, stdout=StringIO())
    sys.stdout.write(f"\n{ApiKey.objects.create_key(user=user, name='documents')[1]}")


def filled(database: str) -> str:
    """Fill the new database; return the API key."""
    return errand(database, "from tests.services.front import fill; fill()").split()[-1]


@contextmanager
def behind_nginx(folder: Path, database: str, key: str, prefix: str) -> Iterator[Front]:
    """nginx, web server and worker from the files of docs/deploy; nginx shows the service under the prefix.

    The database is `filled`, which has returned the key.
    """
    web = str(folder / "web.sock")
    changed = {
        "SECRET_KEY": SECRET_KEY,
        "DATABASE_URL": database,
        "ALLOWED_HOSTS": "127.0.0.1",
        "BIND": f"unix:{web}",
        "URL_PREFIX": prefix,
    }
    with ExitStack() as running:
        wait_for(web, running.enter_context(started("dimensions-web.service", folder, changed)))
        running.enter_context(started("dimensions-worker.service", folder, changed))
        proxy, _ = running.enter_context(nginx(folder, f"unix:{web}", prefix))
        https, http = f"https://127.0.0.1:{proxy.https}{prefix}", f"http://127.0.0.1:{proxy.http}{prefix}"
        front = Front(https, http, proxy.certificate.file, key)
        front.wait_until_ready()
        yield front
