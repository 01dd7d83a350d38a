"""A web worker whose bulk saves wait for the test before they commit."""

import time
from importlib import import_module
from pathlib import Path

from dimensions_site.server.worker import WebWorker


class HoldingWorker(WebWorker):
    """Creates the file `HELD` when a bulk save has written everything and committed nothing; waits for `RELEASED`.

    Both are in the server's folder.
    """

    HELD, RELEASED = "held", "released"

    def init_process(self) -> None:
        """Make the bulk saves of this process wait."""
        session = import_module("bulkops.session.session").WriteSession
        write = session.write

        def write_and_wait(*arguments: object) -> None:
            write(*arguments)
            Path(self.HELD).touch()
            while not Path(self.RELEASED).exists():
                time.sleep(0.05)

        session.write = write_and_wait
        super().init_process()
