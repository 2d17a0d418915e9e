"""OAuth's paths, all at the root. The library's metadata finds them by these names, in this namespace."""

from django.urls import path

from mcp.oauth.consent import ConsentView, known_clients
from mcp.oauth.endpoints import AccessTokenView, ResourceMetadataView, RevocationView, ServerMetadataView
from mcp.oauth.registration import ManagementView, RegistrationView

app_name = "oauth2_provider"
RESOURCE_METADATA = ".well-known/oauth-protected-resource"

urlpatterns = [
    path(".well-known/oauth-authorization-server", ServerMetadataView.as_view(), name="oauth-server-metadata"),
    path(RESOURCE_METADATA, ResourceMetadataView.as_view(), name="oauth-resource-metadata"),
    path(f"{RESOURCE_METADATA}/mcp", ResourceMetadataView.as_view(), name="oauth-resource-metadata-mcp"),
    path("oauth/authorize", known_clients(ConsentView.as_view()), name="authorize"),
    path("oauth/token", AccessTokenView.as_view(), name="token"),
    path("oauth/revoke", RevocationView.as_view(), name="revoke-token"),
    path("oauth/register", RegistrationView.as_view(), name="dcr-register"),
    path("oauth/register/<str:client_id>", ManagementView.as_view(), name="dcr-register-management"),
]
