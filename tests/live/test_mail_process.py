"""The worker sends mail in a process of its own: whatever the mail server does, jobs go on, and it ends at once."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories import currency
from tests.mail_server import MailServer, mail_server
from tests.services.clerk import errand
from tests.services.service import Service, serving
from tests.services.worker import RunningWorker, delete, fill, is_alive, wait_until, working

pytestmark = pytest.mark.contract("O6", "F2")

_PEOPLE = """
from django.contrib.auth.models import User
from dimensions_site.changes.requirements import set_approval
from dimensions_site.repositories.models import AccessGrant, ApprovalSwitch, Repository
mailed = Repository.objects.get(db_id="mailed")
set_approval(mailed, "currency", ApprovalSwitch.ALL)
for name in ("ann", "max"):
    user = User.objects.create(username=name, email=f"{name}@example.com")
    AccessGrant.objects.create(repository=mailed, user=user, role=4)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


@pytest.fixture(scope="module")
def variables(server: MailServer) -> dict[str, str]:
    """The settings of mail, and a single process for jobs, which a hanging mail would block."""
    return {
        "EMAIL_URL": server.url,
        "EMAIL_FROM": "dimensions@example.com",
        "SITE_ADDRESS": "https://dimensions.example.com",
        "WORKER_CONCURRENCY": "1",
    }


@pytest.fixture(scope="module")
def mailing(
    prepared: tuple[str, str], variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service that has mail sent to ann and max about plans of the repository `mailed`."""
    fill(prepared[0], "mailed", 3)
    errand(prepared[0], _PEOPLE)
    with serving(*prepared, tmp_path_factory.mktemp("mailing"), **variables) as running:
        yield running


def propose(service: Service) -> None:
    """Make a plan that waits for ann and max."""
    body = {"bulk": {"post": [currency("EUR")]}}
    answer = service.send("POST", "/dimensions/v1/mailed/currency/elements-plans", body)
    assert answer.status == 201, answer.body


def mail_processes(worker: RunningWorker) -> list[int]:
    """The children of the first process that are not the cluster: the mail process."""
    first = worker.process.pid
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    return [int(pid) for pid in children if not Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_mail_server_that_hangs_holds_neither_a_request_nor_a_deletion(
    prepared: tuple[str, str], mailing: Service, server: MailServer, variables: dict[str, str], tmp_path: Path
):
    """With the only process for jobs, while the mail is on its way; it ends with the worker at once."""
    server.answer, tried = "hangs", server.tried
    ids = fill(prepared[0], "mailed", 3)
    with working(prepared[0], tmp_path, **variables) as worker:
        began = time.monotonic()
        propose(mailing)
        assert time.monotonic() - began < 5
        wait_until(lambda: server.tried > tried, "No mail is sent")
        deletion = delete(mailing, ids, "mailed")
        assert deletion.ended(timeout=8)["deleted"] == len(ids)
        assert "mail_not_sent" not in worker.log.read_text()
        [mail] = mail_processes(worker)
        assert worker.stop() == 0
        assert not is_alive(mail)


def test_mail_is_sent_by_a_worker_though_its_process_was_killed(
    prepared: tuple[str, str], mailing: Service, server: MailServer, variables: dict[str, str], tmp_path: Path
):
    """The worker starts another one. The log names people, not addresses."""
    server.answer = "takes"
    with working(prepared[0], tmp_path, **variables) as worker:
        wait_until(lambda: len(mail_processes(worker)) == 1, "No process for mail")
        [mail] = mail_processes(worker)
        os.kill(mail, signal.SIGKILL)
        propose(mailing)
        wait_until(lambda: bool(server.to("ann@example.com") and server.to("max@example.com")), "No mail came")
        worker.wait_for("mail_sent")
        assert "@example.com" not in worker.log.read_text()
        line = next(line for line in worker.log.read_text().splitlines() if "mail_sent" in line)
        assert json.loads(line)["user"] in ("ann", "max")
