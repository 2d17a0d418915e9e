"""The addresses of the project."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("causeway/", include("causeway_django.urls")),
    path("admin/", admin.site.urls),
    path("", include("counter.urls")),
]
