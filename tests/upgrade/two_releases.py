"""Two releases of the project in folders of their own: the one before and this one, or this one and a made-up next."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dimensions_site.db.unusable import RELEASE
from tests.services.service import PROJECT, environment

# What the made-up next release adds: to all elements and versions a column of which this release knows nothing.
_NEXT = f"""
from django.db import migrations

class Migration(migrations.Migration):
    dependencies = [("account", "0001_initial"), ("releases", "{RELEASE:04}_release")]
    operations = [
        migrations.RunSQL("ALTER TABLE account_account ADD COLUMN later text NOT NULL DEFAULT 'x'"),
        migrations.RunSQL("ALTER TABLE account_accountversion ADD COLUMN later text"),
    ]
"""


@dataclass(frozen=True)
class CheckedOut:
    """A release in a folder, which uses the libraries of this one."""

    folder: Path

    @property
    def path(self) -> str:
        """Where its processes find modules: their `PYTHONPATH`."""
        return os.pathsep.join([str(self.folder / "tests" / "services" / "as_installed"), str(self.folder)])

    def migrate(self, database_url: str) -> None:
        """Bring the tables of a database up to this release."""
        command = [sys.executable, "manage.py", "migrate", "--verbosity=0"]
        subprocess.run(command, cwd=self.folder, env=environment(database_url, PYTHONPATH=self.path), check=True)


def before(reference: str, folder: Path) -> CheckedOut:
    """Return the release of a tag or commit, put into a new folder; "" is the project's folder as it is."""
    if reference:
        folder.mkdir()
        with subprocess.Popen(["git", "archive", reference], cwd=PROJECT, stdout=subprocess.PIPE) as packing:
            subprocess.run(["tar", "--extract", f"--directory={folder}"], stdin=packing.stdout, check=True)
        assert packing.returncode == 0, f"There is no release {reference}"
    else:  # a checkout may have no history
        shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(".[!c]*", "__pycache__", "*.sqlite3*"))
    (folder / ".venv").symlink_to(sys.prefix)
    return CheckedOut(folder)


def made_up_next(folder: Path) -> CheckedOut:
    """Return this release with the number and the tables of the next, put into a new folder."""
    release = before("", folder)
    (folder / "dimensions_site" / "db" / "migrations" / f"{RELEASE + 1:04}_release.py").write_text(_NEXT)
    module = folder / "dimensions_site" / "db" / "unusable.py"
    text = module.read_text()
    assert f"RELEASE = {RELEASE}\n" in text
    module.write_text(text.replace(f"RELEASE = {RELEASE}\n", f"RELEASE = {RELEASE + 1}\n"))
    return release


def release_before() -> str:
    """Return the newest tag; "" before the first, when there is no release but this one."""
    return next(iter(_git("tag", "--merged", "HEAD", "--sort=-version:refname").split()), "")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=PROJECT, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout
