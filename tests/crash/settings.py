"""The service's own settings and one app more: the points at which a test can end a process.

Why here and not in the service: money code without a line that can kill it, and points nobody can forget to add.
"""

from config.settings import *  # noqa: F403 - everything is as in production

INSTALLED_APPS = [*INSTALLED_APPS, "tests.crash.armed.ArmedConfig"]  # noqa: F405 - from the line above
