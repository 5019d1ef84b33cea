"""The page that a withdrawal is decided on, as it opens and as a form of it comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse

from exchange.admin.base import CustomPageAdmin, Section
from wallets.withdrawals.admin import review_tables
from wallets.withdrawals.admin.review import review_context
from wallets.withdrawals.models import Withdrawal


class ReviewPage(CustomPageAdmin):
    """A withdrawal's admin, with its review page."""

    # Parts of the page that the subject that pays provides: above the payment, and below it.
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
        """The review page. `wrong` says, by the form, what is to be put right in it: what was typed
        is still there.
        """
        return self.page(
            request,
            "admin/wallets/withdrawal/review.html",
            withdrawal.reference,
            record=withdrawal,
            wrong=wrong or {},
            typed=request.POST,
            notice_template=self.notice_template,
            actions_template=self.actions_template,
            **self.review(request, withdrawal),
        )

    def review(self, request: HttpRequest, withdrawal: Withdrawal) -> dict[str, Any]:
        """What the page shows; the subject that pays adds what it knows."""
        return review_context(request, withdrawal, decided=self.decision_sections(withdrawal))

    def decision_sections(self, withdrawal: Withdrawal) -> list[Section]:
        """What was decided about `withdrawal`."""
        return [review_tables.decisions(withdrawal)]
