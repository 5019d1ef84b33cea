"""Pending approvals on the dashboard, in lists and in the sidebar, and what a proposal's own
page offers: each kind of proposal there is, for each role.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from config.back_office import navigation
from config.back_office.roles import (
    ADMINISTRATOR,
    AUDITOR,
    BACK_OFFICE,
    CREDIT_OFFICER,
    FINANCE_APPROVER,
)
from credit.configurations.models import LoanConfiguration
from credit.distributions.models import Distribution
from credit.loans.models import Loan
from credit.tax_rates.models import TaxFactsProposal, TaxRate
from exchange.staff.admin.pending import VIEW_ONLY, queues
from exchange.staff.models import AccessProposal, StaffUser
from exchange.tokens.models import Quote
from orders.listings.models import TermsProposal, TokenProposal
from tests.assertions.unchanged import table_fingerprints
from tests.environment.module_transaction import module_transaction
from tests.factories.back_office import signed_in_client, text_of, user_of
from tests.factories.every_record import EveryRecord, make_every_record
from tests.factories.logins import sign_in
from tests.factories.staff import backdate_access
from wallets.adjustments.models import AdjustingEntry
from wallets.deposits.models import Deposit, DepositReversal, Payment
from wallets.fees.models import SettingChange
from wallets.freezes.models import Freeze
from wallets.ledger.models import PeriodClose
from wallets.payouts.models import Proposal
from wallets.receivables.models import ReceivableWriteOff
from wallets.reconciliation.models import ReconciliationBreak
from wallets.treasury.models import TreasuryMovement
from wallets.withdrawals.models import Withdrawal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("provider_sandbox")]

# Who decides about the proposals of each list, and the address that approves.
DECIDED_BY: dict[type[Model], str] = {
    Deposit: FINANCE_APPROVER,
    DepositReversal: FINANCE_APPROVER,
    Payment: FINANCE_APPROVER,
    ReceivableWriteOff: FINANCE_APPROVER,
    TreasuryMovement: FINANCE_APPROVER,
    AdjustingEntry: FINANCE_APPROVER,
    PeriodClose: FINANCE_APPROVER,
    Proposal: FINANCE_APPROVER,
    Quote: FINANCE_APPROVER,
    TokenProposal: FINANCE_APPROVER,
    TermsProposal: FINANCE_APPROVER,
    SettingChange: FINANCE_APPROVER,
    Distribution: FINANCE_APPROVER,
    TaxRate: FINANCE_APPROVER,
    TaxFactsProposal: FINANCE_APPROVER,
    LoanConfiguration: CREDIT_OFFICER,
    Loan: CREDIT_OFFICER,
    ReconciliationBreak: FINANCE_APPROVER,
    Freeze: FINANCE_APPROVER,
}
WORDS: dict[type[Model], str] = {
    Deposit: "Deposits to confirm",
    DepositReversal: "Deposit reversals to confirm",
    Payment: "Payment decisions to confirm",
    ReceivableWriteOff: "Write-offs to confirm",
    TreasuryMovement: "Treasury movements to confirm",
    AdjustingEntry: "Adjusting entries to confirm",
    PeriodClose: "Months to close",
    Proposal: "Payout proposals to confirm",
    AccessProposal: "Access proposals",
    Quote: "Quotes to approve",
    TokenProposal: "Token proposals to confirm",
    TermsProposal: "Terms to approve",
    SettingChange: "Settings changes",
    Distribution: "Distributions to decide",
    TaxRate: "Tax rates to approve",
    TaxFactsProposal: "Tax details to approve",
    LoanConfiguration: "Loan configurations pending approval",
    Loan: "Loan closures to confirm",
    ReconciliationBreak: "Breaks to close",
    Freeze: "Freezes to lift",
}
# What the page says to the person whose proposal it is.
OWN_PROPOSAL: dict[type[Model], str] = {
    Quote: "Someone other than the proposer must approve this.",
    SettingChange: "Someone other than the proposer must approve this.",
    Proposal: "Someone other than the proposer must confirm this.",
    Loan: "Someone other than the proposer must confirm this.",
    Deposit: "Someone other than the person who entered it must confirm this.",
    DepositReversal: "Someone other than the proposer must approve this.",
    Payment: "Someone other than the proposer must approve this.",
    AccessProposal: "Someone other than the proposer and the person concerned must confirm.",
    ReconciliationBreak: "Someone other than the person who explained it must close the break.",
    Freeze: "Someone other than the proposer must approve this.",
    TermsProposal: "Someone other than the proposer must approve this.",
    Distribution: "Someone other than the proposer must approve this.",
    TaxRate: "Someone other than the proposer must approve this.",
    TaxFactsProposal: "Someone other than the proposer must approve this.",
}
# What the panel says is proposed. The pages of loans and their configurations have their own.
PROPOSED: dict[type[Model], str] = {
    Deposit: r"Credit 700\.00 KES for Organisation \d+",
    DepositReversal: r"Reverse 5,000\.00 KES of Organisation \d+",
    Payment: r"Refund 1,000\.00 KES",
    ReceivableWriteOff: r"Write off 40\.00 KES owed by Ada Obi",
    TreasuryMovement: r"Float top-up of 1,000\.00 KES",
    AdjustingEntry: r"Bank charge of 100\.00 KES",
    PeriodClose: r"Close \w+ \d{4}",
    Proposal: r"Return: 600\.00 KES",
    AccessProposal: r"Invite a person: invited",
    Quote: r"Quote TKN\d+ at 10,100\.00 NGN / 10,100\.00 NGN \(buy / sell\)",
    SettingChange: r"Withdrawal fee, NGN from 50\.00 NGN to 75\.50 NGN",
    ReconciliationBreak: r"Close the break of [-\d]{10}: unexplained variance",
    Freeze: r"Lift the freeze of Organisation \d+",
    TermsProposal: r"Version 2 of the terms of TKN\d+",
    TaxRate: r"10 % Dividend tax, NG",
    TaxFactsProposal: r"Approve the tax details of Organisation \d+",
    Distribution: r"Announce: Interest of TKN\d+, \d+ days to [ \w]+",
}


@pytest.fixture(scope="module")
def demo_records(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[EveryRecord]:
    with module_transaction(django_db_blocker):
        yield make_every_record()


def signed_in_as(username: str) -> Client:
    client = Client()
    sign_in(client, StaffUser.objects.get(username=username))
    return client


def approval_of(demo_records: EveryRecord, model: type[Model]) -> tuple[str, str]:
    """The page of the proposal of `model`, and the address at which it is approved."""
    app, name = model._meta.label_lower.split(".")
    if model is Proposal:
        subject, found = demo_records.proposals[Withdrawal]
        page = reverse("admin:wallets_proposal_change", args=[found])
        return page, reverse("admin:wallets_withdrawal_confirm", args=[subject, found])
    verb = (
        "approve"
        if model
        in {
            Quote,
            SettingChange,
            LoanConfiguration,
            TermsProposal,
            Distribution,
            TaxRate,
            TaxFactsProposal,
        }
        else "confirm"
    )
    verb = "close" if model is ReconciliationBreak else verb
    if model in demo_records.proposals:
        subject, found = demo_records.proposals[model]
        page = reverse(f"admin:{app}_{name}_change", args=[subject])
        return page, reverse(f"admin:{app}_{name}_{verb}", args=[subject, found])
    found = demo_records.records[model].pk
    page = reverse(f"admin:{app}_{name}_change", args=[found])
    return page, reverse(f"admin:{app}_{name}_{verb}", args=[found])


def dashboard(client: Client) -> Any:
    return client.get(reverse("admin:index")).context["dashboard"]


def counted(items: Any) -> dict[str, int]:
    return {item.label: item.count for item in items}


def test_every_kind_of_proposal_is_in_the_queue_of_its_approvers(demo_records):
    assert set(queues()) == set(WORDS)
    finance, credit = signed_in_client(FINANCE_APPROVER), signed_in_client(CREDIT_OFFICER)
    of_finance, of_credit = (
        counted(dashboard(who).awaiting_my_approval) for who in (finance, credit)
    )
    for model, label in WORDS.items():
        expected = {FINANCE_APPROVER} if model is AccessProposal else {DECIDED_BY[model]}
        assert of_finance.get(label) == (1 if FINANCE_APPROVER in expected else None), label
        assert of_credit.get(label) == (1 if CREDIT_OFFICER in expected else None), label
    assert counted(dashboard(signed_in_client(ADMINISTRATOR)).awaiting_my_approval) == {
        WORDS[AccessProposal]: 1
    }


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_other_roles_see_what_awaits_others(demo_records, role):
    shown = dashboard(signed_in_client(role))
    assert shown.awaiting_my_approval == []
    found = counted(shown.awaiting_others)
    seen = {label for model, label in WORDS.items() if role == AUDITOR or model != AccessProposal}
    assert {label: found.get(label) for label in seen} == dict.fromkeys(seen, 1)
    assert "Withdrawals: awaiting my approval" not in found


@pytest.mark.slow
def test_own_proposals_await_others(demo_records):
    proposed: dict[str, tuple[type[Model], ...]] = {
        "decider": (Proposal, AccessProposal),
        "owner": (
            Deposit,
            DepositReversal,
            Payment,
            Quote,
            Loan,
            SettingChange,
            ReconciliationBreak,
            Freeze,
        ),
    }
    for username, own in proposed.items():
        shown = dashboard(signed_in_as(username))
        mine, awaiting_others = counted(shown.awaiting_my_approval), counted(shown.awaiting_others)
        for model in own:
            assert WORDS[model] not in mine, (username, model)
            assert awaiting_others[WORDS[model]] == 1, (username, model)
    assert counted(dashboard(signed_in_as("owner")).awaiting_my_approval)[WORDS[Proposal]] == 1


@pytest.mark.slow
def test_each_count_matches_its_list_and_every_record_can_be_decided(demo_records):
    for client in (
        signed_in_client(FINANCE_APPROVER),
        signed_in_as("decider"),
        signed_in_as("owner"),
    ):
        shown = dashboard(client)
        for item in [*shown.awaiting_my_approval, *shown.awaiting_others]:
            found = client.get(item.url).context["cl"]
            assert found.result_count == item.count, item
            if "decision=awaiting_my_approval" in item.url:
                for row in found.result_list:
                    page = reverse(
                        f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk]
                    )
                    assert 'class="blocker"' not in client.get(page).content.decode(), page


def test_the_sidebar_counts_what_the_user_can_approve(demo_records):
    def badges(client: Client) -> set[str]:
        groups = client.get(reverse("admin:index")).context["sidebar_navigation"]
        items = [item for group in groups for item in group["items"]]
        return {f"{item['title']} {item['badge']}" for item in items if item.get("badge")}

    of_finance = {"Quotes 1", "Deposits 1", "Access proposals 1", "Alerts 1"}
    assert of_finance <= badges(signed_in_client(FINANCE_APPROVER))
    assert badges(signed_in_client(AUDITOR)) == {"Alerts 1"}
    assert {title for title in badges(signed_in_as("owner")) if "Quotes" in title} == set()


def test_the_same_person_with_another_role_sees_other_counts_at_once(demo_records, finance):
    lists = dict.fromkeys(model._meta.label_lower for model in admin.site._registry)
    assert navigation._counts(user_of(finance), lists)["exchange.quote"] == 1
    user_of(finance).groups.set([Group.objects.get(name=AUDITOR)])
    assert navigation._counts(user_of(finance), lists) == {"wallets.alert": 1}


@pytest.mark.parametrize("model", WORDS, ids=lambda model: model.__name__)
@pytest.mark.one_in(5)
def test_a_proposal_can_be_decided_on_its_page_or_the_page_says_why_not(demo_records, model):
    page, approve_at = approval_of(demo_records, model)
    decider = DECIDED_BY.get(model, FINANCE_APPROVER)
    before = table_fingerprints()
    able = signed_in_client(decider, "able").get(page)
    assert f'href="{approve_at}"' in able.content.decode()
    approvers = "Eligible approvers"
    assert approvers in text_of(able)
    if model in PROPOSED:
        proposal = able.context["decision"].proposal
        assert re.fullmatch(PROPOSED[model], proposal), proposal
        assert f"<p><strong>{proposal}</strong></p>" in able.content.decode()
    assert 'class="blocker"' not in able.content.decode()

    new = signed_in_client(decider, "new")
    backdate_access(StaffUser.objects.get(username="new"), hours=1)
    hindered = new.get(page)
    assert f'href="{approve_at}"' not in hindered.content.decode()
    assert "Your access was granted or reset recently" in text_of(hindered)
    assert ", new" not in text_of(hindered).partition(approvers)[2].partition(".")[0]

    looking = signed_in_client(AUDITOR).get(page)
    assert f'href="{approve_at}"' not in looking.content.decode()
    assert VIEW_ONLY in text_of(looking)

    own = signed_in_as("decider" if model in {Proposal, AccessProposal} else "owner").get(page)
    # An API client or other staff proposed the others.
    if model in OWN_PROPOSAL:
        assert f'href="{approve_at}"' not in own.content.decode()
        assert OWN_PROPOSAL[model] in text_of(own)
    after = table_fingerprints()
    moved = {name for name in before if before[name] != after[name]}
    assert not {name for name in moved if name.startswith(("wallets_", "credit_", "orders_"))}
