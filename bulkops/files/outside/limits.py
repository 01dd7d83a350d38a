"""The resource limits of the process that reads a file, enforced by the operating system."""

import os
import sys
from contextlib import suppress

from bulkops.files.formats.decompression import MAX_DECOMPRESSED_BYTES

if sys.platform != "win32":
    import resource

# Elsewhere memory is not limited, and on Windows processor time is not either. The parent limits the clock time.
HAS_LIMITS = sys.platform == "linux"
# The web server and the worker have priority.
_NICENESS = 5
# Seconds between the signal that ends the process and SIGKILL.
_GRACE = 2


def set_limits(seconds: int, memory: int, file_size: int) -> None:
    """Limit this process from now on to `seconds` of processor time and `memory` in bytes.

    A JSON file of `file_size` bytes is memory-mapped, which takes no memory from others.
    """
    if sys.platform == "win32":
        return
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _GRACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    mapped = max(file_size, MAX_DECOMPRESSED_BYTES)
    # Other systems than Linux have these names but reject the values.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_AS, (memory + mapped, memory + mapped))
