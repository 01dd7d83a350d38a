#!/usr/bin/env python
"""Django's command line for this project."""

import gc
import os
import signal
import sys

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, ManagementUtility
from django.db import Error

from dimensions_site.db.unusable import sentence


class CommandLine(ManagementUtility):
    """Django's command line, with garbage collection limited to what the command itself creates."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        gc.freeze()
        gc.enable()
        return command


if __name__ == "__main__":
    # Everything loaded before stays; collecting garbage in it would take a third of the start-up time.
    gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    command = "".join(sys.argv[1:2])
    # Its log lines name the command.
    structlog.contextvars.bind_contextvars(command=command)
    try:
        CommandLine(sys.argv).execute()
    except ImproperlyConfigured as error:
        sys.exit(f"The service is not configured: {error}")
    except Error as error:
        message = sentence(error, command)
        if message is None or "--traceback" in sys.argv:
            raise
        sys.exit(message)
    except KeyboardInterrupt:
        # Commands that can be interrupted report themselves what is saved.
        sys.stderr.write("Stopped.\n")
        sys.exit(128 + signal.SIGINT)
