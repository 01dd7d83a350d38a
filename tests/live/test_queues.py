"""Queues that lose their content, or fail: they wake workers, and nothing depends on them."""

import base64
import pickle
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django_q.signing import PickleSerializer

from tests.services.clerk import errand
from tests.services.worker import QUICK, delete, wait_until, working

DONE = {"status": "COMPLETED", "requested": 1, "processed": 1, "deleted": 0, "notFound": ["none"], "error": None}
# A worker polls six times in the time after which it counts as lost.
RARE = {"WORKER_LOST_AFTER_SECONDS": "3600"}


@pytest.mark.contract("F2", "F6")
def test_a_deletion_whose_queue_entry_was_lost_is_done(prepared: tuple[str, str], service, tmp_path: Path):
    """In the database: somebody deletes it before the worker takes it."""
    deletion = delete(service, ["none"])
    lose = "from django_q.models import OrmQ; print(OrmQ.objects.all().delete()[0])"
    assert int(errand(prepared[0], lose)) >= 1
    with working(prepared[0], tmp_path, **QUICK):
        assert deletion.ended() == DONE


class Command:
    """Unpickling this would create a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.mkdir, (self._folder,)


@pytest.mark.contract("F2", "F6")
def test_what_others_put_into_the_queue_is_not_run(prepared: tuple[str, str], service, tmp_path: Path):
    """An entry without the signature of SECRET_KEY is dropped unread, and the worker continues with the next one."""
    pickled = base64.b64encode(pickle.dumps(Command(tmp_path / "made"))).decode() + ":signature"
    forged = signing.dumps(Command(tmp_path / "made"), key="another key", serializer=PickleSerializer)
    put = (
        "from django.utils import timezone; from django_q.models import OrmQ\n"
        f"for text in {[pickled, forged]!r}: OrmQ.objects.create(key='dimensions', payload=text, lock=timezone.now())\n"
    )
    errand(prepared[0], put)
    # Beside these there may be an entry that a worker had taken when the test before killed it.
    entries = f"from django_q.models import OrmQ; print(OrmQ.objects.filter(payload__in={[pickled, forged]!r}).count())"
    with working(prepared[0], tmp_path, **RARE) as worker:
        assert delete(service, ["none"]).ended() == DONE
        wait_until(lambda: int(errand(prepared[0], entries)) == 0, "It takes nothing from the queue any more")
        assert worker.stop() == 0
    assert not (tmp_path / "made").exists()
