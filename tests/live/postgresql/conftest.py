"""What is shown of PostgreSQL and of what stands around it; these tests are there in its suite only."""

import os

collect_ignore_glob = [] if os.environ.get("DATABASE_URL", "").startswith("postgres") else ["test_*.py"]
