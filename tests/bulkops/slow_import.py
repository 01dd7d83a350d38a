"""A command that imports, and waits near the end of a phase: tests meet it there, however busy the machine is.

    python -m tests.bulkops.slow_import checking import_currencies plain table.csv

does what `manage.py import_currencies plain table.csv` does.
"""

import os
import runpy
import sys
import time
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import django

# The share of the phase after which it waits, and for how many seconds: a test that has come so far is over by then.
_FAR, _LONG = 0.8, 600


def main(phase: str) -> None:
    """Run the command in the words of the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    django.setup()
    importer = import_module("bulkops.importing").Importer
    tell = importer._tell

    def tell_and_wait(importing: object, told: str, share: float, rows: int = 0) -> None:
        tell(importing, told, share, rows)
        if told == phase and share > _FAR:
            time.sleep(_LONG)

    with patch.object(importer, "_tell", tell_and_wait):
        runpy.run_path(str(Path(__file__).parents[2] / "manage.py"), run_name="__main__")


if __name__ == "__main__":
    main(sys.argv.pop(1))
