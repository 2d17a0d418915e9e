"""The test suite's settings with the points of the crash tests, for a process that forks."""

from config.settings_test import *  # noqa: F403 - everything is as in the tests

INSTALLED_APPS = [*INSTALLED_APPS, "tests.crash.armed.ArmedConfig"]  # noqa: F405 - from the line above
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
"""Why: forked processes must not share a socket."""
