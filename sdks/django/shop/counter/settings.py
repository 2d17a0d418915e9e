"""Settings of the shop. Causeway's own come from the environment."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key

FOLDER = Path(os.environ.get("SHOP_FOLDER", "."))
SECRET_KEY = os.environ.get("SHOP_SECRET_KEY") or get_random_secret_key()
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
ROOT_URLCONF = "counter.urls"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["payments", "counter"]
MIDDLEWARE = ["django.middleware.csrf.CsrfViewMiddleware"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "shop.sqlite3",
        # Why: a webhook and a page may write at once, and the second waits for the first.
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
    }
}

PAYMENT_HOST = os.environ.get("SHOP_HOST", "localhost:3002")
PAYMENT_USES_SSL = False
PAYMENT_MODEL = "counter.Order"
PAYMENT_VARIANTS = {"causeway": ("causeway_django.provider.CausewayProvider", {})}
