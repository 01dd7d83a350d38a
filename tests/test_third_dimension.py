"""A dimension is one folder, one line in INSTALLED_APPS and its routes."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
# Not a test file: its settings differ from those of the other tests.
CHECKS = "tests/entity/checks.py"


def test_a_third_dimension_works_everywhere(django_db_setup):
    """`tests/entity` goes through REST, bulk, files, deletion, administration and OpenAPI, in a separate process."""
    url = os.environ.get("DATABASE_URL", "sqlite://")
    own = f"{url}_entity" if url.startswith("postgres") else url
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--ds=tests.entity.settings", CHECKS]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=PROJECT,
        env={**environment, "DATABASE_URL": own, "DJANGO_SETTINGS_MODULE": "tests.entity.settings"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr[-2_000:]
