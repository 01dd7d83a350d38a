"""The names of the installed dimensions, which grants, API keys and jobs are stored with.

Repositories know nothing else of a dimension; `elements/dimension.py` keeps the rest, and registers the names here.
"""

from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

# In a grant or a key: every dimension, those that are installed later included.
ALL = "all"

_labels: dict[str, StrOrPromise] = {}


def register_name(name: str, label: StrOrPromise) -> None:
    """Register the dimension `name`, which people know as `label`. Raises ValueError for a name that is taken."""
    if name == ALL or name in _labels:
        raise ValueError(f"The name '{name}' is taken: give the dimension another.")
    _labels[name] = label


def dimension_names() -> list[str]:
    """Return the names of the installed dimensions, in the order of INSTALLED_APPS."""
    return list(_labels)


def dimension_choices() -> list[tuple[str, StrOrPromise]]:
    """Return the choices of a field that names one dimension.

    A field takes this function, not its result, so that an installed dimension needs no migration of other apps.
    """
    return list(_labels.items())


def access_choices() -> list[tuple[str, StrOrPromise]]:
    """Return the choices of a field that names one dimension or `ALL`; see `dimension_choices`."""
    return [(ALL, _("everything")), *_labels.items()]
