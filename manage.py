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

from dimensions_site.unusable_databases import sentence


class CommandLine(ManagementUtility):
    """Django's, which looks for garbage from where the command begins."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        gc.freeze()
        gc.enable()
        return command


if __name__ == "__main__":
    # What is loaded until then stays; to look for garbage in it would take a third of the time of a start.
    gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    command = "".join(sys.argv[1:2])
    # What it logs tells where it comes from.
    structlog.contextvars.bind_contextvars(command=command)
    try:
        CommandLine(sys.argv).execute()
    except ImproperlyConfigured as error:
        sys.exit(f"The service is not configured: {error}")
    except Error as error:
        told = sentence(error, command)
        if told is None or "--traceback" in sys.argv:
            raise
        sys.exit(told)
    except KeyboardInterrupt:
        # Those that can be stopped in the midst of their work say themselves what is saved.
        sys.stderr.write("Stopped.\n")
        sys.exit(128 + signal.SIGINT)
