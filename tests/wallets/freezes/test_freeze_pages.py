"""The pages of freezes: freeze an owner, lift it by two people, list and export."""

import pytest
from django.test import Client
from django.urls import reverse

from config.back_office.roles import FINANCE_APPROVER
from exchange.participants.models import Member, Organisation
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    page,
    signed_in_client,
    submit_confirmation,
    text_of,
)
from tests.factories.holds import REASON, freeze
from tests.factories.tokens import make_token
from tests.factories.traders import Trader
from tests.factories.wallets import Wallet
from wallets.freezes.models import Freeze, FreezeLift

pytestmark = pytest.mark.django_db

LIST = "/admin/wallets/freeze/"


def of(owner: Member | Organisation, name: str = "freeze") -> str:
    return reverse(f"admin:exchange_{owner._meta.model_name}_{name}", args=[owner.pk])


def test_a_member_is_frozen_from_its_page_after_a_confirmation(office: Client):
    organisation, member = make_participants()
    trader = Trader(Wallet(organisation, member).fund(5_000))
    token = make_token(currency="KES")
    trader.place(token, "Buy", 90, 10)
    assert "Freeze" in text_of(office.get(of(member, "change")))
    asked = text_of(office.get(of(member)))
    assert "Freeze Ada?" in asked
    assert "Owner Ada Organisation Acme Current freezes None" in asked
    # The orders that would be lost.
    assert "Orders that are cancelled (1)" in asked
    assert f"Buy {token.symbol} 10 0 90.00 KES 900.00 KES" in asked
    with assert_no_table_changes():
        # Nothing is chosen beforehand: freezing everything cancels orders for good.
        unchosen = submit_confirmation(office, of(member), currency="", reason=REASON)
        assert unchosen.context["form"].errors.keys() == {"currency"}
        assert (
            '<option value="" selected>Choose</option>' in office.get(of(member)).content.decode()
        )
        office.post(of(member), {"currency": "all", "reason": REASON})
        missing = submit_confirmation(office, of(member), currency="all", reason="")
    assert "This field is required" in text_of(missing)
    response = submit_confirmation(office, of(member), currency="all", reason=REASON)
    assert messages_of(response) == ["Frozen. Lifting it takes two people."]
    frozen = Freeze.objects.get()
    assert (frozen.owner_id, frozen.currency_id, frozen.reason) == (member.pk, None, REASON)
    assert trader.balance("KES", "reserved") == 0
    shown = text_of(office.get(of(member, "change")))
    assert f"Active All currencies and units {REASON} back-office" in shown
    again = submit_confirmation(office, of(member), currency="all", reason=f"{REASON}, again")
    assert "This is frozen already" in text_of(again)
    submit_confirmation(
        office, of(member), currency="KES", reason="Also this, checked with the bank"
    )
    assert list(Freeze.objects.values_list("currency_id", flat=True)) == ["KES", None]
    asked = text_of(office.get(of(member)))
    assert "Current freezes KES, All currencies and units" in asked
    assert "No open orders." in asked


def test_the_page_of_an_organisation_says_that_members_are_not_frozen(finance: Client):
    organisation, member = make_participants()
    asked = text_of(finance.get(of(organisation)))
    assert "The wallets of its members are not frozen." in asked
    submit_confirmation(finance, of(organisation), currency="NGN", reason=REASON)
    frozen = Freeze.objects.get()
    assert (frozen.owner_id, frozen.member_id, frozen.currency_id) == (organisation.pk, None, "NGN")
    assert REASON not in text_of(finance.get(of(member, "change")))
    assert f"NGN {REASON}" in text_of(finance.get(of(organisation, "change")))


