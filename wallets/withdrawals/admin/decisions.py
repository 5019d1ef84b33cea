"""The list of decisions on withdrawals, read-only."""

from django.contrib import admin

from exchange.admin.columns import column, link_column, time_column
from exchange.admin.list_filters import ChoiceFilter, ListFilters, day_range
from exchange.participants.admin.owner_search import OwnedRecordAdmin
from wallets.withdrawals.models import Decision, Verdict


class DecisionFilters(ListFilters):
    verdict__exact = ChoiceFilter("verdict", Verdict.choices, title="decision")
    day_from, day_to = day_range()


@admin.register(Decision)
class DecisionAdmin(OwnedRecordAdmin):
    list_display = ("time_display", "verdict", "by", "withdrawal_display", "reason")
    filters = DecisionFilters
    labels = {"verdict": "decision"}
    list_select_related = ("withdrawal",)
    search_fields = ("withdrawal__reference", "actor_label")
    search_help_text = "Withdrawal reference, decided by, amount, owner email, or an ID"
    id_fields = ("pk", "withdrawal_id")
    amount_fields = ("withdrawal__amount", "withdrawal__disburse_amount")
    owner_prefixes = ("withdrawal__",)
    long = True
    ordering = ("-pk",)
    fields = (
        "time_display", "verdict", "by", "actor", "withdrawal_display", "version", "reason",
        "details",
    )  # fmt: skip

    time_display = time_column("time (UTC)", "created_at", ordering="created_at")
    by = column("by", lambda decision: decision.actor_label, ordering="actor_label")
    withdrawal_display = link_column("withdrawal", "withdrawal")
