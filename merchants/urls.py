"""Where people come in for the first time."""

from django.urls import path

from merchants.views.invitation import open_invitation
from merchants.views.sign_up import open_by_link, sign_up

urlpatterns = [
    path("signup/", sign_up, name="account_signup"),
    path("signup/<str:token>/", open_by_link, name="open_account"),
    path("invitation/<str:token>/", open_invitation, name="invitation"),
]
