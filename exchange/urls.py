"""URLs of participants, tokens, events and OAuth, relative to /v1/."""

from django.urls import path

from exchange.api.routers import Router
from exchange.events.api import EndpointViewSet, EventViewSet, WebhookViewSet
from exchange.participants.oauth import RevokeView, TokenView
from exchange.requests.api import ReadViewSet, RequestViewSet
from exchange.tokens.api import TokenViewSet

router = Router()
router.register("api/tokens", TokenViewSet, "tokens", only={"list"})
router.register("api/token", TokenViewSet, "tokens", only={"search", "retrieve"})
router.register("api/webhook", WebhookViewSet, "webhooks")
router.register("api/webhook-endpoints", EndpointViewSet, "webhook_endpoints")
router.register("api/events", EventViewSet, "events")
router.register("api/requests", RequestViewSet, "requests")
router.register("api/requests/reads", ReadViewSet, "reads")

urlpatterns = [
    path("oauth/token", TokenView.as_view()),
    path("oauth/revoke", RevokeView.as_view()),
    *router.urls,
]
