"""The endpoint of streams. Only the process of streams serves it (`config.asgi`)."""

from collections.abc import Sequence
from uuid import UUID

from django.db import close_old_connections
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from exchange.api.operations import File, operation
from exchange.api.viewsets import ApiViewSet
from exchange.core.errors import Conflict, NotReady
from exchange.participants.authentication import BearerAuthentication
from exchange.tokens.errors import TokenNotFound
from exchange.tokens.models import Token
from exchange.tokens.selectors.tokens import visible_to
from orders.book.shapes import TOKEN_NOT_FOUND
from orders.streams.channels import MOST_CHANNELS, Channel, read_channels
from orders.streams.hub import HUB, MOST_READERS, Reader

EVENT_STREAM = File("text/event-stream", "Server-Sent Events; see the guide", saved=False)
MOST_OF_ORGANISATION = 100


class TooManyStreams(Conflict):
    """The organisation has all its streams open."""

    code = "too_many_streams"
    message = f"Your organisation has {MOST_OF_ORGANISATION} streams open here: close one first"


class StreamsBusy(NotReady):
    """This process has no room for another reader."""

    message = "All streams are taken: try again"


class StreamsElsewhere(NotReady):
    """The request came to a process that serves no streams."""

    message = "Streams are served by a process of their own, at another address"
    retry_after = None


class StreamViewSet(ApiViewSet):
    """Books, trades and tickers as they change."""

    tag = "Markets"
    singleton = True

    @operation(
        "Stream opened",
        scope="orders:read",
        response=None,
        files=[EVENT_STREAM],
        query=[
            OpenApiParameter(
                "channels",
                {"type": "string"},
                required=True,
                description=f"Up to {MOST_CHANNELS}, joined by commas: `book:{{token_id}}`, "
                "`trades:{token_id}`, `ticker:{token_id}`",
            )
        ],
        failures={
            "400": {"invalid_request": f"channels must name 1 to {MOST_CHANNELS} channels"},
            "404": TOKEN_NOT_FOUND,
            "409": {TooManyStreams.code: TooManyStreams.message},
        },
    )
    def retrieve(self, request: Request) -> StreamingHttpResponse:
        """Follow books, trades and tickers by Server-Sent Events. A book comes as a `snapshot`,
        then as `change`s of price levels; see the guide.
        """
        channels = read_channels(request.query_params.get("channels", ""))
        caller, raw = self.caller, request._request
        _require_visible(caller.organisation_id, channels)
        if not hasattr(raw, "scope"):
            raise StreamsElsewhere
        # This is another thread than the readers': it reads a copy.
        readers = tuple(HUB.readers)
        if len(readers) >= MOST_READERS:
            raise StreamsBusy
        if sum(r.organisation == caller.organisation_id for r in readers) >= MOST_OF_ORGANISATION:
            raise TooManyStreams
        reader = Reader(
            organisation=caller.organisation_id,
            channels=frozenset(channels),
            may_read=lambda: may_read(raw, channels),
            resume=request.headers.get("Last-Event-ID", ""),
        )
        return StreamingHttpResponse(
            HUB.follow(reader),
            content_type=EVENT_STREAM.media_type,
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )


def may_read(request: HttpRequest, channels: Sequence[Channel]) -> bool:
    """Return whether the token of `request` is still good, and sees the tokens of `channels`.

    Raises `DatabaseError` where that is not known.
    """
    close_old_connections()
    try:
        authenticated = BearerAuthentication().authenticate(Request(request))
        if authenticated is None or "orders:read" not in authenticated[1].scopes:
            return False
        _require_visible(authenticated[1].organisation_id, channels)
    except (APIException, TokenNotFound):
        return False
    return True


def _require_visible(organisation_id: UUID, channels: Sequence[Channel]) -> None:
    wanted = {channel.token for channel in channels}
    tokens: QuerySet[Token] = Token.objects.filter(id__in=wanted)
    if visible_to(tokens, organisation_id).count() < len(wanted):
        raise TokenNotFound
