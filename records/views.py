"""The REST door to records."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from core.openapi import component
from core.refusals import errors
from core.snapshot import one_moment
from merchants.authentication import principal_of
from merchants.scopes import KeyScope
from payments.selectors import intent_id_from, visible_intent
from records.selectors import record_of
from records.shapes import FlightRecordShape


class FlightRecordViewSet(ViewSet):
    """Records of the key's merchant and mode."""

    key_scopes = {"retrieve": KeyScope.READ_INTENTS}

    @extend_schema(
        operation_id="getPaymentIntentFlightRecord",
        tags=["Payment intents"],
        responses={200: component(FlightRecordShape), **errors(401, 404, 429)},
    )
    def retrieve(self, request: Request, intent_id: str) -> Response:
        """Retrieve the flight record of an intent."""
        principal, key = principal_of(request), intent_id_from(intent_id)
        with one_moment():
            return Response(record_of(visible_intent(principal, key)))
