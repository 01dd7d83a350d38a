"""Run the worker, in place of django-q's own command of this name."""

from typing import Any

from django.core.management.base import BaseCommand

from bulkops.worker import cluster as worker


class Command(BaseCommand):
    help = "Runs the worker for jobs in the background until SIGTERM or SIGINT."

    def handle(self, *args: Any, **options: Any) -> None:
        worker.run()
