"""The REST door: endpoints, their secrets, their deliveries, their receivers' certificates."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from core.fields import check_body
from core.misnamed import PAGING, refuse_misnamed, refuse_paging
from core.pagination import invalid_parameter, link_header, page_body, read_limit, read_page, whole_body
from core.waiting import json_answer, read_wait, wait_for
from merchants.authentication import principal_of
from merchants.idempotency import Answer, act_once
from merchants.throttling import CAREFUL_LIMITS
from webhooks import openapi, selectors, services
from webhooks.delivery import pulling
from webhooks.models import Delivery
from webhooks.serializers import (
    AnswerWebhookDeliverySerializer,
    CreateWebhookEndpointSerializer,
    NoFieldsSerializer,
    RecoverWebhookEndpointSerializer,
    UpdateWebhookEndpointSerializer,
)
from webhooks.shapes import (
    DeletedWebhookEndpointShape,
    certificate_body,
    delivery_body,
    endpoint_body,
    endpoint_with_secret_body,
    pulled_body,
    recovery_body,
)
from webhooks.states import Outcome


class WebhookEndpointViewSet(GenericViewSet[Any]):
    """Where a merchant is told of events. Source: specification, Webhook endpoints; docs/guides/webhooks.md, Delivery.

    Why no ``key_scopes``: an endpoint hears everything, so that no restricted key may make, move or read one.
    """

    throttle_action_limits: ClassVar = {"rotate_secret": CAREFUL_LIMITS}

    @extend_schema(**openapi.CREATE)
    def create(self, request: Request) -> Response:
        """Create an endpoint; the only answer, with rotate-secret's, that shows its secret."""
        principal, body = principal_of(request), check_body(CreateWebhookEndpointSerializer, request.data)
        text = body.pop("url")
        url = None if text is None else services.check_url(principal.mode, text)

        def effect() -> Answer:
            created = services.create_endpoint(principal, services.NewEndpoint(url=url, **body))
            return Answer(http_status=201, body=endpoint_with_secret_body(*created))

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(**openapi.LIST)
    def list(self, request: Request) -> Response:
        """Every endpoint, newest first; not paged."""
        refuse_paging(request.query_params)
        rows = selectors.endpoints_of(principal_of(request))
        return Response(whole_body([endpoint_body(row) for row in rows]))

    @extend_schema(**openapi.RETRIEVE)
    def retrieve(self, request: Request, endpoint_id: str) -> Response:
        """One endpoint."""
        return Response(endpoint_body(selectors.find_endpoint(principal_of(request), endpoint_id)))

    @extend_schema(**openapi.UPDATE)
    def partial_update(self, request: Request, endpoint_id: str) -> Response:
        """Change what is named in the body."""
        principal, body = principal_of(request), check_body(UpdateWebhookEndpointSerializer, request.data)
        if "url" in body:
            body["url"] = services.check_url(principal.mode, body["url"])
        changes = services.EndpointChanges(**body)
        return Response(endpoint_body(services.update_endpoint(principal, endpoint_id, changes)))

    @extend_schema(**openapi.DELETE)
    def destroy(self, request: Request, endpoint_id: str) -> Response:
        """Delete an endpoint; again is 404."""
        deleted = services.delete_endpoint(principal_of(request), endpoint_id)
        body: DeletedWebhookEndpointShape = {"id": str(deleted), "deleted": True}
        return Response(body)

    @extend_schema(**openapi.ROTATE)
    def rotate_secret(self, request: Request, endpoint_id: str) -> Response:
        """Replace the secret; the previous one signs along for 24 hours."""
        principal = principal_of(request)
        check_body(NoFieldsSerializer, request.data)

        def effect() -> Answer:
            rotated = services.rotate_secret(principal, endpoint_id)
            return Answer(http_status=200, body=endpoint_with_secret_body(*rotated))

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(**openapi.DELIVERIES)
    def deliveries(self, request: Request, endpoint_id: str) -> Response:
        """One page of an endpoint's deliveries with their attempts, newest first."""
        endpoint = selectors.find_endpoint(principal_of(request), endpoint_id)
        query = request.query_params
        refuse_misnamed(query, (*PAGING, "status"))
        all_rows = selectors.deliveries_of(endpoint)
        page = read_page(_with_status(all_rows, query.get("status")), query, openapi.DELIVERY_PAGE, cursors=all_rows)
        return Response(
            page_body(page, [delivery_body(row) for row in page.rows]), headers=link_header(request.path, query, page)
        )

    @extend_schema(**openapi.RECOVER)
    def recover(self, request: Request, endpoint_id: str) -> Response:
        """Send again what was not delivered since a moment."""
        principal, body = principal_of(request), check_body(RecoverWebhookEndpointSerializer, request.data)

        def effect() -> Answer:
            recovery = services.recover(principal, endpoint_id, body["since"])
            return Answer(http_status=200, body=recovery_body(endpoint_id, recovery))

        return act_once(request, principal.idempotency_scope, effect)

    @extend_schema(**openapi.RESEND)
    def resend(self, request: Request, endpoint_id: str, delivery_id: str) -> Response:
        """Send one delivery again, now."""
        principal = principal_of(request)
        check_body(NoFieldsSerializer, request.data)

        def effect() -> Answer:
            return Answer(http_status=200, body=delivery_body(services.resend(principal, endpoint_id, delivery_id)))

        return act_once(request, principal.idempotency_scope, effect)


class PulledEndpointViewSet(GenericViewSet[Any]):
    """What is fetched and answered in the place of being posted.

    Source: docs/guides/webhooks.md, Without a public address. Why no ``key_scopes``: as for endpoints.
    """

    @extend_schema(**openapi.PULL)
    def pull(self, request: Request, endpoint_id: str) -> Response:
        """Give out what is due; it is leased for 30 seconds. Why no HEAD: it would give out what nobody reads."""
        if request.method == "HEAD":
            raise MethodNotAllowed("HEAD")
        limit, seconds = read_limit(request.query_params, openapi.PULL_PAGE), read_wait(request.query_params)
        principal = principal_of(request)
        endpoint = pulling.pulled_endpoint(principal, endpoint_id)
        given = pulling.give_out(endpoint, limit)

        def later() -> HttpResponse | None:
            found = pulling.give_out(endpoint, limit) if pulling.is_any_due(endpoint) else []
            return json_answer(pulled_body(found, limit)) if found else None

        if not given:
            wait_for(request.META, seconds, later, later, whose=principal.idempotency_scope)
        return Response(pulled_body(given, limit))

    @extend_schema(**openapi.ANSWER)
    def answer(self, request: Request, endpoint_id: str) -> Response:
        """Record what came of a delivery; the same answer again changes nothing."""
        principal, body = principal_of(request), check_body(AnswerWebhookDeliverySerializer, request.data)
        endpoint = pulling.pulled_endpoint(principal, endpoint_id)

        def effect() -> Answer:
            return Answer(http_status=200, body=delivery_body(pulling.take_answer(principal, endpoint, **body)))

        return act_once(request, principal.idempotency_scope, effect)


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


def _with_status(rows: QuerySet[Delivery], wanted: str | None) -> QuerySet[Delivery]:
    if wanted is None:
        return rows
    names = wanted.split(",")
    if not all(name in Outcome.values for name in names):
        raise invalid_parameter("status", f"must be one or more of {', '.join(Outcome.values)}.")
    return rows.filter(outcome__in=names)
