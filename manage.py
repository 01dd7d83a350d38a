#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

import structlog
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dimensions_site.settings")
    # What it logs tells where it comes from.
    structlog.contextvars.bind_contextvars(command="".join(sys.argv[1:2]))
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"The service is not configured: {error}")
