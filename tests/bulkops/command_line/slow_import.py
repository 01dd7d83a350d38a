"""A command that imports, and waits near the end of a phase: tests meet it there, however busy the machine is.

    python tests/bulkops/command_line/slow_import.py checking import_currencies plain table.csv

does what `manage.py import_currencies plain table.csv` does. It is a script, as `manage.py` is: Python ends a module
that was started with -m by the signal instead of its status, if Ctrl-C came while gettext executed the text of a rule.
"""

import os
import runpy
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import django

# The share of the phase after which it waits, and for how many seconds: a test that has come so far is over by then.
_FAR, _LONG = 0.8, 600


def main(phase: str) -> None:
    """Run the command with the arguments of the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    django.setup()
    importer = import_module("bulkops.files.imports.importing").Importer
    begin = importer.__post_init__

    def begin_to_wait(importing: Any) -> None:
        begin(importing)
        report = importing.progress

        def report_and_wait(reported: str, share: float, rows: int) -> None:
            report(reported, share, rows)
            if reported == phase and share > _FAR:
                time.sleep(_LONG)

        importing.progress = report_and_wait

    with patch.object(importer, "__post_init__", begin_to_wait):
        runpy.run_path(str(Path(__file__).parents[3] / "manage.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv.pop(1))
