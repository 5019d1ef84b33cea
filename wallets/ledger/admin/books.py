"""Stored proofs of books in the admin."""

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.columns import column, time_column
from exchange.admin.display import status_badge
from wallets.ledger.models import BooksProof


@admin.register(BooksProof)
class BooksProofAdmin(SafeAdmin):
    list_display = ("time_display", "kind_display", "state_display", "duration")
    list_filter = ("passed", "incremental")
    date_hierarchy = "ran_at"
    fields = ("time_display", "kind_display", "state_display", "duration")

    def heading(self, obj: BooksProof) -> str:
        return f"Ledger integrity of {obj.ran_at:%Y-%m-%d %H:%M:%S} UTC"

    time_display = time_column("time (UTC)", "ran_at", ordering="ran_at")
    kind_display = column(
        "kind",
        lambda proof: "Incremental" if proof.incremental else "Full",
        ordering="incremental",
    )
    duration = column(
        "duration", lambda proof: f"{proof.milliseconds:,} ms", ordering="milliseconds"
    )
    state_display = column(
        "result",
        lambda proof: status_badge("Passed" if proof.passed else "Failed"),
        ordering="passed",
    )

    def sections(self, request: HttpRequest, obj: BooksProof) -> list[Section]:
        rows = [(str(finding),) for finding in obj.findings]
        return [Section("Findings", ("Finding",), rows, empty="No findings. All checks passed.")]
