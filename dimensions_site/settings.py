"""All settings of the service, by section.

`env` and `backends` read the operator's settings from the environment; `docs/operators/settings.md` describes each
variable.
"""

import re
from pathlib import Path
from typing import Any

import django_stubs_ext
import structlog
from csp.constants import NONCE, NONE, SELF, UNSAFE_INLINE
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.utils.translation import gettext_lazy as _

from dimensions_site import backends
from dimensions_site import environment as env
from dimensions_site.api.middleware.addresses import API_PREFIXES, FIRST_SEGMENTS
from dimensions_site.observability import observation
from dimensions_site.tokens import configuration as tokens

# Allows generic classes such as `ModelAdmin[Account]` at run time, as the type checker requires.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
COMMIT = env.text("COMMIT", default="")

# --- Process and addresses -----------------------------------------------------------------------

# There is no default: a known key would let anyone forge sessions and tokens.
SECRET_KEY = env.required_text("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.secrets("SECRET_KEY_FALLBACKS")
DEBUG = env.boolean("DEBUG", default=False)

ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
TRUSTED_PROXIES: list[env.Proxy] = env.proxies("TRUSTED_PROXIES", default=[])
# The proxy may remove the prefix or pass it on. It cannot begin like a path of the service: no one could know
# whether it was removed.
URL_PREFIX = env.path_prefix("URL_PREFIX", default="", taken=FIRST_SEGMENTS)
FORCE_SCRIPT_NAME = URL_PREFIX
ROOT_URLCONF = "dimensions_site.urls"
WSGI_APPLICATION = "dimensions_site.wsgi.application"
APPEND_SLASH = False  # contract A5: a path with a trailing slash is another path, and unknown

# --- Apps ----------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "unfold",  # its templates replace those of the admin
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",  # its templates, for FORM_RENDERER
    "csp",
    "corsheaders",
    "rest_framework",
    "oauth2_provider",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "bulkops",  # its command `qcluster` replaces the one of django-q
    "django_q",
    "django_structlog",
    "dimensions_site.db",
    "dimensions_site.rsql",
    "dimensions_site.api",
    "dimensions_site.repositories",
    "dimensions_site.changes",
    "dimensions_site.tokens",
    "dimensions_site.idempotency",
    "dimensions_site.saved_views",
    "dimensions_site.administration",
    "dimensions_site.demo",
    "currency",
    "account",
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Middleware ----------------------------------------------------------------------------------

CORS_ALLOWED_ORIGINS = env.origins("CORS_ALLOWED_ORIGINS", default=[])

MIDDLEWARE = [
    "dimensions_site.api.middleware.requests.standard_headers",
    "dimensions_site.administration.site.middleware.Content",
    "dimensions_site.api.middleware.forwarded.apply_forwarding_headers",
    "dimensions_site.api.middleware.requests.bound_reads",
    "django_structlog.middlewares.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    # When no origin is allowed, a preflight request is a request like any other, and gets 401.
    *(["corsheaders.middleware.CorsMiddleware"] if CORS_ALLOWED_ORIGINS else []),
    "dimensions_site.api.middleware.compression.compress_responses",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dimensions_site.administration.site.middleware.language_of_the_administration",
    "dimensions_site.api.middleware.requests.check_request_line",
    "dimensions_site.administration.site.middleware.Session",
    "dimensions_site.repositories.login.sessions.extend_sessions",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "dimensions_site.administration.site.middleware.Users",
    "dimensions_site.administration.site.middleware.AdministrationRate",
    "dimensions_site.administration.site.middleware.Messages",
    "dimensions_site.administration.site.middleware.explain_methods",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

# --- Templates, languages and static files -------------------------------------------------------

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
                "dimensions_site.monitoring.in_pages",
                "dimensions_site.administration.site.menu.in_pages",
                "dimensions_site.administration.site.help.in_pages",
            ],
            "builtins": ["dimensions_site.administration.base.values"],
        },
    }
]

# Our templates replace those of form controls, too.
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

