"""How long the administration's list, search and form take among many large accounts, with their queries.

    DATABASE_URL=postgresql://… python -m tests.load.speed.admin 100000

prints a table, and the query plan of the search. Pages are requested within a process of Django, by a superuser: what a
browser does with them is not part of it.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.services.clerk import prepare
from tests.services.database import migrated_database
from tests.services.service import manage


def main(count: int) -> None:
    """Fill a database of the kind that DATABASE_URL names with that many accounts, and measure."""
    with TemporaryDirectory() as folder, migrated_database(Path(folder), os.environ.get("DATABASE_URL", "")) as url:
        prepare(url)
        for code in (
            f"from tests.services.big_accounts import fill; fill('northwind', {count})",
            # As a server does by itself within a minute.
            "from django.db import connection; connection.cursor().execute('ANALYZE')",
            "from tests.load.speed.admin_pages import measure; measure()",
        ):
            sys.stdout.write(
                manage(url, "shell", "--no-imports", "-c", code, LOG_LEVEL="ERROR", SECURE_COOKIES="false")
            )


if __name__ == "__main__":
    main(int(sys.argv[1]))
