"""All settings in one file, in sections. Nothing set: the embedded default (SQLite, no services to install).

``DATABASE_URL`` and ``REDIS_URL`` together: the production form. Nonsense is refused at start in one sentence.
"""

from pathlib import Path
from typing import Any

import django_stubs_ext

from config.environment import (
    LOG_LEVELS,
    database,
    env,
    environment_errors,
    load_or_create_secret,
    number,
    one_of,
    origins,
    port,
    postgresql_options,
    second_factor_for_live,
    secret_list,
    standby_options,
    switch,
    whole_number,
)
from config.log_settings import (  # noqa: F401 - TRACES_TO is a setting by being here
    TRACE_SECRETS,
    TRACES,
    TRACES_TO,
    log_settings,
    own_secrets,
)
from config.mail_settings import (  # noqa: F401 - settings by being here
    EMAIL_HOST,
    EMAIL_HOST_PASSWORD,
    EMAIL_HOST_USER,
    EMAIL_PORT,
    EMAIL_TIMEOUT,
    EMAIL_USE_SSL,
    EMAIL_USE_TLS,
    MAIL_DELIVERY,
    refuse_printed_mail,
    sender,
)
from config.networks import aggregator_url, basis_points, dollars, network_profile, nodes
from config.oauth_settings import oauth_provider, private_schemes
from config.openapi import spectacular_settings
from config.signing import key_service_region, key_service_url, keys_folder, named_secrets, passphrase

django_stubs_ext.monkeypatch()  # lets models name their types at run time too

BASE_DIR = Path(__file__).resolve().parent.parent
LOCAL_DIR = Path(env.str("LOCAL_DIR", default=str(BASE_DIR / ".local")))

# --- Form: embedded or production ---------------------------------------------------------------
DATABASE_URL: str = env.str("DATABASE_URL", default="")
REDIS_URL: str = env.str("REDIS_URL", default="")
EMBEDDED = not DATABASE_URL
DATABASE_POOLED = not EMBEDDED and switch("DATABASE_POOLED", default=False)
"""Whether a pool that lends connections for a transaction stands before PostgreSQL, as PgBouncer does."""
PORT = port("PORT", default=8000)
BASE_URL: str = env.str("BASE_URL", default=f"http://localhost:{PORT}").rstrip("/")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1"] if EMBEDDED else [])
environment_errors(DATABASE_URL, REDIS_URL, BASE_URL, ALLOWED_HOSTS)
DEBUG = False
SECURE = BASE_URL.startswith("https://")

# --- Secrets ------------------------------------------------------------------------------------
SECRET_KEY: str = load_or_create_secret("SECRET_KEY", LOCAL_DIR, EMBEDDED)
SECRET_KEY_FALLBACKS = secret_list("SECRET_KEY_FALLBACKS", default=[])
"""What was signed under these is still good: the keys of before, and one that is about to be the first."""
ENCRYPTION_KEYS = secret_list("ENCRYPTION_KEYS", default=[SECRET_KEY, *SECRET_KEY_FALLBACKS])

# --- Apps and middleware ------------------------------------------------------------------------
INSTALLED_APPS = [
    "config.apps.ConfigConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "config.admin_apps.OperatorsAdminConfig",
    "allauth",
    "config.apps.AccountConfig",
    "allauth.mfa",
    "allauth.usersessions",
    "oauth2_provider",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "core.apps.CoreConfig",
    "merchants.apps.MerchantsConfig",
    "chains.apps.ChainsConfig",
    "proofs.apps.ProofsConfig",
    "tokens.apps.TokensConfig",
    "webhooks.apps.WebhooksConfig",
    "ledger.apps.LedgerConfig",
    "payments.apps.PaymentsConfig",
    "refunds.apps.RefundsConfig",
    "payouts.apps.PayoutsConfig",
    "checkout.apps.CheckoutConfig",
    "records.apps.RecordsConfig",
    "theatre.apps.TheatreConfig",
    "mcp.apps.McpConfig",
    "dashboard.apps.DashboardConfig",
    "operations.apps.OperationsConfig",
    "guides.apps.GuidesConfig",
]
MIDDLEWARE = [
    "core.request_id.RequestIdMiddleware",
    "merchants.request_log.RequestLogMiddleware",
    "config.middleware.LastResortMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.PageMiddleware",
]
PAGE_MIDDLEWARE = [
    "config.middleware.StaticFilesMiddleware",
    "config.middleware.PageSessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
]
"""What only pages go through, by ``PageMiddleware``; the API and the agents' door do not."""
SILENCED_SYSTEM_CHECKS = ["admin.E408", "admin.E409", "admin.E410"]
"""They look for sessions, people and messages in ``MIDDLEWARE`` alone. A test holds that pages have them."""
ROOT_URLCONF = "config.urls"
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
                "dashboard.site.frame",
            ]
        },
    }
]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Database -----------------------------------------------------------------------------------
if EMBEDDED:
    DATABASES: dict[str, dict[str, Any]] = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": LOCAL_DIR / "causeway.sqlite3",
            "OPTIONS": {
                "timeout": 20,
                # Why so little of both: each of some fifteen threads has its own; the machine keeps the file in memory.
                "cached_statements": 32,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
                "PRAGMA cache_size=-256;",
            },
            "CONN_MAX_AGE": None,
        }
    }