# The languages of the administration (`make messages`). REST, commands and logs are in English.
LANGUAGES = [("en", "English"), ("de", "German"), ("it", "Italian"), ("fr", "French"), ("es", "Spanish")]
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "dimensions_site" / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
TIME_ZONE = "UTC"

STATIC_URL = f"{URL_PREFIX}/static/"
STATICFILES_DIRS = [
    BASE_DIR / "dimensions_site" / "static",
    ("guide", BASE_DIR / "docs" / "images" / "administrators"),
]
# Static files are served from the packages that contain them, so deployment has no step that can be left out.
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- Databases and cache -------------------------------------------------------------------------

SQLITE_SYNCHRONOUS = env.one_of("SQLITE_SYNCHRONOUS", ("FULL", "NORMAL"), default="FULL")
DATABASE_OPTIONS: dict[str, dict[str, Any]] = {
    "sqlite": {
        # A transaction that reads first and writes later would fail with "database is locked" when another one wrote
        # in between; taking the write lock at BEGIN makes it wait instead.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={SQLITE_SYNCHRONOUS};",
    },
    "postgresql": {
        # The server ends sessions that wait too long for a lock, as SQLite does, that are idle within a transaction,
        # or whose client is gone or takes no rows for a minute. It would compile a query that it believes to be large,
        # which takes far longer than the query wherever it has no statistics yet.
        "options": "-c jit=off -c lock_timeout=20s -c idle_in_transaction_session_timeout=60s "
        "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=4 -c tcp_user_timeout=60s",
        # The same from this side, when the host of the database is cut off: in seconds, and the last in milliseconds.
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 4,
        "tcp_user_timeout": 60_000,
    },
}
# The service works without a replica, so it does not wait long for one that does not answer.
REPLICA_OPTIONS: dict[str, dict[str, Any]] = {
    "postgresql": DATABASE_OPTIONS["postgresql"]
    | {
        "connect_timeout": 2,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 5_000,
    },
}
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **backends.database("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}", options=DATABASE_OPTIONS),
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
    }
}
_REPLICA = backends.replica("REPLICA_URL", default="", primary=DATABASES["default"], options=REPLICA_OPTIONS)
if _REPLICA is not None:
    # Each read finds out whether the replica answers; a health check would ask it twice.
    DATABASES["replica"] = {**_REPLICA, "CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": False}

CACHES = {"default": backends.cache("CACHE_URL", default="locmemcache://")}

# --- Passwords, sign-in and sessions -------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["dimensions_site.repositories.login.passwords.PasswordBackend"]
_VALIDATORS = ("UserAttributeSimilarity", "MinimumLength", "CommonPassword", "NumericPassword")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}Validator"} for name in _VALIDATORS
]
LOGIN_URL = "admin:login"  # for the pages of OAuth2
LOGIN_REDIRECT_URL = "admin:index"

SESSION_IDLE_MINUTES = env.integer("SESSION_IDLE_MINUTES", default=60, minimum=1, maximum=1440)
SESSION_HOURS = env.integer("SESSION_HOURS", default=12, minimum=1, maximum=336)
SESSION_COOKIE_AGE = SESSION_IDLE_MINUTES * 60
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{URL_PREFIX}/"
SECURE_COOKIES = env.boolean("SECURE_COOKIES", default=True)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_COOKIES
# Answers a form without a valid token: what was typed is shown again where that is safe.
CSRF_FAILURE_VIEW = "dimensions_site.repositories.login.sessions.csrf_failure"

LOGIN_ATTEMPTS = env.integer("LOGIN_ATTEMPTS", default=5, minimum=1, maximum=1000)
LOGIN_LOCKOUT_SECONDS = env.integer("LOGIN_LOCKOUT_SECONDS", default=900, minimum=1, maximum=86_400)
LOGIN_ACCOUNT_ATTEMPTS = env.integer("LOGIN_ACCOUNT_ATTEMPTS", default=100, minimum=1, maximum=100_000)

# --- Authentication of the REST API (contract G1) ------------------------------------------------

