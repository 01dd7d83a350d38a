"""The queue that wakes workers. It may lose what is in it: what is to be done stands in the database.

A worker looks there by itself every few seconds (`bulkops.brokers`); the queue makes it look at once.
"""

from django_q.tasks import async_task

# What a worker is asked to do, by name: the queue must not import what imports it.
WORK = "bulkops.tasks.work"
NO_TIMEOUT = -1


def wake_a_worker() -> None:
    """Let a worker look for work as soon as the caller's transaction is committed."""
    async_task(WORK, save=False, timeout=NO_TIMEOUT)