else:
    DATABASES = {
        "default": {
            **database("DATABASE_URL", postgresql_options(pooled=DATABASE_POOLED)),
            "ENGINE": "core.postgresql",
            "CONN_MAX_AGE": None,
            "CONN_HEALTH_CHECKS": True,
        }
    }
REPLICA_DATABASE_URL: str = env.str("REPLICA_DATABASE_URL", default="")
"""A standby of the same database: pages that may be a second old, and ``manage.py check_invariants --replica``."""
if REPLICA_DATABASE_URL and not EMBEDDED:
    there = database("REPLICA_DATABASE_URL", standby_options(pooled=DATABASE_POOLED))
    named = {"ENGINE": "core.postgresql.standby", "TEST": {"MIRROR": "default"}}
    DATABASES["replica"] = DATABASES["default"] | there | named
    DATABASE_ROUTERS = ["core.replica.ReadsAsChosen"]

# --- Cache: the counters that lock out whoever guesses passwords -----------------------------------
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    if EMBEDDED
    else {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "core_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},  # more, and the oldest counters would be forgotten
    }
}

# --- Web server: how many requests a process serves at once; each thread keeps a database connection -----
WEB_THREADS = whole_number("WEB_THREADS", default=4 if EMBEDDED else 2, least=1, most=64)
# Ordinary creates, retrieves and polls need no thread, but connections of their own: docs/fast-path.md.
FAST_CONNECTIONS = whole_number("FAST_CONNECTIONS", default=4, least=1, most=64)

# --- Metrics: manage.py serve_metrics, for Prometheus -----------------------------------------------
METRICS_PORT = port("METRICS_PORT", default=9464)

# --- Tasks: messages only wake workers, the rows are the queue ------------------------------------
SWEEP_THREADS = 1 if EMBEDDED else whole_number("SWEEP_THREADS", default=4, least=1, most=100)
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_timeout": 2, "socket_connect_timeout": 1, "max_retries": 0}

