"""The commands of docs/operators, taken from the pages and run unchanged."""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.services.service import PROJECT, environment

_PAGES = PROJECT / "docs" / "operators"


def commands(heading: str) -> list[str]:
    """Return the blocks of commands below the only heading of that name, up to the next heading of any level."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted(_PAGES.glob("*.md")))
    _, below = re.split(rf"^#+ {heading}$", text, flags=re.MULTILINE)
    blocks = re.findall(r"^```sh\n(.*?)^```$", re.split("^#+ ", below, maxsplit=1, flags=re.MULTILINE)[0], re.S | re.M)
    assert blocks, f"no commands under '{heading}'"
    return blocks


def run(block: str, folder: Path, database_url: str, inside: Sequence[str] = (), **variables: str) -> str:
    """Run the commands in `folder` as if it were the project's; return what they print. One that fails ends them.

    They are started by the words `inside`.
    """
    for name, target in ((".venv", Path(sys.prefix)), ("manage.py", PROJECT / "manage.py")):
        if not (folder / name).exists():
            (folder / name).symlink_to(target)
    done = subprocess.run(
        [*inside, "bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env=environment(database_url, **{"PATH": os.environ["PATH"], **variables}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{block}{done.stdout}{done.stderr}"
    return done.stdout
