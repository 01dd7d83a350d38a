"""The process of the web server with less patience, so that nobody waits a minute for its end, and with more.

And one whose bulk saves wait for the test, and one that ends at a moment of its own.
"""

import signal
import time
from importlib import import_module
from pathlib import Path
from typing import IO, ClassVar

from dimensions_site.web_worker import WebWorker


class HastyWorker(WebWorker):
    seconds_for_headers = 3
    seconds_of_silence = 3


class GentleWorker(WebWorker):
    """For clients who make pauses, and processes that share them; both take longer on a busy machine."""

    seconds_for_headers = 120
    seconds_of_silence = 120
    seconds_for_others: ClassVar[float] = 2


class SharingWorker(GentleWorker):
    """For callers who come one after another, each when the time of the one before is over."""

    seconds_for_others = 0.3


class EndingWorker(GentleWorker):
    """Is told to end in the moment in which it looks at its doors again, after it has left somebody to others."""

    def set_accept_enabled(self, enabled: bool) -> None:
        if enabled and self._knocks:
            self.handle_exit(signal.SIGTERM, None)
        super().set_accept_enabled(enabled)


class HoldingWorker(WebWorker):
    """A bulk save waits when all is written, and nothing for good, until the folder of the server has `RELEASED`.

    Then there is `HELD`.
    """

    HELD, RELEASED = "held", "released"

    def init_process(self) -> None:
        """Have it so in this process."""
        save = import_module("bulkops.saving").BulkSave
        write = save._write_answer

        def write_and_wait(saving: object, answer: IO[bytes]) -> None:
            write(saving, answer)
            Path(self.HELD).touch()
            while not Path(self.RELEASED).exists():
                time.sleep(0.05)

        save._write_answer = write_and_wait
        super().init_process()
