"""The whole map of paths on one screen."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern
from django.views.generic import RedirectView, TemplateView

from checkout.urls import api_urlpatterns as checkout_paths
from checkout.views.embed import SCRIPTS, embed_page, embed_script, embed_script_facts
from checkout.views.files import brand_logo, brand_sheet, words_of_scripts
from checkout.views.page import checkout_address, solana_qr
from checkout.views.receipt import receipt_page
from config.docs_page import DescriptionView, docs_page
from config.fallbacks import page_failed, page_forbidden, page_not_found, page_refused
from dashboard.site import SITES as DASHBOARDS
from operations.views import HealthView, ReadinessView
from refunds.urls import public_urlpatterns as public_refund_paths
from refunds.views.claim_page import claim_page

API = "api/public/v1/"
HOME = {"base_url": settings.BASE_URL, "demo_shop": settings.DEMO_SHOP}


def later(route: str, module: str, namespace: str | None = None) -> URLResolver:
    """What is below a route, loaded when one of its pages is asked for.

    Why: with all that they import these are 8 MB, and a service that only takes payments needs none of them.
    """
    return URLResolver(RoutePattern(route), module, app_name=namespace, namespace=namespace)


urlpatterns = [
    path("api/public/health", HealthView.as_view(), name="health"),
    path("api/public/health/ready", ReadinessView.as_view(), name="health-ready"),
    path("api/public/openapi.json", DescriptionView.as_view(), name="description"),
    path("api/public/", include(public_refund_paths)),
    path("api/docs/", docs_page, name="docs"),
    path(API, include("merchants.api_urls")),
    path(API, include("payments.urls")),
    path(API, include("records.urls")),
    path(API, include("theatre.urls")),
    path(API, include("refunds.urls")),
    path(API, include("payouts.urls")),
    path(API, include("webhooks.urls")),
    path(API, include(checkout_paths)),
    path(API, include("tokens.urls")),
    path("", include("mcp.urls")),
    path("", include("proofs.urls")),
    path("checkout/brand/<uuid:handle>/<int:version>/look.css", brand_sheet, name="brand-sheet"),
    path("checkout/brand/<uuid:handle>/<int:version>/logo", brand_logo, name="brand-logo"),
    path("checkout/words/<str:language>/<str:version>.json", words_of_scripts, name="checkout-words"),
    path("checkout/<str:intent_id>", checkout_address, name="hosted-checkout"),
    path("checkout/<str:intent_id>/receipt", receipt_page, name="receipt"),
    path("checkout/<str:intent_id>/solana-pay.svg", solana_qr, name="solana-pay-qr"),
    *(path(f"embed/{name}", embed_script, {"name": name}) for name in SCRIPTS),
    path("embed/v1.json", embed_script_facts, name="embed-script-facts"),
    path("embed/<str:intent_id>", embed_page, name="embedded-checkout"),
    path("claim/<str:refund_id>", claim_page, name="refund-claim-page"),
    path("", TemplateView.as_view(template_name="home.html", extra_context=HOME), name="home"),
    later("routes/", "payments.scoreboard_urls"),
    path("demo/", include("checkout.demo.urls")),
    path("docs", RedirectView.as_view(url="/docs/")),
    later("llms-full.txt", "guides.whole_urls"),
    later("docs/", "guides.urls"),
    path("accounts/email/", RedirectView.as_view(pattern_name="mfa_index")),  # why: an address is changed by operators
    later("accounts/", "merchants.urls"),
    later("accounts/", "allauth.urls"),
    path("dashboard/", RedirectView.as_view(url="/dashboard/test/"), name="dashboard"),
    *(path(f"dashboard/{site.mode}/", site.urls) for site in DASHBOARDS),
    path("admin/", admin.site.urls),
    # Last: every path that is none of the others is looked for in it.
    later("", "mcp.oauth.urls", "oauth2_provider"),
]

handler400 = page_refused
handler403 = page_forbidden
handler404 = page_not_found
handler500 = page_failed
