"""How the operations are described. Kept apart so that views stay short."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from core.errors import InvalidParameter
from core.openapi import comma_list, component, idempotency_header, page_parameters, wait_parameter
from core.pagination import PageLimits
from core.refusals import errors
from webhooks.errors import (
    CertificateTooSoon,
    EndpointUrlTaken,
    UnknownEventType,
    WebhookEndpointDisabled,
    WebhookEndpointLimit,
    WebhookEndpointNotPulled,
    WebhookEndpointPulled,
    WebhookUrlNotAllowed,
)
from webhooks.serializers import (
    AnswerWebhookDeliverySerializer,
    CreateWebhookEndpointSerializer,
    RecoverWebhookEndpointSerializer,
    UpdateWebhookEndpointSerializer,
)
from webhooks.shapes import (
    DeletedWebhookEndpointShape,
    PulledDeliveryListShape,
    ReceiverCertificateShape,
    RecoveryShape,
    WebhookDeliveryListShape,
    WebhookDeliveryShape,
    WebhookEndpointListShape,
    WebhookEndpointShape,
    WebhookEndpointWithSecretShape,
)
from webhooks.states import Outcome

_TAGS = ["Webhook endpoints"]
_ENDPOINT = OpenApiParameter("endpoint_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="The endpoint.")
_DELIVERY = OpenApiParameter("delivery_id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="The delivery.")
PULL_PAGE = PageLimits(default=20, maximum=20)
DELIVERY_PAGE = PageLimits(default=20, maximum=100)
_PAGE = [
    *page_parameters(DELIVERY_PAGE),
    OpenApiParameter("status", comma_list(Outcome.values), description="One status, or several separated by commas."),
]


def _operation(name: str, summary: str, answers: dict[int, Any], **rest: Any) -> dict[str, Any]:
    return {"operation_id": name, "tags": _TAGS, "summary": summary, "responses": answers, **rest}


CREATE = _operation(
    "createWebhookEndpoint",
    "Create a webhook endpoint",
    {
        201: OpenApiResponse(
            component(WebhookEndpointWithSecretShape), description="Created, with its secret, shown this once."
        ),
        **errors(EndpointUrlTaken, UnknownEventType, WebhookUrlNotAllowed, WebhookEndpointLimit),
    },
    request=CreateWebhookEndpointSerializer,
    parameters=[idempotency_header()],
)
LIST = _operation(
    "listWebhookEndpoints",
    "List webhook endpoints",
    {
        200: OpenApiResponse(component(WebhookEndpointListShape), description="All of them, newest first; not paged."),
        **errors(InvalidParameter),
    },
)
RETRIEVE = _operation(
    "getWebhookEndpoint",
    "Retrieve a webhook endpoint",
    {200: component(WebhookEndpointShape), **errors(404)},
    parameters=[_ENDPOINT],
)
UPDATE = _operation(
    "updateWebhookEndpoint",
    "Update a webhook endpoint",
    {200: component(WebhookEndpointShape), **errors(404, EndpointUrlTaken, UnknownEventType, WebhookUrlNotAllowed)},
    request=UpdateWebhookEndpointSerializer,
    parameters=[_ENDPOINT],
)
DELETE = _operation(
    "deleteWebhookEndpoint",
    "Delete a webhook endpoint",
    {200: OpenApiResponse(component(DeletedWebhookEndpointShape), description="Deleted; again is 404."), **errors(404)},
    parameters=[_ENDPOINT],
)
ROTATE = _operation(
    "rotateWebhookEndpointSecret",
    "Rotate the signing secret",
    {
        200: OpenApiResponse(
            component(WebhookEndpointWithSecretShape),
            description="The new secret, shown this once. The previous one signs along for 24 hours.",
        ),
        **errors(404, 409),
    },
    request=None,
    parameters=[_ENDPOINT, idempotency_header()],
)
DELIVERIES = _operation(
    "listWebhookDeliveries",
    "List deliveries with their attempts",
    {200: component(WebhookDeliveryListShape), **errors(400, 404)},
    parameters=[_ENDPOINT, *_PAGE],
)
RECOVER = _operation(
    "recoverWebhookEndpoint",
    "Send undelivered events again",
    {200: component(RecoveryShape), **errors(404, WebhookEndpointDisabled)},
    request=RecoverWebhookEndpointSerializer,
    parameters=[_ENDPOINT, idempotency_header()],
)
RESEND = _operation(
    "resendWebhookDelivery",
    "Send a delivery again",
    {
        200: OpenApiResponse(component(WebhookDeliveryShape), description="The delivery, due now."),
        **errors(404, WebhookEndpointDisabled),
    },
    request=None,
    parameters=[_ENDPOINT, _DELIVERY, idempotency_header()],
)
CERTIFY = _operation(
    "certifyWebhookEndpoint",
    "Test a receiver",
    {
        202: OpenApiResponse(
            component(ReceiverCertificateShape), description="Asked for. Read the certificate until it has ended."
        ),
        **errors(404, WebhookEndpointDisabled, WebhookEndpointPulled, CertificateTooSoon),
    },
    request=None,
    parameters=[_ENDPOINT, idempotency_header()],
    extensions={"x-effects": "state"},
)
CERTIFICATE = _operation(
    "getWebhookEndpointCertificate",
    "Retrieve what a receiver was found to do",
    {
        200: OpenApiResponse(
            component(ReceiverCertificateShape), description="The last one that ended, and whether one is under way."
        ),
        **errors(404),
    },
    parameters=[_ENDPOINT],
)
PULL = _operation(
    "pullWebhookDeliveries",
    "Fetch deliveries of an endpoint without URL",
    {
        200: OpenApiResponse(
            component(PulledDeliveryListShape), description="What is due, leased to you for 30 seconds. Answer each."
        ),
        **errors(400, 404, WebhookEndpointDisabled, WebhookEndpointNotPulled),
    },
    parameters=[_ENDPOINT, page_parameters(PULL_PAGE)[0], wait_parameter("something is due")],
    extensions={"x-effects": "state"},
)
ANSWER = _operation(
    "answerWebhookDelivery",
    "Answer a delivery that was fetched",
    {
        200: OpenApiResponse(component(WebhookDeliveryShape), description="The delivery as it stands now."),
        **errors(404, WebhookEndpointDisabled, WebhookEndpointNotPulled),
    },
    request=AnswerWebhookDeliverySerializer,
    parameters=[_ENDPOINT, idempotency_header()],
)