def test_two_people_lift_a_freeze_with_one_confirmation_each(finance: Client):
    organisation, _ = make_participants()
    frozen = freeze(organisation)
    second = signed_in_client(FINANCE_APPROVER, "second")
    assert "Propose to lift" in text_of(finance.get(page(frozen)))
    asked = text_of(finance.get(page(frozen, "lift")))
    assert "Propose to lift the freeze of Acme?" in asked
    assert f"Frozen All currencies and units Reason {REASON}" in asked
    response = submit_confirmation(
        finance, page(frozen, "lift"), explanation="Order withdrawn, checked with the bank"
    )
    assert messages_of(response) == ["Proposed. A second person must confirm it."]
    shown = text_of(finance.get(page(frozen)))
    assert "Someone other than the proposer must approve this" in shown
    assert f'href="{page(frozen, "confirm")}"' not in shown
    with assert_no_table_changes():
        for name in ("lift", "confirm"):
            submit_confirmation(finance, page(frozen, name), explanation="x, checked with the bank")
    assert "Lift the freeze" in text_of(second.get(page(frozen)))
    assert f"{LIST}?decision=awaiting_my_approval" in second.get("/admin/").content.decode()
    listed = second.get(LIST, {"decision": "awaiting_my_approval"})
    assert listed.context["cl"].result_count == 1
    assert finance.get(LIST, {"decision": "awaiting_my_approval"}).context["cl"].result_count == 0
    assert finance.get(LIST, {"decision": "awaiting_others"}).context["cl"].result_count == 1
    asked = text_of(second.get(page(frozen, "confirm")))
    assert "Lift the freeze of Acme?" in asked
    assert "Proposed by finance-approver Explanation Order withdrawn" in asked
    response = submit_confirmation(second, page(frozen, "confirm"))
    assert messages_of(response) == ["Freeze lifted."]
    frozen.refresh_from_db()
    assert frozen.state == "Lifted"
    shown = text_of(finance.get(page(frozen)))
    assert "Propose to lift" not in shown
    with assert_no_table_changes():
        for client, name in ((finance, "lift"), (second, "confirm"), (second, "reject")):
            response = submit_confirmation(
                client,
                page(frozen, name),
                explanation="x, checked with the bank",
                reason="x, checked with the bank",
            )
            assert messages_of(response)[-1].endswith("No changes were made.")


def test_a_proposal_is_rejected_with_a_reason_and_the_freeze_stays(finance: Client):
    organisation, _ = make_participants()
    organisation.name = "Acme Holdings"
    organisation.save()
    frozen = freeze(organisation)
    assert "Freeze of Acme Holdings" in text_of(finance.get(page(frozen)))
    submit_confirmation(
        finance, page(frozen, "lift"), explanation="Order withdrawn, checked with the bank"
    )
    second = signed_in_client(FINANCE_APPROVER, "second")
    response = submit_confirmation(
        second, page(frozen, "reject"), reason="It was not, checked with the bank"
    )
    assert messages_of(response) == ["Proposal closed. The freeze stays."]
    assert (FreezeLift.objects.get().status, Freeze.objects.get().lifted_at) == ("Rejected", None)
    assert "It was not, checked with the bank" in text_of(second.get(page(frozen)))
    assert "Propose to lift" in text_of(second.get(page(frozen)))


def test_who_may_only_read_is_not_offered_to_lift(office: Client, auditor: Client):
    organisation, _ = make_participants()
    frozen = freeze(organisation)
    for client in (auditor, office):
        assert "Propose to lift" not in text_of(client.get(page(frozen)))


def test_the_list_filters_and_costs_the_same_for_many(
    finance: Client, django_assert_max_num_queries
):
    organisations = [make_participants()[0] for _ in range(1)]
    first = freeze(organisations[0])
    rows = finance.get(LIST, {"state": "active"}).context["cl"].result_list
    assert [row.pk for row in rows] == [first.pk]
    assert not finance.get(LIST, {"state": "lifted"}).context["cl"].result_list
    assert not finance.get(LIST, {"currency__code__exact": "NGN"}).context["cl"].result_list
    with django_assert_max_num_queries(100) as one:
        finance.get(LIST)
    count = len(one.captured_queries)
    for currency in ("NGN", "KES", "USD"):
        freeze(organisations[0], currency)
    with django_assert_max_num_queries(count):
        finance.get(LIST)
