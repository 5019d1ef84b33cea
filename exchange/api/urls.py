"""Addresses of participants, tokens, access and documentation, relative to /v1/."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from exchange.api.events import EventRedeliveryView, EventsView, EventView
from exchange.api.members import MembersView, MemberView
from exchange.api.oauth import RevokeView, TokenView
from exchange.api.tokens import ActiveTokensView, TokenDetailView, TokenSearchView
from exchange.api.webhook import (
    WebhookSecretView,
    WebhookTestView,
    WebhookView,
)

urlpatterns = [
    path("oauth/token", TokenView.as_view()),
    path("oauth/revoke", RevokeView.as_view()),
    path("schema", SpectacularJSONAPIView.as_view(), name="schema"),
    path("docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("api/members", MembersView.as_view()),
    path("api/members/<str:member_id>", MemberView.as_view()),
    path("api/tokens", ActiveTokensView.as_view()),
    path("api/token/search", TokenSearchView.as_view()),
    path("api/token/<str:token_id>", TokenDetailView.as_view()),
    path("api/webhook", WebhookView.as_view()),
    path("api/webhook/rotate-secret", WebhookSecretView.as_view()),
    path("api/webhook/test", WebhookTestView.as_view()),
    path("api/events", EventsView.as_view()),
    path("api/events/<str:event_id>", EventView.as_view()),
    path("api/events/<str:event_id>/redeliver", EventRedeliveryView.as_view()),
]
