"""What the application is put together from: its apps, what each request passes through, and the templates of pages."""

from pathlib import Path
from typing import Any

APPS = [
    "unfold",  # its templates take the place of the admin's
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "corsheaders",
    "rest_framework",
    "rest_framework_api_key",
    "axes",
    "rest_framework_simplejwt.token_blacklist",
    "oauth2_provider",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "bulkops",  # its command `qcluster` takes the place of django-q's
    "django_q",
    "simple_history",
    "django_structlog",
    "dimensions_site.rsql",
    "dimensions_site.api",
    "dimensions_site.repositories",
    "dimensions_site.tokens",
    "dimensions_site.idempotency",
    "dimensions_site.demo",
    "currency",
    "account",
]


def middleware(*, cors: bool) -> list[str]:
    """What a request passes through, from the outside in; with `cors` pages of other origins may call."""
    return [
        "dimensions_site.api.middleware.request_id",
        "dimensions_site.api.middleware.unstored",
        "dimensions_site.pages.Content",
        "dimensions_site.api.forwarded.forwarded",
        "django_structlog.middlewares.RequestMiddleware",
        "django.middleware.security.SecurityMiddleware",
        # Without an origin that is named, a question whether one may call is a request like any other, with its 401.
        *(["corsheaders.middleware.CorsMiddleware"] if cors else []),
        "whitenoise.middleware.WhiteNoiseMiddleware",
        "dimensions_site.languages.language_of_the_administration",
        "dimensions_site.api.middleware.readable_request_line",
        "dimensions_site.pages.Session",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "dimensions_site.pages.Users",
        "dimensions_site.pages.Messages",
        "django.middleware.clickjacking.XFrameOptionsMiddleware",
        "axes.middleware.AxesMiddleware",
    ]


def templates(folder: Path) -> list[dict[str, Any]]:
    """Django's settings of the templates, which are those in the `folder` and those of the apps."""
    return [
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [folder],
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
            },
        },
    ]
