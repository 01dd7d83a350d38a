"""The URLs of the pages of elements, for the pages of jobs and plans."""

from collections.abc import Collection

from django.db.models import Max
from django.urls import reverse

from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.lookup import with_ids
from dimensions_site.repositories.models import Repository


def element_route(dimension: Dimension, page: str, *arguments: object) -> str:
    """Return the URL of a page of the elements of a `dimension`, such as `changelist`."""
    opts = dimension.model._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=arguments)


def element_addresses(dimension: Dimension, repository: Repository, ids: Collection[str]) -> dict[str, str]:
    """Return the URLs of the elements with these `ids`: their pages, or their versions if they are deleted.

    One that never existed has none. Two queries.
    """
    stored = with_ids(dimension.model, repository, list(ids))
    found = {id: element_route(dimension, "change", key) for id, key in stored.values_list("element_id", "pk")}
    last = last_versions(dimension, repository, [id for id in ids if id not in found])
    return found | {id: element_route(dimension, "version", number) for id, number in last.items()}


def last_versions(dimension: Dimension, repository: Repository, ids: Collection[str]) -> dict[str, int]:
    """Return the number of the last version of each element, which leads to its history; one query."""
    versions = dimension.model.versions_of(repository).filter(element_id__in=ids)
    return dict(versions.order_by().values_list("element_id").annotate(Max("number")))
