"""All settings of the service, read from the environment.

Each setting is documented where it is read; `docs/operators.md` lists them for operators.
"""

from pathlib import Path
from typing import Any

import django_stubs_ext
import structlog

from dimensions_site import environment as env
from dimensions_site.api.authentication_modes import authentication_classes

# Lets generic classes such as `ModelAdmin[Account]` be written at run time as the type checker wants them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent

# --- The process -------------------------------------------------------------------------------

# Signs sessions and the cache of verified credentials. There is no default: a service that starts
# with a known key can be forged. `make run` makes one of its own and keeps it in `.run/`.
SECRET_KEY: str = env.required("SECRET_KEY")

# Shows stack traces to whoever provokes them: for developers only.
DEBUG: bool = env.boolean("DEBUG", default=False)

# Comma-separated names under which the service is called; any other Host header is refused.
ALLOWED_HOSTS: list[str] = env.names("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])

# Cookies of the admin are sent over https only, unless this is false (plain http on a workstation).
SECURE_COOKIES: bool = env.boolean("SECURE_COOKIES", default=True)
SESSION_COOKIE_SECURE = SECURE_COOKIES
CSRF_COOKIE_SECURE = SECURE_COOKIES

# How long a browser that has seen the service over https refuses to use http, in seconds; up to two years.
SECURE_HSTS_SECONDS: int = env.integer("HSTS_SECONDS", default=3600, minimum=0, maximum=2 * 365 * 24 * 3600)

# --- The application ---------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "rest_framework_api_key",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_q",
    "simple_history",
    "django_structlog",
    "dimensions_site.rsql",
    "dimensions_site.repositories",
    "dimensions_site.demo",
    "bulkops",
    "currency",
    "account",
]

MIDDLEWARE = [
    "dimensions_site.api.middleware.request_id",
    "django_structlog.middlewares.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dimensions_site.api.middleware.readable_request_line",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "dimensions_site.urls"
WSGI_APPLICATION = "dimensions_site.wsgi.application"
APPEND_SLASH = False  # contract A5: a path with a trailing slash is another path, and unknown
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
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

LANGUAGE_CODE = "en"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "dimensions_site" / "static"]
# Static files are served from the packages that bring them, so that no deployment step can be forgotten.
WHITENOISE_USE_FINDERS = True

# --- The database ------------------------------------------------------------------------------

# `postgresql://user:password@host:5432/name` in production; the default is one file beside the project.
DATABASES: dict[str, Any] = {"default": env.database("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}")}
_database = DATABASES["default"]
_database["CONN_MAX_AGE"] = 600
_database["CONN_HEALTH_CHECKS"] = True
# What the query of the address says, `?sslmode=require` for example, is kept and wins.
_options: dict[str, Any] = _database.get("OPTIONS", {})
if _database["ENGINE"] == "django.db.backends.sqlite3":
    _database["OPTIONS"] = {
        # A transaction that reads first and writes later would fail with "database is locked" when
        # another one wrote in between; taking the write lock at BEGIN makes it wait instead.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        **_options,
    }
else:
    _session = (
        # A write that waits longer for others is answered 503, as on SQLite.
        "-c lock_timeout=20s "
        # A client that stops reading a streamed list may not keep a snapshot open for good: PostgreSQL could
        # not clean up behind it. Each chunk that is fetched starts the minute anew.
        "-c idle_in_transaction_session_timeout=60s"
    )
    _database["OPTIONS"] = {**_options, "options": f"{_session} {_options.get('options', '')}".rstrip()}

# Verified Basic credentials are remembered for minutes; with several hosts a Redis URL shares them.
CACHES = {"default": env.cache("CACHE_URL", default="locmemcache://")}

# The history is read by element; nothing asks for all versions of a day.
SIMPLE_HISTORY_DATE_INDEX = False

# --- Background work ---------------------------------------------------------------------------

# Number of worker processes of `manage.py qcluster`.
WORKER_CONCURRENCY: int = env.integer("WORKER_CONCURRENCY", default=2, minimum=1, maximum=256)
Q_CLUSTER = {
    "name": "dimensions",
    "orm": "default",
    "workers": WORKER_CONCURRENCY,
    # No more tasks are taken than there are workers: the waiting time counts towards `retry`.
    "queue_limit": WORKER_CONCURRENCY,
    "timeout": 3600,
    "retry": 7200,
    "max_attempts": 3,
    "ack_failures": True,
    "catch_up": False,
}

# --- Who may come in ---------------------------------------------------------------------------

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# Comma-separated modes in which a caller of the REST API may authenticate (contract G1).
API_AUTHENTICATION: list[str] = env.names("API_AUTHENTICATION", default=["basic", "api-key"])

# For how many seconds a verified Basic password is believed without computing its hash again; 0 to 300.
BASIC_CREDENTIALS_CACHE_SECONDS: int = env.integer(
    "BASIC_CREDENTIALS_CACHE_SECONDS", default=300, minimum=0, maximum=300
)

# --- The REST API ------------------------------------------------------------------------------

# Largest body of a request for one element, in bytes; a larger one is answered 413. A body is held in memory.
API_MAX_BODY_SIZE: int = env.integer("API_MAX_BODY_SIZE", default=2 * 1024 * 1024, minimum=1024, maximum=1024**3)
# Longest path with query string, in bytes as sent; a longer one is answered 414. A filter of 4,096
# characters takes up to 49,152 bytes when each of its characters is percent-encoded. The web server
# itself refuses request lines from 128 KiB on (`gunicorn.conf.py`).
API_MAX_URL_SIZE: int = env.integer("API_MAX_URL_SIZE", default=64 * 1024, minimum=1024, maximum=127 * 1024)
DATA_UPLOAD_MAX_MEMORY_SIZE = API_MAX_BODY_SIZE

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": authentication_classes(API_AUTHENTICATION),
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["dimensions_site.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["dimensions_site.api.rendering.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "dimensions_site.elements.operations.ElementSchema",
    "EXCEPTION_HANDLER": "dimensions_site.api.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
}

SPECTACULAR_SETTINGS = {
    # Its check would make one document of all addresses; ours are two, of the canonical ones, and tested.
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "OAS_VERSION": "3.0.3",
    # The default hook gives names to enums that it guesses from their values.
    "POSTPROCESSING_HOOKS": [],
}

# --- Logs --------------------------------------------------------------------------------------

# `json` writes one JSON object a line; `console` is for people's eyes.
LOG_FORMAT: str = env.one_of("LOG_FORMAT", ("json", "console"), default="json")
# Lines below this level are not written.
LOG_LEVEL: str = env.one_of("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")

_log_processors: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso"),
]
structlog.configure(
    processors=[*_log_processors, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _log_processors,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer()
                if LOG_FORMAT == "json"
                else structlog.dev.ConsoleRenderer(colors=False),
            ],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # A refused request is the caller's business; `request_finished` tells its status.
        "django.request": {"level": "ERROR"},
        # The same for a wrong Host header: anyone could fill the log with stack traces.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
# A request leaves the line `request_finished`, and a streamed list one more, `streaming_finished`, at its end.
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = 20
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = 10
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True
DJANGO_STRUCTLOG_USER_ID_FIELD = "username"

# --- What `manage.py check --deploy` may not ask of this service ---------------------------------

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains binds hosts that are not ours
    "security.W008",  # the specification promises http beside https
    "security.W021",  # the same for the preload list
]
