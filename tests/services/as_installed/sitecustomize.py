"""Python reads this before anything else where the folder is on PYTHONPATH.

The service runs with the packages of requirements.lock. If others are installed, its libraries load them, too, which
takes a fifth of the start-up time: packages for development only are hidden.
"""

import sys

for name in ("greenlet", "jinja2", "markupsafe", "pygments", "rich"):
    sys.modules[name] = None  # type: ignore[assignment]
