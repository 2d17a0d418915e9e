"""Routes below /api/public/v1/."""

from django.urls import path

from webhooks.views import PulledEndpointViewSet as Pulled
from webhooks.views import ReceiverCertificateViewSet as Certificates
from webhooks.views import WebhookEndpointViewSet as Endpoints
from webhooks.views.events import EventViewSet as Events

_ONE = "webhook-endpoints/<str:endpoint_id>"

urlpatterns = [
    path("events", Events.as_view({"get": "list"}), name="event-list"),
    path("events/<str:event_id>", Events.as_view({"get": "retrieve"}), name="event"),
    path("webhook-endpoints", Endpoints.as_view({"get": "list", "post": "create"}), name="webhook-endpoint-list"),
    path(
        _ONE,
        Endpoints.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="webhook-endpoint",
    ),
    path(f"{_ONE}/rotate-secret", Endpoints.as_view({"post": "rotate_secret"}), name="webhook-endpoint-rotate-secret"),
    path(f"{_ONE}/deliveries", Endpoints.as_view({"get": "deliveries"}), name="webhook-endpoint-deliveries"),
    path(f"{_ONE}/pull", Pulled.as_view({"get": "pull"}), name="webhook-endpoint-pull"),
    path(f"{_ONE}/answer", Pulled.as_view({"post": "answer"}), name="webhook-endpoint-answer"),
    path(f"{_ONE}/certify", Certificates.as_view({"post": "certify"}), name="webhook-endpoint-certify"),
    path(f"{_ONE}/certificate", Certificates.as_view({"get": "retrieve"}), name="webhook-endpoint-certificate"),
    path(f"{_ONE}/recover", Endpoints.as_view({"post": "recover"}), name="webhook-endpoint-recover"),
    path(
        f"{_ONE}/deliveries/<str:delivery_id>/resend",
        Endpoints.as_view({"post": "resend"}),
        name="webhook-delivery-resend",
    ),
]
