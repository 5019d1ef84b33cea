"""From a decision to the next record of the queue: same filters, same order, only one's own."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.back_office.roles import AUDITOR, FINANCE_APPROVER
from exchange.admin.display import record_link
from exchange.participants.models import Organisation
from tests.assertions.unchanged import assert_no_table_changes
from tests.factories.back_office import (
    make_participants,
    messages_of,
    signed_in_client,
    submit_confirmation,
    text_of,
    user_of,
)
from tests.factories.breaks import make_break
from tests.factories.wallets import (
    OVERRIDE,
    make_approved_withdrawal,
    make_member_wallet,
    store_bank_list,
)
from wallets.deposits.models import Deposit
from wallets.payouts.models import Proposal, ProposalAction
from wallets.reconciliation.models import ReconciliationBreak
from wallets.reconciliation.services.explanations import explain_break

pytestmark = pytest.mark.django_db


@pytest.fixture
def organisation() -> Organisation:
    return make_participants()[0]


def enter(client: Client, organisation: Organisation, reference: str, amount: int, code="NGN"):
    """Enter a deposit by the user of `client`."""
    body = {"currency": code, "amount": str(amount), "reference": reference, "note": ""}
    client.post(reverse("admin:wallets_deposit_add"), {**body, "organisation": organisation.pk})
    return Deposit.objects.get(reference=reference)


def page(record: Any, name: str, query: str = "") -> str:
    label = record._meta.label_lower.replace(".", "_")
    address = reverse(f"admin:{label}_{name}", args=[record.pk])
    return f"{address}?{urlencode({'_changelist_filters': query})}" if query else address


def arrived_at(response: Any) -> tuple[str, dict[str, list[str]]]:
    """Return the path of a redirect and the list's query that it preserves."""
    assert response.status_code == 302
    parts = urlsplit(response["Location"])
    query = parse_qs(parts.query)
    return parts.path, parse_qs(query["_changelist_filters"][0]) if (
        "_changelist_filters" in query
    ) else query


def test_a_decision_leads_to_the_next_deposit_with_the_filters_in_their_order(
    finance, organisation, office
):
    made = {
        amount: enter(office, organisation, f"B-{amount}", amount)
        for amount in (300, 100, 200, 400)
    }
    other = enter(office, organisation, "B-KES", 250, "KES")
    # By amount, ascending: column 5 of the list.
    query = "currency__code__exact=NGN&o=4&p=2"
    kept = {"currency__code__exact": ["NGN"], "o": ["4"]}
    shown = finance.get(page(made[200], "confirm", query)).content.decode()
    assert 'name="then" value="next" class="button">Confirm and next</button>' in shown
    for amount, name, typed, following in (
        (200, "confirm", {}, 300),
        (300, "reject", {"reason": "Not on the statement"}, 400),
        # After the last one the first, which was left out before.
        (400, "confirm", {"reason": "Seen on the statement"}, 100),
    ):
        done = submit_confirmation(finance, page(made[amount], name, query), then="next", **typed)
        assert arrived_at(done) == (page(made[following], "change"), kept)
    done = submit_confirmation(finance, page(made[100], "confirm", query), then="next")
    assert messages_of(done)[-1] == "Queue empty."
    assert arrived_at(done) == (reverse("admin:wallets_deposit_changelist"), kept)
    statuses = dict(Deposit.objects.values_list("reference", "status"))
    assert statuses == {
        "B-100": "Completed", "B-200": "Completed", "B-300": "Failed", "B-400": "Completed",
        "B-KES": "Pending",
    }  # fmt: skip
    assert finance.get(page(other, "confirm")).status_code == 200


def test_without_a_list_all_that_await_the_user_follow(finance, organisation, office):
    old, middle, new = (enter(office, organisation, f"B-{n}", n) for n in (1, 2, 3))
    whole = {"decision": ["awaiting_my_approval"]}
    shown = finance.get(page(middle, "change")).content.decode()
    assert f'href="{page(middle, "next")}" data-key="j">Next in queue</a>' in shown
    assert f'href="{page(middle, "previous")}" data-key="k">Previous</a>' in shown
    # The newest first.
    for this, following in ((middle, old), (old, new), (new, middle)):
        assert arrived_at(finance.get(page(this, "next"))) == (page(following, "change"), whole)
        assert arrived_at(finance.get(page(following, "previous"))) == (page(this, "change"), whole)
    submit_confirmation(finance, page(new, "confirm"))
    submit_confirmation(finance, page(old, "confirm"), then="next")
    skipped = finance.get(page(middle, "next"))
    assert arrived_at(skipped) == (reverse("admin:wallets_deposit_changelist"), whole)


def test_nothing_follows_for_those_who_do_not_decide(organisation, finance, office):
    first, _ = (enter(office, organisation, f"B-{n}", n) for n in (1, 2))
    for client in (office, signed_in_client(AUDITOR)):
        assert "Next in queue" not in text_of(client.get(page(first, "change")))
    assert "Cancel and next" not in text_of(office.get(page(first, "cancel")))
    with assert_no_table_changes():
        assert finance.post(page(first, "next")).status_code == 405


