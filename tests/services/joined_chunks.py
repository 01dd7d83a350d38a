"""What deletions have left to do, in one chunk each; runs inside a process that has Django set up."""

from itertools import chain

from django.db import transaction

from bulkops.models import DataProcessing, DeletionChunk, Status


def join() -> None:
    """Join the chunks of each deletion that runs."""
    with transaction.atomic():
        for processing in DataProcessing.objects.select_for_update().filter(status=Status.RUNNING):
            chunks = list(DeletionChunk.objects.filter(processing=processing).order_by("position"))
            if len(chunks) > 1:
                chunks[0].ids = list(chain.from_iterable(chunk.ids for chunk in chunks))
                DeletionChunk.objects.filter(processing=processing, position__gt=chunks[0].position).delete()
                chunks[0].save()
