"""Payments in the back office: checked, assigned, refunded and recorded on their pages."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import AUDITOR, BACK_OFFICE
from exchange.core.ids import uuid7
from tests.assertions.unchanged import assert_no_table_changes
from tests.environment.services import Sandbox
from tests.factories.back_office import (
    balances,
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.deposits import (
    Owner,
    arrive,
    make_checkout,
    make_virtual_account,
    transaction_record,
)
from tests.factories.holds import REASON, freeze
from tests.factories.unmatched import REFUNDS, pay_without_owner
from wallets.deposits.models import Deposit, Payment, PaymentAction, PaymentResolution
from wallets.deposits.services.unmatched import propose_resolution
from wallets.providers.collection import Payer

pytestmark = pytest.mark.django_db
ADA = Payer("ADA", "Access Bank", "******4821")
EXPLANATION = "The slip of Access Bank, no. 12"


def listed(client: Client, **query: str) -> list[Payment]:
    found = client.get(reverse("admin:wallets_payment_changelist"), query)
    return list(found.context["cl"].result_list)


def propose(client: Client, payment: Payment, action: str, **typed: str) -> PaymentResolution:
    """Propose on the page of `action`; return the proposal."""
    done = submit_confirmation(client, page(payment, f"propose_{action}"), **typed)
    assert messages_of(done)[-1] == "Proposed. A second person must confirm it."
    return PaymentResolution.objects.get(payment=payment, status="Pending")


def test_one_person_proposes_an_owner_and_another_confirms(maker, checker):
    _, member = make_participants()
    payment = arrive(transaction_record("unknown", payer=ADA))
    shown = text_of(maker.get(page(payment)))
    for words in (
        f"Payment {payment.transaction_id} of 1,000.00 NGN",
        "Propose an owner", "Propose a refund", "Check at the provider now",
        "Held as unmatched 1,000.00 NGN (provider's charge 14.00 NGN)",
        "Payer's account Access Bank ******4821", "Method Bank transfer",
        "Differences Not credited", "No decisions yet.",
    ):  # fmt: skip
        assert words in shown
    assert "Record the refund" not in shown
    # Fields without a value are left out.
    for label in ("Owner", "Refund reference", "Last error -", "Next status check (UTC)"):
        assert f" {label} -" not in shown
    address = page(payment, "propose_assign")
    with assert_no_table_changes():
        refused = maker.post(address, {"explanation": EXPLANATION})
    assert "Choose an organisation or a member" in text_of(refused)
    assert f">\n{EXPLANATION}</textarea>" in refused.content.decode()
    submit_confirmation(maker, address, member=str(member.pk), explanation=EXPLANATION)
    proposal = PaymentResolution.objects.get()
    confirm = page(payment, "confirm", proposal.pk)
    own = maker.get(page(payment)).content.decode()
    assert f'href="{confirm}"' not in own
    assert "Someone other than the proposer must approve this." in own
    with assert_no_table_changes():
        assert messages_of(submit_confirmation(maker, confirm))[-1] == (
            "Someone other than the proposer must approve this. No changes were made."
        )
    assert listed(checker, decision="awaiting_my_approval") == [payment]
    assert listed(maker, decision="awaiting_my_approval") == []
    assert listed(checker, work="undecided") == []
    assert "Second person: assign" in text_of(
        checker.get(reverse("admin:wallets_payment_changelist"))
    )
    asked = text_of(checker.get(confirm))
    assert "Assign 1,000.00 NGN to Ada?" in asked
    assert (
        f"Owner Ada Organisation Acme Name match same Explanation {EXPLANATION} Proposed by maker"
    ) in asked
    assert "Payer is not the wallet owner" not in asked
    done = submit_confirmation(checker, confirm, then="next")
    assert messages_of(done) == ["Confirmed. 1,000.00 NGN credited.", "Queue empty."]
    assert balances(member.pk, "NGN") == (Decimal(1000), Decimal(0))
    shown = text_of(checker.get(page(payment)))
    assert f"Assign Ada {EXPLANATION} Approved maker checker" in shown
    assert "Owner Ada" in shown
    assert "Check at the provider now" in shown


def test_both_people_are_warned_that_the_payer_is_not_the_owner(maker, checker):
    _, member = make_participants()
    payer = Payer("Efua Boateng", "Access Bank", "******4821")
    payment = arrive(transaction_record("unknown", payer=payer))
    freeze(member, "NGN")
    warnings = [
        "Payer is not the wallet owner. Payer: Efua Boateng; owner: Ada; match: different.",
        f"The account is frozen: {REASON.rstrip('.')}.",
    ]
    address, typed = (
        page(payment, "propose_assign"),
        {"member": str(member.pk), "explanation": EXPLANATION},
    )
    with assert_no_table_changes():
        shown = submit_confirmation(maker, address, **typed)
    assert shown.context["confirmation"].warnings == warnings
    assert "Owner Ada Name match different" in text_of(shown)
    submit_confirmation(maker, address, at=shown, **typed)
    confirm = page(payment, "confirm", PaymentResolution.objects.get().pk)
    asked = checker.get(confirm)
    assert asked.context["confirmation"].warnings == warnings
    with assert_no_table_changes():
        unwarned = checker.post(confirm, {"seen": asked.context["seen"]})
    assert unwarned.status_code == 200
    assert messages_of(submit_confirmation(checker, confirm)) == [
        "Confirmed. 1,000.00 NGN credited."
    ]
    assert balances(member.pk, "NGN") == (Decimal(1000), Decimal(0))


@pytest.mark.parametrize(
    ("changes", "account"),
    [
        ({}, "Access Bank ******4821"),
        ({"payer": None}, "Not provided by the bank"),
        ({"payer": None, "payment_type": "card"}, "The payer's card"),
    ],
)
@pytest.mark.one_in(3)
def test_a_refund_says_where_the_money_returns_and_what_is_lost(maker, checker, changes, account):
    payment = arrive(transaction_record("unknown", **changes))
    proposed = maker.get(page(payment, "propose_refund")).context["confirmation"]
    proposal = propose(maker, payment, "refund", explanation=EXPLANATION)
    confirmed = checker.get(page(payment, "confirm", proposal.pk)).context["confirmation"]
    for confirmation in (proposed, confirmed):
        facts = dict(confirmation.facts)
        assert facts["Payer's account"] == account
        assert facts["Lost by the exchange"] == "14.00 NGN, the provider's charge"


def test_a_page_that_shows_another_state_confirms_nothing(maker, checker):
    organisation, _ = make_participants()
    payment = arrive(transaction_record("unknown"))
    proposal = propose_resolution(
        payment_id=payment.pk,
        action=PaymentAction.ASSIGN,
        owner=organisation,
        explanation=EXPLANATION,
        user=user_of(maker),
    )
    confirm = page(payment, "confirm", proposal.pk)
    asked = checker.get(confirm)
    # Checked meanwhile: its reason differs from the page.
    Payment.objects.filter(pk=payment.pk).update(last_error="The provider calls it fraudulent")
    with assert_no_table_changes():
        refused = submit_confirmation(checker, confirm, at=asked, then="next")
    assert "Unmatched because was No checkout or virtual account has its reference" in text_of(
        refused
    )
    asked = checker.get(confirm)
    submit_confirmation(
        checker, page(payment, "reject", proposal.pk), reason="Another slip, checked with the bank"
    )
    with assert_no_table_changes():
        late = submit_confirmation(checker, confirm, at=asked)
    assert messages_of(late)[-1] == ("Already rejected by checker. No changes were made.")
    assert Deposit.objects.count() == 0
    shown = text_of(checker.get(page(payment)))
    assert "Rejected maker checker Another slip" in shown
    assert "Propose an owner" in shown


@pytest.mark.slow
def test_a_lost_refund_is_visible_and_two_people_record_its_result(
    maker, checker, provider_sandbox: Sandbox
):
    payment = pay_without_owner(provider_sandbox)
    proposal = propose(maker, payment, "refund", explanation=EXPLANATION)
    provider_sandbox.fault("timeout_after", match=REFUNDS)
    lost = submit_confirmation(checker, page(payment, "confirm", proposal.pk))
    assert messages_of(lost)[-1] == (
        "The provider did not confirm the refund. Find its result on the provider's own pages,"
        " and record it"
    )
    for client in (maker, checker):
        assert listed(client, work="refund") == [payment]
    shown = text_of(maker.get(page(payment)))
    assert "Refunding" in shown
    assert "Record the refund" in shown
    assert "Record that nothing was refunded" in shown
    assert "Propose a refund" not in shown
    with assert_no_table_changes():
        empty = submit_confirmation(
            maker, page(payment, "propose_refunded"), explanation=EXPLANATION, refund_reference=" "
        )
    assert "This field is required." in text_of(empty)
    proposal = propose(
        maker, payment, "refunded", explanation=f"{EXPLANATION}, found", refund_reference="RF-7"
    )
    assert listed(checker, work="refund") == []
    asked = checker.get(page(payment, "confirm", proposal.pk))
    assert "Provider's reference RF-7" in text_of(asked)
    done = submit_confirmation(checker, page(payment, "confirm", proposal.pk), at=asked)
    assert messages_of(done)[-1] == "Confirmed. 1,000.00 NGN refunded."
    assert "Refund reference RF-7" in text_of(checker.get(page(payment)))


def test_a_refund_is_confirmed_by_the_provider_on_the_page(
    maker, checker, provider_sandbox: Sandbox
):
    payment = pay_without_owner(provider_sandbox)
    checked = maker.post(page(payment, "check"))
    assert messages_of(checked) == ["Checked. The provider's record is unchanged: successful."]
    proposal = propose(maker, payment, "refund", explanation=EXPLANATION)
    done = submit_confirmation(checker, page(payment, "confirm", proposal.pk))
    assert messages_of(done)[-1] == "Confirmed. 1,000.00 NGN refunded."
    payment.refresh_from_db()
    assert payment.status == "Refunded"


def test_pages_of_payments_that_have_no_decision(maker):
    organisation, member = make_participants()
    account = make_virtual_account(Owner(organisation, member))
    checkout = make_checkout(Owner(organisation), "1000")
    credited = arrive(transaction_record(account.reference))
    differing = arrive(transaction_record(checkout.reference, "900"))
    foreign = arrive(transaction_record("unknown", "50", currency="EUR", payer=ADA))
    disproved = arrive(transaction_record(account.reference), "another")
    for payment, words, missing in (
        (credited, "Owner Ada", "Propose"),
        (differing, "Amount differs", "Propose"),
        (foreign, "Differences Not credited", "Held as unmatched"),
        (foreign, "The exchange keeps no wallets in its currency", "Propose an owner"),
        (foreign, "Propose a refund", "Record the refund"),
        (disproved, "The provider knows it under another reference", "Propose"),
    ):
        shown = text_of(maker.get(page(payment)))
        assert words in shown
        assert missing not in shown
    with assert_no_table_changes():
        late = submit_confirmation(
            maker, page(credited, "propose_refund"), explanation="x, checked with the bank"
        )
        assert messages_of(late)[-1] == (
            "The payment is Credited, no longer Unmatched. No changes were made."
        )
        unassignable = submit_confirmation(
            maker,
            page(foreign, "propose_assign"),
            member=str(member.pk),
            explanation="x, checked with the bank",
        )
        assert "It cannot be assigned: the exchange keeps no wallets in its currency" in text_of(
            unassignable
        )
        assert maker.get(page(foreign, "confirm", uuid7())).status_code == 404


@pytest.mark.parametrize("role", [BACK_OFFICE, AUDITOR])
def test_other_roles_look_and_do_not_decide(role, maker):
    payment = arrive(transaction_record("unknown"))
    propose(maker, payment, "refund", explanation=EXPLANATION)
    client = signed_in_client(role)
    shown = text_of(client.get(page(payment)))
    assert "Your role can view this but not approve it." in shown
    for words in ("Propose an owner", "Check at the provider now", "Next in queue"):
        assert words not in shown


def test_the_list_counts_its_views_and_costs_the_same_for_one_as_for_many(
    maker, django_assert_max_num_queries
):
    arrive(transaction_record("unknown"))
    address = reverse("admin:wallets_payment_changelist")
    maker.get(address)
    with django_assert_max_num_queries(14):
        maker.get(address)
    payments = [arrive(transaction_record("unknown", payer=None)) for _ in range(4)]
    propose(maker, payments[0], "refund", explanation=EXPLANATION)
    with django_assert_max_num_queries(14):
        shown = maker.get(address)
    assert (
        "Awaiting my approval 0 Awaiting a decision 4 Refund not confirmed 0 Unmatched 5"
        in text_of(shown)
    )
    chosen = maker.get(address, {"work": "undecided"}).content.decode()
    assert 'href="?work=undecided" title="Unmatched payments without a proposal."' in chosen
    assert chosen.count('aria-current="page">Awaiting a decision') == 1


def test_one_page_costs_the_same_for_one_payment_of_a_payer_as_for_many(
    maker, django_assert_max_num_queries
):
    payment = arrive(transaction_record("unknown"))
    maker.get(page(payment))
    with django_assert_max_num_queries(22):
        maker.get(page(payment))
    for _ in range(4):
        arrive(transaction_record("unknown"))
    with django_assert_max_num_queries(22):
        shown = text_of(maker.get(page(payment)))
    # Four rows, and the payment itself.
    assert shown.count("Unmatched 1,000.00 NGN") == 5
