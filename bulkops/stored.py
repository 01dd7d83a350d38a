"""Stored elements that are going to be changed: locked, each with its JSON."""

from collections.abc import Collection

from dimensions_site.elements.answers import Stored
from dimensions_site.elements.lookup import with_ids, with_primary_keys
from dimensions_site.elements.models import Element
from dimensions_site.elements.rendering import Renderer
from dimensions_site.repositories.models import Repository


def locked(model: type[Element], repository: Repository, renderer: Renderer, ids: Collection[str]) -> dict[str, Stored]:
    """The elements of the `repository` with one of `ids`, among which there is no NUL, by their ids.

    They are locked in the order of their ids until the transaction ends, as writers of many do. `renderer` writes whole
    elements.
    """
    found = with_ids(model, repository, ids).order_by("element_id")
    elements = list(found.only(*model.unique_in_repository).select_for_update(no_key=True))
    # Those that are locked, and none that somebody has created since.
    same = with_primary_keys(model, [element.pk for element in elements]).order_by("element_id")
    texts = renderer.each(same)
    return {element.element_id: Stored(element, text) for element, text in zip(elements, texts, strict=True)}
