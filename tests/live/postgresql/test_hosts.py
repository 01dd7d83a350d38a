"""The short form of `make hosts`: the service on nine hosts, which are killed or disconnected one by one."""

import os
import re
import subprocess
import sys

import pytest

from tests.lengths import IS_LONG
from tests.load.hosts.network import ALONE
from tests.services.deployment import skip_without
from tests.services.service import PROJECT

_SHORT = ("--seconds", "1", "--measured", "0.1", "--pause", "2")
# The long form waits until a host is lost as long as the file of docs/deploy says.
_IMPATIENT = ("--lost-after", "3")
# Less than the time after which a test counts as hanging.
_TIMEOUT = 580


def skip_where_no_hosts_can_be_built() -> None:
    """Namespaces are root's; in CI the tests run as root."""
    for program in ("ip", "nsenter", "nginx", "pgbouncer", "redis-server"):
        skip_without(program)
    allowed = subprocess.run([*ALONE, "true"], check=False, stderr=subprocess.PIPE, encoding="utf-8")
    if allowed.returncode != 0:
        assert os.environ.get("CI") != "true", f"CI demands namespaces: {allowed.stderr}"
        pytest.skip(f"There may be no namespaces: {allowed.stderr}")


@pytest.mark.contract("B3", "C18", "E2", "F2", "F6")
def test_what_was_answered_is_stored_once_whichever_host_fails():
    """Nothing is lost or done twice, a deletion is taken over, and the service recovers by itself each time."""
    skip_where_no_hosts_can_be_built()
    done = subprocess.run(
        # Calls that leave some processor time for the other tests.
        [sys.executable, "-m", "tests.load.hosts.run", *_SHORT, *([] if IS_LONG else _IMPATIENT)],
        cwd=PROJECT,
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=_TIMEOUT,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-5_000:]}"
    assert re.search("^[0-9,]+ answered writes and [0-9,]+ deletions, 0 errors$", done.stdout, re.MULTILINE)
    assert subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, check=True).stdout == b""
