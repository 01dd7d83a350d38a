"""What only PostgreSQL does; these tests are in its suite only."""

import os

collect_ignore_glob = [] if os.environ.get("DATABASE_URL", "").startswith("postgres") else ["test_*.py"]
