"""All settings of the service, read from the environment.

Each setting is documented where it is read; `docs/operators.md` lists them for operators.
"""

from datetime import timedelta
from pathlib import Path

import django_stubs_ext

from bulkops.cluster import cluster
from dimensions_site import appearance, headers, logs, parts
from dimensions_site import environment as env
from dimensions_site.api.framework import rest_framework, spectacular
from dimensions_site.api.prefixes import FIRST_SEGMENTS
from dimensions_site.api.rates import Rate
from dimensions_site.databases import databases
from dimensions_site.tokens import configuration as tokens

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
ALLOWED_HOSTS: list[str] = env.hosts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])

# Cookies of the admin are sent over https only, unless this is false (plain http on a workstation).
SECURE_COOKIES: bool = env.boolean("SECURE_COOKIES", default=True)
SESSION_COOKIE_SECURE = SECURE_COOKIES
CSRF_COOKIE_SECURE = SECURE_COOKIES
LANGUAGE_COOKIE_SECURE = SECURE_COOKIES

# How long a browser that has seen the service over https refuses to use http, in seconds; up to two years.
SECURE_HSTS_SECONDS: int = env.integer("HSTS_SECONDS", default=3600, minimum=0, maximum=2 * 365 * 24 * 3600)

# Comma-separated addresses and networks of the reverse proxies whose X-Forwarded-For, -Proto and -Host are believed;
# `unix` stands for whoever comes through a unix socket. What anybody else sends of these headers is ignored.
TRUSTED_PROXIES: list[env.Proxy] = env.proxies("TRUSTED_PROXIES", default=[])
# The libraries that ask ipware for the caller's address would believe a dozen more headers.
IPWARE_META_PRECEDENCE_ORDER = ("REMOTE_ADDR",)

# The path under which a reverse proxy shows the service, such as /some/prefix; the proxy may take it off or pass it on.
# It cannot begin like an address of the service: nobody could tell whether it has been taken off.
URL_PREFIX: str = env.path_prefix("URL_PREFIX", default="", taken=FIRST_SEGMENTS)
FORCE_SCRIPT_NAME = URL_PREFIX
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{URL_PREFIX}/"

# Comma-separated origins, such as https://app.example.com, whose pages may call the REST API in a browser, with
# credentials that they bring themselves; none unless they are named.
CORS_ALLOWED_ORIGINS: list[str] = env.origins("CORS_ALLOWED_ORIGINS", default=[])
CORS_URLS_REGEX = headers.CORS_URLS_REGEX
CORS_ALLOW_METHODS = headers.CORS_ALLOW_METHODS
CORS_ALLOW_HEADERS = headers.CORS_ALLOW_HEADERS
CORS_EXPOSE_HEADERS = headers.CORS_EXPOSE_HEADERS

CONTENT_SECURITY_POLICY = headers.CONTENT_SECURITY_POLICY

# --- The application ---------------------------------------------------------------------------

INSTALLED_APPS = parts.APPS
MIDDLEWARE = parts.middleware(cors=bool(CORS_ALLOWED_ORIGINS))

ROOT_URLCONF = "dimensions_site.urls"
WSGI_APPLICATION = "dimensions_site.wsgi.application"
APPEND_SLASH = False  # contract A5: a path with a trailing slash is another path, and unknown
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = parts.templates(BASE_DIR / "templates")

# The administration has all of them (`make messages`); whatever else the service says is English.
LANGUAGES = [("en", "English"), ("de", "German"), ("it", "Italian"), ("fr", "French"), ("es", "Spanish")]
LANGUAGE_CODE = "en"
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "dimensions_site" / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
# Where somebody comes who signs in without having asked for a page.
LOGIN_REDIRECT_URL = "admin:index"
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = f"{URL_PREFIX}/static/"
STATICFILES_DIRS = [BASE_DIR / "dimensions_site" / "static"]
# Static files are served from the packages that bring them, so that no deployment step can be forgotten.
WHITENOISE_USE_FINDERS = True
# Nothing that other sites may read in a browser, unless an operator says so.
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- The database ------------------------------------------------------------------------------

# `postgresql://user:password@host:5432/name` in production; the default is one file beside the project.
_PRIMARY = env.database("DATABASE_URL", default=f"sqlite:///{BASE_DIR / 'db.sqlite3'}")
# A streaming replica of it, from which elements are read as long as it has all that was written to them. All processes
# and commands have to know it, for they count what they write.
_REPLICA = env.replica("REPLICA_URL", default="", primary=_PRIMARY)
DATABASES = databases(_PRIMARY, _REPLICA)

# Verified Basic credentials are remembered for minutes; with several hosts a Redis URL shares them.
CACHES = {"default": env.cache("CACHE_URL", default="locmemcache://")}

# The history is read by element; nothing asks for all versions of a day.
SIMPLE_HISTORY_DATE_INDEX = False

