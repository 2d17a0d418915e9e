# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Account: awaited methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.account import Account, LoggedRequest
from causeway_sdk._resource import AsyncResource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causeway_sdk._pages import AsyncPages


class AsyncAccountService(AsyncResource):
    """Who your key is: its merchant and mode, what it may do, and how often."""

    async def get(self) -> Account:
        """Retrieve the account of a key."""
        return await self._ask(op.ACCOUNT_GET, Account)

    def list_requests(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        path: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> AsyncPages[LoggedRequest]:
        """List requests, newest first."""
        return self._list(
            op.ACCOUNT_LIST_REQUESTS,
            LoggedRequest,
            None,
            {
                "ending_before": ending_before,
                "limit": limit,
                "path": path,
                "starting_after": starting_after,
                "status": status,
            },
        )
