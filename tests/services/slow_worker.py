"""The worker in slow motion: tests meet it in the middle of its work, however long they did not get a processor.

Between two chunks of a deletion it pauses on every kind of database as it does on SQLite, and no import of its comes to
its end: all is written, and it waits until it is asked to end, or is killed.
"""

import os
import runpy
import sys
import time
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import django

_PAUSE = 0.12


def main() -> None:
    """Do what `manage.py qcluster` does."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    django.setup()
    heartbeat = import_module("bulkops.jobs.heartbeat").ImportHeartbeat
    report = heartbeat.report

    def report_and_wait(beating: object, phase: str, share: float, *rows: int) -> None:
        report(beating, phase, share, *rows)
        while (phase, share) == ("saving", 1):
            time.sleep(0.05)
            report(beating, phase, share, *rows)

    sys.argv = ["manage.py", "qcluster"]
    with (
        patch("bulkops.jobs.deletion.let_others_write", lambda: time.sleep(_PAUSE)),
        patch.object(heartbeat, "report", report_and_wait),
    ):
        runpy.run_path(str(Path(__file__).parents[2] / "manage.py"), run_name="__main__")


if __name__ == "__main__":
    main()
