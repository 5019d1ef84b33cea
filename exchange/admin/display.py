"""Display of percentages, times, statuses and links in the back office."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

from exchange.core.numbers import format_plain

# Badge style of statuses: a class of `exchange/admin.css`. All others are calm.
_STATUSES = {
    "waiting": (
        "Pending", "Open", "Raise complete", "Uploaded", "Waiting", "Reported", "Unmatched",
        "Refunding", "Incomplete", "Draft", "Due",
    ),
    "moving": (
        "Approved", "Processing", "In raise", "Proposed", "Running", "Announced", "Recorded",
        "Funded", "Paying",
    ),
    "good": (
        "Completed", "Delivered", "Active", "Holds", "Passed", "Fulfilled", "Trading", "Effective",
        "Enabled", "Fresh", "Ready", "Downloaded", "Matched", "Imported", "Explained", "Credited",
        "Paid",
    ),
    "bad": (
        "Disabled", "Stale", "Disproved", "Differs", "Overdue", "Unknown", "Failed", "Reversed",
        "Exhausted", "Off",
    ),
}  # fmt: skip
_TONES = {status: tone for tone, statuses in _STATUSES.items() for status in statuses}


def percent(number: Decimal) -> str:
    """Format a percentage: `1.5 %`."""
    return f"{format_plain(number)} %"


def difference(before: Decimal, after: Decimal, places: int = 1) -> str:
    """Format the relative change from `before` to `after`: `+5.2 %`, `none`, or a dash if `before`
    is zero.
    """
    if not before:
        return "-"
    if before == after:
        return "none"
    return f"{(after - before) / before * 100:+,.{places}f} %"


def status_badge(text: str, tone: str = "") -> SafeString:
    """Return a status as a coloured label."""
    look = tone or _TONES.get(text, "calm")
    return format_html('<span class="state state-{}">{}</span>', look, text)


def kind_label(record: Model) -> str:
    """Return the label of the record's kind: `Withdrawal hold`."""
    get_label: Callable[[], str] = getattr(record, "get_kind_display")  # noqa: B009 - of its model
    return str(get_label()).capitalize()


def format_duration(duration: timedelta) -> str:
    """Format a duration in its largest unit: `40 s`, `12 min`, `5 h`, `3 d`."""
    seconds = max(0, int(duration.total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def format_time(when: datetime) -> SafeString:
    """Format a time in UTC to the second; the heading or sentence names the zone."""
    utc = timezone.localtime(when)
    return format_html('<time datetime="{}">{}</time>', utc.isoformat(), f"{utc:%Y-%m-%d %H:%M:%S}")


def age(when: datetime) -> SafeString:
    """Format the age of a time, with the time itself as tooltip."""
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        when.isoformat(),
        date_format(timezone.localtime(when), "Y-m-d H:i:s"),
        format_duration(timezone.now() - when),
    )


def expiry(when: datetime | None) -> str:
    """Format an expiry: `No expiry`, `2027-03-03 12:00:00 UTC`, `Expired 2026-…`."""
    if when is None:
        return "No expiry"
    past = "" if when > timezone.now() else "Expired "
    return f"{past}{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def last_used(when: datetime | None, never: str = "Never used") -> SafeString:
    """Format a time in UTC with its age, or return `never`."""
    if when is None:
        return format_html("{}", never)
    return format_html("{} UTC, {} ago", format_time(when), age(when))


def list_url(model: str, **query: str) -> str:
    """Return the URL of the list of `model` (`app_model`), filtered by `query`."""
    address = reverse(f"admin:{model}_changelist")
    return f"{address}?{urlencode(query)}" if query else address


def record_url(record: Model) -> str:
    """Return the URL of the record's page in the back office."""
    meta = record._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[record.pk])


def record_link(record: Model, text: str | None = None) -> SafeString:
    """Return a link to the record's page in the back office."""
    return format_html(
        '<a href="{}">{}</a>', record_url(record), text if text is not None else record
    )
