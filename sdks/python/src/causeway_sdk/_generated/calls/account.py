# Written by `make sdks` from docs/openapi.yaml: change that, or sdks/generator.
"""Account: blocking methods."""

from __future__ import annotations

from causeway_sdk._generated import operations as op
from causeway_sdk._generated.models.account import Account
from causeway_sdk._resource import Resource


class AccountService(Resource):
    """Who your key is: its merchant and mode, what it may do, and how often."""

    def get(self) -> Account:
        """Retrieve the account of a key.

        Answers whose key it is, in which mode it works, what it may do and how often.
        Refusals: address_not_allowed, insufficient_scope, internal_error, invalid_api_key, missing_api_key,
        rate_limited, revoked_api_key, secret_key_required, temporarily_unavailable.
        """
        return self._ask(op.ACCOUNT_GET, Account)
