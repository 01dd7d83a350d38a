"""Python reads this before anything else where the folder is on PYTHONPATH.

The service runs with the packages of requirements.lock. Where other ones are found, its libraries load them, too, in
a fifth of the time of a start: those that only its makers have are hidden.
"""

import sys

for name in ("greenlet", "jinja2", "markupsafe", "pygments", "rich"):
    sys.modules[name] = None  # type: ignore[assignment]
