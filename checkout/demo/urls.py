"""Paths of the demo shop."""

from django.urls import path

from checkout.demo import views

urlpatterns = [
    path("", views.shop_window, name="demo-shop"),
    path("buy", views.buy, name="demo-buy"),
    path("buy-here", views.buy_here, name="demo-buy-here"),
    path("orders/<uuid:order_id>", views.order_page, name="demo-order"),
    path("orders/<uuid:order_id>/pay", views.pay_here, name="demo-pay-here"),
    path("orders/<uuid:order_id>/news", views.order_news, name="demo-order-news"),
    path("webhook", views.webhook, name="demo-webhook"),
]
