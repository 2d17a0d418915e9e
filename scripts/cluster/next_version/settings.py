"""The settings of the next version."""

from config.settings import *  # noqa: F403 - a version more
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "scripts.cluster.next_version"]
