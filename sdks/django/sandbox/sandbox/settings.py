"""Settings of the shop. Causeway's own come from the environment."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key
from oscar import INSTALLED_APPS as OSCAR_APPS
from oscar.defaults import *  # noqa: F403 - as oscar's guide has it

HERE = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("SHOP_FOLDER", HERE))
SECRET_KEY = os.environ.get("SHOP_SECRET_KEY") or get_random_secret_key()
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1"]
ROOT_URLCONF = "sandbox.urls"
USE_TZ = True
SITE_ID = 1
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
OURS = {"oscar.apps.checkout.apps.CheckoutConfig": "sandbox.checkout.apps.CheckoutConfig"}
INSTALLED_APPS = [*(OURS.get(app, app) for app in OSCAR_APPS), "causeway_django", "sandbox.orders.apps.OrdersConfig"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]
AUTHENTICATION_BACKENDS = ["oscar.apps.customer.auth_backends.EmailBackend"]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [HERE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "shop.sqlite3",
        # Why: a webhook and a page may write at once, and the second waits for the first.
        "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
    }
}
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
STATIC_URL = "static/"
MEDIA_ROOT = FOLDER / "media"

OSCAR_SHOP_NAME = "Sandbox"
OSCAR_DEFAULT_CURRENCY = "USD"
OSCAR_ALLOW_ANON_CHECKOUT = True
OSCAR_INITIAL_ORDER_STATUS = "Pending"
OSCAR_ORDER_STATUS_PIPELINE = {
    "Pending": ("Paid", "Cancelled"),
    "Paid": ("Shipped", "Refunded", "Pending"),
    "Shipped": ("Refunded",),
    "Refunded": (),
    "Cancelled": (),
}
