"""REST doors of a key to what it is, and to what the merchant's keys asked and were answered, as it is kept."""

from typing import cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSet

from core.misnamed import refuse_misnamed
from core.openapi import component, list_of, page_parameters
from core.pagination import link_header, page_body
from core.refusals import errors
from merchants.authentication import KnownKey, principal_of
from merchants.models import Merchant
from merchants.request_pages import LINE_PAGE, STATUS_PATTERN, read_lines
from merchants.shapes import AccountShape, LoggedRequestShape, account_body, request_body
from merchants.throttling import CAREFUL_LIMITS

_NAME = {"type": "string", "pattern": "^req_[0-9a-f]{32}$"}
_LIMIT, *_CURSORS = page_parameters(LINE_PAGE)
_PARAMETERS = [
    _LIMIT,
    *(OpenApiParameter(one.name, _NAME, description=one.description) for one in _CURSORS),
    OpenApiParameter(
        "status",
        {"type": "string", "pattern": STATUS_PATTERN},
        description="What was answered: statuses like `404`, or whole classes like `5xx`, separated by commas.",
    ),
    OpenApiParameter("path", str, description="The whole path that was asked for."),
]


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


class RequestLogViewSet(ViewSet):
    """Requests of the key's merchant and mode.

    Why no ``key_scopes``: a line tells what any key of the merchant asked, so that no restricted key reads one.
    """

    throttle_action_limits = {"list": CAREFUL_LIMITS}

    @extend_schema(
        operation_id="listRequests",
        tags=["Account"],
        parameters=_PARAMETERS,
        responses={200: list_of(LoggedRequestShape), **errors(400, 401, 429)},
    )
    def list(self, request: Request) -> Response:
        """List what was asked and answered, newest first, up to a second ago."""
        query = request.query_params.dict()
        refuse_misnamed(query, (one.name for one in _PARAMETERS))
        page = read_lines(principal_of(request), query)
        body = page_body(page, [request_body(record) for record in page.rows])
        return Response(body, headers=link_header(request.path, query, page))
