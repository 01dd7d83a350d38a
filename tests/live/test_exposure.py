"""The web server warns where clients could bypass the reverse proxy, which keeps slow clients away.

That it says so in its log, `test_metrics_endpoint.py` shows.
"""

from ipaddress import ip_address
from pathlib import Path

import pytest

from dimensions_site.environment import SocketAddress
from dimensions_site.server.worker import exposure_warnings
from tests.services.certificates import make_certificate
from tests.services.service import serving

ANYWHERE = str(ip_address(0))


@pytest.mark.parametrize(
    ("address", "setting"),
    [
        (("127.0.0.1", 8000), None),
        (("127.1.2.3", 8000), None),
        (("::1", 8000, 0, 0), None),
        ("/run/dimensions/web.sock", None),
        ((ANYWHERE, 8000), "BIND is 0.0.0.0:8000"),
        (("::", 8000, 0, 0), "BIND is [::]:8000"),
        (("10.0.0.11", 8000), "BIND is 10.0.0.11:8000"),
        ((ANYWHERE, 9464), "METRICS_BIND is 0.0.0.0:9464"),
    ],
    ids=str,
)
def test_the_system_decides_what_a_socket_is(address, setting: str | None):
    """However it was written: as a name, or as a number that systemd has passed on."""
    found = exposure_warnings([address], SocketAddress(ANYWHERE, 9464))
    assert [warning.startswith(f"{setting}, which other machines") for warning in found] == ([True] if setting else [])


def test_gunicorn_itself_answers_https_where_no_proxy_does(prepared: tuple[str, str], tmp_path: Path):
    """With gunicorn's own options, for networks in which all clients are trusted."""
    with serving(*prepared, tmp_path, make_certificate(tmp_path)) as service:
        answer = service.send("GET", "/dimensions/v1/northwind/account/elements")
        assert answer.status == 200
        assert "Strict-Transport-Security" in answer.headers
