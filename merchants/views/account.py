"""REST door of a key to what it is: whose, in which mode, with which scopes and limits."""

from typing import cast

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.openapi import component
from core.refusals import errors
from merchants.authentication import KnownKey, principal_of
from merchants.models import Merchant
from merchants.shapes import AccountShape, account_body


class AccountView(APIView):
    """``GET /account``. Why open to every restricted key: it says of a key what the key itself was given."""

    opens_to_every_key = True

    @extend_schema(
        operation_id="getAccount",
        tags=["Account"],
        responses={200: component(AccountShape), **errors()},
    )
    def get(self, request: Request) -> Response:
        """Say whose key this is, in which mode, what it may do and how often."""
        merchant = Merchant.objects.get(pk=principal_of(request).merchant_id)
        return Response(account_body(cast(KnownKey, request.auth), merchant))
