"""Proofs of books in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from exchange.admin.base import SafeAdmin, Section
from exchange.admin.show import moment, state
from wallets.ledger.models import BooksProof


@admin.register(BooksProof)
class BooksProofAdmin(SafeAdmin):
    list_display = ("shown_at", "shown_state", "took")
    list_filter = ("passed",)
    date_hierarchy = "ran_at"
    fields = ("shown_at", "shown_state", "took")
    readonly_fields = fields

    def heading(self, obj: BooksProof) -> str:
        return f"Proof of books of {obj.ran_at:%Y-%m-%d %H:%M:%S} UTC"

    @admin.display(description="ran at (UTC)", ordering="ran_at")
    def shown_at(self, proof: BooksProof) -> str:
        return moment(proof.ran_at)

    @admin.display(description="took", ordering="milliseconds")
    def took(self, proof: BooksProof) -> str:
        return f"{proof.milliseconds:,} ms"

    @admin.display(description="books", ordering="passed")
    def shown_state(self, proof: BooksProof) -> str:
        return state("Holds" if proof.passed else "Off")

    def sections(self, request: HttpRequest, obj: BooksProof) -> list[Section]:
        rows = [(str(finding),) for finding in obj.findings]
        return [Section("What is off", ("Finding",), rows, empty="Nothing: the books hold.")]
