"""Library commands that would harm the data: they refuse with the reason."""

import sys
from typing import Any, ClassVar, NoReturn

from django.core.management.base import BaseCommand, CommandError


class RefusedCommand(BaseCommand):
    """Does nothing, whatever its arguments are."""

    reason: ClassVar[str]
    requires_system_checks = ()

    def run_from_argv(self, argv: list[str]) -> NoReturn:
        """Print the reason and exit with status 1, without reading the arguments."""
        self.stderr.write(f"{argv[1]} is not available: {self.reason}")
        sys.exit(1)

    def handle(self, *args: Any, **options: Any) -> NoReturn:
        """Raise CommandError with the reason."""
        raise CommandError(self.reason)
