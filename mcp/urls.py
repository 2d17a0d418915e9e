"""The agents' door."""

from django.urls import path

from mcp.views.endpoint import endpoint
from mcp.views.manifest import agents_page, llms_text, manifest_document

urlpatterns = [
    path("mcp", endpoint, name="mcp"),
    path(".well-known/mcp-install.json", manifest_document, name="agent-manifest"),
    path("agents/", agents_page, name="agents"),
    path("llms.txt", llms_text, name="llms"),
]
