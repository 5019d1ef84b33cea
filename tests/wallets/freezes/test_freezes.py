"""Freezes: placed by one person, lifted by two, kept as history; and what blocks an owner."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from exchange.core.database import violated_constraint
from exchange.core.errors import (
    Conflict,
    Forbidden,
    InvalidRequest,
    NotFound,
    Rejected,
    StateConflict,
)
from exchange.core.ids import uuid7
from exchange.core.models import Change
from orders.freezing.services import freeze_owner
from tests.assertions.unchanged import assert_no_table_changes, table_fingerprints
from tests.environment.owner import as_owner
from tests.factories.api_clients import make_member, make_organisation
from tests.factories.holds import REASON, freeze, freezer, lift, lifter, owe
from tests.factories.wallets import Wallet, assert_books_hold, make_member_wallet, make_staff
from wallets.freezes.models import Freeze, FreezeLift
from wallets.freezes.selectors import active_freezes, find_freeze, is_frozen
from wallets.freezes.services import confirm_lift, propose_lift, reject_lift

pytestmark = pytest.mark.django_db


def block(wallet: Wallet, currency: str = "KES") -> str | None:
    """Return what the database answers."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT owner_block(%s, %s, %s)", [wallet.organisation.pk, wallet.member_id, currency]
        )
        found: str | None = cursor.fetchone()[0]
    return found


def test_a_freeze_is_of_one_owner_and_all_or_one_currency():
    organisation = make_organisation()
    ada, bola = make_member(organisation, "Ada"), make_member(organisation, "Bola")
    own, hers, his = Wallet(organisation), Wallet(organisation, ada), Wallet(organisation, bola)
    freeze(ada)
    assert [block(w, c) for w in (hers, his, own) for c in ("KES", "NGN")] == [
        "account_frozen", "account_frozen", None, None, None, None,
    ]  # fmt: skip
    freeze(organisation, "KES")
    assert [block(w, c) for w in (hers, his, own) for c in ("KES", "NGN")] == [
        "account_frozen", "account_frozen", None, None, "account_frozen", None,
    ]  # fmt: skip
    assert [is_frozen(organisation.pk), is_frozen(organisation.pk, "KES")] == [False, True]
    assert [is_frozen(ada.pk), is_frozen(ada.pk, "USD"), is_frozen(bola.pk, "KES")] == [
        True, True, False,
    ]  # fmt: skip
    one = find_freeze(organisation.pk, "KES")
    assert one is not None
    assert (one.scope, one.state, str(one)) == ("KES", "Active", f"freeze of {organisation}")


def test_a_freeze_is_placed_at_once_and_stays_as_history():
    wallet = make_member_wallet()
    assert wallet.member is not None
    person = freezer()
    made = freeze_owner(owner=wallet.member, currency=None, reason=f" {REASON} ", user=person)
    assert (made.organisation_id, made.member_id, made.currency_id, made.reason) == (
        wallet.organisation.pk, wallet.member_id, None, REASON,
    )  # fmt: skip
    assert (made.placed_by, made.lifted_at) == (person, None)
    assert abs(made.created_at - timezone.now()) < timedelta(minutes=1)
    change = Change.objects.get(table="wallets_freeze")
    assert (change.operation, change.about_id) == ("INSERT", str(wallet.member_id))
    with pytest.raises(Conflict, match=r"^This is frozen already$") as caught:
        freeze(wallet.member)
    assert caught.value.code == "already_frozen"
    freeze(wallet.member, "KES")
    lifted = lift(made)
    assert (lifted.state, block(wallet, "NGN"), block(wallet)) == ("Lifted", None, "account_frozen")
    again = freeze(wallet.member)
    assert list(wallet.member.freezes.values_list("currency_id", flat=True)) == [
        None,
        "KES",
        None,
    ]
    assert active_freezes(wallet.member).first() == again
    assert active_freezes(wallet.member).count() == 2


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"reason": " "}, InvalidRequest, r"^Enter a reason$"),
        ({"reason": "x" * 501}, InvalidRequest, "at most 500 characters, not 501"),
        ({"currency": "EUR"}, InvalidRequest, "Choose a currency of the wallet"),
        ({"user": "lift_freeze"}, Forbidden, r"^You may not freeze members and wallets$"),
    ],
)
def test_a_freeze_needs_a_reason_a_currency_and_the_permission(
    change: dict[str, Any], error: type[Exception], words: str
):
    wallet = make_member_wallet()
    user = make_staff(change.get("user", "place_freeze"))
    values = {"currency": None, "reason": REASON, **change, "user": user}
    with assert_no_table_changes(), pytest.raises(error, match=words):
        freeze_owner(owner=wallet.member or wallet.organisation, **values)


def test_a_reason_of_500_characters_fits():
    wallet = make_member_wallet()
    made = freeze_owner(owner=wallet.organisation, currency="USD", reason="x" * 500, user=freezer())
    assert (len(made.reason), made.member_id) == (500, None)


