"""``path("causeway/", include("causeway_django.urls"))`` serves the webhook at ``/causeway/webhook``."""

from django.urls import path

from causeway_django.views import webhook

app_name = "causeway"
urlpatterns = [path("webhook", webhook, name="webhook")]
