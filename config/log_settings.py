"""How this service writes its log: one line a record, once a second for one cause, without its secrets.

Beside it, whether traces are sent. How and where to is said by OpenTelemetry's standard names, which its library reads
itself. Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/.
"""

import logging
import re
from collections.abc import Iterable
from typing import Any

from config.environment import env, switch
from core.logs import is_no_readiness_answer, is_not_played
from core.redaction import secrets_of_address

_QUIET = ("botocore", "boto3", "urllib3", "oauthlib", "oauth2_provider")
"""They print what signs requests, codes and access tokens."""
_HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")

TRACES_TO: str = env.str("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", default="")
TRACES_TO = TRACES_TO or env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
TRACES = bool(TRACES_TO) and not switch("OTEL_SDK_DISABLED", default=False)
TRACE_SECRETS = [part for name in _HEADERS for part in re.split(r"[=,\s]+", env.str(name, default="")) if part]
"""What the collector knows us by, for the log to leave out."""


def own_secrets(values: Iterable[str], databases: dict[str, Any], addresses: Iterable[str]) -> list[str]:
    """What must not stand in any line: the values, the databases' passwords, and what is a key in an address."""
    passwords = [str(known.get("PASSWORD") or "") for known in databases.values()]
    return [*values, *passwords, *(part for url in addresses for part in secrets_of_address(url))]


def log_settings(level: str, secrets: list[str], *, folds: bool) -> dict[str, Any]:
    """Django's ``LOGGING``. ``folds``: tracebacks go into the line, warnings become lines: for programs that read."""
    logging.captureWarnings(folds)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "core.logs.LineFormatter", "secrets": secrets, "folds": folds}},
        "filters": {
            "readiness": {"()": "django.utils.log.CallbackFilter", "callback": is_no_readiness_answer},
            "played": {"()": "django.utils.log.CallbackFilter", "callback": is_not_played},
            "counted": {"()": "core.metrics.CountsRecords"},
            "repeats": {"()": "core.repeats.OncePerCause"},
        },
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "line",
                "filters": ["played", "counted", "repeats"],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["readiness"]},
            "celery": {"level": "WARNING"},
            "causeway.process": {"level": "INFO"},  # Celery lets its programs say no more than warnings
            **{name: {"level": "WARNING"} for name in _QUIET},
        },
    }