def test_a_freeze_is_lifted_by_two_people_only():
    frozen = freeze(make_organisation())
    person, stranger = lifter(), make_staff("place_freeze")
    with pytest.raises(Forbidden, match=r"^You may not lift freezes$"):
        propose_lift(freeze_id=frozen.pk, explanation="x", user=stranger)
    with pytest.raises(InvalidRequest, match=r"^Enter an explanation$"):
        propose_lift(freeze_id=frozen.pk, explanation=" ", user=person)
    with pytest.raises(NotFound, match=r"^Freeze not found$"):
        propose_lift(freeze_id=uuid7(), explanation="x", user=person)
    proposal = propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=person)
    before = table_fingerprints()
    with pytest.raises(Conflict, match=r"^A proposal to lift this freeze is pending already$"):
        propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=lifter())
    with pytest.raises(Rejected) as caught:
        confirm_lift(lift_id=proposal.pk, user=person)
    assert caught.value.code == "approver_not_independent"
    with pytest.raises(Forbidden):
        confirm_lift(lift_id=proposal.pk, user=stranger)
    with pytest.raises(Forbidden):
        reject_lift(lift_id=proposal.pk, reason="x", user=stranger)
    with pytest.raises(InvalidRequest, match=r"^Enter a reason for the rejection$"):
        reject_lift(lift_id=proposal.pk, reason="", user=person)
    # The people of the calls were made meanwhile.
    after = table_fingerprints()
    assert [after[t] for t in ("wallets_freeze", "wallets_freezelift")] == [
        before[t] for t in ("wallets_freeze", "wallets_freezelift")
    ]
    reject_lift(lift_id=proposal.pk, reason="Not yet", user=person)
    second = lifter()
    proposal = propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=person)
    confirm_lift(lift_id=proposal.pk, user=second)
    frozen.refresh_from_db()
    assert frozen.lifted_at is not None
    assert list(
        FreezeLift.objects.order_by("id").values_list("status", "reason", "decided_by")
    ) == [
        ("Rejected", "Not yet", person.pk),
        ("Approved", "", second.pk),
    ]
    with pytest.raises(StateConflict):
        confirm_lift(lift_id=proposal.pk, user=second)
    with pytest.raises(StateConflict, match=r"^The freeze is lifted already$"):
        propose_lift(freeze_id=frozen.pk, explanation="again", user=person)


def test_a_lift_locks_the_freeze_before_the_proposal():
    frozen = freeze(make_organisation())
    proposal = propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=lifter())
    second = lifter()
    with CaptureQueriesContext(connection) as captured:
        confirm_lift(lift_id=proposal.pk, user=second)
    locking = [
        re.search(r'FROM "wallets_(\w+)" .*FOR NO KEY UPDATE', each["sql"]) for each in captured
    ]
    assert [found[1] for found in locking if found] == ["freeze", "freezelift"]


def refused(sql: str, *parameters: Any) -> str:
    """Return what refuses a statement: the constraint, or the message."""
    with (
        pytest.raises(DatabaseError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql, parameters)
    return violated_constraint(caught.value) or str(caught.value).splitlines()[0]


def test_the_database_itself_refuses_to_lift_change_or_remove_a_freeze():
    frozen, other = freeze(make_organisation()), make_organisation()
    update = "UPDATE wallets_freeze SET"
    assert refused(f"{update} lifted_at = now()") == "freeze_lifted_by_two"
    assert "would change" in refused(f"{update} reason = 'x'")
    assert "would change" in refused(f"{update} organisation_id = %s", other.pk)
    propose_lift(freeze_id=frozen.pk, explanation="Cleared", user=lifter())
    assert refused(f"{update} lifted_at = now()") == "freeze_lifted_by_two"
    assert refused("UPDATE wallets_freezelift SET status = 'Approved', decided_at = now()") == (
        "freeze_lift_approved_by_another"
    )
    # The lift of another freeze is not one of this.
    lift(freeze(other))
    assert refused(f"{update} lifted_at = now() WHERE id = %s", frozen.pk) == "freeze_lifted_by_two"
    assert "permission denied" in refused("DELETE FROM wallets_freeze")
    with pytest.raises(DatabaseError, match="never removed"), as_owner() as cursor:
        cursor.execute("DELETE FROM wallets_freeze")


def test_a_lifted_freeze_is_final_and_one_starts_active():
    frozen = lift(freeze(make_organisation()))
    assert "is lifted" in refused("UPDATE wallets_freeze SET lifted_at = NULL")
    with pytest.raises(DatabaseError) as caught, transaction.atomic():
        Freeze.objects.create(
            organisation=frozen.organisation,
            reason="x",
            placed_by=frozen.placed_by,
            created_at=timezone.now(),
            lifted_at=timezone.now(),
        )
    assert violated_constraint(caught.value) == "freeze_starts_active"


def test_a_member_is_frozen_within_its_organisation_only():
    member = make_member(make_organisation())
    with pytest.raises(DatabaseError) as caught, transaction.atomic():
        Freeze.objects.create(
            organisation=make_organisation("Other"),
            member=member,
            reason="x",
            placed_by=freezer(),
            created_at=timezone.now(),
        )
    assert violated_constraint(caught.value) == "freeze_member_of_organisation"


def test_a_debt_blocks_its_own_currency_and_a_freeze_comes_first():
    wallet = make_member_wallet()
    owe(wallet)
    assert [block(wallet), block(wallet, "NGN"), block(Wallet(wallet.organisation))] == [
        "receivable_due", None, None,
    ]  # fmt: skip
    assert wallet.member is not None
    freeze(wallet.member, "KES")
    assert block(wallet) == "account_frozen"
    assert_books_hold()
