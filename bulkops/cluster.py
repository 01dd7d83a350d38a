"""How django-q runs the workers.

`settings.py` reads this module, so nothing here may import Django's models.
"""

from typing import Any


def cluster(broker_url: str, workers: int) -> dict[str, Any]:
    """The settings of django-q for that many processes, with the queue in the database or in Redis (`broker_url`)."""
    return {
        "name": "dimensions",
        "broker_class": f"bulkops.brokers.{'DatabaseQueue' if broker_url == 'database' else 'RedisQueue'}",
        "orm": "default",
        "workers": workers,
        # No more tasks are taken than there are workers: the waiting time counts towards `retry`.
        "queue_limit": workers,
        "timeout": 3600,
        "retry": 7200,
        "max_attempts": 3,
        "ack_failures": True,
        "catch_up": False,
    }
