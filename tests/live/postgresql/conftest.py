"""What concerns PostgreSQL and what surrounds it; these tests are in its suite only."""

import os

from tests.services.citus import IS_CITUS

collect_ignore_glob = [] if os.environ.get("DATABASE_URL", "").startswith("postgres") else ["test_*.py"]
if not IS_CITUS:
    collect_ignore_glob.append("test_citus.py")
