"""A web worker whose bulk saves wait for the test before they commit."""

import time
from importlib import import_module
from pathlib import Path
from typing import IO

from dimensions_site.server.worker import WebWorker


class HoldingWorker(WebWorker):
    """Creates the file `HELD` when a bulk save has written everything and committed nothing; waits for `RELEASED`.

    Both are in the server's folder.
    """

    HELD, RELEASED = "held", "released"

    def init_process(self) -> None:
        """Make the bulk saves of this process wait."""
        save = import_module("bulkops.save.saving").BulkSave
        write = save._write_answer

        def write_and_wait(saving: object, answer: IO[bytes]) -> None:
            write(saving, answer)
            Path(self.HELD).touch()
            while not Path(self.RELEASED).exists():
                time.sleep(0.05)

        save._write_answer = write_and_wait
        super().init_process()