def test_a_decision_that_fails_stays_where_it_is(finance, organisation, office):
    first, _ = (enter(office, organisation, f"B-{n}", n) for n in (1, 2))
    asked = finance.get(page(first, "reject"))
    colleague = signed_in_client(FINANCE_APPROVER, "colleague")
    submit_confirmation(colleague, page(first, "confirm"))
    with assert_no_table_changes():
        late = submit_confirmation(
            finance,
            page(first, "reject"),
            at=asked,
            then="next",
            reason="Not found, checked with the bank",
        )
        assert arrived_at(late) == (page(first, "change"), {})
    assert messages_of(late)[-1] == ("Already completed by colleague. No changes were made.")


def test_withdrawals_follow_in_the_saved_view_oldest_first(finance):
    store_bank_list()
    wallet = make_member_wallet(50_000)
    first, second, third = (wallet.request(amount) for amount in (500, 600, 700))
    query = "view=awaiting_my_approval"
    review = finance.get(page(second, "change", query))
    assert "Next in queue" in text_of(review)
    approval, rejection = page(second, "approve", query), page(third, "reject", query)
    assert "Approve and next" in text_of(finance.get(approval))
    approved = submit_confirmation(finance, approval, then="next", override=OVERRIDE)
    kept = {"view": ["awaiting_my_approval"]}
    assert arrived_at(approved) == (page(third, "change"), kept)
    payee, link = second.bank.account_name, record_link(second)
    assert messages_of(approved) == [f"Approved: 570.00 KES to {payee} ({link}). 2 left."]
    form = {"then": "next", "reason": "Unknown payee, checked with the bank"}
    asked = finance.get(rejection)
    rejected = submit_confirmation(finance, rejection, at=asked, **form)
    assert arrived_at(rejected) == (page(first, "change"), kept)
    assert messages_of(rejected)[-1].endswith("Released to the wallet. 1 left.")
    stale = submit_confirmation(finance, rejection, at=asked, **form)
    assert arrived_at(stale) == (page(third, "change"), kept)
    last = submit_confirmation(
        finance, page(first, "approve", query), then="next", override=OVERRIDE
    )
    assert arrived_at(last) == (reverse("admin:wallets_withdrawal_changelist"), kept)
    assert messages_of(last)[-1] == "Queue empty."


def test_a_payout_proposal_is_followed_by_the_next_proposal(finance):
    store_bank_list()
    wallet = make_member_wallet(50_000)
    maker = user_of(signed_in_client(FINANCE_APPROVER, "maker"))
    newest, oldest = (
        Proposal.objects.create(
            withdrawal=make_approved_withdrawal(wallet),
            action=ProposalAction.RETURN,
            reason="The provider is out",
            proposed_by=maker,
            created_at=timezone.now(),
        )
        for _ in range(2)
    )
    decline = reverse("admin:wallets_withdrawal_decline", args=[newest.withdrawal_id, newest.pk])
    done = submit_confirmation(finance, decline, then="next")
    assert arrived_at(done) == (page(oldest, "change"), {"decision": ["awaiting_my_approval"]})


def test_breaks_sorted_by_a_column_with_empty_values_are_each_visited_once(finance):
    maker = user_of(signed_in_client(FINANCE_APPROVER, "maker"))
    owners = [None, maker, user_of(finance), None]
    breaks = [make_break(str(number)) for number in range(1, 5)]
    for found, owner in zip(breaks, owners, strict=True):
        explain_break(break_id=found.pk, explanation="Late", user=maker)
        ReconciliationBreak.objects.filter(pk=found.pk).update(owner=owner)
    # Of one's own explanation one is not the second person.
    own = make_break("5")
    explain_break(break_id=own.pk, explanation="Late", user=user_of(finance))
    for order, expected in (("5", [2, 1, 3, 0]), ("-5", [3, 0, 1, 2])):
        query = f"o={order}"
        at, visited = breaks[expected[0]], []
        for _ in breaks:
            visited.append(at)
            path, _kept = arrived_at(finance.get(page(at, "next", query)))
            at = next(found for found in breaks if page(found, "change") == path)
        assert [breaks.index(found) for found in visited] == expected, order
        assert at == visited[0]


def test_the_next_record_costs_the_same_for_few_as_for_many(
    finance, organisation, django_assert_max_num_queries, office
):
    first, *_ = [enter(office, organisation, f"B-{n}", n) for n in (1, 2)]
    finance.get(page(first, "next"))
    with django_assert_max_num_queries(9):
        finance.get(page(first, "next"))
    for number in range(3, 13):
        enter(office, organisation, f"B-{number}", number)
    with django_assert_max_num_queries(9):
        finance.get(page(first, "next"))
