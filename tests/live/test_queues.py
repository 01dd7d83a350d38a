"""Queues that lose their content, or fail: they wake workers, and nothing depends on them."""

import base64
import pickle
from pathlib import Path
from typing import Any

import pytest
from django.core import signing
from django_q.signing import PickleSerializer

from tests.services.clerk import errand
from tests.services.own_redis import own_redis
from tests.services.service import free_port, serving
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


@pytest.mark.contract("F2", "F6")
def test_redis_wakes_the_worker_and_may_be_emptied_or_stopped_at_any_time(prepared: tuple[str, str], tmp_path: Path):
    """It works; it is emptied; it stops, while requests and worker continue without it; and it is back."""
    port = free_port()
    queue = {"BROKER_URL": f"redis://127.0.0.1:{port}/1"}
    with serving(*prepared, tmp_path, **queue) as service:
        with own_redis(tmp_path, port) as server:
            forgotten = delete(service, ["none"])
            assert server.llen("django_q:dimensions:q") == 1
            server.flushdb()
            with working(prepared[0], tmp_path, **queue, **RARE) as worker:
                assert forgotten.ended() == DONE
                # The worker has just polled by itself, and will not do so for ten minutes.
                assert delete(service, ["none"]).ended() == DONE
                assert worker.stop() == 0
        with working(prepared[0], tmp_path, **queue, **QUICK) as worker:
            assert delete(service, ["none"]).ended() == DONE
            assert "queue_unavailable" in worker.log.read_text()
            assert "queue_unavailable" in service.log.read_text()
            assert "worker_restarted" not in worker.log.read_text()
            with own_redis(tmp_path, port) as server:
                deletion = delete(service, ["none"])
                assert deletion.ended() == DONE
                # It may have found the work by itself before it was back at Redis.
                wait_until(lambda: server.llen("django_q:dimensions:q") == 0, "It takes nothing from Redis any more")
            assert worker.stop() == 0


class Command:
    """Unpickling this would create a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.mkdir, (self._folder,)


@pytest.mark.contract("F2", "F6")
def test_what_others_put_into_the_queue_is_not_run(prepared: tuple[str, str], tmp_path: Path):
    """An entry without the signature of SECRET_KEY is dropped unread, and the worker continues with the next one."""
    port = free_port()
    queue = {"BROKER_URL": f"redis://127.0.0.1:{port}/1"}
    pickled = pickle.dumps(Command(tmp_path / "made"))
    forged = signing.dumps(Command(tmp_path / "made"), key="another key", serializer=PickleSerializer)
    with own_redis(tmp_path, port) as server, serving(*prepared, tmp_path, **queue) as service:
        server.rpush("django_q:dimensions:q", base64.b64encode(pickled) + b":signature", forged)
        with working(prepared[0], tmp_path, **queue, **RARE) as worker:
            assert delete(service, ["none"]).ended() == DONE
            wait_until(lambda: server.llen("django_q:dimensions:q") == 0, "It takes nothing from Redis any more")
            assert worker.stop() == 0
    assert not (tmp_path / "made").exists()
