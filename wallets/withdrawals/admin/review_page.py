"""The page that a withdrawal is decided on, as it opens and as a form of it comes back."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse

from exchange.admin.base import OwnPage
from wallets.withdrawals.admin.review import review
from wallets.withdrawals.models import Withdrawal


class ReviewPage(OwnPage):
    """A withdrawal's admin, with its review page."""

    def own_page(
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
            **review(request, withdrawal),
        )
