"""Which release runs: for `/version`, pages, logs and metrics (contract M6)."""

import subprocess
import tomllib
from functools import cache

from django.conf import settings


@cache
def running_release() -> dict[str, str | None]:
    """Return the `version` of the project, and its `commit`: the setting, else that of a git checkout, else None."""
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"version": project["version"], "commit": settings.COMMIT or _checked_out()}


def _checked_out() -> str | None:
    if not (settings.BASE_DIR / ".git").exists():
        return None
    try:
        command = ["git", "rev-parse", "HEAD"]
        found = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()
