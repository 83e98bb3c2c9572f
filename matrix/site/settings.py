"""Django settings of Runproof, read from the environment; docs/operations.md lists every variable.

The defaults are those of one person on one machine: closed to other hosts, embedded PostgreSQL,
tasks run in process. Everything that a deployment changes is a variable.
"""

import importlib.util
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy

from matrix.site import env
from matrix.site.databases import database_settings
from matrix.site.logs import FORMATS as LOG_FORMATS
from matrix.site.logs import logging_settings
from matrix.site.secret_key import read_or_create_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent.parent
VAR_DIR = Path(env.read_text("RUNPROOF_VAR_DIR", str(BASE_DIR / "var"))).resolve()

# --- Security -------------------------------------------------------------------------------------
DEBUG = env.read_flag("RUNPROOF_DEBUG", False)
SECRET_KEY = env.read_secret("RUNPROOF_SECRET_KEY") or read_or_create_secret_key(
    VAR_DIR / "secret-key"
)
ALLOWED_HOSTS = list(env.read_words("RUNPROOF_ALLOWED_HOSTS", ("127.0.0.1", "localhost", "[::1]")))
CSRF_TRUSTED_ORIGINS = list(env.read_words("RUNPROOF_TRUSTED_ORIGINS"))

# Served by https, directly or behind a proxy that ends it. Off by default, because a browser
# would not send a secure cookie to http://127.0.0.1.
HTTPS = env.read_flag("RUNPROOF_HTTPS", False)
# The page that judges the largest dossier sends two fields for each candidate and criterion.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env.read_integer("RUNPROOF_HSTS_SECONDS", 31_536_000) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
if env.read_flag("RUNPROOF_BEHIND_PROXY", False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# Reading without an account is the default; 0 asks for one on every page and endpoint.
RUNPROOF_PUBLIC = env.read_flag("RUNPROOF_PUBLIC", True)

# --- Application ----------------------------------------------------------------------------------
INSTALLED_APPS = [
    "matrix.site.apps.SiteConfig",
    "axes",
    "matrix.apps.MatrixConfig",
    "benchmarks_app.apps.BenchmarksConfig",
    "ingest.apps.IngestConfig",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "csp",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    # Before all that may refuse or fail: whoever watches the site always gets an answer.
    "matrix.site.health.HealthChecks",
    "matrix.site.requests.RequestRecords",
    # Takes the one address that programs ask most past what it does not need; see there.
    "matrix.api.shortcut.VerdictShortcut",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Last, so that the page of a refused sign-in is made like any other.
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "matrix.site.urls"
WSGI_APPLICATION = "matrix.site.wsgi.application"
ASGI_APPLICATION = "matrix.site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Database -------------------------------------------------------------------------------------
DATABASES = {"default": database_settings(VAR_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Accounts -------------------------------------------------------------------------------------
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Wrong passwords for one name from one address; the name alone would let anybody lock people out.
AXES_HANDLER = "axes.handlers.cache.AxesCacheHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = env.read_integer("RUNPROOF_LOGIN_FAILURES", 5, minimum=1)
AXES_COOLOFF_TIME = timedelta(
    minutes=env.read_integer("RUNPROOF_LOGIN_WAIT_MINUTES", 15, minimum=1)
)
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "matrix.rates.address_of"
AXES_LOCKOUT_CALLABLE = "matrix.views.accounts.locked_out"
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

# --- Languages and time ---------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", gettext_lazy("English")), ("zh-hans", gettext_lazy("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files ---------------------------------------------------------------------------------


def package_folder(name: str, *parts: str) -> Path:
    """Returns a folder inside an installed package, found without importing the package."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise env.SettingError(
            name="the Python package", seen=f"{name!r}, which is missing", accepted="`make install`"
        )
    return Path(spec.origin).parent.joinpath(*parts)


STATIC_URL = "/static/"
# A place of its own where an image holds them and nothing is written to it later.
STATIC_ROOT = Path(env.read_text("RUNPROOF_STATIC_DIR", str(VAR_DIR / "static"))).resolve()
STATICFILES_DIRS = [BASE_DIR / "static", ("plotly", package_folder("plotly", "package_data"))]
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": VAR_DIR / "media"},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "matrix.site.storage.ModuleManifestStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG

# --- Cache: throttles and page fragments ----------------------------------------------------------
_REDIS_URL = env.read_secret("RUNPROOF_CACHE_URL")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _REDIS_URL,
    }
    if _REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# Without Redis the counters of refused sign-ins live in the one web process that there is then
# (docs/decisions/0005); several processes are told to use RUNPROOF_CACHE_URL.
SILENCED_SYSTEM_CHECKS = [] if _REDIS_URL else ["axes.W001"]

# --- REST -----------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "matrix.api.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticatedOrReadOnly"
        if RUNPROOF_PUBLIC
        else "rest_framework.permissions.IsAuthenticated"
    ],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "matrix.api.pagination.CursorPages",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "rest_framework.throttling.AnonRateThrottle",
        "rest_framework.throttling.UserRateThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": env.read_text("RUNPROOF_RATE_ANONYMOUS", "600/minute"),
        "user": env.read_text("RUNPROOF_RATE_USER", "3000/minute"),
        "login": env.read_text("RUNPROOF_RATE_LOGIN", "20/minute"),
    },
    "EXCEPTION_HANDLER": "matrix.api.errors.problem_details_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Runproof",
    "DESCRIPTION": "Which inference framework runs which model where, with dated evidence.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["matrix.api.permissions.MayRead"],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# --- Tasks ----------------------------------------------------------------------------------------
CELERY_BROKER_URL = env.read_secret("CELERY_BROKER_URL")
CELERY_TASK_ALWAYS_EAGER = not CELERY_BROKER_URL
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_SOFT_TIME_LIMIT = env.read_integer("RUNPROOF_TASK_SOFT_LIMIT_SECONDS", 540, minimum=1)
CELERY_TASK_TIME_LIMIT = env.read_integer("RUNPROOF_TASK_LIMIT_SECONDS", 600, minimum=1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
# Redis hands a task out again when nobody acknowledged it for this long; no task runs longer.
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 2 * CELERY_TASK_TIME_LIMIT}
    if CELERY_BROKER_URL.startswith("redis")
    else {}
)
CELERY_BEAT_SCHEDULE = {
    "poll-due-feeds": {
        "task": "ingest.poll_due_feeds",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "deliver-webhooks": {
        "task": "ingest.deliver_webhooks",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "recheck-due-dossiers": {
        "task": "matrix.recheck_due_dossiers",
        "schedule": 3600.0,
        "options": {"expires": 3500},
    },
    "import-waiting-uploads": {
        "task": "benchmarks.import_waiting",
        "schedule": 300.0,
        "options": {"expires": 290},
    },
    "open-rechecks": {
        "task": "ingest.open_rechecks",
        "schedule": 86_400.0,
        "options": {"expires": 43_200},
    },
}

# --- Fetching -------------------------------------------------------------------------------------
# Servers see who asks; with a contact they can write instead of blocking.
FETCH_CONTACT = env.read_header_text("RUNPROOF_CONTACT")
FETCH_CODE_HOST_TOKEN = env.read_header_text("RUNPROOF_CODE_HOST_TOKEN", secret=True)
FETCH_EXTRA_HOSTS = env.read_hosts("RUNPROOF_FETCH_HOSTS")
FETCH_CA_FILE = env.read_file_path("RUNPROOF_FETCH_CA_FILE")
# For tests: lets this machine be asked, without TLS. Never on a reachable machine.
FETCH_LOOPBACK = env.read_flag("RUNPROOF_FETCH_LOOPBACK", False)

# --- Product --------------------------------------------------------------------------------------
# Dotted names of functions that add a panel to the cell page and the dossier, in display order.
MATRIX_CELL_PANELS: tuple[str, ...] = ("benchmarks_app.panels.runs_panel",)
# The same for the overview page; such a function takes nothing.
MATRIX_OVERVIEW_PANELS: tuple[str, ...] = ("benchmarks_app.panels.overview_panel",)
# The functions that tell what was measured on a cell, what it reached at an SLO, and the runs of
# given references; empty where nothing is measured.
MATRIX_MEASURED_RUNS = "benchmarks_app.measured.runs_of_cell"
MATRIX_SLO_THROUGHPUT = "benchmarks_app.measured.throughput_of_cell"
MATRIX_RUNS_BY_REFERENCE = "benchmarks_app.measured.runs_of_references"
# The function that lists the runs which state the peak of their device memory.
MATRIX_RUNS_WITH_PEAK = "benchmarks_app.measured.runs_with_peak_memory"
# The function that takes what readers report and contributors propose into the review queue.
MATRIX_REPORT_RECEIVER = "ingest.services.reader_reports.receive_report"
# The function that gives the addresses of kept pages by SHA-256; empty where none are kept.
MATRIX_KEPT_PAGES = "ingest.queries_snapshots.kept_addresses"
# How long a process may answer from its index before it looks for writes of other processes.
MATRIX_REVISION_CHECK_SECONDS = env.read_integer("RUNPROOF_REVISION_CHECK_MS", 200) / 1_000

# The most bytes of one upload of benchmark results, unpacked and in sum.
RUNPROOF_UPLOAD_LIMIT_BYTES = env.read_integer(
    "RUNPROOF_UPLOAD_LIMIT_BYTES", 256 * 2**20, minimum=1
)

# --- Messages to the operator ---------------------------------------------------------------------
LOGGING = logging_settings(
    form=env.read_word("RUNPROOF_LOG_FORMAT", "plain", accepted=LOG_FORMATS),
    level=env.read_text("RUNPROOF_LOG_LEVEL", "WARNING").upper(),
)
# Who reads /metrics sends this as a bearer token; without it nothing is told to anybody.
RUNPROOF_METRICS_TOKEN = env.read_header_text("RUNPROOF_METRICS_TOKEN", secret=True)
# The functions that give figures beside those of requests.
RUNPROOF_METRIC_SOURCES: tuple[str, ...] = (
    "matrix.queries.figures.knowledge_figures",
    "benchmarks_app.queries.figures.run_figures",
    "ingest.queries_figures.pipeline_figures",
)
