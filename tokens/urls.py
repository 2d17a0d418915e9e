"""Routes below /api/public/v1/."""

from django.urls import path

from tokens.views import TokenListView

urlpatterns = [path("tokens", TokenListView.as_view(), name="token-list")]