# --- Background work ---------------------------------------------------------------------------

# Number of worker processes of `manage.py qcluster`.
WORKER_CONCURRENCY: int = env.integer("WORKER_CONCURRENCY", default=2, minimum=1, maximum=256)
# After how many seconds without a sign of life a worker counts as lost: another one goes on with what it did.
WORKER_LOST_AFTER_SECONDS: int = env.integer("WORKER_LOST_AFTER_SECONDS", default=30, minimum=2, maximum=3600)
# How workers learn that there is something to do: `database`, or `redis://host:6379/0`, which is a little quicker.
# What is to be done stands in the database, whatever the queue loses.
BROKER_URL: str = env.queue("BROKER_URL", default="database")
# How many elements a deletion deletes in one transaction, for which other writers wait. Of large accounts 1,000 take
# a tenth of a second; more at a time are deleted no quicker.
DELETION_CHUNK_SIZE: int = env.integer("DELETION_CHUNK_SIZE", default=1000, minimum=1, maximum=10_000)
# For how many days the record of a deletion or of an import in the admin is kept after its end.
DATA_PROCESSING_RETENTION_DAYS: int = env.integer(
    "DATA_PROCESSING_RETENTION_DAYS", default=90, minimum=1, maximum=36_500
)
# Largest file that the admin takes for an import, in bytes as it is sent, packed or not.
IMPORT_MAX_FILE_SIZE: int = env.integer(
    "IMPORT_MAX_FILE_SIZE", default=256 * 1024 * 1024, minimum=1024, maximum=4 * 1024**3
)
FILE_UPLOAD_HANDLERS = ["bulkops.uploads.UploadHandler"]
DATA_UPLOAD_MAX_NUMBER_FILES = 1
Q_CLUSTER = cluster(BROKER_URL, WORKER_CONCURRENCY)

# --- The administration ------------------------------------------------------------------------

UNFOLD = appearance.UNFOLD

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
API_AUTHENTICATION: list[str] = env.names("API_AUTHENTICATION", default=["basic", "api-key", "jwt", "oauth2"])

# For how many seconds a verified Basic password is believed without computing its hash again; 0 to 300.
BASIC_CREDENTIALS_CACHE_SECONDS: int = env.integer(
    "BASIC_CREDENTIALS_CACHE_SECONDS", default=300, minimum=0, maximum=300
)

# For how many minutes an access token is good, a JSON Web Token or one of OAuth2, and for how many days the refresh
# token with which a program gets the next one.
ACCESS_TOKEN_MINUTES: int = env.integer("ACCESS_TOKEN_MINUTES", default=15, minimum=1, maximum=1440)
REFRESH_TOKEN_DAYS: int = env.integer("REFRESH_TOKEN_DAYS", default=14, minimum=1, maximum=365)
SIMPLE_JWT = tokens.simple_jwt(SECRET_KEY, ACCESS_TOKEN_MINUTES, REFRESH_TOKEN_DAYS)
OAUTH2_PROVIDER = tokens.oauth2_provider(ACCESS_TOKEN_MINUTES, REFRESH_TOKEN_DAYS)
OAUTH2_PROVIDER_APPLICATION_MODEL = "tokens.Application"
# The library's pages send those to the login who have not signed in.
LOGIN_URL = "admin:login"

# The outside identity provider whose JSON Web Tokens the mode `jwt` takes: what they name as `iss` and among `aud`, and
# where its public keys are (a JWKS). The three belong together; without them there is none.
IDP_ISSUER: str = env.web_address("IDP_ISSUER", default="")
IDP_AUDIENCE: str = env.text("IDP_AUDIENCE", default="")
IDP_JWKS_URL: str = env.web_address("IDP_JWKS_URL", default="")
# The claim that holds the user name. Only `sub` is sure to be of one person for good.
IDP_USER_CLAIM: str = env.text("IDP_USER_CLAIM", default="sub")
# Comma-separated algorithms in which the provider signs; only those in which nobody else can.
IDP_ALGORITHMS: list[str] = env.names_of("IDP_ALGORITHMS", tokens.ASYMMETRIC, default=["RS256", "ES256"])
IDENTITY_PROVIDER = tokens.identity_provider(
    IDP_ISSUER, IDP_AUDIENCE, IDP_JWKS_URL, IDP_USER_CLAIM, IDP_ALGORITHMS, API_AUTHENTICATION
)

