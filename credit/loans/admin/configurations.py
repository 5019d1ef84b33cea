"""The complete pages of loan configurations: their terms and their loans.

Registered here, the lowest module that may import both.
"""

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
        """Return principal outstanding and remaining effective limits, by currency."""
        effective = LoanLimit.objects.filter(
            version__configuration=obj, version__status=VersionStatus.APPROVED
        )
        limits = {each.currency_id: each for each in effective}
        made = set(obj.loans.values_list("currency_id", flat=True).distinct())
        rows = []
        for code in currencies():
            if code not in limits and code not in made:
                continue
            outstanding = outstanding_principal(obj.pk, code)
            limit = limits[code].max_outstanding if code in limits else None
            loans = obj.loans.filter(currency=code, status__in=OPEN)
            rows.append(
                (
                    code,
                    f"{loans.count():,}",
                    format_money(outstanding, code),
                    format_money(limit, code) if limit is not None else "no limit",
                    format_money(max(limit - outstanding, limit * 0), code)
                    if limit is not None
                    else "-",
                )
            )
        headings = (
            "Currency",
            "Open loans",
            "Principal outstanding",
            "Maximum outstanding",
            "Remaining",
        )
        empty = "No effective limits and no loans."
        return Section("Lending", headings, rows, right=(1, 2, 3, 4), empty=empty)
