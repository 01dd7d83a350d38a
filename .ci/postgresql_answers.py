"""Report by the exit code whether a PostgreSQL server answers at the given URL, and print the reason if it does not."""

import sys

import psycopg

# The database in the URL need not exist: tests make their own from the one named `postgres`.
try:
    psycopg.connect(sys.argv[1], dbname="postgres", connect_timeout=5).close()
except psycopg.Error as error:
    sys.exit(f"Cannot connect to PostgreSQL: {error}")
