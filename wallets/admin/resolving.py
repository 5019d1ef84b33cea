"""Lost and returned payouts in the admin: one person proposes what to do, another one decides."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from exchange.admin.base import SafeAdmin, bind, staff_of
from wallets.models import Proposal, ProposalAction
from wallets.services import resolutions


class ProposalForm(forms.Form):
    """What to do about a lost or returned payout, and why."""

    action = forms.ChoiceField(choices=ProposalAction.choices)
    reason = forms.CharField(max_length=500)


class Resolving(SafeAdmin):
    """The proposals of a withdrawal's admin."""

    def proposal_urls(self) -> list[URLPattern]:
        """Addresses of this module's pages."""
        one = "<uuid:object_id>"
        proposal = f"{one}/proposals/<uuid:proposal_id>"
        return [
            self.action_url(f"{one}/propose/", "propose", self.propose),
            self.action_url(f"{proposal}/confirm/", "confirm", self.confirm),
            self.action_url(f"{proposal}/decline/", "decline", self.decline),
        ]

    def propose(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """Opens a proposal."""
        form = bind(request, ProposalForm)
        self.record(request, object_id)
        if not form.is_valid():
            messages.error(request, "A proposal needs an action and a reason. Nothing was done.")
            return self.back_to(object_id)
        self.attempt(
            request,
            lambda: resolutions.propose(
                withdrawal_id=object_id,
                action=ProposalAction(form.cleaned_data["action"]),
                reason=form.cleaned_data["reason"],
                proposer=staff_of(request),
            ),
            "Proposed. Another person must confirm it.",
        )
        return self.back_to(object_id)

    def confirm(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Carries a proposal out."""
        self._proposal(request, object_id, proposal_id)
        self.attempt(
            request,
            lambda: resolutions.confirm(proposal_id=proposal_id, resolver=staff_of(request)),
            "Confirmed and carried out.",
        )
        return self.back_to(object_id)

    def decline(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> HttpResponse:
        """Closes a proposal; nothing else happens."""
        self._proposal(request, object_id, proposal_id)
        self.attempt(
            request,
            lambda: resolutions.decline(
                proposal_id=proposal_id,
                resolver=staff_of(request),
                reason=request.POST.get("reason", "")[:500],
            ),
            "Declined. Nothing else happened.",
        )
        return self.back_to(object_id)

    def _proposal(self, request: HttpRequest, object_id: UUID, proposal_id: UUID) -> None:
        self.record(request, object_id)
        if not Proposal.objects.filter(pk=proposal_id, withdrawal_id=object_id).exists():
            raise PermissionDenied
