"""Where people come in for the first time."""

from django.urls import path

from merchants.views.entering import open_by_link, open_invitation, sign_up

urlpatterns = [
    path("signup/", sign_up, name="account_signup"),
    path("signup/<str:token>/", open_by_link, name="open_account"),
    path("invitation/<str:token>/", open_invitation, name="invitation"),
]
