"""All URLs of the service."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config.api_docs.texts import changelog, chapter, errors_page, index_text
from config.api_docs.views import ReferenceView, SchemaView, TryView
from config.provider_webhooks import RECEIVERS
from config.views import landing_page, liveness, readiness
from credit.urls import urlpatterns as credit_urls
from exchange.urls import urlpatterns as exchange_urls
from orders.urls import urlpatterns as orders_urls
from wallets.providers.hooks import receive_flutterwave
from wallets.urls import urlpatterns as wallets_urls

urlpatterns = [
    # Routes are tried one after another: the most frequent come first.
    path("v1/", include([*orders_urls, *wallets_urls, *credit_urls, *exchange_urls])),
    path("", landing_page, name="landing"),
    path("health", readiness, name="health"),
    path("health/live", liveness, name="liveness"),
    path("health/ready", readiness, name="readiness"),
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", admin.site.urls),
    path("hooks/flutterwave", receive_flutterwave, {"receivers": RECEIVERS}),
    path("v1/schema", SchemaView.as_view(), name="schema"),
    path(
        "v1/schema/webhooks",
        SchemaView.as_view(document="schema-webhooks"),
        name="schema-webhooks",
    ),
    path("v1/docs", ReferenceView.as_view(), name="docs"),
    path(
        "v1/docs/webhooks",
        ReferenceView.as_view(url_name="schema-webhooks"),
        name="docs-webhooks",
    ),
    path("v1/docs/try", TryView.as_view(), name="docs-try"),
    path("v1/docs/errors", errors_page, name="docs-errors"),
    path("v1/docs/changelog.md", changelog, name="docs-changelog"),
    path("v1/docs/<str:name>", chapter, name="docs-chapter"),
    path("llms.txt", index_text, name="llms"),
]

handler400 = "config.error_views.bad_request"
handler403 = "config.error_views.permission_denied"
handler404 = "config.error_views.page_not_found"
handler500 = "config.error_views.server_error"
