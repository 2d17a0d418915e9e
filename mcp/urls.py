"""The agents' door."""

from django.urls import path

from mcp.views.endpoint import endpoint

urlpatterns = [path("mcp", endpoint, name="mcp")]
