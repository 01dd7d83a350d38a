"""How long the chunks of a deletion take; runs inside a process that has Django set up.

The pauses in which others may write are left out.
"""

import sys
import time
from itertools import pairwise
from unittest.mock import patch

from django.contrib.auth.models import User

from bulkops.jobs import deletion, processing
from bulkops.jobs.claims import claim_next
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.repositories.permissions import Scope


def measure(db_id: str, count: int) -> None:
    """Delete the accounts 0 to `count` of the repository; print elements a second and how long a chunk takes."""
    scope = Scope(Repository.objects.get(db_id=db_id), "account", Role.MANAGER)
    processing.start(scope, User.objects.get(), [f"{number:07}" for number in range(count)], None)
    claim = claim_next("measurement")
    assert claim is not None
    marks = [time.perf_counter()]
    with patch("bulkops.jobs.deletion.let_others_write", lambda: marks.append(time.perf_counter())):
        deletion.run(claim)
    marks.append(time.perf_counter())
    chunks = sorted((end - start) * 1000 for start, end in pairwise(marks))
    speed = count / (marks[-1] - marks[0])
    middle, longest = chunks[len(chunks) // 2], chunks[-1]
    sys.stdout.write(f"{speed:9,.0f} elements/s, chunk {middle:6.0f} ms, longest {longest:6.0f} ms\n")
