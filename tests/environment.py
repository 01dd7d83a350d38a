"""What the settings read from the environment in tests; pytest loads this module before the settings."""

import gc
import os

# What is loaded until the tests begin stays; looking for garbage in it would take a fifth of that time.
# `pytest_collection` in tests/conftest.py looks for it again.
gc.disable()

os.environ.setdefault("SECRET_KEY", "tests-sign-with-this-key-and-nobody-else-does")
# Tests send wrong credentials more often than anybody else; those of the limit set it themselves.
os.environ.setdefault("THROTTLE_REFUSED", "off")
# And they request more pages in a minute than any person.
os.environ.setdefault("THROTTLE_ADMIN", "off")
