"""Rejects django-simple-history's command of this name."""

from bulkops.command_line.refused import RefusedCommand


class Command(RefusedCommand):
    help = "Not available: the history of elements is evidence."
    reason = (
        "it deletes versions of elements that look alike, and with them who saved them and when. "
        "Use clean_old_history to delete old versions."
    )
