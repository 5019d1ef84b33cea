"""How long partitioned tables keep their rows."""

from config.settings.environment import env, refusal

_MAX_MONTHS = 1_200


def retention_months() -> dict[str, int | None]:
    """Return the months that each table keeps; None is forever."""
    events = env.optional_integer(
        "RETENTION_EVENTS_MONTHS",
        low=3,
        high=_MAX_MONTHS,
        reason="organisations list and resend the events of recent months",
    )
    deliveries = env.optional_integer(
        "RETENTION_DELIVERIES_MONTHS",
        low=3,
        high=_MAX_MONTHS,
        reason="failed deliveries are explained from their attempts",
    )
    if events is not None and (deliveries is None or deliveries > events):
        raise refusal(
            "RETENTION_DELIVERIES_MONTHS",
            "is longer than RETENTION_EVENTS_MONTHS, but attempts are shown with their event only",
            f"Give a number from 3 to {events}",
        )
    changes = env.optional_integer(
        "RETENTION_AUDIT_MONTHS",
        low=60,
        high=_MAX_MONTHS,
        reason="records of payments are kept for five years or longer",
    )
    return {
        "exchange_event": events,
        # After the events, whose places in the feed they are.
        "exchange_eventnumber": events,
        "exchange_eventdelivery": events,
        "exchange_deliveryattempt": deliveries,
        "exchange_change": changes,
    }


def idempotency_hours() -> int:
    """Return the hours that the response to an idempotency key is kept.

    Clients rely on 24. The longest leaves two months in which a key is searched.
    """
    return env.integer("IDEMPOTENCY_RETENTION_HOURS", default=24, low=24, high=27 * 24)
