"""All guides in one text, at an address of its own below no folder."""

from django.urls import path

from guides.views import every_guide

urlpatterns = [path("", every_guide, name="llms-full")]
