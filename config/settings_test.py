"""Settings of the test suite: real middleware and real code, cheap password hashing, nothing printed."""

import atexit
import os
import shutil
import tempfile

if "LOCAL_DIR" not in os.environ:
    os.environ["LOCAL_DIR"] = tempfile.mkdtemp(prefix="causeway-test-")
    atexit.register(shutil.rmtree, os.environ["LOCAL_DIR"], ignore_errors=True)
os.environ.setdefault("SECRET_KEY", "test-suite-secret-key-that-guards-nothing-at-all")
os.environ.setdefault("ALLOWED_HOSTS", "testserver,localhost,127.0.0.1")
os.environ.setdefault("RATE_LIMIT_SCALE", "1000")
os.environ.setdefault("NETWORK_PROFILE", "simulated")
os.environ.setdefault("WEBHOOK_LOOPBACK_ALLOWED", "true")
os.environ.setdefault("DEMO_SHOP", "true")

from config.settings import *  # noqa: E402, F403 - the environment above must be set first

SWEEP_THREADS = 1
"""Why: what a test writes before its transaction commits is seen by no other thread."""
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
"""Why not Redis: tests empty the counters of sign-ins, and that would empty the rate limits of the test beside them."""
SESSION_COOKIE_SIGNED = False
"""Why: Django's test client puts a session's bare key into its cookie. Signed ones have tests of their own."""
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = MAIL_DELIVERY = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
"""Look files up when they are asked for: every test client would otherwise read them all anew."""
