"""The settings of the service, with one more dimension: a line in INSTALLED_APPS, and its routes."""

from dimensions_site import settings

globals().update({name: getattr(settings, name) for name in dir(settings) if name.isupper()})

INSTALLED_APPS = [*settings.INSTALLED_APPS, "tests.entity"]
ROOT_URLCONF = "tests.entity.site"
