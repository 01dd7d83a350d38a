"""What a service under load leaves in its database, and what it takes of it."""

from collections.abc import Iterable

from tests.load.soak.client import Client
from tests.services.bulk_state import rows


def lost_or_doubled(url: str, clients: Iterable[Client]) -> list[str]:
    """What is lost or doubled: stored accounts and versions, against what the clients were answered."""
    found = dict(rows(url, "SELECT element_id, documentation_link FROM account_account"))
    expected: dict[str, str] = {}
    versions = {"+": 0, "~": 0, "-": 0}
    for client in clients:
        expected |= client.stored
        versions = {kind: count + client.versions[kind] for kind, count in versions.items()}
    wrong = [id for id in found.keys() | expected.keys() if found.get(id) != expected.get(id)]
    errors = [f"{id}: stored is {found.get(id)}, written was {expected.get(id)}" for id in sorted(wrong)[:20]]
    saved = dict(rows(url, "SELECT change, count(*) FROM account_accountversion GROUP BY change"))
    if saved != {kind: count for kind, count in versions.items() if count}:
        errors.append(f"the history has {saved}, written were {versions}")
    ((logics,),) = rows(url, "SELECT count(*) FROM account_calculationlogic")
    if logics != len(expected):
        errors.append(f"{logics} calculation logics of {len(expected)} accounts")
    return errors


def waiting(url: str) -> str:
    """The length of the queue, the running deletions, and the connections of PostgreSQL."""
    ((queued,),) = rows(url, "SELECT count(*) FROM django_q_ormq")
    ((running,),) = rows(url, "SELECT count(*) FROM bulkops_dataprocessing WHERE status = 'RUNNING'")
    text = f"{queued} queued, {running} deletions running"
    if url.startswith("postgres"):
        states = rows(
            url,
            "SELECT coalesce(state, 'none'), count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() GROUP BY 1 ORDER BY 1",
        )
        text += ", connections: " + ", ".join(f"{count} {state}" for state, count in states)
    return text
