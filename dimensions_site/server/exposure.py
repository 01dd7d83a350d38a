"""Whether clients can reach the web server without the reverse proxy that protects it from slow ones."""

from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import Any

from dimensions_site.environment import SocketAddress


def warnings_about(addresses: Iterable[Any], metrics: SocketAddress | None) -> Sequence[str]:
    """Return a sentence for each of the sockets' `addresses` that other machines may reach."""
    return [
        _warning("METRICS_BIND" if metrics and address[1] == metrics.port else "BIND", address[0], address[1])
        for address in addresses
        if isinstance(address, tuple) and not ip_address(address[0]).is_loopback
    ]


def _warning(setting: str, host: str, port: int) -> str:
    whom = "Prometheus" if setting == "METRICS_BIND" else "the reverse proxy"
    return (
        f"{setting} is {SocketAddress(host, port)}, which other machines may reach: a few slow clients that connect "
        f"directly can block the service. Let a firewall admit {whom} alone, or bind to 127.0.0.1 or a unix socket "
        "(docs/operators/running.md, Without a proxy)."
    )
