"""The web server's entry."""

import os
import sys
from multiprocessing import parent_process

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402 - stands with the others
from django.db import connections  # noqa: E402 - stands with the others

from config.collector import collect_rarely  # noqa: E402 - stands with the others
from config.network_profile import refuse_foreign_network  # noqa: E402 - needs the models
from config.request_notes import note_request, trace_request  # noqa: E402 - needs the settings
from config.whole_requests import WholeRequests  # noqa: E402 - needs the settings
from core.traces import traces  # noqa: E402 - stands with the others
from merchants.authentication import usage  # noqa: E402 - needs the models
from merchants.refused_origins import refused  # noqa: E402 - needs the models
from merchants.request_log import request_log  # noqa: E402 - needs the models
from operations import life_line  # noqa: E402 - stands with the others
from operations.sealed import tell_unreadable  # noqa: E402 - needs the models
from operations.supervisor import end_with_parent  # noqa: E402 - stands with the others

if parent_process() is not None:  # else old workers would answer beside the new ones, on the same port
    end_with_parent()
refuse_foreign_network()
tell_unreadable()
connections.close_all()  # this thread asks the database nothing more: it is the event loop's
sys.setswitchinterval(0.0005)
"""Why: what a thread has answered waits for the loop to pass it on, by default 5 ms long while another one computes."""
_leftovers = request_log, usage, refused
if settings.TRACES:
    traces.begin("up" if settings.EMBEDDED else "web")
if settings.EMBEDDED:
    note = trace_request if traces.is_on else None
    application = WholeRequests(_django, settings.WEB_THREADS, _leftovers, note=note)
else:
    from config.fast_path import answer_ordinary, learning  # needs PostgreSQL's driver
    from core.metrics import totals

    totals.keep()
    application = WholeRequests(
        learning(_django), settings.WEB_THREADS, (*_leftovers, totals), first=answer_ordinary, note=note_request
    )
collect_rarely()
if not settings.EMBEDDED:  # a person sees that one in front of him
    life_line.begin("web")
