"""How quickly large accounts are deleted in chunks of several sizes, and for how long each chunk makes others wait.

    DATABASE_URL=postgresql://… python -m tests.load.speed.deletion 20000 100 500 2000

prints a table for that many accounts in chunks of these sizes.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import manage
from tests.services.worker import fill

DB_ID = "large"


def main(count: int, sizes: list[int]) -> None:
    """Measure each size on a database of the kind that DATABASE_URL names."""
    with TemporaryDirectory() as folder, migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url:
        prepare(url)
        for size in sizes:
            fill(url, DB_ID, count)
            code = f"from tests.load.speed.deletion_chunks import measure; measure({DB_ID!r}, {count})"
            output = manage(url, "shell", "--no-imports", "-c", code, DELETION_CHUNK_SIZE=str(size))
            sys.stdout.write(f"{size:6,}: {output}")


if __name__ == "__main__":
    main(int(sys.argv[1]), [int(size) for size in sys.argv[2:]])
