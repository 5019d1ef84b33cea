"""Every form states who reads a reason or note.

`tests/contract/test_staff_unnamed.py` checks the API.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django import forms

import credit
import exchange
import orders
import wallets
from exchange.admin.fields import INTERNAL, VISIBLE

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
APPS = (credit, exchange, orders, wallets)
# Names of fields for reasons.
WORDS = re.compile("reason|note|explanation|comment|message|why|remark")

AUDIENCES = {
    "credit.configurations.admin.configurations.TermsRejectionForm.reason": VISIBLE,
    "credit.configurations.admin.terms.ChangedTermsForm.note": INTERNAL,
    "exchange.admin.fields.ApprovalReasonForm.reason": INTERNAL,
    "credit.loans.admin.loans.ClosureNoteForm.note": INTERNAL,
    "credit.distributions.admin.forms.AssignForm.explanation": INTERNAL,
    "credit.distributions.admin.forms.ChangeForm.explanation": INTERNAL,
    "credit.distributions.admin.forms.CorrectionForm.explanation": INTERNAL,
    "credit.distributions.admin.forms.ExplanationForm.explanation": INTERNAL,
    "credit.distributions.admin.forms.TermsForm.explanation": INTERNAL,
    "credit.distributions.admin.tax_rates.RateForm.note": INTERNAL,
    "credit.tax_rates.admin.TaxFactsForm.note": INTERNAL,
    "exchange.participants.admin.api_keys.ApiKeyForm.name": VISIBLE,
    "exchange.participants.admin.api_keys.ApiKeyForm.note": INTERNAL,
    "exchange.participants.admin.api_keys.KeyRotationForm.note": INTERNAL,
    "exchange.participants.admin.api_keys.AccessTokenForm.note": INTERNAL,
    "exchange.admin.fields.NoteForm.note": INTERNAL,
    "exchange.admin.fields.ReasonForm.reason": INTERNAL,
    "exchange.comments.admin.CommentForm.comment": INTERNAL,
    "exchange.questions.admin.AnswerForm.answer": INTERNAL,
    "exchange.questions.admin.QuestionForm.question": VISIBLE,
    "exchange.tokens.admin.quotes.PriceForm.note": INTERNAL,
    "exchange.staff.admin.accounts.InvitationForm.note": INTERNAL,
    "exchange.staff.admin.accounts.RoleForm.note": INTERNAL,
    "exchange.tokens.admin.forms.TokenEditForm.listing_reference": VISIBLE,
    "exchange.tokens.admin.forms.TokenTermsForm.listing_reference": VISIBLE,
    "orders.listings.admin.lifecycle.HaltForm.reason": INTERNAL,
    "orders.listings.admin.lifecycle.LifecycleForm.explanation": INTERNAL,
    "orders.listings.admin.terms.TermsForm.explanation": INTERNAL,
    "wallets.reconciliation.admin.breaks.BreakExplanationForm.explanation": INTERNAL,
    "wallets.fees.admin.configuration.SettingChangeForm.reason": INTERNAL,
    "wallets.fees.admin.rates.RatesForm.reason": INTERNAL,
    "wallets.fees.admin.rates.SeenWithReasonForm.reason": INTERNAL,
    "wallets.withdrawals.admin.decision_pages.ApprovalForm.reason": INTERNAL,
    "wallets.withdrawals.admin.decision_pages.OverrideForm.override": INTERNAL,
    "wallets.withdrawals.admin.decision_pages.OverrideForm.reason": INTERNAL,
    "wallets.withdrawals.admin.counterparty.VerificationForm.how": INTERNAL,
    "wallets.withdrawals.admin.decision_pages.RejectionForm.reason": VISIBLE,
    "wallets.deposits.admin.deposits.DepositForm.note": INTERNAL,
    "wallets.deposits.admin.deposits.DepositForm.reference": VISIBLE,
    "wallets.deposits.admin.reversals.DisputeForm.explanation": INTERNAL,
    "wallets.deposits.admin.reversals.ReversalForm.explanation": INTERNAL,
    "wallets.deposits.admin.payment_pages.AssignForm.explanation": INTERNAL,
    "wallets.deposits.admin.payment_pages.ResolutionForm.explanation": INTERNAL,
    "wallets.deposits.admin.payment_pages.RefundedForm.explanation": INTERNAL,
    "wallets.freezes.admin.LiftForm.explanation": INTERNAL,
    "orders.freezing.admin.FreezeForm.reason": INTERNAL,
    "wallets.receivables.admin.WriteOffForm.explanation": INTERNAL,
    "wallets.treasury.admin.MovementForm.reference": INTERNAL,
    "wallets.treasury.admin.MovementForm.note": INTERNAL,
    "wallets.adjustments.admin.BreakEntryForm.note": INTERNAL,
    "wallets.adjustments.admin.EntryForm.note": INTERNAL,
    "wallets.payouts.admin.proposal_pages.DeclineForm.reason": INTERNAL,
    "wallets.payouts.admin.proposal_pages.ProposalForm.reason": VISIBLE,
    "orders.listings.admin.issuing.ListingForm.listing_reference": VISIBLE,
}


def every_form() -> Iterator[type[forms.Form]]:
    for package in APPS:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if "admin" not in found.name.split("."):
                continue
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                if (
                    isinstance(value, type)
                    and issubclass(value, forms.Form)
                    and value.__module__ == module.__name__
                ):
                    yield value


def stated_readers(field: forms.Field) -> str:
    """Return the readers stated in the form, or ""."""
    words = str(field.help_text)
    return next((readers for readers in (VISIBLE, INTERNAL) if words.startswith(readers)), "")


def test_every_reason_field_names_its_readers():
    stated = {
        f"{form.__module__}.{form.__qualname__}.{name}": stated_readers(field)
        for form in every_form()
        for name, field in form.base_fields.items()
        if isinstance(field, forms.CharField) and (WORDS.search(name) or stated_readers(field))
    }
    assert stated == AUDIENCES


def areas() -> list[tuple[str, str]]:
    """Return the templates with a text area, and its label."""
    found = []
    for path in sorted(TEMPLATES.rglob("*.html")):
        text = path.read_text()
        for area in re.findall(r"<textarea[^>]*\bid=\"([^\"]+)\"", text):
            (label,) = re.findall(rf'<label for="{area}">(.*?)</label>', text)
            found.append((f"{path.name}: {area}", label))
    return found


@pytest.mark.parametrize(("where", "label"), areas())
def test_every_text_area_of_a_template_names_its_readers(where, label):
    branches = re.sub(r"{% (if|elif)[^%]*%}", "", label).lower().split("{% else %}")
    assert all(
        "visible to the organisation" in branch or re.search(r"\binternal[:,]", branch)
        for branch in branches
    ), where


def test_the_templates_have_text_areas():
    assert len(areas()) == 2
