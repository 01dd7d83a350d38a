"""What gunicorn itself logs, without what a caller sent."""

import logging
import re
import sys

_UNREADABLE = re.compile(r"(Invalid request from ip=\S*): .*", re.DOTALL)
_FAILED = "Error handling request"


class WithoutRequests(logging.Filter):
    """Takes parts of requests out of gunicorn's lines: a malformed header may be a credential, a query hold one."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every line through."""
        message = record.getMessage()
        if unreadable := _UNREADABLE.fullmatch(message):
            record.msg, record.args = f"{unreadable[1]}: {type(sys.exception()).__name__}", ()
        elif message.startswith(_FAILED):
            record.msg, record.args = _FAILED, ()
        return True
