"""Where the keys are published."""

from django.urls import path

from proofs.views import keys_document

urlpatterns = [path(".well-known/causeway-receipt-keys.json", keys_document, name="receipt-keys")]
