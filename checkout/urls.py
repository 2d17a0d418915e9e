"""Paths of the payer's door: below the versioned API, and the hosted page at the root."""

from django.urls import path

from checkout.views import api, payer, solana_pay

_one = "checkout/<str:intent_id>"

api_urlpatterns = [
    path(_one, api.CheckoutViewView.as_view(), name="checkout"),
    path(f"{_one}/state", api.PayerStateView.as_view(), name="checkout-state"),
    path(f"{_one}/session", api.SessionView.as_view(), name="checkout-session"),
    path(f"{_one}/wallet", payer.WalletView.as_view(), name="checkout-wallet"),
    path(f"{_one}/quote", payer.QuoteView.as_view(), name="checkout-quote"),
    path(f"{_one}/start", payer.StartView.as_view(), name="checkout-start"),
    path(f"{_one}/submitted", payer.SubmittedView.as_view(), name="checkout-submitted"),
    path(f"{_one}/rejected", payer.RejectedView.as_view(), name="checkout-rejected"),
    path(f"{_one}/solana-pay", solana_pay.SolanaPayView.as_view(), name="checkout-solana-pay"),
    path(f"{_one}/simulated-wallet/transactions", payer.SimulatedChainView.as_view(), name="checkout-simulated-chain"),
]
