"""Dry runs are not stored."""

import pytest

from dimensions_site.idempotency.models import StoredAnswer
from tests.dimensions_site.idempotency.posts import BULK, Post, code, is_replayed


@pytest.mark.contract("E4")
@pytest.mark.parametrize("dimension", ["account", "currency"])
def test_a_dry_run_is_not_remembered(alice, dimension):
    """It does nothing, so nothing can be done twice: the same key is available for the save itself."""
    for _ in range(2):
        response = Post(dimension, "elements-bulk?dryRun=true", {"post": []}, 200).send(alice, key="both")
        assert (response.status_code, is_replayed(response)) == (200, False)
    assert not StoredAnswer.objects.exists()
    post = Post("account", "elements-bulk", BULK.body, 200)
    saved = post.send(alice, key="both")
    assert saved.status_code == 200
    assert not is_replayed(saved)
    assert is_replayed(post.send(alice, key="both"))


@pytest.mark.contract("E4")
def test_a_key_of_a_dry_run_has_to_be_a_key(alice):
    """Whether it is still stored or not."""
    assert code(Post("account", "elements-bulk?dryRun=true", BULK.body, 400).send(alice, key="x" * 256)) == (
        400,
        "INVALID",
    )