API_AUTHENTICATION = env.names("API_AUTHENTICATION", default=["basic", "api-key", "jwt", "oauth2"])
BASIC_CREDENTIALS_CACHE_SECONDS = env.integer("BASIC_CREDENTIALS_CACHE_SECONDS", default=300, minimum=0, maximum=300)

ACCESS_TOKEN_MINUTES = env.integer("ACCESS_TOKEN_MINUTES", default=15, minimum=1, maximum=1440)
REFRESH_TOKEN_DAYS = env.integer("REFRESH_TOKEN_DAYS", default=14, minimum=1, maximum=365)
JWT_SIGNING_KEYS: dict[str, str] = tokens.signing_keys(SECRET_KEY, SECRET_KEY_FALLBACKS)
OAUTH2_PROVIDER_APPLICATION_MODEL = "tokens.Application"
OAUTH2_PROVIDER: dict[str, Any] = {
    "SCOPES": tokens.SCOPES,
    "DEFAULT_SCOPES": ["read"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_MINUTES * 60,
    "REFRESH_TOKEN_EXPIRE_SECONDS": REFRESH_TOKEN_DAYS * 24 * 3600,
    "OAUTH2_SERVER_CLASS": "dimensions_site.tokens.oauth2.server.AuthorizationServer",
    "OAUTH2_VALIDATOR_CLASS": "dimensions_site.tokens.oauth2.server.Validator",
    "OAUTH2_BACKEND_CLASS": "dimensions_site.tokens.oauth2.server.Backend",
    # `Application` itself allows loopback addresses, for applications on a user's machine.
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    # All that the best current practice of OAuth2 (RFC 9700) asks for; the last one stores only hashes of tokens.
    "PKCE_REQUIRED": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}

IDP_ISSUER = env.web_address("IDP_ISSUER", default="")
IDP_AUDIENCE = env.text("IDP_AUDIENCE", default="")
IDP_JWKS_URL = env.web_address("IDP_JWKS_URL", default="")
IDP_USER_CLAIM = env.text("IDP_USER_CLAIM", default="sub")
IDP_ALGORITHMS = env.names("IDP_ALGORITHMS", default=["RS256", "ES256"], choices=tokens.ASYMMETRIC)
IDENTITY_PROVIDER = tokens.identity_provider(
    IDP_ISSUER, IDP_AUDIENCE, IDP_JWKS_URL, IDP_USER_CLAIM, IDP_ALGORITHMS, API_AUTHENTICATION
)

# --- Sign-in to the pages at an OpenID provider (contract N) -------------------------------------

OPENID_PROVIDER: tokens.OpenIdProvider | None = tokens.openid_provider(
    env.web_address("OIDC_ISSUER", default=""),
    env.text("OIDC_CLIENT_ID", default=""),
    env.text("OIDC_CLIENT_SECRET", default=""),
    env.text("OIDC_GROUPS_CLAIM", default="groups"),
    env.names("OIDC_SCOPES", default=["openid", "profile", "email"]),
)
OIDC_CHECK_MINUTES = env.integer("OIDC_CHECK_MINUTES", default=15, minimum=1, maximum=60)
LOCAL_SIGN_IN = tokens.local_sign_in(
    env.one_of("LOCAL_SIGN_IN", ("", "all", "superusers", "none"), default=""), OPENID_PROVIDER
)

# --- REST framework and OpenAPI ------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": tokens.authentication_classes(API_AUTHENTICATION),
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["dimensions_site.api.access.throttling.CallThrottle"],
    "DEFAULT_PARSER_CLASSES": ["dimensions_site.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["dimensions_site.api.rendering.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "dimensions_site.elements.rest.schema.DimensionSchema",
    "EXCEPTION_HANDLER": "dimensions_site.api.handlers.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    # Its check would build one document for all addresses; the service has one for each dimension, which tests check.
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
    "OAS_VERSION": "3.0.3",
    "PREPROCESSING_HOOKS": ["dimensions_site.api.openapi.documents.with_wire_names"],
    # The default hook derives names of enums from their values.
    "POSTPROCESSING_HOOKS": ["dimensions_site.api.openapi.documents.with_named_enums"],
    "SORT_OPERATION_PARAMETERS": "dimensions_site.elements.rest.schema.in_order",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    # The names of components follow from what they describe, see `get_serializer_name`.
    "COMPONENT_SPLIT_PATCH": False,
}

# --- Limits of requests --------------------------------------------------------------------------

THROTTLE_REFUSED: env.Rate | None = env.rate("THROTTLE_REFUSED", default="60/minute")
THROTTLE_CALLS: env.Rate | None = env.rate("THROTTLE_CALLS", default="60000/minute")
THROTTLE_BULK: env.Rate | None = env.rate("THROTTLE_BULK", default="6000/minute")
THROTTLE_ADMIN: env.Rate | None = env.rate("THROTTLE_ADMIN", default="300/minute")

API_MAX_BODY_SIZE = env.integer("API_MAX_BODY_SIZE", default=2 * 1024**2, minimum=1024, maximum=1024**3)
ELEMENT_MAX_MAP_ENTRIES = env.integer("ELEMENT_MAX_MAP_ENTRIES", default=200, minimum=1, maximum=100_000)
ELEMENT_MAX_SIZE = env.integer("ELEMENT_MAX_SIZE", default=256 * 1024, minimum=16 * 1024, maximum=512 * 1024**2)
# The body of a PUT has room for everything that GET answers, with its read-only members.
if API_MAX_BODY_SIZE < 2 * ELEMENT_MAX_SIZE:
    raise ImproperlyConfigured(
        f"API_MAX_BODY_SIZE is {API_MAX_BODY_SIZE}; it has to be at least twice ELEMENT_MAX_SIZE ({ELEMENT_MAX_SIZE})."
    )
# gunicorn itself refuses request lines from 128 KiB on. A filter of 4,096 characters has up to 49,152 bytes.
API_MAX_URL_SIZE = env.integer("API_MAX_URL_SIZE", default=64 * 1024, minimum=1024, maximum=127 * 1024)
READ_TIMEOUT_SECONDS = env.integer("READ_TIMEOUT_SECONDS", default=30, minimum=1, maximum=3600)
LONG_READERS = env.integer("LONG_READERS", default=2, minimum=1, maximum=256)
# As in gunicorn.conf.py. Long reads and waiting writes leave one of them to other clients.
WEB_THREADS = env.integer("WEB_THREADS", default=4, minimum=1, maximum=256)
IDEMPOTENCY_KEY_HOURS = env.integer("IDEMPOTENCY_KEY_HOURS", default=24, minimum=1, maximum=8760)

API_MAX_BULK_BODY_SIZE = env.integer("API_MAX_BULK_BODY_SIZE", default=512 * 1024**2, minimum=1024, maximum=4 * 1024**3)
API_MAX_BULK_ELEMENTS = env.integer("API_MAX_BULK_ELEMENTS", default=100_000, minimum=1, maximum=10_000_000)
BULK_WAIT_SECONDS = env.integer("BULK_WAIT_SECONDS", default=20, minimum=1, maximum=3600)
BULK_WAITERS = env.integer("BULK_WAITERS", default=2, minimum=1, maximum=256)

DATA_UPLOAD_MAX_MEMORY_SIZE = API_MAX_BODY_SIZE
# The form of an element sends two to four fields for each entry of a map, and an account may have hundreds of entries.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
DATA_UPLOAD_MAX_NUMBER_FILES = 1

# --- Queue and background jobs -------------------------------------------------------------------

WORKER_CONCURRENCY = env.integer("WORKER_CONCURRENCY", default=2, minimum=1, maximum=256)
WORKER_LOST_AFTER_SECONDS = env.integer("WORKER_LOST_AFTER_SECONDS", default=30, minimum=2, maximum=3600)
# The queue only wakes the workers: the jobs are in the database, and survive the loss of the queue.
Q_CLUSTER = {
    "name": "dimensions",
    "broker_class": "bulkops.jobs.brokers.PollingQueue",
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
DELETION_CHUNK_SIZE = env.integer("DELETION_CHUNK_SIZE", default=1000, minimum=1, maximum=10_000)
PLAN_MAX_CHANGES = env.integer("PLAN_MAX_CHANGES", default=100_000, minimum=1, maximum=1_000_000)
PLAN_MAX_OPEN = env.integer("PLAN_MAX_OPEN", default=100, minimum=1, maximum=10_000)
PLAN_MAX_BYTES = env.integer("PLAN_MAX_BYTES", default=1024**3, minimum=1024**2, maximum=1024**4)
PLAN_RETENTION_DAYS = env.integer("PLAN_RETENTION_DAYS", default=7, minimum=1, maximum=365)
DATA_PROCESSING_RETENTION_DAYS = env.integer("DATA_PROCESSING_RETENTION_DAYS", default=90, minimum=1, maximum=36_500)

# Without a mail server nothing is sent, and nothing waits to be sent (contract O6).
MAIL_SERVER: dict[str, Any] = backends.mail_server("EMAIL_URL", default="")
DEFAULT_FROM_EMAIL = env.mail_address("EMAIL_FROM", default="")
SITE_ADDRESS = env.origin("SITE_ADDRESS", default="")
MAIL_DAILY_HOUR = env.integer("MAIL_DAILY_HOUR", default=5, minimum=0, maximum=23)
# In seconds, for each step of sending a mail.
EMAIL_TIMEOUT = 10
if MAIL_SERVER and not (DEFAULT_FROM_EMAIL and SITE_ADDRESS):
    raise ImproperlyConfigured(
        "EMAIL_URL names a mail server; it also needs EMAIL_FROM, the address that mail comes from, and SITE_ADDRESS, "
        "where the service is, such as https://dimensions.example.com, for the links in mail."
    )

FILE_UPLOAD_HANDLERS = ["bulkops.jobs.uploads.UploadHandler"]
IMPORT_MAX_FILE_SIZE = env.integer("IMPORT_MAX_FILE_SIZE", default=256 * 1024**2, minimum=1024, maximum=4 * 1024**3)
IMPORT_READ_MEMORY = env.integer(
    "IMPORT_READ_MEMORY", default=256 * 1024**2, minimum=128 * 1024**2, maximum=64 * 1024**3
)
IMPORT_PREVIEW_SECONDS = env.integer("IMPORT_PREVIEW_SECONDS", default=20, minimum=1, maximum=300)
IMPORT_READ_SECONDS = env.integer("IMPORT_READ_SECONDS", default=300, minimum=1, maximum=86_400)
IMPORT_MAX_DRAFTS = env.integer("IMPORT_MAX_DRAFTS", default=10, minimum=1, maximum=10_000)
IMPORT_MAX_DRAFT_BYTES = env.integer("IMPORT_MAX_DRAFT_BYTES", default=1024**3, minimum=1024, maximum=1024**4)

# --- Security headers ----------------------------------------------------------------------------

SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", default=3600, minimum=0, maximum=2 * 365 * 24 * 3600)

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        # A script or a style within a page needs the nonce of that answer, in templates `request.csp_nonce`.
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        # Alpine sets the widths of single elements on pages of the administration.
        "style-src-attr": [UNSAFE_INLINE],
        "img-src": [SELF, "data:"],  # the icons of Swagger UI and of unfold's forms are in their style sheets
        "font-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# Scripts from CORS_ALLOWED_ORIGINS may call what other clients call, with credentials of their own and no cookies.
CORS_URLS_REGEX = f"^({'|'.join(map(re.escape, API_PREFIXES))})"
CORS_ALLOW_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
CORS_ALLOW_HEADERS = (
    *("Accept", "Authorization", "Change-Reason", "Content-Encoding", "Content-Type", "Idempotency-Key"),
    *("If-Match", "If-None-Match", "Prefer", "X-API-Key", "X-Request-ID"),
)
CORS_EXPOSE_HEADERS = (
    *("Accept-Patch", "Allow", "Content-Disposition", "ETag", "Idempotent-Replayed", "Link", "Location"),
    *("Preference-Applied", "RateLimit", "RateLimit-Policy", "Retry-After", "Sync-Token", "WWW-Authenticate"),
    *("X-Changed", "X-Created", "X-Deleted", "X-Request-ID", "X-Total-Count", "X-Unchanged"),
)

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains binds hosts that are not ours
    "security.W008",  # the specification promises http beside https
    "security.W021",  # the same for the preload list
]

# --- Administration ------------------------------------------------------------------------------

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": _("Accounts and currencies"),
    "SITE_HEADER": _("Accounts and currencies"),
    # The page of the REST API is nothing for the people here.
    "SITE_URL": None,
    "SITE_SYMBOL": "account_tree",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("site/icon.svg")}],
    "STYLES": [lambda request: static("site/admin/shell.css")],
    "SCRIPTS": [lambda request: static("site/admin/shell.js")],
    "SHOW_LANGUAGES": True,
    "LOGIN": {"form": "dimensions_site.repositories.login.passwords.SignInForm"},
    "DASHBOARD_CALLBACK": "dimensions_site.administration.site.start_page.start_page",
    "SIDEBAR": {"navigation": "dimensions_site.administration.site.menu.sidebar", "show_search": True},
    # The blue of the landing page. White on 600 and 500 on the darkest ground keep the contrast of WCAG AA.
    "COLORS": {
        "primary": {
            "50": "#eff6ff",
            "100": "#dbeafe",
            "200": "#bfdbfe",
            "300": "#93c5fd",
            "400": "#8ec1ff",
            "500": "#5a9bea",
            "600": "#0b4f9e",
            "700": "#0a4488",
            "800": "#0a3a73",
            "900": "#0b315f",
            "950": "#081f3d",
        }
    },
}

