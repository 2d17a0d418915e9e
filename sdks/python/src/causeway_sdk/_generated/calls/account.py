# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Account: blocking methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.account import Account, LoggedRequest
from causeway_sdk._resource import Resource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from causeway_sdk._pages import Pages


class AccountService(Resource):
    """Who your key is: its merchant and mode, what it may do, and how often."""

    def get(self) -> Account:
        """Retrieve the account of a key.

        Answers whose key it is, in which mode it works, what it may do and how often.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.ACCOUNT_GET, Account)

    def list_requests(
        self,
        *,
        ending_before: str | None = None,
        limit: int | None = None,
        path: str | None = None,
        starting_after: str | None = None,
        status: str | Sequence[str] | None = None,
    ) -> Pages[LoggedRequest]:
        """List requests, newest first.

        Lists what your keys asked and were answered in the last 30 days, redacted: a key, an address or words of
        customers never stand in it. A page of a filter may be empty and the list go on: read `has_more`.
        ``ending_before``: Newer than this one; not with the other.
        ``limit``: How many rows a page has at most.
        ``path``: The whole path that was asked for.
        ``starting_after``: Older than this one; not with the other.
        ``status``: What was answered: statuses like `404`, or whole classes like `5xx`, separated by commas.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, invalid_parameter,
        malformed_request, missing_api_key, rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
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
