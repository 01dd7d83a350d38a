"""The echo site as gunicorn serves it: the real entry point and settings, other addresses."""

from django.conf import settings

from dimensions_site.wsgi import application

__all__ = ["application"]

settings.ROOT_URLCONF = "tests.dimensions_site.api.echo"
