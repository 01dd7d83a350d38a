"""`Dimension`: everything that the service has to know about a dimension; and the installed dimensions."""

from dataclasses import dataclass

from django_stubs_ext import StrOrPromise

from dimensions_site.elements.declaration.wire import Wire
from dimensions_site.elements.models import Element
from dimensions_site.repositories.dimensions import register_name


@dataclass(frozen=True, eq=False)
class Dimension:
    """A dimension: its `name` in addresses, grants and jobs, the `model` of its elements, and their `wire`.

    The models of each dimension's app have one, and register it. The `summary` is one English sentence about
    its elements, for the landing page.
    """

    name: str
    model: type[Element]
    wire: Wire
    summary: str
    # The path before the dbID, and the version, in the dimension's OpenAPI document (contract A1, H3).
    prefix: str = "dimensions/v1/"
    version: str = "V1"
    # Wire paths that `filter` may not name.
    unfilterable: frozenset[str] = frozenset()

    @property
    def verbose_name(self) -> StrOrPromise:
        return self.model._meta.verbose_name or self.name

    @property
    def verbose_name_plural(self) -> StrOrPromise:
        return self.model._meta.verbose_name_plural or self.name

    def __str__(self) -> str:
        return self.name


_installed: dict[str, Dimension] = {}
_by_model: dict[type[Element], Dimension] = {}


def register_dimension(dimension: Dimension) -> None:
    """Add the `dimension` to the installed ones. Raises `ValueError` if its name is taken."""
    register_name(dimension.name, dimension.verbose_name)
    _installed[dimension.name] = _by_model[dimension.model] = dimension


def dimensions() -> list[Dimension]:
    """Return the installed dimensions, in the order of INSTALLED_APPS."""
    return list(_installed.values())


def dimension_named(name: str) -> Dimension:
    """Return the installed dimension with this `name`. Raises `KeyError` if there is none."""
    return _installed[name]


def dimension_of(model: type[Element]) -> Dimension:
    """Return the installed dimension with elements of this `model`. Raises `KeyError` if there is none."""
    return _by_model[model]
