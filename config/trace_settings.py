"""Whether traces are sent. How and where to is said by OpenTelemetry's standard names, which its library reads itself.

Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/.
"""

import re

from config.environment import env, switch

_HEADERS = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")

TRACES_TO: str = env.str("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", default="")
TRACES_TO = TRACES_TO or env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
TRACES = bool(TRACES_TO) and not switch("OTEL_SDK_DISABLED", default=False)
TRACE_SECRETS = [part for name in _HEADERS for part in re.split(r"[=,\s]+", env.str(name, default="")) if part]
"""What the collector knows us by, for the log to leave out."""