# How many wrong passwords for one user name from one address are looked at, in HTTP Basic, at the token end points and
# on the sign-in page together; then none is, for LOGIN_LOCKOUT_SECONDS. A right one starts the count anew.
LOGIN_ATTEMPTS: int = env.integer("LOGIN_ATTEMPTS", default=5, minimum=1, maximum=1000)
# For how many seconds no password is looked at after that. Wrong passwords count as long, too.
LOGIN_LOCKOUT_SECONDS: int = env.integer("LOGIN_LOCKOUT_SECONDS", default=900, minimum=1, maximum=86_400)
AUTHENTICATION_BACKENDS = ["dimensions_site.repositories.passwords.PasswordBackend"]
AXES_HANDLER = "dimensions_site.repositories.guesses.GuessHandler"
AXES_LOCKOUT_CALLABLE = "dimensions_site.repositories.guesses.refused_login"
AXES_USERNAME_CALLABLE = "dimensions_site.repositories.guesses.counted_name"
AXES_CLIENT_IP_CALLABLE = "dimensions_site.api.throttling.address_of"
# By both together: by the name alone anybody could lock anybody out.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_COOLOFF_TIME = timedelta(seconds=LOGIN_LOCKOUT_SECONDS)
AXES_ENABLE_ADMIN = False  # the page is our own
AXES_VERBOSE = False

# The rates below are like 60/minute (per second, minute, hour or day), or off; more is answered 429. They are counted
# in the cache: in each process for itself, unless CACHE_URL names Redis.
# How often credentials of any kind may be refused that come from one address. Then no password is looked at there.
THROTTLE_REFUSED: Rate | None = env.rate("THROTTLE_REFUSED", default="60/minute")
# How often a user may call the REST API.
THROTTLE_CALLS: Rate | None = env.rate("THROTTLE_CALLS", default="off")
# How often a user may start a bulk save or a bulk deletion; these count as calls, too.
THROTTLE_BULK: Rate | None = env.rate("THROTTLE_BULK", default="off")

# --- The REST API ------------------------------------------------------------------------------

# Largest body of a request for one element, in bytes; a larger one is answered 413. A body is held in memory.
API_MAX_BODY_SIZE: int = env.integer("API_MAX_BODY_SIZE", default=2 * 1024 * 1024, minimum=1024, maximum=1024**3)
# The same for a bulk save and for the list of a bulk deletion. The size is that of the unpacked body.
API_MAX_BULK_BODY_SIZE: int = env.integer(
    "API_MAX_BULK_BODY_SIZE", default=512 * 1024 * 1024, minimum=1024, maximum=4 * 1024**3
)
# Most elements of one bulk save, and most ids of one bulk deletion; more are answered 400.
API_MAX_BULK_ELEMENTS: int = env.integer("API_MAX_BULK_ELEMENTS", default=100_000, minimum=1, maximum=10_000_000)
# Longest path with query string, in bytes as sent; a longer one is answered 414. A filter of 4,096
# characters takes up to 49,152 bytes when each of its characters is percent-encoded. The web server
# itself refuses request lines from 128 KiB on (`gunicorn.conf.py`).
API_MAX_URL_SIZE: int = env.integer("API_MAX_URL_SIZE", default=64 * 1024, minimum=1024, maximum=127 * 1024)
# For how many hours the answer to a request with an Idempotency-Key is kept for its repetitions.
IDEMPOTENCY_KEY_HOURS: int = env.integer("IDEMPOTENCY_KEY_HOURS", default=24, minimum=1, maximum=8760)
DATA_UPLOAD_MAX_MEMORY_SIZE = API_MAX_BODY_SIZE
# The form of an element in the admin sends two to four fields for each entry of a map, and an account may have hundreds
# of entries; Django's 1,000 fields would refuse to save it. What the body may hold bounds the work anyway.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000

REST_FRAMEWORK = rest_framework(API_AUTHENTICATION)
SPECTACULAR_SETTINGS = spectacular(URL_PREFIX)

# --- Logs --------------------------------------------------------------------------------------

# `json` writes one JSON object a line; `console` is for people's eyes.
LOG_FORMAT: str = env.one_of("LOG_FORMAT", ("json", "console"), default="json")
# Lines below this level are not written.
LOG_LEVEL: str = env.one_of("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), default="INFO")

LOGGING = logs.configured(LOG_FORMAT, LOG_LEVEL)

# Address and port, such as 127.0.0.1:9464, where the web server answers /metrics to Prometheus, and nothing else; it
# does so nowhere when this is empty. There is no credential: let nobody but Prometheus reach it.
METRICS_BIND: env.SocketAddress | None = env.socket_address("METRICS_BIND", default="")
# The same of the worker, which may run on another machine.
WORKER_METRICS_BIND: env.SocketAddress | None = env.socket_address("WORKER_METRICS_BIND", default="")

# A request leaves the line `request_finished`, and a streamed list one more, `streaming_finished`, at its end.
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = 20
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = 10
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True
# `dimensions_site.api.observed_requests` tells the caller and his address: the library would ask the database for the
# user of each page, and believe the address that the caller sends.
DJANGO_STRUCTLOG_USER_ID_FIELD = ""
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False

# --- What `manage.py check --deploy` may not ask of this service ---------------------------------

SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # HSTS for subdomains binds hosts that are not ours
    "security.W008",  # the specification promises http beside https
    "security.W021",  # the same for the preload list
]
