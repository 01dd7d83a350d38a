"""What the settings read from the environment in tests; pytest loads this module before the settings."""

import os

os.environ.setdefault("SECRET_KEY", "tests-sign-with-this-key-and-nobody-else-does")
