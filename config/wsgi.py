"""The web server's entry."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()

from config.bodies import WholeBodies  # noqa: E402 - needs the settings
from config.collector import collect_rarely  # noqa: E402 - stands with the others
from config.network_profile import refuse_foreign_network  # noqa: E402 - needs the models
from merchants.request_log import request_log  # noqa: E402 - needs the models

refuse_foreign_network()
application = WholeBodies(_django)
request_log.keep_writing()
collect_rarely()
