"""Settings of the plain service: what `startproject` writes, cut down to an API, with connections that are kept.

Its tables are in a separate schema, so that it can share the database of the service.
"""

import os

import environ

from tests.load.bench.plain.schema import SCHEMA

SECRET_KEY = os.environ["SECRET_KEY"]
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework.authtoken",
    "django_filters",
    "tests.load.bench.plain",
]
MIDDLEWARE = ["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "tests.load.bench.plain.urls"
WSGI_APPLICATION = "tests.load.bench.plain.wsgi.application"

DATABASES = {
    "default": {
        **environ.Env.db_url_config(os.environ["DATABASE_URL"]),
        "CONN_MAX_AGE": 600,
        "OPTIONS": {"options": f"-c search_path={SCHEMA}"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# A bulk body of 10,000 accounts has 33 MB.
DATA_UPLOAD_MAX_MEMORY_SIZE = 512 * 1024 * 1024
USE_TZ = True
TIME_ZONE = "UTC"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
}
