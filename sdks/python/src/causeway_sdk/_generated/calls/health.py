# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Health: blocking methods."""

from __future__ import annotations

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.health import HealthStatus, Readiness
from causeway_sdk._resource import Resource


class HealthService(Resource):
    """Is the service up?"""

    def get(self) -> HealthStatus:
        """Read whether the service is up.

        Answers whether the service reaches its database. Made for load balancers; needs no key.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return self._ask(op.HEALTH_GET, HealthStatus)

    def get_readiness(self) -> Readiness:
        """Read whether the service can work.

        Checks everything that the service depends on: workers, queues, chains and providers.
        Refusals: internal_error, rate_limited, temporarily_unavailable.
        """
        return self._ask(op.HEALTH_GET_READINESS, Readiness)
