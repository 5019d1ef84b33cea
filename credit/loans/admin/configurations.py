"""The pages of loan configurations, whole: their terms, and what their loans come to.

They are registered here because this is the lowest place that knows both.
"""

from __future__ import annotations

from django.contrib import admin

from credit.configurations.admin.configurations import LoanConfigurationPages
from credit.configurations.models import LoanConfiguration, LoanLimit, VersionStatus
from credit.loans.models import OPEN
from credit.loans.services.assessing import outstanding_principal
from exchange.admin.base import Section
from exchange.core.currencies import currencies, format_money


@admin.register(LoanConfiguration)
class LoanConfigurationAdmin(LoanConfigurationPages):
    def summarise_lending(self, obj: LoanConfiguration) -> Section:
        """Principal outstanding and what is left of the limits in force, by currency."""
        effective = LoanLimit.objects.filter(
            version__configuration=obj, version__status=VersionStatus.APPROVED
        )
        limits = {limit.currency_id: limit for limit in effective}
        made = set(obj.loans.values_list("currency_id", flat=True).distinct())
        rows = []
        for code in currencies():
            if code not in limits and code not in made:
                continue
            out = outstanding_principal(obj.pk, code)
            bound = limits[code].max_outstanding if code in limits else None
            loans = obj.loans.filter(currency=code, status__in=OPEN)
            rows.append(
                (
                    code,
                    f"{loans.count():,}",
                    format_money(out, code),
                    format_money(bound, code) if bound is not None else "no bound",
                    format_money(max(bound - out, bound * 0), code) if bound is not None else "-",
                )
            )
        headings = ("Currency", "Open loans", "Principal outstanding", "Most outstanding", "Left")
        empty = "It lends nothing yet."
        return Section("Lent so far", headings, rows, right=(1, 2, 3, 4), empty=empty)
