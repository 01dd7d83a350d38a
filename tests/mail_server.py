"""A mail server within the test: it takes mail by SMTP, refuses it, or hangs."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, cast


class MailServer(socketserver.ThreadingTCPServer):
    """Keeps the mail it took in `taken`; `answer` is how it behaves: "takes", "refuses" or "hangs"."""

    daemon_threads = True
    allow_reuse_address = True
    # Closing must not wait for a client that hangs.
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Conversation)
        self.taken: list[EmailMessage] = []
        self.tried = 0
        self.answer = "takes"
        self.ended = threading.Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """The value of EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    def to(self, address: str) -> list[EmailMessage]:
        """The mail to this address."""
        return [mail for mail in self.taken if mail["To"] == address]


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        server = cast(MailServer, self.server)
        server.tried += 1
        if server.answer == "hangs":
            server.ended.wait(60)
            return
        self._say("220 ready")
        for line in self.rfile:
            word = line.split()[0].upper()
            if word == b"EHLO":
                self._say("250 8BITMIME")
            elif word == b"RCPT" and server.answer == "refuses":
                self._say("550 no such mailbox")
            elif word == b"DATA":
                self._say("354 go on")
                server.taken.append(self._message())
                self._say("250 taken")
            elif word == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 fine")

    def _message(self) -> EmailMessage:
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line.removeprefix(b"."))
        return message_from_bytes(b"".join(lines), policy=default)

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@contextmanager
def mail_server(port: int = 0) -> Iterator[MailServer]:
    """A mail server until the block ends."""
    with MailServer(port) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.ended.set()
            server.shutdown()
            thread.join()


def part(mail: EmailMessage, kind: str) -> str:
    """The text of the part with the media type text/`kind`."""
    found = mail.get_body((kind,))
    assert found is not None
    content: Any = found.get_content()
    return str(content)
