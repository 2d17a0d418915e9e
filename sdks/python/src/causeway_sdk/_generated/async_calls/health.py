# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Health: awaited methods."""

from __future__ import annotations

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.health import HealthStatus, Readiness
from causeway_sdk._resource import AsyncResource


class AsyncHealthService(AsyncResource):
    """Is the service up?"""

    async def get(self) -> HealthStatus:
        """Read whether the service is up."""
        return await self._ask(op.HEALTH_GET, HealthStatus)

    async def get_readiness(self) -> Readiness:
        """Read whether the service can work."""
        return await self._ask(op.HEALTH_GET_READINESS, Readiness)
