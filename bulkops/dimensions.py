"""What a dimension is, by its name: each is an app with a model of that name, and with one wire."""

from django.apps import apps
from django.utils.module_loading import import_string

from dimensions_site.elements.models import Element
from dimensions_site.elements.wire import Wire


def model_of(dimension: str) -> type[Element]:
    """The model of the elements of the `dimension`, such as `account`."""
    return apps.get_model(dimension, dimension)


def wire_of(dimension: str) -> Wire:
    """The wire of the `dimension`."""
    wire: Wire = import_string(f"{dimension}.serializers.{dimension.upper()}_WIRE")
    return wire
