"""An export takes as much memory for many elements as for few."""

import tracemalloc
from tempfile import TemporaryFile

import pytest

from account.models import Account
from account.serializers import ACCOUNT_WIRE
from bulkops.files.exporting import write_export
from bulkops.files.formats.rows import FileShape
from dimensions_site.api.rendering import PIECE_TEXTS
from dimensions_site.elements.reading.selection import everything
from dimensions_site.text.files import Format
from tests.factories import content
from tests.random_elements import RandomElements

FEW, MANY = 2 * PIECE_TEXTS, 10 * PIECE_TEXTS
# By what the two peaks may differ: an account takes 2 KB and more, wherever one were kept.
NOISE = 256 * 1024


@pytest.fixture
def accounts(alice, northwind):
    """Many accounts of Northwind, each with much in it."""
    bodies = RandomElements(ACCOUNT_WIRE, seed=3).many(MANY)
    content(alice.send("POST", alice.account("elements-bulk"), {"post": bodies}))
    return Account.objects.filter(repository=northwind).order_by("element_id")


def peak(elements, shape: FileShape) -> int:
    """The memory that an export of the elements takes at its peak, in bytes."""
    with TemporaryFile() as file:
        tracemalloc.start()
        try:
            write_export(
                elements,
                ACCOUNT_WIRE,
                elements[0].repository,
                paths=everything(ACCOUNT_WIRE),
                shape=shape,
                file=file,
                progress=lambda count: None,
            )
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


@pytest.mark.contract("D7", "H4")
@pytest.mark.parametrize("format", Format)
def test_the_memory_for_an_export_does_not_grow_with_its_length(accounts, format):
    """Five times as many accounts; the first export has loaded everything that is loaded once."""
    shape = FileShape(format)
    peak(accounts[:FEW], shape)
    assert peak(accounts, shape) - peak(accounts[:FEW], shape) < NOISE