# --- Who may sign in ------------------------------------------------------------------------------
AUTH_USER_MODEL = "merchants.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/dashboard/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_ADAPTER = "merchants.accounts.AccountAdapter"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_RATE_LIMITS = {"reset_password": "20/m/ip,5/m/key,10/d/key"}
"""``key`` is the address of mail: nobody can have more written to somebody else than that."""
USERSESSIONS_ADAPTER = "merchants.account_audit.SessionsAdapter"
MFA_ADAPTER = "merchants.accounts.SecondFactorAdapter"
MFA_FORMS = {
    "activate_totp": "merchants.views.forms.AuthenticatorForm",
    "add_webauthn": "merchants.views.forms.PasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not SECURE

# --- Mail: kept in a table, and sent by a worker as config/mail_settings.py says ----------------------
EMAIL_BACKEND = "merchants.mail.OutboxBackend"
if not EMBEDDED:
    refuse_printed_mail(BASE_URL)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = sender("DEFAULT_FROM_EMAIL", BASE_URL)
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True

# --- OAuth: the models are ours from the first migration ------------------------------------------
OAUTH2_PROVIDER_APPLICATION_MODEL = "mcp_server.Application"
OAUTH2_PROVIDER_GRANT_MODEL = "mcp_server.Grant"
OAUTH2_PROVIDER_ACCESS_TOKEN_MODEL = "mcp_server.AccessToken"  # noqa: S105 - a model's name
OAUTH2_PROVIDER_REFRESH_TOKEN_MODEL = "mcp_server.RefreshToken"  # noqa: S105 - a model's name
OAUTH2_PROVIDER_ID_TOKEN_MODEL = "mcp_server.IDToken"  # noqa: S105 - a model's name
OAUTH2_PROVIDER_DEVICE_GRANT_MODEL = "oauth2_provider.DeviceGrant"
OAUTH_APP_SCHEMES = private_schemes("OAUTH_APP_SCHEMES")
OAUTH_REGISTRATIONS_PER_MINUTE = whole_number("OAUTH_REGISTRATIONS_PER_MINUTE", default=60, least=1, most=100_000)
OAUTH_CLIENT_DOCUMENTS = switch("OAUTH_CLIENT_DOCUMENTS", default=True)
OAUTH2_PROVIDER = oauth_provider(BASE_URL, OAUTH_APP_SCHEMES, client_documents=OAUTH_CLIENT_DOCUMENTS)

# --- API --------------------------------------------------------------------------------------------
API_VERSION = "1.2.0"
MAX_BODY_BYTES = 256 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES + 1024
MCP_ALLOWED_ORIGINS = origins("MCP_ALLOWED_ORIGINS")
RATE_LIMIT_SCALE = number("RATE_LIMIT_SCALE", default=1)
AGENT_EFFECTS_PER_MINUTE = whole_number("AGENT_EFFECTS_PER_MINUTE", default=10, least=1, most=1_000)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["merchants.authentication.SecretKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["merchants.permissions.ScopePermission"],
    "DEFAULT_THROTTLE_CLASSES": ["merchants.throttling.PrincipalThrottle"],
    "DEFAULT_PARSER_CLASSES": ["core.parsers.ExactJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["core.renderers.ExactJSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.negotiation.AlwaysJson",
    "DEFAULT_METADATA_CLASS": "core.negotiation.AllowedMethods",
    "DEFAULT_SCHEMA_CLASS": "core.openapi.CausewaySchema",
    "EXCEPTION_HANDLER": "core.exception_handler.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = spectacular_settings(API_VERSION, BASE_URL)

# --- What may be reached from here --------------------------------------------------------------------
NETWORK_PROFILE = network_profile(embedded=EMBEDDED)
RPC_URLS = nodes(NETWORK_PROFILE)
LIFI_URL = aggregator_url("LIFI_URL", NETWORK_PROFILE)
LIFI_API_KEY: str = env.str("LIFI_API_KEY", default="")
LIFI_INTEGRATOR: str = env.str("LIFI_INTEGRATOR", default="causeway")
JUPITER_URL = aggregator_url("JUPITER_URL", NETWORK_PROFILE)
JUPITER_API_KEY: str = env.str("JUPITER_API_KEY", default="")
JUPITER_FEE_WALLET: str = env.str("JUPITER_FEE_WALLET", default="")
MAX_SLIPPAGE_BPS = basis_points("MAX_SLIPPAGE_BPS", default=50)
SCOREBOARD_LEAST_PAYMENTS = whole_number("SCOREBOARD_LEAST_PAYMENTS", default=20, least=1, most=10_000)
SCOREBOARD_LEAST_MERCHANTS = whole_number("SCOREBOARD_LEAST_MERCHANTS", default=3, least=1, most=1_000)
PLATFORM_FEE_BPS = basis_points("PLATFORM_FEE_BPS", default=0)
SETTLE_SAFE_FROM_USD = dollars("SETTLE_SAFE_FROM_USD", default=1_000)
SETTLE_FINALIZED_ABOVE_USD = dollars("SETTLE_FINALIZED_ABOVE_USD", default=10_000)
UNFINALIZED_CAP_USD = dollars("UNFINALIZED_CAP_USD", default=10_000)
SECOND_NODE_FROM_USD = dollars("SECOND_NODE_FROM_USD", default=1_000)

# --- Keys that sign: see docs/signing.md ----------------------------------------------------------------
SIGNER_KEYS_DIR = keys_folder("SIGNER_KEYS_DIR")
SIGNER_PASSPHRASE = passphrase("SIGNER_PASSPHRASE", SIGNER_KEYS_DIR)
SIGNER_SECRETS = named_secrets()
SIGNER_KMS_REGION = key_service_region("SIGNER_KMS_REGION")
SIGNER_KMS_ENDPOINT = key_service_url("SIGNER_KMS_ENDPOINT", SIGNER_KMS_REGION)

# --- What else is allowed here --------------------------------------------------------------------------
WEBHOOK_LOOPBACK_ALLOWED = switch("WEBHOOK_LOOPBACK_ALLOWED", default=EMBEDDED)
DEMO_SHOP = switch("DEMO_SHOP", default=EMBEDDED)
SETTLEMENT_CHANGE_HOURS = whole_number("SETTLEMENT_CHANGE_HOURS", default=48, least=1, most=720)
SIGN_UP = switch("SIGN_UP", default=EMBEDDED)
REQUIRE_SECOND_FACTOR_FOR_LIVE = second_factor_for_live("REQUIRE_SECOND_FACTOR_FOR_LIVE", EMBEDDED)

# --- What apps ask of those above them, by dotted path --------------------------------------------------
TEST_CLOCK = [
    "merchants.idempotency.shift_due",
    "webhooks.services.shift_due",
    "payments.services.world.shift_due",
    "refunds.services.world.shift_due",
    "payouts.services.world.shift_due",
]
"""Who moves what is due, in this order, when a merchant's test clock is advanced: ``core.test_clock.ShiftDue``."""
EVENT_SAMPLES = {
    "payment_intent": "payments.samples.sample_of",
    "refund": "refunds.samples.sample_of",
    "payout": "payouts.samples.sample_of",
    "webhook_endpoint": "webhooks.events.disabled_sample",
    "ping": "webhooks.events.ping_body",
}
"""By resource, who writes samples of its events: whoever writes its real ones. ``webhooks.events.Sampler``."""
KEPT_TEST_KEY = "config.demo_merchant.kept_test_key" if EMBEDDED else ""
"""Who reads a test key that is kept in clear, for its own people to see in the guides."""

# --- What is kept how long: config/retention.py, docs/operators.md ----------------------------------------
KEEP_EVENTS_DAYS = whole_number("KEEP_EVENTS_DAYS", default=30, least=30, most=3650)  # 30: docs/guides/webhooks.md
KEEP_REQUESTS_DAYS = whole_number("KEEP_REQUESTS_DAYS", default=30, least=1, most=3650)
KEEP_ROUTES_DAYS = whole_number("KEEP_ROUTES_DAYS", default=30, least=1, most=3650)
KEEP_ROUTE_FIGURES_DAYS = whole_number("KEEP_ROUTE_FIGURES_DAYS", default=400, least=31, most=3650)
KEEP_SIMULATED_DAYS = whole_number("KEEP_SIMULATED_DAYS", default=30, least=7, most=3650)
KEEP_MAIL_DAYS = whole_number("KEEP_MAIL_DAYS", default=30, least=2, most=3650)

# --- Web: pages, static files, headers ------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = None if EMBEDDED else BASE_DIR / "staticfiles"
STATICFILES_DIRS: list[Path] = [BASE_DIR / "templates" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if EMBEDDED
        else "config.storage.HashedStaticFiles"
    },
}
WHITENOISE_USE_FINDERS = EMBEDDED
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SIGNED = True
"""Our own: see PageSessionMiddleware."""
CSRF_TRUSTED_ORIGINS = [BASE_URL]
SECURE_SSL_REDIRECT = switch("SECURE_SSL_REDIRECT", default=SECURE)
BEHIND_PROXY = switch("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE
SECURE_REFERRER_POLICY = "same-origin"  # stricter would take the Origin from our own forms
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin-allow-popups"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
LANGUAGE_CODE = "en"
LOCALE_PATHS = [BASE_DIR / "checkout" / "locale"]  # before what libraries call the same words
USE_I18N = True
FORMAT_MODULE_PATH = "config.formats"
TIME_ZONE = "UTC"
USE_TZ = True
APPEND_SLASH = False

# --- Logs -------------------------------------------------------------------------------------------------
LOGGING = log_settings(
    one_of("LOG_LEVEL", LOG_LEVELS, default="INFO"),
    own_secrets(
        [
            *(SECRET_KEY, *SECRET_KEY_FALLBACKS, *ENCRYPTION_KEYS),
            *(EMAIL_HOST_PASSWORD, LIFI_API_KEY, JUPITER_API_KEY, *TRACE_SECRETS),
        ],
        DATABASES,
        [REDIS_URL, LIFI_URL, JUPITER_URL, TRACES_TO, *(url for urls in RPC_URLS.values() for url in urls)],
    ),
    folds=not EMBEDDED,  # a person reads the embedded default's at a terminal
)
