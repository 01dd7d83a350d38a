"""Runs the process that reads a file, and prints what it took: seconds of the processor, and bytes at its peak.

It stands between that process and the tests: Linux counts the memory of a parent as that of the process it starts.
"""

import json
import resource
import subprocess
import sys

if __name__ == "__main__":
    program, request, descriptor = sys.argv[1:]
    words = [sys.executable, "-X", "utf8", "-m", program, request]
    status = subprocess.run(words, pass_fds=[int(descriptor)], stderr=subprocess.DEVNULL, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stderr.write(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, status]))
