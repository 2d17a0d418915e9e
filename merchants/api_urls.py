"""Routes of a merchant's own account, below /api/public/v1/."""

from django.urls import path

from merchants.views.account import AccountView, RequestLogViewSet

urlpatterns = [
    path("account", AccountView.as_view(), name="own-account"),
    path("request-log", RequestLogViewSet.as_view({"get": "list"}), name="request-log"),
]
