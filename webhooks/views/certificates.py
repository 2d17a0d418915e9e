"""The REST door to certificates: have a receiver tested, and read what it was found to do."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from core.fields import check_body
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once
from merchants.throttling import CAREFUL_LIMITS
from webhooks import openapi, services
from webhooks.serializers import NoFieldsSerializer
from webhooks.shapes import certificate_body


class ReceiverCertificateViewSet(GenericViewSet[Any]):
    """What a battery of hostile requests says of a receiver. Source: docs/receiver-certificate.md.

    Why no ``key_scopes``: as for endpoints.
    """

    throttle_action_limits: ClassVar = {"certify": CAREFUL_LIMITS}

    @extend_schema(**openapi.CERTIFY)
    def certify(self, request: Request, endpoint_id: str) -> Response:
        """Ask for a battery. A worker sends it; nothing is sent in this request."""
        principal = principal_of(request)
        check_body(NoFieldsSerializer, request.data)

        def effect() -> Answer:
            return Answer(http_status=202, body=certificate_body(services.ask_certificate(principal, endpoint_id)))

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(**openapi.CERTIFICATE)
    def retrieve(self, request: Request, endpoint_id: str) -> Response:
        """The last certificate of an endpoint."""
        return Response(certificate_body(services.find_certificate(principal_of(request), endpoint_id)))
