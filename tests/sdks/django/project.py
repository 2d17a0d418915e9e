"""A Django project around causeway-django, for its tests in one process. Run in .local/sdks-venv, never in .venv."""

SECRET_KEY = "for-tests"
ROOT_URLCONF = "places"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "causeway_django",
    "payments",
    "counter",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
STATIC_URL = "static/"
CAUSEWAY_API_KEY = "sk_test_0000000000000000000000000000"
CAUSEWAY_BASE_URL = "http://localhost:8000"
CAUSEWAY_WEBHOOK_SECRET = "whsec_bmV3, whsec_b2xk"

PAYMENT_HOST = "shop.example"
PAYMENT_USES_SSL = True
PAYMENT_MODEL = "counter.Order"
PAYMENT_VARIANTS = {"causeway": ("causeway_django.provider.CausewayProvider", {})}
