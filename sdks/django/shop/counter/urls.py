"""The addresses of the shop."""

from django.urls import include, path

from counter import views

urlpatterns = [
    path("", views.window),
    path("buy", views.buy, name="buy"),
    path("pay/<uuid:token>", views.pay, name="pay"),
    path("orders/<uuid:token>", views.order_page, name="order"),
    path("payments/", include("payments.urls")),
]
