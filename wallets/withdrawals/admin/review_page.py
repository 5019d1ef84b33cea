"""Review page of a withdrawal, also shown again with form errors."""

from collections.abc import Mapping
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse

from exchange.admin.base import Section
from exchange.admin.custom_pages import CustomPageAdmin
from wallets.withdrawals.admin import review_tables
from wallets.withdrawals.admin.review import review_context
from wallets.withdrawals.models import Withdrawal


class ReviewPage(CustomPageAdmin):
    """Withdrawals admin with the review page."""

    # Parts of the page provided by `wallets.payouts`: above the payment, and below it.
    notice_template = ""
    actions_template = ""

    def record_page(
        self,
        request: HttpRequest,
        withdrawal: Withdrawal,
        /,
        *,
        wrong: Mapping[str, object] | None = None,
    ) -> HttpResponse:
        """Return the review page; `wrong` are the errors by form field."""
        prefetch_related_objects([withdrawal], "decisions")
        return self.page(
            request,
            "admin/wallets/withdrawal/review.html",
            self.heading(withdrawal),
            record=withdrawal,
            decide_at={
                name: self.preserve_in_url(
                    request, f"{self.address(name, withdrawal.pk)}?version={withdrawal.version}"
                )
                for name in ("approve", "reject")
            },
            wrong=wrong or {},
            typed=request.POST,
            notice_template=self.notice_template,
            actions_template=self.actions_template,
            **self.review(request, withdrawal),
        )

    def review(self, request: HttpRequest, withdrawal: Withdrawal) -> dict[str, Any]:
        """Return the context of the page; `wallets.payouts` extends it."""
        return review_context(request, withdrawal, decided=self.decision_sections(withdrawal))

    def decision_sections(self, withdrawal: Withdrawal) -> list[Section]:
        """Return the tables of decisions."""
        return [review_tables.decisions(withdrawal)]
