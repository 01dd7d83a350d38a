"""Rejects django-simple-history's command of this name."""

from bulkops.command_line.refused import RefusedCommand


class Command(RefusedCommand):
    help = "Not available: the history of elements is evidence."
    reason = (
        "it adds versions that never existed, with today's date and without an author. "
        "Every element has had its history since it was created."
    )