# --- Logging and metrics -------------------------------------------------------------------------

LOG_FORMAT = env.one_of("LOG_FORMAT", ("json", "console"), default="json")
LOG_LEVEL = env.one_of("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")

structlog.configure(
    # The filter comes first: each request has an event below the usual level.
    processors=[
        structlog.stdlib.filter_by_level,
        *observation.PROCESSORS,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
# The top-level packages of the apps; the loggers of those in this project's folder have LOG_LEVEL.
_PACKAGES = sorted({app.partition(".")[0] for app in INSTALLED_APPS})
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": observation.PROCESSORS,
            "processors": observation.RENDERERS[LOG_FORMAT],
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    # Libraries log what passes through them: tokens, or all that a page shows. LOG_LEVEL is for our own loggers.
    "root": {"handlers": ["stderr"], "level": "ERROR" if LOG_LEVEL == "ERROR" else "WARNING"},
    "loggers": {
        **{package: {"level": LOG_LEVEL} for package in _PACKAGES if (BASE_DIR / package).is_dir()},
        "django_structlog": {"level": LOG_LEVEL},
        # The web server's lines in the same form.
        "gunicorn.error": {"handlers": [], "propagate": True},
        # It logs paths of requests; `request_finished` and `request_failed` do not.
        "django.request": {"level": "CRITICAL"},
        # Anyone could fill the log with stack traces: of a wrong Host header, or of an impossible address, for which
        # `malformed_request` has the reason.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "django.security.SuspiciousOperation": {"level": "CRITICAL"},
    },
}
# A request leaves the line `request_finished`, and a streamed list one more, `streaming_finished`, at its end.
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = 20
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = 10
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True
# `dimensions_site.api.middleware.observed_requests` logs the user and the address: the library would read the user of
# each page from the database, and believe the address that the client sends.
DJANGO_STRUCTLOG_USER_ID_FIELD = ""
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

METRICS_BIND: env.SocketAddress | None = env.socket_address("METRICS_BIND", default="")
WORKER_METRICS_BIND: env.SocketAddress | None = env.socket_address("WORKER_METRICS_BIND", default="")
